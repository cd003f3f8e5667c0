//! Entities that push, turn, slow, heat and paint the liquid.

use std::fmt;
use std::sync::Arc;

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{
    ClassFilter, ClassId, FieldParticles, FluidBounds, FluidFalloff, FluidRegion, FluidShape,
    Force, ForceField,
};

use crate::materials::FluidMaterials;
use crate::placing::{FluidOutline, Placement, Scaled};
use crate::schedule::{FluidEntitySystems, FluidOrder, FluidSchedule, FluidTickSystems, Ranks};
#[cfg(feature = "gpu")]
use crate::simulation::DeviceLiquid;
use crate::simulation::{EntityFields, FluidSimulation};
use crate::sources::{paint_of, takes_paint};
use crate::warnings::Warnings;

crate::concern::concern! {
    /// Forces, impulses, blasts, brushes, and force fields of the game.
    FluidForcesPlugin: crate::blasts::add_blasts, add_brushes, add_fields, add_forces, add_impulses
}

// Brushes as entities.

/// Adds the types and systems below.
pub(super) fn add_brushes(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidBrush>().add_systems(
        FluidSchedule,
        paint_with_brushes
            .after(FluidTickSystems::Spawn)
            .after(apply_impulses)
            .before(FluidTickSystems::Move),
    );
}

/// Paints the liquid in a shape in every tick, placed by the entity's [`Transform`]. Only classes that take
/// [paint](blob_fluid::FluidPaint) are painted; there is a warning if no class does. A game moves the brush with the
/// pointer, or despawns it after a tick.
///
/// The entity's scale applies to the shape. While the scale is zero or not finite, nothing is painted, and there is a
/// warning.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     // A soft brush: it covers most of the old colour in a third of a second.
///     let brush = FluidBrush::new(&Circle::new(30.0), Color::srgb(0.9, 0.1, 0.2)).with_rate(6.0);
///     commands.spawn((brush, Transform::from_xyz(0.0, -100.0, 0.0)));
/// }
/// ```
#[doc = guide!("paint")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
pub struct FluidBrush {
    /// Region that is painted, in the entity's own units.
    pub shape: FluidShape,
    /// Colour of the paint. Opacity has no effect, and components above 1 are clamped. Default: white.
    pub color: Color,
    /// Rate at which the previous paint changes into this colour, in 1/s, at least 0; `None` (default) for at once.
    pub rate: Option<f32>,
    /// The classes that the brush paints. Default all.
    pub classes: ClassFilter,
    /// Whether the brush paints. Default yes.
    pub painting: bool,
}

impl Default for FluidBrush {
    /// A brush without a valid shape: set one before use.
    fn default() -> Self {
        Self {
            shape: FluidShape::Circle { radius: 0.0 },
            color: Color::WHITE,
            rate: None,
            classes: ClassFilter::ALL,
            painting: true,
        }
    }
}

impl FluidBrush {
    /// A brush of a shape and a colour that paints at once.
    pub fn new(shape: &impl FluidOutline, color: impl Into<Color>) -> Self {
        Self { shape: shape.outline_or_warn(), color: color.into(), ..Self::default() }
    }

    /// The same brush, which paints gradually, at a rate in 1/s.
    pub const fn with_rate(mut self, rate: f32) -> Self {
        self.rate = Some(rate);
        self
    }

    /// The same brush for these classes only.
    pub const fn acting_on(mut self, classes: ClassFilter) -> Self {
        self.classes = classes;
        self
    }

    /// The share of the new colour after a tick, 0 to 1.
    fn share_in(&self, seconds: f32) -> Result<f32, String> {
        match self.rate {
            Some(rate) if !(rate >= 0.0 && rate.is_finite()) => {
                Err(format!("its rate is {rate}, and must be at least 0"))
            }
            Some(rate) => Ok(rate * seconds / (1.0 + rate * seconds)),
            None => Ok(1.0),
        }
    }
}

