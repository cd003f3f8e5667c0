//! Pictures without a game's texts.

use bevy::prelude::*;

use crate::art::Hud;

/// Hides entities that have just been marked as [`Hud`].
pub(crate) fn hide_hud(mut shown: Query<&mut Visibility, Added<Hud>>) {
    shown.iter_mut().for_each(|mut visibility| *visibility = Visibility::Hidden);
}
