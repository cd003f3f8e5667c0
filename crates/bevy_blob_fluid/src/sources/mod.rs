//! Liquid that comes and goes, as entities: blobs, emitters, drains, tanks and pumps, and the images
//! and texts whose shapes it may have.

mod blob;
mod class;
mod drain;
mod emitter;
mod paint;
#[cfg(feature = "picture")]
mod picture;
mod pump;
#[cfg(any(feature = "picture", feature = "text"))]
mod shape_source;
mod tank;
#[cfg(feature = "text")]
mod text;

pub use blob::{FluidBlob, FluidBlobFilled};
pub use class::FluidClass;
#[cfg(feature = "snapshot")]
pub(crate) use drain::FluidDrainState;
pub use drain::{FluidDrain, FluidDrainTotals};
#[cfg(feature = "snapshot")]
pub(crate) use emitter::FluidEmitterState;
pub use emitter::{FluidEmitter, FluidEmitterTotals};
pub(crate) use paint::paint_of;
#[cfg(feature = "picture")]
pub use picture::FluidPicture;
#[cfg(feature = "snapshot")]
pub(crate) use pump::FluidPumpState;
pub use pump::{FluidPump, FluidPumpTotals};
#[cfg(any(feature = "picture", feature = "text"))]
pub use shape_source::FluidShapeTarget;
pub use tank::{FluidTank, FluidTankContents, FluidTankLink};
#[cfg(feature = "text")]
pub use text::FluidText;

crate::concern::concern! {
    /// Blobs, emitters, drains, tanks and pumps, and shapes of images and texts. It needs the
    /// [`FluidMaterialPlugin`](crate::FluidMaterialPlugin).
    FluidSourcesPlugin: blob, class, drain, emitter, tank, pump,
    #[cfg(feature = "picture")] picture, #[cfg(feature = "text")] text
}
