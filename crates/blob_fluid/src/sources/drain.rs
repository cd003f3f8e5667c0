//! Drains: regions that remove liquid.

use crate::settings::declare::settings;
use crate::settings::range::{Check, count_more};
use crate::stored::stored;
use crate::{ClassFilter, FluidRegion, Liquid, OutOfRange, ParticleId, Tank};

/// A region that removes the particles in it.
///
/// ```
/// use blob_fluid::{ClassFilter, ClassId, Drain, FluidWorld, ParticleSpawn, FluidRegion};
/// use glam::Vec2;
///
/// let mut world = FluidWorld::default();
/// for x in 0..10 {
///     let position = Vec2::new(8.0 * x as f32, 0.0);
///     world.spawn(ParticleSpawn { position, class: ClassId::HEAVY, ..Default::default() })?;
/// }
/// let region = FluidRegion::rectangle(Vec2::ZERO, Vec2::new(20.0, 5.0))?;
/// // 60 a second, the nearest first.
/// let mut hole = Drain::new(region).with_rate(60.0)?;
/// assert_eq!(hole.drain(world.liquid_mut(), 1.0 / 30.0)?, 2);
/// assert_eq!(hole.drained()[ClassId::HEAVY.index()], 2);
/// assert!(world.particles().positions().iter().all(|position| position.x > 10.0));
/// hole.set_running(false);
/// assert_eq!(hole.drain(world.liquid_mut(), 1.0)?, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Drain {
    region: FluidRegion,
    classes: ClassFilter,
    rate: Option<f32>,
    running: bool,
    /// Fraction of a particle left over from the last tick.
    part: f64,
    drained: Vec<u64>,
    /// Squared distance and id of each particle in the region.
    found: Vec<(f32, ParticleId)>,
}

stored!(Drain {
    region,
    classes,
    rate in Drain::RATE.limits,
    running,
    part in Limits::SHARE,
    drained,
} derived {
    found = Vec::new(),
} check |drain: &Self| crate::stored::bytes::countable(drain.drained.iter().copied()));

settings! {
    impl Drain as "drain" {
        /// How many particles it removes.
        RATE = "rate": f32 [0 to 1000000] in "1/s",
    }
}

