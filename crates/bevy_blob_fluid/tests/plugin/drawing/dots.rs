//! Pictures of soft blobs.

use bevy::camera::visibility::RenderLayers;
use bevy_blob_fluid::blob_fluid::shape::fermat_spiral;
use bevy_blob_fluid::render::FluidRenderPlugin;
use bevy_blob_fluid::render::raw::{FluidInstance, FluidInstances, FluidInterpolation};

use crate::app::*;
use crate::drawing::cameras::{BLACK, BLUE, GREEN, RED, color_classes};
use crate::pictures::{at, drawing, drawing_with, shoot, spawn_camera};

/// Width and height of the pictures, in pixels; a pixel is a world unit.
const SIZE: u32 = 96;
/// Distance of particles, in world units.
const SPACING: f32 = 10.0;

/// An app that draws the particles a test puts there: flat, hard and opaque.
fn dots_app() -> Option<App> {
    let mut app = drawing(FluidRenderPlugin::default())?;
    app.spawn(FluidDots { radius: 1.0, softness: 0.0, opacity: 1.0, shading: 0.0, ..default() });
    app.update();
    app.insert_resource(FluidInterpolation(1.0));
    color_classes(&mut app);
    Some(app)
}

/// The same with a camera's picture.
fn dots() -> Option<(App, Handle<Image>)> {
    let mut app = dots_app()?;
    let (_, picture) = spawn_camera(&mut app, SIZE);
    Some((app, picture))
}

fn set_particles(app: &mut App, particles: &[(Vec2, Vec2, u8)]) {
    let instances = particles
        .iter()
        .map(|(previous, current, class)| FluidInstance::new(*previous, *current, *class, 128));
    app.resource_mut::<FluidInstances>().set(instances, SPACING);
}

fn still(x: f32, y: f32, class: u8) -> (Vec2, Vec2, u8) {
    (Vec2::new(x, y), Vec2::new(x, y), class)
}

#[test]
fn particles_have_the_colour_of_their_class_at_their_place() {
    let Some((mut app, picture)) = dots() else { return };
    set_particles(&mut app, &[still(-30.0, 0.0, 0), still(0.0, 20.0, 1), still(30.0, -20.0, 2)]);
    let image = shoot(&mut app, &picture);
    assert_eq!(at(&image, -30.0, 0.0), RED);
    assert_eq!(at(&image, 0.0, 20.0), GREEN);
    assert_eq!(at(&image, 30.0, -20.0), BLUE);
    // Round, and of the radius asked for.
    assert_eq!(at(&image, -22.0, 0.0), RED);
    assert_eq!(at(&image, -18.0, 0.0), BLACK);
    assert_eq!(at(&image, -22.0, 8.0), BLACK);
    assert_eq!(at(&image, 0.0, -30.0), BLACK);
}

#[test]
fn dots_of_some_classes_leave_out_the_others() {
    let Some((mut app, picture)) = dots() else { return };
    let mut query = app.world_mut().query::<&mut FluidDots>();
    let mut dots = query.single_mut(app.world_mut()).expect("one");
    // One class in either half of the bits.
    dots.classes = ClassFilter::NONE.with(ClassId(1)).with(ClassId(200));
    let places = [-30.0, -10.0, 10.0, 30.0];
    for (classes, seen) in [
        ([0, 1, 2, 1], [false, true, false, true]),
        ([200, 199, 72, 201], [true, false, false, false]),
    ] {
        let row: Vec<_> =
            places.into_iter().zip(classes).map(|(x, class)| still(x, 0.0, class)).collect();
        set_particles(&mut app, &row);
        let image = shoot(&mut app, &picture);
        assert_eq!(places.map(|x| at(&image, x, 0.0) != BLACK), seen, "{classes:?}");
    }
}

#[test]
fn particles_fade() {
    let Some((mut app, picture)) = dots() else { return };
    let points = [(-30.0, 0.0), (0.0, 0.5), (30.0, 1.0)].map(|(x, opacity)| {
        FluidInstance::new(Vec2::X * x, Vec2::X * x, 0, 128).with_opacity(opacity)
    });
    app.resource_mut::<FluidInstances>().set(points, SPACING);
    let image = shoot(&mut app, &picture);
    let [none, half, all] = [-30.0, 0.0, 30.0].map(|x| at(&image, x, 0.0));
    assert_eq!((none, all), (BLACK, RED));
    // Half of the light, as sRGB has it.
    assert!(half[0].abs_diff(188) < 4 && half[1] == 0, "{half:?}");
}

#[test]
fn particles_are_drawn_between_two_ticks() {
    let Some((mut app, picture)) = dots() else { return };
    set_particles(&mut app, &[(Vec2::new(-30.0, 0.0), Vec2::new(30.0, 0.0), 1)]);
    for (fraction, point) in [(0.0, -30.0), (0.5, 0.0), (1.0, 30.0)] {
        app.insert_resource(FluidInterpolation(fraction));
        let image = shoot(&mut app, &picture);
        for x in [-30.0, 0.0, 30.0] {
            let expected = if x == point { GREEN } else { BLACK };
            assert_eq!(at(&image, x, 0.0), expected, "at {fraction}, {x}");
        }
    }
}