/// Paints with all brushes.
pub(crate) fn paint_with_brushes(
    brushes: Query<(Entity, &FluidBrush)>,
    transforms: TransformHelper,
    ranks: Ranks,
    time: Res<Time>,
    mut fluid: ResMut<FluidSimulation>,
    materials: Option<Res<FluidMaterials>>,
    mut warnings: Warnings,
    mut unpainted: Warnings,
    mut scaled: Local<EntityHashMap<Scaled>>,
) {
    warnings.retain(|entity| brushes.contains(entity));
    unpainted.retain(|entity| brushes.contains(entity));
    let are_loading = materials.is_some_and(|materials| materials.are_loading());
    scaled.retain(|entity, _| brushes.contains(*entity));
    let mut painting: Vec<_> = brushes.iter().filter(|(_, brush)| brush.painting).collect();
    // Later brushes cover earlier ones: a fixed order keeps the result deterministic.
    painting.sort_unstable_by_key(|(entity, _)| ranks.of(*entity));
    for (entity, brush) in painting {
        let placement = Placement::of(entity, &transforms).map_err(|error| error.to_string());
        let painted = placement.and_then(|placement| {
            let scaled = scaled.entry(entity).or_default();
            let region =
                scaled.region(&brush.shape, &placement).map_err(|error| error.to_string())?;
            let share = brush.share_in(time.delta_secs())?;
            fluid
                .world_mut()
                .paint_in(&region, brush.classes, paint_of(brush.color), share)
                .map_err(|error| error.to_string())
        });
        if warnings.check(entity, "fluid brush", painted).is_some() && !are_loading {
            let classes = (0..fluid.classes().len()).map(|index| ClassId(index as u8));
            let chosen = classes.filter(|class| brush.classes.contains(*class));
            unpainted.check(
                entity,
                "the paint of fluid brush",
                takes_paint(fluid.classes(), chosen),
            );
        }
    }
}

// Force fields of the game as entities.

/// Adds the types and systems below.
pub(super) fn add_fields(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidField>()
        .add_systems(schedule, sync_fields.in_set(FluidEntitySystems::Fields));
}

/// A [force field](ForceField) of the game that lives as long as its entity, within a shape placed by
/// the entity's [`Transform`].
///
/// The field receives positions in world coordinates. The field must own the values that it uses: to change these,
/// insert the component again. For a field that lives longer than an entity, use
/// [`FluidForceFields`](crate::FluidForceFields). If the entity's scale is zero or not finite, the field is left out
/// with a warning.
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
    /// Region in which the field acts, in the entity's own units; `None` for everywhere.
    pub shape: Option<FluidShape>,
    field: Arc<dyn ForceField>,
}

impl FluidField {
    /// A field that acts within its own [bounds](ForceField::bounds), by default everywhere.
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

/// Number of particles that a field within a region is applied to at once.
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
            // A field treats each particle independently, so its effect outside of the region can be undone.
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

/// Passes the fields to the simulation when one of them has changed, moved or been removed.
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
    // The rounding of a sum depends on its order.
    wanted.sort_unstable_by_key(|(entity, _)| ranks.of(*entity));
    let same = wanted.len() == placed.len()
        && wanted.iter().zip(&*placed).all(|(new, old)| new.0 == old.0 && new.1.is(&old.1));
    if !same {
        fields.0 = wanted.iter().map(|(_, field)| Arc::new(field.clone()) as _).collect();
        *placed = wanted;
    }
}

// Impulses as entities.

/// Adds the types and systems below.
pub(super) fn add_impulses(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidImpulse>().add_systems(
        FluidSchedule,
        apply_impulses.after(FluidTickSystems::Spawn).before(FluidTickSystems::Move),
    );
}

