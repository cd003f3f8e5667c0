//! Implicit viscosity: pairs exchange their velocities after the substep (Weiler, Koschier, Brand and Bender 2018, "A
//! physically consistent implicit viscosity solver for SPH fluids").

use glam::Vec2;

use crate::parallel::executor::{CHUNK, PerChunk, chunk_of};
use crate::parallel::instructions::{
    self, Instructions, LANES, LaneKernel, Lanes, block_width, gather_points, load, splat, store,
};
use crate::particles::arrays::Activity;
use crate::solver::coefficients::{ClassSet, Coefficients};
use crate::solver::incompressible::densities::ChunkNeighbourList;
use crate::solver::incompressible::iteration::BlockNeighbours;
use crate::solver::neighbours::blocks::{BlockLanes, ClassLanes};
use crate::solver::pair_forces::coefficients::{Frozen, Kernels};
use crate::solver::shared_pressure::SharedPressureKernels as Kernel;
use crate::{ClassTable, Executor, FluidParameters};

/// Largest fraction of its velocity relative to its neighbours that a particle may lose in an explicit exchange. Liquid
/// that loses more needs the implicit exchange.
const MAX_EXPLICIT_LOSS: f32 = 0.5;

/// The fraction that a particle loses per T0 within its class in addition to the viscosity of the settings. Without it,
/// density errors below the tolerance keep a pool in motion.
const DAMPING: f32 = 3.6;

/// The residual at which the iteration ends, relative to the change by an explicit exchange.
const TOLERANCE: f64 = 1e-3;

/// The smallest such residual, in interaction radii per substep, for liquid that hardly deforms.
const MIN_TOLERANCE: f64 = 1e-6;

/// Largest number of iterations. Each iteration conserves linear and angular momentum, so the remaining residual only
/// makes the liquid less viscous.
const MAX_ITERATIONS: u32 = 100;

/// The viscosity of a substep, and the vectors of the conjugate gradient method: one item per particle, in world units.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImplicitViscosity {
    /// `[i * classes + j]`: the fraction of its velocity difference to a particle of class `j` that a particle of class
    /// `i` takes on, per pair weight.
    rates: Vec<f32>,
    is_strong: bool,
    residuals: Vec<Vec2>,
    directions: Vec<Vec2>,
    matrix_products: Vec<Vec2>,
    /// One item per chunk.
    sums: Vec<f64>,
    /// Number of iterations in the tick.
    pub iterations: u32,
}

impl ImplicitViscosity {
    /// Derives the viscosity of substeps from valid settings.
    ///
    /// A pair's weight is `1.5 q r/h`. It gives the same kinematic viscosity as the impulses of double density
    /// relaxation: the `integral of q r^3` is 1/20, and that of `q r^4` is 1/30.
    pub(super) fn derive(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        shared: &Coefficients,
    ) {
        self.iterations = 0;
        self.rates.clear();
        let count = classes.len();
        let ratio = parameters.radius_ratio;
        // At rest the weights of a particle's pairs have the sum `pi/4 ratio^2`. One factor 1/2 is the share among
        // equal masses, the other is the average over directions.
        let lost = 0.25 * std::f32::consts::FRAC_PI_4 * ratio * ratio;
        let damping = DAMPING / lost;
        let liquid_rate = parameters.viscosity.linear;
        let class_rate = |index: usize| {
            classes
                .iter()
                .nth(index)
                .and_then(|class| class.viscosity)
                .map_or(liquid_rate, |viscosity| viscosity.linear)
        };
        for i in 0..count {
            for j in 0..count {
                let factor = if i == j { 1.0 } else { parameters.viscosity.cross_class };
                let viscosity = 0.5 * (class_rate(i) + class_rate(j));
                self.rates.push(factor * (viscosity + damping));
            }
        }
        for pair in classes.pairs() {
            if let (Some((i, j)), Some(viscosity)) =
                (classes.indices_of(&pair.classes), pair.viscosity)
            {
                let factor = if i == j { 1.0 } else { parameters.viscosity.cross_class };
                let rate = viscosity.linear + factor * damping;
                self.rates[i * count + j] = rate;
                self.rates[j * count + i] = rate;
            }
        }
        let max_rate = self.rates.iter().fold(0.0, |max_rate: f32, rate| max_rate.max(*rate));
        self.is_strong = max_rate * shared.per_time_unit * lost > MAX_EXPLICIT_LOSS;
        let per_gradient = 1.5 * shared.inverse_radius / Kernel::SLOPE_FACTOR;
        for (index, rate) in self.rates.iter_mut().enumerate() {
            let (share, _) = shared.shares(index / count, index % count);
            *rate *= share * shared.per_time_unit * per_gradient;
        }
    }

