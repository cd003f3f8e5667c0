//! The liquid of [`blob_fluid`] on a graphics card: [`GpuLiquid`] takes the settings and the particles
//! of a core liquid and steps them by compute shaders, on a [`wgpu::Device`] that it is given.
//!
//! | file | contents |
//! |---|---|
//! | `liquid.rs` | the liquid: its input, and the results that are read back |
//! | `tick.rs` | its ticks |
//! | `programs.rs` | the passes in order, their shaders and pipelines, which liquids share |
//! | `shaders/` | a file per pass or formula, named as the core's passes |
//! | `buffers.rs`, `room.rs`, `read.rs` | the device's memory, its growth, and copies to and from it |
//! | `copies.rs` | copies of all particles that nothing waits for |
//! | `records.rs` | uniforms and records in the layout of the device |
//! | `instances.rs` | instances for drawing |
//! | `grid.rs`, `domain.rs` | cells and ids; the region of the grid and eased changes |
//! | `classes.rs`, `columns.rs` | classes of particles; columns of liquid, for automatic substeps |
//! | `report.rs`, `impacts.rs` | counts and impacts, which are read back some ticks later |
//! | `gameplay.rs` | calls of a game between two ticks |
//! | `regions.rs`, `drains.rs`, `sensors.rs` | forces and impulses; drains and recycling; sensors |
//! | `loads.rs` | loads on colliders, and bodies that yield to them |
//! | `sleep.rs` | sleeping particles |
//! | `solids/` | colliders and containers: their pieces, bins and poses |
//! | `ignores.rs` | settings that are refused or ignored |
//! | `timing.rs`, `timestamps.rs` | times of the passes |
//! | `error.rs`, `scope.rs` | errors, and the error scopes that find them |
//!
//! The coefficients come from the core ([`blob_fluid::DeviceCoefficients`]). The shaders need no more
//! than the default limits of WebGPU: eight storage buffers, no float atomics, no subgroups.
//!
//! # What it does not do
//!
//! Only the solver `double_density` is here, with one container or none. Colliders stop liquid, and move
//! with each tick as the core would move them.
//!
//! | | |
//! |---|---|
//! | other solvers, several containers, or one that is a line | refused: [`GpuError`] |
//! | bodies | move by gravity, contacts and the liquid; the host learns what the liquid did two ticks late |
//! | a collider that is put onto liquid | does not fade in: its walls press in full at once, unless particles of the core's own liquid are there too |
//! | a particle near more than eight walls | feels the nearest eight |
//! | force fields, springs, powder, paint, further sweeps of viscosity | left out, and listed by [`ignored_settings`] |
//! | heat | is exchanged at the predicted positions; nothing boils away into air, and air warms nothing |
//! | sleeping | by tiles: liquid is at rest where hardly anything is faster than it may drift |
//! | automatic substeps | from a [report](GpuReport), two ticks late or later, and what was added since |
//! | lifetimes | to 1/256 s, at most 4000 s, without fading |
//! | easing in | changes of settings and classes, and what [`Liquid::ease_in`](blob_fluid::Liquid::ease_in) asks for, until a report says that the liquid has spread; a container that moves away from its liquid is not noticed |
//! | sensors | count, and sum velocities; which particles came and left, and paint, are not told ([`GpuSensorReading`]) |
//! | splashes | the impacts of a tick come with its report, in at most 1024 squares ([`GpuLiquid::take_impacts`]) |
//! | emitters, tags, queries | not here; [`GpuLiquid::request_particles`] copies all particles |
//! | clumps | in a container, of the particles in a cell of `h/4` by `h/2` only the 128 with the lowest ids touch others; the rest wait for their places |
//!
//! # Reproducibility
//!
//! Particles are sorted by cell and, within a cell, by id, and every sum is gathered in that order. So
//! the same ticks give the same bits on the same device and driver, whatever the order in which
//! particles were inserted, and whatever the capacity. Automatic substeps, the grid of a liquid without
//! a container or in a very large one, and whether all sleep, follow from reports, which arrive when the
//! device has time: for the same bits they must be waited for ([`GpuLiquid::set_exact`]). WGSL leaves
//! rounding to the device: against the CPU the results are
//! equal within rounding, not to the bit.

mod borne;
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
mod read;
mod records;
mod regions;
mod report;
mod room;
mod scope;
mod sensors;
mod sleep;
mod solids;
mod tick;
mod timestamps;
mod timing;

pub use copies::{GpuParticlesCopy, saved_particles};
pub use drains::GpuDrain;
pub use error::GpuError;
pub use ignores::{ignored_settings, supported};
pub use instances::GpuInstances;
pub use liquid::{GpuLiquid, GpuParticle};
pub use programs::{GpuPass, Shaders};
pub use report::GpuReport;
pub use sensors::{GpuSensor, GpuSensorId, GpuSensorReading};
pub use timestamps::PassTime;
