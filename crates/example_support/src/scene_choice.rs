//! The scene that an example begins with.

use bevy::prelude::*;
use bevy_blob_fluid_panel::FluidPanelScenes;

/// Makes the requested scene the present one, in examples that have [`FluidPanelScenes`]. If there
/// is no such scene, the program ends with an error that lists all names; a page in a browser shows
/// the usual one instead, and warns in its console.
pub(crate) struct SceneChoicePlugin(pub Option<String>);

impl Plugin for SceneChoicePlugin {
    fn build(&self, app: &mut App) {
        let Some(wanted) = self.0.clone() else { return };
        app.add_systems(PreStartup, move |mut scenes: Option<ResMut<FluidPanelScenes>>| {
            let names = scenes.as_ref().map_or(&[][..], |scenes| &scenes.names);
            match index_of(&wanted, names) {
                Ok(index) => {
                    if let Some(scenes) = &mut scenes {
                        scenes.current = Some(index);
                    }
                }
                Err(error) if cfg!(target_arch = "wasm32") => warn!("{error}"),
                Err(error) => {
                    eprintln!("error: {error}");
                    std::process::exit(2);
                }
            }
        });
    }
}

fn index_of(wanted: &str, names: &[String]) -> Result<usize, String> {
    names.iter().position(|name| name == wanted).ok_or_else(|| {
        let known = if names.is_empty() { "none".into() } else { names.join(", ") };
        format!("there is no scene `{wanted}`; there are {known}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(wanted: &str) -> App {
        let mut app = App::new();
        let names = ["lava", "honey"].map(String::from).into();
        app.insert_resource(FluidPanelScenes { names, current: Some(0) })
            .add_plugins(SceneChoicePlugin(Some(wanted.into())));
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
        let message = index_of("tar", &[]).expect_err("none");
        assert!(message.contains("there are none"), "{message}");
    }
}
