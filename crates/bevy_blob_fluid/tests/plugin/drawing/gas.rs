//! Pictures of gases.

use std::time::Duration;

use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::render::{FluidGases, FluidPalette, FluidRenderPlugin};

use super::flat::{GREEN, SIZE, body, flat, flat_app, set, surface};
use crate::app::*;
use crate::pictures::{at, light, shoot, spawn_camera};

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
