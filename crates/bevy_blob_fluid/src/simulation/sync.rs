//! Copies settings and classes into the simulation when they change.

use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use blob_fluid::doctor::VIOLENT_MASS_RATIO;
use blob_fluid::{ClassTable, FluidSolver, Governor};

#[cfg(not(feature = "gpu"))]
use super::backend::FluidBackend;
use super::classes::FluidClasses;
use super::resources::{FluidGovernor, FluidSettings, FluidSimulation};

/// Applies changed settings, or refuses them with a warning.
pub(crate) fn sync_settings(
    settings: Res<FluidSettings>,
    mut fluid: ResMut<FluidSimulation>,
    mut governor: ResMut<FluidGovernor>,
) {
    if !settings.is_changed() {
        return;
    }
    if governor.0.map(|governor| governor.budget()) != settings.budget {
        match settings.budget.map(Governor::new).transpose() {
            Ok(new) => governor.0 = new,
            Err(error) => warn!("fluid budget refused, the last valid one stays: {error}"),
        }
    }
    fluid.world_mut().set_capacity(settings.capacity);
    fluid.world_mut().set_capacity_policy(settings.when_full);
    if let Err(error) = fluid.world_mut().set_kill_bounds(settings.kill_bounds) {
        warn!("fluid settings refused, the last valid ones stay: {error}");
    }
    if let Err(error) = fluid.world_mut().set_parameters(settings.parameters) {
        warn!("fluid settings refused, the last valid ones stay: {error}");
    }
}

/// Applies changed classes, or refuses them with a warning.
pub(crate) fn sync_classes(classes: Res<FluidClasses>, mut fluid: ResMut<FluidSimulation>) {
    if !classes.is_changed() {
        return;
    }
    let table = match ClassTable::with_pairs(classes.classes.clone(), classes.pairs.clone()) {
        Ok(table) => table,
        Err(error) => {
            warn!("fluid classes refused, the last valid ones stay: {error}");
            return;
        }
    };
    let ratio = table.mass_ratio();
    if ratio > VIOLENT_MASS_RATIO {
        warn!(
            "the heaviest fluid class has {ratio:.1} times the mass of the lightest: expect violent separation"
        );
    }
    if let Err(error) = fluid.world_mut().set_classes(table) {
        warn!("fluid classes refused, the last valid ones stay: {error}");
    }
}

/// Warns, once for each, of settings that the solver in charge takes no notice of.
pub(crate) fn warn_of_ignored_settings(
    settings: Res<FluidSettings>,
    classes: Res<FluidClasses>,
    fluid: Res<FluidSimulation>,
    mut warned: Local<HashSet<(FluidSolver, &'static str)>>,
) {
    if !settings.is_changed() && !classes.is_changed() {
        return;
    }
    let solver = fluid.parameters().solver;
    for ignored in fluid.ignored_settings() {
        if warned.insert((solver, ignored.setting)) {
            warn!("{ignored}");
        }
    }
}

/// Warns, once, of a choice that this build does not have.
#[cfg(not(feature = "gpu"))]
pub(super) fn warn_of_missing_feature(mut commands: Commands, settings: Res<FluidSettings>) {
    if settings.is_changed() && settings.backend == FluidBackend::Gpu {
        warn_once!(
            "the liquid stays on the processor: bevy_blob_fluid was built without its feature `gpu`"
        );
        commands.run_system_cached(super::fallback::fall_back);
    }
}
