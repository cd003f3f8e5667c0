//! Draws a scene whose settings lie anywhere within their documented ranges.

use blob_fluid::air::{Air, AirSettings, AirSide, AirSides, AirSource};
use blob_fluid::ranges::{SettingRange, Settings};
use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::*;
use glam::Vec2;

use crate::random_scenes::Drawing;

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
    pub sources: Sources,
    /// Largest speed at the beginning.
    pub begin: f32,
    /// Largest acceleration by gravity and forces, if nothing limits it.
    pub acceleration: f32,
    /// Largest speed that pressure gives to particles that begin too close, in interaction radii per
    /// substep.
    pub pressed: f32,
    /// Largest speed that a wind or a conveyor gives.
    pub wind: f32,
    /// Largest speed that air may have given so far.
    pub blown: f32,
    /// The values of each part.
    pub words: Vec<(&'static str, String)>,
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
    let light = light_ratio(&parameters, &classes);
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
    air(&mut all, &mut world, half, centre);
    let sources = sources(&mut all, &world, (centre, inner), class_count);

    let mut begin = sources.fastest;
    let mut start = Random::new(seed, "places");
    let crowd = all.part("start").map(|mut random| {
        let closer = random.pick(&[0.0, 0.0, 0.05, 0.3, 1.0]);
        let speed = random.pick(&[0.0, 0.1, 1.0, 10.0]) * h / tick;
        all.say("start", (closer, speed));
        (closer, speed)
    });
    let is_crowd = crowd.is_some_and(|(closer, _)| closer < 1.0);
    let pressed = if is_crowd { MOST_PRESSED } else { light.sqrt().min(MOST_PRESSED) };
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
            substeps: random.value(FluidBudget::row("min_substeps")) as u32,
            viscosity_sweeps: random.value(FluidBudget::row("min_viscosity_sweeps")) as u32,
        };
        all.say("effort", effort);
        world.set_effort(effort);
    }
    let body = |id: &ColliderId| world.collider(*id).expect("there").options().body;
    let bodies = obstacles.iter().filter_map(body).map(|body| body.gravity_scale.abs());
    let heaviest = bodies.fold(heaviest, f32::max);
    // Gravity with the scale of a class or a body, up to three times as much by heat.
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
        sources,
        begin,
        acceleration,
        pressed,
        wind,
        blown: 0.0,
        words,
    }
}

/// Most interaction radii per substep to which pressure accelerates a particle.
const MOST_PRESSED: f32 = 4.0;

/// How much energy pressure can give to a particle of the lightest class, relative to liquid of one class
/// with default settings: heavy particles press as hard on light ones, and particles of a thin class begin
/// closer than they rest.
fn light_ratio(parameters: &FluidParameters, classes: &ClassTable) -> f32 {
    let masses = || classes.iter().map(|class| class.mass);
    let heavier = masses().fold(0.0, f32::max) / masses().fold(f32::MAX, f32::min);
    let rests_at = |parameters: &FluidParameters| {
        parameters.effective_rest_density() * parameters.equilibrium_ratio
    };
    let thinnest = classes.iter().map(|class| class.relative_rest_density).fold(1.0, f32::min);
    let usual = FluidParameters { radius_ratio: parameters.radius_ratio, ..Default::default() };
    heavier * (rests_at(&usual) / (thinnest * rests_at(parameters))).max(1.0)
}

