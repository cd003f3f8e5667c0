//! Examples in a browser. An example fills the page. The page's address may name a scene (`?scene=NAME`), a time at
//! which to stop (`?at=SECONDS`), and the graphics card for the simulation (`?backend=gpu`).

#[cfg(target_arch = "wasm32")]
use bevy::app::PluginGroupBuilder;
#[cfg(any(target_arch = "wasm32", test))]
use bevy::prelude::*;
#[cfg(any(target_arch = "wasm32", test))]
use bevy_blob_fluid::prelude::{FluidDetail, FluidDrawingBudget};

#[cfg(target_arch = "wasm32")]
use crate::run::GpuPlugin;
#[cfg(target_arch = "wasm32")]
use crate::still::StillPlugin;

/// The plugins for a page, and the scene in its address.
#[cfg(target_arch = "wasm32")]
pub(crate) fn chosen_plugins() -> (PluginGroupBuilder, Option<String>) {
    let window = Window { fit_canvas_to_parent: true, ..default() };
    let group = DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() });
    let location = web_sys::window().map(|window| window.location());
    let query = location.and_then(|location| location.search().ok()).unwrap_or_default();
    let at = value_of("at", &query).and_then(|at| at.parse().ok());
    let group = match at {
        Some(at) => group.add(StillPlugin { at }),
        None => group.add(keep_up as fn(&mut App)),
    };
    let group = match value_of("backend", &query).as_deref() {
        Some("gpu") => group.add(GpuPlugin),
        _ => group,
    };
    (group, value_of("scene", &query))
}

/// Draws with less detail while frames take too long, as on old phones.
#[cfg(any(target_arch = "wasm32", test))]
fn keep_up(app: &mut App) {
    app.insert_resource(FluidDrawingBudget { milliseconds: Some(25.0) });
    app.add_systems(Last, spare_samples);
}

/// Disables multisampling at the first reduction of the detail. Liquid looks nearly the same without it, but drawing on
/// a CPU spends half of a frame on it. It stays disabled, because shaders are compiled for a number of samples.
#[cfg(any(target_arch = "wasm32", test))]
fn spare_samples(detail: Res<FluidDetail>, mut cameras: Query<&mut Msaa>) {
    if *detail > FluidDetail::Full {
        cameras.iter_mut().for_each(|mut samples| {
            samples.set_if_neq(Msaa::Off);
        });
    }
}

/// A value in a query such as `?scene=honey&from=elsewhere`. Links may contain other keys.
fn value_of(name: &str, query: &str) -> Option<String> {
    let mut parts =
        query.trim_start_matches('?').split('&').filter_map(|part| part.split_once('='));
    let (_, value) = parts.find(|(key, value)| *key == name && !value.is_empty())?;
    Some(value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_gives_up_detail_gives_up_multisampling() {
        let mut app = App::new();
        app.init_resource::<FluidDetail>().add_plugins(keep_up);
        let camera = app.world_mut().spawn(Msaa::Sample4).id();
        for (detail, samples) in [
            (FluidDetail::Full, Msaa::Sample4),
            (FluidDetail::Plain, Msaa::Off),
            (FluidDetail::Full, Msaa::Off),
        ] {
            *app.world_mut().resource_mut::<FluidDetail>() = detail;
            app.update();
            assert_eq!(app.world().get::<Msaa>(camera), Some(&samples), "{detail:?}");
        }
    }

    #[test]
    fn a_page_s_address_names_a_scene() {
        for without in ["", "?", "?scene=", "?scene", "?my_scene=honey"] {
            assert_eq!(value_of("scene", without), None, "{without}");
        }
        let query = "?from=elsewhere&scene=honey&headless&at=3";
        assert_eq!(value_of("scene", query).as_deref(), Some("honey"));
        assert_eq!(value_of("at", query).as_deref(), Some("3"));
    }
}
