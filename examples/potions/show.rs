//! What the player is told: the recipe on its card, the shelf of brewed potions, and the news.

use bevy::prelude::*;
use bevy::sprite::Anchor;
use example_support::art::{Hud, slab, text};

use super::super::{ALIKE, AMOUNT, Game, POTIONS, VIEW};

const HELP: &str = "hold  1 2 3  or a tap: pigment     H  fire     F  fill the flask     E  empty all     \
                    P  let the apprentice do it";
/// Middle and size of the card.
const CARD: Vec2 = Vec2::new(-455.0, -140.0);
const SIZE: Vec2 = Vec2::new(286.0, 380.0);
const INK: Color = Color::srgb(0.26, 0.15, 0.10);
/// Where the bars of the card begin, and their length.
const BAR: Vec2 = Vec2::new(-110.0, -62.0);
const LENGTH: f32 = 220.0;

/// A line on the card.
#[derive(Component)]
pub enum Line {
    Name,
    Likeness,
    Warmth,
    Amount,
}

/// A bar on the card, by its number.
#[derive(Component)]
pub struct Bar(usize);

/// A blot of colour on the card: the wanted one, or that of the mixture.
#[derive(Component)]
pub enum Blot {
    Wanted,
    Mixed,
}

/// A bottle on the shelf, by the number of its potion.
#[derive(Component)]
pub struct Bottle(usize);

/// Marks the banner for good news, and what shines behind it.
#[derive(Component)]
pub struct News;
#[derive(Component)]
pub struct Rays;

pub fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let at = |x: f32, y: f32, depth: f32| (CARD + Vec2::new(x, y)).extend(depth);
    let white = materials.add(Color::WHITE);
    let mut board = |commands: &mut Commands, size: Vec2, color: Color, at: Vec3| {
        let mesh = Mesh2d(meshes.add(slab(size, color, 0.0)));
        let place = Transform::from_translation(at);
        commands.spawn((mesh, MeshMaterial2d(white.clone()), place)).id()
    };
    // The card: parchment on a board.
    let (wood, parchment) = (Color::srgb(0.36, 0.22, 0.14), Color::srgb(0.93, 0.86, 0.70));
    board(&mut commands, SIZE + 18.0, wood, at(0.0, 0.0, -30.0));
    board(&mut commands, SIZE, parchment, at(0.0, 0.0, -29.0));
    commands.spawn((text("", 23.0, INK, at(0.0, 158.0, -20.0), Anchor::CENTER), Line::Name));
    for (number, line) in [Line::Likeness, Line::Warmth, Line::Amount].into_iter().enumerate() {
        let below = 50.0 * number as f32;
        let words = at(BAR.x, BAR.y - below + 17.0, -20.0);
        commands.spawn((text("", 14.0, INK, words, Anchor::CENTER_LEFT), line));
        let groove = Color::srgb(0.70, 0.60, 0.44);
        let middle = at(0.0, BAR.y - below, -28.0);
        board(&mut commands, Vec2::new(LENGTH + 6.0, 14.0), groove, middle);
        let tones = [(0.62, 0.30, 0.62), (0.86, 0.32, 0.16), (0.20, 0.48, 0.62)];
        let (red, green, blue) = tones[number];
        let (length, tone) = (Vec2::new(LENGTH, 9.0), Color::srgb(red, green, blue));
        let bar = board(&mut commands, length, tone, middle + Vec3::Z);
        commands.entity(bar).insert(Bar(number));
    }
    // The shelf, and a bottle for each potion.
    let shelf = Vec2::new(545.0, -70.0);
    for below in [0.0, 104.0] {
        let plank = (shelf - Vec2::new(0.0, 6.0 + below)).extend(-29.0);
        board(&mut commands, Vec2::new(136.0, 12.0), wood, plank);
    }
    // Two drops on the card, side by side.
    let disc = meshes.add(Circle::new(46.0));
    let ring = meshes.add(Annulus::new(46.0, 50.0));
    let ink = materials.add(INK);
    for (blot, x, words) in [(Blot::Wanted, -62.0, "wanted"), (Blot::Mixed, 62.0, "mixed")] {
        let color = materials.add(Color::NONE);
        let place = Transform::from_translation(at(x, 76.0, -25.0));
        commands.spawn((blot, Mesh2d(disc.clone()), MeshMaterial2d(color), place));
        commands.spawn((Mesh2d(ring.clone()), MeshMaterial2d(ink.clone()), place));
        commands.spawn(text(words, 14.0, INK, at(x, 14.0, -20.0), Anchor::CENTER));
    }
    let body = meshes.add(Circle::new(21.0));
    let neck = meshes.add(Rectangle::new(13.0, 26.0));
    let cork = meshes.add(Rectangle::new(15.0, 9.0));
    let glint = meshes.add(Ellipse::new(4.0, 8.0));
    let brown = materials.add(Color::srgb(0.62, 0.44, 0.28));
    let bright = materials.add(Color::srgba(1.0, 1.0, 1.0, 0.55));
    for number in 0..POTIONS.len() {
        let (column, row) = ((number % 2) as f32, (number / 2) as f32);
        let middle = shelf + Vec2::new(58.0 * column - 29.0, 20.0 - 104.0 * row);
        let glass = materials.add(Color::srgba(0.8, 0.9, 1.0, 0.16));
        for (mesh, material, up, depth) in [
            (&body, &glass, 0.0, -27.0),
            (&neck, &glass, 31.0, -27.0),
            (&cork, &brown, 47.0, -26.0),
            (&glint, &bright, 6.0, -25.0),
        ] {
            let aside = if depth == -25.0 { -9.0 } else { 0.0 };
            let place = Transform::from_translation((middle + Vec2::new(aside, up)).extend(depth));
            let mut part =
                commands.spawn((Mesh2d(mesh.clone()), MeshMaterial2d(material.clone()), place));
            if material == &glass {
                part.insert(Bottle(number));
            }
        }
    }
    // Good news, with rays behind the flask.
    let gold = materials.add(Color::srgba(1.0, 0.86, 0.45, 0.22));
    let ray =
        meshes.add(Triangle2d::new(Vec2::ZERO, Vec2::new(-16.0, 190.0), Vec2::new(16.0, 190.0)));
    for number in 0..12_u8 {
        let turn = Quat::from_rotation_z(std::f32::consts::TAU * f32::from(number) / 12.0);
        let place = Transform::from_xyz(402.0, -290.0, -24.0).with_rotation(turn);
        commands.spawn((
            Rays,
            Mesh2d(ray.clone()),
            MeshMaterial2d(gold.clone()),
            place,
            Visibility::Hidden,
        ));
    }
    let place = Vec3::new(0.0, 44.0, 9.0);
    commands.spawn((text("", 34.0, Color::srgb(1.0, 0.95, 0.76), place, Anchor::CENTER), News));
    let help = Vec3::new(0.0, 8.0 - 0.5 * VIEW.y, 10.0);
    let cream = Color::srgb(0.97, 0.90, 0.78);
    commands.spawn((text(HELP, 13.0, cream, help, Anchor::BOTTOM_CENTER), Hud));
}

