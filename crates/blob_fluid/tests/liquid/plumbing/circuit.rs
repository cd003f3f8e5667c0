//! A closed circuit of pump, tank, drain and emitter: nothing is lost, and it goes on to the bit.

use blob_fluid::{
    ClassId, Drain, Emitter, EmitterSettings, FluidRecorder, FluidWorld, Pump, PumpSettings,
    RayonExecutor, SerialExecutor, SnapshotError, SnapshotFile, Tank, Valve,
};
use glam::Vec2;

use super::{UPRIGHT, boxed, fill, pipe, rectangle, wall};
use crate::ticks::TICK;

/// A pool from which a pump lifts liquid into a pipe; that pours it on a funnel with a drain into a
/// tank, from which an emitter feeds the pool again.
struct Circuit {
    world: FluidWorld,
    pump: Pump,
    drain: Drain,
    emitter: Emitter,
    tank: Tank,
}

impl Circuit {
    fn new() -> Self {
        let mut world = boxed(Vec2::new(160.0, 160.0));
        let hose = pipe(&[(-60.0, 100.0), (40.0, 100.0), (40.0, 20.0)], 40.0, 6.0);
        wall(&mut world, hose.shape(), UPRIGHT);
        let half_open = Valve { opening: 0.5, ..Valve::across(&hose, 10.0) };
        wall(&mut world, half_open.shape().expect("valid"), hose.place_at(130.0));
        fill(&mut world, rectangle((0.0, -140.0), (160.0, 20.0)));
        let settings = PumpSettings { max_head: Some(500.0), ..PumpSettings::new(60.0) };
        let (inlet, outlet) =
            (rectangle((-100.0, -150.0), (40.0, 15.0)), rectangle((-40.0, 100.0), (20.0, 18.0)));
        let drain = Drain::new(rectangle((40.0, -20.0), (60.0, 20.0)));
        let mut tank = Tank::with_capacity(100);
        tank.add(ClassId::LIGHT, 40, 35.0).expect("valid");
        Self {
            world,
            pump: Pump::new(settings, inlet, outlet).expect("valid"),
            drain: drain.with_rate(45.0).expect("valid"),
            emitter: Emitter::new(EmitterSettings::pour(30.0, 40.0)).expect("valid"),
            tank,
        }
    }

    fn act(&mut self) {
        let liquid = self.world.liquid_mut();
        self.pump.pump(liquid, TICK).expect("valid");
        self.drain.drain_into(liquid, &mut self.tank, TICK).expect("valid");
        let nozzle = (Vec2::new(-120.0, 0.0), Vec2::NEG_X);
        self.emitter.emit_from(liquid, &mut self.tank, nozzle, nozzle, TICK).expect("valid");
    }

    fn tick(&mut self) {
        self.act();
        self.world.step(TICK, &SerialExecutor).expect("valid");
    }

    /// How many particles of each class there are, in the world and in the tank.
    fn amounts(&self) -> [u64; 3] {
        [ClassId::HEAVY, ClassId::MEDIUM, ClassId::LIGHT].map(|class| {
            let all = self.world.particles().classes().iter();
            all.filter(|of| **of == class).count() as u64 + self.tank.amount(class)
        })
    }

    fn save(&self) -> Vec<u8> {
        let mut file = SnapshotFile::default();
        file.insert("world", &self.world).expect("between two ticks");
        file.insert("pump", &self.pump).expect("new");
        file.insert("drain", &self.drain).expect("new");
        file.insert("emitter", &self.emitter).expect("new");
        file.insert("tank", &self.tank).expect("new");
        file.insert("tanks", &vec![self.tank.clone()]).expect("new");
        file.insert("pumps", &vec![self.pump.clone()]).expect("new");
        file.to_bytes()
    }

    fn load(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let file = SnapshotFile::from_bytes(bytes)?;
        let tanks: Vec<Tank> = file.get("tanks")?;
        let tank: Tank = file.get("tank")?;
        assert_eq!(tanks, std::slice::from_ref(&tank));
        assert_eq!(file.get::<Vec<Pump>>("pumps")?.len(), 1);
        Ok(Self {
            world: file.get("world")?,
            pump: file.get("pump")?,
            drain: file.get("drain")?,
            emitter: file.get("emitter")?,
            tank,
        })
    }
}

#[test]
fn amounts_are_exact_for_ten_minutes() {
    let mut circuit = Circuit::new();
    let amounts = circuit.amounts();
    assert!(amounts[1] > 100 && amounts[2] == 40);
    let mut last = (0, 0, 0);
    for second in 1..=600 {
        for _ in 0..60 {
            circuit.tick();
            assert_eq!(circuit.amounts(), amounts, "second {second}");
        }
        if second % 60 == 0 {
            let drained: u64 = circuit.drain.drained().iter().sum();
            let now = (circuit.pump.moved(), drained, circuit.emitter.emitted());
            assert!(
                now.0 > last.0 && now.1 > last.1 && now.2 > last.2,
                "{second}: {now:?} {last:?}"
            );
            last = now;
        }
    }
    assert_eq!(circuit.world.quarantined(), 0);
}

#[test]
fn a_snapshot_in_the_midst_goes_on_with_the_same_bits() {
    let mut circuit = Circuit::new();
    (0..333).for_each(|_| circuit.tick());
    assert!(circuit.pump.moved() > 100 && circuit.emitter.emitted() > 40);
    let bytes = circuit.save();
    let mut again = Circuit::load(&bytes).expect("valid");
    assert!(again.save() == bytes, "exported again");
    for tick in 0..120 {
        circuit.tick();
        again.tick();
        assert!(circuit.save() == again.save(), "tick {tick}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads: usize| {
        let mut circuit = Circuit::new();
        let executor = RayonExecutor::new(threads).expect("threads");
        for _ in 0..400 {
            circuit.act();
            circuit.world.step(TICK, &executor).expect("valid");
        }
        circuit.save()
    };
    let one = run(1);
    assert!([2, 4].into_iter().all(|threads| run(threads) == one));
}

#[test]
fn a_recording_repeats_what_a_pump_moves() {
    let mut circuit = Circuit::new();
    let mut recorder = FluidRecorder::new(&circuit.world).expect("between two ticks");
    for _ in 0..90 {
        circuit.act();
        recorder.step(&mut circuit.world, TICK, &SerialExecutor).expect("valid");
    }
    let recording = recorder.recording();
    let mut replay = recording.replay().expect("valid");
    while replay.step(&SerialExecutor).expect("no difference").is_some() {}
    assert_eq!(replay.world().deep_hash(), circuit.world.deep_hash());
    assert!(circuit.pump.moved() > 50);
}
