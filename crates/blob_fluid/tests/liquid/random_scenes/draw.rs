//! Draws a scene whose settings lie anywhere within their documented ranges.

use blob_fluid::ranges::Settings;
use blob_fluid::{
    ClassId, ClassPair, ClassTable, ClassViscosity, ClassicSettings, ColliderId, ContainerId,
    DensityClass, Effort, FluidBudget, FluidElasticity, FluidPaint, FluidParameters, FluidPowder,
    FluidReaction, FluidSleeping, FluidSolver, FluidThermal, FluidTransition, FluidWorld,
    GhostWalls, IncompressibleSettings, ParticleSpawn, Settling, SharedPressureSettings,
    SphSettings, Substeps, Viscosity,
};
use glam::Vec2;

use super::drawing::Drawing;
use super::random::Random;
use super::solids::{container, forces, obstacles};
use super::sources::{Sources, air, sources};

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
    if let Some(mut random) = all.part("viscosity") {
        parameters.viscosity = Viscosity {
            approach: random.value(FluidParameters::row("viscosity.approach")),
            quadratic: random.value(FluidParameters::row("viscosity.quadratic")),
            linear: random.value(FluidParameters::row("viscosity.linear")),
            limit: random.value(FluidParameters::row("viscosity.limit")),
            cross_class: random.value(FluidParameters::row("viscosity.cross_class")),
        };
        all.say("viscosity", parameters.viscosity);
    }
    if let Some(mut random) = all.part("settling") {
        parameters.settling = Settling {
            calm_drag: random.value(FluidParameters::row("settling.calm_drag")),
            calm_speed: random.value(FluidParameters::row("settling.calm_speed")),
            drag: random.value(FluidParameters::row("settling.drag")),
            wall_friction: random.value(FluidParameters::row("settling.wall_friction")),
        };
        all.say("settling", parameters.settling);
    }
    if let Some(mut random) = all.part("sleeping") {
        parameters.sleeping = FluidSleeping {
            after: random.value(FluidParameters::row("sleeping.after")),
            drift: random.value(FluidParameters::row("sleeping.drift")),
        };
        all.say("sleeping", parameters.sleeping);
    }
    if let Some(mut random) = all.part("ghost walls") {
        parameters.ghost_walls = GhostWalls {
            density: random.value(FluidParameters::row("ghost_walls.density")),
            unsticking: random.value(FluidParameters::row("ghost_walls.unsticking")),
        };
        all.say("ghost walls", parameters.ghost_walls);
    }
    if let Some(mut random) = all.part("classic") {
        parameters.classic = ClassicSettings {
            restitution: random.value(FluidParameters::row("classic.restitution")),
            dead_zone: random.value(FluidParameters::row("classic.dead_zone")),
            unsticking: random.value(FluidParameters::row("classic.unsticking")),
        };
        all.say("classic", parameters.classic);
    }
    if let Some(mut random) = all.part("forces of pairs") {
        parameters.sph = SphSettings {
            stiffness: random.value(FluidParameters::row("sph.stiffness")),
            restitution: random.value(FluidParameters::row("sph.restitution")),
        };
        parameters.shared_pressure = SharedPressureSettings {
            stiffness: random.value(FluidParameters::row("shared_pressure.stiffness")),
            near_stiffness_ratio: random
                .value(FluidParameters::row("shared_pressure.near_stiffness_ratio")),
            cohesion: random.value(FluidParameters::row("shared_pressure.cohesion")),
        };
        all.say("forces of pairs", (parameters.sph, parameters.shared_pressure));
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
        tick = 1.0 / random.value(blob_fluid::scene::Scene::row("tick_rate"));
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
        class.viscosity = random.chance(0.5).then(|| ClassViscosity {
            approach: random.value(DensityClass::row("viscosity.approach")),
            quadratic: random.value(DensityClass::row("viscosity.quadratic")),
            linear: random.value(DensityClass::row("viscosity.linear")),
        });
    });
    each("surface tension", &|random, class| {
        class.surface_tension = random.value(DensityClass::row("surface_tension"));
    });
    each("elasticity", &|random, class| {
        class.elasticity = random.chance(0.5).then(|| FluidElasticity {
            stiffness: random.value(DensityClass::row("elasticity.stiffness")),
            yield_ratio: random.value(DensityClass::row("elasticity.yield_ratio")),
            plasticity: random.value(DensityClass::row("elasticity.plasticity")),
            min_rest_length: random.value(DensityClass::row("elasticity.min_rest_length")),
        });
    });
    each("powder", &|random, class| {
        class.powder = random.chance(0.3).then(|| FluidPowder {
            friction_angle: random.value(DensityClass::row("powder.friction_angle")),
            cohesion: random.value(DensityClass::row("powder.cohesion")),
        });
    });
    each("paint", &|random, class| {
        class.paint = random.chance(0.7).then(|| FluidPaint {
            color: [(); 3].map(|()| random.value(DensityClass::row("paint.color"))),
            diffusion: random.value(DensityClass::row("paint.diffusion")),
        });
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
