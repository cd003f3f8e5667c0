//! Paths of the air from all places of a kind. They are found once for all lists that are carried
//! along them.

use fearless_simd::prelude::*;

use crate::Executor;
use crate::air::advection::trace::{CellsAround, Flow, Kind, MARGIN, Place};
use crate::air::projection::multigrid::with_lanes;
use crate::parallel::executor::PerChunk;
use crate::parallel::instructions::{
    self, Instructions, LANES, LaneKernel, LaneMask, LaneVector, load, splat,
};

/// Number of rows that are carried together, the unit of parallel work.
pub(super) const BAND: usize = 8;

/// The paths from all places of a kind, in cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// Displacements along both axes; NaN near walls, where the path was walked.
    pub x: Vec<f32>,
    pub y: Vec<f32>,
    /// For every band of rows, the ends of walked paths.
    pub walked: Vec<Walked>,
}

/// The ends of the walked paths of a band of rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Walked {
    /// Index of the start of each path, and its end.
    pub places: Vec<(usize, Place)>,
    /// For paths from centres, the cells around each end, if all of them are in the rectangle.
    pub around: Vec<Option<CellsAround>>,
}

impl Walked {
    /// The index of the start of each path, its end, and the cells around the end.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, Place, Option<&CellsAround>)> {
        let around = self.around.iter().map(Option::as_ref).chain(std::iter::repeat(None));
        self.places.iter().zip(around).map(|((index, place), around)| (*index, *place, around))
    }
}

/// Number of places whose paths are checked together.
const BLOCK: usize = 32;

/// A path along one axis in lanes: whether it goes back, and its length.
#[derive(Clone, Copy)]
pub(super) struct LaneWay<S: Instructions> {
    pub back: LaneMask<S>,
    pub length: LaneVector<S>,
}

impl<S: Instructions> LaneWay<S> {
    #[inline(always)]
    pub(super) fn new(way: LaneVector<S>) -> Self {
        Self { back: way.simd_lt(splat(way.token(), 0.0)), length: way.abs() }
    }

    /// The numbers of a list from an index on, and the next ones in the direction of the path.
    #[inline(always)]
    pub(super) fn aligned(&self, list: &[f32], at: usize) -> (LaneVector<S>, LaneVector<S>) {
        let here = lanes_from(self.length.token(), list, at);
        (here, self.next(list, at))
    }

    #[inline(always)]
    fn next(&self, list: &[f32], at: usize) -> LaneVector<S> {
        let instructions = self.length.token();
        let before = lanes_from(instructions, list, at - 1);
        self.back.select(before, lanes_from(instructions, list, at + 1))
    }

    /// The values of a list at the ends of paths from an index on.
    #[inline(always)]
    fn along(&self, list: &[f32], at: usize) -> LaneVector<S> {
        let (near, far) = self.aligned(list, at);
        mix::<S>(near, far, self.length)
    }

    /// As [`along`](Self::along), for paths that start in the middle between an index and the next
    /// one.
    #[inline(always)]
    fn along_staggered(&self, list: &[f32], at: usize) -> LaneVector<S> {
        let instructions = self.length.token();
        let (low, high) =
            (lanes_from(instructions, list, at), lanes_from(instructions, list, at + 1));
        self.between(low, high)
    }

    /// The value between those half a cell below and above the start.
    #[inline(always)]
    fn between(&self, low: LaneVector<S>, high: LaneVector<S>) -> LaneVector<S> {
        let (near, far) = (self.back.select(high, low), self.back.select(low, high));
        mix::<S>(near, far, self.length + splat(self.length.token(), 0.5))
    }

    /// The value between that at the start and those below and above it.
    #[inline(always)]
    fn toward(
        &self,
        here: LaneVector<S>,
        below: LaneVector<S>,
        above: LaneVector<S>,
    ) -> LaneVector<S> {
        mix::<S>(here, self.back.select(below, above), self.length)
    }
}

#[inline(always)]
fn mix<S: Instructions>(
    near: LaneVector<S>,
    far: LaneVector<S>,
    rest: LaneVector<S>,
) -> LaneVector<S> {
    near * (splat(rest.token(), 1.0) - rest) + far * rest
}

