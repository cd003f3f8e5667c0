//! Settings at the ends of their ranges, and products of them, leave the liquid whole.

use blob_fluid::air::{Air, AirChannel, AirSettings, AirSides, AirSource};
use blob_fluid::measure::{energies, measure};
use blob_fluid::ranges::Settings;
use blob_fluid::shape::Polygon;
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_tank, assert_finite, body, cells, change_parameters, in_tank, moving,
    pour_class, spawn, top_speed,
};
use crate::ticks::{TICK, run};

/// A square of liquid without gravity, whose particles move to and fro and take the classes in
/// turn; `closer` is how many times closer they are than at rest.
fn shaken(parameters: FluidParameters, classes: ClassTable, closer: f32) -> FluidWorld {
    let count = classes.len();
    let parameters = FluidParameters { gravity: Vec2::ZERO, ..parameters };
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.set_classes(classes).expect("valid");
    for (index, place) in cells(14, 14).enumerate() {
        let position = (place - 0.5) * (parameters.particle_spacing / closer);
        let to_and_fro = Vec2::new((index * 7 % 5) as f32 - 2.0, (index * 3 % 7) as f32 - 3.0);
        let class = ClassId((index * 5 % count) as u8);
        spawn(&mut world, ParticleSpawn { class, ..moving(position, to_and_fro) });
    }
    world
}

fn masses(masses: &[f32]) -> ClassTable {
    let class =
        |mass: &f32| DensityClass { mass: *mass, name: mass.to_string(), ..Default::default() };
    ClassTable::new(masses.iter().map(class).collect()).expect("valid")
}

/// Energy of motion and momentum, both with the classes' masses.
fn motion(world: &FluidWorld) -> (f32, Vec2) {
    let particles = world.particles();
    let each = particles
        .velocities()
        .iter()
        .zip(particles.classes())
        .map(|(velocity, class)| (world.classes()[*class].mass, *velocity));
    each.fold((0.0, Vec2::ZERO), |(energy, momentum), (mass, velocity)| {
        (energy + 0.5 * mass * velocity.length_squared(), momentum + mass * velocity)
    })
}

// Row 21 of docs/reliability.md.
#[test]
fn viscosity_only_ever_takes_energy() {
    let thick = Viscosity { approach: 0.5, linear: 20.0, ..Viscosity::default() };
    let all = [
        ("between classes", Viscosity { cross_class: 10.0, ..thick }),
        ("without a limit", Viscosity { limit: 1.0, cross_class: 1.0, ..thick }),
        (
            "all at the ends of their ranges",
            Viscosity { approach: 1e3, quadratic: 1e3, linear: 1e3, limit: 1.0, cross_class: 10.0 },
        ),
    ];
    for (name, viscosity) in all {
        for classes in [&[1.0, 1.0][..], &[1.0, 1e3], &[1e-3, 1.0, 1e3]] {
            for closer in [1.0, 4.0] {
                // Nothing but viscosity moves the particles.
                let parameters =
                    FluidParameters { viscosity, stiffness: 0.0, ..FluidParameters::default() };
                let mut world = shaken(parameters, masses(classes), closer);
                let (begin, momentum) = motion(&world);
                for _ in 0..3 {
                    for _ in 0..world.begin_tick(TICK, &SerialExecutor).expect("valid").substeps {
                        world.run_pass(FluidPass::ApplyViscosity, &SerialExecutor);
                    }
                    let (energy, _) = motion(&world);
                    assert!(energy <= begin, "{name}, {classes:?}, {closer}: {energy} of {begin}");
                }
                let (_, after) = motion(&world);
                let scale = (2.0 * begin * classes.iter().sum::<f32>() * 196.0).sqrt();
                assert!((after - momentum).length() <= 1e-5 * scale, "{name}, {classes:?}");
            }
        }
    }
}

/// A box of 100 particles at rest.
fn boxed(parameters: FluidParameters, classes: ClassTable) -> FluidWorld {
    let count = classes.len();
    let d = parameters.particle_spacing;
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.set_classes(classes).expect("valid");
    add_tank(&mut world, Vec2::ZERO, Vec2::splat(9.0 * d));
    for (index, place) in cells(10, 10).enumerate() {
        pour_class(&mut world, ClassId((index * 3 % count) as u8), [(place - 5.0) * d]);
    }
    world
}

