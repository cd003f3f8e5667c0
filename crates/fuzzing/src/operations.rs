//! A world that is called in any order with any numbers.

use arbitrary::{Arbitrary, Unstructured};
use blob_fluid::{
    FluidChunk, FluidRecorder, FluidWorld, HostBodyId, KeptState, ParticleId, Recording,
    SerialExecutor, StepReport,
};
use glam::Vec2;

use crate::operation::Operation;

/// Most operations of a sequence, most ticks and most particles: what a fuzzer tries is to be short.
const MOST_OPERATIONS: usize = 60;
const MOST_TICKS: u32 = 24;
pub const MOST_PARTICLES: usize = 300;

/// One sixtieth of a second.
pub const TICK: f32 = 1.0 / 60.0;

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

/// Makes calls until the bytes are used up. What is refused changes nothing; nothing is lost or not finite; snapshots
/// and recordings of what came of it go on with the same bits.
///
/// # Panics
///
/// If one of these does not hold.
pub fn operations(bytes: &[u8]) {
    let mut bytes = Unstructured::new(bytes);
    let mut host = Host::new();
    let mut calls = Calls(Vec::new());
    for _ in 0..MOST_OPERATIONS {
        let Ok(operation) = Operation::arbitrary(&mut bytes) else { break };
        calls.0.push(operation);
        host.call(operation);
        if bytes.is_empty() {
            break;
        }
    }
    host.end();
}

/// The calls so far, which are printed where one of them fails.
struct Calls(Vec<Operation>);

impl Drop for Calls {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.iter().for_each(|call| eprintln!("{call:?}"));
        }
    }
}

impl Host {
    fn new() -> Self {
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

    fn call(&mut self, operation: Operation) {
        let before = self.world.deep_hash();
        if let Err(error) = self.apply(operation) {
            let changed: Vec<_> = before.differences(&self.world.deep_hash()).collect();
            let what = format!("{operation:?} was refused ({error})");
            assert!(changed.is_empty(), "{what}, and changed {changed:?}");
        }
        let removed = self.count_removed() - self.removed;
        let particles = self.world.particles().len() as u64;
        assert_eq!(particles + removed, self.particles, "after {operation:?}");
    }

    /// Particles that the world itself has removed so far, but for those whose time was over.
    pub fn count_removed(&self) -> u64 {
        self.world.quarantined() + self.world.out_of_bounds() + self.world.recycled()
    }

    /// A tick, which is recorded.
    pub fn step(&mut self, time: f32) -> Result<StepReport, String> {
        if self.ticks == MOST_TICKS {
            return Ok(StepReport::default());
        }
        self.ticks += 1;
        let executor = &SerialExecutor;
        let report = if time.is_finite() && time >= 0.0 {
            let report = self.recorder.step(&mut self.world, time, executor);
            report.unwrap_or_else(|error| panic!("a tick of {time:e}: {error}"))
        } else {
            self.world.step(time, executor).map_err(|error| error.to_string())?
        };
        self.particles -= report.expired as u64;
        if report.time_step == 0.0 {
            // Nothing was done.
            return Ok(report);
        }
        let particles = self.world.particles();
        let vectors = particles.positions().iter().chain(particles.velocities());
        assert!(vectors.copied().all(Vec2::is_finite), "not finite after a tick");
        assert!(particles.temperatures().iter().all(|degrees| degrees.is_finite()));
        Ok(report)
    }

    /// What comes of it is exported, imported, and goes on alike; so does the recording.
    fn end(mut self) {
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
