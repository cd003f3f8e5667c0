//! An art kit for small games, to copy: skies, silhouettes, lamps, a vignette, and walls with light and shadow.
//! Everything is a mesh with a colour at each corner, without images and shaders.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_blob_fluid::prelude::*;
//! use example_support::art::{Painter, ShadedWalls, Silhouette};
//!
//! App::new()
//!     .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), ShadedWalls::default()))
//!     .add_systems(PostStartup, |mut painter: Painter| {
//!         let (night, dusk) = (Color::srgb(0.1, 0.1, 0.3), Color::srgb(0.9, 0.5, 0.4));
//!         painter.sky(&[(-100.0, dusk), (400.0, night)]);
//!         painter.ridge(Silhouette::Hills, [-400.0, 300.0], [night, dusk]);
//!         painter.vignette(Vec2::new(1000.0, 750.0), 0.5);
//!     })
//!     .run();
//! ```

use std::f32::consts::{PI, TAU};

use bevy::asset::RenderAssetUsages;
use bevy::ecs::system::SystemParam;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::sprite_render::AlphaMode2d;
use bevy_blob_fluid::prelude::*;

// The painter of scenery.

/// Half the width of endless scenery, in world units.
const FAR: f32 = 1600.0;
/// Depths of the first items behind and in front of the liquid, and of the vignette.
const BEHIND: f32 = -90.0;
const BEFORE: f32 = 5.1;
const VIGNETTE: f32 = 8.0;
/// Difference in depth between successive items.
const STEP: f32 = 1.0 / 64.0;

/// Marks the entities of a [`Painter`], for games that paint another level later.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct Painted;

