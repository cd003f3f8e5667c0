//! All forces and force fields of a liquid.

use std::fmt;
use std::sync::Arc;

use crate::geometry::bounds::FluidBounds;
use crate::liquid::force::field::{FieldParticles, ForceField};
use crate::liquid::force::region_force::{Force, Reach};
use crate::stored::stored;

/// Forces and force fields, and the bounds within which they act.
#[derive(Clone, Default)]
pub(crate) struct Forces {
    pub list: Vec<Force>,
    /// For each force, the values derived from its region.
    pub reaches: Vec<Reach>,
    pub fields: Vec<Arc<dyn ForceField>>,
}

// Fields are the host's code, which sets them again.
stored!(Forces { list } derived {
    reaches = Vec::<Force>::as_slice(&list).iter().map(Force::reach).collect(),
    fields = Vec::new(),
});

impl fmt::Debug for Forces {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.fields.len();
        formatter.debug_struct("Forces").field("list", &self.list).field("fields", &fields).finish()
    }
}

impl Forces {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.fields.is_empty()
    }

    /// Applies all forces and fields whose bounds meet a box to the particles in it.
    pub(crate) fn apply(&self, around: FluidBounds, particles: &mut FieldParticles<'_>) {
        for (force, reach) in self.list.iter().zip(&self.reaches) {
            if reach.bounds.intersects(around) {
                force.apply(*reach, particles);
            }
        }
        for field in &self.fields {
            if field.bounds().intersects(around) {
                field.apply(particles);
            }
        }
    }

    /// Boxes around the regions in which forces and fields act on liquid at rest.
    pub(crate) fn waking_bounds(&self) -> impl Iterator<Item = FluidBounds> + '_ {
        let acting = self.list.iter().zip(&self.reaches).filter(|(force, _)| force.acts());
        let fields = self.fields.iter().filter(|field| field.acts_at_rest());
        acting.map(|(_, reach)| reach.bounds).chain(fields.map(|field| field.bounds()))
    }
}
