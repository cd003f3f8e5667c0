//! A warning about debug builds, which are slow unless the game's profile says otherwise.

use bevy::prelude::*;

/// What a game's `Cargo.toml` needs.
const PROFILE: &str = include_str!("profile.toml");

/// Levels at which the passes are compiled, with this crate for its executor, and the core.
const LEVELS: [&str; 2] = [env!("BLOB_FLUID_OPT_LEVEL"), blob_fluid::OPT_LEVEL];

/// Warns at the start of an app whose simulation was compiled without optimisation.
pub(crate) fn warn_if_missing() {
    if is_missing(LEVELS) {
        warn!(
            "the fluid is compiled without optimisation, and a tick takes dozens of times as long; \
             add these lines to the game's Cargo.toml:\n{PROFILE}"
        );
    }
}

fn is_missing(levels: [&str; 2]) -> bool {
    levels.contains(&"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_builds_without_optimisation_are_warned_about() {
        assert!(is_missing(["0", "3"]) && is_missing(["3", "0"]));
        assert!(!is_missing(["1", "3"]) && !is_missing(["s", "s"]));
        assert!(LEVELS.iter().all(|level| ["0", "1", "2", "3", "s", "z"].contains(level)));
    }
}
