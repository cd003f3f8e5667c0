//! Settings of a liquid: parameters, classes, pairs of classes, effort, and the table of their
//! ranges.

pub(crate) mod class;
pub(crate) mod class_filter;
pub(crate) mod class_pair;
pub(crate) mod class_table;
pub(crate) mod declare;
pub(crate) mod effort;
pub(crate) mod parameters;
pub(crate) mod range;
pub mod ranges;
pub(crate) mod solver;
pub(crate) mod thermal;
pub(crate) mod visit;
