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
pub use sensor::{FluidAirReading, FluidSensor, FluidSensorReading};
pub(crate) use sensor::{measure_air, measure_sensors, sync_sensors};
pub use splashes::{FluidSplashPlugin, FluidSplashes};
