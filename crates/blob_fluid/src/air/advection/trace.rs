//! Traces air: finds the position of the air of a place one step earlier or later, and the values
//! there.
//!
//! Everything is measured from the place itself, in the direction of the path, so that a mirrored
//! flow is bit-identical. Far from walls, a value is found by its distance alone; near walls, the
//! path is walked from cell to cell.

use crate::air::solids::{AirSolids, passage};
use crate::air::{Air, AirSide, AirSides, AirSlip};

/// Longest path in a step along each axis, in cells.
pub(crate) const LONGEST_WAY: f32 = 64.0;

/// A path is clear of walls if it is shorter than the clearance around its start minus this margin.
/// Interpolation reads the cells up to the next whole number of cells away, and their faces must be
/// open.
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
    /// Displacement of a unit of velocity in the step, in cells; negative for a step back.
    pub scale: f32,
}

/// A path along one axis.
#[derive(Clone, Copy)]
pub(crate) struct Axis {
    /// Direction, 1 or -1.
    pub sign: isize,
    /// Whole steps from the first number behind the start, and the rest.
    pub steps: isize,
    pub rest: f32,
}

impl Axis {
    /// A path of `way` cells. The numbers lie at the start and at every cell from there (`offset`
    /// 0), or half a cell before and after the start (`offset` 0.5).
    #[inline(always)]
    pub(crate) fn new(way: f32, offset: f32) -> Self {
        let (sign, length) = if way < 0.0 { (-1, -way) } else { (1, way) };
        let from_behind = length + offset;
        let steps = from_behind as i32;
        Self { sign, steps: steps as isize, rest: from_behind - steps as f32 }
    }
}

/// A value interpolated from its four neighbours, and the smallest and the largest of them.
#[derive(Clone, Copy)]
pub(crate) struct Sampled {
    pub value: f32,
    pub low: f32,
    pub high: f32,
}

/// The value between four numbers of a list.
#[inline(always)]
pub(crate) fn between(list: &[f32], width: usize, i: usize, j: usize, x: Axis, y: Axis) -> Sampled {
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

/// The kind of a place of the staggered grid.
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

    /// The displacement of the air from a place, in cells (midpoint method). `None` if a wall is
    /// near.
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
        let [aligned_x, aligned_y] = half.map(|way| Axis::new(way, 0.0));
        let [staggered_x, staggered_y] = half.map(|way| Axis::new(way, 0.5));
        let (x, y) = match kind {
            Kind::Centre => (
                between(u, wide, behind(half[0], i), j, staggered_x, aligned_y),
                between(v, columns, i, behind(half[1], j), aligned_x, staggered_y),
            ),
            Kind::FaceX => {
                let (start_x, start_y) = (behind(half[0], i - 1), behind(half[1], j));
                (
                    between(u, wide, i, j, aligned_x, aligned_y),
                    between(v, columns, start_x, start_y, staggered_x, staggered_y),
                )
            }
            Kind::FaceY => {
                let (start_x, start_y) = (behind(half[0], i), behind(half[1], j - 1));
                (
                    between(u, wide, start_x, start_y, staggered_x, staggered_y),
                    between(v, columns, i, j, aligned_x, aligned_y),
                )
            }
        };
        let way = [self.scale * x.value, self.scale * y.value];
        (way[0].abs() < clearance && way[1].abs() < clearance).then_some(way)
    }
}

// Near walls, the path of the air is walked from cell to cell. At a closed face it continues along
// the face, and values from behind closed faces are not used.

/// A place reached by walking: a cell, and the offset from its centre, in cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub i: usize,
    pub j: usize,
    pub x: f32,
    pub y: f32,
    /// Whether the path met a wall or a side.
    pub stopped: bool,
    /// The side where the path left the rectangle.
    pub left_by: Option<AirSide>,
    /// Remaining length of the path across that side, in cells.
    pub beyond: f32,
}

impl Place {
    /// The place after a displacement that does not reach the edge of the cell; `None` for a longer
    /// one.
    #[inline(always)]
    fn moved_within(self, [x, y]: [f32; 2]) -> Option<Self> {
        let (x, y) = (self.x + x, self.y + y);
        // Rounded as in `beyond`.
        (x.abs() + 0.5 < 1.0 && y.abs() + 0.5 < 1.0).then_some(Self { x, y, ..self })
    }
}

