//! Sensors: they measure the amount of liquid in a region, its inflow and outflow, and whether the
//! region is full.

use glam::{DVec2, Vec2};

use crate::observe::finite_or_zero;
use crate::settings::declare::settings;
use crate::settings::range::{Check, Settings};
use crate::stored::stored;
use crate::{ClassFilter, FluidRegion, Liquid, OutOfRange, ParticleId};

settings! {
    /// Fill fractions at which a sensor becomes full and empty. Between these two fractions the state of the sensor
    /// does not change, so that it does not flicker.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct FillLevels: Default as "fill levels" {
        /// Fill at which the sensor becomes full.
        pub full_at: f32 [above 0 to 1] = 0.8,
        /// Fill below which the sensor becomes empty; at most `full_at`.
        pub empty_below: f32 [above 0 to 1] = 0.2,
    }
}

stored!(settings FillLevels, check Self::validate);

impl FillLevels {
    /// Checks both fields.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        self.check()?;
        let valid = self.empty_below <= self.full_at;
        Check("fill levels").that(valid, "empty_below", self.empty_below, "at most full_at")
    }
}

/// A change of a sensor's level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum LevelCrossing {
    /// The sensor became full.
    Filled,
    /// The sensor became empty.
    Drained,
}

stored!(enum LevelCrossing as "crossing of a level" { 0: Drained, 1: Filled });

/// The result of a sensor's measurement.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct SensorReading {
    /// Whether anything has been measured. False before the first measurement, when all other
    /// numbers are 0.
    pub measured: bool,
    /// Number of particles inside.
    pub count: usize,
    /// Number of particles of each class inside, by class index. The list has an entry for every
    /// class of the world.
    pub classes: Vec<usize>,
    /// Fraction of the region's area that the particles cover when uncompressed, 0 to 1. Each
    /// particle covers a square of the particle spacing. The fill of an infinite region is 0.
    pub fill: f32,
    /// Mean velocity of the particles inside, in world units/s; 0 without particles.
    pub velocity: Vec2,
    /// The mixed colour of the [paint](crate::FluidPaint) inside: red, green and blue, linear. `None`
    /// without paint.
    pub paint: Option<[f32; 3]>,
    /// Number of particles that came in since the last measurement. The first measurement counts
    /// all particles inside.
    pub entered: usize,
    /// Number of particles that were inside and no longer are: they left, died, or changed their
    /// class.
    pub left: usize,
    /// Number of particles that come in per second, smoothed; the first measurement does not count.
    pub inflow: f32,
    /// Number of particles that leave per second, smoothed.
    pub outflow: f32,
    /// Whether the sensor is full: it became full, and has not become empty since.
    pub full: bool,
    /// The change of the level at this measurement, if any.
    pub crossing: Option<LevelCrossing>,
}

stored!(SensorReading {
    measured,
    count,
    classes,
    fill in Limits::SHARE,
    velocity in Limits::FINITE,
    paint in Limits::SHARE,
    entered,
    left,
    inflow in Limits::NOT_NEGATIVE,
    outflow in Limits::NOT_NEGATIVE,
    full,
    crossing,
});

/// Counts that a graphics card has made in the region of a [`Sensor`], for [`Sensor::accept`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SensorCounts {
    /// Number of particles of each class inside, by class index.
    pub classes: Vec<usize>,
    /// Mean velocity of the particles inside, in world units/s.
    pub velocity: Vec2,
    /// Number of particles that came in since the last measurement; `None` if that is not known. The sensor then
    /// assumes the smallest numbers of entered and left particles that the counts allow.
    pub entered: Option<usize>,
}

/// Measures the particles of some classes in a region.
///
/// The sensor compares the ids of the particles inside from one measurement to the next, so it
/// knows exactly which particles came in and left. Particles that pass through between two
/// measurements are missed.
///
/// Water of a [pool](crate::Pool) counts as particles without ids. Only changes of its amount count as entered or left.
///
/// ```
/// use blob_fluid::{ClassFilter, FluidWorld, ParticleSpawn, FluidRegion, Sensor};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// let id = world.spawn(ParticleSpawn::default())?;
/// let mut sensor = Sensor::new(FluidRegion::circle(Vec2::ZERO, 20.0)?, ClassFilter::ALL);
/// assert_eq!(sensor.measure(&world, 1.0 / 60.0).entered, 1);
/// world.despawn(id);
/// assert_eq!(sensor.measure(&world, 1.0 / 60.0).left, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    region: FluidRegion,
    area: f32,
    classes: ClassFilter,
    levels: FillLevels,
    smoothing: f32,
    /// Ids of the particles inside at the last measurement, in ascending order. `before` holds
    /// those of the measurement before it.
    inside: Vec<ParticleId>,
    before: Vec<ParticleId>,
    /// Water of pools inside at the last measurement, in particles.
    pooled: usize,
    entered: Vec<ParticleId>,
    left: Vec<ParticleId>,
    reading: SensorReading,
}

