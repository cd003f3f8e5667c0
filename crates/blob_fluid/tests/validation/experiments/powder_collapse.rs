use glam::Vec2;

use super::powder::{SPACING, run_for, sand, stack, tank, world_of_classes};
use crate::page::Finding;

/// Half the width of a column, in spacings, by its height over half its width. With few the front, which is as high as
/// a grain, is too high; tall columns have many grains anyway.
fn half_width(aspect: f64) -> u32 {
    if aspect < 2.3 { 30 } else { 20 }
}

/// Run-out beyond a column's edge over half its width, by its height over half its width, for one that
/// collapses to both sides. The law leaves 1.8 to 2.8 open.
#[expect(clippy::disallowed_methods, reason = "a reference, not a state")]
fn run_out_of_lube(aspect: f64) -> f64 {
    if aspect < 2.3 { 1.2 * aspect } else { 1.9 * aspect.powf(2.0 / 3.0) }
}

/// The same of powder at 31 degrees, the angle of their sand, on a floor that rubs as the grains do: to
/// where the heap ends, and not to grains that lie alone.
fn run_out(aspect: f64) -> f64 {
    let mut world = world_of_classes(vec![sand(31.0)]);
    world.insert_container(tank(Vec2::splat(500.0)));
    let half_width = half_width(aspect);
    let (columns, rows) = (2 * half_width, (aspect * f64::from(half_width)).round() as u32);
    stack(&mut world, (columns, rows), 0.0);
    run_for(&mut world, 15.0);
    let positions = world.particles().positions();
    let end = |side: f32| {
        let mut ways: Vec<f32> = positions.iter().map(|at| side * at.x / SPACING).collect();
        ways.retain(|way| *way >= 0.0);
        ways.sort_unstable_by(f32::total_cmp);
        let ends = ways.windows(2).find(|pair| pair[1] - pair[0] > 1.5).map(|pair| pair[0]);
        f64::from(ends.or_else(|| ways.last().copied()).expect("grains") + 0.5)
    };
    0.5 * (end(1.0) + end(-1.0)) / f64::from(half_width) - 1.0
}

pub fn run() -> Finding {
    let over = |aspect: f64| run_out(aspect) / run_out_of_lube(aspect);
    Finding {
        experiment: "powder that collapses",
        description: "Columns of sand, 60 grains wide (40 from a height of 4 half widths on), are let go on a floor that rubs as the grains do. \
                      How far they run out, over half their width, is compared with Lube, Huppert, Sparks and Freundt 2005.",
        measured: vec![
            ("run-out over Lube's, height 0.5 half widths", over(0.5)),
            ("run-out over Lube's, height 1 half widths", over(1.0)),
            ("run-out over Lube's, height 2 half widths", over(2.0)),
            ("run-out over Lube's, height 4 half widths", over(4.0)),
            ("run-out over Lube's, height 7 half widths", over(7.0)),
            ("run-out over Lube's, height 10 half widths", over(10.0)),
        ],
        plots: vec![],
    }
}