/// Writes the recipe, and how far the mixture is.
pub fn card(
    game: Res<Game>,
    mut lines: Query<(&Line, &mut Text2d)>,
    mut bars: Query<(&Bar, &mut Transform)>,
    blots: Query<(&Blot, &MeshMaterial2d<ColorMaterial>)>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let potion = game.potion();
    // What is in the flask counts once there is any.
    let shown = if game.flask.drops > 20 { game.flask } else { game.mixture };
    let likeness = shown.likeness(potion.color());
    for (line, mut text) in &mut lines {
        let words = match line {
            Line::Name => potion.name.to_owned(),
            Line::Likeness => {
                format!("colour  {:.0} of {:.0} %", 100.0 * likeness, 100.0 * ALIKE)
            }
            Line::Warmth => {
                format!("warmth  {:.0} of {:.0} degrees", shown.degrees, potion.degrees)
            }
            Line::Amount => format!("flask  {} of {AMOUNT} drops", game.flask.drops),
        };
        if text.0 != words {
            text.0 = words;
        }
    }
    let warmth = (shown.degrees - 20.0) / (potion.degrees - 20.0);
    let parts = [likeness / ALIKE, warmth, game.flask.drops as f32 / AMOUNT as f32];
    for (bar, mut place) in &mut bars {
        let part = parts[bar.0].clamp(0.004, 1.0);
        place.scale.x = part;
        place.translation.x = CARD.x - 0.5 * LENGTH * (1.0 - part);
    }
    for (blot, handle) in &blots {
        let color = match blot {
            Blot::Wanted => Some(potion.color()),
            Blot::Mixed => shown.color,
        };
        let color = color.unwrap_or(Color::srgba(0.3, 0.2, 0.1, 0.12));
        if materials.get(&handle.0).is_some_and(|material| material.color != color)
            && let Some(mut material) = materials.get_mut(&handle.0)
        {
            material.color = color;
        }
    }
}

/// Fills the bottles of the potions that are brewed.
pub fn bottles(
    game: Res<Game>,
    bottles: Query<(&Bottle, &MeshMaterial2d<ColorMaterial>)>,
    mut materials: ResMut<Assets<ColorMaterial>>,
    mut filled: Local<usize>,
) {
    if *filled == game.brewed {
        return;
    }
    *filled = game.brewed;
    for (bottle, handle) in bottles.iter().filter(|(bottle, _)| bottle.0 < game.brewed) {
        if let Some(mut material) = materials.get_mut(&handle.0) {
            material.color = POTIONS[bottle.0].color();
        }
    }
}

/// Says what was brewed.
pub fn news(
    game: Res<Game>,
    mut text: Single<&mut Text2d, With<News>>,
    mut rays: Query<(&mut Visibility, &mut Transform), With<Rays>>,
    time: Res<Time>,
) {
    let words = match (game.is_won(), game.is_celebrating()) {
        (true, false) => "Every potion is brewed!".into(),
        (_, true) => format!("{} is brewed!", POTIONS[game.brewed - 1].name),
        _ => String::new(),
    };
    if text.0 != words {
        text.0 = words;
    }
    let wanted = if game.is_celebrating() { Visibility::Inherited } else { Visibility::Hidden };
    for (mut visibility, mut place) in &mut rays {
        visibility.set_if_neq(wanted);
        if game.is_celebrating() {
            place.rotate_z(0.4 * time.delta_secs());
        }
    }
}
