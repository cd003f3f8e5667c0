//! The liquid: what must hold of it. One program, because each would compile the solvers anew.

mod against_oracle;
mod bad_input;
mod bake;
mod blobs;
mod bodies;
mod bounds;
mod chunks;
mod class_matrix;
mod classic;
mod conservation;
mod draught;
#[path = "../support/drawn.rs"]
mod drawn;
mod drums;
mod easing;
mod effort;
mod films;
mod forces;
mod host_bodies;
mod lab;
mod leaks;
mod materials;
mod oracle;
mod other_solvers;
mod paint;
mod passes_of_others;
mod plumbing;
#[path = "../support/pools.rs"]
mod pools;
mod powder;
mod pressure_memory;
mod queries;
mod random_pools;
mod random_scenes;
mod ranges;
mod reproducibility;
mod saving;
mod scene_airs;
mod scenes;
mod scenes_document;
mod segregation;
mod sleeping;
mod sleeping_bodies;
mod sleeping_heat;
mod sleeping_solids;
mod snapshots;
mod soak;
mod solid_handles;
mod solids;
mod sources;
mod springs;
mod state_and_workspace;
mod taps;
#[path = "../support/ticks.rs"]
mod ticks;
mod unit_systems;
