//! Force fields of the game's own.

use std::fmt;
use std::sync::Arc;

use bevy::prelude::*;
use blob_fluid::ForceField;

use super::resources::FluidSimulation;

/// Functions that push or heat the liquid in every substep, right after every
/// [`FluidForce`](crate::FluidForce), on several threads.
///
/// Unlike a system between two passes that changes
/// [`particles_mut`](blob_fluid::Liquid::particles_mut) they wake only the liquid in their
/// [bounds](ForceField::bounds). A field must own the values that it depends on: to change these,
/// replace the field. A [`FluidField`](crate::FluidField) lives as long as its entity.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::blob_fluid::{FluidBounds, FieldParticles, ForceField};
/// use bevy_blob_fluid::prelude::*;
///
/// /// A wind that grows with the height.
/// struct Breeze {
///     level: FluidBounds,
///     shear: f32,
/// }
///
/// impl ForceField for Breeze {
///     fn bounds(&self) -> FluidBounds {
///         self.level
///     }
///
///     fn apply(&self, particles: &mut FieldParticles<'_>) {
///         for (position, velocity) in particles.positions.iter().zip(&mut *particles.velocities) {
///             velocity.x += particles.time_step * self.shear * (position.y - self.level.low.y);
///         }
///     }
/// }
///
/// fn setup(mut fields: ResMut<FluidForceFields>) {
///     let level = FluidBounds { low: Vec2::new(-400.0, 0.0), high: Vec2::new(400.0, 300.0) };
///     fields.add(Breeze { level, shear: 0.5 });
/// }
/// ```
#[derive(Resource, Reflect, Clone, Default, Deref, DerefMut)]
#[reflect(opaque, Resource, Default)]
pub struct FluidForceFields(pub Vec<Arc<dyn ForceField>>);

impl FluidForceFields {
    /// Adds a field behind the others.
    pub fn add(&mut self, field: impl ForceField + 'static) {
        self.0.push(Arc::new(field));
    }
}

impl fmt::Debug for FluidForceFields {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "FluidForceFields({})", self.0.len())
    }
}

/// The fields of entities.
#[derive(Resource, Clone, Default)]
pub(crate) struct EntityFields(pub Vec<Arc<dyn ForceField>>);

/// Copies the fields into the simulation when they change.
pub(crate) fn sync_force_fields(
    fields: Res<FluidForceFields>,
    of_entities: Res<EntityFields>,
    mut fluid: ResMut<FluidSimulation>,
) {
    if fields.is_changed() || of_entities.is_changed() {
        let all = fields.0.iter().chain(&of_entities.0).cloned().collect();
        fluid.world_mut().set_force_fields(all);
    }
}
