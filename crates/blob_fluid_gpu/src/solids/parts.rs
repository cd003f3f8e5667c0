//! Bodies and pieces of a table while they are collected.

use blob_fluid::{DeviceSolid, FluidBounds};
use glam::Vec2;

use crate::solids::Known;
use crate::solids::bins::{Bins, Placed};
use crate::solids::layout::{BodyEntry, Surface, Table, farthest};
use crate::solids::pieces::Piece;

/// The way of a body through a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    poses: [(Vec2, Vec2); 2],
    turn: f32,
    /// How far the ways of particles that are straight relative to it bulge, in the world.
    bulge: f32,
}

impl Way {
    pub(crate) fn of(solid: &DeviceSolid<'_>) -> Self {
        let poses = [solid.previous_pose, solid.pose];
        let turn = poses[0].1.distance(poses[1].1);
        let way = poses[0].0.distance(poses[1].0);
        let bulge = if turn > 0.0 { turn * (way + turn * farthest(solid)) } else { 0.0 };
        Self { poses, turn, bulge }
    }

    /// Where a piece passes that is felt within a `margin`, by liquid that reaches `reach`.
    fn placed(&self, number: u32, piece: &Piece, margin: f32, reach: f32) -> Placed {
        let [before, after] = self
            .poses
            .map(|(centre, rotation)| piece.ends.map(|end| centre + rotation.rotate(end)));
        let way = |end: usize| before[end].distance(after[end]);
        let margin = margin + way(0).max(way(1)) + self.bulge + self.turn * reach;
        Placed { piece: number, ends: after, margin }
    }
}

/// Bodies and pieces of a table.
pub(crate) struct Parts {
    reach: f32,
    surfaces: Vec<Surface>,
    bodies: Vec<BodyEntry>,
    placed: Vec<Placed>,
    /// Number of pieces.
    count: u32,
}

impl Parts {
    /// None yet. Liquid feels pieces within `reach`.
    pub(crate) fn new(reach: f32) -> Self {
        Self { reach, surfaces: Vec::new(), bodies: Vec::new(), placed: Vec::new(), count: 0 }
    }

    /// The number of a surface.
    pub(crate) fn surface(&mut self, wanted: Surface) -> usize {
        let found = self.surfaces.iter().rposition(|surface| *surface == wanted);
        found.unwrap_or_else(|| {
            self.surfaces.push(wanted);
            self.surfaces.len() - 1
        })
    }

    /// Adds the bodies of a solid, which goes these ways.
    pub(crate) fn add(&mut self, known: &Known, record: [u32; 16], ways: &[Way]) {
        for pieces in known.bodies() {
            let shared = if known.is_split { pieces.into() } else { known.pieces.clone() };
            let everywhere = known.everywhere;
            self.bodies.push(BodyEntry { record, pieces: shared, everywhere });
            for piece in pieces {
                let number = self.count;
                self.count += 1;
                if !known.everywhere {
                    let margin = self.reach + piece.radius + 4.0 * known.slack;
                    let placed = |way: &Way| way.placed(number, piece, margin, self.reach);
                    self.placed.extend(ways.iter().map(placed));
                }
            }
        }
    }

    /// The table, whose first group has the number `base`.
    pub(crate) fn table(self, base: u32, most_bins: f32, domain: FluidBounds) -> Table {
        if self.bodies.is_empty() {
            return Table { base, ..Table::default() };
        }
        let bins = Bins::over(&self.placed, self.reach, most_bins, domain);
        Table::new(base, self.surfaces, &self.bodies, &bins)
    }
}
