//! Outlines: the surface of the liquid as closed lines.

use glam::{DVec2, Vec2};

use crate::settings::range::Limits;
use crate::{ClassFilter, Liquid, OutOfRange};

/// How [`outlines`] finds the surface. The defaults are those of the drawn surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct OutlineSettings {
    /// Classes that count as liquid. Default all.
    pub classes: ClassFilter,
    /// Radius of a particle's weight in the field, in particle spacings; 1.2 (bumpy) to 4 (round, without detail).
    /// Default 2.2.
    pub smoothing: f32,
    /// Value of the field at the surface, as a fraction of its value inside the liquid; 0.1 (far out) to 0.9 (far in).
    /// Default 0.34.
    pub threshold: f32,
    /// Distance of the points at which the field is evaluated, in particle spacings; 0.25 (fine) to 2 (coarse). The
    /// corners of an outline are about as far apart, and the computing time is inversely proportional to the square of
    /// `step`. Default 0.8.
    pub step: f32,
}

impl Default for OutlineSettings {
    fn default() -> Self {
        Self { classes: ClassFilter::ALL, smoothing: 2.2, threshold: 0.34, step: 0.8 }
    }
}

/// A closed line along the surface of the liquid.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Outline {
    /// Corners of the line, in world units: at least three. Liquid is on the left on the path from each corner to the
    /// next, so outer lines run counter-clockwise, and lines around holes clockwise.
    pub corners: Vec<Vec2>,
}

impl Outline {
    /// The area inside of the line, in square world units; negative for a hole.
    pub fn area(&self) -> f64 {
        let Some(first) = self.corners.first() else { return 0.0 };
        let pairs = self.corners.windows(2).map(|pair| {
            let [a, b] = [pair[0], pair[1]].map(|corner| (corner - *first).as_dvec2());
            0.5 * DVec2::perp_dot(a, b)
        });
        pairs.sum()
    }

    /// Whether the line surrounds a hole in the liquid.
    pub fn is_hole(&self) -> bool {
        self.area() < 0.0
    }
}

/// The surface of the liquid as closed lines, for meshes, physics shapes, light occluders and minimaps.
///
/// Each particle adds the weight `(1 - q²)³` to a field, where `q` is the distance in units of the
/// [`smoothing`](OutlineSettings::smoothing) radius. The lines run where the field passes the
/// [`threshold`](OutlineSettings::threshold), found by marching squares with linear interpolation. The sum of their
/// [areas](Outline::area) is the area of the liquid.
///
/// Walls do not change the lines: these run about half a particle spacing beyond the outermost particles, where
/// liquid meets a wall that it touches. Liquid on the two sides of a wall thinner than a spacing has one outline.
///
/// [`Polygon::with_holes`](crate::shape::Polygon::with_holes) makes one shape of all lines. The order of the lines is
/// the same on any number of threads.
///
/// ```
/// use blob_fluid::measure::{OutlineSettings, outlines};
/// use blob_fluid::{FluidWorld, ParticleSpawn, shape::FluidShape};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// let spacing = world.parameters().particle_spacing;
/// for position in (FluidShape::Circle { radius: 100.0 }).fill(Vec2::ZERO, spacing) {
///     world.spawn(ParticleSpawn { position, ..Default::default() })?;
/// }
/// let lines = outlines(&world, &OutlineSettings::default())?;
/// assert_eq!(lines.len(), 1);
/// let disc = std::f64::consts::PI * 100.0 * 100.0;
/// assert!((lines[0].area() / disc - 1.0).abs() < 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns [`OutOfRange`] for settings outside of their ranges.
pub fn outlines(liquid: &Liquid, settings: &OutlineSettings) -> Result<Vec<Outline>, OutOfRange> {
    let OutlineSettings { classes, smoothing, threshold, step } = *settings;
    let subject = "outlines";
    Limits::between(1.2, 4.0).check(subject, "smoothing", smoothing)?;
    Limits::between(0.1, 0.9).check(subject, "threshold", threshold)?;
    Limits::between(0.25, 2.0).check(subject, "step", step)?;
    let spacing = liquid.parameters().particle_spacing;
    let (particles, cell) = (liquid.particles(), f64::from(step * spacing));
    let weight = inside_weight(smoothing);
    let drop_weight = drop_weight(smoothing, threshold).max(weight);
    // Particles that the next tick will quarantine have no place.
    let chosen = (0..particles.len())
        .filter(|index| classes.contains(particles.class[*index]) && liquid.keeps(*index));
    let dots = chosen.map(|index| {
        let loose = (1.0 - particles.relative_density[index] / SURFACE_DENSITY).clamp(0.0, 1.0);
        let place = particles.position[index].as_dvec2() / cell;
        Dot { place, weight: weight + loose * (drop_weight - weight) }
    });
    let dots: Vec<Dot> = dots.collect();
    let field = Field::of_dots(&dots, f64::from(smoothing / step));
    Ok(field.lines(threshold).into_iter().map(|line| scaled(line, cell)).collect())
}

