//! Surfaces as cameras of all kinds see them, among other things.

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{Hdr, Viewport};
use bevy::render::{Render, RenderApp, RenderSystems};
use bevy::window::{PrimaryWindow, WindowResolution};
use bevy_blob_fluid::render::FluidRenderPlugin;
use bevy_blob_fluid::render::raw::{
    FluidDrawingWork, FluidInstance, FluidInstances, FluidInterpolation, FluidPalette, FluidWall,
    FluidWalls,
};

use crate::app::*;
use crate::pictures::{at, drawing, shoot, spawn_camera};

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

// What is drawn anew, and what is kept.

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
    app.updates(2);
    for _ in 0..3000 {
        if app.fluid().asleep() == app.fluid().particles().len() {
            break;
        }
        app.update();
    }
    assert_eq!(app.fluid().asleep(), app.fluid().particles().len(), "it sleeps");
    let (_, picture) = spawn_camera(&mut app, SIZE);
    app.updates(2);
    watch(&mut app);
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

// Flat, opaque liquid of particles that a test puts there.

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
