//! Surfaces as cameras of all kinds see them, among other things.

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{Hdr, Viewport};
use bevy::window::{PrimaryWindow, WindowResolution};
use bevy_blob_fluid::render::FluidRenderPlugin;

use super::flat::{BLACK, BLUE, GREEN, RED, SIZE, alike, body, flat, flat_app, set, surface};
use crate::app::*;
use crate::pictures::{at, shoot, spawn_camera};

// Row 28 of docs/reliability.md.
#[test]
fn every_camera_sees_it_in_its_own_way() {
    let Some(mut app) = flat_app(FluidRenderPlugin::default()) else { return };
    set(&mut app, body(0, |index| index.x < 0.1));
    let (_, plain_picture) = spawn_camera(&mut app, SIZE);
    // Off to the side, three times as large, smaller, without MSAA, with HDR.
    let (closer, closer_picture) = spawn_camera(&mut app, 64);
    app.insert(closer, (xy(4.0, 0.0).with_scale(Vec3::splat(1.0 / 3.0)), Msaa::Off, Hdr));
    // In a part of its picture.
    let (part, part_picture) = spawn_camera(&mut app, SIZE);
    let viewport = Viewport {
        physical_position: UVec2::new(64, 32),
        physical_size: UVec2::new(64, 64),
        ..default()
    };
    app.component_mut::<Camera>(part).viewport = Some(viewport);
    let (other, other_picture) = spawn_camera(&mut app, SIZE);
    app.insert(other, RenderLayers::layer(3));

    for refraction in [0.0, 0.5] {
        *surface(&mut app) = FluidSurfaceLook { refraction, ..FluidSurfaceLook::FLAT }.into();
        let image = shoot(&mut app, &plain_picture);
        assert!(alike(at(&image, -10.0, 0.0), RED, 4) && at(&image, 20.0, 0.0) == BLACK);
        let image = shoot(&mut app, &closer_picture);
        assert!(alike(at(&image, -18.0, 0.0), RED, 4), "{:?}", at(&image, -18.0, 0.0));
        assert_eq!(at(&image, 30.0, 0.0), BLACK);
        // Three times closer the edge is no softer: at most two pixels are neither.
        let soft = (-32..32).filter(|x| {
            let [red, ..] = at(&image, *x as f32 + 0.5, 0.0);
            red > 12 && red < 243
        });
        assert!(soft.count() <= 2);
        // The middle of the viewport is at (96, 64), 32 pixels right of the picture's middle.
        let image = shoot(&mut app, &part_picture);
        assert!(alike(at(&image, 22.0, 0.0), RED, 4) && at(&image, 52.0, 0.0) == BLACK);
        assert_eq!(at(&image, -30.0, 0.0), BLACK, "outside of the viewport");
        assert_eq!(at(&shoot(&mut app, &other_picture), -10.0, 0.0), BLACK);
    }
    let mut surfaces = app.world_mut().query_filtered::<Entity, With<FluidSurface>>();
    let entity = surfaces.single(app.world()).expect("one");
    app.insert(entity, RenderLayers::layer(3));
    assert_eq!(at(&shoot(&mut app, &plain_picture), -10.0, 0.0), BLACK);
    assert!(alike(at(&shoot(&mut app, &other_picture), -10.0, 0.0), RED, 4));
    app.insert(entity, Visibility::Hidden);
    assert_eq!(at(&shoot(&mut app, &other_picture), -10.0, 0.0), BLACK);
}

// Row 28 of docs/reliability.md.
#[test]
fn a_window_without_a_size_keeps_no_other_camera_from_drawing() {
    let Some((mut app, picture)) = flat() else { return };
    set(&mut app, body(1, |_| true));
    let resolution = WindowResolution::new(0, 0);
    let window = app.spawn((Window { resolution, ..default() }, PrimaryWindow));
    app.spawn(Camera2d);
    for refraction in [0.0, 0.5] {
        *surface(&mut app) = FluidSurfaceLook { refraction, ..FluidSurfaceLook::FLAT }.into();
        for (width, height) in [(0, 0), (0, 300), (400, 300), (1, 1), (0, 0)] {
            let mut window = app.component_mut::<Window>(window);
            window.resolution.set_physical_resolution(width, height);
            // As minimised ones are.
            window.visible = width > 0;
            app.updates(3);
            let pixel = at(&shoot(&mut app, &picture), 20.0, 0.0);
            assert!(alike(pixel, GREEN, 4), "{pixel:?} beside a window of {width} by {height}");
        }
    }
}

#[test]
fn a_turned_camera_sees_it_turned() {
    let Some(mut app) = flat_app(FluidRenderPlugin::default()) else { return };
    set(&mut app, body(0, |index| index.x < 0.1));
    let (camera, picture) = spawn_camera(&mut app, SIZE);
    let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    app.insert(camera, Transform::from_rotation(quarter));
    let image = shoot(&mut app, &picture);
    // Its right is the world's up: the liquid, on the world's left, is above.
    assert!(alike(at(&image, 0.0, 20.0), RED, 4), "{:?}", at(&image, 0.0, 20.0));
    assert_eq!(at(&image, 0.0, -20.0), BLACK);
}

#[test]
fn liquid_before_nothing_stays_translucent() {
    let Some((mut app, picture)) = flat() else { return };
    app.insert_resource(ClearColor(Color::NONE));
    set(&mut app, body(1, |_| true));
    for refraction in [0.0, 1.0] {
        let look = FluidSurfaceLook { opacity: 0.5, refraction, ..FluidSurfaceLook::FLAT };
        *surface(&mut app) = look.into();
        let image = shoot(&mut app, &picture);
        let alpha = image.get_color_at(SIZE / 2, SIZE / 2).expect("inside").alpha();
        assert!((alpha - 0.5).abs() < 0.02, "{alpha} with refraction {refraction}");
    }
}

#[test]
fn sprites_lie_in_front_and_behind() {
    let Some((mut app, picture)) = flat() else { return };
    set(&mut app, body(1, |_| true));
    let square = Sprite::from_color(Color::srgb(0.0, 0.0, 1.0), Vec2::splat(12.0));
    app.spawn((square.clone(), Transform::from_xyz(-20.0, 0.0, 1.0)));
    app.spawn((square, Transform::from_xyz(20.0, 0.0, -1.0)));
    for refraction in [0.0, 1.0] {
        *surface(&mut app) = FluidSurfaceLook { refraction, ..FluidSurfaceLook::FLAT }.into();
        let image = shoot(&mut app, &picture);
        assert_eq!(at(&image, -20.0, 0.0), BLUE, "the sprite in front hides the liquid");
        assert!(alike(at(&image, 20.0, 0.0), GREEN, 4), "the liquid hides the sprite behind");
    }
}