/// A [`FluidForce`] that acts once, with the effect of a whole second: its accelerations are added
/// to the velocities.
///
/// The impulse acts at the beginning of the next tick, after particles were added
/// ([`FluidTickSystems::Spawn`](crate::FluidTickSystems::Spawn)), at the transform of its entity in that tick. Then the
/// component is removed. Insert it again for another impulse. While the fluid is paused, the impulse waits. An impulse
/// with invalid values or an invalid transform waits as well, with a warning.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn explode(mut commands: Commands) {
///     let place = Transform::from_xyz(30.0, -20.0, 0.0);
///     commands.spawn((FluidImpulse::explosion(80.0, 400.0), place));
/// }
/// ```
#[doc = guide!("forces")]
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidImpulse(pub FluidForce);

impl FluidImpulse {
    /// Pushes liquid within `radius` world units of the entity outwards, at up to `speed` world units/s.
    pub fn explosion(radius: f32, speed: f32) -> Self {
        Self(FluidForce::repel(radius, speed))
    }

    /// Adds a velocity, in world units/s, to all liquid in a shape.
    pub fn push(shape: &impl FluidOutline, velocity: Vec2) -> Self {
        Self(FluidForce::uniform(shape, velocity))
    }
}

/// Applies the impulses, and removes them.
pub(crate) fn apply_impulses(
    mut commands: Commands,
    entities: Query<(Entity, &FluidImpulse)>,
    transforms: TransformHelper,
    ranks: Ranks,
    mut fluid: ResMut<FluidSimulation>,
    #[cfg(feature = "gpu")] mut on_device: Option<ResMut<DeviceLiquid>>,
    mut warnings: Warnings,
) {
    warnings.retain(|entity| entities.contains(entity));
    let mut apply = |force: &Force| {
        #[cfg(feature = "gpu")]
        if let Some(on_device) = &mut on_device {
            return on_device.liquid.apply_impulse(force).map_err(|error| error.to_string());
        }
        fluid.apply_impulse(force).map_err(|error| error.to_string())
    };
    let mut waiting: Vec<_> = entities.iter().collect();
    waiting.sort_unstable_by_key(|(entity, _)| ranks.of(*entity));
    for (entity, impulse) in waiting {
        let applied = impulse
            .placed(entity, &transforms, &mut Scaled::default())
            .and_then(|force| apply(&force));
        if warnings.check(entity, "fluid impulse", applied).is_some() {
            commands.entity(entity).try_remove::<FluidImpulse>();
        }
    }
}

// Forces and impulses as entities.

/// Adds the types and systems below.
pub(super) fn add_forces(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidForce>()
        .add_systems(schedule, sync_forces.in_set(FluidEntitySystems::Forces));
}

