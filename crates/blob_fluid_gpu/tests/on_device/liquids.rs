//! Liquids of the tests, and what many tests do with them.

use blob_fluid::shape::{Polygon, Polyline, fermat_spiral, scatter};
use blob_fluid::{
    ClassId, ClassPair, ClassTable, ClassViscosity, Collider, ColliderOptions, Container,
    DensityClass, Effort, FluidParameters, FluidShape, FluidSleeping, FluidWorld, GhostWalls,
    Liquid, Motion, ParticleSpawn, Substeps, Viscosity, WallProperties,
};
use blob_fluid_gpu::{GpuLiquid, GpuParticle, Shaders};
use glam::Vec2;
use wgpu::{Device, Queue};

use crate::adapter::{device, on, shaders};

/// Length of a tick, in seconds.
pub const TICK: f32 = 1.0 / 60.0;

/// Makes ticks.
pub fn run(gpu: &mut GpuLiquid, liquid: &mut Liquid, ticks: u32) {
    for _ in 0..ticks {
        gpu.step(liquid, TICK).expect("valid");
    }
}

/// A file of the shaders, what stands there, and what is put instead.
pub type Fault = (&'static str, &'static str, &'static str);

/// Every fault is found: with each `find` says so, and what it has seen; `None` without a device.
pub fn assert_found(faults: &[Fault], mut find: impl FnMut(&Shaders) -> Option<(bool, String)>) {
    for (file, text, instead) in faults {
        let shaders = shaders().with_change(file, text, instead).expect(text);
        let Some((found, seen)) = find(&shaders) else { return };
        println!("{file}, {text}: {seen}");
        assert!(found, "{file}: `{instead}` for `{text}` goes unnoticed: {seen}");
    }
}

/// A world that the device can follow: it makes one sweep of viscosity, and nothing sleeps.
pub fn world(parameters: FluidParameters) -> FluidWorld {
    let parameters = FluidParameters { sleeping: FluidSleeping::OFF, ..parameters };
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.set_effort(Effort { viscosity_sweeps: 1, ..Effort::FULL });
    world
}

/// A world whose liquid may sleep.
pub fn world_that_sleeps() -> FluidWorld {
    let mut world = world(FluidParameters::default());
    let sleeping = FluidParameters { sleeping: FluidSleeping::default(), ..*world.parameters() };
    world.set_parameters(sleeping).expect("valid");
    world
}

/// Adds particles of mixed classes around the origin, which move in all directions.
pub fn cloud(world: &mut FluidWorld, radius: f32, seed: u32) {
    let parameters = *world.parameters();
    let (spacing, classes) = (parameters.particle_spacing, world.classes().len());
    let count = (3.0 * radius * radius / (spacing * spacing)) as usize;
    for (index, point) in fermat_spiral(Vec2::ZERO, radius, count).into_iter().enumerate() {
        let number = index as u32 + 1000 * seed;
        let spawn = ParticleSpawn {
            position: point + scatter(number) * (0.3 * spacing),
            velocity: scatter(!number) * (3.8 * parameters.speed_unit()),
            class: ClassId((index % classes) as u8),
            ..Default::default()
        };
        world.spawn(spawn).expect("valid");
    }
}

/// A cloud without gravity and container.
pub fn weightless_cloud(radius: f32, seed: u32) -> FluidWorld {
    let (gravity, substeps) = (Vec2::ZERO, Substeps::Fixed(1));
    let mut world = world(FluidParameters { gravity, substeps, ..FluidParameters::default() });
    cloud(&mut world, radius, seed);
    world
}

/// The core's liquid of these particles. Their handles are the same as long as their number is.
pub fn core_of(particles: &[GpuParticle], parameters: FluidParameters) -> FluidWorld {
    let mut core = world(parameters);
    for GpuParticle { position, velocity, class, .. } in particles.iter().copied() {
        let spawn = ParticleSpawn { position, velocity, class, ..Default::default() };
        core.spawn(spawn).expect("valid");
    }
    core
}

/// The particles of a core liquid, to be given to a device.
pub fn particles_of(world: &FluidWorld) -> Vec<GpuParticle> {
    let arrays = world.particles();
    let particle = |index: usize| GpuParticle {
        position: arrays.positions()[index],
        velocity: arrays.velocities()[index],
        class: arrays.classes()[index],
        ..GpuParticle::default()
    };
    (0..arrays.len()).map(particle).collect()
}

/// A block of liquid at rest, in rows from its lowest corner on.
pub fn block(world: &mut FluidWorld, low: Vec2, (columns, rows): (u32, u32), class: ClassId) {
    let spacing = world.parameters().particle_spacing;
    for index in 0..columns * rows {
        let cell = Vec2::new((index % columns) as f32 + 0.5, (index / columns) as f32 + 0.5);
        let position = low + (cell + 0.05 * scatter(index)) * spacing;
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
}

/// A box 30 spacings wide and high with ten rows of liquid, and the same on a device.
pub fn ten_rows(both: &(Device, Queue)) -> (FluidWorld, GpuLiquid) {
    let mut world = world(FluidParameters::default());
    tank(&mut world, 30.0, 30.0);
    block(&mut world, Vec2::ZERO, (30, 10), ClassId::MEDIUM);
    let liquid = on(both, &world);
    (world, liquid)
}

/// Adds a box from the origin, so many spacings wide and high.
pub fn tank(world: &mut FluidWorld, width: f32, height: f32) {
    let half_size = 0.5 * world.parameters().particle_spacing * Vec2::new(width, height);
    world.insert_container(Container::rectangle(half_size, half_size).expect("valid"));
}

/// A number from 0 to 1 that looks random.
fn drawn(seed: u32, number: u32) -> f32 {
    0.5 + 0.5 * scatter(seed.wrapping_mul(7919).wrapping_add(number)).x.clamp(-1.0, 1.0)
}

/// A liquid of settings that the seed chooses, in a box, a turned box, a disc, or free.
pub fn random(seed: u32) -> FluidWorld {
    let draw = |number, low: f32, high: f32| low + (high - low) * drawn(seed, number);
    let usual = FluidParameters::default();
    let parameters = FluidParameters {
        radius_ratio: draw(0, 2.6, 4.2),
        stiffness: draw(1, 0.05, 0.4),
        near_stiffness_ratio: draw(2, 0.0, 4.0),
        near_share: draw(3, 0.0, 1.0),
        pressure_memory: draw(4, 0.0, 0.5),
        cohesion_onset: draw(5, -0.2, 0.3).max(0.0),
        segregation: draw(6, 0.0, 8.0),
        viscosity: Viscosity {
            limit: draw(7, 0.05, 0.2),
            cross_class: draw(8, 0.0, 1.5),
            linear: draw(9, 0.0, 0.3),
            ..usual.viscosity
        },
        ghost_walls: GhostWalls { unsticking: draw(10, -1.0, 0.5).max(0.0), ..usual.ghost_walls },
        gravity: if seed % 5 == 4 { Vec2::ZERO } else { Vec2::new(draw(11, -50.0, 50.0), -200.0) },
        substeps: Substeps::Fixed(1 + seed % 2),
        ..usual
    };
    let mut world = world(parameters);
    let class = |number: u32| DensityClass {
        name: format!("class {number}"),
        mass: draw(20 + number, 0.5, 2.0),
        relative_rest_density: draw(30 + number, 0.8, 1.2),
        stiffness: draw(40 + number, 0.5, 2.0),
        near_stiffness: draw(50 + number, 0.5, 2.0),
        surface_tension: if seed.is_multiple_of(3) { draw(60 + number, 0.0, 1.0) } else { 0.0 },
        viscosity: (seed % 4 == 1).then(|| ClassViscosity {
            linear: draw(70 + number, 0.0, 0.4),
            ..ClassViscosity::default()
        }),
        ..DensityClass::default()
    };
    let pair = ClassPair {
        cohesion: if seed % 3 == 1 { draw(80, -0.5, 0.5) } else { 0.0 },
        segregation: seed.is_multiple_of(2).then_some(3.0),
        ..ClassPair::new("class 0", "class 1")
    };
    let classes = ClassTable::with_pairs((0..3).map(class).collect(), vec![pair]).expect("valid");
    world.set_classes(classes).expect("none in use");
    let wall = WallProperties {
        friction: (!seed.is_multiple_of(3)).then(|| draw(90, 0.0, 1.0)),
        stickiness: draw(91, -2.0, 4.0).max(0.0),
        wetting: draw(92, 0.0, 1.0),
        ..WallProperties::default()
    };
    let reach = 9.0 * parameters.particle_spacing;
    let half_size = Vec2::new(reach, 0.8 * reach);
    let turned = Vec2::new(0.8, 0.6);
    let container = match seed % 4 {
        0 => Some(Container::rectangle(Vec2::ZERO, half_size)),
        1 => Some(Container::circle(Vec2::new(3.0, -2.0), reach)),
        2 => Some(Container::new(FluidShape::Rectangle { half_size }, Vec2::new(5.0, 4.0), turned)),
        _ => None,
    };
    if let Some(container) = container {
        let container = container.and_then(|container| container.with_wall(wall));
        world.insert_container(container.expect("valid"));
    }
    cloud(&mut world, reach, seed);
    world
}

/// Colliders of all shapes, some of which touch, that stand or move together as the seed chooses.
fn colliders(world: &FluidWorld, seed: u32) -> Vec<Collider> {
    let draw = |number, low: f32, high: f32| low + (high - low) * drawn(seed, 300 + number);
    let spacing = world.parameters().particle_spacing;
    let point = |x: f32, y: f32| Vec2::new(x, y) * spacing;
    let star = [(0.0, 2.2), (0.6, 0.5), (2.0, 0.2), (0.6, -0.6), (0.2, -2.0), (-0.7, -0.3)];
    let polygon = Polygon::new(star.map(|(x, y)| point(x, y))).expect("corners");
    let bend = [(-2.0, 1.0), (0.0, 0.0), (1.8, 0.7)].map(|(x, y)| point(x, y));
    let line = |thickness| Polyline::new(bend, thickness).expect("a line");
    let tile = |column: f32| {
        (FluidShape::Rectangle { half_size: point(1.0, 0.8) }, point(-5.0 + 2.0 * column, 4.2))
    };
    let shapes = [
        // A device visits half planes first. Friction along two walls depends on their order.
        (FluidShape::HalfPlane { normal: Vec2::new(0.6, 0.8) }, point(-3.6, -4.8)),
        (FluidShape::Circle { radius: 1.3 * spacing }, point(3.5, 2.0)),
        (
            FluidShape::Capsule { half_length: 1.5 * spacing, radius: 0.7 * spacing },
            point(-4.0, -1.0),
        ),
        (FluidShape::Polygon(polygon), point(0.5, 0.5)),
        (FluidShape::Polyline(line(0.0)), point(3.0, -3.5)),
        (FluidShape::Polyline(line(0.6 * spacing)), point(-2.5, -4.5)),
        tile(0.0),
        tile(1.0),
        tile(2.0),
        (FluidShape::Circle { radius: 8.0 * spacing }, point(0.0, 0.0)),
    ];
    let chosen = shapes.into_iter().enumerate().filter(|(index, _)| {
        // The first and the last, which are large, seldom.
        draw(*index as u32, 0.0, 1.0) < if [0, 9].contains(index) { 0.4 } else { 0.8 }
    });
    let build = |(index, (shape, centre)): (usize, (FluidShape, Vec2))| {
        let number = 20 + 10 * index as u32;
        let wall = WallProperties {
            friction: (draw(number, 0.0, 1.0) < 0.5).then(|| draw(number + 1, 0.0, 1.0)),
            stickiness: draw(number + 2, -2.0, 4.0).max(0.0),
            wetting: draw(number + 3, 0.0, 1.0),
            ..WallProperties::default()
        };
        let options = ColliderOptions { inside_out: index == 9, ..ColliderOptions::default() };
        // Tiles that touch stay parallel.
        let turn = if (6..9).contains(&index) { 0.0 } else { draw(number + 4, -3.0, 3.0) };
        let motion = Motion {
            velocity: Vec2::new(draw(number + 5, -20.0, 20.0), draw(number + 6, -20.0, 20.0)),
            angular_velocity: draw(number + 7, -1.0, 1.0),
        };
        let moves = seed % 2 == 1;
        Collider::new(shape, centre, Vec2::from_angle(turn))
            .and_then(|collider| collider.with_wall(wall)?.with_options(options))
            .and_then(|collider| collider.with_motion(if moves { motion } else { Motion::STILL }))
            .expect("valid")
    };
    chosen.map(build).collect()
}

/// A liquid of settings that the seed chooses, in slow motion among colliders that it does not touch.
pub fn among_colliders(seed: u32) -> FluidWorld {
    among_colliders_with(seed, |options| options)
}

/// The same, with other options.
pub fn among_colliders_with(
    seed: u32,
    change: fn(ColliderOptions) -> ColliderOptions,
) -> FluidWorld {
    let mut world = random(seed);
    world.clear();
    let colliders = colliders(&world, seed);
    for collider in &colliders {
        let options = change(collider.options());
        world.insert_collider(collider.clone().with_options(options).expect("valid"));
    }
    fill_gently(&mut world, &colliders, seed);
    world
}

/// A liquid of settings that the seed chooses, in slow motion in a container of any shape that moves or
/// stands, with a few colliders.
pub fn in_a_container(seed: u32) -> FluidWorld {
    let mut world = random(seed);
    world.clear();
    world.clear_containers();
    let spacing = world.parameters().particle_spacing;
    let ring = [(-8.0, -5.0), (6.0, -7.0), (8.0, 3.0), (1.0, 2.0), (-3.0, 7.0)];
    let ring = Polygon::new(ring.map(|(x, y)| Vec2::new(x, y) * spacing)).expect("corners");
    let shape = match seed % 5 {
        0 => FluidShape::Rectangle { half_size: Vec2::new(8.0, 6.0) * spacing },
        1 => FluidShape::Circle { radius: 8.0 * spacing },
        2 => FluidShape::Capsule { half_length: 3.0 * spacing, radius: 5.0 * spacing },
        3 => FluidShape::Polygon(ring),
        _ => FluidShape::HalfPlane { normal: Vec2::new(0.6, 0.8) },
    };
    let wall = WallProperties {
        friction: (seed % 3 == 1).then_some(0.4),
        stickiness: 2.0,
        wetting: 0.7,
        ..WallProperties::default()
    };
    // Boxes and discs that stand are in other tests.
    let motion = Motion { velocity: Vec2::new(15.0, -10.0), angular_velocity: 0.8 };
    let moves = seed % 5 < 2 || seed.is_multiple_of(2);
    let container = Container::new(shape, Vec2::new(3.0, 1.0), Vec2::new(0.96, 0.28))
        .and_then(|container| container.with_wall(wall))
        .and_then(|container| container.with_motion(if moves { motion } else { Motion::STILL }));
    world.insert_container(container.expect("valid"));
    // All that moves comes after what stands.
    let colliders = if moves { colliders(&world, seed | 1) } else { colliders(&world, seed & !1) };
    let few: Vec<_> = colliders.into_iter().take(3).collect();
    for collider in &few {
        world.insert_collider(collider.clone());
    }
    fill_gently(&mut world, &few, seed);
    world
}

/// A liquid of each of the three kinds above in turn.
pub fn any_random(seed: u32) -> FluidWorld {
    match seed % 3 {
        0 => random(seed),
        1 => among_colliders(seed),
        _ => in_a_container(seed),
    }
}

/// Adds particles in slow motion that touch neither the container nor these colliders.
fn fill_gently(world: &mut FluidWorld, colliders: &[Collider], seed: u32) {
    let spacing = world.parameters().particle_spacing;
    let container = world.containers().next().map(|(_, container)| container.clone());
    for (index, point) in fermat_spiral(Vec2::ZERO, 8.0 * spacing, 200).into_iter().enumerate() {
        let position = point + scatter(index as u32 + 500 * seed) * (0.2 * spacing);
        let free = colliders.iter().all(|collider| collider.distance(position) > 1.5)
            && container.iter().all(|container| container.depth(position) > 1.5);
        if free {
            let velocity = scatter(!index as u32) * 20.0;
            let class = ClassId((index % world.classes().len()) as u8);
            let spawn = ParticleSpawn { position, velocity, class, ..Default::default() };
            world.spawn(spawn).expect("valid");
        }
    }
}

// Copies of all particles, for which nobody waits.

#[test]
fn a_copy_is_of_when_it_was_asked_for_and_comes_while_nobody_waits() {
    let Some(both) = device() else { return };
    let (mut world, mut liquid) = ten_rows(&both);
    liquid.step(world.liquid_mut(), TICK).expect("valid");
    let at_once = liquid.read_particles().expect("read");
    let mut copy = liquid.request_particles().expect("asked");
    let later = liquid.request_particles().expect("asked");
    let mut ticks = 0;
    let came = loop {
        if let Some(particles) = copy.take().expect("works") {
            break particles;
        }
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        ticks += 1;
        assert!(ticks < 10_000, "it never comes");
    };
    assert_eq!((came.len(), &came), (300, &at_once));
    assert_eq!(copy.take().expect("works"), None);
    assert!(copy.wait().is_err());
    // Waited for, it is the same.
    assert_eq!(later.wait().expect("works"), at_once);
}

#[test]
fn a_copy_of_no_particles_is_there_at_once() {
    let Some(both) = device() else { return };
    let world = world(FluidParameters::default());
    let liquid = on(&both, &world);
    let mut copy = liquid.request_particles().expect("asked");
    assert_eq!(copy.take().expect("works"), Some(Vec::new()));
    assert_eq!(copy.take().expect("works"), None);
    assert_eq!(liquid.read_particles().expect("works"), Vec::new());
}
