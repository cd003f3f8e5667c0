//! Particles as a structure of arrays.

use std::ops::Range;
use std::sync::OnceLock;

use glam::Vec2;

use crate::parallel::executor::{CHUNK, SECTION};
use crate::particles::clone_in_place;
use crate::particles::life::Lives;
use crate::particles::optional::Paints;
use crate::revision::Revision;
use crate::{ClassFilter, ClassId, Executor, FluidBounds, Grain, ParticleId, ParticleSpawn};

/// Entry of `indices` for a slot without a living particle.
pub(super) const VACANT: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) generation: u32,
    /// Whether the springs pass has not visited the particle yet.
    pub(super) new: bool,
}

clone_in_place! {
    /// All particles: arrays of equal length, kept in the order of the grid's cells.
    ///
    /// The order changes every substep. A [`ParticleId`] finds its particle in any order.
    #[derive(Debug, Default)]
    pub struct Particles {
        pub(crate) position: Vec<Vec2>,
        pub(crate) previous_position: Vec<Vec2>,
        pub(crate) tick_start: Vec<Vec2>,
        pub(crate) velocity: Vec<Vec2>,
        pub(crate) displacement: Vec<Vec2>,
        pub(crate) class: Vec<ClassId>,
        pub(crate) temperature: Vec<f32>,
        /// Progress of the reaction with other classes, 0 to 1.
        pub(crate) exposure: Vec<f32>,
        /// Seconds for which the particle has stayed near its `rest_position`.
        pub(crate) rest_time: Vec<f32>,
        pub(crate) rest_position: Vec<Vec2>,
        /// Temperature at the start of `rest_time`. It matters where heat changes the weight.
        pub(crate) rest_temperature: Vec<f32>,
        pub(crate) activity: Vec<Activity>,
        /// Recomputed in every substep for moving particles.
        pub(crate) relative_density: Vec<f32>,
        /// Pressures that the solver keeps from substep to substep; empty if it keeps none.
        pub(crate) pressure: Vec<f32>,
        /// State of the grains of powder; empty if no particle is a grain.
        pub(crate) grains: Vec<Grain>,
        pub(crate) paints: Paints,
        pub(crate) id: Vec<ParticleId>,
        pub(crate) lives: Lives,
        pub(super) slots: Vec<Slot>,
        /// For each slot, the index of its particle in the arrays, or [`VACANT`].
        pub(super) indices: Vec<u32>,
        pub(super) vacant: Vec<u32>,
        pub(super) any_new: bool,
        /// Whether the arrays are sorted. Adding, removing or moving a particle clears it.
        pub(crate) sorted: bool,
        /// Revision of the order of the arrays. It is renewed when the arrays are sorted, when
        /// particles are added or removed, and when a host may have moved some. Passes do not renew
        /// it, because they move only particles that are awake.
        pub(crate) order: Revision,
        /// Revision of the living particles and their classes. Births do not renew it.
        pub(crate) members: Revision,
        /// Whether the host may have made the numbers of any particle invalid.
        pub(crate) unchecked: bool,
        /// The spatial index of the present positions. It is built on first use.
        pub(super) index: OnceLock<ParticleIndex>,
    }
}

impl Particles {
    /// Invalidates the sorting and the spatial index. It must be called whenever particles are moved.
    pub(crate) fn mark_moved(&mut self) {
        self.sorted = false;
        self.index.take();
    }

    /// Invalidates everything that refers to particles by index.
    fn mark_added_or_removed(&mut self) {
        self.mark_moved();
        self.order.renew();
    }

    /// The spatial index, which finds particles near a point.
    pub(crate) fn index(&self) -> &ParticleIndex {
        self.index.get_or_init(|| ParticleIndex::of(&self.position))
    }

    /// Number of living particles.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are no living particles.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Positions, in world units.
    pub fn positions(&self) -> &[Vec2] {
        &self.position
    }

    /// Positions at the beginning of the last tick, in world units. Drawing interpolates from these
    /// positions to the present positions.
    pub fn tick_start_positions(&self) -> &[Vec2] {
        &self.tick_start
    }

    /// Positions before the last pass [`AdvancePositions`](crate::FluidPass::AdvancePositions), in
    /// world units (`x_prev` of the paper).
    pub fn previous_positions(&self) -> &[Vec2] {
        &self.previous_position
    }

    /// Velocities, in world units/s.
    pub fn velocities(&self) -> &[Vec2] {
        &self.velocity
    }

