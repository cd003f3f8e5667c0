//! Blobs of liquid as entities.

use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::shape::Shape;
use blob_fluid::{CapacityPolicy, ParticleSpawn, SpawnError};

use super::class::FluidClass;
use super::placement::{Placement, Warnings};
use crate::materials::{FluidMadeOf, FluidMaterials};
use crate::simulation::{FluidClasses, FluidSimulation};

/// Fills a shape with liquid once, at the entity's [`Transform`].
///
/// The particles then belong to the world: they stay when the entity is despawned, which may be at
/// once. A filled entity gets a [`FluidBlobFilled`]; remove that to fill the shape again. An entity
/// with a degenerate transform waits until the transform is valid; one with a [`FluidMadeOf`] waits
/// until that material is loaded.
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
    /// Shape that is filled, in the entity's own units.
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
    /// A blob of a shape, at rest, with the density of liquid at rest.
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
    /// Number of particles that it was filled with.
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

/// Spawns a blob's particles. An error comes with the number of particles spawned before it.
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
    // One more than fits: a blob that is too large is noticed without computing all its positions.
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
