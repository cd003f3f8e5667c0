//! The tab of the liquid as a whole: every field of [`FluidSettings`].

use std::sync::LazyLock;

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::ranges::{SettingRange, Settings};
use bevy_blob_fluid::blob_fluid::{
    CapacityPolicy, FluidBounds, FluidBudget, FluidParameters, FluidSolver, FluidWorld,
    PaintMixing, Substeps,
};
use bevy_blob_fluid::{Fluid, FluidBackend, FluidSettings, FluidStatistics};
use bevy_egui::egui::Ui;

use crate::form::{
    Declared, Form, Number, Problem, Shown, derived, is_in, section, section_of, short,
    show_warning, shown,
};
use crate::state::FluidPanel;
use crate::time;

/// The sections, as paths of settings and of groups.
const SECTIONS: &[&[&str]] = &[
    &["particle_spacing", "gravity", "reference_acceleration", "radius_ratio"],
    &[
        "stiffness",
        "cohesion_onset",
        "near_stiffness_ratio",
        "near_share",
        "pressure_memory",
        "equilibrium_ratio",
        "rest_density",
        "sph",
        "shared_pressure",
        "incompressible",
    ],
    &["viscosity", "segregation"],
    &["settling", "sleeping"],
    &["ghost_walls", "classic", "sph.restitution"],
    &["substeps", "max_time_step"],
    &["ambient_temperature"],
];
const SCALE: Option<usize> = Some(0);
const PRESSURE: Option<usize> = Some(1);
const THICKNESS: Option<usize> = Some(2);
const REST: Option<usize> = Some(3);
const WALLS: Option<usize> = Some(4);
const TIME: Option<usize> = Some(5);
const WORLD: Option<usize> = Some(6);

/// The presentation of settings, beyond their declarations; `usual` is their scale.
fn shown_settings(usual: &FluidParameters) -> Vec<Shown> {
    let spacing = usual.particle_spacing;
    let acceleration = 2.0 * usual.reference_acceleration;
    vec![
        shown("particle_spacing")
            .usually(0.4 * spacing, 2.5 * spacing)
            .by_factors()
            .hint("Smaller is finer, and more particles."),
        shown("gravity").named("Gravity across").usually(-acceleration, acceleration),
        shown("gravity")
            .named("Gravity upwards")
            .usually(-acceleration, acceleration)
            .hint("Usually negative."),
        shown("reference_acceleration")
            .named("Reference a0")
            .usually(0.05 * acceleration, acceleration)
            .by_factors()
            .hint("Usually the magnitude of gravity."),
        shown("radius_ratio").hint("More is smoother and slower."),
        shown("rest_density").usually(1.0, 30.0),
        shown("equilibrium_ratio").named("Equilibrium"),
        shown("stiffness").usually(0.0, 2.0).hint("More pulls drops together."),
        shown("cohesion_onset").hint("Above 0 rain stays drops."),
        shown("near_stiffness_ratio").named("Near stiffness").usually(0.0, 10.0),
        shown("near_share").hint("At 0 the packing resists shear: waves run too fast."),
        shown("pressure_memory").hint("More needs fewer substeps in deep water."),
        shown("sph.stiffness").named("Resistance").by_factors(),
        shown("shared_pressure.stiffness").named("Resistance").by_factors(),
        shown("shared_pressure.near_stiffness_ratio").named("Repulsion"),
        shown("shared_pressure.cohesion").hint("This tension holds drops together."),
        shown("incompressible.tolerance").by_factors(),
        shown("incompressible.max_iterations").named("Iterations").usually(1.0, 60.0),
        LINEAR,
        APPROACH,
        QUADRATIC,
        shown("viscosity.limit").at_least(1e-4),
        shown("viscosity.cross_class")
            .named("Across classes")
            .usually(0.0, 2.0)
            .hint("At 0 layers slide past each other."),
        shown("segregation").usually(0.0, 12.0).hint("At 0 drops stay trapped."),
        shown("settling.calm_drag").usually(0.0, 5.0).by_factors(),
        shown("settling.calm_speed").usually(0.0, 5.0),
        shown("settling.drag").usually(0.0, 5.0).by_factors(),
        shown("settling.wall_friction").usually(0.0, 10.0).by_factors(),
        shown("sleeping.after").named("Sleep after").usually(0.5, 50.0).by_factors(),
        shown("sleeping.drift").named("Sleep drift"),
        shown("ghost_walls.density").named("Wall density"),
        shown("ghost_walls.unsticking").usually(0.0, 5.0),
        shown("classic.unsticking").usually(0.0, 5.0),
        shown("substeps.compression").by_factors().hint("Less takes more substeps."),
        shown("substeps.max").named("Most substeps").usually(1.0, 16.0),
        shown("substeps").usually(1.0, 16.0),
        shown("max_time_step").named("Longest step").by_factors(),
        shown("ambient_temperature").named("Surroundings").usually(-50.0, 150.0),
    ]
}

