//! Pictures of closed surfaces.

use bevy::render::render_resource::AsBindGroup;
use bevy::shader::{Shader, ShaderRef};
use bevy_blob_fluid::blob_fluid::FluidWorld;
use bevy_blob_fluid::blob_fluid::measure::{Outline, OutlineSettings, outlines};
use bevy_blob_fluid::render::raw::{
    FluidBlending, FluidInstance, FluidInstances, FluidInterpolation, FluidPalette,
};
use bevy_blob_fluid::render::{
    CustomSurfaceLook, FluidCustomLook, FluidCustomLookPlugin, FluidRenderPlugin,
    FluidSurfaceMixing, FluidSurfaceQuality,
};

use crate::app::*;
use crate::drawing::cameras::{
    BLACK, BLUE, GREEN, RED, SIZE, SPACING, alike, body, flat, flat_app, lattice, set, surface,
};
use crate::pictures::{at, drawing, shoot, spawn_camera};

#[test]
fn a_body_has_one_colour_and_a_smooth_edge() {
    let Some((mut app, picture)) = flat() else { return };
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

/// The area of green liquid in a picture, in pixels.
fn green_area(image: &Image) -> f32 {
    let pixels = (0..SIZE * SIZE).map(|index| (index % SIZE, index / SIZE));
    pixels.map(|(x, y)| image.get_color_at(x, y).expect("inside").to_linear().green).sum()
}

#[test]
fn a_drop_alone_is_a_drop() {
    let Some((mut app, picture)) = flat() else { return };
    let drop = FluidInstance::new(Vec2::ZERO, Vec2::ZERO, 1, 3);
    set(&mut app, [drop.with_looseness(1.0)]);
    let image = shoot(&mut app, &picture);
    let area = green_area(&image);
    // Of the area that a particle has in the liquid, or a little more.
    let radius = (area / std::f32::consts::PI).sqrt() / SPACING;
    assert!(radius > 0.5 && radius < 0.66, "radius {radius} spacings");
    // It shrinks as it fades.
    set(&mut app, [drop.with_looseness(1.0).with_opacity(0.2)]);
    assert_eq!(at(&shoot(&mut app, &picture), 0.0, 0.0), BLACK);
}

#[test]
fn outlines_have_the_drawn_area() {
    let Some((mut app, picture)) = flat() else { return };
    let settings = FluidParameters { particle_spacing: SPACING, ..default() };
    for hole in [0.0, 24.0] {
        let ring = |place: Vec2| (hole..56.0).contains(&place.length());
        set(&mut app, body(1, ring));
        let image = shoot(&mut app, &picture);
        let drawn = green_area(&image);
        let mut world = FluidWorld::new(settings).expect("valid");
        for position in lattice(9, ring) {
            world.spawn(ParticleSpawn { position, ..default() }).expect("valid");
        }
        let lines = outlines(&world, &OutlineSettings::default()).expect("valid");
        let area: f64 = lines.iter().map(Outline::area).sum();
        let ratio = area / f64::from(drawn);
        println!("hole {hole}: outlines {area:.0}, drawn {drawn:.0}, ratio {ratio:.4}");
        assert!((ratio - 1.0).abs() < 0.01, "{area} and {drawn}");
    }
}

#[test]
fn classes_meet_at_a_line_or_blend() {
    let Some((mut app, picture)) = flat() else { return };
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
    let Some((mut app, picture)) = flat() else { return };
    let mut particles = body(1, |index| index.x < -16.0);
    particles.extend(body(2, |index| index.x > 16.0));
    set(&mut app, particles);
    let half = FluidSurfaceLook { opacity: 0.5, ..FluidSurfaceLook::FLAT };
    let outlined = FluidSurfaceLook {
        outline_width: 1.0,
        outline_color: Color::srgb(1.0, 0.0, 0.0),
        ..FluidSurfaceLook::FLAT
    };
    let looks = FluidSurface::from(outlined).with_look(ClassId(2), half);
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
    let Some((mut app, picture)) = flat() else { return };
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
    // Foam floats: it is at the surface and not far below.
    let image = shoot(&mut app, &picture);
    assert!(alike(at(&image, 0.0, 33.0), [255; 3], 4));
    // The cheapest quality does without either.
    surface(&mut app).quality = FluidSurfaceQuality::Low;
    assert!(alike(at(&shoot(&mut app, &picture), 0.0, 0.0), BLUE, 4));
    // It is what is drawn of every quality where there is no time for more.
    surface(&mut app).quality = FluidSurfaceQuality::High;
    app.insert_resource(FluidDetail::Coarse);
    assert!(alike(at(&shoot(&mut app, &picture), 0.0, 33.0), [255; 3], 4));
    app.insert_resource(FluidDetail::Coarsest);
    assert!(alike(at(&shoot(&mut app, &picture), 0.0, 0.0), BLUE, 4));
}

#[test]
fn colours_may_go_by_particle() {
    let Some((mut app, picture)) = flat() else { return };
    let gradient = (0..=255).map(|step| Color::srgb(0.0, f32::from(step as u8) / 255.0, 0.0));
    app.resource_mut::<FluidPalette>().set_by_instance(gradient);
    let particles = body(0, |_| true)
        .into_iter()
        .map(|particle| particle.with_color(if particle.position().x < 0.0 { 30 } else { 220 }));
    set(&mut app, particles);
    let image = shoot(&mut app, &picture);
    assert!(alike(at(&image, -30.0, 0.0), [0, 30, 0], 3));
    assert!(alike(at(&image, 30.0, 0.0), [0, 220, 0], 3));
}

#[test]
fn fixed_point_fields_look_much_the_same() {
    let picture_with = |half_floats| {
        let mut app = flat_app(FluidRenderPlugin { half_floats, ..default() })?;
        let (_, picture) = spawn_camera(&mut app, SIZE);
        let mut particles = body(0, |particle| particle.x < 0.0 && particle.length() < 50.0);
        particles.extend(body(2, |particle| particle.x >= 0.0 && particle.length() < 50.0));
        set(&mut app, particles);
        Some(shoot(&mut app, &picture))
    };
    let (Some(floats), Some(bytes)) = (picture_with(true), picture_with(false)) else { return };
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
    let Some(mut app) = flat_app(FluidRenderPlugin::default()) else { return };
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
        app.insert(camera, Transform::from_scale(Vec3::splat(scale)));
        let pixel = at(&shoot(&mut app, &picture), 20.0, 0.0);
        assert!(alike(pixel, seen, 4), "{pixel:?} at {scale}");
    }
    app.resource_mut::<FluidInstances>().set(body(1, |_| true), 0.0);
    assert_eq!(at(&shoot(&mut app, &picture), 0.0, 0.0), BLACK, "particles without size");
    set(&mut app, []);
    assert_eq!(at(&shoot(&mut app, &picture), 0.0, 0.0), BLACK, "none any more");
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

/// A template is what Bevy's scenes spawn.
const fn has_a_template<T: FromTemplate>() {}

const _: () = has_a_template::<FluidCustomLook<Striped>>();

#[test]
fn games_bring_shaders_of_their_own() {
    let plugins = (FluidRenderPlugin::default(), FluidCustomLookPlugin::<Striped>::default());
    let Some(mut app) = drawing(plugins) else { return };
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
    app.resource_mut::<Assets<Shader>>().insert(&STRIPED, shader).expect("a new id");
    app.insert_resource(FluidInterpolation(1.0));
    app.resource_mut::<FluidPalette>().set([Color::srgb(0.0, 0.0, 1.0)]);
    let striped = Striped { color_and_width: Vec4::new(1.0, 0.0, 0.0, 20.0) };
    let striped = app.resource_mut::<Assets<Striped>>().add(striped);
    let entity = app.spawn((FluidSurface::from(FluidSurfaceLook::FLAT), FluidCustomLook(striped)));
    let (_, picture) = spawn_camera(&mut app, SIZE);
    set(&mut app, body(0, |_| true));
    // The shader arrives with the first frame.
    app.update();
    let image = shoot(&mut app, &picture);
    assert!(alike(at(&image, 0.0, 5.0), BLUE, 4), "{:?}", at(&image, 0.0, 5.0));
    assert!(alike(at(&image, 0.0, 15.0), RED, 4), "{:?}", at(&image, 0.0, 15.0));
    app.remove::<FluidCustomLook<Striped>>(entity);
    assert!(alike(at(&shoot(&mut app, &picture), 0.0, 15.0), BLUE, 4));
}

#[test]
fn an_app_without_looks_is_given_a_surface() {
    let Some(mut app) = drawing(FluidRenderPlugin::default()) else { return };
    app.update();
    assert_eq!(*surface(&mut app), FluidSurface::default());
}
