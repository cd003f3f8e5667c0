//! Draws a scene whose settings lie anywhere within their documented ranges.

use blob_fluid::ranges::{classes as class_rows, parameters as row, solids, sources, worlds};
use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::{
    Body, ClassId, ClassPair, ClassTable, ClassViscosity, ClassicSettings, Collider, ColliderId,
    ColliderOptions, Container, ContainerId, DensityClass, Effort, Elasticity, Falloff,
    FluidParameters, FluidWorld, Force, GhostWalls, IncompressibleSettings, Motion, ParticleSpawn,
    Reaction, Region, Settling, Shape, SharedPressureSettings, Sleeping, Solver, SphSettings,
    Substeps, Thermal, Transition, Viscosity, WallProperties,
};
use glam::Vec2;

use super::random::Random;

/// The parts of a scene that may differ from the default.
pub const PARTS: [&str; 32] = [
    "solver",
    "units",
    "radius",
    "gravity",
    "rest density",
    "stiffness",
    "segregation",
    "viscosity",
    "settling",
    "sleeping",
    "ghost walls",
    "classic",
    "forces of pairs",
    "incompressible",
    "substeps",
    "tick",
    "effort",
    "masses",
    "gravity scales",
    "rest densities",
    "class stiffness",
    "class viscosity",
    "surface tension",
    "elasticity",
    "heat",
    "pairs",
    "container",
    "walls",
    "container's motion",
    "obstacles",
    "forces",
    "start",
];

/// A scene, and what is needed to judge it.
pub struct Scene {
    pub world: FluidWorld,
    pub tick: f32,
    pub ticks: u32,
    pub container: ContainerId,
    /// Half of the container's size.
    pub half: f32,
    /// Container and obstacles turn around after each of these ticks, so that they stay where they
    /// are.
    pub turns: u32,
    pub obstacles: Vec<ColliderId>,
    /// Largest speed at the beginning.
    pub begin: f32,
    /// Largest acceleration by gravity and forces, if nothing limits it.
    pub acceleration: f32,
    /// Largest speed that a wind or a conveyor gives.
    pub wind: f32,
    /// The values of each part.
    pub words: Vec<(&'static str, String)>,
}

struct Drawing<'a> {
    seed: u64,
    has: &'a dyn Fn(&str) -> bool,
    words: Vec<(&'static str, String)>,
}

impl Drawing<'_> {
    /// The generator of a part; `None` if the part has its default.
    fn part(&self, part: &'static str) -> Option<Random> {
        assert!(PARTS.contains(&part));
        (self.has)(part).then(|| Random::new(self.seed, part))
    }

    fn say(&mut self, part: &'static str, what: impl std::fmt::Debug) {
        self.words.push((part, format!("{what:?}")));
    }
}

/// Draws the scene of a seed; the parts for which `has` is false have their defaults.
pub fn draw(seed: u64, has: &dyn Fn(&str) -> bool) -> Scene {
    let mut all = Drawing { seed, has, words: Vec::new() };
    let mut size = Random::new(seed, "size");
    let count = 60 + size.below(241);
    let (tick, parameters) = parameters(&mut all);
    let classes = classes(&mut all);
    let class_count = classes.len();
    let heaviest = classes.iter().map(|class| class.gravity_scale.abs()).fold(0.0, f32::max);
    let mut world = FluidWorld::new(parameters).expect("valid parameters");
    world.set_classes(classes).expect("valid classes");

    let (d, h) = (parameters.particle_spacing, parameters.interaction_radius());
    let half = (count as f32).sqrt() * d * size.between(0.6, 1.5) + h;
    let centre = match all.part("container") {
        Some(mut random) => {
            let far = random.pick(&[0.0, 10.0, 1e3]);
            random.point(far * h)
        }
        None => Vec2::ZERO,
    };
    let (container, inner) = container(&mut all, tick, half, centre);
    let container = world.insert_container(container);
    let obstacles = obstacles(&mut all, &mut world, tick, half, centre);
    let (forces, wind) = forces(&mut all, &mut world, half, centre);

    let mut begin = 0.0_f32;
    let mut start = Random::new(seed, "places");
    let crowd = all.part("start").map(|mut random| {
        let closer = random.pick(&[0.0, 0.0, 0.05, 0.3, 1.0]);
        let speed = random.pick(&[0.0, 0.1, 1.0, 10.0]) * h / tick;
        all.say("start", (closer, speed));
        (closer, speed)
    });
    for index in 0..count {
        let (closer, speed) = crowd.unwrap_or((1.0, 0.0));
        let position = centre + start.point(inner * closer);
        let velocity = start.direction() * speed;
        begin = begin.max(velocity.length());
        let class = ClassId((index % class_count) as u8);
        let spawn = ParticleSpawn { position, velocity, class, ..Default::default() };
        world.spawn(spawn).expect("a place in the world");
    }
    if let Some(mut random) = all.part("effort") {
        let effort = Effort {
            substeps: random.value(&worlds::budget::MIN_SUBSTEPS) as u32,
            viscosity_sweeps: random.value(&worlds::budget::MIN_VISCOSITY_SWEEPS) as u32,
        };
        all.say("effort", effort);
        world.set_effort(effort);
    }
    // Gravity with the class's scale, up to three times as much by heat.
    let acceleration = 3.0 * parameters.gravity.length() * heaviest + forces;
    let ticks = 20 + size.below(41) as u32;
    let turns = 1 + size.below(10) as u32;
    let words = all.words;
    Scene {
        world,
        tick,
        ticks,
        container,
        half,
        turns,
        obstacles,
        begin,
        acceleration,
        wind,
        words,
    }
}

