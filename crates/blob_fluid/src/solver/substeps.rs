//! The number of substeps that a tick is divided into.

use glam::{DVec2, Vec2};

use crate::liquid::state::Liquid;
use crate::parallel::chunks::LONG_CHUNK;
use crate::parallel::executor::Executor;
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::settings::class::ClassId;
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::Substeps;

/// How much the wanted number must fall below a whole number before fewer substeps are taken, so
/// that the number does not flicker.
const SUBSTEP_HYSTERESIS: f32 = 0.2;

/// How many substeps a solver needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubstepDemand {
    /// `(c dt/h)^2`, where `c` is the speed at which the liquid passes on pressure; infinite if
    /// pressures do not depend on the substep.
    pub stiffness: f32,
    /// The part of the resistance that is kept from substep to substep.
    pub kept: f32,
    /// The number that something else than the depth asks for.
    pub besides_depth: f32,
    /// The smallest number at which the liquid stays stable.
    pub least: u32,
    /// Length of substep, in seconds, whose resistance is enough where the depth asks for no more; 0 for
    /// a resistance that grows as far as the substeps allow.
    pub enough: f32,
}

impl SubstepDemand {
    /// What a solver needs whose substeps follow the depth alone, and that is stable with any number.
    pub(crate) fn of_depth(stiffness: f32) -> Self {
        Self { stiffness, kept: 0.0, besides_depth: 0.0, least: 1, enough: 0.0 }
    }
}

/// How many substeps a tick takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChosenSubsteps {
    /// The number that is wanted.
    pub wanted: u32,
    /// The smallest number at which the liquid stays stable.
    pub least: u32,
    /// The number that the depth asks for, before it is rounded up; 0 if it does not matter.
    pub for_depth: f32,
    /// The part of the resistance that is kept from substep to substep.
    pub kept: f32,
    /// Length of substep whose resistance is enough where the depth asks for no more; 0 where the
    /// settings fix the number.
    pub enough: f32,
}

/// The number of substeps: `ceil((dt/h) sqrt(g D / (s compression)))`, or more if the solver demands
/// more, within the settings' bounds. `s` is the solver's stiffness, 0.5 by default, and `g` gravity
/// times the largest factor on it of the classes that have particles, if that is above 1.
pub(crate) fn choose_substeps(
    liquid: &Liquid,
    demand: SubstepDemand,
    moments: &mut Vec<(DVec2, DVec2)>,
    time_step: f32,
    executor: &dyn Executor,
) -> ChosenSubsteps {
    choose_substeps_for(liquid, demand, time_step, || {
        depth_of_liquid(liquid, moments, executor) * strongest_pull_on(liquid)
    })
}

/// As [`choose_substeps`], with a depth, times the factor on gravity, that is asked for only if it matters.
pub(crate) fn choose_substeps_for(
    liquid: &Liquid,
    demand: SubstepDemand,
    time_step: f32,
    depth: impl FnOnce() -> f32,
) -> ChosenSubsteps {
    let SubstepDemand { stiffness, kept, besides_depth, least, enough } = demand;
    let (compression, max) = match liquid.parameters.substeps {
        Substeps::Fixed(wanted) => {
            return ChosenSubsteps { wanted, least, for_depth: 0.0, kept, enough: 0.0 };
        }
        Substeps::Automatic { compression, max } => (compression, max),
    };
    let head = liquid.parameters.gravity.length() * depth();
    let for_depth = time_step / liquid.parameters.interaction_radius()
        * (head / (stiffness * compression)).sqrt();
    let exact = for_depth.max(besides_depth);
    let needed = (exact.ceil() as u32).clamp(1, max);
    let relaxed = ((exact + SUBSTEP_HYSTERESIS).ceil() as u32).clamp(1, max);
    let before = liquid.clock.wanted_substeps;
    let wanted = if needed < before { relaxed.min(before) } else { needed };
    ChosenSubsteps { wanted, least, for_depth, kept, enough }
}

/// The largest factor on gravity of the classes, at least 1.
pub(crate) fn strongest_pull(classes: &ClassTable) -> f32 {
    classes.iter().map(|class| class.gravity_scale.abs()).fold(1.0, f32::max)
}

/// The same of the classes that have particles.
fn strongest_pull_on(liquid: &Liquid) -> f32 {
    let Liquid { classes, particles, .. } = liquid;
    if strongest_pull(classes) <= 1.0 {
        return 1.0;
    }
    let pull = |class: &ClassId| classes[*class].gravity_scale.abs();
    particles.class.iter().map(pull).fold(1.0, f32::max)
}

/// Sums the offsets from an origin and their squares, along a direction and across it. Offsets that
/// are not finite are left out.
struct Moments<'a> {
    positions: &'a [Vec2],
    origin: Vec2,
    down: Vec2,
}

/// Number of sums side by side, so that no addition waits for the previous one.
const SIDE_BY_SIDE: usize = 8;

