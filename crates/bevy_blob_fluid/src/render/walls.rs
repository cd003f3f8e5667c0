//! The walls that a surface meets, as lines.

use bevy::prelude::*;
use bytemuck::{Pod, Zeroable};

/// A straight piece of a wall.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[reflect(opaque, Debug, PartialEq)]
#[repr(C)]
pub struct FluidWall {
    start: [f32; 2],
    end: [f32; 2],
    half_thickness: f32,
    /// A sum of the constants below: a whole number, stored as a float for the shader's texture.
    kind: f32,
    padding: [f32; 2],
}

/// Kind of a wall with liquid on both of its sides.
const LINE: f32 = 1.0;
/// Kind of a face that turns towards the liquid at its start, as in a corner of a container.
const INNER_START: f32 = 2.0;
/// Kind of a face that turns towards the liquid at its end.
const INNER_END: f32 = 4.0;

impl FluidWall {
    /// A face of a solid from `start` to `end` (world units), with the liquid on its left. `inner`
    /// says for the start and for the end whether the next face turns towards the liquid, as in
    /// the corners of a container; at the corners of a box in the liquid it does not.
    pub fn face(start: Vec2, end: Vec2, inner: [bool; 2]) -> Self {
        let [at_start, at_end] = inner.map(|inner| if inner { 1.0 } else { 0.0 });
        Self {
            start: start.to_array(),
            end: end.to_array(),
            half_thickness: 0.0,
            kind: at_start * INNER_START + at_end * INNER_END,
            padding: [0.0; 2],
        }
    }

    /// A wall from `start` to `end` (world units) with liquid on both sides, round ends and a
    /// thickness of 0 or more.
    pub fn line(start: Vec2, end: Vec2, thickness: f32) -> Self {
        Self {
            start: start.to_array(),
            end: end.to_array(),
            half_thickness: 0.5 * thickness.max(0.0),
            kind: LINE,
            padding: [0.0; 2],
        }
    }

    /// Its two ends, in world units.
    pub fn ends(&self) -> [Vec2; 2] {
        [self.start.into(), self.end.into()]
    }
}

/// A triangle between a point and an edge of a solid. Those of all edges cover the solid.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SolidTriangle {
    /// The corners, in world units. The triangle counts as negative if they are clockwise.
    pub corners: [[f32; 2]; 3],
    /// 1 for a container, whose inside is not solid, otherwise 0.
    pub container: f32,
    pub padding: f32,
}

/// The walls that every [`FluidSurface`](super::FluidSurface) meets which
/// [`meets_walls`](super::FluidSurface::meets_walls).
///
/// The plugin fills it with the containers and colliders of the simulation that stop all liquid.
/// An app without the simulation can fill it with walls of its own.
#[derive(Resource, Reflect, Clone, Debug, Default)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidWalls {
    walls: Vec<FluidWall>,
    pub(crate) solids: Solids,
    revision: u64,
}

/// The insides of the solids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solids {
    pub triangles: Vec<SolidTriangle>,
    /// Number of colliders that are solid outside of their triangles.
    pub inside_out: u32,
    /// Whether all is solid outside of the containers' triangles.
    pub contained: bool,
}

impl FluidWalls {
    /// Replaces all walls, reusing the memory of the old ones.
    pub fn set(&mut self, walls: impl IntoIterator<Item = FluidWall>) {
        self.replace(|list, solids| {
            list.extend(walls);
            (solids.inside_out, solids.contained) = (0, false);
        });
    }

    /// Replaces the walls and the solids; `fill` is given both lists empty.
    pub(crate) fn replace(&mut self, fill: impl FnOnce(&mut Vec<FluidWall>, &mut Solids)) {
        self.walls.clear();
        self.solids.triangles.clear();
        fill(&mut self.walls, &mut self.solids);
        self.revision += 1;
    }

    /// All walls.
    pub fn as_slice(&self) -> &[FluidWall] {
        &self.walls
    }

    /// Revision: it grows with every change, and is 0 before the first.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}
