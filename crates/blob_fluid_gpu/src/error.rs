//! Errors of a liquid on a graphics card.

use blob_fluid::{OutOfRange, StepError};
use thiserror::Error;

/// The reason for which a liquid cannot be taken or stepped.
#[derive(Debug, Error)]
pub enum GpuError {
    /// The liquid has another solver.
    #[error("the device steps the solver `double_density`, not `{0}`")]
    Solver(&'static str),
    /// The liquid has several containers.
    #[error("the device takes one container at most, and the liquid has {0}")]
    Containers(usize),
    /// The container is a line.
    #[error("the container must not be a line")]
    ContainerShape,
    /// The liquid has pools.
    #[error("the device has no pools of columns")]
    Pools,
    /// The particles do not fit into the device's buffers.
    #[error("{count} particles do not fit into the device's buffers, which hold {most}")]
    TooManyParticles {
        /// Requested number of particles.
        count: usize,
        /// The largest possible number.
        most: usize,
    },
    /// The table of classes does not fit into a buffer of the device.
    #[error("{0} classes do not fit into a buffer of the device")]
    TooManyClasses(usize),
    /// The colliders do not fit into a buffer of the device.
    #[error("the colliders do not fit into a buffer of the device")]
    TooManySolids,
    /// The device's memory is full. A call may succeed if it needs less memory, or after memory is freed.
    #[error("the device is out of memory ({0}): free some of it, or take fewer particles")]
    OutOfMemory(String),
    /// The device is lost, with all particles on it. The loss is permanent: the host continues with
    /// another device or without one.
    #[error("the device is lost: make the liquid anew, on another device or on the processor")]
    Lost,
    /// The device did not return the requested data.
    #[error("the device gave nothing back: {0}")]
    NoAnswer(String),
    /// The liquid already has a particle with this id.
    #[error("the particle id {0} is in use")]
    IdInUse(u32),
    /// The id `u32::MAX` is invalid.
    #[error("{0} is not the id of a particle: ids are at most {most}", most = u32::MAX - 1)]
    InvalidId(u32),
    /// The remaining ids are fewer than the new particles. 2^32 - 1 ids exist in all.
    #[error("no more ids are left")]
    NoMoreIds,
    /// The class table lacks the class of a new particle, or the highest class that particles on
    /// the GPU may have.
    #[error("class {class} does not exist: the table holds {classes}")]
    UnknownClass {
        /// Index of the class.
        class: u8,
        /// Number of classes in the table.
        classes: usize,
    },
    /// The device does not support timestamps.
    #[error("the device was made without the feature TIMESTAMP_QUERY")]
    NoTimestamps,
    /// A force is invalid.
    #[error(transparent)]
    Force(OutOfRange),
    /// The channel of a drain is above 63.
    #[error("the channel {0} does not exist: there are 64")]
    UnknownChannel(u8),
    /// The forces, with the edges and pixels of their regions, do not fit into a buffer of the device.
    #[error("the forces take {0} entries of 16 bytes, and do not fit into a buffer of the device")]
    ForcesTooLarge(usize),
    /// The data of sensors do not fit into a buffer of the device: a bit for each sensor and each
    /// id, or the edges and pixels of their regions.
    #[error("{0} sensors do not fit into a buffer of the device")]
    SensorsTooLarge(usize),
    /// The time step is invalid.
    #[error(transparent)]
    Step(#[from] StepError),
}
