//! Combustion: hot fuel becomes heat, smoke and, if set, volume.

use crate::air::{Air, AirChannel, AirEmbers, AirFire, AirSource};
use crate::liquid::state::heat_moved;
use crate::parallel::executor::{ChunkLists, LONG_CHUNK};
use crate::particles::arrays::ParticleIndex;
use crate::{DensityClass, Executor, FluidIntoAir, FluidThermal, Liquid};

impl Air {
    /// Burns the share `rate dt / (1 + rate dt)` of the fuel where it is hotter than its ignition.
    pub(super) fn burn(
        &mut self,
        time_step: f32,
        burnt: &mut ChunkLists<(usize, f32)>,
        executor: &dyn Executor,
    ) {
        let AirFire { burn_rate, ignition_heat, heat, soot, expansion } = self.settings.fire;
        let some = |channel: AirChannel| self.channel(channel).iter().any(|value| *value != 0.0);
        let starts = some(AirChannel::Heat) || ignition_heat < 0.0;
        if burn_rate == 0.0 || !some(AirChannel::Fuel) || !starts {
            return;
        }
        self.channel_mut(AirChannel::Heat);
        if soot > 0.0 {
            self.channel_mut(AirChannel::Smoke);
        }
        if expansion > 0.0 {
            self.expansion.resize(self.grid.cells(), 0.0);
        }
        let way = burn_rate * time_step;
        let share = if way.is_finite() { way / (1.0 + way) } else { 1.0 };
        let has_colours = self.has_colours();
        let [smoke, hot, fuel, _, colours @ ..] = &mut self.channels;
        burnt.fill((&mut fuel[..], &mut hot[..]), executor, |first, (fuel, hot), list| {
            for (cell, (fuel, hot)) in (first..).zip(fuel.iter_mut().zip(hot)) {
                if *fuel <= 0.0 || *hot <= ignition_heat {
                    continue;
                }
                let burnt = *fuel * share;
                *fuel -= burnt;
                *hot = (*hot + burnt * heat).min(1e9);
                list.push((cell, burnt));
            }
        });
        for (index, burnt) in burnt.iter().copied() {
            if soot > 0.0 {
                smoke[index] = (smoke[index] + burnt * soot).min(1e9);
                if has_colours {
                    colours.iter_mut().for_each(|list| list[index] += burnt * soot);
                }
            }
            if expansion > 0.0 {
                let rate = burnt * expansion / time_step;
                self.expansion[index] += if rate.is_finite() { rate } else { 0.0 };
            }
        }
    }
}

// Wet fuel does not ignite: the liquid that it touches cools it.

/// Largest distance of particles that touch, in particle spacings.
const TOUCHING: f32 = 1.5;

/// The role of a class beside other classes.
#[derive(Clone, Copy)]
struct Wetting {
    /// The temperature from which it burns, for classes that liquid can wet: powders and elastic classes.
    /// Liquid that burns lies beside other liquid, and still burns.
    ignition: Option<f32>,
    /// Whether it wets: a liquid that does not burn.
    wets: bool,
    /// Whether it gets warm. Classes without thermal settings do not, because nothing would ever cool
    /// them.
    heats: bool,
}

impl Wetting {
    fn of(class: &DensityClass) -> Self {
        let thermal = &class.thermal;
        let plain = FluidThermal { temperature: thermal.temperature, ..FluidThermal::default() };
        let solid = class.powder.is_some() || class.elasticity.is_some();
        let burns = thermal.into_air.as_ref().filter(|into_air| into_air.fuel > 0.0);
        Self {
            ignition: burns.map(|into_air: &FluidIntoAir| into_air.above).filter(|_| solid),
            wets: !solid && !class.is_gas() && burns.is_none(),
            heats: *thermal != plain,
        }
    }
}

