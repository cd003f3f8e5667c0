//! A device that is lost gives an error in each call, and takes nothing from the core's liquid.

use std::f32::consts::TAU;

use blob_fluid::shape::{Polygon, scatter};
use blob_fluid::{
    Body, ClassFilter, ClassId, ClassTable, Collider, ColliderOptions, DensityClass,
    FluidParameters, FluidRegion, FluidShape, FluidThermal, FluidWorld, Force, ParticleSpawn,
    SplashDetection,
};
use blob_fluid_gpu::{
    GpuDrain, GpuError, GpuInstances, GpuLiquid, GpuParticle, GpuParticlesCopy, GpuPass, GpuSensor,
    Shaders,
};
use glam::Vec2;
use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, Device, ErrorFilter, Features, Limits, PollType, Queue,
};

use crate::adapter::{device, new_device, new_device_with, on_with};
use crate::liquids::{TICK, block, run, tank, world, world_that_sleeps};

/// A liquid of 400 particles on a device, and the core's, which holds none.
struct Pool {
    queue: Queue,
    world: FluidWorld,
    liquid: GpuLiquid,
}

impl Pool {
    fn new(both: &(Device, Queue), shaders: &Shaders) -> Self {
        let mut world = world(FluidParameters::default());
        tank(&mut world, 30.0, 30.0);
        block(&mut world, Vec2::ZERO, (20, 20), ClassId::MEDIUM);
        let liquid = on_with(both, &world, shaders);
        world.clear();
        Self { queue: both.1.clone(), world, liquid }
    }

    fn run(&mut self, ticks: u32) {
        run(&mut self.liquid, self.world.liquid_mut(), ticks);
    }

    fn step(&mut self) -> Result<(), GpuError> {
        self.liquid.step(self.world.liquid_mut(), TICK).map(|_| ())
    }

    fn append(&mut self, count: usize) -> Result<(), GpuError> {
        self.liquid.append(&vec![GpuParticle::default(); count]).map(|_| ())
    }

    fn request(&self) -> GpuParticlesCopy {
        self.liquid.request_particles().expect("asked")
    }

    /// Spawns particles in the core's liquid.
    fn spawn(&mut self, count: u32) {
        for number in 0..count {
            let position = Vec2::splat(100.0) + 50.0 * scatter(number);
            let spawn = ParticleSpawn { position, ..Default::default() };
            self.world.spawn(spawn).expect("valid");
        }
    }

    /// Moves the core's particles to the device. If that fails, they are still there.
    fn take_from(&mut self) -> Result<(), GpuError> {
        let before = self.world.particles().len();
        let taken = self.liquid.take_from(self.world.liquid_mut()).map(|_| ());
        let left = if taken.is_ok() { 0 } else { before };
        assert_eq!(self.world.particles().len(), left);
        taken
    }

    /// Gives the core's liquid a class more, which heat changes.
    fn add_class(&mut self) {
        let mut classes: Vec<_> = self.world.classes().iter().cloned().collect();
        let thermal = FluidThermal { conductivity: 1.0, ..FluidThermal::default() };
        let name = format!("class {}", classes.len());
        classes.push(DensityClass { name, thermal, ..DensityClass::default() });
        self.world.set_classes(ClassTable::new(classes).expect("valid")).expect("kept");
    }

    fn impulse(&mut self) -> Result<(), GpuError> {
        self.liquid.apply_impulse(&Force { drag: 1.0, ..Force::default() })
    }

    fn insert_sensor(&mut self) {
        let sensor = GpuSensor { region: region(), classes: ClassFilter::ALL };
        self.liquid.insert_sensor(sensor);
    }

    fn wait_for_device(&self) {
        let device = self.liquid.wgpu_device();
        device.poll(PollType::wait_indefinitely()).expect("works");
    }

    fn draw(&self) -> Result<(), GpuError> {
        GpuInstances::new(&self.liquid)?.write(&self.liquid, TICK, 0.9, None).map(|_| ())
    }

    fn run_passes(&mut self) -> Result<(), GpuError> {
        self.liquid.begin_tick(self.world.liquid_mut(), TICK)?;
        GpuPass::ALL.into_iter().try_for_each(|pass| self.liquid.run_pass(pass))
    }
}

fn region() -> FluidRegion {
    FluidRegion::circle(Vec2::splat(50.0), 20.0).expect("valid")
}

