//! The passes of a substep, one file each, in the order
//! [`FluidWorld::step`](crate::FluidWorld::step) runs them.
//!
//! A host that wants its own code between two passes calls them itself:
//! [`begin_tick`](crate::FluidWorld::begin_tick), then for every substep each pass in this order,
//! then [`end_tick`](crate::FluidWorld::end_tick).

use std::ops::Range;

mod advance;
mod bodies;
mod containment;
mod damping;
mod forces;
mod ghost_walls;
mod gravity;
mod hash;
mod heat;
mod pair;
mod reactions;
mod relaxation;
mod springs;
mod surfaces;
mod velocity;
mod viscosity;

pub use advance::advance_positions;
pub use bodies::move_bodies;
pub use containment::contain;
pub use damping::apply_damping;
pub use forces::apply_forces;
pub use gravity::apply_gravity;
pub use hash::hash_positions;
pub use heat::exchange_heat;
pub use reactions::react;
pub use relaxation::relax_density;
pub use springs::apply_springs;
pub use surfaces::grip_surfaces;
pub use velocity::update_velocities;
pub use viscosity::apply_viscosity;

pub(crate) use bodies::Contact;
pub(crate) use hash::quarantine;
pub(crate) use reactions::Fate;
pub(crate) use relaxation::{Neighbours, Pressures};
pub(crate) use viscosity::ViscosityRows;

/// How many particles one unit of parallel work holds: enough to be worth handing over, few enough
/// to share out evenly.
pub(crate) const CHUNK: usize = 256;

/// The same where a particle takes only a few operations.
pub(crate) const LONG_CHUNK: usize = 1024;

/// How many particles of a chunk are looked at together for whether a surface is near, before smaller
/// groups of them are.
pub(crate) const SECTION: usize = 64;

/// How many particles are looked at together before each is.
pub(crate) const GROUP: usize = 16;

/// Divides a range into parts of `size`; the last may be shorter.
pub(crate) fn parts(range: Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(size).map(move |start| start..end.min(start + size))
}
