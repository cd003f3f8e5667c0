//! Worlds, particles and solids that many tests create, measurements of them, and the surface as it is drawn.

use std::f32::consts::FRAC_PI_4;

use blob_fluid::*;
use glam::Vec2;

use crate::ticks::{TICK, step};

/// The particle spacing of worlds with the default settings, in world units.
pub fn spacing() -> f32 {
    FluidParameters::default().particle_spacing
}

/// A world with a solver.
pub fn world_of_solver(solver: FluidSolver) -> FluidWorld {
    world_with(FluidParameters { solver, ..FluidParameters::default() })
}

/// Adds a rectangular container.
pub fn add_tank(world: &mut FluidWorld, centre: Vec2, half_size: Vec2) {
    add_container(world, Container::rectangle(centre, half_size));
}

/// Adds a rectangular container with its lower left corner at the origin.
pub fn add_tank_from_origin(world: &mut FluidWorld, half_size: Vec2) {
    add_tank(world, half_size, half_size);
}

/// A world with the default settings and a rectangular container.
pub fn in_tank(centre: Vec2, half_size: Vec2) -> FluidWorld {
    let mut world = FluidWorld::default();
    add_tank(&mut world, centre, half_size);
    world
}

/// Changes the settings of a world.
pub fn change_parameters(world: &mut FluidWorld, change: impl FnOnce(&mut FluidParameters)) {
    let mut parameters = *world.parameters();
    change(&mut parameters);
    world.set_parameters(parameters).expect("valid");
}

/// A world with these settings.
pub fn world_with(parameters: FluidParameters) -> FluidWorld {
    FluidWorld::new(parameters).expect("valid")
}

/// The default settings for liquid that never sleeps.
pub fn awake() -> FluidParameters {
    FluidParameters { sleeping: FluidSleeping::OFF, ..FluidParameters::default() }
}

/// The default settings without gravity.
pub fn weightless() -> FluidParameters {
    FluidParameters { gravity: Vec2::ZERO, ..FluidParameters::default() }
}

/// Adds a container, given as its constructor returns it.
pub fn add_container(
    world: &mut FluidWorld,
    container: Result<Container, OutOfRange>,
) -> ContainerId {
    world.insert_container(container.expect("valid"))
}

/// Adds a collider, given as its constructor returns it.
pub fn add_collider(world: &mut FluidWorld, collider: Result<Collider, OutOfRange>) -> ColliderId {
    world.insert_collider(collider.expect("valid"))
}

/// A particle at a place, of the medium class and at rest.
pub fn at(position: Vec2) -> ParticleSpawn {
    ParticleSpawn { position, ..Default::default() }
}

/// A moving particle of the medium class.
pub fn moving(position: Vec2, velocity: Vec2) -> ParticleSpawn {
    ParticleSpawn { velocity, ..at(position) }
}

/// Adds a particle.
pub fn spawn(world: &mut FluidWorld, particle: ParticleSpawn) -> ParticleId {
    world.spawn(particle).expect("valid")
}

/// Adds particles.
pub fn spawn_all(world: &mut FluidWorld, particles: impl IntoIterator<Item = ParticleSpawn>) {
    for particle in particles {
        spawn(world, particle);
    }
}

/// Adds particles of a class, at rest.
pub fn pour_class(
    world: &mut FluidWorld,
    class: ClassId,
    positions: impl IntoIterator<Item = Vec2>,
) {
    spawn_all(world, positions.into_iter().map(|position| ParticleSpawn { class, ..at(position) }));
}

/// Adds particles of the medium class, at rest, at the places that no collider is near.
pub fn pour_around_colliders(world: &mut FluidWorld, positions: impl IntoIterator<Item = Vec2>) {
    for position in positions {
        let is_free = |collider: &Collider| collider.distance(position) > 0.5 * spacing();
        if world.colliders().all(|(_, collider)| is_free(collider)) {
            spawn(world, at(position));
        }
    }
}

/// Adds particles at rest, of the three default classes in turn.
pub fn pour_mixed(world: &mut FluidWorld, positions: impl IntoIterator<Item = Vec2>) {
    for (index, position) in positions.into_iter().enumerate() {
        pour_class(world, ClassId((index % 3) as u8), [position]);
    }
}

/// Adds particles of the medium class, at rest.
pub fn pour(world: &mut FluidWorld, positions: impl IntoIterator<Item = Vec2>) {
    pour_class(world, ClassId::default(), positions);
}

/// Centres of square cells of side 1, row by row from the origin upwards.
pub fn cells(columns: usize, rows: usize) -> impl Iterator<Item = Vec2> {
    let corner = move |index| Vec2::new((index % columns) as f32, (index / columns) as f32);
    (0..columns * rows).map(move |index| corner(index) + 0.5)
}

/// A disc of particles of the medium class that all move with a velocity.
pub fn pour_drop(world: &mut FluidWorld, radius: f32, velocity: Vec2) {
    let places = FluidShape::Circle { radius }.fill(Vec2::ZERO, 8.2);
    spawn_all(world, places.map(|position| moving(position, velocity)));
}

/// A collider with some options.
pub fn configured(collider: Collider, options: ColliderOptions) -> Collider {
    collider.with_options(options).expect("valid")
}

