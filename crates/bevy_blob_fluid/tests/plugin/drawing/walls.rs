//! Pictures of surfaces that meet walls, and of walls that are drawn.

use std::f32::consts::FRAC_PI_2;

use bevy_blob_fluid::blob_fluid::shape::{FluidShape, Polyline};
use bevy_blob_fluid::render::FluidRenderPlugin;
use bevy_blob_fluid::render::raw::{FluidInstance, FluidPalette, FluidWall, FluidWalls};

use crate::app::*;
use crate::drawing::cameras::{SPACING, flat_app, lattice, set, surface};
use crate::pictures::{at, drawing_with, shoot, spawn_camera};

/// Width and height of the pictures, in pixels; a pixel is a world unit.
const SIZE: u32 = 256;

/// An app that simulates a liquid at its rest and draws it flat and opaque, and its picture.
fn pool(spawn: impl FnOnce(&mut World)) -> Option<(App, Handle<Image>)> {
    let mut app = drawing_with(
        |_| {},
        |app| {
            let settings = FluidSettings::new(SPACING, Vec2::new(0.0, -400.0));
            app.add_plugins(BlobFluidPlugins::default()).insert_resource(settings);
            app.spawn(FluidSurface::from(FluidSurfaceLook::FLAT));
            spawn(app.world_mut());
        },
    )?;
    // The first update only starts the clocks.
    app.update();
    for class in app.resource_mut::<FluidClasses>().iter_mut() {
        class.color = [1.0; 4];
    }
    app.updates(240);
    let (_, picture) = spawn_camera(&mut app, SIZE);
    Some((app, picture))
}

/// A box full of liquid.
fn filling(half_size: Vec2, centre: Vec2) -> impl Bundle {
    let rectangle = Rectangle::from_size(2.0 * half_size);
    (FluidBlob::from(rectangle), Transform::from_translation(centre.extend(0.0)))
}

/// How much liquid shows at a place: 0 for none, 1 for nothing else.
fn liquid(image: &Image, place: Vec2) -> f32 {
    f32::from(at(image, place.x, place.y)[1]) / 255.0
}

/// Points one by one along a line, with its normal to the left.
fn along(start: Vec2, end: Vec2) -> impl Iterator<Item = (Vec2, Vec2)> {
    let way = (end - start).normalize();
    let steps = start.distance(end) as u32;
    (0..=steps).map(move |step| (start + way * step as f32, way.perp()))
}

/// Asserts that there is liquid in the pixel before a wall, at points along it, and none in the one behind
/// it.
fn assert_meets(image: &Image, name: &str, wall: impl IntoIterator<Item = (Vec2, Vec2)>) {
    for (place, normal) in wall {
        let (before, behind) = (place + normal * 1.25, place - normal * 1.25);
        assert!(liquid(image, before) > 0.8, "{name}: a gap at {before}");
        assert!(liquid(image, behind) < 0.2, "{name}: liquid in the wall at {behind}");
    }
}

#[test]
fn a_pool_fills_its_corners_and_ends_at_its_walls() {
    let Some((mut app, picture)) = pool(|world| {
        world.spawn(FluidContainer::from(Rectangle::new(200.0, 180.0)));
        world.spawn(filling(Vec2::new(99.0, 50.0), Vec2::new(0.0, -39.0)));
    }) else {
        return;
    };
    let image = shoot(&mut app, &picture);
    let (left, right) = (Vec2::new(-100.0, -90.0), Vec2::new(100.0, -90.0));
    let up = Vec2::Y * 70.0;
    assert_meets(&image, "the bottom", along(left + Vec2::X, right - Vec2::X));
    assert_meets(&image, "the left wall", along(left + up, left + Vec2::Y));
    assert_meets(&image, "the right wall", along(right + Vec2::Y, right + up));
    // The surface is level up to the walls.
    let height =
        |x: f32| (-90..90).filter(|y| liquid(&image, Vec2::new(x, *y as f32)) > 0.5).count();
    let middle = height(-80.0).midpoint(height(80.0));
    for x in [-99.5, -97.0, -94.0, 94.0, 97.0, 99.5] {
        assert!(height(x).abs_diff(middle) <= 4, "{} of {middle} at {x}", height(x));
    }
    // Otherwise there are gaps and round corners.
    surface(&mut app).meets_walls = false;
    let image = shoot(&mut app, &picture);
    let corners = [left + Vec2::ONE, right + Vec2::new(-1.0, 1.0)];
    assert!(corners.iter().any(|corner| liquid(&image, *corner) < 0.8));
}

