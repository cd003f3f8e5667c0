//! Bodies and pieces of a table during its construction.

use std::sync::Arc;

use blob_fluid::device::DeviceSolid;
use blob_fluid::{FluidBounds, FluidShape, Pose};
use glam::Vec2;

use crate::solids::layout::{
    Bins, BodyEntry, Deep, Piece, Placed, Surface, Table, farthest, pieces_of,
};

/// The path of a body through a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    poses: [Pose; 2],
    turn: f32,
    /// Bulge of paths that are straight relative to the body, in world units.
    bulge: f32,
}

impl Way {
    pub(crate) fn of(solid: &DeviceSolid<'_>) -> Self {
        let poses = [solid.previous_pose, solid.pose];
        let turn = poses[0].rotation.distance(poses[1].rotation);
        let way = poses[0].translation.distance(poses[1].translation);
        let bulge = if turn > 0.0 { turn * (way + turn * farthest(solid)) } else { 0.0 };
        Self { poses, turn, bulge }
    }

    /// The region through which a piece passes. It acts within `margin`, on liquid with the reach `reach`.
    fn placed(&self, number: u32, piece: &Piece, margin: f32, reach: f32) -> Placed {
        let [before, after] = self.poses.map(|pose| piece.ends.map(|end| pose.to_world(end)));
        let way = |end: usize| before[end].distance(after[end]);
        let margin = margin + way(0).max(way(1)) + self.bulge + self.turn * reach;
        Placed { piece: number, ends: after, margin }
    }
}

/// The data of a body for searches.
struct Body {
    shape: FluidShape,
    pose: Pose,
    /// -1 for a body that is solid outside of its shape, otherwise 1.
    sign: f32,
    /// Whether liquid may be inside it.
    has_depth: bool,
    first_piece: u32,
}

impl Body {
    /// Distance of a point in the world, negative inside the solid.
    fn distance(&self, point: Vec2) -> f32 {
        self.sign * self.shape.distance(self.pose.to_local(point))
    }

    /// Number of its nearest piece, if a point is deeper than `reach`.
    fn way_out(&self, pieces: &[Piece], point: Vec2, reach: f32) -> Option<u32> {
        if self.distance(point) > -reach {
            return None;
        }
        let local = self.pose.to_local(point);
        let distances = pieces.iter().map(|piece| piece.distance(local).abs());
        let nearest = (0..).zip(distances).min_by(|one, other| one.1.total_cmp(&other.1));
        nearest.map(|(number, _)| self.first_piece + number)
    }

    /// A box around its solid part.
    fn bounds(&self) -> FluidBounds {
        let local = self.shape.bounds();
        let middle = self.pose.to_world(local.centre());
        let reach = local.half_size().length();
        if self.sign < 0.0 || !reach.is_finite() {
            return FluidBounds::ALL;
        }
        FluidBounds { low: middle, high: middle }.inflated(reach)
    }
}

/// Bodies and pieces of a table.
pub(crate) struct Parts {
    reach: f32,
    surfaces: Vec<Surface>,
    bodies: Vec<BodyEntry>,
    searched: Vec<Body>,
    placed: Vec<Placed>,
    /// Number of pieces.
    count: u32,
}

/// Largest work of searching exits from a deep body, in bins times pieces. The first limit is
/// for a standing body, searched once; the second is for a moving body, searched in every tick.
const MOST_WORK: [f32; 2] = [4e6, 2e4];

impl Parts {
    /// A collection without parts. Liquid feels pieces within `reach`.
    pub(crate) fn new(reach: f32) -> Self {
        Self {
            reach,
            surfaces: Vec::new(),
            bodies: Vec::new(),
            searched: Vec::new(),
            placed: Vec::new(),
            count: 0,
        }
    }

    /// The number of a surface, which is added if it is new.
    pub(crate) fn surface(&mut self, wanted: Surface) -> usize {
        let found = self.surfaces.iter().rposition(|surface| *surface == wanted);
        found.unwrap_or_else(|| {
            self.surfaces.push(wanted);
            self.surfaces.len() - 1
        })
    }

