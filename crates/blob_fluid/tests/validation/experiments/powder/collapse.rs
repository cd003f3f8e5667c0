use super::{SPACING, block, on_a_floor, run_for, spawn};
use crate::page::Finding;
use crate::plot::{Plot, line, plot, points};

/// Half the width of the columns, in spacings.
const HALF_WIDTH: u32 = 10;

/// Run-out beyond the column's edge over half its width, by its height over half its width: equations
/// of Lube et al. 2005 for a column that collapses to both sides. They leave 1.8 to 2.8 open.
#[expect(clippy::disallowed_methods, reason = "a reference, not a state")]
fn run_out_of_lube(aspect: f64) -> f64 {
    if aspect < 2.3 { 1.2 * aspect } else { 1.9 * aspect.powf(2.0 / 3.0) }
}

/// The same of a column of powder at 31 degrees, the angle of their sand: to where the heap ends, and
/// not to grains that lie alone.
fn run_out(aspect: f64) -> f64 {
    let mut world = on_a_floor(31.0);
    let height = (aspect * f64::from(HALF_WIDTH)).round() as u32;
    block(2 * HALF_WIDTH, height).for_each(|place| spawn(&mut world, 0, place));
    run_for(&mut world, 15.0);
    let positions = world.particles().positions();
    let end = |side: f32| {
        let mut ways: Vec<f32> = positions.iter().map(|at| side * at.x / SPACING).collect();
        ways.retain(|way| *way >= 0.0);
        ways.sort_unstable_by(f32::total_cmp);
        let ends = ways.windows(2).find(|pair| pair[1] - pair[0] > 1.5).map(|pair| pair[0]);
        ends.or_else(|| ways.last().copied()).expect("grains") + 0.5
    };
    let half_width = f64::from(HALF_WIDTH);
    0.5 * (f64::from(end(1.0)) + f64::from(end(-1.0))) / half_width - 1.0
}

pub fn run() -> Finding {
    let found = [0.5, 1.0, 2.0, 4.0, 7.0, 10.0].map(|aspect| (aspect, run_out(aspect)));
    let over = |index: usize| found[index].1 / run_out_of_lube(found[index].0);
    let law = |from: f64, to: f64| {
        let at = move |step: u32| from * (to / from).powf(f64::from(step) / 30.0);
        (0..=30).map(at).map(|aspect| (aspect, run_out_of_lube(aspect))).collect()
    };
    Finding {
        experiment: "powder: collapse of a column",
        description: "A column of powder, twice ten spacings wide, is let go on a rough floor. How far it runs out beyond its edge, over \
                      half its width, against what Lube et al. 2005 found with sand, salt, sugar and rice in a channel: 1.2 a, and \
                      1.9 a^(2/3) for tall ones, where a is the height over half the width.",
        measured: vec![
            ("run-out over that of Lube et al., a = 0.5", over(0)),
            ("run-out over that of Lube et al., a = 1", over(1)),
            ("run-out over that of Lube et al., a = 2", over(2)),
            ("run-out over that of Lube et al., a = 4", over(3)),
            ("run-out over that of Lube et al., a = 7", over(4)),
            ("run-out over that of Lube et al., a = 10", over(5)),
        ],
        plots: vec![Plot {
            logarithmic: true,
            ..plot(
                "Run-out of a column of powder",
                "height over half the width",
                "run-out over half the width",
                vec![
                    points("powder", found.to_vec()),
                    line("1.2 a", law(0.5, 1.8)),
                    line("1.9 a^(2/3)", law(2.8, 10.0)),
                ],
            )
        }],
    }
}
