//! What lies behind a surface.

use std::time::Duration;

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{ClearColorConfig, RenderTarget, Viewport};
use bevy::image::ImageSampler;
use bevy::mesh::Mesh2d;
use bevy::render::render_resource::TextureFormat;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::render::{FluidInstance, FluidRenderPlugin, FluidSurfaceQuality};

use super::flat::{BLACK, RED, SIZE, alike, body, flat_app, set, surface};
use crate::app::*;
use crate::pictures::{at, shoot, spawn_camera};

/// A picture of stripes, one pixel of it a world unit.
fn stripes(app: &mut App) -> Handle<Image> {
    let mut image = Image::new_target_texture(SIZE, SIZE, TextureFormat::Rgba8UnormSrgb, None);
    image.sampler = ImageSampler::nearest();
    for y in 0..SIZE {
        for x in 0..SIZE {
            let color = if x / 4 % 2 == 0 { Color::WHITE } else { Color::BLACK };
            image.set_color_at(x, y, color).expect("inside");
        }
    }
    app.resource_mut::<Assets<Image>>().add(image)
}

#[test]
fn what_lies_behind_is_refracted_and_drawn_once() {
    let Some(mut app) = flat_app(FluidRenderPlugin::default()) else { return };
    let (camera, picture) = spawn_camera(&mut app, SIZE);
    // A mesh, which Bevy keeps in its phase between frames, behind; half transparent, so that it
    // shows when it is drawn twice.
    let mesh = app.resource_mut::<Assets<Mesh>>().add(Rectangle::new(20.0, 120.0));
    let half = ColorMaterial::from_color(Color::srgba(1.0, 1.0, 1.0, 0.5));
    let half = app.resource_mut::<Assets<ColorMaterial>>().add(half);
    let material = MeshMaterial2d(half);
    app.spawn((Mesh2d(mesh), material, Transform::from_xyz(-50.0, 0.0, -2.0)));
    let stripes = stripes(&mut app);
    app.spawn((
        Sprite { custom_size: Some(Vec2::new(60.0, 120.0)), ..Sprite::from_image(stripes) },
        Transform::from_xyz(0.0, 0.0, -1.0),
    ));
    // In front of all of it.
    app.spawn((
        Sprite::from_color(Color::srgb(1.0, 0.0, 0.0), Vec2::splat(8.0)),
        Transform::from_xyz(0.0, 0.0, 1.0),
    ));
    let clear = FluidSurfaceLook { opacity: 0.0, ..FluidSurfaceLook::FLAT };
    *surface(&mut app) = clear.into();
    set(&mut app, body(2, |index| index.length() < 36.0));
    let plain = shoot(&mut app, &picture);
    let bent_look = FluidSurfaceLook { refraction: 2.0, ..clear };
    for msaa in [Msaa::Sample4, Msaa::Off] {
        app.insert(camera, msaa);
        *surface(&mut app) = bent_look.into();
        let bent = shoot(&mut app, &picture);
        let differs = |x: i32, y: i32| {
            !alike(at(&plain, x as f32, y as f32), at(&bent, x as f32, y as f32), 40)
        };
        let changed = (-36..36).flat_map(|x| (-36..36).map(move |y| (x, y)));
        let changed = changed.filter(|(x, y)| differs(*x, *y)).count();
        assert!(changed > 300, "{msaa:?}: {changed} pixels");
        // Outside of the liquid nothing changes, the mesh is seen once, the front stays in front.
        assert!(!(-60..-46).any(|x| differs(x, 0)), "{msaa:?}");
        assert!(alike(at(&bent, -50.0, 0.0), [188; 3], 4), "{:?}", at(&bent, -50.0, 0.0));
        assert_eq!(at(&bent, 0.0, 0.0), RED);
        // And the frame after, when what Bevy kept is drawn again.
        assert!(alike(at(&shoot(&mut app, &picture), -50.0, 0.0), [188; 3], 4));
        *surface(&mut app) = clear.into();
        assert!(alike(at(&shoot(&mut app, &picture), -50.0, 0.0), [188; 3], 4));
    }
}

