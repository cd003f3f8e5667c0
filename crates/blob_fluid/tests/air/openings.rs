//! Openings let air out and in, and give it no energy.

use std::f32::consts::TAU;

use blob_fluid::FluidRegion;
use blob_fluid::air::{Air, AirAdvection, AirSettings, AirSide, AirSides, AirSource};
use glam::Vec2;

use crate::ticks::TICK;
use crate::{gravity, room, run};

fn energy(air: &Air) -> f64 {
    let faces = air.velocities_x().iter().chain(air.velocities_y());
    faces.map(|speed| f64::from(*speed).powi(2)).sum()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the last bits of the start do not matter")]
fn eddies_that_meet_an_opening_gain_nothing() {
    const N: usize = 48;
    for advection in [AirAdvection::MacCormack, AirAdvection::SemiLagrangian] {
        let settings = AirSettings { advection, ..AirSettings::default() };
        let mut air = room(N, N, settings, AirSides::all(AirSide::Open));
        // Eddies of 8 cells, whose air goes 2 cells in a step.
        let speed = 2.0 / TICK;
        let wave = |cells: usize, offset: f32| (TAU / 16.0 * (cells as f32 + offset)).sin();
        let shifted = |cells: usize, offset: f32| wave(cells, offset + 4.0);
        let x = (0..(N + 1) * N)
            .map(|face| speed * wave(face % (N + 1), 0.0) * shifted(face / (N + 1), 0.5));
        let y = (0..N * (N + 1)).map(|face| -speed * shifted(face % N, 0.5) * wave(face / N, 0.0));
        let (x, y): (Vec<f32>, Vec<f32>) = (x.collect(), y.collect());
        air.set_velocities(&x, &y).expect("valid");
        let start = energy(&air);
        let mut most = 0.0_f64;
        for _ in 0..400 {
            run(&mut air, 1);
            most = most.max(energy(&air) / start);
        }
        assert!(most <= 1.0, "{advection:?}: {most} times the energy");
        let end = energy(&air) / start;
        assert!(end < 0.1, "{advection:?}: what leaves takes its energy along, and left {end}");
    }
}

#[test]
fn a_plume_through_an_opening_is_no_faster_than_its_rise_explains() {
    const N: usize = 64;
    let settings = AirSettings { cooling: 1.0, ..gravity() };
    let mut air =
        room(N, N, settings, AirSides { bottom: AirSide::CLOSED, ..AirSides::all(AirSide::Open) });
    let region = FluidRegion::circle(Vec2::new(30.0, 6.0), 4.0).expect("valid");
    // Where it stays, the air becomes as hot as gains and losses balance.
    let heat = 30.0;
    air.set_sources(vec![AirSource { heat, ..AirSource::new(region) }]).expect("valid");
    // From rest over the whole height, with the acceleration of the hottest air.
    let hottest = heat / settings.cooling;
    let fastest = (2.0 * -settings.gravity.y * settings.buoyancy * hottest * N as f32).sqrt();
    for second in 0..20 {
        let report = run(&mut air, 60);
        assert!(report.max_speed < fastest, "{second} s: {report:?}, at most {fastest}");
    }
}
