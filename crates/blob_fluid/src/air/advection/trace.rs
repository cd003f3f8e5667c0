//! Where the air in a place was a step ago, or will be a step later, and values there.
//!
//! Everything is measured from the place itself, in the direction of the way: so a mirrored flow has
//! the same bits. Far from walls a value is found by its distance alone; near walls the way is
//! [walked](super::walk).

use crate::air::sides::AirSides;
use crate::air::solids::AirSolids;
use crate::air::state::Air;

/// Longest way in a step along each axis, in cells.
pub(crate) const LONGEST_WAY: f32 = 64.0;

/// A way is clear of walls if it is shorter than the clearance around its start less this: it may
/// read the cells up to the next whole number of cells away, and their faces must be open.
pub(crate) const MARGIN: f32 = 1.0;

/// Velocities and walls, for tracing.
#[derive(Clone, Copy)]
pub(crate) struct Flow<'a> {
    pub columns: usize,
    pub rows: usize,
    pub velocity_x: &'a [f32],
    pub velocity_y: &'a [f32],
    pub solids: &'a AirSolids,
    pub sides: &'a AirSides,
    pub solids_no_slip: bool,
    /// Way of a unit of velocity in the step, in cells; negative for a step back.
    pub scale: f32,
}

/// A way along one axis.
#[derive(Clone, Copy)]
pub(crate) struct Axis {
    /// Direction, 1 or -1.
    pub sign: isize,
    /// Whole steps from the first number behind the start, and the rest.
    pub steps: isize,
    pub rest: f32,
}

impl Axis {
    /// A way of `way` cells. The numbers lie at the start and every cell from there (`offset` 0), or
    /// half a cell before and after it (`offset` 0.5).
    #[inline(always)]
    pub(crate) fn new(way: f32, offset: f32) -> Self {
        let (sign, length) = if way < 0.0 { (-1, -way) } else { (1, way) };
        let from_behind = length + offset;
        let steps = from_behind as i32;
        Self { sign, steps: steps as isize, rest: from_behind - steps as f32 }
    }
}

/// What a value's four neighbours give.
#[derive(Clone, Copy)]
pub(crate) struct Sampled {
    pub value: f32,
    pub low: f32,
    pub high: f32,
}

/// The value between four numbers of a list.
#[inline(always)]
pub(crate) fn between(
    list: &[f32],
    width: usize,
    (i, j): (usize, usize),
    x: Axis,
    y: Axis,
) -> Sampled {
    let width = width as isize;
    let first = (j as isize + y.sign * y.steps) * width + i as isize + x.sign * x.steps;
    let up = y.sign * width;
    let at = |index: isize| list[index as usize];
    let (a, b) = (at(first), at(first + x.sign));
    let (c, d) = (at(first + up), at(first + up + x.sign));
    let near = a * (1.0 - x.rest) + b * x.rest;
    let far = c * (1.0 - x.rest) + d * x.rest;
    let value = near * (1.0 - y.rest) + far * y.rest;
    let less = |a: f32, b: f32| if a < b { a } else { b };
    let more = |a: f32, b: f32| if a > b { a } else { b };
    Sampled { value, low: less(less(a, b), less(c, d)), high: more(more(a, b), more(c, d)) }
}

/// What is at a place of the staggered grid.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Centre,
    FaceX,
    FaceY,
}

impl<'a> Flow<'a> {
    pub(crate) fn of(air: &'a Air, scale: f32) -> Self {
        Self {
            columns: air.grid.columns,
            rows: air.grid.rows,
            velocity_x: &air.velocity_x,
            velocity_y: &air.velocity_y,
            solids: &air.solids,
            sides: &air.sides,
            solids_no_slip: air.settings.solids_no_slip,
            scale,
        }
    }

    /// The way of the air from a place, in cells (midpoint method). `None` if a wall is near.
    #[inline(always)]
    pub(crate) fn clear_way(&self, kind: Kind, i: usize, j: usize) -> Option<[f32; 2]> {
        let columns = self.columns;
        let (u, v, wide) = (self.velocity_x, self.velocity_y, columns + 1);
        let cell = j * columns + i;
        let (clearance, x, y) = match kind {
            Kind::Centre => {
                let left = j * wide + i;
                let y = 0.5 * (v[cell] + v[cell + columns]);
                (self.solids.clearance[cell], 0.5 * (u[left] + u[left + 1]), y)
            }
            Kind::FaceX => {
                if i == 0 || i == columns {
                    return None;
                }
                let pair = |index: usize| v[index - 1] + v[index];
                let y = 0.25 * (pair(cell) + pair(cell + columns));
                (
                    self.solids.clearance[cell].min(self.solids.clearance[cell - 1]),
                    u[j * wide + i],
                    y,
                )
            }
            Kind::FaceY => {
                if j == 0 || j == self.rows {
                    return None;
                }
                let left = j * wide + i;
                let pair = |index: usize| u[index] + u[index + 1];
                let x = 0.25 * (pair(left - wide) + pair(left));
                let clearance =
                    self.solids.clearance[cell].min(self.solids.clearance[cell - columns]);
                (clearance, x, v[cell])
            }
        };
        let clearance = f32::from(clearance) - MARGIN;
        let half = [0.5 * self.scale * x, 0.5 * self.scale * y];
        if !(half[0].abs() < clearance && half[1].abs() < clearance) {
            return None;
        }
        // Half a cell between the kinds of places: offsets, and the number behind the start.
        let behind = |way: f32, low: usize| if way < 0.0 { low + 1 } else { low };
        let (x, y) = match kind {
            Kind::Centre => {
                let (start_x, start_y) = (behind(half[0], i), behind(half[1], j));
                let aligned = (Axis::new(half[0], 0.0), Axis::new(half[1], 0.0));
                let staggered = (Axis::new(half[0], 0.5), Axis::new(half[1], 0.5));
                (
                    between(u, wide, (start_x, j), staggered.0, aligned.1).value,
                    between(v, columns, (i, start_y), aligned.0, staggered.1).value,
                )
            }
            Kind::FaceX => {
                let aligned = (Axis::new(half[0], 0.0), Axis::new(half[1], 0.0));
                let staggered = (Axis::new(half[0], 0.5), Axis::new(half[1], 0.5));
                let start = (behind(half[0], i - 1), behind(half[1], j));
                (
                    between(u, wide, (i, j), aligned.0, aligned.1).value,
                    between(v, columns, start, staggered.0, staggered.1).value,
                )
            }
            Kind::FaceY => {
                let aligned = (Axis::new(half[0], 0.0), Axis::new(half[1], 0.0));
                let staggered = (Axis::new(half[0], 0.5), Axis::new(half[1], 0.5));
                let start = (behind(half[0], i), behind(half[1], j - 1));
                (
                    between(u, wide, start, staggered.0, staggered.1).value,
                    between(v, columns, (i, j), aligned.0, aligned.1).value,
                )
            }
        };
        let way = [self.scale * x, self.scale * y];
        (way[0].abs() < clearance && way[1].abs() < clearance).then_some(way)
    }
}
