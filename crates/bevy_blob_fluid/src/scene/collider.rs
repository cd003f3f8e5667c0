//! Colliders as entities.

use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{ClassFilter, Collider, Obstacle, OutOfRange, Shape, Surface};

use super::motion::{SolidComponent, Targets};
use super::placement::{Complaints, Placement};
use crate::simulation::FluidSimulation;

/// A solid body that the liquid cannot enter, placed by the entity's [`Transform`].
///
/// Move the entity and it pushes and drags the liquid along, without a leak however fast it is; more
/// than ten interaction radii in a tick are a jump, and what it jumps onto comes out gently. The
/// liquid does not move it. A round collider under an uneven scale takes the smaller one; an entity
/// whose scale is zero, mirrored or not finite is left out with a warning, keeping its last valid
/// place if it had one.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     let rough = Surface { friction: Some(0.8), ..default() };
///     commands.spawn((
///         FluidCollider::from(Rectangle::new(200.0, 10.0)).with_surface(rough),
///         Transform::from_xyz(0.0, -50.0, 0.0).with_rotation(Quat::from_rotation_z(0.3)),
///     ));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Debug, PartialEq)]
#[require(Transform)]
pub struct FluidCollider {
    /// Outline, in the entity's own units.
    pub shape: Shape,
    /// How it grips the liquid, and how warm it is.
    pub surface: Surface,
    /// Which side of the outline is solid, and for whom.
    pub kind: Obstacle,
}

impl FluidCollider {
    /// A collider of that shape, with a plain surface.
    pub fn new(shape: Shape) -> Self {
        Self { shape, surface: Surface::default(), kind: Obstacle::default() }
    }

    /// The same collider, solid where the shape is not: the liquid stays inside.
    pub const fn inside_out(mut self) -> Self {
        self.kind.inside_out = true;
        self
    }

    /// The same collider as a membrane: liquid inside may leave, and none may enter. A polyline
    /// holds what comes from its left, seen from its first point.
    pub const fn one_way(mut self) -> Self {
        self.kind.one_way = true;
        self
    }

    /// The same collider stopping these classes only.
    pub const fn stopping(mut self, classes: ClassFilter) -> Self {
        self.kind.classes = classes;
        self
    }

    /// The same collider on these layers, a bit each: it stops classes that share one
    /// ([`DensityClass::collision_layers`](blob_fluid::DensityClass::collision_layers)).
    pub const fn on_layers(mut self, layers: u32) -> Self {
        self.kind.layers = layers;
        self
    }

    /// The same collider with a surface that grips.
    pub const fn with_surface(mut self, surface: Surface) -> Self {
        self.surface = surface;
        self
    }
}

impl SolidComponent for FluidCollider {
    type Kind = Obstacle;

    const NAME: &'static str = "fluid collider";

    fn placed(&self, placement: Placement) -> Result<Collider, OutOfRange> {
        let shape = self.shape.scaled(placement.scale);
        let collider = Collider::new(shape, placement.position, placement.rotation)?;
        collider.with_kind(self.kind)?.with_surface(self.surface)
    }
}

/// The colliders by entity, where their entities are.
#[derive(Resource, Reflect, Clone, Debug, Default)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidColliders(pub(super) Targets<Obstacle>);

impl FluidColliders {
    /// Every collider and the entity it belongs to, oldest entity first.
    pub fn iter(&self) -> impl Iterator<Item = (Entity, &Collider)> {
        self.0.0.iter().map(|(entity, collider)| (*entity, collider))
    }
}

/// Copies the colliders into the simulation.
pub(crate) fn sync_colliders(
    entities: Query<(Entity, &FluidCollider)>,
    transforms: TransformHelper,
    mut known: ResMut<FluidColliders>,
    mut fluid: ResMut<FluidSimulation>,
    mut complaints: Local<Complaints>,
    mut colliders: Local<Vec<(Entity, Collider)>>,
) {
    known.0.gather(&entities, &transforms, &mut complaints, &mut colliders);
    if *colliders == known.0.0 {
        return;
    }
    let in_force = known.0.replace(&colliders, fluid.colliders());
    fluid.set_colliders(in_force);
}
