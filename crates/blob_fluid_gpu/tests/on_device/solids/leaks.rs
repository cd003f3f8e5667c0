//! No liquid leaks through thin walls, chains, acute corners and stirrers, or during hitches; and faults
//! put into the shaders leak.

use blob_fluid::shape::{DistanceField, Polygon};
use blob_fluid::{Collider, ColliderOptions, FluidShape, Motion};
use blob_fluid_gpu::Shaders;
use glam::Vec2;

use crate::adapter::{device, on, shaders};
use crate::liquids::{assert_found, run};
use crate::solids::{
    below_stirrers, closed, disc, escaped, filled, holds, in_tips, outside, positions, square,
    star, still, stirrers, turning,
};

#[test]
fn a_line_as_thin_as_nothing_holds_a_pool() {
    let ring = square(120.0);
    holds("square", &ring, &[still(closed(&ring, 0.0))], &[(disc(90.0), Vec2::ZERO)]);
}

#[test]
fn a_chain_of_many_short_links_holds_a_pool() {
    let ring = star(90, 130.0, 131.0);
    holds("chain", &ring, &[still(closed(&ring, 0.5))], &[(disc(100.0), Vec2::ZERO)]);
}

fn hollow(ring: &[Vec2]) -> Collider {
    let solid = FluidShape::Polygon(Polygon::new(ring.iter().copied()).expect("a ring"));
    let options = ColliderOptions { inside_out: true, ..Default::default() };
    still(solid).with_options(options).expect("valid")
}

#[test]
fn a_star_holds_liquid_in_its_acute_tips() {
    let ring = star(5, 70.0, 220.0);
    holds("thin star", &ring, &[still(closed(&ring, 0.0))], &in_tips());
    holds("hollow star", &ring, &[hollow(&ring)], &in_tips()[..1]);
}

#[test]
fn stirrers_of_all_kinds_stir_and_let_nothing_out() {
    let ring = square(130.0);
    for (name, shape) in stirrers() {
        // The tips of the fast ones move by more than an interaction radius per tick.
        for speed in [4.0, 25.0] {
            let walls = [still(closed(&ring, 0.0)), turning(shape.clone(), speed)];
            let shaders = shaders();
            let fill = [below_stirrers()];
            let Some(escaped) = escaped(&shaders, &ring, &walls, &fill, 300) else { return };
            println!("{name}, {speed} rad/s: {escaped} out");
            assert_eq!(escaped, 0, "{name}, {speed} rad/s");
        }
    }
}

#[test]
fn a_picture_holds_what_is_drawn_around() {
    // A bowl drawn in pixels, three pixels thick.
    let bowl = |x: usize, y: usize| {
        let offset = Vec2::new(x as f32 - 63.5, y as f32 - 63.5);
        (offset.length() - 60.0).abs() < 1.5 && y > 20
    };
    let bowl = DistanceField::new(128, 128, Vec2::splat(256.0), bowl).expect("valid");
    let ring = star(45, 125.0, 125.0);
    let bowl = still(FluidShape::Field(bowl));
    holds("picture", &ring, &[bowl], &[(disc(70.0), Vec2::new(0.0, -30.0))]);
}

#[test]
fn a_box_of_colliders_that_flies_about_keeps_its_liquid() {
    let Some(both) = device() else { return };
    let ring = square(100.0);
    let mut world = filled(&[(disc(80.0), Vec2::ZERO)]);
    let wall = world.insert_collider(still(closed(&ring, 0.0)));
    let mut gpu = on(&both, &world);
    let all = gpu.len();
    for second in 0..10 {
        // The motion alternates: two interaction radii per tick, and a full turn per second.
        let side = if second % 2 == 0 { 1.0 } else { -1.0 };
        let velocity = Vec2::new(4000.0 * side, 900.0 * side);
        let motion = Motion { velocity, angular_velocity: 6.3 * side };
        assert_eq!(world.set_collider_motion(wall, motion), Ok(true));
        run(&mut gpu, world.liquid_mut(), 60);
        let box_now = world.collider(wall).expect("there");
        let centre = box_now.centre();
        let back = Vec2::new(box_now.rotation().x, -box_now.rotation().y);
        let inside = |p: &&Vec2| (**p - centre).rotate(back).abs().max_element() <= 100.01;
        let kept = positions(&gpu).iter().filter(inside).count();
        assert_eq!(kept, all, "after {second} s at {centre}");
    }
}

#[test]
fn a_hitch_of_a_second_lets_nothing_through() {
    let Some(both) = device() else { return };
    let ring = square(120.0);
    let mut world = filled(&[(disc(90.0), Vec2::ZERO)]);
    world.insert_collider(still(closed(&ring, 0.0)));
    world.insert_collider(turning(stirrers()[0].1.clone(), 5.0));
    let mut gpu = on(&both, &world);
    for _ in 0..12 {
        run(&mut gpu, world.liquid_mut(), 50);
        gpu.step(world.liquid_mut(), 1.0).expect("valid");
        assert_eq!(outside(&positions(&gpu), &ring), 0);
        assert_eq!(positions(&gpu).len(), gpu.len());
    }
}

#[test]
fn faults_in_the_shaders_leak() {
    // A file, what stands there, and what is put instead.
    let faults = [
        // Bodies' motion between two poses is ignored.
        ("solids", "select(body.later, body.earlier, moving)", "body.later"),
        // Nothing is tested anew after a wall.
        ("containment", "_ = stay(particle);\n            continue;", "return;"),
        // Corners have gaps.
        (
            "solids",
            "foot >= -slack && foot <= long + slack",
            "foot > 0.02 * long && foot < 0.98 * long",
        ),
    ];
    // They turn once around in these two seconds.
    let turn = std::f32::consts::PI;
    let (square, star) = (square(130.0), star(5, 70.0, 220.0));
    let paddle = turning(stirrers()[1].1.clone(), 25.0);
    let scenes = [
        (&square, vec![turning(closed(&square, 0.0), turn), paddle], below_stirrers()),
        (&star, vec![turning(closed(&star, 0.0), turn)], in_tips()[0].clone()),
    ];
    let out = |shaders: &Shaders| {
        // The first scene in which some get out is enough.
        let mut each = scenes.iter().map(|(ring, walls, fill)| {
            escaped(shaders, ring, walls, std::slice::from_ref(fill), 120)
        });
        each.find(|out| *out != Some(0)).unwrap_or(Some(0))
    };
    assert!(out(&shaders()).is_none_or(|out| out == 0));
    assert_found(&faults, |shaders| {
        let out = out(shaders)?;
        Some((out > 0, format!("{out} out")))
    });
}
