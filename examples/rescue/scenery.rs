//! What only looks: the dusk behind the levels, wheels, pipes, the nest, and the duck's face.

use std::f32::consts::FRAC_PI_4;

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;
use example_support::art::{Painted, Painter, Silhouette};

use super::super::Game;
use super::levels::{Duck, Flame, Grate, Lever, Nest, OfLevel, Wheel, Work};

/// Colours of a level's sky, from below, and of its hills.
const SKIES: [[(f32, f32, f32); 4]; 4] = [
    [(0.98, 0.76, 0.54), (0.86, 0.52, 0.50), (0.33, 0.26, 0.45), (0.26, 0.20, 0.34)],
    [(0.72, 0.86, 0.80), (0.42, 0.66, 0.72), (0.18, 0.34, 0.44), (0.15, 0.26, 0.33)],
    [(0.62, 0.34, 0.30), (0.30, 0.17, 0.27), (0.10, 0.07, 0.16), (0.12, 0.08, 0.14)],
    [(0.80, 0.88, 0.96), (0.55, 0.72, 0.90), (0.28, 0.42, 0.68), (0.26, 0.36, 0.52)],
];

fn rgb((red, green, blue): (f32, f32, f32)) -> Color {
    Color::srgb(red, green, blue)
}

/// Another sky for each level.
pub(crate) fn paint(
    mut painter: Painter,
    mut commands: Commands,
    game: Res<Game>,
    painted: Query<Entity, (With<Painted>, Without<OfLevel>)>,
    mut shown: Local<Option<usize>>,
) {
    let level = game.level.min(SKIES.len() - 1);
    if *shown == Some(level) {
        return;
    }
    *shown = Some(level);
    painted.iter().for_each(|entity| commands.entity(entity).despawn());
    painter.begin();
    let [low, middle, high, hills] = SKIES[level].map(rgb);
    painter.sky(&[(-200.0, low), (80.0, middle), (350.0, high)]);
    painter.sun((230.0, 60.0), 44.0, low);
    let lit = low.mix(&Color::WHITE, 0.4).with_alpha(0.7);
    for (x, y, width) in [(20.0, 250.0, 300.0), (360.0, 190.0, 240.0), (190.0, 140.0, 150.0)] {
        painter.cloud((x, y), width, lit);
    }
    if level == 2 {
        painter.scatter(Rect::new(-500.0, 60.0, 500.0, 350.0), 90, 3.0, Color::srgb(0.9, 0.9, 1.0));
    }
    painter.ridge(
        Silhouette::Hills,
        [-320.0, 60.0],
        [hills.mix(&middle, 0.45), low.mix(&hills, 0.25)],
    );
    painter.ridge(
        Silhouette::Roofs,
        [-320.0, -40.0],
        [hills.mix(&middle, 0.2), hills.mix(&low, 0.35)],
    );
    painter.ridge(Silhouette::Leaves, [-330.0, -130.0], [hills, hills.mix(&low, 0.2)]);
    painter.in_front();
    painter.vignette(Vec2::new(1000.0, 700.0), 0.45);
}

/// Marks the duck's face, which stays upright.
#[derive(Component)]
pub(crate) struct Face;

