//! Splashes: places where fast liquid hits liquid or a solid, for sounds and effects.

use std::collections::BTreeMap;

use glam::Vec2;

use crate::parallel::instructions::floor;
use crate::settings::declare::settings;
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{SnapshotError, ensure};
use crate::stored::stored;
use crate::work::Counted;
use crate::{ClassId, DensityClass, FluidParameters, Liquid, OutOfRange, ParticleId};

settings! {
    /// Settings of a [`SplashDetector`]: the impacts that count as a splash.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SplashDetection: Default as "splash detection" with validate in files with default {
        /// Least change of a particle's speed in a tick that counts.
        pub min_speed: f32 [0.01 to 1000] in "V0" = 0.4,
        /// Least energy of a splash in a tick.
        pub min_energy: f32 [0 to 1e9] in "that of a medium particle at the speed V0" = 10,
        /// Side of the squares that separate splashes.
        ///
        /// Impacts in neighbouring squares belong to one splash.
        pub tile: f32 [1 to 1000] in "d" = 8,
        /// For how long energy is summed up before a splash is reported.
        pub gathering: f32 [0 to 10] in "s" = 0.05,
        /// For how long no second splash is reported in the same place.
        pub refractory: f32 [0 to 1000] in "s" = 0.3,
    }
}

stored!(settings SplashDetection, check Self::validate);

/// A splash.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Splash {
    /// Mean position of the particles that were hit, weighted by the energy of each, in world units.
    pub position: Vec2,
    /// Sum of `m |dv|^2 / 2` over particles and ticks, in masses of the medium class times square
    /// world units/s². Here `dv` is the change of a velocity in a tick without the part of gravity.
    pub energy: f32,
    /// Energy of the splash, divided by the kinetic energy of a medium particle at the [speed
    /// unit](crate::FluidParameters::speed_unit). The strength does not depend on the unit of length.
    pub strength: f32,
    /// Class of the particle that was hit hardest.
    pub class: ClassId,
}

stored!(Splash {
    position in Limits::FINITE,
    energy in Limits::NOT_NEGATIVE,
    strength in Limits::NOT_NEGATIVE,
    class,
});

/// Finds splashes: it compares the velocities after each tick with the velocities before it.
///
/// A detector costs nothing unless [`update`](Self::update) is called. A detector mistakes strong
/// [forces](crate::Force), and velocities that your code sets, for splashes.
///
/// ```
/// use blob_fluid::{
///     Container, FluidWorld, ParticleSpawn, SerialExecutor, SplashDetection, SplashDetector,
///     shape::FluidShape,
/// };
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// world.insert_container(Container::circle(Vec2::ZERO, 300.0)?);
/// for position in (FluidShape::Circle { radius: 60.0 }).fill(Vec2::ZERO, 8.2) {
///     world.spawn(ParticleSpawn { position, ..Default::default() })?;
/// }
/// let mut detector = SplashDetector::new(SplashDetection::default())?;
/// let mut lowest: f32 = 0.0;
/// for _ in 0..150 {
///     world.step(1.0 / 60.0, &SerialExecutor)?;
///     for splash in detector.update(&world, 1.0 / 60.0) {
///         lowest = lowest.min(splash.position.y);
///     }
/// }
/// assert!(lowest < -250.0, "it hits the floor");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SplashDetector {
    detection: SplashDetection,
    /// For each slot, the particle and its velocity at the end of the last tick.
    velocities: Vec<Option<(ParticleId, Vec2)>>,
    /// Impacts of this tick, ordered by tile.
    impacts: Vec<Impact>,
    /// Splashes that began recently.
    recent: Vec<Recent>,
    splashes: Vec<Splash>,
}

stored!(SplashDetector {
    detection,
    velocities in Limits::FINITE,
    recent,
    splashes,
} derived { impacts = Vec::new() });

/// The impacts of a tick in one of the squares that separate splashes, as a graphics card finds them, for
/// [`SplashDetector::update_with`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileImpact {
    /// Index of the square along each axis. The lower left corner of the square is at the index times its side, which
    /// is [`tile`](SplashDetection::tile) particle spacings.
    pub tile: (i32, i32),
    /// Sum of `m |dv|^2 / 2`, as in [`Splash::energy`].
    pub energy: f32,
    /// Mean position of the particles that were hit, weighted by the energy of each, in world units.
    pub position: Vec2,
    /// The energy of the particle that was hit hardest, and its class.
    pub hardest: (f32, ClassId),
}

