//! Brushes as entities.

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{ClassFilter, FluidShape};

use super::impulse::apply_impulses;
use crate::order::{FluidOrder, Ranks};
use crate::placing::{FluidOutline, Placement, Scaled};
use crate::schedule::{FluidSchedule, FluidTickSystems};
use crate::simulation::FluidSimulation;
use crate::sources::paint_of;
use crate::warnings::Warnings;

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidBrush>().add_systems(
        FluidSchedule,
        paint_with_brushes
            .after(FluidTickSystems::Spawn)
            .after(apply_impulses)
            .before(FluidTickSystems::Move),
    );
}

/// Paints the liquid in a shape in every tick, placed by the entity's [`Transform`], where its class
/// takes [paint](blob_fluid::FluidPaint). A game moves it with the pointer, or despawns it after a tick.
///
/// The entity's scale applies to the shape. While it is zero or not finite, nothing is painted, and there
/// is a warning.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     // A soft brush: it takes a third of a second to cover most of what was there.
///     let brush = FluidBrush::new(&Circle::new(30.0), Color::srgb(0.9, 0.1, 0.2)).with_rate(6.0);
///     commands.spawn((brush, Transform::from_xyz(0.0, -100.0, 0.0)));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
pub struct FluidBrush {
    /// Region that is painted, in the entity's own units.
    pub shape: FluidShape,
    /// Its colour; opacity has no effect, and what is brighter than white is cut. Default white.
    pub color: Color,
    /// Rate at which what was there becomes this colour, in 1/s, at least 0; `None` (default) for at once.
    pub rate: Option<f32>,
    /// Which classes it paints. Default all.
    pub classes: ClassFilter,
    /// Whether it paints. Default yes.
    pub painting: bool,
}

impl Default for FluidBrush {
    /// Has no valid shape: give it one before use.
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

    /// The same brush, which paints slowly: at a rate in 1/s.
    pub const fn with_rate(mut self, rate: f32) -> Self {
        self.rate = Some(rate);
        self
    }

    /// The same brush for these classes only.
    pub const fn acting_on(mut self, classes: ClassFilter) -> Self {
        self.classes = classes;
        self
    }

    /// What becomes of the colour in a tick: 0 to 1, if the rate is valid.
    fn share_in(&self, seconds: f32) -> f32 {
        self.rate.map_or(1.0, |rate| rate * seconds / (1.0 + rate * seconds))
    }
}

/// Paints with all brushes.
pub(crate) fn paint_with_brushes(
    brushes: Query<(Entity, &FluidBrush)>,
    transforms: TransformHelper,
    ranks: Ranks,
    time: Res<Time>,
    mut fluid: ResMut<FluidSimulation>,
    mut warnings: Warnings,
    mut scaled: Local<EntityHashMap<Scaled>>,
) {
    warnings.retain(|entity| brushes.contains(entity));
    scaled.retain(|entity, _| brushes.contains(*entity));
    let mut painting: Vec<_> = brushes.iter().filter(|(_, brush)| brush.painting).collect();
    // What is painted last covers what was painted before.
    painting.sort_unstable_by_key(|(entity, _)| ranks.of(*entity));
    for (entity, brush) in painting {
        let placement = Placement::of(entity, &transforms).map_err(|error| error.to_string());
        let painted = placement.and_then(|placement| {
            let scaled = scaled.entry(entity).or_default();
            let region =
                scaled.region(&brush.shape, &placement).map_err(|error| error.to_string())?;
            let share = brush.share_in(time.delta_secs());
            fluid
                .world_mut()
                .paint_in(&region, brush.classes, paint_of(brush.color), share)
                .map_err(|error| error.to_string())
        });
        warnings.check(entity, "fluid brush", painted);
    }
}
