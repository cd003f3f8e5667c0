//! Draws walls, containers, obstacles and forces.

use blob_fluid::ranges::Settings;
use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::{
    Body, Collider, ColliderId, ColliderOptions, Container, FluidFalloff, FluidRegion, FluidShape,
    FluidWorld, Force, Motion, WallProperties,
};
use glam::Vec2;

use super::drawing::Drawing;
use super::random::Random;

pub fn wall(all: &mut Drawing) -> WallProperties {
    let Some(mut random) = all.part("walls") else { return WallProperties::default() };
    let wall = WallProperties {
        friction: random.maybe(WallProperties::row("friction")),
        stickiness: random.value(WallProperties::row("stickiness")),
        stick_distance: random.value(WallProperties::row("stick_distance")),
        wetting: random.value(WallProperties::row("wetting")),
        temperature: random.maybe(WallProperties::row("temperature")),
    };
    all.say("walls", wall);
    wall
}

/// A motion; the usual one moves a solid by its own size in some ticks.
pub fn motion(random: &mut Random, tick: f32, half: f32) -> Motion {
    // A faster one would leave the world.
    let speed = random.value_about(Motion::row("velocity"), 0.1 * half / tick);
    let speed = speed.abs().min(100.0 * half / tick);
    let turning = random.value_about(Motion::row("angular_velocity"), 0.1 / tick);
    Motion {
        velocity: if random.chance(0.7) { random.direction() * speed } else { Vec2::ZERO },
        angular_velocity: if random.chance(0.5) { turning } else { 0.0 },
    }
}

/// A container with this half size, and half of a square that fits into it.
pub fn container(all: &mut Drawing, tick: f32, half: f32, centre: Vec2) -> (Container, f32) {
    let wall = wall(all);
    let mut random = Random::new(all.seed, "shape");
    let (mut shape, mut rotation, mut inner) =
        (FluidShape::Rectangle { half_size: Vec2::splat(half) }, Vec2::X, 0.95);
    if all.part("container").is_some() {
        rotation = random.direction();
        (shape, inner) = match random.below(4) {
            0 => (FluidShape::Circle { radius: 1.2 * half }, 0.8),
            1 => {
                let half_size = Vec2::new(half, half * random.between(0.8, 2.0));
                (FluidShape::Rectangle { half_size }, 0.75)
            }
            2 => (FluidShape::Capsule { half_length: 0.5 * half, radius: 1.1 * half }, 0.75),
            _ => {
                let tips = [(2.0, 0.0), (0.9, 0.9), (0.0, 2.0), (-0.9, 0.9), (-2.0, 0.0)];
                let lower = [(-0.9, -0.9), (0.0, -2.0), (0.9, -0.9)];
                let corners = tips.into_iter().chain(lower).map(|at| Vec2::from(at) * half);
                (FluidShape::Polygon(Polygon::new(corners).expect("a star")), 0.6)
            }
        };
    }
    all.say("container", (&shape, centre, rotation));
    let container = Container::new(shape, centre, rotation).expect("valid");
    let container = container.with_wall(wall).expect("valid");
    let Some(mut random) = all.part("container's motion") else {
        return (container, inner * half);
    };
    let motion = motion(&mut random, tick, half);
    all.say("container's motion", motion);
    (container.with_motion(motion).expect("valid"), inner * half)
}

pub fn obstacles(
    all: &mut Drawing,
    world: &mut FluidWorld,
    tick: f32,
    half: f32,
    centre: Vec2,
) -> Vec<ColliderId> {
    let wall = wall(all);
    let Some(mut random) = all.part("obstacles") else { return Vec::new() };
    let mut ids = Vec::new();
    for _ in 0..1 + random.below(3) {
        let size = half * random.between(0.1, 0.4);
        let shape = match random.below(5) {
            0 => FluidShape::Circle { radius: size },
            1 => FluidShape::Rectangle {
                half_size: Vec2::new(size, size * random.between(0.1, 1.0)),
            },
            2 => FluidShape::Capsule { half_length: size, radius: 0.2 * size },
            3 => {
                let corners = [(1.0, -0.8), (0.0, 1.0), (-1.0, -0.8)];
                let corners = corners.map(|corner| Vec2::from(corner) * size);
                FluidShape::Polygon(Polygon::new(corners).expect("a triangle"))
            }
            _ => {
                let points = [Vec2::NEG_X, Vec2::ZERO, Vec2::new(0.5, 0.7)].map(|at| at * size);
                FluidShape::Polyline(Polyline::new(points, 0.0).expect("a line"))
            }
        };
        let at = centre + random.point(0.6 * half);
        let mut collider = Collider::new(shape, at, random.direction()).expect("valid");
        let mut options =
            ColliderOptions { reports_load: random.chance(0.3), ..Default::default() };
        if random.chance(0.5) {
            collider = collider.with_motion(motion(&mut random, tick, half)).expect("valid");
        } else if random.chance(0.6) {
            let mass = random.value_about(Body::row("mass"), 100.0);
            let inertia = (mass * size * size).clamp(f32::MIN_POSITIVE, f32::MAX);
            options.body = Some(Body {
                gravity_scale: random.value(Body::row("gravity_scale")),
                drag: random.value(Body::row("drag")),
                friction: random.value(Body::row("friction")),
                pinned: random.chance(0.2),
                ..Body::new(mass, inertia)
            });
        }
        let collider = collider.with_wall(wall).expect("valid");
        let collider = collider.with_options(options).expect("valid");
        all.say("obstacles", (collider.shape(), at, collider.motion(), options.body));
        ids.push(world.insert_collider(collider));
    }
    ids
}

/// Adds forces. Returns their largest acceleration, and the largest speed of a wind or a conveyor.
pub fn forces(all: &mut Drawing, world: &mut FluidWorld, half: f32, centre: Vec2) -> (f32, f32) {
    let Some(mut random) = all.part("forces") else { return (0.0, 0.0) };
    let usual = world.parameters().reference_acceleration;
    let fast = world.parameters().speed_unit();
    let mut list = Vec::new();
    let (mut acceleration, mut wind) = (0.0, 0.0_f32);
    for _ in 0..1 + random.below(2) {
        let radius = half * random.between(0.3, 2.0);
        let vector = |random: &mut Random, row, usual| {
            random.direction() * random.value_about(row, usual).abs()
        };
        let force = Force {
            region: random.chance(0.7).then(|| FluidRegion::circle(centre, radius).expect("valid")),
            falloff: random.pick(&[
                FluidFalloff::Constant,
                FluidFalloff::Linear,
                FluidFalloff::Smooth,
            ]),
            centre: centre + random.point(half),
            attraction: random.value_about(Force::row("attraction"), usual),
            swirl: random.value_about(Force::row("swirl"), usual),
            acceleration: vector(&mut random, Force::row("acceleration"), usual),
            wind: vector(&mut random, Force::row("wind"), fast),
            drag: random.value_about(Force::row("drag"), 1.0),
            conveyor: vector(&mut random, Force::row("conveyor"), fast),
            grip: random.value_about(Force::row("grip"), 1.0),
            heat: random.value_about(Force::row("heat"), 10.0),
            ..Force::default()
        };
        acceleration += force.attraction.abs() + force.swirl.abs() + force.acceleration.length();
        wind = wind.max(force.wind.length()).max(force.conveyor.length());
        all.say("forces", &force);
        list.push(force);
    }
    world.set_forces(&list).expect("valid");
    (acceleration, wind)
}
