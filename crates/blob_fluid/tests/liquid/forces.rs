//! Compares forces with their formulas, and tests where they act and what they wake.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use blob_fluid::shape::{Polygon, Polyline, scatter};
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_tank, at, cells, moving, pour, pour_class, spawn, ticks_until_asleep, top_speed, world_with,
};
use crate::ticks::{TICK, run, run_by, same_on_threads};

fn weightless() -> FluidWorld {
    world_with(crate::pools::weightless())
}

/// Returns velocity and temperature of one particle after the pass, or after an impulse.
fn acted_on(force: &Force, position: Vec2, velocity: Vec2) -> (Vec2, f32) {
    let mut world = weightless();
    spawn(&mut world, moving(position, velocity));
    world.set_forces(std::slice::from_ref(force)).expect("valid");
    world.run_pass(FluidPass::ApplyForces, &SerialExecutor);
    (world.particles().velocities()[0], world.particles().temperatures()[0])
}

fn push(force: &Force, position: Vec2) -> Vec2 {
    acted_on(force, position, Vec2::ZERO).0
}

fn square(half: f32) -> FluidRegion {
    FluidRegion::rectangle(Vec2::ZERO, Vec2::splat(half)).expect("valid")
}

fn polygon<const N: usize>(corners: [Vec2; N]) -> Result<FluidShape, OutOfRange> {
    Polygon::new(corners).map(FluidShape::Polygon)
}

#[track_caller]
fn assert_near(a: Vec2, b: Vec2) {
    assert!(a.distance(b) <= 1e-5 * (1.0 + b.length()), "{a} against {b}");
}

#[test]
fn every_kind_does_what_its_formula_says() {
    let at = Vec2::new(3.0, 4.0);
    let strength = 1.0 - 25.0 / 100.0;
    let pull = Force::attract(Vec2::ZERO, 10.0, 600.0).expect("valid");
    // The result is equal, to the bit, to that of the first version of forces, which could only
    // attract.
    let before = (-at).normalize_or_zero() * (600.0 * strength * TICK);
    assert_eq!(push(&pull, at), before);
    assert_eq!(push(&Force::repel(Vec2::ZERO, 10.0, 600.0).expect("valid"), at), -before);
    let whirl = Force::vortex(Vec2::ZERO, 10.0, 600.0).expect("valid");
    assert_near(push(&whirl, at), Vec2::new(-0.8, 0.6) * (600.0 * strength * TICK));
    assert_near(push(&Force::uniform(square(9.0), at), Vec2::ONE), at * TICK);

    let velocity = Vec2::new(7.0, -2.0);
    let kept = 1.0 / (1.0 + 3.0 * TICK);
    let slowed = acted_on(&Force::drag(square(9.0), 3.0), at, velocity).0;
    assert_near(slowed, velocity * kept);
    let wind = Vec2::new(20.0, 5.0);
    let blown = acted_on(&Force::wind(square(9.0), wind, 3.0), at, velocity).0;
    assert_near(blown, wind + (velocity - wind) * kept);
    let belt = Force::conveyor(square(9.0), Vec2::X * 20.0, 3.0);
    let carried = acted_on(&belt, at, velocity).0;
    assert_near(carried, Vec2::new(20.0 - 13.0 * kept, -2.0));
    let backwards = Force { conveyor: Vec2::Y * -4.0, ..belt };
    assert_near(acted_on(&backwards, at, velocity).0, Vec2::new(7.0, -4.0 + 2.0 * kept));

    let cold = acted_on(&Force::drag(square(9.0), 1.0), at, velocity).1;
    let warm = acted_on(&Force::heat(square(9.0), 600.0), Vec2::ZERO, velocity);
    assert!((warm.1 - cold - 10.0).abs() < 1e-4 && warm.0 == velocity);
}

