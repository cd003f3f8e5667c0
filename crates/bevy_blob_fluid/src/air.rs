//! Air as entities, its sources, and the report of its last step.

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::air::{
    Air, AirEmbers, AirId, AirReport, AirSettings, AirSide, AirSides, AirSource, Wind,
};
use blob_fluid::{FluidBounds, FluidShape};

use crate::forces::{FluidForce, paint_with_brushes};
use crate::placing::{FluidOutline, Placement, PlacementError, Scaled};
use crate::schedule::{
    FluidEntitySystems, FluidOrder, FluidSchedule, FluidSenseSystems, FluidTickSystems, Ranks,
};
use crate::simulation::{FluidSimulation, RestartApp};
use crate::warnings::Warnings;

crate::concern::concern! {
    /// Adds air and its sources.
    FluidAirPlugin: add_air_sources, add_airs, add_air_reports
}

// Air as entities.

/// Adds this file to the app.
pub(super) fn add_airs(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidAir>()
        .add_systems(schedule, sync_airs.in_set(FluidEntitySystems::Air))
        .begins_anew::<FluidAir>();
}

/// A rectangle of air, placed by the entity's [`Transform`]: wind, smoke, heat and fire on a grid.
///
/// Air flows around every [`FluidContainer`](crate::FluidContainer) and [`FluidCollider`](crate::FluidCollider), and
/// moving solids push it. Air exchanges momentum with the liquid: liquid displaces air, and wind drags spray along.
/// [`FluidAirSource`](crate::FluidAirSource)s fill the air, and a [`FluidForce`](crate::FluidForce) with a wind moves
/// it. [`FluidQuery`](crate::FluidQuery) returns the wind, the smoke and the heat at a point. A world may have several
/// rectangles, which do not exchange air.
///
/// The entity's scale applies to the size, and the air moves with the entity. The entity must not be rotated. Invalid
/// values and placements cause a warning: new air is left out, and changed air keeps its last valid state. Changing
/// [`size`](Self::size) or [`cell_size`](Self::cell_size) creates new, still air.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     // A room with an open top, in which a fire smokes.
///     commands.spawn(FluidAir::new(800.0, 600.0).with_open_top());
///     commands.spawn((
///         FluidAirSource::fire(&Circle::new(25.0)),
///         Transform::from_xyz(0.0, -250.0, 0.0),
///     ));
/// }
/// ```
#[doc = guide!("fires")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder, FluidAirState, FluidAirReport)]
#[component(on_remove = forget)]
pub struct FluidAir {
    /// Width and height, in the entity's own units; above 0. Default 800 by 600.
    pub size: Vec2,
    /// Side of a cell, in world units; 0.000001 to 1000000. The limit is 4,194,304 cells. Default 6. Cells of half the
    /// size take four times as long.
    pub cell_size: f32,
    /// Density of the air, divided by that of liquid of mass 1; 0.000001 to 1. Default 0.02. Denser air pushes spray
    /// and slows falling liquid more strongly.
    pub density_ratio: f32,
    /// The boundary conditions of the four sides. Default: all closed.
    pub sides: AirSides,
    /// All other settings of the air. The fields `density` and `gravity` in these settings have no effect:
    /// [`density_ratio`](Self::density_ratio) sets the density, and the gravity is that of the liquid.
    pub settings: AirSettings,
}

impl Default for FluidAir {
    fn default() -> Self {
        Self::new(800.0, 600.0)
    }
}

impl FluidAir {
    /// Air in a rectangle, in world units, with closed sides. Heat fades within seconds, and smoke more slowly. A weak
    /// vorticity confinement keeps eddies alive. Clear air that nothing drives comes to rest and sleeps.
    pub fn new(width: f32, height: f32) -> Self {
        let settings = AirSettings {
            buoyancy: 2.0,
            cooling: 0.6,
            smoke_dissipation: 0.12,
            settling: 1.0,
            vorticity_confinement: 0.1,
            ..AirSettings::default()
        };
        Self {
            size: Vec2::new(width, height),
            cell_size: 6.0,
            density_ratio: 0.02,
            sides: AirSides::default(),
            settings,
        }
    }

    /// The same air with cells whose sides have this length, in world units.
    #[must_use]
    pub fn with_cell_size(mut self, cell_size: f32) -> Self {
        self.cell_size = cell_size;
        self
    }

