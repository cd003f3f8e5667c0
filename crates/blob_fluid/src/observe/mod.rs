//! Looks at the liquid: queries, measures, sensors and the doctor. Nothing here changes it.

mod blob_tracker;
pub mod doctor;
pub(crate) mod ignored;
pub(crate) mod inspect;
pub mod measure;
pub(crate) mod query;
pub(crate) mod sensor;
pub(crate) mod splash;

/// A mean of particles, of which a host may just have made one no number: the next tick quarantines it.
fn finite_or_zero(mean: glam::Vec2) -> glam::Vec2 {
    if mean.is_finite() { mean } else { glam::Vec2::ZERO }
}
