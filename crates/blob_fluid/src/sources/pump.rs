//! Pumps: they move liquid from one region to another.

use glam::Vec2;

use crate::geometry::shape::scatter;
use crate::settings::declare::settings;
use crate::settings::range::{Check, count_more};
use crate::sources::backpressure::OPENING_CLEARANCE;
use crate::sources::blob::{PointHash, WALL_CLEARANCE};
use crate::sources::drain::draw_and_find;
use crate::stored::stored;
use crate::{ClassFilter, ClassId, FluidBounds, FluidRegion, Liquid, OutOfRange, ParticleId};

/// Number of places in the outlet that are tried for each particle.
const TRIES: u32 = 64;

/// Largest mean density of the liquid in the outlet at which particles come out, relative to rest.
/// Without this limit, the density in a closed container would grow without bound.
const MOST_CROWDED: f32 = 1.3;

settings! {
    /// The settings of a [`Pump`].
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    #[cfg_attr(feature = "bevy_reflect", reflect(Clone, Debug, PartialEq))]
    pub struct PumpSettings: Default as "pump" with validate {
        /// How many particles it moves if nothing has to be lifted.
        ///
        /// A flow in square world units/s is this rate times the square of the particle spacing.
        pub rate: f32 [0 to 1000000] in "1/s" = 100,
        /// Largest height by which it lifts, at any gravity and for any liquid.
        ///
        /// The lift is measured from the surface at the inlet to the surface at the outlet. The closer the lift comes
        /// to this height, the less liquid flows; at this height nothing flows. `None` for a pump that lifts to any
        /// height.
        pub max_head: Option<f32> [above 0 to 1e9] in "world units" = { None },
        /// Velocity at which particles leave, along the outlet's own axes.
        pub velocity: Vec2 [within 1000000] in "world units/s" = 0,
        /// The classes that it moves. Default all.
        pub classes: ClassFilter = { ClassFilter::ALL },
        /// Whether it runs. Default yes.
        pub running: bool = { true },
    }
}

stored!(PumpSettings {
    rate in Limits::FINITE,
    max_head in Limits::FINITE,
    velocity in Limits::FINITE,
    classes,
    running,
} check Self::validate);

impl PumpSettings {
    /// A pump that moves `rate` particles/s.
    pub fn new(rate: f32) -> Self {
        Self { rate, ..Self::default() }
    }

    /// Share of its rate that a pump moves against a lift in world units, 0 to 1. The share follows the curve of a
    /// centrifugal pump, `sqrt(1 - lift / max_head)`.
    ///
    /// ```
    /// use blob_fluid::PumpSettings;
    /// let pump = PumpSettings { max_head: Some(400.0), ..PumpSettings::new(100.0) };
    /// assert_eq!(pump.share_at(300.0), 0.5);
    /// assert_eq!((pump.share_at(-50.0), pump.share_at(400.0)), (1.0, 0.0));
    /// ```
    pub fn share_at(&self, lift: f32) -> f32 {
        let Some(max_head) = self.max_head else { return 1.0 };
        (1.0 - lift / max_head).clamp(0.0, 1.0).sqrt()
    }
}

/// Result of one tick of a [`Pump`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PumpReport {
    /// Number of particles that it moved.
    pub moved: usize,
    /// Number of particles that stay in the inlet because the outlet has no free place for them.
    pub held_back: usize,
    /// Height by which the pump had to lift the liquid, in world units; negative downwards.
    pub lift: f32,
}

