//! No liquid leaks from drums whose walls are several colliders that turn and shake together, nor
//! through walls that are replaced by nearly the same walls.

use std::f32::consts::{PI, TAU};

use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::{
    Collider, ColliderId, FluidShape, FluidWorld, Motion, ParticleSpawn, SerialExecutor,
};
use glam::Vec2;

use crate::pools::spacing;
use crate::ticks::TICK;

/// Twenty seconds.
const TICKS: u32 = 1200;

/// Distance from a drum's centre to the middle of a wall's inner side.
const RADIUS: f32 = 70.0;

/// Angular frequency of shaking, in radians/s.
const SHAKING: f32 = 6.0;

/// A wall of a drum, with the inner side to its left, at a place relative to the drum.
struct Wall {
    shape: FluidShape,
    centre: Vec2,
    rotation: Vec2,
}

/// A drum: its walls, and the corners of its inside.
struct Drum {
    walls: Vec<Wall>,
    inside: Polygon,
}

/// How a drum moves: its greatest speed along x, in particle spacings per tick, and its angular
/// velocity, in radians/s.
#[derive(Clone, Copy, Debug)]
struct Moves {
    shaking: f32,
    turning: f32,
}

impl Moves {
    const ALL: [Self; 4] = [
        Self { shaking: 0.0, turning: 4.0 },
        Self { shaking: 0.0, turning: 20.0 },
        Self { shaking: 5.0, turning: 0.0 },
        Self { shaking: 5.0, turning: 20.0 },
    ];

    /// Centre and rotation of the drum after a number of ticks.
    fn pose(self, ticks: u32) -> (Vec2, Vec2) {
        let time = ticks as f32 * TICK;
        let farthest = self.shaking * spacing() / (TICK * SHAKING);
        let swing = |rate: f32| Vec2::from_angle((SHAKING * rate * time) % TAU).y;
        let centre = Vec2::new(swing(1.0), 0.3 * swing(1.7)) * farthest;
        (centre, Vec2::from_angle((self.turning * time) % TAU))
    }
}

fn polygon(corners: impl IntoIterator<Item = (f32, f32)>) -> FluidShape {
    FluidShape::Polygon(Polygon::new(corners.into_iter().map(Vec2::from)).expect("corners"))
}

/// A drum of `count` walls. `wall` makes one from half the length and the thickness of its inner
/// side, and returns it with the distance of its inner side from its centre.
fn drum(count: u32, wall: impl Fn(f32) -> (FluidShape, f32)) -> Drum {
    let half_angle = PI / count as f32;
    let corner = Vec2::from_angle(half_angle);
    let (shape, depth) = wall(RADIUS * corner.y / corner.x);
    let direction = |index: u32| Vec2::from_angle(2.0 * half_angle * index as f32);
    let walls = (0..count).map(|index| {
        let rotation = direction(index);
        Wall { shape: shape.clone(), centre: rotation * (RADIUS + depth), rotation }
    });
    let corners = (0..count).map(|index| (corner * (RADIUS / corner.x)).rotate(direction(index)));
    Drum { walls: walls.collect(), inside: Polygon::new(corners).expect("corners") }
}

/// Walls that touch at their inner edges.
fn rectangles(count: u32, thickness: f32) -> Drum {
    let half = 0.5 * thickness;
    drum(count, |length| (FluidShape::Rectangle { half_size: Vec2::new(half, length) }, half))
}

/// Convex pieces that touch along whole edges.
fn mitred(count: u32, thickness: f32) -> Drum {
    drum(count, |length| {
        let outer = length * (1.0 + thickness / RADIUS);
        let corners = [(0.0, -length), (thickness, -outer), (thickness, outer), (0.0, length)];
        (polygon(corners), 0.0)
    })
}

/// Capsules that overlap. The liquid stays inside of their axes.
fn capsules(count: u32) -> Drum {
    drum(count, |length| (FluidShape::Capsule { half_length: length, radius: spacing() }, 0.0))
}

/// Lines without a thickness, whose ends touch.
fn lines(count: u32) -> Drum {
    drum(count, |length| {
        let ends = [Vec2::new(0.0, -length), Vec2::new(0.0, length)];
        (FluidShape::Polyline(Polyline::new(ends, 0.0).expect("a line")), 0.0)
    })
}

/// One closed line without a thickness.
fn closed_line(count: u32) -> Drum {
    let inside = lines(count).inside;
    let ring = &inside.rings()[0];
    let line = Polyline::new(ring.iter().chain(&ring[..1]).copied(), 0.0).expect("a line");
    let (centre, rotation) = (Vec2::ZERO, Vec2::X);
    Drum { walls: vec![Wall { shape: FluidShape::Polyline(line), centre, rotation }], inside }
}

