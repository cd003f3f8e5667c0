//! The plugin in apps without a window. One program, because each would link Bevy anew.

#[path = "support/app.rs"]
mod app;
mod apps;
#[cfg(feature = "render")]
mod drawing;
mod engines;
#[path = "support/files.rs"]
mod files;
#[cfg(feature = "render")]
#[path = "support/pictures.rs"]
mod pictures;
#[path = "support/warnings.rs"]
mod warnings;
