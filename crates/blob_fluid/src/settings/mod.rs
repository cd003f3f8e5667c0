//! What a liquid is told: parameters, classes and how pairs of them meet.

pub(crate) mod class;
pub(crate) mod class_filter;
pub(crate) mod class_pair;
pub(crate) mod class_table;
pub(crate) mod effort;
pub(crate) mod parameters;
pub(crate) mod range;
pub mod ranges;
pub(crate) mod thermal;
#[cfg(feature = "serde")]
pub(crate) mod written;
