//! The number of substeps that a tick is divided into.

use crate::liquid::clock::ChosenSubsteps;
use crate::liquid::state::Liquid;
use crate::settings::class::ClassId;
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::Substeps;
use crate::solver::columns::Columns;

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

/// The number of substeps: `ceil((dt/h) sqrt(g D / (s compression)))`, or more if the solver demands
/// more, within the settings' bounds. `s` is the solver's stiffness, 0.5 by default, and `g` gravity
/// times the largest factor on it of the classes that have particles, if that is above 1.
pub(crate) fn choose_substeps(
    liquid: &Liquid,
    demand: SubstepDemand,
    columns: &Columns,
    time_step: f32,
) -> ChosenSubsteps {
    choose_substeps_for(liquid, demand, time_step, || {
        columns.depth(&liquid.parameters) * strongest_pull_on(liquid)
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

#[cfg(test)]
mod tests {
    use glam::Vec2;

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
