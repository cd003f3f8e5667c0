//! Tanks: liquid as amounts instead of particles.

use crate::settings::range::{Check, MOST_COUNTED};
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{SnapshotError, countable, ensure};
use crate::stored::stored;
use crate::{ClassId, OutOfRange};

/// Liquid that is stored as amounts instead of particles, with a temperature for each class.
///
/// [Drains](crate::Drain::drain_into) pour into a tank and [emitters](crate::Emitter::emit_from) draw from
/// it. A drained particle is added to the tank, and an emitted particle is subtracted from it. So the sum
/// of the world's particles and the amounts of all tanks stays the same. A tank does not store other
/// properties of a particle, such as its velocity, paint, tag and remaining lifetime.
///
/// ```
/// use blob_fluid::{ClassId, Drain, Emitter, EmitterSettings, FluidRegion, FluidWorld, ParticleSpawn, Pose, Tank};
/// use glam::Vec2;
///
/// let mut world = FluidWorld::default();
/// for x in 0..10 {
///     let position = Vec2::new(8.0 * x as f32, 0.0);
///     world.spawn(ParticleSpawn { position, class: ClassId::LIGHT, ..Default::default() })?;
/// }
/// let mut tank = Tank::with_capacity(4);
/// let mut hole = Drain::new(FluidRegion::rectangle(Vec2::ZERO, Vec2::splat(100.0))?);
/// assert_eq!(hole.drain_into(world.liquid_mut(), &mut tank, 1.0 / 60.0)?, 4, "then it is full");
/// assert_eq!((tank.amount(ClassId::LIGHT), world.particles().len()), (4, 6));
///
/// let mut tap = Emitter::new(EmitterSettings::jet(40.0, 300.0))?;
/// let pose = Pose::new(Vec2::new(0.0, 200.0), Vec2::NEG_X);
/// for _ in 0..10 {
///     tap.emit_from(world.liquid_mut(), &mut tank, pose, pose, 1.0 / 60.0)?;
/// }
/// assert!(tank.is_empty() && world.particles().len() == 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tank {
    capacity: Option<u64>,
    /// By class index.
    contents: Vec<Content>,
}

/// The contents of a tank of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Content {
    /// Number of particles.
    amount: u64,
    /// Sum of their temperatures, in degrees.
    heat: f64,
}

stored!(Content { amount, heat in Limits::NOT_NAN });
stored!(Tank { capacity, contents } check check_contents);

/// Checks that the particles can be counted, and that temperatures are finite.
#[cfg(feature = "snapshot")]
fn check_contents(tank: &Tank) -> Result<(), SnapshotError> {
    let amounts = tank.contents.iter().map(|content| content.amount);
    countable([amounts.fold(0_u64, u64::saturating_add)])?;
    let sound =
        |content: &Content| content.heat.abs() <= content.amount as f64 * f64::from(f32::MAX);
    ensure(tank.contents.iter().all(sound), "a tank without a temperature")
}

impl Tank {
    /// An empty tank for any amount.
    pub const fn new() -> Self {
        Self { capacity: None, contents: Vec::new() }
    }

    /// An empty tank for at most `capacity` particles.
    pub const fn with_capacity(capacity: u64) -> Self {
        Self { capacity: Some(capacity), contents: Vec::new() }
    }

    /// The largest number of particles that it holds; `None` (default) for no limit.
    pub fn capacity(&self) -> Option<u64> {
        self.capacity
    }

    /// Changes the largest number of particles that it holds; `None` for no limit. Contents beyond
    /// a smaller limit stay.
    pub fn set_capacity(&mut self, capacity: Option<u64>) {
        self.capacity = capacity;
    }

    /// Number of particles of a class in the tank.
    pub fn amount(&self, class: ClassId) -> u64 {
        self.contents.get(class.index()).map_or(0, |content| content.amount)
    }

    /// Number of particles of each class in the tank, by class index. The iterator ends with the
    /// highest class that the tank has held since it was last [cleared](Self::clear).
    pub fn amounts(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.contents.iter().map(|content| content.amount)
    }

