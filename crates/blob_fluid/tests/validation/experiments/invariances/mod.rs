//! Invariances: the same small scene in other frames, in every solver.

mod frame;
mod scene;

use blob_fluid::FluidSolver;
use glam::Vec2;

use crate::page::Finding;
use frame::{Frame, Order};
use scene::{Apart, Content, Outcome};

/// Every scene: powder and springs act in one solver only.
const SCENES: [(FluidSolver, Content); 17] = {
    use Content::{Body, Dam, Jelly, Powder, Tap};
    use FluidSolver::{Classic, DoubleDensity, Incompressible, SharedPressure, Sph};
    [
        (DoubleDensity, Dam),
        (DoubleDensity, Body),
        (DoubleDensity, Tap),
        (DoubleDensity, Powder),
        (DoubleDensity, Jelly),
        (Classic, Dam),
        (Classic, Body),
        (Classic, Tap),
        (Sph, Dam),
        (Sph, Body),
        (Sph, Tap),
        (SharedPressure, Dam),
        (SharedPressure, Body),
        (SharedPressure, Tap),
        (Incompressible, Dam),
        (Incompressible, Body),
        (Incompressible, Tap),
    ]
};

/// Every scene as it is, to compare others with.
struct Plain([Outcome; SCENES.len()]);

impl Plain {
    fn run() -> Self {
        Self(SCENES.map(|(solver, content)| Outcome::of(solver, content, Frame::PLAIN)))
    }

    /// How far the scenes of a solver, or of all of them, are from the same in other frames.
    fn apart(&self, frames: &[Frame], counts: impl Fn(FluidSolver, Content) -> bool) -> Vec<Apart> {
        let scenes = SCENES.iter().zip(&self.0);
        let counted = scenes.filter(|((solver, content), _)| counts(*solver, *content));
        counted
            .flat_map(|((solver, content), plain)| {
                frames.iter().map(|frame| plain.apart(&Outcome::of(*solver, *content, *frame)))
            })
            .collect()
    }
}

fn first(apart: &[Apart]) -> f64 {
    apart.iter().map(|apart| apart.first).fold(0.0, f64::max)
}

fn late(apart: &[Apart]) -> f64 {
    apart.iter().map(|apart| apart.late).fold(0.0, f64::max)
}

/// The number of scenes whose bits differ.
fn other_bits(apart: &[Apart]) -> f64 {
    apart.iter().filter(|apart| !apart.bits).count() as f64
}

