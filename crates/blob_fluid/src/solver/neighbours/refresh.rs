//! Sorts the particles again, for passes that run before the hashing or after something moved
//! since.

use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::solver::coefficients::Coefficients;
use crate::solver::neighbours::hash::{Neighbours, hash_positions};
use crate::solver::pass::quarantine::{Checked, quarantine};

/// Quarantines and hashes the particles, if any has moved since the last hashing.
pub(crate) fn refresh(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    if !neighbours.are_of(&liquid.particles) {
        quarantine(liquid, Checked::Awake, coefficients.time_step, executor);
        let asleep = liquid.parameters.sleeping.is_on().then_some(liquid.sleep.asleep);
        let radius = coefficients.interaction_radius;
        hash_positions(&mut liquid.particles, neighbours, radius, asleep, executor);
    }
}