#[test]
fn sprites_lie_in_front_and_behind() {
    let Some((mut app, picture)) = dots() else { return };
    set_particles(&mut app, &[still(-20.0, 0.0, 0), still(20.0, 0.0, 0)]);
    let square = |color| Sprite::from_color(color, Vec2::splat(12.0));
    let blue = Color::srgb(0.0, 0.0, 1.0);
    app.spawn((square(blue), Transform::from_xyz(-20.0, 0.0, 1.0)));
    app.spawn((square(blue), Transform::from_xyz(20.0, 0.0, -1.0)));
    let image = shoot(&mut app, &picture);
    assert_eq!(at(&image, -20.0, 0.0), BLUE, "the sprite in front hides the liquid");
    assert_eq!(at(&image, 20.0, 0.0), RED, "the liquid hides the sprite behind");

    let mut materials = app.world_mut().query_filtered::<&mut Transform, With<FluidDots>>();
    materials.single_mut(app.world_mut()).expect("one").translation.z = 5.0;
    let image = shoot(&mut app, &picture);
    assert_eq!(at(&image, -20.0, 0.0), RED, "the liquid was moved to the front");
}

#[test]
fn cameras_see_the_layers_they_are_told_to() {
    let Some(mut app) = dots_app() else { return };
    let (_, plain) = spawn_camera(&mut app, SIZE);
    let (other, layered) = spawn_camera(&mut app, SIZE);
    let (moved, shifted) = spawn_camera(&mut app, 64);
    app.insert(other, RenderLayers::layer(3));
    app.insert(moved, (xy(20.0, 0.0), Msaa::Off));
    set_particles(&mut app, &[still(20.0, 0.0, 1)]);
    assert_eq!(at(&shoot(&mut app, &plain), 20.0, 0.0), GREEN);
    assert_eq!(at(&shoot(&mut app, &layered), 20.0, 0.0), BLACK);
    assert_eq!(at(&shoot(&mut app, &shifted), 0.0, 0.0), GREEN, "moved, smaller, without MSAA");

    let mut materials = app.world_mut().query_filtered::<Entity, With<FluidDots>>();
    let material = materials.single(app.world()).expect("one");
    app.insert(material, RenderLayers::layer(3));
    assert_eq!(at(&shoot(&mut app, &plain), 20.0, 0.0), BLACK);
    assert_eq!(at(&shoot(&mut app, &layered), 20.0, 0.0), GREEN);

    app.insert(material, Visibility::Hidden);
    assert_eq!(at(&shoot(&mut app, &layered), 20.0, 0.0), BLACK);
}

#[test]
fn more_and_fewer_particles_than_before() {
    let Some((mut app, picture)) = dots() else { return };
    assert_eq!(at(&shoot(&mut app, &picture), 0.0, 0.0), BLACK, "none yet");
    set_particles(&mut app, &[still(0.0, 0.0, 2)]);
    assert_eq!(at(&shoot(&mut app, &picture), 0.0, 0.0), BLUE);
    let mut many = vec![still(500.0, 500.0, 0); 5000];
    many.push(still(0.0, 0.0, 1));
    set_particles(&mut app, &many);
    assert_eq!(at(&shoot(&mut app, &picture), 0.0, 0.0), GREEN);
    set_particles(&mut app, &[still(30.0, 30.0, 0)]);
    assert_eq!(at(&shoot(&mut app, &picture), 0.0, 0.0), BLACK);
    set_particles(&mut app, &[]);
    assert_eq!(at(&shoot(&mut app, &picture), 30.0, 30.0), BLACK);
}

#[test]
fn the_whole_plugin_draws_its_classes() {
    // Before Bevy's own plugins, as an app may well do.
    let before = |app: &mut App| _ = app.add_plugins(BlobFluidPlugins::default());
    let Some(mut app) = drawing_with(before, |_| {}) else { return };
    app.settings().parameters = FluidParameters::new(4.0, Vec2::new(0.0, -200.0));
    app.spawn(FluidContainer::from(Circle::new(40.0)));
    app.update();
    let mut fluid = app.fluid_mut();
    for (index, position) in fermat_spiral(Vec2::ZERO, 30.0, 150).into_iter().enumerate() {
        let class = if index % 2 == 0 { ClassId::HEAVY } else { ClassId::LIGHT };
        fluid.spawn(ParticleSpawn { position, class, ..default() }).expect("room for all");
    }
    app.updates(600);
    let (_, picture) = spawn_camera(&mut app, SIZE);
    let image = shoot(&mut app, &picture);
    let [red, _, blue] = at(&image, 0.0, -37.0);
    assert!(red > blue + 60, "the heavy class is at the bottom: {red} red, {blue} blue");
    let heights = app.positions();
    let surface = heights.iter().map(|position| position.y).fold(f32::MIN, f32::max);
    let [red, _, blue] = at(&image, 0.0, surface - 4.0);
    assert!(blue > red, "the light class is on top: {red} red, {blue} blue");
    assert_eq!(at(&image, 0.0, 30.0), BLACK, "nothing is above");
}