#[test]
fn a_round_container_is_filled_to_its_edge() {
    let Some((mut app, picture)) = pool(|world| {
        world.spawn(FluidContainer::from(Circle::new(110.0)));
        world.spawn(filling(Vec2::new(75.0, 75.0), Vec2::new(0.0, 0.0)));
    }) else {
        return;
    };
    let image = shoot(&mut app, &picture);
    let lower_half = (0..=160).map(|step| {
        let towards = Vec2::from_angle(-(10.0 + step as f32).to_radians());
        (towards * 110.0, -towards)
    });
    assert_meets(&image, "the container", lower_half);
    // Nor is there a hole anywhere else.
    for (x, y) in (-108..108).flat_map(|x| (-108..0).map(move |y| (x, y))) {
        let place = Vec2::new(x as f32, y as f32) + 0.5;
        let hole = place.length() < 108.0 && liquid(&image, place) < 0.8;
        assert!(!hole, "a hole at {place}");
    }
}

#[test]
fn a_gas_has_no_specks_along_a_round_wall() {
    let Some((mut app, picture)) = pool(|world| {
        world.spawn(FluidContainer::from(Circle::new(110.0)));
        world.spawn(filling(Vec2::new(75.0, 75.0), Vec2::ZERO));
    }) else {
        return;
    };
    surface(&mut app).look.haze = 1.0;
    let image = shoot(&mut app, &picture);
    // A speck is a texel of the gas's field. Eddies are many times as wide, so there the haze is nearly that between both sides.
    let speck = |turn: f32, depth: f32| {
        let [before, here, after] = [-1.5, 0.0, 1.5].map(|aside| {
            let radius = 110.0 - depth * SPACING;
            liquid(&image, Vec2::from_angle(turn + aside * SPACING / radius) * radius)
        });
        (here - before.midpoint(after)).abs()
    };
    let turns = (200..=340).map(|degrees| (degrees as f32).to_radians());
    let places = turns.flat_map(|turn| (2..12).map(move |step| (turn, 0.5 * step as f32)));
    let most = places.map(|(turn, depth)| speck(turn, depth)).fold(0.0, f32::max);
    // Eddies alone reach 0.04.
    assert!(most < 0.06, "specks of {most}");
}

#[test]
fn liquid_lies_against_a_turned_box_and_not_over_it() {
    let turned = Quat::from_rotation_z(0.5);
    let Some((mut app, picture)) = pool(|world| {
        world.spawn(FluidContainer::from(Rectangle::new(220.0, 220.0)));
        world.spawn((
            FluidCollider::from(Rectangle::new(70.0, 50.0)),
            xy(10.0, -40.0).with_rotation(turned),
        ));
        world.spawn(filling(Vec2::new(109.0, 90.0), Vec2::new(0.0, -19.0)));
    }) else {
        return;
    };
    let image = shoot(&mut app, &picture);
    let corners = [(35.0, 25.0), (-35.0, 25.0), (-35.0, -25.0), (35.0, -25.0)];
    let corner = |index: usize| {
        let (x, y) = corners[index % 4];
        Vec2::new(10.0, -40.0) + (turned * Vec3::new(x, y, 0.0)).truncate()
    };
    for face in 0..4 {
        // Clockwise, with the liquid on the left; but for the pixels at the corners.
        let (start, end) = (corner(face + 1), corner(face));
        let inset = 2.0 * (end - start).normalize();
        assert_meets(&image, "the box", along(start + inset, end - inset));
    }
    for face in 0..4 {
        let towards = (corner(face) - Vec2::new(10.0, -40.0)).normalize();
        assert!(liquid(&image, corner(face) + towards * 1.5) > 0.8, "a gap at a corner");
        assert!(liquid(&image, corner(face) - towards * 2.5) < 0.2, "liquid over a corner");
    }
}

#[test]
fn a_moving_collider_takes_its_edge_along() {
    let Some((mut app, picture)) = pool(|world| {
        world.spawn(FluidContainer::from(Rectangle::new(220.0, 220.0)));
        world.spawn(FluidCollider::from(Circle::new(30.0)));
        world.spawn(filling(Vec2::new(109.0, 109.0), Vec2::ZERO));
    }) else {
        return;
    };
    for step in 1..=3 {
        let centre = Vec2::new(-12.0 * step as f32, -4.0 * step as f32);
        let mut colliders = app.world_mut().query_filtered::<&mut Transform, With<FluidCollider>>();
        let mut transform = colliders.single_mut(app.world_mut()).expect("one collider");
        transform.translation = centre.extend(0.0);
        let image = shoot(&mut app, &picture);
        let around = (0..36).map(|step| Vec2::from_angle((10.0 * step as f32).to_radians()));
        for towards in around {
            let place = centre + towards * 28.5;
            assert!(liquid(&image, place) < 0.2, "liquid over the collider at {place}");
            // It pushes the liquid ahead of it.
            let before = centre + towards * 31.25;
            let is_ahead = towards.dot(centre.normalize()) > 0.5;
            assert!(!is_ahead || liquid(&image, before) > 0.8, "a gap at {before}");
        }
    }
}

