//! Only the manifest of this crate matters: whoever depends on it has these features of Bevy.
