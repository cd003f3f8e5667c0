//! A ship burns in the rain.

use bevy::prelude::*;
use bevy_blob_fluid::FluidFoamSettings;
use bevy_blob_fluid::prelude::*;

use super::super::{Painter, Part, Showpiece, Silhouette};

pub const PIECE: Showpiece = Showpiece {
    name: "ship",
    view: Rect { min: Vec2::new(-650.0, -426.0), max: Vec2::new(650.0, 306.0) },
    vignette: 0.4,
    surface: || FluidSurface { smoothing: 3.2, ..SEA.into() },
    air: || FluidAirLook {
        smoke: Color::srgb(0.42, 0.38, 0.40),
        light_color: Color::srgb(0.75, 0.45, 0.32),
        ambient: Color::srgb(0.13, 0.14, 0.20),
        light: Vec2::new(0.2, 1.0),
        thickness: 2.8,
        fire: 0.7,
        ..default()
    },
    foam: FluidFoamSettings { speed: 500.0, impact: 6.0, half_life: 0.4, bubbles: 0.0 },
    solids: &[Color::srgb(0.09, 0.055, 0.05)],
    bodies: &[HULL],
    backdrop,
};

const PORT: Color = Color::linear_rgb(2.0, 0.7, 0.1);
const SPAR: Color = Color::srgb(0.06, 0.035, 0.04);
const HULL: &[Part] = &[
    // The stern, the bulwark, and the rail and planks that the fire lights.
    (
        &[(-352.0, 136.0), (-330.0, 60.0), (-190.0, 60.0), (-190.0, 128.0)],
        Color::srgb(0.11, 0.065, 0.05),
    ),
    (
        &[(-330.0, 104.0), (-330.0, 54.0), (340.0, 62.0), (364.0, 110.0)],
        Color::srgb(0.10, 0.06, 0.05),
    ),
    (
        &[(-196.0, 112.0), (-196.0, 103.0), (358.0, 104.0), (364.0, 114.0)],
        Color::srgb(0.48, 0.23, 0.10),
    ),
    (
        &[(-318.0, 30.0), (-316.0, 24.0), (322.0, 28.0), (326.0, 34.0)],
        Color::srgb(0.22, 0.11, 0.07),
    ),
    (&[(-304.0, 0.0), (-302.0, -5.0), (300.0, -5.0), (304.0, 0.0)], Color::srgb(0.17, 0.09, 0.06)),
    // Masts, yards and the bowsprit.
    (&[(-2.0, 70.0), (10.0, 70.0), (7.0, 470.0), (1.0, 470.0)], SPAR),
    (&[(196.0, 72.0), (206.0, 72.0), (204.0, 380.0), (199.0, 380.0)], SPAR),
    (&[(-206.0, 72.0), (-196.0, 72.0), (-199.0, 330.0), (-204.0, 330.0)], SPAR),
    (&[(346.0, 96.0), (354.0, 106.0), (484.0, 172.0), (482.0, 166.0)], SPAR),
    (&[(-112.0, 372.0), (-112.0, 366.0), (126.0, 378.0), (126.0, 384.0)], SPAR),
    (&[(120.0, 300.0), (120.0, 295.0), (286.0, 304.0), (286.0, 309.0)], SPAR),
    // What is left of the sails.
    (
        &[(130.0, 296.0), (276.0, 303.0), (250.0, 210.0), (160.0, 200.0)],
        Color::srgb(0.38, 0.17, 0.11),
    ),
    (&[(20.0, 372.0), (112.0, 376.0), (70.0, 290.0)], Color::srgb(0.30, 0.13, 0.09)),
    // Rigging.
    (&[(4.0, 468.0), (6.0, 468.0), (-196.0, 112.0), (-199.0, 112.0)], SPAR),
    (&[(4.0, 468.0), (6.0, 468.0), (150.0, 108.0), (147.0, 108.0)], SPAR),
    (&[(202.0, 378.0), (204.0, 378.0), (352.0, 110.0), (349.0, 110.0)], SPAR),
    (&[(202.0, 378.0), (204.0, 378.0), (484.0, 170.0), (482.0, 170.0)], SPAR),
    (&[(-202.0, 328.0), (-200.0, 328.0), (-330.0, 134.0), (-333.0, 134.0)], SPAR),
    // Ports, lit from inside.
    (&[(-246.0, 90.0), (-262.0, 90.0), (-262.0, 76.0), (-246.0, 76.0)], PORT),
    (&[(-286.0, 90.0), (-302.0, 90.0), (-302.0, 76.0), (-286.0, 76.0)], PORT),
    (&[(-124.0, 60.0), (-140.0, 60.0), (-140.0, 46.0), (-124.0, 46.0)], PORT),
    (&[(-24.0, 61.0), (-40.0, 61.0), (-40.0, 47.0), (-24.0, 47.0)], PORT),
    (&[(76.0, 62.0), (60.0, 62.0), (60.0, 48.0), (76.0, 48.0)], PORT),
    (&[(176.0, 63.0), (160.0, 63.0), (160.0, 49.0), (176.0, 49.0)], PORT),
    // The sea before the keel.
    (
        &[
            (310.0, 6.0),
            (-308.0, 6.0),
            (-262.0, -46.0),
            (-200.0, -68.0),
            (-60.0, -79.0),
            (60.0, -79.0),
            (180.0, -68.0),
            (250.0, -42.0),
        ],
        Color::srgba(0.05, 0.045, 0.09, 0.88),
    ),
];