/// Runs a world with 100 particles and one container for a second; all must stay in it. Returns the
/// largest speed, in interaction radii per substep.
fn fastest_of_all(name: &str, world: &mut FluidWorld, tick: f32) -> f32 {
    let mut fastest = 0.0_f32;
    let &FluidParameters { particle_spacing, classic, solver, .. } = world.parameters();
    let dead_zone = if solver == FluidSolver::Classic { 1.5 * classic.dead_zone } else { 0.0 };
    for _ in 0..60 {
        let report = world.step(tick, &SerialExecutor).expect("valid");
        let particles = world.particles();
        assert_eq!((particles.len(), report.quarantined), (100, 0), "{name}");
        let (_, container) = world.containers().next().expect("a container");
        for position in particles.positions() {
            let depth = container.depth(*position);
            let size = 1e3 * particle_spacing + 32.0 * container.centre().length();
            let allowed = dead_zone * particle_spacing + f32::EPSILON * size;
            assert!(depth >= -allowed, "{name}: {depth}");
        }
        let radius = world.parameters().interaction_radius();
        let per_radius = report.time_step / report.substeps.max(1) as f32 / radius;
        fastest = fastest.max(top_speed(world) * per_radius);
    }
    fastest
}

fn three() -> ClassTable {
    masses(&[1.0, 2.0, 3.0])
}

/// Half of the sum of the distances that 16 radii per substep, and thrice as many with heat, make
/// in a box of the present size; plus what pressure adds.
const FALLING: f32 = 60.0;

#[test]
fn neither_gravity_nor_heat_nor_forces_throw_liquid_out_of_the_world() {
    let tiny = FluidParameters {
        gravity: Vec2::new(6e5, -8e5),
        max_time_step: 1.0,
        ..FluidParameters::new(1e-6, Vec2::new(0.0, -500.0))
    };
    let mut world = boxed(tiny, three());
    assert!(fastest_of_all("gravity", &mut world, 1.0) <= FALLING);

    let hot = DensityClass {
        gravity_scale: -1e3,
        thermal: FluidThermal { expansion: 1.0, temperature: Some(1e6), ..Default::default() },
        ..Default::default()
    };
    let mut world = boxed(tiny, ClassTable::new(vec![hot]).expect("valid"));
    assert!(fastest_of_all("heat", &mut world, 1.0) <= FALLING);

    let storm = Force {
        attraction: -1e12,
        swirl: 1e12,
        acceleration: Vec2::splat(1e12),
        wind: Vec2::splat(-1e12),
        drag: 1e12,
        heat: 1e12,
        ..Force::default()
    };
    let mut world = boxed(FluidParameters::default(), three());
    world.set_forces(&[storm.clone(), storm]).expect("valid");
    assert!(fastest_of_all("forces", &mut world, TICK) <= FALLING);
}

#[test]
fn pressure_and_attraction_accelerate_to_four_radii_per_substep() {
    let still = FluidParameters { gravity: Vec2::ZERO, ..FluidParameters::default() };
    let stiff = FluidParameters { stiffness: 1e3, near_stiffness_ratio: 100.0, ..still };
    let torn = FluidParameters { stiffness: 1e3, rest_density: Some(1e3), ..still };
    let sticky = |mass: f32| {
        let class = DensityClass { mass, surface_tension: 10.0, ..Default::default() };
        ClassTable::new(vec![class]).expect("valid")
    };
    for solver in FluidSolver::ALL {
        for (name, parameters, classes) in [
            ("masses", still, masses(&[1e-3, 1e3, 1.0])),
            ("stiffness", stiff, masses(&[1e-3, 1e3, 1.0])),
            ("tension", torn, three()),
            ("attraction", still, sticky(1e-3)),
        ] {
            let mut world = boxed(FluidParameters { solver, ..parameters }, classes);
            let fastest = fastest_of_all(name, &mut world, TICK);
            // Walls reflect particles of the classic solver, which adds nothing.
            assert!(fastest <= 4.001, "{name} in {solver:?}: {fastest}");
        }
    }
}