/// Paints scenery. Every item is an entity with a mesh, in front of the previous item. Liquid is drawn at depth 0 and
/// walls at 5. Scenery is behind both until [`Painter::in_front`] is called.
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
    /// Paints behind the liquid again, as initially. Use it for another level, after despawning all [`Painted`]
    /// entities.
    pub fn begin(&mut self) {
        (*self.front, *self.painted) = (false, 0);
    }

    /// Paints all further items in front of liquid and walls.
    pub fn in_front(&mut self) {
        (*self.front, *self.painted) = (true, 0);
    }

    /// Spawns a mesh with a colour at each corner.
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

    /// A gradient across the view: heights and their colours, from the bottom.
    pub fn sky(&mut self, stops: &[(f32, Color)]) {
        let ends = [(-FAR, stops.first()), (FAR, stops.last())].map(|(y, stop)| {
            let color = stop.map_or(Color::BLACK, |stop| stop.1);
            (y, color)
        });
        let rows = std::iter::once(&ends[0]).chain(stops).chain(std::iter::once(&ends[1]));
        let pairs = rows.map(|(y, color)| [-FAR, FAR].map(|x| (Vec2::new(x, *y), *color)));
        self.paint(Canvas::default().strip(pairs).mesh(), Vec2::ZERO);
    }

    /// A silhouette from one height to another, with the colours of its top and its foot. It hangs down if the first
    /// height is above the second.
    pub fn ridge(&mut self, kind: Silhouette, [foot, top]: [f32; 2], [high, low]: [Color; 2]) {
        let height = top - foot;
        let seed = f32::from(*self.painted);
        let column = |number: i32| {
            let x = 2.0 * number as f32;
            let y = foot + height * kind.height(x / height.abs(), seed);
            // Colours depend on the height, so that the whole ridge fades into the haze at its
            // foot.
            let color = low.mix(&high, ((y - foot) / height).clamp(0.0, 1.0));
            [(Vec2::new(x, foot), low), (Vec2::new(x, y), color)]
        };
        let half = (0.5 * FAR) as i32;
        let pairs = (-half..=half).map(column);
        self.paint(Canvas::default().strip(pairs).mesh(), Vec2::ZERO);
    }

    /// Ground below a line that goes to the right: the depths of its layers' lower edges along the normal, and the
    /// colours there. The first depth is 0.
    pub fn ground<const LAYERS: usize>(
        &mut self,
        line: &[Vec2],
        layers: impl Fn(Vec2) -> [(f32, Color); LAYERS],
    ) -> EntityCommands<'_> {
        let normal = |index: usize| {
            let (before, after) = (line[index.max(1) - 1], line[(index + 1).min(line.len() - 1)]);
            (after - before).normalize_or_zero().perp()
        };
        let columns: Vec<_> = line
            .iter()
            .enumerate()
            .map(|(index, at)| {
                layers(*at).map(|(depth, color)| (*at - depth * normal(index), color))
            })
            .collect();
        let layer = |canvas: Canvas, number: usize| {
            canvas.strip(columns.iter().map(|column| [column[number], column[number - 1]]))
        };
        // Upper layers cover lower ones where the line is curved.
        let mesh = (1..LAYERS).rev().fold(Canvas::default(), layer).mesh();
        self.paint(mesh, Vec2::ZERO)
    }

    /// A convex shape with the colours of its top and its bottom, and with rounded corners.
    pub fn shape(
        &mut self,
        corners: &[(f32, f32)],
        radius: f32,
        colors: [Color; 2],
    ) -> EntityCommands<'_> {
        let ring: Vec<Vec2> = corners.iter().copied().map(Vec2::from).collect();
        let ys = || ring.iter().map(|corner| corner.y);
        let (low, high) = (ys().fold(f32::MAX, f32::min), ys().fold(f32::MIN, f32::max));
        let color =
            |at: Vec2| (at, colors[1].mix(&colors[0], (at.y - low) / (high - low).max(1e-6)));
        let painted: Vec<_> = rounded(&ring, radius).into_iter().map(color).collect();
        let mesh = Canvas::default().fan(color(centre(&ring)), &painted).mesh();
        self.paint(mesh, Vec2::ZERO)
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
        self.paint(slab(size.into(), color, 0.0), middle);
    }

    /// A disc.
    pub fn disc(&mut self, middle: impl Into<Vec2>, radius: f32, color: Color) {
        self.halo(middle, &[(0.0, color), (radius, color)]);
    }

    /// Light around a lamp, which fades out at a radius.
    pub fn glow(&mut self, middle: impl Into<Vec2>, radius: f32, color: Color) {
        // A bell curve that ends at 0, in so many rings that none is seen.
        let bell = |part: f32| (-4.0 * part * part).exp();
        let stop = |number: u8| {
            let part = f32::from(number) / 24.0;
            let left = (bell(part) - bell(1.0)) / (1.0 - bell(1.0));
            (part * radius, color.with_alpha(left * color.alpha()))
        };
        self.halo(middle, &std::array::from_fn::<_, 25, _>(|number| stop(number as u8)));
    }

    /// A sun: a bright core with a soft edge, and the light around it.
    pub fn sun(&mut self, middle: impl Into<Vec2>, radius: f32, color: Color) {
        let middle = middle.into();
        self.glow(middle, 9.0 * radius, color.with_alpha(0.22));
        self.glow(middle, 3.5 * radius, color.with_alpha(0.40));
        let core = color.mix(&Color::WHITE, 0.6);
        let edge = [
            (0.0, core),
            (0.82, core),
            (1.0, color.with_alpha(0.55)),
            (1.35, color.with_alpha(0.0)),
        ];
        self.halo(middle, &edge.map(|(part, color)| (part * radius, color)));
    }

    /// A heap of clouds of a width, flat below, with a lit front before a shaded back.
    pub fn cloud(&mut self, middle: impl Into<Vec2>, width: f32, color: Color) {
        let middle = middle.into();
        let seed = f32::from(*self.painted);
        let shaded = color.darker(0.12);
        for (layer, height) in [(0.0, 1.0), (1.0, 0.62)] {
            let puff = |number: u8| {
                let along = (f32::from(number) + 0.5) / 9.0;
                let [right, size] =
                    [0.0, 1.0].map(|part| random(f32::from(number), seed + 2.0 * layer + part));
                let arc = (PI * along).sin();
                let x = 0.84 * (along - 0.5 + 0.05 * (right - 0.5)) + 0.03 * layer;
                (Vec2::new(x, 0.13 * height * arc), (0.045 + 0.075 * arc) * (0.75 + 0.5 * size))
            };
            // The upper edge is that of the highest puff.
            let top = |x: f32| {
                let above = |(middle, radius): (Vec2, f32)| {
                    let aside = (x - middle.x) / radius;
                    (middle.y + radius) * (1.0 - aside * aside).max(0.0).sqrt()
                };
                (0..9).map(puff).map(above).fold(0.0, f32::max)
            };
            let column = |heights: [f32; 2], alphas: [f32; 2]| {
                move |number: u8| {
                    let x = f32::from(number) / 200.0 - 0.5;
                    [0, 1].map(|end| {
                        let y = top(x) * heights[end];
                        let light = shaded.mix(&color, (y / 0.22).clamp(0.0, 1.0));
                        (width * Vec2::new(x, y), light.with_alpha(alphas[end] * color.alpha()))
                    })
                }
            };
            let mesh =
                [([0.0, 0.3], [0.0, 1.0]), ([0.3, 0.9], [1.0, 1.0]), ([0.9, 1.03], [1.0, 0.0])]
                    .into_iter()
                    .fold(Canvas::default(), |canvas, (heights, alphas)| {
                        canvas.strip((0..=200).map(column(heights, alphas)))
                    });
            self.paint(mesh.mesh(), middle);
        }
    }

    /// Rings around a point, given as radii and their colours, from inside.
    pub fn halo(&mut self, middle: impl Into<Vec2>, stops: &[(f32, Color)]) -> EntityCommands<'_> {
        let canvas = stops.windows(2).fold(Canvas::default(), |canvas, pair| {
            let ray = |number: u8| {
                let direction = Vec2::from_angle(TAU * f32::from(number) / 128.0);
                [pair[0], pair[1]].map(|(radius, color)| (radius * direction, color))
            };
            canvas.strip((0..=128).map(ray))
        });
        self.paint(canvas.mesh(), middle)
    }

    /// A highlight on a round pane: an arc around a point that is widest and brightest in its middle, and soft
    /// at its edges. `angles` are those of its ends, in radians from the right, counter-clockwise.
    fn highlight(
        &mut self,
        middle: impl Into<Vec2>,
        radius: f32,
        width: f32,
        angles: [f32; 2],
        color: Color,
    ) {
        let across = |edges: [f32; 2], alphas: [f32; 2]| {
            move |number: u8| {
                let along = f32::from(number) / 48.0;
                let direction = Vec2::from_angle(angles[0] + along * (angles[1] - angles[0]));
                let part = (PI * along).sin();
                [0, 1].map(|edge| {
                    let alpha = alphas[edge] * part * color.alpha();
                    ((radius + width * part * edges[edge]) * direction, color.with_alpha(alpha))
                })
            }
        };
        let mesh = Canvas::default()
            .strip((0..=48).map(across([-0.5, -0.2], [0.0, 1.0])))
            .strip((0..=48).map(across([-0.2, 0.2], [1.0, 1.0])))
            .strip((0..=48).map(across([0.2, 0.5], [1.0, 0.0])))
            .mesh();
        self.paint(mesh, middle);
    }

    /// A beam of light that is soft at its sides and fades out at its lower end. The corners are the upper right, upper
    /// left, lower left and lower right one.
    pub fn beam(&mut self, corners: [(f32, f32); 4], color: Color) {
        let [upper_right, upper_left, lower_left, lower_right] = corners.map(Vec2::from);
        // A triangle shades linearly, so few large ones would be seen as stripes.
        let canvas = (0..8_u8).fold(Canvas::default(), |canvas, row| {
            let column = |number: u8| {
                let across = f32::from(number) / 96.0;
                let alpha = color.alpha() * (PI * across).sin().powi(2);
                let upper = upper_left.lerp(upper_right, across);
                let lower = lower_left.lerp(lower_right, across);
                [row, row + 1].map(|row| {
                    let along = f32::from(row) / 8.0;
                    (upper.lerp(lower, along), color.with_alpha(alpha * (1.0 - along)))
                })
            };
            canvas.strip((0..=96).map(column))
        });
        self.paint(canvas.mesh(), Vec2::ZERO);
    }

    /// The rim of a round glass, and the light on it. It is for the front: see [`in_front`](Self::in_front).
    pub fn glass(&mut self, middle: impl Into<Vec2>, radius: f32) {
        let middle = middle.into();
        let light = |alpha| Color::srgba(0.86, 0.94, 1.0, alpha);
        self.halo(
            middle,
            &[
                (radius - 3.0, light(0.0)),
                (radius, light(0.45)),
                (radius + 3.0, light(0.08)),
                (radius + 11.0, light(0.12)),
                (radius + 14.0, light(0.65)),
                (radius + 15.5, light(0.0)),
            ],
        );
        let degrees = |from: f32, to: f32| [from.to_radians(), to.to_radians()];
        self.highlight(middle, 0.915 * radius, 0.085 * radius, degrees(108.0, 168.0), light(0.40));
        self.highlight(middle, 0.85 * radius, 0.02 * radius, degrees(118.0, 150.0), light(0.30));
        self.highlight(middle, 0.96 * radius, 0.03 * radius, degrees(-62.0, -14.0), light(0.28));
    }

    /// Small lights or leaves, scattered between two corners. `count` is their number, and each is
    /// up to `size` world units wide.
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

    /// Darkens the corners of a view of this size around the origin, by 0 to 1.
    pub fn vignette(&mut self, view: Vec2, strength: f32) {
        self.vignette_at(Vec2::ZERO, view, strength);
    }

    /// Darkens the corners of a view of this middle and size, by 0 to 1.
    pub fn vignette_at(&mut self, middle: Vec2, view: Vec2, strength: f32) {
        let ray = |scale: [f32; 2], alpha: [f32; 2]| {
            move |number: u8| {
                let way = Vec2::from_angle(TAU * f32::from(number) / 96.0);
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
        self.paint(mesh, Vec2::ZERO).insert(Transform::from_translation(middle.extend(VIGNETTE)));
    }
}

// Meshes with a colour at each corner.

/// Direction towards the light.
const LIGHT: Vec2 = Vec2::new(-0.45, 0.89);
/// Greatest width of the lit and the shaded edge of a solid, in world units.
const BEVEL: f32 = 7.0;
/// Mean distance of the flecks on a solid, in world units.
const FLECK: f32 = 22.0;
/// Points that replace a rounded corner.
const ROUNDNESS: usize = 6;

/// A mesh under construction.
#[derive(Default)]
struct Canvas {
    corners: Vec<[f32; 3]>,
    colors: Vec<[f32; 4]>,
    triangles: Vec<u32>,
}

impl Canvas {
    fn corner(&mut self, at: Vec2, color: Color) -> u32 {
        self.corners.push(at.extend(0.0).to_array());
        self.colors.push(color.to_linear().to_f32_array());
        self.corners.len() as u32 - 1
    }

    /// Fills the area between two lines, given as pairs of points.
    pub fn strip(mut self, pairs: impl IntoIterator<Item = [(Vec2, Color); 2]>) -> Self {
        let mut before: Option<[u32; 2]> = None;
        for pair in pairs {
            let [c, d] = pair.map(|(at, color)| self.corner(at, color));
            if let Some([a, b]) = before.replace([c, d]) {
                self.triangles.extend([a, c, d, a, d, b]);
            }
        }
        self
    }

    /// Fills a ring whose corners are all visible from a point inside of it.
    pub fn fan(mut self, centre: (Vec2, Color), ring: &[(Vec2, Color)]) -> Self {
        let middle = self.corner(centre.0, centre.1);
        let first = self.corners.len() as u32;
        for (at, color) in ring {
            self.corner(*at, *color);
        }
        let count = ring.len() as u32;
        let triangle = |number| [middle, first + number, first + (number + 1) % count];
        self.triangles.extend((0..count).flat_map(triangle));
        self
    }

    /// Fills a convex ring with the colours of its middle and its edge.
    pub fn flat(self, ring: &[Vec2], [middle, edge]: [Color; 2]) -> Self {
        let painted: Vec<_> = ring.iter().map(|at| (*at, edge)).collect();
        self.fan((centre(ring), middle), &painted)
    }

    /// Fills a convex ring, lit from above on the left. `turn` is the later rotation of the mesh,
    /// in radians.
    pub fn solid(self, ring: &[Vec2], color: Color, turn: f32) -> Self {
        let (centre, bevel) = (centre(ring), (0.9 * thickness(ring)).min(BEVEL));
        let lit = |(normal, at): (Vec2, &Vec2)| (*at, shade(color, normal, turn));
        let edge: Vec<_> = normals(ring).zip(ring).map(lit).collect();
        let inner = |(normal, at): (Vec2, &Vec2)| (*at - bevel * normal, color);
        let inner: Vec<_> = normals(ring).zip(ring).map(inner).collect();
        self.fan((centre, color), &inner).strip(closed(&edge, &inner))
    }

    /// Flecks of stone on a ring of a colour, lighter and darker than it. Small rings have none.
    fn flecks(mut self, ring: &[Vec2], color: Color) -> Self {
        let (low, high) = bounds(ring);
        if (high - low).min_element() < 2.0 * FLECK {
            return self;
        }
        let cells = ((high - low) / FLECK).as_ivec2().min(IVec2::splat(128));
        for (x, y) in (0..cells.x).flat_map(|x| (0..cells.y).map(move |y| (x, y))) {
            let cell = (x * 131 + y) as f32;
            let [right, up, size, light] = [1.0, 2.0, 3.0, 4.0].map(|part| random(cell, part));
            let at = low + FLECK * (Vec2::new(x as f32 + right, y as f32 + up));
            let half = FLECK * Vec2::new(0.12 + 0.22 * size, 0.08 + 0.12 * size);
            let corners = [0, 1, 2, 3, 4, 5].map(|corner| {
                let way = Vec2::from_angle(TAU / 6.0 * (corner as f32 + light));
                at + half * way * (0.75 + 0.5 * random(cell, 5.0 + corner as f32))
            });
            if light > 0.8 || !corners.iter().all(|corner| contains(ring, *corner)) {
                continue;
            }
            let other = if light > 0.3 { Color::BLACK } else { Color::WHITE };
            self = self.flat(&corners, [color.mix(&other, 0.03 + 0.04 * size); 2]);
        }
        self
    }

    /// Draws a wall of a thickness around a ring, lit as in [`Canvas::solid`].
    pub fn wall(self, ring: &[Vec2], thickness: f32, radius: f32, color: Color, turn: f32) -> Self {
        let offset = |by: f32| -> Vec<Vec2> {
            normals(ring).zip(ring).map(|(normal, at)| *at + by * normal).collect()
        };
        let inner = rounded(ring, radius);
        let outer = rounded(&offset(thickness), radius + thickness);
        let paint = |ring: &[Vec2], way: f32| -> Vec<(Vec2, Color)> {
            let lit = |(normal, at): (Vec2, &Vec2)| (*at, shade(color, way * normal, turn));
            normals(ring).zip(ring).map(lit).collect()
        };
        let middle = inner.iter().zip(&outer).map(|(a, b)| (a.midpoint(*b), color));
        let middle: Vec<_> = middle.collect();
        self.strip(closed(&paint(&inner, -1.0), &middle))
            .strip(closed(&middle, &paint(&outer, 1.0)))
    }

    pub fn mesh(self) -> Mesh {
        Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.corners)
            .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, self.colors)
            .with_inserted_indices(Indices::U32(self.triangles))
    }
}

