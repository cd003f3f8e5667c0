//! Rows of controls, and their style.

pub(crate) mod form;
pub(crate) mod style;
