//! The clock of a liquid: simulated time, ticks and substeps, and the report of a step.

use thiserror::Error;

use crate::GivenUp;
use crate::boundary::collider_record::MEMORY_LOSS_RATE;
use crate::settings::range::Limits;
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{SnapshotError, countable, ensure};
use crate::stored::stored;

/// Simulated time, number of ticks, and the substeps of the last tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub time: f64,
    pub ticks: u64,
    /// Number of substeps that the last tick needed without a limit of effort. A hysteresis keeps this number steady.
    pub wanted_substeps: u32,
    /// Number of substeps of the last tick.
    pub substeps: u32,
    /// Length of each of these substeps, in seconds.
    pub substep: f32,
    /// The substep length that resists a lasting load equally strongly without memory of
    /// resistance. Shorter substeps resist more strongly, and would throw up liquid that longer
    /// substeps have compressed. So a decrease is immediate only as far as the depth requires, and
    /// slow beyond that.
    pub resisting_substep: f32,
    /// `w`: the fraction of its resistance that a particle keeps from substep to substep. It
    /// changes slowly.
    pub memory_fraction: f32,
    /// How far the liquid's resistance is limited to that of a substep without memory, 0 to 1. It approaches 1 while a
    /// solid yields to the liquid, and 0 afterwards.
    pub memory_loss: f32,
    /// Length of the last tick, in seconds; 0 before the first.
    pub tick: f32,
    /// Evenness of tick lengths: 1 if no tick is longer than the previous one. If many ticks are
    /// longer, it approaches the ratio of the shorter to the longer length.
    pub evenness: f32,
}

/// Lengths of ticks, in seconds, up to the largest `max_time_step`.
pub(crate) const TICK_LENGTHS: Limits = Limits::between(0.0, 1.0);

/// Values of `resisting_substep`, in seconds. The square of the largest one is finite.
pub(crate) const RESISTING_LENGTHS: Limits = Limits::between(0.0, 1e12);

stored!(Clock {
    time in Limits::NOT_NEGATIVE,
    ticks,
    wanted_substeps,
    substeps,
    substep in Limits::above(0.0, TICK_LENGTHS.most),
    resisting_substep in RESISTING_LENGTHS,
    memory_fraction in Limits::SHARE,
    memory_loss in Limits::SHARE,
    tick in TICK_LENGTHS,
    evenness in Limits::SHARE,
} check check_lengths);

/// Checks that the kept fraction is below 1, and that the tick has substeps.
#[cfg(feature = "snapshot")]
fn check_lengths(clock: &Clock) -> Result<(), SnapshotError> {
    ensure(clock.memory_fraction < 1.0, "a kept part that is not below 1")?;
    ensure(clock.substeps > 0, "a tick without substeps")?;
    countable([clock.ticks])
}

/// The number of substeps of a tick, and the reasons for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChosenSubsteps {
    /// The wanted number.
    pub wanted: u32,
    /// The smallest number at which the liquid stays stable.
    pub min_stable: u32,
    /// The number that the depth requires, before rounding up; 0 if the depth does not matter.
    pub for_depth: f32,
    /// The fraction of the resistance that is kept from substep to substep
    /// ([`Clock::eased_memory_fraction`]).
    pub memory_fraction: f32,
    /// Substep length with sufficient resistance where the depth requires no more; 0 if the
    /// settings fix the number.
    pub sufficient_length: f32,
    /// Whether any solid in the liquid's bounding box yields to the liquid.
    pub any_solid_yields: bool,
}

/// Relative decrease of `resisting_substep`, per T0.
const STIFFENING: f32 = 0.25;

/// Rates of change of the kept fraction, per T0. Growth is slow enough that the liquid that rises
/// with it can fall asleep.
const SHRINKING: f32 = 0.1;
const GROWING: f32 = 0.002;

/// Rate at which `memory_loss` decreases without a solid that yields, per T0. It is so slow that the liquid can fall
/// asleep.
const MEMORY_GAIN_RATE: f32 = 0.004;

/// Evenness below which `resisting_substep` does not decrease. The next long tick would make it jump.
const EVEN: f32 = 0.9;

/// Rates, per T0, at which the evenness falls to the ratio of two ticks, and at which it recovers.
const UNEVEN_RATE: f32 = 0.5;
const EVEN_RATE: f32 = 0.01;

