//! Particles as a structure of arrays, and the handles that survive their sorting.

use glam::Vec2;
use thiserror::Error;

use crate::class::ClassId;
use crate::executor::Executor;
use crate::life::{Lifetime, Lives, ParticleTag};
use crate::pass::LONG_CHUNK;
use crate::range::OutOfRange;
use crate::sleep::{Activity, ROUSED};

/// A handle of one particle: valid until that particle dies, and never another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ParticleId {
    index: u32,
    generation: u32,
}

impl ParticleId {
    /// The slot: small, unique among living particles, reused after death.
    pub fn index(self) -> u32 {
        self.index
    }

    /// How often the slot was reused.
    pub fn generation(self) -> u32 {
        self.generation
    }
}

/// A particle to be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ParticleSpawn {
    /// Where, in world units; finite.
    pub position: Vec2,
    /// How fast, in world units/s; finite.
    pub velocity: Vec2,
    /// Which class of the world's table.
    pub class: ClassId,
    /// Temperature, finite; `None` for that of its class.
    pub temperature: Option<f32>,
    /// How long it lives; `None` for ever.
    pub lifetime: Option<Lifetime>,
    /// What group it belongs to.
    pub tag: ParticleTag,
}

/// Why a particle was not spawned.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum SpawnError {
    /// A coordinate is NaN, infinite or farther than the world reaches.
    #[error("particle {field} is {value}, and must be finite and within ±{limit} world units")]
    OutOfRange {
        /// The field at fault.
        field: &'static str,
        /// What it held.
        value: f32,
        /// Largest magnitude allowed.
        limit: f32,
    },
    /// The class table has no such class.
    #[error("class {class} does not exist: the table holds {classes}")]
    UnknownClass {
        /// The class asked for.
        class: u8,
        /// How many there are.
        classes: usize,
    },
    /// A lifetime that is none.
    #[error(transparent)]
    Lifetime(#[from] OutOfRange),
    /// As many particles are alive as the world may hold.
    #[error("the world is full: its capacity is {capacity} particles")]
    Full {
        /// The limit.
        capacity: usize,
    },
}

/// Marks a slot whose particle is dead.
const VACANT: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Slot {
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
    pub(crate) quiet: Vec<f32>,
    pub(crate) resting_place: Vec<Vec2>,
    pub(crate) activity: Vec<Activity>,
    /// Where nothing sleeps every substep finds it anew, so that only sleepers' is worth sorting.
    pub(crate) relative_density: Vec<f32>,
    pub(crate) id: Vec<ParticleId>,
    pub(crate) lives: Lives,
    slots: Vec<Slot>,
    /// Of each slot's particle in the arrays, or [`VACANT`].
    places: Vec<u32>,
    vacant: Vec<u32>,
    any_new: bool,
}

impl Particles {
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

    /// Place in the arrays of a living particle, until the next sort.
    pub fn place(&self, id: ParticleId) -> Option<usize> {
        let slot = self.slots.get(id.index as usize)?;
        let place = self.places[id.index as usize];
        (slot.generation == id.generation && place != VACANT).then_some(place as usize)
    }

