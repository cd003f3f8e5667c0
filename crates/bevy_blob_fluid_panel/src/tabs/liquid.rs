//! The tab of the liquid as a whole: every field of [`FluidSettings`].

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::{
    Bounds, Budget, CapacityPolicy, FluidParameters, Solver, Substeps, ranges::parameters as row,
    ranges::worlds::budget as budget_row,
};
use bevy_blob_fluid::{Fluid, FluidSettings, FluidStatistics};
use bevy_egui::egui::Ui;

use crate::controls::form::{Form, Number, Problem, derived, section, short, show_warning};
use crate::state::FluidPanel;
use crate::tabs::viscosity::{APPROACH, LINEAR, QUADRATIC};
use crate::time;

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
    let (parameters, usual) = (&mut settings.parameters, &defaults.parameters);
    section(ui, "Scale", true, |ui| scale(ui, &form, parameters, usual));
    section(ui, "Pressure", true, |ui| pressure(ui, &form, parameters, usual));
    section(ui, "Viscosity", true, |ui| viscosity(ui, &form, parameters, usual));
    section(ui, "Coming to rest", false, |ui| settling(ui, &form, parameters, usual));
    section(ui, "Walls", false, |ui| walls(ui, &form, parameters, usual));
    section(ui, "Time steps", false, |ui| time(ui, &form, parameters, usual, now));
    section(ui, "World", false, |ui| world(ui, &form, settings, defaults));
}

const SPACING: Number = Number::of(
    "Particle spacing",
    row::PARTICLE_SPACING,
    "How far apart particles rest. Smaller is finer, and more particles.",
)
.by_factors();
const GRAVITY_X: Number =
    Number::of("Gravity across", row::GRAVITY, "Acceleration of all liquid to the right.");
const GRAVITY_Y: Number = Number::of(
    "Gravity upwards",
    row::GRAVITY,
    "Acceleration of all liquid upwards; usually negative.",
);
const ACCELERATION: Number = Number::of(
    "Reference a0",
    row::REFERENCE_ACCELERATION,
    "The acceleration that stiffness and drags are measured in; usually the magnitude of gravity.",
)
.by_factors();
const RADIUS: Number = Number::of(
    "Radius ratio",
    row::RADIUS_RATIO,
    "How far particles see each other. More is smoother and slower.",
);

fn scale(ui: &mut Ui, form: &Form, parameters: &mut FluidParameters, usual: &FluidParameters) {
    let spacing = usual.particle_spacing;
    let number = Number { usual: 0.4 * spacing..=2.5 * spacing, ..SPACING };
    form.number(ui, &number, &mut parameters.particle_spacing, spacing);
    let most = 2.0 * usual.reference_acceleration;
    let number = Number { field: "", usual: -most..=most, ..GRAVITY_X };
    form.number(ui, &number, &mut parameters.gravity.x, usual.gravity.x);
    let number = Number { usual: -most..=most, ..GRAVITY_Y };
    form.number(ui, &number, &mut parameters.gravity.y, usual.gravity.y);
    let number = Number { usual: 0.05 * most..=most, ..ACCELERATION };
    let default = usual.reference_acceleration;
    form.number(ui, &number, &mut parameters.reference_acceleration, default);
    form.number(ui, &RADIUS, &mut parameters.radius_ratio, usual.radius_ratio);
    let radius = short(parameters.interaction_radius());
    derived(ui, "Interaction radius", "h, in world units: spacing times radius ratio.", radius);
    let unit = format!("{} s", short(parameters.time_unit()));
    derived(ui, "Time unit T0", "sqrt(spacing/a0): what rates are measured in.", unit);
    let unit = format!("{} /s", short(parameters.speed_unit()));
    derived(ui, "Speed unit V0", "sqrt(spacing·a0), in world units/s.", unit);
}

const OWN_REST_DENSITY: Number =
    Number::of("Rest density", row::REST_DENSITY, "Density that the soft pressure pulls towards.")
        .usually(1.0, 30.0);
