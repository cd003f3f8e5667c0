//! `blob_fluid` itself.

use std::time::{Duration, Instant};

use blob_fluid::measure::measure;
use blob_fluid::{
    Container, FluidParameters, FluidWorld, ParticleSpawn, RayonExecutor, SerialExecutor, Sleeping,
    Substeps,
};
use glam::Vec2;

use crate::peer::{OwnDensity, Peer, Result, State};
use crate::scene::{FRAME, GRAVITY, HEIGHT, Scene};

/// The settings to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// An interaction radius of 2.92 spacings, about 25 neighbours, and one substep: as many
    /// neighbours as the other implementations of the same paper have, and a bottom as soft.
    Fast,
    /// An interaction radius of 3.4 spacings, about 37 neighbours, and one substep: it comes to
    /// rest.
    Calm,
    /// The defaults: 45 neighbours, and as many substeps as the depth needs.
    Default,
}

impl Setting {
    /// Its parameters. Sleeping is off, because a pool at rest would cost nothing.
    fn parameters(self) -> FluidParameters {
        let defaults = FluidParameters {
            sleeping: Sleeping::OFF,
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
        }
    }
}

/// Our liquid in a scene.
pub struct Ours {
    world: FluidWorld,
    /// `None` runs on the calling thread only.
    pool: Option<RayonExecutor>,
}

impl Ours {
    /// Loads a scene, to run on a number of threads.
    pub fn new(setting: Setting, scene: &Scene, threads: usize) -> Result<Self> {
        let mut world = FluidWorld::new(setting.parameters())?;
        let half_size = 0.5 * Vec2::new(scene.width(), HEIGHT);
        world.insert_container(Container::rectangle(half_size, half_size)?);
        for position in scene.positions() {
            world.spawn(ParticleSpawn { position: position.into(), ..Default::default() })?;
        }
        let pool = if threads > 1 { Some(RayonExecutor::new(threads)?) } else { None };
        Ok(Self { world, pool })
    }
}

impl Peer for Ours {
    fn frames(&mut self, count: u32) -> Result<Duration> {
        let start = Instant::now();
        for _ in 0..count {
            match &self.pool {
                Some(pool) => self.world.step(FRAME, pool)?,
                None => self.world.step(FRAME, &SerialExecutor)?,
            };
        }
        Ok(start.elapsed())
    }

    fn state(&mut self) -> Result<State> {
        let particles = self.world.particles();
        let report = measure(&self.world);
        Ok(State {
            interaction_radius: self.world.parameters().interaction_radius(),
            positions: particles.positions().iter().map(Vec2::to_array).collect(),
            velocities: particles.velocities().iter().map(Vec2::to_array).collect(),
            own_density: Some(OwnDensity {
                mean: report.density_ratio.mean,
                p99: report.density_ratio.p99,
                bottom_top: report.bottom_top_density,
            }),
        })
    }
}
