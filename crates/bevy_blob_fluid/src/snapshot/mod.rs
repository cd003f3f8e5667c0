//! Snapshots of a game's liquid, air and bodies, in step with their entities.
//!
//! | file | contents |
//! |---|---|
//! | `records.rs` | records of entities, their components and errors |
//! | `file.rs` | a snapshot as bytes |
//! | `restore.rs` | taking and restoring a snapshot |
//! | `recorder.rs` | recordings for bug reports |
//! | `rollback.rs` | bevy_ggrs |

mod file;
mod recorder;
mod records;
mod restore;
#[cfg(feature = "ggrs")]
mod rollback;

pub use recorder::{FluidRecorderPlugin, FluidRecording};
pub use records::{FluidMissing, FluidRestored, FluidSnapshotError};
pub use restore::FluidSnapshot;
#[cfg(feature = "ggrs")]
pub use rollback::{FluidRollback, FluidRollbackPlugin, FluidRollbackState, FluidStrategy};
