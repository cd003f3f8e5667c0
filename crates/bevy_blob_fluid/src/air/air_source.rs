//! Sources of smoke, heat, fire and wind as entities.

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::FluidShape;
use blob_fluid::air::{AirSource, Wind};

use super::state::FluidAirState;
use crate::forces::{FluidForce, apply_impulses};
use crate::order::{FluidOrder, Ranks};
use crate::placing::FluidOutline;
use crate::placing::{Placement, Scaled};
use crate::schedule::{FluidSchedule, FluidTickSystems};
use crate::simulation::FluidSimulation;
use crate::warnings::Warnings;

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidAirSource>().add_systems(
        FluidSchedule,
        give_sources.after(apply_impulses).before(FluidTickSystems::Move),
    );
}

/// Gives smoke, heat, fuel or wind to the [`FluidAir`](crate::FluidAir) in a shape, placed by the
/// entity's [`Transform`]. All parts may be combined; those that are zero do nothing.
///
/// The entity's scale applies to the shape, and its rotation to the shape and the wind. Values out of
/// range and invalid placements are warned about, and leave the source out.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     // Blue smoke from a nozzle that blows to the right, and a puff of heat.
///     let nozzle = FluidAirSource::smoke(&Rectangle::new(10.0, 30.0), 8.0)
///         .with_color(Color::srgb(0.2, 0.4, 0.9))
///         .with_wind(Vec2::X * 200.0);
///     commands.spawn((nozzle, Transform::from_xyz(-300.0, 0.0, 0.0)));
///     commands.spawn(FluidAirSource::heat(&Circle::new(40.0), 2.0).as_burst());
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
pub struct FluidAirSource {
    /// Region that it fills, in the entity's own units.
    pub shape: FluidShape,
    /// Smoke per second, as a concentration: 1 is thick smoke; within ±1000000. Default 0.
    pub smoke: f32,
    /// Heat per second: 1 is as hot as a flame; within ±1000000. Default 0. Negative cools.
    pub heat: f32,
    /// Fuel per second, as a concentration; within ±1000000. Default 0. It burns where it is hot.
    pub fuel: f32,
    /// Vapour per second, as area of liquid per area of air; within ±1000000. Default 0. It rains
    /// where it is cold, if a class says as what ([`FluidIntoAir`](blob_fluid::FluidIntoAir)).
    pub vapour: f32,
    /// Colour of the smoke; `None` (default) for the colour of the look.
    pub color: Option<Color>,
    /// Gas per second, in parts of each cell's area; within ±1000000. Default 0. It drives air away.
    pub expansion: f32,
    /// Velocity to which it accelerates the air, in world units/s, in the entity's own directions;
    /// `None` (default) for none. Components within ±1e12.
    pub wind: Option<Vec2>,
    /// Rate at which the velocity becomes the wind's, in 1/s; 0 to 1e12. `None` (default) for at once.
    pub wind_strength: Option<f32>,
    /// Whether it gives the amounts of a whole second at once, in the next tick. Then the component
    /// is removed.
    pub burst: bool,
}

impl Default for FluidAirSource {
    /// Has no valid shape: give it one before use.
    fn default() -> Self {
        Self::of(FluidShape::Circle { radius: 0.0 })
    }
}

impl FluidAirSource {
    fn of(shape: FluidShape) -> Self {
        Self {
            shape,
            smoke: 0.0,
            heat: 0.0,
            fuel: 0.0,
            vapour: 0.0,
            color: None,
            expansion: 0.0,
            wind: None,
            wind_strength: None,
            burst: false,
        }
    }

    /// A source of nothing, for the fields and the `with_` methods.
    pub fn new(shape: &impl FluidOutline) -> Self {
        Self::of(shape.outline_or_warn())
    }

    /// Smoke, as a concentration per second.
    pub fn smoke(shape: &impl FluidOutline, rate: f32) -> Self {
        Self { smoke: rate, ..Self::new(shape) }
    }

    /// Heat per second.
    pub fn heat(shape: &impl FluidOutline, rate: f32) -> Self {
        Self { heat: rate, ..Self::new(shape) }
    }