/// A board with light on its upper edge, shadow below, and rounded corners. `turn` is the later
/// rotation of the mesh, in radians. Use it with a white [`ColorMaterial`].
pub fn slab(size: Vec2, color: Color, turn: f32) -> Mesh {
    let signs = [Vec2::ONE, Vec2::new(-1.0, 1.0), -Vec2::ONE, Vec2::new(1.0, -1.0)];
    let ring = rounded(&signs.map(|sign| 0.5 * sign * size), 4.0);
    Canvas::default().solid(&ring, color, turn).mesh()
}

/// A shape whose outline is visible from its middle, lit from the upper left. Use it with a white [`ColorMaterial`] that
/// blends.
pub fn plate(corners: Vec<Vec2>, color: Color) -> Mesh {
    Canvas::default().solid(&counter_clockwise(corners), color, 0.0).mesh()
}

/// A shape as of [`plate`], of stone with flecks.
pub fn rock(corners: Vec<Vec2>, color: Color) -> Mesh {
    let ring = counter_clockwise(corners);
    Canvas::default().solid(&ring, color, 0.0).flecks(&ring, color).mesh()
}

/// The pairs of the corners of two rings; the first pair is repeated at the end.
fn closed(a: &[(Vec2, Color)], b: &[(Vec2, Color)]) -> impl Iterator<Item = [(Vec2, Color); 2]> {
    let pairs = a.iter().zip(b).map(|(a, b)| [*a, *b]);
    pairs.clone().chain(pairs.take(1)).collect::<Vec<_>>().into_iter()
}

