//! Pictures of gases.

use std::time::Duration;

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{ClearColorConfig, RenderTarget, Viewport};
use bevy::image::ImageSampler;
use bevy::mesh::Mesh2d;
use bevy::render::render_resource::TextureFormat;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::blob_fluid::FluidRegion;
use bevy_blob_fluid::blob_fluid::air::AirChannel;
use bevy_blob_fluid::blob_fluid::shape::Polyline;
use bevy_blob_fluid::render::raw::{
    FluidGases, FluidInstance, FluidInstances, FluidPalette, FluidWall, FluidWalls,
};
use bevy_blob_fluid::render::{FluidRenderPlugin, FluidSurfaceQuality};

use crate::app::*;
use crate::drawing::cameras::{
    BLACK, GREEN, RED, SIZE, SPACING, alike, body, flat, flat_app, lattice, mottled, set, surface,
};
use crate::pictures::{at, drawing_with, light, shoot, spawn_camera};

#[test]
fn a_gas_is_a_haze_up_to_the_liquid() {
    for half_floats in [true, false] {
        let Some(mut app) = flat_app(FluidRenderPlugin { half_floats, ..default() }) else {
            return;
        };
        let (_, picture) = spawn_camera(&mut app, SIZE);
        app.insert_resource(ClearColor(Color::srgb(1.0, 0.0, 0.0)));
        app.insert_resource(FluidGases(vec![2]));
        let haze = 0.8;
        surface(&mut app).gas_look.haze = haze;
        for layers in 1..=2 {
            let gas = (0..layers).flat_map(|_| body(2, |_| true));
            let liquid = body(1, |at| at.x > 0.0);
            set(&mut app, liquid.into_iter().chain(gas));
            let image = shoot(&mut app, &picture);
            // Beer and Lambert: what passes is exp(-thickness), and eddies change the thickness by half.
            let thickness = haze * layers as f32;
            let (least, most) = ((-1.5 * thickness).exp(), (-0.5 * thickness).exp());
            for (x, y) in (-40..=-16).flat_map(|x| (-30..=30).map(move |y| (x as f32, y as f32))) {
                let [passes, _, gas] = light(&image, x, y).to_array();
                // A byte has a limited number of shades, and puffs overlap unevenly.
                assert!(
                    passes > 0.9 * least && passes < 1.1 * most,
                    "{passes} of {least} to {most}"
                );
                assert!(gas > 0.1, "{gas}");
            }
            // What the liquid takes the place of is not seen.
            assert_eq!(at(&image, 30.0, 0.0), GREEN);
        }
    }
}

