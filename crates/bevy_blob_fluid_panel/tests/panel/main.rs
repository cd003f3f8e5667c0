//! The panel, driven through egui's accessibility tree over a headless app.

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
