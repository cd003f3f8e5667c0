//! Vapour becomes particles where the air is cold: it rains.
//!
//! In most cells, far less than a particle condenses in a step. These amounts are collected cell by
//! cell, and a particle appears where they reach the area of a particle (systematic sampling). The
//! sum of vapour, collected amounts and particles is conserved.

use glam::Vec2;

use crate::air::solids::passage;
use crate::air::sources::LARGEST_AMOUNT;
use crate::air::{Air, AirChannel};
use crate::geometry::shape::{scatter, scatter_in_tick};
use crate::parallel::executor::ChunkLists;
use crate::sources::blob::{Place, PointHash};
use crate::{ClassId, DensityClass, Executor, FluidIntoAir, Liquid, ParticleSpawn};

/// Fraction of a particle's area at which the particle appears; later vapour pays for the rest.
/// With 1, the last particle in a room would never appear, because its vapour condenses ever more
/// slowly.
const ENOUGH: f64 = 0.999;

/// Largest number of places that are tried for a particle in a cell, and of failed tries in a step.
/// They limit the cost of a crowded world.
const TRIES_IN_CELL: u32 = 4;
const TRIES: u32 = 256;

/// The largest speed of a new particle, in V0.
const MOST_SPEED_UNITS: f32 = 10.0;

/// Largest amount of vapour that waits to become particles, as in
/// [`SavedAir::condensate`](crate::air::SavedAir::condensate).
const MOST_CONDENSATE: f64 = 1e9;

/// The class that vapour becomes.
struct Rain {
    /// Temperature below which vapour condenses, in degrees.
    temperature: f64,
    class: ClassId,
    /// Area of a particle, in world units².
    area: f64,
}

impl Rain {
    fn of(liquid: &Liquid) -> Option<Self> {
        let mut classes = liquid.classes.iter();
        let rains = classes.find_map(|class| class.thermal.into_air.as_ref()?.rains.as_ref())?;
        let class = liquid.classes.find(&rains.becomes)?;
        let spacing = f64::from(liquid.parameters.particle_spacing);
        let area = spacing * spacing / f64::from(liquid.classes[class].relative_rest_density);
        Some(Self { temperature: f64::from(rains.temperature), class, area })
    }
}

impl Air {
    /// Condenses the share `rate dt / (1 + rate dt)` of the vapour of cold cells, and returns the
    /// number of particles that appeared.
    ///
    /// No particles appear in cells under liquid, or in a full world. Further vapour then stays
    /// vapour.
    pub(crate) fn condense(&mut self, liquid: &mut Liquid, time_step: f32) -> u32 {
        let Some(rain) = Rain::of(liquid) else { return 0 };
        let any_vapour = self.channel(AirChannel::Vapour).iter().any(|vapour| *vapour > 0.0);
        if !any_vapour && self.condensate < ENOUGH * rain.area {
            return 0;
        }
        let way = self.settings.condensation_rate * time_step;
        let share = if way.is_finite() { way / (1.0 + way) } else { 1.0 };
        let ambient = f64::from(liquid.parameters.ambient_temperature);
        let (cells, cell_area) =
            (self.grid.cells(), f64::from(self.grid.cell) * f64::from(self.grid.cell));
        let mut drops = Drops::new(liquid, &rain);
        // Every step begins in another cell, so that no cell is preferred.
        let first = (0.5 + 0.5 * scatter(drops.tick).x) * cells as f32;
        let first = (first as usize).min(cells - 1);
        for cell in (first..cells).chain(0..first) {
            let temperature = self.warmth_of(cell) + ambient;
            if self.solids.passages[cell] == 0 || temperature >= rain.temperature {
                continue;
            }
            if self.condensate < rain.area {
                let air = cell_area * f64::from(self.solids.air_shares()[cell]);
                let vapour = &mut self.channel_mut(AirChannel::Vapour)[cell];
                let left = *vapour - vapour.max(0.0) * share;
                let condensed = f64::from(*vapour - left);
                *vapour = left;
                self.condensate = (self.condensate + condensed * air).min(MOST_CONDENSATE);
            }
            while self.condensate >= ENOUGH * rain.area && !self.is_under_liquid(cell) {
                let Some(position) = drops.place_in(self, cell, liquid) else { break };
                drops.found.push(ParticleSpawn {
                    position,
                    velocity: self.velocity_in_cell(cell).clamp_length_max(drops.most_speed),
                    class: rain.class,
                    temperature: Some(temperature as f32),
                    ..ParticleSpawn::default()
                });
                self.condensate -= rain.area;
            }
        }
        let mut appeared = 0;
        for drop in drops.found {
            match liquid.spawn(drop) {
                Ok(_) => appeared += 1,
                Err(_) => {
                    self.condensate = (self.condensate + rain.area).min(MOST_CONDENSATE);
                }
            }
        }
        appeared
    }
}

/// The new particles of a step.
struct Drops {
    found: Vec<ParticleSpawn>,
    taken: PointHash,
    class: ClassId,
    tick: u32,
    /// Number of particles that the world has room for.
    room: usize,
    tries: u32,
    most_speed: f32,
}

