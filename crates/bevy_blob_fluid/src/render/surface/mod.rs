//! The closed surface of the liquid.
//!
//! | file | what it holds |
//! |---|---|
//! | `extract.rs` | the copy from the app's world to the renderer's |
//! | `liquids.rs` | which classes are drawn as one liquid or gas |
//! | `field_layout.rs` | sizes of the field's textures |
//! | `uniform.rs` | a surface as the shaders read it |
//! | `walls.rs` | the walls on the GPU |
//! | `strips.rs` | where in a view the surface is drawn |
//! | `layouts.rs`, `pipelines.rs` | the layouts of bind groups, and the pipelines |
//! | `views.rs`, `bind_groups.rs` | textures and bind groups of each view |
//! | `passes` | the passes, each beside its shader |
//! | `shaders` | parts that these shaders share |
//! | `attached_look.rs`, `custom_look.rs` | shaders of a game's own |
//! | `plugin.rs` | the systems |

mod attached_look;
mod bind_groups;
pub(super) mod custom_look;
mod extract;
mod field_layout;
mod layouts;
mod liquids;
mod passes;
mod pipelines;
pub(super) mod plugin;
mod strips;
mod uniform;
mod views;
mod walls;