fn parameters(all: &mut Drawing) -> (f32, FluidParameters) {
    let mut parameters = FluidParameters::default();
    if let Some(mut random) = all.part("units") {
        let d = random.value(&row::PARTICLE_SPACING);
        let a0 = random.value(&row::REFERENCE_ACCELERATION);
        all.say("units", (d, a0));
        parameters = FluidParameters::new(d, Vec2::new(0.0, -a0));
    }
    let a0 = parameters.reference_acceleration;
    if let Some(mut random) = all.part("solver") {
        parameters.solver = random.pick(&Solver::ALL);
        all.say("solver", parameters.solver);
    }
    if let Some(mut random) = all.part("gravity") {
        let most = row::GRAVITY.limits.most;
        let strength = random.value_about(&row::GRAVITY, a0.min(most));
        parameters.gravity =
            if random.chance(0.1) { Vec2::ZERO } else { random.direction() * strength };
        all.say("gravity", parameters.gravity);
    }
    if let Some(mut random) = all.part("radius") {
        parameters.radius_ratio = random.value(&row::RADIUS_RATIO);
        all.say("radius", parameters.radius_ratio);
    }
    if let Some(mut random) = all.part("rest density") {
        parameters.rest_density =
            random.chance(0.5).then(|| random.value_about(&row::REST_DENSITY, 10.0));
        parameters.equilibrium_ratio = random.value(&row::EQUILIBRIUM_RATIO);
        all.say("rest density", (parameters.rest_density, parameters.equilibrium_ratio));
    }
    if let Some(mut random) = all.part("stiffness") {
        parameters.stiffness = random.value(&row::STIFFNESS);
        parameters.near_stiffness_ratio = random.value(&row::NEAR_STIFFNESS_RATIO);
        parameters.near_share = random.value(&row::NEAR_SHARE);
        let both = (parameters.stiffness, parameters.near_stiffness_ratio);
        all.say("stiffness", (both, parameters.near_share));
    }
    if let Some(mut random) = all.part("segregation") {
        parameters.segregation = random.value(&row::SEGREGATION);
        all.say("segregation", parameters.segregation);
    }
    if let Some(mut random) = all.part("viscosity") {
        parameters.viscosity = Viscosity {
            approach: random.value(&row::VISCOSITY_APPROACH),
            quadratic: random.value(&row::VISCOSITY_QUADRATIC),
            linear: random.value(&row::VISCOSITY_LINEAR),
            limit: random.value(&row::VISCOSITY_LIMIT),
            cross_class: random.value(&row::VISCOSITY_CROSS_CLASS),
        };
        all.say("viscosity", parameters.viscosity);
    }
    if let Some(mut random) = all.part("settling") {
        parameters.settling = Settling {
            calm_drag: random.value(&row::SETTLING_CALM_DRAG),
            calm_speed: random.value(&row::SETTLING_CALM_SPEED),
            drag: random.value(&row::SETTLING_DRAG),
            wall_friction: random.value(&row::SETTLING_WALL_FRICTION),
        };
        all.say("settling", parameters.settling);
    }
    if let Some(mut random) = all.part("sleeping") {
        parameters.sleeping = Sleeping {
            after: random.value(&row::SLEEPING_AFTER),
            drift: random.value(&row::SLEEPING_DRIFT),
        };
        all.say("sleeping", parameters.sleeping);
    }
    if let Some(mut random) = all.part("ghost walls") {
        parameters.ghost_walls = GhostWalls {
            density: random.value(&row::GHOST_WALLS_DENSITY),
            unsticking: random.value(&row::GHOST_WALLS_UNSTICKING),
        };
        all.say("ghost walls", parameters.ghost_walls);
    }
    if let Some(mut random) = all.part("classic") {
        parameters.classic = ClassicSettings {
            restitution: random.value(&row::CLASSIC_RESTITUTION),
            dead_zone: random.value(&row::CLASSIC_DEAD_ZONE),
            unsticking: random.value(&row::CLASSIC_UNSTICKING),
        };
        all.say("classic", parameters.classic);
    }
    if let Some(mut random) = all.part("forces of pairs") {
        parameters.sph = SphSettings {
            stiffness: random.value(&row::SPH_STIFFNESS),
            restitution: random.value(&row::SPH_RESTITUTION),
        };
        parameters.shared_pressure = SharedPressureSettings {
            stiffness: random.value(&row::SHARED_PRESSURE_STIFFNESS),
            near_stiffness_ratio: random.value(&row::SHARED_PRESSURE_NEAR_STIFFNESS_RATIO),
            cohesion: random.value(&row::SHARED_PRESSURE_COHESION),
        };
        all.say("forces of pairs", (parameters.sph, parameters.shared_pressure));
    }
    if let Some(mut random) = all.part("incompressible") {
        parameters.incompressible = IncompressibleSettings {
            tolerance: random.value(&row::INCOMPRESSIBLE_TOLERANCE),
            max_iterations: random.value_about(&row::INCOMPRESSIBLE_MAX_ITERATIONS, 20.0) as u32,
        };
        all.say("incompressible", parameters.incompressible);
    }
    if let Some(mut random) = all.part("substeps") {
        parameters.substeps = if random.chance(0.5) {
            Substeps::Fixed(random.value_about(&row::SUBSTEPS, 2.0).min(8.0) as u32)
        } else {
            Substeps::Automatic {
                compression: random.value(&row::SUBSTEPS_COMPRESSION),
                max: random.value(&row::SUBSTEPS_MAX).min(16.0) as u32,
            }
        };
        all.say("substeps", parameters.substeps);
    }
    let mut tick = 1.0 / 60.0;
    if let Some(mut random) = all.part("tick") {
        tick = 1.0 / random.value(&worlds::scene::TICK_RATE);
        parameters.max_time_step = random.value(&row::MAX_TIME_STEP);
        all.say("tick", (tick, parameters.max_time_step));
        tick = tick.min(parameters.max_time_step);
    } else {
        // As many ticks per time unit as in the default units.
        tick = (tick * parameters.time_unit() / FluidParameters::default().time_unit()).min(1.0);
        parameters.max_time_step = tick.max(1e-4);
    }
    (tick, parameters)
}

