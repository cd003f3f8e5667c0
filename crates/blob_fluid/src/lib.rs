//! 2D particle liquids in real time: the simulation core of `bevy_blob_fluid`, without Bevy.
//!
//! Particles move by double density relaxation (Clavet, Beaudoin and Poulin 2005, "Particle-based
//! Viscoelastic Fluid Simulation"). The pressure is capped, so the method stays stable at any
//! stiffness and depth. Results do not depend on the order of the work, such as the number of
//! threads. Particles belong to density classes, which separate into layers.
//!
//! # Architecture
//!
//! A [`Liquid`] is the state: particles, springs, settings, classes, containers, colliders, forces
//! and the clock. A solver's workspace holds only values derived from the state. You can discard
//! the workspace between two ticks without changing a result. [`FluidWorld`] owns a liquid and a
//! workspace, and steps the liquid.
//!
//! | folder or file | contents |
//! |---|---|
//! | `parallel/` | executors and vector instructions |
//! | `settings/` | parameters, classes, pairs of classes, and the macro that declares settings |
//! | `geometry/` | shapes, pipes, regions, poses, motions and bounding boxes |
//! | `boundary/` | containers, colliders and bodies |
//! | `particles/` | arrays, ids, lifetimes and springs of the particles |
//! | `liquid/` | the state, and the calls that change it |
//! | `world.rs` | a liquid with its airs, and the step |
//! | `solver/` | the passes that all solvers share, and a file or folder for each solver |
//! | `sources/` | blobs, emitters, drains, tanks and pumps |
//! | `air/` | air, smoke and fire on a grid |
//! | `pool/` | pools: bodies of water as columns of height |
//! | `observe/` | queries, measurements, sensors, splashes and the doctor |
//! | [`device`] | records for backends on a graphics card |
//! | `files/` | scenes and materials as RON data |
//! | `stored/` | conversion of each type of the state to bytes and back |
//! | `snapshot.rs` | whole worlds as bytes, states kept in memory, and deep hashes |
//! | `record.rs` | recordings, and their replay |
//! | `chunk.rs` | the liquid of a region, taken out of a world and put back |
//! | `bake/` | films: liquid that is simulated once and shown without simulation |
//!
//! [`FluidPass`] lists the passes of a substep in order, with their formulas; its table is in
//! `solver/pass/table.rs`. [`FluidWorld::step`] runs them all once per substep, and then those of
//! [`air::AirPass`] once.
//!
//! [`FluidSolver`] chooses the solver: `solver/double_density/`, `solver/classic.rs`, `solver/sph.rs`,
//! `solver/shared_pressure.rs` or `solver/incompressible/`. Another solver needs a file or folder in
//! `solver/` and an entry in the list in `settings/solver.rs`. `solver/method.rs` describes the
//! responsibilities of a solver.
//!
//! # Guide
//!
//! In the repository, `docs/how_it_works.md` explains the method, `docs/scenes.md` has all settings and the file formats,
//! `docs/snapshots.md` worlds as bytes, and `docs/overview.md` the guide to the Bevy plugin.
//!
//! # Units
//!
//! Lengths are world units (pixels, metres, ...), times are seconds, masses are relative to the
//! medium class. Choose a particle spacing and gravity. Most other settings are measured in units
//! that follow from these two. Temperatures are in degrees of any scale.
//!
//! # Example
//!
//! ```
//! use blob_fluid::{Container, FluidWorld, ParticleSpawn, SerialExecutor, ClassId, shape::FluidShape};
//! use glam::Vec2;
//!
//! let mut world = FluidWorld::default();
//! world.insert_container(Container::circle(Vec2::ZERO, 400.0)?);
//! let spacing = world.parameters().particle_spacing * 1.03;
//! let drop = FluidShape::Circle { radius: 60.0 }.fill(Vec2::ZERO, spacing);
//! for position in drop {
//!     world.spawn(ParticleSpawn { position, class: ClassId::HEAVY, ..Default::default() })?;
//! }
//! for _ in 0..60 {
//!     world.step(1.0 / 60.0, &SerialExecutor)?;
//! }
//! let lowest = world.particles().positions().iter().map(|p| p.y).fold(f32::MAX, f32::min);
//! assert!(lowest < -120.0, "a second of free fall");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limitations
//!
//! The liquid is two-dimensional, and space without particles is empty. [`air`] is simulated on its
//! own grid. No solver enforces an exactly constant density. [`Liquid::ignored_settings`] lists the
//! settings that the chosen solver ignores.
//!
//! # Reproducibility
//!
//! Equal ticks give equal bits ([`Liquid::state_hash`]). Only `+ - * /` and `sqrt` change the state,
//! every sum has a fixed order, and results do not depend on the number of threads. On x86-64, the passes
//! over pairs use AVX2 or AVX-512 if the processor has them, with bit-identical results
//! ([`vector_instructions`]).
//!
//! # Features
//!
//! - `rayon` (default): `RayonExecutor`, the passes on several threads.
//! - `scene` (default): the modules `scene` and `material`, worlds and liquids described as RON data.
//! - `snapshot` (default): whole worlds as bytes (`FluidWorld::to_bytes`), kept states, deep hashes
//!   and recordings.
//! - `bake` (default): films, which show liquid without simulating it (`FluidBaker`,
//!   `BakedPlayer`).
//! - `bevy_reflect`: `Reflect` for settings, classes and shapes.
//! - `serde`: settings, classes and shapes can be serialised.