/// A colour in light or shadow, by the normal of a surface.
fn shade(color: Color, normal: Vec2, turn: f32) -> Color {
    let light = Vec2::from_angle(turn).rotate(normal.normalize_or_zero()).dot(LIGHT);
    let (other, most) = if light > 0.0 { (Color::WHITE, 0.38) } else { (Color::BLACK, 0.5) };
    color.mix(&other, most * light.abs()).with_alpha(color.alpha())
}

/// The middle of a ring.
fn centre(ring: &[Vec2]) -> Vec2 {
    let (low, high) = bounds(ring);
    low.midpoint(high)
}

/// The lower left and the upper right corner of the box around a ring.
fn bounds(ring: &[Vec2]) -> (Vec2, Vec2) {
    ring.iter()
        .fold((Vec2::MAX, Vec2::MIN), |(low, high), corner| (low.min(*corner), high.max(*corner)))
}

/// Whether a point is inside of a ring, and not at its lit edge.
fn contains(ring: &[Vec2], point: Vec2) -> bool {
    let edges = ring.iter().zip(ring.iter().cycle().skip(1));
    edges.into_iter().all(|(a, b)| (*b - *a).normalize_or_zero().perp_dot(point - *a) > BEVEL)
}

/// Half the width of a long ring, in world units.
fn thickness(ring: &[Vec2]) -> f32 {
    let edges = ring.iter().zip(ring.iter().cycle().skip(1));
    let (area, length) = edges.fold((0.0, 0.0), |(area, length), (a, b)| {
        (area + 0.5 * a.perp_dot(*b), length + a.distance(*b))
    });
    area.abs() / length.max(1e-6)
}

