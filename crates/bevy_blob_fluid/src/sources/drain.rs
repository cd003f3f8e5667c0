//! Drains as entities.

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{ClassFilter, Drain, FluidShape, OutOfRange};

use crate::concern;
use crate::materials::{FilteredClasses, FluidClassFilter};
use crate::placing::{Placement, Scaled, from_outline};
use crate::schedule::{FluidOrder, FluidSchedule, FluidTickSystems, Ranks};
#[cfg(feature = "gpu")]
use crate::simulation::DeviceLiquid;
use crate::simulation::{Fluid, FluidSimulation, RestartApp};
use crate::sources::emitter::{FluidTankContents, FluidTankLink, NO_TANK, emit_from_emitters};
use crate::warnings::Warnings;

/// Adds the types and systems below.
pub(super) fn add_drains(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidDrain>()
        .register_type::<FluidDrainTotals>()
        .add_systems(
            FluidSchedule,
            drain_into_drains.in_set(FluidTickSystems::Sources).after(emit_from_emitters),
        )
        .begins_anew::<FluidDrain>();
}

/// A region that removes liquid, placed by the entity's [`Transform`]. With a [`FluidTankLink`],
/// the liquid flows into a [`FluidTank`](crate::FluidTank).
///
/// While the entity's scale is zero or not finite, nothing drains, and there is a warning. Values
/// out of range are refused with a warning, and the last valid values stay in use.
/// [`FluidDrainTotals`] counts the drained particles; inserting the `FluidDrain` again resets the
/// count.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((
///         FluidDrain::from(Circle::new(40.0)).taking(ClassId::LIGHT).with_rate(200.0),
///         Transform::from_xyz(0.0, -200.0, 0.0),
///     ));
///     commands.spawn((
///         FluidDrain::from(Circle::new(40.0)).taking(FluidMadeOf::OIL),
///         Transform::from_xyz(90.0, -200.0, 0.0),
///     ));
/// }
/// ```
#[doc = guide!("pour")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
#[component(on_insert = concern::insert::<Beside>, on_remove = concern::remove::<Beside>)]
pub struct FluidDrain {
    /// Region in which liquid drains, in the entity's own units.
    pub shape: FluidShape,
    /// The liquids that drain. Default all.
    pub classes: FluidClassFilter,
    /// Number of particles that drain per second, 0 to 1000000. The particles nearest to the entity drain first.
    /// `None`, the default, drains all liquid at once.
    pub rate: Option<f32>,
    /// Whether the drain runs. Default yes.
    pub running: bool,
}

from_outline!(FluidDrain);

impl FluidDrain {
    /// A drain of a shape, for all classes, that removes all liquid in it at once.
    pub const fn new(shape: FluidShape) -> Self {
        Self { shape, classes: FluidClassFilter::ALL, rate: None, running: true }
    }

    /// The same drain for these liquids only, given by ids or names of classes, or by materials.
    #[must_use]
    pub fn taking(mut self, classes: impl Into<FluidClassFilter>) -> Self {
        self.classes = classes.into();
        self
    }

    /// The same drain with a rate, in particles/s.
    #[must_use]
    pub const fn with_rate(mut self, rate: f32) -> Self {
        self.rate = Some(rate);
        self
    }

    /// The same drain, stopped.
    #[must_use]
    pub const fn stopped(mut self) -> Self {
        self.running = false;
        self
    }
}

/// Particles that a [`FluidDrain`] has removed since it was inserted. For reading only.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidDrainTotals {
    /// Number of removed particles.
    pub total: u64,
    /// Number of removed particles of each class, by the index of the class. The list ends at the highest drained
    /// class.
    pub by_class: Vec<u64>,
}

impl FluidDrainTotals {
    /// Adds particles, by class.
    fn add(&mut self, new: &[u64]) {
        let classes = new.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        self.by_class.resize(self.by_class.len().max(classes), 0);
        for (total, count) in self.by_class.iter_mut().zip(new) {
            *total += count;
        }
        self.total += new.iter().sum::<u64>();
    }
}

/// The drain of an entity, and the component that was last applied to it.
#[derive(Component, Clone, Debug, Default)]
pub(crate) struct FluidDrainState(Option<(Option<FluidDrain>, Drain)>, Scaled);

#[cfg(feature = "snapshot")]
impl FluidDrainState {
    /// The drain itself; `None` before its first valid placement.
    pub(crate) fn drain(&self) -> Option<&Drain> {
        self.0.as_ref().map(|(_, drain)| drain)
    }

