//! A dam has given way above a harbour.

use bevy::prelude::*;
use bevy_blob_fluid::FluidFoamSettings;
use bevy_blob_fluid::prelude::*;

use super::super::{Painter, Part, Showpiece, Silhouette};

pub const PIECE: Showpiece = Showpiece {
    name: "harbour",
    view: Rect { min: Vec2::new(-580.0, -454.0), max: Vec2::new(660.0, 244.0) },
    vignette: 0.4,
    surface: || FluidSurface::from(FLOOD),
    foam: FluidFoamSettings { speed: 110.0, impact: 0.6, half_life: 1.4, bubbles: 0.0 },
    solids: &[QUAY, RED, GREEN, CRATE, CRATE, CRATE, CRATE, CRATE, CASK, CASK, CASK],
    bodies: &[BOAT, SMALL_BOAT, BOARDS, BOARDS, BOARDS, BOARDS, BOARDS],
    backdrop,
    ..Showpiece::PLAIN
};

const QUAY: Color = Color::srgb(0.25, 0.20, 0.22);
const RED: Color = Color::srgb(0.55, 0.15, 0.13);
const GREEN: Color = Color::srgb(0.14, 0.34, 0.30);
const CRATE: Color = Color::srgb(0.55, 0.34, 0.17);
const CASK: Color = Color::srgb(0.42, 0.24, 0.13);
const CLOTH: Color = Color::srgb(0.98, 0.88, 0.72);
const WOOD: Color = Color::srgb(0.26, 0.16, 0.11);

const BOARDS: &[Part] = &[
    (&[(-21.0, 14.0), (21.0, 14.0), (21.0, 21.0), (-21.0, 21.0)], Color::srgb(0.70, 0.47, 0.25)),
    (&[(-21.0, -3.0), (21.0, -3.0), (21.0, 2.0), (-21.0, 2.0)], WOOD),
    (&[(-21.0, -21.0), (21.0, -21.0), (21.0, -16.0), (-21.0, -16.0)], WOOD),
];
const BOAT: &[Part] = &[
    (&[(-97.2, 32.4), (-90.7, 18.4), (104.8, 18.4), (118.8, 32.4)], CLOTH),
    (&[(-4.3, 32.4), (2.2, 32.4), (2.2, 253.8), (-4.3, 253.8)], WOOD),
    (&[(8.6, 49.7), (105.8, 56.2), (8.6, 244.1)], CLOTH),
    (&[(-10.8, 49.7), (-10.8, 211.7), (-82.1, 58.3)], Color::srgb(0.79, 0.56, 0.42)),
    // Planks, and the boom.
    (&[(-78.0, 6.0), (-76.0, 3.0), (94.0, 3.0), (97.0, 6.0)], Color::srgb(0.36, 0.09, 0.09)),
    (
        &[(-68.0, -13.0), (-66.0, -16.0), (80.0, -16.0), (82.0, -13.0)],
        Color::srgb(0.36, 0.09, 0.09),
    ),
    (&[(0.0, 44.0), (0.0, 40.0), (110.0, 48.0), (110.0, 52.0)], WOOD),
];
const SMALL_BOAT: &[Part] = &[
    (&[(-75.0, 25.0), (-70.0, 13.8), (82.5, 13.8), (92.5, 25.0)], CLOTH),
    (&[(-3.8, 25.0), (2.5, 25.0), (2.5, 200.0), (-3.8, 200.0)], WOOD),
    (&[(7.5, 37.5), (80.0, 42.5), (7.5, 192.5)], CLOTH),
    (&[(-60.0, 4.0), (-58.0, 1.0), (72.0, 1.0), (74.0, 4.0)], Color::srgb(0.08, 0.22, 0.19)),
];

const FLOOD: FluidSurfaceLook = FluidSurfaceLook {
    opacity: 0.9,
    rim_light: 0.8,
    sky_color: Color::srgba(1.0, 0.69, 0.40, 0.9),
    depth_color: Color::srgba(0.07, 0.05, 0.19, 0.92),
    depth: 22.0,
    foam_color: Color::srgba(1.0, 0.95, 0.88, 0.9),
    ..FluidSurfaceLook::WATER
};