    /// Velocities in world units/s, which may be changed between passes. A particle whose velocity
    /// is not finite is quarantined.
    pub fn velocities_mut(&mut self) -> &mut [Vec2] {
        &mut self.velocity
    }

    /// Displacements of the present substep, in world units. [`displace`](Self::displace) changes a
    /// position and its displacement.
    pub fn displacements(&self) -> &[Vec2] {
        &self.displacement
    }

    /// The class of each particle.
    pub fn classes(&self) -> &[ClassId] {
        &self.class
    }

    /// Temperatures, in the degrees of [`FluidThermal`](crate::FluidThermal).
    pub fn temperatures(&self) -> &[f32] {
        &self.temperature
    }

    /// Temperatures in degrees, which may be changed between passes. A particle whose temperature
    /// is not finite is quarantined.
    pub fn temperatures_mut(&mut self) -> &mut [f32] {
        &mut self.temperature
    }

    /// Progress of each particle's reaction with other classes, 0 to 1.
    pub fn exposures(&self) -> &[f32] {
        &self.exposure
    }

    /// Densities in the last substep, relative to the rest density of each particle's class.
    /// Densities include walls, but not the particle itself. Relative densities are about 1 inside
    /// a liquid, and 0 for an isolated particle. Sleeping particles keep their last density. The
    /// value is 1 before the first substep.
    pub fn relative_densities(&self) -> &[f32] {
        &self.relative_density
    }

    /// Pressures that the solver keeps for the next substep, in medium masses times world units/s².
    /// The slice is empty before the first substep, and with a solver that keeps no pressures.
    /// [`FluidSolver::DoubleDensity`] keeps the resistance to compression
    /// ([`FluidParameters::pressure_memory`]), and [`FluidSolver::Incompressible`] the pressure.
    ///
    /// [`FluidSolver::DoubleDensity`]: crate::FluidSolver::DoubleDensity
    /// [`FluidSolver::Incompressible`]: crate::FluidSolver::Incompressible
    /// [`FluidParameters::pressure_memory`]: crate::FluidParameters::pressure_memory
    pub fn kept_pressures(&self) -> &[f32] {
        &self.pressure
    }

    /// State of each particle as a grain of powder; empty if no particle is a grain.
    pub fn grains(&self) -> &[Grain] {
        &self.grains
    }

    /// The handle of each particle.
    pub fn ids(&self) -> &[ParticleId] {
        &self.id
    }

    /// Index of a living particle in the arrays, valid until the next sort; `None` if the particle
    /// is dead.
    pub fn index_of(&self, id: ParticleId) -> Option<usize> {
        let slot = self.slots.get(id.slot as usize)?;
        let index = self.indices[id.slot as usize];
        (slot.generation == id.generation && index != VACANT).then_some(index as usize)
    }

    /// Pressure that the solver keeps for a particle; 0 if it keeps none.
    pub(crate) fn kept_pressure(&self, index: usize) -> f32 {
        self.pressure.get(index).copied().unwrap_or_default()
    }

    /// Creates the grain state of all particles, or removes it.
    pub(crate) fn remember_grains(&mut self, remember: bool) {
        if !remember {
            self.grains.clear();
        } else if self.grains.len() < self.len() {
            let new = &self.position[self.grains.len()..];
            self.grains.extend(new.iter().map(|position| Grain::at(*position)));
        }
    }

    /// Resets the grain state of the particles of a class, if grain states exist.
    pub(crate) fn forget_grains_of(&mut self, class: ClassId) {
        let all = self.grains.iter_mut().zip(&self.class).zip(&self.position);
        for ((grain, _), position) in all.filter(|((_, known), _)| **known == class) {
            *grain = Grain::at(*position);
        }
    }

    /// Moves a particle by `offset` world units within a substep. The pass
    /// [`UpdateVelocities`](crate::FluidPass::UpdateVelocities) turns the offset into a change of
    /// the particle's velocity. Call it between the passes
    /// [`AdvancePositions`](crate::FluidPass::AdvancePositions) and
    /// [`UpdateVelocities`](crate::FluidPass::UpdateVelocities). If the offset is not finite, the
    /// particle stays at its place and is quarantined.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not below [`Particles::len`].
    pub fn displace(&mut self, index: usize, offset: Vec2) {
        if !offset.is_finite() {
            // The position must stay finite, because the liquid around it wakes.
            self.velocity[index] = offset;
            return;
        }
        self.position[index] += offset;
        self.displacement[index] += offset;
    }