fn is_lost(result: &Result<(), GpuError>) -> bool {
    matches!(result, Err(GpuError::Lost))
}

/// Calls on a lost device, each of which is to say so.
type After = Box<dyn FnOnce() -> Vec<Result<(), GpuError>>>;

/// Calls with a liquid while its device is there, and the calls afterwards.
type Sequence = fn(Pool) -> After;

const SEQUENCES: [(&str, Sequence); 24] = [
    ("a copy is asked for, and taken", |pool| {
        let mut copy = pool.request();
        Box::new(move || vec![copy.take().map(|_| ())])
    }),
    ("a copy is asked for, and waited for", |pool| {
        let copy = pool.request();
        Box::new(move || vec![copy.wait().map(|_| ())])
    }),
    ("a copy arrives, and is taken", |pool| {
        let mut copy = pool.request();
        pool.wait_for_device();
        Box::new(move || vec![copy.take().map(|_| ())])
    }),
    ("a copy arrives, and is waited for", |pool| {
        let copy = pool.request();
        pool.wait_for_device();
        Box::new(move || vec![copy.wait().map(|_| ())])
    }),
    ("a copy is asked for, and taken after a tick", |mut pool| {
        let mut copy = pool.request();
        Box::new(move || vec![pool.step(), copy.take().map(|_| ())])
    }),
    ("particles are read", |pool| {
        let liquid = pool.liquid;
        Box::new(move || {
            let sorted = liquid.read_sorted_particles().map(|_| ());
            vec![liquid.read_particles().map(|_| ()), sorted]
        })
    }),
    ("a report is asked for", |mut pool| Box::new(move || vec![pool.liquid.report().map(|_| ())])),
    ("a report arrives", |mut pool| {
        pool.wait_for_device();
        let report = |pool: &mut Pool| pool.liquid.report().map(|_| ());
        Box::new(move || vec![report(&mut pool), report(&mut pool)])
    }),
    ("a report is waited for", |mut pool| {
        Box::new(move || vec![pool.liquid.wait_for_report().map(|_| ())])
    }),
    ("an exact tick", |mut pool| {
        pool.liquid.set_exact(true);
        pool.wait_for_device();
        Box::new(move || vec![pool.step()])
    }),
    ("impacts", |mut pool| {
        pool.liquid.watch_impacts(Some(SplashDetection::default()));
        pool.run(3);
        pool.wait_for_device();
        Box::new(move || vec![pool.liquid.take_impacts().map(|_| ()), pool.step()])
    }),
    ("room for a million", |mut pool| {
        let before = pool.liquid.capacity();
        Box::new(move || {
            let reserved = pool.liquid.reserve(1 << 20);
            assert_eq!(pool.liquid.capacity(), before);
            vec![reserved, pool.append(3), pool.liquid.reserve(1 << 20)]
        })
    }),
    ("none and a few particles more", |mut pool| {
        Box::new(move || vec![pool.append(0), pool.append(3)])
    }),
    ("more particles than there is room for", |mut pool| {
        let before = pool.liquid.len();
        Box::new(move || {
            let appended = vec![pool.append(5000), pool.append(5000)];
            assert_eq!(pool.liquid.len(), before);
            appended
        })
    }),
    ("particles with ids", |mut pool| {
        let particle = GpuParticle { id: 70_000, ..GpuParticle::default() };
        Box::new(move || vec![pool.liquid.insert(&[particle]), pool.liquid.insert(&[particle])])
    }),
    ("particles of the core", |mut pool| {
        pool.spawn(400);
        Box::new(move || vec![pool.take_from(), pool.take_from()])
    }),
    ("particles of the core for which there is no room, with another class", |mut pool| {
        pool.spawn(1500);
        pool.add_class();
        Box::new(move || vec![pool.take_from(), pool.step()])
    }),
    ("an impulse", |mut pool| Box::new(move || vec![pool.impulse()])),
    ("ticks, then particles", |mut pool| {
        Box::new(move || vec![pool.step(), pool.step(), pool.append(3)])
    }),
    ("a class more", |mut pool| {
        pool.add_class();
        Box::new(move || vec![pool.step(), pool.append(3), pool.step()])
    }),
    ("sensors, drains and recycling", |mut pool| {
        pool.insert_sensor();
        pool.run(1);
        pool.insert_sensor();
        let classes = ClassFilter::ALL;
        let drain = GpuDrain { region: region(), classes, most: 1, channel: 0 };
        Box::new(move || {
            pool.liquid.drain(drain).expect("waits");
            pool.liquid.recycle_oldest(5);
            vec![pool.step(), pool.step()]
        })
    }),
    ("passes one by one", |mut pool| {
        Box::new(move || vec![pool.run_passes(), pool.liquid.run_pass(GpuPass::Predict)])
    }),
    ("drawing", |pool| {
        let mut before = GpuInstances::new(&pool.liquid).expect("compiled");
        before.write(&pool.liquid, TICK, 0.9, None).expect("written");
        Box::new(move || {
            let write = before.write(&pool.liquid, TICK, 0.9, None).map(|_| ());
            vec![write, pool.draw()]
        })
    }),
    ("another liquid", |pool| {
        let another = move || {
            let device = pool.liquid.wgpu_device();
            GpuLiquid::new(device, &pool.queue, pool.world.liquid()).map(|_| ())
        };
        Box::new(move || vec![another(), another()])
    }),
];