    /// Adds the bodies of a solid with these paths.
    pub(crate) fn add(&mut self, known: &Known, record: [u32; 16], ways: &[Way]) {
        for pieces in known.bodies() {
            let shared = if known.is_split { pieces.into() } else { known.pieces.clone() };
            let everywhere = known.everywhere;
            self.searched.push(Body {
                shape: known.shape.clone(),
                pose: ways.last().map_or(known.pose, |way| way.poses[1]),
                sign: if known.is_inside_out() { -1.0 } else { 1.0 },
                has_depth: known.flags & (LINE | ONE_WAY) == 0 && !everywhere,
                first_piece: self.count,
            });
            self.bodies.push(BodyEntry { record, pieces: shared, everywhere });
            for piece in pieces {
                let number = self.count;
                self.count += 1;
                if !known.everywhere {
                    // A yielding body may be displaced from the host's pose.
                    let offset = if known.slot == 0 { 0.0 } else { self.reach };
                    let margin = self.reach + piece.radius + 4.0 * known.slack + offset;
                    let placed = |way: &Way| way.placed(number, piece, margin, self.reach);
                    self.placed.extend(ways.iter().map(placed));
                }
            }
        }
    }

    /// Bodies in which liquid may be deep, if the search for their exits takes at most `work`, in
    /// bins times pieces.
    fn deep(&self, work: f32) -> Vec<Deep<'_>> {
        let deep = self.searched.iter().zip(&self.bodies).filter(|(body, _)| body.has_depth);
        let deep = deep.filter(|(body, entry)| {
            let bins = (2.0 * body.bounds().half_size() / self.reach).element_product();
            bins * entry.pieces.len() as f32 <= work
        });
        deep.map(|(body, entry)| Deep {
            bounds: body.bounds(),
            way_out: Box::new(|point| body.way_out(&entry.pieces, point, self.reach)),
        })
        .collect()
    }

    /// Marks the edges of standing bodies that other bodies cover, like the sides of the tiles of a
    /// wall. Gaps up to `seam_gap` count as covered.
    fn cover(&mut self, bins: &Bins, seam_gap: f32) {
        let owners: Vec<u32> = (0..)
            .zip(&self.bodies)
            .flat_map(|(index, body)| std::iter::repeat_n(index, body.pieces.len()))
            .collect();
        for index in 0..self.bodies.len() {
            let (body, entry) = (&self.searched[index], &self.bodies[index]);
            if !body.has_depth {
                continue;
            }
            let stops = entry.record[14];
            let within_another = |point: Vec2| {
                let point = body.pose.to_world(point);
                bins.at(point).iter().map(|piece| owners[*piece as usize] as usize).any(|other| {
                    let same = self.surfaces[self.bodies[other].record[14] as usize].stops
                        == self.surfaces[stops as usize].stops;
                    let searched = &self.searched[other];
                    other != index && same && searched.has_depth && searched.distance(point) < 0.0
                })
            };
            let is_covered = |piece: &Piece| {
                let beside = piece.points_beside(2.0 * seam_gap);
                beside.is_some_and(|points| points.into_iter().all(within_another))
            };
            let covered: Vec<bool> = entry.pieces.iter().map(is_covered).collect();
            if covered.contains(&true) {
                let pieces = entry.pieces.iter().zip(&covered);
                let marked = pieces.map(|(piece, covered)| match covered {
                    true => piece.covered(),
                    false => *piece,
                });
                self.bodies[index].pieces = marked.collect();
            }
        }
    }

    /// The table of moving solids.
    pub(crate) fn table(self, base: u32, most_bins: f32, domain: FluidBounds) -> Table {
        if self.bodies.is_empty() {
            return Table { base, ..Table::default() };
        }
        let bins =
            Bins::over(&self.placed, self.reach, most_bins, domain, &self.deep(MOST_WORK[1]));
        Table::new(base, self.surfaces, &self.bodies, &bins)
    }

    /// The table of standing solids.
    pub(crate) fn standing_table(
        mut self,
        base: u32,
        most_bins: f32,
        domain: FluidBounds,
        seam_gap: f32,
    ) -> Table {
        if self.bodies.is_empty() {
            return Table { base, ..Table::default() };
        }
        let bins =
            Bins::over(&self.placed, self.reach, most_bins, domain, &self.deep(MOST_WORK[0]));
        self.cover(&bins, seam_gap);
        Table::new(base, self.surfaces, &self.bodies, &bins)
    }
}