const EQUILIBRIUM: Number = Number::of(
    "Equilibrium",
    row::EQUILIBRIUM_RATIO,
    "Density above which the liquid resists compression.",
);
const STIFFNESS: Number = Number::of(
    "Stiffness",
    row::STIFFNESS,
    "k: cohesion and surface tension. More pulls drops together.",
)
.usually(0.0, 2.0);
const NEAR_STIFFNESS: Number = Number::of(
    "Near stiffness",
    row::NEAR_STIFFNESS_RATIO,
    "How strongly close particles repel, relative to k.",
)
.usually(0.0, 10.0);

const NEAR_SHARE: Number = Number::of(
    "Near share",
    row::NEAR_SHARE,
    "Share of the near density in what resists compression. At 0 the packing resists shear: waves run too fast.",
);

fn pressure(ui: &mut Ui, form: &Form, parameters: &mut FluidParameters, usual: &FluidParameters) {
    form.choice(
        ui,
        "Solver",
        "Double density holds any depth and comes to rest. Classic is the paper's original order: one pair after the other, walls bounce. SPH is the textbook's, and shared pressure a simple one. Incompressible iterates until nothing is compressed.",
        &mut parameters.solver,
        &[
            (Solver::DoubleDensity, "Double density"),
            (Solver::Classic, "Classic"),
            (Solver::Sph, "SPH"),
            (Solver::SharedPressure, "Shared pressure"),
            (Solver::Incompressible, "Incompressible"),
        ],
    );
    match parameters.solver {
        Solver::DoubleDensity | Solver::Classic => double_density(ui, form, parameters, usual),
        Solver::Sph => {
            form.number(ui, &SPH_RESISTANCE, &mut parameters.sph.stiffness, usual.sph.stiffness);
        }
        Solver::Incompressible => {
            let (own, usual) = (&mut parameters.incompressible, &usual.incompressible);
            form.number(ui, &TOLERANCE, &mut own.tolerance, usual.tolerance);
            form.count(ui, &ITERATIONS, &mut own.max_iterations, usual.max_iterations);
        }
        Solver::SharedPressure => {
            let (own, usual) = (&mut parameters.shared_pressure, &usual.shared_pressure);
            form.number(ui, &SHARED_RESISTANCE, &mut own.stiffness, usual.stiffness);
            let default = usual.near_stiffness_ratio;
            form.number(ui, &REPULSION, &mut own.near_stiffness_ratio, default);
            form.number(ui, &COHESION, &mut own.cohesion, usual.cohesion);
        }
    }
}

const RESISTANCE: &str =
    "How much liquid resists compression, relative to the most that is stable.";
const SPH_RESISTANCE: Number =
    Number::of("Resistance", row::SPH_STIFFNESS, RESISTANCE).by_factors();
const SHARED_RESISTANCE: Number =
    Number::of("Resistance", row::SHARED_PRESSURE_STIFFNESS, RESISTANCE).by_factors();
const REPULSION: Number = Number::of(
    "Repulsion",
    row::SHARED_PRESSURE_NEAR_STIFFNESS_RATIO,
    "How strongly close particles repel, relative to the resistance.",
);
const TOLERANCE: Number = Number::of(
    "Tolerance",
    row::INCOMPRESSIBLE_TOLERANCE,
    "The mean by which densities may exceed those at rest.",
)
.by_factors();
const ITERATIONS: Number =
    Number::of("Iterations", row::INCOMPRESSIBLE_MAX_ITERATIONS, "At most so many in a substep.")
        .usually(1.0, 60.0);
const COHESION: Number = Number::of(
    "Cohesion",
    row::SHARED_PRESSURE_COHESION,
    "The largest tension: it holds drops together.",
);