/// A frame whose numbers at first and later are measured in all solvers together, and the names of
/// its measures.
type InAll = ([&'static str; 2], Frame);

const PLAIN: Frame = Frame::PLAIN;

const IN_ALL: [InAll; 8] = [
    (
        ["(a) walls at 300 px/s: first motion", "(a) walls at 300 px/s: later"],
        Frame { speed: 300.0, ..PLAIN },
    ),
    (
        ["(b) turned by 30°: first motion", "(b) turned by 30°: later"],
        Frame { rotation: Vec2::new(0.866_025_4, 0.5), ..PLAIN },
    ),
    (["(c) mirrored: first motion", "(c) mirrored: later"], Frame { mirrored: true, ..PLAIN }),
    (["(d) units × 100: first motion", "(d) units × 100: later"], Frame { unit: 100.0, ..PLAIN }),
    (
        ["(e) 10,000 away: first motion", "(e) 10,000 away: later"],
        Frame { origin: Vec2::splat(1e4), ..PLAIN },
    ),
    (
        ["(g) walls of tiles: first motion", "(g) walls of tiles: later"],
        Frame { tiled: true, ..PLAIN },
    ),
    (
        ["(j) particles in reverse order: first motion", "(j) particles in reverse order: later"],
        Frame { order: Order::ParticlesReversed, ..PLAIN },
    ),
    (
        ["disturbed by 0.001 spacings: first motion", "disturbed by 0.001 spacings: later"],
        Frame { disturbance: 1, ..PLAIN },
    ),
];

/// The measures of other rates: of the first motion and later, by solver.
const RATES: [(FluidSolver, [&str; 2]); 5] = [
    (
        FluidSolver::DoubleDensity,
        [
            "(h) 30 to 240 Hz: first motion, double_density",
            "(h) 30 to 240 Hz: later, double_density",
        ],
    ),
    (
        FluidSolver::Classic,
        ["(h) 30 to 240 Hz: first motion, classic", "(h) 30 to 240 Hz: later, classic"],
    ),
    (FluidSolver::Sph, ["(h) 30 to 240 Hz: first motion, sph", "(h) 30 to 240 Hz: later, sph"]),
    (
        FluidSolver::SharedPressure,
        [
            "(h) 30 to 240 Hz: first motion, shared_pressure",
            "(h) 30 to 240 Hz: later, shared_pressure",
        ],
    ),
    (
        FluidSolver::Incompressible,
        [
            "(h) 30 to 240 Hz: first motion, incompressible",
            "(h) 30 to 240 Hz: later, incompressible",
        ],
    ),
];

pub fn run() -> Finding {
    let plain = Plain::run();
    let any = |_: FluidSolver, _: Content| true;
    let mut measured = vec![];
    let mut measure = |names: [&'static str; 2], apart: &[Apart]| {
        measured.push((names[0], first(apart)));
        measured.push((names[1], late(apart)));
    };

    for (names, frame) in IN_ALL {
        measure(names, &plain.apart(&[frame], any));
    }
    for (solver, names) in RATES {
        let frames =
            [30.0, 120.0, 240.0].map(|ticks_per_second| Frame { ticks_per_second, ..PLAIN });
        measure(names, &plain.apart(&frames, |of, _| of == solver));
    }
    let finer = [0.5, 2.0].map(|particles| Frame { particles, ..PLAIN });
    measure(
        [
            "(i) half and twice the particles: first motion",
            "(i) half and twice the particles: later",
        ],
        &plain.apart(&finer, |_, content| !matches!(content, Content::Powder | Content::Jelly)),
    );
    measure(
        [
            "(i) half and twice the grains, and the jelly: first motion",
            "(i) half and twice the grains, and the jelly: later",
        ],
        &plain.apart(&finer, |_, content| matches!(content, Content::Powder | Content::Jelly)),
    );

    let beside = [Frame { neighbour: true, ..PLAIN }];
    // Its iterations end when the mean error of all liquid is small enough.
    let iterates = |solver| solver == FluidSolver::Incompressible;
    measure(
        [
            "(f) beside another scene: first motion, incompressible",
            "(f) beside another scene: later, incompressible",
        ],
        &plain.apart(&beside, |solver, _| iterates(solver)),
    );
    // Particles on one point part in directions that come from their ids, and what a tap emits has other ids there.
    measure(
        [
            "(f) beside another scene: first motion, taps of the other solvers",
            "(f) beside another scene: later, taps of the other solvers",
        ],
        &plain.apart(&beside, |solver, content| !iterates(solver) && content == Content::Tap),
    );
    let others =
        plain.apart(&beside, |solver, content| !iterates(solver) && content != Content::Tap);
    let built = [Frame { order: Order::WallsLast, ..PLAIN }];
    let is_default = |solver| solver == FluidSolver::default();
    measure(
        [
            "(j) walls last, in reverse order: first motion, the other solvers",
            "(j) walls last, in reverse order: later, the other solvers",
        ],
        &plain.apart(&built, |solver, _| !is_default(solver)),
    );
    let double_density = plain.apart(&built, |solver, _| is_default(solver));
    measured.push((
        "(f) beside another scene: scenes with other bits, the other solvers",
        other_bits(&others),
    ));
    measured.push((
        "(j) walls last, in reverse order: scenes with other bits, double_density",
        other_bits(&double_density),
    ));
    Finding {
        experiment: "invariances",
        description: "A dam that breaks, a box that floats, and a tap, each in all five solvers, a column of sand and a block of \
                      jelly, in a vessel of three slabs with the friction of the defaults 35 spacings wide, after 1.5 s of settling. The same \
                      scenes in other frames are compared with them, in their own units: at three moments of the first motion, before \
                      a wall is hit, where the foremost twentieth is, the centre of mass and the height of the box, and later, as means over one or two seconds when all but the dam is at rest, the centre of mass, \
                      the levels in the left and the right third or the width, and the height of the box. The numbers are the largest differences of any scene, in particle \
                      spacings of the plain scene.",
        measured,
        plots: vec![],
    }
}
