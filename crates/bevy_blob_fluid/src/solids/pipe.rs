//! Pipes as entities.

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{OutOfRange, Pipe, Pose, Valve};

use crate::placing::Placement;
use crate::schedule::FluidEntitySystems;
use crate::simulation::FluidSimulation;
use crate::solids::collider::{FluidCollider, ShapedBy};
use crate::warnings::Warnings;

/// Adds the types and systems below.
pub(super) fn add_pipes(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidPipe>()
        .add_systems(schedule, shape_pipes.in_set(FluidEntitySystems::Shapes).before(shape_valves));
}

/// A pipe: a line through points, with a wall on each side and open ends, placed by the entity's
/// [`Transform`]. Liquid flows between the walls, and does not leak through them or at the joints.
///
/// The walls are the shape of the entity's [`FluidCollider`], which the plugin adds and shapes. The game sets the
/// collider's other fields, such as its friction. An invalid pipe is refused with a warning, and the last valid one
/// stays. A pipe with an inner width below 3 particle spacings is invalid too, because particles jam in it.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     let corners = [Vec2::new(-200.0, 100.0), Vec2::new(0.0, 100.0), Vec2::new(0.0, -100.0)];
///     let pipe = FluidPipe::new(corners, 40.0).with_thickness(8.0);
///     // Half way down, closed. Its opening is a number from 0 to 1.
///     let valve = pipe.valve_at(300.0);
///     commands.spawn(pipe).with_child(valve);
/// }
///
/// fn open(valves: Query<&mut FluidValve>, time: Res<Time>) {
///     for mut valve in valves {
///         valve.opening = (valve.opening + 2.0 * time.delta_secs()).min(1.0);
///     }
/// }
/// # let _ = (setup, open);
/// ```
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidCollider, ShapedBy("fluid pipe"))]
pub struct FluidPipe {
    /// The centre line, in the entity's own units: at least 2 points. At a bend, the adjacent parts
    /// must be longer than the piece that the bend cuts off on its inner side
    /// ([`Pipe::new`](blob_fluid::Pipe::new)).
    pub points: Vec<Vec2>,
    /// Inner width, in the entity's own units; above 0, up to 1e9, and at least 3 particle spacings.
    pub width: f32,
    /// Thickness of each wall, in the entity's own units; above 0, up to 1e9.
    pub thickness: f32,
}

impl FluidPipe {
    /// A pipe along a line, with walls whose thickness is a fifth of the width.
    pub fn new(points: impl IntoIterator<Item = Vec2>, width: f32) -> Self {
        Self { points: points.into_iter().collect(), width, thickness: 0.2 * width }
    }

    /// The same pipe with walls of this thickness, in the entity's own units.
    #[must_use]
    pub const fn with_thickness(mut self, thickness: f32) -> Self {
        self.thickness = thickness;
        self
    }

    /// The pipe as a [`Pipe`] of the crate `blob_fluid`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Pipe::new`].
    pub fn pipe(&self) -> Result<Pipe, OutOfRange> {
        Pipe::new(self.points.iter().copied(), self.width, self.thickness)
    }

    /// The transform at a distance along the line, in the entity's own units: its +Y axis points along the pipe. Use
    /// this transform for a child entity of the pipe. An invalid pipe returns the identity.
    pub fn place_at(&self, distance: f32) -> Transform {
        let Pose { translation, rotation } =
            self.pipe().map_or(Pose::IDENTITY, |pipe| pipe.place_at(distance));
        let turn = Rot2 { cos: rotation.x, sin: rotation.y };
        Transform::from_translation(translation.extend(0.0))
            .with_rotation(Quat::from_rotation_z(turn.as_radians()))
    }

    /// A closed valve across the pipe at a distance along the line, and its transform. Spawn valve and transform as a
    /// child entity of the pipe.
    pub fn valve_at(&self, distance: f32) -> (FluidValve, Transform) {
        let valve = FluidValve::new(self.width, 1.5 * self.thickness);
        (valve.with_seat(0.5 * self.thickness), self.place_at(distance))
    }
}