    /// Solves `x_i + sum_j s_ij w_ij (x_i - x_j).r r = b_i` for the displacements `x`, where `b`
    /// are the given `displacements`, and `r` is the direction between the two particles.
    ///
    /// The inner product of the conjugate gradient method is weighted by the masses. The forces act along the lines
    /// between particles, so every iteration conserves linear and angular momentum, and rigid rotation is not slowed
    /// down.
    pub(super) fn exchange(
        &mut self,
        frozen: Frozen,
        neighbours: &[ChunkNeighbourList],
        displacements: &mut [Vec2],
        executor: &dyn Executor,
    ) {
        let Self { rates, is_strong, residuals, directions, matrix_products, sums, iterations } =
            self;
        let count = displacements.len();
        let system = System { frozen, neighbours, rates };
        residuals.resize(count, Vec2::ZERO);
        matrix_products.resize(count, Vec2::ZERO);
        sums.resize(count.div_ceil(CHUNK), 0.0);
        system.apply_matrix(displacements, matrix_products, executor);
        let first = |residual: &mut Vec2, lost: Vec2| *residual = -lost;
        let mut squared_residual =
            system.update_and_norm(residuals, matrix_products, sums, first, executor);
        if !*is_strong {
            for (displacement, change) in displacements.iter_mut().zip(&*residuals) {
                *displacement += *change;
            }
            return;
        }
        let floor = MIN_TOLERANCE * f64::from(frozen.coefficients.interaction_radius);
        let squared_tolerance =
            (TOLERANCE * TOLERANCE * squared_residual).max(floor * floor * count as f64);
        directions.clone_from(residuals);
        for _ in 0..MAX_ITERATIONS {
            if squared_residual <= squared_tolerance {
                break;
            }
            *iterations += 1;
            system.apply_matrix(directions, matrix_products, executor);
            for (product, direction) in matrix_products.iter_mut().zip(&*directions) {
                *product += *direction;
            }
            let curvature = system.product(directions, matrix_products, sums, executor);
            let step_length = (squared_residual / curvature) as f32;
            for (displacement, direction) in displacements.iter_mut().zip(&*directions) {
                *displacement += *direction * step_length;
            }
            let reduce = |residual: &mut Vec2, product: Vec2| *residual -= product * step_length;
            let next_squared_residual =
                system.update_and_norm(residuals, matrix_products, sums, reduce, executor);
            let beta = (next_squared_residual / squared_residual) as f32;
            for (direction, residual) in directions.iter_mut().zip(&*residuals) {
                *direction = *residual + *direction * beta;
            }
            squared_residual = next_squared_residual;
        }
    }
}

/// The pairs that exchange velocity.
#[derive(Clone, Copy)]
struct System<'a> {
    frozen: Frozen<'a>,
    neighbours: &'a [ChunkNeighbourList],
    rates: &'a [f32],
}