fn double_density(
    ui: &mut Ui,
    form: &Form,
    parameters: &mut FluidParameters,
    usual: &FluidParameters,
) {
    form.number(ui, &STIFFNESS, &mut parameters.stiffness, usual.stiffness);
    let default = usual.near_stiffness_ratio;
    form.number(ui, &NEAR_STIFFNESS, &mut parameters.near_stiffness_ratio, default);
    form.number(ui, &NEAR_SHARE, &mut parameters.near_share, usual.near_share);
    let default = usual.equilibrium_ratio;
    form.number(ui, &EQUILIBRIUM, &mut parameters.equilibrium_ratio, default);
    let derived_density = FluidParameters { rest_density: None, ..*parameters };
    let derived_density = derived_density.effective_rest_density();
    form.option(
        ui,
        "Own rest density",
        "Otherwise the one that keeps particles a spacing apart.",
        &mut parameters.rest_density,
        || derived_density,
    );
    match &mut parameters.rest_density {
        Some(density) => {
            form.number(ui, &OWN_REST_DENSITY, density, derived_density);
        }
        None => derived(
            ui,
            "Rest density",
            "rho0, derived from radius ratio and near stiffness.",
            short(derived_density),
        ),
    }
}

const LIMIT: Number = Number::of(
    "Limit",
    row::VISCOSITY_LIMIT,
    "Most that viscosity takes of a pair's speed in a sweep.",
)
.at_least(1e-4);
const CROSS: Number = Number::of(
    "Across classes",
    row::VISCOSITY_CROSS_CLASS,
    "Factor between particles of different classes: at 0 layers slide past each other.",
)
.usually(0.0, 2.0);

const SEGREGATION: Number = Number::of(
    "Segregation",
    row::SEGREGATION,
    "How strongly classes of different weight are sorted where they meet. At 0 only buoyancy sorts them, and drops stay trapped.",
)
.usually(0.0, 12.0);

fn viscosity(ui: &mut Ui, form: &Form, parameters: &mut FluidParameters, usual: &FluidParameters) {
    let segregation = usual.segregation;
    let (own, usual) = (&mut parameters.viscosity, &usual.viscosity);
    form.number(ui, &LINEAR, &mut own.linear, usual.linear);
    form.number(ui, &APPROACH, &mut own.approach, usual.approach);
    form.number(ui, &QUADRATIC, &mut own.quadratic, usual.quadratic);
    form.number(ui, &LIMIT, &mut own.limit, usual.limit);
    form.number(ui, &CROSS, &mut own.cross_class, usual.cross_class);
    form.number(ui, &SEGREGATION, &mut parameters.segregation, segregation);
}

const DRAG: Number = Number::of("Drag", row::SETTLING_DRAG, "On everything, all the time.")
    .usually(0.0, 5.0)
    .by_factors();
const CALM_DRAG: Number =
    Number::of("Calm drag", row::SETTLING_CALM_DRAG, "On slow particles only.")
        .usually(0.0, 5.0)
        .by_factors();
const CALM_SPEED: Number =
    Number::of("Calm speed", row::SETTLING_CALM_SPEED, "Speed above which the calm drag is off.")
        .usually(0.0, 5.0);
const FRICTION: Number =
    Number::of("Wall friction", row::SETTLING_WALL_FRICTION, "Drag along walls.")
        .usually(0.0, 10.0)
        .by_factors();
const SLEEP_AFTER: Number = Number::of(
    "Sleep after",
    row::SLEEPING_AFTER,
    "For how long a particle must have kept its place to fall asleep.",
)
.usually(0.5, 50.0)
.by_factors();
const SLEEP_DRIFT: Number = Number::of(
    "Sleep drift",
    row::SLEEPING_DRIFT,
    "How far it may have gone from there; at 0 nothing ever sleeps.",
);

