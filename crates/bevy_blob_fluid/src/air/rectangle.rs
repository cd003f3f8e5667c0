//! Air as entities.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::FluidBounds;
use blob_fluid::air::{Air, AirSettings, AirSide, AirSides};

use super::report::FluidAirReport;
use super::state::FluidAirState;

use crate::order::{FluidOrder, Ranks};
use crate::placing::{Placement, PlacementError};
use crate::schedule::FluidEntitySystems;
use crate::simulation::{FluidSimulation, RestartApp};
use crate::warnings::Warnings;

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidAir>()
        .add_systems(schedule, sync_airs.in_set(FluidEntitySystems::Air))
        .begins_anew::<FluidAir>();
}

/// A rectangle of air, placed by the entity's [`Transform`]: wind, smoke, heat and fire on a grid.
///
/// Air flows around every [`FluidContainer`](crate::FluidContainer) and
/// [`FluidCollider`](crate::FluidCollider), is pushed by those that move, and exchanges momentum with
/// the liquid: liquid displaces it, and wind drags on spray. [`FluidAirSource`](crate::FluidAirSource)s
/// fill it, and a [`FluidForce`](crate::FluidForce) with a wind blows in it as well.
/// [`FluidQuery`](crate::FluidQuery) asks for the wind, the smoke and the heat at a point. There may
/// be several rectangles; each is by itself.
///
/// The entity's scale applies to the size, and a move takes the air along. It must not be turned.
/// Invalid values and placements are warned about; new ones leave the air out, and changed ones leave
/// it as it was. A new [`size`](Self::size) or [`cell_size`](Self::cell_size) begins with still air.
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
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder, FluidAirState, FluidAirReport)]
#[component(on_remove = forget)]
pub struct FluidAir {
    /// Width and height, in the entity's own units; above 0. Default 800 by 600.
    pub size: Vec2,
    /// Side of a cell, in world units; 0.000001 to 1000000, and at most 4,194,304 cells in all. Default
    /// 6. Half as large takes four times as long.
    pub cell_size: f32,
    /// Density over that of liquid of mass 1; 0.000001 to 1. Default 0.02. Denser air drives spray, and
    /// holds up what falls, more strongly.
    pub density_ratio: f32,
    /// What is at the four sides. Default: all closed.
    pub sides: AirSides,
    /// All other settings. Its density and its gravity are left out: those of the
    /// [`density_ratio`](Self::density_ratio) and of the liquid are used.
    pub settings: AirSettings,
}

impl Default for FluidAir {
    fn default() -> Self {
        Self::new(800.0, 600.0)
    }
}

impl FluidAir {
    /// Air in a rectangle, in world units, with closed sides. Heat fades within seconds, smoke more
    /// slowly, and eddies are kept alive a little. Clear air that nothing drives comes to rest and sleeps.
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

    /// The same air with cells of another size, in world units.
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

    /// The same air with a wind, in world units/s, that flows in at the left and out at the right: a
    /// wind tunnel.
    #[must_use]
    pub fn with_wind_from_left(mut self, speed: f32) -> Self {
        self.sides.left =
            AirSide::Inflow { velocity: Vec2::new(speed, 0.0), smoke: 0.0, heat: 0.0 };
        self.sides.right = AirSide::Open;
        self
    }

    /// The rectangle at a placement.
    fn bounds(&self, placement: &Placement) -> Result<FluidBounds, String> {
        if (placement.rotation.x - 1.0).abs() > 1e-4 {
            return Err("it is turned, and air cannot be".into());
        }
        let half_size = 0.5 * self.size * placement.scale.abs();
        if !(half_size.is_finite() && half_size.min_element() > 0.0) {
            return Err(format!("its size is {}, and must be above 0", self.size));
        }
        let (low, high) = (placement.position - half_size, placement.position + half_size);
        Ok(FluidBounds { low, high })
    }

    /// The settings with the liquid's gravity and scale.
    fn settings_in(&self, fluid: &FluidSimulation) -> AirSettings {
        let parameters = fluid.parameters();
        let area = parameters.particle_spacing * parameters.particle_spacing;
        let density = self.density_ratio / area;
        AirSettings { density, gravity: parameters.gravity, ..self.settings }
    }
}

/// Removes the air of a removed component.
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
    // Handles are given in this order.
    sorted.sort_unstable_by_key(|(entity, ..)| ranks.of(*entity));
    for (entity, air, mut state) in sorted {
        let synced = sync(air, &mut state, Placement::of(entity, &transforms), &mut fluid);
        warnings.check(entity, "fluid air", synced);
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
