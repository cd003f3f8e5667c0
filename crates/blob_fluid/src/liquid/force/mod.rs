//! Forces that push, turn, carry along, slow or heat liquid in a region, and force fields of the
//! host.

pub(crate) mod field;
pub(crate) mod forces;
pub(crate) mod region_force;
