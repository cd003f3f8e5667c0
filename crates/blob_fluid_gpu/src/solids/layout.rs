//! The layout of the buffer `Solids`, in groups of four 32-bit numbers. A header comes first, then
//! the tables of standing and of moving bodies. A table contains walls, bodies, pieces, bins, and
//! the bodies without bins.

use std::collections::HashMap;
use std::sync::Arc;

use blob_fluid::device::{DeviceCoefficients, DeviceSeams, DeviceSolid};
use blob_fluid::shape::iso_lines;
use blob_fluid::{ClassFilter, ClassId, FluidBounds, FluidShape, WallProperties};
use glam::{DVec2, UVec2, Vec2};

/// Number of groups of the header.
pub(crate) const HEADER: u32 = 8;

/// Number of groups of a body's record.
pub(crate) const BODY: u32 = 4;

const WALL: u32 = 4;
const PIECE: u32 = 2;

/// The shared properties of colliders with the same surface that stop the same classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Surface {
    pub wall: WallProperties,
    pub stops: ClassFilter,
}

/// A body and its pieces.
#[derive(Clone, Debug)]
pub(crate) struct BodyEntry {
    pub record: [u32; 16],
    pub pieces: Arc<[Piece]>,
    /// Whether the body acts everywhere, and is not in the bins.
    pub everywhere: bool,
}

/// A table in the buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub words: Vec<u32>,
    /// Number of the first group.
    pub base: u32,
    pub surfaces: Vec<Surface>,
    /// The group of the first body.
    pub bodies: u32,
    pub body_count: u32,
    /// Its part of the buffer's header.
    pub header: [u32; 12],
}

impl Table {
    /// The number of groups.
    pub(crate) fn groups(&self) -> u32 {
        (self.words.len() / 4) as u32
    }

    /// A table whose first group has the number `base`.
    pub(crate) fn new(
        base: u32,
        surfaces: Vec<Surface>,
        bodies: &[BodyEntry],
        bins: &Bins,
    ) -> Self {
        let mut words = vec![0; 4 * WALL as usize * surfaces.len()];
        let at = |words: &Vec<u32>| base + (words.len() / 4) as u32;
        let first_body = at(&words);
        for body in bodies {
            words.extend(placed_record(base, body.record));
        }
        let first_piece = at(&words);
        let mut everywhere = Vec::new();
        let mut number = 0;
        for (index, body) in bodies.iter().enumerate() {
            for piece in &*body.pieces {
                if body.everywhere {
                    everywhere.push(number);
                }
                number += 1;
                words.extend(
                    piece.ends.map(|end| end.to_array()).as_flattened().iter().map(|x| x.to_bits()),
                );
                let owner = first_body + BODY * index as u32;
                words.extend([owner, piece.kind, piece.radius.to_bits(), 0]);
            }
        }
        let pad = |words: &mut Vec<u32>| words.resize(words.len().next_multiple_of(4), 0);
        let address = |piece: &u32| first_piece + PIECE * piece;
        let word = |words: &Vec<u32>| 4 * base + words.len() as u32;
        let starts = word(&words);
        let entries = starts + (bins.starts.len() as u32).next_multiple_of(4);
        words.extend(bins.starts.iter().map(|start| entries + start));
        pad(&mut words);
        words.extend(bins.entries.iter().map(address));
        pad(&mut words);
        let first = word(&words);
        words.extend(everywhere.iter().map(address));
        pad(&mut words);
        let [x, y] = bins.low.to_array().map(f32::to_bits);
        let header = [
            x,
            y,
            bins.per_bin.to_bits(),
            0,
            bins.columns,
            bins.rows,
            starts,
            0,
            first,
            first + everywhere.len() as u32,
            0,
            0,
        ];
        Self { words, base, surfaces, bodies: first_body, body_count: bodies.len() as u32, header }
    }

    /// A body's record as it is in the table.
    pub(crate) fn placed_record(&self, record: [u32; 16]) -> [u32; 16] {
        placed_record(self.base, record)
    }