    /// The same air, open at the top.
    #[must_use]
    pub fn with_open_top(mut self) -> Self {
        self.sides.top = AirSide::Open;
        self
    }

    /// The same air, open at all sides.
    #[must_use]
    pub fn with_open_sides(mut self) -> Self {
        self.sides = AirSides::all(AirSide::Open);
        self
    }

    /// The same air as a wind tunnel. A wind, in world units/s, flows in at the left and out at the right.
    #[must_use]
    pub fn with_wind_from_left(mut self, speed: f32) -> Self {
        self.sides.left =
            AirSide::Inflow { velocity: Vec2::new(speed, 0.0), smoke: 0.0, heat: 0.0 };
        self.sides.right = AirSide::Open;
        self
    }

    /// The rectangle at a placement.
    fn bounds(&self, placement: &Placement) -> Result<FluidBounds, String> {
        if (placement.pose.rotation.x - 1.0).abs() > 1e-4 {
            return Err("it is turned, and air cannot be".into());
        }
        let half_size = 0.5 * self.size * placement.scale.abs();
        if !(half_size.is_finite() && half_size.min_element() > 0.0) {
            return Err(format!("its size is {}, and must be above 0", self.size));
        }
        let centre = placement.pose.translation;
        let (low, high) = (centre - half_size, centre + half_size);
        Ok(FluidBounds { low, high })
    }

    /// The settings with the liquid's gravity, and a density in the liquid's units.
    fn settings_in(&self, fluid: &FluidSimulation) -> AirSettings {
        let parameters = fluid.parameters();
        let area = parameters.particle_spacing * parameters.particle_spacing;
        let density = self.density_ratio / area;
        AirSettings { density, gravity: parameters.gravity, ..self.settings }
    }
}

/// Removes the simulated air and the companion components when the component is removed.
fn forget(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    let id = world.get::<FluidAirState>(entity).and_then(|state| state.id);
    if let (Some(id), Some(mut fluid)) = (id, world.get_resource_mut::<FluidSimulation>()) {
        fluid.world_mut().remove_air(id);
    }
    world.commands().entity(entity).try_remove::<(FluidAirState, FluidAirReport)>();
}

/// Copies air into the simulation.
fn sync_airs(
    mut airs: Query<(Entity, &FluidAir, &mut FluidAirState)>,
    transforms: TransformHelper,
    ranks: Ranks,
    mut fluid: ResMut<FluidSimulation>,
    mut warnings: Warnings,
) {
    warnings.retain(|entity| airs.contains(entity));
    let mut sorted: Vec<_> = airs.iter_mut().collect();
    // Inserting in rank order makes the handles deterministic.
    sorted.sort_unstable_by_key(|(entity, ..)| ranks.of(*entity));
    for (entity, air, mut state) in sorted {
        let synced = sync(air, &mut state, Placement::of(entity, &transforms), &mut fluid);
        warnings.check_change(entity, "fluid air", state.id.is_some(), synced);
    }
}

fn sync(
    air: &FluidAir,
    state: &mut FluidAirState,
    placement: Result<Placement, PlacementError>,
    fluid: &mut FluidSimulation,
) -> Result<(), String> {
    let placement = placement.map_err(|error| error.to_string())?;
    let bounds = air.bounds(&placement)?;
    let settings = air.settings_in(fluid);
    let size = 2.0 * bounds.half_size();
    let same =
        size.distance(state.size) <= 1e-3 * air.cell_size && air.cell_size == state.cell_size;
    if let Some(present) = state.id.filter(|_| same).and_then(|id| fluid.world_mut().air_mut(id)) {
        let changed = present.move_to(bounds.low).and_then(|()| present.set_sides(air.sides));
        return changed
            .and_then(|()| present.set_settings(settings))
            .map_err(|error| error.to_string());
    }
    let new = Air::new(bounds, air.cell_size, settings, air.sides);
    let new = new.map_err(|error| error.to_string())?;
    let world = fluid.world_mut();
    if let Some(outdated) = state.id.take() {
        world.remove_air(outdated);
    }
    *state = FluidAirState { id: Some(world.insert_air(new)), size, cell_size: air.cell_size };
    Ok(())
}

// The report of the last step of air.

/// Adds this file to the app.
pub(super) fn add_air_reports(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidAirReport>()
        .add_systems(FluidSchedule, read_reports.in_set(FluidSenseSystems::Air));
}

