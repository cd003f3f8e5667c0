//! Observation of the liquid: queries, measures, sensors and the doctor. This module never changes
//! the liquid.

mod blob_tracker;
pub mod doctor;
pub(crate) mod inspect;
pub mod measure;
pub(crate) mod query;
pub(crate) mod sensor;
pub(crate) mod splash;

/// Returns a mean over particles, or zero if it is not finite. A host can set a value that is not
/// finite; the next tick quarantines that particle.
fn finite_or_zero(mean: glam::Vec2) -> glam::Vec2 {
    if mean.is_finite() { mean } else { glam::Vec2::ZERO }
}