/// Gives new levers their wheels, and new ducks and nests their looks.
pub(crate) fn dress(
    mut commands: Commands,
    wheels: Query<(Entity, &Wheel, &Lever, &Transform), Added<Wheel>>,
    ducks: Query<Entity, Added<Duck>>,
    nests: Query<Entity, Added<Nest>>,
    flames: Query<Entity, Added<Flame>>,
    grates: Query<Entity, Added<Grate>>,
    pumps: Query<&FluidPump>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let mut part = |mesh: Mesh, color: Color, x: f32, y: f32, depth: f32| {
        let drawn = (Mesh2d(meshes.add(mesh)), MeshMaterial2d(materials.add(color)));
        (drawn, Transform::from_xyz(x, y, depth))
    };
    let (red, brass) = (Color::srgb(0.82, 0.20, 0.17), Color::srgb(0.82, 0.62, 0.30));
    let iron = Color::srgb(0.30, 0.33, 0.40);
    for (entity, Wheel(work), lever, place) in &wheels {
        let mut parts = Vec::new();
        match work {
            Work::Gate => {}
            Work::Tap => {
                parts.push(part(Rectangle::new(56.0, 130.0).into(), iron, 0.0, -70.0, 5.5));
                parts.push(part(Rectangle::new(70.0, 16.0).into(), brass, 0.0, -8.0, 5.6));
            }
            Work::Pump => {
                let to = pumps.get(entity).map_or(Vec2::ZERO, |pump| pump.to);
                // A riser beside the wall, and its arm above the pool.
                let riser = 0.5 * (to.y + 20.0);
                parts.push(part(
                    Rectangle::new(18.0, to.y + 60.0).into(),
                    iron,
                    -140.0,
                    riser,
                    -0.4,
                ));
                parts.push(part(Rectangle::new(150.0, 18.0).into(), iron, -70.0, -10.0, -0.4));
                let arm = to.x + 140.0;
                parts.push(part(
                    Rectangle::new(-arm + 18.0, 18.0).into(),
                    iron,
                    to.x - 0.5 * arm,
                    to.y + 46.0,
                    5.5,
                ));
                parts.push(part(Rectangle::new(30.0, 44.0).into(), brass, to.x, to.y + 30.0, 5.6));
                parts.push(part(Rectangle::new(130.0, 54.0).into(), iron, 0.0, 0.0, 5.4));
            }
        }
        let height = if *work == Work::Tap { -26.0 } else { 0.0 };
        parts.push(part(Annulus::new(15.0, 21.0).into(), red, 0.0, height, 7.0));
        for turn in [FRAC_PI_4, -FRAC_PI_4] {
            let (drawn, place) = part(Rectangle::new(34.0, 5.0).into(), red, 0.0, height, 6.9);
            parts.push((drawn, place.with_rotation(Quat::from_rotation_z(turn))));
        }
        parts.push(part(Circle::new(11.0).into(), brass, 0.0, height, 7.1));
        let upright = place.rotation.inverse();
        commands.entity(entity).with_children(|wheel| {
            for part in parts {
                wheel.spawn(part);
            }
            wheel.spawn((
                Text2d::new(lever.number.to_string()),
                TextFont::from_font_size(FontSize::Px(32.0)),
                TextColor(Color::srgb(0.20, 0.13, 0.08)),
                Transform::from_xyz(0.0, height, 7.2)
                    .with_scale(Vec3::splat(0.5))
                    .with_rotation(upright),
            ));
        });
    }
    for duck in &ducks {
        let yellow = Color::srgb(1.0, 0.87, 0.32);
        let beak =
            Triangle2d::new(Vec2::new(0.0, 5.0), Vec2::new(0.0, -5.0), Vec2::new(14.0, -1.0));
        let tail =
            Triangle2d::new(Vec2::new(0.0, -7.0), Vec2::new(3.0, 8.0), Vec2::new(-13.0, 10.0));
        let parts = [
            part(tail.into(), yellow, -16.0, 4.0, 5.2),
            part(Circle::new(13.0).into(), yellow, 9.0, 21.0, 5.3),
            part(beak.into(), Color::srgb(0.95, 0.50, 0.16), 19.0, 20.0, 5.2),
            part(Circle::new(2.6).into(), Color::srgb(0.12, 0.10, 0.12), 13.0, 25.0, 5.4),
            part(Ellipse::new(10.0, 6.5).into(), Color::srgb(0.96, 0.74, 0.16), -3.0, 1.0, 5.4),
        ];
        commands
            .spawn((OfLevel, Face, Transform::from_scale(Vec3::splat(0.85)), Visibility::default()))
            .with_children(|face| {
                for part in parts {
                    face.spawn(part);
                }
            });
        commands.entity(duck).insert(Visibility::default());
    }
    for flame in &flames {
        let mut parts = vec![
            part(Rectangle::new(64.0, 7.0).into(), iron, 0.0, -14.0, 5.5),
            part(Rectangle::new(6.0, 70.0).into(), iron, 0.0, -45.0, -0.5),
        ];
        for bar in 0..5_u8 {
            let x = 14.0 * f32::from(bar) - 28.0;
            parts.push(part(Rectangle::new(4.0, 22.0).into(), iron, x, -4.0, 5.5));
        }
        commands.entity(flame).with_children(|flame| {
            for part in parts {
                flame.spawn(part);
            }
        });
    }
    for grate in &grates {
        let bars = (0..6_u8).map(|bar| 13.0 * f32::from(bar) - 32.0);
        let parts: Vec<_> =
            bars.map(|y| part(Rectangle::new(14.0, 6.0).into(), iron, 8.0, y, 5.6)).collect();
        commands.entity(grate).with_children(|grate| {
            for part in parts {
                grate.spawn(part);
            }
        });
    }
    for nest in &nests {
        let straw = [Color::srgb(0.72, 0.54, 0.28), Color::srgb(0.62, 0.44, 0.22)];
        let mut parts = Vec::new();
        for twig in 0..27_u8 {
            let x = 5.0 * f32::from(twig) - 65.0;
            let turn = 0.10 * f32::from(twig % 4) - 0.15;
            let (drawn, place) = part(
                Rectangle::new(40.0, 5.0).into(),
                straw[usize::from(twig % 2)],
                0.55 * x,
                -24.0 + 0.005 * x * x + 5.0 * f32::from(twig % 5),
                5.6,
            );
            parts.push((drawn, place.with_rotation(Quat::from_rotation_z(turn + 0.008 * x))));
        }
        commands.entity(nest).with_children(|nest| {
            for part in parts {
                nest.spawn(part);
            }
        });
    }
}

/// The duck's face is where the duck is, and nods as it turns.
pub(crate) fn follow_duck(
    duck: Query<&Transform, (With<Duck>, Without<Face>)>,
    mut faces: Query<&mut Transform, With<Face>>,
) {
    let (Ok(duck), Ok(mut face)) = (duck.single(), faces.single_mut()) else { return };
    let turn = duck.rotation.to_euler(EulerRot::ZYX).0.sin();
    face.translation = duck.translation;
    face.rotation = Quat::from_rotation_z(0.35 * turn);
}
