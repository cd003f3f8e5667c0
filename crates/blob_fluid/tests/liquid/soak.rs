//! Long runs: nothing is lost or gained, energy stays bounded, memory does not grow, and what is at rest stays the
//! same to the bit.

use blob_fluid::air::{Air, AirChannel, AirSettings, AirSides, AirSource};
use blob_fluid::measure::{energies, measure};
use blob_fluid::{
    ClassFilter, ClassId, ClassTable, Collider, DensityClass, Drain, Emitter, EmitterSettings,
    FluidBounds, FluidElasticity, FluidLifetime, FluidRegion, FluidShape, FluidWorld, Motion,
    SerialExecutor,
};
use glam::Vec2;

use crate::pools::{add_tank, assert_finite, body, in_tank, pour_class};
use crate::ticks::{TICK, run};

const HALF_SIZE: Vec2 = Vec2::new(80.0, 60.0);
const STILL: (Vec2, Vec2) = (Vec2::new(-40.0, 45.0), Vec2::NEG_X);

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
        world.insert_collider(blade.and_then(|blade| blade.with_motion(turning)).expect("valid"));
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
