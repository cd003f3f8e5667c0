//! 2D particle liquids in real time: the simulation core of `bevy_blob_fluid`, without Bevy.
//!
//! Particles move by double density relaxation (Clavet, Beaudoin and Poulin 2005, "Particle-based
//! Viscoelastic Fluid Simulation"), in a capped, order-free form that stays stable however stiff or
//! deep the liquid is, and belong to density classes that stratify by themselves.
//!
//! | pass | file | the paper |
//! |---|---|---|
//! | gravity | `pass/gravity.rs` | Algorithm 1, lines 1-3 |
//! | forces | `pass/forces.rs` | Section 6.2 (interaction) |
//! | damping | `pass/damping.rs` | not in the paper: how a pool comes to rest |
//! | surfaces | `pass/surfaces.rs` | Section 6.1 (stickiness), Algorithm 6 (friction) |
//! | viscosity | `pass/viscosity.rs` | Algorithm 5 |
//! | heat | `pass/heat.rs` | not in the paper |
//! | reactions | `pass/reactions.rs` | not in the paper: classes that turn into others |
//! | advance | `pass/advance.rs` | Algorithm 1, lines 6-10 |
//! | hash | `pass/hash.rs` | Section 3 (neighbour search) |
//! | springs | `pass/springs.rs` | Algorithms 3 and 4 |
//! | relaxation | `pass/relaxation.rs` | Algorithm 2 |
//! | containment | `pass/containment.rs` | Algorithm 1, line 16, and Algorithm 6 |
//! | velocity | `pass/velocity.rs` | Algorithm 1, lines 17-19 |
//! | bodies | `pass/bodies.rs` | Algorithm 6: bodies that the liquid moves |
//!
//! [`FluidWorld::step`] runs them in this order, once per substep. One of the viscosity's sweeps
//! over the pairs is made together with the relaxation's, which visits the same pairs: the paper's
//! impulse, taken where the particles are about to be rather than where they were.
//!
//! # Units
//!
//! Lengths are world units (pixels, metres, ...), times are seconds, masses are relative to the
//! medium class. Choose a particle spacing and gravity; every other setting is dimensionless.
//!
//! # Example
//!
//! ```
//! use blob_fluid::{Container, FluidWorld, ParticleSpawn, SerialExecutor, ClassId, shape::Shape};
//! use glam::Vec2;
//!
//! let mut world = FluidWorld::default();
//! world.insert_container(Container::circle(Vec2::ZERO, 400.0)?);
//! let spacing = world.parameters().particle_spacing * 1.03;
//! let drop = Shape::Circle { radius: 60.0 }.fill(Vec2::ZERO, spacing);
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
//! # What is not modelled yet
//!
//! Any solver other than double density relaxation.
//!
//! # Reproducibility
//!
//! Only `+ - * /` and `sqrt` touch the state, every sum has a fixed order, and no result depends on
//! the number of threads: the same ticks give the same bits ([`FluidWorld::state_hash`]). On x86-64
//! the passes over pairs use AVX2 where it is there, which changes nothing;
//! `BLOB_FLUID_INSTRUCTIONS=baseline` in the environment does without, to compare.
//!
//! # Features
//!
//! - `rayon` (default): [`RayonExecutor`], the passes on several threads.
//! - `scene` (default): [`scene`] and [`material`], worlds and liquids described as RON data.
//! - `bevy_reflect`: `Reflect` for settings, classes and shapes.
//! - `serde`: settings, classes and shapes can be serialised.

mod body;
mod bounds;
mod box_tree;
mod class;
mod class_filter;
mod class_pair;
mod class_table;
mod coefficients;
mod collider;
mod collider_boxes;
mod connection;
mod container;
pub mod doctor;
mod drain;
mod effort;
mod emitter;
mod executor;
mod force;
mod grid;
mod index;
mod inspect;
mod instructions;
pub mod kernel;
mod life;
mod load;
#[cfg(feature = "scene")]
pub mod material;
pub mod measure;
mod near;
mod parameters;
mod particle;
pub mod pass;
mod population;
mod query;
mod range;
mod region;
#[cfg(feature = "scene")]
pub mod scene;
mod sensor;
pub mod shape;
mod sleep;
mod slots;
mod solid;
mod solids;
mod splash;
mod spring;
mod substeps;
mod surface;
mod thermal;
mod world;
mod world_solids;

pub use body::Body;
pub use bounds::Bounds;
pub use class::{ClassId, ClassViscosity, DensityClass, Elasticity};
pub use class_filter::ClassFilter;
pub use class_pair::{ClassPair, Reaction};
pub use class_table::{ClassError, ClassTable};
pub use collider::{Collider, ColliderId, Obstacle};
pub use container::{Container, ContainerId, Vessel};
pub use drain::Drain;
pub use effort::{Budget, Effort, GivenUp, Governor};
pub use emitter::{EmitReport, Emitter, EmitterSettings, Nozzle};
#[cfg(feature = "rayon")]
pub use executor::RayonExecutor;
pub use executor::{Executor, SerialExecutor, Slices};
pub use force::{Falloff, FieldParticles, Force, ForceField};
pub use inspect::Cell;
pub use life::{Lifetime, ParticleTag};
pub use load::Load;
pub use parameters::{
    FluidParameters, MassSplit, Relaxation, Settling, Sleeping, Substeps, Viscosity, Wall,
};
pub use particle::{ParticleId, ParticleSpawn, Particles, SpawnError};
pub use population::CapacityPolicy;
pub use query::{BlobChange, BlobId, BlobTracker, BlobTracking, SurfaceHit, TrackedBlob};
pub use range::OutOfRange;
pub use region::Region;
pub use sensor::{FillLevels, LevelCrossing, Sensor, SensorReading};
pub use shape::Shape;
pub use solid::{Solid, SolidKind};
pub use splash::{Splash, SplashDetection, SplashDetector};
pub use spring::Spring;
pub use surface::{Motion, Surface};
pub use thermal::{Thermal, Transition};
pub use world::{FluidWorld, StepError, StepReport};