fn settling(ui: &mut Ui, form: &Form, parameters: &mut FluidParameters, usual: &FluidParameters) {
    let own = &mut parameters.settling;
    form.number(ui, &CALM_DRAG, &mut own.calm_drag, usual.settling.calm_drag);
    form.number(ui, &CALM_SPEED, &mut own.calm_speed, usual.settling.calm_speed);
    form.number(ui, &DRAG, &mut own.drag, usual.settling.drag);
    form.number(ui, &FRICTION, &mut own.wall_friction, usual.settling.wall_friction);
    let own = &mut parameters.sleeping;
    form.number(ui, &SLEEP_AFTER, &mut own.after, usual.sleeping.after);
    form.number(ui, &SLEEP_DRIFT, &mut own.drift, usual.sleeping.drift);
}

const WALL_DENSITY: Number =
    Number::of("Wall density", row::GHOST_WALLS_DENSITY, "Density counted in behind the wall.");
const UNSTICKING: Number = Number::of(
    "Unsticking",
    row::GHOST_WALLS_UNSTICKING,
    "Speed at which a particle that touches the wall is sent back inside.",
)
.usually(0.0, 5.0);
const RESTITUTION: Number = Number::of(
    "Restitution",
    row::CLASSIC_RESTITUTION,
    "Part of the speed towards the wall that is kept.",
);
const SPH_RESTITUTION: Number = Number::of("Restitution", row::SPH_RESTITUTION, RESTITUTION.help);
const DEAD_ZONE: Number = Number::of(
    "Dead zone",
    row::CLASSIC_DEAD_ZONE,
    "How far beyond the wall a particle may be before it is snapped back.",
);
const BOUNCE_UNSTICKING: Number =
    Number::of("Unsticking", row::CLASSIC_UNSTICKING, UNSTICKING.help).usually(0.0, 5.0);

fn walls(ui: &mut Ui, form: &Form, parameters: &mut FluidParameters, usual: &FluidParameters) {
    match parameters.solver {
        Solver::Sph => {
            let (own, default) = (&mut parameters.ghost_walls, usual.ghost_walls.density);
            form.number(ui, &WALL_DENSITY, &mut own.density, default);
            let (own, default) = (&mut parameters.sph, usual.sph.restitution);
            form.number(ui, &SPH_RESTITUTION, &mut own.restitution, default);
        }
        Solver::SharedPressure | Solver::Incompressible => {
            let (own, default) = (&mut parameters.ghost_walls, usual.ghost_walls.density);
            form.number(ui, &WALL_DENSITY, &mut own.density, default);
        }
        Solver::DoubleDensity => {
            let (own, usual) = (&mut parameters.ghost_walls, &usual.ghost_walls);
            form.number(ui, &WALL_DENSITY, &mut own.density, usual.density);
            form.number(ui, &UNSTICKING, &mut own.unsticking, usual.unsticking);
        }
        Solver::Classic => {
            let (own, usual) = (&mut parameters.classic, &usual.classic);
            form.number(ui, &RESTITUTION, &mut own.restitution, usual.restitution);
            form.number(ui, &DEAD_ZONE, &mut own.dead_zone, usual.dead_zone);
            form.number(ui, &BOUNCE_UNSTICKING, &mut own.unsticking, usual.unsticking);
        }
    }
}

const COMPRESSION: Number = Number::of(
    "Compression",
    row::SUBSTEPS_COMPRESSION,
    "Wanted compression at the bottom: less takes more substeps.",
)
.by_factors();
const MAX_SUBSTEPS: Number =
    Number::of("Most substeps", row::SUBSTEPS_MAX, "At most so many per tick.").usually(1.0, 16.0);
const SUBSTEPS: Number =
    Number::of("Substeps", row::SUBSTEPS, "Always so many per tick.").usually(1.0, 16.0);
const LONGEST: Number =
    Number::of("Longest step", row::MAX_TIME_STEP, "A longer tick is cut to it.").by_factors();

