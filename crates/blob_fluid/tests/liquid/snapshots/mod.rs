//! Snapshots: what is exported, imported and exported again is the same, and goes on with the same bits;
//! recordings are played with the same bits; and bytes that are no snapshot do no harm.

mod recording;

use std::fs;
use std::path::Path;

use blob_fluid::air::{Air, AirSettings, AirSides, AirSource};
use blob_fluid::scene::Scene;
use blob_fluid::shape::{DistanceField, Polygon, Polyline, scatter};
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_tank, add_tank_from_origin, at, body, cells, pour, spacing, spawn, world_with,
};
use crate::random_scenes::Random;
use crate::ticks::{TICK, run};

/// A tank with a bit of everything: a splash, jelly, sand, spray with lifetimes, bodies, a host body, one-way
/// and moving colliders of all shapes, forces, holes in the list of slots, and air with a source.
pub fn everything(solver: FluidSolver) -> FluidWorld {
    let parameters = FluidParameters { solver, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let class = |name: &str, elasticity, mass| DensityClass {
        name: name.into(),
        elasticity,
        mass,
        paint: Some(FluidPaint { diffusion: mass / 5.0, ..FluidPaint::default() }),
        ..DensityClass::default()
    };
    let elastic = Some(FluidElasticity { plasticity: 0.1, ..FluidElasticity::default() });
    let sand = DensityClass { powder: Some(FluidPowder::default()), ..class("sand", None, 1.6) };
    let classes = vec![class("water", None, 1.0), class("jelly", elastic, 0.8), sand];
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("unused");
    add_tank(&mut world, Vec2::ZERO, Vec2::new(160.0, 120.0));
    let spacing = 1.03 * parameters.particle_spacing;
    let mut fill = |shape: FluidShape, centre: Vec2, class: u8, lifetime| {
        for position in shape.fill(centre, spacing) {
            let (class, tag) = (ClassId(class), ParticleTag(u32::from(class)));
            let paint = Some([0.3, 0.5 + position.x / 400.0, 0.5 + position.y / 400.0]);
            spawn(&mut world, ParticleSpawn { class, tag, lifetime, paint, ..at(position) });
        }
    };
    let block = FluidShape::Rectangle { half_size: Vec2::new(70.0, 60.0) };
    fill(block, Vec2::new(-85.0, -50.0), 0, None);
    fill(FluidShape::Circle { radius: 30.0 }, Vec2::new(60.0, 20.0), 1, None);
    fill(FluidShape::Circle { radius: 20.0 }, Vec2::new(15.0, -50.0), 2, None);
    let spray = Some(FluidLifetime::new(0.7).fading(0.2));
    fill(FluidShape::Circle { radius: 15.0 }, Vec2::new(110.0, 90.0), 0, spray);

    let corners = [Vec2::new(-20.0, -8.0), Vec2::new(20.0, -8.0), Vec2::new(0.0, 14.0)];
    let wedge = FluidShape::Polygon(Polygon::new(corners).expect("valid"));
    let line = [Vec2::new(-20.0, 0.0), Vec2::new(0.0, 5.0), Vec2::new(20.0, 0.0)];
    let line = FluidShape::Polyline(Polyline::new(line, 2.0).expect("valid"));
    let disc = |x: usize, y: usize| Vec2::new(x as f32 - 7.5, y as f32 - 7.5).length() < 6.0;
    let drawn = DistanceField::new(16, 16, Vec2::splat(20.0), disc);
    let drawn = FluidShape::Field(drawn.expect("valid"));
    let capsule = FluidShape::Capsule { half_length: 12.0, radius: 4.0 };
    let turning = Motion { angular_velocity: 2.0, ..Motion::STILL };
    for (shape, centre, motion) in [
        (wedge, Vec2::new(20.0, -110.0), Motion::STILL),
        (line, Vec2::new(80.0, -60.0), Motion::STILL),
        (drawn, Vec2::new(130.0, -100.0), Motion::STILL),
        (capsule, Vec2::new(40.0, -80.0), turning),
    ] {
        let collider = Collider::new(shape, centre, Vec2::X).and_then(|c| c.with_motion(motion));
        add_collider(&mut world, collider);
    }
    for (x, density) in [(-100.0, 0.4), (-60.0, 2.0), (100.0, 0.5)] {
        let square = FluidShape::Rectangle { half_size: Vec2::splat(9.0) };
        world.insert_collider(body(square, Vec2::new(x, 40.0), density));
    }
    let host = HostBody {
        inverse_mass: Vec2::splat(0.01),
        ..HostBody::at(Pose::from_translation(Vec2::new(0.0, 60.0)))
    };
    let host = world.insert_host_body(host).expect("valid");
    let attachment = Attachment { body: host, pose: Pose::from_translation(Vec2::new(8.0, 0.0)) };
    let options = ColliderOptions { attachment: Some(attachment), ..Default::default() };
    let carried = Collider::circle(Vec2::new(8.0, 60.0), 7.0).and_then(|c| c.with_options(options));
    add_collider(&mut world, carried);
    let gone = add_collider(&mut world, Collider::circle(Vec2::new(0.0, 90.0), 3.0));
    world.remove_collider(gone);
    let force = Force::vortex(Vec2::new(-60.0, -80.0), 30.0, 300.0).expect("valid");
    world.set_forces(&[force]).expect("valid");

    let room = FluidBounds { low: Vec2::new(-160.0, -120.0), high: Vec2::new(160.0, 120.0) };
    let settings = AirSettings { density: 0.001, ..AirSettings::new(parameters.gravity) };
    let mut air = Air::new(room, 10.0, settings, AirSides::default()).expect("valid");
    let fire = FluidRegion::circle(Vec2::new(0.0, 100.0), 12.0).expect("valid");
    let source = AirSource { smoke: 1.0, heat: 1.0, expansion: 0.5, ..AirSource::new(fire) };
    air.insert_source(source).expect("valid");
    world.insert_air(air);

    // A pool whose water flows.
    let settings = PoolSettings { class: ClassId(0), ..PoolSettings::default() };
    let bed: Vec<f32> = (0..40).map(|column| 20.0 * scatter(column).x).collect();
    let corner = Vec2::new(-150.0, -500.0);
    let mut pool = Pool::new(corner, &bed, parameters.particle_spacing, settings).expect("valid");
    (0..40).for_each(|column| pool.set_depth(column, 2.0 * column as f32).expect("valid"));
    world.insert_pool(pool).expect("valid");
    run(&mut world, 20);
    world.despawn_where(|position, _| position.x < -140.0);
    run(&mut world, 8);
    world
}

/// Pushes the particle at a place, and wakes nothing: what only the host's code does.
pub struct Push(pub Vec2);

impl ForceField for Push {
    fn acts_at_rest(&self) -> bool {
        false
    }

    fn apply(&self, particles: &mut FieldParticles<'_>) {
        for (position, velocity) in particles.positions.iter().zip(&mut *particles.velocities) {
            if *position == self.0 {
                velocity.x += 1.0;
            }
        }
    }
}

// A run that is continued from a snapshot is the run.

/// Exports a world, imports it, and lets both go on. Whatever differs is named.
fn goes_on(what: &str, mut world: FluidWorld, tick: f32, ticks: u32, executor: &dyn Executor) {
    let bytes = world.to_bytes().expect("between two ticks");
    let mut again =
        FluidWorld::from_bytes(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(again.to_bytes().expect("between two ticks") == bytes, "{what}: exported again");
    for number in 0..ticks {
        let differences: Vec<FluidPart> =
            world.deep_hash().differences(&again.deep_hash()).collect();
        assert!(differences.is_empty(), "{what}, tick {number}: {differences:?} differ");
        let report = world.step(tick, &SerialExecutor).expect("valid");
        assert_eq!(again.step(tick, executor).expect("valid"), report, "{what}, tick {number}");
    }
}

#[test]
fn every_solver_goes_on_with_the_same_bits_with_any_number_of_threads() {
    let three = RayonExecutor::new(3).expect("threads");
    for solver in FluidSolver::ALL {
        let world = everything(solver);
        assert_eq!(world.springs().is_empty(), solver.ignores("class.elasticity"));
        assert_eq!(world.particles().grains().is_empty(), solver.ignores("class.powder"));
        goes_on(solver.name(), world.clone(), TICK, 40, &SerialExecutor);
        goes_on(solver.name(), world, TICK, 40, &three);
    }
}

#[test]
fn every_scene_of_the_assets_goes_on() {
    let folder = Path::new("../../assets/scenes");
    for entry in fs::read_dir(folder).expect("there").flatten() {
        let path = entry.path();
        if !path.to_string_lossy().ends_with(".scene.ron") {
            continue;
        }
        let scene = Scene::read(&path).expect("valid");
        // A scene of air alone has no particles.
        let scene = scene.clone().with_particles(600).unwrap_or(scene);
        let mut world = scene.start(&SerialExecutor).expect("valid");
        for _ in 0..30 {
            world.step(scene.time_step(), &SerialExecutor).expect("valid");
        }
        goes_on(&path.to_string_lossy(), world, scene.time_step(), 20, &SerialExecutor);
    }
}

#[test]
fn random_scenes_go_on() {
    for seed in 0..60 {
        let mut scene = crate::random_scenes::whole_scene(seed);
        for _ in 0..6 {
            scene.0.step(scene.1, &SerialExecutor).expect("valid");
        }
        goes_on(&format!("seed {seed}"), scene.0, scene.1, 6, &SerialExecutor);
    }
}

#[test]
fn what_sleeps_sleeps_on_and_wakes_as_it_would_have() {
    let sleeping = FluidSleeping { after: 0.5, drift: 1.0 };
    let mut world = world_with(FluidParameters { sleeping, ..FluidParameters::default() });
    add_tank_from_origin(&mut world, Vec2::new(20.0, 15.0) * spacing());
    pour(&mut world, cells(38, 12).map(|cell| cell * 1.03 * spacing()));
    run(&mut world, 300);
    assert_eq!(world.asleep(), world.particles().len());
    goes_on("asleep", world.clone(), TICK, 20, &SerialExecutor);
    let blast = Force::explosion(Vec2::splat(30.0), 30.0, 200.0).expect("valid");
    world.apply_impulse(&blast).expect("valid");
    goes_on("disturbed", world.clone(), TICK, 40, &SerialExecutor);
    run(&mut world, 3);
    goes_on("partly awake", world, TICK, 40, &SerialExecutor);
}

#[test]
fn changes_before_a_tick_are_part_of_it() {
    let mut world = everything(FluidSolver::DoubleDensity);
    world.ease_in();
    world.set_capacity(world.particles().len() + 3);
    world.set_capacity_policy(CapacityPolicy::RecycleOldest);
    let alive = FluidBounds { low: Vec2::splat(-90.0), high: Vec2::splat(200.0) };
    world.set_kill_bounds(Some(alive)).expect("valid");
    pour(&mut world, (0..9).map(|x| Vec2::new(100.0 + x as f32, 100.0)));
    let tank = world.containers().next().expect("there").0;
    let shaken = Motion { velocity: Vec2::new(40.0, 5.0), ..Motion::STILL };
    world.set_container_motion(tank, shaken).expect("valid");
    world.particles_mut().velocities_mut()[5] = Vec2::NAN;
    goes_on("changed", world, TICK, 40, &SerialExecutor);
}

#[test]
fn handles_stay_those_of_their_particles() {
    let mut world = FluidWorld::default();
    pour(&mut world, cells(10, 10).map(|cell| cell * spacing()));
    let (dead, alive) = (world.particles().ids()[3], world.particles().ids()[7]);
    world.despawn(dead);
    run(&mut world, 5);
    let mut again = FluidWorld::from_bytes(&world.to_bytes().expect("valid")).expect("valid");
    assert_eq!(again.particles().index_of(dead), None);
    assert_eq!(again.particles().index_of(alive), world.particles().index_of(alive));
    let both = [&mut world, &mut again];
    let [one, other] = both.map(|world| world.spawn(ParticleSpawn::default()).expect("room"));
    assert_eq!(one, other, "the next handle is the same as well");
    assert_eq!(one.slot(), dead.slot());
}

#[test]
fn within_a_tick_there_is_no_snapshot() {
    let mut world = everything(FluidSolver::DoubleDensity);
    let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
    assert_eq!(world.to_bytes(), Err(SnapshotError::WithinTick));
    world.end_tick(report, &SerialExecutor);
    assert!(world.to_bytes().is_ok());
}

// Row 26 of docs/reliability.md.
#[test]
fn a_world_is_restored_in_place_or_not_at_all() {
    let mut world = everything(FluidSolver::DoubleDensity);
    let bytes = world.to_bytes().expect("between two ticks");
    let then = world.deep_hash();
    run(&mut world, 10);
    let now = world.deep_hash();
    assert_ne!(now, then);
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    assert!(matches!(world.restore_bytes(&damaged), Err(SnapshotError::Checksum { .. })));
    assert_eq!(world.deep_hash(), now, "nothing is changed");
    world.restore_bytes(&bytes).expect("valid");
    assert_eq!(world.deep_hash(), then);
    run(&mut world, 10);
    assert_eq!(world.deep_hash(), now);
}

#[test]
fn a_settled_pool_takes_few_bytes() {
    let mut world = FluidWorld::default();
    add_tank_from_origin(&mut world, Vec2::new(160.0, 160.0));
    pour(&mut world, cells(39, 25).map(|cell| cell * 1.03 * spacing()));
    run(&mut world, 60);
    let bytes = world.to_bytes().expect("between two ticks").len();
    let per_particle = bytes as f32 / world.particles().len() as f32;
    assert!(per_particle < 60.0, "{per_particle} bytes a particle");
}

#[test]
fn a_world_rolls_back_as_often_as_one_likes() {
    for solver in FluidSolver::ALL {
        let mut world = everything(solver);
        let mut kept = [KeptState::default(), KeptState::default()];
        for round in 0..6 {
            let kept = &mut kept[round % 2];
            world.keep_in(kept).expect("between two ticks");
            let then = world.deep_hash();
            run(&mut world, 7);
            let now = world.deep_hash();
            world.restore_from(kept);
            assert_eq!(world.deep_hash(), then, "{solver:?}");
            run(&mut world, 7);
            let differences: Vec<_> = now.differences(&world.deep_hash()).collect();
            assert!(differences.is_empty(), "{solver:?}: {differences:?}");
        }
    }
}

#[test]
fn what_is_kept_takes_few_bytes_and_its_memory_is_used_again() {
    let mut world = FluidWorld::default();
    pour(&mut world, cells(100, 50).map(|cell| cell * spacing()));
    run(&mut world, 3);
    let mut kept = KeptState::default();
    let mut keep =
        || allocation_counter::measure(|| world.keep_in(&mut kept).expect("between two ticks"));
    let first = keep();
    let per_particle = first.bytes_current as f64 / world.particles().len() as f64;
    assert!(per_particle <= 130.0, "{per_particle} bytes a particle");
    let again = keep();
    assert!(again.bytes_total < 4096, "{} bytes allocated again", again.bytes_total);
}

// What a host keeps beside the world goes on as well.

/// A world with a tap, rain, a drain and all that watches it.
pub(crate) struct Game {
    pub(crate) world: FluidWorld,
    tap: Emitter,
    rain: Emitter,
    drain: Drain,
    sensor: Sensor,
    splashes: SplashDetector,
    blobs: BlobTracker,
    governor: Governor,
}

impl Game {
    pub(crate) fn new() -> Self {
        let mix = vec![(ClassId(0), 2.0), (ClassId(1), 1.0)];
        let jet = EmitterSettings::jet(30.0, 120.0);
        let tap = EmitterSettings { rate: Some(77.7), mix, spread: 0.2, ..jet };
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
    pub(crate) fn act(&mut self) {
        let at = |y: f32| Pose::new(Vec2::new(-20.0, y), Vec2::NEG_X);
        self.tap.emit(self.world.liquid_mut(), at(100.0), at(100.0), TICK).expect("valid");
        let cloud = Pose::new(Vec2::new(60.0, 100.0), Vec2::NEG_X);
        self.rain.emit(self.world.liquid_mut(), cloud, cloud, TICK).expect("valid");
        self.drain.drain(self.world.liquid_mut(), TICK).expect("valid");
        self.world.set_effort(self.governor.effort());
    }

    pub(crate) fn step(&mut self) {
        run(&mut self.world, 1);
    }

    pub(crate) fn watch(&mut self) {
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

// Bytes that are damaged, cut, or made to do harm.

/// Where the checksum is, and the bytes that it is of.
const CHECKSUM: std::ops::Range<usize> = 20..24;

fn snapshot() -> Vec<u8> {
    everything(FluidSolver::DoubleDensity).to_bytes().expect("between two ticks")
}

/// Gives bytes the header of a file that is whole.
fn seal(bytes: &mut [u8]) {
    let length = (bytes.len() - CHECKSUM.end) as u64;
    bytes[12..20].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[CHECKSUM.end..]);
    bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
}

/// The bytes of a whole file with one bit that is flipped, and the byte that it is in.
fn flipped(whole: &[u8], random: &mut Random) -> (usize, Vec<u8>) {
    let mut bytes = whole.to_vec();
    let place = random.below(bytes.len());
    bytes[place] ^= 1 << random.below(8);
    (place, bytes)
}

/// Fails unless files with a flipped bit, and so many that are cut, are refused.
pub fn assert_damage_is_noticed<T>(
    (whole, random, times): (&[u8], &mut Random, usize),
    read: impl Fn(&[u8]) -> Result<T, SnapshotError>,
) {
    for _ in 0..times {
        let (place, bytes) = flipped(whole, random);
        assert!(read(&bytes).is_err(), "byte {place}");
        let length = random.below(whole.len());
        assert!(read(&whole[..length]).is_err(), "{length} bytes");
    }
}

/// The bytes of a whole file, of which some are replaced, left out or repeated, with the right checksum.
pub fn harmed(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let room = bytes.len() - CHECKSUM.end;
    match random.below(4) {
        0 => {
            let place = CHECKSUM.end + random.below(room);
            bytes[place] ^= 1 << random.below(8);
        }
        1 => {
            let place = CHECKSUM.end + random.below(room - 8);
            let number = random.pick(&[0, u64::MAX, 1 << 31, 1 << 40, 7]);
            bytes[place..place + 8].copy_from_slice(&number.to_le_bytes());
        }
        2 => bytes.truncate(CHECKSUM.end + random.below(room)),
        _ => {
            let place = CHECKSUM.end + random.below(room - 64);
            bytes.drain(place..place + random.below(64));
        }
    }
    seal(&mut bytes);
    bytes
}

/// Reads files that were made to do harm, and returns how many were refused and how many `uses` could use and could not.
/// `uses` gets the number of files that were read. Reading takes no more memory than a few times the length.
pub fn read_harmed<T>(
    (whole, seed, times): (&[u8], &str, usize),
    read: impl Fn(&[u8]) -> Result<T, SnapshotError>,
    mut uses: impl FnMut(T, usize) -> bool,
) -> [usize; 3] {
    let mut random = Random::new(38, seed);
    let [mut refused, mut used, mut unusable] = [0; 3];
    for _ in 0..times {
        let bytes = harmed(whole, &mut random);
        let mut value = None;
        let taken = allocation_counter::measure(|| value = read(&bytes).ok());
        let most = 16 * bytes.len() as u64;
        assert!(taken.bytes_max < most, "{} bytes for {}", taken.bytes_max, bytes.len());
        match value {
            None => refused += 1,
            Some(value) => {
                let usable = uses(value, used + unusable);
                *if usable { &mut used } else { &mut unusable } += 1;
            }
        }
    }
    [refused, used, unusable]
}

// Row 26 of docs/reliability.md.
#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    let whole = snapshot();
    let mut random = Random::new(38, "flips");
    for _ in 0..4000 {
        let (place, bytes) = flipped(&whole, &mut random);
        let error = SnapshotFile::from_bytes(&bytes).expect_err("damaged");
        let named = match place {
            0..8 => matches!(error, SnapshotError::NotASnapshot),
            8..12 => {
                matches!(error, SnapshotError::Version { supported: SnapshotFile::VERSION, .. })
            }
            12..20 => matches!(error, SnapshotError::Length { .. }),
            _ => matches!(error, SnapshotError::Checksum { .. }),
        };
        assert!(named, "byte {place}: {error}");
    }
    for _ in 0..1000 {
        let length = random.below(whole.len());
        let error = SnapshotFile::from_bytes(&whole[..length]).expect_err("cut");
        let named = matches!(error, SnapshotError::Length { .. });
        assert!(named || length == 0 && error == SnapshotError::NotASnapshot, "{length}: {error}");
    }
}

// Row 26 of docs/reliability.md.
#[test]
fn another_version_is_refused_by_name() {
    let mut bytes = snapshot();
    bytes[8..12].copy_from_slice(&7_u32.to_le_bytes());
    let error = FluidWorld::from_bytes(&bytes).expect_err("of another version");
    assert_eq!(error, SnapshotError::Version { found: 7, supported: SnapshotFile::VERSION });
    let reads = SnapshotFile::VERSION;
    let message =
        format!("the snapshot has the format's version 7, and this library reads version {reads}");
    assert_eq!(error.to_string(), message);
    assert_eq!(SnapshotFile::from_bytes(b"PNG"), Err(SnapshotError::NotASnapshot));
}

/// Fails unless bytes of another version, and those of a world, are refused by name.
pub fn assert_others_are_refused<T: std::fmt::Debug>(
    entry: &str,
    mut bytes: Vec<u8>,
    read: impl Fn(&[u8]) -> Result<T, SnapshotError>,
) {
    bytes[8] = 9;
    let error = read(&bytes).expect_err("of another version");
    assert_eq!(error, SnapshotError::Version { found: 9, supported: SnapshotFile::VERSION });
    let world = FluidWorld::default().to_bytes().expect("between two ticks");
    let error = read(&world).expect_err("a world").to_string();
    assert_eq!(error, format!("the snapshot has no entry `{entry}`; it has world"));
}

/// Some bytes of a whole file are replaced, left out or repeated, and the checksum is made right again.
/// What is read all the same can be stepped.
#[test]
fn bytes_that_were_made_to_do_harm_give_an_error_or_a_world_that_runs() {
    let run_some = |mut world, number| {
        run(&mut world, if number % 10 == 9 { 2 } else { 0 });
        true
    };
    let whole = snapshot();
    let [refused, read, _] = read_harmed((&whole, "harm", 4000), FluidWorld::from_bytes, run_some);
    assert!(refused > 1000 && read > 100, "{refused} refused, {read} read");
}

/// A file that announces much more than it holds makes nobody allocate it.
#[test]
fn no_more_memory_is_taken_than_a_few_times_the_length() {
    let whole = snapshot();
    let mut random = Random::new(38, "memory");
    for round in 0..500 {
        let mut bytes = whole.clone();
        if round > 0 {
            let place = CHECKSUM.end + random.below(bytes.len() - CHECKSUM.end - 8);
            let number = random.pick(&[u64::MAX, 1 << 31, 1 << 24, 1 << 16]);
            bytes[place..place + 8].copy_from_slice(&number.to_le_bytes());
            seal(&mut bytes);
        }
        let taken = allocation_counter::measure(|| drop(FluidWorld::from_bytes(&bytes)));
        let most = 16 * bytes.len() as u64;
        assert!(taken.bytes_max < most, "{} bytes for {}", taken.bytes_max, bytes.len());
    }
}

/// A second of a world that is changed from outside.
fn recording() -> Vec<u8> {
    let mut world = everything(FluidSolver::DoubleDensity);
    let mut recorder = FluidRecorder::of_last(&world, 1.0).expect("between two ticks");
    for tick in 0..20 {
        if tick % 2 == 0 {
            spawn(&mut world, at(Vec2::ZERO));
        }
        recorder.step(&mut world, TICK, &SerialExecutor).expect("valid");
    }
    recorder.recording().to_bytes()
}

#[test]
fn recordings_that_are_cut_damaged_or_made_to_do_harm_are_refused_or_played() {
    let whole = recording();
    let mut random = Random::new(38, "recording");
    assert_damage_is_noticed((&whole, &mut random, 500), Recording::from_bytes);
    let plays = |recording: Recording, _| {
        let most = 16 * recording.to_bytes().len() as u64;
        let mut replay = None;
        let taken = allocation_counter::measure(|| replay = recording.replay().ok());
        assert!(taken.bytes_max < most, "{} bytes, not {most}", taken.bytes_max);
        // Three ticks are long enough to meet some changes.
        replay.is_some_and(|mut replay| (0..3).all(|_| replay.step(&SerialExecutor).is_ok()))
    };
    let harm = (&whole[..], "recording", 600);
    let [refused, same, differ] = read_harmed(harm, Recording::from_bytes, plays);
    assert!(refused > 100 && differ > 20 && same > 20, "{refused}, {differ}, {same}");
}

#[test]
fn a_recording_of_another_version_is_refused_by_name() {
    assert_others_are_refused("recording", recording(), Recording::from_bytes);
}