/// The report of the last step of a [`FluidAir`](crate::FluidAir): iterations of the pressure solver, the remaining
/// divergence, and the largest speed. The report is removed with the air.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Deref)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidAirReport(pub AirReport);

/// Copies the reports, and warns about inflow without an outlet.
fn read_reports(
    mut airs: Query<(Entity, &FluidAirState, &mut FluidAirReport)>,
    fluid: Res<FluidSimulation>,
    mut blocked: Local<EntityHashMap<u32>>,
) {
    blocked.retain(|entity, _| airs.contains(*entity));
    for (entity, state, mut shown) in &mut airs {
        let Some(report) = state.id.and_then(|id| fluid.air_report(id)) else { continue };
        let ticks = blocked.entry(entity).or_insert(0);
        if *ticks < LASTING {
            let place = report.blocked_at.filter(|_| report.blocked_inflow > BLOCKED);
            *ticks = if place.is_some() { *ticks + 1 } else { 0 };
            if let Some(place) = place.filter(|_| *ticks == LASTING) {
                warn!(
                    "fluid air {entity}: more flows in around {place} than can get out; open a side of the air, or a \
                     way to one"
                );
            }
        }
        shown.set_if_neq(FluidAirReport(report));
    }
}

/// Mean divergence, in 1/s, above which air counts as blocked.
const BLOCKED: f32 = 1e-2;

/// Ticks of blockage before the warning. A moving solid may enclose and compress air for a while.
const LASTING: u32 = 60;

// Sources of smoke, heat, fire and wind as entities.

/// Adds this file to the app.
pub(super) fn add_air_sources(app: &mut App, _: InternedScheduleLabel) {
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

/// The entities of all sources of air in this tick, in rank order, without bursts.
#[derive(Resource, Default)]
struct Given(Vec<Entity>);

/// Adds smoke, heat, fuel, vapour, gas or wind to the [`FluidAir`](crate::FluidAir) in a shape, placed by the entity's
/// [`Transform`]. All amounts can be combined; an amount of 0 adds nothing.
///
/// The entity's scale applies to the shape, and its rotation to the shape and the wind. With values out of range or an
/// invalid placement, the source is left out with a warning.
///
/// Water and cold put out the [`embers`](Self::embers) of a [`fire`](Self::fire). The fire stays out until
/// [`relight`](Self::relight).
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
#[doc = guide!("fires")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidAirSource {
    /// Region that receives the amounts, in the entity's own units.
    pub shape: FluidShape,
    /// Smoke per second, as a concentration; within ±1000000. Default 0. A concentration of 1 is
    /// thick smoke.
    pub smoke: f32,
    /// Heat per second; within ±1000000. Default 0. A heat of 1 is as hot as a flame. Negative
    /// values cool.
    pub heat: f32,
    /// Fuel per second, as a concentration; within ±1000000. Default 0. Fuel burns in hot air.
    pub fuel: f32,
    /// Vapour per second, as area of liquid per area of air; within ±1000000. Default 0. Vapour
    /// rains in cold air, if a class takes it up ([`FluidIntoAir`](blob_fluid::FluidIntoAir)).
    pub vapour: f32,
    /// Colour of the smoke; `None` (default) for the smoke colour of the air's `FluidAirLook`.
    // Bevy's colours have no serde here, so a snapshot stores the colour separately.
    #[cfg_attr(feature = "snapshot", serde(skip))]
    pub color: Option<Color>,
    /// Gas per second, as a fraction of each cell's area; within ±1000000. Default 0. The gas displaces air.
    pub expansion: f32,
    /// Target velocity of the air, in world units/s, in the entity's own directions. Components are
    /// within ±1e12. `None` (default): no wind.
    pub wind: Option<Vec2>,
    /// Rate at which the air's velocity approaches the wind, in 1/s; 0 to 1e12. `None` (default): at once.
    pub wind_strength: Option<f32>,
    /// Embers, which liquid can put out. A source whose embers are out emits only wind. `None` (default): the source
    /// cannot be put out. After every tick, the plugin writes the remaining embers into this field.
    pub embers: Option<AirEmbers>,
    /// Whether the source adds the amounts of a whole second at once, in the next tick. The component is then removed.
    pub burst: bool,
}

impl Default for FluidAirSource {
    /// The default has no valid shape: set a shape before use.
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

    /// A source without amounts, for setting fields or calling the `with_` methods.
    pub fn new(shape: &impl FluidOutline) -> Self {
        Self::of(shape.outline_or_warn())
    }

