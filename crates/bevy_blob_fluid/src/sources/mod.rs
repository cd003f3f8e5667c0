//! Sources of liquid as entities: blobs, pools, emitters, drains, tanks and pumps, and shapes of images and
//! texts.

mod blob;
mod drain;
mod emitter;
#[cfg(feature = "picture")]
mod picture;
mod pool;
mod pump;
#[cfg(any(feature = "picture", feature = "text"))]
mod shape_source;
#[cfg(feature = "text")]
mod text;

pub use blob::{FluidBlob, FluidBlobFilled, FluidClass};
pub(crate) use blob::{paint_of, takes_paint};
#[cfg(feature = "snapshot")]
pub(crate) use drain::FluidDrainState;
pub use drain::{FluidDrain, FluidDrainTotals};
#[cfg(feature = "snapshot")]
pub(crate) use emitter::FluidEmitterState;
pub use emitter::{FluidEmitter, FluidEmitterTotals, FluidTank, FluidTankContents, FluidTankLink};
#[cfg(feature = "picture")]
pub use picture::FluidPicture;
#[cfg(feature = "snapshot")]
pub(crate) use pool::PoolShape;
pub use pool::{FluidPool, FluidPoolState};
#[cfg(feature = "snapshot")]
pub(crate) use pump::FluidPumpState;
pub use pump::{FluidPump, FluidPumpTotals};
#[cfg(any(feature = "picture", feature = "text"))]
pub use shape_source::FluidShapeTarget;
#[cfg(feature = "text")]
pub use text::FluidText;

crate::concern::concern! {
    /// Blobs, pools, emitters, drains, tanks and pumps, and shapes of images and texts. This plugin
    /// requires the [`FluidMaterialPlugin`](crate::FluidMaterialPlugin).
    FluidSourcesPlugin: blob::add_blobs, blob::add_classes, drain::add_drains, emitter::add_emitters, emitter::add_tanks, pool::add_pools, pump::add_pumps,
    #[cfg(feature = "picture")] picture::add_pictures, #[cfg(feature = "text")] text::add_texts
}