/// Lanes of a list from an index on.
#[inline(always)]
pub(super) fn lanes_from<S: Instructions>(
    instructions: S,
    list: &[f32],
    first: usize,
) -> LaneVector<S> {
    LaneVector::<S>::from_slice(instructions, &list[first..first + S::WIDTH])
}

/// Starts of blocks of lanes that cover `count` numbers; the last may overlap the one before.
pub(super) fn blocks<S: Instructions>(count: usize) -> impl Iterator<Item = usize> {
    let width = S::WIDTH;
    (0..count).step_by(width).map(move |first| first.min(count - width))
}

impl Ways {
    /// Finds the paths of a flow.
    pub(super) fn find(&mut self, flow: &Flow<'_>, kind: Kind, executor: &dyn Executor) {
        let (width, rows) = match kind {
            Kind::Centre => (flow.columns, flow.rows),
            Kind::FaceX => (flow.columns + 1, flow.rows),
            Kind::FaceY => (flow.columns, flow.rows + 1),
        };
        self.x.resize(width * rows, 0.0);
        self.y.resize(width * rows, 0.0);
        self.walked.resize_with(rows.div_ceil(BAND), Walked::default);
        let walked = PerChunk::new(&mut self.walked, width * rows, BAND * width);
        let data = (&mut self.x[..], &mut self.y[..], walked);
        executor.for_each_chunk(data, BAND * width, |band, (x, y, walked)| {
            let Walked { places, around } = walked.item();
            places.clear();
            for (row, (x, y)) in
                x.chunks_exact_mut(width).zip(y.chunks_exact_mut(width)).enumerate()
            {
                let j = band * BAND + row;
                if j > 0 && j + 1 < rows && width > 2 {
                    flow.find_inner(kind, j, &mut x[1..width - 1], &mut y[1..width - 1]);
                    (x[0], x[width - 1]) = (f32::INFINITY, f32::INFINITY);
                } else {
                    x.fill(f32::INFINITY);
                }
                with_lanes(
                    #[inline(always)]
                    || match kind {
                        Kind::Centre => flow.find_others(Kind::Centre, j, x, y, places),
                        Kind::FaceX => flow.find_others(Kind::FaceX, j, x, y, places),
                        Kind::FaceY => flow.find_others(Kind::FaceY, j, x, y, places),
                    },
                );
            }
            around.clear();
            if kind == Kind::Centre {
                around.extend(places.iter().map(|(_, place)| flow.cells_around(*place)));
            }
        });
    }
}

impl Flow<'_> {
    /// Finds the paths from the inner places of a row, if their middle is less than half a cell
    /// away and walls are far. Otherwise it writes infinity. The formulas are those of
    /// [`Flow::clear_way`].
    fn find_inner(&self, kind: Kind, j: usize, x: &mut [f32], y: &mut [f32]) {
        if x.len() < LANES {
            x.fill(f32::INFINITY);
            return;
        }
        match kind {
            Kind::Centre => instructions::run(InnerWays::<0> { flow: self, j, x, y }),
            Kind::FaceX => instructions::run(InnerWays::<1> { flow: self, j, x, y }),
            Kind::FaceY => instructions::run(InnerWays::<2> { flow: self, j, x, y }),
        }
    }

    /// Finds the paths of a row that are still infinite.
    #[inline(always)]
    fn find_others(
        &self,
        kind: Kind,
        j: usize,
        x: &mut [f32],
        y: &mut [f32],
        places: &mut Vec<(usize, Place)>,
    ) {
        let width = x.len();
        for (block, (x, y)) in x.chunks_mut(BLOCK).zip(y.chunks_mut(BLOCK)).enumerate() {
            // Most blocks are complete, which a vectorised test finds.
            if x.iter().fold(true, |all, x| all & (*x < f32::INFINITY)) {
                continue;
            }
            for (index, (x, y)) in x.iter_mut().zip(y).enumerate() {
                if *x == f32::INFINITY {
                    let i = block * BLOCK + index;
                    [*x, *y] = self.clear_way(kind, i, j).unwrap_or_else(|| {
                        if self.is_air(kind, i, j) {
                            let short = self.short_walk(kind, i, j);
                            let place = short.unwrap_or_else(|| self.walk(kind, i, j));
                            places.push((j * width + i, place));
                        }
                        [f32::NAN; 2]
                    });
                }
            }
        }
    }

    /// Whether a place has air.
    fn is_air(&self, kind: Kind, i: usize, j: usize) -> bool {
        match kind {
            Kind::Centre => self.solids.passages[j * self.columns + i] != 0,
            Kind::FaceX => self.solids.open_x[j * (self.columns + 1) + i] > 0.0,
            Kind::FaceY => self.solids.open_y[j * self.columns + i] > 0.0,
        }
    }
}

