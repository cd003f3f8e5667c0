//! Sources of smoke, heat, fire and wind as entities.

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::FluidShape;
use blob_fluid::air::{AirEmbers, AirSource, Wind};

use super::state::FluidAirState;
use crate::forces::{FluidForce, paint_with_brushes};
use crate::order::{FluidOrder, Ranks};
use crate::placing::FluidOutline;
use crate::placing::{Placement, Scaled};
use crate::schedule::{FluidSchedule, FluidSenseSystems, FluidTickSystems};
use crate::simulation::{FluidSimulation, RestartApp};
use crate::warnings::Warnings;

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidAirSource>()
        .init_resource::<Given>()
        .add_systems(
            FluidSchedule,
            (
                give_sources.after(paint_with_brushes).before(FluidTickSystems::Move),
                read_embers.in_set(FluidSenseSystems::Air),
            ),
        )
        .on_restart(|world| {
            let mut sources = world.query::<&mut FluidAirSource>();
            sources.iter_mut(world).for_each(|mut source| source.relight());
        });
}

/// The entities whose sources all air has in this tick, in their order.
#[derive(Resource, Default)]
struct Given(Vec<Entity>);

/// Gives smoke, heat, fuel or wind to the [`FluidAir`](crate::FluidAir) in a shape, placed by the
/// entity's [`Transform`]. All parts may be combined; those that are zero do nothing.
///
/// The entity's scale applies to the shape, and its rotation to the shape and the wind. Values out of
/// range and invalid placements are warned about, and leave the source out.
///
/// Water puts out a [`fire`](Self::fire), and so does cold: it has [`embers`](Self::embers). It then stays
/// out, until [`relight`](Self::relight).
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
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
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
    // Bevy's colours have no serde here: a snapshot writes it beside the source.
    #[cfg_attr(feature = "snapshot", serde(skip))]
    pub color: Option<Color>,
    /// Gas per second, in parts of each cell's area; within ±1000000. Default 0. It drives air away.
    pub expansion: f32,
    /// Velocity to which it accelerates the air, in world units/s, in the entity's own directions;
    /// `None` (default) for none. Components within ±1e12.
    pub wind: Option<Vec2>,
    /// Rate at which the velocity becomes the wind's, in 1/s; 0 to 1e12. `None` (default) for at once.
    pub wind_strength: Option<f32>,
    /// Embers, whose heat liquid takes away; without any left the source gives nothing but wind. `None`
    /// (default) for a source that nothing puts out. What is left of them is written after every tick.
    pub embers: Option<AirEmbers>,
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
            embers: None,
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

    /// A fire: fuel that is hot enough to burn, on embers that liquid and cold put out.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// fn have_we_won(fires: Query<&FluidAirSource>) {
    ///     if fires.iter().all(|fire| !fire.is_lit()) {
    ///         info!("all fires are out");
    ///     }
    /// }
    /// ```
    pub fn fire(shape: &impl FluidOutline) -> Self {
        let embers = Some(AirEmbers::default());
        Self { fuel: 6.0, heat: 3.0, embers, ..Self::new(shape) }
    }

    /// Whether it gives what it has: it has no embers, or they are not out.
    pub fn is_lit(&self) -> bool {
        self.embers.is_none_or(|embers| embers.left > 0.0)
    }

    /// Makes all its embers glow again, if it has any.
    pub fn relight(&mut self) {
        if let Some(embers) = &mut self.embers {
            embers.left = 1.0;
        }
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
            embers: self.embers,
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
    mut given: ResMut<Given>,
) {
    given.0.clear();
    if airs.is_empty() {
        return;
    }
    warnings.retain(|entity| sources.contains(entity));
    scaled.retain(|entity, _| sources.contains(*entity) || forces.contains(*entity));
    let mut found = Vec::new();
    for (entity, source) in &sources {
        let placement = Placement::of(entity, &transforms).map_err(|error| error.to_string());
        let scaled_shape = scaled.entry(entity).or_default();
        let placed = placement.and_then(|placement| source.placed(&placement, scaled_shape));
        let Some(placed) = warnings.check(entity, "fluid air source", placed) else { continue };
        found.push((entity, placed));
        if source.burst {
            commands.entity(entity).try_remove::<FluidAirSource>();
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
    // Bursts are gone when the embers are read.
    given.0.extend(found.iter().filter(|(_, source)| !source.burst).map(|(entity, _)| *entity));
    let found: Vec<AirSource> = found.into_iter().map(|(_, source)| source).collect();
    for id in airs.iter().filter_map(|state| state.id) {
        let Some(air) = fluid.world_mut().air_mut(id) else { continue };
        if let Err(error) = air.set_sources(found.clone()) {
            warn_once!("sources of fluid air refused: {error}");
        }
    }
}

/// Writes back what the tick has left of embers, in the air around them.
fn read_embers(
    given: Res<Given>,
    mut sources: Query<&mut FluidAirSource>,
    fluid: Res<FluidSimulation>,
) {
    for air in fluid.airs() {
        for (entity, after) in given.0.iter().zip(air.sources()) {
            if !air.bounds().contains(after.region.centre()) {
                continue;
            }
            if let Ok(mut source) = sources.get_mut(*entity)
                && source.embers != after.embers
            {
                source.embers = after.embers;
            }
        }
    }
}
