//! The passes that all solvers share, one file for each, and the table of all passes.

pub(crate) mod advance;
pub(crate) mod bodies;
pub(crate) mod contacts;
pub(crate) mod containment;
pub(crate) mod damping;
pub(crate) mod forces;
pub(crate) mod gaps;
pub(crate) mod gravity;
pub(crate) mod heat;
pub(crate) mod paint;
pub(crate) mod quarantine;
pub(crate) mod reactions;
pub(crate) mod table;
pub(crate) mod velocity;
pub(crate) mod wall_friction;