const SEA: FluidSurfaceLook = FluidSurfaceLook {
    opacity: 0.7,
    rim_light: 0.7,
    sky_color: Color::srgba(1.0, 0.52, 0.26, 0.75),
    depth_color: Color::srgba(0.005, 0.015, 0.05, 0.9),
    outline_width: 0.0,
    caustics: 0.0,
    foam_color: Color::srgba(0.80, 0.70, 0.66, 0.6),
    ..FluidSurfaceLook::WATER
};

/// A night of clouds, which the fire lights from below.
fn backdrop(painter: &mut Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-300.0, rgb(0.17, 0.13, 0.20)),
        (60.0, rgb(0.075, 0.085, 0.15)),
        (450.0, rgb(0.02, 0.025, 0.055)),
    ]);
    painter.glow((-40.0, -60.0), 860.0, rgba(1.0, 0.40, 0.12, 0.45));
    painter.ridge(
        Silhouette::Hills,
        [-320.0, -205.0],
        [rgb(0.05, 0.05, 0.09), rgb(0.12, 0.09, 0.13)],
    );
    painter.panel((0.0, -375.0), (3200.0, 170.0), [rgb(0.22, 0.11, 0.10), rgb(0.02, 0.025, 0.06)]);
    painter.glow((-30.0, -290.0), 560.0, rgba(1.0, 0.42, 0.12, 0.6));
    painter.in_front();
    // The fire in the waves, and rain.
    for number in 0_u8..46 {
        let part = f32::from(number);
        let down = (0.618 * part).fract();
        let x = -30.0 + (90.0 + 330.0 * down) * (5.7 * part * part).sin();
        let width = (40.0 + 90.0 * down) * (0.7 + 0.3 * (5.1 * part).sin());
        let fire = Color::linear_rgba(3.0, 1.1, 0.25, 0.5 * (1.0 - 0.8 * down));
        painter.panel((x, -372.0 - 54.0 * down), (width, 2.5), [fire; 2]);
    }
    for number in 0_u8..150 {
        let part = f32::from(number);
        let at = Vec2::new(
            1300.0 * (0.618 * part).fract() - 650.0,
            740.0 * (0.414 * part).fract() - 300.0,
        );
        let fall = Vec2::new(-0.19, -0.98) * (26.0 + 22.0 * (0.732 * part).fract());
        let corners = [at, at + Vec2::X * 1.6, at + fall + Vec2::X * 1.6, at + fall]
            .map(|corner| (corner.x, corner.y));
        painter.shape(&corners, 0.0, [rgba(0.72, 0.77, 0.88, 0.05), rgba(0.72, 0.77, 0.88, 0.26)]);
    }
}
