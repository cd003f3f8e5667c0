//! Single passes beside references in 64 bits. In flows that vary across themselves only, the other
//! passes have nothing to do.

use std::f64::consts::TAU;

use blob_fluid::SerialExecutor;
use blob_fluid::air::{AirChannel, AirSettings, AirSide, AirSides, AirWorkspace};
use glam::Vec2;

use crate::{noise, room};

const N: usize = 24;

/// Rounding of a number of size 1 in so many operations.
fn rounding(operations: usize) -> f64 {
    0.5 * f64::from(f32::EPSILON) * operations as f64
}

#[test]
fn forces_are_weight_and_buoyancy() {
    let gravity = Vec2::new(0.0, -3.0);
    let settings = AirSettings { buoyancy: 0.8, smoke_weight: 0.3, ..AirSettings::new(gravity) };
    let mut air = room(N, N, settings, AirSides::all(AirSide::Periodic));
    // Every column is as hot as its neighbours above and below, so that what rises meets nothing.
    let (heat, smoke) = (noise(N, 1), noise(N, 2));
    let columns = |list: &[f32]| -> Vec<f32> { (0..N * N).map(|cell| list[cell % N]).collect() };
    air.set_channel(AirChannel::Heat, &columns(&heat)).expect("valid");
    air.set_channel(AirChannel::Smoke, &columns(&smoke)).expect("valid");
    let time_step = 0.25;
    air.step(time_step, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");
    for (face, found) in air.velocities_y().iter().enumerate() {
        let (heat, smoke) = (f64::from(heat[face % N]), f64::from(smoke[face % N]));
        let expected = f64::from(time_step)
            * f64::from(-gravity.y)
            * (f64::from(0.8_f32) * heat - f64::from(0.3_f32) * smoke);
        let error = (f64::from(*found) - expected).abs();
        assert!(error < rounding(12), "{found} beside {expected}");
    }
    assert!(air.velocities_x().iter().all(|velocity| f64::from(velocity.abs()) < rounding(12)));
}

/// The Legendre polynomial of a degree.
fn legendre(degree: u32, x: f64) -> f64 {
    let (mut before, mut now) = (1.0, x);
    for n in 1..degree {
        let n = f64::from(n);
        (before, now) = (now, ((2.0 * n + 1.0) * x * now - n * before) / (n + 1.0));
    }
    now
}

/// What is left of a mode after a step that makes `rate` of it disappear: the polynomial of the
/// stages in closed form (Meyer, Balsara and Aslam 2014, eq. 9 and 15).
fn left_after(stages: u32, rate: f64) -> f64 {
    let s = f64::from(stages);
    let b = (s * s + s - 2.0) / (2.0 * s * (s + 1.0));
    1.0 - b + b * legendre(stages, 1.0 - 4.0 / (s * s + s - 2.0) * rate)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "both sides start from the same rounded numbers")]
fn viscosity_damps_every_mode_as_its_polynomial_says() {
    for (viscosity, mode) in
        [(0.1_f32, 1), (0.1, 3), (1.0, 2), (4.0, 1), (4.0, 5), (30.0, 1), (30.0, 12)]
    {
        let settings = AirSettings { viscosity, ..AirSettings::default() };
        let mut air = room(N, N, settings, AirSides::all(AirSide::Periodic));
        // Layers that slide past each other.
        let wave = TAU * f64::from(mode) / N as f64;
        let layer: Vec<f32> = (0..N).map(|j| (wave * j as f64).cos() as f32).collect();
        let x: Vec<f32> = (0..N * (N + 1)).map(|face| layer[face / (N + 1)]).collect();
        air.set_velocities(&x, &vec![0.0; N * (N + 1)]).expect("valid");
        let time_step = 0.5;
        air.step(time_step, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");
        let strength = f64::from(viscosity) * f64::from(time_step);
        // The fewest stages, an odd number, that are stable at walls.
        let stages = (1..).map(|k| 2 * k + 1).find(|s| f64::from(s * s + s - 2) >= 24.0 * strength);
        let stages = stages.expect("a number");
        let left = left_after(stages, strength * (2.0 - 2.0 * wave.cos()));
        for (face, found) in air.velocities_x().iter().enumerate() {
            let expected = left * f64::from(layer[face / (N + 1)]);
            let error = (f64::from(*found) - expected).abs();
            // A stage multiplies and adds about ten times; Legendre stages add up rounding by their
            // number at most.
            let bound = rounding(10 * (stages * stages) as usize);
            assert!(error < bound, "viscosity {viscosity}, mode {mode}: {found} beside {expected}");
        }
    }
}

#[test]
fn advection_by_whole_cells_moves_channels_exactly() {
    for cells in [[1, 0], [0, -1], [3, 2], [-5, 4], [-2, -7]] {
        let mut air = room(N, N, AirSettings::default(), AirSides::all(AirSide::Periodic));
        let velocity = cells.map(|cells| cells as f32);
        air.set_velocities(&vec![velocity[0]; N * (N + 1)], &vec![velocity[1]; N * (N + 1)])
            .expect("valid");
        let smoke = noise(N * N, 4);
        air.set_channel(AirChannel::Smoke, &smoke).expect("valid");
        air.step(1.0, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");
        let n = N as isize;
        for (cell, found) in (0..).zip(air.channel(AirChannel::Smoke)) {
            let from = |place: isize, way: isize| (place - way).rem_euclid(n) as usize;
            let (i, j) = (from(cell % n, cells[0]), from(cell / n, cells[1]));
            let expected = smoke[j * N + i];
            let error = f64::from((found - expected).abs());
            assert!(error < rounding(64), "{cells:?}: {found} beside {expected} in {cell}");
        }
    }
}
