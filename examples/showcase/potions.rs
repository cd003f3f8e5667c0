//! A vial pours its elixir into a vessel on an alchemist's shelf. Some potions glow.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::super::{Painter, Showpiece};

pub const PIECE: Showpiece = Showpiece {
    name: "potions",
    surface: || {
        let surface = FluidSurface { smoothing: 2.6, ..POTION.into() };
        // The deep of a potion that glows is brighter than white; that of another is dark.
        let deep = [
            ("elixir", Color::linear_rgba(0.04, 1.9, 0.9, 0.7), 30.0),
            ("ember", Color::linear_rgba(2.6, 0.5, 0.03, 0.7), 30.0),
            ("frost", Color::linear_rgba(0.05, 0.7, 2.3, 0.7), 30.0),
            ("dusk", Color::srgba(0.16, 0.04, 0.43, 0.85), 22.0),
            ("rose", Color::srgba(0.48, 0.02, 0.16, 0.85), 22.0),
            ("amber", Color::srgba(0.66, 0.35, 0.0, 0.85), 22.0),
        ];
        deep.into_iter().fold(surface, |surface, (name, depth_color, depth)| {
            surface.with_look(name, FluidSurfaceLook { depth_color, depth, ..POTION })
        })
    },
    solids: &[Color::srgb(0.25, 0.14, 0.09), GLASS, GLASS, GLASS, GLASS, GLASS, GLASS],
    backdrop,
    ..Showpiece::PLAIN
};

const GLASS: Color = Color::srgba(0.86, 0.95, 1.0, 0.24);

/// Position of the candle on the shelf.
const CANDLE: f32 = 650.0;

const POTION: FluidSurfaceLook = FluidSurfaceLook {
    opacity: 0.82,
    rim_light: 0.7,
    specular: 0.9,
    gloss: 0.85,
    refraction: 1.0,
    caustics: 0.12,
    foam_color: Color::NONE,
    ..FluidSurfaceLook::WATER
};

