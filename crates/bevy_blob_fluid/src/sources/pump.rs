//! Pumps as entities.

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{ClassFilter, FluidRegion, FluidShape, OutOfRange, Pump, PumpSettings};

use super::drain::drain_into_drains;
use crate::concern;
use crate::materials::{FilteredClasses, FluidClassFilter};
use crate::placing::{FluidOutline, Placement, Scaled};
use crate::schedule::{FluidOrder, FluidSchedule, FluidTickSystems, Ranks};
#[cfg(feature = "gpu")]
use crate::simulation::DeviceLiquid;
use crate::simulation::{Fluid, FluidSimulation, RestartApp};
use crate::warnings::Warnings;

/// Adds the types and systems below.
pub(super) fn add_pumps(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidPump>()
        .register_type::<FluidPumpTotals>()
        .add_systems(
            FluidSchedule,
            pump_with_pumps.in_set(FluidTickSystems::Sources).after(drain_into_drains),
        )
        .begins_anew::<FluidPump>();
}

/// Moves liquid from a region at the entity, the inlet, to another region at any distance, the outlet. The entity's
/// [`Transform`] places inlet and outlet.
///
/// Particles keep their handle, class, temperature, paint, age and tag. Particles move only to free places in the
/// outlet, and otherwise wait in the inlet, so no liquid is lost.
///
/// Values out of range are refused with a warning, and the last valid values stay in use. While the entity's scale is
/// zero or not finite, nothing moves, and there is a warning. [`FluidPumpTotals`] counts the particles; inserting the
/// `FluidPump` again resets the count.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     // From a sump into a trough 300 units above it, which a pump with less head would not reach.
///     commands.spawn((
///         FluidPump::new(Circle::new(30.0), Rectangle::new(60.0, 16.0), Vec2::new(0.0, 300.0))
///             .with_rate(150.0)
///             .with_max_head(400.0)
///             .with_velocity(Vec2::new(80.0, 0.0)),
///         Transform::from_xyz(-200.0, -250.0, 0.0),
///     ));
/// }
/// # let _ = setup;
/// ```
#[doc = guide!("plumbing")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
#[component(on_insert = concern::insert::<Beside>, on_remove = concern::remove::<Beside>)]
pub struct FluidPump {
    /// Region from which liquid is taken, in the entity's own units. The particles nearest to the entity
    /// move first.
    pub inlet: FluidShape,
    /// Region in which liquid comes out, in the entity's own units and around `to`.
    pub outlet: FluidShape,
    /// The middle of the outlet, in the entity's own units.
    pub to: Vec2,
    /// The liquids that the pump moves. Default all.
    pub classes: FluidClassFilter,
    /// Number of particles that the pump moves per second if it does not have to lift them, 0 to 1000000; default 100.
    /// The flow in square world units/s is this rate times the square of the particle spacing.
    pub rate: f32,
    /// Largest height to which the pump lifts, from surface to surface, in world units; above 0, up to 1e9. The rate is
    /// multiplied by `sqrt(1 - lift / max_head)`, and is 0 at this height and above. `None`, the default, for no limit.
    pub max_head: Option<f32>,
    /// Velocity at which particles leave, along the entity's own axes, in world units/s; each number
    /// within ±1000000, default 0.
    pub velocity: Vec2,
    /// Whether the pump runs. Default yes.
    pub running: bool,
}

impl Default for FluidPump {
    /// A pump without valid shapes: set them before use.
    fn default() -> Self {
        let none = || FluidShape::Circle { radius: 0.0 };
        let PumpSettings { rate, max_head, velocity, .. } = PumpSettings::default();
        let (inlet, outlet, to) = (none(), none(), Vec2::ZERO);
        let classes = FluidClassFilter::ALL;
        Self { inlet, outlet, to, classes, rate, max_head, velocity, running: true }
    }
}

impl FluidPump {
    /// A pump from an inlet around the entity to an outlet around `to`, in the entity's own units.
    pub fn new(inlet: impl FluidOutline, outlet: impl FluidOutline, to: Vec2) -> Self {
        let (inlet, outlet) = (inlet.outline_or_warn(), outlet.outline_or_warn());
        Self { inlet, outlet, to, ..Self::default() }
    }

    /// The same pump for these liquids only, given by ids or names of classes, or by materials.
    #[must_use]
    pub fn taking(mut self, classes: impl Into<FluidClassFilter>) -> Self {
        self.classes = classes.into();
        self
    }

    /// The same pump with a rate, in particles/s.
    #[must_use]
    pub const fn with_rate(mut self, rate: f32) -> Self {
        self.rate = rate;
        self
    }

    /// The same pump, which lifts to this height at most, in world units.
    #[must_use]
    pub const fn with_max_head(mut self, max_head: f32) -> Self {
        self.max_head = Some(max_head);
        self
    }

    /// The same pump; particles leave it at this velocity, along the entity's own axes, in world units/s.
    #[must_use]
    pub const fn with_velocity(mut self, velocity: Vec2) -> Self {
        self.velocity = velocity;
        self
    }

