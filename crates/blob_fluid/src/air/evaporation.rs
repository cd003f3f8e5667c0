//! Particles turn into what the air carries along: vapour, smoke, fuel, heat and volume.

use crate::air::channel::AirChannel;
use crate::air::solids::passage;
use crate::air::sources::MOST;
use crate::air::state::Air;
use crate::geometry::shape::scatter_in_tick;
use crate::liquid::state::Liquid;
use crate::settings::thermal::FluidIntoAir;

impl Air {
    /// Turns the particles that are warm enough into air, and returns their number. Fuel whose class has
    /// something to become at a temperature burns to that, keeps its heat, and gets hotter by its afterglow.
    ///
    /// Amounts are kept, and spread over a particle's cell and the free ones next to it. So is the heat that it has
    /// above the surroundings; no cell gets hotter than the particle: the vapour takes the rest with it.
    ///
    /// Where the change takes latent heat, a particle changes with the chance that its heat beyond the
    /// temperature has of it, and loses that heat in any case. So as many change as the heat suffices
    /// for on average, and none is drawn from a generator: the same ticks give the same bits.
    pub(crate) fn evaporate(&mut self, liquid: &mut Liquid, time_step: f32) -> u32 {
        if liquid.classes.iter().all(|class| class.thermal.into_air.is_none()) {
            return 0;
        }
        self.cool_wet_fuel(liquid);
        let spacing = liquid.parameters.particle_spacing;
        let ambient = f64::from(liquid.parameters.ambient_temperature);
        let ticks = liquid.clock.ticks as u32;
        let mut gone = Vec::new();
        let mut cooled = Vec::new();
        let mut burnt = Vec::new();
        for (index, class) in liquid.particles.class.iter().enumerate() {
            let class = &liquid.classes[*class];
            let mut temperature = liquid.particles.temperature[index];
            // What is not finite is quarantined in the next tick.
            let turns =
                |into_air: &&FluidIntoAir| temperature >= into_air.above && temperature.is_finite();
            let Some(into_air) = class.thermal.into_air.as_ref().filter(turns) else { continue };
            let position = liquid.particles.position[index];
            let rises = || Some(self.surface_above(self.open_cell_at(position)?));
            let Some(cell) = self.free_cell_at(position).or_else(rises) else { continue };
            if into_air.latent_heat > 0.0 {
                let chance = (temperature - into_air.above) / into_air.latent_heat;
                temperature = into_air.above;
                let id = liquid.particles.id[index];
                // At most all of it: of hotter liquid every particle changes, and the rest is lost.
                if 0.5 + 0.5 * scatter_in_tick(id.slot(), ticks).x >= chance {
                    cooled.push((index, temperature));
                    continue;
                }
            }
            let area = spacing * spacing / class.relative_rest_density;
            let warmth = f64::from(temperature) - ambient;
            let residue = class.thermal.above.as_ref().filter(|_| into_air.fuel > 0.0);
            let residue = residue.and_then(|to| liquid.classes.find(&to.becomes));
            // In one cell alone it would be seen as a square.
            let (cells, count) = self.free_cells_around(cell);
            let part = 1.0 / count as f32;
            for cell in cells[..count].iter().copied() {
                self.take_in(cell, into_air, part * area, time_step);
                if residue.is_none() {
                    self.take_heat(cell, f64::from(part * class.mass), warmth, spacing);
                }
            }
            match residue {
                Some(residue) => burnt.push((index, residue, temperature + into_air.afterglow)),
                None => gone.push(index),
            }
        }
        for (index, residue, _) in &burnt {
            liquid.change_class(*index, *residue);
        }
        let heated = burnt.iter().map(|(index, _, temperature)| (*index, *temperature));
        for (index, temperature) in cooled.into_iter().chain(heated) {
            liquid.particles.temperature[index] = temperature;
            liquid.sleep.heat_rests = false;
        }
        if !gone.is_empty() {
            let mut last = gone.iter().rev().peekable();
            // Indices are visited from the last to the first.
            liquid.remove_where(|_, index| last.next_if_eq(&&index).is_some());
        }
        (gone.len() + burnt.len()) as u32
    }

    /// A cell and the free cells next to it, and how many they are.
    fn free_cells_around(&self, cell: usize) -> ([usize; 5], usize) {
        let (mut cells, mut count) = ([cell; 5], 1);
        for next in passage::ALL.into_iter().filter_map(|bit| self.neighbour(cell, bit)) {
            if !self.is_under_liquid(next) {
                cells[count] = next;
                count += 1;
            }
        }
        (cells, count)
    }

    /// Adds what a particle, or a part of one, of an area becomes to a cell.
    fn take_in(&mut self, cell: usize, into_air: &FluidIntoAir, area: f32, time_step: f32) {
        let cell_area = self.grid.cell * self.grid.cell;
        let share = area / (cell_area * self.solids.air_shares()[cell]);
        let [red, green, blue] = self.colours_of(into_air.smoke, into_air.colour);
        for (channel, amount) in [
            (AirChannel::Smoke, into_air.smoke),
            (AirChannel::Fuel, into_air.fuel),
            (AirChannel::Vapour, into_air.vapour),
            (AirChannel::Red, red),
            (AirChannel::Green, green),
            (AirChannel::Blue, blue),
        ] {
            if amount != 0.0 {
                let value = &mut self.channel_mut(channel)[cell];
                *value = (*value + amount * share).clamp(-MOST, MOST);
            }
        }
        let rate = into_air.expansion * (area / cell_area) / time_step;
        if rate > 0.0 && rate.is_finite() {
            self.expansion.resize(self.grid.cells(), 0.0);
            self.expansion[cell] += rate;
        }
    }

    /// Adds the heat of a particle, or a part of one, that is `warmth` degrees above the surroundings.
    fn take_heat(&mut self, cell: usize, mass: f64, warmth: f64, particle_spacing: f32) {
        let before = self.warmth_of(cell);
        let after = before + mass * warmth / self.heat_capacity_of(cell, particle_spacing);
        let after = if warmth > 0.0 {
            after.min(before.max(warmth))
        } else {
            after.max(before.min(warmth))
        };
        if after != before {
            self.set_warmth_of(cell, after);
        }
    }
}