    /// Moves a particle by `offset` world units in the middle of a substep, so that its velocity
    /// follows. For systems that run between the advance and the velocity pass.
    ///
    /// # Panics
    ///
    /// If `place` is not below [`Particles::len`].
    pub fn displace(&mut self, place: usize, offset: Vec2) {
        self.position[place] += offset;
        self.displacement[place] += offset;
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
        let place = self.len() as u32;
        let index = self.vacant.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, new: true });
            self.places.push(VACANT);
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[index as usize];
        slot.new = true;
        self.any_new = true;
        let id = ParticleId { index, generation: slot.generation };
        self.places[index as usize] = place;
        self.position.push(spawn.position);
        self.previous_position.push(spawn.position);
        self.tick_start.push(spawn.position);
        self.velocity.push(spawn.velocity);
        self.displacement.push(Vec2::ZERO);
        self.class.push(spawn.class);
        self.temperature.push(spawn.temperature.unwrap_or_default());
        self.exposure.push(0.0);
        self.quiet.push(0.0);
        self.resting_place.push(spawn.position);
        self.activity.push(Activity::Awake);
        self.relative_density.push(1.0);
        self.id.push(id);
        self.lives.begin(id, spawn.lifetime, spawn.tag);
        id
    }

    /// Whether springs have not seen a particle yet.
    pub(crate) fn is_new(&self, id: ParticleId) -> bool {
        self.slots[id.index as usize].new
    }

    /// Whether springs have not seen some particle yet.
    pub(crate) fn any_new(&self) -> bool {
        self.any_new
    }

    /// Springs have seen all particles now.
    pub(crate) fn settle_in(&mut self) {
        if std::mem::take(&mut self.any_new) {
            self.slots.iter_mut().for_each(|slot| slot.new = false);
        }
    }

    /// Lets springs see the particles of a class as if for the first time.
    pub(crate) fn renew(&mut self, class: ClassId) {
        for (id, _) in self.id.iter().zip(&self.class).filter(|(_, own)| **own == class) {
            self.slots[id.index as usize].new = true;
            self.any_new = true;
        }
    }

    /// Makes a particle another class's; springs see it as if for the first time.
    pub(crate) fn change_class(&mut self, place: usize, class: ClassId) {
        self.class[place] = class;
        self.exposure[place] = 0.0;
        self.quiet[place] = ROUSED;
        self.slots[self.id[place].index as usize].new = true;
        self.any_new = true;
    }

    /// Removes the particle at a place; the last one takes its place.
    pub(crate) fn swap_remove(&mut self, place: usize) {
        let id = self.id.swap_remove(place);
        self.lives.end(id);
        self.position.swap_remove(place);
        self.previous_position.swap_remove(place);
        self.tick_start.swap_remove(place);
        self.velocity.swap_remove(place);
        self.displacement.swap_remove(place);
        self.class.swap_remove(place);
        self.temperature.swap_remove(place);
        self.exposure.swap_remove(place);
        self.quiet.swap_remove(place);
        self.resting_place.swap_remove(place);
        self.activity.swap_remove(place);
        self.relative_density.swap_remove(place);
        let slot = &mut self.slots[id.index as usize];
        self.places[id.index as usize] = VACANT;
        // A slot whose generations are used up is never handed out again.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.vacant.push(id.index);
        }
        if let Some(moved) = self.id.get(place) {
            self.places[moved.index as usize] = place as u32;
        }
    }

    /// Removes those for which `dead` holds, and says how many.
    pub(crate) fn remove_where(&mut self, mut dead: impl FnMut(&Self, usize) -> bool) -> usize {
        let before = self.len();
        for place in (0..before).rev() {
            if dead(self, place) {
                self.swap_remove(place);
            }
        }
        before - self.len()
    }

    /// Places of all particles in the order of their slots ([`ParticleId::index`]), which no sort
    /// changes.
    pub fn places_by_slot(&self) -> impl Iterator<Item = usize> + '_ {
        self.places.iter().filter(|place| **place != VACANT).map(|place| *place as usize)
    }

    /// Place of the particle in a slot that is not vacant.
    pub(crate) fn place_of_slot(&self, slot: u32) -> usize {
        self.places[slot as usize] as usize
    }

    /// Puts the particles in a new order: `order[new]` is the old place. What only sleeping needs
    /// stays behind where nothing sleeps, as does what is the same for all.
    pub(crate) fn reorder<E: Executor>(
        &mut self,
        order: &[u32],
        may_sleep: bool,
        scratch: &mut ReorderScratch,
        executor: &E,
    ) {
        let Some(any) = self.id.first().copied() else { return };
        let count = order.len();
        for vectors in &mut scratch.vectors {
            vectors.resize(count, Vec2::ZERO);
        }
        for scalars in &mut scratch.scalars {
            scalars.resize(count, 0.0);
        }
        scratch.classes.resize(count, ClassId(0));
        scratch.ids.resize(count, any);
        let [a, b, c, d, e] = &mut scratch.vectors;
        let into = (
            (&mut a[..], &mut b[..], &mut c[..], &mut d[..], &mut e[..]),
            (&mut scratch.classes[..], &mut scratch.ids[..]),
        );
        let from = (
            &self.position[..count],
            &self.previous_position[..count],
            &self.tick_start[..count],
            &self.velocity[..count],
            &self.displacement[..count],
        );
        let (classes, ids) = (&self.class[..count], &self.id[..count]);
        executor.for_each_chunk(into, LONG_CHUNK, |index, ((a, b, c, d, e), into)| {
            let order = &order[index * LONG_CHUNK..];
            // Side by side, because the processor waits for each to come from memory.
            let vectors = order.iter().zip(a).zip(b).zip(c).zip(d).zip(e);
            for (((((old, a), b), c), d), e) in vectors {
                let old = *old as usize;
                (*a, *b, *c) = (from.0[old], from.1[old], from.2[old]);
                (*d, *e) = (from.3[old], from.4[old]);
            }
            for ((old, class), id) in order.iter().zip(into.0).zip(into.1) {
                let old = *old as usize;
                (*class, *id) = (classes[old], ids[old]);
            }
        });
        std::mem::swap(&mut self.position, a);
        std::mem::swap(&mut self.previous_position, b);
        std::mem::swap(&mut self.tick_start, c);
        std::mem::swap(&mut self.velocity, d);
        std::mem::swap(&mut self.displacement, e);
        std::mem::swap(&mut self.class, &mut scratch.classes);
        std::mem::swap(&mut self.id, &mut scratch.ids);
        for scalars in [&mut self.temperature, &mut self.exposure] {
            if scalars.iter().fold(false, |differ, scalar| differ | (*scalar != scalars[0])) {
                let sorted = &mut scratch.scalars[0];
                executor.for_each_chunk(&mut sorted[..], LONG_CHUNK, |index, sorted| {
                    pick(sorted, scalars, &order[index * LONG_CHUNK..]);
                });
                std::mem::swap(scalars, sorted);
            }
        }
        if may_sleep {
            let [resting_places, ..] = &mut scratch.vectors;
            let [quiet, relative_density] = &mut scratch.scalars;
            scratch.activity.resize(count, Activity::Awake);
            let into = (
                &mut resting_places[..],
                &mut quiet[..],
                &mut relative_density[..],
                &mut scratch.activity[..],
            );
            executor.for_each_chunk(
                into,
                LONG_CHUNK,
                |index, (resting_places, quiet, relative_density, activity)| {
                    let order = &order[index * LONG_CHUNK..];
                    pick(resting_places, &self.resting_place, order);
                    pick(quiet, &self.quiet, order);
                    pick(relative_density, &self.relative_density, order);
                    pick(activity, &self.activity, order);
                },
            );
            std::mem::swap(&mut self.resting_place, resting_places);
            std::mem::swap(&mut self.quiet, quiet);
            std::mem::swap(&mut self.relative_density, relative_density);
            std::mem::swap(&mut self.activity, &mut scratch.activity);
        }
        for (place, id) in self.id.iter().enumerate() {
            self.places[id.index as usize] = place as u32;
        }
    }
}

