//! Blocks of consecutive particles, and the candidates for their neighbours.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;
#[cfg(test)]
use tests::block_capacity;

use crate::parallel::executor::GROUP;
use crate::parallel::instructions::{
    Instructions, LANES, LaneCounts, LaneMask, LaneVector, Lanes, PointLanes, block_width,
    gather_points, splat,
};
use crate::particles::arrays::ParticleView;
use crate::solver::coefficients::{ClassSet, Coefficients};
use crate::solver::neighbours::grid::{COLUMNS_PER_RADIUS, Frame, Grid};
use crate::{ClassId, ParticleId, Particles};

/// Largest width of a block, in columns. A wider block has more candidates. A narrower block has fewer particles in
/// sparse liquid.
const BLOCK_COLUMNS: u32 = 32;

/// Largest number of particles in a block.
#[cfg(not(test))]
#[inline(always)]
fn block_capacity() -> usize {
    block_width()
}

/// Up to [`block_width`] consecutive particles of adjacent cells, and all candidates for their neighbours.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub particles: Range<usize>,
    spans: [Range<u32>; 6],
    span_count: usize,
}

impl Block {
    /// Ranges of particles that contain every neighbour of the block's particles, and the block itself. The ranges are
    /// disjoint, and their order is deterministic.
    #[inline(always)]
    pub(crate) fn spans(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.spans[..self.span_count].iter().map(|span| span.start as usize..span.end as usize)
    }
}

impl Grid {
    /// Divides a range of sorted particles into blocks.
    pub(crate) fn blocks(&self, range: Range<usize>) -> Blocks<'_> {
        let block = Block { particles: 0..0, spans: Default::default(), span_count: 0 };
        Blocks { grid: self, remaining: range, block }
    }

    /// Finds the spans of a block in a row, from column `first` to column `last`.
    #[inline]
    fn find_spans(&self, block: &mut Block, row: i32, first: i32, last: i32) {
        block.span_count = 0;
        let Frame { columns, rows, folded_columns, folded_rows, .. } = self.frame;
        if folded_columns || folded_rows {
            return self.find_folded_spans(block, row, first, last);
        }
        let start = (first - COLUMNS_PER_RADIUS).max(0) as usize;
        let end = (last + 1 + COLUMNS_PER_RADIUS).min(columns) as usize;
        for row in (row - 1).max(0)..(row + 2).min(rows) {
            let row = &self.starts[(row * columns) as usize..];
            block.spans[block.span_count] = row[start]..row[end];
            block.span_count += 1;
        }
    }

    /// As [`find_spans`](Self::find_spans), for a folded grid.
    #[cold]
    fn find_folded_spans(&self, block: &mut Block, row: i32, first: i32, last: i32) {
        let frame = self.frame;
        let mut visit = |row: i32, columns: Range<i32>| {
            if columns.start < columns.end {
                let cells = row * frame.columns;
                block.spans[block.span_count] = self.starts[(cells + columns.start) as usize]
                    ..self.starts[(cells + columns.end) as usize];
                block.span_count += 1;
            }
        };
        let mut visit_row = |row: i32| {
            let (start, end) = (first - COLUMNS_PER_RADIUS, last + 1 + COLUMNS_PER_RADIUS);
            if !frame.folded_columns || end - start >= frame.columns {
                let whole = frame.folded_columns;
                let start = if whole { 0 } else { start.max(0) };
                visit(row, start..if whole { frame.columns } else { end.min(frame.columns) });
            } else if start < 0 {
                // Low cells come first, as they do for a block that visits the whole row.
                visit(row, 0..end);
                visit(row, start + frame.columns..frame.columns);
            } else if end > frame.columns {
                visit(row, 0..end - frame.columns);
                visit(row, start..frame.columns);
            } else {
                visit(row, start..end);
            }
        };
        if !frame.folded_rows {
            for row in (row - 1).max(0)..(row + 2).min(frame.rows) {
                visit_row(row);
            }
        } else if frame.rows <= 3 {
            for row in 0..frame.rows {
                visit_row(row);
            }
        } else {
            for row in row - 1..row + 2 {
                visit_row(row.rem_euclid(frame.rows));
            }
        }
    }
}