#[test]
fn parts_combine_and_forces_add_up() {
    let at = Vec2::new(6.0, 0.0);
    let both = Force {
        swirl: 90.0,
        acceleration: Vec2::new(1.0, 2.0),
        ..Force::attract(Vec2::ZERO, 12.0, 60.0).expect("valid")
    };
    let strength = 0.75 * TICK;
    assert_near(push(&both, at), Vec2::new(-59.0, 92.0) * strength);
    let mut world = weightless();
    spawn(&mut world, moving(at, Vec2::ZERO));
    let everywhere = Force { acceleration: Vec2::Y, ..Force::default() };
    world.set_forces(&[both, everywhere]).expect("valid");
    world.run_pass(FluidPass::ApplyForces, &SerialExecutor);
    let expected = Vec2::new(-59.0, 92.0) * strength + Vec2::Y * TICK;
    assert_near(world.particles().velocities()[0], expected);
}

#[test]
fn falloff_goes_by_depth() {
    let shapes = [
        (FluidShape::Circle { radius: 8.0 }, [(0.0, 1.0), (2.0, 0.75), (6.0, 0.25), (8.5, 0.0)]),
        (
            FluidShape::Rectangle { half_size: Vec2::new(20.0, 8.0) },
            [(0.0, 1.0), (12.0, 1.0), (18.0, 0.25), (20.5, 0.0)],
        ),
        (
            polygon([(-16.0, -8.0), (16.0, -8.0), (16.0, 8.0), (-16.0, 8.0)].map(Vec2::from))
                .expect("valid"),
            [(0.0, 1.0), (12.0, 0.5), (-14.0, 0.25), (17.0, 0.0)],
        ),
    ];
    for (shape, points) in shapes {
        let region =
            FluidRegion::new(shape.clone(), Vec2::new(100.0, 50.0), Vec2::X).expect("valid");
        for (x, depth) in points {
            let expected = [
                (FluidFalloff::Constant, f32::from(depth > 0.0)),
                (FluidFalloff::Linear, depth),
                (FluidFalloff::Smooth, 1.0 - (1.0 - depth) * (1.0 - depth)),
            ];
            for (falloff, strength) in expected {
                let force = Force { falloff, ..Force::uniform(region.clone(), Vec2::Y * 60.0) };
                let pushed = push(&force, Vec2::new(100.0 + x, 50.0));
                assert_near(pushed, Vec2::Y * strength);
            }
        }
    }
}

#[test]
fn shapes_stand_where_and_how_they_are_put() {
    let bar = FluidShape::Rectangle { half_size: Vec2::new(30.0, 5.0) };
    let upright = FluidRegion::new(bar, Vec2::new(100.0, 0.0), Vec2::Y).expect("valid");
    let force = Force::uniform(upright, Vec2::X * 60.0);
    assert_near(push(&force, Vec2::new(103.0, 28.0)), Vec2::X);
    assert_eq!(push(&force, Vec2::new(120.0, 0.0)), Vec2::ZERO);
    let line = Polyline::new([Vec2::ZERO, Vec2::new(50.0, 0.0)], 4.0).expect("valid");
    let line = FluidRegion::new(FluidShape::Polyline(line), Vec2::ZERO, Vec2::X).expect("valid");
    let force = Force { falloff: FluidFalloff::Linear, ..Force::uniform(line, Vec2::Y * 60.0) };
    assert_near(push(&force, Vec2::new(25.0, 1.0)), Vec2::Y * 0.5);
    // A half plane has no middle, so the strength is 1.
    let above = FluidShape::HalfPlane { normal: -Vec2::Y };
    let above = FluidRegion::new(above, Vec2::ZERO, Vec2::X).expect("valid");
    for falloff in [FluidFalloff::Constant, FluidFalloff::Linear, FluidFalloff::Smooth] {
        let force = Force { falloff, ..Force::uniform(above.clone(), Vec2::X * 60.0) };
        assert_near(push(&force, Vec2::new(1e4, 3.0)), Vec2::X);
        assert_eq!(push(&force, Vec2::new(1e4, -3.0)), Vec2::ZERO);
    }
}

#[test]
fn the_very_centre_has_no_direction() {
    let centre = Vec2::new(3.0, 4.0);
    let force = Force { swirl: 1e6, ..Force::attract(centre, 10.0, 1e6).expect("valid") };
    assert_eq!(push(&force, centre), Vec2::ZERO);
    let mut world = weightless();
    spawn(&mut world, at(centre));
    world.apply_impulse(&force).expect("valid");
    assert_eq!(world.particles().velocities(), [Vec2::ZERO]);
}

