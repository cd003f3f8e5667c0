//! Rows of controls, and their style.

pub(crate) mod declared;
pub(crate) mod form;
pub(crate) mod style;