stored!(Sensor {
    region,
    area in Limits::between(0.0, f32::INFINITY),
    classes,
    levels,
    smoothing in Sensor::SMOOTHING.limits,
    inside,
    before,
    pooled,
    entered,
    left,
    reading,
});

settings! {
    impl Sensor as "sensor" {
        /// For how long flows are smoothed.
        SMOOTHING = "smoothing": f32 [0 to 1000] in "s" = 0.25,
    }
}

impl Sensor {
    /// Default time over which flows are smoothed, in seconds.
    pub const DEFAULT_SMOOTHING: f32 = Self::SMOOTHING.default.expect("a number");

    /// A sensor with default levels.
    pub fn new(region: FluidRegion, classes: ClassFilter) -> Self {
        Self {
            area: region.shape().area(),
            region,
            classes,
            levels: FillLevels::default(),
            smoothing: Self::DEFAULT_SMOOTHING,
            inside: Vec::new(),
            before: Vec::new(),
            pooled: 0,
            entered: Vec::new(),
            left: Vec::new(),
            reading: SensorReading::default(),
        }
    }

    /// The region that the sensor watches.
    pub fn region(&self) -> &FluidRegion {
        &self.region
    }

    /// Changes the region. Particles that are inside the new region and were not inside the old one
    /// count as entered.
    pub fn set_region(&mut self, region: FluidRegion) {
        if *region.shape() != *self.region.shape() {
            self.area = region.shape().area();
        }
        self.region = region;
    }

    /// The classes that the sensor counts.
    pub fn classes(&self) -> ClassFilter {
        self.classes
    }

    /// Changes the classes that the sensor counts.
    pub fn set_classes(&mut self, classes: ClassFilter) {
        self.classes = classes;
    }

    /// The levels at which the sensor becomes full and empty.
    pub fn levels(&self) -> FillLevels {
        self.levels
    }

    /// Changes the levels, from the next measurement on.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FillLevels::validate`]; then the old levels stay.
    pub fn set_levels(&mut self, levels: FillLevels) -> Result<(), OutOfRange> {
        levels.validate()?;
        self.levels = levels;
        Ok(())
    }

    /// Time over which flows are smoothed, in seconds.
    pub fn smoothing(&self) -> f32 {
        self.smoothing
    }

    /// Changes the time over which flows are smoothed, in seconds, 0 to 1000; 0 means no smoothing.
    /// Default 0.25.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for any other value; then the old time stays.
    pub fn set_smoothing(&mut self, smoothing: f32) -> Result<(), OutOfRange> {
        Self::SMOOTHING.check(smoothing)?;
        self.smoothing = smoothing;
        Ok(())
    }

    /// Ids of the particles inside at the last measurement, in ascending order.
    pub fn inside(&self) -> &[ParticleId] {
        &self.inside
    }

    /// Ids of the particles that had come in at the last measurement, in ascending order.
    pub fn entered(&self) -> &[ParticleId] {
        &self.entered
    }

    /// Ids of the particles that had left at the last measurement, in ascending order.
    pub fn left(&self) -> &[ParticleId] {
        &self.left
    }

    /// The result of the last measurement.
    pub fn reading(&self) -> &SensorReading {
        &self.reading
    }