impl System<'_> {
    fn mass(&self, index: usize) -> f64 {
        let class = self.frozen.particles.class[index].index();
        1.0 / f64::from(self.frozen.coefficients.classes[class].inverse_mass)
    }

    /// Computes the loss of each particle in one exchange: `sum_j s_ij w_ij (x_i - x_j).r r`; 0 for particles that are
    /// not awake.
    fn apply_matrix(&self, displacements: &[Vec2], lost: &mut [Vec2], executor: &dyn Executor) {
        let Frozen { particles, coefficients, .. } = self.frozen;
        executor.for_each_chunk(lost, CHUNK, |index, lost| {
            let chunk = chunk_of(index, lost.len());
            lost.fill(Vec2::ZERO);
            let mut rows = [[0.0; LANES]; ClassTable::MAX_CLASSES];
            for (block, indices, weights) in self.neighbours[index].blocks(chunk.start) {
                if !particles.activity[block.clone()].contains(&Activity::Awake) {
                    continue;
                }
                let classes = ClassLanes::of(block_width(), &block, particles.class);
                classes.fill(&mut rows[..coefficients.classes.len()], ClassSet::ALL, self.rates);
                let neighbours = &BlockNeighbours {
                    frozen: &self.frozen,
                    particles: block.clone(),
                    neighbours: indices,
                    weights,
                };
                let (x, y) =
                    instructions::run(VelocityLosses { neighbours, displacements, rows: &rows });
                for (lane, index) in block.enumerate() {
                    if particles.activity[index] == Activity::Awake {
                        lost[index - chunk.start] = Vec2::new(x[lane], y[lane]);
                    }
                }
            }
        });
    }

    /// Applies `change` to each item of `a` and its item of `b`, and returns the sum of `m a.a`.
    fn update_and_norm(
        &self,
        a: &mut [Vec2],
        b: &[Vec2],
        sums: &mut [f64],
        change: impl Fn(&mut Vec2, Vec2) + Sync,
        executor: &dyn Executor,
    ) -> f64 {
        let count = a.len();
        let into = (a, PerChunk::new(&mut *sums, count, CHUNK));
        executor.for_each_chunk(into, CHUNK, |index, (a, sum)| {
            let start = index * CHUNK;
            let mut chunk_sum = 0.0;
            for (offset, item) in a.iter_mut().enumerate() {
                change(item, b[start + offset]);
                chunk_sum += self.mass(start + offset) * f64::from(item.length_squared());
            }
            *sum.item() = chunk_sum;
        });
        sums.iter().sum()
    }

    /// Returns the sum of `m a.b`.
    fn product(&self, a: &[Vec2], b: &[Vec2], sums: &mut [f64], executor: &dyn Executor) -> f64 {
        let into = (0..a.len(), PerChunk::new(&mut *sums, a.len(), CHUNK));
        executor.for_each_chunk(into, CHUNK, |_, (chunk, sum)| {
            *sum.item() =
                chunk.map(|index| self.mass(index) * f64::from(a[index].dot(b[index]))).sum();
        });
        sums.iter().sum()
    }
}

/// Computes the losses of a block's particles to their neighbours.
struct VelocityLosses<'a> {
    neighbours: &'a BlockNeighbours<'a>,
    displacements: &'a [Vec2],
    rows: &'a [Lanes; ClassTable::MAX_CLASSES],
}

impl LaneKernel for VelocityLosses<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes) {
        let Self { neighbours: BlockNeighbours { frozen, particles, neighbours, weights }, .. } =
            self;
        let Frozen { particles: all, coefficients, .. } = **frozen;
        let load = |lanes: &Lanes| load(instructions, lanes);
        let displacements = &self.displacements[..all.position.len()];
        let classes = &all.class[..all.position.len()];
        let lanes = BlockLanes::of(instructions, coefficients, particles, all.position);
        let displacement = gather_points(instructions, particles, displacements);
        let (mut sum_x, mut sum_y) = (splat(instructions, 0.0), splat(instructions, 0.0));
        for (index, weight) in neighbours.iter().zip(*weights) {
            let index = *index as usize;
            let (pair, class) = (lanes.pairs_with(all.position[index]), classes[index].index());
            let along = pair.approach(displacement, displacements[index])
                * (load(weight) * load(&self.rows[class]));
            sum_x += along * pair.dx;
            sum_y += along * pair.dy;
        }
        (store(sum_x), store(sum_y))
    }
}
