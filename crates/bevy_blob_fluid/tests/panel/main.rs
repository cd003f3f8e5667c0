//! The panel, driven through egui's accessibility tree over a headless app.
#![cfg(feature = "panel")]

mod air;
mod cases;
mod classes;
mod driver;
mod frame;
mod liquid;
mod looks;
mod page;
mod tools;