fn classes(all: &mut Drawing) -> ClassTable {
    use class_rows::{class, pair};
    let seed = all.seed;
    let count = 1 + Random::new(seed, "count").below(6);
    let name = |index: usize| format!("class {index}");
    let mut classes: Vec<DensityClass> =
        (0..count).map(|index| DensityClass { name: name(index), ..Default::default() }).collect();
    let mut each = |part: &'static str, set: &dyn Fn(&mut Random, &mut DensityClass)| {
        if let Some(mut random) = all.part(part) {
            classes.iter_mut().for_each(|class| set(&mut random, class));
        }
    };
    each("masses", &|random, own| own.mass = random.value(&class::MASS));
    each("gravity scales", &|random, own| own.gravity_scale = random.value(&class::GRAVITY_SCALE));
    each("rest densities", &|random, own| {
        own.relative_rest_density = random.value(&class::RELATIVE_REST_DENSITY);
    });
    each("class stiffness", &|random, own| {
        own.stiffness = random.value(&class::STIFFNESS);
        own.near_stiffness = random.value(&class::NEAR_STIFFNESS);
    });
    each("class viscosity", &|random, own| {
        own.viscosity = random.chance(0.5).then(|| ClassViscosity {
            approach: random.value(&class::VISCOSITY_APPROACH),
            quadratic: random.value(&class::VISCOSITY_QUADRATIC),
            linear: random.value(&class::VISCOSITY_LINEAR),
        });
    });
    each("surface tension", &|random, own| {
        own.surface_tension = random.value(&class::SURFACE_TENSION);
    });
    each("elasticity", &|random, own| {
        own.elasticity = random.chance(0.5).then(|| Elasticity {
            stiffness: random.value(&class::ELASTICITY_STIFFNESS),
            yield_ratio: random.value(&class::ELASTICITY_YIELD_RATIO),
            plasticity: random.value(&class::ELASTICITY_PLASTICITY),
            min_rest_length: random.value(&class::ELASTICITY_LEAST_REST_LENGTH),
        });
    });
    each("heat", &|random, own| {
        let mut transition = |row| {
            random.chance(0.3).then(|| Transition {
                temperature: random.value_about(row, 50.0),
                becomes: name(random.below(count)),
            })
        };
        let above = transition(&class::THERMAL_ABOVE_TEMPERATURE);
        let below = transition(&class::THERMAL_BELOW_TEMPERATURE);
        own.thermal = Thermal {
            temperature: random.maybe(&class::THERMAL_TEMPERATURE),
            conductivity: random.value(&class::THERMAL_CONDUCTIVITY),
            cooling: random.value(&class::THERMAL_COOLING),
            expansion: random.value(&class::THERMAL_EXPANSION),
            above: above.filter(|own| own.becomes != *"class 0"),
            below: below.filter(|own| own.becomes != *"class 1"),
            // There is no air.
            ..Thermal::default()
        };
    });
    let mut pairs = Vec::new();
    if let Some(mut random) = all.part("pairs") {
        for i in 0..count {
            for j in 0..i {
                if random.chance(0.5) {
                    continue;
                }
                let becomes =
                    [(); 2].map(|()| random.chance(0.5).then(|| name(random.below(count))));
                pairs.push(ClassPair {
                    viscosity: random.chance(0.3).then(|| ClassViscosity {
                        approach: random.value(&pair::VISCOSITY_APPROACH),
                        quadratic: random.value(&pair::VISCOSITY_QUADRATIC),
                        linear: random.value(&pair::VISCOSITY_LINEAR),
                    }),
                    cohesion: random.value(&pair::COHESION),
                    segregation: random.maybe(&pair::SEGREGATION),
                    reaction: (random.chance(0.3) && becomes != [None, None]).then(|| Reaction {
                        rate: random.value(&pair::REACTION_RATE),
                        becomes,
                        temperature: random.maybe(&pair::REACTION_TEMPERATURE),
                    }),
                    ..ClassPair::new(&name(i), &name(j))
                });
            }
        }
    }
    all.say("masses", &classes);
    all.say("pairs", &pairs);
    ClassTable::with_pairs(classes, pairs).expect("valid classes")
}