    /// Moves every particle by its own offset, as [`displace`](Self::displace) does, except for
    /// chunks that are asleep.
    ///
    /// In a substep of `time_step` seconds, a particle is accelerated at most to `most` world units
    /// per substep. A faster particle does not get faster. Liquid that can be simulated is far
    /// slower, with two exceptions: very heavy particles touch very light ones, or particles are
    /// packed dozens of times too densely.
    pub(crate) fn displace_all(
        &mut self,
        offsets: &[Vec2],
        most: f32,
        time_step: f32,
        executor: &dyn Executor,
    ) {
        let (velocities, activity) = (&self.velocity, &self.activity);
        let moved = (&mut self.position[..], &mut self.displacement[..]);
        executor.for_each_chunk(moved, CHUNK, |index, (positions, displacements)| {
            let start = index * CHUNK;
            if idle(&activity[start..start + positions.len()]) {
                return;
            }
            let given = offsets[start..].iter().zip(&velocities[start..]);
            for ((position, displacement), (offset, velocity)) in
                positions.iter_mut().zip(displacements).zip(given)
            {
                let way = *velocity * time_step + *displacement;
                let offset = limited(way, *offset, most);
                *position += offset;
                *displacement += offset;
            }
        });
    }

    /// Limits displacements that a pass has already made, as [`displace_all`](Self::displace_all)
    /// does. `before` are the positions at the start of the pass.
    pub(crate) fn limit_displacements(&mut self, before: &[Vec2], most: f32, time_step: f32) {
        for (index, before) in before.iter().enumerate() {
            let offset = self.position[index] - *before;
            let way = self.velocity[index] * time_step + self.displacement[index] - offset;
            let excess = limited(way, offset, most) - offset;
            if excess != Vec2::ZERO {
                self.displace(index, excess);
            }
        }
    }

