use blob_fluid::air::{Air, AirSettings, AirWorkspace, Side, Sides};
use blob_fluid::{Bounds, Collider, SerialExecutor};
use glam::Vec2;

use crate::page::Finding;
use crate::plot::{line, plot};

/// Cells across the cylinder, whose diameter is 1.
const ACROSS: f32 = 12.0;

pub fn run() -> Finding {
    let bounds = Bounds { low: Vec2::new(-8.0, -14.0), high: Vec2::new(16.0, 14.0) };
    let settings = AirSettings { viscosity: 0.01, solids_no_slip: true, ..Default::default() };
    let inflow = Side::Inflow { velocity: Vec2::X, smoke: 0.0, heat: 0.0 };
    let sides = Sides { left: inflow, right: Side::Open, ..Sides::default() };
    let mut air = Air::new(bounds, 1.0 / ACROSS, settings, sides).expect("valid");
    let x = vec![1.0; air.velocities_x().len()];
    // A slight push to one side starts the shedding at once.
    let y: Vec<f32> = (0..air.velocities_y().len())
        .map(|face| {
            let column = face % air.columns();
            if column < air.columns() / 2 { 0.2 } else { 0.0 }
        })
        .collect();
    air.set_velocities(&x, &y).expect("valid");
    air.set_solids([], &[Collider::circle(Vec2::ZERO, 0.5).expect("valid")]);
    let time_step = 0.6 / ACROSS;
    let mut work = AirWorkspace::default();
    let mut sideways: Vec<(f64, f64)> = Vec::new();
    while air.time() < 110.0 {
        air.step(time_step, &mut work, &SerialExecutor).expect("valid");
        let behind = air.velocity_at(Vec2::new(2.0, 0.0)).expect("inside");
        sideways.push((air.time(), f64::from(behind.y)));
    }
    // Times at which the velocity turns upwards, once the wake has settled.
    let late = sideways.windows(2).filter(|pair| pair[0].0 > 50.0);
    let turns: Vec<f64> = late
        .filter(|pair| pair[0].1 < 0.0 && pair[1].1 >= 0.0)
        .map(|pair| pair[0].0 - pair[0].1 * (pair[1].0 - pair[0].0) / (pair[1].1 - pair[0].1))
        .collect();
    let periods = turns.len().saturating_sub(1) as f64;
    let frequency = if periods > 0.0 { periods / (turns[turns.len() - 1] - turns[0]) } else { 0.0 };
    Finding {
        experiment: "air: wake of a cylinder",
        description: "A cylinder 12 cells wide at Re 100, in air that comes in 8 diameters before it and goes out 16 \
                      behind it. The sides, 14 diameters away, let air slip. The frequency is that of the velocity \
                      across, 2 diameters behind it, from 50 to 110 diameters of the stream on.",
        measured: vec![("Strouhal number", frequency)],
        plots: vec![plot(
            "Velocity across the wake of a cylinder",
            "diameters of the stream",
            "velocity across, in stream speeds",
            vec![line("simulated", sideways)],
        )],
    }
}
