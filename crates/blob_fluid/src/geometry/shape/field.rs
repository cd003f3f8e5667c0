//! Shapes drawn in pixels, stored as distances to their outline.

use std::sync::Arc;

use glam::Vec2;

use crate::settings::range::Check;
#[cfg(feature = "snapshot")]
use crate::settings::range::Limits;
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{
    Numbers, Reader, SnapshotError, Stored, Writer, ensure, load_elements, store_elements,
};
use crate::{OutOfRange, work};

/// Largest width or height, in pixels.
const MAX_PIXELS: usize = 4096;

/// Largest number of steps through a picture: four for each pixel of its diagonal, and some more.
const MOST_STEPS: f32 = 32_768.0;

/// A shape drawn in pixels, such as an image's opaque part: the distance of every pixel to its
/// outline, negative inside. Cheap to clone.
///
/// Features thinner than a pixel are lost. Building it takes time in proportion to the pixels: a
/// few milliseconds for 512 by 512.
///
/// ```
/// use blob_fluid::shape::{DistanceField, FluidShape};
/// use glam::Vec2;
/// // A disc, sixteen pixels wide and drawn eighty world units wide.
/// let in_disc = |x: usize, y: usize| Vec2::new(x as f32 - 7.5, y as f32 - 7.5).length() < 7.0;
/// let disc = DistanceField::new(16, 16, Vec2::splat(80.0), in_disc)?;
/// let disc = FluidShape::Field(disc);
/// assert!(disc.contains(Vec2::ZERO) && !disc.contains(Vec2::new(38.0, 38.0)));
/// assert!((disc.distance(Vec2::new(60.0, 0.0)) - 25.0).abs() < 2.5);
/// # Ok::<(), blob_fluid::OutOfRange>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
#[cfg_attr(feature = "bevy_reflect", reflect(opaque, Clone, Debug, PartialEq))]
pub struct DistanceField(Arc<Pixels>);

#[derive(Debug)]
struct Pixels {
    /// Width and height in pixels, with a border of one empty pixel on every side.
    columns: usize,
    rows: usize,
    /// Size of a pixel, in world units.
    pixel: Vec2,
    /// Whether each pixel is part of the shape. Mirroring has already been applied.
    inside: Vec<bool>,
    /// Distances at the pixels' centres, in world units, row by row, from the bottom to the top.
    distances: Vec<f32>,
}

impl DistanceField {
    /// Creates a field from a picture of `width` by `height` pixels, which is `size` world units
    /// wide and high around its centre. `inside(column, row)` returns whether a pixel is part of
    /// the shape. Rows count **downwards**, as in image files.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a width or height of 0 or of more than 4096 pixels, and for a
    /// size that is not finite or not above zero.
    pub fn new(
        width: usize,
        height: usize,
        size: Vec2,
        inside: impl Fn(usize, usize) -> bool,
    ) -> Result<Self, OutOfRange> {
        let check = Check("distance field");
        for (field, pixels) in [("width", width), ("height", height)] {
            let valid = (1..=MAX_PIXELS).contains(&pixels);
            check.that(valid, field, pixels as f32, "between 1 and 4096 pixels")?;
        }
        check.size("size", size.x)?;
        check.size("size", size.y)?;
        let (columns, rows) = (width + 2, height + 2);
        let at = |index: usize| {
            let (column, row) = (index % columns, index / columns);
            let within = (1..=width).contains(&column) && (1..=height).contains(&row);
            within && inside(column - 1, height - row)
        };
        let inside = (0..columns * rows).map(at).collect();
        let pixel = size / Vec2::new(width as f32, height as f32);
        Ok(Self::measured(columns, rows, pixel, inside))
    }

    fn measured(columns: usize, rows: usize, pixel: Vec2, inside: Vec<bool>) -> Self {
        let to_inside = squared_distances(columns, rows, pixel, |index| inside[index]);
        let to_outside = squared_distances(columns, rows, pixel, |index| !inside[index]);
        // The outline lies between the centres of two pixels.
        let half = 0.5 * pixel.min_element();
        let signed = |(to_inside, to_outside): (&f32, &f32)| {
            if *to_inside > 0.0 { to_inside.sqrt() - half } else { half - to_outside.sqrt() }
        };
        let distances = to_inside.iter().zip(&to_outside).map(signed).collect();
        Self(Arc::new(Pixels { columns, rows, pixel, inside, distances }))
    }