impl Clock {
    /// Resets the fields that describe the removed liquid.
    pub(crate) fn forget_liquid(&mut self) {
        let Self { time, ticks, substeps, substep, .. } = *self;
        *self = Self { time, ticks, substeps, substep, ..Self::default() };
    }

    /// The kept fraction of the resistance in a tick of `time_step` seconds, eased towards the
    /// stable value `wanted`. A sudden change would change the pressure of a lasting compression.
    pub(crate) fn eased_memory_fraction(&self, wanted: f32, time_step: f32, time_unit: f32) -> f32 {
        if self.tick == 0.0 {
            return wanted;
        }
        let passed = time_step / time_unit;
        wanted.clamp(
            self.memory_fraction - SHRINKING * passed,
            self.memory_fraction + GROWING * passed,
        )
    }

    /// Updates the evenness of the ticks.
    fn watch_steps(&mut self, time_step: f32, time_unit: f32) {
        let ratio = if self.tick > 0.0 { (self.tick / time_step).min(1.0) } else { 1.0 };
        self.tick = time_step;
        let rate = if ratio < self.evenness { UNEVEN_RATE } else { EVEN_RATE };
        self.evenness += (ratio - self.evenness) * (rate * time_step / time_unit).min(1.0);
    }

    /// Begins a tick of `time_step` seconds in `substeps` substeps.
    pub(crate) fn begin_tick(
        &mut self,
        time_step: f32,
        substeps: u32,
        chosen: ChosenSubsteps,
        time_unit: f32,
    ) {
        self.substeps = substeps;
        self.substep = time_step / substeps as f32;
        let ChosenSubsteps { for_depth, memory_fraction, sufficient_length, .. } = chosen;
        let passed = time_step / time_unit;
        self.memory_fraction = memory_fraction;
        self.watch_steps(time_step, time_unit);
        // Memory multiplies a resistance by `1/(1 - w)`. In a substep longer than the previous one
        // this also applies to sound waves. Then the substep alone must provide all resistance.
        let memory_fraction = memory_fraction * self.evenness;
        let resisting = |substep: f32| substep * (1.0 - memory_fraction).sqrt();
        let stiffening = STIFFENING * ((self.evenness - EVEN) / (1.0 - EVEN)).max(0.0);
        let eased = self.resisting_substep * (1.0 - stiffening * passed);
        let asked = resisting(time_step / for_depth);
        // Particles that touch a solid that yields keep no resistance. If one substep cannot give them the same
        // resistance as other particles, liquid beside the solid is denser than elsewhere.
        let rate = if chosen.any_solid_yields { MEMORY_LOSS_RATE } else { -MEMORY_GAIN_RATE };
        self.memory_loss = (self.memory_loss + rate * passed).clamp(0.0, 1.0);
        let memoryless = self.substep * (1.0 - memory_fraction * (1.0 - self.memory_loss)).sqrt();
        // `asked` does not depend on the rounded number of substeps, so a slightly larger depth changes
        // the resistance only slightly.
        let firmest = sufficient_length.max(memoryless).min(asked);
        self.resisting_substep = resisting(self.substep).max(eased.max(firmest).min(asked));
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            time: 0.0,
            ticks: 0,
            wanted_substeps: 1,
            substeps: 1,
            substep: 1.0 / 60.0,
            resisting_substep: 0.0,
            memory_fraction: 0.0,
            memory_loss: 0.0,
            tick: 0.0,
            evenness: 1.0,
        }
    }
}

// The report of a step, and the error of an invalid step.

/// An invalid time step.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum StepError {
    /// The time step is NaN, infinite or negative.
    #[error("the time step is {0} s, and must be finite and at least 0")]
    TimeStep(f32),
}