/// A harbour before the setting sun.
fn backdrop(painter: &mut Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-280.0, rgb(1.0, 0.72, 0.42)),
        (-60.0, rgb(0.97, 0.58, 0.38)),
        (160.0, rgb(0.62, 0.40, 0.46)),
        (450.0, rgb(0.20, 0.22, 0.42)),
    ]);
    painter.glow((-40.0, -40.0), 620.0, rgba(1.0, 0.78, 0.45, 0.6));
    painter.sun((-40.0, -40.0), 60.0, Color::linear_rgb(2.0, 1.2, 0.5));
    painter.ridge(
        Silhouette::Hills,
        [-330.0, 60.0],
        [rgb(0.55, 0.34, 0.42), rgb(0.93, 0.56, 0.40)],
    );
    painter.ridge(
        Silhouette::Hills,
        [-330.0, -70.0],
        [rgb(0.40, 0.24, 0.34), rgb(0.80, 0.45, 0.37)],
    );
    painter.ridge(
        Silhouette::Roofs,
        [-330.0, -150.0],
        [rgb(0.28, 0.17, 0.26), rgb(0.62, 0.34, 0.33)],
    );
    // What is left of the dam.
    let ruin = [
        (-566.0, -400.0),
        (-590.0, 20.0),
        (-612.0, 120.0),
        (-650.0, 196.0),
        (-704.0, 252.0),
        (-1000.0, 252.0),
        (-1000.0, -400.0),
    ];
    painter.shape(&ruin, 0.0, [rgb(0.44, 0.29, 0.31), rgb(0.26, 0.17, 0.24)]);
    for row in 0_u8..8 {
        let (y, shift) = (226.0 - 40.0 * f32::from(row), 30.0 * f32::from(row % 2));
        let joint = [rgba(0.20, 0.12, 0.18, 0.6); 2];
        painter.panel((-840.0, y), (250.0 + 22.0 * f32::from(row), 3.0), joint);
        for column in 0_u8..2 {
            painter.panel(
                (-780.0 + 60.0 * f32::from(column) - shift, y - 20.0),
                (3.0, 40.0),
                joint,
            );
        }
    }
    painter.board((-860.0, 258.0), (300.0, 18.0), rgb(0.52, 0.35, 0.35));
    // The far water.
    painter.panel((0.0, -350.0), (3200.0, 110.0), [rgb(0.72, 0.44, 0.36), rgb(0.14, 0.16, 0.26)]);
    // The path of the sun on it.
    for step in 0_u8..9 {
        let down = f32::from(step);
        let width = 230.0 - 16.0 * down + 34.0 * (2.3 * down).sin();
        let at = (-40.0 + 16.0 * (1.7 * down).sin(), -300.0 - 7.0 * down);
        painter.panel(at, (width, 3.0), [rgba(1.0, 0.82, 0.5, 0.6 - 0.05 * down); 2]);
    }
    // Houses on the quay.
    for (number, (x, width, height)) in
        [(560.0, 120.0, 190.0), (670.0, 104.0, 250.0), (782.0, 124.0, 210.0)]
            .into_iter()
            .enumerate()
    {
        let wall = [rgb(0.34, 0.20, 0.22), rgb(0.40, 0.25, 0.22), rgb(0.30, 0.19, 0.24)][number];
        let (low, high) = (-216.0, -216.0 + height);
        painter.panel((x, 0.5 * (low + high)), (width, height), [wall, wall.darker(0.08)]);
        let (left, right) = (x - 0.5 * width, x + 0.5 * width);
        let roof = [(right + 10.0, high), (x, high + 0.5 * width), (left - 10.0, high)];
        painter.shape(&roof, 0.0, [rgb(0.30, 0.12, 0.12), rgb(0.20, 0.09, 0.11)]);
        for row in 0..(height as i32 - 60) / 60 {
            for side in [-1.0, 1.0] {
                let at = (x + 0.23 * side * width, high - 46.0 - 60.0 * row as f32);
                let lit = (row + number as i32 + side as i32) % 3 != 0;
                let pane =
                    if lit { Color::linear_rgb(1.5, 0.85, 0.30) } else { rgb(0.16, 0.11, 0.15) };
                painter.panel(at, (22.0, 30.0), [pane; 2]);
                painter.panel(at, (2.0, 30.0), [wall; 2]);
            }
        }
    }
    painter.in_front();
    // The ground.
    painter.panel((0.0, -440.0), (3200.0, 80.0), [rgb(0.22, 0.17, 0.19), rgb(0.10, 0.08, 0.11)]);
    // Stones of the quay, and its edge.
    for row in 0_u8..4 {
        for column in 0_u8..8 {
            let shift = 35.0 * f32::from(row % 2);
            let at = (482.0 + 72.0 * f32::from(column) + shift, -250.0 - 38.0 * f32::from(row));
            let shade = 0.012 * f32::from((row * 7 + column * 5) % 4);
            painter.board(at, (68.0, 34.0), rgb(0.27 + shade, 0.20 + shade, 0.23 + shade));
        }
    }
    painter.board((690.0, -222.0), (490.0, 14.0), rgb(0.46, 0.36, 0.34));
}
