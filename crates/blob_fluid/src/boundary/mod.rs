//! The boundary of the liquid: containers, colliders, bodies, and their wall properties.

pub(crate) mod body;
pub(crate) mod collider;
pub(crate) mod collider_boxes;
pub(crate) mod collider_record;
pub(crate) mod container;
pub(crate) mod load;
pub(crate) mod near;
pub(crate) mod solid;
pub(crate) mod solids;
#[cfg(feature = "snapshot")]
mod stored;
pub(crate) mod wall;
