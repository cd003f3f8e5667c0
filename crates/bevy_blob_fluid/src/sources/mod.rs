//! Liquid that comes and goes, as entities: blobs, emitters and drains, and the images and texts
//! whose shapes it may have.

mod blob;
mod class;
mod drain;
mod emitter;
#[cfg(feature = "picture")]
mod picture;
#[cfg(any(feature = "picture", feature = "text"))]
mod shape_source;
#[cfg(feature = "text")]
mod text;

pub(crate) use blob::fill_blobs;
pub use blob::{FluidBlob, FluidBlobFilled};
pub use class::FluidClass;
pub(crate) use drain::drain_into_drains;
pub use drain::{FluidDrain, FluidDrainTotals};
pub(crate) use emitter::emit_from_emitters;
pub use emitter::{FluidEmitter, FluidEmitterTotals};
#[cfg(feature = "picture")]
pub use picture::FluidPicture;
#[cfg(any(feature = "picture", feature = "text"))]
pub use shape_source::FluidShapeTarget;
#[cfg(any(feature = "picture", feature = "text"))]
pub(crate) use shape_source::{ShapeSource, make_shapes};
#[cfg(feature = "text")]
pub use text::FluidText;
