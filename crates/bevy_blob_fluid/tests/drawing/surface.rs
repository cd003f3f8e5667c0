//! Pictures of closed surfaces.

use std::time::Duration;

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{ClearColorConfig, Hdr, RenderTarget, Viewport};
use bevy::image::ImageSampler;
use bevy::mesh::Mesh2d;
use bevy::prelude::*;
use bevy::render::render_resource::AsBindGroup;
use bevy::shader::{Shader, ShaderRef};
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid::render::{
    CustomSurfaceLook, FluidBlending, FluidCustomLook, FluidCustomLookPlugin, FluidGases,
    FluidInstance, FluidInstances, FluidInterpolation, FluidPalette, FluidRenderPlugin,
    FluidSurfaceMixing, FluidSurfaceQuality,
};

use crate::pictures::{adapter_found, app_with, at, shoot, spawn_camera};

/// Width and height of the pictures, in pixels; a pixel is a world unit.
const SIZE: u32 = 128;
/// Distance of particles, in world units.
const SPACING: f32 = 8.0;

const RED: [u8; 3] = [255, 0, 0];
const GREEN: [u8; 3] = [0, 255, 0];
const BLUE: [u8; 3] = [0, 0, 255];
const BLACK: [u8; 3] = [0, 0, 0];

/// An app that draws the particles a test puts there as flat, opaque liquid.
fn drawing_app(plugin: FluidRenderPlugin) -> App {
    let mut app = app_with(
        |_| {},
        |app| {
            app.add_plugins(plugin);
        },
    );
    app.insert_resource(FluidInterpolation(1.0));
    app.world_mut().spawn(FluidSurface::from(FluidSurfaceLook::FLAT));
    app.update();
    app.world_mut().resource_mut::<FluidPalette>().set([
        Color::srgb(1.0, 0.0, 0.0),
        Color::srgb(0.0, 1.0, 0.0),
        Color::srgb(0.0, 0.0, 1.0),
    ]);
    app
}

fn surface(app: &mut App) -> Mut<'_, FluidSurface> {
    let mut surfaces = app.world_mut().query::<&mut FluidSurface>();
    surfaces.single_mut(app.world_mut()).expect("one surface")
}

/// A body of particles at rest, in a hexagonal lattice, in the part of a box for which `within` holds.
fn body(class: u8, within: impl Fn(Vec2) -> bool) -> Vec<FluidInstance> {
    let rows = -9..=9;
    let points = rows.flat_map(|row| {
        let shift = 0.5 * (row & 1) as f32;
        (-9..=9).map(move |column| {
            Vec2::new(column as f32 + shift, row as f32 * 0.75_f32.sqrt()) * SPACING
        })
    });
    // Of the middle shade.
    points.filter(|point| within(*point)).map(|at| FluidInstance::new(at, at, class, 3)).collect()
}

fn set(app: &mut App, particles: impl IntoIterator<Item = FluidInstance>) {
    app.world_mut().resource_mut::<FluidInstances>().set(particles, SPACING);
}

/// Whether two colours are the same but for shades too slight to see.
fn alike(a: [u8; 3], b: [u8; 3], tolerance: u8) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= tolerance)
}

#[test]
fn a_body_has_one_colour_and_a_smooth_edge() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    let (_, picture) = spawn_camera(&mut app, SIZE);
    set(&mut app, body(0, |index| index.x < 0.1));
    let image = shoot(&mut app, &picture);
    // No particle is to be seen on its own.
    for x in -40..=-10 {
        for y in -40..=40 {
            let pixel = at(&image, x as f32, y as f32);
            assert!(alike(pixel, RED, 4), "{pixel:?} at {x}, {y}");
        }
    }
    // The edge runs half a spacing or so beyond the outermost particles, and is straight: its
    // particles are not bumps.
    let edge = |y: f32| {
        (0..SIZE as i32 / 2)
            .map(|x| f32::from(at(&image, x as f32 + 0.5, y)[0]) / 255.0)
            .sum::<f32>()
    };
    let edges: Vec<f32> = (-20..=20).map(|y| edge(y as f32)).collect();
    let (least, most) = edges.iter().fold((f32::MAX, f32::MIN), |(l, m), x| (l.min(*x), m.max(*x)));
    assert!(least > 0.3 * SPACING && most < 1.1 * SPACING, "{least} to {most}");
    assert!(most - least < 0.3 * SPACING, "{least} to {most}");
    // Antialiased: somewhere along the edge a pixel is neither.
    let half = (-20..=20).flat_map(|y| (0..12).map(move |x| (x, y))).any(|(x, y)| {
        let [red, ..] = at(&image, x as f32 + 0.5, y as f32);
        red > 40 && red < 215
    });
    assert!(half, "the edge is hard");
    assert_eq!(at(&image, 30.0, 0.0), BLACK);
}