/// A box of four that stand on each other, with a floor of six polygons.
fn tiled_box() -> Drum {
    let (half, thickness) = (Vec2::new(90.0, 60.0), 2.0 * spacing());
    let block = |low: Vec2, high: Vec2| {
        let (centre, half) = (0.5 * (low + high), 0.5 * (high - low));
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let shape = polygon(corners.map(|(x, y)| (x * half.x, y * half.y)));
        Wall { shape, centre, rotation: Vec2::X }
    };
    let outer = half + thickness;
    let tile = |index: u32| {
        let x = |index: u32| -outer.x + index as f32 * outer.x / 3.0;
        block(Vec2::new(x(index), -outer.y), Vec2::new(x(index + 1), -half.y))
    };
    let others = [
        block(Vec2::new(-outer.x, half.y), outer),
        block(Vec2::new(-outer.x, -half.y), Vec2::new(-half.x, half.y)),
        block(Vec2::new(half.x, -half.y), Vec2::new(outer.x, half.y)),
    ];
    let ring = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let inside = Polygon::new(ring.map(|(x, y)| Vec2::new(x, y) * half)).expect("corners");
    Drum { walls: (0..6).map(tile).chain(others).collect(), inside }
}

/// Half fills a drum and moves it for twenty seconds. All liquid must then be inside. With `replaced`
/// every wall is replaced before every tick by a new one that stands where it should be by now.
fn holds(name: &str, drum: &Drum, moves: Moves, replaced: bool) {
    let mut world = FluidWorld::default();
    let inside = FluidShape::Polygon(drum.inside.clone());
    let filled = inside.scaled(Vec2::splat(0.8));
    for position in filled.fill(Vec2::ZERO, 1.03 * spacing()) {
        if position.y < 0.0 {
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
        }
    }
    let all = world.particles().len();
    assert!(all > 50, "{name}: {all}");
    let place = |wall: &Wall, ticks: u32| {
        let (centre, rotation) = moves.pose(ticks);
        (centre + rotation.rotate(wall.centre), rotation.rotate(wall.rotation))
    };
    let stand = |wall: &Wall, ticks: u32| {
        let (centre, rotation) = place(wall, ticks);
        Collider::new(wall.shape.clone(), centre, rotation).expect("valid")
    };
    let ids: Vec<ColliderId> =
        drum.walls.iter().map(|wall| world.insert_collider(stand(wall, 0))).collect();
    for tick in 0..TICKS {
        for (wall, id) in drum.walls.iter().zip(&ids) {
            if replaced {
                world.set_collider(*id, stand(wall, tick));
            }
            let (centre, rotation) = place(wall, tick + 1);
            let motion: Motion =
                world.collider(*id).expect("there").motion_to(centre, rotation, TICK);
            world.set_collider_motion(*id, motion).expect("valid");
        }
        world.step(TICK, &SerialExecutor).expect("valid");
    }
    let (centre, rotation) = moves.pose(TICKS);
    let back = Vec2::new(rotation.x, -rotation.y);
    let is_out = |p: &&Vec2| inside.distance((**p - centre).rotate(back)) > 0.01 * spacing();
    let out = world.particles().positions().iter().filter(is_out).count();
    let lost = all - world.particles().len();
    assert_eq!((out, lost, world.quarantined()), (0, 0, 0), "{name}, {moves:?}");
}

/// Tries drums of 3 to 12 walls with all motions.
fn all_hold(name: &str, counts: &[u32], of: impl Fn(u32) -> Drum) {
    for count in counts {
        for moves in Moves::ALL {
            holds(&format!("{name}, {count} walls"), &of(*count), moves, false);
        }
    }
}

#[test]
fn drums_of_rectangles_hold() {
    all_hold("thick", &[3, 4, 5], |count| rectangles(count, 2.0 * spacing()));
    all_hold("thin", &[3, 4, 12], |count| rectangles(count, spacing()));
}

#[test]
fn drums_of_polygons_hold() {
    all_hold("thick", &[3, 4, 12], |count| mitred(count, 2.0 * spacing()));
    all_hold("thin", &[5, 8], |count| mitred(count, spacing()));
}

#[test]
fn drums_of_capsules_and_lines_hold() {
    all_hold("capsules", &[3, 7], capsules);
    all_hold("lines", &[3, 4, 12], lines);
    all_hold("closed line", &[3, 4], closed_line);
}

#[test]
fn a_floor_of_polygons_and_walls_that_stand_on_it_hold() {
    for moves in Moves::ALL {
        holds("tiled box", &tiled_box(), moves, false);
    }
}

#[test]
fn walls_that_are_replaced_by_themselves_hold() {
    for moves in Moves::ALL {
        holds("replaced line", &closed_line(4), moves, true);
        holds("replaced triangle", &lines(3), moves, true);
        holds("replaced rectangles", &rectangles(5, spacing()), moves, true);
    }
}
