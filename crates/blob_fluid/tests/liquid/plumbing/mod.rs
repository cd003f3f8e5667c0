//! Tanks, pumps, pipes and valves.

mod pumps;

use blob_fluid::*;
use glam::Vec2;

use crate::pools;
use crate::pools::{in_tank, spacing};
use crate::ticks::{TICK, run, run_for, same_on_threads};

/// A world with a box, by its half size.
fn boxed(half_size: Vec2) -> FluidWorld {
    in_tank(Vec2::ZERO, half_size)
}

/// A rectangular region.
fn rectangle(centre: (f32, f32), half_size: (f32, f32)) -> FluidRegion {
    FluidRegion::rectangle(centre.into(), half_size.into()).expect("valid")
}

/// Fills what is free of a region with medium liquid, and returns the number of particles.
fn fill(world: &mut FluidWorld, region: FluidRegion) -> usize {
    Blob::new(region, ClassId::MEDIUM).fill(world.liquid_mut()).expect("valid").spawned
}

fn pipe(points: &[(f32, f32)], width: f32, thickness: f32) -> Pipe {
    Pipe::new(points.iter().copied().map(Vec2::from), width, thickness).expect("valid")
}

/// Adds a shape that stands still.
fn wall(world: &mut FluidWorld, shape: FluidShape, pose: Pose) -> ColliderId {
    let wall = Collider::new(shape, pose.translation, pose.rotation);
    world.insert_collider(wall.expect("valid"))
}

/// Height of the surface at a horizontal position.
fn level(world: &FluidWorld, across: f32) -> f32 {
    world.surface_height(across).expect("liquid")
}

// A closed circuit of pump, tank, drain and emitter: nothing is lost, and it goes on to the bit.

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
        wall(&mut world, hose.shape(), Pose::IDENTITY);
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
        let nozzle = Pose::new(Vec2::new(-120.0, 0.0), Vec2::NEG_X);
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
    same_on_threads([1, 2, 4], |executor| {
        let mut circuit = Circuit::new();
        for _ in 0..400 {
            circuit.act();
            circuit.world.step(TICK, executor).expect("valid");
        }
        crc32fast::hash(&circuit.save())
    });
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

// Vessels that communicate, a ballast tank, and a siphon.

#[test]
fn the_arms_of_a_pipe_level() {
    let mut world = boxed(Vec2::new(250.0, 350.0));
    let points = [(-120.0, 340.0), (-120.0, -150.0), (130.0, -150.0), (130.0, 340.0)];
    wall(&mut world, pipe(&points, 48.0, 8.0).shape(), Pose::IDENTITY);
    fill(&mut world, rectangle((-120.0, 80.0), (24.0, 250.0)));
    assert!(level(&world, -120.0) > 150.0 && world.surface_height(130.0).is_none());
    run_for(&mut world, 40.0);
    let [left, right] = [-120.0, 130.0].map(|across| level(&world, across));
    assert!((left - right).abs() < spacing(), "{left} and {right}");
    assert!(left > -100.0, "above the pipe between them: {left}");
}

/// A basin and a hose over its rim, which ends far below it, both full.
fn siphon() -> FluidWorld {
    let mut world = boxed(Vec2::new(250.0, 250.0));
    for (centre, half_size) in
        [((-220.0, 0.0), (4.0, 60.0)), ((-80.0, 0.0), (4.0, 60.0)), ((-150.0, -60.0), (74.0, 4.0))]
    {
        let region = rectangle(centre, half_size);
        wall(&mut world, region.shape().clone(), region.pose());
    }
    let points = [(-110.0, -40.0), (-110.0, 100.0), (0.0, 100.0), (0.0, -180.0)];
    wall(&mut world, pipe(&points, 40.0, 8.0).shape(), Pose::IDENTITY);
    for (centre, half_size) in [
        ((-150.0, 0.0), (70.0, 50.0)),
        ((-110.0, 60.0), (20.0, 100.0)),
        ((-55.0, 100.0), (100.0, 20.0)),
        ((0.0, -20.0), (20.0, 160.0)),
    ] {
        fill(&mut world, rectangle(centre, half_size));
    }
    world
}