/// A dark room of bricks, old bottles far behind, and the light of the potions on the wall.
fn backdrop(painter: &mut Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[(-280.0, rgb(0.10, 0.06, 0.08)), (450.0, rgb(0.035, 0.03, 0.06))]);
    for row in -9_i8..10 {
        for column in -9_i8..10 {
            let shift = if row % 2 == 0 { 0.0 } else { 50.0 };
            let shade = 0.02 * f32::from((row * 7 + column * 5).rem_euclid(4));
            let at = (100.0 * f32::from(column) + shift, 50.0 * f32::from(row));
            painter.board(at, (96.0, 46.0), rgb(0.13 + shade, 0.09 + 0.7 * shade, 0.11 + shade));
        }
    }
    for (x, y, radius, color) in [
        (-590.0, -140.0, 420.0, rgba(0.15, 0.55, 1.0, 0.55)),
        (-330.0, -140.0, 420.0, rgba(1.0, 0.42, 0.10, 0.55)),
        (-310.0, 250.0, 380.0, rgba(0.10, 1.0, 0.65, 0.45)),
        (30.0, -150.0, 420.0, rgba(0.45, 0.15, 0.95, 0.35)),
    ] {
        painter.glow((x, y), radius, color);
    }
    // An upper shelf in the dark: jars, books, and a candle.
    let dark = [rgb(0.085, 0.055, 0.060), rgb(0.050, 0.034, 0.042)];
    let gleam = [rgba(1.0, 0.69, 0.38, 0.75), rgba(1.0, 0.55, 0.25, 0.12)];
    painter.glow((CANDLE, 300.0), 520.0, rgba(1.0, 0.62, 0.25, 0.42));
    for (x, width, height) in [(290.0, 74.0, 120.0), (372.0, 58.0, 90.0), (760.0, 84.0, 130.0)] {
        painter.shape(&rectangle(x, 158.0, width, height), 16.0, dark);
        painter.shape(&rectangle(x, 156.0 + height, 0.5 * width, 20.0), 3.0, dark);
        // The candle lights the edge towards it.
        let edge = x + (0.5 * width - 4.0) * (CANDLE - x).signum();
        painter.shape(&rectangle(edge, 174.0, 3.0, height - 32.0), 1.5, gleam);
    }
    for (x, height) in [(440.0, 120.0), (468.0, 134.0), (496.0, 112.0), (524.0, 128.0)] {
        painter.shape(&rectangle(x, 158.0, 25.0, height), 2.0, [rgb(0.13, 0.07, 0.06), dark[1]]);
        painter.shape(&rectangle(x + 10.5, 160.0, 2.0, height - 4.0), 1.0, gleam);
    }
    painter.board((520.0, 148.0), (600.0, 20.0), rgb(0.17, 0.095, 0.065));
    painter.shape(
        &rectangle(CANDLE, 158.0, 30.0, 84.0),
        4.0,
        [rgb(0.95, 0.80, 0.58), rgb(0.50, 0.33, 0.22)],
    );
    painter.glow((CANDLE, 266.0), 90.0, rgba(1.0, 0.66, 0.25, 0.9));
    let flame = [(659.0, 262.0), (651.0, 292.0), (642.0, 262.0), (650.0, 250.0)];
    painter.shape(
        &flame,
        5.0,
        [Color::linear_rgb(5.0, 2.6, 0.7), Color::linear_rgb(3.0, 1.1, 0.2)],
    );
    // The shelf.
    painter.panel((0.0, -380.0), (3200.0, 180.0), [rgb(0.13, 0.07, 0.055), rgb(0.05, 0.03, 0.03)]);
    for number in -2_i8..=2 {
        let x = 330.0 * f32::from(number);
        painter.board((x, -372.0), (300.0, 116.0), rgb(0.17, 0.09, 0.065));
        painter.board((x, -372.0), (270.0, 90.0), rgb(0.14, 0.075, 0.055));
        painter.disc((x, -372.0), 9.0, rgb(0.42, 0.28, 0.14));
        painter.disc((x - 2.0, -369.0), 4.0, rgb(0.72, 0.54, 0.30));
    }
    painter.in_front();
    painter.board((0.0, -272.0), (3200.0, 10.0), rgb(0.42, 0.25, 0.15));
    // Their light on its edge.
    for (x, color) in [
        (-590.0, rgba(0.2, 0.6, 1.0, 0.5)),
        (-330.0, rgba(1.0, 0.5, 0.15, 0.5)),
        (30.0, rgba(0.5, 0.3, 1.0, 0.4)),
        (355.0, rgba(1.0, 0.2, 0.4, 0.3)),
        (590.0, rgba(1.0, 0.7, 0.2, 0.25)),
    ] {
        let light = [
            (0.0, color),
            (70.0, color.with_alpha(0.5 * color.alpha())),
            (190.0, color.with_alpha(0.0)),
        ];
        painter
            .halo(Vec2::ZERO, &light)
            .insert(Transform::from_xyz(x, -276.0, 6.5).with_scale(Vec3::new(1.0, 0.14, 1.0)));
    }
    // Light of a window on the glass.
    let gleam = [rgba(1.0, 1.0, 1.0, 0.50), rgba(1.0, 1.0, 1.0, 0.06)];
    for (x, low, high, width) in [
        (-388.0, -230.0, -60.0, 12.0),
        (-366.0, -220.0, -80.0, 4.0),
        (518.0, -226.0, -90.0, 13.0),
        (544.0, -216.0, -110.0, 4.0),
        (-614.0, 0.0, 44.0, 6.0),
        (340.0, -76.0, -36.0, 5.0),
        (-22.0, 52.0, 98.0, 8.0),
    ] {
        painter.shape(&[(x + width, high), (x, high), (x, low), (x + width, low)], 3.0, gleam);
    }
    painter.shape(&[(-46.0, 30.0), (-58.0, 30.0), (-150.0, -170.0), (-134.0, -170.0)], 4.0, gleam);
    for (x, y, size) in [(-662.0, -84.0, 1.0), (304.0, -128.0, 0.72), (-362.0, 300.0, 0.66)] {
        let corners = [
            (-14.0, 26.0),
            (-26.0, 8.0),
            (-30.0, -16.0),
            (-20.0, -12.0),
            (-12.0, 6.0),
            (2.0, 26.0),
        ];
        painter.shape(&corners.map(|(right, up)| (x + size * right, y + size * up)), 3.0, gleam);
    }
    // The stand that holds the vial.
    let brass = rgb(0.62, 0.42, 0.20);
    painter.board((-452.0, 30.0), (12.0, 600.0), brass.darker(0.1));
    painter.board((-452.0, -266.0), (110.0, 14.0), brass.darker(0.15));
    painter.board((-424.0, 256.0), (64.0, 10.0), brass);
    painter.board((-396.0, 256.0), (16.0, 44.0), brass.lighter(0.05));
}

/// The corners of a rectangle on a shelf.
fn rectangle(x: f32, bottom: f32, width: f32, height: f32) -> [(f32, f32); 4] {
    let (left, right, top) = (x - 0.5 * width, x + 0.5 * width, bottom + height);
    [(right, top), (left, top), (left, bottom), (right, bottom)]
}