#[test]
fn only_the_classes_it_is_for() {
    let mut world = weightless();
    for class in [ClassId::HEAVY, ClassId::MEDIUM, ClassId::LIGHT] {
        let position = Vec2::X * 100.0 * f32::from(class.0);
        pour_class(&mut world, class, [position]);
    }
    let classes = ClassFilter::ALL.without(ClassId::MEDIUM);
    let force = Force { classes, acceleration: Vec2::Y, ..Force::default() };
    world.set_forces(std::slice::from_ref(&force)).expect("valid");
    world.run_pass(FluidPass::ApplyForces, &SerialExecutor);
    world.apply_impulse(&force).expect("valid");
    for (class, velocity) in world.particles().classes().iter().zip(world.particles().velocities())
    {
        let expected = if *class == ClassId::MEDIUM { 0.0 } else { 1.0 + TICK };
        assert_near(*velocity, Vec2::Y * expected);
    }
}

#[test]
fn wind_against_gravity_has_a_terminal_velocity() {
    let mut world = FluidWorld::default();
    spawn(&mut world, at(Vec2::ZERO));
    let all = Force { wind: Vec2::new(30.0, 90.0), drag: 4.0, ..Force::default() };
    world.set_forces(&[all]).expect("valid");
    run(&mut world, 600);
    let settling = world.parameters().settling;
    let gravity = world.parameters().gravity;
    // The speed at which gravity and wind balance, reduced a little by the liquid's own drag.
    let expected = Vec2::new(30.0, 90.0) + gravity / 4.0;
    let velocity = world.particles().velocities()[0];
    assert!(velocity.distance(expected) < 0.05 * expected.length(), "{velocity} {settling:?}");
}

/// A disc of liquid without walls.
fn drop_of_liquid() -> FluidWorld {
    let mut world = weightless();
    let spacing = world.parameters().particle_spacing * 1.03;
    for x in -12..12 {
        for y in -12..12 {
            let position = (Vec2::new(x as f32, y as f32) + 0.5) * spacing;
            spawn(&mut world, at(position));
        }
    }
    world
}

fn momentum(world: &FluidWorld) -> Vec2 {
    world.particles().velocities().iter().sum()
}

#[test]
fn a_uniform_push_gives_momentum_and_an_explosion_none() {
    let mut world = drop_of_liquid();
    let count = world.particles().len() as f32;
    world.apply_impulse(&Force::impulse(square(1e3), Vec2::new(5.0, -3.0))).expect("valid");
    assert_near(momentum(&world) / count, Vec2::new(5.0, -3.0));

    let mut world = drop_of_liquid();
    world.apply_impulse(&Force::explosion(Vec2::ZERO, 80.0, 300.0).expect("valid")).expect("valid");
    assert!(momentum(&world).length() < 1e-4 * 300.0 * count, "{}", momentum(&world));
    let particles = world.particles();
    let energy = |counts: fn(Vec2) -> bool| {
        let all = particles.positions().iter().zip(particles.velocities());
        all.filter(|(at, _)| counts(**at)).map(|(_, v)| v.length_squared()).sum::<f32>()
    };
    let (left, right) = (energy(|at| at.x < 0.0), energy(|at| at.x > 0.0));
    let (below, above) = (energy(|at| at.y < 0.0), energy(|at| at.y > 0.0));
    assert!(left > 1e5, "{left}");
    for other in [right, below, above] {
        assert!((other / left - 1.0).abs() < 1e-4, "{left} {right} {below} {above}");
    }
    for (at, velocity) in particles.positions().iter().zip(particles.velocities()) {
        let speed = 300.0 * (1.0 - at.length_squared() / 6400.0).max(0.0);
        assert_near(*velocity, *at / at.length() * speed);
    }
}

