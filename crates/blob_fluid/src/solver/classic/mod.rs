//! The way of this solver's ancestors, and of the paper: pairs are moved one after the other, in place.
//!
//! Plain scalar code on one thread. Particles are visited in the order of the arrays, which is that of the
//! grid's cells, and so are the neighbours of each: the order is the same whatever the number of threads.
//!
//! With the ancestors' numbers (the scene `legacy`) it compresses and boils as they do: after 60 s layer
//! order .969 at 14.8 px/s, where their prototype has .969 at 14.7 px/s in place and .957 at 15.2 px/s when it
//! gathers from frozen positions. The bouncing walls are most of that: .939 at 8.4 px/s without restitution.

pub(crate) mod bounce;
mod neighbours;
pub(crate) mod relaxation;
pub(crate) mod viscosity;
pub(crate) mod workspace;
