//! Who sleeps.

pub(crate) mod tiles;
pub(crate) mod wake;