impl Air {
    /// Cools solid fuel that is hot enough to burn and touches colder liquid. The fuel and the nearest particle
    /// of the liquid take the mean of their temperatures, by mass. Fuel that would still burn at the mean keeps
    /// its temperature.
    pub(super) fn cool_wet_fuel(&self, liquid: &mut Liquid) {
        if liquid.classes.iter().all(|class| Wetting::of(class).ignition.is_none()) {
            return;
        }
        let classes: Vec<Wetting> = liquid.classes.iter().map(Wetting::of).collect();
        let reach = TOUCHING * liquid.parameters.particle_spacing;
        let mut places = None;
        for index in 0..liquid.particles.len() {
            let particles = &liquid.particles;
            let of = |particle: usize| &classes[particles.class[particle].index()];
            let temperature = particles.temperature[index];
            let burns = |ignition: &f32| temperature >= *ignition && temperature.is_finite();
            let Some(ignition) = of(index).ignition.filter(burns) else { continue };
            let position = particles.position[index];
            if self.open_cell_at(position).is_none() {
                continue;
            }
            let places = places.get_or_insert_with(|| ParticleIndex::of(&particles.position));
            let mut nearest = (reach * reach, u32::MAX, None);
            places.visit_near(position, nearest.0, |run| {
                for other in run.filter(|other| of(*other).wets) {
                    let squared = particles.position[other].distance_squared(position);
                    let slot = particles.id[other].slot();
                    if (squared, slot) < (nearest.0, nearest.1) {
                        nearest = (squared, slot, Some(other));
                    }
                }
                nearest.0
            });
            let Some(other) = nearest.2 else { continue };
            let mass = |particle: usize| liquid.classes[particles.class[particle]].mass;
            let (own, others) = (mass(index), mass(other));
            let mean = (own * temperature + others * particles.temperature[other]) / (own + others);
            if mean < ignition {
                let heats = of(other).heats;
                liquid.particles.temperature[index] = mean;
                if heats {
                    liquid.particles.temperature[other] = mean;
                }
                liquid.sleep.heat_rests = false;
            }
        }
    }
}

// Embers: they keep a fire burning, and liquid and cold air put them out.
//
// Embers are as hot as a flame (heat 1) as long as they glow. A particle on them approaches that
// temperature by an implicit step, `T' - T = share (T_flame - T)`, and the embers lose the heat
// that it gains: `left -= sum m (T' - T)/(C heat)`. Here `C` is the heat capacity of the air that
// would cover the source, relative to that of a particle of mass 1. Evaporation takes latent heat
// from the particle, so that a small amount of water is enough.

/// Rate at which liquid approaches the temperature of the embers that it lies on, in 1/s.
const CONTACT: f32 = 20.0;

/// Rate at which embers die in air in which nothing burns, in 1/s.
const DYING: f32 = 1.0;

/// Smallest fraction of hot cells, in which fuel can burn, at which the fire counts as burning.
const ALIVE: f32 = 0.1;

/// The behaviour of a class on embers.
#[derive(Clone, Copy, PartialEq)]
enum OnEmbers {
    /// Takes heat, and gets hot.
    Heats,
    /// Takes heat, and keeps its temperature: without thermal settings, nothing would ever cool it
    /// again.
    StaysCold,
    /// Takes no heat, because it burns.
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
    /// Moves heat from embers to the liquid that lies on them.
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
            // Liquid takes at most the heat that is left.
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

    /// The embers after a step: a fire heats them, and they die in cold air. `None` without embers
    /// that glow.
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
    /// The present fraction of its full output. It falls once half of its embers are cold.
    pub(super) fn strength(&self) -> f32 {
        self.embers.map_or(1.0, |embers| (2.0 * embers.left).min(1.0))
    }

    /// Whether there are embers that can go out.
    fn glows(&self) -> bool {
        self.embers.is_some() && self.is_lit() && !self.burst
    }
}

// Loss of heat and smoke: `value / (1 + rate dt)`, which is stable for every step.

impl Air {
    pub(super) fn cool(&mut self, time_step: f32, executor: &dyn Executor) {
        let settings = &self.settings;
        for channel in AirChannel::ALL {
            let rate = match channel {
                AirChannel::Heat => settings.cooling,
                AirChannel::Fuel | AirChannel::Vapour => 0.0,
                AirChannel::Smoke | AirChannel::Red | AirChannel::Green | AirChannel::Blue => {
                    settings.smoke_dissipation
                }
            };
            let factor = 1.0 / (1.0 + rate * time_step);
            if factor < 1.0 {
                let values = &mut self.channels[channel as usize][..];
                executor.for_each_chunk(values, LONG_CHUNK, |_, values| {
                    for value in values {
                        // Values that are too small to be seen become 0.
                        let left = *value * factor;
                        *value = if left.abs() < 1e-15 { 0.0 } else { left };
                    }
                });
            }
        }
    }
}