// Known solids, to detect changes.

/// A container with more pieces acts in bins only.
const MOST_EVERYWHERE: usize = 32;

/// Flags of bodies; see `shaders/solids.wgsl`.
pub(crate) const ONE_WAY: u32 = 1;
const INSIDE_OUT: u32 = 2;
pub(crate) const LINE: u32 = 4;
const HOLDS: u32 = 8;
const CORNERS: u32 = 16;
const FACES: u32 = 32;

/// A solid at the time when its pieces were computed.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub shape: FluidShape,
    pub pose: Pose,
    pub surface: Surface,
    pub slack: f32,
    pub flags: u32,
    /// The place of the solid's slot among the load bearers; 0 if the solid bears no load.
    pub slot: u32,
    /// Whether the solid is a standing box or disc as container, for which shaders have special code.
    pub is_plain: bool,
    pub stands: bool,
    /// Whether each piece is a separate wall.
    pub is_split: bool,
    pub everywhere: bool,
    pub pieces: Arc<[Piece]>,
}

/// Whether it is a container for which shaders have special code: a standing box or disc.
pub(crate) fn is_plain(solid: &DeviceSolid<'_>) -> bool {
    let round_or_square =
        matches!(solid.shape, FluidShape::Rectangle { .. } | FluidShape::Circle { .. });
    solid.is_container && round_or_square && !solid.moves
}

impl Known {
    pub(crate) fn of(solid: &DeviceSolid<'_>, slot: u32, before: Option<&Self>) -> Self {
        let line = matches!(solid.shape, FluidShape::Polyline(_));
        let polygon = matches!(solid.shape, FluidShape::Polygon(_));
        let rectangle = matches!(solid.shape, FluidShape::Rectangle { .. });
        let bit = |set: bool, flag: u32| if set { flag } else { 0 };
        let flags = bit(solid.one_way, ONE_WAY)
            | bit(solid.inside_out, INSIDE_OUT)
            | bit(line, LINE)
            | bit(solid.is_container, HOLDS)
            | bit(!solid.inside_out && (rectangle || polygon), CORNERS)
            | bit(!solid.is_container && (polygon || line || rectangle && solid.inside_out), FACES);
        let same = before.filter(|known| known.flags == flags && known.shape == *solid.shape);
        let (pieces, is_split) = match same {
            Some(known) => (known.pieces.clone(), known.is_split),
            None => {
                let (pieces, is_split) = pieces_of(solid);
                (pieces.into(), is_split)
            }
        };
        let everywhere = pieces.iter().any(Piece::is_plane)
            || solid.is_container && pieces.len() <= MOST_EVERYWHERE;
        Self {
            shape: solid.shape.clone(),
            pose: solid.pose,
            surface: Surface { wall: solid.wall, stops: solid.stops },
            slack: solid.slack,
            flags,
            slot,
            is_plain: is_plain(solid),
            stands: !solid.moves && solid.fade_in == 1.0,
            is_split,
            everywhere,
            pieces,
        }
    }

    /// Its flags in the lower 8 bits, and the place of its slot above them.
    pub(crate) fn marks(&self) -> u32 {
        self.flags | self.slot << 8
    }

    pub(crate) fn is_standing(&self) -> bool {
        self.stands && !self.is_plain
    }

    pub(crate) fn is_moving(&self) -> bool {
        !self.stands && !self.is_plain
    }

    /// Whether a standing solid has the same data on the GPU.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        let numbers =
            |known: &Self| (known.pose, known.surface, known.slack, known.flags, known.slot);
        numbers(self) == numbers(other) && self.shape == other.shape
    }

    pub(crate) fn is_inside_out(&self) -> bool {
        self.flags & INSIDE_OUT != 0
    }

    /// The pieces of each body.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = &[Piece]> {
        let each = if self.is_split { 1 } else { self.pieces.len().max(1) };
        self.pieces.chunks(each)
    }
}
