//! The boundary of the liquid: containers, colliders, bodies, and their wall properties.

pub(crate) mod body;
pub(crate) mod buried;
pub(crate) mod chunk_loads;
pub(crate) mod collider;
pub(crate) mod collider_boxes;
pub(crate) mod collider_record;
pub(crate) mod container;
pub(crate) mod free_disc;
pub(crate) mod held_contact;
pub(crate) mod host_body;
pub(crate) mod load;
pub(crate) mod near;
pub(crate) mod near_walls;
mod passage;
pub(crate) mod rest;
pub(crate) mod seams;
pub(crate) mod slots;
pub(crate) mod solid;
pub(crate) mod solids;
#[cfg(feature = "snapshot")]
mod stored;
pub(crate) mod wall;
pub(crate) mod way_out;
