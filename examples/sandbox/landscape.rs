//! What is in the box at first: a mountain in snow, a sea, a volcano, and bowls above them.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

/// Marks what is removed when the box is cleared.
#[derive(Component)]
pub struct Part;

/// The lowest point of the box, and the level of the sea, in world units.
const FLOOR: f32 = -262.0;
const SEA: f32 = -24.0;
/// Middle of the volcano, and the height of its peak.
const VOLCANO: Vec2 = Vec2::new(440.0, 152.0);
/// Bowls: the middle of the bottom, half the width, the height of the walls, and a hole's half width.
const BOWLS: [(Vec2, f32, f32, f32); 3] = [
    (Vec2::new(-232.0, 168.0), 96.0, 60.0, 10.0),
    (Vec2::new(28.0, 222.0), 84.0, 46.0, 0.0),
    (Vec2::new(232.0, 196.0), 66.0, 0.0, 0.0),
];

/// Caves in the rock: their middles and half sizes.
pub const CAVES: [[Vec2; 2]; 2] = [
    [Vec2::new(-490.0, -176.0), Vec2::new(96.0, 46.0)],
    [Vec2::new(446.0, -176.0), Vec2::new(132.0, 58.0)],
];

/// A round hill around a middle.
fn hill(x: f32, middle: f32, half_width: f32, height: f32) -> f32 {
    let part = ((x - middle) / half_width).abs().min(1.0);
    height * (1.0 - part * part) * (1.0 - 0.35 * part)
}

/// The height of the rock, without the volcano.
fn rock(x: f32) -> f32 {
    let rough = 5.0 * (0.031 * x).sin() + 3.0 * (0.087 * x + 1.0).sin();
    let mountain = hill(x, -500.0, 250.0, 262.0);
    let island = hill(x, 10.0, 90.0, 130.0);
    FLOOR + 22.0 + rough + mountain.max(island)
}

fn volcano(x: f32) -> f32 {
    let side = (x - VOLCANO.x).abs();
    VOLCANO.y - 1.25 * side + 4.0 * (0.11 * x).sin()
}

/// Whether there is rock at a point at first.
pub fn is_rock(at: Vec2) -> bool {
    let from = at - VOLCANO;
    let chamber = (from + Vec2::new(0.0, 96.0)) / Vec2::new(74.0, 88.0);
    let in_chamber = chamber.length() < 1.0 || (from.x.abs() < 44.0 && from.y > -90.0);
    // Its rim is lower on the side of the sea.
    let is_open = in_chamber || (from.x < 0.0 && from.y > -92.0 && from.x > -130.0);
    let in_bowl = BOWLS.iter().any(|(bottom, half, walls, hole)| {
        let from = at - bottom;
        let (aside, up) = (from.x.abs(), from.y);
        let bottom = (-10.0..0.0).contains(&up) && aside < *half && aside >= *hole;
        let wall = (0.0..*walls).contains(&up) && (half - 10.0..*half).contains(&aside);
        bottom || wall
    });
    let in_cave = CAVES.iter().any(|[middle, half]| ((at - *middle) / *half).length() < 1.0);
    (at.y < rock(at.x) && !in_cave) || (at.y < volcano(at.x) && !is_open && !in_cave) || in_bowl
}

/// A band on the rock between two places, with its thickness in the middle.
fn band(from: f32, to: f32, thickness: f32) -> Polygon {
    let at = |part: f32| from + part * (to - from);
    let parts = || (0..=40_u8).map(|number| f32::from(number) / 40.0);
    let top = parts().map(|part| {
        let x = at(part);
        let swell = (4.0 * part * (1.0 - part)).sqrt();
        Vec2::new(x, rock(x) + thickness * swell)
    });
    let below = parts().rev().map(|part| Vec2::new(at(part), rock(at(part)) - 30.0));
    Polygon::new(top.chain(below))
}