/// The blocks of a range of particles. Each block overwrites the previous one.
pub(crate) struct Blocks<'a> {
    grid: &'a Grid,
    remaining: Range<usize>,
    block: Block,
}

impl Blocks<'_> {
    /// Returns the next block, or `None` at the end.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<&Block> {
        let Self { grid, remaining, block } = self;
        let first = remaining.start;
        if first >= remaining.end {
            return None;
        }
        if first >= grid.interacting_count {
            // A waiting particle has only itself as a candidate.
            remaining.start += 1;
            block.particles = first..remaining.start;
            block.spans[0] = first as u32..remaining.start as u32;
            block.span_count = 1;
            return Some(block);
        }
        let columns = grid.frame.columns as u32;
        let (row, first_column) = (grid.cells[first] / columns, grid.cells[first] % columns);
        let last_cell = grid.cells[first] + (columns - 1 - first_column).min(BLOCK_COLUMNS - 1);
        let end = remaining.end.min(first + block_capacity());
        let cells = &grid.cells[first..end];
        let count = cells.partition_point(|cell| *cell <= last_cell);
        let last_column = cells[count - 1] - row * columns;
        remaining.start += count;
        block.particles = first..remaining.start;
        grid.find_spans(block, row as i32, first_column as i32, last_column as i32);
        Some(block)
    }
}

// The neighbours of the particles of a chunk.

/// The blocks of a chunk, and for each block its properties and the indices of the neighbours of its particles.
#[derive(Clone, Debug, Default)]
pub(crate) struct NeighbourLists<Properties> {
    indices: Vec<u32>,
    /// For each block, the index after its last particle, the end of its neighbours, and its properties.
    blocks: Vec<(u32, u32, Properties)>,
    len: usize,
}

impl<Properties: Copy> NeighbourLists<Properties> {
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.len = 0;
    }

    /// Returns space for the neighbours of a block.
    pub(crate) fn reserve(&mut self, block: &Block) -> &mut [u32] {
        let needed = self.len + block.spans().map(|span| span.len()).sum::<usize>();
        if self.indices.len() < needed {
            // Doubles the size, so that a moving liquid rarely reallocates.
            self.indices.resize((2 * needed).next_power_of_two(), 0);
        }
        &mut self.indices[self.len..needed]
    }

    /// Keeps the first `count` entries of that space.
    pub(crate) fn end_block(&mut self, block: &Block, count: usize, properties: Properties) {
        self.len += count;
        self.blocks.push((block.particles.end as u32, self.len as u32, properties));
    }

    /// Number of neighbours that are kept.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The particles, neighbours and properties of each block of the chunk that starts at index `chunk_start`.
    pub(crate) fn blocks(
        &self,
        chunk_start: usize,
    ) -> impl Iterator<Item = (Range<usize>, &[u32], Properties)> {
        let (mut first, mut first_index) = (chunk_start, 0);
        self.blocks.iter().map(move |(end, indices_end, properties)| {
            let particles = first..*end as usize;
            let indices = first_index..*indices_end as usize;
            (first, first_index) = (particles.end, indices.end);
            (particles, &self.indices[indices], *properties)
        })
    }
}

// The classes of a block's particles, one per lane.

/// The classes of a block's particles. If the block has fewer particles than lanes, the other lanes contain the classes
/// of the following particles, or of the last particle.
#[derive(Clone, Copy)]
pub(crate) struct ClassLanes {
    classes: [u8; LANES],
    /// Number of lanes.
    width: usize,
    uniform: bool,
}

impl ClassLanes {
    #[inline(always)]
    pub(crate) fn of(width: usize, particles: &Range<usize>, classes: &[ClassId]) -> Self {
        let from_block = &classes[particles.start..];
        let mut lanes = [from_block[0].0; LANES];
        if from_block.len() >= width {
            for (lane, class) in lanes[..width].iter_mut().zip(from_block) {
                *lane = class.0;
            }
        } else {
            for (index, lane) in lanes[..width].iter_mut().enumerate() {
                *lane = from_block[index.min(from_block.len() - 1)].0;
            }
        }
        Self { classes: lanes, width, uniform: lanes == [lanes[0]; LANES] }
    }