    /// Half of the width and of the height, in world units, including an empty border.
    pub(crate) fn half_size(&self) -> Vec2 {
        0.5 * Vec2::new(self.0.columns as f32, self.0.rows as f32) * self.0.pixel
    }

    /// Size of a pixel, in world units.
    pub fn pixel(&self) -> Vec2 {
        self.0.pixel
    }

    pub(crate) fn area(&self) -> f32 {
        let pixels = self.0.inside.iter().filter(|inside| **inside).count();
        pixels as f32 * self.0.pixel.element_product()
    }

    /// The field scaled, and mirrored along axes with a negative factor.
    pub(crate) fn scaled(&self, scale: Vec2) -> Self {
        let Pixels { columns, rows, pixel, inside, .. } = &*self.0;
        let (columns, rows) = (*columns, *rows);
        let mirrored = |index: usize| {
            let (column, row) = (index % columns, index / columns);
            let column = if scale.x < 0.0 { columns - 1 - column } else { column };
            let row = if scale.y < 0.0 { rows - 1 - row } else { row };
            inside[row * columns + column]
        };
        let inside = (0..columns * rows).map(mirrored).collect();
        Self::measured(columns, rows, *pixel * scale.abs(), inside)
    }

    /// Distance to the outline, in world units; negative inside. Beyond the picture's border, it is
    /// an estimate of at most twice the true distance.
    pub(crate) fn distance(&self, point: Vec2) -> f32 {
        work::count(1);
        let Pixels { columns, rows, pixel, distances, .. } = &*self.0;
        let half_size = self.half_size() - 0.5 * *pixel;
        let within = point.max(-half_size).min(half_size);
        let position = (within + half_size) / *pixel;
        let (column, row) = (position.x as usize, position.y as usize);
        let (column, row) = (column.min(columns - 2), row.min(rows - 2));
        let part = position - Vec2::new(column as f32, row as f32);
        let at = |column: usize, row: usize| distances[row * columns + column];
        let mix = |a: f32, b: f32, part: f32| a + (b - a) * part;
        let below = mix(at(column, row), at(column + 1, row), part.x);
        let above = mix(at(column, row + 1), at(column + 1, row + 1), part.x);
        mix(below, above, part.y) + point.distance(within)
    }

    /// The direction in which the distance grows fastest, as a unit vector.
    pub(crate) fn normal(&self, point: Vec2) -> Vec2 {
        let step = self.0.pixel;
        let difference =
            |offset: Vec2| self.distance(point + offset) - self.distance(point - offset);
        let (x, y) = (Vec2::new(step.x, 0.0), Vec2::new(0.0, step.y));
        let gradient = Vec2::new(difference(x) / step.x, difference(y) / step.y);
        gradient.normalize_or(Vec2::Y)
    }

    /// The part of a segment that lies in the picture, as two fractions of the segment. The second
    /// is smaller than the first if no part lies in the picture.
    fn part_inside(&self, start: Vec2, way: Vec2) -> (f32, f32) {
        let half_size = self.half_size();
        let (mut first, mut last) = (0.0_f32, 1.0_f32);
        for (from, step, half) in [(start.x, way.x, half_size.x), (start.y, way.y, half_size.y)] {
            if step != 0.0 {
                let (a, b) = ((-half - from) / step, (half - from) / step);
                (first, last) = (first.max(a.min(b)), last.min(a.max(b)));
            } else if from.abs() > half {
                last = -1.0;
            }
        }
        (first, last)
    }

    /// Points on the outline: the centres of the inside pixels that have an outside neighbour.
    pub(crate) fn edge_points(&self) -> Vec<Vec2> {
        let Pixels { columns, rows, pixel, inside, .. } = &*self.0;
        let (columns, rows) = (*columns, *rows);
        // The border is empty, so every pixel of the shape has four neighbours.
        let on_edge = |index: &usize| {
            let around = [index - 1, index + 1, index - columns, index + columns];
            inside[*index] && around.iter().any(|index| !inside[*index])
        };
        let point = |index: usize| Vec2::new((index % columns) as f32, (index / columns) as f32);
        let inner = (columns..columns * (rows - 1)).filter(|index| inside[*index]);
        inner
            .filter(on_edge)
            .map(|index| (point(index) + 0.5) * *pixel - self.half_size())
            .collect()
    }

