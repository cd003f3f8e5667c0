//! Everything of a scene comes, goes and changes at any moment, and leaves nothing behind.

use bevy_blob_fluid::blob_fluid::shape::{Polyline, scatter};
use bevy_blob_fluid::{FluidColliders, FluidContainers, FluidOutline};

use crate::app::*;

/// A stream of numbers that are always the same.
struct Dice(u32);

impl Dice {
    /// A whole number below `sides`.
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 += 1;
        ((scatter(self.0).x + 1.0) * 0.5 * sides as f32) as u32 % sides
    }

    fn transform(&mut self) -> Transform {
        self.0 += 1;
        let Vec2 { x, y } = scatter(self.0) * 150.0;
        let turn = Quat::from_rotation_z(scatter(self.0 + 7).y * 3.0);
        let scale = match self.roll(12) {
            0 => Vec3::ZERO,
            1 => Vec3::new(-1.0, 1.0, 1.0),
            2 => Vec3::new(f32::NAN, 1.0, 1.0),
            3 => Vec3::new(0.5, 2.0, 1.0),
            _ => Vec3::ONE,
        };
        xy(x, y).with_rotation(turn).with_scale(scale)
    }
}

fn outline(dice: &mut Dice) -> FluidShape {
    let corners = [Vec2::new(-20.0, -9.0), Vec2::new(25.0, -12.0), Vec2::new(3.0, 22.0)];
    match dice.roll(6) {
        0 => Circle::new(20.0).outline(),
        1 => Rectangle::new(50.0, 6.0).outline(),
        2 => Capsule2d::new(5.0, 30.0).outline(),
        3 => Polygon::new(corners).outline(),
        4 => Polyline::new(corners, 0.0).map(FluidShape::Polyline),
        // No shape at all.
        _ => Circle::new(f32::NAN).outline(),
    }
    .expect("a shape")
}

/// Number of kinds of parts.
const PARTS: u32 = 11;

fn insert(entity: &mut EntityWorldMut, part: u32, dice: &mut Dice) {
    let shape = outline(dice);
    let everywhere = Rectangle::new(80.0, 80.0);
    match part {
        0 => entity.insert(FluidCollider::from(shape)),
        1 => entity.insert(FluidContainer::from(Rectangle::new(400.0, 400.0))),
        2 => entity.insert(FluidBlob::from(shape)),
        3 => entity.insert(FluidForce::attract(60.0, 200.0)),
        4 => entity.insert(FluidImpulse::explosion(60.0, 80.0)),
        5 => entity.insert(FluidEmitter::jet(20.0, 150.0).with_lifetime(FluidLifetime::new(0.5))),
        6 => entity.insert(FluidDrain::from(shape)),
        7 => entity.insert(FluidSensor::from(shape)),
        8 => entity.insert(FluidBuoyant::of_density(0.7)),
        9 => entity.insert(FluidLoad::default()),
        _ => entity.insert(FluidForce::wind(&everywhere, Vec2::X * 50.0, 1.0)),
    };
}

fn remove(entity: &mut EntityWorldMut, part: u32) {
    match part {
        0 => entity.remove::<FluidCollider>(),
        1 => entity.remove::<FluidContainer>(),
        2 => entity.remove::<FluidBlob>(),
        3 => entity.remove::<FluidForce>(),
        4 => entity.remove::<FluidImpulse>(),
        5 => entity.remove::<FluidEmitter>(),
        6 => entity.remove::<FluidDrain>(),
        7 => entity.remove::<FluidSensor>(),
        8 => entity.remove::<FluidBuoyant>(),
        9 => entity.remove::<FluidLoad>(),
        _ => entity.remove::<Transform>(),
    };
}

/// Does one of all the things that can be done.
fn meddle(world: &mut World, entities: &mut Vec<Entity>, dice: &mut Dice) {
    let one = |entities: &[Entity], dice: &mut Dice| {
        let count = entities.len() as u32;
        (count > 0).then(|| entities[dice.roll(count) as usize])
    };
    let (action, part) = (dice.roll(9), dice.roll(PARTS));
    match (action, one(entities, dice)) {
        (0 | 1, _) | (_, None) => {
            let transform = dice.transform();
            let mut entity = world.spawn(transform);
            insert(&mut entity, part, dice);
            // Half of them change again within the frame.
            if dice.roll(2) == 0 {
                insert(&mut entity, (part + 3) % PARTS, dice);
                remove(&mut entity, part);
            }
            entities.push(entity.id());
        }
        (2 | 3, Some(entity)) => insert(&mut world.entity_mut(entity), part, dice),
        (4, Some(entity)) => remove(&mut world.entity_mut(entity), part),
        (5, Some(entity)) => {
            world.entity_mut(entity).insert(dice.transform());
        }
        (6, Some(entity)) => {
            world.entity_mut(entity).despawn();
            entities.retain(|entity| world.get_entity(*entity).is_ok());
        }
        (7, Some(entity)) => {
            // A parent of its own, unless that would be a circle.
            let parent = world.spawn(dice.transform()).id();
            world.entity_mut(entity).insert(ChildOf(parent));
            entities.push(parent);
        }
        (_, Some(_)) => {
            let mut time = world.resource_mut::<Time<Fluid>>();
            match part {
                0 => time.pause(),
                1 => time.step_once(),
                2 => time.set_relative_speed(3.0),
                3 => world.resource_mut::<FluidSimulation>().clear(),
                _ => time.unpause(),
            }
        }
    }
}

