//! Tests of the effects of a host's calls, and of the work that passes skip.

use glam::Vec2;

use super::*;
use crate::boundary::body::Body;
use crate::boundary::collider::{Collider, ColliderOptions};
use crate::boundary::container::Container;
use crate::boundary::solids::FreeDisc;
use crate::geometry::bounds::FluidBounds;
use crate::geometry::pose::Motion;
use crate::geometry::shape::FluidShape;
use crate::liquid::state::CapacityPolicy;
use crate::parallel::executor::{CHUNK, SerialExecutor};
use crate::particles::life::{ParticleSpawn, ParticleTag};
use crate::settings::class::{ClassFilter, ClassId};
use crate::settings::parameters::FluidSleeping;
use crate::shape::{Polygon, Polyline, scatter};

/// A tank with all kinds of colliders under liquid.
fn crowded(container: Container) -> FluidWorld {
    let mut world = FluidWorld::default();
    world.insert_container(container);
    let shapes = [
        FluidShape::Circle { radius: 14.0 },
        FluidShape::Rectangle { half_size: Vec2::new(22.0, 5.0) },
        FluidShape::Polygon(
            Polygon::new([(0.0, 16.0), (-6.0, -4.0), (18.0, 2.0)].map(Vec2::from)).expect("valid"),
        ),
        FluidShape::Polyline(
            Polyline::new([(-20.0, 0.0), (0.0, 9.0), (20.0, -3.0)].map(Vec2::from), 0.0)
                .expect("valid"),
        ),
    ];
    for number in 0..40 {
        let shape = shapes[number as usize % 4].clone();
        let turn = scatter(50 + number).normalize_or(Vec2::X);
        let collider = Collider::new(shape.clone(), scatter(number) * 360.0, turn).expect("valid");
        let body = Body::of_density(0.6, &shape, 8.0).ok().filter(|_| number % 8 == 1);
        let options = ColliderOptions {
            one_way: number % 8 == 3,
            classes: if number % 5 == 0 {
                ClassFilter::ALL.without(ClassId::LIGHT)
            } else {
                ClassFilter::ALL
            },
            body,
            ..Default::default()
        };
        let collider = collider.with_options(options).expect("valid");
        let turning = Motion { angular_velocity: 3.0, ..Motion::STILL };
        let motion = if number % 8 == 6 { turning } else { Motion::STILL };
        world.insert_collider(collider.with_motion(motion).expect("valid"));
    }
    for number in 0..3000 {
        let position = scatter(1000 + number) * 380.0;
        let class = [ClassId::HEAVY, ClassId::MEDIUM, ClassId::LIGHT][number as usize % 3];
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("room");
    }
    world
}

#[test]
fn passes_that_leave_out_what_keeps_inside_free_discs_change_no_bit() {
    let square = [(-1.0, -1.0), (1.0, -1.0), (1.1, 0.2), (0.0, 0.4), (-1.0, 1.0)];
    let hollow = Polygon::new(square.map(|(x, y)| Vec2::new(x, y) * 400.0)).expect("valid");
    let containers = [
        Container::circle(Vec2::ZERO, 400.0),
        Container::rectangle(Vec2::ZERO, Vec2::splat(390.0)),
        Container::new(FluidShape::Polygon(hollow), Vec2::ZERO, Vec2::X),
    ];
    for container in containers {
        let mut world = crowded(container.expect("valid"));
        let mut left_out = 0;
        for tick in 0..30 {
            if tick == 15 {
                // A collider takes the place of another one.
                let ids: Vec<_> = world.colliders().map(|(id, _)| id).collect();
                world.remove_collider(ids[3]);
            }
            let report = world.begin_tick(1.0 / 60.0, &SerialExecutor).expect("valid");
            for pass in (0..report.substeps).flat_map(|_| FluidPass::ALL) {
                let mut searching = world.clone();
                searching.workspace.neighbours.free_discs.invalidate();
                world.run_pass(pass, &SerialExecutor);
                searching.run_pass(pass, &SerialExecutor);
                let bits = |world: &FluidWorld| world.liquid.state_hash();
                assert_eq!(bits(&world), bits(&searching), "{} of tick {tick}", pass.name());
                let Liquid { particles, boundary, .. } = &world.liquid;
                let (count, free_discs) = (particles.len(), &world.workspace.neighbours.free_discs);
                let ends = [&particles.position[..CHUNK]; 2];
                let exposed = free_discs.find_exposed(0..CHUNK, count, boundary, 0.0, ends);
                left_out += (0..CHUNK).filter(|offset| !exposed.contains(*offset)).count();
            }
            world.end_tick(report, &SerialExecutor);
        }
        assert!(left_out > 1000, "{left_out} were left out");
    }
}

