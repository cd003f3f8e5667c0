//! Questions about the liquid at a place: what is near, how dense and fast it is there, where its
//! surface is, and which blobs it forms.

mod blob_tracker;
mod cast;
mod height;
mod nearest;
mod places;
mod sample;

pub use blob_tracker::{BlobChange, BlobId, BlobTracker, BlobTracking, TrackedBlob};
pub use cast::SurfaceHit;
