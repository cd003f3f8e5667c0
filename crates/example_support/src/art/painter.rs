//! Paints scenery.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::sprite_render::AlphaMode2d;

use super::canvas::{Canvas, centre, rounded};
use super::silhouette::{Silhouette, random};

/// Half the width of what has no ends, in world units.
const FAR: f32 = 1600.0;
/// Depths of what is painted first behind and in front of the liquid, and of the vignette.
const BEHIND: f32 = -90.0;
const BEFORE: f32 = 5.1;
const VIGNETTE: f32 = 8.0;
/// Distance in depth between what is painted and what is painted next.
const STEP: f32 = 1.0 / 64.0;

/// Marks what a [`Painter`] has painted, for games that paint another level later.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct Painted;

/// Paints scenery: everything is an entity with a mesh, in front of what was painted before. Liquid is
/// drawn at depth 0 and walls at 5; scenery is behind both until [`Painter::in_front`] is called.
///
/// A system that paints belongs into [`PostStartup`].
#[derive(SystemParam)]
pub struct Painter<'w, 's> {
    commands: Commands<'w, 's>,
    meshes: ResMut<'w, Assets<Mesh>>,
    materials: ResMut<'w, Assets<ColorMaterial>>,
    white: Local<'s, Option<Handle<ColorMaterial>>>,
    front: Local<'s, bool>,
    painted: Local<'s, u16>,
}

impl Painter<'_, '_> {
    /// Paints behind the liquid again, as at first: for another level, when what is [`Painted`] is gone.
    pub fn begin(&mut self) {
        (*self.front, *self.painted) = (false, 0);
    }

    /// Paints in front of liquid and walls from now on.
    pub fn in_front(&mut self) {
        (*self.front, *self.painted) = (true, 0);
    }

