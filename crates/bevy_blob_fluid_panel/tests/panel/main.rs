//! The panel, driven through egui's accessibility tree over a headless app.

#[path = "../../../bevy_blob_fluid/tests/plugin/support/app.rs"]
mod app;
#[path = "../../../bevy_blob_fluid/tests/plugin/support/files.rs"]
mod files;

mod air;
mod cases;
mod classes;
mod driver;
mod frame;
mod liquid;
mod looks;
mod materials;
mod page;
mod pointer;
mod tools;
