//! Embers: what keeps a fire burning, and how liquid and cold put it out.
//!
//! Embers are as hot as a flame (heat 1) as long as they glow. A particle on them approaches that
//! temperature by an implicit step, `T' - T = share (T_flame - T)`, and what it gets they lose:
//! `left -= sum m (T' - T)/(C heat)`, where `C` is the heat capacity of the air that would cover the
//! source, in that of a particle of mass 1. Evaporation takes latent heat from the particle, so that
//! a little water goes a long way.

use crate::air::channel::AirChannel;
use crate::air::source::{AirEmbers, AirSource};
use crate::air::state::Air;
use crate::liquid::sleep::heat_moved;
use crate::liquid::state::Liquid;
use crate::settings::class::DensityClass;
use crate::settings::thermal::FluidThermal;

/// Rate at which liquid gets as hot as the embers that it lies on, in 1/s.
const CONTACT: f32 = 20.0;

/// Rate at which embers die in air in which nothing burns, in 1/s.
const DYING: f32 = 1.0;

/// Share of the cells in which fuel burns, below which nothing burns.
const ALIVE: f32 = 0.1;

/// What a class does on embers.
#[derive(Clone, Copy, PartialEq)]
enum OnEmbers {
    /// Takes heat, and gets hot.
    Heats,
    /// Takes heat, and stays as cold as it is: nothing that follows from its temperature would ever
    /// cool it again.
    StaysCold,
    /// Takes none: it burns.
    Burns,
}

impl OnEmbers {
    fn of(class: &DensityClass) -> Self {
        let thermal = &class.thermal;
        let plain = FluidThermal { temperature: thermal.temperature, ..FluidThermal::default() };
        match &thermal.into_air {
            Some(into_air) if into_air.fuel > 0.0 => Self::Burns,
            None if *thermal == plain => Self::StaysCold,
            _ => Self::Heats,
        }
    }
}

impl Air {
    /// Liquid takes heat from the embers that it lies on.
    pub(super) fn quench(&mut self, liquid: &mut Liquid, time_step: f32) {
        if !self.sources.iter().any(AirSource::glows) {
            return;
        }
        let classes: Vec<OnEmbers> = liquid.classes.iter().map(OnEmbers::of).collect();
        let mut sources = std::mem::take(&mut self.sources);
        for source in sources.iter_mut().filter(|source| source.glows()) {
            let AirSource { region, embers: Some(embers), .. } = source else { continue };
            let mut cells = 0_u32;
            self.grid.for_each_cell_in(region, |_| cells += 1);
            if cells == 0 {
                continue;
            }
            let spacing = f64::from(liquid.parameters.particle_spacing);
            let cell = f64::from(self.grid.cell) / spacing;
            let settings = &self.settings;
            let per_heat = f64::from(settings.heat_capacity) * f64::from(settings.degrees_per_heat);
            let store = per_heat * f64::from(embers.heat) * f64::from(cells) * cell * cell;
            let flame = liquid.parameters.ambient_temperature + settings.degrees_per_heat;
            let way = CONTACT * time_step;
            let share = if way.is_finite() { way / (1.0 + way) } else { 1.0 };
            let mut heated = Vec::new();
            let mut taken = 0.0;
            for (index, position) in liquid.particles.position.iter().enumerate() {
                let class = liquid.particles.class[index];
                let missing = flame - liquid.particles.temperature[index];
                let takes = classes[class.index()] != OnEmbers::Burns && missing > 0.0;
                if takes && missing.is_finite() && region.contains(*position) {
                    let warmer = missing * share;
                    taken += f64::from(liquid.classes[class].mass) * f64::from(warmer);
                    heated.push((index, warmer));
                }
            }
            let there = store * f64::from(embers.left);
            // Not more than there is.
            let part = if taken > there { (there / taken) as f32 } else { 1.0 };
            embers.left = ((there - taken) / store).max(0.0) as f32;
            for (index, warmer) in heated {
                let class = liquid.particles.class[index];
                if classes[class.index()] == OnEmbers::Heats {
                    let temperature = &mut liquid.particles.temperature[index];
                    let before = *temperature;
                    *temperature += part * warmer;
                    liquid.sleep.heat_rests &= !heat_moved(before, *temperature);
                }
            }
        }
        self.sources = sources;
    }

    /// What is left of embers after a step: a fire heats them, and cold air does not.
    pub(super) fn tend(&self, source: &AirSource, time_step: f32) -> Option<AirEmbers> {
        let embers = source.embers.filter(|_| source.glows())?;
        let ignition = self.settings.fire.ignition_heat;
        let heat = self.channel(AirChannel::Heat);
        let (mut cells, mut warm, mut burning) = (0.0, 0.0, 0.0);
        self.grid.for_each_cell_in(&source.region, |cell| {
            cells += 1.0;
            if heat.get(cell).copied().unwrap_or(0.0) > ignition {
                warm += 1.0;
                burning += 1.0 - self.liquid_share_of(cell);
            }
        });
        if cells == 0.0 {
            return Some(embers);
        }
        let gain = burning / cells * source.heat.max(0.0) / embers.heat;
        let change = time_step * if warm < ALIVE * cells { -DYING } else { gain };
        Some(AirEmbers { left: (embers.left + change).clamp(0.0, 1.0), ..embers })
    }
}

impl AirSource {
    /// The share of what it gives that it gives at present: less once half of its embers are cold.
    pub(super) fn strength(&self) -> f32 {
        self.embers.map_or(1.0, |embers| (2.0 * embers.left).min(1.0))
    }

    /// Whether there are embers that can go out.
    fn glows(&self) -> bool {
        self.embers.is_some() && self.is_lit() && !self.burst
    }
}