/// A picture of the particles and walls a test puts there as flat, opaque liquid.
fn drawn(
    particles: impl IntoIterator<Item = Vec2>,
    walls: impl IntoIterator<Item = FluidWall>,
) -> Option<Image> {
    let mut app = flat_app(FluidRenderPlugin::default())?;
    app.resource_mut::<FluidPalette>().set([Color::WHITE]);
    set(&mut app, particles.into_iter().map(|place| FluidInstance::new(place, place, 0, 3)));
    app.resource_mut::<FluidWalls>().set(walls);
    let (_, picture) = spawn_camera(&mut app, SIZE);
    Some(shoot(&mut app, &picture))
}

#[test]
fn liquid_does_not_show_behind_a_thin_wall() {
    for (name, turn) in [("upright", 0.0), ("turned", 0.7)] {
        let direction = Vec2::from_angle(turn);
        let (start, end) = (direction.perp() * -200.0, direction.perp() * 200.0);
        // The outermost particles lie against the wall, or nearly a spacing from it.
        for gap in [0.01, 0.5 * SPACING, 0.8 * SPACING] {
            let particles = lattice(16, |place| place.x < 1e-3);
            let particles = particles.map(|place| direction.rotate(place) - direction * gap);
            let wall = FluidWall::line(start, end, 0.0);
            let Some(image) = drawn(particles, [wall]) else { return };
            let name = format!("{name}, {gap} away");
            assert_meets(
                &image,
                &name,
                along(end * 0.3, start * 0.3).map(|(place, normal)| (place, -normal)),
            );
            // Nowhere else behind it either.
            for (place, normal) in along(end * 0.4, start * 0.4) {
                for behind in 1..20 {
                    let place = place + normal * behind as f32;
                    assert!(liquid(&image, place) < 0.2, "{name}: liquid at {place}");
                }
            }
        }
    }
}

#[test]
fn a_wall_with_a_thickness_shows_in_the_liquid_as_it_is() {
    let Some((mut app, picture)) = pool(|world| {
        world.spawn(FluidContainer::from(Rectangle::new(220.0, 220.0)));
        let bent = [Vec2::new(-60.0, 40.0), Vec2::new(0.0, -40.0), Vec2::new(60.0, 0.0)];
        let wall = Polyline::new(bent, 6.0).expect("valid");
        world.spawn(FluidCollider::new(FluidShape::Polyline(wall)));
        world.spawn(filling(Vec2::splat(109.0), Vec2::ZERO));
    }) else {
        return;
    };
    let image = shoot(&mut app, &picture);
    for [start, end] in [[(-60.0, 40.0), (0.0, -40.0)], [(0.0, -40.0), (60.0, 0.0)]]
        .map(|ends| ends.map(Vec2::from))
    {
        let inset = 6.0 * (end - start).normalize();
        let left = (end - start).normalize().perp() * 3.0;
        let (start, end) = (start + inset, end - inset);
        assert_meets(&image, "the left side", along(start + left, end + left));
        assert_meets(&image, "the right side", along(end - left, start - left));
    }
}

#[test]
fn no_seam_shows_between_tiles() {
    let Some((mut app, picture)) = pool(|world| {
        world.spawn(FluidContainer::from(Rectangle::new(240.0, 240.0)));
        for column in 0..6 {
            for row in 0..2 {
                let place =
                    Vec3::new(-100.0 + 40.0 * column as f32, -100.0 + 40.0 * row as f32, 0.0);
                let tile = FluidCollider::from(Rectangle::new(40.0, 40.0));
                world.spawn((tile, Transform::from_translation(place)));
            }
        }
        world.spawn(filling(Vec2::new(119.0, 60.0), Vec2::new(0.0, 21.0)));
    }) else {
        return;
    };
    let image = shoot(&mut app, &picture);
    let (left, right) = (Vec2::new(-119.0, -40.0), Vec2::new(119.0, -40.0));
    assert_meets(&image, "the tiles", along(left, right));
    for x in -119..119 {
        for y in -119..-42 {
            let place = Vec2::new(x as f32, y as f32) + 0.5;
            assert!(liquid(&image, place) < 0.05, "liquid between tiles at {place}");
        }
    }
}

