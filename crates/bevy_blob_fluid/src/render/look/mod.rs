//! Looks: the components and resources by which a game says how things are drawn. What draws them
//! stands above, in `dots`, `surface` and `air`.
//!
//! | file | what it holds |
//! |---|---|
//! | `dots.rs` | dots |
//! | `surface.rs` | the closed surface |
//! | `liquid.rs` | the look of a liquid or gas on it |
//! | `custom.rs` | a fragment shader of the game's own for it |
//! | `detail.rs` | how much of the looks of surfaces is drawn, by the time that frames take |
//! | `air.rs` | smoke, fire and streamlines |

pub(super) mod air;
pub(super) mod custom;
pub(super) mod detail;
pub(super) mod dots;
pub(super) mod liquid;
pub(super) mod surface;