    /// Writes the coefficients of the surfaces; returns whether they have changed.
    pub(crate) fn set_coefficients(&mut self, coefficients: &DeviceCoefficients) -> bool {
        let mut changed = false;
        let walls = self.words.chunks_exact_mut(4 * WALL as usize);
        for (words, surface) in walls.zip(&self.surfaces) {
            let wall = coefficients.wall(surface.wall);
            let mut record = [0; 16];
            record[..8].copy_from_slice(&bytemuck::cast::<_, [u32; 8]>(wall));
            for class in (0..=u8::MAX).filter(|class| surface.stops.contains(ClassId(*class))) {
                record[8 + class as usize / 32] |= 1 << (class % 32);
            }
            changed |= words != record;
            words.copy_from_slice(&record);
        }
        changed
    }
}

/// The record of a body. `surface` is the number of its surface, and `marks` are its flags.
pub(crate) fn body_record(solid: &DeviceSolid<'_>, surface: usize, marks: u32) -> [u32; 16] {
    let poses = [solid.previous_pose, solid.pose];
    let vectors = poses.into_iter().flat_map(|pose| [pose.translation, pose.rotation]);
    let numbers = vectors.chain([solid.velocity]).flat_map(|vector| vector.to_array());
    let farthest = farthest(solid).min(1e30);
    let numbers = numbers.chain([solid.angular_velocity, farthest, solid.slack, solid.fade_in]);
    let mut record = [0; 16];
    for (word, number) in record.iter_mut().zip(numbers) {
        *word = number.to_bits();
    }
    record[14] = surface as u32;
    record[15] = marks;
    record
}

/// Whether a body with this record moves.
pub(crate) fn in_motion(record: &[u32; 16]) -> bool {
    record[8..11].iter().any(|number| f32::from_bits(*number) != 0.0)
}

/// The largest distance of a corner of the box around a solid from its centre.
pub(crate) fn farthest(solid: &DeviceSolid<'_>) -> f32 {
    let bounds = solid.shape.bounds();
    bounds.low.abs().max(bounds.high.abs()).length()
}

/// The header of the buffer.
pub(crate) fn header(standing: &Table, moving: &Table, seams: DeviceSeams) -> [u32; 32] {
    let mut words = [0; 32];
    words[..12].copy_from_slice(&standing.header);
    words[12..24].copy_from_slice(&moving.header);
    words[24] = seams.jump_depth.to_bits();
    words[25] = seams.seam_gap.to_bits();
    words[26] = seams.least_bend_radius.to_bits();
    words
}

/// The record of a body in a table with this base, with the place of its surface instead of the number.
fn placed_record(base: u32, mut record: [u32; 16]) -> [u32; 16] {
    record[14] = base + WALL * record[14];
    record
}

// Bins: the pieces near a place.

/// The place of a piece, or the region through which it passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// Number of the piece. Pieces are sorted by number.
    pub piece: u32,
    pub ends: [Vec2; 2],
    /// Distance from the line between the ends within which the piece acts.
    pub margin: f32,
}

impl Placed {
    fn bounds(&self) -> FluidBounds {
        FluidBounds::of(&self.ends).inflated(self.margin)
    }

    fn is_felt(&self, point: Vec2, distance: f32) -> bool {
        distance_to_line(self.ends, point) <= self.margin + distance
    }
}

/// A body in which liquid may be deeper than the range of its pieces.
pub(crate) struct Deep<'a> {
    /// The box in which liquid may be that deep.
    pub bounds: FluidBounds,
    /// The piece through which liquid at a point leaves; `None` if the point is not that deep.
    pub way_out: Box<dyn Fn(Vec2) -> Option<u32> + 'a>,
}

/// For each bin of a grid, the pieces that act in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bins {
    pub low: Vec2,
    pub per_bin: f32,
    pub columns: u32,
    pub rows: u32,
    /// The first entry of each bin, and the end of the last one.
    pub starts: Vec<u32>,
    /// Numbers of pieces, ascending in each bin.
    pub entries: Vec<u32>,
}

impl Bins {
    /// The pieces that act at a point.
    pub(crate) fn at(&self, point: Vec2) -> &[u32] {
        let at = (point - self.low) * self.per_bin;
        let count = UVec2::new(self.columns, self.rows);
        if !(at.cmpge(Vec2::ZERO).all() && at.cmplt(count.as_vec2()).all()) {
            return &[];
        }
        let at = at.as_uvec2().min(count - 1);
        let bin = (at.y * count.x + at.x) as usize;
        &self.entries[self.starts[bin] as usize..self.starts[bin + 1] as usize]
    }