/// The four cells around a place, and its offset from the first cell towards the others, in cells. A cell
/// across a closed face is replaced by the cell before the face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellsAround {
    here: u32,
    beside: u32,
    beyond: u32,
    corner: u32,
    x: f32,
    y: f32,
}

impl CellsAround {
    /// The value of a list between the cells.
    #[inline(always)]
    pub(crate) fn value(&self, list: &[f32]) -> Sampled {
        let at = |cell: u32| list[cell as usize];
        let [here, beside] = [self.here, self.beside].map(at);
        let [beyond, corner] = [self.beyond, self.corner].map(at);
        between_cells(here, beside, beyond, corner, self.x, self.y)
    }
}

/// The value between those of two cells side by side and the two beyond them.
#[inline(always)]
fn between_cells(here: f32, beside: f32, beyond: f32, corner: f32, x: f32, y: f32) -> Sampled {
    let near = here * (1.0 - x) + beside * x;
    let far = beyond * (1.0 - x) + corner * x;
    Sampled {
        value: near * (1.0 - y) + far * y,
        low: here.min(beside).min(beyond.min(corner)),
        high: here.max(beside).max(beyond.max(corner)),
    }
}

impl Flow<'_> {
    /// Walks the path of the air from a place (midpoint method), around walls.
    pub(crate) fn walk(&self, kind: Kind, i: usize, j: usize) -> Place {
        let start = self.start(kind, i, j, [1.0, 1.0]);
        let half = self.scaled_velocity(start, 0.5 * self.scale);
        let middle = self.go(self.start(kind, i, j, half), half);
        let way = self.scaled_velocity(middle, self.scale);
        self.go(self.start(kind, i, j, way), way)
    }

    /// A short form of [`Flow::walk`] with bit-identical results, if the place is not on a side and
    /// the air stays within a cell; otherwise `None`. Most air at walls is that slow.
    #[inline(always)]
    pub(crate) fn short_walk(&self, kind: Kind, i: usize, j: usize) -> Option<Place> {
        let (columns, wide) = (self.columns, self.columns + 1);
        let (u, v) = (self.velocity_x, self.velocity_y);
        let (cell, left) = (j * columns + i, j * wide + i);
        let pair = |list: &[f32], index: usize, next: usize| list[index] + list[index + next];
        let velocity = match kind {
            Kind::Centre => [0.5 * pair(u, left, 1), 0.5 * pair(v, cell, columns)],
            Kind::FaceX => {
                if i == 0 || i == columns || self.solids.passages[cell] & passage::LEFT == 0 {
                    return None;
                }
                [u[left], 0.25 * (pair(v, cell, columns) + pair(v, cell - 1, columns))]
            }
            Kind::FaceY => {
                if j == 0 || j == self.rows || self.solids.passages[cell] & passage::BOTTOM == 0 {
                    return None;
                }
                [0.25 * (pair(u, left, 1) + pair(u, left - wide, 1)), v[cell]]
            }
        };
        let half = velocity.map(|velocity| 0.5 * self.scale * velocity);
        let middle = self.start(kind, i, j, half).moved_within(half)?;
        let way = self.scaled_velocity(middle, self.scale);
        self.start(kind, i, j, way).moved_within(way)
    }

    /// The place from which a path in a direction starts.
    #[inline(always)]
    fn start(&self, kind: Kind, i: usize, j: usize, way: [f32; 2]) -> Place {
        let (mut place_x, mut place_y) = ((i, 0.0), (j, 0.0));
        // A face belongs to the cell that the path enters, if there is one.
        let enter = |index: usize, count: usize, way: f32| {
            if (way < 0.0 && index > 0) || index == count {
                (index - 1, 0.5)
            } else {
                (index, -0.5)
            }
        };
        match kind {
            Kind::Centre => {}
            Kind::FaceX => place_x = enter(i, self.columns, way[0]),
            Kind::FaceY => place_y = enter(j, self.rows, way[1]),
        }
        let ((i, x), (j, y)) = (place_x, place_y);
        Place { i, j, x, y, stopped: false, left_by: None, beyond: 0.0 }
    }

    fn go(&self, mut place: Place, way: [f32; 2]) -> Place {
        let limited = |way: f32| way.clamp(-LONGEST_WAY, LONGEST_WAY);
        let [mut x, mut y] = way.map(limited);
        // Every crossing uses up a part of the path; the limit is a safeguard.
        for _ in 0..4 * LONGEST_WAY as usize + 4 {
            // Far from walls, the path is straight.
            let clearance = f32::from(self.solids.clearance[place.j * self.columns + place.i]);
            if clearance > MARGIN {
                let longest = if x.abs() > y.abs() { x.abs() } else { y.abs() };
                let share = (clearance - MARGIN) / longest;
                let share = if share < 1.0 { share } else { 1.0 };
                (place.i, place.x) = beyond(place.i, place.x + share * x, clearance - MARGIN);
                (place.j, place.y) = beyond(place.j, place.y + share * y, clearance - MARGIN);
                if share >= 1.0 {
                    return place;
                }
                x -= share * x;
                y -= share * y;
                continue;
            }
            let room = |from: f32, way: f32| 0.5 - if way < 0.0 { -from } else { from };
            let (room_x, room_y) = (room(place.x, x), room(place.y, y));
            if x.abs() <= room_x && y.abs() <= room_y {
                place.x = (place.x + x).clamp(-0.5, 0.5);
                place.y = (place.y + y).clamp(-0.5, 0.5);
                return place;
            }
            let until = |room: f32, way: f32| {
                if way == 0.0 { f32::INFINITY } else { room / way.abs() }
            };
            let (until_x, until_y) = (until(room_x, x), until(room_y, y));
            let first = if until_x <= until_y { until_x } else { until_y };
            let share = first.max(0.0);
            place.x = (place.x + share * x).clamp(-0.5, 0.5);
            place.y = (place.y + share * y).clamp(-0.5, 0.5);
            x -= share * x;
            y -= share * y;
            let along_x = until_x <= until_y;
            let way = if along_x { &mut x } else { &mut y };
            let forward = *way > 0.0;
            let edge = if forward { 0.5 } else { -0.5 };
            match self.neighbour(place.i, place.j, along_x, forward) {
                Neighbour::Cell(i, j) => {
                    (place.i, place.j) = (i, j);
                    *if along_x { &mut place.x } else { &mut place.y } = -edge;
                }
                Neighbour::Wall(_) => {
                    *way = 0.0;
                    *if along_x { &mut place.x } else { &mut place.y } = edge;
                    place.stopped = true;
                }
                Neighbour::Outside(side) => {
                    place.beyond = way.abs();
                    *if along_x { &mut place.x } else { &mut place.y } = edge;
                    place.stopped = true;
                    place.left_by = Some(side);
                    return place;
                }
            }
        }
        place
    }

    /// The neighbour of a cell.
    #[inline]
    pub(crate) fn neighbour(&self, i: usize, j: usize, along_x: bool, forward: bool) -> Neighbour {
        let (index, count, bit) = match (along_x, forward) {
            (true, false) => (i, self.columns, passage::LEFT),
            (true, true) => (i, self.columns, passage::RIGHT),
            (false, false) => (j, self.rows, passage::BOTTOM),
            (false, true) => (j, self.rows, passage::TOP),
        };
        let on_side = if forward { index + 1 == count } else { index == 0 };
        let open = self.solids.passages[j * self.columns + i] & bit != 0;
        if open && !on_side {
            let next = if forward { index + 1 } else { index - 1 };
            return if along_x { Neighbour::Cell(next, j) } else { Neighbour::Cell(i, next) };
        }
        self.beyond_border(i, j, along_x, forward, open, on_side)
    }

    /// The neighbour of a cell across a closed face or a side.
    fn beyond_border(
        &self,
        i: usize,
        j: usize,
        along_x: bool,
        forward: bool,
        open: bool,
        on_side: bool,
    ) -> Neighbour {
        let (count, side) = match (along_x, forward) {
            (true, false) => (self.columns, self.sides.left),
            (true, true) => (self.columns, self.sides.right),
            (false, false) => (self.rows, self.sides.bottom),
            (false, true) => (self.rows, self.sides.top),
        };
        if !open {
            let slip = match side {
                AirSide::Closed { slip } if on_side => slip,
                _ if self.solids_no_slip => {
                    AirSlip::NoSlip { velocity: self.wall_speed(i, j, along_x) }
                }
                _ => AirSlip::Free,
            };
            return Neighbour::Wall(slip);
        }
        if side != AirSide::Periodic {
            return Neighbour::Outside(side);
        }
        let across = if forward { 0 } else { count - 1 };
        if along_x { Neighbour::Cell(across, j) } else { Neighbour::Cell(i, across) }
    }

    /// Tangential velocity of the wall beside a cell.
    fn wall_speed(&self, i: usize, j: usize, along_x: bool) -> f32 {
        let list = if along_x { &self.solids.solid_y } else { &self.solids.solid_x };
        let face = if along_x { j * self.columns + i } else { j * (self.columns + 1) + i };
        list.get(face).copied().unwrap_or(0.0)
    }

    /// The velocity along an axis at a place.
    #[inline(always)]
    pub(crate) fn velocity_at(&self, place: Place, along_x: bool) -> Sampled {
        let (along, across) = if along_x { (place.x, place.y) } else { (place.y, place.x) };
        let faces = |i: usize, j: usize| {
            let (list, first, next) = if along_x {
                (self.velocity_x, j * (self.columns + 1) + i, 1)
            } else {
                (self.velocity_y, j * self.columns + i, self.columns)
            };
            let (low, high) = (list[first], list[first + next]);
            if along < 0.0 { (low, high) } else { (high, low) }
        };
        let here = faces(place.i, place.j);
        let there = match self.neighbour(place.i, place.j, !along_x, across > 0.0) {
            Neighbour::Cell(i, j) => faces(i, j),
            Neighbour::Wall(slip) => beside(here, slip),
            Neighbour::Outside(AirSide::Inflow { velocity, .. }) => {
                let velocity = if along_x { velocity.x } else { velocity.y };
                (velocity, velocity)
            }
            Neighbour::Outside(_) => here,
        };
        blend(here, there, along, across)
    }

    /// `factor` times the velocity at a place.
    #[inline(always)]
    fn scaled_velocity(&self, place: Place, factor: f32) -> [f32; 2] {
        [true, false].map(|along_x| factor * self.velocity_at(place, along_x).value)
    }

    /// A channel's value at a place. `outside` returns the value outside of a side, or `None` for
    /// the value before the side.
    pub(crate) fn value_at(
        &self,
        list: &[f32],
        place: Place,
        outside: impl Fn(AirSide) -> Option<f32>,
    ) -> Sampled {
        if let Some(value) = place.left_by.and_then(&outside) {
            return Sampled::all(value);
        }
        let at = |i: usize, j: usize| list[j * self.columns + i];
        let (right, up) = (place.x > 0.0, place.y > 0.0);
        let here = at(place.i, place.j);
        let to_x = self.neighbour(place.i, place.j, true, right);
        let to_y = self.neighbour(place.i, place.j, false, up);
        let value = |neighbour: &Neighbour| match *neighbour {
            Neighbour::Cell(i, j) => at(i, j),
            Neighbour::Outside(side) => outside(side).unwrap_or(here),
            Neighbour::Wall(_) => here,
        };
        let (beside, beyond) = (value(&to_x), value(&to_y));
        let around = |neighbour: &Neighbour, along_x: bool, forward: bool| match *neighbour {
            Neighbour::Cell(i, j) => match self.neighbour(i, j, along_x, forward) {
                Neighbour::Cell(i, j) => Some(at(i, j)),
                _ => None,
            },
            _ => None,
        };
        let corner = around(&to_x, false, up).or_else(|| around(&to_y, true, right));
        let corner = corner.unwrap_or(match (&to_x, &to_y) {
            (Neighbour::Wall(_), _) => beyond,
            (_, Neighbour::Wall(_)) => beside,
            _ => 0.5 * (beside + beyond),
        });
        between_cells(here, beside, beyond, corner, place.x.abs(), place.y.abs())
    }

    /// The cells whose values [`value_at`](Self::value_at) uses at a place; `None` if it does not use four
    /// cells.
    #[inline]
    pub(crate) fn cells_around(&self, place: Place) -> Option<CellsAround> {
        if place.left_by.is_some() {
            return None;
        }
        let cell = |(i, j): (usize, usize)| (j * self.columns + i) as u32;
        let here = (place.i, place.j);
        let (right, up) = (place.x > 0.0, place.y > 0.0);
        // The cell across a face; `Err` says that the face is closed, and `None` that it is a side.
        let across = |(i, j): (usize, usize), along_x: bool, forward: bool| match self
            .neighbour(i, j, along_x, forward)
        {
            Neighbour::Cell(i, j) => Some(Ok((i, j))),
            Neighbour::Wall(_) => Some(Err(())),
            Neighbour::Outside(_) => None,
        };
        let (to_x, to_y) = (across(here, true, right)?, across(here, false, up)?);
        let (beside, beyond) = (to_x.unwrap_or(here), to_y.unwrap_or(here));
        let next = |from: Result<(usize, usize), ()>, along_x: bool, forward: bool| {
            from.ok().and_then(|from| across(from, along_x, forward)).and_then(Result::ok)
        };
        let corner = next(to_x, false, up).or_else(|| next(to_y, true, right));
        let corner = match (corner, to_x, to_y) {
            (Some(corner), ..) => corner,
            (None, Err(()), _) => beyond,
            (None, _, Err(())) => beside,
            // `value_at` takes the mean of both, which is not the value of a cell.
            (None, Ok(_), Ok(_)) => return None,
        };
        let [here, beside, beyond, corner] = [here, beside, beyond, corner].map(cell);
        Some(CellsAround { here, beside, beyond, corner, x: place.x.abs(), y: place.y.abs() })
    }
}

