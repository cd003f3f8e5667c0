//! Anything a game may do, in any order: `proptest` makes the orders up, and shortens one that fails.
//!
//! Beside the app goes a model of it, a list of what there is. After each action both must say the same.
//! `PROPTEST_CASES` sets how many orders are tried; 256 by default.

use bevy::state::app::StatesPlugin;
use bevy_blob_fluid::blob_fluid::shape::{Polyline, scatter};
use bevy_blob_fluid::{FluidColliders, FluidContainers, FluidOutline, FluidSnapshot};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::app::*;

#[derive(States, Default, Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Screen {
    #[default]
    Menu,
    Level,
}

/// What an entity of the game is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Container,
    Wall,
    Boat,
    Blob,
    Jet,
    Drain,
    Force,
    Sensor,
}

/// What a game does. Entities are counted around.
#[derive(Clone, Debug)]
enum Action {
    Spawn {
        kind: Kind,
        place: (f32, f32),
        of_level: bool,
    },
    Despawn(usize),
    Move {
        entity: usize,
        place: (f32, f32),
    },
    /// Makes an entity a child of another; its place is then relative to that.
    Adopt {
        child: usize,
        parent: usize,
    },
    SetFree(usize),
    Pause(bool),
    Enter(Screen),
    Clear,
    Ticks(u32),
    Save,
    Load,
    /// A snapshot, so many ticks, back, and the same ticks again.
    RollBack(u32),
}

fn place() -> impl Strategy<Value = (f32, f32)> {
    (-120.0..120.0_f32, -90.0..90.0_f32)
}

fn action() -> impl Strategy<Value = Action> {
    let kind = prop_oneof![
        Just(Kind::Container),
        Just(Kind::Wall),
        Just(Kind::Boat),
        Just(Kind::Blob),
        Just(Kind::Jet),
        Just(Kind::Drain),
        Just(Kind::Force),
        Just(Kind::Sensor),
    ];
    let spawn = (kind, place(), any::<bool>());
    prop_oneof![
        4 => spawn.prop_map(|(kind, place, of_level)| Action::Spawn { kind, place, of_level }),
        1 => any::<usize>().prop_map(Action::Despawn),
        2 => (any::<usize>(), place()).prop_map(|(entity, place)| Action::Move { entity, place }),
        1 => any::<(usize, usize)>().prop_map(|(child, parent)| Action::Adopt { child, parent }),
        1 => any::<usize>().prop_map(Action::SetFree),
        1 => any::<bool>().prop_map(Action::Pause),
        1 => prop_oneof![Just(Screen::Menu), Just(Screen::Level)].prop_map(Action::Enter),
        1 => Just(Action::Clear),
        3 => (1..6_u32).prop_map(Action::Ticks),
        1 => Just(Action::Save),
        1 => Just(Action::Load),
        1 => (1..6_u32).prop_map(Action::RollBack),
    ]
}

/// An entity, as the model knows it.
#[derive(Clone, Debug)]
struct Known {
    entity: Entity,
    kind: Kind,
    of_level: bool,
    parent: Option<Entity>,
}

/// The app and the model.
struct Both {
    app: App,
    known: Vec<Known>,
    screen: Screen,
    paused: bool,
    ticks: u64,
    saved: Option<Saved>,
}

/// A snapshot, and what the model was like then.
struct Saved {
    bytes: Vec<u8>,
    hash: u64,
    entities: Vec<Entity>,
    paused: bool,
    ticks: u64,
}

impl Both {
    fn new() -> Self {
        let mut app = app_of((BlobFluidPlugins::default(), StatesPlugin));
        app.init_state::<Screen>();
        app.insert_resource(FluidSettings { capacity: 400, ..default() });
        app.start();
        let ticks = app.fluid().ticks();
        Self { app, known: Vec::new(), screen: Screen::Menu, paused: false, ticks, saved: None }
    }

    fn nth(&self, number: usize) -> Option<usize> {
        number.checked_rem(self.known.len())
    }