#[test]
fn walls_give_no_more_than_their_own_speed() {
    let friction = WallProperties { friction: Some(1.0), ..Default::default() };
    for solver in FluidSolver::ALL {
        for turning in [100.0, 1e4, 1e12] {
            let parameters = FluidParameters { solver, ..FluidParameters::default() };
            let mut world = boxed(parameters, three());
            let (id, container) = world.containers().next().expect("a container");
            let motion = Motion { velocity: Vec2::new(3e4, 0.0), angular_velocity: turning };
            let spinning = container.clone().with_wall(friction).expect("valid");
            let spinning = spinning.with_motion(motion).expect("valid");
            world.set_container(id, spinning);
            let fastest = fastest_of_all("spinning", &mut world, TICK);
            // Half a turn per substep, and a velocity of 17 radii per substep.
            let extent = 1.1 * 9.0 * 2.0_f32.sqrt() / 3.8;
            let wall_bound = 3e4 * TICK / parameters.interaction_radius() + 2.0 * extent;
            // Reflections may add up.
            let times = if solver == FluidSolver::Classic { 60.0 } else { 2.0 };
            assert!(
                fastest <= times * wall_bound,
                "{solver:?} at {turning}: {fastest}, walls {wall_bound}"
            );
        }
    }
    let unsticking = GhostWalls { unsticking: 100.0, ..Default::default() };
    // A tick of many time units.
    let fast = FluidParameters {
        reference_acceleration: 1e6,
        ghost_walls: unsticking,
        ..Default::default()
    };
    let fastest = fastest_of_all("unsticking", &mut boxed(fast, three()), TICK);
    assert!(fastest <= 4.0, "{fastest}");
}

#[test]
fn bodies_of_any_mass_in_any_gravity_push_nothing_out() {
    for (name, mass, gravity_scale) in
        [("heavy", 1e9, 1e3), ("light", 1e-6, -1e3), ("without mass", f32::MIN_POSITIVE, 1.0)]
    {
        let parameters = FluidParameters {
            gravity: Vec2::new(6e5, -8e5),
            max_time_step: 1.0,
            ..FluidParameters::new(1e-6, Vec2::new(0.0, -500.0))
        };
        let mut world = boxed(parameters, three());
        for at in [-1.5e-6, 1.5e-6] {
            let inertia = (mass * 1e-12_f32).max(f32::MIN_POSITIVE);
            let body = Body { gravity_scale, ..Body::new(mass, inertia) };
            let options = ColliderOptions { body: Some(body), ..Default::default() };
            let block = Collider::rectangle(Vec2::new(at, 0.0), Vec2::splat(2e-6));
            add_collider(&mut world, block.and_then(|block| block.with_options(options)));
        }
        fastest_of_all(name, &mut world, 1.0);
    }
}

#[test]
fn a_fast_collider_in_the_middle_takes_nothing_out_of_the_container() {
    for velocity in [Vec2::new(5e3, 0.0), Vec2::new(-6e5, 8e5)] {
        let mut world = boxed(FluidParameters::default(), three());
        let bat = Collider::rectangle(Vec2::ZERO, Vec2::new(2.0, 20.0));
        let motion = Motion { velocity, ..Motion::STILL };
        let id = add_collider(&mut world, bat.and_then(|bat| bat.with_motion(motion)));
        fastest_of_all("through", &mut world, TICK);
        let back = Motion { velocity: -velocity, ..Motion::STILL };
        world.set_collider_motion(id, back).expect("valid");
        fastest_of_all("and back", &mut world, TICK);
    }
}

#[test]
fn the_tips_of_a_star_hold_liquid_that_bursts_into_them() {
    let mut world = boxed(FluidParameters::default(), three());
    let (id, _) = world.containers().next().expect("a container");
    let corners = [(2.0, 0.0), (0.9, 0.9), (0.0, 2.0), (-0.9, 0.9)];
    let others = [(-2.0, 0.0), (-0.9, -0.9), (0.0, -2.0), (0.9, -0.9)];
    let star = corners.into_iter().chain(others).map(|corner| Vec2::from(corner) * 60.0);
    let star = FluidShape::Polygon(Polygon::new(star).expect("a star"));
    world.set_container(id, Container::new(star, Vec2::ZERO, Vec2::X).expect("valid"));
    for velocity in world.particles_mut().velocities_mut() {
        *velocity = Vec2::new(4e3, 1e3);
    }
    fastest_of_all("star", &mut world, TICK);
}

