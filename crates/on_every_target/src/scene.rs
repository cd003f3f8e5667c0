//! The scene of all peers, a block of liquid in a box, and our settings in it.

use std::error::Error;
use std::str::FromStr;

use blob_fluid::{
    Container, FluidParameters, FluidSleeping, FluidSolver, FluidWorld, ParticleSpawn, Substeps,
};
use glam::Vec2;
use serde::Serialize;

/// Rows of the block, from the floor up.
pub const ROWS: usize = 50;

/// Height of the box, in spacings.
pub const HEIGHT: f32 = 125.0;

/// Gravity, downwards, in spacings per second squared: our default of 200 pixels per second squared
/// for 30/3.8 pixels.
pub const GRAVITY: f32 = 200.0 * 3.8 / 30.0;

/// Simulated time of a frame, in seconds.
pub const FRAME: f32 = 1.0 / 60.0;

/// The box in which the block stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A box as wide as the block: the block settles.
    Pool,
    /// A box 1.5 times as wide, with the block at its left: the block collapses.
    Dam,
}

impl Kind {
    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pool => "pool",
            Self::Dam => "dam",
        }
    }

    /// Number of frames before the timing: the pool settles, and the dam begins to flow.
    pub fn warm_frames(self) -> u32 {
        match self {
            Self::Pool => 300,
            Self::Dam => 60,
        }
    }

    /// Largest number of frames of a round: the dam still moves in the last one.
    pub fn most_frames(self) -> usize {
        match self {
            Self::Pool => 100,
            Self::Dam => 30,
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "pool" => Ok(Self::Pool),
            "dam" => Ok(Self::Dam),
            _ => Err(format!("no scene is called {text}; there are pool and dam")),
        }
    }
}

/// A scene of a given size. Lengths are in particle spacings; the floor is at 0, the left wall too.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// The box.
    pub kind: Kind,
    /// Columns of the block.
    pub columns: usize,
}

impl Scene {
    /// A scene of about `particles` particles, at least one column.
    pub fn new(kind: Kind, particles: usize) -> Self {
        Self { kind, columns: (particles / ROWS).max(1) }
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.columns * ROWS
    }

    /// Width of the box.
    pub fn width(&self) -> f32 {
        match self.kind {
            Kind::Pool => self.columns as f32,
            Kind::Dam => 1.5 * self.columns as f32,
        }
    }

    /// Initial positions of the particles: a square lattice, half a spacing away from the walls and
    /// the floor.
    pub fn positions(&self) -> impl Iterator<Item = [f32; 2]> + use<> {
        let columns = self.columns;
        (0..self.particles())
            .map(move |place| [(place % columns) as f32 + 0.5, (place / columns) as f32 + 0.5])
    }
}

// Our settings.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_fills_the_pool_and_two_thirds_of_the_dam() {
        for (kind, width) in [(Kind::Pool, 60.0), (Kind::Dam, 90.0)] {
            let scene = Scene::new(kind, 3000);
            assert_eq!(scene.particles(), 3000);
            assert_eq!(scene.width(), width);
            let right = scene.positions().map(|[x, _]| x).fold(0.0, f32::max);
            let top = scene.positions().map(|[_, y]| y).fold(0.0, f32::max);
            assert_eq!([right, top], [59.5, 49.5]);
        }
    }
}