fn wall(all: &mut Drawing) -> WallProperties {
    let Some(mut random) = all.part("walls") else { return WallProperties::default() };
    let wall = WallProperties {
        friction: random.maybe(&solids::wall::FRICTION),
        stickiness: random.value(&solids::wall::STICKINESS),
        stick_distance: random.value(&solids::wall::STICK_DISTANCE),
        wetting: random.value(&solids::wall::WETTING),
        temperature: random.maybe(&solids::wall::TEMPERATURE),
    };
    all.say("walls", wall);
    wall
}

/// A motion; the usual one moves a solid by its own size in some ticks.
fn motion(random: &mut Random, tick: f32, half: f32) -> Motion {
    // A faster one would leave the world.
    let speed = random.value_about(&solids::motion::VELOCITY, 0.1 * half / tick);
    let speed = speed.abs().min(100.0 * half / tick);
    let turning = random.value_about(&solids::motion::ANGULAR_VELOCITY, 0.1 / tick);
    Motion {
        velocity: if random.chance(0.7) { random.direction() * speed } else { Vec2::ZERO },
        angular_velocity: if random.chance(0.5) { turning } else { 0.0 },
    }
}

/// A container with this half size, and half of a square that fits into it.
fn container(all: &mut Drawing, tick: f32, half: f32, centre: Vec2) -> (Container, f32) {
    let wall = wall(all);
    let mut random = Random::new(all.seed, "shape");
    let (mut shape, mut rotation, mut inner) =
        (Shape::Rectangle { half_size: Vec2::splat(half) }, Vec2::X, 0.95);
    if all.part("container").is_some() {
        rotation = random.direction();
        (shape, inner) = match random.below(4) {
            0 => (Shape::Circle { radius: 1.2 * half }, 0.8),
            1 => {
                let half_size = Vec2::new(half, half * random.between(0.8, 2.0));
                (Shape::Rectangle { half_size }, 0.75)
            }
            2 => (Shape::Capsule { half_length: 0.5 * half, radius: 1.1 * half }, 0.75),
            _ => {
                let tips = [(2.0, 0.0), (0.9, 0.9), (0.0, 2.0), (-0.9, 0.9), (-2.0, 0.0)];
                let lower = [(-0.9, -0.9), (0.0, -2.0), (0.9, -0.9)];
                let corners = tips.into_iter().chain(lower).map(|at| Vec2::from(at) * half);
                (Shape::Polygon(Polygon::new(corners).expect("a star")), 0.6)
            }
        };
    }
    all.say("container", (&shape, centre, rotation));
    let container = Container::new(shape, centre, rotation).expect("valid");
    let container = container.with_wall(wall).expect("valid");
    let Some(mut random) = all.part("container's motion") else {
        return (container, inner * half);
    };
    let motion = motion(&mut random, tick, half);
    all.say("container's motion", motion);
    (container.with_motion(motion).expect("valid"), inner * half)
}

