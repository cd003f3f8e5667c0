//! The liquid: what must hold of it. One program, because each would compile the solvers anew.

mod against_oracle;
mod bad_input;
mod blobs;
mod bodies;
mod bounds;
mod class_matrix;
mod classic;
mod conservation;
mod drums;
mod easing;
mod effort;
mod films;
mod forces;
mod host_bodies;
mod leaks;
mod materials;
mod oracle;
mod other_solvers;
mod passes_of_others;
#[path = "../support/pools.rs"]
mod pools;
mod powder;
mod pressure_memory;
mod queries;
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
mod solid_handles;
mod solids;
mod sources;
mod springs;
mod state_and_workspace;
mod taps;
#[path = "../support/ticks.rs"]
mod ticks;
mod unit_systems;
