//! The settings of an emitter: its nozzle, its flow and its particles.

use crate::settings::declare::settings;
use crate::settings::range::{Check, MOST_COUNTED, Settings, default_in, find_in};
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{SnapshotError, countable, ensure};
use crate::stored::stored;
use crate::{ClassId, FluidLifetime, FluidShape, OutOfRange, ParticleTag};

settings! {
    /// The opening of an emitter, where particles come out.
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    #[cfg_attr(feature = "bevy_reflect", reflect(Clone, Debug, PartialEq))]
    pub enum FluidNozzle as "emitter" {
        /// A straight slot along the nozzle's own X axis. Liquid leaves it along the nozzle's +Y axis,
        /// in rows of as many particles as fit side by side.
        Slot {
            /// Width of the slot.
            ///
            /// A slot narrower than a particle spacing emits single particles.
            width: f32 [above 0 to 1e9] in "world units",
        },
        /// Particles come out anywhere in a shape, as rain. Half planes are refused, because they
        /// are infinite.
        Area(shape: FluidShape),
    }
}

settings! {
    /// The settings of an [`Emitter`](crate::Emitter): the liquid that it emits, and how.
    ///
    /// ```
    /// use blob_fluid::EmitterSettings;
    /// // A jet at full density, 5 particles of 8 units wide: 5/8 of a particle per unit of length.
    /// let jet = EmitterSettings::jet(40.0, 300.0);
    /// assert_eq!(jet.full_rate(300.0, 8.0), 187.5);
    /// // The same jet with a third of the density.
    /// let spray = EmitterSettings { rate: Some(62.5), spread: 0.3, ..jet };
    /// assert!(spray.validate().is_ok());
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    #[cfg_attr(feature = "bevy_reflect", reflect(Clone, Debug, PartialEq))]
    pub struct EmitterSettings as "emitter" {
        /// Where particles come out.
        pub nozzle: FluidNozzle,
        /// How many particles come out.
        ///
        /// A slot emits at most as many particles as its speed makes room for ([`full_rate`](Self::full_rate)); without
        /// a rate, it emits exactly that number. An area needs a rate.
        pub rate: Option<f32> [0 to 1000000] in "1/s" = { None },
        /// Speed at which particles leave, along the nozzle's own +Y axis.
        ///
        /// If this is `None`, a slot emits at the speed at which its rate gives liquid of full density. Particles of
        /// an area then fall along gravity as fast as rain, at 25 speed units V0. Particles of a burst are at rest.
        pub speed: Option<f32> [0 to 1000000] in "world units/s" = { None },
        /// Tangent of the largest angle to the nozzle's direction.
        ///
        /// The angle is to either side; at 0 all particles go straight.
        pub spread: f32 [0 to 10] = 0,
        /// Share of the nozzle's own velocity that particles take along.
        pub inherit_velocity: f32 [0 to 1] = 1,
        /// The class of all particles, if there is no mix.
        pub class: ClassId = { ClassId::default() },
        /// Shares of classes.
        ///
        /// The shares are exact in the long run. Leave the list empty for one class.
        pub mix: Vec<(ClassId, f32)> [at least 0] = { Vec::new() },
        /// Temperature of new particles.
        ///
        /// `None` for the temperature of the class.
        pub temperature: Option<f32> [within 1000000] in "degrees" = { None },
        /// Paint of new particles.
        ///
        /// Red, green and blue, linear. `None` for the paint of the class.
        pub paint: Option<[f32; 3]> [0 to 1] = { None },
        /// How long particles live; `None` for ever.
        pub lifetime: Option<FluidLifetime> = { None },
        /// The group that particles belong to.
        pub tag: ParticleTag = { ParticleTag::NONE },
        /// How many particles come out at once.
        ///
        /// The emitter emits nothing after a burst. A slot emits a burst as a block, one row in
        /// front of the other.
        pub burst: Option<u32> [0 to 100000] = { None },
        /// Largest number of particles that it ever emits; `None` for no limit.
        pub limit: Option<u64> = { None },
        /// Whether it emits.
        pub running: bool = { true },
    }
}