fn obstacles(
    all: &mut Drawing,
    world: &mut FluidWorld,
    tick: f32,
    half: f32,
    centre: Vec2,
) -> Vec<ColliderId> {
    let wall = wall(all);
    let Some(mut random) = all.part("obstacles") else { return Vec::new() };
    let mut ids = Vec::new();
    for _ in 0..1 + random.below(3) {
        let size = half * random.between(0.1, 0.4);
        let shape = match random.below(5) {
            0 => Shape::Circle { radius: size },
            1 => Shape::Rectangle { half_size: Vec2::new(size, size * random.between(0.1, 1.0)) },
            2 => Shape::Capsule { half_length: size, radius: 0.2 * size },
            3 => {
                let corners = [(1.0, -0.8), (0.0, 1.0), (-1.0, -0.8)];
                let corners = corners.map(|corner| Vec2::from(corner) * size);
                Shape::Polygon(Polygon::new(corners).expect("a triangle"))
            }
            _ => {
                let points = [Vec2::NEG_X, Vec2::ZERO, Vec2::new(0.5, 0.7)].map(|at| at * size);
                Shape::Polyline(Polyline::new(points, 0.0).expect("a line"))
            }
        };
        let at = centre + random.point(0.6 * half);
        let mut collider = Collider::new(shape, at, random.direction()).expect("valid");
        let mut options =
            ColliderOptions { reports_load: random.chance(0.3), ..Default::default() };
        if random.chance(0.5) {
            collider = collider.with_motion(motion(&mut random, tick, half)).expect("valid");
        } else if random.chance(0.6) {
            let mass = random.value_about(&solids::body::MASS, 100.0);
            let inertia = (mass * size * size).clamp(f32::MIN_POSITIVE, f32::MAX);
            options.body = Some(Body {
                gravity_scale: random.value(&solids::body::GRAVITY_SCALE),
                drag: random.value(&solids::body::DRAG),
                friction: random.value(&solids::body::FRICTION),
                pinned: random.chance(0.2),
                ..Body::new(mass, inertia)
            });
        }
        let collider = collider.with_wall(wall).expect("valid");
        let collider = collider.with_options(options).expect("valid");
        all.say("obstacles", (collider.shape(), at, collider.motion(), options.body));
        ids.push(world.insert_collider(collider));
    }
    ids
}

/// Adds forces. Returns their largest acceleration, and the largest speed of a wind or a conveyor.
fn forces(all: &mut Drawing, world: &mut FluidWorld, half: f32, centre: Vec2) -> (f32, f32) {
    use sources::force as row;
    let Some(mut random) = all.part("forces") else { return (0.0, 0.0) };
    let usual = world.parameters().reference_acceleration;
    let fast = world.parameters().speed_unit();
    let mut list = Vec::new();
    let (mut acceleration, mut wind) = (0.0, 0.0_f32);
    for _ in 0..1 + random.below(2) {
        let radius = half * random.between(0.3, 2.0);
        let vector = |random: &mut Random, row, usual| {
            random.direction() * random.value_about(row, usual).abs()
        };
        let force = Force {
            region: random.chance(0.7).then(|| Region::circle(centre, radius).expect("valid")),
            falloff: random.pick(&[Falloff::Constant, Falloff::Linear, Falloff::Smooth]),
            centre: centre + random.point(half),
            attraction: random.value_about(&row::ATTRACTION, usual),
            swirl: random.value_about(&row::SWIRL, usual),
            acceleration: vector(&mut random, &row::ACCELERATION, usual),
            wind: vector(&mut random, &row::WIND, fast),
            drag: random.value_about(&row::DRAG, 1.0),
            conveyor: vector(&mut random, &row::CONVEYOR, fast),
            grip: random.value_about(&row::GRIP, 1.0),
            heat: random.value_about(&row::HEAT, 10.0),
            ..Force::default()
        };
        acceleration += force.attraction.abs() + force.swirl.abs() + force.acceleration.length();
        wind = wind.max(force.wind.length()).max(force.conveyor.length());
        all.say("forces", &force);
        list.push(force);
    }
    world.set_forces(&list).expect("valid");
    (acceleration, wind)
}