#[test]
fn nothing_is_refracted_from_where_another_camera_drew() {
    let Some(mut app) = flat_app(FluidRenderPlugin::default()) else { return };
    let refracting = FluidSurfaceLook { opacity: 0.0, refraction: 4.0, ..FluidSurfaceLook::FLAT };
    *surface(&mut app) = refracting.into();
    // Its right edge, which bends what lies to the left, is near the right half's left border.
    set(&mut app, body(1, |index| index.x < -26.0));
    // Two cameras for one picture: the left half is red, the right one has nothing in it.
    let (left, picture) = spawn_camera(&mut app, SIZE);
    let half = |x| Viewport {
        physical_position: UVec2::new(x, 0),
        physical_size: UVec2::new(SIZE / 2, SIZE),
        ..default()
    };
    let target = app.component::<RenderTarget>(left).clone();
    let red = ClearColorConfig::Custom(Color::srgb(1.0, 0.0, 0.0));
    app.insert(
        left,
        (Camera { viewport: Some(half(0)), clear_color: red, ..default() }, RenderLayers::layer(5)),
    );
    let right = Camera {
        viewport: Some(half(SIZE / 2)),
        order: 1,
        clear_color: ClearColorConfig::None,
        ..default()
    };
    let black = Sprite::from_color(Color::BLACK, Vec2::splat(500.0));
    app.spawn((black, Transform::from_xyz(0.0, 0.0, -5.0)));
    app.spawn((Camera2d, right, target));
    let image = shoot(&mut app, &picture);
    assert_eq!(at(&image, -30.0, 0.0), RED);
    for x in 0..SIZE as i32 / 2 {
        let pixel = at(&image, x as f32, 0.0);
        assert_eq!(pixel, BLACK, "at {x}");
    }
}

#[test]
fn the_air_between_pools_makes_no_difference() {
    // Two pools of two liquids each, a drop, and a drop at the edge of the picture.
    let apart = || {
        let pool = |position: Vec2| (position - Vec2::new(-38.0, -30.0)).abs().max_element() < 16.0;
        let other = |position: Vec2| (position - Vec2::new(40.0, 32.0)).length() < 15.0;
        let mut particles = body(0, |at| pool(at) && at.y < -30.0);
        particles.extend(body(1, |at| pool(at) && at.y >= -30.0));
        particles.extend(body(1, |at| other(at) && at.x < 40.0));
        particles.extend(body(2, |at| other(at) && at.x >= 40.0));
        let drop = |at| FluidInstance::new(at, at, 2, 3).with_looseness(1.0);
        particles.extend([drop(Vec2::new(3.3, 40.7)), drop(Vec2::new(63.0, -20.0))]);
        particles
    };
    // Particles that cannot be seen, of each class, everywhere: liquid may be in all of the view.
    let everywhere =
        || (0..3).flat_map(|class| body(class, |_| true)).map(|at| at.with_opacity(0.0));
    let outlined = FluidSurfaceLook { outline_width: 1.0, ..FluidSurfaceLook::default() };
    let (middle, edge) = (Vec2::new(5.0, -3.0), Vec2::new(-25.0, -14.0));
    let (plain, water) = (FluidSurfaceLook::default(), FluidSurfaceLook::WATER);
    let (low, medium, high) =
        (FluidSurfaceQuality::Low, FluidSurfaceQuality::Medium, FluidSurfaceQuality::High);
    for (quality, look, half_floats, msaa, place, turn, scale) in [
        (medium, plain, true, Msaa::Sample4, middle, 0.0, 1.0),
        (low, FluidSurfaceLook::FLAT, true, Msaa::Off, middle, 0.4, 1.3),
        (high, outlined, false, Msaa::Sample4, edge, 0.0, 0.31),
        (medium, water, true, Msaa::Sample4, middle, 0.8, 1.0),
    ] {
        let Some(mut app) = flat_app(FluidRenderPlugin { half_floats, ..default() }) else {
            return;
        };
        // Caustics move.
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
        let (camera, picture) = spawn_camera(&mut app, SIZE);
        let transform = Transform::from_translation(place.extend(0.0))
            .with_rotation(Quat::from_rotation_z(turn))
            .with_scale(Vec3::splat(scale));
        app.insert(camera, (transform, msaa));
        let stripes = Sprite {
            custom_size: Some(Vec2::splat(200.0)),
            ..Sprite::from_image(stripes(&mut app))
        };
        app.spawn((stripes, Transform::from_xyz(0.0, 0.0, -1.0)));
        *surface(&mut app) = FluidSurface { quality, ..look.into() };
        set(&mut app, apart());
        let strips = shoot(&mut app, &picture);
        set(&mut app, apart().into_iter().chain(everywhere()));
        let whole = shoot(&mut app, &picture);
        assert_eq!(strips.data, whole.data, "{quality:?}, {msaa:?}, turned by {turn}");
        // The liquid is in the picture, and so is what is not liquid.
        set(&mut app, []);
        let dry = shoot(&mut app, &picture);
        let (wet, dry) = (strips.data.expect("a picture"), dry.data.expect("a picture"));
        let changed = wet.chunks(4).zip(dry.chunks(4)).filter(|(wet, dry)| wet != dry).count();
        let all = (SIZE * SIZE) as usize;
        assert!(changed > all / 40 && changed < all / 2, "{changed} of {all} pixels");
    }
}
