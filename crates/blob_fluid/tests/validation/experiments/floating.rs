use blob_fluid::*;
use glam::{DVec2, Vec2};

use super::run_until;
use crate::page::Finding;

/// Half the size of the boxes, in world units: 25 particles wide and 15 high.
const HALF_SIZE: Vec2 = Vec2::new(100.0, 60.0);
/// Width of the tanks, in widths of the box, and depth of the liquid in world units.
const TANK_WIDTHS: f32 = 10.0;
const DEPTH: f32 = 200.0;

pub fn run() -> Finding {
    Finding {
        experiment: "floating bodies",
        description: "A box 25 particles wide and 15 high floats in a tank ten times as wide for 10 s. The depth \
                      of immersion of the box is measured to the level of the liquid far from the box, and \
                      compared with Archimedes' principle. The gap around the box counts as part of the box: half \
                      a particle spacing, up to the centres of the nearest particles. (`Body::GAP`, which floats \
                      the box, is 0.3 spacings.) A box twice as dense sinks. A box between two liquids stays at \
                      their interface. In free fall, a blob hits a body, and the momentum of both together is \
                      compared with that of free fall.",
        measured: vec![
            ("error of the depth of immersion in hull heights, density 0.1", draught(0.1)),
            ("error of the depth of immersion in hull heights, density 0.3", draught(0.3)),
            ("error of the depth of immersion in hull heights, density 0.5", draught(0.5)),
            ("error of the depth of immersion in hull heights, density 0.7", draught(0.7)),
            ("error of the depth of immersion in hull heights, density 0.9", draught(0.9)),
            ("height above the floor, density 2, in particle spacings", height_of_a_stone()),
            ("distance from the interface of two liquids, in heights", between_two_liquids()),
            ("error of the momentum over the exchanged momentum", momentum_in_a_splash()),
        ],
        plots: Vec::new(),
    }
}

/// A tank with its floor at height 0 and a box in it, whose lower side is at `bottom`. Liquid fills it
/// up to [`DEPTH`], of the class that `class_at` names for a height.
fn tank(density: f32, bottom: f32, class_at: impl Fn(f32) -> ClassId) -> FluidWorld {
    let mut world = FluidWorld::new(FluidParameters::default()).expect("valid");
    let spacing = world.parameters().particle_spacing;
    let half_size = Vec2::new(TANK_WIDTHS * HALF_SIZE.x, DEPTH);
    let centre = Vec2::new(0.0, DEPTH);
    world.insert_container(Container::rectangle(centre, half_size).expect("valid"));
    let liquid = FluidShape::Rectangle { half_size: Vec2::new(half_size.x - 2.0, 0.5 * DEPTH) };
    for position in liquid.fill(Vec2::new(0.0, 0.5 * DEPTH + 2.0), spacing) {
        let offset = (position - Vec2::new(0.0, bottom + HALF_SIZE.y)).abs();
        if offset.cmpgt(HALF_SIZE + 0.4 * spacing).any() {
            let class = class_at(position.y);
            world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
        }
    }
    let shape = FluidShape::Rectangle { half_size: HALF_SIZE };
    let body = Body::of_density(density, &shape, spacing).expect("valid");
    let options = ColliderOptions { body: Some(body), ..Default::default() };
    let at = Vec2::new(0.0, bottom + HALF_SIZE.y);
    let collider =
        Collider::new(shape, at, Vec2::X).and_then(|collider| collider.with_options(options));
    world.insert_collider(collider.expect("valid"));
    world
}

/// The height of the box's lower side, averaged over the last of `seconds`.
fn bottom_after(world: &mut FluidWorld, seconds: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    run_until(world, seconds, |world| {
        if world.time() > seconds - 1.0 {
            let (_, collider) = world.colliders().next().expect("the box");
            sum += f64::from(collider.centre().y - HALF_SIZE.y);
            count += 1.0;
        }
    });
    sum / count
}

