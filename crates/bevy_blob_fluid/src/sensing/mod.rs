//! Measurements of the liquid for a game: sensors, blobs, splashes and queries.

mod sensor;

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use blob_fluid::{
    BlobChange, BlobTracker, BlobTracking, ClassFilter, FluidRegion, OutOfRange, ParticleId,
    Splash, SplashDetection, SplashDetector, SurfaceHit,
};

use crate::schedule::{FluidSchedule, FluidSenseSystems};
#[cfg(feature = "gpu")]
use crate::simulation::DeviceLiquid;
use crate::simulation::{FluidSimulation, RestartApp};

#[cfg(feature = "snapshot")]
pub(crate) use sensor::SensorState;
pub use sensor::{
    FluidAirReading, FluidBlobSplit, FluidBlobsMerged, FluidDrained, FluidEntered, FluidFilled,
    FluidLeft, FluidSensor, FluidSensorReading, FluidSplash,
};

crate::concern::concern! {
    /// Sensors. Blobs and splashes take time in every tick, so they have plugins of their own:
    /// [`FluidBlobsPlugin`] and [`FluidSplashPlugin`].
    FluidSensingPlugin: sensor::add_sensors
}

// Queries of the liquid, for any system.

/// Queries of the liquid's state after the last tick, for systems in any schedule.
///
/// At the surface of the liquid, its density is half of the density at rest
/// ([`density_at`](Self::density_at)). Lengths are in world units; points that are not finite count
/// as far from all liquid.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn swim(mut swimmers: Query<&mut Transform>, fluid: FluidQuery, time: Res<Time>) {
///     for mut transform in &mut swimmers {
///         if let Some(stream) = fluid.velocity_at(transform.translation.truncate()) {
///             transform.translation += (stream * time.delta_secs()).extend(0.0);
///         }
///     }
/// }
///
/// fn aim(fluid: FluidQuery) {
///     let ray = Ray2d::new(Vec2::new(0.0, 300.0), -Dir2::Y);
///     if let Some(hit) = fluid.cast_ray(ray, 1000.0, ClassFilter::ALL) {
///         info!("liquid at {}", hit.point);
///     }
/// }
/// ```
#[doc = guide!("swim")]
#[derive(SystemParam)]
pub struct FluidQuery<'w> {
    fluid: Res<'w, FluidSimulation>,
}

