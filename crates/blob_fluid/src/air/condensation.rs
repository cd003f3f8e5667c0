//! Vapour becomes particles where the air is cold: it rains.
//!
//! What condenses in a step is far less than a particle in most cells. It is collected cell by cell,
//! and where a particle's worth has come together a particle appears (systematic sampling). The sum
//! of vapour, of what has been collected and of particles is kept.

use glam::Vec2;

use crate::air::channel::AirChannel;
use crate::air::state::Air;
use crate::geometry::shape::{scatter, scatter_in_tick};
use crate::liquid::state::Liquid;
use crate::particles::spawn::ParticleSpawn;
use crate::settings::class::ClassId;
use crate::sources::crowd::PointHash;
use crate::sources::free_places::Place;

/// The part of a particle's area from which on it appears; the rest is owed. Otherwise the last drop
/// in a room would never fall, because ever less of its vapour condenses.
const ENOUGH: f64 = 0.999;

/// Most places that are tried for a drop in a cell, and in vain in a step. A crowded world then costs
/// little.
const TRIES_IN_CELL: u32 = 4;
const TRIES: u32 = 256;

/// The largest speed of a new drop, in V0.
const MOST: f32 = 10.0;

/// Most vapour that waits to become particles, as in [`SavedAir::condensate`](crate::air::SavedAir::condensate).
const MOST_CONDENSATE: f64 = 1e9;

/// What vapour becomes.
struct Rain {
    /// Temperature below which it does, in degrees.
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
    /// Cells under liquid get no drops, nor does a world that is full: then the vapour stays.
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
        // Every step begins in another cell, so that none is preferred.
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

/// The drops of a step.
struct Drops {
    found: Vec<ParticleSpawn>,
    taken: PointHash,
    class: ClassId,
    tick: u32,
    /// How many more particles the world holds.
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
            most_speed: MOST * liquid.parameters.speed_unit(),
        }
    }

    /// A place in a cell that walls, liquid and the other drops leave free.
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
