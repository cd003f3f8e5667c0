//! Exposed liquid and the air around it exchange heat.
//!
//! A particle of mass `m` approaches the temperature of the free air beside it at the rate
//! `k = conductivity exposure`, and what it gets the cell loses. All particles of a cell take part at
//! once, by an implicit step:
//!
//! `m (T' - T) = m k dt (A' - T')` for each, and `C (A' - A) = -sum m (T' - T)` for the cell,
//!
//! so that `A' = (C A + sum w T)/(C + sum w)` with `w = m k dt/(1 + k dt)`. No temperature leaves the
//! range of those that meet, whatever the rates are, and `C A + sum m T` is kept to rounding.

use crate::air::channel::AirChannel;
use crate::air::exposure::exposure;
use crate::air::sources::MOST;
use crate::air::state::Air;
use crate::liquid::sleep::heat_moved;
use crate::liquid::state::Liquid;

/// The largest `k dt`, at which both have the same temperature after a step but for rounding.
const FASTEST: f64 = 1e12;

/// A particle in the air.
#[derive(Clone, Copy, Debug)]
struct Exposed {
    particle: usize,
    cell: usize,
    /// `k dt`.
    rate: f64,
}

/// The heat of the particles of a cell.
#[derive(Clone, Copy, Debug, Default)]
struct OfCell {
    /// `sum w`, and `sum w T` with temperatures relative to the surroundings.
    weight: f64,
    weighted: f64,
    /// `A'`, relative to the surroundings.
    warmth: f64,
}

/// Lists of the exchange. They can be thrown away between two steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeatExchange {
    exposed: Vec<Exposed>,
    cells: Vec<OfCell>,
}

impl Air {
    /// Heat capacity of the air in a cell, in that of a particle of mass 1.
    pub(super) fn heat_capacity_of(&self, cell: usize, particle_spacing: f32) -> f64 {
        let cells_side = f64::from(self.grid.cell) / f64::from(particle_spacing);
        let air = f64::from(self.solids.air_shares()[cell]);
        f64::from(self.settings.heat_capacity) * air * cells_side * cells_side
    }

    /// By how many degrees a cell is warmer than the surroundings.
    pub(super) fn warmth_of(&self, cell: usize) -> f64 {
        let heat = self.channel(AirChannel::Heat).get(cell).copied().unwrap_or(0.0);
        f64::from(heat) * f64::from(self.settings.degrees_per_heat)
    }

    /// Makes a cell so many degrees warmer than the surroundings.
    pub(super) fn set_warmth_of(&mut self, cell: usize, degrees: f64) {
        let heat = (degrees / f64::from(self.settings.degrees_per_heat)) as f32;
        self.channel_mut(AirChannel::Heat)[cell] = heat.clamp(-MOST, MOST);
    }
}

impl HeatExchange {
    pub(crate) fn exchange(&mut self, air: &mut Air, liquid: &mut Liquid, time_step: f32) {
        self.find_exposed(air, liquid, time_step);
        if self.exposed.is_empty() {
            return;
        }
        let spacing = liquid.parameters.particle_spacing;
        let ambient = f64::from(liquid.parameters.ambient_temperature);
        let particles = &mut liquid.particles;
        let classes = &liquid.classes;
        self.cells.clear();
        self.cells.resize(air.grid.cells(), OfCell::default());
        for Exposed { particle, cell, rate } in &self.exposed {
            let mass = f64::from(classes[particles.class[*particle]].mass);
            let warmth = f64::from(particles.temperature[*particle]) - ambient;
            let weight = mass * rate / (1.0 + rate);
            self.cells[*cell].weight += weight;
            self.cells[*cell].weighted += weight * warmth;
        }
        for (cell, exchange) in
            self.cells.iter_mut().enumerate().filter(|(_, exchange)| exchange.weight > 0.0)
        {
            let capacity = air.heat_capacity_of(cell, spacing);
            let heat = capacity * air.warmth_of(cell) + exchange.weighted;
            exchange.warmth = heat / (capacity + exchange.weight);
            air.set_warmth_of(cell, exchange.warmth);
        }
        for Exposed { particle, cell, rate } in &self.exposed {
            let temperature = &mut particles.temperature[*particle];
            let goal = self.cells[*cell].warmth + ambient;
            let before = *temperature;
            *temperature = ((f64::from(*temperature) + rate * goal) / (1.0 + rate)) as f32;
            liquid.sleep.heat_rests &= !heat_moved(before, *temperature);
        }
    }

    fn find_exposed(&mut self, air: &Air, liquid: &Liquid, time_step: f32) {
        self.exposed.clear();
        let per_time_unit = f64::from(time_step) / f64::from(liquid.parameters.time_unit());
        let conductivities = liquid.classes.iter().map(|class| class.thermal.air_conductivity);
        let rate = |conductivity: f32| (f64::from(conductivity) * per_time_unit).min(FASTEST);
        let rates: Vec<f64> = conductivities.map(rate).collect();
        if rates.iter().all(|rate| *rate == 0.0) {
            return;
        }
        let particles = &liquid.particles;
        for (particle, class) in particles.class.iter().enumerate() {
            let exposure = exposure(particles.relative_density[particle]);
            let rate = rates[class.index()] * f64::from(exposure);
            // What is not finite is quarantined in the next tick.
            if rate > 0.0 && particles.temperature[particle].is_finite() {
                let cell = air.free_cell_at(particles.position[particle]);
                self.exposed.extend(cell.map(|cell| Exposed { particle, cell, rate }));
            }
        }
    }
}
