//! The pages of the panel, one file for each, and their data.

pub(crate) mod air;
pub(crate) mod checkup;
pub(crate) mod classes;
pub(crate) mod graphs;
pub(crate) mod liquid;
pub(crate) mod look;
pub(crate) mod material_files;
pub(crate) mod pairs;
pub(crate) mod surface_look;
