//! Particles that leave together, and come back as they were.

use crate::particles::arrays::Particles;
use crate::particles::grain::Grain;
use crate::particles::id::ParticleId;
use crate::particles::life::{Life, Lives};
use crate::particles::spawn::ParticleSpawn;
use crate::settings::class::ClassId;

impl Particles {
    /// The particles at these indices, on their own.
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

    /// Adds a particle of others, of this class and colour. Its age and what is left of its lifetime are as they
    /// were.
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

    /// Gives a particle the age and the lifetime that it had at another time, in seconds.
    fn go_on_living(&mut self, id: ParticleId, life: Life, then: f64) {
        let lives = &mut self.lives;
        let later = lives.now - then;
        let own = &mut lives.by_slot[id.slot as usize];
        // Equal times change no bit.
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
