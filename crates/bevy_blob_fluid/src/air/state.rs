//! The air of an entity in the simulation.

use bevy::prelude::*;
use blob_fluid::air::AirId;

/// The air of a [`FluidAir`](crate::FluidAir) in the simulation: what
/// [`FluidSimulation`](crate::FluidSimulation) knows it by. It comes and goes with the `FluidAir`.
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
    /// The size, in world units, and the cell size that were asked for when it was created.
    pub(crate) size: Vec2,
    pub(crate) cell_size: f32,
}

impl FluidAirState {
    /// The handle of the air; `None` before
    /// [`FluidSystems::SyncEntities`](crate::FluidSystems::SyncEntities) has run, and if the component is not
    /// valid. A new size or cell size makes new air.
    pub fn id(&self) -> Option<AirId> {
        self.id
    }
}
