//! A tower room at night, and everything in it that only looks.

use std::f32::consts::{FRAC_PI_4, PI, TAU};

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;
use example_support::art::Painter;

use super::super::{PIGMENTS, VIEW};
use super::laboratory::{BURNER, CAULDRON, FLASK, Tap, VESSELS, WHISKS, pipes};

pub const IRON: Color = Color::srgb(0.23, 0.23, 0.28);
pub const GLASS: Color = Color::srgba(0.80, 0.91, 0.95, 0.75);
pub const BRASS: Color = Color::srgb(0.80, 0.58, 0.27);
/// Middle of the window.
const MOON: Vec2 = Vec2::new(374.0, 16.0);

pub fn camera(mut commands: Commands) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    let potion = FluidSurfaceLook {
        opacity: 0.97,
        outline_width: 0.18,
        outline_color: Color::srgba(1.0, 1.0, 1.0, 0.25),
        rim_light: 0.5,
        depth_color: Color::srgba(0.02, 0.0, 0.06, 0.4),
        depth: 45.0,
        specular: 0.8,
        gloss: 0.8,
        caustics: 0.35,
        foam_color: Color::srgba(1.0, 1.0, 1.0, 0.35),
        ..FluidSurfaceLook::SOFT
    };
    commands.spawn(FluidSurface::from(potion));
}

/// The part of a tap that turns when it is opened.
#[derive(Component)]
pub struct Handwheel;

/// Gives each tap a handwheel of the colour of its pigment.
pub fn handwheels(
    mut commands: Commands,
    taps: Query<(Entity, &Tap)>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let rim = meshes.add(Annulus::new(17.0, 24.0));
    let spoke = meshes.add(Rectangle::new(40.0, 5.5));
    let hub = meshes.add(Circle::new(7.5));
    let brass = materials.add(BRASS);
    for (entity, tap) in &taps {
        let color = PIGMENTS.get(tap.0).copied().unwrap_or(Color::srgb(0.92, 0.88, 0.80));
        let paint = materials.add(color);
        for (mesh, material, turn, depth) in [
            (&spoke, &paint, FRAC_PI_4, 7.5),
            (&spoke, &paint, -FRAC_PI_4, 7.5),
            (&rim, &paint, 0.0, 7.6),
            (&hub, &brass, 0.0, 7.7),
        ] {
            let place =
                Transform::from_xyz(0.0, 0.0, depth).with_rotation(Quat::from_rotation_z(turn));
            let drawn = (Mesh2d(mesh.clone()), MeshMaterial2d(material.clone()));
            commands.entity(entity).with_child((Handwheel, drawn, place));
        }
    }
}

/// A handwheel turns with its tap.
pub fn turn_handwheels(
    valves: Query<(&FluidValve, &Children), Changed<FluidValve>>,
    mut wheels: Query<&mut Transform, With<Handwheel>>,
    mut before: Local<bevy::ecs::entity::EntityHashMap<f32>>,
) {
    for (valve, children) in valves {
        for child in children {
            if let Ok(mut wheel) = wheels.get_mut(*child) {
                let last = before.insert(*child, valve.opening).unwrap_or_default();
                wheel.rotate_z(0.5 * TAU * (valve.opening - last));
            }
        }
    }
}