/// The results of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct StepReport {
    /// Simulated time, in seconds: the time step, or the longest allowed tick if that is shorter.
    pub time_step: f32,
    /// Number of substeps; 0 if the time step is 0 or everything sleeps.
    pub substeps: u32,
    /// Number of viscosity sweeps (passes over all pairs of particles) in each substep; 0 if no class is viscous.
    pub viscosity_sweeps: u32,
    /// Number of pressure iterations in all substeps; 0 for solvers that do not iterate.
    pub pressure_iterations: u32,
    /// Number of iterations of the implicit viscosity in all substeps; 0 for solvers with explicit viscosity, and for
    /// liquid so thin that one exchange of velocities between neighbours is enough.
    pub viscosity_iterations: u32,
    /// Mean excess of the densities over the rest densities after the last substep, as a fraction of the rest density,
    /// without sleeping liquid; 0 for solvers that do not iterate. In substeps shorter than a twelfth of the [time
    /// unit](crate::FluidParameters::time_unit), only the part of the excess that one substep corrects counts.
    pub density_error: f32,
    /// Substeps and viscosity sweeps that the settings need, and that were omitted because of the liquid's
    /// [effort](crate::Liquid::set_effort).
    pub given_up: GivenUp,
    /// Number of particles that slept; all particles if there was no substep.
    pub asleep: usize,
    /// Number of particles that did not interact in the last substep, because too many are at one
    /// place. In each cell, which is one interaction radius long and an eighth of it wide, at most
    /// 128 particles interact. Other particles wait.
    pub waiting: usize,
    /// Number of particles that were quarantined, because a number was not finite or because they were outside of the
    /// world.
    pub quarantined: u64,
    /// Number of particles that died at the beginning of the tick, because their
    /// [lifetime](crate::FluidLifetime) was over.
    pub expired: usize,
    /// Number of particles that were removed at the end of the tick, because they were outside of the
    /// [kill bounds](crate::Liquid::set_kill_bounds).
    pub out_of_bounds: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One substep, for a liquid that keeps half of its resistance.
    const ONE: ChosenSubsteps = ChosenSubsteps {
        wanted: 1,
        min_stable: 1,
        for_depth: 0.0,
        memory_fraction: 0.5,
        sufficient_length: 0.0,
        any_solid_yields: false,
    };

    /// A clock after `ticks` ticks with these lengths in turn, each in one substep, with T0 = 0.2 s.
    fn after(ticks: usize, lengths: &[f32], enough: f32) -> Clock {
        let mut clock = Clock::default();
        for tick in 0..ticks {
            let chosen = ChosenSubsteps { sufficient_length: enough, ..ONE };
            clock.begin_tick(lengths[tick % lengths.len()], 1, chosen, 0.2);
        }
        clock
    }

    #[test]
    fn equal_ticks_are_even_and_resist_by_their_own_length() {
        for length in [1.0 / 240.0, 1.0 / 60.0, 1.0 / 20.0] {
            let clock = after(1000, &[length], 0.0);
            assert_eq!(clock.evenness, 1.0);
            assert_eq!(clock.resisting_substep, length * 0.5_f32.sqrt());
        }
    }

    #[test]
    fn resistance_follows_the_longer_ticks_of_many() {
        let (long, short) = (1.0 / 30.0, 1.0 / 120.0);
        let clock = after(1000, &[long, short], 0.0);
        assert!((0.25..0.35).contains(&clock.evenness), "{clock:?}");
        // It keeps the resistance of the longest tick, without the memory that the evenness excludes.
        assert!((0.9 * long..=long).contains(&clock.resisting_substep), "{clock:?}");
        // Even ticks return to their own resistance, but gradually.
        let mut even = clock;
        for tick in 0..10_000 {
            let before = even.resisting_substep;
            even.begin_tick(short, 1, ONE, 0.2);
            assert!(even.resisting_substep > 0.98 * before, "tick {tick}: {even:?}");
        }
        assert!(even.resisting_substep < 0.75 * short, "{even:?}");
    }

    #[test]
    fn one_short_tick_changes_little() {
        let mut clock = after(1000, &[1.0 / 60.0], 0.0);
        let before = clock.resisting_substep;
        for length in [0.0001, 1.0 / 60.0, 1.0 / 60.0] {
            clock.begin_tick(length, 1, ONE, 0.2);
            let change = clock.resisting_substep / before - 1.0;
            assert!(change.abs() < 0.03, "{length}: {change}");
        }
    }

    #[test]
    fn resistance_that_is_enough_does_not_grow_with_the_rate() {
        let enough = 1.0 / 60.0;
        assert_eq!(after(1000, &[1.0 / 240.0], enough).resisting_substep, enough);
        assert_eq!(after(1000, &[0.0001], enough).resisting_substep, enough);
    }
}
