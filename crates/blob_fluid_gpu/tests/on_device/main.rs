//! Liquid on a device, held against the core's.

mod adapter;
mod agreement;
mod behaviour;
mod containers;
mod forces;
mod heat;
mod impacts;
mod liquids;
mod loads;
mod lost;
mod random_scenes;
mod reports;
mod reproducible;
mod sleeping;
mod sleeping_warm;
mod solids;
mod sources;