/// Pushes, turns, carries along, slows or heats the liquid in a shape, placed by the entity's [`Transform`]. All parts
/// may be combined; parts that are zero have no effect. [`Force`] describes the effect and the order of the parts.
///
/// The entity's scale applies to the shape (a round shape uses the smaller scale), and its rotation to the shape and
/// all directions. Accelerations and velocities are never scaled. The force is left out with a warning if the entity's
/// scale is zero or not finite, or if a value is out of range.
///
/// The [`wind`](Self::wind) of a force with a shape also blows in [`FluidAir`](crate::FluidAir).
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
#[doc = guide!("forces")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidForce {
    /// Region in which the force acts, in the entity's own units; `None` (default) for everywhere.
    pub shape: Option<FluidShape>,
    /// The classes on which the force acts. Default all.
    pub classes: ClassFilter,
    /// Falloff towards the shape's edge. Default [`Smooth`](FluidFalloff::Smooth), and
    /// [`Constant`](FluidFalloff::Constant) from the constructors that take a shape.
    pub falloff: FluidFalloff,
    /// Acceleration towards the entity, in world units/s²; within ±1e12. Default 0. Negative values repel.
    pub attraction: f32,
    /// Acceleration around the entity, counter-clockwise, in world units/s²; within ±1e12. Default
    /// 0.
    pub swirl: f32,
    /// Uniform acceleration, in world units/s², in the entity's own directions; within ±1e12. Default
    /// 0.
    pub acceleration: Vec2,
    /// Velocity of a medium that carries the liquid along through [`drag`](Self::drag), in world
    /// units/s, in the entity's own directions; within ±1e12. Default 0.
    pub wind: Vec2,
    /// Rate at which the liquid's velocity approaches that of the wind, in 1/s; 0 to 1e12. Default 0. Without wind,
    /// drag slows the liquid, so that attracted liquid settles instead of orbiting.
    pub drag: f32,
    /// Velocity of a belt that carries the liquid along in the belt's direction only, in world units/s, in the entity's
    /// own directions; within ±1e12. Default 0.
    pub conveyor: Vec2,
    /// Rate at which the liquid's speed in the direction of the conveyor approaches the conveyor's speed, in 1/s; 0 to
    /// 1e12. Default 0: the conveyor has no effect.
    pub grip: f32,
    /// Rate at which the temperature rises, in degrees/s; within ±1e12. Default 0. Negative values cool.
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

    /// Attracts liquid within `radius` world units, by at most `acceleration` world units/s². A drag
    /// of 2/s slows the liquid, so that it settles instead of orbiting.
    pub fn attract(radius: f32, acceleration: f32) -> Self {
        Self { attraction: acceleration, drag: 2.0, ..Self::around(radius) }
    }

    /// Repels liquid within `radius` world units, by at most `acceleration` world units/s².
    pub fn repel(radius: f32, acceleration: f32) -> Self {
        Self { attraction: -acceleration, ..Self::around(radius) }
    }

    /// Accelerates liquid within `radius` world units around the entity, counter-clockwise, by at most `acceleration`
    /// world units/s². Add some [`attraction`](Self::attraction), or the liquid flies off.
    pub fn vortex(radius: f32, acceleration: f32) -> Self {
        Self { swirl: acceleration, ..Self::around(radius) }
    }

    /// Heats liquid within `radius` world units, by at most `heat` degrees per second.
    pub fn heat(radius: f32, heat: f32) -> Self {
        Self { heat, ..Self::around(radius) }
    }

    /// Carries liquid along with a medium that moves at `velocity` world units/s. `drag` is the rate, in 1/s, at which
    /// the liquid takes on this velocity.
    pub fn wind(shape: &impl FluidOutline, velocity: Vec2, drag: f32) -> Self {
        Self { wind: velocity, drag, ..Self::all_over(shape) }
    }

    /// Slows the liquid in a shape; `drag` is the rate of slowing, in 1/s.
    pub fn drag(shape: &impl FluidOutline, drag: f32) -> Self {
        Self { drag, ..Self::all_over(shape) }
    }

    /// Carries liquid along with a belt that moves at `velocity` world units/s; motion across the belt is free. `grip`
    /// is the rate, in 1/s, at which the liquid takes on the belt's velocity.
    pub fn conveyor(shape: &impl FluidOutline, velocity: Vec2, grip: f32) -> Self {
        Self { conveyor: velocity, grip, ..Self::all_over(shape) }
    }

    /// Accelerates all liquid in a shape by `acceleration`, in world units/s².
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

    /// The same force, which acts only on these classes.
    pub const fn acting_on(mut self, classes: ClassFilter) -> Self {
        self.classes = classes;
        self
    }

    /// The force at the placement of its entity, or the reason why it is invalid.
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
            centre: placement.pose.translation,
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
    // The rounding of a sum depends on its order.
    forces.sort_unstable_by_key(|(entity, _)| ranks.of(*entity));
    plain.clear();
    plain.extend(forces.drain(..).map(|(_, force)| force));
    if fluid.forces() != plain.as_slice()
        && let Err(error) = fluid.world_mut().set_forces(&plain)
    {
        warn_once!("fluid forces refused: {error}");
    }
}
