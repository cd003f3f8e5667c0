//! The doctor: finds problems of a liquid, and the setting that is the likely cause of each.

use std::fmt;

use crate::solver::double_density::coefficients::STABLE_SPRING;
use crate::{ClassTable, FluidSolver, GivenUp, Liquid, Substeps};

/// Density, relative to rest, that one particle in a hundred may exceed.
const DENSE: f32 = 1.35;
/// Distance, in interaction radii, that particles may move in a substep before they jump past each
/// other.
const LEAP: f32 = 0.5;
/// Smallest number of particles for which a density is meaningful.
const FEW: usize = 50;
/// Mass ratio between classes above which the liquid separates violently.
pub const VIOLENT_MASS_RATIO: f32 = 5.0;
/// Longest substep, in T0, at which the motion still looks like that of a liquid.
const COARSE_TIME_STEP: f32 = 0.25;
/// Distance outside all containers, in interaction radii, beyond which a particle counts as lost.
const LOST_IN_RADII: f32 = 0.5;

/// Examines a liquid and returns the findings, the worst first.
///
/// ```
/// use blob_fluid::doctor::{History, Severity, examine};
/// use blob_fluid::FluidWorld;
/// let world = FluidWorld::default();
/// assert_eq!(examine(&world, &History::default()), []);
/// let late = History { ticks_dropped: 3, ..History::default() };
/// assert_eq!(examine(&world, &late)[0].severity, Severity::Warning);
/// ```
pub fn examine(world: &Liquid, history: &History) -> Vec<Finding> {
    let mut findings = Vec::new();
    losses(world, history, &mut findings);
    effort(world, history, &mut findings);
    time(world, history, &mut findings);
    compression(world, &mut findings);
    classes(world, history, &mut findings);
    population(world, &mut findings);
    ignored(world, &mut findings);
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

fn add(
    findings: &mut Vec<Finding>,
    severity: Severity,
    parameter: &'static str,
    message: String,
    suggestion: &str,
) {
    findings.push(Finding { severity, message, parameter, suggestion: suggestion.to_owned() });
}

/// Reports particles that were lost.
fn losses(world: &Liquid, history: &History, findings: &mut Vec<Finding>) {
    if history.quarantined > 0 {
        let (parameter, suggestion) = match world.parameters().solver {
            FluidSolver::Classic => ("solver", "Take double_density, which cannot blow up."),
            _ => {
                ("max_time_step", "Look for forces or velocities without measure, then shorten it.")
            }
        };
        let message = format!("{} particles flew apart and were removed.", history.quarantined);
        add(findings, Severity::Error, parameter, message, suggestion);
    }
    if history.out_of_bounds > 0 {
        let message = format!("{} particles left the kill bounds.", history.out_of_bounds);
        let suggestion = "Close the container, or widen the bounds if they should have stayed.";
        add(findings, Severity::Note, "kill_bounds", message, suggestion);
    }
    if history.recycled > 0 {
        let message = format!("{} particles died to make room for others.", history.recycled);
        let suggestion = "Raise the capacity, or let less in.";
        add(findings, Severity::Note, "capacity", message, suggestion);
    }
    let lost = lost(world);
    if lost > 0 {
        let message = format!("{lost} particles are outside of every container.");
        let suggestion = "Set kill bounds, which remove them, or move the walls more slowly.";
        add(findings, Severity::Note, "kill_bounds", message, suggestion);
    }
}

/// Number of particles outside of every container; 0 if there are no containers.
fn lost(world: &Liquid) -> usize {
    let containers = world.containers();
    if containers.len() == 0 {
        return 0;
    }
    let far = -LOST_IN_RADII * world.parameters().interaction_radius();
    let positions = world.particles().positions().iter();
    positions
        .filter(|at| containers.clone().all(|(_, container)| container.depth(**at) < far))
        .count()
}

/// Reports ticks, substeps and viscosity that were left out for lack of time.
fn effort(world: &Liquid, history: &History, findings: &mut Vec<Finding>) {
    if history.ticks_dropped > 0 {
        let message = format!(
            "{} ticks were left out: the liquid falls behind the clock.",
            history.ticks_dropped
        );
        let suggestion = if world.parameters().radius_ratio > 3.2 {
            "Take a radius ratio of 3, fewer particles, or a time budget."
        } else {
            "Take fewer particles (a larger spacing), or a time budget."
        };
        let parameter =
            if world.parameters().radius_ratio > 3.2 { "radius_ratio" } else { "particle_spacing" };
        add(findings, Severity::Warning, parameter, message, suggestion);
    }
    if history.given_up.substeps > 0 {
        let message = format!(
            "{} substeps per tick do not fit the time budget: the liquid is softer.",
            history.given_up.substeps
        );
        let suggestion = "Raise the budget, or take fewer particles.";
        add(findings, Severity::Warning, "budget", message, suggestion);
    }
    if history.given_up.viscosity_sweeps > 0 {
        let message = "There is no time for all viscosity: thick liquids are thinner.".to_owned();
        let suggestion = "Raise the budget, or lower the linear viscosity.";
        add(findings, Severity::Warning, "viscosity.linear", message, suggestion);
    }
}

/// Reports time steps that are too long.
fn time(world: &Liquid, history: &History, findings: &mut Vec<Finding>) {
    let parameters = world.parameters();
    let asked = history.time_step;
    if asked > parameters.max_time_step * 1.001 {
        let message = format!(
            "Ticks of {:.1} ms are cut to {:.1} ms: the liquid is slower than it should be.",
            1e3 * asked,
            1e3 * parameters.max_time_step
        );
        let suggestion = "Tick more often, or allow longer time steps.";
        add(findings, Severity::Warning, "max_time_step", message, suggestion);
    }
    let step = asked.min(parameters.max_time_step);
    let substep = step / world.substeps().max(1) as f32;
    if substep > COARSE_TIME_STEP * parameters.time_unit() {
        let message = format!(
            "Substeps are {:.2} T0 long, which is coarse for this scale.",
            substep / parameters.time_unit()
        );
        let suggestion = "Tick more often, take more substeps, or check that spacing and gravity \
                          are in the same units.";
        add(findings, Severity::Warning, "reference_acceleration", message, suggestion);
    }
    let velocities = world.particles().velocities().iter();
    let fastest = velocities.map(|velocity| velocity.length_squared()).fold(0.0, f32::max).sqrt();
    let leap = fastest * substep / parameters.interaction_radius();
    if leap > LEAP {
        let message = format!(
            "The fastest particle covers {leap:.1} interaction radii in a substep, and jumps past \
             others."
        );
        let suggestion = "Take more substeps, weaken the force that pushes it, or add drag.";
        add(findings, Severity::Warning, "substeps", message, suggestion);
    }
}

/// Reports liquid that is compressed.
fn compression(world: &Liquid, findings: &mut Vec<Finding>) {
    let densities = world.particles().relative_densities();
    if densities.len() < FEW {
        return;
    }
    let mut densities = densities.to_vec();
    let index = densities.len() * 99 / 100;
    let (_, dense, _) = densities.select_nth_unstable_by(index, f32::total_cmp);
    let dense = *dense;
    if dense <= DENSE {
        return;
    }
    let parameters = world.parameters();
    let (parameter, suggestion) = match (parameters.solver, parameters.substeps) {
        (FluidSolver::Classic, _) => ("solver", "Take double_density, which holds any depth."),
        (_, Substeps::Fixed(_)) => ("substeps", "Let their number be chosen automatically."),
        (_, Substeps::Automatic { max, .. }) if world.substeps() >= max => {
            ("substeps.max", "Allow more substeps.")
        }
        _ => ("substeps.compression", "Ask for less compression."),
    };
    let message =
        format!("A hundredth of the liquid is packed {:.0}% too densely.", 100.0 * (dense - 1.0));
    add(findings, Severity::Warning, parameter, message, suggestion);
}

/// Reports classes with incompatible masses, springs too stiff for a substep, and springs without
/// room.
fn classes(world: &Liquid, history: &History, findings: &mut Vec<Finding>) {
    let parameters = world.parameters();
    let mut used = [false; ClassTable::MAX_CLASSES];
    world.particles().classes().iter().for_each(|class| used[class.index()] = true);
    let present = || world.classes().iter().zip(&used).filter(|(_, used)| **used);
    let masses = || present().map(|(class, _)| class.mass);
    let ratio = masses().fold(0.0, f32::max) / masses().fold(f32::MAX, f32::min);
    if ratio > VIOLENT_MASS_RATIO {
        let message = format!("The heaviest liquid has {ratio:.1} times the mass of the lightest.");
        let suggestion = "Keep masses within a factor of 5, or they separate violently.";
        add(findings, Severity::Warning, "class.mass", message, suggestion);
    }
    let step = history.time_step.min(parameters.max_time_step);
    let substep = step / world.substeps().max(1) as f32 / parameters.time_unit();
    let most = STABLE_SPRING / (substep * substep);
    let elastic = present().filter_map(|(class, _)| Some((class, class.elasticity?)));
    for (class, elasticity) in elastic {
        if elasticity.stiffness > 1.001 * most {
            let message = format!(
                "Of the springs of `{}` only {:.0}% of the stiffness acts.",
                class.name,
                100.0 * most / elasticity.stiffness
            );
            let suggestion = "Soften them, or allow more substeps.";
            add(findings, Severity::Warning, "class.elasticity.stiffness", message, suggestion);
        }
    }
    if world.springs_refused() > 0 {
        let message = format!("{} springs found no room.", world.springs_refused());
        let suggestion = "Make less of the liquid elastic.";
        add(findings, Severity::Warning, "class.elasticity", message, suggestion);
    }
}

/// Reports a world that is full, or in which all particles sleep.
fn population(world: &Liquid, findings: &mut Vec<Finding>) {
    let count = world.particles().len();
    if count > 0 && count >= world.capacity() {
        let message = format!("The world is full: {count} particles.");
        let suggestion = "Raise the capacity, or recycle the oldest.";
        add(findings, Severity::Note, "capacity", message, suggestion);
    }
    if count > 0 && world.asleep() == count {
        let message = "Everything sleeps: it costs nothing until something moves.".to_owned();
        let suggestion = "A drift of 0 keeps liquid awake.";
        add(findings, Severity::Note, "sleeping.drift", message, suggestion);
    }
}

/// Reports settings that the solver ignores.
fn ignored(world: &Liquid, findings: &mut Vec<Finding>) {
    for setting in world.ignored_settings() {
        let suggestion = match world.parameters().solver {
            FluidSolver::DoubleDensity => "Take the solver that has it.",
            _ => "Take double_density, which does.",
        };
        add(findings, Severity::Note, setting.setting, setting.meaning, suggestion);
    }
}

// The input of the doctor besides the liquid, and the findings that it returns.

/// The severity of a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is wrong, but the behaviour may surprise.
    Note,
    /// The liquid differs from its settings.
    Warning,
    /// Liquid was lost, or the settings are impossible.
    Error,
}

