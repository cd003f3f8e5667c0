//! The image that all cameras draw into when there is no window.

use std::path::Path;

use bevy::asset::RenderAssetUsages;
use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;
use bevy::time::TimeUpdateStrategy;

use super::arguments::PictureSize;
use super::png_file::{exit_with, save};
use crate::hud::hide_hud;
use crate::wait::wait_for_assets;

/// Lets all cameras draw into an image, and simulates a tick per frame, without drawing until
/// [`open_eyes`](Target::open_eyes) is called.
pub(crate) struct TargetPlugin {
    pub size: PictureSize,
}

#[derive(Resource)]
pub(crate) struct Target {
    pub image: Handle<Image>,
    size: PictureSize,
    drawing: bool,
}

impl Plugin for TargetPlugin {
    fn build(&self, app: &mut App) {
        let PictureSize { width, height } = self.size;
        let mut image =
            Image::new_target_texture(width, height, TextureFormat::Rgba8UnormSrgb, None);
        image.asset_usage = RenderAssetUsages::all();
        let image = app.world_mut().resource_mut::<Assets<Image>>().add(image);
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .insert_resource(Target { image, size: self.size, drawing: false })
            .add_observer(redirect)
            .add_systems(Update, (wait_for_assets, hide_hud));
    }
}

impl Target {
    /// Whether cameras draw.
    pub(crate) fn drawing(&self) -> bool {
        self.drawing
    }

    /// From the next frame on all cameras draw.
    pub(crate) fn open_eyes(&mut self, cameras: &mut Query<&mut Camera>) {
        self.drawing = true;
        cameras.iter_mut().for_each(|mut camera| camera.is_active = true);
    }

    /// Saves what a screenshot of the image has captured, or ends the program with an error.
    pub(crate) fn save(&self, captured: &Image, file: &Path) {
        let pixels = captured.data.as_deref().unwrap_or_default();
        let rgb: Vec<u8> =
            pixels.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        if let Err(error) = save(file, self.size.width, self.size.height, &rgb) {
            exit_with(&format!("{}: {error}", file.display()));
        }
    }
}

/// Lets a camera draw into the image, and disables it until pictures are due.
fn redirect(
    added: On<Add, Camera>,
    target: Res<Target>,
    mut cameras: Query<&mut Camera>,
    mut commands: Commands,
) {
    commands.entity(added.entity).insert(RenderTarget::Image(target.image.clone().into()));
    if let Ok(mut camera) = cameras.get_mut(added.entity) {
        camera.is_active = target.drawing;
    }
}

/// Ends the program with an error if a picture cannot be saved there: before a long simulation rather
/// than after it.
pub(crate) fn ensure_writable(file: &Path) {
    if let Err(error) = save(file, 1, 1, &[0, 0, 0]) {
        exit_with(&format!("{}: {error}", file.display()));
    }
}