    /// Adds a particle whose values have been checked.
    pub(crate) fn push(&mut self, spawn: ParticleSpawn) -> ParticleId {
        self.mark_added_or_removed();
        let index = self.len() as u32;
        let slot = self.vacant.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, new: true });
            self.indices.push(VACANT);
            self.slots.len() as u32 - 1
        });
        let entry = &mut self.slots[slot as usize];
        entry.new = true;
        self.any_new = true;
        let id = ParticleId { slot, generation: entry.generation };
        self.indices[slot as usize] = index;
        self.position.push(spawn.position);
        self.previous_position.push(spawn.position);
        self.tick_start.push(spawn.position);
        self.velocity.push(spawn.velocity);
        self.displacement.push(Vec2::ZERO);
        self.class.push(spawn.class);
        self.temperature.push(spawn.temperature.unwrap_or_default());
        self.exposure.push(0.0);
        self.rest_time.push(0.0);
        self.rest_position.push(spawn.position);
        self.rest_temperature.push(spawn.temperature.unwrap_or_default());
        self.activity.push(Activity::Awake);
        self.relative_density.push(1.0);
        if !self.pressure.is_empty() {
            self.pressure.push(0.0);
        }
        if !self.grains.is_empty() {
            self.grains.push(Grain::at(spawn.position));
        }
        if let Some(color) = spawn.paint {
            self.paints.push(index as usize, color);
        }
        self.id.push(id);
        self.lives.begin(id, spawn.lifetime, spawn.tag);
        id
    }

    /// Whether the springs pass has not visited a particle yet.
    pub(crate) fn is_new(&self, id: ParticleId) -> bool {
        self.slots[id.slot as usize].new
    }

    /// Whether there are particles that the springs pass has not visited yet.
    pub(crate) fn any_new(&self) -> bool {
        self.any_new
    }

    /// The classes that have particles. Without any particle these are all classes, because any may come.
    pub(crate) fn present_classes(&self) -> ClassFilter {
        if self.is_empty() {
            return ClassFilter::ALL;
        }
        let mut present = [false; u8::MAX as usize + 1];
        for section in self.class.chunks(SECTION) {
            // Most sections have one class, and the loop without an early end needs few vector instructions.
            let first = section[0];
            present[first.index()] = true;
            if section.iter().fold(false, |differ, class| differ | (*class != first)) {
                section.iter().for_each(|class| present[class.index()] = true);
            }
        }
        ClassId::all().filter(|class| present[class.index()]).collect()
    }

    /// Marks all particles as visited by the springs pass.
    pub(crate) fn clear_new(&mut self) {
        if std::mem::take(&mut self.any_new) {
            self.slots.iter_mut().for_each(|slot| slot.new = false);
        }
    }

    /// Marks the particles of a class as not yet visited by the springs pass.
    pub(crate) fn mark_new(&mut self, class: ClassId) {
        for (id, _) in self.id.iter().zip(&self.class).filter(|(_, known)| **known == class) {
            self.slots[id.slot as usize].new = true;
            self.any_new = true;
        }
    }

    /// Changes a particle's class, and marks it as not yet visited by the springs pass.
    pub(crate) fn change_class(&mut self, index: usize, class: ClassId) {
        self.class[index] = class;
        self.members.renew();
        self.exposure[index] = 0.0;
        self.rest_time[index] = DISTURBED;
        if let Some(grain) = self.grains.get_mut(index) {
            *grain = Grain::at(self.position[index]);
        }
        self.paints.rests = false;
        self.slots[self.id[index].slot as usize].new = true;
        self.any_new = true;
    }

    /// Removes the particle at an index. The last particle moves to this index.
    pub(crate) fn swap_remove(&mut self, index: usize) {
        self.mark_added_or_removed();
        self.members.renew();
        let id = self.id.swap_remove(index);
        self.lives.end(id);
        self.position.swap_remove(index);
        self.previous_position.swap_remove(index);
        self.tick_start.swap_remove(index);
        self.velocity.swap_remove(index);
        self.displacement.swap_remove(index);
        self.class.swap_remove(index);
        self.temperature.swap_remove(index);
        self.exposure.swap_remove(index);
        self.rest_time.swap_remove(index);
        self.rest_position.swap_remove(index);
        self.rest_temperature.swap_remove(index);
        self.activity.swap_remove(index);
        self.relative_density.swap_remove(index);
        if !self.pressure.is_empty() {
            self.pressure.swap_remove(index);
        }
        if !self.grains.is_empty() {
            self.grains.swap_remove(index);
        }
        self.paints.swap_remove(index);
        let slot = &mut self.slots[id.slot as usize];
        self.indices[id.slot as usize] = VACANT;
        // A slot whose generations are exhausted is never used again.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.vacant.push(id.slot);
        }
        if let Some(moved) = self.id.get(index) {
            self.indices[moved.slot as usize] = index as u32;
        }
    }

    /// Removes the particles for which `dead` returns `true`, and returns their number.
    pub(crate) fn remove_where(&mut self, mut dead: impl FnMut(&Self, usize) -> bool) -> usize {
        let before = self.len();
        for index in (0..before).rev() {
            if dead(self, index) {
                self.swap_remove(index);
            }
        }
        before - self.len()
    }

    /// Indices of all particles in the order of their slots ([`ParticleId::slot`]). Sorting does
    /// not change this order.
    pub fn indices_by_slot(&self) -> impl Iterator<Item = usize> + '_ {
        self.indices.iter().filter(|index| **index != VACANT).map(|index| *index as usize)
    }

    /// Number of slots, of living and of dead particles.
    pub(crate) fn slot_count(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Index of the particle in a slot. The slot must not be vacant.
    pub(crate) fn index_of_slot(&self, slot: u32) -> usize {
        self.indices[slot as usize] as usize
    }
}

/// Limits the offset of a particle that has already moved by `way` in a substep. The sum becomes no
/// longer than the larger of `most` and the length of `way`.
#[inline(always)]
fn limited(way: Vec2, offset: Vec2, most: f32) -> Vec2 {
    let whole = way + offset;
    let squared = whole.length_squared();
    if squared <= most * most || squared <= way.length_squared() {
        return offset;
    }
    whole * (most.max(way.length()) / squared.sqrt()) - way
}

// A read-only view of the particles, for the passes over pairs.

/// The arrays of all particles, which are constant during a pass. They have equal lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParticleView<'a> {
    pub position: &'a [Vec2],
    pub previous_position: &'a [Vec2],
    pub velocity: &'a [Vec2],
    pub displacement: &'a [Vec2],
    pub class: &'a [ClassId],
    pub activity: &'a [Activity],
    pub id: &'a [ParticleId],
    pub temperature: &'a [f32],
}

impl ParticleView<'_> {
    /// Number of particles.
    pub(crate) fn len(&self) -> usize {
        self.position.len()
    }
}

/// The results of a solver besides displacements. The arrays are as long as those of the view.
#[derive(Debug)]
pub(crate) struct Computed<'a> {
    pub relative_density: &'a mut [f32],
    /// The solver sets it for particles that must not sleep yet.
    pub rest_time: &'a mut [f32],
    /// Pressures that the solver keeps; empty if it keeps none.
    pub pressure: &'a mut [f32],
    /// State of the grains of powder; empty if no particle is a grain.
    pub grains: &'a mut [Grain],
}

