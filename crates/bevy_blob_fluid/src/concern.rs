//! Shared code of the plugins for solids, forces, sources, sensing and air. It declares a plugin, and hooks of
//! components that need other components on their entities.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

/// Declares a plugin from functions that add types, resources and systems to the app. The sets of
/// [`schedule`](crate::schedule) order the systems of all plugins.
macro_rules! concern {
    ($(#[$doc:meta])* $plugin:ident: $($(#[$when:meta])* $add:path),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $plugin {
            schedule: bevy::ecs::schedule::InternedScheduleLabel,
        }

        impl $plugin {
            /// Adds the systems to the given schedule, in which the liquid is simulated.
            pub fn new(schedule: impl bevy::ecs::schedule::ScheduleLabel) -> Self {
                Self { schedule: schedule.intern() }
            }
        }

        impl Default for $plugin {
            fn default() -> Self {
                Self::new(bevy::app::FixedPostUpdate)
            }
        }

        impl bevy::app::Plugin for $plugin {
            fn build(&self, app: &mut bevy::app::App) {
                $($(#[$when])* $add(app, self.schedule);)*
            }
        }
    };
}

pub(crate) use concern;

/// Inserts the default values of these components into the entity.
pub(crate) fn insert<B: Bundle + Default>(mut world: DeferredWorld, context: HookContext) {
    world.commands().entity(context.entity).try_insert(B::default());
}

/// Removes these components from the entity.
pub(crate) fn remove<B: Bundle>(mut world: DeferredWorld, context: HookContext) {
    world.commands().entity(context.entity).try_remove::<B>();
}