impl FluidQuery<'_> {
    /// Density at a point, relative to that of liquid at rest: about 1 inside of liquid, a half at the surface, 0 far
    /// away.
    pub fn density_at(&self, point: Vec2) -> f32 {
        self.fluid.density_at(point)
    }

    /// Whether a point lies in liquid of some classes.
    pub fn is_in_liquid(&self, point: Vec2, classes: ClassFilter) -> bool {
        self.fluid.is_in_liquid(point, classes)
    }

    /// Mean velocity of the liquid around a point, in world units/s; `None` far from all liquid.
    pub fn velocity_at(&self, point: Vec2) -> Option<Vec2> {
        self.fluid.velocity_at(point)
    }

    /// Velocity of the [air](crate::FluidAir) at a point, in world units/s; `None` outside of all air.
    pub fn wind_at(&self, point: Vec2) -> Option<Vec2> {
        self.fluid.airs().find_map(|air| air.velocity_at(point))
    }

    /// Concentration of smoke at a point: 1 is thick; `None` outside of all air.
    pub fn smoke_at(&self, point: Vec2) -> Option<f32> {
        self.fluid.airs().find_map(|air| air.smoke_at(point))
    }

    /// Heat of the air at a point: 1 is as hot as a flame; `None` outside of all air.
    pub fn heat_at(&self, point: Vec2) -> Option<f32> {
        self.fluid.airs().find_map(|air| air.heat_at(point))
    }

    /// Share of each class in the liquid around a point, by class index. The sum of the shares is 1.
    /// `None` far from all liquid.
    pub fn mix_at(&self, point: Vec2) -> Option<Vec<f32>> {
        self.fluid.mix_at(point)
    }

    /// The colour of the [paint](blob_fluid::FluidPaint) around a point; `None` far from all paint.
    pub fn paint_at(&self, point: Vec2) -> Option<Color> {
        let [red, green, blue] = self.fluid.paint_at(point)?;
        Some(Color::linear_rgb(red, green, blue))
    }

    /// The colour of the [paint](blob_fluid::FluidPaint) of some classes in a region after complete
    /// mixing; `None` if the region contains no paint.
    pub fn mean_paint(&self, region: &FluidRegion, classes: ClassFilter) -> Option<Color> {
        let [red, green, blue] = self.fluid.mean_paint(region, classes)?;
        Some(Color::linear_rgb(red, green, blue))
    }

    /// The particle of some classes nearest to a point, and its distance; `None` if no such particle is within `reach`.
    /// Both distances are in world units.
    pub fn nearest(
        &self,
        point: Vec2,
        reach: f32,
        classes: ClassFilter,
    ) -> Option<(ParticleId, f32)> {
        self.fluid.nearest(point, reach, classes)
    }

    /// The particles of some classes in a region.
    pub fn particles_in(&self, region: &FluidRegion, classes: ClassFilter) -> Vec<ParticleId> {
        let mut found = Vec::new();
        self.fluid.for_each_in(region, classes, |index| {
            found.push(self.fluid.particles().ids()[index]);
        });
        found
    }

    /// The first point within a distance where a ray meets the surface of the liquid of some classes. A ray from within
    /// liquid returns its origin.
    pub fn cast_ray(
        &self,
        ray: Ray2d,
        max_distance: f32,
        classes: ClassFilter,
    ) -> Option<SurfaceHit> {
        self.fluid.cast_ray(ray.origin, *ray.direction, max_distance, classes)
    }

    /// The point where a circle whose centre follows a ray first touches liquid of some classes,
    /// including single particles.
    pub fn cast_circle(
        &self,
        disc: Circle,
        ray: Ray2d,
        max_distance: f32,
        classes: ClassFilter,
    ) -> Option<SurfaceHit> {
        self.fluid.cast_circle(ray.origin, *ray.direction, disc.radius, max_distance, classes)
    }

    /// Height of the highest surface at the horizontal position `across`. With gravity downwards or
    /// zero, `across` is an x and the result a y; with another gravity both axes turn with it. `None`
    /// without liquid at that position.
    pub fn surface_height(&self, across: f32) -> Option<f32> {
        self.fluid.surface_height(across)
    }

    /// Distance from a point in liquid upwards, against gravity, to the surface of that liquid; 0
    /// outside of liquid.
    pub fn depth_at(&self, point: Vec2) -> f32 {
        self.fluid.depth_at(point)
    }

    /// Depth of the liquid below a point: from the point, or the first surface below it, to the end of that
    /// liquid; 0 without liquid.
    pub fn depth_below(&self, point: Vec2) -> f32 {
        self.fluid.depth_below(point)
    }
}

// Connected blobs of liquid, followed from tick to tick.

/// Finds the connected blobs of liquid after every tick. [`FluidBlobs`] holds the blobs; [`FluidBlobsMerged`] and
/// [`FluidBlobSplit`] are written as messages and triggered for observers.
///
/// This plugin is not part of [`BlobFluidPlugins`](crate::BlobFluidPlugins), because it takes about 0.1 ms per 1000
/// particles in every tick.
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
#[doc = guide!("swim")]
#[derive(Clone, Copy, Debug, Default)]
pub struct FluidBlobsPlugin {
    /// The criteria by which particles form a blob.
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
    /// Changes the criteria by which particles form a blob, from the next tick on.
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

// Splashes, for sounds and effects.

/// Writes a [`FluidSplash`] when fast liquid hits liquid or a solid, as a message and for
/// observers.
///
/// While the liquid is on the graphics card ([`FluidBackend::Gpu`](crate::FluidBackend::Gpu)), splashes are
/// reported one or two ticks late.
///
/// This plugin is not part of [`BlobFluidPlugins`](crate::BlobFluidPlugins): other apps spend no time on splashes.
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
#[doc = guide!("splashes")]
#[derive(Clone, Copy, Debug, Default)]
pub struct FluidSplashPlugin {
    /// Thresholds of a splash. Values out of range are replaced by the default, with a warning.
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
            // The present thresholds are valid, so this does not fail.
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
    /// The errors of [`SplashDetection::validate`]; the last valid values stay in use then.
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
