//! Particles as a structure of arrays.

use std::sync::OnceLock;

use glam::Vec2;

use crate::parallel::chunks::LONG_CHUNK;
use crate::parallel::executor::Executor;
use crate::particles::activity::{Activity, DISTURBED};
use crate::particles::id::ParticleId;
use crate::particles::index::ParticleIndex;
use crate::particles::life::Lives;
use crate::particles::spawn::ParticleSpawn;
use crate::settings::class::ClassId;

/// Marks a slot whose particle is dead.
const VACANT: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    generation: u32,
    /// Whether springs have not seen the particle yet.
    new: bool,
}

/// All particles: arrays of equal length, kept in the order of the grid's cells.
///
/// The order changes every substep; a [`ParticleId`] finds its particle again.
#[derive(Clone, Debug, Default)]
pub struct Particles {
    pub(crate) position: Vec<Vec2>,
    pub(crate) previous_position: Vec<Vec2>,
    pub(crate) tick_start: Vec<Vec2>,
    pub(crate) velocity: Vec<Vec2>,
    pub(crate) displacement: Vec<Vec2>,
    pub(crate) class: Vec<ClassId>,
    pub(crate) temperature: Vec<f32>,
    /// How far the reaction with others has gone, 0 to 1.
    pub(crate) exposure: Vec<f32>,
    /// For how many seconds it has been near its resting place.
    pub(crate) rest_time: Vec<f32>,
    pub(crate) rest_position: Vec<Vec2>,
    pub(crate) activity: Vec<Activity>,
    /// Where nothing sleeps every substep finds it anew, so that only sleepers' is worth sorting.
    pub(crate) relative_density: Vec<f32>,
    pub(crate) id: Vec<ParticleId>,
    pub(crate) lives: Lives,
    pub(super) slots: Vec<Slot>,
    /// Of each slot's particle in the arrays, or [`VACANT`].
    pub(super) indices: Vec<u32>,
    vacant: Vec<u32>,
    any_new: bool,
    /// Whether no particle was added, removed or moved since the arrays were sorted.
    pub(crate) sorted: bool,
    /// Of the positions there are, once someone has asked.
    index: OnceLock<ParticleIndex>,
}

impl Particles {
    /// Forgets what was known of where particles are. Whoever adds, removes or moves some calls it.
    pub(crate) fn has_moved(&mut self) {
        self.sorted = false;
        self.index.take();
    }

    /// Which particles are near a place.
    pub(crate) fn index(&self) -> &ParticleIndex {
        self.index.get_or_init(|| ParticleIndex::of(&self.position))
    }

    /// How many are alive.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether none is alive.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Positions, in world units.
    pub fn positions(&self) -> &[Vec2] {
        &self.position
    }

    /// Positions at the beginning of the last tick, in world units: what pictures between two ticks
    /// start from.
    pub fn tick_start_positions(&self) -> &[Vec2] {
        &self.tick_start
    }

    /// Positions before the last advance, in world units (`x_prev` of the paper).
    pub fn previous_positions(&self) -> &[Vec2] {
        &self.previous_position
    }

    /// Velocities, in world units/s.
    pub fn velocities(&self) -> &[Vec2] {
        &self.velocity
    }

    /// Velocities, to be changed between passes. A velocity that is not finite is quarantined with
    /// its particle.
    pub fn velocities_mut(&mut self) -> &mut [Vec2] {
        &mut self.velocity
    }

    /// Displacements of the present substep, in world units; what moves a particle between the
    /// advance and the velocity pass belongs here as well as in its position.
    pub fn displacements(&self) -> &[Vec2] {
        &self.displacement
    }

    /// Classes.
    pub fn classes(&self) -> &[ClassId] {
        &self.class
    }

    /// Temperatures, in the degrees of [`Thermal`](crate::Thermal).
    pub fn temperatures(&self) -> &[f32] {
        &self.temperature
    }

    /// Temperatures, to be changed between passes. One that is not finite is quarantined with its
    /// particle.
    pub fn temperatures_mut(&mut self) -> &mut [f32] {
        &mut self.temperature
    }

    /// How far each particle's reaction with others has gone, 0 to 1.
    pub fn exposures(&self) -> &[f32] {
        &self.exposure
    }

