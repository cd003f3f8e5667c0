//! Bodies that are much lighter than the liquid that they displace.

use blob_fluid::{
    Attachment, Collider, ColliderId, ColliderOptions, FluidParameters, FluidShape, FluidSleeping,
    FluidSolver, FluidWorld, HostBody, HostBodyId, ParticleSpawn, SerialExecutor,
};
use glam::{DVec2, Vec2};

use crate::pools::{add_tank, body, cells, fastest, pour, spacing};
use crate::ticks::{TICK, run};

/// Rows of liquid, and rows above the middle of the body when it is released.
const ROWS: usize = 20;
const ABOVE: f32 = 13.0;

fn shapes() -> [FluidShape; 3] {
    let rectangle = |half: Vec2| FluidShape::Rectangle { half_size: half };
    [
        FluidShape::Circle { radius: 1.3 * spacing() },
        FluidShape::Circle { radius: 4.5 * spacing() },
        rectangle(Vec2::new(12.0, 0.13) * spacing()),
    ]
}

/// A pool at rest around a collider of this shape.
fn pool(solver: FluidSolver, shape: &FluidShape) -> (FluidWorld, Vec2) {
    let sleeping = FluidSleeping::OFF;
    let parameters = FluidParameters { solver, sleeping, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let half_size = Vec2::new(19.0, 30.0) * spacing();
    add_tank(&mut world, Vec2::Y * half_size.y, half_size);
    let low = Vec2::new(-19.0, 0.0);
    pour(&mut world, cells(38, ROWS).map(|cell| (low + cell) * spacing()));
    let centre = Vec2::Y * (ROWS as f32 - ABOVE) * spacing();
    let held = Collider::new(shape.clone(), centre, Vec2::X).expect("valid");
    let held = world.insert_collider(held);
    run(&mut world, 180);
    world.remove_collider(held).expect("there");
    (world, centre)
}

/// A body that the world moves, or one of a host.
enum Released {
    Own(ColliderId),
    Host(HostBodyId),
}

impl Released {
    fn insert(world: &mut FluidWorld, floating: Collider, by_host: bool) -> Self {
        if !by_host {
            return Self::Own(world.insert_collider(floating));
        }
        let properties = floating.options().body.expect("a body");
        let acceleration = world.parameters().gravity;
        let carried = HostBody {
            inverse_mass: Vec2::splat(1.0 / properties.mass),
            inverse_inertia: 1.0 / properties.moment_of_inertia,
            acceleration,
            ..HostBody::at(floating.centre(), Vec2::X)
        };
        let id = world.liquid_mut().insert_host_body(carried).expect("valid");
        let attachment = Some(Attachment { body: id, centre: Vec2::ZERO, rotation: Vec2::X });
        let options = ColliderOptions { attachment, body: None, ..floating.options() };
        world.insert_collider(floating.with_options(options).expect("valid"));
        Self::Host(id)
    }

    fn speed(&self, world: &FluidWorld) -> f32 {
        let motion = match self {
            Self::Own(id) => world.collider(*id).expect("there").motion(),
            Self::Host(id) => world.liquid().host_body(*id).expect("there").motion,
        };
        motion.velocity.length()
    }
}

/// Nothing may become faster than a free fall over the depth makes it.
fn is_released_gently(solver: FluidSolver, densities: &[f32], by_host: bool) {
    for shape in shapes() {
        let (pool, centre) = pool(solver, &shape);
        let depth = ROWS as f32 * spacing();
        let fall = (2.0 * pool.parameters().gravity.length() * depth).sqrt();
        for density in densities {
            let mut world = pool.clone();
            let floating = body(shape.clone(), centre, *density);
            let released = Released::insert(&mut world, floating, by_host);
            for _ in 0..90 {
                run(&mut world, 1);
                let speed = fastest(&world, |_| true).max(released.speed(&world));
                assert!(speed < 1.3 * fall, "{solver:?} {shape:?} {density}: {speed} of {fall}");
            }
        }
    }
}

#[test]
fn light_bodies_rise_and_do_not_explode() {
    is_released_gently(FluidSolver::DoubleDensity, &[0.01, 0.08, 0.5], false);
}

#[test]
fn nor_do_those_of_a_host() {
    is_released_gently(FluidSolver::DoubleDensity, &[0.01, 0.2], true);
}

#[test]
fn nor_in_other_solvers() {
    let others = FluidSolver::ALL.into_iter().filter(|solver| *solver != FluidSolver::default());
    for solver in others {
        is_released_gently(solver, &[0.01, 0.2], false);
    }
}

/// Momentum and angular momentum about the origin of particles and a body of mass 1 per particle.
fn momentum(world: &FluidWorld, id: ColliderId) -> (DVec2, f64, f64) {
    let particles = world.particles();
    let all = particles.positions().iter().zip(particles.velocities());
    let (mut sum, mut spin, mut scale) = (DVec2::ZERO, 0.0, 0.0);
    for (at, velocity) in all {
        let (at, velocity) = (at.as_dvec2(), velocity.as_dvec2());
        sum += velocity;
        spin += at.perp_dot(velocity);
        scale += velocity.length();
    }
    let collider = world.collider(id).expect("there");
    let properties = collider.options().body.expect("a body");
    let (mass, inertia) = (f64::from(properties.mass), f64::from(properties.moment_of_inertia));
    let velocity = collider.motion().velocity.as_dvec2();
    sum += mass * velocity;
    spin += mass * collider.centre().as_dvec2().perp_dot(velocity)
        + inertia * f64::from(collider.motion().angular_velocity);
    (sum, spin, scale + mass * velocity.length())
}

#[test]
fn a_drop_that_hits_a_light_body_keeps_its_momentum() {
    let parameters = FluidParameters::new(spacing(), Vec2::ZERO);
    for density in [0.02, 0.3, 3.0] {
        let mut world = FluidWorld::new(parameters).expect("valid");
        let half_size = Vec2::new(6.0, 2.0) * spacing();
        let target = body(FluidShape::Rectangle { half_size }, Vec2::ZERO, density);
        let id = world.insert_collider(target);
        for cell in cells(8, 8) {
            let position = (cell + Vec2::new(-1.0, 3.0)) * spacing();
            let velocity = Vec2::new(0.0, -60.0);
            world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("room");
        }
        let (before, spin_before, scale) = momentum(&world, id);
        run(&mut world, 60);
        let moves = world.collider(id).expect("there").motion();
        assert!(moves.velocity.y < -1.0 && moves.angular_velocity.abs() > 1e-3, "{moves:?}");
        let (after, spin_after, _) = momentum(&world, id);
        let error = (after - before).length() / scale;
        assert!(error < 1e-6, "{density}: {error}");
        // Containment and walls move particles, which turns the liquid a little.
        let turned = (spin_after - spin_before).abs() / (scale * f64::from(half_size.x));
        assert!(turned < 0.02, "{density}: {turned}");
    }
}

#[test]
fn what_rests_on_the_floor_stirs_nothing() {
    let mut world = FluidWorld::new(FluidParameters {
        sleeping: FluidSleeping::OFF,
        ..FluidParameters::default()
    })
    .expect("valid");
    add_tank(&mut world, Vec2::Y * 20.0 * spacing(), Vec2::new(19.0, 20.0) * spacing());
    let half_size = Vec2::new(5.0, 2.5) * spacing();
    let crate_on_floor = body(FluidShape::Rectangle { half_size }, Vec2::Y * half_size.y, 2.0);
    world.insert_collider(crate_on_floor);
    let low = Vec2::new(-19.0, 0.0);
    let outside = |at: &Vec2| at.x.abs() > 5.5 * spacing() || at.y > 5.5 * spacing();
    pour(&mut world, cells(38, 12).map(|cell| (low + cell) * spacing()).filter(outside));
    for _ in 0..20 * 60 {
        world.step(TICK, &SerialExecutor).expect("valid");
    }
    let speed = fastest(&world, |_| true);
    assert!(speed < 0.1 * world.parameters().speed_unit(), "{speed}");
}