impl Particles {
    /// The view of the particles, and the arrays for a solver's results.
    pub(crate) fn view_and_computed(&mut self) -> (ParticleView<'_>, Computed<'_>) {
        let view = ParticleView {
            position: &self.position,
            previous_position: &self.previous_position,
            velocity: &self.velocity,
            displacement: &self.displacement,
            class: &self.class,
            activity: &self.activity,
            id: &self.id,
            temperature: &self.temperature,
        };
        let computed = Computed {
            relative_density: &mut self.relative_density,
            rest_time: &mut self.rest_time,
            pressure: &mut self.pressure,
            grains: &mut self.grains,
        };
        (view, computed)
    }
}

// Access for hosts between passes.

/// Separate borrows of the particles' arrays: velocities and temperatures can be changed while the
/// other arrays are read. All arrays have equal lengths.
#[derive(Debug)]
pub struct SplitParticles<'a> {
    /// Positions, in world units.
    pub positions: &'a [Vec2],
    /// The class of each particle.
    pub classes: &'a [ClassId],
    /// The handle of each particle.
    pub ids: &'a [ParticleId],
    /// Densities relative to rest ([`Particles::relative_densities`]).
    pub relative_densities: &'a [f32],
    /// Velocities, in world units/s. A particle whose velocity is not finite is quarantined.
    pub velocities: &'a mut [Vec2],
    /// Temperatures, in degrees. A particle whose temperature is not finite is quarantined.
    pub temperatures: &'a mut [f32],
}

impl Particles {
    /// Borrows the arrays separately, to change velocities by position without a copy.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// world.spawn(ParticleSpawn { position: Vec2::new(0.0, 40.0), ..Default::default() })?;
    /// let particles = world.particles_mut().split();
    /// for (position, velocity) in particles.positions.iter().zip(particles.velocities) {
    ///     velocity.x += 0.5 * position.y;
    /// }
    /// assert_eq!(world.particles().velocities(), [Vec2::new(20.0, 0.0)]);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn split(&mut self) -> SplitParticles<'_> {
        SplitParticles {
            positions: &self.position,
            classes: &self.class,
            ids: &self.id,
            relative_densities: &self.relative_density,
            velocities: &mut self.velocity,
            temperatures: &mut self.temperature,
        }
    }

    /// A hash (FNV-1a) of all numbers that a host can change: velocities, displacements,
    /// temperatures and paint, in the order of the arrays.
    pub(crate) fn changeable_hash(&self) -> u64 {
        // Positive and negative zero count as equal.
        let bits = |value: f32| u64::from((value + 0.0).to_bits());
        let pair = |vector: &Vec2| bits(vector.x) << 32 | bits(vector.y);
        let vectors = self.velocity.iter().chain(&self.displacement).map(pair);
        let numbers = self.temperature.iter().chain(self.paints.amounts.as_flattened());
        let words = vectors.chain(numbers.map(|number| bits(*number)));
        words.fold(0xcbf2_9ce4_8422_2325, |hash, word| {
            (hash ^ word).wrapping_mul(0x100_0000_01b3).rotate_left(29)
        })
    }
}

// The part of each particle in a tick.

/// The passes of a tick that are computed for a particle.
///
/// Three rings of resting liquid surround moving liquid, each one tile wide. The first ring is
/// computed like moving liquid, so that it can begin to move. The second ring only supplies
/// pressures to the first, and the third only supplies positions to the second. Particles of the
/// second and the third ring return to their old positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Activity {
    /// The particle is only sorted.
    Asleep,
    /// The particle has a predicted position: its position after a substep without neighbours.
    Predicted,
    /// The particle has a predicted position, a density and a pressure.
    Pressing,
    /// The particle moves.
    #[default]
    Awake,
}

/// Whether all of these particles are asleep.
#[inline]
pub(crate) fn idle(activity: &[Activity]) -> bool {
    // A loop without early exit compiles to a few vector instructions. Most chunks are entirely
    // asleep or entirely awake.
    activity.first().is_none_or(|first| *first == Activity::Asleep)
        && activity.iter().fold(true, |all, activity| all & (*activity == Activity::Asleep))
}

/// Rest time of a disturbed particle until the next tick begins, in place of a number of seconds.
pub(crate) const DISTURBED: f32 = -1.0;

