//! Flat, opaque liquid of particles that a test puts there.

use bevy_blob_fluid::render::{
    FluidInstance, FluidInstances, FluidInterpolation, FluidPalette, FluidRenderPlugin,
};

use crate::app::*;
use crate::pictures::{drawing, spawn_camera};

/// Width and height of the pictures, in pixels; a pixel is a world unit.
pub const SIZE: u32 = 128;
/// Distance of particles, in world units.
pub const SPACING: f32 = 8.0;

pub const RED: [u8; 3] = [255, 0, 0];
pub const GREEN: [u8; 3] = [0, 255, 0];
pub const BLUE: [u8; 3] = [0, 0, 255];
pub const BLACK: [u8; 3] = [0, 0, 0];

/// Colours all classes red, green and blue.
pub fn color_classes(app: &mut App) {
    app.resource_mut::<FluidPalette>().set([
        Color::srgb(1.0, 0.0, 0.0),
        Color::srgb(0.0, 1.0, 0.0),
        Color::srgb(0.0, 0.0, 1.0),
    ]);
}

/// An app that draws the particles a test puts there.
pub fn flat_app(plugin: FluidRenderPlugin) -> Option<App> {
    let mut app = drawing(plugin)?;
    app.insert_resource(FluidInterpolation(1.0));
    app.spawn(FluidSurface::from(FluidSurfaceLook::FLAT));
    app.update();
    color_classes(&mut app);
    Some(app)
}

/// The same with a camera's picture.
pub fn flat() -> Option<(App, Handle<Image>)> {
    let mut app = flat_app(FluidRenderPlugin::default())?;
    let (_, picture) = spawn_camera(&mut app, SIZE);
    Some((app, picture))
}

/// The only surface.
pub fn surface(app: &mut App) -> Mut<'_, FluidSurface> {
    let mut surfaces = app.world_mut().query::<&mut FluidSurface>();
    surfaces.single_mut(app.world_mut()).expect("one surface")
}

/// Places of particles at rest, in a hexagonal lattice so many spacings to either side, in the part of
/// it for which `within` holds.
pub fn lattice(side: i32, within: impl Fn(Vec2) -> bool) -> impl Iterator<Item = Vec2> {
    let places = (-side..=side).flat_map(move |row| {
        let shift = 0.5 * (row & 1) as f32;
        (-side..=side).map(move |column| {
            Vec2::new(column as f32 + shift, row as f32 * 0.75_f32.sqrt()) * SPACING
        })
    });
    places.filter(move |place| within(*place))
}

/// A body of particles at rest, of the middle shade, in the part of a box for which `within` holds.
pub fn body(class: u8, within: impl Fn(Vec2) -> bool) -> Vec<FluidInstance> {
    lattice(9, within).map(|at| FluidInstance::new(at, at, class, 3)).collect()
}

/// The same of all eight shades, without any order, moved by a shift.
pub fn mottled(class: u8, shift: Vec2, within: impl Fn(Vec2) -> bool) -> Vec<FluidInstance> {
    let mut random = 1_u32;
    let instance = |at: Vec2| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        FluidInstance::new(at + shift, at + shift, class, (random >> 29) as u8)
    };
    lattice(9, within).map(instance).collect()
}

/// Draws these particles from now on.
pub fn set(app: &mut App, particles: impl IntoIterator<Item = FluidInstance>) {
    app.resource_mut::<FluidInstances>().set(particles, SPACING);
}

/// Whether two colours are the same but for shades too slight to see.
pub fn alike(a: [u8; 3], b: [u8; 3], tolerance: u8) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= tolerance)
}