#[test]
fn a_siphon_does_not_run_because_no_air_presses_on_its_basin() {
    let mut world = siphon();
    let in_basin = |world: &FluidWorld| {
        world.particles().positions().iter().filter(|at| at.x < -76.0 && at.y < 60.0).count()
    };
    run_for(&mut world, 10.0);
    let left = in_basin(&world);
    run_for(&mut world, 20.0);
    // The basin stands full to its rim, far above the end of the hose.
    assert!(level(&world, -190.0) > 40.0);
    // It may gain a few that fall back from the parted column.
    assert!(in_basin(&world) + 2 >= left, "{left}, then {}", in_basin(&world));
    // The column has parted: of the leg behind the crest hardly a tenth is left.
    let behind =
        world.particles().positions().iter().filter(|at| at.x.abs() < 20.0 && at.y > -170.0);
    let behind = behind.count();
    assert!(behind < 15, "{behind}");
}

#[test]
fn a_ballast_tank_sinks_a_body_and_raises_it() {
    let mut world = boxed(Vec2::new(250.0, 200.0));
    fill(&mut world, rectangle((0.0, -70.0), (250.0, 130.0)));
    // A flat hull on the floor itself would stick to it: a single row of liquid beneath it presses too little.
    for x in [-40.0, 40.0] {
        let foot = Collider::rectangle(Vec2::new(x, -195.0), Vec2::new(5.0, 5.0));
        world.insert_collider(foot.expect("valid"));
    }
    run_for(&mut world, 3.0);
    let shape = FluidShape::Rectangle { half_size: Vec2::new(50.0, 25.0) };
    let hull =
        Body { lock_rotation: true, ..Body::of_density(0.5, &shape, spacing()).expect("valid") };
    let boat = pools::body(shape, Vec2::new(0.0, 100.0), 0.5);
    let boat = boat.with_options(ColliderOptions { body: Some(hull), ..Default::default() });
    let boat = world.insert_collider(boat.expect("valid"));
    let all = world.particles().len() as u64;
    // Room for as much as makes it twice as heavy as water.
    let capacity = (3.0 * hull.mass) as u64;
    let mut ballast = Tank::with_capacity(capacity);
    let around = |world: &FluidWorld| {
        let centre = world.collider(boat).expect("there").centre();
        FluidRegion::rectangle(centre, Vec2::new(80.0, 55.0)).expect("valid")
    };
    let mut inlet = Drain::new(around(&world)).with_rate(60.0).expect("valid");
    let mut jet = Emitter::new(EmitterSettings::pour(60.0, 60.0)).expect("valid");
    let mut heights = Vec::new();
    for (phase, ticks) in [900, 900, 1800].into_iter().enumerate() {
        for _ in 0..ticks {
            inlet.set_region(around(&world));
            if phase == 1 {
                inlet.drain_into(world.liquid_mut(), &mut ballast, TICK).expect("valid");
            } else if phase == 2 {
                // A nozzle within still water finds no room.
                let pose = Pose::new(Vec2::new(-150.0, 150.0), Vec2::NEG_X);
                jet.emit_from(world.liquid_mut(), &mut ballast, pose, pose, TICK).expect("valid");
            }
            let collider = world.collider(boat).expect("there").clone();
            let mass = hull.mass + ballast.total() as f32;
            let body = Body { mass, ..hull };
            let options = ColliderOptions { body: Some(body), ..collider.options() };
            let loaded: Collider = collider.with_options(options).expect("valid");
            world.set_collider(boat, loaded);
            run_for(&mut world, TICK);
            assert_eq!(world.particles().len() as u64 + ballast.total(), all);
        }
        heights.push(world.collider(boat).expect("there").centre().y);
    }
    assert!(ballast.is_empty());
    assert!(heights[0] > 20.0 && heights[1] < -150.0 && heights[2] > 20.0, "{heights:?}");
}

// Valves: how much they let through.

/// A pipe that stands upright, filled above its valve in the middle.
fn full_pipe(opening: f32) -> (FluidWorld, Pipe, ColliderId) {
    let mut world = boxed(Vec2::new(200.0, 300.0));
    let pipe = pipe(&[(0.0, 280.0), (0.0, -100.0)], 60.0, 8.0);
    wall(&mut world, pipe.shape(), Pose::IDENTITY);
    let valve = Valve { opening, ..Valve::across(&pipe, 12.0) };
    let gate = wall(&mut world, valve.shape().expect("valid"), pipe.place_at(200.0));
    fill(&mut world, rectangle((0.0, 180.0), (30.0, 94.0)));
    (world, pipe, gate)
}