impl Drain {
    /// A drain for all classes that removes all particles in a region at once.
    pub fn new(region: FluidRegion) -> Self {
        Self {
            region,
            classes: ClassFilter::ALL,
            rate: None,
            running: true,
            part: 0.0,
            drained: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Returns the drain, but for these classes only.
    #[must_use]
    pub fn with_classes(mut self, classes: ClassFilter) -> Self {
        self.classes = classes;
        self
    }

    /// Returns the drain with a rate in particles/s, 0 to 1e6. The drain removes the particles nearest to the region's
    /// centre first.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for another rate.
    pub fn with_rate(mut self, rate: f32) -> Result<Self, OutOfRange> {
        self.set_rate(Some(rate))?;
        Ok(self)
    }

    /// Returns the drain, stopped.
    #[must_use]
    pub fn stopped(mut self) -> Self {
        self.running = false;
        self
    }

    /// Whether the drain removes particles. Default yes.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Starts or stops the drain.
    pub fn set_running(&mut self, running: bool) {
        self.running = running;
    }

    /// The region that it drains.
    pub fn region(&self) -> &FluidRegion {
        &self.region
    }

    /// Changes the region that it drains.
    pub fn set_region(&mut self, region: FluidRegion) {
        self.region = region;
    }

    /// The classes that the drain removes.
    pub fn classes(&self) -> ClassFilter {
        self.classes
    }

    /// Changes the classes that the drain removes.
    pub fn set_classes(&mut self, classes: ClassFilter) {
        self.classes = classes;
    }

    /// The number of particles that the drain removes per second; `None` if it removes all particles at once.
    pub fn rate(&self) -> Option<f32> {
        self.rate
    }

    /// Changes the number of particles that it removes per second, 0 to 1000000; `None` for all
    /// particles at once.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for another rate; the old rate stays.
    pub fn set_rate(&mut self, rate: Option<f32>) -> Result<(), OutOfRange> {
        Self::RATE.check_all(rate)?;
        self.rate = rate;
        Ok(())
    }

    /// Total number of removed particles of each class, by class index. The slice ends with the
    /// highest class that it removed.
    pub fn drained(&self) -> &[u64] {
        &self.drained
    }

    /// Removes the particles that drain in `time` seconds, and returns their number. Call it before
    /// each tick. Of particles equally near to the centre, it removes the particle with the lower
    /// slot first. If a drain finds too few particles for its rate, it does not catch up later.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a time that is not finite or below 0; nothing drains then. Time beyond the longest
    /// tick ([`max_time_step`](crate::FluidParameters::max_time_step)) does not count.
    pub fn drain(&mut self, world: &mut Liquid, time: f32) -> Result<usize, OutOfRange> {
        self.drain_with(world, None, time)
    }

    /// As [`drain`](Self::drain), and adds the removed particles to a tank, with their classes and
    /// temperatures. The drain pauses while the tank is full.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`drain`](Self::drain).
    pub fn drain_into(
        &mut self,
        world: &mut Liquid,
        tank: &mut Tank,
        time: f32,
    ) -> Result<usize, OutOfRange> {
        self.drain_with(world, Some(tank), time)
    }

    /// Number of particles that it may remove in a tick of `time` seconds; `usize::MAX` for all particles in its
    /// region. Call it once per tick if your particles are not in a [`Liquid`]; [`drain`](Self::drain) calls it itself.
    /// The number is 0 while the drain is stopped, and for a time that is not finite or not above 0.
    ///
    /// ```
    /// use blob_fluid::{Drain, FluidRegion};
    /// use glam::Vec2;
    /// let mut hole = Drain::new(FluidRegion::circle(Vec2::ZERO, 5.0)?).with_rate(90.0)?;
    /// // One and a half a tick.
    /// assert_eq!([hole.due(1.0 / 60.0), hole.due(1.0 / 60.0)], [1, 2]);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn due(&mut self, time: f32) -> usize {
        if !(self.running && time > 0.0 && time.is_finite()) {
            return 0;
        }
        let Some(rate) = self.rate else { return usize::MAX };
        self.part += f64::from(rate) * f64::from(time);
        let whole = self.part.floor();
        self.part -= whole;
        whole as usize
    }

    fn drain_with(
        &mut self,
        world: &mut Liquid,
        mut tank: Option<&mut Tank>,
        time: f32,
    ) -> Result<usize, OutOfRange> {
        let valid = time.is_finite() && time >= 0.0;
        Check("drain").that(valid, "time", time, "finite and >= 0")?;
        let time = time.min(world.parameters().max_time_step);
        let room = tank.as_ref().map_or(u64::MAX, |tank| tank.room());
        if !self.running || room == 0 || time <= 1e-9 {
            return Ok(0);
        }
        let most = self.due(time).min(usize::try_from(room).unwrap_or(usize::MAX));
        draw_and_find(world, &self.region, self.classes, most, &mut self.found);
        let mut count = 0;
        for (_, id) in self.found.iter() {
            let Some(index) = world.particles().index_of(*id) else { continue };
            let class = world.particles().classes()[index];
            if let Some(tank) = &mut tank {
                // A tank refuses a particle that is about to be quarantined.
                let Ok(1) = tank.add(class, 1, world.particles().temperatures()[index]) else {
                    continue;
                };
            }
            if self.drained.len() <= class.index() {
                self.drained.resize(class.index() + 1, 0);
            }
            count_more(&mut self.drained[class.index()], 1);
            world.despawn(*id);
            count += 1;
        }
        world.return_to_pools();
        Ok(count)
    }
}

/// As [`nearest_in`]. If particles in the region are too few, water of [pools](crate::Pool) there becomes
/// particles. Afterwards, call [`Liquid::return_to_pools`].
pub(super) fn draw_and_find(
    world: &mut Liquid,
    region: &FluidRegion,
    classes: ClassFilter,
    most: usize,
    found: &mut Vec<(f32, ParticleId)>,
) {
    nearest_in(world, region, classes, most, found);
    if found.len() < most && world.pools().next().is_some() {
        world.draw_from_pools(region, classes, most - found.len());
        nearest_in(world, region, classes, most, found);
    }
}

/// Replaces the contents of `found` by the particles in a region, at most `most`, the nearest first. It
/// stores the squared distance from the centre and the id of each.
fn nearest_in(
    world: &Liquid,
    region: &FluidRegion,
    classes: ClassFilter,
    most: usize,
    found: &mut Vec<(f32, ParticleId)>,
) {
    found.clear();
    if most == 0 {
        return;
    }
    let (particles, centre) = (world.particles(), region.centre());
    world.for_each_in(region, classes, |index| {
        let distance = particles.positions()[index].distance_squared(centre);
        found.push((distance, particles.ids()[index]));
    });
    let nearer = |a: &(f32, ParticleId), b: &(f32, ParticleId)| {
        a.0.total_cmp(&b.0).then(a.1.slot().cmp(&b.1.slot()))
    };
    if found.len() > most {
        found.select_nth_unstable_by(most, nearer);
        found.truncate(most);
    }
    // The order of removal decides which new particle gets which slot.
    found.sort_unstable_by(nearer);
}