#[test]
fn forces_miss_no_particle_in_their_reach() {
    let mut world = weightless();
    for number in 0..5000 {
        spawn(&mut world, at(scatter(number) * 1000.0));
    }
    let turned = Vec2::new(0.6, 0.8);
    let shapes = [
        FluidShape::Circle { radius: 90.0 },
        FluidShape::Rectangle { half_size: Vec2::new(200.0, 20.0) },
        polygon([Vec2::ZERO, Vec2::new(90.0, 10.0), Vec2::new(20.0, 120.0)]).expect("valid"),
    ];
    let forces: Vec<Force> = (0..12)
        .map(|number| {
            let shape = shapes[number as usize % 3].clone();
            let region =
                FluidRegion::new(shape, scatter(7000 + number) * 900.0, turned).expect("valid");
            Force::uniform(region, Vec2::X * 60.0)
        })
        .collect();
    world.set_forces(&forces).expect("valid");
    world.run_pass(FluidPass::ApplyForces, &SerialExecutor);
    let mut hits = 0;
    for (at, velocity) in world.particles().positions().iter().zip(world.particles().velocities()) {
        let inside =
            |force: &&Force| force.region.as_ref().is_some_and(|region| region.contains(*at));
        let expected = forces.iter().filter(inside).count();
        hits += expected;
        assert_near(*velocity, Vec2::X * expected as f32);
    }
    assert!(hits > 100, "{hits}");
}

/// A small sleeping pool.
fn asleep() -> FluidWorld {
    let mut world = FluidWorld::default();
    let spacing = world.parameters().particle_spacing;
    let half_size = Vec2::new(40.0, 20.0) * spacing;
    add_tank(&mut world, Vec2::ZERO, half_size);
    pour(&mut world, cells(80, 10).map(|cell| cell * spacing - half_size));
    ticks_until_asleep(&mut world, 7200);
    world
}

#[test]
fn what_acts_keeps_awake_and_what_does_not_reach_or_only_slows_does_not() {
    let resting = asleep();
    let spacing = resting.parameters().particle_spacing;
    let corner = Vec2::new(-35.0, -15.0) * spacing;
    let region = |centre: Vec2| FluidRegion::circle(centre, 3.0 * spacing).expect("valid");
    let far = Vec2::new(0.0, 15.0) * spacing;
    let substeps = |force: Force| {
        let mut world = resting.clone();
        world.set_forces(&[force]).expect("valid");
        (0..30).map(|_| world.step(TICK, &SerialExecutor).expect("valid")).last().expect("ran")
    };
    let weak = Vec2::X * 0.5;
    for force in [
        Force::uniform(region(corner), weak),
        Force::wind(region(corner), weak, 1.0),
        Force::conveyor(region(corner), weak, 1.0),
        Force::attract(corner, 3.0 * spacing, 0.5).expect("valid"),
        Force::vortex(corner, 3.0 * spacing, 0.5).expect("valid"),
        Force::heat(region(corner), 1.0),
    ] {
        let report = substeps(force.clone());
        assert!(report.substeps > 0, "{force:?} {report:?}");
        assert!((400..790).contains(&report.asleep), "{force:?} {report:?}");
    }
    for force in [
        Force::drag(region(corner), 5.0),
        Force::wind(region(corner), weak, 0.0),
        Force::conveyor(region(corner), Vec2::ZERO, 5.0),
        Force::uniform(region(far), Vec2::Y * 1e4),
    ] {
        assert_eq!(substeps(force.clone()).substeps, 0, "{force:?}");
    }
}

#[test]
fn an_impulse_wakes_what_it_touches() {
    let mut world = asleep();
    let spacing = world.parameters().particle_spacing;
    let corner = Vec2::new(-35.0, -15.0) * spacing;
    let far = Force::explosion(Vec2::new(0.0, 15.0) * spacing, 10.0, 500.0).expect("valid");
    let before = world.state_hash();
    world.apply_impulse(&far).expect("valid");
    world.step(TICK, &SerialExecutor).expect("valid");
    assert_eq!(world.state_hash(), before, "nothing there");
    run(&mut world, 120);
    let near = Force::explosion(corner, 4.0 * spacing, 300.0).expect("valid");
    world.apply_impulse(&near).expect("valid");
    let report = world.step(TICK, &SerialExecutor).expect("valid");
    assert!(report.substeps > 0 && report.asleep > 300, "{report:?}");
    assert!(top_speed(&world) > 30.0, "{}", top_speed(&world));
    // Heat alone moves no particle, but it also wakes liquid.
    let mut world = asleep();
    let stove = Force::heat(FluidRegion::circle(corner, 4.0 * spacing).expect("valid"), 50.0);
    world.apply_impulse(&stove).expect("valid");
    let report = world.step(TICK, &SerialExecutor).expect("valid");
    assert!((300..790).contains(&report.asleep), "{report:?}");
}