/// Number of particles below the valve.
fn through(world: &FluidWorld) -> usize {
    world.particles().positions().iter().filter(|position| position.y < 74.0).count()
}

#[test]
fn the_wider_it_is_open_the_more_flows_and_closed_it_does_not_leak() {
    let flows = [0.0, 0.25, 0.5, 1.0].map(|opening| {
        let (mut world, ..) = full_pipe(opening);
        run_for(&mut world, 0.7);
        through(&world)
    });
    assert_eq!(flows[0], 0);
    assert!(flows[1] > 0 && flows.is_sorted_by(|one, other| one < other), "{flows:?}");
    let (mut world, ..) = full_pipe(0.0);
    run_for(&mut world, 60.0);
    assert_eq!(through(&world), 0);
}

#[test]
fn it_can_be_worked_while_liquid_flows() {
    let (mut world, pipe, gate) = full_pipe(0.0);
    let all = world.particles().len();
    let Pose { translation, rotation } = pipe.place_at(200.0);
    let set = |world: &mut FluidWorld, opening| {
        let shape = Valve { opening, ..Valve::across(&pipe, 12.0) }.shape().expect("valid");
        world.set_collider(gate, Collider::new(shape, translation, rotation).expect("valid"));
    };
    // It opens and closes within a fifth of a second.
    for step in 0..=12 {
        set(&mut world, step as f32 / 12.0);
        run_for(&mut world, 1.0 / 60.0);
    }
    run_for(&mut world, 0.3);
    for step in 0..=12 {
        set(&mut world, 1.0 - step as f32 / 12.0);
        run_for(&mut world, 1.0 / 60.0);
    }
    run_for(&mut world, 0.5);
    let passed = through(&world);
    run_for(&mut world, 20.0);
    assert!(passed > 20 && passed < all - 20, "{passed} of {all}");
    assert_eq!(through(&world), passed, "closed again");
    assert_eq!(world.particles().len(), all);
}

// Pipes: their joints hold what is in them.

/// Number of particles that are not in a pipe.
fn outside(world: &FluidWorld, pipe: &Pipe) -> usize {
    let distance = |point: Vec2, pair: &[Vec2]| {
        let way = pair[1] - pair[0];
        let along = (point - pair[0]).dot(way) / way.length_squared();
        point.distance(pair[0] + way * along.clamp(0.0, 1.0))
    };
    let positions = world.particles().positions().iter();
    // In the corner of a bend a place may be farther from the line.
    let reach = 0.5 * pipe.width() * 2.0_f32.sqrt();
    let is_out = |point: &&Vec2| {
        pipe.shape().contains(**point)
            || pipe.points().windows(2).all(|pair| distance(**point, pair) > reach)
    };
    positions.filter(is_out).count()
}

#[test]
fn joints_at_any_angle_hold_under_pressure() {
    let step = Vec2::new(0.866_025_4, 0.5);
    let mut direction = Vec2::Y;
    // A pipe that comes down and goes on at 0 to 150 degrees to that, to either side.
    for angle in 0..=5 {
        for side in [1.0, -1.0] {
            let on = -Vec2::new(side * direction.x, direction.y);
            let points = [Vec2::new(0.0, 500.0), Vec2::ZERO, 300.0 * on];
            let pipe = Pipe::new(points, 40.0, 4.0).expect("valid");
            // Four times the gravity.
            let parameters = FluidParameters::default();
            let gravity = 4.0 * parameters.gravity;
            let mut world =
                FluidWorld::new(FluidParameters { gravity, ..parameters }).expect("valid");
            wall(&mut world, pipe.shape(), Pose::IDENTITY);
            let closed = Valve::across(&pipe, 12.0).shape().expect("valid");
            for distance in [20.0, 780.0] {
                wall(&mut world, closed.clone(), pipe.place_at(distance));
            }
            for distance in [150.0, 300.0, 650.0] {
                let Pose { translation, rotation } = pipe.place_at(distance);
                let part = FluidShape::Rectangle { half_size: Vec2::new(20.0, 120.0) };
                let region = FluidRegion::new(part, translation, rotation).expect("valid");
                fill(&mut world, region);
            }
            let all = world.particles().len();
            assert_eq!(outside(&world, &pipe), 0, "{angle} before");
            // A pump presses more into it than there is room for.
            let inlet = FluidRegion::circle(Vec2::new(0.0, 400.0), 60.0).expect("valid");
            let outlet = FluidRegion::circle(200.0 * on, 20.0).expect("valid");
            let mut pump = Pump::new(PumpSettings::new(400.0), inlet, outlet).expect("valid");
            for _ in 0..400 {
                pump.pump(world.liquid_mut(), TICK).expect("valid");
                run(&mut world, 1);
            }
            assert_eq!(outside(&world, &pipe), 0, "{angle} {side}");
            assert_eq!(world.particles().len(), all, "{angle} {side}");
        }
        direction = step.rotate(direction);
    }
}