/// Memory that sorting needs, kept between sorts.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReorderScratch {
    vectors: [Vec<Vec2>; 5],
    scalars: [Vec<f32>; 2],
    classes: Vec<ClassId>,
    ids: Vec<ParticleId>,
    activity: Vec<Activity>,
}

fn pick<T: Copy>(into: &mut [T], from: &[T], order: &[u32]) {
    for (new, old) in into.iter_mut().zip(order) {
        *new = from[*old as usize];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::SerialExecutor;

    fn at(x: f32) -> ParticleSpawn {
        ParticleSpawn { position: Vec2::new(x, 0.0), ..Default::default() }
    }

    #[test]
    fn handles_survive_sorting_and_die_with_their_particle() {
        let mut particles = Particles::default();
        let ids: Vec<_> = (0..4).map(|x| particles.push(at(x as f32))).collect();
        particles.reorder(&[3, 1, 0, 2], true, &mut ReorderScratch::default(), &SerialExecutor);
        for (x, id) in ids.iter().enumerate() {
            let place = particles.place(*id).expect("alive");
            assert_eq!(particles.position[place].x, x as f32);
        }
        let place = particles.place(ids[1]).expect("alive");
        particles.swap_remove(place);
        assert_eq!(particles.place(ids[1]), None);
        let reborn = particles.push(at(9.0));
        assert_eq!(reborn.index(), ids[1].index());
        assert_ne!(reborn, ids[1]);
        assert_eq!(particles.place(ids[1]), None);
        assert_eq!(particles.len(), 4);
        for id in [ids[0], ids[2], ids[3], reborn] {
            assert_eq!(particles.id[particles.place(id).expect("alive")], id);
        }
    }

    #[test]
    fn removal_visits_each_particle_once() {
        let mut particles = Particles::default();
        for x in 0..10 {
            particles.push(at(x as f32));
        }
        let removed = particles.remove_where(|all, place| all.position[place].x as i32 % 2 == 0);
        assert_eq!(removed, 5);
        assert!(particles.position.iter().all(|p| p.x as i32 % 2 == 1));
    }
}