    /// Bins of at least this `size` for the pieces, where they act in `domain`.
    ///
    /// If no piece of a body acts in a bin, `deep` is asked for a piece for the middle of the bin.
    /// Liquid deep in the body leaves through that piece.
    pub(crate) fn over(
        placed: &[Placed],
        size: f32,
        most: f32,
        domain: FluidBounds,
        deep: &[Deep<'_>],
    ) -> Self {
        let felt = placed.iter().map(Placed::bounds).filter(|bounds| bounds.low.is_finite());
        let all = felt.fold(FluidBounds::NONE, FluidBounds::union).intersection(domain);
        if !(all.low.cmple(all.high).all() && all.low.is_finite() && all.high.is_finite()) {
            return Self::default();
        }
        let mut size = size;
        let bins = |size: f32| ((all.high - all.low) / size).ceil().max(Vec2::ONE);
        while bins(size).element_product() > most {
            size *= 2.0;
        }
        let count = bins(size).as_uvec2();
        let low = all.low;
        // Half of a bin's diagonal, with a margin for rounding.
        let half = 0.708 * size;
        let middle = |column: u32, row: u32| low + (UVec2::new(column, row).as_vec2() + 0.5) * size;
        let mut found = Vec::new();
        let mut last = vec![u32::MAX; (count.x * count.y) as usize];
        let range = |bounds: FluidBounds| {
            let first = ((bounds.low - low) / size).floor().max(Vec2::ZERO).as_uvec2();
            let end = ((bounds.high - low) / size).floor().max(-Vec2::ONE) + 1.0;
            (first, end.as_uvec2().min(count))
        };
        for place in placed {
            let (first, end) = range(place.bounds());
            for row in first.y..end.y {
                for column in first.x..end.x {
                    let bin = row * count.x + column;
                    let felt = || place.is_felt(middle(column, row), half);
                    if last[bin as usize] != place.piece && felt() {
                        last[bin as usize] = place.piece;
                        found.push((bin, place.piece));
                    }
                }
            }
        }
        let of_pieces = found.len();
        for body in deep {
            let (first, end) = range(body.bounds);
            for row in first.y..end.y {
                for column in first.x..end.x {
                    if let Some(piece) = (body.way_out)(middle(column, row)) {
                        found.push((row * count.x + column, piece));
                    }
                }
            }
        }
        if found.len() > of_pieces {
            found.sort_by_key(|(_, piece)| *piece);
        }
        let mut starts = vec![0; last.len() + 1];
        for (bin, _) in &found {
            starts[*bin as usize + 1] += 1;
        }
        for bin in 1..starts.len() {
            starts[bin] += starts[bin - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; found.len()];
        for (bin, piece) in found {
            let place = &mut next[bin as usize];
            entries[*place as usize] = piece;
            *place += 1;
        }
        Self { low, per_bin: 1.0 / size, columns: count.x, rows: count.y, starts, entries }
    }
}

// The pieces of shapes on the GPU.

/// A piece of a shape, in the frame of its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    /// The ends of an edge, or of a bar's axis. For a half plane, the first one is the normal.
    pub ends: [Vec2; 2],
    /// Radius of a bar's round ends, or the height of the body's centre above a half plane.
    pub radius: f32,
    /// Its kind and flags; see `shaders/solids.wgsl`.
    pub kind: u32,
}

impl Piece {
    const EDGE: u32 = 0;
    const BAR: u32 = 1;
    const PLANE: u32 = 2;
    const TWO_SIDED: u32 = 4;
    const HOLLOW_START: u32 = 8;
    const HOLLOW_END: u32 = 16;
    const COVERED: u32 = 32;

    fn edge(ends: [Vec2; 2], flags: u32) -> Self {
        Self { ends, radius: 0.0, kind: Self::EDGE | flags }
    }

    fn plane(normal: Vec2, height: f32) -> Self {
        Self { ends: [normal, Vec2::ZERO], radius: height, kind: Self::PLANE }
    }

    fn bar(ends: [Vec2; 2], radius: f32) -> Self {
        Self { ends, radius, kind: Self::BAR }
    }

    /// Points beside an edge with one free side, at a distance on that side; `None` for other pieces.
    pub(crate) fn points_beside(&self, distance: f32) -> Option<[Vec2; 3]> {
        let [start, end] = self.ends;
        let left = (end - start).perp().normalize_or(Vec2::Y) * distance;
        let is_edge = self.kind & !(Self::HOLLOW_START | Self::HOLLOW_END) == Self::EDGE;
        is_edge.then(|| [0.1, 0.5, 0.9].map(|part| start.lerp(end, part) + left))
    }

