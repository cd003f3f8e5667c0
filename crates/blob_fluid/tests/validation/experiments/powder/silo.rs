use blob_fluid::Collider;
use glam::Vec2;

use super::{SPACING, TICK, block, on_a_floor, slope, spawn, step};
use crate::page::Finding;
use crate::plot::{line, plot, points};

/// Clear widths of the opening, in spacings.
const OPENINGS: [f32; 5] = [6.0, 8.0, 11.0, 15.0, 20.0];

/// Height of the silo's floor, in spacings.
const FLOOR: f32 = 60.0;

/// Grains per second that leave a silo 40 spacings wide through an opening, while its level falls from
/// 50 to 38 and from 38 to 25 spacings.
fn flows(opening: f32) -> [f64; 2] {
    let mut world = on_a_floor(30.0);
    for side in [-1.0, 1.0] {
        let half_size = Vec2::new(0.5 * (24.0 - 0.5 * opening), 2.0);
        let centre = Vec2::new(side * (0.5 * opening + half_size.x), FLOOR - 2.0);
        let wall = (Vec2::new(side * 22.0, FLOOR + 40.0), Vec2::new(2.0, 44.0));
        for (centre, half_size) in [(centre, half_size), wall] {
            let collider = Collider::rectangle(centre * SPACING, half_size * SPACING);
            world.insert_collider(collider.expect("valid"));
        }
    }
    block(40, 60).for_each(|place| spawn(&mut world, 0, place + Vec2::new(0.0, FLOOR)));
    let mut times = Vec::new();
    let (mut gone, mut ticks) = (0, 0_u32);
    for share in [400, 900, 1400] {
        while gone < share && ticks < 7200 {
            step(&mut world);
            ticks += 1;
            gone += world.despawn_where(|at, _| at.y < (FLOOR - 15.0) * SPACING);
        }
        times.push((f64::from(ticks) * f64::from(TICK), gone as f64));
    }
    [0, 1].map(|part| {
        let ((t0, n0), (t1, n1)) = (times[part], times[part + 1]);
        (n1 - n0) / (t1 - t0)
    })
}

/// The exponent `n` of `c (W - k)^n` that fits flows through openings `W` best, and how many spacings `k` are
/// lost. `k` is found among hundredths.
#[expect(clippy::disallowed_methods, reason = "a measure, not a state")]
fn fitted(flows: &[(f64, f64)]) -> (f64, f64) {
    let fit = |lost: f64| {
        let points: Vec<_> = flows.iter().map(|(w, flow)| ((w - lost).ln(), flow.ln())).collect();
        let exponent = slope(&points);
        let offset = |(x, y): &(f64, f64)| y - exponent * x;
        let mean = points.iter().map(offset).sum::<f64>() / points.len() as f64;
        let error: f64 = points.iter().map(|point| (offset(point) - mean).powi(2)).sum();
        (error, exponent, lost)
    };
    let fits = (-300..500).map(|hundredths| fit(0.01 * f64::from(hundredths)));
    let best = fits.min_by(|a, b| a.0.total_cmp(&b.0)).expect("fits");
    (best.1, best.2)
}

#[expect(clippy::disallowed_methods, reason = "a measure, not a state")]
pub fn run() -> Finding {
    let flows = OPENINGS.map(|opening| (f64::from(opening), flows(opening)));
    let unsteadiness = flows.iter().map(|(_, [early, late])| (late / early - 1.0).abs());
    let unsteadiest = unsteadiness.fold(0.0, f64::max);
    let means = flows.map(|(opening, [early, late])| (opening, 0.5 * (early + late)));
    let (exponent, lost) = fitted(&means);
    let (last, most) = means[OPENINGS.len() - 1];
    let law = |opening: f64| most * ((opening - lost) / (last - lost)).powf(exponent);
    Finding {
        experiment: "powder: silo",
        description: "A silo 40 spacings wide runs empty through openings of 6 to 20 spacings: as fast from half as from full, and \
                      by the power 3/2 of the opening less what its edges take, as Beverloo's law says in two dimensions.",
        measured: vec![
            ("flow from half over that from full, less 1, the worst opening", unsteadiest),
            ("exponent of the flow over the opening", exponent),
        ],
        plots: vec![plot(
            "Flow of a silo",
            "opening, spacings",
            "grains/s",
            vec![
                points("measured", means.to_vec()),
                line(
                    "fitted",
                    (0..=28).map(|step| 6.0 + 0.5 * f64::from(step)).map(|w| (w, law(w))).collect(),
                ),
            ],
        )],
    }
}
