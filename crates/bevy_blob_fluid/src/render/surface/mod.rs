//! The closed surface of the liquid.
//!
//! | file | what it holds |
//! |---|---|
//! | `extract.rs` | the copy from the app's world to the renderer's |
//! | `liquids.rs` | which classes are drawn as one liquid or gas |
//! | `channels.rs` | what the channels of the field hold |
//! | `field_layout.rs` | sizes of the field's textures |
//! | `drop_shape.rs` | the weight of a particle, for texels of any width |
//! | `uniform.rs` | a surface as the shaders read it |
//! | `walls.rs` | the walls on the GPU |
//! | `strips.rs` | where in a view the surface is drawn |
//! | `layouts.rs`, `pipelines.rs` | the layouts of bind groups, and the pipelines |
//! | `textures.rs` | the textures of a surface in a view |
//! | `views.rs`, `bind_groups.rs` | what is kept of each view, and its bind groups |
//! | `passes` | the passes, each beside its shader |
//! | `shaders` | parts that these shaders share |
//! | `attached_look.rs`, `custom_look.rs` | shaders of a game's own |
//! | `plugin.rs` | the systems |

mod attached_look;
mod bind_groups;
mod channels;
pub(super) mod custom_look;
mod drop_shape;
mod extract;
mod field_layout;
mod layouts;
mod liquids;
mod passes;
mod pipelines;
pub(super) mod plugin;
mod strips;
mod textures;
mod uniform;
mod views;
mod walls;