/// Updates the shapes of the colliders of changed pipes. A pipe that is scaled may be too narrow.
fn shape_pipes(
    mut pipes: Query<
        (Entity, &FluidPipe, &mut FluidCollider),
        Or<(Changed<FluidPipe>, Changed<GlobalTransform>)>,
    >,
    all: Query<(), With<FluidPipe>>,
    transforms: TransformHelper,
    fluid: Res<FluidSimulation>,
    mut refused: Warnings,
) {
    refused.retain(|entity| all.contains(entity));
    let unshaped = FluidCollider::default().shape;
    let spacing = fluid.parameters().particle_spacing;
    for (entity, pipe, mut collider) in &mut pipes {
        let placement = Placement::of(entity, &transforms);
        let scale = placement.map_or(1.0, |placement| placement.scale.abs().min_element());
        let shape = pipe.pipe().and_then(|pipe| {
            pipe.check_width(spacing / scale)?;
            Ok(pipe.shape())
        });
        let is_shaped = collider.shape != unshaped;
        let shape = refused.check_change(entity, "fluid pipe", is_shaped, shape);
        if let Some(shape) = shape.filter(|shape| collider.shape != *shape) {
            collider.shape = shape;
        }
    }
}

// Valves as entities.

/// Adds the types and systems below.
pub(super) fn add_valves(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidValve>()
        .add_systems(schedule, shape_valves.in_set(FluidEntitySystems::Shapes));
}

/// A gate that lets a part of a stream pass, placed by the entity's [`Transform`]. The gate has two leaves along the
/// entity's X axis with a gap in the middle. Liquid passes along the Y axis.
///
/// The valve's `opening` is a number from 0, closed, to 1. The leaves are the shape of the entity's [`FluidCollider`],
/// which the plugin adds and shapes. Values out of range are refused with a warning, and the last valid ones stay in
/// use.
///
/// [`FluidPipe::valve_at`](crate::FluidPipe::valve_at) makes a valve that fits a pipe.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     // The gate of a sluice 60 units wide, a third open.
///     commands.spawn((FluidValve::new(60.0, 12.0).opened(0.33), Transform::from_xyz(0.0, 40.0, 0.0)));
/// }
/// # let _ = setup;
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidCollider, ShapedBy("fluid valve"))]
pub struct FluidValve(pub Valve);

impl Default for FluidValve {
    /// A valve without a valid width: set one before use.
    fn default() -> Self {
        Self::new(0.0, 0.0)
    }
}

impl FluidValve {
    /// A closed valve for a passage of inner `width`, with leaves of a `thickness`, in the entity's own units. The
    /// leaves reach into the walls by half of the thickness.
    pub const fn new(width: f32, thickness: f32) -> Self {
        Self(Valve { width, thickness, seat: 0.5 * thickness, opening: 0.0 })
    }

    /// The same valve with leaves that reach into the walls by `seat`, in the entity's own units.
    #[must_use]
    pub const fn with_seat(mut self, seat: f32) -> Self {
        self.0.seat = seat;
        self
    }

    /// The same valve, opened to a fraction of its width, 0 to 1.
    #[must_use]
    pub const fn opened(mut self, opening: f32) -> Self {
        self.0.opening = opening;
        self
    }
}

/// Updates the shapes of the colliders of changed valves.
pub(super) fn shape_valves(
    mut valves: Query<(Entity, &FluidValve, &mut FluidCollider), Changed<FluidValve>>,
    all: Query<(), With<FluidValve>>,
    mut refused: Warnings,
) {
    refused.retain(|entity| all.contains(entity));
    let unshaped = FluidCollider::default().shape;
    for (entity, valve, mut collider) in &mut valves {
        let is_shaped = collider.shape != unshaped;
        let shape = refused.check_change(entity, "fluid valve", is_shaped, valve.shape());
        if let Some(shape) = shape.filter(|shape| collider.shape != *shape) {
            collider.shape = shape;
        }
    }
}
