//! Records for backends on a graphics card: they step the liquid elsewhere, from the core's own coefficients. Games do
//! not need them.
//!
//! The crate `blob_fluid_gpu` is such a backend. [`Liquid::begin_device_tick`](crate::Liquid::begin_device_tick) and the
//! calls with `device` in their names belong to it.

pub use crate::solver::double_density::device::{
    DeviceBearer, DeviceClass, DeviceCoefficients, DeviceMeasures, DevicePair, DeviceReaction,
    DeviceSeams, DeviceSolid, DeviceThermal, DeviceTick, DeviceWall, LoadBearer, NO_TEMPERATURE,
};
pub use crate::solver::sleep::wake::{DeviceSleeping, DeviceWake};
pub use crate::solver::substeps::DeviceColumns;
