//! A world, and a host that keeps count of what it does to it.

use std::error::Error;

use blob_fluid::{
    FluidChunk, FluidRecorder, FluidWorld, HostBodyId, KeptState, ParticleId, Recording,
    SerialExecutor, StepError,
};
use glam::Vec2;

/// Most ticks and most particles: what a fuzzer tries is to be short.
const MOST_TICKS: u32 = 24;
pub const MOST_PARTICLES: usize = 300;

/// One sixtieth of a second.
pub const TICK: f32 = 1.0 / 60.0;

/// What comes of a call. An error: it was refused.
pub type Outcome = Result<(), Box<dyn Error>>;

/// A world, and what its host keeps of it.
pub struct Host {
    pub world: FluidWorld,
    pub despawned: Option<ParticleId>,
    pub body: Option<HostBodyId>,
    pub chunk: Option<FluidChunk>,
    pub kept: Option<Kept>,
    pub exported: Option<(Vec<u8>, u64)>,
    /// Particles that must be there, but for those that the world has removed since it had removed so many.
    pub particles: u64,
    pub removed: u64,
    ticks: u32,
    recorder: FluidRecorder,
}

/// What is rolled back together with the world.
#[derive(Default)]
pub struct Kept {
    pub state: KeptState,
    pub particles: usize,
}

impl Host {
    pub fn new() -> Self {
        let mut world = FluidWorld::default();
        world.set_capacity(MOST_PARTICLES);
        let recorder = FluidRecorder::new(&world).expect("between two ticks");
        Self {
            world,
            despawned: None,
            body: None,
            chunk: None,
            kept: None,
            exported: None,
            particles: 0,
            removed: 0,
            ticks: 0,
            recorder,
        }
    }

    /// Particles that the world itself has removed so far, but for those whose time was over.
    pub fn count_removed(&self) -> u64 {
        self.world.quarantined() + self.world.out_of_bounds() + self.world.recycled()
    }

    /// A tick, which is recorded.
    pub fn step(&mut self, time: f32) -> Result<(), StepError> {
        if self.ticks == MOST_TICKS {
            return Ok(());
        }
        self.ticks += 1;
        let executor = &SerialExecutor;
        let report = if time.is_finite() && time >= 0.0 {
            let report = self.recorder.step(&mut self.world, time, executor);
            report.unwrap_or_else(|error| panic!("a tick of {time:e}: {error}"))
        } else {
            self.world.step(time, executor)?
        };
        self.particles -= report.expired as u64;
        if report.time_step == 0.0 {
            // Nothing was done.
            return Ok(());
        }
        let particles = self.world.particles();
        let vectors = particles.positions().iter().chain(particles.velocities());
        assert!(vectors.copied().all(Vec2::is_finite), "not finite after a tick");
        assert!(particles.temperatures().iter().all(|degrees| degrees.is_finite()));
        Ok(())
    }

    /// What comes of it is exported, imported, and goes on alike; so does the recording.
    pub fn end(mut self) {
        let bytes = self.world.to_bytes().expect("between two ticks");
        let mut other = FluidWorld::from_bytes(&bytes).expect("valid");
        assert!(other.to_bytes().expect("between two ticks") == bytes, "exported again");
        for _ in 0..2 {
            let one = self.recorder.step(&mut self.world, TICK, &SerialExecutor);
            let two = other.step(TICK, &SerialExecutor);
            assert_eq!(one.expect("valid").substeps, two.expect("valid").substeps);
        }
        let differences: Vec<_> = self.world.deep_hash().differences(&other.deep_hash()).collect();
        assert!(differences.is_empty(), "a snapshot went on differently: {differences:?}");

        let recording = self.recorder.recording();
        let bytes = recording.to_bytes();
        let read = Recording::from_bytes(&bytes).expect("valid");
        assert!(read.to_bytes() == bytes, "exported again");
        let mut replay = read.replay().expect("valid");
        while replay.step(&SerialExecutor).unwrap_or_else(|error| panic!("{error}")).is_some() {}
        let differences: Vec<_> =
            self.world.deep_hash().differences(&replay.world().deep_hash()).collect();
        assert!(differences.is_empty(), "a recording was played differently: {differences:?}");
    }
}
