//! Shapes of containers, colliders, regions and blobs: their distances, crossings, areas and
//! checks.

mod contours;
mod corners;
mod crossings;
mod edges;
mod field;
mod fill;
mod iso_lines;
mod kinds;
mod nesting;
mod outline;
mod polygon;
#[cfg(feature = "snapshot")]
mod stored;
mod tiles;

pub(crate) use corners::{Corner, Face};
pub(crate) use crossings::{Entry, Nearest};
pub use field::DistanceField;
pub(crate) use fill::scatter_in_tick;
pub use fill::{fermat_spiral, scatter};
pub use iso_lines::iso_lines;
pub use kinds::FluidShape;
pub use outline::Outline;
pub use polygon::{Polygon, Polyline};
pub use tiles::{TileBlock, merge_tiles};
