//! Pictures of the views of an app's cameras.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bevy::asset::RenderAssetUsages;
use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::render_resource::TextureFormat;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use thiserror::Error;

use crate::simulation::{Fluid, FluidClock};

/// Frames that are drawn before the picture, so that spawned entities are visible and text is laid
/// out.
const FRAMES_TO_SETTLE: u32 = 4;

/// Limit of the frames that the renderer may take to deliver a picture.
const MOST_FRAMES: u32 = 200;

/// Errors of [`picture()`].
#[derive(Error, Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureError {
    /// The app has no renderer: Bevy's `RenderPlugin` is missing.
    #[error("the app draws nothing: it has no renderer")]
    NoRenderer,
    /// No camera draws into a window.
    #[error("no camera draws into a window")]
    NoCamera,
    /// The renderer did not deliver the picture in time.
    #[error("the renderer did not hand out the picture within {MOST_FRAMES} frames")]
    NotDrawn,
}

/// Draws the views of all cameras that draw into windows into one picture of `width` by `height` pixels (at least 1).
/// The picture has 8 bits per channel: red, green, blue and alpha. Time stands still until the picture is drawn. The
/// cameras then draw into their windows again. The app needs no window.
///
/// # Errors
///
/// [`PictureError`] without a renderer or a camera, or if the renderer does not deliver the
/// picture.
///
/// ```no_run
/// use bevy::app::App;
/// use bevy_blob_fluid::testing::{PictureError, picture};
///
/// fn save(app: &mut App) -> Result<(), Box<dyn std::error::Error>> {
///     let picture = picture(app, 640, 480)?;
///     picture.try_into_dynamic()?.to_rgb8().save("seen.png")?;
///     Ok(())
/// }
/// ```
pub fn picture(app: &mut App, width: u32, height: u32) -> Result<Image, PictureError> {
    if app.get_sub_app(RenderApp).is_none() {
        return Err(PictureError::NoRenderer);
    }
    let size = (width.max(1), height.max(1));
    let mut target = Image::new_target_texture(size.0, size.1, TextureFormat::Rgba8UnormSrgb, None);
    target.asset_usage = RenderAssetUsages::all();
    let target = app.world_mut().resource_mut::<Assets<Image>>().add(target);

    let mut cameras = app.world_mut().query_filtered::<(Entity, &RenderTarget), With<Camera>>();
    let in_windows = |(entity, target): (Entity, &RenderTarget)| {
        matches!(target, RenderTarget::Window(_)).then(|| (entity, target.clone()))
    };
    let cameras: Vec<_> = cameras.iter(app.world()).filter_map(in_windows).collect();
    if cameras.is_empty() {
        return Err(PictureError::NoCamera);
    }
    for (camera, _) in &cameras {
        let into_picture = RenderTarget::Image(target.clone().into());
        app.world_mut().entity_mut(*camera).insert(into_picture);
    }
    let clocks = Clocks::stop(app.world_mut());
    let taken = take(app, target);
    clocks.go_on(app.world_mut());
    for (camera, target) in cameras {
        // A system may have despawned it.
        if let Ok(mut camera) = app.world_mut().get_entity_mut(camera) {
            camera.insert(target);
        }
    }
    taken
}

/// Draws some frames, and takes a screenshot.
fn take(app: &mut App, target: Handle<Image>) -> Result<Image, PictureError> {
    for _ in 0..FRAMES_TO_SETTLE {
        app.update();
    }
    let taken = Arc::new(Mutex::new(None));
    let slot = taken.clone();
    app.world_mut().spawn(Screenshot::image(target)).observe(
        move |captured: On<ScreenshotCaptured>| {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(captured.image.clone());
        },
    );
    for _ in 0..MOST_FRAMES {
        app.update();
        if let Some(image) = taken.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Ok(image);
        }
    }
    Err(PictureError::NotDrawn)
}

/// The state of the clocks, for restoring them after they were stopped.
struct Clocks {
    strategy: Option<TimeUpdateStrategy>,
    /// Whether the liquid was paused; `None` without liquid.
    paused: Option<bool>,
}

impl Clocks {
    fn stop(world: &mut World) -> Self {
        let strategy = world.remove_resource::<TimeUpdateStrategy>();
        world.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
        let paused = world.get_resource_mut::<Time<Fluid>>().map(|mut time| {
            let before = time.is_paused();
            // A paused liquid is drawn at its last tick, without interpolation.
            time.pause();
            before
        });
        Self { strategy, paused }
    }

    fn go_on(self, world: &mut World) {
        world.insert_resource(self.strategy.unwrap_or_default());
        if let (Some(false), Some(mut time)) =
            (self.paused, world.get_resource_mut::<Time<Fluid>>())
        {
            time.unpause();
        }
    }
}
