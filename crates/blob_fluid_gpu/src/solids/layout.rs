//! The layout of the buffer `Solids`, in groups of four numbers of 32 bits: a header, then the tables of
//! the bodies that stand and of the others. A table holds walls, bodies, pieces, bins, and what is in none.

use std::sync::Arc;

use blob_fluid::{
    ClassFilter, ClassId, DeviceCoefficients, DeviceSeams, DeviceSolid, WallProperties,
};

use crate::records::NO_TEMPERATURE;
use crate::solids::bins::Bins;
use crate::solids::pieces::Piece;

/// Groups of the header.
pub(crate) const HEADER: u32 = 8;

/// Groups of a body's record.
pub(crate) const BODY: u32 = 4;

const WALL: u32 = 4;
const PIECE: u32 = 2;

/// What colliders with the same surface, which stop the same classes, share.
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
    /// Whether it is felt everywhere, and is in no bin.
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
    /// Its part of the header.
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
            let numbers = [
                wall.drag,
                wall.rest,
                wall.reach,
                wall.impact_friction,
                wall.stick_per_step,
                wall.stick_reach,
                wall.wetting,
                wall.temperature.unwrap_or(NO_TEMPERATURE),
            ];
            for (word, number) in record.iter_mut().zip(numbers) {
                *word = number.to_bits();
            }
            for class in (0..=u8::MAX).filter(|class| surface.stops.contains(ClassId(*class))) {
                record[8 + class as usize / 32] |= 1 << (class % 32);
            }
            changed |= words != record;
            words.copy_from_slice(&record);
        }
        changed
    }
}

/// The record of a body whose surface has this number, with these marks.
pub(crate) fn body_record(solid: &DeviceSolid<'_>, surface: usize, marks: u32) -> [u32; 16] {
    let (earlier, later) = (solid.previous_pose, solid.pose);
    let vectors = [earlier.0, earlier.1, later.0, later.1, solid.velocity];
    let numbers = vectors.into_iter().flat_map(|vector| vector.to_array());
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

/// The record of a body in a table with this base: with the place of its surface.
fn placed_record(base: u32, mut record: [u32; 16]) -> [u32; 16] {
    record[14] = base + WALL * record[14];
    record
}
