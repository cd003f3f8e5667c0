//! The scene that an example begins with.

use bevy::prelude::*;
use bevy_blob_fluid_panel::FluidPanelScenes;
use example_support::{RequestedScene, refuse};

/// Makes the requested scene the present one. If the scene does not exist, the program ends with an error that lists
/// all names. A page in a browser shows the default scene instead, and warns in its console.
pub(crate) struct SceneChoicePlugin;

impl Plugin for SceneChoicePlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(PreStartup, choose_scene.run_if(resource_exists::<FluidPanelScenes>));
    }
}

fn choose_scene(mut requested: ResMut<RequestedScene>, mut scenes: ResMut<FluidPanelScenes>) {
    let Some(wanted) = requested.0.take() else { return };
    match index_of(&wanted, &scenes.names) {
        Ok(index) => scenes.current = Some(index),
        Err(error) => refuse(&error),
    }
}

fn index_of(wanted: &str, names: &[String]) -> Result<usize, String> {
    let known = || format!("there is no scene `{wanted}`; there are {}", names.join(", "));
    names.iter().position(|name| name == wanted).ok_or_else(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(wanted: &str) -> App {
        let mut app = App::new();
        let names = ["lava", "honey"].map(String::from).into();
        app.insert_resource(FluidPanelScenes { names, current: Some(0) })
            .insert_resource(RequestedScene(Some(wanted.into())))
            .add_plugins(SceneChoicePlugin);
        app
    }

    #[test]
    fn scenes_are_chosen_by_name() {
        let mut app = app("honey");
        app.update();
        assert_eq!(app.world().resource::<FluidPanelScenes>().current, Some(1));
    }

    #[test]
    fn an_error_lists_the_scenes() {
        let names = ["lava", "honey"].map(String::from);
        let message = index_of("tar", &names).expect_err("none");
        assert!(message.contains("there is no scene `tar`; there are lava, honey"), "{message}");
    }
}
