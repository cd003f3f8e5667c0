//! What a host keeps beside the world goes on as well.

use blob_fluid::{
    BlobTracker, BlobTracking, Drain, Emitter, EmitterSettings, FluidBudget, FluidRegion,
    FluidShape, FluidSolver, FluidWorld, Governor, Sensor, SnapshotError, SnapshotFile,
    SplashDetection, SplashDetector, StepReport,
};
use glam::Vec2;

use super::everything;
use crate::ticks::{TICK, run};

/// A world with a tap, rain, a drain and all that watches it.
pub struct Game {
    pub world: FluidWorld,
    tap: Emitter,
    rain: Emitter,
    drain: Drain,
    sensor: Sensor,
    splashes: SplashDetector,
    blobs: BlobTracker,
    governor: Governor,
}

impl Game {
    pub fn new() -> Self {
        let mix = vec![(blob_fluid::ClassId(0), 2.0), (blob_fluid::ClassId(1), 1.0)];
        let tap = EmitterSettings {
            rate: Some(77.7),
            mix,
            spread: 0.2,
            ..EmitterSettings::jet(30.0, 120.0)
        };
        let cloud = FluidShape::Rectangle { half_size: Vec2::new(60.0, 8.0) };
        let around = |x: f32| FluidRegion::circle(Vec2::new(x, -90.0), 25.0).expect("valid");
        Self {
            world: everything(FluidSolver::DoubleDensity),
            tap: Emitter::new(tap).expect("valid"),
            rain: Emitter::new(EmitterSettings::rain(cloud, 33.3)).expect("valid"),
            drain: Drain::new(around(60.0)).with_rate(13.7).expect("valid"),
            sensor: Sensor::new(around(-60.0), Default::default()),
            splashes: SplashDetector::new(SplashDetection::default()).expect("valid"),
            blobs: BlobTracker::new(BlobTracking::default()),
            governor: Governor::new(FluidBudget::default()).expect("valid"),
        }
    }

    fn tick(&mut self) {
        self.act();
        self.step();
        self.watch();
    }

    /// What changes the world before a tick.
    pub fn act(&mut self) {
        let at = |y: f32| (Vec2::new(-20.0, y), Vec2::NEG_X);
        self.tap.emit(self.world.liquid_mut(), at(100.0), at(100.0), TICK).expect("valid");
        let cloud = (Vec2::new(60.0, 100.0), Vec2::NEG_X);
        self.rain.emit(self.world.liquid_mut(), cloud, cloud, TICK).expect("valid");
        self.drain.drain(self.world.liquid_mut(), TICK).expect("valid");
        self.world.set_effort(self.governor.effort());
    }

    pub fn step(&mut self) {
        run(&mut self.world, 1);
    }

    pub fn watch(&mut self) {
        self.sensor.measure(&self.world, TICK);
        self.splashes.update(&self.world, TICK);
        self.blobs.update(&self.world);
        // A made-up time, because a measured one would be another in each run.
        let report = StepReport { substeps: 4, ..StepReport::default() };
        self.governor.observe(&report, 0.002 * (1 + self.world.ticks() % 5) as f64);
    }

    fn save(&self) -> Vec<u8> {
        let mut file = SnapshotFile::default();
        file.insert("world", &self.world).expect("between two ticks");
        file.insert("tap", &self.tap).expect("new");
        file.insert("rain", &self.rain).expect("new");
        file.insert("drain", &self.drain).expect("new");
        file.insert("sensor", &self.sensor).expect("new");
        file.insert("splashes", &self.splashes).expect("new");
        file.insert("blobs", &self.blobs).expect("new");
        file.insert("governor", &self.governor).expect("new");
        file.to_bytes()
    }

    fn load(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let file = SnapshotFile::from_bytes(bytes)?;
        Ok(Self {
            world: file.get("world")?,
            tap: file.get("tap")?,
            rain: file.get("rain")?,
            drain: file.get("drain")?,
            sensor: file.get("sensor")?,
            splashes: file.get("splashes")?,
            blobs: file.get("blobs")?,
            governor: file.get("governor")?,
        })
    }
}

#[test]
fn what_sources_owe_and_sensors_know_is_saved() {
    let mut game = Game::new();
    (0..25).for_each(|_| game.tick());
    let bytes = game.save();
    let mut again = Game::load(&bytes).expect("valid");
    assert!(again.save() == bytes, "exported again");
    for tick in 0..40 {
        game.tick();
        again.tick();
        assert!(game.save() == again.save(), "tick {tick}");
    }
    assert!(game.tap.emitted() > 20 && !game.drain.drained().is_empty());
}

#[test]
fn entries_are_found_by_name_and_kind() {
    let game = Game::new();
    let mut file = SnapshotFile::default();
    file.insert("tap", &game.tap).expect("new");
    file.insert_bytes("score", &[1, 2, 3]).expect("new");
    assert_eq!(file.insert_bytes("tap", &[]), Err(SnapshotError::NameTaken("tap".into())));
    let file = SnapshotFile::from_bytes(&file.to_bytes()).expect("valid");
    assert!(file.names().eq(["tap", "score"]));
    assert_eq!(file.bytes("score"), Ok(&[1, 2, 3][..]));
    let error = file.get::<Drain>("tap").expect_err("an emitter").to_string();
    assert_eq!(error, "the entry `tap` is a emitter, and not a drain");
    let error = file.get::<Drain>("sink").expect_err("not there").to_string();
    assert_eq!(error, "the snapshot has no entry `sink`; it has tap, score");
}
