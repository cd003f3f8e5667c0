//! Looks at the liquid: queries, measures, sensors and the doctor. Nothing here changes it.

pub(crate) mod connection;
pub mod doctor;
pub(crate) mod ignored;
pub(crate) mod inspect;
pub mod measure;
pub(crate) mod query;
pub(crate) mod sensor;
pub(crate) mod splash;
pub(crate) mod wall_density;