    /// The last point on the segment from `start` to `end` before the distance times `sign` first
    /// falls below 0.
    pub(crate) fn enter(&self, start: Vec2, end: Vec2, sign: f32) -> Option<Vec2> {
        let way = end - start;
        let length = way.length();
        // The whole shape is inside the picture.
        let (first, last) = self.part_inside(start, way);
        // Limits the number of steps for pixels with very different sides. A step stays below a quarter of the
        // longer side.
        let shortest =
            (0.25 * self.0.pixel.min_element()).max((last - first) * length / MOST_STEPS);
        let (mut gone, end) = (first * length, last * length);
        while gone < end {
            let point = start + way * (gone / length);
            let free = sign * self.distance(point);
            // Beyond the border the distance is at most twice the true one.
            let next = (gone + (0.5 * free).max(shortest)).min(end);
            if next <= gone {
                // This far from the origin, a step is below the rounding error.
                return None;
            }
            let ahead = start + way * (next / length);
            if sign * self.distance(ahead) < 0.0 {
                let (mut low, mut high) = (gone, next);
                for _ in 0..12 {
                    let middle = 0.5 * (low + high);
                    let inside = sign * self.distance(start + way * (middle / length)) < 0.0;
                    *(if inside { &mut high } else { &mut low }) = middle;
                }
                return Some(start + way * (low / length));
            }
            gone = next;
        }
        None
    }
}