    /// The same pump, stopped.
    #[must_use]
    pub const fn stopped(mut self) -> Self {
        self.running = false;
        self
    }
}

/// Counts of a [`FluidPump`] since it was inserted, and its present lift. For reading only.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidPumpTotals {
    /// Number of moved particles.
    pub moved: u64,
    /// Height to which the pump had to lift in the last tick, in world units; negative downwards, and 0 while the pump
    /// does not run.
    pub lift: f32,
}

/// The pump of an entity, and the component that was last applied to it.
#[derive(Component, Clone, Debug, Default)]
pub(crate) struct FluidPumpState {
    pump: Option<(Option<FluidPump>, Pump)>,
    scaled: [Scaled; 2],
}

#[cfg(feature = "snapshot")]
impl FluidPumpState {
    /// The pump itself; `None` before its first valid placement.
    pub(crate) fn pump(&self) -> Option<&Pump> {
        self.pump.as_ref().map(|(_, pump)| pump)
    }

    /// The state of a pump to which its component has not been applied yet.
    pub(crate) fn of(pump: Option<Pump>) -> Self {
        Self { pump: pump.map(|pump| (None, pump)), scaled: default() }
    }
}

/// The components that are inserted and removed together with the pump.
type Beside = (FluidPumpState, FluidPumpTotals);

impl FluidPumpState {
    /// Sets the values of the component, the present classes of its filter and the placement of the entity.
    /// Invalid values are refused, and the last valid ones stay.
    fn set(
        &mut self,
        component: &FluidPump,
        classes: ClassFilter,
        placement: Placement,
    ) -> Result<(), OutOfRange> {
        let [inlet, outlet] = &mut self.scaled;
        let mut regions = |pump: &FluidPump| {
            let way = placement.pose.to_world_direction(pump.to * placement.scale);
            let from = inlet.region(&pump.inlet, &placement)?;
            let to = outlet.region(&pump.outlet, &placement.moved(way))?;
            Ok::<(FluidRegion, FluidRegion), OutOfRange>((from, to))
        };
        let settings = PumpSettings {
            rate: component.rate,
            max_head: component.max_head,
            velocity: component.velocity * placement.scale.signum(),
            classes,
            running: component.running,
        };
        let Some((valid, pump)) = &mut self.pump else {
            let (from, to) = regions(component)?;
            let pump = Pump::new(settings, from, to)?;
            self.pump = Some((Some(component.clone()), pump));
            return Ok(());
        };
        if let Some(valid) = valid {
            let (from, to) = regions(valid)?;
            pump.set_inlet(from)?;
            pump.set_outlet(to)?;
        }
        if valid.as_ref() == Some(component) {
            return pump.set_settings(PumpSettings { classes, ..*pump.settings() });
        }
        let (from, to) = regions(component)?;
        // Either all values are applied or none.
        let mut changed = Pump::new(settings, from.clone(), to.clone()).map(|_| ());
        changed = changed.and_then(|()| pump.set_settings(settings));
        changed = changed.and_then(|()| pump.set_inlet(from)).and_then(|()| pump.set_outlet(to));
        changed?;
        *valid = Some(component.clone());
        Ok(())
    }
}

/// Moves the particles of a tick.
fn pump_with_pumps(
    mut pumps: Query<(Entity, &FluidPump, &mut FluidPumpState, &mut FluidPumpTotals)>,
    transforms: TransformHelper,
    ranks: Ranks,
    time: Res<Time<Fluid>>,
    classes: FilteredClasses,
    mut fluid: ResMut<FluidSimulation>,
    #[cfg(feature = "gpu")] on_device: Option<Res<DeviceLiquid>>,
    mut misplaced: Warnings,
    mut refused: Warnings,
    mut unknown: Warnings,
) {
    misplaced.retain(|entity| pumps.contains(entity));
    refused.retain(|entity| pumps.contains(entity));
    unknown.retain(|entity| pumps.contains(entity));
    #[cfg(feature = "gpu")]
    if on_device.is_some() && !pumps.is_empty() {
        warn_once!("pumps do nothing while the liquid is on the graphics card");
    }
    let mut all: Vec<_> = pumps.iter_mut().collect();
    // A pump may move particles on that another has moved: a fixed order keeps the results deterministic.
    all.sort_unstable_by_key(|(entity, ..)| ranks.of(*entity));
    for (entity, component, mut state, mut totals) in all {
        let placed = Placement::of(entity, &transforms);
        let Some(placement) = misplaced.check(entity, "fluid pump", placed) else { continue };
        unknown.check(entity, "a class of fluid pump", classes.check(&component.classes));
        let set = state.set(component, classes.of(&component.classes), placement);
        let pumped = state.pump.as_mut().map_or(Ok(()), |(_, pump)| {
            let report = pump.pump(fluid.world_mut().liquid_mut(), time.delta_secs())?;
            totals.set_if_neq(FluidPumpTotals { moved: pump.moved(), lift: report.lift });
            Ok(())
        });
        refused.check_change(entity, "fluid pump", state.pump.is_some(), set.and(pumped));
    }
}
