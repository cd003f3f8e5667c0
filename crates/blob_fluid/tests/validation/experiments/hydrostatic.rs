use blob_fluid::measure::{Report, measure};
use blob_fluid::scene::{Scene, SceneFill};
use blob_fluid::{FluidShape, FluidWorld, SerialExecutor, Substeps};
use glam::Vec2;

use super::{run_until, scene};
use crate::page::Finding;
use crate::plot::{line, plot};

pub fn run() -> Finding {
    let (shallow, shallow_profile) = settle(&scene("deep_pool"), 60.0);
    let (finer, _) = settle(&in_two_substeps(), 60.0);
    let (deep, deep_profile) = settle(&twice_as_deep(), 60.0);
    Finding {
        experiment: "hydrostatic column",
        description: "A column of one class, 24 particles wide and 50 or 100 deep, stands for 60 s. An incompressible \
                      liquid would be as dense at the bottom as at the top. The plot shows how many particles a slab three \
                      radii thick holds, relative to the mean.",
        measured: vec![
            ("density bottom/top, 50 deep", shallow.bottom_top_density),
            ("density bottom/top, 50 deep, two substeps", finer.bottom_top_density),
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

/// The column of 50 rows, in two substeps per tick.
fn in_two_substeps() -> Scene {
    let mut scene = scene("deep_pool");
    scene.parameters.substeps = Substeps::Fixed(2);
    scene
}

/// A column of 100 rows.
pub fn twice_as_deep() -> Scene {
    let mut deep = scene("deep_pool");
    let half_size = Vec2::new(95.4, 600.0);
    deep.containers[0].shape = FluidShape::Rectangle { half_size };
    deep.containers[0].centre = Vec2::new(0.0, 600.0);
    deep.blocks[0].fill = SceneFill::Lattice { columns: 24, rows: 100, spacing: 1.007 };
    deep.blocks[0].centre.y *= 2.0;
    deep
}

/// The column after some seconds, and its densities by depth.
pub fn settle(scene: &Scene, seconds: f64) -> (Report, Vec<(f64, f64)>) {
    let mut world = scene.start(&SerialExecutor).expect("valid");
    run_until(&mut world, seconds, |_| {});
    (measure(&world), profile(&world))
}

/// Relative number of particles by depth. It leaves out the slabs at the surface and at the floor,
/// because the particles form layers there.
fn profile(world: &FluidWorld) -> Vec<(f64, f64)> {
    let radius = f64::from(world.parameters().interaction_radius());
    let heights: Vec<f64> = world.particles().positions().iter().map(|p| f64::from(p.y)).collect();
    let top = heights.iter().copied().fold(f64::MIN, f64::max);
    // A slab contains many rows of particles. In thinner slabs the edges would have a larger effect
    // than the density.
    let thickness = 3.0 * radius;
    let mut counts = vec![0.0; ((top - 2.0 * radius) / thickness) as usize];
    for height in heights {
        let slab = (top - radius - height) / thickness;
        if let Some(count) = counts.get_mut(slab as usize).filter(|_| slab >= 0.0) {
            *count += 1.0;
        }
    }
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let middle = |slab: usize| 1.0 + 3.0 * (slab as f64 + 0.5);
    counts.iter().enumerate().map(|(slab, count)| (middle(slab), count / mean)).collect()
}