impl LaneKernel for Moments<'_> {
    type Output = (DVec2, DVec2);

    #[inline(always)]
    fn run<S: Instructions>(self, _: S) -> (DVec2, DVec2) {
        let Self { positions, origin, down } = self;
        let across = down.perp();
        let mut sums = [[0.0_f64; SIDE_BY_SIDE]; 4];
        let mut add = |lane: usize, position: &Vec2| {
            let (x, y) = (position.x - origin.x, position.y - origin.y);
            let finite = (x.abs() <= f32::MAX) & (y.abs() <= f32::MAX);
            let (x, y) = if finite { (x, y) } else { (0.0, 0.0) };
            let height = f64::from(x * down.x + y * down.y);
            let width = f64::from(x * across.x + y * across.y);
            sums[0][lane] += height;
            sums[1][lane] += width;
            sums[2][lane] += height * height;
            sums[3][lane] += width * width;
        };
        let (groups, rest) = positions.as_chunks::<SIDE_BY_SIDE>();
        for group in groups {
            for (lane, position) in group.iter().enumerate() {
                add(lane, position);
            }
        }
        for (lane, position) in rest.iter().enumerate() {
            add(lane, position);
        }
        let [height, width, squared_height, squared_width] =
            sums.map(|lanes| lanes.iter().sum::<f64>());
        (DVec2::new(height, width), DVec2::new(squared_height, squared_width))
    }
}

/// Depth of the liquid along gravity: the height of a rectangle whose heights have the same
/// variance or, if that is less, of one with the same area and the same variance of its widths.
fn depth_of_liquid(
    liquid: &Liquid,
    moments: &mut Vec<(DVec2, DVec2)>,
    executor: &dyn Executor,
) -> f32 {
    let down = liquid.parameters.gravity.normalize_or_zero();
    let positions = &liquid.particles.position;
    let count = positions.len();
    // Offsets are measured from the first particle, because sums of squares lose small differences
    // far from the origin.
    let Some(origin) = positions.first().filter(|origin| origin.is_finite()) else {
        return 0.0;
    };
    moments.resize(count.div_ceil(LONG_CHUNK), (DVec2::ZERO, DVec2::ZERO));
    executor.for_each_chunk(&mut moments[..], 1, |index, moments| {
        let chunk = index * LONG_CHUNK..count.min((index + 1) * LONG_CHUNK);
        let positions = &positions[chunk];
        moments[0] = instructions::run(Moments { positions, origin: *origin, down });
    });
    let (mut sum, mut squares) = (DVec2::ZERO, DVec2::ZERO);
    for (chunk_sum, chunk_squares) in &*moments {
        sum += *chunk_sum;
        squares += *chunk_squares;
    }
    let mean = sum / count as f64;
    let variance = (squares / count as f64 - mean * mean).max(DVec2::ZERO);
    depth_of_spread(count, variance, liquid.parameters.particle_spacing)
}

/// The depth of that many particles, whose positions have these variances along gravity and across it.
pub(crate) fn depth_of_spread(count: usize, variance: DVec2, particle_spacing: f32) -> f32 {
    // A uniform spread over a length L has the variance L^2/12.
    let (height, width) = ((12.0 * variance.x).sqrt(), (12.0 * variance.y).sqrt());
    let spacing = f64::from(particle_spacing);
    let by_area = count as f64 * spacing * spacing / width.max(spacing);
    height.min(by_area) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::class::DensityClass;
    use crate::{DeviceMeasures, FluidWorld, ParticleSpawn, SerialExecutor};

    const TICK: f32 = 1.0 / 60.0;
    const ROWS: u32 = 100;

    /// A column of a class with this factor on gravity, beside another class without particles.
    fn column(scale: f32, other: f32) -> FluidWorld {
        let class = |name: &str, gravity_scale: f32| DensityClass {
            name: name.into(),
            gravity_scale,
            ..DensityClass::default()
        };
        let mut world = FluidWorld::default();
        let classes = ClassTable::new(vec![class("one", scale), class("other", other)]);
        world.set_classes(classes.expect("valid")).expect("no particles yet");
        for number in 0..10 * ROWS {
            let cell = Vec2::new((number % 10) as f32, (number / 10) as f32);
            let position = cell * world.parameters().particle_spacing;
            let spawn = ParticleSpawn { position, class: ClassId(0), ..Default::default() };
            world.spawn(spawn).expect("valid");
        }
        world
    }

    #[test]
    fn liquid_that_gravity_pulls_more_strongly_takes_more_substeps() {
        let substeps = |scale: f32, other: f32| {
            column(scale, other).step(TICK, &SerialExecutor).expect("valid").substeps
        };
        let plain = substeps(1.0, 1.0);
        // The number grows with the root.
        let strong = substeps(16.0, 1.0);
        assert!(strong > 2 * plain, "{strong} and {plain}");
        assert_eq!(substeps(-16.0, 1.0), strong);
        assert_eq!(substeps(0.1, 1.0), plain);
        assert_eq!(substeps(1.0, 1000.0), plain, "a class without particles");
        // A device says how deep its liquid is, and not of which classes.
        let mut liquid = column(1.0, 16.0).liquid().clone();
        let depth = Some(ROWS as f32 * liquid.parameters().particle_spacing);
        let measured = DeviceMeasures { depth, ..DeviceMeasures::default() };
        let tick = liquid.begin_device_tick(TICK, measured).expect("valid");
        assert_eq!(tick.substeps, strong);
    }
}