/// The optimisation level with which this crate was compiled, as in a Cargo profile: `"0"` to
/// `"3"`, `"s"` or `"z"`. A step at level 0 takes dozens of times as long as at level 3.
pub const OPT_LEVEL: &str = env!("BLOB_FLUID_OPT_LEVEL");

pub mod air;
#[cfg(feature = "bake")]
mod bake;
mod boundary;
#[cfg(feature = "snapshot")]
pub(crate) mod chunk;
mod files;
mod geometry;
mod liquid;
mod observe;
mod parallel;
mod particles;
mod pool;
pub mod ranges;
#[cfg(feature = "snapshot")]
mod record;
mod revision;
mod settings;
#[cfg(feature = "snapshot")]
mod snapshot;
mod solver;
mod sources;
mod stored;
mod work;
mod world;

pub use geometry::shape;
pub use observe::{doctor, measure};
pub use solver::kernel;

#[cfg(feature = "scene")]
pub use files::{material, scene};

#[cfg(feature = "bake")]
pub use bake::FluidBaker;
#[cfg(feature = "bake")]
pub use bake::player::{BakeSettings, BakedFluid, BakedFrame, BakedPlayer};
pub use boundary::body::{Attachment, Body, HostBody, HostBodyId, Load};
pub use boundary::collider::{Collider, ColliderId, ColliderOptions};
pub use boundary::container::{Container, ContainerId, ContainerOptions};
pub use boundary::solid::{Solid, SolidOptions, WallProperties};
#[cfg(feature = "snapshot")]
pub use chunk::FluidChunk;
pub use geometry::bounds::FluidBounds;
pub use geometry::pipe::{Pipe, Valve};
pub use geometry::pose::{Motion, Pose};
pub use geometry::region::FluidRegion;
pub use geometry::shape::FluidShape;
pub use liquid::blast::{Blast, BlastHit, BlastHits, BlastReport};
pub use liquid::clock::{StepError, StepReport};
pub use liquid::force::{FieldParticles, FluidFalloff, Force, ForceField};
pub use liquid::saved::{RestoreError, SavedParticle, SavedParticles, SavedSpring, SavedTicks};
pub use liquid::spawn::MovingParticle;
pub use liquid::state::{CapacityPolicy, Liquid, Quarantined};
pub use observe::inspect::Cell;
pub use observe::query::{BlobChange, BlobId, BlobTracker, BlobTracking, SurfaceHit, TrackedBlob};
pub use observe::sensor::{FillLevels, LevelCrossing, Sensor, SensorCounts, SensorReading};
pub use observe::splash::{Splash, SplashDetection, SplashDetector, TileImpact};
#[cfg(feature = "rayon")]
pub use parallel::executor::RayonExecutor;
pub use parallel::executor::{Executor, SerialExecutor};
pub use parallel::instructions::vector_instructions;
pub use particles::arrays::{Particles, SplitParticles};
pub use particles::columns::Spring;
pub use particles::life::{FluidLifetime, ParticleId, ParticleSpawn, ParticleTag, SpawnError};
pub use particles::optional::{Grain, PoreLiquid};
pub use pool::{Pool, PoolError, PoolId, PoolSettings};
#[cfg(feature = "snapshot")]
pub use record::{FluidRecorder, Recording, Replay, ReplayDifference, ReplayError};
pub use settings::class::{
    ClassFilter, ClassId, ClassPair, ClassViscosity, DensityClass, FluidElasticity, FluidIntoAir,
    FluidPaint, FluidPowder, FluidReaction, FluidThermal, FluidTransition, PaintMixing,
};
pub use settings::class_table::{ClassError, ClassTable};
pub use settings::parameters::{
    ClassicSettings, Effort, FluidBudget, FluidParameters, FluidSleeping, GhostWalls, GivenUp,
    IncompressibleSettings, Settling, SharedPressureSettings, SphSettings, Substeps, Viscosity,
};
pub use settings::range::OutOfRange;
pub use settings::solver::FluidSolver;
#[cfg(feature = "snapshot")]
pub use snapshot::{DeepHash, FluidPart, KeptState, Snapshot, SnapshotFile};
pub use solver::governor::Governor;
pub use solver::ignores::IgnoredSetting;
pub use solver::neighbours::blocks::{Pair, Pairs};
pub use solver::pass::table::FluidPass;
pub use sources::blob::{Blob, BlobReport};
pub use sources::drain::Drain;
pub use sources::emitter::{EmitReport, Emitter, EmitterSettings, FluidNozzle};
pub use sources::pump::{Pump, PumpReport, PumpSettings};
pub use sources::tank::Tank;
#[cfg(feature = "snapshot")]
pub use stored::bytes::SnapshotError;
pub use world::FluidWorld;

/// Records for backends that step the liquid on a graphics card, with the core's coefficients. Games do not need these
/// records.
///
/// The crate `blob_fluid_gpu` is such a backend. [`Liquid::begin_device_tick`](crate::Liquid::begin_device_tick) and the
/// calls with `device` in their names belong to it.
pub mod device {
    pub use crate::solver::double_density::device::{
        DeviceBearer, DeviceClass, DeviceCoefficients, DeviceMeasures, DevicePair, DeviceReaction,
        DeviceSeams, DeviceSolid, DeviceThermal, DeviceTick, DeviceWall, LoadBearer,
        NO_TEMPERATURE,
    };
    pub use crate::solver::sleep::{DeviceSleeping, DeviceWake};
    pub use crate::solver::substeps::DeviceColumns;
}
