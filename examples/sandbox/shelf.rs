//! The shelf below the box: a chip for each material, with its key and its name.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::super::{chip_mesh, label};

/// Names and keys. What is no material of the project is a brush of its own.
pub const CHIPS: [(&str, KeyCode, &str); 21] = [
    ("water", KeyCode::Digit1, "1"),
    ("oil", KeyCode::Digit2, "2"),
    ("honey", KeyCode::Digit3, "3"),
    ("lava", KeyCode::Digit4, "4"),
    ("slime", KeyCode::Digit5, "5"),
    ("jelly", KeyCode::Digit6, "6"),
    ("mud", KeyCode::Digit7, "7"),
    ("mercury", KeyCode::Digit8, "8"),
    ("sand", KeyCode::Digit9, "9"),
    ("gravel", KeyCode::Digit0, "0"),
    ("snow", KeyCode::KeyQ, "Q"),
    ("ash", KeyCode::KeyW, "W"),
    ("coal", KeyCode::KeyE, "E"),
    ("wood", KeyCode::KeyT, "T"),
    ("ice", KeyCode::KeyY, "Y"),
    ("glass", KeyCode::KeyU, "U"),
    ("stone", KeyCode::KeyI, "I"),
    ("steam", KeyCode::KeyO, "O"),
    ("smoke", KeyCode::KeyP, "P"),
    (FIRE, KeyCode::KeyF, "F"),
    (WALL, KeyCode::KeyG, "G"),
];
pub const FIRE: &str = "fire";
pub const WALL: &str = "wall";
/// Width of a chip with its gap, and the height of its middle, in world units.
const STEP: f32 = 59.0;
const ROW: f32 = -301.0;

/// The chip of a number in [`CHIPS`].
#[derive(Component)]
pub struct Chip(usize);

/// Marks the frame around the chosen chip.
#[derive(Component)]
pub struct Frame;

/// Where a chip is.
pub fn place(number: usize) -> Vec2 {
    Vec2::new(STEP * (number as f32 - 0.5 * (CHIPS.len() - 1) as f32), ROW)
}

/// The chip at a point.
pub fn chip_at(point: Vec2) -> Option<usize> {
    let nearby = |number: &usize| (point.x - place(*number).x).abs() < 0.5 * STEP;
    (0..CHIPS.len()).find(nearby).filter(|_| (point.y - ROW).abs() < 60.0)
}

pub fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let size = Vec2::new(STEP - 13.0, 40.0);
    let shadow = materials.add(Color::srgba(0.05, 0.02, 0.01, 0.4));
    let plain = meshes.add(Rectangle::from_size(size));
    let board = meshes.add(chip_mesh(size));
    let frame = meshes.add(chip_mesh(size + 10.0));
    for (number, (name, _, key)) in CHIPS.into_iter().enumerate() {
        let at = |x: f32, y: f32, depth: f32| {
            Transform::from_translation((place(number) + Vec2::new(x, y)).extend(depth))
        };
        commands.spawn((Mesh2d(plain.clone()), MeshMaterial2d(shadow.clone()), at(3.0, -4.0, 6.0)));
        let color = match name {
            FIRE => Color::srgb(1.0, 0.55, 0.10),
            WALL => Color::srgb(0.47, 0.40, 0.36),
            _ => Color::WHITE,
        };
        commands.spawn((
            Chip(number),
            Mesh2d(board.clone()),
            MeshMaterial2d(materials.add(color)),
            at(0.0, 0.0, 6.2),
        ));
        let small = Vec3::splat(0.5);
        let cream = Color::srgb(0.98, 0.91, 0.78);
        commands.spawn((label(name, 12.0, cream), at(0.0, -36.0, 6.4).with_scale(small)));
        let dark = Color::srgba(0.08, 0.04, 0.03, 0.75);
        commands.spawn((label(key, 11.0, dark), at(-13.0, 9.0, 6.4).with_scale(small)));
    }
    let gold = materials.add(Color::srgb(1.0, 0.80, 0.36));
    let at = Transform::from_translation(place(0).extend(6.1));
    commands.spawn((Frame, Mesh2d(frame), MeshMaterial2d(gold), at));
}

/// Gives the chips the colours of their materials.
pub fn color(
    classes: Res<FluidClasses>,
    chips: Query<(&Chip, &MeshMaterial2d<ColorMaterial>)>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    for (chip, handle) in &chips {
        let class = classes.find(CHIPS[chip.0].0).and_then(|id| classes.get(id));
        if let (Some(class), Some(mut material)) = (class, materials.get_mut(&handle.0)) {
            let [red, green, blue, _] = class.color;
            material.color = Color::srgb(red, green, blue);
        }
    }
}
