//! Settings of a liquid: parameters, classes, pairs of classes and effort. The macro `settings!`
//! declares them.

pub(crate) mod class;
pub(crate) mod class_table;
pub(crate) mod declare;
pub(crate) mod parameters;
pub(crate) mod range;
pub(crate) mod solver;
#[cfg(feature = "scene")]
pub(crate) mod spacing;
