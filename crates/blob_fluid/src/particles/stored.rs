//! The particles as bytes: a column for each number. A column of equal values is stored as one value.

use std::sync::OnceLock;

use glam::Vec2;

use crate::boundary::slots::{retired_slots, slot_indices};
use crate::particles::arrays::{Activity, Slot, VACANT};
use crate::particles::life::{Life, Lives};
use crate::particles::optional::Paints;
use crate::revision::{Revision, StateHash};
use crate::settings::range::Limits;
use crate::stored::bytes::{
    Numbers, Reader, Stored, Writer, countable, ensure, load_array, load_column,
    load_column_beside, load_elements, load_fraction_column, load_fractions, store_array,
    store_column, store_column_beside, store_elements,
};
use crate::{
    ClassId, Grain, ParticleId, ParticleSpawn, ParticleTag, Particles, PoreLiquid, SnapshotError,
};

impl Stored for Particles {
    fn store(&self, to: &mut Writer) {
        let Self {
            position,
            previous_position,
            tick_start,
            velocity,
            displacement,
            class,
            temperature,
            exposure,
            rest_time,
            rest_position,
            rest_temperature,
            activity,
            relative_density,
            pressure,
            grains,
            paints,
            id,
            lives,
            slots,
            indices,
            vacant,
            any_new,
            sorted: _,
            order: _,
            members: _,
            unchecked,
            index: _,
        } = self;
        // Positions and slots are always written one by one, so that the file's length bounds the allocations.
        store_array(position, to);
        store_elements(&id.iter().map(|id| id.slot).collect::<Vec<u32>>(), to);
        store_array(vacant, to);
        store_array(&retired_slots(indices, id.len(), vacant), to);
        // The two columns are equal in a tick of one substep.
        store_column(previous_position, to);
        store_column_beside(tick_start, previous_position, to);
        for column in [velocity, displacement, rest_position] {
            store_column(column, to);
        }
        for column in [temperature, exposure, rest_time, rest_temperature, relative_density] {
            store_column(column, to);
        }
        store_array(pressure, to);
        store_grains(grains, to);
        store_paints(paints, to);
        store_column(&class.iter().map(|class| class.0).collect::<Vec<u8>>(), to);
        store_column(&activity.iter().map(|activity| *activity as u8).collect::<Vec<u8>>(), to);
        let (generations, new): (Vec<u32>, Vec<u8>) =
            slots.iter().map(|Slot { generation, new }| (*generation, u8::from(*new))).unzip();
        store_column(&generations, to);
        store_column(&new, to);
        lives.store(to);
        any_new.store(to);
        unchecked.store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        // The host may have written any number. The next tick checks them.
        let position: Vec<Vec2> = load_fractions(None, from)?;
        let count = position.len();
        let slot_of: Vec<u32> = load_elements(count, from)?;
        let (vacant, retired) = (load_array::<u32>(from)?, load_array::<u32>(from)?);
        let indices = slot_indices(&slot_of, &vacant, &retired)?;
        let previous_position = load_fraction_column::<Vec2>(count, PLACES, from)?;
        let tick_start = load_column_beside::<Vec2>(count, &previous_position, PLACES, from)?;
        let velocity = load_fraction_column(count, None, from)?;
        let displacement = load_fraction_column(count, None, from)?;
        let rest_position = load_fraction_column(count, PLACES, from)?;
        let temperature = load_fraction_column(count, None, from)?;
        let mut scalars = |limits| load_fraction_column::<f32>(count, Some(limits), from);
        let (exposure, rest_time) = (scalars(Limits::FINITE)?, scalars(Limits::FINITE)?);
        let rest_temperature = scalars(Limits::FINITE)?;
        let relative_density = scalars(Limits::NOT_NEGATIVE)?;
        let pressure: Vec<f32> = load_fractions(Some(Limits::FINITE), from)?;
        ensure(pressure.is_empty() || pressure.len() == count, "pressures of other particles")?;
        let grains = load_grains(count, from)?;
        let paints = load_paints(count, from)?;
        let class = load_column::<u8>(count, from)?.into_iter().map(ClassId).collect();
        let activity = load_column::<u8>(count, from)?.into_iter().map(activity_of);
        let activity = activity.collect::<Result<_, _>>()?;
        let generations = load_column::<u32>(indices.len(), from)?;
        let new = load_column::<u8>(indices.len(), from)?;
        let slots = generations.iter().zip(new);
        let slots: Vec<Slot> = slots
            .map(|(generation, new)| Slot { generation: *generation, new: new != 0 })
            .collect();
        let id = slot_of
            .iter()
            .map(|slot| ParticleId { slot: *slot, generation: slots[*slot as usize].generation });
        let id = id.collect();
        let lives = Lives::load_for(&indices, from)?;
        let (any_new, unchecked) = (bool::load(from)?, bool::load(from)?);
        Ok(Self {
            position,
            previous_position,
            tick_start,
            velocity,
            displacement,
            class,
            temperature,
            exposure,
            rest_time,
            rest_position,
            rest_temperature,
            activity,
            relative_density,
            pressure,
            grains,
            paints,
            id,
            lives,
            slots,
            indices,
            vacant,
            any_new,
            sorted: false,
            order: Revision::default(),
            members: Revision::default(),
            unchecked,
            index: OnceLock::new(),
        })
    }
}