/// The cell at a distance from a cell's centre, at most `most` cells away, and the remaining
/// distance from its own centre.
fn beyond(index: usize, distance: f32, most: f32) -> (usize, f32) {
    let length = distance.abs();
    let cells = if length + 0.5 < most { length + 0.5 } else { most } as usize;
    let rest = length - cells as f32;
    let rest = if rest < 0.5 { rest } else { 0.5 };
    if distance < 0.0 { (index - cells, -rest) } else { (index + cells, rest) }
}

/// The neighbour of a cell beyond a face.
#[derive(Clone, Copy)]
pub(crate) enum Neighbour {
    Cell(usize, usize),
    Wall(AirSlip),
    Outside(AirSide),
}

/// The velocities behind a wall that mirror the velocities before it.
fn beside(here: (f32, f32), slip: AirSlip) -> (f32, f32) {
    match slip {
        AirSlip::Free => here,
        AirSlip::NoSlip { velocity } => (2.0 * velocity - here.0, 2.0 * velocity - here.1),
    }
}

/// Interpolates velocities of the near and the far face of a cell and of the next cell. `along` is
/// the offset from the middle between the faces, and `across` the offset from the line between
/// them.
fn blend(here: (f32, f32), there: (f32, f32), along: f32, across: f32) -> Sampled {
    let (along, across) = (along.abs(), across.abs());
    let mix = |(near, far): (f32, f32)| near * (0.5 + along) + far * (0.5 - along);
    let value = mix(here) * (1.0 - across) + mix(there) * across;
    let low = here.0.min(here.1).min(there.0.min(there.1));
    let high = here.0.max(here.1).max(there.0.max(there.1));
    Sampled { value, low, high }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::air::AirSettings;
    use crate::shape::scatter;
    use crate::{Collider, FluidBounds};

    #[test]
    fn a_short_walk_ends_where_a_walk_does() {
        let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::new(24.0, 18.0) };
        let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
        let mut air = Air::new(bounds, 1.0, AirSettings::default(), sides).expect("valid");
        let bar = Collider::rectangle(Vec2::new(8.0, 9.2), Vec2::new(4.0, 0.3)).expect("valid");
        let disc = Collider::circle(Vec2::new(17.3, 6.1), 2.4).expect("valid");
        air.set_solids([], &[bar, disc]);
        for (index, velocity) in (0..).zip(&mut air.velocity_x) {
            *velocity = 0.6 * scatter(index).x;
        }
        for (index, velocity) in (0..).zip(&mut air.velocity_y) {
            *velocity = 0.6 * scatter(index).y;
        }
        // Paths that rounding takes to an edge.
        for (index, velocity) in (0..).zip(&mut air.velocity_x).step_by(3) {
            *velocity = (scatter(index).y * 8.0).round() * 0.5 * f32::EPSILON / 8.0;
        }
        let flow = Flow::of(&air, -1.0);
        let bits = |place: Place| (place.i, place.j, place.x.to_bits(), place.y.to_bits());
        let mut short = 0;
        for kind in [Kind::Centre, Kind::FaceX, Kind::FaceY] {
            for (i, j) in (0..18).flat_map(|j| (0..24).map(move |i| (i, j))) {
                if let Some(found) = flow.short_walk(kind, i, j) {
                    let walked = flow.walk(kind, i, j);
                    assert_eq!(bits(found), bits(walked), "at {i}, {j}");
                    assert!(!walked.stopped && walked.left_by.is_none());
                    short += 1;
                }
            }
        }
        assert!(short > 500, "most ways are short: {short}");
    }
}