    /// A source of smoke in a shape. `rate` is the concentration that the source adds per second.
    pub fn smoke(shape: &impl FluidOutline, rate: f32) -> Self {
        Self { smoke: rate, ..Self::new(shape) }
    }

    /// A source of heat in a shape. `rate` is the heat that the source adds per second.
    pub fn heat(shape: &impl FluidOutline, rate: f32) -> Self {
        Self { heat: rate, ..Self::new(shape) }
    }

    /// A fire, which emits hot, burning fuel. Liquid or cold air puts it out (see [`AirEmbers`]).
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

    /// Whether the source emits its amounts: it has no embers, or some embers are left.
    pub fn is_lit(&self) -> bool {
        self.embers.is_none_or(|embers| embers.left > 0.0)
    }

    /// Lights a fire that is out: its embers get all of their heat back. A source without embers does not change.
    pub fn relight(&mut self) {
        if let Some(embers) = &mut self.embers {
            embers.left = 1.0;
        }
    }

    /// A source of wind in a shape, such as a fan. `velocity` is in world units/s.
    pub fn wind(shape: &impl FluidOutline, velocity: Vec2) -> Self {
        Self { wind: Some(velocity), ..Self::new(shape) }
    }

    /// The same source with a colour of its smoke.
    #[must_use]
    pub fn with_color(mut self, color: Color) -> Self {
        self.color = Some(color);
        self
    }

    /// The same source, which adds this heat per second.
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

    /// The same source as a burst, which adds the amounts of one second at once.
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

/// Sets the sources and the winds of forces of all air for the current tick.
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
        // Invalid forces were warned about when they were copied to the liquid.
        let Ok(placed) = force.placed(entity, &transforms, scaled.entry(entity).or_default())
        else {
            continue;
        };
        let wind = Wind { velocity: placed.wind, strength: Some(placed.drag) };
        if let Some(region) = placed.region.filter(|_| placed.wind != Vec2::ZERO) {
            found.push((entity, AirSource { wind: Some(wind), ..AirSource::new(region) }));
        }
    }
    // The last bits of a sum depend on the order of its terms.
    found.sort_by_key(|(entity, _)| ranks.of(*entity));
    // The air removes bursts in its step, so they are not among the sources that `read_embers`
    // reads.
    given.0.extend(found.iter().filter(|(_, source)| !source.burst).map(|(entity, _)| *entity));
    let found: Vec<AirSource> = found.into_iter().map(|(_, source)| source).collect();
    for id in airs.iter().filter_map(|state| state.id) {
        let Some(air) = fluid.world_mut().air_mut(id) else { continue };
        if let Err(error) = air.set_sources(found.clone()) {
            warn_once!("sources of fluid air refused: {error}");
        }
    }
}

/// Writes the remaining embers of the tick back to the components.
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

// The air of an entity in the simulation.

/// The handle of a [`FluidAir`](crate::FluidAir) in [`FluidSimulation`](crate::FluidSimulation). The plugin inserts and
/// removes this component with the `FluidAir`.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::blob_fluid::air::SavedAir;
/// use bevy_blob_fluid::prelude::*;
///
/// fn save(airs: Query<&FluidAirState>, fluid: Res<FluidSimulation>) -> Vec<SavedAir> {
///     airs.iter().filter_map(|air| fluid.save_air(air.id()?)).collect()
/// }
///
/// /// A room full of smoke.
/// fn fill(air: Single<&FluidAirState>, mut fluid: ResMut<FluidSimulation>) -> Result {
///     let room = FluidRegion::rectangle(Vec2::ZERO, Vec2::new(60.0, 40.0))?;
///     if let Some(air) = air.id().and_then(|id| fluid.air_mut(id)) {
///         air.fill_channel(AirChannel::Smoke, &room, 0.5)?;
///     }
///     Ok(())
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct FluidAirState {
    pub(crate) id: Option<AirId>,
    /// The requested size, in world units, and the requested cell size.
    pub(crate) size: Vec2,
    pub(crate) cell_size: f32,
}

impl FluidAirState {
    /// The handle of the air; `None` before [`FluidSystems::SyncEntities`](crate::FluidSystems::SyncEntities) has run,
    /// and while the [`FluidAir`](crate::FluidAir) has never been valid. A new size or cell size creates new air with a
    /// new handle.
    pub fn id(&self) -> Option<AirId> {
        self.id
    }
}