/// Moves liquid from one region, the inlet, to another region, the outlet, at any distance.
///
/// A pump moves the particles themselves: they keep their handles, classes, temperatures, paint, ages and tags. It
/// moves the particles nearest to the centre of the inlet first. A particle moves only to a free place: inside the
/// outlet and a container, outside of colliders, and not on other liquid. The liquid in the outlet must also be at most
/// 1.3 times as dense as at rest. Until then, the particle waits in the inlet. No particle is ever lost.
///
/// ```
/// use blob_fluid::{Blob, ClassId, Container, FluidRegion, FluidWorld, Pump, PumpSettings, SerialExecutor};
/// use glam::Vec2;
///
/// let mut world = FluidWorld::default();
/// world.insert_container(Container::rectangle(Vec2::ZERO, Vec2::new(100.0, 200.0))?);
/// let pool = FluidRegion::rectangle(Vec2::new(0.0, -150.0), Vec2::new(100.0, 50.0))?;
/// Blob::new(pool, ClassId::MEDIUM).fill(world.liquid_mut())?;
/// let all = world.particles().len();
/// let inlet = FluidRegion::circle(Vec2::new(0.0, -180.0), 20.0)?;
/// let outlet = FluidRegion::rectangle(Vec2::new(0.0, 150.0), Vec2::new(30.0, 10.0))?;
///
/// // From the surface of the pool at -100 up to 150 it is 250 units.
/// let weak = PumpSettings { max_head: Some(200.0), ..PumpSettings::new(120.0) };
/// let mut pump = Pump::new(weak, inlet, outlet)?;
/// assert_eq!(pump.pump(world.liquid_mut(), 0.1)?.moved, 0);
/// pump.set_settings(PumpSettings { max_head: Some(1000.0), ..weak })?;
/// for _ in 0..60 {
///     pump.pump(world.liquid_mut(), 1.0 / 60.0)?;
///     world.step(1.0 / 60.0, &SerialExecutor)?;
/// }
/// // At most sqrt(1 - 250 / 1000) of 120 in a second: the surface of the pool falls meanwhile.
/// assert!((80..=104).contains(&pump.moved()), "{}", pump.moved());
/// assert_eq!(world.particles().len(), all);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pump {
    settings: PumpSettings,
    inlet: FluidRegion,
    outlet: FluidRegion,
    /// Fraction of a particle left over from the last tick.
    part: f64,
    draws: u32,
    moved: u64,
    /// Squared distance and id of each particle that is due.
    found: Vec<(f32, ParticleId)>,
    /// The particles that move, and their new positions.
    arriving: Vec<(ParticleId, Vec2)>,
    taken: PointHash,
}

stored!(Pump { settings, inlet, outlet, part in Limits::SHARE, draws, moved } derived {
    found = Vec::new(),
    arriving = Vec::new(),
    taken = PointHash::default(),
} check |pump: &Self| {
    crate::stored::bytes::sound(pump.check())?;
    crate::stored::bytes::countable([pump.moved])
});

impl Pump {
    /// A pump between two regions that has moved nothing yet.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`PumpSettings::validate`] and [`set_inlet`](Self::set_inlet).
    pub fn new(
        settings: PumpSettings,
        inlet: FluidRegion,
        outlet: FluidRegion,
    ) -> Result<Self, OutOfRange> {
        let pump = Self {
            settings,
            inlet,
            outlet,
            part: 0.0,
            draws: 0,
            moved: 0,
            found: Vec::new(),
            arriving: Vec::new(),
            taken: PointHash::default(),
        };
        pump.check()?;
        Ok(pump)
    }

    fn check(&self) -> Result<(), OutOfRange> {
        self.settings.validate()?;
        has_ends("inlet", &self.inlet)?;
        has_ends("outlet", &self.outlet)
    }

    /// The settings.
    pub fn settings(&self) -> &PumpSettings {
        &self.settings
    }

    /// Changes the settings.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`PumpSettings::validate`]; then the old settings stay.
    pub fn set_settings(&mut self, settings: PumpSettings) -> Result<(), OutOfRange> {
        settings.validate()?;
        self.settings = settings;
        Ok(())
    }

    /// The region that it takes liquid from.
    pub fn inlet(&self) -> &FluidRegion {
        &self.inlet
    }

    /// Changes the region that it takes liquid from.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a half plane, which has no middle; then the old region stays.
    pub fn set_inlet(&mut self, inlet: FluidRegion) -> Result<(), OutOfRange> {
        has_ends("inlet", &inlet)?;
        self.inlet = inlet;
        Ok(())
    }

    /// The region in which liquid comes out.
    pub fn outlet(&self) -> &FluidRegion {
        &self.outlet
    }

    /// Changes the region in which liquid comes out.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a half plane, which has no middle; then the old region stays.
    pub fn set_outlet(&mut self, outlet: FluidRegion) -> Result<(), OutOfRange> {
        has_ends("outlet", &outlet)?;
        self.outlet = outlet;
        Ok(())
    }

    /// Total number of particles that it has moved.
    pub fn moved(&self) -> u64 {
        self.moved
    }