/// A sleeping pool under a collider.
fn sleeping_pool() -> FluidWorld {
    let sleeping = FluidSleeping { after: 0.1, drift: 1.0 };
    let parameters = FluidParameters { sleeping, ..Default::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.insert_container(Container::rectangle(Vec2::ZERO, Vec2::splat(100.0)).expect("valid"));
    world.insert_collider(Collider::circle(Vec2::new(0.0, 60.0), 12.0).expect("valid"));
    let pool = FluidShape::Rectangle { half_size: Vec2::new(98.0, 45.0) };
    for position in pool.fill(Vec2::new(0.0, -52.0), parameters.particle_spacing) {
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
    }
    let mut ticks = 0;
    while world.asleep() < world.particles().len() {
        world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
        ticks += 1;
        assert!(ticks < 2000, "{} of {} sleep", world.asleep(), world.particles().len());
    }
    world
}

/// Sorts the particles, and gives each a free disc as large as the world.
fn find_neighbours(world: &mut FluidWorld) {
    world.pairs(&SerialExecutor);
    world.apply_host_changes(&SerialExecutor);
    let FluidWorld { liquid, workspace, .. } = world;
    let (discs, found) =
        workspace.neighbours.free_discs.prepare(liquid.particles.len(), &liquid.boundary);
    assert!(found);
    discs.fill(FreeDisc { centre: Vec2::ZERO, radius: 1e4 });
}

/// Whether the grid is still valid for the particles, and whether they still have their free discs.
fn found(world: &mut FluidWorld) -> (bool, bool) {
    world.apply_host_changes(&SerialExecutor);
    let FluidWorld { liquid: Liquid { particles, boundary, .. }, workspace, .. } = world;
    let neighbours = &workspace.neighbours;
    let ends = [&particles.position[..1]; 2];
    let exposed = neighbours.free_discs.find_exposed(0..1, particles.len(), boundary, 0.0, ends);
    (neighbours.is_current_for(particles), !exposed.contains(0))
}

/// A call of a host, with a description.
type Call = (&'static str, fn(&mut FluidWorld));

#[test]
fn calls_that_change_no_particle_leave_the_neighbours_alone_and_the_liquid_asleep() {
    let calls: [Call; 12] = [
        ("effort", |world| world.set_effort(world.effort())),
        ("parameters", |world| world.set_parameters(*world.parameters()).expect("valid")),
        ("classes", |world| world.set_classes(world.classes().clone()).expect("valid")),
        ("reading colliders", |world| {
            world.liquid_mut();
            let ids: Vec<_> = world.colliders().map(|(id, _)| id).collect();
            let read = ids.iter().filter_map(|id| world.collider_fade_in(*id)).sum::<f32>();
            assert_eq!(read, 1.0);
        }),
        ("an equal collider", |world| {
            let (id, collider) = world.colliders().next().expect("it is there");
            let collider = collider.clone();
            assert!(world.set_collider(id, collider));
        }),
        ("an equal motion", |world| {
            let (id, collider) = world.colliders().next().expect("it is there");
            let motion = collider.motion();
            assert!(world.set_collider_motion(id, motion).expect("valid"));
        }),
        ("an equal container", |world| {
            let (id, container) = world.containers().next().expect("it is there");
            let container = container.clone();
            assert!(world.set_container(id, container));
        }),
        ("capacities", |world| {
            world.set_capacity(5000);
            world.set_spring_capacity(5000);
            world.set_capacity_policy(CapacityPolicy::RecycleOldest);
        }),
        ("no force", |world| world.set_forces(&[]).expect("valid")),
        ("the clock", |world| world.reset_clock()),
        ("nothing despawned", |world| assert_eq!(world.despawn_where(|_, _| false), 0)),
        ("a tag", |world| {
            let id = world.particles().ids()[0];
            assert!(world.set_tag(id, ParticleTag(3)));
        }),
    ];
    let mut world = sleeping_pool();
    find_neighbours(&mut world);
    for (name, call) in calls {
        let mut world = world.clone();
        call(&mut world);
        assert_eq!(found(&mut world), (true, true), "{name} disturbed the neighbours");
        let report = world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
        assert_eq!(report.substeps, 0, "{name} woke the liquid");
    }
}

#[test]
fn calls_that_change_particles_or_walls_are_noticed() {
    let calls: [(&str, fn(&mut FluidWorld), (bool, bool)); 9] = [
        ("spawn", |world| _ = world.spawn(ParticleSpawn::default()).expect("room"), (false, false)),
        ("despawn", |world| assert!(world.despawn(world.particles().ids()[0])), (false, false)),
        (
            "one for another",
            |world| {
                assert!(world.despawn(world.particles().ids()[0]));
                world.spawn(ParticleSpawn::default()).expect("room");
            },
            (false, false),
        ),
        ("displace", |world| world.particles_mut().displace(0, Vec2::X), (false, false)),
        (
            "a snapshot",
            |world| {
                let mut other = world.clone();
                other.pairs(&SerialExecutor);
                other.particles_mut();
                other.pairs(&SerialExecutor);
                *world.liquid_mut() = other.liquid().clone();
            },
            (false, false),
        ),
        (
            "a class",
            |world| {
                let id = world.particles().ids()[0];
                assert!(world.set_class(id, ClassId::HEAVY).expect("it exists"));
            },
            (true, false),
        ),
        (
            "a collider",
            |world| {
                world.insert_collider(Collider::circle(Vec2::ZERO, 5.0).expect("valid"));
            },
            (true, false),
        ),
        ("no container", |world| world.clear_containers(), (true, false)),
        (
            "velocities",
            |world| {
                let changed = world
                    .change_velocities_in(FluidBounds::ALL, |particle| particle.velocity.x += 9.0);
                assert_eq!(changed, world.particles().len());
            },
            (true, true),
        ),
    ];
    let mut world = sleeping_pool();
    find_neighbours(&mut world);
    for (name, call, expected) in calls {
        let mut world = world.clone();
        call(&mut world);
        assert_eq!(found(&mut world), expected, "{name}");
        let report = world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
        assert!(report.substeps > 0 || name == "a snapshot", "{name} woke nothing");
    }
}
