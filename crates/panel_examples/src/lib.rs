//! The examples with a panel, or with the list of scenes of the panel. They are separate from those of
//! `example_support`, which compile without egui.

pub use example_support::art;

mod scene_choice;

use bevy::app::PluginGroupBuilder;
use bevy::prelude::*;

use scene_choice::SceneChoicePlugin;

/// The plugins of [`example_support::DefaultPlugins`], and the scene that the command line or the page's address requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultPlugins;

impl PluginGroup for DefaultPlugins {
    fn build(self) -> PluginGroupBuilder {
        example_support::DefaultPlugins.build().add(SceneChoicePlugin)
    }
}