/// The paths from the inner places of a row: of centres (0), vertical faces (1) or horizontal ones
/// (2).
struct InnerWays<'a, const KIND: u8> {
    flow: &'a Flow<'a>,
    j: usize,
    x: &'a mut [f32],
    y: &'a mut [f32],
}

impl<const KIND: u8> LaneKernel for InnerWays<'_, KIND> {
    type Output = ();

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) {
        let Flow { columns, velocity_x: u, velocity_y: v, .. } = *self.flow;
        let clearance = &self.flow.solids.clearance[..];
        let wide = columns + 1;
        let scale = splat(instructions, self.flow.scale);
        let half_scale = splat(instructions, 0.5 * self.flow.scale);
        let number = |factor: f32| splat(instructions, factor);
        let from = |list: &[f32], first: usize| lanes_from(instructions, list, first);
        let width = S::WIDTH;
        for block in blocks::<S>(self.x.len()) {
            let cell = self.j * columns + 1 + block;
            let left = self.j * wide + 1 + block;
            let pair = |list: &[f32], first: usize| from(list, first) + from(list, first + 1);
            let (x, y, before) = match KIND {
                0 => {
                    let along = from(v, cell) + from(v, cell + columns);
                    (number(0.5) * pair(u, left), number(0.5) * along, cell)
                }
                1 => {
                    let along = pair(v, cell - 1) + pair(v, cell - 1 + columns);
                    (from(u, left), number(0.25) * along, cell - 1)
                }
                _ => {
                    let across = pair(u, left - wide) + pair(u, left);
                    (number(0.25) * across, from(v, cell), cell - columns)
                }
            };
            let (x, y) = (LaneWay::<S>::new(half_scale * x), LaneWay::<S>::new(half_scale * y));
            let (middle_x, middle_y) = match KIND {
                0 => (
                    y.toward(
                        x.along_staggered(u, left),
                        x.along_staggered(u, left - wide),
                        x.along_staggered(u, left + wide),
                    ),
                    y.between(x.along(v, cell), x.along(v, cell + columns)),
                ),
                1 => (
                    y.toward(x.along(u, left), x.along(u, left - wide), x.along(u, left + wide)),
                    // From the cell on the left.
                    y.between(
                        x.along_staggered(v, cell - 1),
                        x.along_staggered(v, cell - 1 + columns),
                    ),
                ),
                _ => (
                    y.between(x.along_staggered(u, left - wide), x.along_staggered(u, left)),
                    y.toward(
                        x.along(v, cell),
                        x.along(v, cell - columns),
                        x.along(v, cell + columns),
                    ),
                ),
            };
            let (first, second) = (&clearance[before..][..width], &clearance[cell..][..width]);
            let mut clear = [0.0; LANES];
            for (lane, clear) in clear[..width].iter_mut().enumerate() {
                *clear = f32::from(first[lane].min(second[lane])) - MARGIN;
            }
            let clear = load(instructions, &clear);
            let limit = instructions.smaller(clear, number(0.5));
            let near = x.length.simd_lt(limit) & y.length.simd_lt(limit);
            let (way_x, way_y) = (scale * middle_x, scale * middle_y);
            let reaches = near & way_x.abs().simd_lt(clear) & way_y.abs().simd_lt(clear);
            let way_x = reaches.select(way_x, number(f32::INFINITY));
            way_x.store_slice(&mut self.x[block..][..width]);
            way_y.store_slice(&mut self.y[block..][..width]);
        }
    }
}