/// For each corner of a counter-clockwise ring, the offset to a ring at distance 1 around it.
fn normals(ring: &[Vec2]) -> impl Iterator<Item = Vec2> + '_ {
    let count = ring.len();
    (0..count).map(move |index| {
        let (before, after) = (ring[(index + count - 1) % count], ring[(index + 1) % count]);
        let [a, b] = [ring[index] - before, after - ring[index]]
            .map(|edge| -edge.normalize_or_zero().perp());
        ((a + b) / (1.0 + a.dot(b)).max(0.5)).clamp_length_max(2.0)
    })
}

/// A counter-clockwise ring with round corners. They have the given radius if the adjacent edges
/// are long enough.
fn rounded(ring: &[Vec2], radius: f32) -> Vec<Vec2> {
    let count = ring.len();
    let corner = |index: usize| {
        let at = ring[index];
        let [back, on] =
            [(index + count - 1) % count, (index + 1) % count].map(|other| ring[other] - at);
        let sharp = back.angle_to(on).abs() < 2.6;
        let reach = radius.min(0.45 * back.length()).min(0.45 * on.length());
        let [a, b] = [back, on].map(|way| at + reach * way.normalize_or_zero());
        let points = if sharp { ROUNDNESS } else { 1 };
        (0..points).map(move |number| {
            let t = number as f32 / (ROUNDNESS - 1) as f32;
            if sharp { a.lerp(at, t).lerp(at.lerp(b, t), t) } else { at }
        })
    };
    (0..count).flat_map(corner).collect()
}

