//! The passes of a surface, each beside its shader, in the order in which they run.
//!
//! | file | what it draws |
//! |---|---|
//! | `sources.rs` | what fields are drawn from |
//! | `fields.rs` | what comes before the view's own pass, in order |
//! | `walls.rs`, `nearest_wall.wgsl`, `solid.wgsl` | the walls: the one nearest to each texel of the field, and which are solid |
//! | `field.rs`, `field.wgsl` | particles, added up to a field |
//! | `whole_target.rs`, `coarser.wgsl`, `shape.wgsl`, `haze.wgsl` | coarser fields: how full the surroundings are; from them, how the surface leans; gases, lit |
//! | `behind.rs` | the picture behind the liquid, for refraction |
//! | `draw.rs`, `draw.wgsl` | the surface itself, in the view's own pass |

pub(super) mod behind;
pub(super) mod draw;
mod field;
pub(super) mod fields;
mod sources;
mod walls;
mod whole_target;