#[test]
fn a_pool_of_the_smallest_radius_does_not_boil() {
    let radius_ratio = FluidParameters::row("radius_ratio").limits.least;
    let mut world = FluidWorld::default();
    change_parameters(&mut world, |parameters| parameters.radius_ratio = radius_ratio);
    add_tank(&mut world, Vec2::ZERO, Vec2::new(150.0, 100.0));
    let half = FluidRegion::rectangle(Vec2::new(0.0, -50.0), Vec2::new(150.0, 50.0));
    let pool = Blob::new(half.expect("valid"), ClassId::MEDIUM);
    assert!(pool.fill(world.liquid_mut()).expect("valid").spawned > 300);
    run(&mut world, 600);
    let fastest = top_speed(&world);
    assert!(fastest < world.parameters().speed_unit(), "{fastest}");
}

// Long runs: nothing is lost or gained, energy stays bounded, memory does not grow, and what is at rest stays the
// same to the bit.

const HALF_SIZE: Vec2 = Vec2::new(80.0, 60.0);
const STILL: Pose = Pose::new(Vec2::new(-40.0, 45.0), Vec2::NEG_X);

/// A tank in which nothing ever rests, and all that comes into it and goes out of it.
struct Tank {
    world: FluidWorld,
    jet: Emitter,
    drain: Drain,
    poured: u64,
    drained: u64,
    expired: u64,
}

impl Tank {
    /// Water, a piece of jelly, a box that floats, a stirrer, a jet of spray that dies and one that is drained,
    /// and smoke above a source of heat.
    fn new() -> Self {
        let mut world = FluidWorld::default();
        let class = |name: &str, mass, elasticity| DensityClass {
            name: name.into(),
            mass,
            elasticity,
            ..Default::default()
        };
        let jelly = class("jelly", 0.8, Some(FluidElasticity::default()));
        // The spray is a class of its own, so that the drain leaves it alone.
        let classes = vec![class("water", 1.0, None), jelly, class("spray", 1.0, None)];
        world.set_classes(ClassTable::new(classes).expect("valid")).expect("unused");
        add_tank(&mut world, Vec2::ZERO, HALF_SIZE);
        let spacing = 1.03 * world.parameters().particle_spacing;
        let water = FluidShape::Rectangle { half_size: Vec2::new(78.0, 20.0) };
        pour_class(&mut world, ClassId(0), water.fill(Vec2::new(0.0, -38.0), spacing));
        let drop = FluidShape::Circle { radius: 14.0 };
        pour_class(&mut world, ClassId(1), drop.fill(Vec2::new(50.0, 15.0), spacing));
        let square = FluidShape::Rectangle { half_size: Vec2::splat(9.0) };
        world.insert_collider(body(square, Vec2::new(0.0, 20.0), 0.4));
        let blade = FluidShape::Rectangle { half_size: Vec2::new(16.0, 2.0) };
        let turning = Motion { angular_velocity: 2.0, ..Motion::STILL };
        let blade = Collider::new(blade, Vec2::new(-45.0, -35.0), Vec2::X);
        add_collider(&mut world, blade.and_then(|blade| blade.with_motion(turning)));
        let room = FluidBounds { low: -HALF_SIZE, high: HALF_SIZE };
        let settings = AirSettings {
            density: 0.001,
            smoke_dissipation: 0.5,
            cooling: 0.5,
            ..AirSettings::new(world.parameters().gravity)
        };
        let mut air = Air::new(room, 20.0, settings, AirSides::default()).expect("valid");
        let fire = FluidRegion::circle(Vec2::new(50.0, 40.0), 12.0).expect("valid");
        let source = AirSource { smoke: 1.0, heat: 0.5, ..AirSource::new(fire) };
        air.insert_source(source).expect("valid");
        world.insert_air(air);
        let settings = EmitterSettings {
            class: ClassId(2),
            lifetime: Some(FluidLifetime::new(2.0).fading(0.5)),
            ..EmitterSettings::jet(8.0, 60.0)
        };
        let outlet = FluidRegion::rectangle(Vec2::new(-70.0, -50.0), Vec2::splat(10.0));
        let drain = Drain::new(outlet.expect("valid")).with_classes(ClassFilter::from(ClassId(0)));
        Self {
            poured: world.particles().len() as u64,
            world,
            jet: Emitter::new(settings).expect("valid"),
            drain: drain.with_rate(0.5).expect("valid"),
            drained: 0,
            expired: 0,
        }
    }

