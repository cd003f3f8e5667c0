//! Sensors as entities.

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::air::AirChannel;
use blob_fluid::{
    BlobId, ClassFilter, FillLevels, FluidShape, LevelCrossing, OutOfRange, ParticleId, Sensor,
    SensorReading, Splash,
};

use crate::concern;
use crate::materials::{FilteredClasses, FluidClassFilter};
use crate::placing::{Placement, Scaled, from_outline};
#[cfg(feature = "gpu")]
use crate::schedule::FluidTickSystems;
use crate::schedule::{FluidEntitySystems, FluidOrder, FluidSchedule, FluidSenseSystems, Ranks};
#[cfg(feature = "gpu")]
use crate::simulation::DeviceLiquid;
use crate::simulation::{FluidSimulation, RestartApp};
use crate::warnings::Warnings;

/// Adds the types and systems below.
pub(super) fn add_sensors(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidSensor>()
        .register_type::<FluidSensorReading>()
        .register_type::<FluidAirReading>()
        .register_type::<FluidEntered>()
        .register_type::<FluidLeft>()
        .register_type::<FluidFilled>()
        .register_type::<FluidDrained>()
        .add_message::<FluidEntered>()
        .add_message::<FluidLeft>()
        .add_message::<FluidFilled>()
        .add_message::<FluidDrained>()
        .add_systems(schedule, sync_sensors.in_set(FluidEntitySystems::Sensors))
        .add_systems(
            FluidSchedule,
            (measure_sensors, measure_air).chain().in_set(FluidSenseSystems::Sensors),
        )
        .begins_anew::<FluidSensor>();
    #[cfg(feature = "gpu")]
    app.add_systems(FluidSchedule, watch_on_device.in_set(FluidTickSystems::Move));
}

/// Watches the liquid in a region, placed by the entity's [`Transform`].
///
/// After every tick, its [`FluidSensorReading`] describes the liquid inside. [`FluidEntered`], [`FluidLeft`],
/// [`FluidFilled`] and [`FluidDrained`] are written as messages and triggered for observers. In the first tick of a new
/// sensor, all particles inside count as entered. The sensor follows its entity once per run of the outer schedule, not
/// between ticks. Invalid placements and values out of range are refused with a warning, and the last valid ones stay
/// in use.
///
/// While the liquid is on the graphics card ([`FluidBackend::Gpu`](crate::FluidBackend::Gpu)), readings and messages
/// are one or two ticks late. On the card, readings and messages contain neither paint nor handles of particles;
/// [`FluidEntered::count`] and [`FluidLeft::count`] contain the number of particles. When the liquid returns to the
/// CPU, its particles count as entered again.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((
///         FluidSensor::from(Rectangle::new(60.0, 40.0)),
///         Transform::from_xyz(0.0, -100.0, 0.0),
///     ));
/// }
///
/// fn show(sensors: Query<&FluidSensorReading>) {
///     // A sensor that was spawned in this frame knows nothing yet.
///     for reading in sensors.iter().filter(|reading| reading.measured) {
///         info!("{:.0} %, {} particles/s", 100.0 * reading.fill, reading.inflow);
///     }
/// }
/// ```
#[doc = guide!("gate")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder, FluidSensorReading, FluidAirReading, SensorState)]
#[component(on_remove = concern::remove::<(FluidSensorReading, FluidAirReading, SensorState)>)]
pub struct FluidSensor {
    /// Region that is watched, in the entity's own units.
    pub shape: FluidShape,
    /// Liquids that are counted. Default all.
    pub classes: FluidClassFilter,
    /// Fill levels at which the sensor counts as full and as empty. Default 0.8 and 0.2.
    pub levels: FillLevels,
    /// Time over which flows are smoothed, in seconds; 0 (not at all) to 1000. Default 0.25.
    pub smoothing: f32,
}

from_outline!(FluidSensor);

impl FluidSensor {
    /// A sensor of a shape, for all classes, with default levels.
    pub fn new(shape: FluidShape) -> Self {
        Self {
            shape,
            classes: FluidClassFilter::ALL,
            levels: FillLevels::default(),
            smoothing: Sensor::DEFAULT_SMOOTHING,
        }
    }

    /// The same sensor for these liquids only, given by ids or names of classes, or by materials.
    pub fn with_classes(mut self, classes: impl Into<FluidClassFilter>) -> Self {
        self.classes = classes.into();
        self
    }

    /// The same sensor with other fill levels. The sensor is full from `full_at` on, and empty again below
    /// `empty_below`. Both levels are above 0 and at most 1, and `empty_below` is not above `full_at`.
    pub const fn with_levels(mut self, full_at: f32, empty_below: f32) -> Self {
        self.levels = FillLevels { full_at, empty_below };
        self
    }
}

