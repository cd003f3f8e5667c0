use blob_fluid::DensityClass;
use blob_fluid::measure::layer_order;
use glam::Vec2;

use super::powder::{SPACING, angle_above, block, run_for, sand, spawn, tank, world_of_classes};
use crate::page::Finding;

/// Powder of a mass, and water.
fn in_water(friction_angle: f32, mass: f32) -> Vec<DensityClass> {
    let water = DensityClass { name: "water".into(), ..DensityClass::default() };
    vec![DensityClass { name: "powder".into(), mass, ..sand(friction_angle) }, water]
}

/// The layer order of one part of powder that was mixed with three of water, after 30 s.
fn order_in_water(mass: f32) -> f64 {
    let mut world = world_of_classes(in_water(30.0, mass));
    world.insert_container(tank(Vec2::new(40.0, 60.0)));
    for (index, place) in block(40, 36).enumerate() {
        // By a fixed shuffle: the top bits of a multiplied index.
        let shuffled = (index as u32).wrapping_mul(2_654_435_761) >> 30;
        spawn(&mut world, u8::from(shuffled != 0), place);
    }
    run_for(&mut world, 30.0);
    layer_order(&world)
}

/// The angle of a heap of powder of mass 1.6 on a bed of it, 30 s after it was let go under water with
/// flanks ten degrees steeper than its friction angle.
#[expect(clippy::disallowed_methods, reason = "an experiment, on one machine")]
fn angle_under_water(friction_angle: f32) -> f64 {
    let mut world = world_of_classes(in_water(friction_angle, 1.6));
    world.insert_container(tank(Vec2::new(110.0, 60.0)));
    let (steepness, bed) = ((friction_angle + 10.0).to_radians().tan(), 4.0);
    for place in block(110, 34) {
        let is_water = place.y > bed && steepness * place.x.abs() + place.y > 20.0 + bed;
        spawn(&mut world, u8::from(is_water), place);
    }
    run_for(&mut world, 30.0);
    angle_above(&world, bed * SPACING)
}

pub fn run() -> Finding {
    Finding {
        experiment: "powder in water",
        description: "One part of powder is mixed with three of water, and after 30 s has floated up or sunk. Heaps on a bed are let go \
                      under water, with flanks ten degrees steeper than their friction angle, and stand after 30 s.",
        measured: vec![
            ("layer order of powder of mass 0.6", order_in_water(0.6)),
            ("layer order of powder of mass 1.6", order_in_water(1.6)),
            ("angle of a heap under water, setting 20°", angle_under_water(20.0)),
            ("angle of a heap under water, setting 30°", angle_under_water(30.0)),
        ],
        plots: vec![],
    }
}