impl Drops {
    fn new(liquid: &Liquid, rain: &Rain) -> Self {
        let mut taken = PointHash::default();
        taken.clear(liquid.parameters.particle_spacing);
        Self {
            found: Vec::new(),
            taken,
            class: rain.class,
            tick: liquid.clock.ticks as u32,
            room: liquid.capacity().saturating_sub(liquid.particles.len()),
            tries: TRIES,
            most_speed: MOST_SPEED_UNITS * liquid.parameters.speed_unit(),
        }
    }

    /// A free place in a cell, clear of walls, liquid and other new particles.
    fn place_in(&mut self, air: &Air, cell: usize, liquid: &Liquid) -> Option<Vec2> {
        for number in 0..TRIES_IN_CELL {
            if self.tries == 0 || self.found.len() >= self.room {
                return None;
            }
            let seed = (cell as u32).wrapping_mul(TRIES_IN_CELL).wrapping_add(number);
            let jitter = scatter_in_tick(seed, self.tick);
            let position = air.cell_centre(cell) + 0.5 * air.cell_size() * jitter;
            if self.is_free(position, liquid) {
                self.taken.add(position);
                return Some(position);
            }
            self.tries -= 1;
        }
        None
    }

    fn is_free(&self, position: Vec2, liquid: &Liquid) -> bool {
        let spacing = liquid.parameters.particle_spacing;
        let place = Place { position, class: self.class, number: 0 };
        liquid.has_within(position)
            && self.taken.is_free(position)
            && !liquid.free_places(std::iter::once(place), spacing, 1).free.is_empty()
    }
}

// Particles turn into air: vapour, smoke, fuel, heat and volume.

impl Air {
    /// Turns the particles that are warm enough into air, and returns their number. Fuel whose class has a
    /// transition above a temperature becomes that class instead: it keeps its heat, and its afterglow heats
    /// it.
    ///
    /// Amounts are conserved, and spread over a particle's cell and the free cells next to it. The particle's heat
    /// above the surroundings is spread too, but no cell gets hotter than the particle: the vapour takes the rest.
    ///
    /// If the change takes latent heat, a particle changes with a probability: its heat above the
    /// temperature, divided by the latent heat. It loses that heat in any case. So on average, the
    /// heat suffices for the particles that change. The draw depends only on slot and tick, so that
    /// the same ticks are bit-identical.
    pub(crate) fn evaporate(
        &mut self,
        liquid: &mut Liquid,
        time_step: f32,
        hot: &mut ChunkLists<usize>,
        executor: &dyn Executor,
    ) -> u32 {
        if liquid.classes.iter().all(|class| class.thermal.into_air.is_none()) {
            return 0;
        }
        self.cool_wet_fuel(liquid);
        let spacing = liquid.parameters.particle_spacing;
        let ambient = f64::from(liquid.parameters.ambient_temperature);
        let ticks = liquid.clock.ticks as u32;
        let turns = |class: &DensityClass, temperature: f32| {
            // The next tick quarantines a particle that is not finite.
            let above = class.thermal.into_air.as_ref().map(|into_air| into_air.above);
            above.is_some_and(|above| temperature >= above && temperature.is_finite())
        };
        let (all, classes) = (&liquid.particles, &liquid.classes);
        hot.fill(0..all.len(), executor, |_, particles, hot| {
            let temperatures = &all.temperature;
            hot.extend(
                particles.filter(|index| turns(&classes[all.class[*index]], temperatures[*index])),
            );
        });
        let mut gone = Vec::new();
        let mut cooled = Vec::new();
        let mut burnt = Vec::new();
        for index in hot.iter().copied() {
            let class = &liquid.classes[liquid.particles.class[index]];
            let mut temperature = liquid.particles.temperature[index];
            let Some(into_air) = &class.thermal.into_air else { continue };
            let position = liquid.particles.position[index];
            let rises = || Some(self.surface_above(self.open_cell_at(position)?));
            let Some(cell) = self.free_cell_at(position).or_else(rises) else { continue };
            if class.thermal.latent_heat > 0.0 {
                let chance = (temperature - into_air.above) / class.thermal.latent_heat;
                temperature = into_air.above;
                let id = liquid.particles.id[index];
                // In hotter liquid, every particle changes, and the heat beyond the latent heat is
                // lost.
                if 0.5 + 0.5 * scatter_in_tick(id.slot(), ticks).x >= chance {
                    cooled.push((index, temperature));
                    continue;
                }
            }
            let area = spacing * spacing / class.relative_rest_density;
            let warmth = f64::from(temperature) - ambient;
            let residue = class.thermal.above.as_ref().filter(|_| into_air.fuel > 0.0);
            let residue = residue.and_then(|to| liquid.classes.find(&to.becomes));
            // A single filled cell would be visible as a square.
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

    /// A cell and the free cells next to it, and their count.
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

    /// Adds the products of a particle, or of a part of one, with an area (square world units) to a
    /// cell.
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
                *value = (*value + amount * share).clamp(-LARGEST_AMOUNT, LARGEST_AMOUNT);
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