// Tanks: what drains into them and what is emitted from them.

/// A pose that pours downwards.
const DOWN: Pose = Pose::new(Vec2::new(0.0, 100.0), Vec2::NEG_X);

/// Particles of two classes in a row.
fn row() -> FluidWorld {
    let mut world = FluidWorld::default();
    for number in 0..30 {
        let class = if number % 3 == 0 { ClassId::LIGHT } else { ClassId::HEAVY };
        let position = Vec2::new(8.0 * number as f32, 0.0);
        let temperature = Some(number as f32);
        world
            .spawn(ParticleSpawn { position, class, temperature, ..Default::default() })
            .expect("valid");
    }
    world
}

fn emit(world: &mut FluidWorld, tap: &mut Emitter, tank: &mut Tank) -> EmitReport {
    tap.emit_from(world.liquid_mut(), tank, DOWN, DOWN, TICK).expect("valid")
}

#[test]
fn a_drain_fills_a_tank_and_stops_when_it_is_full() {
    let mut world = row();
    let mut tank = Tank::with_capacity(20);
    let mut hole = Drain::new(rectangle((0.0, 0.0), (500.0, 9.0))).with_rate(600.0).expect("valid");
    for drained in [10, 10, 0] {
        let count = hole.drain_into(world.liquid_mut(), &mut tank, TICK).expect("valid");
        assert_eq!(count, drained);
    }
    assert_eq!((world.particles().len(), tank.total(), tank.room()), (10, 20, 0));
    // The nearest 20: numbers 0 to 19, of which 7 are multiples of 3 with a mean of 9.
    assert_eq!((tank.amount(ClassId::LIGHT), tank.amount(ClassId::HEAVY)), (7, 13));
    assert_eq!(tank.temperature(ClassId::LIGHT), Some(9.0));
    assert_eq!(hole.drained()[ClassId::LIGHT.index()], 7);
    // What it did not drain while the tank was full does not come later.
    tank.clear();
    assert_eq!(hole.drain_into(world.liquid_mut(), &mut tank, TICK), Ok(10));
}

#[test]
fn an_emitter_empties_a_tank_as_if_it_were_stirred() {
    let mut world = FluidWorld::default();
    let mut tank = Tank::new();
    tank.add(ClassId::LIGHT, 300, 20.0).expect("valid");
    tank.add(ClassId::HEAVY, 600, 50.0).expect("valid");
    let mut tap = Emitter::new(EmitterSettings::jet(80.0, 300.0)).expect("valid");
    let mut shares = Vec::new();
    while !tank.is_empty() {
        emit(&mut world, &mut tap, &mut tank);
        run(&mut world, 1);
        assert_eq!(world.particles().len() as u64 + tank.total(), 900);
        let light =
            world.particles().classes().iter().filter(|class| **class == ClassId::LIGHT).count();
        shares.push(light as f32 / world.particles().len().max(1) as f32);
    }
    // The standard deviation of a share among half of 900 is .02.
    let half_way = shares[shares.len() / 2];
    assert!((half_way - 1.0 / 3.0).abs() < 0.07, "{half_way}");
    for (class, temperature) in
        world.particles().classes().iter().zip(world.particles().temperatures())
    {
        let expected = if *class == ClassId::LIGHT { 20.0 } else { 50.0 };
        assert!((temperature - expected).abs() < 1e-3, "{temperature}");
    }
    // It goes on when more comes.
    assert_eq!(emit(&mut world, &mut tap, &mut tank).emitted, 0);
    tank.add(ClassId::MEDIUM, 5, 0.0).expect("valid");
    let mut emitted = 0;
    for _ in 0..20 {
        emitted += emit(&mut world, &mut tap, &mut tank).emitted;
        run(&mut world, 1);
    }
    assert_eq!((emitted, tank.total()), (5, 0));
}

