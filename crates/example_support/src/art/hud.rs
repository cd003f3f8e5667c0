//! Texts that pictures omit.

use bevy::prelude::*;

/// Marks texts for a player, such as help and the score. Pictures of the examples (`--shot`) omit
/// them.
#[derive(Component, Clone, Copy, Debug, Default)]
#[require(Visibility)]
pub struct Hud;
