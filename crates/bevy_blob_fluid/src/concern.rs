//! Plugins of concerns: solids, forces, sources, sensing and air.

/// Declares the plugin of a concern, whose files add themselves to the app: each has a function
/// `add_to` for its types, its resources and its systems, and the sets of
/// [`schedule`](crate::schedule) order the systems of all files.
macro_rules! concern {
    ($(#[$doc:meta])* $plugin:ident: $($(#[$when:meta])* $file:ident),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $plugin {
            schedule: bevy::ecs::schedule::InternedScheduleLabel,
        }

        impl $plugin {
            /// For a liquid that is simulated in the given schedule.
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
                $($(#[$when])* $file::add_to(app, self.schedule);)*
            }
        }
    };
}

pub(crate) use concern;
