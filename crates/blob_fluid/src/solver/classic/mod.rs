//! The way of this solver's ancestors, and of the paper: pairs are moved one after the other, in place.

pub(crate) mod bounce;
mod neighbours;
pub(crate) mod relaxation;
pub(crate) mod viscosity;
pub(crate) mod workspace;