#[test]
fn a_mix_waits_for_the_class_whose_turn_it_is() {
    let mut world = FluidWorld::default();
    let mut tank = Tank::new();
    tank.add(ClassId::LIGHT, 10, 20.0).expect("valid");
    tank.add(ClassId::HEAVY, 100, 20.0).expect("valid");
    let mix = vec![(ClassId::LIGHT, 1.0), (ClassId::HEAVY, 1.0)];
    let settings =
        EmitterSettings { mix, temperature: Some(90.0), ..EmitterSettings::jet(40.0, 200.0) };
    let mut tap = Emitter::new(settings).expect("valid");
    for _ in 0..120 {
        emit(&mut world, &mut tap, &mut tank);
        run(&mut world, 1);
    }
    assert_eq!((tank.amount(ClassId::LIGHT), tank.amount(ClassId::HEAVY)), (0, 90));
    assert!(world.particles().temperatures().iter().all(|temperature| *temperature == 90.0));
}

#[test]
fn what_the_world_refuses_stays_in_the_tank() {
    let mut world = FluidWorld::default();
    world.set_capacity(3);
    let mut tank = Tank::new();
    tank.add(ClassId::MEDIUM, 50, 20.0).expect("valid");
    let mut tap = Emitter::new(EmitterSettings::jet(80.0, 300.0)).expect("valid");
    let mut refused = 0;
    for _ in 0..10 {
        let report = emit(&mut world, &mut tap, &mut tank);
        refused += report.refused;
        assert_eq!(world.particles().len() as u64 + tank.total(), 50);
    }
    assert!(refused > 0 && tank.total() == 47);
    let mut strange = Tank::new();
    strange.add(ClassId(99), 5, 20.0).expect("valid");
    world.set_capacity(100);
    let mut again = Emitter::new(EmitterSettings::jet(80.0, 300.0)).expect("valid");
    let error = (0..10).find_map(|_| emit(&mut world, &mut again, &mut strange).error);
    assert_eq!(error, Some(SpawnError::UnknownClass { class: 99, classes: 3 }));
    assert_eq!(strange.total(), 5);
}

#[test]
fn what_dies_or_is_recycled_does_not_return() {
    let mut world = FluidWorld::default();
    world.set_capacity(5);
    world.set_capacity_policy(CapacityPolicy::RecycleOldest);
    let mut tank = Tank::new();
    tank.add(ClassId::MEDIUM, 40, 20.0).expect("valid");
    let mut tap = Emitter::new(EmitterSettings {
        lifetime: Some(FluidLifetime::new(1.0)),
        ..EmitterSettings::jet(80.0, 300.0)
    })
    .expect("valid");
    let mut emitted = 0;
    for _ in 0..20 {
        emitted += emit(&mut world, &mut tap, &mut tank).emitted as u64;
        run(&mut world, 1);
    }
    assert_eq!((emitted, tank.total()), (40, 0));
    assert_eq!(world.recycled(), 35);
}

#[test]
fn nonsense_is_refused() {
    let mut tank = Tank::new();
    assert!(tank.add(ClassId::MEDIUM, 3, f32::INFINITY).is_err());
    let mut world = row();
    let mut hole = Drain::new(rectangle((0.0, 0.0), (500.0, 9.0)));
    assert!(hole.drain_into(world.liquid_mut(), &mut tank, f32::NAN).is_err());
    let mut tap = Emitter::new(EmitterSettings::jet(80.0, 300.0)).expect("valid");
    tank.add(ClassId::MEDIUM, 3, 0.0).expect("valid");
    let nowhere = Pose::from_translation(Vec2::NAN);
    assert!(tap.emit_from(world.liquid_mut(), &mut tank, nowhere, DOWN, TICK).is_err());
    assert_eq!((world.particles().len(), tank.total()), (30, 3));
    // A particle whose temperature is no number is left to the quarantine.
    world.particles_mut().temperatures_mut()[7] = f32::NAN;
    assert_eq!(hole.drain_into(world.liquid_mut(), &mut tank, TICK), Ok(29));
    assert_eq!((world.particles().len(), tank.total()), (1, 32));
}
