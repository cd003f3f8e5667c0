//! No liquid leaks from drums whose walls are several colliders that turn and shake together.

use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::{Collider, ColliderId, FluidParameters, FluidShape, ParticleSpawn};
use glam::Vec2;

use crate::adapter::{device, on};
use crate::liquids::{TICK, world};
use crate::solids::positions;

/// How a drum moves: its greatest speed along x, in particle spacings per tick, and its angular
/// velocity, in radians/s.
#[derive(Clone, Copy, Debug)]
struct Moves {
    shaking: f32,
    turning: f32,
}

/// Angular frequency of shaking, in radians/s.
const SHAKING: f32 = 6.0;

impl Moves {
    fn pose(self, ticks: u32) -> (Vec2, Vec2) {
        let time = ticks as f32 * TICK;
        let farthest = self.shaking * 8.0 / (TICK * SHAKING);
        let swing = |rate: f32| Vec2::from_angle(SHAKING * rate * time).y;
        let centre = Vec2::new(swing(1.0), 0.3 * swing(1.7)) * farthest;
        (centre, Vec2::from_angle(self.turning * time))
    }
}

/// A drum of walls at places relative to it, each with its inner side to its left, around a distance
/// of 70 from its centre; and the corners of its inside.
fn drum(count: u32, wall: impl Fn(f32) -> (FluidShape, f32)) -> (Vec<Collider>, Vec<Vec2>) {
    let half_angle = std::f32::consts::PI / count as f32;
    let corner = Vec2::from_angle(half_angle);
    let (shape, depth) = wall(70.0 * corner.y / corner.x);
    let direction = |index: u32| Vec2::from_angle(2.0 * half_angle * index as f32);
    let walls = (0..count).map(|index| {
        let rotation = direction(index);
        Collider::new(shape.clone(), rotation * (70.0 + depth), rotation).expect("valid")
    });
    let corners = (0..count).map(|index| (corner * (70.0 / corner.x)).rotate(direction(index)));
    (walls.collect(), corners.collect())
}

#[test]
fn drums_that_turn_and_shake_hold() {
    let Some(both) = device() else { return };
    let rectangles = |count, half: f32| {
        drum(count, |length| (FluidShape::Rectangle { half_size: Vec2::new(half, length) }, half))
    };
    let capsules = |count| {
        drum(count, |length| (FluidShape::Capsule { half_length: length, radius: 8.0 }, 0.0))
    };
    let lines = |count| {
        drum(count, |length| {
            let ends = [Vec2::new(0.0, -length), Vec2::new(0.0, length)];
            (FluidShape::Polyline(Polyline::new(ends, 0.0).expect("a line")), 0.0)
        })
    };
    let polygons = |count, thickness: f32| {
        drum(count, |length| {
            let outer = length * (1.0 + thickness / 70.0);
            let corners = [(0.0, -length), (thickness, -outer), (thickness, outer), (0.0, length)];
            (FluidShape::Polygon(Polygon::new(corners.map(Vec2::from)).expect("corners")), 0.0)
        })
    };
    let drums = [
        ("rectangles", rectangles(3, 4.0)),
        ("rectangles", rectangles(12, 4.0)),
        ("capsules", capsules(3)),
        ("lines", lines(3)),
        ("lines", lines(12)),
        ("polygons", polygons(5, 8.0)),
    ];
    for (name, (walls, inside)) in drums {
        for (shaking, turning) in [(0.0, 4.0), (0.0, 20.0), (5.0, 0.0), (5.0, 20.0)] {
            let moves = Moves { shaking, turning };
            let inside = FluidShape::Polygon(Polygon::new(inside.clone()).expect("corners"));
            let filled_part = inside.scaled(Vec2::splat(0.8));
            let mut world = world(FluidParameters::default());
            for position in filled_part.fill(Vec2::ZERO, 8.24).filter(|p| p.y < 0.0) {
                world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
            }
            let ids: Vec<ColliderId> =
                walls.iter().map(|wall| world.insert_collider(wall.clone())).collect();
            let mut gpu = on(&both, &world);
            assert!(gpu.len() > 50);
            const TICKS: u32 = 240;
            for tick in 1..=TICKS {
                let (centre, rotation) = moves.pose(tick);
                for (wall, id) in walls.iter().zip(&ids) {
                    let centre = centre + rotation.rotate(wall.centre());
                    let rotation = rotation.rotate(wall.rotation());
                    let collider = world.collider(*id).expect("there");
                    let motion = collider.motion_to(centre, rotation, TICK);
                    world.set_collider_motion(*id, motion).expect("valid");
                }
                gpu.step(world.liquid_mut(), TICK).expect("valid");
            }
            let (centre, rotation) = moves.pose(TICKS);
            let back = Vec2::new(rotation.x, -rotation.y);
            let is_out = |p: &&Vec2| inside.distance((**p - centre).rotate(back)) > 0.08;
            let after = positions(&gpu);
            let out = after.iter().filter(is_out).count();
            println!("{name}, {} walls, {moves:?}: {out} out", walls.len());
            assert_eq!((out, after.len()), (0, gpu.len()), "{name}, {moves:?}");
        }
    }
}
