//! Quarantine: removes particles whose numbers are not finite or too large.

use glam::Vec2;

use crate::liquid::state::MOST_NAMED;
use crate::parallel::executor::LONG_CHUNK;
use crate::parallel::instructions::{self, Instructions, LANES, LaneKernel};
use crate::particles::arrays::idle;
use crate::{Executor, Grain, Liquid, Particles, Quarantined};

/// Which particles are examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuarantineScope {
    /// All particles, because a host may have changed any.
    All,
    /// Particles in chunks that are not asleep. Passes do not change sleeping chunks, and changes by a host
    /// wake them.
    Awake,
}

/// Removes and counts particles that would spread NaN to others or do not fit into the grid.
pub(crate) fn quarantine(
    liquid: &mut Liquid,
    scope: QuarantineScope,
    time_step: f32,
    executor: &dyn Executor,
) {
    let limit = liquid.reach();
    // A faster particle would leave the world within a substep.
    let max_speed = (2.0 * limit / time_step).min(f32::MAX);
    // Without loads, displacements become velocities before anything reads them.
    let bears_load = liquid.boundary.any_bears_load();
    let all = &liquid.particles;
    let any_invalid = executor.any_chunk(0..all.len(), LONG_CHUNK, |_, indices| {
        if scope == QuarantineScope::Awake && idle(&all.activity[indices.clone()]) {
            return false;
        }
        let grains = all.grains.get(indices.clone()).unwrap_or_default();
        let paints = all.paints.amounts.get(indices.clone()).unwrap_or_default().as_flattened();
        if !grains.iter().all(Grain::is_finite)
            || !paints.iter().fold(true, |all, amount| all & amount.is_finite())
        {
            return true;
        }
        let magnitudes = instructions::run(MaxMagnitudes {
            positions: &all.position[indices.clone()],
            velocities: &all.velocity[indices.clone()],
            displacements: &all.displacement[if bears_load { indices.clone() } else { 0..0 }],
            temperatures: &all.temperature[indices],
        });
        let limits = [limit, max_speed, f32::MAX, f32::MAX];
        magnitudes.into_iter().zip(limits).any(|(magnitudes, limit)| magnitudes > limit.to_bits())
    });
    if any_invalid {
        let Liquid { particles, sleep, population, quarantined, .. } = liquid;
        let removed = particles.remove_where(|all, index| {
            let Some(report) = first_invalid_number(all, index, limit, max_speed) else {
                return false;
            };
            sleep.disturb(report.position);
            if quarantined.len() < MOST_NAMED {
                quarantined.push(report);
            }
            true
        });
        crate::settings::range::count_more(&mut population.quarantined, removed as u64);
        particles.mark_moved();
    }
}

/// The first invalid number of a particle; `None` if the particle is valid.
fn first_invalid_number(
    all: &Particles,
    index: usize,
    limit: f32,
    max_speed: f32,
) -> Option<Quarantined> {
    let (position, velocity, displacement) =
        (all.position[index], all.velocity[index], all.displacement[index]);
    let grain = all.grains.get(index).copied().unwrap_or_default();
    let [one, other, third] = all.paints.amounts.get(index).copied().unwrap_or_default();
    let numbers = [
        ("position", limit, position.to_array()),
        ("velocity", max_speed, velocity.to_array()),
        ("displacement", f32::MAX, displacement.to_array()),
        ("temperature", f32::MAX, [all.temperature[index]; 2]),
        ("grain", f32::MAX, grain.stress.to_array()),
        ("grain", f32::MAX, grain.place.to_array()),
        ("grain", f32::MAX, [grain.load, grain.pores.weight]),
        ("grain", f32::MAX, [grain.pores.share, grain.pores.pressure]),
        ("paint", f32::MAX, [one, other]),
        ("paint", f32::MAX, [third; 2]),
    ];
    let is_within = |value: f32, limit: f32| value.abs() <= limit;
    let invalid = numbers.into_iter().find_map(|(field, limit, values)| {
        let value = values.into_iter().find(|value| !is_within(*value, limit))?;
        Some((field, value, limit))
    });
    let (field, value, valid) = invalid?;
    let position_is_valid = position.to_array().into_iter().all(|value| is_within(value, limit));
    let position = if position_is_valid { position } else { all.rest_position[index] };
    Some(Quarantined { id: all.id[index], position, field, value, limit: valid })
}

/// Computes the largest magnitude in each array, as its bits. The bits of magnitudes have the same
/// order as the numbers, and the bits of NaN are the largest.
struct MaxMagnitudes<'a> {
    positions: &'a [Vec2],
    velocities: &'a [Vec2],
    displacements: &'a [Vec2],
    temperatures: &'a [f32],
}

impl LaneKernel for MaxMagnitudes<'_> {
    type Output = [u32; 4];

    #[inline(always)]
    fn run<S: Instructions>(self, _: S) -> [u32; 4] {
        [
            max_magnitude(self.positions, |vector| vector.to_array()),
            max_magnitude(self.velocities, |vector| vector.to_array()),
            max_magnitude(self.displacements, |vector| vector.to_array()),
            max_magnitude(self.temperatures, |temperature| [*temperature]),
        ]
    }
}

/// The bits of the largest magnitude in a list of numbers.
#[inline(always)]
fn max_magnitude<T, const N: usize>(items: &[T], numbers: impl Fn(&T) -> [f32; N]) -> u32 {
    let magnitude = |number: f32| number.to_bits() & !SIGN;
    // Independent maxima for each lane fit vector instructions.
    let mut all = [[0; N]; LANES];
    let (groups, rest) = items.as_chunks::<LANES>();
    for group in groups {
        for lane in 0..LANES {
            let numbers = numbers(&group[lane]);
            for index in 0..N {
                all[lane][index] = all[lane][index].max(magnitude(numbers[index]));
            }
        }
    }
    let rest = rest.iter().flat_map(numbers).map(magnitude);
    rest.chain(all.into_iter().flatten()).max().unwrap_or(0)
}

/// The sign bit of a number.
const SIGN: u32 = 1 << 31;
