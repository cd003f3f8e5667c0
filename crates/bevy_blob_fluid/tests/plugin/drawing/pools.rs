//! Pictures of lakes of columns.

use crate::app::*;
use crate::pictures::{drawing_with, light, shoot, spawn_camera};

/// A picture of liquid at rest in a box, as a pool up to a level or as particles, and the height of its surface.
fn half_full(level: Option<f32>) -> Option<(Image, f32)> {
    let mut app = drawing_with(
        |_| {},
        |app| {
            app.add_plugins(BlobFluidPlugins::default());
            app.insert_resource(FluidSettings::new(5.0, Vec2::new(0.0, -200.0)));
        },
    )?;
    let (_, picture) = spawn_camera(&mut app, 256);
    app.spawn(FluidContainer::from(Rectangle::new(200.0, 200.0)));
    match level {
        Some(level) => {
            let bed = [(-100.0, -100.0), (100.0, -100.0)].map(Vec2::from);
            app.spawn((FluidPool::over(bed, level), FluidClass::MEDIUM));
        }
        None => {
            let blob = FluidBlob::from(Rectangle::new(198.0, 98.0));
            app.spawn((blob, FluidClass::MEDIUM, xy(0.0, -50.0)));
        }
    }
    app.updates(400);
    let picture = shoot(&mut app, &picture);
    Some((picture, app.fluid().surface_height(0.0).expect("liquid")))
}

#[test]
fn a_pool_looks_like_particles_at_rest() {
    let Some((particles, level)) = half_full(None) else { return };
    let Some((pool, pool_level)) = half_full(Some(level)) else { return };
    assert!((pool_level - level).abs() < 0.1, "{pool_level} for {level}");
    let mut worst = 0.0_f32;
    for (x, y) in (-80..=80).step_by(5).flat_map(|x| (-80..=80).step_by(5).map(move |y| (x, y))) {
        let [pool, particles] = [&pool, &particles].map(|image| light(image, x as f32, y as f32));
        // The surface of particles is uneven by a fraction of a particle.
        if (y as f32 - level).abs() > 4.0 {
            worst = worst.max((pool - particles).abs().max_element());
            assert_eq!(pool.max_element() > 0.02, (y as f32) < level, "({x}, {y}): {pool}");
        }
    }
    println!("largest difference of the light {worst}");
    assert!(worst < 0.1, "{worst}");
    // Its surface is level: in each row of pixels all columns are alike.
    for y in -20..=20 {
        let lights = (-80..=80).map(|x| light(&pool, x as f32, y as f32).element_sum());
        let (low, high) = lights
            .fold((f32::MAX, 0.0_f32), |(low, high), light| (low.min(light), high.max(light)));
        assert!(high - low < 0.1, "row {y}: {low} to {high}");
    }
}

#[test]
fn a_pool_is_drawn_where_cameras_look_and_follows_its_waves() {
    let Some(mut app) = drawing_with(
        |_| {},
        |app| {
            app.add_plugins(BlobFluidPlugins::default());
        },
    ) else {
        return;
    };
    let (camera, picture) = spawn_camera(&mut app, 256);
    let lake = app.spawn(FluidPool::new(20_000.0, 100.0));
    let is_wet = |image: &Image, y: f32| light(image, 0.0, y).max_element() > 0.02;
    app.updates(3);
    let image = shoot(&mut app, &picture);
    assert!(is_wet(&image, -50.0) && !is_wet(&image, 20.0));
    let seen = app.resource::<bevy_blob_fluid::render::raw::FluidInstances>().as_slice().len();
    assert!((400..8000).contains(&seen), "{seen} particles are drawn");
    // Beyond its end.
    app.transform(camera).translation.x = 12_000.0;
    assert!(!is_wet(&shoot(&mut app, &picture), -50.0));
    app.transform(camera).translation.x = -9_000.0;
    assert!(is_wet(&shoot(&mut app, &picture), -50.0));
    // It sleeps. A wave wakes it, and it is drawn higher.
    app.updates(120);
    let id = app.component::<FluidPoolState>(lake).id().expect("there");
    let mut fluid = app.fluid_mut();
    let pool = fluid.pool_mut(id).expect("there");
    let middle = pool.column_at(-9_000.0).expect("within");
    for column in middle - 60..middle + 60 {
        pool.set_depth(column, 160.0).expect("valid");
    }
    app.updates(2);
    assert!(is_wet(&shoot(&mut app, &picture), 20.0));
}