/// Largest energy of a splash. Its product with a coordinate below 3e8 is finite in `f32`.
const MOST_ENERGY: f32 = 1e30;

/// Energy of an impact in a tile.
#[derive(Clone, Copy, Debug)]
struct Impact {
    tile: (i32, i32),
    energy: f32,
    /// Sum of energy times position.
    moment: Vec2,
    /// Energy of the particle that was hit hardest, and its class.
    hardest: (f32, ClassId),
}

stored!(Impact {
    tile,
    energy in Limits::POSITIVE,
    moment in Limits::FINITE,
    hardest in Limits::NOT_NEGATIVE,
} check check_position);

/// Checks that the mean position of the energy is finite.
#[cfg(feature = "snapshot")]
fn check_position(impact: &Impact) -> Result<(), SnapshotError> {
    ensure((impact.moment / impact.energy).is_finite(), "a splash whose position is not finite")
}

#[derive(Clone, Copy, Debug)]
struct Recent {
    impact: Impact,
    /// Seconds since the splash began.
    age: f32,
    reported: bool,
}

stored!(Recent { impact, age in Limits::NOT_NEGATIVE, reported });

impl Impact {
    /// The tiles that count as the same place: its own and the neighbouring ones.
    fn tiles_around(&self) -> impl Iterator<Item = Counted<(i32, i32)>> + use<> {
        let near = |at: i32| at.saturating_sub(1)..=at.saturating_add(1);
        let (column, row) = self.tile;
        near(column).flat_map(move |x| near(row).map(move |y| Counted((x, y))))
    }

    fn add(&mut self, other: &Self) {
        self.energy = (self.energy + other.energy).min(MOST_ENERGY);
        self.moment = (self.moment + other.moment).clamp(Vec2::MIN, Vec2::MAX);
        if other.hardest.0 > self.hardest.0 {
            self.hardest = other.hardest;
        }
    }
}

impl SplashDetector {
    /// A detector with these settings.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`SplashDetection::validate`].
    pub fn new(detection: SplashDetection) -> Result<Self, OutOfRange> {
        let mut detector = Self::default();
        detector.set_detection(detection)?;
        Ok(detector)
    }

    /// The settings.
    pub fn detection(&self) -> SplashDetection {
        self.detection
    }

    /// Changes the settings, from the next update on.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`SplashDetection::validate`]; then the old settings stay.
    pub fn set_detection(&mut self, detection: SplashDetection) -> Result<(), OutOfRange> {
        detection.validate()?;
        self.detection = detection;
        Ok(())
    }

    /// The splashes of the last update, in the order they began.
    pub fn splashes(&self) -> &[Splash] {
        &self.splashes
    }

    /// Compares a world with its state at the last update, and returns the splashes that are
    /// complete. Call it with the same world after each tick of `time_step` seconds. The first
    /// update has nothing to compare with. A time step that is not finite or not above 0 changes
    /// nothing.
    pub fn update(&mut self, world: &Liquid, time_step: f32) -> &[Splash] {
        self.splashes.clear();
        if !(time_step > 0.0 && time_step.is_finite()) {
            return &self.splashes;
        }
        let time_step = time_step.min(world.parameters().max_time_step);
        self.find_impacts(world, time_step);
        self.gather(world.parameters(), time_step)
    }