#[cfg(feature = "snapshot")]
impl Stored for DistanceField {
    fn store(&self, to: &mut Writer) {
        // Distances follow from the rest.
        let Pixels { columns, rows, pixel, inside, distances: _ } = &*self.0;
        (*columns as u32, *rows as u32).store(to);
        pixel.store_numbers(to);
        store_elements(&inside.iter().map(|inside| u8::from(*inside)).collect::<Vec<u8>>(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let (columns, rows) = <(u32, u32)>::load(from)?;
        let (columns, rows) = (columns as usize, rows as usize);
        let fits = |pixels: usize| (3..=MAX_PIXELS + 2).contains(&pixels);
        ensure(fits(columns) && fits(rows), "a picture of too few or too many pixels")?;
        let pixel = Numbers::load_within(Limits::POSITIVE, from)?;
        let inside = load_elements::<u8>(columns * rows, from)?;
        let inside = inside.into_iter().map(|inside| inside != 0).collect();
        Ok(Self::measured(columns, rows, pixel, inside))
    }
}

impl PartialEq for DistanceField {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        let size = |pixels: &Pixels| (pixels.columns, pixels.rows, pixels.pixel);
        Arc::ptr_eq(&self.0, &other.0) || size(a) == size(b) && a.inside == b.inside
    }
}

/// Squared distance of every pixel's centre to the nearest `chosen` pixel. It is the lower envelope
/// of parabolas, first along columns, then along rows (Felzenszwalb and Huttenlocher 2012).
fn squared_distances(
    columns: usize,
    rows: usize,
    pixel: Vec2,
    chosen: impl Fn(usize) -> bool,
) -> Vec<f32> {
    // Larger than every squared distance in the picture, and small enough for differences to be
    // exact.
    let far = 4.0 * (pixel * Vec2::new(columns as f32, rows as f32)).length_squared();
    let start = |index| if chosen(index) { 0.0 } else { far };
    let mut squared: Vec<f32> = (0..columns * rows).map(start).collect();
    let longest = columns.max(rows);
    let mut line = vec![0.0; longest];
    let mut envelope = Envelope { lowest: vec![0; longest], from: vec![0.0; longest] };
    for column in 0..columns {
        for row in 0..rows {
            line[row] = squared[row * columns + column];
        }
        envelope.of(&line[..rows], pixel.y, |row, value| squared[row * columns + column] = value);
    }
    for row in 0..rows {
        let pixels = &mut squared[row * columns..(row + 1) * columns];
        line[..columns].copy_from_slice(pixels);
        envelope.of(&line[..columns], pixel.x, |column, value| pixels[column] = value);
    }
    squared
}

/// The lower envelope of parabolas: the indices of the lowest parabolas, and the position from
/// which each is the lowest.
struct Envelope {
    lowest: Vec<usize>,
    from: Vec<f32>,
}

impl Envelope {
    /// Calls `set` with `min over j of (step (i - j))^2 + heights[j]` for every `i`.
    fn of(&mut self, heights: &[f32], step: f32, mut set: impl FnMut(usize, f32)) {
        let square = step * step;
        let mut count = 0;
        for (index, height) in heights.iter().enumerate() {
            let at = |other: usize| {
                let (here, there) = (index as f32, other as f32);
                let rise = (height - heights[other]) / square + here * here - there * there;
                rise / (2.0 * (here - there))
            };
            while count > 0 && at(self.lowest[count - 1]) <= self.from[count - 1] {
                count -= 1;
            }
            self.from[count] =
                if count > 0 { at(self.lowest[count - 1]) } else { f32::NEG_INFINITY };
            self.lowest[count] = index;
            count += 1;
        }
        let mut rank = 0;
        for index in 0..heights.len() {
            while rank + 1 < count && self.from[rank + 1] < index as f32 {
                rank += 1;
            }
            let lowest = self.lowest[rank];
            let offset = (index as f32 - lowest as f32) * step;
            set(index, offset * offset + heights[lowest]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::scatter;

    #[test]
    fn distances_are_those_that_trying_all_pixels_finds() {
        let (columns, rows) = (23, 17);
        let chosen: Vec<bool> =
            (0..columns * rows).map(|index| scatter(index as u32).x > 0.8).collect();
        let pixel = Vec2::new(2.0, 3.0);
        let found = squared_distances(columns, rows, pixel, |index| chosen[index]);
        let point = |index: usize| Vec2::new((index % columns) as f32, (index / columns) as f32);
        for (index, found) in found.iter().enumerate() {
            let all = (0..columns * rows).filter(|other| chosen[*other]);
            let expected =
                all.map(|other| ((point(index) - point(other)) * pixel).length_squared());
            let expected = expected.fold(f32::INFINITY, f32::min);
            assert!((found - expected).abs() <= 1e-3 * (1.0 + expected), "{index} {found}");
        }
    }

    #[test]
    fn a_picture_is_upright_and_mirrors() {
        // The shape is an L: the left column and the bottom row.
        let drawn = DistanceField::new(8, 8, Vec2::splat(8.0), |x, y| x == 0 || y == 7);
        let drawn = drawn.expect("valid");
        let inside = |field: &DistanceField, x, y| field.distance(Vec2::new(x, y)) < 0.0;
        assert!(
            inside(&drawn, -3.5, 3.5) && inside(&drawn, 3.5, -3.5) && !inside(&drawn, 3.5, 3.5)
        );
        let mirrored = drawn.scaled(Vec2::new(-2.0, 1.0));
        assert!(inside(&mirrored, 7.0, 3.5) && !inside(&mirrored, -7.0, 3.5));
        assert_eq!(mirrored.pixel(), Vec2::new(2.0, 1.0));
    }

    #[test]
    fn a_way_stops_before_the_outline_from_either_side() {
        let disc = |x: usize, y: usize| Vec2::new(x as f32 - 31.5, y as f32 - 31.5).length() < 20.0;
        let disc = DistanceField::new(64, 64, Vec2::splat(64.0), disc).expect("valid");
        let (inner, outer) = (Vec2::new(2.0, 1.0), Vec2::new(60.0, 20.0));
        let from_outside = disc.enter(outer, inner, 1.0).expect("met");
        let from_inside = disc.enter(inner, outer, -1.0).expect("met");
        for point in [from_outside, from_inside] {
            assert!((point.length() - 20.0).abs() < 1.0, "{point}");
            assert!((disc.normal(point).dot(point.normalize()) - 1.0).abs() < 0.05);
        }
        assert!(disc.distance(from_outside) >= 0.0 && disc.distance(from_inside) <= 0.0);
        assert_eq!(disc.enter(outer, Vec2::new(-60.0, 30.0), 1.0), None);
    }
}
