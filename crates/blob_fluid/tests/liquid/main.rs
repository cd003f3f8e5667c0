//! The liquid: what must hold of it. One program, because each would compile the solvers anew.

mod against_oracle;
mod bad_input;
mod bake;
mod blasts;
mod blobs;
mod bodies;
mod body_contacts;
mod bounds;
mod carried;
mod chunks;
mod class_matrix;
mod conservation;
mod effort;
mod forces;
mod lab;
mod leaks;
mod materials;
mod oracle;
mod other_solvers;
mod paint;
mod plumbing;
#[path = "../support/pools.rs"]
mod pools;
mod powder;
mod pressure_memory;
mod queries;
mod random_scenes;
mod ranges;
mod reproducibility;
mod resolution;
mod scenes;
mod seepage;
mod segregation;
mod shallow_water;
mod sleeping;
mod sleeping_bodies;
mod snapshots;
mod solids;
mod sources;
mod springs;
mod taps;
#[path = "../support/ticks.rs"]
mod ticks;
mod trust;