#[test]
fn a_drop_alone_is_a_drop() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    let (_, picture) = spawn_camera(&mut app, SIZE);
    let drop = FluidInstance::new(Vec2::ZERO, Vec2::ZERO, 1, 3);
    set(&mut app, [drop.with_looseness(1.0)]);
    let image = shoot(&mut app, &picture);
    let area: f32 = (0..SIZE * SIZE)
        .map(|index| {
            let (x, y) = (index % SIZE, index / SIZE);
            image.get_color_at(x, y).expect("inside").to_linear().green
        })
        .sum();
    // Of the area that a particle has in the liquid, or a little more.
    let radius = (area / std::f32::consts::PI).sqrt() / SPACING;
    assert!(radius > 0.5 && radius < 0.66, "radius {radius} spacings");
    // It shrinks as it fades.
    set(&mut app, [drop.with_looseness(1.0).with_opacity(0.2)]);
    assert_eq!(at(&shoot(&mut app, &picture), 0.0, 0.0), BLACK);
}

#[test]
fn classes_meet_at_a_line_or_blend() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    let (_, picture) = spawn_camera(&mut app, SIZE);
    let mut particles = body(0, |index| index.x < 0.0);
    particles.extend(body(2, |index| index.x >= 0.0));
    set(&mut app, particles);
    // Pixels of neither colour along rows across the interface.
    let mixed = |image: &Image| {
        (-30..=30)
            .flat_map(|x| (-20..20).map(move |y| (x, y)))
            .filter(|(x, y)| {
                let pixel = at(image, *x as f32, *y as f32);
                !alike(pixel, RED, 12) && !alike(pixel, BLUE, 12)
            })
            .count() as f32
            / 40.0
    };
    let sharp = shoot(&mut app, &picture);
    assert!(alike(at(&sharp, -20.0, 0.0), RED, 4) && alike(at(&sharp, 20.0, 0.0), BLUE, 4));
    assert!(mixed(&sharp) < 3.0, "{} pixels wide", mixed(&sharp));

    // Their sum counts: nothing shows between them, however close to the middle the surface lies.
    surface(&mut app).threshold = 0.7;
    let tight = shoot(&mut app, &picture);
    assert!((-8..8).all(|x| at(&tight, x as f32, 0.0) != BLACK));
    surface(&mut app).threshold = FluidSurface::default().threshold;

    app.insert_resource(FluidBlending(vec![[2, 0]]));
    let blended = shoot(&mut app, &picture);
    assert!(mixed(&blended) > 8.0, "{} pixels wide", mixed(&blended));
    let [red, green, blue] = at(&blended, -SPACING * 0.25, 0.0);
    assert!(red > 90 && blue > 90 && green == 0, "{red} {green} {blue}");

    surface(&mut app).mixing = FluidSurfaceMixing::Sharp;
    assert!(mixed(&shoot(&mut app, &picture)) < 3.0);
    app.insert_resource(FluidBlending::default());
    surface(&mut app).mixing = FluidSurfaceMixing::Blended;
    assert!(mixed(&shoot(&mut app, &picture)) > 8.0);
}

