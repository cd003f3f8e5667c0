//! Forces: what pushes, turns, carries along, slows or heats the liquid in a place.

pub(crate) mod field;
pub(crate) mod forces;
pub(crate) mod region_force;