// Outlines of scenery on the horizon.

/// The kind of a [`ridge`](Painter::ridge).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silhouette {
    /// Round hills.
    Hills,
    /// A wood of firs.
    Firs,
    /// Leafy trees.
    Leaves,
    /// Houses with gables and chimneys.
    Roofs,
    /// Jagged rock; if it hangs, the roof of a cave.
    Rocks,
}

impl Silhouette {
    /// Height of the outline, 0 to 1, at a distance along it in units of its greatest height. Each
    /// `seed` gives a different outline.
    fn height(self, x: f32, seed: f32) -> f32 {
        let tallest = |width: f32, shape: &dyn Fn(f32, f32) -> f32| {
            let cell = (x / width).floor();
            let part = |near: f32| {
                let (size, shift) = (random(cell + near, seed), random(cell + near, seed + 7.0));
                let offset = x / width - (cell + near + 0.3 + 0.4 * shift);
                shape(offset, size)
            };
            [-1.0, 0.0, 1.0].map(part).into_iter().fold(0.0, f32::max)
        };
        match self {
            Self::Hills => {
                let wave = |length: f32, shift: f32| (x / length + shift * (1.0 + seed)).sin();
                0.55 + 0.27 * wave(0.9, 1.0) + 0.13 * wave(0.37, 2.3) + 0.05 * wave(0.16, 4.1)
            }
            Self::Firs => tallest(0.26, &|offset, size| {
                let up = 4.0 * (1.0 - offset.abs() / 0.75).max(0.0);
                // Four tiers of branches.
                (0.55 + 0.45 * size) * (0.25 * (up.floor() + up.fract().powi(2))).max(0.2)
            }),
            Self::Leaves => tallest(0.45, &|offset, size| {
                let round = (1.0 - (offset / 0.8).powi(2)).max(0.0).sqrt();
                let leaves = 0.03 * (offset * 19.0).sin().abs();
                0.3 + (0.3 + 0.35 * size) * round + leaves
            }),
            Self::Roofs => {
                let cell = (x / 0.55).floor();
                let (offset, size) = (x / 0.55 - cell - 0.5, random(cell, seed));
                let gable = 0.26 * (1.0 - 2.0 * offset.abs()) * f32::from(size > 0.3);
                let chimney = f32::from((offset - 0.22).abs() < 0.06 && size > 0.3);
                (0.3 + 0.4 * size) + gable.max(0.2 * chimney)
            }
            Self::Rocks => {
                let (cell, part) = ((x / 0.22).floor(), (x / 0.22).rem_euclid(1.0));
                let [a, b] = [cell, cell + 1.0].map(|cell| random(cell, seed).powi(2));
                0.2 + 0.8 * (a + (b - a) * part)
            }
        }
    }
}