pub fn scenery(mut painter: Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-360.0, rgb(0.13, 0.10, 0.14)),
        (0.0, rgb(0.27, 0.21, 0.27)),
        (360.0, rgb(0.17, 0.14, 0.20)),
    ]);
    // Stones of the wall.
    for row in 0..16_u8 {
        for column in 0..16_u8 {
            let (row_part, column_part) = (f32::from(row), f32::from(column));
            let x = 92.0 * column_part - 700.0 + 46.0 * f32::from(row % 2);
            let light = 0.018 * f32::from((5 * column + 3 * row) % 5);
            let stone = rgb(0.27 + light, 0.22 + light, 0.28 + light);
            painter.board((x, 345.0 - 46.0 * row_part), (89.0, 43.0), stone);
        }
    }
    // A window with the moon behind it.
    let arch = |grown: f32| -> Vec<(f32, f32)> {
        let (half, foot, top) = (58.0 + grown, -96.0 - grown, 14.0);
        let round = (0..=16_u8).map(|part| {
            let way = Vec2::from_angle(PI * f32::from(part) / 16.0) * half;
            (MOON.x + way.x, top + way.y)
        });
        round.chain([(MOON.x - half, foot), (MOON.x + half, foot)]).collect()
    };
    painter.shape(&arch(10.0), 0.0, [rgb(0.50, 0.43, 0.46), rgb(0.30, 0.25, 0.29)]);
    painter.shape(&arch(0.0), 0.0, [rgb(0.10, 0.14, 0.34), rgb(0.38, 0.32, 0.52)]);
    let sky = Rect::from_center_half_size(MOON - Vec2::new(0.0, 26.0), Vec2::new(48.0, 60.0));
    painter.scatter(sky, 26, 3.5, rgb(0.9, 0.9, 1.0));
    painter.disc(MOON + Vec2::new(12.0, 8.0), 20.0, rgb(0.96, 0.94, 0.84));
    painter.glow(MOON + Vec2::new(12.0, 8.0), 90.0, rgba(0.8, 0.85, 1.0, 0.5));
    for bar in [-20.0, 20.0] {
        painter.board(MOON + Vec2::new(bar, -36.0), (4.0, 150.0), IRON);
    }
    painter.board(MOON - Vec2::new(0.0, 40.0), (116.0, 4.0), IRON);
    painter.board(MOON - Vec2::new(0.0, 126.0), (142.0, 12.0), rgb(0.42, 0.36, 0.39));
    painter.glow((BURNER.x, -270.0), 520.0, rgba(1.0, 0.55, 0.22, 0.42));
    painter.glow((-470.0, -60.0), 380.0, rgba(1.0, 0.74, 0.40, 0.30));
    for x in [-206.0, 206.0] {
        painter.board((x, -220.0), (16.0, 260.0), IRON.darker(0.04));
    }
    // Behind the liquid: the insides of all vessels.
    let inside = [rgba(0.16, 0.20, 0.28, 0.55), rgba(0.05, 0.06, 0.10, 0.75)];
    let pairs = |points: &[Vec2]| points.iter().map(|at| (at.x, at.y)).collect::<Vec<_>>();
    for outline in VESSELS {
        painter.shape(&pairs(&outline), 0.0, inside);
    }
    painter.shape(&pairs(&CAULDRON.concat()), 0.0, [rgb(0.10, 0.10, 0.13), rgb(0.06, 0.05, 0.07)]);
    painter.shape(&pairs(&FLASK), 0.0, inside);
    for (pipe, _) in pipes() {
        for ends in pipe.points.windows(2) {
            let way = (ends[1] - ends[0]).normalize();
            let side = 0.5 * pipe.width * way.perp();
            let corners = [ends[0] + side, ends[1] + side, ends[1] - side, ends[0] - side];
            painter.shape(&pairs(&corners), 0.0, [rgb(0.10, 0.10, 0.13); 2]);
        }
    }
    // The burner: logs between stones.
    for (x, y) in [(-92.0, 0.0), (-30.0, 3.0), (36.0, 0.0), (88.0, 1.0)] {
        let at = BURNER + Vec2::new(x, y - 34.0);
        painter.board(at, (66.0, 22.0), rgb(0.34, 0.20, 0.13));
        painter.disc(at - Vec2::new(28.0, 0.0), 10.0, rgb(0.62, 0.44, 0.28));
        painter.disc(at - Vec2::new(28.0, 0.0), 6.0, rgb(0.50, 0.33, 0.20));
    }
    painter.in_front();
    // Brass around the taps, a rim and legs for the cauldron.
    for (pipe, distance) in pipes() {
        for ends in pipe.points.windows(2) {
            let way = (ends[1] - ends[0]).normalize();
            for side in [-1.0, 1.0] {
                let reach = 0.5 * (pipe.width + pipe.thickness) * side * way.perp();
                let half = 0.5 * pipe.thickness * way.perp();
                let corners = [
                    ends[0] + reach + half,
                    ends[1] + reach + half,
                    ends[1] + reach - half,
                    ends[0] + reach - half,
                ];
                painter.shape(&pairs(&corners), 0.0, [BRASS, BRASS.darker(0.14)]);
            }
        }
        let place = pipe.place_at(distance).translation.truncate();
        for up in [-22.0, 22.0] {
            painter.board(place + Vec2::new(0.0, up), (66.0, 9.0), BRASS.darker(0.08));
        }
    }
    for side in [-1.0, 1.0] {
        painter.board((272.0 * side, 72.0), (46.0, 14.0), IRON.lighter(0.06));
    }
    for whisk in WHISKS {
        painter.disc(whisk, 11.0, BRASS.darker(0.1));
        painter.disc(whisk + Vec2::new(-1.5, 2.0), 6.0, BRASS.lighter(0.08));
    }
    // The table, and lids of brass over the vessels.
    painter.panel((0.0, -356.0), (3200.0, 24.0), [rgb(0.44, 0.28, 0.18), rgb(0.24, 0.14, 0.10)]);
    painter.board((0.0, -344.0), (3200.0, 8.0), rgb(0.54, 0.35, 0.22));
    for outline in VESSELS {
        let (left, right) = (outline[0].x, outline[5].x);
        painter.board(
            (0.5 * (left + right), 346.0),
            (right - left + 24.0, 20.0),
            BRASS.darker(0.06),
        );
        for (x, width) in [(left + 26.0, 16.0), (left + 54.0, 6.0)] {
            let light = [rgba(1.0, 1.0, 1.0, 0.30), rgba(1.0, 1.0, 1.0, 0.04)];
            painter.panel((x, 262.0), (width, 120.0), light);
        }
    }
    let light = [rgba(1.0, 1.0, 1.0, 0.35), rgba(1.0, 1.0, 1.0, 0.06)];
    painter.shape(
        &[(358.0, -256.0), (366.0, -256.0), (332.0, -326.0), (318.0, -326.0)],
        0.0,
        light,
    );
    painter.vignette(VIEW, 0.35);
}