/// Inserts a host body with the mass of a body, and a collider that it carries.
pub fn insert_carried(
    world: &mut FluidWorld,
    collider: Collider,
    properties: Body,
) -> (HostBodyId, ColliderId) {
    let host = HostBody {
        acceleration: world.parameters().gravity,
        inverse_mass: Vec2::splat(1.0 / properties.mass),
        inverse_inertia: 1.0 / properties.moment_of_inertia,
        ..HostBody::at(Pose::from_translation(collider.centre()))
    };
    let host = world.insert_host_body(host).expect("valid");
    let attachment = Some(Attachment { body: host, pose: Pose::IDENTITY });
    let options = ColliderOptions { attachment, body: None, ..collider.options() };
    (host, world.insert_collider(configured(collider, options)))
}

/// A body of a density relative to the medium class.
pub fn body(shape: FluidShape, centre: Vec2, density: f32) -> Collider {
    let body = Body::of_density(density, &shape, spacing()).expect("valid");
    let collider = Collider::new(shape, centre, Vec2::X).expect("valid");
    configured(collider, ColliderOptions { body: Some(body), ..Default::default() })
}

/// Root of the mean squared speed.
pub fn rms_speed(world: &FluidWorld) -> f32 {
    let velocities = world.particles().velocities();
    let squares: f32 = velocities.iter().map(|velocity| velocity.length_squared()).sum();
    (squares / velocities.len() as f32).sqrt()
}

/// Number of particles at places for which `counts` returns `true`.
pub fn count_where(world: &FluidWorld, counts: impl Fn(Vec2) -> bool) -> usize {
    world.particles().positions().iter().filter(|position| counts(**position)).count()
}

/// Speed of the fastest particle.
pub fn top_speed(world: &FluidWorld) -> f32 {
    fastest(world, |_| true)
}

/// Speed of the fastest particle for which `counts` returns `true`.
pub fn fastest(world: &FluidWorld, counts: impl Fn(Vec2) -> bool) -> f32 {
    let particles = world.particles();
    let all = particles.positions().iter().zip(particles.velocities());
    all.filter(|(at, _)| counts(**at)).map(|(_, v)| v.length()).fold(0.0, f32::max)
}

/// No number of any particle may be NaN or infinite.
pub fn assert_finite(world: &FluidWorld) {
    let particles = world.particles();
    let vectors = particles.positions().iter().chain(particles.velocities());
    assert!(vectors.clone().all(|vector| vector.is_finite()));
}

/// Runs a tick pass by pass on one thread. `host` is called in front of each pass and at the end, with the
/// number of passes that have run in the tick.
pub fn step_with(
    world: &mut FluidWorld,
    mut host: impl FnMut(&mut FluidWorld, usize),
) -> StepReport {
    let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
    let passes = (0..report.substeps).flat_map(|_| FluidPass::ALL);
    let count = passes.clone().count();
    for (number, pass) in passes.enumerate() {
        host(world, number);
        world.run_pass(pass, &SerialExecutor);
    }
    host(world, count);
    world.end_tick(report, &SerialExecutor)
}

/// A change of a world with a parameter of its case and a name for messages.
pub type Change<'a, Case> = (Case, &'a str, Box<dyn Fn(&mut FluidWorld) + 'a>);

/// A change of a world that captures variables.
pub fn change<'a, Case>(
    case: Case,
    name: &'a str,
    change: impl Fn(&mut FluidWorld) + 'a,
) -> Change<'a, Case> {
    (case, name, Box::new(change))
}

/// Runs until all sleeps, at most so many ticks, and returns the number of ticks.
pub fn ticks_until_asleep(world: &mut FluidWorld, most: u32) -> u32 {
    let ticks = (1..=most).find(|_| step(world).substeps == 0);
    let bodies = || world.colliders().map(|(_, collider)| collider.is_sleeping());
    ticks.unwrap_or_else(|| {
        let (asleep, all) = (world.asleep(), world.particles().len());
        panic!("{asleep} of {all} and bodies {:?} sleep", bodies().collect::<Vec<_>>())
    })
}

// The surface of a liquid as it is drawn.

/// With the defaults of the plugin's `FluidSurface`, the surface is where the sum of the weights
/// `(1 - (r/R)^2)^3` falls below this fraction of its value inside the liquid. `R` is in spacings.
const THRESHOLD: f32 = 0.34;
const SMOOTHING: f32 = 2.2;

/// Height of the drawn surface, averaged over these places, from above a height that no liquid
/// reaches.
pub fn drawn_surface(world: &FluidWorld, top: f32, places: impl Iterator<Item = f32>) -> f32 {
    let spacing = world.parameters().particle_spacing;
    let radius = SMOOTHING * spacing;
    // Particles at rest lie in a hexagonal lattice.
    let weight = 0.75_f32.sqrt() / (FRAC_PI_4 * SMOOTHING * SMOOTHING);
    let (mut sum, mut count) = (0.0, 0.0);
    for x in places {
        let is_near = |at: &&Vec2| (at.x - x).abs() < radius;
        let near: Vec<Vec2> =
            world.particles().positions().iter().filter(is_near).copied().collect();
        let field = |y: f32| -> f32 {
            let part = |at: &Vec2| {
                let part = 1.0 - at.distance_squared(Vec2::new(x, y)) / (radius * radius);
                part.max(0.0)
            };
            near.iter().map(|at| weight * part(at) * part(at) * part(at)).sum()
        };
        let heights = (0..).map(|step| top - 0.02 * spacing * step as f32);
        sum += heights.take_while(|y| field(*y) < THRESHOLD).last().expect("above the liquid");
        count += 1.0;
    }
    sum / count
}