/// A pseudorandom number of a cell, 0 to 1.
fn random(cell: f32, seed: f32) -> f32 {
    ((cell * 12.99 + seed * 78.23 + PI).sin() * 43_758.547).rem_euclid(1.0)
}

// Walls with light and shadow.

/// Depths relative to the entities, as in [`FluidSolidDrawingPlugin`], and the depth of shadows.
const INTERIOR: f32 = -10.0;
const SHADOW: f32 = -10.5;
const WALL: f32 = 5.0;

/// Draws containers and colliders in place of [`FluidSolidDrawingPlugin`], by the same
/// [`FluidSolidStyle`] and [`FluidSolidColor`]. Walls are lit from the upper left and have rounded
/// corners. Outlines must be convex. Later changes of a shape are not drawn.
#[derive(Resource, Clone, Copy, Debug)]
pub struct ShadedWalls {
    /// Radius of corners, in world units. Default 6.
    pub radius: f32,
    /// Darkness of the shadows on the background, 0 to 1. Default 0, for a distant background.
    pub shadow: f32,
}

impl Default for ShadedWalls {
    fn default() -> Self {
        Self { radius: 6.0, shadow: 0.0 }
    }
}

impl Plugin for ShadedWalls {
    fn build(&self, app: &mut App) {
        app.init_resource::<FluidSolidStyle>().insert_resource(*self);
        app.add_systems(PostUpdate, draw.before(TransformSystems::Propagate));
    }
}

