//! Shapes from the opaque part of images.

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::image::Image;
use bevy::prelude::*;
use blob_fluid::FluidShape;
use blob_fluid::shape::DistanceField;

use super::shape_source::{FluidShapeTarget, ShapeSource, ShapeSourcePlugin};

/// Adds the types and systems below.
pub(super) fn add_pictures(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidPicture>()
        .add_plugins(ShapeSourcePlugin::<FluidPicture>::new(schedule));
}

/// Gives its entity liquid, a collider or a container in the shape of an image's opaque part. The shape is made once
/// the image has been loaded, and again when the image or this component changes.
///
/// The shape is made in the background, which takes a few frames for a large image. Removing
/// this component cancels the work; components that were already added stay. An image is refused with a
/// warning, and the entity keeps its last shape, if one of these is true:
///
/// - The image cannot be loaded, or its format has no readable pixels.
/// - It is wider or higher than 4096 pixels, or has no opaque pixel.
/// - A number is out of range.
///
/// The component needs Bevy's image plugin and the feature `picture`; without that plugin it does nothing. The image
/// must stay in the main world ([`RenderAssetUsages::MAIN_WORLD`](bevy::asset::RenderAssetUsages), which is the
/// default).
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands, assets: Res<AssetServer>) {
///     let island = assets.load("island.png");
///     commands.spawn((
///         Sprite::from_image(island.clone()),
///         FluidPicture::new(island, FluidCollider::default()),
///     ));
///     let logo = FluidPicture::new(assets.load("logo.png"), FluidBlob::default());
///     commands.spawn((logo.with_size(Vec2::new(300.0, 100.0)), FluidClass::LIGHT));
/// }
/// ```
#[derive(Component, FromTemplate, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform)]
pub struct FluidPicture {
    /// The image.
    pub image: Handle<Image>,
    /// Width and height of the image in the entity's own units; `None` for one unit per pixel.
    pub size: Option<Vec2>,
    /// Smallest alpha of opaque pixels; above 0 and at most 1. Default 0.5.
    pub threshold: f32,
    /// Component that the entity gets.
    pub target: FluidShapeTarget,
}

impl Default for FluidPicture {
    /// A picture without an image: set one before use.
    fn default() -> Self {
        Self::new(Handle::default(), FluidShapeTarget::default())
    }
}

impl FluidPicture {
    /// Liquid, a collider or a container in the shape of an image's opaque part, one unit per
    /// pixel.
    pub fn new(image: Handle<Image>, target: impl Into<FluidShapeTarget>) -> Self {
        Self { image, size: None, threshold: 0.5, target: target.into() }
    }

    /// The same picture with a width and height, in the entity's own units.
    pub const fn with_size(mut self, size: Vec2) -> Self {
        self.size = Some(size);
        self
    }

    /// The same picture with a smallest alpha of opaque pixels.
    pub const fn with_threshold(mut self, threshold: f32) -> Self {
        self.threshold = threshold;
        self
    }
}

impl ShapeSource for FluidPicture {
    type Material = Image;

    const NAME: &'static str = "fluid picture";

    fn material(&self) -> &Handle<Image> {
        &self.image
    }

    fn target(&self) -> &FluidShapeTarget {
        &self.target
    }

    fn work(&self, image: &Image) -> impl FnOnce() -> Result<FluidShape, String> + Send + 'static {
        let (size, threshold) = (self.size, self.threshold);
        // An image that is too large is not copied.
        let few = image.size().max_element() <= 4096;
        let image = few.then(|| image.clone());
        move || outline(&image.ok_or("it has more than 4096 pixels on a side")?, size, threshold)
    }
}

/// The opaque part of an image.
fn outline(image: &Image, size: Option<Vec2>, threshold: f32) -> Result<FluidShape, String> {
    if !(threshold > 0.0 && threshold <= 1.0) {
        return Err(format!("threshold is {threshold}, and must be above 0 and at most 1"));
    }
    image.get_color_at(0, 0).map_err(|error| error.to_string())?;
    let (width, height) = (image.width() as usize, image.height() as usize);
    let opaque = |column: usize, row: usize| {
        let colour = image.get_color_at(column as u32, row as u32);
        colour.is_ok_and(|colour| colour.alpha() >= threshold)
    };
    let any = (0..height).any(|row| (0..width).any(|column| opaque(column, row)));
    if !any {
        return Err("it has no opaque pixel".into());
    }
    let size = size.unwrap_or(image.size_f32());
    DistanceField::new(width, height, size, opaque)
        .map(FluidShape::Field)
        .map_err(|error| error.to_string())
}