/// The presentation of the settings of a budget.
const BUDGET: &[Shown] = &[
    shown("milliseconds").named("Budget").usually(0.1, 30.0).by_factors(),
    shown("min_substeps").named("Least substeps").usually(1.0, 16.0),
    shown("min_viscosity_sweeps").named("Least sweeps").usually(1.0, 8.0),
];
const CAPACITY: Number =
    Number::new("Capacity", "particles", 0.0, 10e6, "Most particles there may be.")
        .usually(100.0, 200_000.0)
        .by_factors();
const EDGE: Number = Number::new("", "world units", -1e9, 1e9, "Edge of the kill bounds.");

/// Shows the tab.
pub(crate) fn show(ui: &mut Ui, panel: &mut FluidPanel, world: &mut World) {
    let mut edited = *world.resource::<FluidSettings>();
    // Settings that the app replaced (another scene, for example) have their own scale.
    if panel.seen_settings != Some(edited) {
        panel.started_with = edited;
    }
    let defaults = defaults_for(&panel.started_with);
    let substeps = world.resource::<FluidStatistics>().substeps;
    edit(ui, &mut edited, &defaults, substeps);
    panel.seen_settings = Some(edited);
    world.resource_mut::<FluidSettings>().set_if_neq(edited);
    section(ui, "Clock", false, |ui| {
        time::most_ticks(ui, &mut world.resource_mut::<Time<Fluid>>());
    });
}

/// Edits settings; `defaults` are the values that resetting restores.
fn edit(ui: &mut Ui, settings: &mut FluidSettings, defaults: &FluidSettings, now: u32) {
    let refused = settings.parameters.validate().err();
    let refused = refused.or_else(|| settings.budget.and_then(|budget| budget.validate().err()));
    let problem = refused.map(|error| Problem {
        field: error.field,
        message: format!("{} is refused: it must be {}.", error.value, error.range),
    });
    if problem.is_some() {
        show_warning(ui, "The last valid settings stay in force.");
    }
    let form = Form { problem };
    let all = shown_settings(&defaults.parameters);
    let rows =
        Rows { declared: Declared { form: &form, shown: &all }, usual: &defaults.parameters };
    let parameters = &mut settings.parameters;
    section(ui, "Scale", true, |ui| scale(ui, &rows, parameters));
    section(ui, "Pressure", true, |ui| pressure(ui, &rows, parameters));
    section(ui, "Viscosity", true, |ui| rows.in_section(ui, parameters, THICKNESS));
    section(ui, "Coming to rest", false, |ui| rows.in_section(ui, parameters, REST));
    section(ui, "Walls", false, |ui| rows.in_section(ui, parameters, WALLS));
    section(ui, "Time steps", false, |ui| time(ui, &rows, parameters, now));
    section(ui, "World", false, |ui| world(ui, &rows, settings, defaults));
    if FluidParameters::ROWS.iter().any(|row| section_of(row.path, SECTIONS).is_none()) {
        section(ui, "More", true, |ui| rows.in_section(ui, &mut settings.parameters, None));
    }
}

/// Rows of parameters.
struct Rows<'a> {
    declared: Declared<'a>,
    /// The values that resetting restores.
    usual: &'a FluidParameters,
}

impl Rows<'_> {
    /// The settings of a section that the solver does not ignore.
    fn in_section(&self, ui: &mut Ui, parameters: &mut FluidParameters, index: Option<usize>) {
        self.wanted(ui, parameters, |path| section_of(path, SECTIONS) == index);
    }

    fn wanted(&self, ui: &mut Ui, parameters: &mut FluidParameters, wanted: impl Fn(&str) -> bool) {
        let solver = parameters.solver;
        let derived = FluidParameters { rest_density: None, ..*parameters };
        let usual = FluidParameters {
            rest_density: Some(derived.effective_rest_density()),
            substeps: match parameters.substeps {
                Substeps::Automatic { .. } => Substeps::default(),
                Substeps::Fixed(_) => Substeps::Fixed(2),
            },
            ..*self.usual
        };
        let wanted = |path: &str| wanted(path) && !is_ignored(path, solver);
        self.declared.rows(ui, parameters, &usual, wanted);
    }
}