fn time(
    ui: &mut Ui,
    form: &Form,
    parameters: &mut FluidParameters,
    usual: &FluidParameters,
    now: u32,
) {
    let fixed = matches!(parameters.substeps, Substeps::Fixed(_));
    let mut chosen = fixed;
    form.choice(
        ui,
        "Substeps are",
        "Chosen by the depth of the liquid, or always the same.",
        &mut chosen,
        &[(false, "Automatic"), (true, "Fixed")],
    );
    if chosen != fixed {
        let limits = row::SUBSTEPS.limits;
        let fixed = Substeps::Fixed(now.clamp(limits.least as u32, limits.most as u32));
        parameters.substeps = if chosen { fixed } else { Substeps::default() };
    }
    match &mut parameters.substeps {
        Substeps::Automatic { compression, max } => {
            form.number(ui, &COMPRESSION, compression, COMPRESSION.default);
            form.count(ui, &MAX_SUBSTEPS, max, MAX_SUBSTEPS.default as u32);
            derived(ui, "Substeps now", "How many the last tick took.", now.to_string());
        }
        Substeps::Fixed(count) => {
            form.count(ui, &SUBSTEPS, count, 2);
        }
    }
    form.number(ui, &LONGEST, &mut parameters.max_time_step, usual.max_time_step);
}

const AMBIENT: Number = Number::of(
    "Surroundings",
    row::AMBIENT_TEMPERATURE,
    "Temperature of the surroundings, for classes that take heat.",
)
.usually(-50.0, 150.0);
const CAPACITY: Number =
    Number::new("Capacity", "", "particles", (0.0, 10e6), "Most particles there may be.")
        .usually(100.0, 200_000.0)
        .by_factors();
const BUDGET: Number =
    Number::of("Budget", budget_row::MILLISECONDS, "Real time that a tick may take.")
        .usually(0.1, 30.0)
        .by_factors();
const MIN_SUBSTEPS: Number =
    Number::of("Least substeps", budget_row::MIN_SUBSTEPS, "Fewest that the budget leaves.")
        .usually(1.0, 16.0);
const MIN_SWEEPS: Number = Number::of(
    "Least sweeps",
    budget_row::MIN_VISCOSITY_SWEEPS,
    "Fewest sweeps of viscosity that the budget leaves.",
)
.usually(1.0, 8.0);
const EDGE: Number = Number::new("", "", "world units", (-1e9, 1e9), "Edge of the kill bounds.");

fn world(ui: &mut Ui, form: &Form, settings: &mut FluidSettings, defaults: &FluidSettings) {
    let usual = defaults.parameters.ambient_temperature;
    form.number(ui, &AMBIENT, &mut settings.parameters.ambient_temperature, usual);
    let mut capacity = u32::try_from(settings.capacity).unwrap_or(u32::MAX);
    let usual = u32::try_from(defaults.capacity).unwrap_or(u32::MAX);
    if form.count(ui, &CAPACITY, &mut capacity, usual) {
        settings.capacity = capacity as usize;
    }
    form.choice(
        ui,
        "When full",
        "What happens when another particle is to be added.",
        &mut settings.when_full,
        &[(CapacityPolicy::Refuse, "Refuse"), (CapacityPolicy::RecycleOldest, "Recycle oldest")],
    );
    let reach = 64.0 * defaults.parameters.interaction_radius();
    let box_around = || Bounds { low: Vec2::splat(-reach), high: Vec2::splat(reach) };
    let help = "A box outside of which particles are removed.";
    form.option(ui, "Kill bounds", help, &mut settings.kill_bounds, box_around);
    if let Some(Bounds { low, high }) = &mut settings.kill_bounds {
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
    form.option(ui, "Time budget", help, &mut settings.budget, Budget::default);
    if let Some(budget) = &mut settings.budget {
        let usual = Budget::default();
        form.number(ui, &BUDGET, &mut budget.milliseconds, usual.milliseconds);
        form.count(ui, &MIN_SUBSTEPS, &mut budget.min_substeps, usual.min_substeps);
        let least = usual.min_viscosity_sweeps;
        form.count(ui, &MIN_SWEEPS, &mut budget.min_viscosity_sweeps, least);
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
