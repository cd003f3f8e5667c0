//! Apps without a window or a renderer, and what tests do with them.
#![allow(dead_code, reason = "each program uses its own part")]

use std::borrow::BorrowMut;
use std::time::{Duration, Instant};

use bevy::app::Plugins;
use bevy::ecs::component::Mutable;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::blob_fluid::{Collider, Container};

// What nearly every test needs.
pub use bevy::prelude::*;
pub use bevy_blob_fluid::prelude::*;

/// An app with these plugins, before it is finished. Every update is one fixed step.
pub fn app_of<M>(plugins: impl Plugins<M>) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin))
        .add_plugins(plugins)
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app
}

/// A started app with these plugins and settings.
pub fn app_with<M>(plugins: impl Plugins<M>, settings: FluidSettings) -> App {
    let mut app = app_of(plugins);
    app.insert_resource(settings);
    app.start();
    app
}

/// A started app with the plugin and these settings.
pub fn headless(settings: FluidSettings) -> App {
    app_with(BlobFluidPlugins::default(), settings)
}

/// A started app with these plugins, whose frames are so long.
pub fn app_at<M>(plugins: impl Plugins<M>, frame: Duration) -> App {
    let mut app = app_of(plugins);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(frame)).start();
    app
}

/// A started app with particles 8 units apart, in which nothing falls.
pub fn weightless() -> App {
    headless(FluidSettings::new(8.0, Vec2::ZERO))
}

/// The default settings without gravity.
pub fn without_gravity() -> FluidSettings {
    let mut settings = FluidSettings::default();
    settings.parameters.gravity = Vec2::ZERO;
    settings
}

/// The place `x`, `y`.
pub fn xy(x: f32, y: f32) -> Transform {
    Transform::from_xyz(x, y, 0.0)
}

/// Spawns a round blob of heavy liquid.
pub fn spawn_blob(app: &mut App) -> Entity {
    app.spawn((FluidBlob::from(Circle::new(50.0)), FluidClass::HEAVY))
}

/// Spawns a round container, twice as wide.
pub fn spawn_container(app: &mut App, x: f32) -> Entity {
    app.spawn((FluidContainer::from(Circle::new(100.0)), xy(x, 0.0)))
}

/// What tests ask of an app, and do to it.
pub trait TestApp: BorrowMut<App> {
    /// Lets all plugins finish.
    fn finish_plugins(&mut self) {
        self.borrow_mut().finish();
        self.borrow_mut().cleanup();
    }

    /// Lets all plugins finish, and starts the clocks, which is all that the first update does.
    fn start(&mut self) {
        self.finish_plugins();
        self.borrow_mut().update();
    }

    /// Updates so many times.
    fn updates(&mut self, count: u32) {
        (0..count).for_each(|_| self.borrow_mut().update());
    }

    /// Updates until something is so, for at most 20 seconds: files take a moment.
    #[track_caller]
    fn update_until(&mut self, what: &str, done: impl Fn(&App) -> bool) {
        let begin = Instant::now();
        while !done(self.borrow()) {
            assert!(begin.elapsed() < Duration::from_secs(20), "waited too long until {what}");
            self.borrow_mut().update();
        }
    }

    /// A resource that is there.
    #[track_caller]
    fn resource<R: Resource>(&self) -> &R {
        self.borrow().world().resource()
    }

    /// The same, to be changed.
    #[track_caller]
    fn resource_mut<R: Resource<Mutability = Mutable>>(&mut self) -> Mut<'_, R> {
        self.borrow_mut().world_mut().resource_mut()
    }

    /// The liquid.
    fn fluid(&self) -> &FluidSimulation {
        self.resource()
    }

    /// The liquid, to be changed.
    fn fluid_mut(&mut self) -> Mut<'_, FluidSimulation> {
        self.resource_mut()
    }

    /// How many particles there are.
    fn particles(&self) -> usize {
        self.fluid().particles().len()
    }

    /// Positions of all particles.
    fn positions(&self) -> &[Vec2] {
        self.fluid().particles().positions()
    }

    /// Velocities of all particles.
    fn velocities(&self) -> &[Vec2] {
        self.fluid().particles().velocities()
    }

    /// The liquid's clock.
    fn clock(&mut self) -> Mut<'_, Time<Fluid>> {
        self.resource_mut()
    }

    /// The settings, to be changed.
    fn settings(&mut self) -> Mut<'_, FluidSettings> {
        self.resource_mut()
    }

    /// How many colliders entities have in the liquid.
    fn colliders(&self) -> usize {
        self.resource::<FluidColliders>().iter().count()
    }

    /// The first collider of the liquid.
    #[track_caller]
    fn first_collider(&self) -> &Collider {
        self.fluid().colliders().next().expect("there is a collider").1
    }

    /// The first container of the liquid.
    #[track_caller]
    fn first_container(&self) -> &Container {
        self.fluid().containers().next().expect("there is a container").1
    }

    /// Adds a particle to the liquid.
    #[track_caller]
    fn add_particle(&mut self, particle: ParticleSpawn) -> ParticleId {
        self.fluid_mut().spawn(particle).expect("valid, and room for it")
    }

    /// Spawns an entity.
    fn spawn(&mut self, parts: impl Bundle) -> Entity {
        self.borrow_mut().world_mut().spawn(parts).id()
    }

    /// Despawns an entity that is there.
    #[track_caller]
    fn despawn(&mut self, entity: Entity) {
        self.borrow_mut().world_mut().entity_mut(entity).despawn();
    }

    /// Inserts components into an entity.
    #[track_caller]
    fn insert(&mut self, entity: Entity, parts: impl Bundle) {
        self.borrow_mut().world_mut().entity_mut(entity).insert(parts);
    }

    /// Removes components from an entity.
    #[track_caller]
    fn remove<B: Bundle>(&mut self, entity: Entity) {
        self.borrow_mut().world_mut().entity_mut(entity).remove::<B>();
    }

    /// A component that an entity has.
    #[track_caller]
    fn component<C: Component>(&self, entity: Entity) -> &C {
        self.borrow().world().get(entity).expect("the entity has it")
    }

    /// The same, to be changed.
    #[track_caller]
    fn component_mut<C: Component<Mutability = Mutable>>(&mut self, entity: Entity) -> Mut<'_, C> {
        self.borrow_mut().world_mut().get_mut(entity).expect("the entity has it")
    }

    /// The place of an entity, to be changed.
    #[track_caller]
    fn transform(&mut self, entity: Entity) -> Mut<'_, Transform> {
        self.component_mut(entity)
    }
}

impl TestApp for App {}
