//! How deep hulls float, as a player sees it: the drawn hull against the drawn surface.

use blob_fluid::{
    Body, Collider, ColliderOptions, Container, FluidParameters, FluidShape, FluidSleeping,
    FluidWorld, Motion,
};
use glam::Vec2;

use crate::pools::{pour, spacing};
use crate::ticks::run;

/// Height of the drawn surface above that of [`blob_fluid::Liquid::surface_height`], in particle spacings.
/// The plugin draws where a sum of (1 - (r/2.26)^2)^3 over the particles, r in spacings, passes 0.34 with
/// its default look; weights are such that the sum is 1 in a hexagonal lattice as wide as the spacing.
const DRAWN_ABOVE: f32 = 0.095;

/// A hull, its width and height as it floats, and its angle.
struct Hull {
    name: &'static str,
    shape: FluidShape,
    size: Vec2,
    angle: f32,
    /// Its angular velocity, in radians/s; `None` for a body that turns as it likes.
    turns: Option<f32>,
}

impl Hull {
    fn new(name: &'static str, shape: FluidShape, size: (f32, f32)) -> Self {
        Self { name, shape, size: Vec2::from(size), angle: 0.0, turns: None }
    }

    fn rectangle(name: &'static str, width: f32, height: f32) -> Self {
        let half_size = 0.5 * Vec2::new(width, height);
        Self::new(name, FluidShape::Rectangle { half_size }, (width, height))
    }

    fn disc(name: &'static str, radius: f32) -> Self {
        Self::new(name, FluidShape::Circle { radius }, (2.0 * radius, 2.0 * radius))
    }
}

/// How much deeper than its density says a hull floats, in particle spacings.
fn deeper(hull: &Hull, density: f32) -> f32 {
    let sleeping = FluidSleeping::OFF;
    let parameters = FluidParameters { sleeping, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let Vec2 { x: width, y: height } = hull.size;
    let (half_width, depth) = ((3.0 * width).max(200.0), height + 60.0);
    let tank = Container::rectangle(Vec2::new(0.0, depth), Vec2::new(half_width, depth));
    world.insert_container(tank.expect("valid"));
    let at = Vec2::new(0.0, depth + height * (0.5 - density) + 2.0);
    let rotation = Vec2::from_angle(hull.angle);
    let body = Body::of_density(density, &hull.shape, spacing()).expect("valid");
    let body = Body { lock_rotation: hull.turns == Some(0.0), ..body };
    let options = ColliderOptions { body: Some(body), ..Default::default() };
    let collider = Collider::new(hull.shape.clone(), at, rotation)
        .and_then(|collider| collider.with_options(options))
        .expect("valid");
    let pool = FluidShape::Rectangle { half_size: 0.5 * Vec2::new(2.0 * half_width, depth) - 2.0 };
    let places = pool.fill(Vec2::new(0.0, 0.5 * depth + 2.0), spacing());
    // What would lie on it would weigh.
    pour(&mut world, places.into_iter().filter(|at| collider.distance(*at) > 0.4 * spacing()));
    let id = world.insert_collider(collider);
    let (mut sum, mut count) = (0.0, 0.0);
    for tick in 0..600 {
        if let Some(angular_velocity) = hull.turns {
            let velocity = world.collider(id).expect("there").motion().velocity;
            world.set_collider_motion(id, Motion { velocity, angular_velocity }).expect("valid");
        }
        run(&mut world, 1);
        if tick >= 480 && tick % 12 == 0 {
            let collider = world.collider(id).expect("there");
            sum += too_deep(collider, density, drawn_level(&world, 0.5 * width, half_width));
            count += 1.0;
        }
    }
    sum / count
}

/// Height of the drawn surface between a hull and the walls of its tank.
fn drawn_level(world: &FluidWorld, hull: f32, wall: f32) -> f32 {
    let (near, far) = (hull + 40.0, wall - 40.0);
    let places = (0..120_u8).map(|number| {
        let across = near + (far - near) * (f32::from(number / 2) + 0.5) / 60.0;
        if number % 2 == 0 { across } else { -across }
    });
    let mean = places.map(|x| world.surface_height(x).expect("liquid")).sum::<f32>() / 120.0;
    mean + DRAWN_ABOVE * spacing()
}

/// How much lower a hull lies, in particle spacings, than where its area below a level is its density times
/// its area.
fn too_deep(collider: &Collider, density: f32, level: f32) -> f32 {
    let reach = collider.shape().bounds().half_size().length();
    let low = collider.centre() - reach;
    let samples = 300;
    let step = 2.0 * reach / f32::from(samples as u16);
    let below = |level: f32| {
        let places = (0..samples * samples)
            .map(|at| low + step * (Vec2::new((at % samples) as f32, (at / samples) as f32) + 0.5));
        let sunk = places.filter(|at| at.y < level && collider.distance(*at) < 0.0);
        sunk.count() as f32 * step * step
    };
    let width = (below(level + 2.0) - below(level - 2.0)) / 4.0;
    (below(level) - density * collider.shape().area()) / width / spacing()
}

/// Densities from 0.1 to 0.9; returns the largest error.
fn largest_error(hulls: &[Hull]) -> f32 {
    let mut largest = 0.0_f32;
    for hull in hulls {
        let errors = [0.1, 0.3, 0.5, 0.7, 0.9].map(|density| deeper(hull, density));
        println!("{}: {errors:.3?}", hull.name);
        largest = errors.iter().fold(largest, |largest, error| largest.max(error.abs()));
    }
    largest
}

#[test]
fn boxes_and_rafts_float_as_deep_as_they_are_drawn() {
    let hulls = [
        Hull::rectangle("box", 120.0, 60.0),
        Hull::rectangle("barge", 240.0, 40.0),
        Hull::rectangle("crate", 60.0, 40.0),
        Hull::rectangle("raft", 160.0, 12.0),
    ];
    assert!(largest_error(&hulls) < 0.15);
}

#[test]
fn what_is_round_floats_as_deep_as_it_is_drawn() {
    let capsule = FluidShape::Capsule { half_length: 40.0, radius: 20.0 };
    let lying = std::f32::consts::FRAC_PI_2;
    let hulls = [
        Hull::disc("large disc", 50.0),
        Hull::disc("small disc", 25.0),
        Hull { angle: lying, ..Hull::new("capsule", capsule, (120.0, 40.0)) },
        Hull { turns: Some(0.3), ..Hull::disc("turning disc", 50.0) },
    ];
    assert!(largest_error(&hulls) < 0.17);
}

#[test]
fn tilted_boxes_float_as_deep_as_they_are_drawn() {
    let tilted = |hull| Hull { angle: 0.4, turns: Some(0.0), ..hull };
    let hulls = [
        tilted(Hull::rectangle("tilted box", 120.0, 60.0)),
        tilted(Hull::rectangle("tilted crate", 60.0, 40.0)),
    ];
    assert!(largest_error(&hulls) < 0.2);
}
