//! Bodies float as deep as they should.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::{Kind, TestEngine, fluid, position_of, run, tank};

const HULL: Vec2 = Vec2::new(120.0, 60.0);

/// Bodies of five densities in one tank, 3000 wide: 25 times as wide as a body, of which there are
/// five.
pub fn draught<E: TestEngine>() {
    const WIDTH: f32 = 3000.0;
    let densities = [0.1, 0.3, 0.5, 0.7, 0.9];
    let mut app = tank::<E>(WIDTH, FluidClass::MEDIUM);
    run(&mut app, 2.0);
    let hulls = densities.map(|density| {
        let x = (density - 0.5) * 2500.0;
        let at = Transform::from_xyz(x, -40.0 + 60.0 * (0.5 - density), 0.0);
        let hull =
            E::spawn(app.world_mut(), Kind::Dynamic, E::rectangle(HULL), density, at);
        app.world_mut().entity_mut(hull).insert(FluidCoupled::default());
        hull
    });
    run(&mut app, 20.0);
    let mut means = [0.0; 5];
    let mut swings = [0.0_f32; 5];
    for _ in 0..128 {
        app.update();
        for (index, hull) in hulls.iter().enumerate() {
            let height = position_of(&app, *hull).y;
            means[index] += height / 128.0;
        }
    }
    for _ in 0..128 {
        app.update();
        for (index, hull) in hulls.iter().enumerate() {
            let away = (position_of(&app, *hull).y - means[index]).abs();
            swings[index] = swings[index].max(away);
        }
    }
    let spacing = fluid(&app).parameters().particle_spacing;
    // Liquid keeps half a spacing away.
    let size = HULL + spacing;
    let liquid = fluid(&app).particles().len() as f32 * spacing * spacing;
    let displaced: f32 = densities.iter().map(|density| density * size.element_product()).sum();
    let level = -150.0 + (liquid + displaced) / WIDTH;
    let mut failed = false;
    for (index, density) in densities.into_iter().enumerate() {
        let sunk = (level - (means[index] - 0.5 * size.y)) / size.y;
        let turned = app.world().get::<Transform>(hulls[index]).expect("it has one").rotation;
        println!(
            "{density}: {sunk:.4} is under water, {:+.4}; swings {:.3}, turned {:.3}, v {}",
            sunk - density,
            swings[index],
            turned.z,
            E::velocity(app.world(), hulls[index]),
        );
        failed |= (sunk - density).abs() > 0.02 || swings[index] > 0.02 * HULL.y;
    }
    assert!(!failed);
}

pub fn experiment<E: TestEngine>() {
    const WIDTH: f32 = 600.0;
    for y in [None, Some(-100.0), Some(-75.0)] {
        let mut app = super::app::<E>(FluidSettings::default());
        app.world_mut().spawn(FluidContainer::from(Rectangle::new(WIDTH, 300.0)));
        app.world_mut().spawn((
            FluidBlob::from(Rectangle::new(WIDTH - 10.0, 130.0)),
            Transform::from_xyz(0.0, -84.0, 0.0),
        ));
        let mut settings = *app.world().resource::<FluidSettings>();
        settings.parameters.sleeping = FluidSleeping::OFF;
        app.insert_resource(settings);
        run(&mut app, 8.0);
        let spacing = fluid(&app).parameters().particle_spacing;
        let liquid = fluid(&app).particles().len() as f32 * spacing * spacing;
        let hull = y.map(|y| app.world_mut().spawn((FluidCollider::from(Rectangle::from_size(HULL)), FluidLoad::default(), Transform::from_xyz(0.0, y, 0.0))).id());
        run(&mut app, 15.0);
        let mean = |app: &App| (0..40).filter_map(|i| fluid(app).surface_height(-250.0 + i as f32 * 5.0)).sum::<f32>() / 40.0;
        let (mut level, mut force) = (0.0, 0.0);
        let mut edge = [[0.0_f32; 40]; 3];
        for _ in 0..128 {
            app.update();
            level += mean(&app) / 128.0;
            if let Some(hull) = hull { force += app.world().get::<FluidLoad>(hull).expect("x").force.y / 128.0; }
            for own in fluid(&app).particles().positions() {
                if own.x.abs() < 50.0 {
                    let floor = (own.y + 150.0) / 1.0;
                    if floor < 40.0 { edge[0][floor as usize] += 1.0; }
                    if let Some(y) = y {
                        let below = y - 30.0 - own.y; if (0.0..40.0).contains(&below) { edge[1][below as usize] += 1.0; }
                        let above = own.y - (y + 30.0); if (0.0..40.0).contains(&above) { edge[2][above as usize] += 1.0; }
                    }
                }
            }
        }
        println!("{y:?}: level {level} of {}, force / (g / s2) = {} of {}", -150.0 + liquid / WIDTH, force / fluid(&app).parameters().gravity.length() * spacing * spacing, (HULL.x + 8.0) * (HULL.y + 8.0));
        for row in edge { println!("  {:?}", row.map(|n| (n / 128.0 * 8.0 / 100.0 * 100.0) as i32)); }
    }
}