    /// As [`update`](Self::update), with the impacts of a tick that a graphics card found, at most one for each
    /// square.
    ///
    /// ```
    /// use blob_fluid::{ClassId, FluidParameters, SplashDetection, SplashDetector, TileImpact};
    /// use glam::Vec2;
    /// let parameters = FluidParameters::default();
    /// let mut detector = SplashDetector::new(SplashDetection::default())?;
    /// let (energy, position) = (65_536.0, Vec2::new(30.0, 10.0));
    /// let impact = TileImpact { tile: (0, 0), energy, position, hardest: (512.0, ClassId::HEAVY) };
    /// assert!(detector.update_with(&parameters, [impact], 1.0 / 60.0).is_empty());
    /// let later = (0..4).find_map(|_| {
    ///     detector.update_with(&parameters, [], 1.0 / 60.0).first().copied()
    /// });
    /// let splash = later.expect("after 0.05 s");
    /// assert_eq!((splash.energy, splash.position, splash.class), (energy, position, ClassId::HEAVY));
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn update_with(
        &mut self,
        parameters: &FluidParameters,
        impacts: impl IntoIterator<Item = TileImpact>,
        time_step: f32,
    ) -> &[Splash] {
        self.splashes.clear();
        if !(time_step > 0.0 && time_step.is_finite()) {
            return &self.splashes;
        }
        self.velocities.clear();
        self.impacts.clear();
        let sound =
            |impact: &TileImpact| impact.energy >= f32::MIN_POSITIVE && impact.position.is_finite();
        self.impacts.extend(impacts.into_iter().filter(sound).map(|impact| {
            let TileImpact { tile, energy, position, hardest } = impact;
            let energy = energy.min(MOST_ENERGY);
            let moment = (energy * position).clamp(Vec2::MIN, Vec2::MAX);
            Impact { tile, energy, moment, hardest }
        }));
        self.gather(parameters, time_step.min(parameters.max_time_step))
    }

    /// Combines the impacts of a tick into splashes.
    fn gather(&mut self, parameters: &FluidParameters, time_step: f32) -> &[Splash] {
        let unit = 0.5 * parameters.speed_unit() * parameters.speed_unit();
        let Self { detection, recent, .. } = self;
        recent.iter_mut().for_each(|recent| recent.age += time_step);
        recent.retain(|recent| !recent.reported || recent.age < detection.refractory);
        if !self.impacts.is_empty() {
            self.combine(self.detection.min_energy * unit);
        }
        let Self { detection, recent, splashes, .. } = self;
        for recent in recent {
            if !recent.reported && recent.age >= detection.gathering {
                recent.reported = true;
                let Impact { energy, moment, hardest: (_, class), .. } = recent.impact;
                let strength = (energy / unit).min(f32::MAX);
                splashes.push(Splash { position: moment / energy, energy, strength, class });
            }
        }
        splashes
    }

    /// Adds the impacts to recent splashes, or begins new splashes of at least the energy `least`.
    fn combine(&mut self, least: f32) {
        let Self { impacts, recent, .. } = self;
        // Impacts next to recent splashes are added to the first of these.
        let mut first_in = BTreeMap::new();
        for (index, recent) in recent.iter().enumerate() {
            first_in.entry(Counted(recent.impact.tile)).or_insert(index);
        }
        impacts.retain(|impact| {
            let beside = impact.tiles_around().filter_map(|tile| first_in.get(&tile)).min();
            let Some(beside) = beside.map(|index| &mut recent[*index]) else { return true };
            if !beside.reported {
                beside.impact.add(impact);
            }
            false
        });
        // The other impacts begin new splashes, the strongest first.
        impacts.sort_by(|a, b| b.energy.total_cmp(&a.energy).then(a.tile.cmp(&b.tile)));
        let mut left_in = BTreeMap::<_, Vec<usize>>::new();
        for (rank, impact) in impacts.iter().enumerate() {
            left_in.entry(Counted(impact.tile)).or_default().push(rank);
        }
        for strongest in &*impacts {
            if !left_in.contains_key(&Counted(strongest.tile)) {
                continue;
            }
            let ranks = strongest.tiles_around().filter_map(|tile| left_in.remove(&tile));
            let mut ranks: Vec<usize> = ranks.flatten().collect();
            // Rounding depends on the order.
            ranks.sort_unstable();
            let mut impact = Impact { energy: 0.0, moment: Vec2::ZERO, ..*strongest };
            ranks.iter().for_each(|rank| impact.add(&impacts[*rank]));
            if impact.energy >= least {
                recent.push(Recent { impact, age: 0.0, reported: false });
            }
        }
        impacts.clear();
    }