    /// The value of a coefficient for each particle's class.
    #[inline(always)]
    pub(crate) fn map(&self, value: impl Fn(usize) -> f32) -> Lanes {
        if self.uniform {
            return [value(usize::from(self.classes[0])); LANES];
        }
        let mut lanes = [0.0; LANES];
        for (lane, class) in lanes[..self.width].iter_mut().zip(self.classes) {
            *lane = value(usize::from(class));
        }
        lanes
    }

    /// For each class in `present`, fills its row with the coefficients `[i * classes + j]` between
    /// the particles' classes and that class.
    #[inline(always)]
    pub(crate) fn fill(&self, rows: &mut [Lanes], present: ClassSet, coefficients: &[f32]) {
        let count = rows.len();
        for (other, row) in ClassId::all().zip(rows) {
            if present.contains(other) {
                *row = self.map(|class| coefficients[class * count + other.index()]);
            }
        }
    }

    /// The common class of all particles, if there is one.
    #[inline(always)]
    pub(crate) fn uniform_class(&self) -> Option<usize> {
        self.uniform.then_some(usize::from(self.classes[0]))
    }
}

// The classes that are present near the particles of a block.

/// For each group of consecutive particles, the set of their classes. With it a pass knows which classes are near a
/// block without visiting its neighbours.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassPresence {
    groups: Vec<ClassSet>,
    all_classes: ClassSet,
}

impl ClassPresence {
    /// Computes the class sets of all groups, for a table with `classes` classes. Reuses its allocations. The result is
    /// valid until a particle changes its index or its class.
    pub(crate) fn compute(&mut self, particles: &[ClassId], classes: usize) -> &Self {
        self.groups.clear();
        if classes < 2 {
            self.all_classes = ClassSet::of(ClassId(0));
            return self;
        }
        let set_of = |group: &[ClassId]| {
            // Most groups have only one class, which vector instructions detect quickly.
            let alike = group.iter().fold(true, |alike, class| alike & (*class == group[0]));
            let distinct = if alike { &group[..1] } else { group };
            distinct.iter().copied().collect::<ClassSet>()
        };
        self.groups.extend(particles.chunks(GROUP).map(set_of));
        self.all_classes = self.groups.iter().copied().fold(ClassSet::NONE, ClassSet::union);
        self
    }

    /// Whether the liquid may have particles of several classes.
    pub(crate) fn has_several(&self) -> bool {
        self.all_classes.has_several()
    }

    /// The classes of the particles in these ranges, rounded outwards to whole groups.
    #[inline]
    pub(crate) fn in_ranges(&self, ranges: impl Iterator<Item = Range<usize>>) -> ClassSet {
        if !self.has_several() {
            return self.all_classes;
        }
        let groups = |range: Range<usize>| range.start / GROUP..range.end.div_ceil(GROUP);
        let sets = ranges.flat_map(|range| &self.groups[groups(range)]);
        sets.copied().fold(ClassSet::NONE, ClassSet::union)
    }
}

// The pairs of a block's particles with another particle in lanes, and the loop over them.

/// Each particle of a block paired with the same other particle. The compiler removes unused fields.
pub(crate) struct PairLanes<S: Instructions> {
    /// Offset from the block's particle to the other particle.
    pub dx: LaneVector<S>,
    pub dy: LaneVector<S>,
    pub squared: LaneVector<S>,
    pub distance: LaneVector<S>,
    /// Set where the two are coincident. Each particle is coincident with itself.
    pub coincident: LaneMask<S>,
    /// `1/r`, and 0 for coincident particles.
    pub inverse_distance: LaneVector<S>,
    /// `q = 1 - r/h`, and 0 beyond the interaction radius `h`.
    pub closeness: LaneVector<S>,
    /// Whether any of the block's particles is closer than the interaction radius.
    pub any_in_radius: bool,
}

impl<S: Instructions> PairLanes<S> {
    /// The approach speed times the distance, from the velocities of both particles.
    #[inline(always)]
    pub(crate) fn approach(&self, velocity: PointLanes<S>, other: Vec2) -> LaneVector<S> {
        let (x, y) = velocity;
        let splat = |number: f32| splat(x.token(), number);
        (x - splat(other.x)) * self.dx + (y - splat(other.y)) * self.dy
    }
}

