//! Forces and impulses as entities.

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{ClassFilter, FluidFalloff, FluidShape, Force};

use crate::order::{FluidOrder, Ranks};
use crate::placing::FluidOutline;
use crate::placing::{Placement, Scaled};
use crate::schedule::FluidEntitySystems;
use crate::simulation::FluidSimulation;
use crate::warnings::Warnings;

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidForce>()
        .add_systems(schedule, sync_forces.in_set(FluidEntitySystems::Forces));
}

/// Pushes, turns, carries along, slows or heats the liquid in a shape, placed by the entity's
/// [`Transform`]. All parts may be combined; those that are zero do nothing. [`Force`] says what
/// each does, in which order.
///
/// The entity's scale applies to the shape (a round shape takes the smaller factor), and its
/// rotation to the shape and all directions. Accelerations and velocities are never scaled. The
/// force is left out with a warning if the entity's scale is zero or not finite, or if a value is
/// out of range.
///
/// Its [`wind`](Self::wind) also blows in [`FluidAir`](crate::FluidAir), if it has a shape.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     // A fan that blows upwards, on the lightest liquid only.
///     let fan = FluidForce::wind(&Rectangle::new(80.0, 300.0), Vec2::Y * 120.0, 3.0);
///     commands.spawn((
///         fan.acting_on(ClassFilter::from(ClassId::LIGHT)),
///         Transform::from_xyz(0.0, -100.0, 0.0),
///     ));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidForce {
    /// Region in which it acts, in the entity's own units; `None` (default) for everywhere.
    pub shape: Option<FluidShape>,
    /// Which classes it acts on. Default all.
    pub classes: ClassFilter,
    /// How it fades towards the shape's edge. Default [`Smooth`](FluidFalloff::Smooth), and
    /// [`Constant`](FluidFalloff::Constant) from the constructors that take a shape.
    pub falloff: FluidFalloff,
    /// Acceleration towards the entity, in world units/s²; within ±1e12. Default 0. Negative
    /// repels.
    pub attraction: f32,
    /// Acceleration around the entity, counter-clockwise, in world units/s²; within ±1e12. Default
    /// 0.
    pub swirl: f32,
    /// Acceleration the same everywhere, in world units/s², in the entity's own directions; within
    /// ±1e12. Default 0.
    pub acceleration: Vec2,
    /// Velocity of a medium that [`drag`](Self::drag) takes the liquid along with, in world
    /// units/s, in the entity's own directions; within ±1e12. Default 0.
    pub wind: Vec2,
    /// Rate at which the velocity becomes the wind's, in 1/s; 0 to 1e12. Default 0. Without wind it
    /// slows, which lets attracted liquid settle instead of orbiting.
    pub drag: f32,
    /// Velocity of a belt that takes the liquid along in its own direction only, in world units/s,
    /// in the entity's own directions; within ±1e12. Default 0.
    pub conveyor: Vec2,
    /// Rate at which the velocity along the conveyor becomes its own, in 1/s; 0 to 1e12. Default 0.
    pub grip: f32,
    /// Rate at which the temperature rises, in degrees/s; within ±1e12. Default 0. Negative cools.
    pub heat: f32,
}

impl Default for FluidForce {
    fn default() -> Self {
        Self::NOTHING
    }
}

impl FluidForce {
    /// A force with all parts zero that acts everywhere.
    const NOTHING: Self = Self {
        shape: None,
        classes: ClassFilter::ALL,
        falloff: FluidFalloff::Smooth,
        attraction: 0.0,
        swirl: 0.0,
        acceleration: Vec2::ZERO,
        wind: Vec2::ZERO,
        drag: 0.0,
        conveyor: Vec2::ZERO,
        grip: 0.0,
        heat: 0.0,
    };

    fn around(radius: f32) -> Self {
        Self { shape: Some(FluidShape::Circle { radius }), ..Self::NOTHING }
    }

    fn all_over(shape: &impl FluidOutline) -> Self {
        let shape = Some(shape.outline_or_warn());
        Self { shape, falloff: FluidFalloff::Constant, ..Self::NOTHING }
    }

    /// Attracts liquid within `radius` world units, by at most `acceleration` world units/s², and
    /// slows it at a rate of 2/s, so that it settles instead of orbiting.
    pub fn attract(radius: f32, acceleration: f32) -> Self {
        Self { attraction: acceleration, drag: 2.0, ..Self::around(radius) }
    }