    fn act(&mut self, action: &Action) {
        match *action {
            Action::Spawn { kind, place: (x, y), of_level } => {
                let entity = spawn(&mut self.app, kind, xy(x, y));
                let of_level = of_level && self.screen == Screen::Level;
                if of_level {
                    self.app.insert(entity, DespawnOnExit(Screen::Level));
                }
                self.known.push(Known { entity, kind, of_level, parent: None });
            }
            Action::Despawn(number) => {
                if let Some(number) = self.nth(number) {
                    let entity = self.known[number].entity;
                    self.app.despawn(entity);
                    self.forget(|known| known.entity == entity);
                }
            }
            Action::Move { entity, place: (x, y) } => {
                if let Some(number) = self.nth(entity) {
                    let entity = self.known[number].entity;
                    *self.app.transform(entity) = xy(x, y);
                }
            }
            Action::Adopt { child, parent } => {
                if let (Some(child), Some(parent)) = (self.nth(child), self.nth(parent)) {
                    let parent = self.known[parent].entity;
                    if !self.ancestors(parent).contains(&self.known[child].entity) {
                        self.app.insert(self.known[child].entity, ChildOf(parent));
                        self.known[child].parent = Some(parent);
                    }
                }
            }
            Action::SetFree(number) => {
                if let Some(number) = self.nth(number) {
                    self.app.remove::<ChildOf>(self.known[number].entity);
                    self.known[number].parent = None;
                }
            }
            Action::Pause(pauses) => {
                let mut clock = self.app.clock();
                if pauses {
                    clock.pause()
                } else {
                    clock.unpause()
                }
                self.paused = pauses;
            }
            Action::Enter(screen) => {
                self.app.resource_mut::<NextState<Screen>>().set(screen);
                // Bevy leaves this state, and despawns what belongs to it, in the next update.
                self.tick();
                self.forget(|known| known.of_level);
                self.screen = screen;
            }
            Action::Clear => self.app.fluid_mut().clear(),
            Action::Ticks(count) => (0..count).for_each(|_| self.tick()),
            Action::Save => {
                let bytes = FluidSnapshot::save(self.app.world_mut()).expect("between two ticks");
                self.saved = Some(Saved {
                    bytes,
                    hash: self.hash(),
                    entities: self.known.iter().map(|known| known.entity).collect(),
                    paused: self.paused,
                    ticks: self.ticks,
                });
            }
            Action::Load => {
                let Some(saved) = &self.saved else { return };
                let restored = FluidSnapshot::load(self.app.world_mut(), &saved.bytes);
                let missing = restored.expect("a snapshot of this app").missing;
                let is_there = |entity: &Entity| self.known.iter().any(|one| one.entity == *entity);
                assert!(!missing.iter().any(|missing| is_there(&missing.entity)), "{missing:?}");
                if saved.entities.iter().all(is_there) {
                    assert_eq!(missing, []);
                }
                assert_eq!(self.app.fluid().deep_hash().all(), saved.hash);
                (self.paused, self.ticks) = (saved.paused, saved.ticks);
            }
            Action::RollBack(count) => {
                // What waits for its entity's first tick has had it.
                self.tick();
                let kept = FluidSnapshot::take(self.app.world_mut()).expect("between two ticks");
                let ticks = self.ticks;
                (0..count).for_each(|_| self.tick());
                let once = self.hash();
                let restored = kept.restore(self.app.world_mut()).expect("a snapshot");
                assert!(restored.is_complete(), "{:?}", restored.missing);
                self.ticks = ticks;
                (0..count).for_each(|_| self.tick());
                assert_eq!(self.hash(), once, "rolled back by {count} ticks, it went on otherwise");
            }
        }
    }

    fn tick(&mut self) {
        self.app.update();
        self.ticks += u64::from(!self.paused);
    }

    fn hash(&self) -> u64 {
        self.app.fluid().deep_hash().all()
    }

