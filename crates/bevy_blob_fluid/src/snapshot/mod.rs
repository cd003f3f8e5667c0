//! Snapshots of a game's liquid, air and bodies, in step with their entities.
//!
//! | file | what it has |
//! |---|---|
//! | `taken.rs` | the snapshot, and how it is taken |
//! | `restore.rs` | how a world gets it back |
//! | `entities.rs` | the entities of a snapshot, and their counterparts in another world |
//! | `column.rs` | the components of a type, by entity |
//! | `components.rs` | all components that the plugin writes |
//! | `file.rs`, `records.rs` | the snapshot as bytes |
//! | `error.rs` | what may go wrong, and what is missing afterwards |
//! | `recorder.rs` | recordings, for reports of faults |
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