    /// Number of particles in the tank.
    pub fn total(&self) -> u64 {
        self.amounts().sum()
    }

    /// Area of the contents, in square world units, for a particle spacing in world units: one square
    /// of the spacing for each particle.
    pub fn area(&self, particle_spacing: f32) -> f32 {
        self.total() as f32 * particle_spacing * particle_spacing
    }

    /// Number of particles that can still be added. A tank holds at most 2^48 particles.
    pub fn room(&self) -> u64 {
        self.capacity.unwrap_or(MOST_COUNTED).min(MOST_COUNTED).saturating_sub(self.total())
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.amounts().all(|amount| amount == 0)
    }

    /// Whether no more particles can be added.
    pub fn is_full(&self) -> bool {
        self.room() == 0
    }

    /// Mean temperature of its particles of a class, in degrees; `None` without such particles.
    pub fn temperature(&self, class: ClassId) -> Option<f32> {
        let Content { amount, heat } = *self.contents.get(class.index())?;
        (amount > 0).then(|| (heat / amount as f64) as f32)
    }

    /// Adds at most `amount` particles of a class, up to the remaining [room](Self::room), with a
    /// temperature in degrees. Returns the number of added particles.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a temperature that is not finite; nothing is added then.
    pub fn add(
        &mut self,
        class: ClassId,
        amount: u64,
        temperature: f32,
    ) -> Result<u64, OutOfRange> {
        Check("tank").finite("temperature", &[temperature])?;
        let taken = amount.min(self.room());
        if taken > 0 {
            if self.contents.len() <= class.index() {
                self.contents.resize(class.index() + 1, Content::default());
            }
            let content = &mut self.contents[class.index()];
            content.amount += taken;
            content.heat += f64::from(temperature) * taken as f64;
        }
        Ok(taken)
    }

    /// Removes at most `amount` particles of a class, and returns the number of removed particles.
    pub fn take(&mut self, class: ClassId, amount: u64) -> u64 {
        let Some(content) = self.contents.get_mut(class.index()) else { return 0 };
        let taken = amount.min(content.amount);
        let left = content.amount - taken;
        content.heat =
            if left > 0 { content.heat / content.amount as f64 * left as f64 } else { 0.0 };
        content.amount = left;
        taken
    }

    /// Removes all contents.
    pub fn clear(&mut self) {
        self.contents.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OIL: ClassId = ClassId(4);

    #[test]
    fn it_takes_what_it_has_room_for_and_gives_what_it_has() {
        let mut tank = Tank::with_capacity(10);
        assert_eq!(tank.add(OIL, 7, 20.0), Ok(7));
        assert_eq!(tank.add(ClassId(0), 7, 0.0), Ok(3));
        assert!(tank.is_full() && tank.amounts().eq([3, 0, 0, 0, 7]));
        assert_eq!(tank.take(OIL, 2), 2);
        assert_eq!(tank.take(ClassId(9), 2), 0);
        assert_eq!((tank.amount(OIL), tank.room(), tank.area(2.0)), (5, 2, 32.0));
        tank.set_capacity(Some(6));
        assert_eq!((tank.total(), tank.room()), (8, 0), "nothing is lost");
        assert_eq!(tank.take(OIL, u64::MAX), 5);
        assert_eq!(tank.temperature(OIL), None);
        tank.clear();
        assert!(tank.is_empty() && !tank.is_full());
    }

    #[test]
    fn its_temperature_is_the_mean_and_does_not_change_by_taking() {
        let mut tank = Tank::new();
        tank.add(OIL, 3, 100.0).expect("valid");
        tank.add(OIL, 1, 20.0).expect("valid");
        assert_eq!(tank.temperature(OIL), Some(80.0));
        tank.take(OIL, 3);
        assert_eq!(tank.temperature(OIL), Some(80.0));
        let error = tank.add(OIL, 1, f32::NAN).expect_err("refused").to_string();
        assert_eq!(error, "tank: temperature is NaN, and must be finite");
        assert_eq!(tank.add(OIL, u64::MAX, 0.0), Ok((1 << 48) - 1), "as many as can be counted");
    }
}