#[test]
fn classes_have_looks_of_their_own() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    let (_, picture) = spawn_camera(&mut app, SIZE);
    let mut particles = body(1, |index| index.x < -16.0);
    particles.extend(body(2, |index| index.x > 16.0));
    set(&mut app, particles);
    let half = FluidSurfaceLook { opacity: 0.5, ..FluidSurfaceLook::FLAT };
    let outlined = FluidSurfaceLook {
        outline_width: 1.0,
        outline_color: Color::srgb(1.0, 0.0, 0.0),
        ..FluidSurfaceLook::FLAT
    };
    let looks = FluidSurface::from(outlined).with_look(FluidClassId(2), half);
    *surface(&mut app) = looks;
    let image = shoot(&mut app, &picture);
    assert!(alike(at(&image, -40.0, 0.0), GREEN, 4));
    let outline = (-24..0).any(|x| alike(at(&image, x as f32, 0.0), RED, 8));
    assert!(outline, "the green liquid has a red outline");
    // Half of the light, as sRGB has it.
    let [red, _, blue] = at(&image, 40.0, 0.0);
    assert!(blue.abs_diff(188) < 6 && red == 0, "{red} {blue}");
}

#[test]
fn hot_liquid_glows_and_fast_liquid_foams() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    let (_, picture) = spawn_camera(&mut app, SIZE);
    let look = FluidSurfaceLook { glow: 2.0, foam_color: Color::WHITE, ..FluidSurfaceLook::FLAT };
    *surface(&mut app) = look.into();
    let tinted = |heat, foam| {
        body(2, |index| index.length() < 40.0)
            .into_iter()
            .map(move |particle| particle.with_heat_and_foam(heat, foam))
    };
    set(&mut app, tinted(0.0, 0.0));
    assert!(alike(at(&shoot(&mut app, &picture), 0.0, 0.0), BLUE, 4));
    set(&mut app, tinted(1.0, 0.0));
    let [red, green, blue] = at(&shoot(&mut app, &picture), 0.0, 0.0);
    assert!(red > 240 && green > 120 && blue > 240, "{red} {green} {blue}");
    set(&mut app, tinted(0.0, 1.0));
    assert!(alike(at(&shoot(&mut app, &picture), 0.0, 0.0), [255; 3], 4));
    // The cheapest quality does without either.
    surface(&mut app).quality = FluidSurfaceQuality::Low;
    assert!(alike(at(&shoot(&mut app, &picture), 0.0, 0.0), BLUE, 4));
    // It is what is drawn of every quality where there is no time for more.
    surface(&mut app).quality = FluidSurfaceQuality::High;
    app.insert_resource(FluidDetail::Coarse);
    assert!(alike(at(&shoot(&mut app, &picture), 0.0, 0.0), [255; 3], 4));
    app.insert_resource(FluidDetail::Coarsest);
    assert!(alike(at(&shoot(&mut app, &picture), 0.0, 0.0), BLUE, 4));
}

#[test]
fn colours_may_go_by_particle() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    let (_, picture) = spawn_camera(&mut app, SIZE);
    let gradient = (0..=255).map(|step| Color::srgb(0.0, f32::from(step as u8) / 255.0, 0.0));
    app.world_mut().resource_mut::<FluidPalette>().set_by_instance(gradient);
    let particles = body(0, |_| true)
        .into_iter()
        .map(|particle| particle.with_color(if particle.position().x < 0.0 { 30 } else { 220 }));
    set(&mut app, particles);
    let image = shoot(&mut app, &picture);
    assert!(alike(at(&image, -30.0, 0.0), [0, 30, 0], 3));
    assert!(alike(at(&image, 30.0, 0.0), [0, 220, 0], 3));
}

/// A picture of stripes, one pixel of it a world unit.
fn stripes(app: &mut App) -> Handle<Image> {
    let mut image = Image::new_target_texture(
        SIZE,
        SIZE,
        bevy::render::render_resource::TextureFormat::Rgba8UnormSrgb,
        None,
    );
    image.sampler = ImageSampler::nearest();
    for y in 0..SIZE {
        for x in 0..SIZE {
            let color = if x / 4 % 2 == 0 { Color::WHITE } else { Color::BLACK };
            image.set_color_at(x, y, color).expect("inside");
        }
    }
    app.world_mut().resource_mut::<Assets<Image>>().add(image)
}