impl Particles {
    /// Number of times that a slot was reused; `None` if it was never used.
    pub(crate) fn generation_of(&self, slot: u32) -> Option<u32> {
        self.slots.get(slot as usize).map(|slot| slot.generation)
    }

    /// A hash of all numbers of a particle.
    pub(crate) fn deep_hash_of(&self, index: usize) -> u64 {
        let (id, mut hash) = (self.id[index], StateHash::new());
        let mut add = |high: u32, low: u32| hash.add(u64::from(high) << 32 | u64::from(low));
        let vectors = [
            &self.position,
            &self.previous_position,
            &self.tick_start,
            &self.velocity,
            &self.displacement,
            &self.rest_position,
        ];
        for all in vectors {
            add(all[index].x.to_bits(), all[index].y.to_bits());
        }
        let grain = self.grains.get(index).copied().unwrap_or_default();
        let numbers = [
            [self.temperature[index], self.exposure[index]],
            [self.rest_time[index], self.rest_temperature[index]],
            [self.relative_density[index], self.kept_pressure(index)],
            grain.stress.to_array(),
            grain.place.to_array(),
        ];
        for [one, other] in numbers {
            add(one.to_bits(), other.to_bits());
        }
        let Slot { generation, new } = self.slots[id.slot as usize];
        let (class, activity) = (self.class[index].0, self.activity[index] as u8);
        add(generation, u32::from_le_bytes([class, activity, new.into(), 0]));
        let Life { order, born, dies, fade, tag } = self.lives.by_slot[id.slot as usize];
        add(fade.to_bits(), tag.0);
        let PoreLiquid { share, pressure, weight } = grain.pores;
        add(grain.load.to_bits(), share.to_bits());
        add(pressure.to_bits(), weight.to_bits());
        for amount in self.paints.amounts.get(index).into_iter().flatten() {
            add(amount.to_bits(), 0);
        }
        for bits in [order, born.to_bits(), dies.to_bits()] {
            hash.add(bits);
        }
        hash.0
    }

    /// Whether any number is not finite that a host can set. Passes find such numbers only after
    /// the host's change.
    pub(crate) fn any_unsound(&self) -> bool {
        let finite = |vectors: &[Vec2]| vectors.iter().all(|vector| vector.is_finite());
        !(finite(&self.position)
            && finite(&self.velocity)
            && finite(&self.displacement)
            && self.temperature.iter().all(|temperature| temperature.is_finite())
            && self.grains.iter().all(Grain::is_finite)
            && self.paints.amounts.as_flattened().iter().all(|amount| amount.is_finite()))
    }
}

/// Limits of previous positions of a particle.
const PLACES: Option<Limits> = Some(Limits::NOT_NAN);