fn draw(
    mut commands: Commands,
    art: Res<ShadedWalls>,
    style: Res<FluidSolidStyle>,
    added: Query<
        (
            Entity,
            Option<&FluidContainer>,
            Option<&FluidCollider>,
            Has<FluidBuoyant>,
            Option<&FluidSolidColor>,
            &Transform,
        ),
        Or<(Added<FluidContainer>, Added<FluidCollider>)>,
    >,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
    mut white: Local<Option<Handle<ColorMaterial>>>,
) {
    for (entity, container, collider, floats, color, transform) in &added {
        let turn = transform.rotation.to_euler(EulerRot::ZYX).0;
        let usual = if floats { style.body } else { style.wall };
        let color = color.map_or(usual, |color| color.0);
        let mut hang = |canvas: Canvas, at: Vec3| {
            let blend = ColorMaterial { alpha_mode: AlphaMode2d::Blend, ..default() };
            let white = white.get_or_insert_with(|| materials.add(blend)).clone();
            commands.entity(entity).insert_if_new(Visibility::default()).with_child((
                Mesh2d(meshes.add(canvas.mesh())),
                MeshMaterial2d(white),
                Transform::from_translation(at),
            ));
        };
        let rings = |shape: &FluidShape| -> Vec<Vec<Vec2>> {
            shape
                .outlines()
                .into_iter()
                .filter_map(|outline| outline.into_iter().next().map(counter_clockwise))
                .collect()
        };
        if let Some(FluidContainer { shape, .. }) = container {
            let rings = rings(shape);
            if let Some(interior) = style.interior {
                let colors = [interior, interior.mix(&Color::BLACK, 0.35)];
                let back =
                    rings.iter().fold(Canvas::default(), |canvas, ring| canvas.flat(ring, colors));
                hang(back, Vec3::Z * INTERIOR);
            }
            let wall = |canvas: Canvas, ring: &Vec<Vec2>| {
                canvas.wall(ring, style.thickness, art.radius, color, turn)
            };
            hang(rings.iter().fold(Canvas::default(), wall), Vec3::Z * WALL);
        }
        if let Some(FluidCollider { shape, .. }) = collider {
            let rings: Vec<_> = rings(shape).iter().map(|ring| rounded(ring, art.radius)).collect();
            let solid = |canvas: Canvas, ring: &Vec<Vec2>| {
                canvas.solid(ring, color, turn).flecks(ring, color)
            };
            hang(rings.iter().fold(Canvas::default(), solid), Vec3::Z * WALL);
            if art.shadow > 0.0 {
                let colors = [Color::BLACK.with_alpha(art.shadow); 2];
                let shade =
                    rings.iter().fold(Canvas::default(), |canvas, ring| canvas.flat(ring, colors));
                let offset = Vec2::from_angle(-turn).rotate(Vec2::new(7.0, -10.0));
                hang(shade, offset.extend(SHADOW));
            }
        }
    }
}

fn counter_clockwise(mut ring: Vec<Vec2>) -> Vec<Vec2> {
    let edges = ring.iter().zip(ring.iter().cycle().skip(1));
    if edges.map(|(a, b)| a.perp_dot(*b)).sum::<f32>() < 0.0 {
        ring.reverse();
    }
    ring
}

// Texts.

/// A text of a size, in world units, at a position.
///
/// Its letters have twice the size and are scaled down, so that they are sharp in large windows as well.
pub fn text(
    content: &str,
    size: f32,
    color: Color,
    at: Vec3,
    anchor: Anchor,
) -> impl Bundle + use<> {
    (
        Text2d::new(content),
        anchor,
        TextFont::from_font_size(FontSize::Px(2.0 * size)),
        TextColor(color),
        Transform::from_translation(at).with_scale(Vec3::splat(0.5)),
    )
}

/// Marks texts for a player, such as help and the score. Pictures of the examples (`--shot`) omit
/// them.
#[derive(Component, Clone, Copy, Debug, Default)]
#[require(Visibility)]
pub struct Hud;