stored!(EmitterSettings {
    nozzle,
    rate in Limits::FINITE,
    speed in Limits::FINITE,
    spread in Limits::FINITE,
    inherit_velocity in Limits::FINITE,
    class,
    mix in Limits::FINITE,
    temperature in Limits::FINITE,
    paint in Limits::FINITE,
    lifetime,
    tag,
    burst,
    limit,
    running,
} check Self::validate);

stored!(enum FluidNozzle as "nozzle" { 0: Slot { width in Limits::SIZE }, 1: Area(shape) });

/// Largest number of particles that come out at once.
pub(super) const MAX_AT_ONCE: u32 = find_in(EmitterSettings::ROWS, "burst").limits.most as u32;

impl EmitterSettings {
    fn new(nozzle: FluidNozzle) -> Self {
        Self {
            nozzle,
            rate: None,
            speed: None,
            spread: 0.0,
            inherit_velocity: default_in(Self::ROWS, "inherit_velocity"),
            class: ClassId::default(),
            mix: Vec::new(),
            temperature: None,
            paint: None,
            lifetime: None,
            tag: ParticleTag::NONE,
            burst: None,
            limit: None,
            running: true,
        }
    }

    /// A jet of full density, out of a slot `width` world units wide, at `speed` world units/s.
    pub fn jet(width: f32, speed: f32) -> Self {
        Self { speed: Some(speed), ..Self::new(FluidNozzle::Slot { width }) }
    }

    /// `rate` particles/s of full density, out of a slot `width` world units wide.
    pub fn pour(width: f32, rate: f32) -> Self {
        Self { rate: Some(rate), ..Self::new(FluidNozzle::Slot { width }) }
    }

    /// Rain: `rate` particles/s that appear anywhere in a shape, and fall along gravity with 25
    /// [speed units](crate::FluidParameters::speed_unit).
    ///
    /// Particles within the interaction radius attract each other, unless
    /// [`cohesion_onset`](crate::FluidParameters::cohesion_onset) is above 0. At this speed, particles are far from
    /// each other and have no time to come together. Slow particles come together: with a [`speed`](Self::speed) of 0,
    /// 90 particles/s from a shape 80 wide fall as a rope.
    pub fn rain(shape: FluidShape, rate: f32) -> Self {
        Self { rate: Some(rate), ..Self::new(FluidNozzle::Area(shape)) }
    }

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] names the first field that is outside its range or missing.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        let check = Check("emitter");
        let needs = |field, given: bool| {
            let given = given || self.burst.is_some();
            check.that(given, field, f32::NAN, "given")
        };
        match &self.nozzle {
            FluidNozzle::Slot { .. } => {
                self.nozzle.check()?;
                needs("rate or speed", self.rate.is_some() || self.speed.is_some())?;
            }
            FluidNozzle::Area(shape) => {
                shape.validate()?;
                let size = shape.bounds().half_size().max_element();
                check.that(size.is_finite(), "area", size, "no half plane")?;
                needs("rate", self.rate.is_some())?;
            }
        }
        self.check()?;
        let any = self.mix.is_empty() || self.mix.iter().any(|(_, weight)| *weight > 0.0);
        check.that(any, "mix", 0.0, "above 0 for some class")?;
        self.lifetime.as_ref().map_or(Ok(()), FluidLifetime::validate)
    }

    /// Number of particles/s that a slot emits at full density, for a speed (world units/s) and a
    /// particle spacing (world units). Each row is one spacing long and holds the particles that
    /// fit side by side. 0 for an area.
    pub fn full_rate(&self, speed: f32, spacing: f32) -> f32 {
        match self.nozzle {
            FluidNozzle::Slot { width } => speed / spacing * columns(width, spacing),
            FluidNozzle::Area(_) => 0.0,
        }
    }

    /// The flow out of a slot of that width, for a particle spacing.
    pub(super) fn flow(&self, width: f32, spacing: f32) -> Flow {
        let most = columns(width, spacing);
        let speed = match (self.speed, self.rate) {
            (Some(speed), _) => speed,
            (None, rate) => rate.unwrap_or(0.0) / most * spacing,
        };
        let full = speed / spacing * most;
        let rate = self.rate.unwrap_or(full).min(full);
        if rate <= 0.0 {
            return Flow { columns: most, rate: 0.0, speed };
        }
        // A thinner jet has fewer particles in a row, so that it is thinner in both directions.
        let area = speed / rate * most * spacing;
        let mut columns = (most * spacing / area.sqrt()).round().clamp(1.0, most);
        if columns < most && speed / rate * columns < 0.999 * spacing {
            columns += 1.0;
        }
        Flow { columns, rate, speed }
    }
}