    /// An entity, its parent, and so on.
    fn ancestors(&self, entity: Entity) -> Vec<Entity> {
        let parent = |entity: &Entity| {
            self.known.iter().find(|known| known.entity == *entity).and_then(|known| known.parent)
        };
        std::iter::successors(Some(entity), parent).collect()
    }

    /// Entities go, and with them their children.
    fn forget(&mut self, goes: impl Fn(&Known) -> bool) {
        let mut gone: Vec<Entity> =
            self.known.iter().filter(|known| goes(known)).map(|known| known.entity).collect();
        let mut next = 0;
        while let Some(parent) = gone.get(next).copied() {
            let children = self.known.iter().filter(|known| known.parent == Some(parent));
            gone.extend(children.map(|known| known.entity));
            next += 1;
        }
        self.known.retain(|known| !gone.contains(&known.entity));
    }

    /// The app has what the model has.
    fn compare(&mut self) {
        // Places are given on in the tick after.
        self.tick();
        let count =
            |kinds: &[Kind]| self.known.iter().filter(|known| kinds.contains(&known.kind)).count();
        let fluid = self.app.fluid();
        assert_eq!(fluid.ticks(), self.ticks);
        let particles = fluid.particles();
        assert!(particles.positions().iter().all(|position| position.is_finite()));
        assert!(particles.len() <= 400 && fluid.quarantined() == 0);
        for known in &self.known {
            assert!(self.app.world().get_entity(known.entity).is_ok(), "{known:?} is gone");
        }
        if self.paused {
            return;
        }
        let entities = self.app.resource::<FluidColliders>();
        let solids = [Kind::Wall, Kind::Boat];
        let (there, expected) = (fluid.colliders().len(), count(&solids));
        assert_eq!((there, entities.iter().count()), (expected, expected));
        assert_eq!(fluid.containers().len(), count(&[Kind::Container]));
        assert_eq!(fluid.forces().len(), count(&[Kind::Force]));
        let boats: Vec<Entity> = self
            .known
            .iter()
            .filter(|known| known.kind == Kind::Boat)
            .map(|known| known.entity)
            .collect();
        for known in self.known.iter().filter(|known| known.kind == Kind::Wall) {
            if self.ancestors(known.entity).iter().any(|entity| boats.contains(entity)) {
                // A boat moves after the liquid has seen what it carries.
                continue;
            }
            let place = self.app.component::<GlobalTransform>(known.entity).translation().xy();
            let mut colliders = entities.iter().filter(|(entity, _)| *entity == known.entity);
            let (_, collider) = colliders.next().expect("it has one");
            assert!(collider.centre().distance(place) < 1e-3, "{known:?} is not at {place}");
        }
    }
}

fn spawn(app: &mut App, kind: Kind, at: Transform) -> Entity {
    match kind {
        Kind::Container => app.spawn((FluidContainer::from(Rectangle::new(420.0, 320.0)), at)),
        Kind::Wall => app.spawn((FluidCollider::from(Rectangle::new(60.0, 8.0)), at)),
        Kind::Boat => app.spawn((
            FluidCollider::from(Rectangle::new(40.0, 16.0)),
            FluidBuoyant::of_density(0.5),
            at,
        )),
        Kind::Blob => app.spawn((FluidBlob::from(Circle::new(25.0)), at)),
        Kind::Jet => app.spawn((FluidEmitter::jet(20.0, 150.0), at)),
        Kind::Drain => app.spawn((FluidDrain::from(Circle::new(30.0)), at)),
        Kind::Force => app.spawn((FluidForce::attract(60.0, 200.0), at)),
        Kind::Sensor => app.spawn((FluidSensor::from(Circle::new(30.0)), at)),
    }
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    // Row 24 of docs/reliability.md.
    #[test]
    #[ignore = "long: .ci/run"]
    fn an_app_is_what_its_entities_say(actions in vec(action(), 1..40)) {
        let mut both = Both::new();
        for action in &actions {
            both.act(action);
            both.compare();
        }
    }
}

// Everything of a scene comes, goes and changes at any moment, and leaves nothing behind.

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