    /// Spawns a mesh that has a colour at each corner.
    pub fn paint(&mut self, mesh: impl Into<Mesh>, at: impl Into<Vec2>) -> EntityCommands<'_> {
        let materials = &mut self.materials;
        let white = ColorMaterial { alpha_mode: AlphaMode2d::Blend, ..default() };
        let white = self.white.get_or_insert_with(|| materials.add(white)).clone();
        let drawn = (Mesh2d(self.meshes.add(mesh)), MeshMaterial2d(white));
        *self.painted += 1;
        let first = if *self.front { BEFORE } else { BEHIND };
        let depth = first + STEP * f32::from(*self.painted);
        let at = Transform::from_translation(at.into().extend(depth));
        self.commands.spawn((Painted, drawn, at))
    }

    /// A gradient across the view, given as heights and their colours, from below.
    pub fn sky(&mut self, stops: &[(f32, Color)]) {
        let ends = [(-FAR, stops.first()), (FAR, stops.last())].map(|(y, stop)| {
            let color = stop.map_or(Color::BLACK, |stop| stop.1);
            (y, color)
        });
        let rows = std::iter::once(&ends[0]).chain(stops).chain(std::iter::once(&ends[1]));
        let pairs = rows.map(|(y, color)| [-FAR, FAR].map(|x| (Vec2::new(x, *y), *color)));
        self.paint(Canvas::default().strip(pairs).mesh(), Vec2::ZERO);
    }

    /// A silhouette from one height to another, with the colours of its top and its foot. It hangs if the
    /// first height is above the second.
    pub fn ridge(&mut self, kind: Silhouette, [foot, top]: [f32; 2], [high, low]: [Color; 2]) {
        let height = top - foot;
        let seed = f32::from(*self.painted);
        let column = |number: i32| {
            let x = 2.0 * number as f32;
            let y = foot + height * kind.height(x / height.abs(), seed);
            // Colours by height: all of a ridge fades into the haze at its foot.
            let color = low.mix(&high, ((y - foot) / height).clamp(0.0, 1.0));
            [(Vec2::new(x, foot), low), (Vec2::new(x, y), color)]
        };
        let half = (0.5 * FAR) as i32;
        let pairs = (-half..=half).map(column);
        self.paint(Canvas::default().strip(pairs).mesh(), Vec2::ZERO);
    }

    /// A convex shape with the colours of its top and its bottom, and with rounded corners.
    pub fn shape(&mut self, corners: &[(f32, f32)], radius: f32, colors: [Color; 2]) {
        let ring: Vec<Vec2> = corners.iter().copied().map(Vec2::from).collect();
        let ys = || ring.iter().map(|corner| corner.y);
        let (low, high) = (ys().fold(f32::MAX, f32::min), ys().fold(f32::MIN, f32::max));
        let color =
            |at: Vec2| (at, colors[1].mix(&colors[0], (at.y - low) / (high - low).max(1e-6)));
        let painted: Vec<_> = rounded(&ring, radius).into_iter().map(color).collect();
        let mesh = Canvas::default().fan(color(centre(&ring)), &painted).mesh();
        self.paint(mesh, Vec2::ZERO);
    }

    /// A rectangle with the colours of its top and its bottom.
    pub fn panel(&mut self, middle: impl Into<Vec2>, size: impl Into<Vec2>, colors: [Color; 2]) {
        let (middle, size) = (middle.into(), size.into());
        let (low, high) = (middle - 0.5 * size, middle + 0.5 * size);
        let corners = [(high.x, high.y), (low.x, high.y), (low.x, low.y), (high.x, low.y)];
        self.shape(&corners, 0.0, colors);
    }

    /// A board with light on its upper edge and shadow below.
    pub fn board(&mut self, middle: impl Into<Vec2>, size: impl Into<Vec2>, color: Color) {
        self.paint(super::slab(size.into(), color, 0.0), middle);
    }

    /// A disc.
    pub fn disc(&mut self, middle: impl Into<Vec2>, radius: f32, color: Color) {
        self.halo(middle, &[(0.0, color), (radius, color)]);
    }

    /// Light around a lamp, which fades out at a radius.
    pub fn glow(&mut self, middle: impl Into<Vec2>, radius: f32, color: Color) {
        let fading = |(part, left)| (part * radius, color.with_alpha(left * color.alpha()));
        let stops = [(0.0, 1.0), (0.15, 0.72), (0.35, 0.36), (0.6, 0.13), (1.0, 0.0)].map(fading);
        self.halo(middle, &stops);
    }

    /// Rings of these radii and colours.
    fn halo(&mut self, middle: impl Into<Vec2>, stops: &[(f32, Color)]) {
        let canvas = stops.windows(2).fold(Canvas::default(), |canvas, pair| {
            let ray = |number: u8| {
                let way = Vec2::from_angle(std::f32::consts::TAU * f32::from(number) / 64.0);
                [pair[0], pair[1]].map(|(radius, color)| (radius * way, color))
            };
            canvas.strip((0..=64).map(ray))
        });
        self.paint(canvas.mesh(), middle);
    }

    /// Small lights or leaves, scattered between two corners: as many as `count`, up to `size`
    /// world units wide.
    pub fn scatter(&mut self, area: Rect, count: u16, size: f32, color: Color) {
        let seed = f32::from(*self.painted);
        let dot = |canvas: Canvas, number: u16| {
            let [x, y, part] = [1.0, 2.0, 3.0].map(|part| random(f32::from(number), part + seed));
            let (at, half) = (area.min + Vec2::new(x, y) * area.size(), size * (0.2 + 0.3 * part));
            let ring = [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y].map(|way| at + half * way);
            canvas.flat(&rounded(&ring, half), [color; 2])
        };
        self.paint((0..count).fold(Canvas::default(), dot).mesh(), Vec2::ZERO);
    }

    /// Darkens the corners of a view of this size, by 0 to 1.
    pub fn vignette(&mut self, view: Vec2, strength: f32) {
        let ray = |scale: [f32; 2], alpha: [f32; 2]| {
            move |number: u8| {
                let way = Vec2::from_angle(std::f32::consts::TAU * f32::from(number) / 96.0);
                [0, 1].map(|end| {
                    let color = Color::BLACK.with_alpha(strength * alpha[end]);
                    (0.5 * scale[end] * way * view, color)
                })
            }
        };
        let mesh = Canvas::default()
            .strip((0..=96).map(ray([0.75, 1.1], [0.0, 0.3])))
            .strip((0..=96).map(ray([1.1, 1.5], [0.3, 1.0])))
            .strip((0..=96).map(ray([1.5, 9.0], [1.0, 1.0])))
            .mesh();
        self.paint(mesh, Vec2::ZERO).insert(Transform::from_xyz(0.0, 0.0, VIGNETTE));
    }
}