    /// The state of a drain to which its component has not been applied yet.
    pub(crate) fn of(drain: Option<Drain>) -> Self {
        Self(drain.map(|drain| (None, drain)), Scaled::default())
    }
}

/// The components that are inserted and removed together with the drain.
type Beside = (FluidDrainState, FluidDrainTotals);

impl FluidDrainState {
    /// Sets the values of the component, the present classes of its filter and the placement of the
    /// entity. Invalid values are refused, and the last valid ones stay.
    fn set(
        &mut self,
        component: &FluidDrain,
        classes: ClassFilter,
        placement: Placement,
    ) -> Result<(), OutOfRange> {
        let Self(known, scaled) = self;
        let mut region = |shape: &FluidShape| scaled.region(shape, &placement);
        let Some((valid, drain)) = known else {
            let mut drain = Drain::new(region(&component.shape)?).with_classes(classes);
            drain.set_rate(component.rate)?;
            drain.set_running(component.running);
            *known = Some((Some(component.clone()), drain));
            return Ok(());
        };
        if let Some(valid) = valid {
            drain.set_region(region(&valid.shape)?);
        }
        if valid.as_ref() != Some(component) {
            let changed = region(&component.shape)?;
            drain.set_rate(component.rate)?;
            drain.set_region(changed);
            drain.set_running(component.running);
            *valid = Some(component.clone());
        }
        drain.set_classes(classes);
        Ok(())
    }
}

/// Removes the particles that drain in a tick.
pub(super) fn drain_into_drains(
    mut drains: Query<(
        Entity,
        &FluidDrain,
        Option<&FluidTankLink>,
        &mut FluidDrainState,
        &mut FluidDrainTotals,
    )>,
    mut tanks: Query<&mut FluidTankContents>,
    transforms: TransformHelper,
    ranks: Ranks,
    time: Res<Time<Fluid>>,
    classes: FilteredClasses,
    mut fluid: ResMut<FluidSimulation>,
    #[cfg(feature = "gpu")] mut on_device: Option<ResMut<DeviceLiquid>>,
    mut misplaced: Warnings,
    mut refused: Warnings,
    mut unknown: Warnings,
    mut unlinked: Warnings,
    mut before: Local<Vec<u64>>,
) {
    misplaced.retain(|entity| drains.contains(entity));
    refused.retain(|entity| drains.contains(entity));
    unknown.retain(|entity| drains.contains(entity));
    unlinked.retain(|entity| drains.contains(entity));
    #[cfg(feature = "gpu")]
    if let Some(on_device) = &mut on_device {
        on_device.drain_only(|entity| drains.contains(entity));
    }
    let mut all: Vec<_> = drains.iter_mut().collect();
    // Drains may overlap: a fixed order keeps the results deterministic.
    all.sort_unstable_by_key(|(entity, ..)| ranks.of(*entity));
    for (entity, component, link, mut state, mut totals) in all {
        let placed = Placement::of(entity, &transforms);
        let Some(placement) = misplaced.check(entity, "fluid drain", placed) else { continue };
        unknown.check(entity, "a class of fluid drain", classes.check(&component.classes));
        let set = state.set(component, classes.of(&component.classes), placement);
        let tank = link.map(|link| tanks.get_mut(link.0).map_err(|_| NO_TANK)).transpose();
        let Some(mut tank) = unlinked.check(entity, "fluid drain", tank) else { continue };
        let drained = state.0.as_mut().map_or(Ok(()), |(_, drain)| {
            #[cfg(feature = "gpu")]
            if let Some(on_device) = &mut on_device {
                if tank.is_some() {
                    warn_once!(
                        "drains with tanks do nothing while the liquid is on the graphics card"
                    );
                    return Ok(());
                }
                let new = on_device.drain(entity, drain, time.delta_secs());
                if new.iter().any(|count| *count > 0) {
                    totals.add(&new);
                }
                return Ok(());
            }
            let (liquid, time) = (fluid.world_mut().liquid_mut(), time.delta_secs());
            before.clear();
            before.extend_from_slice(drain.drained());
            let count = match &mut tank {
                Some(tank) => drain.drain_into(liquid, tank, time)?,
                None => drain.drain(liquid, time)?,
            };
            if count > 0 {
                let before = before.iter().copied().chain(std::iter::repeat(0));
                let new = drain.drained().iter().zip(before).map(|(now, before)| now - before);
                totals.add(&new.collect::<Vec<u64>>());
            }
            Ok(())
        });
        refused.check_change(entity, "fluid drain", state.0.is_some(), set.and(drained));
    }
}