/// Fills the box, and opens what goes on pouring for a while.
pub fn pour(mut commands: Commands) {
    let part =
        |material: FluidMadeOf, x: f32, y: f32| (Part, material, Transform::from_xyz(x, y, 0.0));
    // What is spawned last is filled first and keeps its place: the sea takes what is left.
    let block = |width: f32, height: f32| FluidBlob::from(Rectangle::new(width, height));
    let [left, right] = CAVES.map(|[middle, _]| middle);
    let [honey, mercury, slime] = BOWLS.map(|(bottom, ..)| bottom);
    for (blob, material, at) in [
        (block(290.0, 22.0), FluidMadeOf::OIL, Vec2::new(-190.0, SEA + 12.0)),
        (block(600.0, SEA - FLOOR), FluidMadeOf::WATER, Vec2::new(-50.0, 0.5 * (SEA + FLOOR))),
        (block(200.0, 60.0), FluidMadeOf::HONEY, left - Vec2::new(0.0, 20.0)),
        (block(270.0, 60.0), FluidMadeOf::MERCURY, right - Vec2::new(0.0, 32.0)),
        (block(90.0, 50.0), FluidMadeOf::GRAVEL, right + Vec2::new(50.0, 20.0)),
        (block(170.0, 54.0), FluidMadeOf::HONEY, honey + Vec2::new(0.0, 29.0)),
        (block(146.0, 38.0), FluidMadeOf::MERCURY, mercury + Vec2::new(0.0, 21.0)),
        (block(110.0, 60.0), FluidMadeOf::SLIME, slime + Vec2::new(10.0, 32.0)),
        (block(150.0, 132.0), FluidMadeOf::LAVA, VOLCANO - Vec2::new(0.0, 116.0)),
        (block(70.0, 54.0), FluidMadeOf::JELLY, Vec2::new(-60.0, SEA + 10.0)),
        (block(110.0, 26.0), FluidMadeOf::WOOD, Vec2::new(40.0, SEA + 16.0)),
        (block(90.0, 26.0), FluidMadeOf::ICE, Vec2::new(-150.0, SEA - 14.0)),
        (block(80.0, 44.0), FluidMadeOf::ASH, Vec2::new(580.0, 16.0)),
        (block(70.0, 30.0), FluidMadeOf::COAL, Vec2::new(585.0, 56.0)),
        (block(80.0, 44.0), FluidMadeOf::MUD, Vec2::new(-285.0, SEA + 20.0)),
    ] {
        commands.spawn((blob, part(material, at.x, at.y)));
    }
    for (from, to, thickness, material) in [
        (-620.0, -300.0, 78.0, FluidMadeOf::SNOW),
        (-85.0, 300.0, 66.0, FluidMadeOf::SAND),
        (-340.0, -70.0, 52.0, FluidMadeOf::GRAVEL),
    ] {
        commands.spawn((FluidBlob::from(band(from, to, thickness)), part(material, 0.0, 0.0)));
    }
    let down = Quat::from_rotation_z(std::f32::consts::PI);
    for (emitter, material, at) in [
        (
            FluidEmitter::rain(Circle::new(9.0), 240.0).with_limit(1800),
            FluidMadeOf::SAND,
            (142.0, 340.0),
        ),
        (FluidEmitter::pour(24.0, 150.0).with_limit(1500), FluidMadeOf::LAVA, (440.0, 330.0)),
        (
            FluidEmitter::rain(Rectangle::new(250.0, 16.0), 70.0).with_limit(1200),
            FluidMadeOf::SNOW,
            (-490.0, 334.0),
        ),
        (FluidEmitter::pour(22.0, 180.0).with_limit(1200), FluidMadeOf::WATER, (-100.0, 340.0)),
    ] {
        let place = Transform::from_xyz(at.0, at.1, 0.0).with_rotation(down);
        commands.spawn((Part, emitter, material, place));
    }
}
