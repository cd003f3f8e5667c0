//! Pictures of paint: dots and surfaces show the colour of each particle.

use bevy_blob_fluid::render::FluidRenderPlugin;
use bevy_blob_fluid::render::raw::{FluidInstance, FluidInstances, FluidInterpolation};

use crate::app::*;
use crate::drawing::cameras::{BLACK, RED, SIZE, SPACING, color_classes, flat, lattice};
use crate::pictures::{at, drawing, shoot, spawn_camera};

/// A dark violet, and its 8-bit numbers.
const VIOLET: Srgba = Srgba::new(0.4, 0.1, 0.6, 1.0);
const VIOLET_BYTES: [u8; 3] = [102, 26, 153];

fn painted(place: Vec2) -> FluidInstance {
    let LinearRgba { red, green, blue, .. } = VIOLET.into();
    // Of a middle shade, which leaves the colour as it is.
    FluidInstance::new(place, place, 0, 0).with_paint([red, green, blue])
}

fn close(found: [u8; 3], wanted: [u8; 3], most: u8) -> bool {
    found.iter().zip(wanted).all(|(one, other)| one.abs_diff(other) <= most)
}

#[test]
fn dots_have_their_own_paint_beside_those_of_their_class() {
    let Some(mut app) = drawing(FluidRenderPlugin::default()) else { return };
    app.spawn(FluidDots { radius: 1.0, softness: 0.0, opacity: 1.0, shading: 0.0, ..default() });
    app.update();
    app.insert_resource(FluidInterpolation(1.0));
    color_classes(&mut app);
    let (_, picture) = spawn_camera(&mut app, SIZE);
    let plain = Vec2::new(30.0, 0.0);
    let both = [painted(Vec2::new(-30.0, 0.0)), FluidInstance::new(plain, plain, 0, 0)];
    app.resource_mut::<FluidInstances>().set(both, SPACING);
    let image = shoot(&mut app, &picture);
    let found = at(&image, -30.0, 0.0);
    assert!(close(found, VIOLET_BYTES, 2), "{found:?}");
    assert_eq!(at(&image, 30.0, 0.0), RED);
    assert_eq!(at(&image, 0.0, 40.0), BLACK);
}

#[test]
fn a_surface_has_the_paint_of_its_particles_and_again_the_colour_of_their_class() {
    let Some((mut app, picture)) = flat() else { return };
    let left = |place: Vec2| place.x < 0.0;
    let plain = |place: Vec2| FluidInstance::new(place, place, 0, 0);
    let places: Vec<Vec2> = lattice(12, |_| true).collect();
    let mixed =
        places.iter().map(|place| if left(*place) { painted(*place) } else { plain(*place) });
    app.resource_mut::<FluidInstances>().set(mixed, SPACING);
    let image = shoot(&mut app, &picture);
    let found = at(&image, -40.0, 0.0);
    assert!(close(found, VIOLET_BYTES, 8), "{found:?}");
    let found = at(&image, 40.0, 0.0);
    assert!(close(found, RED, 8), "{found:?}");
    // Between them it is a mixture.
    let [red, _, blue] = at(&image, 0.0, 0.0);
    assert!((110..250).contains(&red) && (20..145).contains(&blue), "{red}, {blue}");
    app.resource_mut::<FluidInstances>().set(places.iter().map(|place| plain(*place)), SPACING);
    let image = shoot(&mut app, &picture);
    assert_eq!(at(&image, -40.0, 0.0), RED);
}