/// Relative density from which a particle is not a loose one: that at the surface of a pool.
const SURFACE_DENSITY: f32 = 0.45;

/// Radius of the drop that a single particle is, in particle spacings.
const DROP_RADIUS: f32 = 0.58;

/// Weight of a particle at its own position, so that the field is 1 among particles at rest: the kernel `(1 - q²)³` has
/// the volume `pi/4 r²`, and each particle of a hexagonal lattice has an area of `sqrt(3)/2` spacings².
fn inside_weight(smoothing: f32) -> f32 {
    0.866_025_4 / (std::f32::consts::FRAC_PI_4 * smoothing * smoothing)
}

/// Weight of a particle alone, whose field passes the threshold at the edge of a drop.
fn drop_weight(smoothing: f32, threshold: f32) -> f32 {
    let edge = 1.0 - (DROP_RADIUS / smoothing) * (DROP_RADIUS / smoothing);
    threshold / (edge * edge * edge)
}

fn scaled(line: Vec<DVec2>, cell: f64) -> Outline {
    Outline { corners: line.into_iter().map(|corner| (corner * cell).as_vec2()).collect() }
}

/// A particle, in units of the grid.
struct Dot {
    place: DVec2,
    weight: f32,
}

/// Side of a tile, in grid points.
const TILE: i64 = 16;
/// Grid points of a tile.
const POINTS: usize = (TILE * TILE) as usize;

/// A field at the points of a grid with a distance of 1, which exists only in tiles near particles.
struct Field {
    /// Row and column of each tile, ascending.
    tiles: Vec<[i64; 2]>,
    /// The values of each tile, row by row.
    values: Vec<[f32; POINTS]>,
}

impl Field {
    fn of_dots(dots: &[Dot], radius: f64) -> Self {
        // A cell belongs to the tile of its lower left point, hence one more point to the left and below.
        let first_and_last = |dot: &Dot| {
            let low = (dot.place - radius).ceil().as_i64vec2() - 1;
            let high = (dot.place + radius).floor().as_i64vec2();
            [low, high]
        };
        let mut tiles: Vec<[i64; 2]> = Vec::new();
        for dot in dots {
            let [low, high] = first_and_last(dot);
            for row in low.y.div_euclid(TILE)..=high.y.div_euclid(TILE) {
                for column in low.x.div_euclid(TILE)..=high.x.div_euclid(TILE) {
                    // Neighbours in memory are neighbours in space.
                    if !tiles.iter().rev().take(4).any(|tile| *tile == [row, column]) {
                        tiles.push([row, column]);
                    }
                }
            }
        }
        tiles.sort_unstable();
        tiles.dedup();
        let mut field = Self { values: vec![[0.0; POINTS]; tiles.len()], tiles };
        let mut last = 0;
        for dot in dots {
            let [low, high] = first_and_last(dot);
            for row in low.y.div_euclid(TILE)..=high.y.div_euclid(TILE) {
                for column in low.x.div_euclid(TILE)..=high.x.div_euclid(TILE) {
                    if field.tiles[last] != [row, column] {
                        last = field.tile(row, column).unwrap_or(last);
                    }
                    let corner = [column * TILE, row * TILE];
                    let offset = dot.place - DVec2::new(corner[0] as f64, corner[1] as f64);
                    let range = |low: i64, high: i64, corner: i64| {
                        (low - corner).max(0) as usize..(high - corner + 1).min(TILE) as usize
                    };
                    add_weight(
                        &mut field.values[last],
                        range(low.x, high.x, corner[0]),
                        range(low.y, high.y, corner[1]),
                        offset.as_vec2() / radius as f32,
                        1.0 / radius as f32,
                        dot.weight,
                    );
                }
            }
        }
        field
    }

    /// Index of a tile, if it exists.
    fn tile(&self, row: i64, column: i64) -> Option<usize> {
        self.tiles.binary_search(&[row, column]).ok()
    }