/// A problem that [`examine`] found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Severity of the problem.
    pub severity: Severity,
    /// Description of the problem, in one sentence.
    pub message: String,
    /// Path of the setting that is the likely cause, such as `substeps.max`.
    pub parameter: &'static str,
    /// Suggested remedy, in one sentence.
    pub suggestion: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} ({})", self.message, self.suggestion, self.parameter)
    }
}

/// Recent events, which [`examine`] needs besides the liquid itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct History {
    /// Time that each tick is asked to simulate, in seconds.
    pub time_step: f32,
    /// Number of ticks that were recently left out because a frame had too many of them.
    pub ticks_dropped: u64,
    /// Work that the last tick left out for lack of time.
    pub given_up: GivenUp,
    /// Number of particles that were recently quarantined.
    pub quarantined: u64,
    /// Number of particles that were recently removed outside of the kill bounds.
    pub out_of_bounds: u64,
    /// Number of particles that recently died to make room for others.
    pub recycled: u64,
}

impl Default for History {
    /// 64 ticks per second, and all counts 0.
    fn default() -> Self {
        Self {
            time_step: 1.0 / 64.0,
            ticks_dropped: 0,
            given_up: GivenUp::default(),
            quarantined: 0,
            out_of_bounds: 0,
            recycled: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::{
        ClassId, Container, DensityClass, FluidElasticity, FluidParameters, FluidShape, FluidWorld,
        ParticleSpawn, SerialExecutor,
    };

    const TICK: f32 = 1.0 / 64.0;

    /// A pool in a round container, after the given number of ticks.
    fn pool(parameters: FluidParameters, ticks: u32) -> FluidWorld {
        let mut world = FluidWorld::new(parameters).expect("valid settings");
        world.insert_container(Container::circle(Vec2::ZERO, 120.0).expect("a valid circle"));
        let fill = FluidShape::Circle { radius: 80.0 }.fill(Vec2::ZERO, 8.1);
        for (index, position) in fill.enumerate() {
            let class = ClassId((index % 3) as u8);
            let spawn = ParticleSpawn { position, class, ..Default::default() };
            world.spawn(spawn).expect("room");
        }
        for _ in 0..ticks {
            world.step(TICK, &SerialExecutor).expect("a valid step");
        }
        world
    }

    /// The parameters that the findings name.
    fn named(world: &FluidWorld, history: &History) -> Vec<&'static str> {
        examine(world, history).into_iter().map(|finding| finding.parameter).collect()
    }

    fn names(world: &FluidWorld, parameter: &str) -> bool {
        named(world, &History::default()).contains(&parameter)
    }

    #[test]
    fn a_healthy_pool_has_no_findings_at_any_moment() {
        let mut world = pool(FluidParameters::default(), 0);
        for tick in 0..300 {
            assert_eq!(examine(&world, &History::default()), [], "tick {tick}");
            world.step(TICK, &SerialExecutor).expect("a valid step");
        }
    }

    #[test]
    fn what_was_left_out_or_lost_is_found() {
        let world = pool(FluidParameters::default(), 1);
        let none = History::default();
        let cases = [
            (History { quarantined: 1, ..none }, "max_time_step", Severity::Error),
            (History { ticks_dropped: 1, ..none }, "radius_ratio", Severity::Warning),
            (History { out_of_bounds: 1, ..none }, "kill_bounds", Severity::Note),
            (History { recycled: 1, ..none }, "capacity", Severity::Note),
            (
                History { given_up: GivenUp { substeps: 1, viscosity_sweeps: 0 }, ..none },
                "budget",
                Severity::Warning,
            ),
            (
                History { given_up: GivenUp { substeps: 0, viscosity_sweeps: 1 }, ..none },
                "viscosity.linear",
                Severity::Warning,
            ),
        ];
        for (history, parameter, severity) in cases {
            let findings = examine(&world, &history);
            assert_eq!(findings.len(), 1, "{findings:?}");
            assert_eq!((findings[0].parameter, findings[0].severity), (parameter, severity));
        }
        // The worst comes first.
        let all = History { quarantined: 1, recycled: 1, ticks_dropped: 1, ..none };
        assert_eq!(named(&world, &all), ["max_time_step", "radius_ratio", "capacity"]);
    }

    #[test]
    fn the_likely_parameter_depends_on_the_settings() {
        let solver = FluidSolver::Classic;
        let world = pool(FluidParameters { solver, ..Default::default() }, 0);
        let history = History { quarantined: 1, ..Default::default() };
        assert_eq!(named(&world, &history), ["solver"]);
        let lean = pool(FluidParameters { radius_ratio: 3.0, ..Default::default() }, 0);
        let history = History { ticks_dropped: 1, ..Default::default() };
        assert_eq!(named(&lean, &history), ["particle_spacing"]);
    }

    #[test]
    fn liquid_that_is_squeezed_is_found() {
        let solver = FluidSolver::Classic;
        // This liquid is far too soft for its weight.
        let soft = FluidParameters { solver, stiffness: 0.001, ..Default::default() };
        assert!(names(&pool(soft, 200), "solver"));
        let deep = FluidParameters {
            gravity: Vec2::new(0.0, -8000.0),
            substeps: Substeps::Fixed(1),
            ..Default::default()
        };
        assert!(names(&pool(deep, 100), "substeps"));
    }

    #[test]
    fn steps_that_are_too_long_are_found() {
        let world = pool(FluidParameters { max_time_step: 0.005, ..Default::default() }, 1);
        assert!(names(&world, "max_time_step"));
        // The lengths are in metres, but the acceleration is for pixels.
        let coarse = FluidParameters { reference_acceleration: 1e5, ..Default::default() };
        assert!(names(&pool(coarse, 1), "reference_acceleration"));
        let mut world = pool(FluidParameters::default(), 1);
        world.particles_mut().velocities_mut()[0] = Vec2::new(5e4, 0.0);
        assert!(names(&world, "substeps"));
    }

    #[test]
    fn classes_that_ask_for_too_much_are_found() {
        let mut world = pool(FluidParameters::default(), 1);
        let mut classes: Vec<DensityClass> = world.classes().iter().cloned().collect();
        classes[0].mass = 8.0;
        world.set_classes(ClassTable::new(classes.clone()).expect("valid")).expect("none in use");
        assert!(names(&world, "class.mass"));
        classes[0].mass = 1.5;
        classes[0].elasticity = Some(FluidElasticity { stiffness: 1e5, ..Default::default() });
        world.set_classes(ClassTable::new(classes).expect("valid")).expect("none in use");
        world.set_spring_capacity(10);
        world.step(TICK, &SerialExecutor).expect("a valid step");
        let found = named(&world, &History::default());
        assert!(found.contains(&"class.elasticity.stiffness"), "{found:?}");
        assert!(found.contains(&"class.elasticity"), "{found:?}");
        assert!(!found.contains(&"class.mass"), "{found:?}");
    }

    #[test]
    fn classes_without_particles_ask_for_nothing() {
        let mut world = pool(FluidParameters::default(), 1);
        let mut classes: Vec<DensityClass> = world.classes().iter().cloned().collect();
        let elasticity = Some(FluidElasticity { stiffness: 1e5, ..Default::default() });
        let idle =
            DensityClass { name: "rubber".into(), mass: 100.0, elasticity, ..Default::default() };
        classes.push(idle);
        world.set_classes(ClassTable::new(classes).expect("valid")).expect("none in use");
        assert_eq!(examine(&world, &History::default()), []);
        let position = Vec2::new(0.0, 100.0);
        world
            .spawn(ParticleSpawn { position, class: ClassId(3), ..Default::default() })
            .expect("room");
        assert_eq!(
            named(&world, &History::default()),
            ["class.mass", "class.elasticity.stiffness"]
        );
        // An empty world has no findings either.
        world.clear();
        assert_eq!(examine(&world, &History::default()), []);
    }

    #[test]
    fn settings_that_the_solver_ignores_are_noted() {
        let classic = FluidParameters { solver: FluidSolver::Classic, ..Default::default() };
        let mut world = pool(classic, 0);
        let mut classes: Vec<DensityClass> = world.classes().iter().cloned().collect();
        classes[1].surface_tension = 1.0;
        world.set_classes(ClassTable::new(classes).expect("valid")).expect("none in use");
        assert_eq!(named(&world, &History::default()), ["class.surface_tension"]);
        world.set_parameters(FluidParameters::default()).expect("valid");
        assert_eq!(named(&world, &History::default()), <[&str; 0]>::default());
    }

    #[test]
    fn full_sleeping_and_straying_worlds_are_noted() {
        let mut world = pool(FluidParameters::default(), 0);
        let count = world.particles().len();
        world.set_capacity(count);
        assert_eq!(named(&world, &History::default()), ["capacity"]);
        world.set_capacity(10_000);
        let position = Vec2::new(500.0, 0.0);
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
        assert_eq!(named(&world, &History::default()), ["kill_bounds"]);
        let mut still = FluidWorld::default();
        still.insert_container(Container::circle(Vec2::ZERO, 120.0).expect("a circle"));
        let position = Vec2::new(0.0, -115.0);
        still.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
        for _ in 0..600 {
            still.step(TICK, &SerialExecutor).expect("a valid step");
        }
        let findings = examine(&still, &History::default());
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].parameter, "sleeping.drift");
        assert!(findings[0].to_string().contains("sleeps"));
    }
}
