//! Settings of the liquid as a whole: [`FluidParameters`](crate::FluidParameters).

use crate::settings::range::Limits;

/// Limits of rates, and of other settings without a natural upper limit.
const RATE: Limits = Limits::between(0.0, 1e3);
/// Limits of the settings that set the scale of length and time.
const SCALE: Limits = Limits::between(1e-6, 1e6);
/// Limits of a stiffness relative to the most that is stable.
const STIFFNESS_SHARE: Limits = Limits::between(0.01, 1.0);
const SHARE: Limits = Limits::between(0.0, 1.0);
const UNSTICKING: Limits = Limits::between(0.0, 100.0);
const SUBSTEPS_LIMITS: Limits = Limits::between(1.0, 64.0);

rows! { "fluid parameters":
    PARTICLE_SPACING = "particle_spacing" in "world units", [SCALE], default 30.0 / 3.8;
        "distance of particles at rest, d"
    GRAVITY = "gravity" in "world units/s²", [Limits::within(1e6)];
        "acceleration of everything"
    REFERENCE_ACCELERATION = "reference_acceleration" in "world units/s²", [SCALE], default 200.0;
        "what stiffness and drags are measured in, a0"
    RADIUS_RATIO = "radius_ratio" in "d", [Limits::between(2.2, 6.0)], default 3.8;
        "interaction radius"
    REST_DENSITY = "rest_density" in "sum of q²", [Limits::between(0.1, 1e3)];
        "density that the soft pressure pulls towards"
    EQUILIBRIUM_RATIO = "equilibrium_ratio" in "rest densities", [Limits::between(0.1, 1.0)], default 0.65;
        "density above which compression is resisted"
    STIFFNESS = "stiffness" in "a0", [RATE], default 0.144;
        "cohesion and surface tension"
    NEAR_STIFFNESS_RATIO = "near_stiffness_ratio" in "", [Limits::between(0.0, 100.0)], default 2.5;
        "repulsion of close particles, relative to `stiffness`"
    NEAR_SHARE = "near_share" in "", [SHARE], default 0.65;
        "share of the near density in the density whose compression is resisted"
    VISCOSITY_APPROACH = "viscosity.approach" in "1/T0", [RATE], default 0.004;
        "sigma, of approaching pairs"
    VISCOSITY_QUADRATIC = "viscosity.quadratic" in "1/d", [RATE], default 0.08;
        "beta, of approaching pairs"
    VISCOSITY_LINEAR = "viscosity.linear" in "1/T0", [RATE], default 0.1;
        "of all pairs"
    VISCOSITY_LIMIT = "viscosity.limit" in "", [Limits::above(0.0, 1.0)], default 0.1;
        "largest part of a pair's velocity exchanged in a substep"
    VISCOSITY_CROSS_CLASS = "viscosity.cross_class" in "", [Limits::between(0.0, 10.0)], default 0.0;
        "factor between different classes"
    SEGREGATION = "segregation" in "", [super::classes::SEGREGATION], default 6.0;
        "sorting force between classes of different weight; 0 is plain physics"
    SETTLING_CALM_DRAG = "settling.calm_drag" in "1/T0", [RATE], default 0.2;
        "drag on slow particles"
    SETTLING_CALM_SPEED = "settling.calm_speed" in "V0", [RATE], default 0.5;
        "speed above which the drag on slow particles is off"
    SETTLING_DRAG = "settling.drag" in "1/T0", [RATE], default 0.02;
        "drag on everything"
    SETTLING_WALL_FRICTION = "settling.wall_friction" in "1/T0", [RATE], default 0.6;
        "drag along walls"
    SLEEPING_AFTER = "sleeping.after" in "T0", [Limits::between(1e-3, 1e3)], default 5.0;
        "for how long liquid must stay where it is to stop being simulated"
    SLEEPING_DRIFT = "sleeping.drift" in "d", [SHARE], default 0.15;
        "how far it may go in that time; at 0 nothing sleeps"
    GHOST_WALLS_DENSITY = "ghost_walls.density" in "1.5 equilibrium densities", [Limits::between(0.0, 4.0)], default 1.0;
        "density counted in behind a wall"
    GHOST_WALLS_UNSTICKING = "ghost_walls.unsticking" in "V0", [UNSTICKING], default 0.0;
        "speed at which a particle that touches a wall is sent back inside"
    SUBSTEPS_COMPRESSION = "substeps.compression" in "", [Limits::between(1e-3, 0.5)], default 0.03;
        "compression at the bottom that automatic substeps keep to"
    SUBSTEPS_MAX = "substeps.max" in "", whole [SUBSTEPS_LIMITS], default 8.0;
        "most substeps of a tick"
    SUBSTEPS = "substeps" in "", whole [SUBSTEPS_LIMITS];
        "substeps of every tick, where `Fixed`; `Automatic` takes as many as the compression needs"
    AMBIENT_TEMPERATURE = "ambient_temperature" in "degrees", [Limits::within(1e6)], default 20.0;
        "temperature of the surroundings"
    MAX_TIME_STEP = "max_time_step" in "s", [Limits::between(1e-4, 1.0)], default 0.05;
        "longer ticks are cut to this"
    CLASSIC_RESTITUTION = "classic.restitution" in "", [SHARE], default 0.8;
        "part of the speed towards a wall that is kept"
    CLASSIC_DEAD_ZONE = "classic.dead_zone" in "d", [SHARE], default 0.0633;
        "how far beyond a wall a particle may be before it is snapped back"
    CLASSIC_UNSTICKING = "classic.unsticking" in "V0", [UNSTICKING], default 0.0;
        "speed at which a particle that touches a wall is sent back inside"
    SPH_STIFFNESS = "sph.stiffness" in "", [STIFFNESS_SHARE], default 1.0;
        "resistance to compression, relative to the most that is stable"
    SPH_RESTITUTION = "sph.restitution" in "", [SHARE], default 0.3;
        "part of the speed towards a wall that is kept"
    SHARED_PRESSURE_STIFFNESS = "shared_pressure.stiffness" in "", [STIFFNESS_SHARE], default 1.0;
        "resistance to compression, relative to the most that is stable"
    SHARED_PRESSURE_NEAR_STIFFNESS_RATIO = "shared_pressure.near_stiffness_ratio" in "", [SHARE], default 0.01;
        "repulsion of close particles, relative to the stiffness"
    SHARED_PRESSURE_COHESION = "shared_pressure.cohesion" in "", [Limits::between(0.0, 0.5)], default 0.02;
        "largest tension, relative to the pressure at twice the rest density"
    INCOMPRESSIBLE_TOLERANCE = "incompressible.tolerance" in "rest densities", [Limits::between(1e-4, 0.1)], default 0.001;
        "mean by which densities may exceed those at rest"
    INCOMPRESSIBLE_MAX_ITERATIONS = "incompressible.max_iterations" in "", whole [Limits::between(1.0, 200.0)], default 20.0;
        "most iterations of a substep"
}
