//! Force fields of the game's own as entities.

use std::fmt;
use std::sync::Arc;

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{FieldParticles, FluidBounds, FluidRegion, FluidShape, ForceField};

use crate::order::{FluidOrder, Ranks};
use crate::placing::FluidOutline;
use crate::placing::{Placement, Scaled};
use crate::schedule::FluidEntitySystems;
use crate::simulation::EntityFields;
use crate::warnings::Warnings;

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidField>()
        .add_systems(schedule, sync_fields.in_set(FluidEntitySystems::Fields));
}

/// A [force field](ForceField) of the game's own that lives as long as its entity, within a shape
/// placed by the entity's [`Transform`].
///
/// The field itself gets positions in the world. It must own the values that it depends on: to
/// change these, insert the component again. Where it lives longer than an entity, use
/// [`FluidForceFields`](crate::FluidForceFields). A field whose entity's scale is zero or not finite
/// is left out with a warning.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::blob_fluid::FieldParticles;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     // An updraught that fades with height, in a shaft.
///     let updraught = |particles: &mut FieldParticles<'_>| {
///         for (position, velocity) in particles.positions.iter().zip(&mut *particles.velocities) {
///             velocity.y += particles.time_step * (600.0 - position.y).max(0.0);
///         }
///     };
///     commands.spawn((
///         FluidField::new(updraught).within(&Rectangle::new(80.0, 600.0)),
///         Transform::from_xyz(150.0, 0.0, 0.0),
///     ));
/// }
/// ```
#[derive(Component, Reflect, Clone)]
#[reflect(opaque, Component, Debug)]
#[require(Transform, FluidOrder)]
pub struct FluidField {
    /// Region in which it acts, in the entity's own units; `None` for everywhere.
    pub shape: Option<FluidShape>,
    field: Arc<dyn ForceField>,
}

impl FluidField {
    /// A field that acts everywhere, or within [bounds](ForceField::bounds) of its own.
    pub fn new(field: impl ForceField + 'static) -> Self {
        Self { shape: None, field: Arc::new(field) }
    }

    /// The same field, within a shape only.
    #[must_use]
    pub fn within(mut self, shape: &impl FluidOutline) -> Self {
        self.shape = Some(shape.outline_or_warn());
        self
    }
}

impl fmt::Debug for FluidField {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FluidField").field("shape", &self.shape).finish_non_exhaustive()
    }
}

/// A field within a region of the world.
#[derive(Clone)]
struct PlacedField {
    region: Option<FluidRegion>,
    field: Arc<dyn ForceField>,
}

impl PlacedField {
    fn is(&self, other: &Self) -> bool {
        self.region == other.region && Arc::ptr_eq(&self.field, &other.field)
    }
}

/// Most particles of which the values outside of a region are kept at once.
const RUN: usize = 64;

impl ForceField for PlacedField {
    fn bounds(&self) -> FluidBounds {
        let bounds = self.field.bounds();
        self.region.as_ref().map_or(bounds, |region| bounds.intersection(region.bounds()))
    }

    fn acts_at_rest(&self) -> bool {
        self.field.acts_at_rest()
    }

    fn apply(&self, particles: &mut FieldParticles<'_>) {
        let Some(region) = &self.region else { return self.field.apply(particles) };
        let FieldParticles { positions, classes, velocities, temperatures, time_step } = particles;
        let runs = positions.chunks(RUN).zip(classes.chunks(RUN));
        let runs = runs.zip(velocities.chunks_mut(RUN).zip(temperatures.chunks_mut(RUN)));
        for ((positions, classes), (velocities, temperatures)) in runs {
            let mut inside = [false; RUN];
            for (inside, position) in inside.iter_mut().zip(positions) {
                *inside = region.contains(*position);
            }
            let inside = &inside[..positions.len()];
            if !inside.contains(&true) {
                continue;
            }
            // What a field does to a particle does not depend on the others: outside it is undone.
            let (mut velocity, mut temperature) = ([Vec2::ZERO; RUN], [0.0; RUN]);
            velocity[..velocities.len()].copy_from_slice(velocities);
            temperature[..temperatures.len()].copy_from_slice(temperatures);
            self.field.apply(&mut FieldParticles {
                positions,
                classes,
                velocities: &mut *velocities,
                temperatures: &mut *temperatures,
                time_step: *time_step,
            });
            for index in (0..inside.len()).filter(|index| !inside[*index]) {
                velocities[index] = velocity[index];
                temperatures[index] = temperature[index];
            }
        }
    }
}

/// Hands the fields to the simulation when one of them has changed, has moved or has gone.
fn sync_fields(
    entities: Query<(Entity, &FluidField)>,
    transforms: TransformHelper,
    ranks: Ranks,
    mut fields: ResMut<EntityFields>,
    mut warnings: Warnings,
    mut scaled: Local<EntityHashMap<Scaled>>,
    mut placed: Local<Vec<(Entity, PlacedField)>>,
) {
    warnings.retain(|entity| entities.contains(entity));
    scaled.retain(|entity, _| entities.contains(*entity));
    let mut wanted = Vec::with_capacity(placed.len());
    for (entity, FluidField { shape, field }) in &entities {
        let mut place = |shape: &FluidShape| {
            let placement =
                Placement::of(entity, &transforms).map_err(|error| error.to_string())?;
            let scaled = scaled.entry(entity).or_default();
            scaled.region(shape, &placement).map_err(|error| error.to_string())
        };
        let region = shape.as_ref().map(&mut place).transpose();
        if let Some(region) = warnings.check(entity, "fluid field", region) {
            wanted.push((entity, PlacedField { region, field: field.clone() }));
        }
    }
    // The last bit of a sum depends on its order.
    wanted.sort_unstable_by_key(|(entity, _)| ranks.of(*entity));
    let same = wanted.len() == placed.len()
        && wanted.iter().zip(&*placed).all(|(new, old)| new.0 == old.0 && new.1.is(&old.1));
    if !same {
        fields.0 = wanted.iter().map(|(_, field)| Arc::new(field.clone()) as _).collect();
        *placed = wanted;
    }
}