#[test]
fn after_any_sequence_of_calls_a_lost_device_is_an_error() {
    if device().is_none() {
        return;
    }
    let (both, shaders) = (new_device().expect("another one"), Shaders::default());
    let begin = |(_, sequence): &(&str, Sequence)| {
        let mut pool = Pool::new(&both, &shaders);
        pool.run(3);
        sequence(pool)
    };
    let begun: Vec<_> = SEQUENCES.iter().map(begin).collect();
    both.0.destroy();
    for ((name, _), after) in SEQUENCES.iter().zip(begun) {
        for (call, result) in after().into_iter().enumerate() {
            assert!(is_lost(&result), "{name}: call {call} gives {result:?}");
        }
    }
}

/// A pool with which calls are made at random.
struct Player {
    pool: Pool,
    seed: u32,
    copies: Vec<GpuParticlesCopy>,
    classes: u32,
}

impl Player {
    fn new(both: &(Device, Queue), shaders: &Shaders, seed: u32) -> Self {
        Self { pool: Pool::new(both, shaders), seed, copies: Vec::new(), classes: 3 }
    }

    /// A number below another one, which looks random.
    fn draw(&mut self, below: u32) -> u32 {
        self.seed = self.seed.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let mixed = (self.seed >> ((self.seed >> 28) + 4)) ^ self.seed;
        (mixed.wrapping_mul(277_803_737) >> 16) % below
    }

    /// Makes a call, and returns the answer of the device, if the call needs one.
    fn act(&mut self) -> Option<Result<(), GpuError>> {
        let few = self.draw(40);
        match self.draw(24) {
            0..=4 => Some(self.pool.step()),
            5 => Some(self.pool.append(few as usize)),
            6 => Some(self.pool.append(2000)),
            7 => Some(self.pool.liquid.reserve(self.pool.liquid.capacity() + 1000)),
            8 => {
                self.pool.spawn(few);
                Some(self.pool.take_from())
            }
            9 => Some(self.pool.impulse()),
            10 => {
                let (classes, channel) = (ClassFilter::ALL, 0);
                let drain = GpuDrain { region: region(), classes, most: few, channel };
                self.pool.liquid.drain(drain).expect("waits");
                None
            }
            11 => {
                self.pool.liquid.recycle_oldest(few);
                None
            }
            12 => {
                self.pool.insert_sensor();
                None
            }
            13 => {
                let detection = (few > 10).then(SplashDetection::default);
                self.pool.liquid.watch_impacts(detection);
                None
            }
            14 => Some(self.pool.liquid.take_impacts().map(|_| ())),
            15 => Some(self.pool.liquid.report().map(|_| ())),
            16 => Some(self.pool.liquid.wait_for_report().map(|_| ())),
            17 => {
                let copy = self.pool.liquid.request_particles();
                Some(copy.map(|copy| self.copies.push(copy)))
            }
            18 => self.copies.pop().map(|mut copy| copy.take().map(|_| ())),
            19 => self.copies.pop().map(|copy| copy.wait().map(|_| ())),
            20 => {
                let centre = 100.0 + 60.0 * scatter(few);
                let collider = Collider::circle(centre, 10.0).expect("valid");
                self.pool.world.insert_collider(collider);
                None
            }
            21 => {
                self.pool.liquid.set_exact(few > 20);
                None
            }
            22 if self.classes < 5 => {
                self.classes += 1;
                self.pool.add_class();
                None
            }
            22 => Some(self.pool.run_passes()),
            _ => Some(self.pool.draw()),
        }
    }
}

