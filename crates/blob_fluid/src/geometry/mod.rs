//! Shapes, their poses and motions, pipes and valves, bounding boxes and trees of boxes.

pub(crate) mod bounds;
pub(crate) mod pipe;
pub(crate) mod pose;
pub(crate) mod region;
pub mod shape;
