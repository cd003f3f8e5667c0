//! Connected blobs of liquid, followed from tick to tick.

use bevy::prelude::*;
use blob_fluid::{BlobChange, BlobTracker, BlobTracking};

use super::messages::{FluidBlobSplit, FluidBlobsMerged};
use crate::schedule::{FluidSchedule, FluidSenseSystems};
use crate::simulation::{FluidSimulation, RestartApp};

/// Finds the connected blobs of liquid after every tick. [`FluidBlobs`] holds them;
/// [`FluidBlobsMerged`] and [`FluidBlobSplit`] are written as messages and triggered for observers.
///
/// It is not part of [`BlobFluidPlugins`](crate::BlobFluidPlugins), because it costs about a tenth
/// of a millisecond for a thousand particles in every tick.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// let mut app = App::new();
/// app.add_plugins((MinimalPlugins, BlobFluidPlugins::default(), FluidBlobsPlugin::default()));
/// app.add_observer(|merged: On<FluidBlobsMerged>, blobs: Res<FluidBlobs>| {
///     if let Some(blob) = blobs.get(merged.into) {
///         info!("a blob of {} particles at {}", blob.count, blob.centre);
///     }
/// });
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FluidBlobsPlugin {
    /// Which particles form a blob.
    pub tracking: BlobTracking,
}

impl Plugin for FluidBlobsPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(FluidBlobs(BlobTracker::new(self.tracking)))
            .register_type::<FluidBlobs>()
            .register_type::<FluidBlobsMerged>()
            .register_type::<FluidBlobSplit>()
            .add_message::<FluidBlobsMerged>()
            .add_message::<FluidBlobSplit>()
            .add_systems(FluidSchedule, track_blobs.in_set(FluidSenseSystems::Blobs));
        app.on_restart(|world| {
            let mut blobs = world.resource_mut::<FluidBlobs>();
            blobs.0 = BlobTracker::new(blobs.tracking());
        });
    }
}

/// The blobs after the last tick. Dereferences to [`BlobTracker`].
#[derive(Resource, Reflect, Clone, Debug, Default, Deref)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidBlobs(pub(crate) BlobTracker);

impl FluidBlobs {
    /// Changes which particles form a blob, from the next tick on.
    pub fn set_tracking(&mut self, tracking: BlobTracking) {
        self.0.set_tracking(tracking);
    }
}

/// Finds the blobs and writes messages about those that merged or split.
fn track_blobs(
    fluid: Res<FluidSimulation>,
    mut blobs: ResMut<FluidBlobs>,
    mut commands: Commands,
    mut merged: MessageWriter<FluidBlobsMerged>,
    mut split: MessageWriter<FluidBlobSplit>,
) {
    for change in blobs.0.update(&fluid) {
        match *change {
            BlobChange::Merged { into, from } => {
                merged.write(FluidBlobsMerged { into, from });
                commands.trigger(FluidBlobsMerged { into, from });
            }
            BlobChange::Split { from, into } => {
                split.write(FluidBlobSplit { from, into });
                commands.trigger(FluidBlobSplit { from, into });
            }
            BlobChange::Appeared(_) | BlobChange::Vanished(_) => {}
        }
    }
}
