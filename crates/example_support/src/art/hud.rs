//! Texts that pictures do without.

use bevy::prelude::*;

/// Marks what a player reads, such as help and the score, and what pictures of the examples
/// (`--shot`) do without.
#[derive(Component, Clone, Copy, Debug, Default)]
#[require(Visibility)]
pub struct Hud;