#[test]
fn what_lies_behind_is_refracted_and_drawn_once() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    let (camera, picture) = spawn_camera(&mut app, SIZE);
    // A mesh, which Bevy keeps in its phase between frames, behind; half transparent, so that it
    // shows when it is drawn twice.
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(Rectangle::new(20.0, 120.0));
    let half = ColorMaterial::from_color(Color::srgba(1.0, 1.0, 1.0, 0.5));
    let half = app.world_mut().resource_mut::<Assets<ColorMaterial>>().add(half);
    let material = MeshMaterial2d(half);
    app.world_mut().spawn((Mesh2d(mesh), material, Transform::from_xyz(-50.0, 0.0, -2.0)));
    let stripes = stripes(&mut app);
    app.world_mut().spawn((
        Sprite { custom_size: Some(Vec2::new(60.0, 120.0)), ..Sprite::from_image(stripes) },
        Transform::from_xyz(0.0, 0.0, -1.0),
    ));
    // In front of all of it.
    app.world_mut().spawn((
        Sprite::from_color(Color::srgb(1.0, 0.0, 0.0), Vec2::splat(8.0)),
        Transform::from_xyz(0.0, 0.0, 1.0),
    ));
    let clear = FluidSurfaceLook { opacity: 0.0, ..FluidSurfaceLook::FLAT };
    *surface(&mut app) = clear.into();
    set(&mut app, body(2, |index| index.length() < 36.0));
    let plain = shoot(&mut app, &picture);
    let bent_look = FluidSurfaceLook { refraction: 2.0, ..clear };
    for msaa in [Msaa::Sample4, Msaa::Off] {
        app.world_mut().entity_mut(camera).insert(msaa);
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
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
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
    let target = app.world().get::<RenderTarget>(left).expect("of a camera").clone();
    let red = ClearColorConfig::Custom(Color::srgb(1.0, 0.0, 0.0));
    app.world_mut().entity_mut(left).insert((
        Camera { viewport: Some(half(0)), clear_color: red, ..default() },
        RenderLayers::layer(5),
    ));
    let right = Camera {
        viewport: Some(half(SIZE / 2)),
        order: 1,
        clear_color: ClearColorConfig::None,
        ..default()
    };
    let black = Sprite::from_color(Color::BLACK, Vec2::splat(500.0));
    app.world_mut().spawn((black, Transform::from_xyz(0.0, 0.0, -5.0)));
    app.world_mut().spawn((Camera2d, right, target));
    let image = shoot(&mut app, &picture);
    assert_eq!(at(&image, -30.0, 0.0), RED);
    for x in 0..SIZE as i32 / 2 {
        let pixel = at(&image, x as f32, 0.0);
        assert_eq!(pixel, BLACK, "at {x}");
    }
}

#[test]
fn liquid_before_nothing_stays_translucent() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    app.insert_resource(ClearColor(Color::NONE));
    let (_, picture) = spawn_camera(&mut app, SIZE);
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
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    let (_, picture) = spawn_camera(&mut app, SIZE);
    set(&mut app, body(1, |_| true));
    let square = Sprite::from_color(Color::srgb(0.0, 0.0, 1.0), Vec2::splat(12.0));
    app.world_mut().spawn((square.clone(), Transform::from_xyz(-20.0, 0.0, 1.0)));
    app.world_mut().spawn((square, Transform::from_xyz(20.0, 0.0, -1.0)));
    for refraction in [0.0, 1.0] {
        *surface(&mut app) = FluidSurfaceLook { refraction, ..FluidSurfaceLook::FLAT }.into();
        let image = shoot(&mut app, &picture);
        assert_eq!(at(&image, -20.0, 0.0), BLUE, "the sprite in front hides the liquid");
        assert!(alike(at(&image, 20.0, 0.0), GREEN, 4), "the liquid hides the sprite behind");
    }
}

#[test]
fn every_camera_sees_it_in_its_own_way() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    set(&mut app, body(0, |index| index.x < 0.1));
    let (_, plain_picture) = spawn_camera(&mut app, SIZE);
    // Off to the side, three times as large, smaller, without MSAA, with HDR.
    let (closer, closer_picture) = spawn_camera(&mut app, 64);
    let zoomed = Transform::from_xyz(4.0, 0.0, 0.0).with_scale(Vec3::splat(1.0 / 3.0));
    app.world_mut().entity_mut(closer).insert((zoomed, Msaa::Off, Hdr));
    // In a part of its picture.
    let (part, part_picture) = spawn_camera(&mut app, SIZE);
    let viewport = Viewport {
        physical_position: UVec2::new(64, 32),
        physical_size: UVec2::new(64, 64),
        ..default()
    };
    app.world_mut().get_mut::<Camera>(part).expect("a camera").viewport = Some(viewport);
    let (other, other_picture) = spawn_camera(&mut app, SIZE);
    app.world_mut().entity_mut(other).insert(RenderLayers::layer(3));

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
    app.world_mut().entity_mut(entity).insert(RenderLayers::layer(3));
    assert_eq!(at(&shoot(&mut app, &plain_picture), -10.0, 0.0), BLACK);
    assert!(alike(at(&shoot(&mut app, &other_picture), -10.0, 0.0), RED, 4));
    app.world_mut().entity_mut(entity).insert(Visibility::Hidden);
    assert_eq!(at(&shoot(&mut app, &other_picture), -10.0, 0.0), BLACK);
}