#[test]
fn a_gas_has_no_edge() {
    let Some((mut app, picture)) = flat() else { return };
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
    let Some((mut app, picture)) = flat() else { return };
    app.insert_resource(FluidGases(vec![2]));
    surface(&mut app).look.glow = 3.0;
    surface(&mut app).gas_look.glow = 0.0;
    app.resource_mut::<FluidPalette>().set([Color::BLACK, Color::BLACK, Color::WHITE]);
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
fn a_turned_camera_sees_the_same_eddies() {
    let Some(mut app) = flat_app(FluidRenderPlugin::default()) else { return };
    let (camera, picture) = spawn_camera(&mut app, SIZE);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    app.insert_resource(ClearColor(Color::srgb(1.0, 0.0, 0.0)));
    app.insert_resource(FluidGases(vec![2]));
    surface(&mut app).gas_look.haze = 0.8;
    set(&mut app, body(2, |at| at.length() < 25.0));
    let upright = shoot(&mut app, &picture);
    let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    app.insert(camera, Transform::from_rotation(quarter));
    let turned = shoot(&mut app, &picture);
    // What shines through: the light is that of the view. Its right is the world's up.
    let passes = |image: &Image, x: i32, y: i32| at(image, x as f32, y as f32)[0];
    let mut worst = 0;
    for (x, y) in (-60..60).flat_map(|x| (-60..60).map(move |y| (x, y))) {
        worst = worst.max(passes(&upright, x, y).abs_diff(passes(&turned, y - 1, -x)));
    }
    assert!(worst < 12, "{worst}");
}

/// A round glass and a box, both of lines with these thicknesses, filled by `fill`, and seen by a camera that shows so many
/// world units in a pixel.
fn glasses(
    thicknesses: [f32; 2],
    units_per_pixel: f32,
    fill: impl FnOnce(&mut App),
) -> Option<Image> {
    let mut app = drawing_with(
        |_| {},
        |app| {
            app.add_plugins(BlobFluidPlugins::default());
            app.insert_resource(FluidSettings::new(8.0, Vec2::new(0.0, -600.0)));
        },
    )?;
    app.spawn(FluidContainer::from(Rectangle::new(620.0, 460.0)));
    let ring = (0..=24)
        .map(|part| ROUND + RADIUS * Vec2::from_angle(std::f32::consts::TAU * part as f32 / 24.0));
    let ring = Polyline::new(ring, thicknesses[0]).expect("valid");
    app.spawn(FluidCollider::new(FluidShape::Polyline(ring)));
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let corners = corners.map(|corner| BOXED + HALF_BOX * Vec2::from(corner));
    let lines = Polyline::new(corners, thicknesses[1]).expect("valid");
    app.spawn(FluidCollider::new(FluidShape::Polyline(lines)));
    fill(&mut app);
    app.clock().pause();
    let (camera, picture) = spawn_camera(&mut app, 640);
    app.insert(camera, Transform::from_scale(Vec3::splat(units_per_pixel)));
    Some(shoot(&mut app, &picture))
}

const ROUND: Vec2 = Vec2::new(-160.0, 40.0);
const RADIUS: f32 = 110.0;
const BOXED: Vec2 = Vec2::new(140.0, 40.0);
const HALF_BOX: f32 = 100.0;

/// Asserts that something is seen everywhere inside of the glasses, and nowhere outside.
fn assert_fills_glasses(image: &Image, thicknesses: [f32; 2], units_per_pixel: f32) {
    let (mut outside, mut inside, mut dark) = (0, 0, 0);
    let [ring, lines] = thicknesses.map(|thickness| 0.5 * thickness);
    for (x, y) in (-320..320).flat_map(|x| (-319..=320).map(move |y| (x as f32, y as f32))) {
        let world = Vec2::new(x + 0.5, y - 0.5) * units_per_pixel;
        let seen = at(image, x, y) != BLACK;
        let round = world.distance(ROUND);
        let boxed = (world - BOXED).abs().max_element();
        let is_outside = round > RADIUS + ring && boxed > HALF_BOX + lines;
        outside += usize::from(is_outside && seen);
        // The ring is a polygon.
        let is_inside = round < 0.99 * RADIUS - ring - 1.0 - units_per_pixel
            || boxed < HALF_BOX - lines - 1.0 - units_per_pixel;
        inside += usize::from(is_inside);
        dark += usize::from(is_inside && !seen);
    }
    assert!(inside > 10_000, "{inside} pixels");
    assert_eq!(outside, 0, "pixels outside at {units_per_pixel} units per pixel");
    assert_eq!(dark, 0, "pixels without gas at {units_per_pixel} units per pixel");
}

#[test]
fn no_gas_is_seen_outside_of_its_vessel_at_any_zoom() {
    let thicknesses = [10.0, 3.0];
    for units_per_pixel in [0.4, 1.0, 2.5] {
        let image = glasses(thicknesses, units_per_pixel, |app| {
            let at = |place: Vec2| xy(place.x, place.y);
            app.spawn((FluidBlob::from(Circle::new(95.0)), FluidMadeOf::STEAM, at(ROUND)));
            let blob = FluidBlob::from(Rectangle::new(180.0, 180.0));
            app.spawn((blob, FluidMadeOf::STEAM, at(BOXED)));
            app.updates(100);
        });
        let Some(image) = image else { return };
        assert_fills_glasses(&image, thicknesses, units_per_pixel);
    }
}

#[test]
fn no_smoke_of_air_is_seen_beyond_thin_lines_at_any_zoom() {
    // Cells are 12 wide.
    for thicknesses in [[0.0, 0.0], [3.0, 6.0]] {
        for units_per_pixel in [0.4, 1.0, 2.5] {
            let image = glasses(thicknesses, units_per_pixel, |app| {
                let air = app.spawn(FluidAir::new(620.0, 460.0).with_cell_size(12.0));
                app.updates(2);
                let id = app.component::<FluidAirState>(air).id().expect("there is air");
                let mut fluid = app.fluid_mut();
                let air = fluid.air_mut(id).expect("there is air");
                let round = FluidRegion::circle(ROUND, 0.995 * RADIUS).expect("valid");
                let boxed = FluidRegion::rectangle(BOXED, Vec2::splat(HALF_BOX)).expect("valid");
                for region in [round, boxed] {
                    air.fill_channel(AirChannel::Smoke, &region, 2.0).expect("valid");
                }
                app.updates(2);
            });
            let Some(image) = image else { return };
            assert_fills_glasses(&image, thicknesses, units_per_pixel);
        }
    }
}

/// Gas or smoke fills a tilted container around a thick collider, neither of which is drawn. It is seen up to the walls, and
/// not beyond, except within `blur` of a wall.
fn assert_ends_at_walls(units_per_pixel: f32, blur: f32, fill: impl FnOnce(&mut App)) {
    let app = drawing_with(
        |_| {},
        |app| {
            app.add_plugins(BlobFluidPlugins::default());
            app.insert_resource(FluidSettings::new(8.0, Vec2::new(0.0, -600.0)));
        },
    );
    let Some(mut app) = app else { return };
    let half_size = Vec2::new(150.0, 100.0);
    let tilted = xy(13.0, 7.0).with_rotation(Quat::from_rotation_z(0.3));
    app.spawn((FluidContainer::from(Rectangle::from_size(2.0 * half_size)), tilted));
    app.spawn((FluidCollider::from(Circle::new(45.0)), tilted));
    fill(&mut app);
    app.clock().pause();
    let (camera, picture) = spawn_camera(&mut app, 640);
    app.insert(camera, Transform::from_scale(Vec3::splat(units_per_pixel)));
    let image = shoot(&mut app, &picture);
    let (mut inside, mut wrong) = (0, Vec::new());
    for (x, y) in (-320..320).flat_map(|x| (-319..=320).map(move |y| (x as f32, y as f32))) {
        let world = Vec2::new(x + 0.5, y - 0.5) * units_per_pixel;
        let local = tilted.to_matrix().inverse().transform_point3(world.extend(0.0)).truncate();
        let before_walls = (half_size - local.abs()).min_element().min(local.length() - 45.0);
        inside += usize::from(before_walls > blur);
        let is_seen = at(&image, x, y) != BLACK;
        if before_walls.abs() > blur + units_per_pixel && is_seen != (before_walls > 0.0) {
            wrong.push((local, is_seen));
        }
    }
    assert!(inside > 5_000, "{inside} pixels");
    let few = &wrong[..wrong.len().min(5)];
    assert!(wrong.is_empty(), "{} pixels at {units_per_pixel}, such as {few:?}", wrong.len());
}

#[test]
fn gas_ends_at_the_walls_of_containers_and_thick_colliders() {
    for units_per_pixel in [0.4, 1.0, 2.5] {
        assert_ends_at_walls(units_per_pixel, 1.0, |app| {
            let tilted = xy(13.0, 7.0).with_rotation(Quat::from_rotation_z(0.3));
            let blob = FluidBlob::from(Rectangle::new(290.0, 190.0));
            app.spawn((blob, FluidMadeOf::STEAM, tilted));
            app.updates(100);
        });
    }
}

/// The picture of steam of a size at a place, turned, after a second and a half, beside solids that are not drawn.
fn steam_beside(
    units_per_pixel: f32,
    size: Vec2,
    transform: Transform,
    solids: impl FnOnce(&mut App),
) -> Option<Image> {
    let mut app = drawing_with(
        |_| {},
        |app| {
            app.add_plugins(BlobFluidPlugins::default());
            app.insert_resource(FluidSettings::new(8.0, Vec2::new(0.0, -600.0)));
        },
    )?;
    solids(&mut app);
    app.spawn((FluidBlob::from(Rectangle::from_size(size)), FluidMadeOf::STEAM, transform));
    app.updates(100);
    app.clock().pause();
    let (camera, picture) = spawn_camera(&mut app, 640);
    app.insert(camera, Transform::from_scale(Vec3::splat(units_per_pixel)));
    Some(shoot(&mut app, &picture))
}

/// Asserts that nothing is seen more than a unit and a pixel beyond walls. `inside` is the distance inside of them.
fn assert_nothing_beyond(image: &Image, units_per_pixel: f32, inside: impl Fn(Vec2) -> f32) {
    let pixels = (-320..320).flat_map(|x| (-319..=320).map(move |y| (x as f32, y as f32)));
    let seen = |(x, y): &(f32, f32)| at(image, *x, *y) != BLACK;
    let (all, beyond): (Vec<_>, Vec<_>) = pixels.filter(seen).partition(|(x, y)| {
        inside(Vec2::new(x + 0.5, y - 0.5) * units_per_pixel) > -1.0 - units_per_pixel
    });
    assert!(all.len() > 3_000, "{} pixels", all.len());
    let few = &beyond[..beyond.len().min(5)];
    assert!(beyond.is_empty(), "{} pixels at {units_per_pixel}, such as {few:?}", beyond.len());
}

#[test]
fn gas_ends_where_the_walls_of_several_solids_meet() {
    // A thin closed line, whose first and last part meet in a corner.
    let corners = [(-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let corners = corners.map(|corner| Vec2::new(100.0, 90.0) * Vec2::from(corner));
    for units_per_pixel in [0.4, 1.0] {
        let image = steam_beside(units_per_pixel, Vec2::new(192.0, 172.0), xy(0.0, 0.0), |app| {
            let closed = Polyline::new(corners, 0.0).expect("valid");
            app.spawn(FluidCollider::new(FluidShape::Polyline(closed)));
        });
        let Some(image) = image else { return };
        assert_nothing_beyond(&image, units_per_pixel, |place| {
            (Vec2::new(100.0, 90.0) - place.abs()).min_element()
        });
    }
    // A round container, and a line that divides it and sticks out of it. Steam is on one side.
    let [from, to] = [Vec2::new(-140.0, -60.0), Vec2::new(140.0, 80.0)];
    let left = (to - from).normalize().perp();
    let side = Transform::from_rotation(Quat::from_rotation_z((to - from).to_angle()))
        .with_translation((from.midpoint(to) + 66.0 * left).extend(0.0));
    for units_per_pixel in [0.4, 1.0] {
        let image = steam_beside(units_per_pixel, Vec2::new(600.0, 120.0), side, |app| {
            app.spawn(FluidContainer::from(Circle::new(130.0)));
            let line = Polyline::new([from, to], 3.0).expect("valid");
            app.spawn(FluidCollider::new(FluidShape::Polyline(line)));
        });
        let Some(image) = image else { return };
        assert_nothing_beyond(&image, units_per_pixel, |place| {
            // Beside a line, solids are known from texels of 4/3 particle spacings, which are read smoothly.
            let blur = 2.0 * 4.0 / 3.0 * 8.0;
            let along_line = (place - from).dot(left).abs() < blur;
            let within = 130.0 - place.length() + if along_line { blur } else { 0.0 };
            within.min((place - from).dot(left))
        });
    }
}

#[test]
fn smoke_of_air_ends_at_the_walls_of_containers_and_thick_colliders() {
    for units_per_pixel in [0.4, 1.0, 2.5] {
        // At corners, half of a cell is cut off.
        assert_ends_at_walls(units_per_pixel, 0.5 * 12.0, |app| {
            let air = app.spawn(FluidAir::new(620.0, 460.0).with_cell_size(12.0));
            app.updates(2);
            let id = app.component::<FluidAirState>(air).id().expect("there is air");
            let mut fluid = app.fluid_mut();
            let air = fluid.air_mut(id).expect("there is air");
            let everywhere = FluidRegion::rectangle(Vec2::ZERO, Vec2::splat(300.0)).expect("valid");
            air.fill_channel(AirChannel::Smoke, &everywhere, 2.0).expect("valid");
            app.updates(2);
        });
    }
}

// Pictures of air beside liquid.

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

// How liquid is lit: by depth, from above, at walls, by what it mirrors, and under a crust.

/// The sum of a pixel's colours.
fn brightness(image: &Image, x: f32, y: f32) -> u32 {
    at(image, x, y).iter().map(|channel| u32::from(*channel)).sum()
}

/// A pool of the middle colour whose level surface is at a height, drawn with a look.
fn pool(look: FluidSurfaceLook, size: u32, level: f32) -> Option<(App, Handle<Image>)> {
    let mut app = flat_app(FluidRenderPlugin::default())?;
    let (_, picture) = spawn_camera(&mut app, size);
    let side = (size as f32 / SPACING) as i32;
    let particles = lattice(side, |place| place.y < level);
    set(&mut app, particles.map(|at| FluidInstance::new(at, at, 1, 3)));
    *surface(&mut app) = look.into();
    Some((app, picture))
}

#[test]
fn deep_liquid_tends_to_the_colour_of_the_deep() {
    let deep_blue = Color::srgb(0.0, 0.0, 1.0);
    let look = FluidSurfaceLook { depth_color: deep_blue, depth: 40.0, ..FluidSurfaceLook::FLAT };
    let Some((mut app, picture)) = pool(look, 512, 100.0) else { return };
    let image = shoot(&mut app, &picture);
    // Blue grows all the way down, 40 spacings deep, and without a step.
    let blues: Vec<i32> = (0..40)
        .map(|spacings| i32::from(at(&image, 0.0, 92.0 - spacings as f32 * SPACING)[2]))
        .collect();
    let rises = blues.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(rises.clone().all(|rise| (-2..40).contains(&rise)), "{blues:?}");
    assert!(blues[0] < 110 && blues[39] > 160 && blues[10] < blues[25] - 10, "{blues:?}");
    // A stream of a few particles keeps its own colour.
    let particles = lattice(30, |place| place.x.abs() < 1.5 * SPACING);
    set(&mut app, particles.map(|at| FluidInstance::new(at, at, 1, 3)));
    let stream = at(&shoot(&mut app, &picture), 0.0, 0.0);
    assert!(stream[1] > 225 && stream[2] < 110, "{stream:?}");
}

#[test]
fn light_comes_from_above() {
    let Some((mut app, picture)) = flat() else { return };
    let look = FluidSurfaceLook {
        rim_light: 1.0,
        sky_color: Color::srgba(1.0, 0.0, 0.0, 1.0),
        ..FluidSurfaceLook::FLAT
    };
    *surface(&mut app) = look.into();
    // Half as bright as it may be, so that no light is cut off.
    app.resource_mut::<FluidPalette>().set([Color::BLACK, Color::srgb(0.0, 0.5, 0.0)]);
    set(&mut app, body(1, |place| place.abs().max_element() < 44.0));
    let image = shoot(&mut app, &picture);
    // The band is as wide as a spacing, has the colour of the sky, and lies where the surface faces up.
    let red = |x, y| at(&image, x, y)[0];
    let most = (36..48).map(|y| red(0.0, y as f32)).max();
    assert!(most > Some(150), "{most:?}");
    for (x, y) in [(0.0, 42.0 - 2.0 * SPACING), (42.0, 0.0), (-42.0, 0.0), (0.0, -42.0)] {
        assert!(red(x, y) < 40, "{} at {x}, {y}", red(x, y));
    }
    assert!(at(&image, 0.0, -42.0)[1] < at(&image, 0.0, 0.0)[1], "no shade below");
}

#[test]
fn liquid_is_darker_where_it_meets_a_wall_and_a_drop_hangs_there_round() {
    let Some(mut app) = flat_app(FluidRenderPlugin::default()) else { return };
    let (_, picture) = spawn_camera(&mut app, 128);
    *surface(&mut app) = FluidSurfaceLook { rim_light: 0.6, ..FluidSurfaceLook::FLAT }.into();
    // Liquid is on the left of a wall that runs upwards.
    let (start, end) = (Vec2::new(0.0, -200.0), Vec2::new(0.0, 200.0));
    app.resource_mut::<FluidWalls>().set([FluidWall::line(start, end, 0.5)]);
    set(&mut app, body(1, |place| place.x < -0.4 * SPACING));
    // Half as bright as it may be, so that no light is cut off.
    app.resource_mut::<FluidPalette>().set([Color::BLACK, Color::srgb(0.0, 0.5, 0.0)]);
    let image = shoot(&mut app, &picture);
    let [near, far] = [-1.5, -2.0 * SPACING].map(|x| brightness(&image, x, 0.0));
    assert!(near + 10 < far, "{near} {far}");
    // A drop that touches the wall is widest there, and narrows away from it.
    *surface(&mut app) = FluidSurfaceLook::FLAT.into();
    let drop = FluidInstance::new(Vec2::new(-1.0, 0.0), Vec2::new(-1.0, 0.0), 1, 3);
    app.resource_mut::<FluidInstances>().set([drop.with_looseness(1.0)], SPACING);
    let image = shoot(&mut app, &picture);
    let height = |x: f32| (-20..20).filter(|y| at(&image, x, *y as f32 + 0.5)[1] > 100).count();
    let heights = [-1.5, -3.5, -4.5].map(height);
    assert!(heights[0] > 5 && heights[0] > heights[2] + 1, "{heights:?}");
}

#[test]
fn metal_mirrors_a_bright_ceiling_and_a_dark_horizon() {
    let Some((mut app, picture)) = flat() else { return };
    *surface(&mut app) = FluidSurfaceLook::MERCURY.into();
    set(&mut app, body(1, |place| place.length() < 44.0));
    let image = shoot(&mut app, &picture);
    let [top, middle] = [36.0, -6.0].map(|y| brightness(&image, 0.0, y));
    assert!(top > middle + 150, "{top} {middle}");
}

#[test]
fn a_crust_covers_what_is_less_hot() {
    let Some((mut app, picture)) = flat() else { return };
    *surface(&mut app) = FluidSurfaceLook::LAVA.into();
    let mut covered = |heat| {
        let lava = mottled(1, Vec2::ZERO, |place| place.length() < 60.0).into_iter();
        set(&mut app, lava.map(|particle| particle.with_heat_and_foam(heat, 0.0)));
        let image = shoot(&mut app, &picture);
        let places = (-20..20).flat_map(|x| (-20..20).map(move |y| (x as f32, y as f32)));
        places.filter(|(x, y)| at(&image, *x, *y)[0] < 120).count()
    };
    let [hot, cooling, cool] = [1.0, 0.75, 0.45].map(&mut covered);
    assert_eq!(hot, 0);
    // The crust is broken where it begins to cover the lava.
    assert!(cooling > 50 && cool > cooling + 100, "{cooling} {cool} of 1600");
}

#[test]
fn grains_show_in_a_powder_and_vanish_where_they_are_narrower_than_pixels() {
    let Some((mut app, picture)) = flat() else { return };
    set(&mut app, body(1, |place| place.length() < 60.0));
    app.resource_mut::<FluidPalette>().set([Color::BLACK, Color::srgb(0.5, 0.5, 0.5)]);
    let mut contrast = |grain, grain_size| {
        *surface(&mut app) =
            FluidSurfaceLook { grain, grain_size, ..FluidSurfaceLook::FLAT }.into();
        let image = shoot(&mut app, &picture);
        let places = (-20..20).flat_map(|x| (-20..20).map(move |y| (x as f32, y as f32)));
        let shades: Vec<u32> = places.map(|(x, y)| brightness(&image, x, y)).collect();
        shades.iter().max().expect("some") - shades.iter().min().expect("some")
    };
    let [none, some, more, narrow] =
        [(0.0, 1.0), (0.5, 1.0), (1.0, 1.0), (1.0, 0.2)].map(|(grain, size)| contrast(grain, size));
    assert!(none < 12 && some > 80 && more > some + 40, "{none} {some} {more}");
    // A pixel is an eighth of a spacing.
    assert!(narrow < more / 3, "{narrow} {more}");
}

/// How much a picture of mottled liquid beside drops of other classes changes when all of it moves: seen from where it
/// moved to, and from where it was.
fn change_by_motion(half_floats: bool, others: &[u8], heat: f32, foam: f32) -> Option<[u32; 2]> {
    let mut app = flat_app(FluidRenderPlugin { half_floats, ..default() })?;
    let (_, picture) = spawn_camera(&mut app, 128);
    let foaming = FluidSurfaceLook { foam_color: Color::WHITE, ..FluidSurfaceLook::FLAT };
    *surface(&mut app) = if heat > 0.0 { FluidSurfaceLook::LAVA } else { foaming }.into();
    let shift = Vec2::new(9.0, -5.0);
    let [before, after] = [Vec2::ZERO, shift].map(|shift| {
        let liquid = mottled(1, shift, |place| place.length() < 52.0).into_iter();
        let drops = others.iter().map(|class| {
            let corner = Vec2::new(-60.0 + 24.0 * f32::from(*class), 62.0);
            FluidInstance::new(corner, corner, *class, 3)
        });
        let all = liquid.chain(drops).map(|particle| particle.with_heat_and_foam(heat, foam));
        set(&mut app, all.collect::<Vec<_>>());
        shoot(&mut app, &picture)
    });
    let seen_from = |shift: Vec2| {
        let places = (-24..24).flat_map(|x| (-24..24).map(move |y| Vec2::new(x as f32, y as f32)));
        let each = places.map(|place| {
            let there = place + shift;
            brightness(&before, place.x, place.y).abs_diff(brightness(&after, there.x, there.y))
        });
        each.sum::<u32>()
    };
    Some([shift, Vec2::ZERO].map(seen_from))
}

#[test]
#[ignore = "long: .ci/run"]
fn patterns_of_foam_and_crust_move_with_the_liquid() {
    for half_floats in [true, false] {
        // One liquid, two, and so many that each has a tile.
        for others in [&[][..], &[0], &[0, 2, 3, 4]] {
            for (heat, foam) in [(0.75, 0.0), (0.0, 0.4)] {
                let Some([moved, stayed]) = change_by_motion(half_floats, others, heat, foam)
                else {
                    return;
                };
                // The field's texels stay where they are, so the pattern is not the same to the pixel.
                assert!(
                    moved * 2 < stayed,
                    "{moved} where it moved to and {stayed} where it was, with half floats: {half_floats}, beside \
                     {others:?}, heat {heat}, foam {foam}"
                );
            }
        }
    }
}

// What lies behind a surface.

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
