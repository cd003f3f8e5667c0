//! A warning about debug builds, which are slow unless the game's profile says otherwise.

use bevy::prelude::*;

/// What a game's `Cargo.toml` needs.
const PROFILE: &str = include_str!("profile.toml");

/// Warns at the start of an app whose simulation was compiled without optimisation.
pub(crate) fn warn_if_missing() {
    if blob_fluid::OPT_LEVEL == "0" {
        warn!(
            "the fluid is compiled without optimisation, and a tick takes dozens of times as long; \
             add these lines to the game's Cargo.toml:\n{PROFILE}"
        );
    }
}