#[test]
fn a_turned_camera_sees_it_turned() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    set(&mut app, body(0, |index| index.x < 0.1));
    let (camera, picture) = spawn_camera(&mut app, SIZE);
    let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    app.world_mut().entity_mut(camera).insert(Transform::from_rotation(quarter));
    let image = shoot(&mut app, &picture);
    // Its right is the world's up: the liquid, on the world's left, is above.
    assert!(alike(at(&image, 0.0, 20.0), RED, 4), "{:?}", at(&image, 0.0, 20.0));
    assert_eq!(at(&image, 0.0, -20.0), BLACK);
}

#[test]
fn fixed_point_fields_look_much_the_same() {
    if !adapter_found() {
        return;
    }
    let picture_with = |half_floats| {
        let mut app = drawing_app(FluidRenderPlugin { half_floats, ..default() });
        let (_, picture) = spawn_camera(&mut app, SIZE);
        let mut particles = body(0, |particle| particle.x < 0.0 && particle.length() < 50.0);
        particles.extend(body(2, |particle| particle.x >= 0.0 && particle.length() < 50.0));
        set(&mut app, particles);
        shoot(&mut app, &picture)
    };
    let (floats, bytes) = (picture_with(true), picture_with(false));
    for image in [&floats, &bytes] {
        assert!(alike(at(image, -20.0, 0.0), RED, 8) && alike(at(image, 20.0, 0.0), BLUE, 8));
    }
    let differing = (0..SIZE * SIZE)
        .filter(|index| {
            let (x, y) = (index % SIZE, index / SIZE);
            let pixel = |image: &Image| {
                let color = image.get_color_at(x, y).expect("inside").to_srgba();
                [color.red, color.green, color.blue].map(|c| (c * 255.0).round() as u8)
            };
            !alike(pixel(&floats), pixel(&bytes), 24)
        })
        .count();
    assert!(differing < 200, "{differing} of {} pixels", SIZE * SIZE);
}

#[test]
fn nothing_is_drawn_where_there_is_nothing_and_no_frame_fails() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    let (camera, picture) = spawn_camera(&mut app, SIZE);
    *surface(&mut app) = FluidSurfaceLook::WATER.into();
    assert_eq!(at(&shoot(&mut app, &picture), 0.0, 0.0), BLACK, "without particles");
    set(&mut app, body(1, |_| true));
    assert_ne!(at(&shoot(&mut app, &picture), 0.0, 0.0), BLACK);
    // Values of no use count as the nearest of use.
    let mut strange = FluidSurface::from(FluidSurfaceLook {
        opacity: f32::NAN,
        outline_width: f32::INFINITY,
        gloss: -7.0,
        depth: f32::NAN,
        ..FluidSurfaceLook::WATER
    });
    (strange.smoothing, strange.threshold) = (f32::NAN, f32::INFINITY);
    *surface(&mut app) = strange;
    let [red, green, _] = at(&shoot(&mut app, &picture), 0.0, 0.0);
    assert!(green > red, "{red} {green}");
    // A camera that looks at next to nothing, and one that looks from afar.
    *surface(&mut app) = FluidSurfaceLook::FLAT.into();
    for (scale, seen) in [(1e-4, GREEN), (1e4, BLACK), (1.0, GREEN)] {
        let transform = Transform::from_scale(Vec3::splat(scale));
        app.world_mut().entity_mut(camera).insert(transform);
        let pixel = at(&shoot(&mut app, &picture), 20.0, 0.0);
        assert!(alike(pixel, seen, 4), "{pixel:?} at {scale}");
    }
    let mut instances = app.world_mut().resource_mut::<FluidInstances>();
    instances.set(body(1, |_| true), 0.0);
    assert_eq!(at(&shoot(&mut app, &picture), 0.0, 0.0), BLACK, "particles without size");
    set(&mut app, []);
    assert_eq!(at(&shoot(&mut app, &picture), 0.0, 0.0), BLACK, "none any more");
}

