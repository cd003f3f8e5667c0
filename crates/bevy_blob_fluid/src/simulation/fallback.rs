//! What a liquid becomes that cannot be on the graphics card.

use bevy::prelude::*;
use blob_fluid::FluidParameters;

use super::resources::{FluidSettings, FluidSimulation};

/// Takes the [spacing](FluidSettings::fallback_spacing) for a liquid that cannot be on the card, unless it is filled in
/// already.
pub(super) fn fall_back(mut settings: ResMut<FluidSettings>, mut fluid: ResMut<FluidSimulation>) {
    let FluidSettings { fallback_spacing, parameters, .. } = *settings;
    let Some(particle_spacing) = fallback_spacing else { return };
    if particle_spacing == parameters.particle_spacing || !fluid.particles().is_empty() {
        return;
    }
    let coarse = FluidParameters { particle_spacing, ..parameters };
    match fluid.world_mut().set_parameters(coarse) {
        Ok(()) => settings.parameters = coarse,
        Err(error) => warn_once!("fluid fallback spacing refused: {error}"),
    }
}