/// The positions of a block's particles in lanes, and the positions of all particles.
pub(crate) struct BlockLanes<'a, S: Instructions> {
    block: PointLanes<S>,
    positions: &'a [Vec2],
    squared_coincidence: LaneVector<S>,
    inverse_radius: LaneVector<S>,
}

impl<'a, S: Instructions> BlockLanes<'a, S> {
    #[inline(always)]
    pub(crate) fn of(
        instructions: S,
        coefficients: &Coefficients,
        particles: &Range<usize>,
        positions: &'a [Vec2],
    ) -> Self {
        let Coefficients { coincidence_distance, inverse_radius, .. } = *coefficients;
        Self {
            block: gather_points(instructions, particles, positions),
            positions,
            squared_coincidence: splat(instructions, coincidence_distance * coincidence_distance),
            inverse_radius: splat(instructions, inverse_radius),
        }
    }

    /// The pairs with a particle at the position `other`.
    #[inline(always)]
    pub(crate) fn pairs_with(&self, other: Vec2) -> PairLanes<S> {
        let (x, y) = self.block;
        let splat = |number: f32| splat(x.token(), number);
        let (dx, dy) = (splat(other.x) - x, splat(other.y) - y);
        let squared = dx * dx + dy * dy;
        let distance = squared.sqrt();
        let coincident = squared.simd_lt(self.squared_coincidence);
        // The division by the square does not depend on the square root.
        let inverse_distance = distance * (splat(1.0) / squared);
        let inverse_distance =
            (inverse_distance.bitcast::<LaneCounts<S>>() & !coincident.to_vector()).bitcast();
        let inside = splat(1.0) - distance * self.inverse_radius;
        let (closeness, any_in_radius) = x.token().positive_and_any(inside);
        PairLanes {
            dx,
            dy,
            squared,
            distance,
            coincident,
            inverse_distance,
            closeness,
            any_in_radius,
        }
    }

    /// Calls `visit` for the pairs with each of the others, given as one or more spans of indices. `visit` must be
    /// `#[inline(always)]`, like everything that a [`LaneKernel`](crate::parallel::instructions::LaneKernel) calls.
    #[inline(always)]
    pub(crate) fn for_each(
        &self,
        others: impl IntoIterator<Item: Iterator<Item = usize>>,
        mut visit: impl FnMut(usize, PairLanes<S>),
    ) {
        for span in others {
            for index in span {
                visit(index, self.pairs_with(self.positions[index]));
            }
        }
    }
}

// Coincident particles, and the directions in which they separate.

/// The candidates that are coincident with the particle `index`, except the particle itself, and the axis towards each.
pub(crate) fn coincident_particles(
    particles: ParticleView,
    coefficients: &Coefficients,
    index: usize,
    candidates: impl Iterator<Item = usize>,
) -> impl Iterator<Item = (usize, Vec2)> {
    let squared_coincidence = coefficients.coincidence_distance * coefficients.coincidence_distance;
    let ParticleView { position: positions, id: ids, .. } = particles;
    let coincides = move |other: usize| {
        (positions[other] - positions[index]).length_squared() < squared_coincidence
    };
    candidates
        .filter(move |other| *other != index && coincides(*other))
        .map(move |other| (other, separation_axis(ids[index], ids[other])))
}

/// Direction from the coincident particle `a` to `b`: one of sixteen, chosen by their ids. Swapping `a` and `b`
/// reverses it.
pub(crate) fn separation_axis(a: ParticleId, b: ParticleId) -> Vec2 {
    // Directions of a quarter circle. Quarter turns give the others.
    const QUARTER: [Vec2; 4] = [
        Vec2::new(1.0, 0.0),
        Vec2::new(0.923_879_5, 0.382_683_43),
        Vec2::new(0.707_106_77, 0.707_106_77),
        Vec2::new(0.382_683_43, 0.923_879_5),
    ];
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    let mixed = (low.slot() ^ high.slot().rotate_left(16)).wrapping_mul(0x9e37_79b9) >> 28;
    let axis = QUARTER[(mixed & 3) as usize];
    let turned = match mixed >> 2 {
        0 => axis,
        1 => axis.perp(),
        2 => -axis,
        _ => -axis.perp(),
    };
    if a < b { turned } else { -turned }
}