    /// A fire: fuel that is hot enough to burn.
    pub fn fire(shape: &impl FluidOutline) -> Self {
        Self { fuel: 6.0, heat: 3.0, ..Self::new(shape) }
    }

    /// A fan, in world units/s.
    pub fn wind(shape: &impl FluidOutline, velocity: Vec2) -> Self {
        Self { wind: Some(velocity), ..Self::new(shape) }
    }

    /// The same source with a colour of its smoke.
    #[must_use]
    pub fn with_color(mut self, color: Color) -> Self {
        self.color = Some(color);
        self
    }

    /// The same source with heat per second.
    #[must_use]
    pub fn with_heat(mut self, rate: f32) -> Self {
        self.heat = rate;
        self
    }

    /// The same source with a wind, in world units/s.
    #[must_use]
    pub fn with_wind(mut self, velocity: Vec2) -> Self {
        self.wind = Some(velocity);
        self
    }

    /// The same source, once, with the amounts of a second.
    #[must_use]
    pub fn as_burst(mut self) -> Self {
        self.burst = true;
        self
    }

    fn placed(&self, placement: &Placement, scaled: &mut Scaled) -> Result<AirSource, String> {
        let region = scaled.region(&self.shape, placement).map_err(|error| error.to_string())?;
        let color = self.color.map(|color| {
            let LinearRgba { red, green, blue, .. } = color.to_linear();
            [red, green, blue]
        });
        let wind = self
            .wind
            .map(|wind| Wind { velocity: placement.direction(wind), strength: self.wind_strength });
        let source = AirSource {
            smoke: self.smoke,
            heat: self.heat,
            fuel: self.fuel,
            vapour: self.vapour,
            colour: color,
            expansion: self.expansion,
            wind,
            burst: self.burst,
            ..AirSource::new(region)
        };
        source.validate().map(|()| source).map_err(|error| error.to_string())
    }
}

/// Gives the sources, and the winds of forces, to all air, for the tick that begins.
fn give_sources(
    mut commands: Commands,
    sources: Query<(Entity, &FluidAirSource)>,
    forces: Query<(Entity, &FluidForce)>,
    airs: Query<&FluidAirState>,
    transforms: TransformHelper,
    ranks: Ranks,
    mut fluid: ResMut<FluidSimulation>,
    mut warnings: Warnings,
    mut scaled: Local<EntityHashMap<Scaled>>,
) {
    if airs.is_empty() {
        return;
    }
    warnings.retain(|entity| sources.contains(entity));
    scaled.retain(|entity, _| sources.contains(*entity) || forces.contains(*entity));
    let mut found = Vec::new();
    for (entity, source) in &sources {
        let placement = Placement::of(entity, &transforms).map_err(|error| error.to_string());
        let scaled_shape = scaled.entry(entity).or_default();
        match placement.and_then(|placement| source.placed(&placement, scaled_shape)) {
            Ok(placed) => {
                warnings.resolve(entity);
                found.push((entity, placed));
                if source.burst {
                    commands.entity(entity).try_remove::<FluidAirSource>();
                }
            }
            Err(error) => warnings.warn(entity, "fluid air source", &error),
        }
    }
    for (entity, force) in forces.iter().filter(|(_, force)| force.drag > 0.0) {
        // An invalid force was warned about when it was given to the liquid.
        let Ok(placed) = force.placed(entity, &transforms, scaled.entry(entity).or_default())
        else {
            continue;
        };
        let wind = Wind { velocity: placed.wind, strength: Some(placed.drag) };
        if let Some(region) = placed.region.filter(|_| placed.wind != Vec2::ZERO) {
            found.push((entity, AirSource { wind: Some(wind), ..AirSource::new(region) }));
        }
    }
    // The last bit of a sum depends on its order.
    found.sort_by_key(|(entity, _)| ranks.of(*entity));
    let found: Vec<AirSource> = found.into_iter().map(|(_, source)| source).collect();
    for id in airs.iter().filter_map(|state| state.id) {
        let Some(air) = fluid.world_mut().air_mut(id) else { continue };
        if let Err(error) = air.set_sources(found.clone()) {
            warn_once!("sources of fluid air refused: {error}");
        }
    }
}