/// Number of particles that fit side by side at a spacing; at least 1.
fn columns(width: f32, spacing: f32) -> f32 {
    (width / spacing + 1e-3).floor().clamp(1.0, MAX_AT_ONCE as f32)
}

/// The flow of particles out of a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flow {
    /// Particles in a row; a whole number.
    pub columns: f32,
    /// Particles/s.
    pub rate: f32,
    /// World units/s.
    pub speed: f32,
}

// Chooses the classes of a mix in turn, by their shares.

/// Chooses classes so that after every particle the counts differ from the shares by less than one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Dealer {
    /// How often each entry of the mix was chosen.
    dealt: Vec<u64>,
    all: u64,
}

stored!(Dealer { dealt, all } check check_counts);

/// Checks that the entries' counts add up to the count of all.
#[cfg(feature = "snapshot")]
fn check_counts(dealer: &Dealer) -> Result<(), SnapshotError> {
    let sum = dealer.dealt.iter().try_fold(0_u64, |sum, dealt| sum.checked_add(*dealt));
    ensure(sum == Some(dealer.all), "a mix that was dealt otherwise")?;
    countable([dealer.all])
}

impl Dealer {
    /// Index of the next entry of a mix: the entry farthest behind its share, or the first of
    /// several.
    pub(super) fn next(&self, mix: &[(ClassId, f32)]) -> usize {
        let whole: f64 = mix.iter().map(|(_, weight)| f64::from(*weight)).sum();
        let (mut next, mut farthest) = (0, f64::NEG_INFINITY);
        for (index, (_, weight)) in mix.iter().enumerate() {
            let due = f64::from(*weight) / whole * (self.all + 1) as f64;
            let behind = due - self.dealt.get(index).copied().unwrap_or(0) as f64;
            if *weight > 0.0 && behind > farthest {
                (next, farthest) = (index, behind);
            }
        }
        next
    }

    /// Records that an entry was chosen.
    pub(super) fn deal(&mut self, entry: usize) {
        if self.all >= MOST_COUNTED {
            // Counting begins again at 0.
            self.clear();
        }
        if self.dealt.len() <= entry {
            self.dealt.resize(entry + 1, 0);
        }
        self.dealt[entry] += 1;
        self.all += 1;
    }

    /// Undoes one choice of an entry.
    pub(super) fn take_back(&mut self, entry: usize) {
        if let Some(dealt) = self.dealt.get_mut(entry).filter(|dealt| **dealt > 0) {
            *dealt -= 1;
            self.all -= 1;
        }
    }

    /// Resets all counts.
    pub(super) fn clear(&mut self) {
        self.dealt.clear();
        self.all = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_share_at_any_time() {
        let mix = [(ClassId(0), 5.0), (ClassId(1), 0.0), (ClassId(2), 2.0), (ClassId(3), 1.0)];
        let mut dealer = Dealer::default();
        let mut dealt = [0.0_f64; 4];
        for number in 1..=4000 {
            let entry = dealer.next(&mix);
            dealer.deal(entry);
            dealt[entry] += 1.0;
            for (dealt, (_, weight)) in dealt.iter().zip(mix) {
                let share = f64::from(weight) / 8.0 * f64::from(number);
                assert!((dealt - share).abs() <= 1.0, "{dealt} against {share}");
            }
        }
        assert_eq!(dealt, [2500.0, 0.0, 1000.0, 500.0]);
    }
}
