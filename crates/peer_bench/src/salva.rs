//! salva2d, an SPH liquid in Rust, with its DFSPH pressure solver on one thread.

use std::time::{Duration, Instant};

use blob_fluid::IncompressibleSettings;
use salva2d::LiquidWorld;
use salva2d::math::Vector;
use salva2d::object::interaction_groups::InteractionGroups;
use salva2d::object::{Boundary, Fluid, FluidHandle};
use salva2d::solver::{ArtificialViscosity, DFSPHSolver, DfsphParameters};

use crate::peer::{Peer, Result, State};
use on_every_target::scene::{FRAME, GRAVITY, HEIGHT, Scene};

/// A spacing in metres: twice the particle radius of salva's own examples, whose viscosity and
/// thresholds have units.
const SPACING: f32 = 0.2;

/// Interaction radius in spacings, as in salva's own examples.
const SMOOTHING_FACTOR: f32 = 2.0;

/// Density at rest, in kg/m², as in salva's own examples.
const REST_DENSITY: f32 = 1000.0;

/// Limits of the iterations of the pressure solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Its defaults: up to 50 for pressure and 50 for divergence, until the errors are small.
    Default,
    /// One iteration for pressure and one for divergence.
    Capped,
    /// As many iterations for pressure as it takes, up to 500, to reach the tolerance that our
    /// incompressible solver has by default.
    EqualTolerance,
}

/// salva's liquid in a scene.
pub struct Salva {
    world: LiquidWorld,
    fluid: FluidHandle,
}

impl Salva {
    /// Loads a scene.
    pub fn new(setting: Setting, scene: &Scene) -> Self {
        let parameters = match setting {
            Setting::Default => DfsphParameters::default(),
            Setting::Capped => DfsphParameters {
                max_pressure_iter: 1,
                max_divergence_iter: 1,
                ..Default::default()
            },
            Setting::EqualTolerance => DfsphParameters {
                max_density_error: IncompressibleSettings::default().tolerance,
                max_pressure_iter: 500,
                ..Default::default()
            },
        };
        let solver: DFSPHSolver = DFSPHSolver::with_parameters(parameters);
        let radius = 0.5 * SPACING;
        let mut world = LiquidWorld::new(solver, radius, SMOOTHING_FACTOR, 1.0);
        let scaled = |[x, y]: [f32; 2]| SPACING * Vector::new(x, y);
        let positions = scene.positions().map(scaled).collect();
        let mut fluid = Fluid::new(positions, radius, REST_DENSITY, InteractionGroups::all());
        // By default salva gives particles 0.8 of the volume of their square, and they would settle
        // 0.9 spacings apart.
        fluid.volumes.fill(SPACING * SPACING);
        fluid.nonpressure_forces.push(Box::new(ArtificialViscosity::new(1.0, 0.0)));
        let fluid = world.add_fluid(fluid);
        let walls = walls(scene).into_iter().map(scaled).collect();
        world.add_boundary(Boundary::new(walls, InteractionGroups::all()));
        Self { world, fluid }
    }
}

impl Peer for Salva {
    fn frames(&mut self, count: u32) -> Result<Duration> {
        let start = Instant::now();
        let gravity = Vector::new(0.0, -GRAVITY * SPACING);
        for _ in 0..count {
            self.world.step(FRAME, &gravity);
        }
        Ok(start.elapsed())
    }

    fn state(&mut self) -> Result<State> {
        let fluid = self.world.fluids().get(self.fluid).ok_or("the fluid is gone")?;
        let unscaled = |vector: &Vector<f32>| [vector.x / SPACING, vector.y / SPACING];
        Ok(State {
            interaction_radius: self.world.h() / SPACING,
            positions: fluid.positions.iter().map(unscaled).collect(),
            velocities: fluid.velocities.iter().map(unscaled).collect(),
            own_density: None,
        })
    }
}

/// Particles of the floor and the walls; the top is open. They lie half a spacing outside the box,
/// so that liquid comes to rest half a spacing inside. They are half a spacing apart: at a whole
/// spacing liquid leaks through.
fn walls(scene: &Scene) -> Vec<[f32; 2]> {
    let steps = |length: f32| (0..=(2.0 * length) as usize + 2).map(|step| 0.5 * step as f32 - 0.5);
    let right = scene.width() + 0.5;
    let floor = steps(scene.width()).map(|x| [x, -0.5]);
    let sides = steps(HEIGHT).skip(1).flat_map(|y| [[-0.5, y], [right, y]]);
    floor.chain(sides).collect()
}