/// Writes the grain states: whether there are any, and a column for each number.
fn store_grains(grains: &[Grain], to: &mut Writer) {
    let remember = !grains.is_empty();
    remember.store(to);
    if remember {
        let (mut stresses, mut loads, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut pores_of_all = Vec::new();
        for Grain { stress, load, place, pores } in grains {
            stresses.push(*stress);
            loads.push(*load);
            places.push(*place);
            pores_of_all.push(pores.numbers());
        }
        store_column(&stresses, to);
        store_column(&loads, to);
        store_column(&places, to);
        for number in 0..3 {
            let column: Vec<f32> = pores_of_all.iter().map(|pores| pores[number]).collect();
            store_column(&column, to);
        }
    }
}

/// Reads the grain states of `count` particles that [`store_grains`] wrote.
fn load_grains(count: usize, from: &mut Reader<'_>) -> Result<Vec<Grain>, SnapshotError> {
    if !bool::load(from)? {
        return Ok(Vec::new());
    }
    let stresses = load_fraction_column::<Vec2>(count, None, from)?;
    let loads = load_fraction_column::<f32>(count, None, from)?;
    let places = load_fraction_column::<Vec2>(count, None, from)?;
    ensure(!loads.iter().any(|load| *load < 0.0), "a grain bears less than nothing")?;
    let mut scalars = |limits| load_fraction_column::<f32>(count, limits, from);
    let shares = scalars(Some(Limits::SHARE))?;
    let (pressures, weights) = (scalars(None)?, scalars(None)?);
    ensure(!pressures.iter().any(|pressure| *pressure < 0.0), "liquid in pores draws")?;
    let pores = shares.into_iter().zip(pressures).zip(weights);
    let pores = pores.map(|((share, pressure), weight)| PoreLiquid { share, pressure, weight });
    let numbers = stresses.into_iter().zip(loads).zip(places).zip(pores);
    let grain = |(((stress, load), place), pores)| Grain { stress, load, place, pores };
    Ok(numbers.map(grain).collect())
}

/// Writes the paint amounts and the waiting time. The kind of mixing follows from the parameters.
fn store_paints(paints: &Paints, to: &mut Writer) {
    let Paints { mixing: _, amounts, waited, rests } = paints;
    let any = !amounts.is_empty();
    any.store(to);
    if any {
        store_column(amounts, to);
        waited.store_numbers(to);
        rests.store(to);
    }
}

/// Reads the paint of `count` particles that [`store_paints`] wrote.
fn load_paints(count: usize, from: &mut Reader<'_>) -> Result<Paints, SnapshotError> {
    if !bool::load(from)? {
        return Ok(Paints::default());
    }
    // Amounts may be NaN if a host has set them. The next tick checks them.
    let amounts: Vec<[f32; 3]> = load_fraction_column(count, None, from)?;
    let negative = amounts.as_flattened().iter().any(|amount| *amount < 0.0);
    ensure(!negative, "paint of less than nothing")?;
    let waited = Numbers::load_within(Limits::NOT_NEGATIVE, from)?;
    let rests = bool::load(from)?;
    Ok(Paints { amounts, waited, rests, ..Paints::default() })
}

fn activity_of(number: u8) -> Result<Activity, SnapshotError> {
    let all = [Activity::Asleep, Activity::Predicted, Activity::Pressing, Activity::Awake];
    let found = all.into_iter().find(|activity| *activity as u8 == number);
    found.ok_or_else(|| SnapshotError::invalid(format!("no activity is {number}")))
}

/// Marks orders of birth that ascend by 1 from slot to slot. Only the first one is written.
const ONE_AFTER_ANOTHER: bool = true;

impl Lives {
    fn store(&self, to: &mut Writer) {
        let Self { by_slot, births, now, mortal: _, next_death, by_birth, due: _ } = self;
        let column = |life: fn(&Life) -> f64| by_slot.iter().map(life).collect::<Vec<f64>>();
        let first = by_slot.first().map_or(0, |life| life.order);
        let orders: Vec<u64> = by_slot.iter().map(|Life { order, .. }| *order).collect();
        let one_after_another = orders.iter().zip(first..).all(|(order, next)| *order == next);
        one_after_another.store(to);
        if one_after_another == ONE_AFTER_ANOTHER {
            first.store(to);
        } else {
            store_elements(&orders, to);
        }
        store_column(&column(|life| life.born), to);
        store_column(&column(|life| life.dies), to);
        store_column(&by_slot.iter().map(|life| life.fade).collect::<Vec<f32>>(), to);
        store_column(&by_slot.iter().map(|life| life.tag.0).collect::<Vec<u32>>(), to);
        births.store(to);
        (*now, *next_death).store_numbers(to);
        by_birth.store(to);
    }

    /// Reads the lives of all slots.
    fn load_for(indices: &[u32], from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let count = indices.len();
        let orders: Vec<u64> = if bool::load(from)? == ONE_AFTER_ANOTHER {
            let first = u64::load(from)?;
            (0..count as u64).map(|number| first.wrapping_add(number)).collect()
        } else {
            load_elements(count, from)?
        };
        let tag = ParticleTag::NONE;
        let life = |order| Life { order, born: 0.0, dies: f64::INFINITY, fade: 0.0, tag };
        let mut by_slot: Vec<Life> = orders.into_iter().map(life).collect();
        // Columns are read one by one, so that only one is in memory beside the lives.
        let born: Vec<f64> = load_fraction_column(count, Some(Limits::FINITE), from)?;
        by_slot.iter_mut().zip(born).for_each(|(life, born)| life.born = born);
        let dies: Vec<f64> = load_fraction_column(count, Some(Limits::NOT_NAN), from)?;
        by_slot.iter_mut().zip(dies).for_each(|(life, dies)| life.dies = dies);
        let fade: Vec<f32> = load_fraction_column(count, Some(Limits::NOT_NEGATIVE), from)?;
        by_slot.iter_mut().zip(fade).for_each(|(life, fade)| life.fade = fade);
        let tags = load_column::<u32>(count, from)?;
        by_slot.iter_mut().zip(tags).for_each(|(life, tag)| life.tag = ParticleTag(tag));
        let mortal = by_slot
            .iter()
            .zip(indices)
            .filter(|(life, index)| life.dies < f64::INFINITY && **index != VACANT);
        let mortal = mortal.count();
        let of_the_dead = by_slot.iter().filter(|life| life.dies < f64::INFINITY);
        ensure(of_the_dead.count() == mortal, "a slot without a particle has a lifetime")?;
        let births = u64::load(from)?;
        let now = Numbers::load_within(Limits::NOT_NEGATIVE, from)?;
        // The counter of births saturates, so births at its limit have equal orders.
        let born_before = by_slot.iter().all(|life| life.order <= births);
        ensure(born_before, "a particle is born after all births")?;
        countable([births])?;
        let next_death = Numbers::load_within(Limits::NOT_NAN, from)?;
        let by_birth = Stored::load(from)?;
        Ok(Self { by_slot, births, now, mortal, next_death, by_birth, due: Vec::new() })
    }
}

// Particles that move together to another world, without a change of state.

impl Particles {
    /// A copy of the particles at these indices.
    pub(crate) fn copy_of(&self, indices: &[usize]) -> Self {
        let mut copy = Self::default();
        copy.lives.now = self.lives.now;
        copy.paints.mixing = self.paints.mixing;
        for index in indices {
            copy.add(self, *index, self.class[*index], self.paint(*index));
        }
        copy.paints.rests = self.paints.rests;
        copy
    }

    /// Adds a copy of a particle of `others`, with this class and colour. Its age and its remaining
    /// lifetime stay the same.
    pub(crate) fn add(
        &mut self,
        others: &Self,
        index: usize,
        class: ClassId,
        paint: Option<[f32; 3]>,
    ) {
        let any_new = self.any_new;
        let spawn = ParticleSpawn {
            position: others.position[index],
            velocity: others.velocity[index],
            class,
            temperature: Some(others.temperature[index]),
            paint,
            lifetime: None,
            tag: others.tag_at(index),
        };
        let id = self.push(spawn);
        let to = self.len() - 1;
        self.previous_position[to] = others.previous_position[index];
        self.tick_start[to] = others.tick_start[index];
        self.displacement[to] = others.displacement[index];
        self.exposure[to] = others.exposure[index];
        self.rest_time[to] = others.rest_time[index];
        self.rest_position[to] = others.rest_position[index];
        self.rest_temperature[to] = others.rest_temperature[index];
        self.activity[to] = others.activity[index];
        self.relative_density[to] = others.relative_density[index];
        let pressure = others.kept_pressure(index);
        if pressure != 0.0 {
            self.pressure.resize(to + 1, 0.0);
            self.pressure[to] = pressure;
        }
        if let Some(grain) = others.grains.get(index) {
            self.remember_grains(true);
            self.grains[to] = *grain;
        }
        if let (Some(amounts), Some(others_amounts)) =
            (self.paints.amounts.get_mut(to), others.paints.amounts.get(index))
            && self.paints.mixing == others.paints.mixing
        {
            *amounts = *others_amounts;
        }
        let is_new = others.slots[others.id[index].slot as usize].new;
        self.slots[id.slot as usize].new = is_new;
        self.any_new = any_new || is_new;
        let life = others.lives.by_slot[others.id[index].slot as usize];
        self.go_on_living(id, life, others.lives.now);
    }

    /// Gives a particle the age and the lifetime of `life` at the time `then`, in seconds.
    fn go_on_living(&mut self, id: ParticleId, life: Life, then: f64) {
        let lives = &mut self.lives;
        let later = lives.now - then;
        let own = &mut lives.by_slot[id.slot as usize];
        // The bits stay the same if the times are equal.
        own.born = life.born + later;
        own.fade = life.fade;
        if life.dies < f64::INFINITY {
            own.dies = life.dies + later;
            lives.next_death =
                if lives.mortal == 0 { own.dies } else { lives.next_death.min(own.dies) };
            lives.mortal += 1;
        }
    }

    /// Whether all numbers of a particle are finite.
    pub(crate) fn is_sound(&self, index: usize) -> bool {
        let paint = self.paints.amounts.get(index).into_iter().flatten();
        self.position[index].is_finite()
            && self.velocity[index].is_finite()
            && self.displacement[index].is_finite()
            && self.temperature[index].is_finite()
            && self.grains.get(index).is_none_or(Grain::is_finite)
            && paint.into_iter().all(|amount| amount.is_finite())
    }
}

impl Lives {
    /// Whether all ages are finite.
    pub(crate) fn are_finite(&self) -> bool {
        self.now.is_finite() && self.by_slot.iter().all(|life| life.born.is_finite())
    }
}