/// The linear red, green and blue of a pixel.
fn light(image: &Image, x: f32, y: f32) -> Vec3 {
    let [red, green, blue] = at(image, x, y);
    Color::srgb_u8(red, green, blue).to_linear().to_vec3()
}

#[test]
fn a_gas_is_a_haze_in_front_of_the_liquid() {
    if !adapter_found() {
        return;
    }
    for half_floats in [true, false] {
        let mut app = drawing_app(FluidRenderPlugin { half_floats, ..default() });
        let (_, picture) = spawn_camera(&mut app, SIZE);
        app.insert_resource(FluidGases(vec![2]));
        let haze = 0.8;
        surface(&mut app).gas_look.haze = haze;
        for layers in 1..=2 {
            let gas = (0..layers).flat_map(|_| body(2, |_| true));
            let liquid = body(0, |at| at.x < 0.0);
            set(&mut app, liquid.into_iter().chain(gas));
            let image = shoot(&mut app, &picture);
            // Beer and Lambert: what passes is exp(-thickness), and eddies change the thickness by half.
            let thickness = haze * layers as f32;
            let (least, most) = ((-1.5 * thickness).exp(), (-0.5 * thickness).exp());
            for (x, y) in (-40..=-16).flat_map(|x| (-30..=30).map(move |y| (x as f32, y as f32))) {
                let passes = light(&image, x, y).x;
                // A byte has a limited number of shades, and puffs overlap unevenly.
                assert!(
                    passes > 0.9 * least && passes < 1.1 * most,
                    "{passes} of {least} to {most}"
                );
            }
            // Where there is no liquid behind it, it is alone.
            assert_eq!(light(&image, 30.0, 0.0).x, 0.0);
            assert!(light(&image, 30.0, 0.0).z > 0.1);
        }
    }
}

#[test]
fn a_gas_has_no_edge() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    let (_, picture) = spawn_camera(&mut app, SIZE);
    app.insert_resource(FluidGases(vec![2]));
    let steepest = |image: &Image| {
        let along = |y: i32| {
            (-60..60).map(move |x| {
                let [here, next] = [x, x + 1].map(|x| at(image, x as f32, y as f32)[2]);
                here.abs_diff(next)
            })
        };
        (-40..40).flat_map(along).max().expect("pixels")
    };
    set(&mut app, body(2, |at| at.length() < 25.0));
    let gas = shoot(&mut app, &picture);
    assert!(light(&gas, 0.0, 0.0).z > 0.3, "{}", light(&gas, 0.0, 0.0));
    let haze = steepest(&gas);
    // As a liquid, the same particles have an edge of a pixel.
    app.insert_resource(FluidGases::default());
    let liquid = steepest(&shoot(&mut app, &picture));
    assert!(u32::from(haze) * 6 < u32::from(liquid), "{haze}, {liquid}");
}

#[test]
fn what_glows_lights_the_gas_around_it() {
    if !adapter_found() {
        return;
    }
    let mut app = drawing_app(FluidRenderPlugin::default());
    let (_, picture) = spawn_camera(&mut app, SIZE);
    app.insert_resource(FluidGases(vec![2]));
    surface(&mut app).look.glow = 3.0;
    surface(&mut app).gas_look.glow = 0.0;
    app.world_mut().resource_mut::<FluidPalette>().set([Color::BLACK, Color::BLACK, Color::WHITE]);
    let mut shoot_at = |heat| {
        let liquid =
            body(0, |at| at.y < -50.0).into_iter().map(|at| at.with_heat_and_foam(heat, 0.0));
        let gas = body(2, |at| at.y > -40.0 && at.y < 40.0);
        set(&mut app, liquid.chain(gas));
        shoot(&mut app, &picture)
    };
    let [cold, hot] = [0.0, 1.0].map(&mut shoot_at);
    let gain = |y: f32| light(&hot, 0.0, y) - light(&cold, 0.0, y);
    // More when closer, and more red than blue.
    assert!(
        gain(-30.0).x > 0.1 && gain(-30.0).x > 2.0 * gain(30.0).x,
        "{} {}",
        gain(-30.0),
        gain(30.0)
    );
    assert!(gain(-30.0).x > 2.0 * gain(-30.0).z, "{}", gain(-30.0));
}

