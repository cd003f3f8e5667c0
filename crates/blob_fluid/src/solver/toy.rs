//! A minimal solver in which particles only fall.
//!
//! It runs the same passes as every other solver. A real solver would do its work in `relax_density`, and would have
//! its own file or folder. To become selectable by name, it needs one entry in the list in `settings/solver.rs` with
//! this type. The variant of [`FluidSolver`](crate::FluidSolver), the dispatch of the passes, the name, the label and
//! the ignored settings follow from that entry.

use glam::Vec2;

use crate::boundary::container::Container;
use crate::liquid::state::Liquid;
use crate::parallel::executor::SerialExecutor;
use crate::particles::life::ParticleSpawn;
use crate::settings::parameters::{FluidParameters, Settling};
use crate::solver::coefficients::Coefficients;
use crate::solver::ignores::{CLASS_ELASTICITY, CLASS_POWDER, IgnoredRule};
use crate::solver::method::{Method, Substep};
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::pass::table::{FluidPass, SharedBuffers, run_pass};
use crate::solver::substeps::SubstepDemand;

#[derive(Clone, Debug, Default)]
struct Falling;

impl Method for Falling {
    const IGNORED_SETTINGS: &'static [IgnoredRule] = &[CLASS_ELASTICITY, CLASS_POWDER];

    fn demand(_liquid: &Liquid, _time_step: f32) -> SubstepDemand {
        SubstepDemand::from_depth(f32::INFINITY)
    }

    fn derive(&mut self, _liquid: &Liquid, _shared: &Coefficients) {}

    fn relax_density(&mut self, _substep: Substep) {}
}

#[test]
fn particles_of_a_toy_solver_fall_and_stay_inside() {
    const TICK: f32 = 1.0 / 60.0;
    let gravity = Vec2::new(0.0, -600.0);
    let settling = Settling { drag: 0.0, calm_drag: 0.0, ..Settling::default() };
    let parameters = FluidParameters { settling, ..FluidParameters::new(10.0, gravity) };
    let mut liquid = Liquid::default();
    liquid.set_parameters(parameters).expect("valid");
    liquid.insert_container(Container::circle(Vec2::ZERO, 100.0).expect("valid"));
    // The particles overlap, and no force separates them.
    for position in [Vec2::ZERO, Vec2::new(1.0, 0.0)] {
        liquid.spawn(ParticleSpawn { position, ..Default::default() }).expect("inside");
    }
    let (mut method, mut buffers) = (Falling, SharedBuffers::default());
    let (mut neighbours, mut coefficients) = (Neighbours::default(), Coefficients::default());
    let unsticking = Falling::unsticking(&liquid.parameters);
    coefficients.derive(&liquid.parameters, &liquid.classes, unsticking, TICK);
    method.derive(&liquid, &coefficients);
    for tick in 1..=120 {
        for pass in FluidPass::ALL {
            let substep = Substep {
                liquid: &mut liquid,
                neighbours: &mut neighbours,
                coefficients: &coefficients,
                executor: &SerialExecutor,
            };
            run_pass(pass, &mut method, &mut buffers, substep);
        }
        let lowest =
            liquid.particles.position.iter().map(|position| position.y).fold(0.0, f32::min);
        if tick == 10 {
            // Symplectic Euler: the sum of 1 to 10, times g dt^2.
            assert!((lowest + 55.0 * 600.0 * TICK * TICK).abs() < 1e-3, "{lowest}");
        }
        assert!(lowest > -100.1, "{lowest} in tick {tick}");
    }
    let apart = liquid.particles.position[0].distance(liquid.particles.position[1]);
    assert!(apart < 1.1, "{apart}");
}
