//! The boundary of the liquid: containers, colliders, bodies, and their wall properties.
//!
//! | file | contents |
//! |---|---|
//! | `solid.rs` | what containers and colliders have in common: shape, motion, wall properties |
//! | `container.rs`, `collider.rs`, `body.rs` | containers, colliders, host bodies and their loads |
//! | `collider_record.rs` | the stored state of a collider: corners, fade-in, load, contacts, boxes |
//! | `slots.rs` | lists with handles that are never reused |
//! | `solids.rs` | all containers, colliders and host bodies; buried tiles, discs without walls |
//! | `near.rs` | the walls near a chunk and near a particle |
//! | `way_out.rs` | the path out of overlapping colliders |

pub(crate) mod body;
pub(crate) mod collider;
pub(crate) mod collider_record;
pub(crate) mod container;
pub(crate) mod near;
pub(crate) mod slots;
pub(crate) mod solid;
pub(crate) mod solids;
pub(crate) mod way_out;
