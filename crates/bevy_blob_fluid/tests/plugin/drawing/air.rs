//! Pictures of air beside liquid.

use super::flat::{GREEN, SIZE};
use crate::app::*;
use crate::pictures::{at, drawing_with, light, shoot, spawn_camera};

#[test]
fn at_the_same_depth_water_hides_smoke() {
    let Some(mut app) = drawing_with(
        |_| {},
        |app| {
            app.add_plugins(BlobFluidPlugins::default());
            app.insert_resource(without_gravity());
            app.insert_resource(FluidClasses::from(vec![DensityClass {
                color: [0.0, 1.0, 0.0, 1.0],
                ..default()
            }]));
        },
    ) else {
        return;
    };
    let (_, picture) = spawn_camera(&mut app, SIZE);
    let world = app.world_mut();
    world.spawn(FluidSurface::from(FluidSurfaceLook::FLAT));
    // Smoke everywhere, and liquid on the left.
    world.spawn(FluidAir::new(300.0, 300.0));
    world.spawn(FluidAirSource::smoke(&Rectangle::new(300.0, 300.0), 20.0));
    let liquid = FluidBlob::from(Rectangle::new(99.0, 99.0));
    world.spawn((liquid, FluidClass::new(0), xy(-50.0, 0.0)));
    app.updates(60);
    app.clock().pause();
    let image = shoot(&mut app, &picture);
    assert_eq!(at(&image, -30.0, 0.0), GREEN);
    let smoke = at(&image, 30.0, 0.0);
    assert!(smoke.into_iter().min() > Some(60), "{smoke:?}");
}

#[test]
fn smoke_is_tone_mapped_as_everything_else_is() {
    let Some(mut app) =
        drawing_with(|_| {}, |app| _ = app.add_plugins(BlobFluidPlugins::default()))
    else {
        return;
    };
    let (camera, picture) = spawn_camera(&mut app, SIZE);
    app.spawn(FluidAir::new(300.0, 300.0));
    app.spawn(FluidAirSource::smoke(&Rectangle::new(300.0, 300.0), 20.0));
    app.updates(60);
    app.clock().pause();
    let plain = light(&shoot(&mut app, &picture), 10.0, 10.0);
    app.insert(camera, bevy::core_pipeline::tonemapping::Tonemapping::Reinhard);
    let mapped = light(&shoot(&mut app, &picture), 10.0, 10.0);
    // The smoke is thick enough to hide what is behind.
    let expected = plain / (Vec3::ONE + plain);
    assert!(plain.min_element() > 0.1 && mapped.abs_diff_eq(expected, 0.03), "{plain} {mapped}");
}
