//! Shapes of containers, colliders, regions and blobs: their distances, crossings, areas and
//! checks.

mod contours;
mod crossings;
mod edges;
mod field;
mod kinds;
mod nesting;
mod outline;
mod polygon;

pub use contours::{TileBlock, iso_lines, merge_tiles};
pub(crate) use crossings::{Entry, Nearest};
pub(crate) use edges::{Corner, Face};
pub use field::DistanceField;
pub use kinds::FluidShape;
pub(crate) use outline::scatter_in_tick;
pub use outline::{Outline, fermat_spiral, scatter};
pub use polygon::{Polygon, Polyline};
