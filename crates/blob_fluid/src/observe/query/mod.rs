//! Queries about the liquid at a position: which particles are near, its density and velocity, its
//! surface, and its blobs.

mod blob_tracker;
mod cast;
mod height;
mod nearest;
mod paint;
mod places;
mod sample;

pub use blob_tracker::{BlobChange, BlobId, BlobTracker, BlobTracking, TrackedBlob};
pub use cast::SurfaceHit;
