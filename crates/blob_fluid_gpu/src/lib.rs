//! The liquid of [`blob_fluid`] on a graphics card. [`GpuLiquid`] takes the settings and the
//! particles of a core liquid and steps them with compute shaders. The host provides the
//! [`wgpu::Device`].
//!
//! | file | contents |
//! |---|---|
//! | `liquid.rs` | the liquid: its input, its room, and the results that are read back |
//! | `tick.rs` | its ticks, and the times of their passes |
//! | `programs.rs` | the order of the passes; their shaders and pipelines, which liquids share; timestamps |
//! | `shaders/` | a file for each theme; its parts are a pass or a formula each, with the names of the core's passes |
//! | `buffers.rs` | memory of the GPU, and copies to and from it |
//! | `copies.rs` | copies of all particles, without waiting |
//! | `records.rs` | uniforms and records in the layout of the shaders |
//! | `instances.rs` | instances for drawing |
//! | `grid.rs`, `domain.rs` | cells and ids; the region of the grid and eased changes |
//! | `classes.rs`, `columns.rs` | classes of particles; columns of liquid, for automatic substeps |
//! | `report.rs`, `impacts.rs` | counts and impacts, which arrive some ticks later |
//! | `gameplay.rs` | methods for games, between two ticks |
//! | `regions.rs`, `drains.rs`, `sensors.rs` | forces and impulses; drains and recycling; sensors |
//! | `loads.rs` | loads on colliders, and bodies that yield to them |
//! | `sleep.rs` | sleeping particles |
//! | `solids/` | colliders and containers: their pieces, bins and poses |
//! | `ignores.rs` | refused and ignored settings |
//! | `error.rs`, `scope.rs` | errors, and the error scopes that find them |
//!
//! The coefficients come from the core ([`blob_fluid::device::DeviceCoefficients`]). The shaders need only
//! the default limits of WebGPU: eight storage buffers, no float atomics, no subgroups.
//!
//! # What it does not do
//!
//! Only the solver `double_density` is supported, with at most one container. Colliders stop
//! liquid, and move in each tick as in the core.
//!
//! | | |
//! |---|---|
//! | other solvers, several containers, or one that is a line | refused: [`GpuError`] |
//! | bodies | move by gravity, contacts and the liquid; the host gets the loads of the liquid two ticks late |
//! | a collider placed into liquid | does not fade in: its walls press fully at once, unless particles of the core's own liquid are there too |
//! | a particle near more than eight walls | feels the nearest eight |
//! | force fields, springs, powder, paint, further sweeps of viscosity | ignored, and listed by [`ignored_settings`] |
//! | heat | exchanged at the predicted positions; liquid does not boil into air, and air does not heat liquid |
//! | sleeping | by tiles: liquid is at rest where hardly any particle is faster than the allowed drift |
//! | automatic substeps | from a [report](GpuReport), two or more ticks late, and from liquid added since |
//! | lifetimes | to 1/256 s, at most 4000 s, without fading |
//! | easing in | after changes of settings and classes, and after [`Liquid::ease_in`](blob_fluid::Liquid::ease_in), until a report says that the liquid has spread; a container that moves away from its liquid is not detected |
//! | sensors | count, and sum velocities; they do not report single particles or paint ([`GpuSensorReading`]) |
//! | splashes | the impacts of a tick come with its report, in at most 1024 squares ([`GpuLiquid::take_impacts`]) |
//! | emitters, tags, queries | not supported; [`GpuLiquid::request_particles`] copies all particles |
//! | clumps | in a container, only the 128 particles with the lowest ids in a cell of `h/4` by `h/2` touch others; the remaining ones wait for their turn |
//!
//! # Reproducibility
//!
//! Particles are sorted by cell and, within a cell, by id, and every sum is gathered in that order.
//! So equal ticks give equal bits on the same device and driver. The order of insertion and the
//! capacity do not matter.
//!
//! Reports arrive when the device has time. They decide automatic substeps and the sleep of the whole
//! liquid, and the grid of a liquid without a container or in a very large one. For bit-identical
//! results, ticks must wait for these reports ([`GpuLiquid::set_exact`]). WGSL leaves rounding to
//! the device, so results equal those of the CPU within rounding, not bit by bit.

mod buffers;
mod classes;
mod columns;
mod copies;
mod domain;
mod drains;
mod error;
mod gameplay;
mod grid;
mod ignores;
mod impacts;
mod instances;
mod liquid;
mod loads;
mod programs;
mod records;
mod regions;
mod report;
mod scope;
mod sensors;
mod sleep;
mod solids;
mod tick;

pub use copies::{GpuParticlesCopy, saved_particles};
pub use drains::GpuDrain;
pub use error::GpuError;
pub use ignores::{ignored_settings, supported};
pub use instances::GpuInstances;
pub use liquid::{GpuLiquid, GpuParticle};
pub use programs::{GpuPass, PassTime, Shaders};
pub use report::GpuReport;
pub use sensors::{GpuSensor, GpuSensorId, GpuSensorReading};
