use blob_fluid::measure::{Report, measure};
use blob_fluid::scene::{Scene, SceneFill};
use blob_fluid::{ContainerShape, FluidWorld, SerialExecutor};
use glam::Vec2;

use super::{run_until, scene};
use crate::page::Finding;
use crate::plot::{line, plot};

pub fn run() -> Finding {
    let shallow = scene("deep_pool");
    let mut deep = shallow.clone();
    let half_size = Vec2::new(95.4, 600.0);
    deep.containers[0].shape = ContainerShape::Rectangle { half_size };
    deep.containers[0].centre = Vec2::new(0.0, 600.0);
    deep.blocks[0].fill = SceneFill::Lattice { columns: 24, rows: 100, spacing: 1.007 };
    deep.blocks[0].centre.y *= 2.0;
    let (shallow, shallow_profile) = settle(&shallow);
    let (deep, deep_profile) = settle(&deep);
    Finding {
        experiment: "hydrostatic column",
        description: "A column of one class, 24 particles wide and 50 or 100 deep, stands for 60 s. An incompressible \
                      liquid would be as dense at the bottom as at the top. The plot shows how many particles a slab one \
                      radius thick holds, relative to the mean.",
        measured: vec![
            ("density bottom/top, 50 deep", shallow.bottom_top_density),
            ("density bottom/top, 100 deep", deep.bottom_top_density),
            ("rms speed at 60 s, 50 deep, px/s", shallow.rms_speed),
        ],
        plots: vec![plot(
            "Density of a standing column",
            "depth, in interaction radii",
            "particles per area over the mean",
            vec![line("50 deep", shallow_profile), line("100 deep", deep_profile)],
        )],
    }
}

fn settle(scene: &Scene) -> (Report, Vec<(f64, f64)>) {
    let mut world = scene.start(&SerialExecutor).expect("valid");
    run_until(&mut world, 60.0, |_| {});
    (measure(&world), profile(&world))
}

/// Relative number of particles by depth, without the slabs at the surface and at the floor, which
/// the layers of the particles next to them show in.
fn profile(world: &FluidWorld) -> Vec<(f64, f64)> {
    let radius = f64::from(world.parameters().interaction_radius());
    let heights: Vec<f64> = world.particles().positions().iter().map(|p| f64::from(p.y)).collect();
    let top = heights.iter().copied().fold(f64::MIN, f64::max);
    let slabs = (top / radius) as usize - 1;
    let mut counts = vec![0.0; slabs];
    for height in heights {
        if let Some(count) = counts.get_mut(((top - height) / radius) as usize) {
            *count += 1.0;
        }
    }
    let inner = &counts[1..slabs];
    let mean = inner.iter().sum::<f64>() / inner.len() as f64;
    inner.iter().enumerate().map(|(slab, count)| (slab as f64 + 1.5, count / mean)).collect()
}