// Pairs of neighbours, for a host with its own passes.

/// Two particles closer than the interaction radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Index of one particle in the [arrays](Particles).
    pub a: usize,
    /// Index of the other particle.
    pub b: usize,
    /// Vector from `a` to `b`, in world units.
    pub offset: Vec2,
    /// Length of the offset, in world units; 0 for particles at the same point.
    pub distance: f32,
    /// `q = 1 - r/h`: 1 at distance 0, 0 at the interaction radius.
    pub weight: f32,
}

/// All pairs of neighbours, as [`FluidWorld::pairs`](crate::FluidWorld::pairs) finds them.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    grid: &'a Grid,
    particles: &'a Particles,
    radius: f32,
}

impl<'a> Pairs<'a> {
    /// The pairs of particles that are sorted into the cells of a grid.
    pub(crate) fn new(grid: &'a Grid, particles: &'a Particles, radius: f32) -> Self {
        Self { grid, particles, radius }
    }

    /// The particles, in the order of the pairs' indices.
    pub fn particles(&self) -> &'a Particles {
        self.particles
    }

    /// Calls `visit` once for every pair, with `a < b`, except for pairs of particles that
    /// [wait](crate::StepReport::waiting). The method does not allocate. The same state gives the same order of
    /// pairs, by ascending `a`.
    pub fn for_each(&self, mut visit: impl FnMut(Pair)) {
        let mut blocks = self.grid.blocks(0..self.particles.len());
        while let Some(block) = blocks.next() {
            for a in block.particles.clone() {
                self.visit_candidates(block, a, a + 1, &mut visit);
            }
        }
    }

    /// Calls `visit` for every pair of the particle `index`, which is `a` in each pair.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not below [`Particles::len`].
    pub fn for_each_of(&self, index: usize, mut visit: impl FnMut(Pair)) {
        assert!(index < self.particles.len(), "there is no particle {index}");
        let mut blocks = self.grid.blocks(index..index + 1);
        if let Some(block) = blocks.next() {
            self.visit_candidates(block, index, 0, &mut visit);
        }
    }

    /// Visits the pairs of `a` with the particles from index `first` on.
    fn visit_candidates(
        &self,
        block: &Block,
        a: usize,
        first: usize,
        visit: &mut impl FnMut(Pair),
    ) {
        let positions = self.particles.positions();
        for b in block.spans().flat_map(|span| span.start.max(first)..span.end) {
            let offset = positions[b] - positions[a];
            let squared = offset.length_squared();
            if b != a && squared < self.radius * self.radius {
                let distance = squared.sqrt();
                visit(Pair { a, b, offset, distance, weight: 1.0 - distance / self.radius });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::SerialExecutor;
    use crate::parallel::instructions::tests::with_each_set;
    use crate::scene::Scene;

    thread_local! {
        static CAPACITY: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// Replaces the function, to test narrower blocks.
    pub(super) fn block_capacity() -> usize {
        CAPACITY.get().min(block_width())
    }

    /// Blocks that fall asleep. Some of their particles wake beside others that stay asleep.
    const JELLY: &str = r#"(
        classes: [
            (name: "jelly", color: (1, 1, 1, 1), elasticity: (stiffness: 40), paint: (diffusion: 0.3)),
            (name: "putty", color: (1, 1, 1, 1), elasticity: (stiffness: 40, plasticity: 4)),
            (name: "sand", color: (1, 1, 1, 1), powder: (friction_angle: 30), paint: (color: (1, 0, 0))),
            (name: "honey", color: (1, 1, 1, 1), viscosity: (approach: 1, quadratic: 0.2, linear: 12)),
        ],
        containers: [(shape: Rectangle(half_size: (450, 300)), centre: (0, 300))],
        blocks: [
            (fill: Filled(shape: Rectangle(half_size: (95, 95))), centre: (-200, 200), class: "jelly"),
            (fill: Filled(shape: Rectangle(half_size: (95, 95))), centre: (200, 200), class: "putty"),
            (fill: Filled(shape: Circle(radius: 30)), centre: (-60, 330), class: "jelly", paint: (0, 0, 1)),
            (fill: Filled(shape: Rectangle(half_size: (60, 60))), centre: (0, 150), class: "sand"),
            (fill: Filled(shape: Rectangle(half_size: (50, 50))), centre: (385, 55), class: "honey"),
        ],
    )"#;

    fn state_of_jelly(capacity: usize) -> u64 {
        CAPACITY.set(capacity);
        let scene = Scene::from_ron(JELLY).expect("a valid scene");
        let mut world = scene.build().expect("a valid scene");
        for _ in 0..600 {
            world.step(scene.time_step(), &SerialExecutor).expect("a valid step");
        }
        world.state_hash()
    }

    #[test]
    fn blocks_of_any_width_give_the_same_bits() {
        let states = [usize::MAX, 4, 1].map(state_of_jelly);
        CAPACITY.set(usize::MAX);
        assert_eq!(states, [states[0]; 3], "what is found for a particle depends on its block");
        let states = with_each_set(|| state_of_jelly(usize::MAX));
        assert!(states.iter().all(|state| *state == states[0]), "{states:?}");
    }

    /// The neighbours of each particle, in the order of the grid, as its block visits them.
    fn visited(grid: &Grid, sorted: &[Vec2], capacity: usize) -> Vec<Vec<usize>> {
        CAPACITY.set(capacity);
        let mut visited = Vec::new();
        let mut blocks = grid.blocks(0..sorted.len());
        while let Some(block) = blocks.next() {
            for index in block.particles.clone() {
                let is_neighbour = |other: &usize| sorted[index].distance(sorted[*other]) < 10.0;
                visited.push(block.spans().flatten().filter(is_neighbour).collect());
            }
        }
        CAPACITY.set(usize::MAX);
        visited
    }

    #[test]
    fn in_a_folded_grid_too_the_order_does_not_depend_on_the_width() {
        // Two distant particles fold a large number of columns, each 1.25 wide, into forty.
        let mut positions = vec![Vec2::ZERO, Vec2::new(102_399.375, 819_195.0)];
        // Particles around a fold, and one in the middle of the columns.
        positions.extend([46.0, 48.0, 50.5, 52.0, 54.0, 81.9].map(|x| Vec2::new(x, 55.0)));
        let mut grid = Grid::default();
        let order = grid.sort(&positions, 10.0, &SerialExecutor).to_vec();
        assert!(grid.frame.folded_columns && grid.frame.columns == 40, "{:?}", grid.frame);
        let sorted: Vec<Vec2> = order.iter().map(|old| positions[*old as usize]).collect();
        let widest = visited(&grid, &sorted, usize::MAX);
        assert!(widest.iter().any(|near| near.len() == 5), "{widest:?}");
        for most in [4, 1] {
            assert_eq!(visited(&grid, &sorted, most), widest, "{most} particles");
        }
    }

    #[test]
    fn what_is_in_ranges_is_found() {
        let [low, high] = [ClassId(0), ClassId(1)];
        let particles: Vec<_> =
            (0..200).map(|index| if index < 100 { low } else { high }).collect();
        let mut presence = ClassPresence::default();
        assert_eq!(
            presence.in_ranges(std::iter::once(0..0)),
            ClassSet::NONE,
            "nothing is present yet"
        );
        presence.compute(&particles, 2);
        assert_eq!(presence.in_ranges([0..50, 60..96].into_iter()), ClassSet::of(low));
        assert_eq!(presence.in_ranges([112..200, 150..150].into_iter()), ClassSet::of(high));
        let both = ClassSet::of(low).union(ClassSet::of(high));
        assert_eq!(presence.in_ranges([0..50, 150..151].into_iter()), both, "between two ranges");
        assert_eq!(presence.in_ranges(std::iter::once(95..120)), both, "within a range");
        presence.compute(&particles[..90], 2);
        assert!(!presence.has_several());
        assert_eq!(
            presence.in_ranges(std::iter::once(0..0)),
            ClassSet::of(low),
            "there is no other"
        );
        presence.compute(&particles[..90], 1);
        assert_eq!(
            presence.in_ranges(std::iter::once(0..90)),
            ClassSet::of(low),
            "it is not looked for"
        );
    }
}
