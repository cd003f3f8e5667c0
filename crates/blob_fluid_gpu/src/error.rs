//! What can go wrong.

use blob_fluid::{OutOfRange, StepError};
use thiserror::Error;

/// Why a device does not take or step a liquid.
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
    /// The device has no room for so many particles.
    #[error("{count} particles do not fit into the device's buffers, which hold {most}")]
    TooManyParticles {
        /// Number of particles asked for.
        count: usize,
        /// The most that fit.
        most: usize,
    },
    /// The table of classes does not fit into a buffer of the device.
    #[error("{0} classes do not fit into a buffer of the device")]
    TooManyClasses(usize),
    /// The colliders do not fit into a buffer of the device.
    #[error("the colliders do not fit into a buffer of the device")]
    TooManySolids,
    /// The device's memory is full. A call that needs less, or comes when some is free again, succeeds.
    #[error("the device is out of memory ({0}): free some of it, or take fewer particles")]
    OutOfMemory(String),
    /// The device is lost, with all particles on it. It stays so: a host goes on with another device, or without one.
    #[error("the device is lost: make the liquid anew, on another device or on the processor")]
    Lost,
    /// The device did not give back what it was asked for.
    #[error("the device gave nothing back: {0}")]
    NoAnswer(String),
    /// A particle with this id is there already.
    #[error("the particle id {0} is in use")]
    IdInUse(u32),
    /// `u32::MAX` is not the id of a particle.
    #[error("{0} is not the id of a particle: ids are at most {most}", most = u32::MAX - 1)]
    InvalidId(u32),
    /// Fewer ids are left than particles were to be added: 2^32 - 1 are given in all.
    #[error("no more ids are left")]
    NoMoreIds,
    /// The class table lacks the class of a particle that is to be added, or the highest class that one on the device may
    /// have.
    #[error("class {class} does not exist: the table holds {classes}")]
    UnknownClass {
        /// Index of the class.
        class: u8,
        /// Number of classes in the table.
        classes: usize,
    },
    /// The device has no timestamps.
    #[error("the device was made without the feature TIMESTAMP_QUERY")]
    NoTimestamps,
    /// A force is invalid.
    #[error(transparent)]
    Force(OutOfRange),
    /// Drained particles are counted in 64 channels.
    #[error("the channel {0} does not exist: there are 64")]
    UnknownChannel(u8),
    /// The forces, with the edges and pixels of their regions, do not fit into a buffer of the device.
    #[error("the forces take {0} entries of 16 bytes, and do not fit into a buffer of the device")]
    ForcesTooLarge(usize),
    /// What sensors remember, a bit for each of them and each id, or the edges and pixels of their regions, do not
    /// fit into a buffer of the device.
    #[error("{0} sensors do not fit into a buffer of the device")]
    SensorsTooLarge(usize),
    /// The time step is invalid.
    #[error(transparent)]
    Step(#[from] StepError),
}