/// A force field that counts the particles of its calls.
struct Count(FluidBounds, AtomicUsize);

impl ForceField for Count {
    fn bounds(&self) -> FluidBounds {
        self.0
    }

    fn apply(&self, particles: &mut FieldParticles<'_>) {
        self.1.fetch_add(particles.positions.len(), Relaxed);
    }
}

#[test]
fn fields_are_not_bothered_with_what_is_far_from_their_bounds() {
    let mut world = drop_of_liquid();
    run(&mut world, 3);
    let corner = FluidBounds { low: Vec2::splat(-1e3), high: Vec2::splat(-60.0) };
    let count = Arc::new(Count(corner, AtomicUsize::new(0)));
    world.set_force_fields(vec![count.clone()]);
    world.run_pass(FluidPass::ApplyForces, &SerialExecutor);
    let inside = world.particles().positions().iter().filter(|at| corner.contains(**at)).count();
    let seen = count.1.load(Relaxed);
    assert!(inside > 0 && (inside..world.particles().len() / 2).contains(&seen), "{inside} {seen}");
}

/// A force field that rotates the liquid in a box.
struct Spin(FluidBounds, bool);

impl ForceField for Spin {
    fn bounds(&self) -> FluidBounds {
        self.0
    }

    fn acts_at_rest(&self) -> bool {
        self.1
    }

    fn apply(&self, particles: &mut FieldParticles<'_>) {
        for (index, position) in particles.positions.iter().enumerate() {
            if self.0.contains(*position) && particles.classes[index] == ClassId::default() {
                particles.velocities[index] += position.perp() * particles.time_step;
                particles.temperatures[index] += 60.0 * particles.time_step;
            }
        }
    }
}

#[test]
fn fields_of_the_host_act_in_their_bounds_and_on_any_number_of_threads() {
    let run = |executor: &dyn Fn(&mut FluidWorld)| {
        let mut world = drop_of_liquid();
        let right = FluidBounds { low: Vec2::new(0.0, -1e3), high: Vec2::splat(1e3) };
        world.set_force_fields(vec![
            Arc::new(Spin(right, true)),
            Arc::new(|particles: &mut FieldParticles<'_>| {
                particles.velocities.iter_mut().for_each(|velocity| velocity.y += 1.0);
            }),
        ]);
        assert_eq!(world.force_fields().len(), 2);
        executor(&mut world);
        world
    };
    let world = run(&|world| world.run_pass(FluidPass::ApplyForces, &SerialExecutor));
    let particles = world.particles();
    for (index, at) in particles.positions().iter().enumerate() {
        let spin = if at.x >= 0.0 { at.perp() * TICK } else { Vec2::ZERO };
        assert_near(particles.velocities()[index], spin + Vec2::Y);
    }
    same_on_threads([2, 5], |executor| run(&|world| run_by(executor, world, 20)).state_hash());
}

#[test]
fn fields_keep_awake_only_where_they_say() {
    let resting = asleep();
    let spacing = resting.parameters().particle_spacing;
    let corner = Vec2::new(-35.0, -15.0) * spacing;
    let near = FluidBounds { low: corner - 30.0, high: corner + 30.0 };
    let above = FluidBounds { low: Vec2::splat(5.0 * spacing), high: Vec2::splat(15.0 * spacing) };
    for (bounds, acts_at_rest, wakes) in
        [(near, true, true), (near, false, false), (above, true, false)]
    {
        let mut world = resting.clone();
        world.set_force_fields(vec![Arc::new(Spin(bounds, acts_at_rest))]);
        let report = world.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!(report.substeps > 0, wakes, "{bounds:?} {acts_at_rest}");
        assert!(!wakes || report.asleep > 300, "{report:?}");
    }
}