fn scale(ui: &mut Ui, rows: &Rows, parameters: &mut FluidParameters) {
    rows.in_section(ui, parameters, SCALE);
    let radius = short(parameters.interaction_radius());
    derived(ui, "Interaction radius", "h, in world units: spacing times radius ratio.", radius);
    let unit = format!("{} s", short(parameters.time_unit()));
    derived(ui, "Time unit T0", "sqrt(spacing/a0): the unit of time for rates.", unit);
    let unit = format!("{} /s", short(parameters.speed_unit()));
    derived(ui, "Speed unit V0", "sqrt(spacing·a0), in world units/s.", unit);
}

fn pressure(ui: &mut Ui, rows: &Rows, parameters: &mut FluidParameters) {
    rows.declared.form.choice(
        ui,
        "Solver",
        "Double density holds any depth and comes to rest. Classic is the paper's original order: one pair after the other, walls bounce. SPH is the textbook's, and shared pressure a simple one. Incompressible iterates until nothing is compressed.",
        &mut parameters.solver,
        &FluidSolver::ALL.map(|solver| (solver, solver.label())),
    );
    let is_here = |path: &str| section_of(path, SECTIONS) == PRESSURE;
    rows.wanted(ui, parameters, |path| is_here(path) && path != "rest_density");
    if is_ignored("rest_density", parameters.solver) {
        return;
    }
    let derived_density = FluidParameters { rest_density: None, ..*parameters };
    let derived_density = derived_density.effective_rest_density();
    let help = "Otherwise the one that keeps particles a spacing apart.";
    let density = &mut parameters.rest_density;
    rows.declared.form.option(ui, "Own rest density", help, density, || derived_density);
    if density.is_some() {
        rows.wanted(ui, parameters, |path| path == "rest_density");
    } else {
        let help = "rho0, derived from radius ratio and near stiffness.";
        derived(ui, "Rest density", help, short(derived_density));
    }
}

fn time(ui: &mut Ui, rows: &Rows, parameters: &mut FluidParameters, now: u32) {
    let fixed = matches!(parameters.substeps, Substeps::Fixed(_));
    let mut chosen = fixed;
    rows.declared.form.choice(
        ui,
        "Substeps are",
        "Chosen by the depth of the liquid, or always the same.",
        &mut chosen,
        &[(false, "Automatic"), (true, "Fixed")],
    );
    if chosen != fixed {
        let limits = FluidParameters::row("substeps").limits;
        let fixed = Substeps::Fixed(now.clamp(limits.least as u32, limits.most as u32));
        parameters.substeps = if chosen { fixed } else { Substeps::default() };
    }
    if !chosen {
        derived(ui, "Substeps now", "How many the last tick took.", now.to_string());
    }
    rows.in_section(ui, parameters, TIME);
}

fn world(ui: &mut Ui, rows: &Rows, settings: &mut FluidSettings, defaults: &FluidSettings) {
    let form = rows.declared.form;
    rows.in_section(ui, &mut settings.parameters, WORLD);
    form.choice(
        ui,
        "Paint mixes",
        "Blue and yellow give green as pigments, and grey as light.",
        &mut settings.parameters.paint_mixing,
        &[(PaintMixing::Pigments, "As pigments"), (PaintMixing::Light, "As light")],
    );
    form.choice(
        ui,
        "Simulated by",
        "A graphics card takes a million particles, and lacks some features of the CPU.",
        &mut settings.backend,
        &[(FluidBackend::Cpu, "Processor"), (FluidBackend::Gpu, "Graphics card")],
    );
    let mut capacity = u32::try_from(settings.capacity).unwrap_or(u32::MAX);
    let usual = u32::try_from(defaults.capacity).unwrap_or(u32::MAX);
    if form.count(ui, &CAPACITY, &mut capacity, usual) {
        settings.capacity = capacity as usize;
    }
    form.choice(
        ui,
        "When full",
        "Whether new particles are refused or replace the oldest.",
        &mut settings.when_full,
        &[(CapacityPolicy::Refuse, "Refuse"), (CapacityPolicy::RecycleOldest, "Recycle oldest")],
    );
    let reach = 64.0 * defaults.parameters.interaction_radius();
    let box_around = || FluidBounds { low: Vec2::splat(-reach), high: Vec2::splat(reach) };
    let help = "A box outside of which particles are removed.";
    form.option(ui, "Kill bounds", help, &mut settings.kill_bounds, box_around);
    if let Some(FluidBounds { low, high }) = &mut settings.kill_bounds {
        for (name, value, default) in [
            ("Left", &mut low.x, -reach),
            ("Right", &mut high.x, reach),
            ("Bottom", &mut low.y, -reach),
            ("Top", &mut high.y, reach),
        ] {
            let number = Number { name, usual: -2.0 * reach..=2.0 * reach, ..EDGE };
            form.number(ui, &number, value, default);
        }
        if low.x > high.x || low.y > high.y {
            show_warning(ui, "The kill bounds are refused: their edges are swapped.");
        }
    }
    let help = "How long a tick may take; beyond that it takes fewer substeps.";
    form.option(ui, "Time budget", help, &mut settings.budget, FluidBudget::default);
    if let Some(budget) = &mut settings.budget {
        let declared = Declared { form, shown: BUDGET };
        declared.rows(ui, budget, &FluidBudget::default(), |_| true);
    }
}

