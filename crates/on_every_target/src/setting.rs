//! Our settings in the bench of peers.

use std::error::Error;

use blob_fluid::{
    Container, FluidParameters, FluidSleeping, FluidSolver, FluidWorld, ParticleSpawn, Substeps,
};
use glam::Vec2;

use crate::scene::{GRAVITY, HEIGHT, Scene};

/// The settings to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// An interaction radius of 2.92 spacings, about 25 neighbours, and one substep: as many
    /// neighbours as the other implementations of the same paper have, and a bottom as soft.
    Fast,
    /// An interaction radius of 3.4 spacings, about 37 neighbours, and one substep: it comes to
    /// rest.
    Calm,
    /// The defaults, with as many substeps as the depth needs.
    Default,
    /// The defaults of the solver `sph`.
    Sph,
    /// The defaults of the solver `shared_pressure`.
    SharedPressure,
    /// The defaults of the solver `incompressible`.
    Incompressible,
}

impl Setting {
    /// All of them, in the order of the numbers that WebAssembly knows them by.
    pub const ALL: [Self; 6] = [
        Self::Fast,
        Self::Calm,
        Self::Default,
        Self::Sph,
        Self::SharedPressure,
        Self::Incompressible,
    ];

    /// Its parameters. Sleeping is off, because a pool at rest would cost nothing.
    pub fn parameters(self) -> FluidParameters {
        let defaults = FluidParameters {
            sleeping: FluidSleeping::OFF,
            ..FluidParameters::new(1.0, Vec2::new(0.0, -GRAVITY))
        };
        let one_substep = |radius_ratio| FluidParameters {
            radius_ratio,
            substeps: Substeps::Fixed(1),
            ..defaults
        };
        match self {
            Self::Fast => one_substep(2.92),
            Self::Calm => one_substep(3.4),
            Self::Default => defaults,
            Self::Sph => FluidParameters { solver: FluidSolver::Sph, ..defaults },
            Self::SharedPressure => {
                FluidParameters { solver: FluidSolver::SharedPressure, ..defaults }
            }
            Self::Incompressible => {
                FluidParameters { solver: FluidSolver::Incompressible, ..defaults }
            }
        }
    }

    /// The liquid in a scene.
    ///
    /// # Errors
    ///
    /// Returns an error if the scene is too large.
    pub fn world(self, scene: &Scene) -> Result<FluidWorld, Box<dyn Error>> {
        let mut world = FluidWorld::new(self.parameters())?;
        let half_size = 0.5 * Vec2::new(scene.width(), HEIGHT);
        world.insert_container(Container::rectangle(half_size, half_size)?);
        for position in scene.positions() {
            world.spawn(ParticleSpawn { position: position.into(), ..Default::default() })?;
        }
        Ok(world)
    }
}
