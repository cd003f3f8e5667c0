//! Wet fuel does not ignite: the liquid that it touches cools it.

use crate::air::state::Air;
use crate::liquid::state::Liquid;
use crate::particles::index::ParticleIndex;
use crate::settings::class::DensityClass;
use crate::settings::thermal::{FluidIntoAir, FluidThermal};

/// How far apart particles are that touch, in spacings.
const TOUCHING: f32 = 1.5;

/// What a class is beside others.
#[derive(Clone, Copy)]
struct Wetting {
    /// The temperature from which on it burns, if liquid may wet it: powder and what is elastic. Liquid that
    /// burns lies beside other liquid, and burns.
    ignition: Option<f32>,
    /// Whether it wets: a liquid that does not burn.
    wets: bool,
    /// Whether it gets warm: nothing that follows from the temperature of others would ever cool them.
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
    /// Cools solid fuel that is hot enough to burn and touches colder liquid: it and the nearest particle of
    /// the liquid take on the mean of their temperatures, by mass. If that would still burn it stays as hot as it
    /// is.
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