    /// Densities as the last substep found them, walls included and the particle's own part left
    /// out, relative to that at which the particle's class rests: about 1 inside of a liquid, 0 for
    /// a particle alone. Those that sleep keep theirs; 1 before the first substep.
    pub fn relative_densities(&self) -> &[f32] {
        &self.relative_density
    }

    /// Handles.
    pub fn ids(&self) -> &[ParticleId] {
        &self.id
    }

    /// Index in the arrays of a living particle, until the next sort.
    pub fn index_of(&self, id: ParticleId) -> Option<usize> {
        let slot = self.slots.get(id.slot as usize)?;
        let index = self.indices[id.slot as usize];
        (slot.generation == id.generation && index != VACANT).then_some(index as usize)
    }

    /// Moves a particle by `offset` world units in the middle of a substep, so that its velocity
    /// follows. For systems that run between the advance and the velocity pass.
    ///
    /// # Panics
    ///
    /// If `index` is not below [`Particles::len`].
    pub fn displace(&mut self, index: usize, offset: Vec2) {
        self.position[index] += offset;
        self.displacement[index] += offset;
    }

    /// The same for all particles.
    pub(crate) fn displace_all<E: Executor>(&mut self, offsets: &[Vec2], executor: &E) {
        let moved = (&mut self.position[..], &mut self.displacement[..]);
        executor.for_each_chunk(moved, LONG_CHUNK, |index, (positions, displacements)| {
            let offsets = &offsets[index * LONG_CHUNK..];
            for ((position, displacement), offset) in
                positions.iter_mut().zip(displacements).zip(offsets)
            {
                *position += *offset;
                *displacement += *offset;
            }
        });
    }

    /// Adds a particle that was checked before.
    pub(crate) fn push(&mut self, spawn: ParticleSpawn) -> ParticleId {
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
        self.activity.push(Activity::Awake);
        self.relative_density.push(1.0);
        self.id.push(id);
        self.lives.begin(id, spawn.lifetime, spawn.tag);
        id
    }

    /// Whether springs have not seen a particle yet.
    pub(crate) fn is_new(&self, id: ParticleId) -> bool {
        self.slots[id.slot as usize].new
    }

    /// Whether springs have not seen some particle yet.
    pub(crate) fn any_new(&self) -> bool {
        self.any_new
    }

    /// Springs have seen all particles now.
    pub(crate) fn clear_new(&mut self) {
        if std::mem::take(&mut self.any_new) {
            self.slots.iter_mut().for_each(|slot| slot.new = false);
        }
    }

    /// Lets springs see the particles of a class as if for the first time.
    pub(crate) fn mark_new(&mut self, class: ClassId) {
        for (id, _) in self.id.iter().zip(&self.class).filter(|(_, own)| **own == class) {
            self.slots[id.slot as usize].new = true;
            self.any_new = true;
        }
    }

    /// Makes a particle another class's; springs see it as if for the first time.
    pub(crate) fn change_class(&mut self, index: usize, class: ClassId) {
        self.class[index] = class;
        self.exposure[index] = 0.0;
        self.rest_time[index] = DISTURBED;
        self.slots[self.id[index].slot as usize].new = true;
        self.any_new = true;
    }

    /// Removes the particle at an index; the last one takes its place.
    pub(crate) fn swap_remove(&mut self, index: usize) {
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
        self.activity.swap_remove(index);
        self.relative_density.swap_remove(index);
        let slot = &mut self.slots[id.slot as usize];
        self.indices[id.slot as usize] = VACANT;
        // A slot whose generations are used up is never handed out again.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.vacant.push(id.slot);
        }
        if let Some(moved) = self.id.get(index) {
            self.indices[moved.slot as usize] = index as u32;
        }
    }

    /// Removes those for which `dead` holds, and says how many.
    pub(crate) fn remove_where(&mut self, mut dead: impl FnMut(&Self, usize) -> bool) -> usize {
        let before = self.len();
        for index in (0..before).rev() {
            if dead(self, index) {
                self.swap_remove(index);
            }
        }
        before - self.len()
    }

    /// Indices of all particles in the order of their slots ([`ParticleId::slot`]), which no sort
    /// changes.
    pub fn indices_by_slot(&self) -> impl Iterator<Item = usize> + '_ {
        self.indices.iter().filter(|index| **index != VACANT).map(|index| *index as usize)
    }

    /// Index of the particle in a slot that is not vacant.
    pub(crate) fn index_of_slot(&self, slot: u32) -> usize {
        self.indices[slot as usize] as usize
    }
}