/// Measurements of a [`FluidSensor`] after the last tick, removed with the sensor.
///
/// Until the first tick after the sensor was inserted, [`measured`](SensorReading::measured) is
/// false and all numbers are 0.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Deref)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidSensorReading(pub(crate) SensorReading);

/// Measurements of the air in a [`FluidSensor`]'s region after the last tick. The measurements are removed with the
/// sensor, and are 0 without a [`FluidAir`](crate::FluidAir) in the region.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidAirReading {
    /// Amount of smoke: the sum of concentration times area, in square world units.
    pub smoke: f32,
    /// Amount of heat: the sum of heat times area, in square world units.
    pub heat: f32,
    /// Wind in the middle of the region, in world units/s.
    pub wind: Vec2,
}

/// The sensor itself, after its first valid placement.
#[derive(Component, Clone, Default)]
pub(crate) struct SensorState {
    pub sensor: Option<Sensor>,
    pub scaled: Scaled,
    /// Simulated time of the last measurement, in seconds.
    pub measured: f64,
}

/// Copies the transform of each entity to its sensor.
fn sync_sensors(
    mut sensors: Query<(Entity, &FluidSensor, &mut SensorState)>,
    transforms: TransformHelper,
    classes: FilteredClasses,
    mut warnings: Warnings,
    mut unknown: Warnings,
) {
    warnings.retain(|entity| sensors.contains(entity));
    unknown.retain(|entity| sensors.contains(entity));
    for (entity, component, mut state) in &mut sensors {
        unknown.check(entity, "a class of fluid sensor", classes.check(&component.classes));
        let counted = classes.of(&component.classes);
        let placement = Placement::of(entity, &transforms).map_err(|error| error.to_string());
        let updated = placement.and_then(|placement| {
            let SensorState { sensor, scaled, .. } = &mut *state;
            update(sensor, scaled, component, counted, placement).map_err(|error| error.to_string())
        });
        warnings.check_change(entity, "fluid sensor", state.sensor.is_some(), updated);
    }
}

/// Applies all values of a component, or none if one is invalid.
fn update(
    sensor: &mut Option<Sensor>,
    scaled: &mut Scaled,
    component: &FluidSensor,
    counted: ClassFilter,
    placement: Placement,
) -> Result<(), OutOfRange> {
    let FluidSensor { shape, levels, smoothing, .. } = component;
    let region = scaled.region(shape, &placement)?;
    levels.validate()?;
    let mut new = Sensor::new(region.clone(), counted);
    new.set_smoothing(*smoothing)?;
    // All values are valid from here on.
    let sensor = sensor.get_or_insert(new);
    sensor.set_levels(*levels)?;
    sensor.set_smoothing(*smoothing)?;
    sensor.set_classes(counted);
    sensor.set_region(region);
    Ok(())
}

/// Measures the air in the regions of all sensors.
fn measure_air(
    mut sensors: Query<(&SensorState, &mut FluidAirReading)>,
    fluid: Res<FluidSimulation>,
) {
    for (state, mut shown) in &mut sensors {
        let Some(sensor) = &state.sensor else { continue };
        let mut reading = FluidAirReading::default();
        for air in fluid.airs() {
            reading.smoke += air.amount_in(AirChannel::Smoke, sensor.region()) as f32;
            reading.heat += air.amount_in(AirChannel::Heat, sensor.region()) as f32;
            reading.wind += air.velocity_at(sensor.region().centre()).unwrap_or_default();
        }
        shown.set_if_neq(reading);
    }
}

/// Passes the regions of all sensors to the card, which measures them.
#[cfg(feature = "gpu")]
fn watch_on_device(
    sensors: Query<(Entity, &SensorState)>,
    on_device: Option<ResMut<DeviceLiquid>>,
) {
    let Some(mut on_device) = on_device else { return };
    on_device.watch_only(|entity| sensors.contains(entity));
    for (entity, state) in &sensors {
        if let Some(sensor) = &state.sensor {
            on_device.watch(entity, sensor);
        }
    }
}

