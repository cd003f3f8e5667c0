//! What is drawn anew, and what is kept.

use bevy::render::{Render, RenderApp, RenderSystems};
use bevy_blob_fluid::render::{
    FluidDrawingWork, FluidInstance, FluidInstances, FluidInterpolation, FluidWall, FluidWalls,
};

use super::flat::{GREEN, SIZE, SPACING, alike, body, flat, set, surface};
use crate::app::*;
use crate::pictures::{at, drawing, shoot, spawn_camera};

/// What the frames since the last look did: bytes uploaded, fields drawn, and texels that a particle covered.
#[derive(Resource, Default, Clone, Copy, PartialEq, Debug)]
struct Seen(u64, u32, u32);

fn watch(app: &mut App) {
    let count = |work: Res<FluidDrawingWork>, mut seen: ResMut<Seen>| {
        seen.0 += work.bytes_uploaded;
        seen.1 += work.fields_drawn;
        seen.2 = seen.2.max(work.texels_per_particle);
    };
    let render = app.sub_app_mut(RenderApp);
    render.init_resource::<Seen>();
    render.add_systems(Render, count.in_set(RenderSystems::Cleanup));
}

fn seen(app: &mut App) -> Seen {
    std::mem::take(&mut *app.sub_app_mut(RenderApp).world_mut().resource_mut::<Seen>())
}

#[test]
fn nothing_is_done_for_what_is_at_rest() {
    let Some((mut app, picture)) = flat() else { return };
    watch(&mut app);
    set(&mut app, body(1, |at| at.length() < 40.0));
    let first = shoot(&mut app, &picture);
    assert!(seen(&mut app).1 > 0);
    // The same particles, published again, at another moment between two ticks.
    set(&mut app, body(1, |at| at.length() < 40.0));
    app.insert_resource(FluidInterpolation(0.3));
    let again = shoot(&mut app, &picture);
    assert_eq!(seen(&mut app), Seen(0, 0, 0));
    assert!(first.data.is_some() && first.data == again.data, "another picture");
}

/// The graphics card blends each of them for each particle: what the field costs.
#[test]
fn a_particle_covers_at_most_seventy_texels() {
    let Some((mut app, picture)) = flat() else { return };
    watch(&mut app);
    for spacing in [SPACING, 4.0 * SPACING] {
        // A liquid, and three side by side.
        for classes in [1, 3] {
            let class = |at: Vec2| (at.x > 0.0) as u8 + (at.x > 20.0) as u8;
            let particles: Vec<FluidInstance> = body(0, |at| at.length() < 60.0)
                .into_iter()
                .map(|one| {
                    let at = one.position();
                    FluidInstance::new(at, at, if classes == 1 { 0 } else { class(at) }, 3)
                })
                .collect();
            app.resource_mut::<FluidInstances>().set(particles, spacing);
            shoot(&mut app, &picture);
            let texels = seen(&mut app).2;
            assert!((1..=70).contains(&texels), "{texels} for {classes} liquids, {spacing} apart");
        }
    }
}

#[test]
fn what_changed_is_drawn_anew() {
    let Some((mut app, picture)) = flat() else { return };
    watch(&mut app);
    let drop = |x: f32| body(1, |at| at.distance(Vec2::new(x, 0.0)) < 20.0);
    set(&mut app, drop(-30.0));
    let changed = |app: &mut App, x: f32, what: &str| {
        let image = shoot(app, &picture);
        assert!(alike(at(&image, x, 0.0), GREEN, 4), "{what}: {:?}", at(&image, x, 0.0));
        assert!(seen(app).1 > 0, "{what}: nothing was drawn");
        assert!(shoot(app, &picture).data == image.data && seen(app).1 == 0, "{what}: again");
    };
    changed(&mut app, -30.0, "the first");
    set(&mut app, drop(30.0));
    changed(&mut app, 30.0, "particles");
    let mut cameras = app.world_mut().query_filtered::<&mut Transform, With<Camera>>();
    cameras.single_mut(app.world_mut()).expect("one").translation.x = 40.0;
    changed(&mut app, -10.0, "the camera");
    surface(&mut app).smoothing = 1.8;
    changed(&mut app, -10.0, "the look");
    let wall = FluidWall::line(Vec2::new(30.0, 40.0), Vec2::new(30.0, 50.0), 1.0);
    app.resource_mut::<FluidWalls>().set([wall]);
    changed(&mut app, -10.0, "the walls");
    // Between two ticks everything moves.
    let moving = drop(30.0).into_iter().map(|particle| {
        FluidInstance::new(particle.position() - Vec2::X * 20.0, particle.position(), 1, 3)
    });
    set(&mut app, moving);
    changed(&mut app, -10.0, "the motion");
    app.insert_resource(FluidInterpolation(0.0));
    changed(&mut app, -30.0, "the moment");
}

#[test]
fn sleeping_liquid_is_not_published_again() {
    let Some(mut app) = drawing(BlobFluidPlugins::default()) else { return };
    app.spawn(FluidContainer::from(Rectangle::new(120.0, 120.0)));
    app.spawn((FluidBlob::from(Rectangle::new(120.0, 40.0)), xy(0.0, -40.0)));
    let (_, picture) = spawn_camera(&mut app, SIZE);
    app.updates(2);
    watch(&mut app);
    for _ in 0..3000 {
        if app.fluid().asleep() == app.fluid().particles().len() {
            break;
        }
        app.update();
    }
    assert_eq!(app.fluid().asleep(), app.fluid().particles().len(), "it sleeps");
    app.updates(60);
    assert!(!app.resource::<FluidInstances>().is_moving());
    seen(&mut app);
    let still = shoot(&mut app, &picture);
    app.updates(60);
    assert_eq!(seen(&mut app), Seen(0, 0, 0));
    assert!(shoot(&mut app, &picture).data == still.data);
}

#[test]
fn gases_and_caustics_stand_still_while_the_fluid_is_paused() {
    let Some(mut app) = drawing(BlobFluidPlugins::default()) else { return };
    app.insert_resource(without_gravity());
    app.insert_resource(FluidClasses::from(vec![
        DensityClass { name: "gas".into(), ..default() },
        DensityClass { name: "water".into(), ..default() },
    ]));
    let look = FluidSurface::from(FluidSurfaceLook { caustics: 1.0, ..FluidSurfaceLook::WATER });
    app.spawn(look.with_look(ClassId(0), FluidSurfaceLook::GAS));
    for (class, x) in [(0, -35.0), (1, 35.0)] {
        let blob = FluidBlob::from(Rectangle::new(50.0, 100.0));
        app.spawn((blob, FluidClass::new(class), xy(x, 0.0)));
    }
    let (_, picture) = spawn_camera(&mut app, SIZE);
    app.updates(10);
    watch(&mut app);
    app.clock().pause();
    let paused = shoot(&mut app, &picture);
    seen(&mut app);
    app.updates(30);
    let later = shoot(&mut app, &picture);
    assert!(paused.data.is_some() && paused.data == later.data, "something moved");
    assert_eq!(seen(&mut app), Seen(0, 0, 0));
    app.clock().unpause();
    app.updates(30);
    assert!(shoot(&mut app, &picture).data != later.data);
}
