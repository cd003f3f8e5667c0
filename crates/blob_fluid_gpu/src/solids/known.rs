//! A solid as it was when pieces were made of it.

use std::sync::Arc;

use blob_fluid::{DeviceSolid, FluidShape};
use glam::Vec2;

use crate::solids::layout::Surface;
use crate::solids::pieces::{Piece, pieces_of};

/// A container of more pieces is felt in bins only.
const MOST_EVERYWHERE: usize = 32;

/// Flags of bodies; see `shaders/solids.wgsl`.
pub(crate) const ONE_WAY: u32 = 1;
const INSIDE_OUT: u32 = 2;
pub(crate) const LINE: u32 = 4;
const HOLDS: u32 = 8;
const CORNERS: u32 = 16;
const FACES: u32 = 32;

/// A solid as it was when pieces were made of it.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub shape: FluidShape,
    pub pose: (Vec2, Vec2),
    pub surface: Surface,
    pub slack: f32,
    pub flags: u32,
    /// The place of its slot among those that bear loads; 0 for none.
    pub slot: u32,
    /// Whether the shaders know it as a standing box or disc.
    pub is_plain: bool,
    pub stands: bool,
    /// Whether each piece is a wall of its own.
    pub is_split: bool,
    pub everywhere: bool,
    pub pieces: Arc<[Piece]>,
}

/// Whether it is a container that the shaders know as a standing box or disc.
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

    /// Its flags, and above them the place of its slot among the bearers.
    pub(crate) fn marks(&self) -> u32 {
        self.flags | self.slot << 8
    }

    pub(crate) fn is_standing(&self) -> bool {
        self.stands && !self.is_plain
    }

    pub(crate) fn is_moving(&self) -> bool {
        !self.stands && !self.is_plain
    }

    /// Whether a standing solid is the same on the device.
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