/// Whether any of these particles takes part in a pass that requires an activity of at least `least`.
#[inline]
pub(crate) fn takes_part(activity: &[Activity], least: Activity) -> bool {
    activity.first().is_some_and(|first| *first >= least)
        || activity.iter().fold(false, |any, activity| any | (*activity >= least))
}

// The spatial index: boxes around runs of consecutive particles.
//
// Sorting keeps neighbours together in memory, so these boxes are small. They are larger where
// particles have been added or moved since the last sort. Results do not depend on the size of the
// boxes.

/// Number of consecutive particles in a run, which shares a box.
const RUN: usize = 64;

/// Number of boxes that share a larger box.
const RUNS: usize = 16;

/// Boxes around all particles of a world, at their present positions.
#[derive(Clone, Debug)]
pub(crate) struct ParticleIndex {
    runs: Vec<FluidBounds>,
    all: Vec<FluidBounds>,
    bounds: FluidBounds,
    count: usize,
}

impl ParticleIndex {
    pub(crate) fn of(positions: &[Vec2]) -> Self {
        let runs: Vec<FluidBounds> = positions.chunks(RUN).map(FluidBounds::of).collect();
        let around =
            |runs: &[FluidBounds]| runs.iter().copied().fold(FluidBounds::NONE, FluidBounds::union);
        let all: Vec<FluidBounds> = runs.chunks(RUNS).map(around).collect();
        Self { bounds: around(&all), all, runs, count: positions.len() }
    }

    /// A box around all particles.
    pub(crate) fn bounds(&self) -> FluidBounds {
        self.bounds
    }

    /// Calls `visit` with runs of indices, in ascending order. The runs contain all particles in
    /// boxes for which `wanted` returns `true`. If `wanted` returns `true` for a box, it must
    /// return `true` for every larger box around it.
    #[inline]
    pub(crate) fn visit(
        &self,
        wanted: impl Fn(FluidBounds) -> bool,
        mut visit: impl FnMut(Range<usize>),
    ) {
        for (index, larger) in self.all.iter().enumerate() {
            if !wanted(*larger) {
                continue;
            }
            for (run, bounds) in self.runs_of(index) {
                if wanted(bounds) {
                    visit(run);
                }
            }
        }
    }

    /// Calls `visit` with runs of indices that contain all particles within a distance of a point.
    /// The runs that are probably nearest come first. `within` is the square of the distance.
    /// `visit` returns a new square, which may be smaller.
    #[inline]
    pub(crate) fn visit_near(
        &self,
        point: Vec2,
        mut within: f32,
        mut visit: impl FnMut(Range<usize>) -> f32,
    ) {
        let distance = |index: &usize| self.all[*index].distance_squared(point);
        let by_distance = |a: &usize, b: &usize| distance(a).total_cmp(&distance(b));
        let Some(nearest) = (0..self.all.len()).min_by(by_distance) else { return };
        let others = (0..self.all.len()).filter(|index| *index != nearest);
        for index in std::iter::once(nearest).chain(others) {
            if distance(&index) > within {
                continue;
            }
            for (run, bounds) in self.runs_of(index) {
                if bounds.distance_squared(point) <= within {
                    within = visit(run);
                }
            }
        }
    }

    /// The runs in one of the larger boxes, each with its own box.
    fn runs_of(&self, index: usize) -> impl Iterator<Item = (Range<usize>, FluidBounds)> + '_ {
        let first = index * RUNS;
        let runs = &self.runs[first..self.runs.len().min(first + RUNS)];
        runs.iter().enumerate().map(move |(offset, bounds)| {
            let start = (first + offset) * RUN;
            (start..self.count.min(start + RUN), *bounds)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::scatter;

    #[test]
    fn no_particle_is_missed_whatever_the_order() {
        let positions: Vec<_> = (0..5000).map(|index| scatter(index) * 500.0).collect();
        let index = ParticleIndex::of(&positions);
        for number in 0..50 {
            let low = scatter(9000 + number) * 500.0;
            let wanted = FluidBounds { low, high: low + 60.0 };
            let mut found = Vec::new();
            index.visit(
                |bounds| bounds.intersects(wanted),
                |run| found.extend(run.filter(|particle| wanted.contains(positions[*particle]))),
            );
            let all = (0..positions.len()).filter(|particle| wanted.contains(positions[*particle]));
            assert_eq!(found, all.collect::<Vec<_>>());
        }
    }
}