    /// Measures a world `elapsed` seconds after the last measurement. `world` must always be the
    /// same world. If `elapsed` is not above 0, the flows stay as they are.
    pub fn measure(&mut self, world: &Liquid, elapsed: f32) -> &SensorReading {
        let Self { region, inside, before, pooled, entered, left, reading, .. } = self;
        let pooled_before = std::mem::take(pooled);
        std::mem::swap(inside, before);
        inside.clear();
        let particles = world.particles();
        reading.classes.clear();
        reading.classes.resize(world.classes().len(), 0);
        world.for_each_in(region, self.classes, |index| {
            inside.push(particles.id[index]);
            reading.classes[particles.class[index].index()] += 1;
        });
        inside.sort_unstable();
        let indices = || inside.iter().filter_map(|id| particles.index_of(*id));
        let paints = indices().filter_map(|index| world.paint_amounts_at(index));
        reading.paint = world.parameters().paint_mixing.mean_of_amounts(paints);
        let mut velocity: DVec2 = indices().map(|index| particles.velocity[index].as_dvec2()).sum();
        only_in_first(inside, before, entered);
        only_in_first(before, inside, left);

        world.count_in_pools(region, self.classes, |class, count, momentum| {
            reading.classes[class.index()] += count;
            *pooled += count;
            velocity.x += momentum;
        });
        reading.count = inside.len() + *pooled;
        reading.entered = entered.len() + pooled.saturating_sub(pooled_before);
        reading.left = left.len() + pooled_before.saturating_sub(*pooled);
        reading.velocity = finite_or_zero((velocity / reading.count.max(1) as f64).as_vec2());
        self.conclude(world, elapsed)
    }

    /// Takes the counts of a graphics card instead of measuring, `elapsed` seconds after the last measurement. `world`
    /// must have the classes and settings of the liquid on the graphics card. The lists of particles inside, entered
    /// and left are empty afterwards, and the paint is `None`.
    ///
    /// ```
    /// use blob_fluid::{ClassFilter, FluidRegion, FluidWorld, Sensor, SensorCounts};
    /// use glam::Vec2;
    /// let world = FluidWorld::default();
    /// let mut sensor = Sensor::new(FluidRegion::circle(Vec2::ZERO, 20.0)?, ClassFilter::ALL);
    /// let counts = SensorCounts { classes: vec![3, 0, 1], entered: Some(4), ..Default::default() };
    /// assert_eq!(sensor.accept(&counts, &world, 1.0 / 60.0).count, 4);
    /// let fewer = SensorCounts { classes: vec![2], entered: Some(1), ..counts };
    /// let reading = sensor.accept(&fewer, &world, 1.0 / 60.0);
    /// assert_eq!((reading.count, reading.entered, reading.left), (2, 1, 3));
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn accept(
        &mut self,
        counts: &SensorCounts,
        world: &Liquid,
        elapsed: f32,
    ) -> &SensorReading {
        for ids in [&mut self.inside, &mut self.before, &mut self.entered, &mut self.left] {
            ids.clear();
        }
        self.pooled = 0;
        let reading = &mut self.reading;
        let before = reading.count;
        reading.classes.clone_from(&counts.classes);
        reading.classes.resize(world.classes().len(), 0);
        reading.count = counts.classes.iter().sum();
        reading.entered = counts.entered.unwrap_or_else(|| reading.count.saturating_sub(before));
        reading.left = before.saturating_add(reading.entered).saturating_sub(reading.count);
        (reading.velocity, reading.paint) = (finite_or_zero(counts.velocity), None);
        self.conclude(world, elapsed)
    }

    /// Computes the fill, the flows and the level from the counts.
    fn conclude(&mut self, world: &Liquid, elapsed: f32) -> &SensorReading {
        let reading = &mut self.reading;
        let spacing = world.parameters().particle_spacing;
        let covered = reading.count as f32 * spacing * spacing;
        // Any particle in a region without an area fills it.
        reading.fill = if covered > 0.0 { (covered / self.area).min(1.0) } else { 0.0 };
        let came = if reading.measured { reading.entered } else { 0 };
        reading.measured = true;
        let went = reading.left;
        for (flow, particles) in [(&mut reading.inflow, came), (&mut reading.outflow, went)] {
            if elapsed > 1e-9 && elapsed.is_finite() {
                let now = particles as f32 / elapsed;
                *flow += (now - *flow) * (elapsed / (self.smoothing + elapsed));
            }
        }
        reading.crossing = if !reading.full && reading.fill >= self.levels.full_at {
            Some(LevelCrossing::Filled)
        } else if reading.full && reading.fill < self.levels.empty_below {
            Some(LevelCrossing::Drained)
        } else {
            None
        };
        if let Some(crossing) = reading.crossing {
            reading.full = crossing == LevelCrossing::Filled;
        }
        reading
    }
}

/// The ids of the first ascending list that are not in the second, in ascending order.
fn only_in_first(first: &[ParticleId], second: &[ParticleId], only: &mut Vec<ParticleId>) {
    only.clear();
    let mut rest = second.iter().peekable();
    for id in first {
        while rest.next_if(|other| *other < id).is_some() {}
        if rest.peek() != Some(&id) {
            only.push(*id);
        }
    }
}