#[test]
fn the_air_between_pools_makes_no_difference() {
    if !adapter_found() {
        return;
    }
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
        let mut app = drawing_app(FluidRenderPlugin { half_floats, ..default() });
        // Caustics move.
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
        let (camera, picture) = spawn_camera(&mut app, SIZE);
        let transform = Transform::from_translation(place.extend(0.0))
            .with_rotation(Quat::from_rotation_z(turn))
            .with_scale(Vec3::splat(scale));
        app.world_mut().entity_mut(camera).insert((transform, msaa));
        let stripes = Sprite {
            custom_size: Some(Vec2::splat(200.0)),
            ..Sprite::from_image(stripes(&mut app))
        };
        app.world_mut().spawn((stripes, Transform::from_xyz(0.0, 0.0, -1.0)));
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

#[derive(Asset, AsBindGroup, TypePath, Clone)]
struct Striped {
    #[uniform(0)]
    color_and_width: Vec4,
}

impl CustomSurfaceLook for Striped {
    fn fragment_shader() -> ShaderRef {
        STRIPED.into()
    }
}

const STRIPED: Handle<Shader> = bevy::asset::uuid_handle!("6d1f2a52-2f2c-4a6f-9c7c-0b3a5f0f5d11");

#[test]
fn games_bring_shaders_of_their_own() {
    if !adapter_found() {
        return;
    }
    let mut app = app_with(
        |_| {},
        |app| {
            app.add_plugins((
                FluidRenderPlugin::default(),
                FluidCustomLookPlugin::<Striped>::default(),
            ));
        },
    );
    let source = "
        #import bevy_blob_fluid::surface::{SurfaceVertex, finish, liquid_at, shade}

        @group(2) @binding(0) var<uniform> stripes: vec4<f32>;

        @fragment
        fn fragment(in: SurfaceVertex) -> @location(0) vec4<f32> {
            var liquid = liquid_at(in);
            let stripe = step(0.5, fract(liquid.world.y / stripes.w));
            liquid.color = vec4(mix(liquid.color.rgb, stripes.rgb, stripe), liquid.color.a);
            return finish(in, liquid, shade(liquid));
        }";
    let shader = Shader::from_wgsl(source, "striped.wgsl");
    app.world_mut().resource_mut::<Assets<Shader>>().insert(&STRIPED, shader).expect("a new id");
    app.insert_resource(FluidInterpolation(1.0));
    app.world_mut().resource_mut::<FluidPalette>().set([Color::srgb(0.0, 0.0, 1.0)]);
    let striped = Striped { color_and_width: Vec4::new(1.0, 0.0, 0.0, 20.0) };
    let striped = app.world_mut().resource_mut::<Assets<Striped>>().add(striped);
    let surface = FluidSurface::from(FluidSurfaceLook::FLAT);
    let entity = app.world_mut().spawn((surface, FluidCustomLook(striped))).id();
    let (_, picture) = spawn_camera(&mut app, SIZE);
    set(&mut app, body(0, |_| true));
    // The shader arrives with the first frame.
    app.update();
    let image = shoot(&mut app, &picture);
    assert!(alike(at(&image, 0.0, 5.0), BLUE, 4), "{:?}", at(&image, 0.0, 5.0));
    assert!(alike(at(&image, 0.0, 15.0), RED, 4), "{:?}", at(&image, 0.0, 15.0));
    app.world_mut().entity_mut(entity).remove::<FluidCustomLook<Striped>>();
    assert!(alike(at(&shoot(&mut app, &picture), 0.0, 15.0), BLUE, 4));
}

#[test]
fn an_app_without_looks_is_given_a_surface() {
    if !adapter_found() {
        return;
    }
    let mut app = app_with(
        |_| {},
        |app| {
            app.add_plugins(FluidRenderPlugin::default());
        },
    );
    app.update();
    assert_eq!(*surface(&mut app), FluidSurface::default());
}