    /// The same piece, marked as covered by another collider.
    pub(crate) fn covered(self) -> Self {
        Self { kind: self.kind | Self::COVERED, ..self }
    }

    /// Distance of a point from it, in the frame of its body.
    pub(crate) fn distance(&self, point: Vec2) -> f32 {
        distance_to_line(self.ends, point) - self.radius
    }

    /// Whether it is a half plane.
    pub(crate) fn is_plane(&self) -> bool {
        self.kind == Self::PLANE
    }
}

/// Distance of a point from the line between two points.
pub(crate) fn distance_to_line([start, end]: [Vec2; 2], point: Vec2) -> f32 {
    let way = end - start;
    let along = (point - start).dot(way) / way.length_squared();
    // The division gives NaN if both ends are the same point.
    let along = if along.is_finite() { along.clamp(0.0, 1.0) } else { 0.0 };
    point.distance(start + way * along)
}

/// The pieces of a solid, and whether each piece is a separate wall.
///
/// A line that is solid outside has no pieces, because it leaves no free space.
pub(crate) fn pieces_of(solid: &DeviceSolid<'_>) -> (Vec<Piece>, bool) {
    let each = solid.is_container && matches!(solid.shape, FluidShape::Rectangle { .. });
    (pieces(solid), each)
}

fn pieces(solid: &DeviceSolid<'_>) -> Vec<Piece> {
    let (shape, inside_out) = (solid.shape, solid.inside_out);
    match shape {
        FluidShape::Rectangle { half_size } if solid.is_container => vec![
            Piece::plane(Vec2::X, half_size.x),
            Piece::plane(-Vec2::X, half_size.x),
            Piece::plane(Vec2::Y, half_size.y),
            Piece::plane(-Vec2::Y, half_size.y),
        ],
        FluidShape::Circle { radius } => vec![Piece::bar([Vec2::ZERO; 2], *radius)],
        FluidShape::Capsule { half_length, radius } => {
            let tip = Vec2::new(0.0, *half_length);
            vec![Piece::bar([-tip, tip], *radius)]
        }
        FluidShape::HalfPlane { normal } => {
            let normal = if inside_out { -*normal } else { *normal };
            vec![Piece::plane(normal, 0.0)]
        }
        FluidShape::Rectangle { .. } => {
            let rings: Vec<Vec<Vec2>> = shape.outlines().concat();
            of_rings(&rings, inside_out)
        }
        FluidShape::Polygon(polygon) => of_rings(polygon.rings(), inside_out),
        FluidShape::Polyline(_) if inside_out => Vec::new(),
        FluidShape::Polyline(line) => {
            let pairs = line.points().windows(2).map(|pair| [pair[0], pair[1]]);
            let half = 0.5 * line.thickness();
            let sides = if solid.one_way { 0 } else { Piece::TWO_SIDED };
            let piece = |ends| match half {
                0.0 => Piece::edge(ends, sides),
                _ => Piece::bar(ends, half),
            };
            pairs.filter(|[start, end]| start != end).map(piece).collect()
        }
        FluidShape::Field(field) => {
            let bounds = shape.bounds();
            let size = bounds.high - bounds.low;
            // Iso lines are limited to four million squares.
            let step = field.pixel().min_element().max((size.element_product() / 3.9e6).sqrt());
            let mut lines = Vec::new();
            iso_lines(
                bounds,
                step,
                &[0.0],
                |point| shape.distance(point),
                |_, ends| {
                    lines.push(ends);
                },
            );
            lines.retain(|[start, end]| start != end);
            for ends in &mut lines {
                let left = (ends[1] - ends[0]).perp().normalize_or(Vec2::Y);
                let beside = 0.5 * (ends[0] + ends[1]) + left * (0.25 * step);
                if (shape.distance(beside) < 0.0) != inside_out {
                    ends.swap(0, 1);
                }
            }
            with_corners(lines, step * 1e-3)
        }
    }
}

/// The edges of rings, with their free sides to their left. Both sides are free where rings cross.
fn of_rings(rings: &[Vec<Vec2>], inside_out: bool) -> Vec<Piece> {
    let rings: Vec<Vec<Vec2>> = rings.iter().map(|ring| without_doubles(ring)).collect();
    let mut pieces = Vec::new();
    for (index, ring) in rings.iter().enumerate().filter(|(_, ring)| ring.len() >= 2) {
        let others = rings.iter().enumerate().filter(|(other, _)| *other != index);
        let is_hole = others.filter(|(_, other)| encloses(other, ring[0])).count() % 2 == 1;
        let counter_clockwise = twice_area(ring) > 0.0;
        let mut ring = ring.clone();
        // A clockwise outline has the outside to its left.
        if counter_clockwise == (is_hole == inside_out) {
            ring.reverse();
        }
        let count = ring.len();
        let hollow = |corner: usize| {
            let [before, at, after] =
                [corner + count - 1, corner, corner + 1].map(|index| ring[index % count]);
            (at - before).as_dvec2().perp_dot((after - at).as_dvec2()) > 0.0
        };
        for corner in 0..count {
            let next = (corner + 1) % count;
            let start = if hollow(corner) { Piece::HOLLOW_START } else { 0 };
            let end = if hollow(next) { Piece::HOLLOW_END } else { 0 };
            pieces.push(Piece::edge([ring[corner], ring[next]], start | end));
        }
    }
    if any_cross(&pieces) {
        pieces.iter_mut().for_each(|piece| piece.kind = Piece::EDGE | Piece::TWO_SIDED);
    }
    pieces
}

fn without_doubles(ring: &[Vec2]) -> Vec<Vec2> {
    let mut corners = ring.to_vec();
    corners.dedup();
    while corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    corners
}

fn twice_area(ring: &[Vec2]) -> f64 {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(a, b)| a.as_dvec2().perp_dot(b.as_dvec2())).sum()
}

