//! Pools: bodies of water as columns of height over a bed, by the shallow-water equations.
//!
//! [`Pool`] is the state. A tick steps all pools once, after the passes of the liquid, in this order:
//!
//! 1. `particles`: particles of the pool's class that are below its surface become water of its columns. Fast ones make
//!    a splash.
//! 2. `bodies`: finds the area of each column that bodies displace.
//! 3. `columns`: the flow between columns.
//! 4. `bodies`: buoyancy, pressure and drag on bodies.
//! 5. `particles`: bodies that enter fast, and open ends, turn water of columns into particles.
//!
//! # Units
//!
//! Lengths are in world units and times in seconds. Amounts are whole numbers of [`Pool::PARTS`] per particle. So no
//! sum of amounts is ever rounded.
//!
//! # Limits of the model
//!
//! The pressure in a column is that of water at rest, and the velocity is the same at all depths. So all waves have the
//! speed `sqrt(g h)`: long waves are exact, and waves that are shorter than about ten depths do not disperse. Steep
//! waves break into bores. Columns have no vertical momentum: the bed takes the momentum of falling particles. Only the
//! part of gravity along the y axis acts. Bodies and colliders that move displace water. Colliders that stand still do
//! not: the bed describes the ground.

pub(crate) mod bodies;
mod columns;
mod particles;
pub(crate) mod state;

pub use state::{Pool, PoolError, PoolId, PoolSettings};