/// The height that particles far from the box would fill at rest density.
fn level_far_away(world: &FluidWorld, counts: impl Fn(ClassId) -> bool) -> f64 {
    let (near, far) = (4.0 * HALF_SIZE.x, 9.0 * HALF_SIZE.x);
    let particles = world.particles();
    let places = particles.positions().iter().zip(particles.classes());
    let found =
        places.filter(|(at, class)| at.x.abs() > near && at.x.abs() < far && counts(**class));
    let area = f64::from(world.parameters().particle_spacing).powi(2);
    found.count() as f64 * area / f64::from(2.0 * (far - near))
}

/// How much deeper than by Archimedes' principle a box floats, over its height.
fn draught(density: f32) -> f64 {
    let height = 2.0 * HALF_SIZE.y;
    let mut world = tank(density, DEPTH - density * height + 4.0, |_| ClassId::MEDIUM);
    let gap = f64::from(0.5 * world.parameters().particle_spacing);
    let bottom = bottom_after(&mut world, 10.0);
    let found = level_far_away(&world, |_| true) - (bottom - gap);
    let expected = f64::from(density) * (f64::from(height) + 2.0 * gap);
    ((found - expected) / f64::from(height)).abs()
}

fn height_of_a_stone() -> f64 {
    let mut world = tank(2.0, 0.4 * DEPTH, |_| ClassId::MEDIUM);
    bottom_after(&mut world, 10.0) / f64::from(world.parameters().particle_spacing)
}

/// How far the interface of two liquids is from the middle of a box whose density is half way between
/// theirs, over its height.
fn between_two_liquids() -> f64 {
    let heavy = |height: f32| height < 0.5 * DEPTH;
    let class = |height| if heavy(height) { ClassId::HEAVY } else { ClassId::MEDIUM };
    let classes = FluidWorld::default();
    let mass = |class: ClassId| classes.classes()[class].mass;
    let density = 0.5 * (mass(ClassId::HEAVY) + mass(ClassId::MEDIUM));
    let mut world = tank(density, 0.5 * DEPTH - HALF_SIZE.y, class);
    let bottom = bottom_after(&mut world, 10.0);
    let interface = level_far_away(&world, |class| class == ClassId::HEAVY);
    let height = f64::from(2.0 * HALF_SIZE.y);
    ((interface - bottom) / height - 0.5).abs()
}

/// Error of the momentum of a body and a blob that hits it while both fall, over the sum of the
/// impulses that they have exchanged.
fn momentum_in_a_splash() -> f64 {
    let undamped = FluidParameters { settling: Settling::OFF, ..FluidParameters::default() };
    let mut world = FluidWorld::new(undamped).expect("valid");
    let spacing = world.parameters().particle_spacing;
    for position in (FluidShape::Circle { radius: 60.0 }).fill(Vec2::ZERO, spacing) {
        let velocity = Vec2::new(300.0, 40.0);
        world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
    }
    let shape = FluidShape::Rectangle { half_size: Vec2::new(12.0, 30.0) };
    let body = Body::of_density(0.5, &shape, spacing).expect("valid");
    let options = ColliderOptions { body: Some(body), ..Default::default() };
    let collider = Collider::new(shape, Vec2::new(90.0, 15.0), Vec2::X);
    let id = world.insert_collider(
        collider.and_then(|collider| collider.with_options(options)).expect("valid"),
    );
    let gravity = world.parameters().gravity.as_dvec2();
    let momentum = |world: &FluidWorld| {
        let body_velocity = world.collider(id).expect("there").motion().velocity.as_dvec2();
        let liquid_momentum: DVec2 =
            world.particles().velocities().iter().map(|v| v.as_dvec2()).sum();
        let mass = f64::from(body.mass) + world.particles().len() as f64;
        body_velocity * f64::from(body.mass) + liquid_momentum - gravity * (mass * world.time())
    };
    let before = momentum(&world);
    let mut exchanged = 0.0;
    run_until(&mut world, 1.5, |world| {
        exchanged += f64::from(world.load_on(id).expect("there").impulse.length());
    });
    (momentum(&world) - before).length() / exchanged
}