fn encloses(ring: &[Vec2], point: Vec2) -> bool {
    let point = point.as_dvec2();
    let edges = ring.iter().zip(ring.iter().cycle().skip(1));
    let right_of = |(start, end): &(&Vec2, &Vec2)| {
        let (start, end): (DVec2, DVec2) = (start.as_dvec2(), end.as_dvec2());
        (start.y > point.y) != (end.y > point.y)
            && point.x < start.x + (end.x - start.x) * (point.y - start.y) / (end.y - start.y)
    };
    edges.filter(right_of).count() % 2 == 1
}

/// Largest number of edges of a shape that are tested for crossing. With more edges, the shape
/// counts as not crossing itself.
const MOST_TESTED: usize = 4096;

fn any_cross(pieces: &[Piece]) -> bool {
    let side = |[start, end]: [Vec2; 2], point: Vec2| {
        let [start, end, point] = [start, end, point].map(Vec2::as_dvec2);
        (end - start).perp_dot(point - start)
    };
    let apart = |line: [Vec2; 2], ends: [Vec2; 2]| side(line, ends[0]) * side(line, ends[1]) < 0.0;
    let tested = if pieces.len() > MOST_TESTED { &[] } else { pieces };
    tested.iter().enumerate().any(|(index, one)| {
        tested[..index]
            .iter()
            .any(|other| apart(one.ends, other.ends) && apart(other.ends, one.ends))
    })
}

/// Edges with their free sides to their left. Ends within a distance of each other are joined.
fn with_corners(lines: Vec<[Vec2; 2]>, within: f32) -> Vec<Piece> {
    let place = |point: Vec2| (point / within).round().as_i64vec2();
    let ways = |end: usize| -> HashMap<_, Vec2> {
        lines.iter().map(|ends| (place(ends[end]), ends[1] - ends[0])).collect()
    };
    let (starting, ending) = (ways(0), ways(1));
    let hollow = |before: Option<&Vec2>, after: Option<&Vec2>, flag: u32| match (before, after) {
        (Some(before), Some(after)) if before.perp_dot(*after) > 0.0 => flag,
        _ => 0,
    };
    let piece = |ends: &[Vec2; 2]| {
        let way = ends[1] - ends[0];
        let start = hollow(ending.get(&place(ends[0])), Some(&way), Piece::HOLLOW_START);
        let end = hollow(Some(&way), starting.get(&place(ends[1])), Piece::HOLLOW_END);
        Piece::edge(*ends, start | end)
    };
    lines.iter().map(piece).collect()
}
