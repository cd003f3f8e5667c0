//! What the pointer does to the liquid.
//!
//! | file | what it does |
//! |---|---|
//! | `position.rs` | follows the mouse or the first finger |
//! | `keys.rs` | opens the panel, changes the brush, chooses classes |
//! | `selected.rs` | keeps the selected classes when the class table changes |
//! | `stroke.rs` | records the pointer's path between two ticks |
//! | `pour.rs` | pours, erases and paints along that path |
//! | `force.rs` | pushes, pulls, stirs and grabs |
//! | `outline.rs` | draws the brush |

pub(crate) mod force;
pub(crate) mod keys;
pub(crate) mod outline;
pub(crate) mod position;
pub(crate) mod pour;
pub(crate) mod selected;
pub(crate) mod stroke;