    /// The closed lines along which the field has a value, in units of the grid.
    fn lines(&self, value: f32) -> Vec<Vec<DVec2>> {
        let mut segments = Vec::new();
        for (index, [row, column]) in self.tiles.iter().enumerate() {
            let mut points = [[0.0_f32; TILE as usize + 1]; TILE as usize + 1];
            let around = [(0, 0), (0, 1), (1, 0), (1, 1)];
            for (up, right) in around {
                let tile = match (up, right) {
                    (0, 0) => Some(index),
                    _ => self.tile(row + up, column + right),
                };
                let Some(values) = tile.map(|tile| &self.values[tile]) else { continue };
                let [rows, columns] = [up, right].map(|far| if far == 0 { TILE } else { 1 });
                for y in 0..rows as usize {
                    let to = &mut points[y + (up * TILE) as usize][(right * TILE) as usize..];
                    let from = &values[y * TILE as usize..];
                    to[..columns as usize].copy_from_slice(&from[..columns as usize]);
                }
            }
            segments_of_tile(&points, value, [column * TILE, row * TILE], &mut segments);
        }
        joined(segments)
    }
}

/// Adds a particle's weight to the points of a tile. `place` is the particle and `step` the distance of points, both in
/// units of the kernel's radius.
fn add_weight(
    values: &mut [f32; POINTS],
    columns: std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
    place: Vec2,
    step: f32,
    weight: f32,
) {
    for row in rows {
        let up = row as f32 * step - place.y;
        let values = &mut values[row * TILE as usize..][..TILE as usize];
        for column in columns.clone() {
            let right = column as f32 * step - place.x;
            let left = (1.0 - up * up - right * right).max(0.0);
            values[column] += weight * left * left * left;
        }
    }
}

/// An edge of the grid: its lower left point, and whether it is vertical.
type Edge = (i64, i64, bool);

/// A part of a line within a cell, from an edge to another. The liquid is on its left side.
struct Segment {
    start: Edge,
    end: Edge,
    /// Where it begins.
    from: DVec2,
}

/// Appends the parts of lines in the cells of a tile, given the values at their points.
fn segments_of_tile(
    points: &[[f32; TILE as usize + 1]; TILE as usize + 1],
    value: f32,
    origin: [i64; 2],
    segments: &mut Vec<Segment>,
) {
    if points.iter().flatten().all(|point| *point < value) {
        return;
    }
    for y in 0..TILE as usize {
        for x in 0..TILE as usize {
            // Counter-clockwise from the lower left one.
            let corners = [points[y][x], points[y][x + 1], points[y + 1][x + 1], points[y + 1][x]];
            let inside = corners.map(|corner| corner >= value);
            if inside[1..].iter().all(|corner| *corner == inside[0]) {
                continue;
            }
            let (x, y) = (origin[0] + x as i64, origin[1] + y as i64);
            // Below, right, above and left: side `n` is from corner `n` to the next one.
            let edges = [(x, y, false), (x + 1, y, true), (x, y + 1, false), (x, y, true)];
            let is_exit = |side: usize| inside[side % 4] && !inside[(side + 1) % 4];
            let is_entry = |side: usize| !inside[side % 4] && inside[(side + 1) % 4];
            // In a saddle the mean decides whether the liquid is connected.
            let connected = corners.iter().sum::<f32>() >= 4.0 * value;
            for exit in (0..4).filter(|side| is_exit(*side)) {
                let towards = if connected { [1, 2, 3] } else { [3, 2, 1] };
                let entry =
                    towards.into_iter().map(|turn| exit + turn).find(|side| is_entry(*side));
                let Some(entry) = entry else { continue };
                let (a, b) = (corners[exit], corners[(exit + 1) % 4]);
                let along = f64::from((a - value) / (a - b));
                let low = DVec2::new(x as f64, y as f64);
                let from = low
                    + match exit {
                        0 => DVec2::new(along, 0.0),
                        1 => DVec2::new(1.0, along),
                        2 => DVec2::new(1.0 - along, 1.0),
                        _ => DVec2::new(0.0, 1.0 - along),
                    };
                segments.push(Segment { start: edges[exit], end: edges[entry % 4], from });
            }
        }
    }
}

