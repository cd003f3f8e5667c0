//! Items of Bevy whose path or form depends on its version. `render/view.rs` has such items of
//! views.

use bevy::ecs::lifecycle::{Insert, Remove};
use bevy::ecs::observer::On;
pub(crate) use bevy::math::primitives::Primitive2d;

/// The event that a component was inserted.
pub(crate) type OnInsert<'w, 't, C> = On<'w, 't, Insert, C>;

/// The event that a component was removed.
pub(crate) type OnRemove<'w, 't, C> = On<'w, 't, Remove, C>;