    /// Computes the energy of the impacts in each tile, and stores the velocities.
    fn find_impacts(&mut self, world: &Liquid, time_step: f32) {
        let Self { detection, velocities, impacts, .. } = self;
        let parameters = world.parameters();
        let particles = world.particles();
        let speed = detection.min_speed * parameters.speed_unit();
        let tile = detection.tile * parameters.particle_spacing;
        impacts.clear();
        for index in particles.indices_by_slot() {
            let (id, velocity) = (particles.id[index], particles.velocity[index]);
            let slot = id.slot() as usize;
            if velocities.len() <= slot {
                velocities.resize(slot + 1, None);
            }
            // A particle with a velocity that is not finite is about to be quarantined.
            let now = velocity.is_finite().then_some((id, velocity));
            let before = std::mem::replace(&mut velocities[slot], now);
            let Some((_, before)) = before.filter(|(before, _)| *before == id) else { continue };
            let class = particles.class[index];
            let DensityClass { mass, gravity_scale, .. } = &world.classes()[class];
            let fallen = parameters.gravity * (time_step * gravity_scale);
            let change = (velocity - before - fallen).length_squared();
            let fell = fallen.length_squared();
            // A particle that is supported against gravity changes its velocity too, relative to
            // free fall, but this is not an impact.
            if change > speed * speed && change > fell {
                let energy = (0.5 * mass * change).min(MOST_ENERGY);
                if energy < f32::MIN_POSITIVE {
                    continue;
                }
                let position = particles.position[index];
                let (x, y) = (floor(position.x / tile), floor(position.y / tile));
                let moment = (energy * position).clamp(Vec2::MIN, Vec2::MAX);
                let hardest = (energy, class);
                impacts.push(Impact { tile: (x, y), energy, moment, hardest });
            }
        }
        // The sort is stable, so impacts of a tile stay in the order of slots.
        impacts.sort_by_key(|impact| impact.tile);
        impacts.dedup_by(|next, first| {
            let same = next.tile == first.tile;
            if same {
                first.add(next);
            }
            same
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::scatter;

    /// As [`SplashDetector::combine`], by comparing all pairs.
    fn combine_slowly(detector: &mut SplashDetector, least: f32) {
        let is_beside = |one: &Impact, other: &Impact| {
            let near = |a: i32, b: i32| a.abs_diff(b) <= 1;
            near(one.tile.0, other.tile.0) && near(one.tile.1, other.tile.1)
        };
        let SplashDetector { impacts, recent, .. } = detector;
        impacts.retain(|impact| {
            let beside = recent.iter_mut().find(|recent| is_beside(&recent.impact, impact));
            let Some(beside) = beside else { return true };
            if !beside.reported {
                beside.impact.add(impact);
            }
            false
        });
        impacts.sort_by(|a, b| b.energy.total_cmp(&a.energy).then(a.tile.cmp(&b.tile)));
        while let Some(strongest) = impacts.first().copied() {
            let mut impact = Impact { energy: 0.0, moment: Vec2::ZERO, ..strongest };
            impacts.retain(|other| {
                let beside = is_beside(other, &strongest);
                if beside {
                    impact.add(other);
                }
                !beside
            });
            if impact.energy >= least {
                recent.push(Recent { impact, age: 0.0, reported: false });
            }
        }
    }

    #[test]
    fn splashes_are_the_same_as_from_all_pairs() {
        let mut detector = SplashDetector::default();
        let (mut splashes, mut most) = (0, 0);
        for tick in 0..200_u32 {
            detector.impacts = (0..60 * (tick % 3))
                .map(|number| {
                    let [place, other] =
                        [0, 1].map(|part| scatter(1000 * tick + 2 * number + part));
                    // Near 0, and at the first and the last tiles.
                    let start = [i32::MIN, -20, i32::MAX - 39][number as usize % 3];
                    let tile = (start + (20.0 + 20.0 * place.x) as i32, (20.0 * place.y) as i32);
                    // Many are equally strong.
                    let energy = [2.0, 3.0, 6.0 + 5.0 * other.x][number as usize % 7 % 3];
                    let hardest = ((3.0 * other.y).floor(), ClassId(number as u8 % 5));
                    Impact { tile, energy, moment: energy * other, hardest }
                })
                .collect();
            let mut expected = detector.clone();
            combine_slowly(&mut expected, 5.0);
            detector.combine(5.0);
            // The text has all digits.
            assert_eq!(format!("{detector:?}"), format!("{expected:?}"));
            most = most.max(detector.recent.len());
            let parameters = FluidParameters::default();
            splashes += detector.update_with(&parameters, [], 1.0 / 60.0).len();
        }
        assert!(splashes > 1000 && most > 50, "{splashes}, at most {most} at once");
    }
}
