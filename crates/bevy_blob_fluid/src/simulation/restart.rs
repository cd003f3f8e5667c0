//! Starting over: one call puts the liquid and everything that outlives an entity back.

use bevy::prelude::*;

use super::resources::{FluidSimulation, FluidStatistics};

/// What starts over with the liquid.
#[derive(Resource, Default)]
struct Restarts(Vec<fn(&mut World)>);

/// A resource as it was when the app had started.
#[derive(Resource)]
struct Beginning<R: Resource>(R);

/// How the plugins say what starts over.
pub(crate) trait RestartApp {
    /// Calls `restart` when the liquid starts over.
    fn on_restart(&mut self, restart: fn(&mut World)) -> &mut Self;

    /// Remembers a resource as it is at the end of the app's startup, and puts it back when the
    /// liquid starts over.
    fn starts_over<R: Resource + Clone>(&mut self) -> &mut Self;

    /// Inserts all components of a type again when the liquid starts over.
    fn begins_anew<C: Component + Clone>(&mut self) -> &mut Self;
}

impl RestartApp for App {
    fn on_restart(&mut self, restart: fn(&mut World)) -> &mut Self {
        self.world_mut().get_resource_or_init::<Restarts>().0.push(restart);
        self
    }

    fn starts_over<R: Resource + Clone>(&mut self) -> &mut Self {
        self.add_systems(PostStartup, |mut commands: Commands, resource: Option<Res<R>>| {
            if let Some(resource) = resource {
                commands.insert_resource(Beginning(resource.clone()));
            }
        });
        self.on_restart(|world| {
            if let Some(Beginning(resource)) = world.get_resource::<Beginning<R>>() {
                let resource = resource.clone();
                world.insert_resource(resource);
            }
        })
    }

    fn begins_anew<C: Component + Clone>(&mut self) -> &mut Self {
        self.on_restart(|world| {
            let mut components = world.query::<(Entity, &C)>();
            let all: Vec<(Entity, C)> = components
                .iter(world)
                .map(|(entity, component)| (entity, component.clone()))
                .collect();
            for (entity, component) in all {
                world.entity_mut(entity).remove::<C>().insert(component);
            }
        })
    }
}

impl FluidSimulation {
    /// Starts over: all liquid goes, the clock is at 0, and everything that outlives an entity is
    /// as it was when the app had started. The same ticks then give the same bits again. It is a
    /// command: `commands.queue(FluidSimulation::restart)`.
    ///
    /// | is put back to what it was after `Startup` | starts over | is left to the game |
    /// |---|---|---|
    /// | [`FluidSettings`](crate::FluidSettings), [`FluidClasses`](crate::FluidClasses), [`FluidForceFields`](crate::FluidForceFields) | blobs that exist are filled again | transforms of bodies and moved colliders |
    /// | [`Time<Fluid>`](crate::Fluid): pause, speed, tick | emitters, drains, pumps, sensors and their totals; tanks | entities that were spawned or despawned |
    /// | `FluidColoring`, `FluidFoamSettings`, `FluidGlow` | blobs, splashes, statistics, the scene of a [`FluidSceneRoot`](crate::FluidSceneRoot) | the panel, debug drawing |
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// fn restart(keys: Res<ButtonInput<KeyCode>>, mut commands: Commands) {
    ///     if keys.just_pressed(KeyCode::KeyR) {
    ///         commands.queue(FluidSimulation::restart);
    ///     }
    /// }
    /// ```
    pub fn restart(world: &mut World) {
        let Some(mut fluid) = world.get_resource_mut::<Self>() else { return };
        let spring_capacity = fluid.spring_capacity();
        // Not only cleared: the handles of new particles must be those of the first ones.
        *fluid = Self::default();
        fluid.set_spring_capacity(spring_capacity);
        world.insert_resource(FluidStatistics::default());
        let restarts = world.get_resource_or_init::<Restarts>().0.clone();
        restarts.into_iter().for_each(|restart| restart(world));
    }
}