    fn tick(&mut self) {
        self.jet.emit(self.world.liquid_mut(), STILL, STILL, TICK).expect("valid");
        let drained = self.drain.drain(self.world.liquid_mut(), TICK).expect("valid");
        self.drained += drained as u64;
        // What was drained is poured in again, from above.
        pour_class(&mut self.world, ClassId(0), (0..drained).map(|_| Vec2::new(20.0, 50.0)));
        self.poured += drained as u64;
        self.expired += self.world.step(TICK, &SerialExecutor).expect("valid").expired as u64;
    }

    /// Fails where something is lost, out, not finite or faster than it can be.
    fn check(&self) {
        let came = self.poured + self.jet.emitted();
        let left = came - self.drained - self.expired;
        let report = measure(&self.world);
        assert_eq!((report.particles as u64, report.escaped, report.quarantined), (left, 0, 0));
        // What was drained was poured in again, and spray lives for two seconds.
        let lasting = self.poured - self.drained;
        assert!((lasting..=lasting + 2 * 8).contains(&left), "{left} of {lasting} and spray");
        assert_eq!(self.world.asleep(), 0, "it is busy");
        assert_eq!(self.jet.refused(), 0);
        assert_finite(&self.world);
        // No more on average than what comes from the jet, falls from the ceiling to the floor, and is hit by
        // the tip of the blade.
        let [kinetic, _] = energies(&self.world);
        let fall = 2.0 * self.world.parameters().gravity.length() * 2.0 * HALF_SIZE.y;
        let most = 60.0 * 60.0 + fall + 32.0 * 32.0;
        let bound = 0.5 * f64::from(most) * left as f64;
        assert!(kinetic < bound, "{kinetic} of at most {bound}");
        for air in self.world.airs() {
            let smoke = air.channel(AirChannel::Smoke);
            assert!(smoke.iter().all(|smoke| (0.0..=10.0).contains(smoke)));
            let speeds = air.velocities_x().iter().chain(air.velocities_y());
            assert!(speeds.fold(0.0, |most: f32, speed| most.max(speed.abs())) < 2000.0);
        }
    }
}

/// Runs the tank, and a pool beside it, for spans of so many simulated seconds.
fn soak(spans: u32, seconds: u32) {
    let mut pool = in_tank(Vec2::ZERO, HALF_SIZE);
    let water = FluidShape::Rectangle { half_size: Vec2::new(78.0, 20.0) };
    pour_class(&mut pool, ClassId::default(), water.fill(Vec2::new(0.0, -38.0), 8.2));
    let all = pool.particles().len();
    run(&mut pool, 60 * 120);
    assert_eq!(pool.asleep(), all, "at rest");
    let rests = pool.state_hash();

    let (mut tank, mut grown) = (Tank::new(), 0);
    (0..60 * 60).for_each(|_| tank.tick());
    for span in 1..=spans {
        let counted = allocation_counter::measure(|| {
            (0..60 * seconds).for_each(|_| tank.tick());
        });
        tank.check();
        grown += counted.bytes_current;
        run(&mut pool, 60 * seconds);
        assert_eq!((pool.particles().len(), pool.state_hash()), (all, rests), "span {span}");
        let (particles, came) = (tank.world.particles().len(), tank.poured + tank.jet.emitted());
        println!("after {} s: {particles} of {came} left, {grown} bytes more", span * seconds);
        // Buffers grow to the most that they ever held, and not with time.
        assert!(grown < 20_000, "{grown} bytes");
    }
}

// Row 31 of docs/reliability.md.
#[test]
fn minutes_of_a_busy_tank_lose_nothing() {
    soak(6, 30);
}

mod minutes {
    // Row 31 of docs/reliability.md.
    #[test]
    #[ignore = "a day of simulated time takes tens of minutes: .ci/long"]
    fn a_day_of_a_busy_tank_loses_nothing() {
        super::soak(24, 3600);
    }
}