#[test]
fn random_calls_before_and_after_a_loss_never_panic() {
    if device().is_none() {
        return;
    }
    // A few devices have many liquids each, which share the shaders: to compile these is what takes time.
    for device in 0..2_u32 {
        let (both, shaders) = (new_device().expect("another one"), Shaders::default());
        let player = |number| Player::new(&both, &shaders, 100 * device + number);
        let mut players: Vec<_> = (0..100).map(player).collect();
        for player in &mut players {
            for call in 0..player.draw(8) {
                let answer = player.act();
                assert!(answer.as_ref().is_none_or(Result::is_ok), "call {call}: {answer:?}");
            }
        }
        both.0.destroy();
        for player in &mut players {
            for call in 0..8 {
                let answer = player.act();
                assert!(answer.as_ref().is_none_or(is_lost), "call {call}: {answer:?}");
            }
        }
    }
}

#[test]
fn times_of_passes_on_a_lost_device_are_an_error() {
    if device().is_none() {
        return;
    }
    let both = new_device().expect("another one");
    if !both.0.features().contains(Features::TIMESTAMP_QUERY) {
        return;
    }
    let mut pool = Pool::new(&both, &Shaders::default());
    pool.liquid.watch_times(true).expect("has timestamps");
    pool.run(1);
    both.0.destroy();
    assert!(is_lost(&pool.liquid.pass_times().map(|_| ())));
    assert!(is_lost(&pool.liquid.step_timed(pool.world.liquid_mut(), TICK).map(|_| ())));
}

// A device whose memory is full gives errors, and goes on when some is free again.
//
// The test takes all memory of the device. On a processor that draws it takes what the shell allows:
// `(ulimit -v 4000000; cargo test -p blob_fluid_gpu --test on_device full_device -- --ignored)`.

/// Takes memory of a device in pieces of 64 MiB until there is no more, but for one piece, which compilers and queues need.
fn fill(device: &Device) -> Vec<Buffer> {
    let mut taken = Vec::new();
    while taken.len() < 4096 {
        let scope = device.push_error_scope(ErrorFilter::OutOfMemory);
        taken.push(device.create_buffer(&BufferDescriptor {
            label: Some("ballast"),
            size: 64 << 20,
            usage: BufferUsages::COPY_DST,
            mapped_at_creation: false,
        }));
        if futures_lite::future::block_on(scope.pop()).is_some() {
            taken.truncate(taken.len().saturating_sub(2));
            device.poll(PollType::wait_indefinitely()).expect("works");
            return taken;
        }
    }
    panic!("256 GiB do not fill the device");
}

fn assert_full<T>(result: Result<T, GpuError>) {
    match result {
        Err(GpuError::OutOfMemory(why)) => println!("{why}"),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("there was room"),
    }
}

#[test]
#[ignore = "takes all memory of the device"]
fn growth_on_a_full_device_is_an_error_and_changes_nothing() {
    if device().is_none() {
        return;
    }
    let both = new_device().expect("another one");
    let shaders = Shaders::default();
    let mut world = world(FluidParameters::default());
    tank(&mut world, 30.0, 30.0);
    block(&mut world, Vec2::ZERO, (20, 20), ClassId::MEDIUM);
    let mut liquid = on_with(&both, &world, &shaders);
    world.clear();
    run(&mut liquid, world.liquid_mut(), 3);
    let many = vec![GpuParticle::default(); 2_000_000];
    let ballast = fill(&both.0);
    println!("{} times 64 MiB", ballast.len());
    let before = (liquid.len(), liquid.capacity(), liquid.device_bytes());
    assert_full(liquid.reserve(2_000_000));
    assert_full(liquid.append(&many));
    assert_eq!((liquid.len(), liquid.capacity(), liquid.device_bytes()), before);
    // A tick needs no more room.
    run(&mut liquid, world.liquid_mut(), 2);
    assert_eq!(liquid.append(&[GpuParticle::default()]).expect("there is room"), 400..401);
    assert_eq!(liquid.read_particles().expect("read").len(), 401);

    drop(ballast);
    both.0.poll(PollType::wait_indefinitely()).expect("works");
    liquid.reserve(2_000_000).expect("there is room again");
    liquid.step(world.liquid_mut(), TICK).expect("works");
    assert_eq!(liquid.read_particles().expect("read").len(), 401);
}

