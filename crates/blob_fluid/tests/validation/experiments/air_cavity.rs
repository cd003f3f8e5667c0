use blob_fluid::air::{Air, AirSettings, AirSide, AirSides, AirSlip, AirWorkspace};
use blob_fluid::{FluidBounds, SerialExecutor};
use glam::Vec2;

use crate::page::Finding;
use crate::plot::{line, plot, points};

const U: &str = include_str!("../ghia_1982_u_centreline.csv");
const V: &str = include_str!("../ghia_1982_v_centreline.csv");

const CELLS: usize = 128;

/// A square of side 1 whose lid moves with speed 1, after `time`.
fn cavity(reynolds: f32, time: f32) -> Air {
    let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::ONE };
    let settings = AirSettings { viscosity: 1.0 / reynolds, ..Default::default() };
    let lid = AirSide::Closed { slip: AirSlip::NoSlip { velocity: 1.0 } };
    let sides = AirSides { top: lid, ..AirSides::all(AirSide::STICKY) };
    let mut air = Air::new(bounds, 1.0 / CELLS as f32, settings, sides).expect("valid");
    let time_step = 0.5 / CELLS as f32;
    let mut work = AirWorkspace::default();
    for _ in 0..(time / time_step) as usize {
        air.step(time_step, &mut work, &SerialExecutor).expect("valid");
    }
    air
}

/// The table's places and values in a column.
fn table(text: &str, column: usize) -> Vec<(f64, f64)> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let numbers =
        rows.map(|line| line.split(',').filter_map(|number| number.parse().ok()).collect());
    numbers.filter(|row: &Vec<f64>| row.len() == 3).map(|row| (row[0], row[column])).collect()
}

pub fn run() -> Finding {
    let mut measured = Vec::new();
    let mut series = Vec::new();
    for (reynolds, time, column, names) in [
        (
            100.0,
            12.0,
            1,
            (
                "largest error at Re 100, in lid speeds",
                "simulated, Re 100",
                "Ghia et al. 1982, Re 100",
            ),
        ),
        (
            1000.0,
            45.0,
            2,
            (
                "largest error at Re 1000, in lid speeds",
                "simulated, Re 1000",
                "Ghia et al. 1982, Re 1000",
            ),
        ),
    ] {
        let air = cavity(reynolds, time);
        let velocity = |x: f64, y: f64| {
            air.velocity_at(Vec2::new(x as f32, y as f32)).expect("inside the cavity")
        };
        let (u, v) = (table(U, column), table(V, column));
        assert_eq!((u.len(), v.len()), (17, 17), "the whole tables");
        // At the walls themselves the velocity is given.
        let inner = |row: &&(f64, f64)| row.0 > 0.0 && row.0 < 1.0;
        let u_error =
            u.iter().filter(inner).map(|(y, u)| (f64::from(velocity(0.5, *y).x) - u).abs());
        let v_error =
            v.iter().filter(inner).map(|(x, v)| (f64::from(velocity(*x, 0.5).y) - v).abs());
        measured.push((names.0, u_error.chain(v_error).fold(0.0, f64::max)));
        let profile = (1..CELLS).map(|j| j as f64 / CELLS as f64);
        let profile = profile.map(|y| (y, f64::from(velocity(0.5, y).x))).collect();
        series.push(line(names.1, profile));
        series.push(points(names.2, u));
    }
    Finding {
        experiment: "air: lid-driven cavity",
        description: "A square of 128 x 128 cells with sticky walls, whose lid moves. The velocities on both centre \
                      lines, against the 15 inner rows of tables I and II of Ghia, Ghia and Shin 1982.",
        measured,
        plots: vec![plot(
            "Velocity across a lid-driven cavity",
            "height",
            "u on the centre line",
            series,
        )],
    }
}
