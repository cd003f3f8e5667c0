//! Examples that are games, played to their win, and the one for two players as two processes. One program, because each
//! would link Bevy anew.

#![cfg(feature = "panel")]

/// Examples call their support `example_support`.
extern crate panel_support as example_support;

#[path = "../../../bevy_blob_fluid/tests/plugin/support/app.rs"]
mod app;
mod duel;
mod games;
