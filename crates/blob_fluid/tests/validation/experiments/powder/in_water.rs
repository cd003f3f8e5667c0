use blob_fluid::measure::layer_order;
use blob_fluid::{DensityClass, FluidWorld};
use glam::Vec2;

use super::{angle_of, block, powder, rough_box, run_for, spawn, world_of};
use crate::page::Finding;

/// A tank of this size in spacings for powder of a mass in water.
fn tank(friction_angle: f32, mass: f32, size: Vec2) -> FluidWorld {
    let powder = DensityClass { mass, ..powder(friction_angle) };
    let water = DensityClass { name: "water".into(), ..DensityClass::default() };
    let mut world = world_of(vec![powder, water]);
    world.insert_container(rough_box(size));
    world
}

/// The layer order of one part of powder that was mixed with three of water, after 30 s.
fn order(mass: f32) -> f64 {
    let mut world = tank(30.0, mass, Vec2::new(40.0, 60.0));
    for (index, place) in block(40, 36).enumerate() {
        // By a fixed shuffle: the top bits of a multiplied index.
        let shuffled = (index as u32).wrapping_mul(2_654_435_761) >> 30;
        spawn(&mut world, u8::from(shuffled != 0), place);
    }
    run_for(&mut world, 30.0);
    layer_order(&world)
}

/// The angle of a heap of sand with flanks of 45 degrees, 30 s after it was let go under water.
fn angle_under_water(friction_angle: f32) -> f64 {
    let mut world = tank(friction_angle, 1.6, Vec2::new(110.0, 60.0));
    for place in block(110, 30) {
        spawn(&mut world, u8::from(place.x.abs() + place.y > 20.0), place);
    }
    run_for(&mut world, 30.0);
    angle_of(&world)
}

pub fn run() -> Finding {
    Finding {
        experiment: "powder: in water",
        description: "A part of powder at 30 degrees is mixed with three of water in a tank 40 spacings wide and 36 deep: after 30 s it \
                      lies below or floats, by its mass. A heap of powder of mass 1.6, 20 spacings high with flanks of 45 \
                      degrees, is let go under ten more of water: after 30 s its flanks have its friction angle.",
        measured: vec![
            ("layer order at 30 s, mass 0.6", order(0.6)),
            ("layer order at 30 s, mass 1.6", order(1.6)),
            ("angle of a heap let go under water, setting 20°", angle_under_water(20.0)),
            ("angle of a heap let go under water, setting 30°", angle_under_water(30.0)),
        ],
        plots: vec![],
    }
}
