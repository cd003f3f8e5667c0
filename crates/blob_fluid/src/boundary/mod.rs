//! The boundary of the liquid: containers, colliders, bodies, and their wall properties.

pub(crate) mod body;
pub(crate) mod collider;
pub(crate) mod collider_record;
pub(crate) mod container;
pub(crate) mod near;
pub(crate) mod slots;
pub(crate) mod solid;
pub(crate) mod solids;
pub(crate) mod way_out;