/// Values that resetting restores: the defaults for the scale that the app chose.
fn defaults_for(started_with: &FluidSettings) -> FluidSettings {
    let FluidParameters { particle_spacing, gravity, .. } = started_with.parameters;
    let reference_acceleration = started_with.parameters.reference_acceleration;
    let parameters = FluidParameters {
        reference_acceleration,
        ..FluidParameters::new(particle_spacing, gravity)
    };
    FluidSettings { parameters, ..*started_with }
}

// The presentation of the viscosity settings of the whole liquid, of classes and of pairs of classes.

pub(crate) const LINEAR: Shown =
    shown("viscosity.linear").usually(0.0, 20.0).by_factors().hint("0.1 is water.");
pub(crate) const APPROACH: Shown =
    shown("viscosity.approach").named("Approach (sigma)").usually(0.0, 5.0).by_factors();
pub(crate) const QUADRATIC: Shown = shown("viscosity.quadratic")
    .named("Quadratic (beta)")
    .usually(0.0, 5.0)
    .by_factors()
    .hint("It keeps fast particles apart.");

// Settings that the selected solver ignores, which are not shown.

/// The settings that each solver ignores.
static IGNORED: LazyLock<Vec<(FluidSolver, Vec<&'static str>)>> = LazyLock::new(|| {
    FluidSolver::ALL.into_iter().map(|solver| (solver, find_ignored(solver))).collect()
});

/// Whether a solver ignores the setting of the liquid with this path.
fn is_ignored(path: &str, solver: FluidSolver) -> bool {
    let ignored = IGNORED.iter().filter(|(other, _)| *other == solver).flat_map(|(_, paths)| paths);
    ignored.into_iter().any(|group| is_in(path, group))
}

/// The ignored settings of a liquid without defaults: a setting with its default value is not reported.
fn find_ignored(solver: FluidSolver) -> Vec<&'static str> {
    let mut parameters =
        FluidParameters { solver, rest_density: Some(10.0), ..FluidParameters::default() };
    parameters.visit_mut(&mut |row, value| *value = other_than(*value, row));
    let world = FluidWorld::new(parameters).map(|world| world.ignored_settings());
    world.unwrap_or_default().into_iter().map(|ignored| ignored.setting).collect()
}

/// A valid value near this one.
fn other_than(value: f32, row: &SettingRange) -> f32 {
    let step = if row.whole { 1.0 } else { 0.1 * value.abs().max(0.1) };
    let more = value + step;
    if row.limits.contains(more) { more } else { value - step }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solver_has_its_own_settings_and_none_of_the_others() {
        for solver in [
            FluidSolver::Classic,
            FluidSolver::Sph,
            FluidSolver::SharedPressure,
            FluidSolver::Incompressible,
        ] {
            for other in FluidSolver::ALL {
                let path = format!("{}.stiffness", solver.name());
                assert_eq!(is_ignored(&path, other), other != solver, "{path}, {other:?}");
            }
        }
    }

    #[test]
    fn a_solver_with_its_own_pressure_ignores_that_of_double_density() {
        for path in ["stiffness", "rest_density", "viscosity.quadratic", "ghost_walls.unsticking"] {
            assert!(
                is_ignored(path, FluidSolver::Sph) && !is_ignored(path, FluidSolver::DoubleDensity)
            );
        }
        assert!(!is_ignored("ghost_walls.density", FluidSolver::Sph));
        assert!(is_ignored("ghost_walls.density", FluidSolver::Classic));
        assert!(!is_ignored("viscosity.linear", FluidSolver::Incompressible));
        assert!(!is_ignored("sleeping.after", FluidSolver::Classic));
    }
}
