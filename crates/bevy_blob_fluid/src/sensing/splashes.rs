//! Splashes, for sounds and effects.

use bevy::prelude::*;
use blob_fluid::{OutOfRange, Splash, SplashDetection, SplashDetector};

use super::messages::FluidSplash;
use crate::schedule::{FluidSchedule, FluidSenseSystems};
#[cfg(feature = "gpu")]
use crate::simulation::DeviceLiquid;
use crate::simulation::{FluidSimulation, RestartApp};

/// Writes a [`FluidSplash`] where fast liquid hits liquid or a solid, as a message and to
/// observers.
///
/// While the liquid is on the graphics card ([`FluidBackend::Gpu`](crate::FluidBackend::Gpu)) they come one to two ticks
/// later.
///
/// It is not part of [`BlobFluidPlugins`](crate::BlobFluidPlugins), so that apps without it pay
/// nothing.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// let mut app = App::new();
/// app.add_plugins((MinimalPlugins, BlobFluidPlugins::default(), FluidSplashPlugin::default()));
/// app.add_observer(|splash: On<FluidSplash>| {
///     info!("splash at {}, strength {}", splash.position, splash.strength);
/// });
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FluidSplashPlugin {
    /// Thresholds of a splash. Values out of range are warned about, and the default is used
    /// instead.
    pub detection: SplashDetection,
}

impl Plugin for FluidSplashPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<FluidSplashes>()
            .register_type::<FluidSplashes>()
            .register_type::<FluidSplash>()
            .add_message::<FluidSplash>()
            .add_systems(FluidSchedule, find_splashes.in_set(FluidSenseSystems::Splashes));
        app.on_restart(|world| {
            let mut splashes = world.resource_mut::<FluidSplashes>();
            let mut new = FluidSplashes::default();
            // What is in use is valid.
            if new.set_detection(splashes.detection()).is_ok() {
                *splashes = new;
            }
        });
        let mut splashes = app.world_mut().resource_mut::<FluidSplashes>();
        if let Err(error) = splashes.set_detection(self.detection) {
            warn!("fluid splash detection refused, the default stays: {error}");
        }
    }
}

/// The splashes of the last tick. Dereferences to [`SplashDetector`].
#[derive(Resource, Reflect, Clone, Debug, Default, Deref)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidSplashes(pub(crate) SplashDetector);

impl FluidSplashes {
    /// Changes the thresholds of a splash, from the next tick on.
    ///
    /// # Errors
    ///
    /// The errors of [`SplashDetection::validate`]; the old values stay then.
    pub fn set_detection(&mut self, detection: SplashDetection) -> Result<(), OutOfRange> {
        self.0.set_detection(detection)
    }
}

/// Finds the splashes of a tick.
fn find_splashes(
    fluid: Res<FluidSimulation>,
    time: Res<Time>,
    mut splashes: ResMut<FluidSplashes>,
    mut commands: Commands,
    mut messages: MessageWriter<FluidSplash>,
    #[cfg(feature = "gpu")] on_device: Option<ResMut<DeviceLiquid>>,
) {
    let mut tell = |found: &[Splash]| {
        for splash in found {
            messages.write(FluidSplash(*splash));
            commands.trigger(FluidSplash(*splash));
        }
    };
    #[cfg(feature = "gpu")]
    if let Some(mut on_device) = on_device {
        for impacts in on_device.impacts(splashes.detection()) {
            tell(splashes.0.update_with(fluid.parameters(), impacts, time.delta_secs()));
        }
        return;
    }
    tell(splashes.0.update(&fluid, time.delta_secs()));
}
