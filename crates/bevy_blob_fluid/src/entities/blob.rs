//! Blobs of liquid as entities.

use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::shape::Shape;
use blob_fluid::{CapacityPolicy, ParticleSpawn, SpawnError};

use super::class::FluidClass;
use super::placement::{Placement, Warnings};
use crate::materials::{FluidMadeOf, FluidMaterials};
use crate::simulation::{FluidClasses, FluidSimulation};

/// Fills a shape with liquid, once, where the entity's [`Transform`] is at that moment.
///
/// The particles are the world's from then on: they stay when the entity goes, which may be at
/// once. When filled the entity gets a [`FluidBlobFilled`]; remove that to fill it again. An entity
/// whose transform is degenerate waits until it is not, and one with a [`FluidMadeOf`] until that
/// material was loaded.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((
///         FluidBlob::from(Circle::new(150.0)),
///         FluidClass::HEAVY,
///         Transform::from_xyz(0.0, 150.0, 0.0),
///     ));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidClass)]
pub struct FluidBlob {
    /// What is filled, in the entity's own units.
    pub shape: Shape,
    /// Distance of the particles, in particle spacings; 0.2 to 100. Below 1.03 the blob bursts
    /// apart.
    pub spacing: f32,
    /// Velocity of all its particles, in world units/s.
    pub velocity: Vec2,
    /// Temperature of all its particles, in degrees; `None` for that of their class.
    pub temperature: Option<f32>,
}

impl Default for FluidBlob {
    /// Has no valid shape: give it one before use.
    fn default() -> Self {
        Self::new(Shape::Circle { radius: 0.0 })
    }
}

impl FluidBlob {
    /// A blob of that shape, at rest, as dense as liquid is.
    pub const fn new(shape: Shape) -> Self {
        Self { shape, spacing: 1.03, velocity: Vec2::ZERO, temperature: None }
    }

    /// The same blob at a temperature, in degrees.
    pub const fn with_temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// The same blob thrown at a velocity, in world units/s.
    pub const fn with_velocity(mut self, velocity: Vec2) -> Self {
        self.velocity = velocity;
        self
    }
}

/// Marks a [`FluidBlob`] that was filled.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidBlobFilled {
    /// How many particles it became.
    pub particles: usize,
}

/// Fills the blobs that were not filled yet.
pub(crate) fn fill_blobs(
    mut commands: Commands,
    blobs: Query<(Entity, &FluidBlob, &FluidClass, Option<&FluidMadeOf>), Without<FluidBlobFilled>>,
    transforms: TransformHelper,
    materials: Res<FluidMaterials>,
    classes: Res<FluidClasses>,
    mut fluid: ResMut<FluidSimulation>,
    mut warnings: Local<Warnings>,
) {
    warnings.retain(|entity| blobs.contains(entity));
    let mut waiting: Vec<_> = blobs.iter().collect();
    // Particles must come in the same order whatever the archetypes are.
    waiting.sort_unstable_by_key(|(entity, ..)| *entity);
    for (entity, blob, class, made_of) in waiting {
        let class = match made_of {
            None => *class,
            Some(FluidMadeOf(material)) => match materials.class(material, &classes) {
                Some(class) => FluidClass(class),
                None => continue,
            },
        };
        let placement = match Placement::of(entity, &transforms) {
            Ok(placement) => placement,
            Err(error) => {
                warnings.warn(entity, "fluid blob", &error);
                continue;
            }
        };
        warnings.resolve(entity);
        let particles = match fill(&mut fluid, blob, class, placement) {
            Ok(particles) => particles,
            Err((particles, error)) => {
                warn!("fluid blob {entity} is cut short at {particles} particles: {error}");
                particles
            }
        };
        commands.entity(entity).try_insert(FluidBlobFilled { particles });
    }
}

/// Spawns a blob's particles; with an error comes how many were spawned before it.
fn fill(
    fluid: &mut ResMut<FluidSimulation>,
    blob: &FluidBlob,
    class: FluidClass,
    placement: Placement,
) -> Result<usize, (usize, SpawnError)> {
    let spacing = blob.spacing.clamp(0.2, 100.0) * fluid.parameters().particle_spacing;
    let shape = blob.shape.scaled(placement.scale);
    let room = match fluid.capacity_policy() {
        CapacityPolicy::Refuse => fluid.capacity().saturating_sub(fluid.particles().len()),
        CapacityPolicy::RecycleOldest => fluid.capacity(),
    };
    let mut spawned = 0;
    // One more than fits, so that a blob too large is noticed without being laid out whole.
    for offset in shape.fill(Vec2::ZERO, spacing).take(room + 1) {
        let position = placement.position + placement.rotation.rotate(offset);
        let spawn = ParticleSpawn {
            position,
            velocity: blob.velocity,
            class: class.0,
            temperature: blob.temperature,
            ..default()
        };
        if spawned == room {
            // Recycling would remove the blob's own particles.
            return Err((spawned, SpawnError::Full { capacity: fluid.capacity() }));
        }
        fluid.spawn(spawn).map_err(|error| (spawned, error))?;
        spawned += 1;
    }
    Ok(spawned)
}