// Row 24 of docs/reliability.md.
#[test]
fn whatever_is_done_to_a_scene_leaves_nothing_behind() {
    for seed in 0..6 {
        let watched = (FluidBlobsPlugin::default(), FluidSplashPlugin::default());
        let mut app = app_of((BlobFluidPlugins::default(), watched));
        app.insert_resource(FluidSettings { capacity: 3000, ..default() }).finish_plugins();
        let (mut dice, mut entities) = (Dice(100_000 * seed), Vec::new());
        let (mut most_particles, mut most_colliders) = (0, 0);
        for _ in 0..400 {
            for _ in 0..dice.roll(4) {
                meddle(app.world_mut(), &mut entities, &mut dice);
            }
            app.update();
            let fluid = app.fluid();
            assert!(fluid.particles().positions().iter().all(|position| position.is_finite()));
            most_particles = most_particles.max(fluid.particles().len());
            most_colliders = most_colliders.max(fluid.colliders().len());
        }
        assert!(most_particles > 100 && most_colliders > 3, "{most_particles} {most_colliders}");
        // All of it goes: no component of the plugin's stays, nor what it did.
        for entity in entities {
            if let Ok(mut entity) = app.world_mut().get_entity_mut(entity) {
                (0..PARTS).for_each(|part| remove(&mut entity, part));
            }
        }
        app.clock().unpause();
        app.fluid_mut().clear();
        app.updates(2);
        let world = app.world();
        let fluid = world.resource::<FluidSimulation>();
        assert_eq!((fluid.containers().len(), fluid.colliders().len()), (0, 0));
        assert_eq!((fluid.forces().len(), fluid.particles().len()), (0, 0));
        assert_eq!(world.resource::<FluidContainers>().iter().count(), 0);
        assert_eq!(world.resource::<FluidColliders>().iter().count(), 0);
        assert_eq!(world.resource::<FluidBlobs>().blobs().len(), 0);
        let mut readings = app.world_mut().query::<&FluidSensorReading>();
        assert_eq!(readings.iter(app.world()).count(), 0);
    }
}

/// A level with an entity of each kind, and liquid beside them.
fn enter(app: &mut App) -> Vec<Entity> {
    let dice = &mut Dice(7);
    let kinds = (0..PARTS).map(|part| {
        let mut entity = app.world_mut().spawn(xy(12.0 * part as f32 - 60.0, 0.0));
        insert(&mut entity, part, dice);
        entity.id()
    });
    let mut level: Vec<Entity> = kinds.collect();
    level.push(app.spawn((FluidBlob::from(Circle::new(40.0)), xy(120.0, 120.0))));
    level
}

// Row 32 of docs/reliability.md.
#[test]
fn a_level_that_is_entered_and_left_a_hundred_times_leaves_nothing_behind_paused_or_not() {
    let mut app = headless(default());
    let entities = |app: &mut App| {
        let world = app.world_mut();
        world.query::<Entity>().iter(world).count()
    };
    let at_first = entities(&mut app);
    let mut most = 0;
    for visit in 0..100 {
        // Entered in a pause, left in one, both or neither.
        let (entered_paused, left_paused) = (visit % 2 == 0, visit % 4 < 2);
        if entered_paused {
            app.clock().pause();
        }
        let level = enter(&mut app);
        let ticks = app.fluid().ticks();
        app.updates(3);
        let passed = app.fluid().ticks() - ticks;
        assert_eq!(passed, if entered_paused { 0 } else { 3 }, "visit {visit}");
        app.clock().unpause();
        app.updates(3);
        assert!(app.particles() > 20, "visit {visit}");
        most = most.max(app.particles());
        if left_paused {
            app.clock().pause();
        }
        for entity in level {
            app.despawn(entity);
        }
        app.updates(2);
        app.clock().unpause();
        let fluid = app.fluid();
        let left = (fluid.containers().len(), fluid.colliders().len(), fluid.forces().len());
        assert_eq!((left, app.particles()), ((0, 0, 0), 0), "visit {visit}");
        assert_eq!(entities(&mut app), at_first, "visit {visit}");
        assert_eq!((app.fluid().quarantined(), app.colliders()), (0, 0));
    }
    // Slots of particles are used again.
    let id = app.add_particle(default());
    assert!((id.slot() as usize) < 2 * most, "{id:?}");
}