/// The outline of a box with rounded corners of many short faces, clockwise.
fn rounded_box(half: f32, radius: f32) -> Vec<Vec2> {
    let faces = 24;
    let corner = |quarter: i32| {
        let middle = Vec2::from_angle((quarter as f32 + 0.5) * FRAC_PI_2) * 2.0_f32.sqrt();
        (0..=faces).map(move |face| {
            let angle = (quarter as f32 + face as f32 / faces as f32) * FRAC_PI_2;
            middle * (half - radius) + Vec2::from_angle(angle) * radius
        })
    };
    let mut outline: Vec<Vec2> = (0..4).flat_map(corner).collect();
    outline.reverse();
    outline
}

#[test]
fn a_rounded_corner_is_solid_behind_all_its_faces() {
    let Some(mut app) = flat_app(FluidRenderPlugin::default()) else { return };
    let (_, picture) = spawn_camera(&mut app, SIZE);
    app.resource_mut::<FluidPalette>().set([Color::WHITE]);
    for (half, radius) in [(40.0, 8.0), (40.0, 16.0), (24.0, 4.0)] {
        let outline = rounded_box(half, radius);
        let ends = outline.iter().zip(outline.iter().cycle().skip(1));
        let faces = ends.map(|(start, end)| FluidWall::face(*start, *end, [false; 2]));
        app.resource_mut::<FluidWalls>().set(faces);
        // Distance from the box, negative inside.
        let outside = |place: Vec2| {
            let beyond = place.abs() - (half - radius);
            beyond.max(Vec2::ZERO).length() + beyond.max_element().min(0.0) - radius
        };
        let particles = lattice(12, |place| outside(place) > 0.4 * SPACING);
        set(&mut app, particles.map(|at| FluidInstance::new(at, at, 0, 3)));
        let image = shoot(&mut app, &picture);
        for (x, y) in (-50..50).flat_map(|x| (-50..50).map(move |y| (x as f32, y as f32))) {
            let place = Vec2::new(x, y) + 0.5;
            if outside(place) < -1.5 {
                assert!(liquid(&image, place) < 0.2, "{half}, {radius}: liquid at {place}");
            }
        }
    }
}

/// A translucent line of many parts has the same colour at its joints as between them.
#[test]
fn translucent_lines_show_no_joints() {
    let app = drawing_with(
        |_| {},
        |app| {
            app.add_plugins((BlobFluidPlugins::default(), FluidSolidDrawingPlugin));
        },
    );
    let Some(mut app) = app else { return };
    let turn = std::f32::consts::TAU / 24.0;
    // Its last point differs from the first one by roundings.
    let ring = (0..=24).map(|corner| 50.0 * Vec2::from_angle(turn * corner as f32));
    let cup = [(-100.0, 90.0), (-80.0, -90.0), (80.0, -90.0), (100.0, 90.0)].map(Vec2::from);
    let lines = [(ring.collect::<Vec<Vec2>>(), 14.0), (cup.to_vec(), 10.0)];
    let glass = FluidSolidColor(Color::srgba(0.8, 0.9, 1.0, 0.5));
    let shapes = lines.map(|(points, thickness)| {
        FluidShape::Polyline(Polyline::new(points, thickness).expect("valid"))
    });
    for shape in &shapes {
        app.spawn((FluidCollider::new(shape.clone()), glass));
    }
    let (_, picture) = spawn_camera(&mut app, SIZE);
    app.updates(2);
    let image = shoot(&mut app, &picture);
    let expected = at(&image, 0.0, -90.0);
    assert!(expected[2] > 100 && expected[2] < 230, "{expected:?}");
    let mut inside = 0;
    for (x, y) in (-126..126).flat_map(|x| (-126..126).map(move |y| (x as f32, y as f32))) {
        let distances = shapes.each_ref().map(|shape| shape.distance(Vec2::new(x + 0.5, y - 0.5)));
        let found = at(&image, x, y);
        // A pixel at an edge is between both.
        if distances.iter().any(|distance| *distance < -1.0) {
            inside += 1;
            let close = found.iter().zip(expected).all(|(one, other)| one.abs_diff(other) <= 2);
            assert!(close, "{found:?} at {x}, {y}, and {expected:?} elsewhere");
        } else if distances.iter().all(|distance| *distance > 1.0) {
            assert_eq!(found, [0; 3], "{x}, {y}");
        }
    }
    assert!(inside > 5000, "{inside}");
}