/// Joins parts to closed lines: each edge that a line crosses is the end of one part and the start of another.
fn joined(mut segments: Vec<Segment>) -> Vec<Vec<DVec2>> {
    segments.sort_unstable_by_key(|segment| segment.start);
    let mut done = vec![false; segments.len()];
    let mut lines = Vec::new();
    for first in 0..segments.len() {
        let (mut line, mut next) = (Vec::new(), Some(first));
        while let Some(index) = next.filter(|index| !done[*index]) {
            done[index] = true;
            line.push(segments[index].from);
            let end = segments[index].end;
            next = segments.binary_search_by_key(&end, |segment| segment.start).ok();
        }
        if line.len() > 2 {
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FluidWorld, ParticleSpawn};

    /// A world with a particle at each of these places, in particle spacings, of this relative density.
    fn world(places: impl IntoIterator<Item = Vec2>) -> FluidWorld {
        let mut world = FluidWorld::default();
        let spacing = world.parameters().particle_spacing;
        for place in places {
            let position = place * spacing;
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
        }
        world
    }

    /// Places of a hexagonal lattice in which a particle has an area of 1, if a test holds.
    fn lattice(keep: impl Fn(Vec2) -> bool) -> Vec<Vec2> {
        let distance = (2.0_f32 / 3.0_f32.sqrt()).sqrt();
        let place = |row: i32, column: i32| {
            let shift = 0.5 * f32::from((row % 2).unsigned_abs() as u8);
            distance * Vec2::new(column as f32 + shift, 0.75_f32.sqrt() * row as f32)
        };
        let all = (-60..60).flat_map(|row| (-60..60).map(move |column| (row, column)));
        all.map(|(row, column)| place(row, column)).filter(|at| keep(*at)).collect()
    }

    #[test]
    fn a_ring_of_liquid_has_an_outer_line_and_a_hole_with_their_areas() {
        let world = world(lattice(|at| (12.0..30.0).contains(&at.length())));
        let spacing = f64::from(world.parameters().particle_spacing);
        for step in [0.5, 0.8, 1.0] {
            let settings = OutlineSettings { step, ..Default::default() };
            let lines = outlines(&world, &settings).expect("valid");
            assert_eq!(lines.len(), 2, "{step}");
            let areas = lines.iter().map(|line| line.area() / (spacing * spacing));
            let [hole, outer] = {
                let mut areas: Vec<f64> = areas.collect();
                areas.sort_by(f64::total_cmp);
                [areas[0], areas[1]]
            };
            let radius = |area: f64| (area.abs() / std::f64::consts::PI).sqrt();
            // The line is between no and one spacing outside of the outermost particles.
            assert!((30.0..31.0).contains(&radius(outer)), "{step}: {}", radius(outer));
            assert!((11.0..12.0).contains(&radius(hole)) && hole < 0.0, "{step}: {hole}");
            assert_eq!(lines.iter().filter(|line| line.is_hole()).count(), 1);
        }
    }

    #[test]
    fn a_single_drop_is_a_disc_and_far_away_as_well() {
        for far in [0.0, 1e5] {
            let mut world = world([Vec2::splat(far)]);
            world.particles_mut();
            let index = 0;
            world.liquid_mut().particles.relative_density[index] = 0.0;
            let spacing = f64::from(world.parameters().particle_spacing);
            let settings = OutlineSettings { step: 0.25, ..Default::default() };
            let lines = outlines(&world, &settings).expect("valid");
            assert_eq!(lines.len(), 1);
            let area = lines[0].area() / (spacing * spacing);
            let disc = std::f64::consts::PI * f64::from(DROP_RADIUS * DROP_RADIUS);
            assert!((area / disc - 1.0).abs() < 0.1, "{area} of {disc}");
        }
    }

    #[test]
    fn lines_close_and_are_the_same_across_tiles() {
        // A comb, whose teeth cross many tiles, moved by parts of a tile.
        let comb = |at: Vec2| at.length() < 50.0 && (at.y < -10.0 || at.x.rem_euclid(9.0) < 5.0);
        let areas = [0.0, 3.3, 16.0].map(|shift| {
            let world = world(lattice(comb).into_iter().map(|at| at + shift));
            let lines = outlines(&world, &OutlineSettings::default()).expect("valid");
            for line in &lines {
                let closing = line.corners[0].distance(line.corners[line.corners.len() - 1]);
                assert!(closing < 2.0 * world.parameters().particle_spacing, "open by {closing}");
            }
            lines.iter().map(Outline::area).sum::<f64>()
        });
        assert!(areas.iter().all(|area| (area / areas[0] - 1.0).abs() < 0.002), "{areas:?}");
    }

    #[test]
    fn settings_out_of_range_are_refused_by_their_names() {
        let world = world([Vec2::ZERO]);
        let usual = OutlineSettings::default();
        for (settings, name) in [
            (OutlineSettings { smoothing: 1.0, ..usual }, "smoothing"),
            (OutlineSettings { threshold: f32::NAN, ..usual }, "threshold"),
            (OutlineSettings { step: 0.0, ..usual }, "step"),
        ] {
            let error = outlines(&world, &settings).expect_err("out of range");
            assert!(error.to_string().contains(name), "{error}");
        }
        assert!(outlines(&FluidWorld::default(), &usual).expect("valid").is_empty());
    }
}
