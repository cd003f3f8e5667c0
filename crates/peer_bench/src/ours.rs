//! `blob_fluid` itself, natively.

use std::time::{Duration, Instant};

use blob_fluid::measure::measure;
use blob_fluid::{FluidWorld, RayonExecutor, SerialExecutor};
use glam::Vec2;
use on_every_target::scene::{FRAME, Scene};
use on_every_target::setting::Setting;

use crate::peer::{OwnDensity, Peer, Result, State};

/// Our liquid in a scene.
pub struct Ours {
    world: FluidWorld,
    /// `None` runs on the calling thread only.
    pool: Option<RayonExecutor>,
}

impl Ours {
    /// Loads a scene, to run on a number of threads.
    pub fn new(setting: Setting, scene: &Scene, threads: usize) -> Result<Self> {
        let world = setting.world(scene)?;
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
