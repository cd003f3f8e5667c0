//! Snapshots of a game's liquid, air and bodies, in step with their entities.
//!
//! | file | contents |
//! |---|---|
//! | `components.rs` | the components that affect later ticks: one line and one `impl` for each |
//! | `records.rs` | records of entities and settings, the counterparts of entities, errors |
//! | `file.rs` | a snapshot as bytes |
//! | `restore.rs` | taking and restoring a snapshot |
//! | `recorder.rs` | recordings for bug reports |
//! | `rollback.rs` | bevy_ggrs |

mod components;
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