    /// Repels liquid within `radius` world units, by at most `acceleration` world units/s².
    pub fn repel(radius: f32, acceleration: f32) -> Self {
        Self { attraction: -acceleration, ..Self::around(radius) }
    }

    /// Turns liquid within `radius` world units, counter-clockwise, by at most `acceleration` world
    /// units/s². Add some [`attraction`](Self::attraction), or the liquid flies off.
    pub fn vortex(radius: f32, acceleration: f32) -> Self {
        Self { swirl: acceleration, ..Self::around(radius) }
    }

    /// Heats liquid within `radius` world units, by at most `heat` degrees per second.
    pub fn heat(radius: f32, heat: f32) -> Self {
        Self { heat, ..Self::around(radius) }
    }

    /// Takes liquid along with a medium that moves at `velocity` world units/s; `drag` is a rate in
    /// 1/s.
    pub fn wind(shape: &impl FluidOutline, velocity: Vec2, drag: f32) -> Self {
        Self { wind: velocity, drag, ..Self::all_over(shape) }
    }

    /// Slows liquid at a rate, in 1/s.
    pub fn drag(shape: &impl FluidOutline, drag: f32) -> Self {
        Self { drag, ..Self::all_over(shape) }
    }

    /// Takes liquid along with a belt that moves at `velocity` world units/s; motion across the
    /// belt is free. `grip` is a rate in 1/s.
    pub fn conveyor(shape: &impl FluidOutline, velocity: Vec2, grip: f32) -> Self {
        Self { conveyor: velocity, grip, ..Self::all_over(shape) }
    }

    /// Accelerates liquid by the same everywhere, in world units/s².
    pub fn uniform(shape: &impl FluidOutline, acceleration: Vec2) -> Self {
        Self { acceleration, ..Self::all_over(shape) }
    }

    /// The same force in another shape.
    pub fn with_shape(mut self, shape: &impl FluidOutline) -> Self {
        self.shape = Some(shape.outline_or_warn());
        self
    }

    /// The same force with another falloff.
    pub const fn with_falloff(mut self, falloff: FluidFalloff) -> Self {
        self.falloff = falloff;
        self
    }

    /// The same force on these classes only.
    pub const fn acting_on(mut self, classes: ClassFilter) -> Self {
        self.classes = classes;
        self
    }

    /// The force at the placement of its entity, or why it is invalid.
    pub(crate) fn placed(
        &self,
        entity: Entity,
        transforms: &TransformHelper,
        scaled: &mut Scaled,
    ) -> Result<Force, String> {
        let placement = Placement::of(entity, transforms).map_err(|error| error.to_string())?;
        let region = |shape: &FluidShape| {
            scaled.region(shape, &placement).map_err(|error| error.to_string())
        };
        let turned = |direction: Vec2| placement.direction(direction);
        let force = Force {
            region: self.shape.as_ref().map(region).transpose()?,
            classes: self.classes,
            falloff: self.falloff,
            centre: placement.position,
            attraction: self.attraction,
            swirl: self.swirl * placement.scale.element_product().signum(),
            acceleration: turned(self.acceleration),
            wind: turned(self.wind),
            drag: self.drag,
            conveyor: turned(self.conveyor),
            grip: self.grip,
            heat: self.heat,
        };
        force.validate().map(|()| force).map_err(|error| error.to_string())
    }
}

/// Copies the forces into the simulation.
fn sync_forces(
    entities: Query<(Entity, &FluidForce)>,
    transforms: TransformHelper,
    ranks: Ranks,
    mut fluid: ResMut<FluidSimulation>,
    mut warnings: Warnings,
    mut scaled: Local<EntityHashMap<Scaled>>,
    mut forces: Local<Vec<(Entity, Force)>>,
    mut plain: Local<Vec<Force>>,
) {
    forces.clear();
    warnings.retain(|entity| entities.contains(entity));
    scaled.retain(|entity, _| entities.contains(*entity));
    for (entity, force) in &entities {
        let placed = force.placed(entity, &transforms, scaled.entry(entity).or_default());
        forces.extend(warnings.check(entity, "fluid force", placed).map(|force| (entity, force)));
    }
    // The last bit of a sum depends on its order.
    forces.sort_unstable_by_key(|(entity, _)| ranks.of(*entity));
    plain.clear();
    plain.extend(forces.drain(..).map(|(_, force)| force));
    if fluid.forces() != plain.as_slice()
        && let Err(error) = fluid.world_mut().set_forces(&plain)
    {
        warn_once!("fluid forces refused: {error}");
    }
}
