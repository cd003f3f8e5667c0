//! What all looks share on the GPU.
//!
//! | file | what it holds |
//! |---|---|
//! | `work.rs` | what is done to draw the liquid |
//! | `buffers.rs` | the particles and their colours |
//! | `pipeline.rs` | layouts of views and vertices, depth, and what a view wants of a shader |
//! | `phase.rs` | what a view sees, and the items of its transparent phase |
//! | `target.rs` | targets of passes |

pub(super) mod buffers;
pub(super) mod phase;
pub(super) mod pipeline;
pub(super) mod target;
pub(super) mod work;