/// Updates all sensors and writes messages.
fn measure_sensors(
    mut sensors: Query<(Entity, &mut SensorState, &mut FluidSensorReading)>,
    ranks: Ranks,
    fluid: Res<FluidSimulation>,
    #[cfg(feature = "gpu")] on_device: Option<ResMut<DeviceLiquid>>,
    time: Res<Time>,
    mut commands: Commands,
    mut entered: MessageWriter<FluidEntered>,
    mut left: MessageWriter<FluidLeft>,
    mut filled: MessageWriter<FluidFilled>,
    mut drained: MessageWriter<FluidDrained>,
) {
    #[cfg(feature = "gpu")]
    let on_device = on_device.map(|mut on_device| on_device.sensed());
    let mut sensors: Vec<_> = sensors.iter_mut().collect();
    // Messages must come in the same order whenever the same level is spawned.
    sensors.sort_unstable_by_key(|(entity, ..)| ranks.of(*entity));
    for (entity, mut state, mut shown) in sensors {
        let SensorState { sensor: Some(sensor), measured, .. } = &mut *state else { continue };
        // This is more than a tick if the entity was disabled in between.
        let passed = (fluid.time() - std::mem::replace(measured, fluid.time())) as f32;
        let elapsed = if passed > 0.0 { passed } else { time.delta_secs() };
        #[cfg(feature = "gpu")]
        if let Some(sensed) = &on_device {
            let Some(counts) = sensed.get(&entity) else { continue };
            sensor.accept(counts, &fluid, elapsed);
        } else {
            sensor.measure(&fluid, elapsed);
        }
        #[cfg(not(feature = "gpu"))]
        sensor.measure(&fluid, elapsed);
        let reading = sensor.reading().clone();
        let SensorReading { crossing, fill, entered: came, left: went, .. } = reading;
        shown.set_if_neq(FluidSensorReading(reading));
        if came > 0 {
            let particles = sensor.entered().to_vec();
            let event = FluidEntered { entity, count: came, particles };
            entered.write(event.clone());
            commands.trigger(event);
        }
        if went > 0 {
            let particles = sensor.left().to_vec();
            let event = FluidLeft { entity, count: went, particles };
            left.write(event.clone());
            commands.trigger(event);
        }
        match crossing {
            Some(LevelCrossing::Filled) => {
                filled.write(FluidFilled { entity, fill });
                commands.trigger(FluidFilled { entity, fill });
            }
            Some(LevelCrossing::Drained) => {
                drained.write(FluidDrained { entity, fill });
                commands.trigger(FluidDrained { entity, fill });
            }
            None => {}
        }
    }
}

// Messages of sensors, blobs and splashes. Each one is written once for [`MessageReader`]s and
// triggered once for observers.

/// Particles entered a [`FluidSensor`](crate::FluidSensor) in a tick.
#[derive(Message, EntityEvent, Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidEntered {
    /// The sensor.
    pub entity: Entity,
    /// Number of particles that entered; at least one.
    pub count: usize,
    /// The particles' handles, in ascending order. Empty while the liquid is on the graphics card.
    pub particles: Vec<ParticleId>,
}

/// Particles left a [`FluidSensor`](crate::FluidSensor) in a tick, died inside of it, or turned into a class that the
/// sensor does not count.
#[derive(Message, EntityEvent, Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidLeft {
    /// The sensor.
    pub entity: Entity,
    /// Number of particles that left; at least one.
    pub count: usize,
    /// The particles' handles, in ascending order. Empty while the liquid is on the graphics card.
    pub particles: Vec<ParticleId>,
}

/// A [`FluidSensor`](crate::FluidSensor) became full.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands
///         .spawn(FluidSensor::from(Rectangle::new(60.0, 40.0)))
///         .observe(|filled: On<FluidFilled>| info!("{} is full", filled.entity));
/// }
/// ```
#[derive(Message, EntityEvent, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidFilled {
    /// The sensor.
    pub entity: Entity,
    /// The sensor's fill level, 0 to 1.
    pub fill: f32,
}

/// A full [`FluidSensor`](crate::FluidSensor) became empty.
#[derive(Message, EntityEvent, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidDrained {
    /// The sensor.
    pub entity: Entity,
    /// The sensor's fill level, 0 to 1.
    pub fill: f32,
}

/// Fast liquid hit liquid or a solid. The [`FluidSplashPlugin`](crate::FluidSplashPlugin) writes this message.
#[derive(Message, Event, Reflect, Clone, Copy, Debug, PartialEq, Deref)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidSplash(pub Splash);

/// A blob of liquid became part of another blob. The [`FluidBlobsPlugin`](crate::FluidBlobsPlugin) writes this message.
#[derive(Message, Event, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidBlobsMerged {
    /// The blob that contains the particles of both.
    pub into: BlobId,
    /// The blob that has ended.
    pub from: BlobId,
}

/// A blob of liquid split off from another blob. The [`FluidBlobsPlugin`](crate::FluidBlobsPlugin) writes this message.
#[derive(Message, Event, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidBlobSplit {
    /// The blob that was split, which may have merged into another blob in the same tick.
    pub from: BlobId,
    /// The new blob.
    pub into: BlobId,
}