fn parameters(all: &mut Drawing) -> (f32, FluidParameters) {
    let mut parameters = FluidParameters::default();
    if let Some(mut random) = all.part("units") {
        let d = random.value(FluidParameters::row("particle_spacing"));
        let a0 = random.value(FluidParameters::row("reference_acceleration"));
        all.say("units", (d, a0));
        parameters = FluidParameters::new(d, Vec2::new(0.0, -a0));
    }
    let a0 = parameters.reference_acceleration;
    if let Some(mut random) = all.part("solver") {
        parameters.solver = random.pick(&FluidSolver::ALL);
        all.say("solver", parameters.solver);
    }
    if let Some(mut random) = all.part("gravity") {
        let most = FluidParameters::row("gravity").limits.most;
        let strength = random.value_about(FluidParameters::row("gravity"), a0.min(most));
        parameters.gravity =
            if random.chance(0.1) { Vec2::ZERO } else { random.direction() * strength };
        all.say("gravity", parameters.gravity);
    }
    if let Some(mut random) = all.part("radius") {
        parameters.radius_ratio = random.value(FluidParameters::row("radius_ratio"));
        all.say("radius", parameters.radius_ratio);
    }
    if let Some(mut random) = all.part("rest density") {
        parameters.rest_density = random
            .chance(0.5)
            .then(|| random.value_about(FluidParameters::row("rest_density"), 10.0));
        parameters.equilibrium_ratio = random.value(FluidParameters::row("equilibrium_ratio"));
        all.say("rest density", (parameters.rest_density, parameters.equilibrium_ratio));
    }
    if let Some(mut random) = all.part("stiffness") {
        parameters.stiffness = random.value(FluidParameters::row("stiffness"));
        parameters.near_stiffness_ratio =
            random.value(FluidParameters::row("near_stiffness_ratio"));
        parameters.near_share = random.value(FluidParameters::row("near_share"));
        parameters.pressure_memory = random.value(FluidParameters::row("pressure_memory"));
        let both = (parameters.stiffness, parameters.near_stiffness_ratio);
        all.say("stiffness", (both, parameters.near_share));
    }
    if let Some(mut random) = all.part("segregation") {
        parameters.segregation = random.value(FluidParameters::row("segregation"));
        all.say("segregation", parameters.segregation);
    }
    for (part, groups) in [
        ("viscosity", &["viscosity."][..]),
        ("settling", &["settling."]),
        ("sleeping", &["sleeping."]),
        ("ghost walls", &["ghost_walls."]),
        ("classic", &["classic."]),
        ("forces of pairs", &["sph.", "shared_pressure."]),
    ] {
        if let Some(mut random) = all.part(part) {
            let values: Vec<_> =
                groups.iter().map(|group| random.group(&mut parameters, group)).collect();
            all.say(part, values);
        }
    }
    if let Some(mut random) = all.part("incompressible") {
        parameters.incompressible = IncompressibleSettings {
            tolerance: random.value(FluidParameters::row("incompressible.tolerance")),
            max_iterations: random
                .value_about(FluidParameters::row("incompressible.max_iterations"), 20.0)
                as u32,
        };
        all.say("incompressible", parameters.incompressible);
    }
    if let Some(mut random) = all.part("substeps") {
        parameters.substeps = if random.chance(0.5) {
            Substeps::Fixed(
                random.value_about(FluidParameters::row("substeps"), 2.0).min(8.0) as u32
            )
        } else {
            Substeps::Automatic {
                compression: random.value(FluidParameters::row("substeps.compression")),
                max: random.value(FluidParameters::row("substeps.max")).min(16.0) as u32,
            }
        };
        all.say("substeps", parameters.substeps);
    }
    let mut tick = 1.0 / 60.0;
    if let Some(mut random) = all.part("tick") {
        tick = 1.0 / random.value(scene::Scene::row("tick_rate"));
        parameters.max_time_step = random.value(FluidParameters::row("max_time_step"));
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
    each("masses", &|random, class| class.mass = random.value(DensityClass::row("mass")));
    each("gravity scales", &|random, class| {
        class.gravity_scale = random.value(DensityClass::row("gravity_scale"))
    });
    each("rest densities", &|random, class| {
        class.relative_rest_density = random.value(DensityClass::row("relative_rest_density"));
    });
    each("class stiffness", &|random, class| {
        class.stiffness = random.value(DensityClass::row("stiffness"));
        class.near_stiffness = random.value(DensityClass::row("near_stiffness"));
    });
    each("class viscosity", &|random, class| {
        class.viscosity = random.chance(0.5).then(ClassViscosity::default);
        random.group(class, "viscosity.");
    });
    each("surface tension", &|random, class| {
        class.surface_tension = random.value(DensityClass::row("surface_tension"));
    });
    each("elasticity", &|random, class| {
        class.elasticity = random.chance(0.5).then(FluidElasticity::default);
        random.group(class, "elasticity.");
    });
    each("powder", &|random, class| {
        class.powder = random.chance(0.3).then(FluidPowder::default);
        random.group(class, "powder.");
    });
    each("paint", &|random, class| {
        class.paint = random.chance(0.7).then(FluidPaint::default);
        random.group(class, "paint.");
    });
    each("heat", &|random, class| {
        let mut transition = |row| {
            random.chance(0.3).then(|| FluidTransition {
                temperature: random.value_about(row, 50.0),
                becomes: name(random.below(count)),
            })
        };
        let above = transition(DensityClass::row("thermal.above.temperature"));
        let below = transition(DensityClass::row("thermal.below.temperature"));
        class.thermal = FluidThermal {
            temperature: random.maybe(DensityClass::row("thermal.temperature")),
            conductivity: random.value(DensityClass::row("thermal.conductivity")),
            cooling: random.value(DensityClass::row("thermal.cooling")),
            expansion: random.value(DensityClass::row("thermal.expansion")),
            above: above.filter(|transition| transition.becomes != *"class 0"),
            latent_heat: random.value_about(DensityClass::row("thermal.latent_heat"), 50.0),
            below: below.filter(|transition| transition.becomes != *"class 1"),
            // There is no air.
            ..FluidThermal::default()
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
                        approach: random.value(ClassPair::row("viscosity.approach")),
                        quadratic: random.value(ClassPair::row("viscosity.quadratic")),
                        linear: random.value(ClassPair::row("viscosity.linear")),
                    }),
                    cohesion: random.value(ClassPair::row("cohesion")),
                    segregation: random.maybe(ClassPair::row("segregation")),
                    paint_diffusion: random.maybe(ClassPair::row("paint_diffusion")),
                    reaction: (random.chance(0.3) && becomes != [None, None]).then(|| {
                        FluidReaction {
                            rate: random.value(ClassPair::row("reaction.rate")),
                            becomes,
                            temperature: random.maybe(ClassPair::row("reaction.temperature")),
                        }
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

// Random numbers within the table of ranges.

/// The generator "splitmix64" of Steele, Lea and Flood (2014).
pub struct Random(u64);

impl Random {
    /// A generator for one part of a scene. The other parts have no effect on its numbers.
    pub fn new(seed: u64, part: &str) -> Self {
        let seed = part.bytes().fold(seed, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3).rotate_left(17)
        });
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A whole number below another.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// One of several items.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// Whether an event of this probability happens.
    pub fn chance(&mut self, probability: f32) -> bool {
        self.between(0.0, 1.0) < probability
    }

    /// A number between two others.
    pub fn between(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * ((self.next() >> 40) as f32 / (1 << 24) as f32)
    }

    /// A number between two others above 0; each order of magnitude is as likely as another.
    #[expect(clippy::disallowed_methods, reason = "the scenes may differ between platforms")]
    pub fn magnitude(&mut self, least: f32, most: f32) -> f32 {
        self.between(least.ln(), most.ln()).exp().clamp(least, most)
    }

    /// A point in a square around the origin.
    pub fn point(&mut self, half: f32) -> Vec2 {
        Vec2::new(self.between(-half, half), self.between(-half, half))
    }

    /// A unit vector.
    pub fn direction(&mut self) -> Vec2 {
        self.point(1.0).try_normalize().unwrap_or(Vec2::X)
    }

    /// A value of a setting: an end of its range, near its default, or anything between.
    pub fn value(&mut self, row: &SettingRange) -> f32 {
        let usual = row.default.unwrap_or(1.0);
        self.value_about(row, usual)
    }

    /// A value of a setting without a default that says what is usual.
    pub fn value_about(&mut self, row: &SettingRange, usual: f32) -> f32 {
        let limits = row.limits;
        let least = limits.smallest();
        let most = limits.most;
        let value = match self.below(10) {
            0 => least,
            1 => most,
            2..=4 => usual * self.magnitude(0.25, 4.0),
            _ => {
                // Limits without an end are tried up to a million times what is usual.
                let top = most.min(1e6 * usual.abs().max(1e-3 * most.min(1.0)));
                let low = if least > 0.0 { least.max(1e-6 * top) } else { 1e-6 * top };
                let sign = if least < 0.0 && self.chance(0.5) { -1.0 } else { 1.0 };
                sign * self.magnitude(low, top)
            }
        };
        let value = if row.whole { value.round() } else { value };
        value.clamp(least, most)
    }

    /// Sets all settings whose paths begin with `group` to values, and returns these.
    pub fn group(&mut self, settings: &mut impl Settings, group: &str) -> Vec<f32> {
        let mut values = Vec::new();
        settings.visit_mut(&mut |row, value| {
            if row.path.starts_with(group) {
                *value = self.value(row);
                values.push(*value);
            }
        });
        values
    }

    /// A value of an optional setting.
    pub fn maybe(&mut self, row: &SettingRange) -> Option<f32> {
        self.chance(0.5).then(|| self.value(row))
    }
}

// Draws walls, containers, obstacles and forces.

pub fn wall(all: &mut Drawing) -> WallProperties {
    let Some(mut random) = all.part("walls") else { return WallProperties::default() };
    let wall = WallProperties {
        friction: random.maybe(WallProperties::row("friction")),
        stickiness: random.value(WallProperties::row("stickiness")),
        stick_distance: random.value(WallProperties::row("stick_distance")),
        wetting: random.value(WallProperties::row("wetting")),
        temperature: random.maybe(WallProperties::row("temperature")),
    };
    all.say("walls", wall);
    wall
}

/// A motion; the usual one moves a solid by its own size in some ticks.
pub fn motion(random: &mut Random, tick: f32, half: f32) -> Motion {
    // A faster one would leave the world.
    let speed = random.value_about(Motion::row("velocity"), 0.1 * half / tick);
    let speed = speed.abs().min(100.0 * half / tick);
    let turning = random.value_about(Motion::row("angular_velocity"), 0.1 / tick);
    Motion {
        velocity: if random.chance(0.7) { random.direction() * speed } else { Vec2::ZERO },
        angular_velocity: if random.chance(0.5) { turning } else { 0.0 },
    }
}

/// A container with this half size, and half of a square that fits into it.
pub fn container(all: &mut Drawing, tick: f32, half: f32, centre: Vec2) -> (Container, f32) {
    let wall = wall(all);
    let mut random = Random::new(all.seed, "shape");
    let (mut shape, mut rotation, mut inner) =
        (FluidShape::Rectangle { half_size: Vec2::splat(half) }, Vec2::X, 0.95);
    if all.part("container").is_some() {
        rotation = random.direction();
        (shape, inner) = match random.below(4) {
            0 => (FluidShape::Circle { radius: 1.2 * half }, 0.8),
            1 => {
                let half_size = Vec2::new(half, half * random.between(0.8, 2.0));
                (FluidShape::Rectangle { half_size }, 0.75)
            }
            2 => (FluidShape::Capsule { half_length: 0.5 * half, radius: 1.1 * half }, 0.75),
            _ => {
                let tips = [(2.0, 0.0), (0.9, 0.9), (0.0, 2.0), (-0.9, 0.9), (-2.0, 0.0)];
                let lower = [(-0.9, -0.9), (0.0, -2.0), (0.9, -0.9)];
                let corners = tips.into_iter().chain(lower).map(|at| Vec2::from(at) * half);
                (FluidShape::Polygon(Polygon::new(corners).expect("a star")), 0.6)
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

pub fn obstacles(
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
            0 => FluidShape::Circle { radius: size },
            1 => FluidShape::Rectangle {
                half_size: Vec2::new(size, size * random.between(0.1, 1.0)),
            },
            2 => FluidShape::Capsule { half_length: size, radius: 0.2 * size },
            3 => {
                let corners = [(1.0, -0.8), (0.0, 1.0), (-1.0, -0.8)];
                let corners = corners.map(|corner| Vec2::from(corner) * size);
                FluidShape::Polygon(Polygon::new(corners).expect("a triangle"))
            }
            _ => {
                let points = [Vec2::NEG_X, Vec2::ZERO, Vec2::new(0.5, 0.7)].map(|at| at * size);
                FluidShape::Polyline(Polyline::new(points, 0.0).expect("a line"))
            }
        };
        let at = centre + random.point(0.6 * half);
        let mut collider = Collider::new(shape, at, random.direction()).expect("valid");
        let mut options =
            ColliderOptions { reports_load: random.chance(0.3), ..Default::default() };
        if random.chance(0.5) {
            collider = collider.with_motion(motion(&mut random, tick, half)).expect("valid");
        } else if random.chance(0.6) {
            let mass = random.value_about(Body::row("mass"), 100.0);
            let inertia = (mass * size * size).clamp(f32::MIN_POSITIVE, f32::MAX);
            options.body = Some(Body {
                gravity_scale: random.value(Body::row("gravity_scale")),
                drag: random.value(Body::row("drag")),
                friction: random.value(Body::row("friction")),
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
pub fn forces(all: &mut Drawing, world: &mut FluidWorld, half: f32, centre: Vec2) -> (f32, f32) {
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
            region: random.chance(0.7).then(|| FluidRegion::circle(centre, radius).expect("valid")),
            falloff: random.pick(&[
                FluidFalloff::Constant,
                FluidFalloff::Linear,
                FluidFalloff::Smooth,
            ]),
            centre: centre + random.point(half),
            attraction: random.value_about(Force::row("attraction"), usual),
            swirl: random.value_about(Force::row("swirl"), usual),
            acceleration: vector(&mut random, Force::row("acceleration"), usual),
            wind: vector(&mut random, Force::row("wind"), fast),
            drag: random.value_about(Force::row("drag"), 1.0),
            conveyor: vector(&mut random, Force::row("conveyor"), fast),
            grip: random.value_about(Force::row("grip"), 1.0),
            heat: random.value_about(Force::row("heat"), 10.0),
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

// Emitters, drains and air of random scenes.

/// What gives particles to a scene and takes some away.
#[derive(Default)]
pub struct Sources {
    /// Emitters, and where they stand and point.
    emitters: Vec<(Emitter, Pose)>,
    drains: Vec<Drain>,
    drained: u64,
    /// Particles whose time was over.
    pub expired: u64,
    /// Largest speed that emitters give.
    pub fastest: f32,
}

impl Sources {
    /// Lets in and takes out what is due before a tick.
    pub fn work(&mut self, world: &mut FluidWorld, tick: f32) {
        for (emitter, pose) in &mut self.emitters {
            emitter.emit(world.liquid_mut(), *pose, *pose, tick).expect("a valid time");
        }
        for drain in &mut self.drains {
            self.drained += drain.drain(world.liquid_mut(), tick).expect("a valid time") as u64;
        }
    }

    /// Particles that are there, if there were so many at the beginning.
    pub fn left_of(&self, count: usize) -> usize {
        let emitted: u64 = self.emitters.iter().map(|(emitter, _)| emitter.emitted()).sum();
        (count as u64 + emitted - self.drained - self.expired) as usize
    }

    /// Whether particles come and go.
    pub fn are_there(&self) -> bool {
        !self.emitters.is_empty() || !self.drains.is_empty()
    }
}

/// Emitters and drains in a container of this half size, whose inner half size is `inner`.
pub fn sources(
    all: &mut Drawing,
    world: &FluidWorld,
    (centre, inner): (Vec2, f32),
    class_count: usize,
) -> Sources {
    let mut sources = Sources::default();
    let fast = world.parameters().speed_unit();
    if let Some(mut random) = all.part("emitters") {
        for _ in 0..1 + random.below(2) {
            let width = inner * random.between(0.01, 0.5);
            let rate = random.maybe(EmitterSettings::row("rate"));
            let settings = EmitterSettings {
                nozzle: FluidNozzle::Slot { width },
                rate,
                // One of both is given.
                speed: (rate.is_none() || random.chance(0.6))
                    .then(|| random.value_about(EmitterSettings::row("speed"), fast)),
                spread: random.value(EmitterSettings::row("spread")),
                class: ClassId(random.below(class_count) as u8),
                lifetime: random.chance(0.5).then(|| FluidLifetime::new(random.between(0.05, 2.0))),
                // Enough to see what they do.
                limit: Some(1 + random.below(120) as u64),
                ..EmitterSettings::jet(1.0, fast)
            };
            all.say("emitters", &settings);
            // Without a speed liquid comes as fast as its rate fills the slot.
            let spacing = world.parameters().particle_spacing;
            let filling = settings.rate.unwrap_or(0.0) / settings.full_rate(1.0, spacing);
            let speed = settings.speed.unwrap_or(filling);
            sources.fastest = sources.fastest.max(speed * (1.0 + settings.spread));
            let pose = Pose::new(centre + random.point(0.7 * inner), random.direction());
            sources.emitters.push((Emitter::new(settings).expect("valid"), pose));
        }
    }
    if let Some(mut random) = all.part("drains") {
        let region =
            FluidRegion::circle(centre + random.point(inner), inner * random.between(0.05, 0.5));
        let mut drain = Drain::new(region.expect("valid"));
        if random.chance(0.7) {
            let rate =
                random.value_about(ranges::find("drain", "rate").expect("a row"), 60.0).max(0.0);
            drain = drain.with_rate(rate).expect("valid");
        }
        all.say("drains", (drain.region(), drain.rate()));
        sources.drains.push(drain);
    }
    sources
}

/// Air around the container.
pub fn air(all: &mut Drawing, world: &mut FluidWorld, half: f32, centre: Vec2) {
    let Some(mut random) = all.part("air") else { return };
    let usual = AirSettings::new(world.parameters().gravity);
    let settings = AirSettings {
        density: random.value(AirSettings::row("density")),
        drag: random.value(AirSettings::row("drag")),
        buoyancy: random.value(AirSettings::row("buoyancy")),
        cooling: random.value(AirSettings::row("cooling")),
        smoke_weight: random.value(AirSettings::row("smoke_weight")),
        vorticity_confinement: random.value(AirSettings::row("vorticity_confinement")),
        degrees_per_heat: random.value(AirSettings::row("degrees_per_heat")),
        heat_capacity: random.value(AirSettings::row("heat_capacity")),
        ..usual
    };
    let side = |random: &mut Random| {
        let inflow = random.direction() * world.parameters().speed_unit();
        random.pick(&[
            AirSide::CLOSED,
            AirSide::Open,
            AirSide::Inflow { velocity: inflow, smoke: 0.0, heat: 0.0 },
        ])
    };
    let sides = AirSides {
        left: side(&mut random),
        right: AirSide::Open,
        bottom: side(&mut random),
        top: side(&mut random),
    };
    let around = FluidBounds { low: centre - half, high: centre + half };
    let cell = (2.0 * half / random.between(6.0, 24.0)).clamp(1e-6, 1e6);
    all.say("air", (&settings, &sides, cell));
    let mut air = Air::new(around, cell, settings, sides).expect("valid");
    let place = FluidRegion::circle(centre + random.point(half), 0.3 * half).expect("valid");
    let source = AirSource {
        smoke: random.value_about(AirSource::row("smoke"), 1.0),
        heat: random.value_about(AirSource::row("heat"), 1.0),
        ..AirSource::new(place)
    };
    air.insert_source(source).expect("valid");
    world.insert_air(air);
}

/// Largest speed of a scene's air.
pub fn blown(world: &FluidWorld) -> f32 {
    let speeds = world.airs().flat_map(|air| air.velocities_x().iter().chain(air.velocities_y()));
    speeds.fold(0.0, |most, speed| most.max(speed.abs()))
}

/// The most by which drag and pressure of a scene's air may change a particle's speed in a tick: ten speed units.
pub fn pushed(world: &FluidWorld) -> f32 {
    if world.airs().next().is_some() { 10.0 * world.parameters().speed_unit() } else { 0.0 }
}