    /// Moves the particles that are due in `time` seconds. Call it before each tick, with the time
    /// of the tick. If a pump finds too little liquid or room for its rate, it does not catch up
    /// later.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a time that is not finite or below 0; nothing moves then. Time beyond the longest
    /// tick ([`max_time_step`](crate::FluidParameters::max_time_step)) does not count.
    pub fn pump(&mut self, world: &mut Liquid, time: f32) -> Result<PumpReport, OutOfRange> {
        let valid = time.is_finite() && time >= 0.0;
        Check("pump").that(valid, "time", time, "finite and >= 0")?;
        let time = time.min(world.parameters().max_time_step);
        if !self.settings.running || time <= 1e-9 {
            return Ok(PumpReport::default());
        }
        let mut report =
            PumpReport { lift: world.lift(&self.inlet, &self.outlet), ..Default::default() };
        let rate = self.settings.rate * self.settings.share_at(report.lift);
        self.part += f64::from(rate) * f64::from(time);
        let due = self.part.floor();
        self.part -= due;
        draw_and_find(world, &self.inlet, self.settings.classes, due as usize, &mut self.found);
        self.find_places(world);
        report.held_back = self.found.len() - self.arriving.len();
        let velocity = self.outlet.rotation().rotate(self.settings.velocity);
        for (id, position) in &self.arriving {
            // A place in a region that reaches beyond the world is refused.
            match world.relocate(*id, *position, velocity) {
                Ok(true) => report.moved += 1,
                _ => report.held_back += 1,
            }
        }
        world.return_to_pools();
        count_more(&mut self.moved, report.moved as u64);
        Ok(report)
    }

    /// Finds places in the outlet for the particles that are due, until a particle finds no place.
    fn find_places(&mut self, world: &Liquid) {
        self.arriving.clear();
        self.taken.clear(OPENING_CLEARANCE * world.parameters().particle_spacing);
        if world.mean_density_in(&self.outlet) > MOST_CROWDED {
            return;
        }
        for (_, id) in &self.found {
            let Some(index) = world.particles().index_of(*id) else { continue };
            let class = world.particles().classes()[index];
            let place = free_place(world, &self.outlet, class, &self.taken, &mut self.draws);
            // After a particle without a place, other particles hardly find any.
            let Some(place) = place else { break };
            self.taken.add(place);
            self.arriving.push((*id, place));
        }
    }
}

/// A free place in a region for a particle of a class, clear of the places that are `taken`.
fn free_place(
    world: &Liquid,
    region: &FluidRegion,
    class: ClassId,
    taken: &PointHash,
    draws: &mut u32,
) -> Option<Vec2> {
    let clearance = OPENING_CLEARANCE * world.parameters().particle_spacing;
    let bounds = region.shape().bounds();
    let (centre, half_size) = (bounds.centre(), bounds.half_size());
    for _ in 0..TRIES {
        let local = centre + half_size * scatter(*draws);
        *draws = draws.wrapping_add(1);
        let place = region.to_world(local);
        if region.shape().contains(local)
            && taken.is_free(place)
            && world.is_free(place, clearance)
            && world.is_clear_of_walls(place, class)
        {
            return Some(place);
        }
    }
    None
}

impl Liquid {
    /// Whether a place is inside a container, if there are any, and clear of the walls for a class.
    fn is_clear_of_walls(&self, place: Vec2, class: ClassId) -> bool {
        let clearance = WALL_CLEARANCE * self.parameters().particle_spacing;
        let candidates = self.boundary.find_candidates(FluidBounds::at(place), clearance);
        candidates
            .is_none_or(|candidates| self.boundary.is_clear(&candidates, place, class, clearance))
    }

    /// Mean density of the liquid in a region, relative to rest; 0 without liquid.
    fn mean_density_in(&self, region: &FluidRegion) -> f32 {
        let (mut sum, mut count) = (0.0, 0.0);
        self.for_each_in(region, ClassFilter::ALL, |index| {
            sum += self.particles.relative_density[index];
            count += 1.0_f32;
        });
        sum / count.max(1.0)
    }
}

fn has_ends(field: &'static str, region: &FluidRegion) -> Result<(), OutOfRange> {
    let size = region.shape().bounds().half_size().max_element();
    Check("pump").that(size.is_finite(), field, size, "no half plane")
}
