//! What a game learns of the liquid: sensors, blobs, splashes and queries.

mod blobs;
mod messages;
mod query;
mod sensor;
mod splashes;

pub use blobs::{FluidBlobs, FluidBlobsPlugin};
pub use messages::{
    FluidBlobSplit, FluidBlobsMerged, FluidDrained, FluidEntered, FluidFilled, FluidLeft,
    FluidSplash,
};
pub use query::FluidQuery;
#[cfg(feature = "snapshot")]
pub(crate) use sensor::SensorState;
pub use sensor::{FluidAirReading, FluidSensor, FluidSensorReading};
pub use splashes::{FluidSplashPlugin, FluidSplashes};

crate::concern::concern! {
    /// Sensors. Blobs and splashes cost something whether or not anybody asks: they have the plugins
    /// [`FluidBlobsPlugin`] and [`FluidSplashPlugin`].
    FluidSensingPlugin: sensor
}