// Ticks that fail when time has advanced already.

/// Makes a tick that fails, because of colliders far away that do not fit into the buffers of a small device.
fn fail(liquid: &mut GpuLiquid, world: &mut FluidWorld) {
    let corners = (0..64_u8).map(|corner| 50.0 * Vec2::from_angle(f32::from(corner) * TAU / 64.0));
    let shape = FluidShape::Polygon(Polygon::new(corners).expect("corners"));
    let collider = |number: u8| {
        let centre = Vec2::new(1e4 + 200.0 * f32::from(number), 0.0);
        Collider::new(shape.clone(), centre, Vec2::X).expect("valid")
    };
    let ids: Vec<_> = (0..200).map(|number| world.insert_collider(collider(number))).collect();
    let ticks = world.liquid().ticks();
    let error = liquid.step(world.liquid_mut(), TICK).expect_err("too many");
    assert!(matches!(error, GpuError::TooManySolids), "{error}");
    assert_eq!(world.liquid().ticks(), ticks + 1);
    for id in ids {
        assert!(world.remove_collider(id).is_some());
    }
}

#[test]
fn after_a_tick_that_failed_all_wakes_and_loads_begin_anew() {
    if device().is_none() {
        return;
    }
    let small = Limits { max_storage_buffer_binding_size: 1 << 18, ..Limits::default() };
    let both = new_device_with(small).expect("another one");
    let shaders = Shaders::default();

    // What wakes the liquid in a tick that fails wakes it in the next one.
    let mut pool = world_that_sleeps();
    tank(&mut pool, 40.0, 30.0);
    block(&mut pool, Vec2::ZERO, (40, 8), ClassId::MEDIUM);
    let mut liquid = on_with(&both, &pool, &shaders);
    pool.clear();
    let asleep = (0..1500).any(|_| {
        let substeps = liquid.step(pool.liquid_mut(), TICK).expect("valid");
        liquid.wait_for_report().expect("works");
        substeps == 0
    });
    assert!(asleep);
    let gravity = Vec2::new(200.0, -300.0);
    pool.set_parameters(FluidParameters { gravity, ..*pool.parameters() }).expect("valid");
    fail(&mut liquid, &mut pool);
    assert!(liquid.step(pool.liquid_mut(), TICK).expect("valid") > 0);
    assert_eq!(liquid.wait_for_report().expect("works").expect("there").awake, 320);

    // The device knows nothing of the loads that the host has let a body have in such a tick.
    let mut pool = world(FluidParameters::default());
    tank(&mut pool, 30.0, 30.0);
    block(&mut pool, Vec2::ZERO, (30, 10), ClassId::MEDIUM);
    let spacing = pool.parameters().particle_spacing;
    let shape = FluidShape::Rectangle { half_size: Vec2::new(4.0, 3.0) * spacing };
    let body = Some(Body::of_density(0.5, &shape, spacing).expect("valid"));
    let options = ColliderOptions { body, ..ColliderOptions::default() };
    let float = Collider::new(shape, Vec2::new(15.0, 14.0) * spacing, Vec2::X);
    let float = float.and_then(|float| float.with_options(options)).expect("valid");
    let mut liquid = on_with(&both, &pool, &shaders);
    pool.clear();
    let id = pool.insert_collider(float);
    run(&mut liquid, pool.liquid_mut(), 400);
    let height = |pool: &FluidWorld| pool.collider(id).expect("there").centre().y / spacing;
    let before = height(&pool);
    fail(&mut liquid, &mut pool);
    run(&mut liquid, pool.liquid_mut(), 60);
    let after = height(&pool);
    let particles = liquid.read_particles().expect("read");
    let fastest = particles.iter().map(|particle| particle.velocity.length()).fold(0.0, f32::max);
    let fastest = fastest / pool.parameters().speed_unit();
    println!("height {before} and then {after}, at most {fastest} speed units");
    assert!(before > 8.0 && (after - before).abs() < 0.5, "{before} and {after}");
    assert!(fastest < 2.0, "{fastest}");
}
