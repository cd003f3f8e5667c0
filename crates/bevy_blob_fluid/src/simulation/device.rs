//! The liquid on the graphics card.

use bevy::platform::collections::{HashMap, HashSet};
use bevy::platform::time::Instant;
use bevy::prelude::*;
use bevy::render::renderer::{RenderDevice, RenderQueue};
use blob_fluid::{
    CapacityPolicy, ClassId, ClassTable, Drain, Sensor, SensorCounts, SplashDetection, TileImpact,
};
use blob_fluid_gpu::{
    GpuDrain, GpuError, GpuInstances, GpuLiquid, GpuParticle, GpuParticlesCopy, GpuSensor,
    GpuSensorId, ignored_settings, saved_particles, supported,
};

use crate::schedule::{FluidSchedule, FluidSystems, FluidTickSystems};
use crate::simulation::clock::RestartApp;
use crate::simulation::diagnostics::FluidDeviceTimes;
use crate::simulation::resources::{
    FluidBackend, FluidSettings, FluidSimulation, FluidStatistics, RemovedOnDevice,
};
use crate::simulation::sync::{fall_back, sync_force_fields, warn_of_ignored_settings};

/// The liquid on the graphics card, while it is there.
#[derive(Resource, Debug)]
pub(crate) struct DeviceLiquid {
    pub liquid: GpuLiquid,
    /// Whether the card was lost in a tick.
    lost: bool,
    /// The pass that writes the instances to draw; `None` until it is needed.
    pub writer: Option<GpuInstances>,
    /// The classes that have or had particles.
    pub classes: [bool; 256],
    /// Increases with every change of the particles.
    pub revision: u64,
    /// Length of the last tick, in seconds.
    pub tick: f32,
    /// Number of particles that have ever moved to the card.
    given: u64,
    /// Ticks in which particles are recycled, and their numbers, until a report covers the tick.
    recycling: Vec<(u64, u64)>,
    /// Numbers of particles outside of the kill bounds and of recycled particles, as last reported.
    known: [u32; 2],
    /// [`FluidSimulation::clears`] when the liquid moved to the card.
    clears: u64,
    /// The channel of each draining entity, and the number of particles of each class that it has reported.
    drains: HashMap<Entity, (u8, Vec<u32>)>,
    /// The sensor of each watching entity, and the number of entered particles that it last reported.
    sensors: HashMap<Entity, (GpuSensorId, Option<u32>)>,
    /// The particles on their way back to the CPU. Meanwhile no tick runs.
    back: Option<GpuParticlesCopy>,
}

/// The channel of drains that are not counted, because all other channels are taken.
const UNCOUNTED: u8 = 63;

/// The systems of the tick on the card.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DeviceTick;

/// Whether the liquid is on the graphics card.
pub(crate) fn is_on_device(liquid: Option<Res<DeviceLiquid>>) -> bool {
    liquid.is_some()
}

/// Whether the liquid is simulated on the graphics card: it is there, and not on its way back.
fn moves_on_device(liquid: Option<Res<DeviceLiquid>>) -> bool {
    liquid.is_some_and(|liquid| liquid.back.is_none())
}

/// Adds the choice between CPU and card, and the tick on the card.
pub(crate) fn add_device(app: &mut App, schedule: impl bevy::ecs::schedule::ScheduleLabel) {
    app.add_systems(
        schedule,
        (
            choose_backend.in_set(FluidSystems::SyncSettings).after(warn_of_ignored_settings),
            move_over
                .after(FluidSystems::SyncEntities)
                .after(sync_force_fields)
                .before(FluidSystems::Tick)
                .run_if(moves_on_device),
        ),
    );
    app.add_systems(
        FluidSchedule,
        (move_over, step)
            .chain()
            .in_set(FluidTickSystems::Substeps)
            .in_set(DeviceTick)
            .run_if(moves_on_device),
    );
    app.on_restart(|world| {
        world.remove_resource::<DeviceLiquid>();
        world.insert_resource(RemovedOnDevice::default());
    });
}

/// Moves the liquid to the card or back, as the settings request. `refused` is the reason of the last failure.
fn choose_backend(world: &mut World, mut refused: Local<Option<String>>) {
    let settings = world.resource_ref::<FluidSettings>();
    let wanted = settings.backend;
    let tries = settings.is_changed() || refused.is_none();
    // A renderer that has lost its device may have another one.
    let tries = tries || world.is_resource_changed::<RenderDevice>();
    if world.get_resource::<DeviceLiquid>().is_some_and(|liquid| liquid.lost) {
        come_back(world, Err(GpuError::Lost));
    }
    let is_there = world.contains_resource::<DeviceLiquid>();
    // Containers and the solver may have changed since it moved there.
    let unfit = supported(world.resource::<FluidSimulation>().liquid()).err();
    if let Some(unfit) = unfit.filter(|_| is_there && wanted == FluidBackend::Gpu) {
        let why = unfit.to_string();
        if refused.as_ref() != Some(&why) {
            warn!("the liquid comes back to the processor: {why}");
        }
        *refused = Some(why);
        bring_back(world);
        return;
    }
    match wanted {
        FluidBackend::Gpu if !is_there && tries => match begin(world) {
            Ok(liquid) => {
                *refused = None;
                world.insert_resource(liquid);
            }
            Err(why) => {
                if refused.as_ref() != Some(&why) {
                    warn!("the liquid stays on the processor: {why}");
                }
                *refused = Some(why);
                _ = world.run_system_cached(fall_back);
            }
        },
        FluidBackend::Gpu if is_there => world.resource_mut::<DeviceLiquid>().back = None,
        FluidBackend::Cpu if is_there => bring_back(world),
        _ => {}
    }
}

/// Moves the particles from the card to the CPU. In a browser, this takes some frames. Liquid that has been cleared
/// is discarded.
fn bring_back(world: &mut World) {
    if world.resource::<DeviceLiquid>().clears != world.resource::<FluidSimulation>().clears() {
        forget(world);
        return;
    }
    match world.resource_mut::<DeviceLiquid>().returned() {
        Ok(None) => {}
        particles => come_back(world, particles),
    }
}

/// Copies the liquid to the card.
fn begin(world: &mut World) -> Result<DeviceLiquid, String> {
    let device = world.get_resource::<RenderDevice>().zip(world.get_resource::<RenderQueue>());
    let (device, queue) = device.ok_or("the app has no renderer")?;
    let limits = device.limits();
    if limits.max_compute_workgroups_per_dimension == 0
        || limits.max_storage_buffers_per_shader_stage < 8
    {
        return Err("this graphics adapter does not compute (WebGL2 never does)".into());
    }
    let (device, queue) = (device.clone(), queue.clone());
    let mut fluid = world.resource_mut::<FluidSimulation>();
    DeviceLiquid::of(&device, &queue, &mut fluid).map_err(|error| error.to_string())
}

impl DeviceLiquid {
    /// Moves all particles to the card.
    fn of(
        device: &RenderDevice,
        queue: &RenderQueue,
        fluid: &mut FluidSimulation,
    ) -> Result<Self, GpuError> {
        supported(fluid.liquid())?;
        let mut classes = [false; 256];
        for class in fluid.particles().classes() {
            classes[class.index()] = true;
        }
        let mut empty = fluid.liquid().clone();
        empty.clear();
        let mut liquid = GpuLiquid::new(device.wgpu_device(), queue, &empty)?;
        // Particles move in the order of their ages, so that their ids have that order.
        let given = liquid.take_from(fluid.world_mut().liquid_mut())?.len() as u64;
        let clears = fluid.clears();
        fluid.world_mut().clear();
        let (drains, sensors) = (HashMap::default(), HashMap::default());
        Ok(Self {
            liquid,
            lost: false,
            writer: None,
            classes,
            revision: 1,
            tick: 0.0,
            given,
            recycling: Vec::new(),
            known: [0; 2],
            clears,
            drains,
            sensors,
            back: None,
        })
    }

    /// The particles of the card. A native app waits for them. In a browser, which cannot wait, it is `None` until some
    /// frames after the first call.
    fn returned(&mut self) -> Result<Option<Vec<GpuParticle>>, GpuError> {
        let asked = self.back.take();
        let mut copy = asked.map_or_else(|| self.liquid.request_particles(), Ok)?;
        if cfg!(not(target_arch = "wasm32")) {
            return copy.wait().map(Some);
        }
        let particles = copy.take()?;
        self.back = particles.is_none().then_some(copy);
        Ok(particles)
    }

    /// Adds the classes into which particles may turn by heat and reactions to `classes`.
    fn note_products(&mut self, table: &ClassTable) {
        loop {
            let before = self.classes;
            let there = |name: &String| table.find(name).is_some_and(|id| before[id.index()]);
            let by_heat = table.iter().filter(|class| there(&class.name)).flat_map(|class| {
                let limits = [&class.thermal.above, &class.thermal.below];
                limits.into_iter().flatten().map(|limit| &limit.becomes)
            });
            let met = table.pairs().iter().filter(|pair| pair.classes.iter().all(there));
            let by_contact = met.filter_map(|pair| pair.reaction.as_ref());
            let by_contact = by_contact.flat_map(|reaction| reaction.becomes.iter().flatten());
            for id in by_heat.chain(by_contact).filter_map(|name| table.find(name)) {
                self.classes[id.index()] = true;
            }
            if self.classes == before {
                break;
            }
        }
    }

    /// Number of particles in play, according to the last report of the card. Particles that make room for others do
    /// not count, even if no report covers them yet.
    fn in_play(&mut self) -> usize {
        let (removed, reported) = match self.liquid.report() {
            Ok(Some(report)) => (u64::from(report.removed()), report.tick),
            _ => (0, 0),
        };
        self.recycling.retain(|(tick, _)| *tick > reported);
        let leaving: u64 = self.recycling.iter().map(|(_, count)| count).sum();
        self.given.saturating_sub(removed + leaving) as usize
    }

    /// Moves all particles of the CPU to the card, or none if it lacks room.
    fn take_from(&mut self, fluid: &mut FluidSimulation) {
        for class in fluid.particles().classes() {
            self.classes[class.index()] = true;
        }
        match self.liquid.take_from(fluid.world_mut().liquid_mut()) {
            Ok(ids) => {
                self.given += ids.len() as u64;
                self.revision += 1;
            }
            // The next call tries again. Until then the liquid stays on the CPU.
            Err(error) => warn_once!("liquid waits to move to the graphics card: {error}"),
        }
    }

    /// Lets the oldest particles beyond the capacity make room for others.
    fn recycle_beyond(&mut self, capacity: usize) {
        let beyond = u32::try_from(self.in_play().saturating_sub(capacity)).unwrap_or(u32::MAX);
        if beyond > 0 {
            self.liquid.recycle_oldest(beyond);
            self.recycling.push((self.liquid.tick() + 1, beyond.into()));
        }
    }

    /// Reported numbers of particles removed outside of the kill bounds and of recycled particles, since the last call.
    fn newly_removed(&mut self) -> [u32; 2] {
        let Ok(Some(report)) = self.liquid.report() else { return [0; 2] };
        let now = [report.out_of_bounds, report.recycled];
        let before = std::mem::replace(&mut self.known, now);
        [now[0].wrapping_sub(before[0]), now[1].wrapping_sub(before[1])]
    }

    /// Lets the drain of an entity act in the next tick, of `time` seconds. Returns the number of drained particles of
    /// each class that the card has reported since the last call. Only 63 drains at a time are counted.
    pub(crate) fn drain(&mut self, entity: Entity, drain: &mut Drain, time: f32) -> Vec<u64> {
        let known = self.drains.get(&entity).map(|(channel, _)| *channel);
        let channel = known.unwrap_or_else(|| self.channel_for(entity));
        let most = u32::try_from(drain.due(time)).unwrap_or(u32::MAX);
        if most > 0 {
            let (region, classes) = (drain.region().clone(), drain.classes());
            // The only error is a channel above 63.
            let _ = self.liquid.drain(GpuDrain { region, classes, most, channel });
        }
        let now = self.drained_by(channel);
        let Some((now, (_, known))) = now.zip(self.drains.get_mut(&entity)) else {
            return Vec::new();
        };
        known.resize(now.len(), 0);
        let new = now.iter().zip(&*known).map(|(now, known)| now.saturating_sub(*known).into());
        let new = new.collect();
        *known = now;
        new
    }

    /// A free channel for an entity.
    fn channel_for(&mut self, entity: Entity) -> u8 {
        let taken = |channel: &u8| self.drains.values().any(|(taken, _)| taken == channel);
        let channel = (0..UNCOUNTED).find(|channel| !taken(channel)).unwrap_or(UNCOUNTED);
        // Its counts include those of earlier drains.
        let known = self.drained_by(channel).unwrap_or_default();
        self.drains.insert(entity, (channel, known));
        channel
    }

    /// Reported number of drained particles of each class for a channel. `None` before the first report, and for the
    /// uncounted channel.
    fn drained_by(&mut self, channel: u8) -> Option<Vec<u32>> {
        let report = self.liquid.report().ok().flatten().filter(|_| channel != UNCOUNTED)?;
        let classes = (0..=u8::MAX).map(ClassId).take(report.classes.len());
        Some(classes.map(|class| report.drained_of(channel, class)).collect())
    }

    /// Removes the drains of entities for which `stays` returns false.
    pub(crate) fn drain_only(&mut self, stays: impl Fn(Entity) -> bool) {
        self.drains.retain(|entity, _| stays(*entity));
    }

    /// Lets the card measure the sensor of an entity, from the next tick on.
    pub(crate) fn watch(&mut self, entity: Entity, sensor: &Sensor) {
        let watched = GpuSensor { region: sensor.region().clone(), classes: sensor.classes() };
        if let Some((id, _)) = self.sensors.get(&entity) {
            self.liquid.set_sensor(*id, watched);
        } else {
            let id = self.liquid.insert_sensor(watched);
            self.sensors.insert(entity, (id, None));
        }
    }

    /// Removes the sensors of entities for which `stays` returns false.
    pub(crate) fn watch_only(&mut self, stays: impl Fn(Entity) -> bool) {
        self.sensors.retain(|entity, (id, _)| {
            let stays = stays(*entity);
            if !stays {
                self.liquid.remove_sensor(*id);
            }
            stays
        });
    }

    /// Lets the card find impacts, and returns the impacts that it has reported since the last call, tick by tick.
    pub(crate) fn impacts(&mut self, detection: SplashDetection) -> Vec<Vec<TileImpact>> {
        self.liquid.watch_impacts(Some(detection));
        self.liquid.take_impacts().unwrap_or_default()
    }

    /// The last reported counts of sensors. The number of entered particles is that since the last call.
    pub(crate) fn sensed(&mut self) -> HashMap<Entity, SensorCounts> {
        let Ok(Some(report)) = self.liquid.report() else { return HashMap::default() };
        let counts = |(entity, (id, known)): (&Entity, &mut (GpuSensorId, Option<u32>))| {
            let sensed = report.sensed(*id)?;
            let before = known.replace(sensed.entered);
            let counts = SensorCounts {
                classes: sensed.classes.iter().map(|count| *count as usize).collect(),
                velocity: sensed.velocity,
                entered: before.map(|before| sensed.entered.wrapping_sub(before) as usize),
            };
            Some((*entity, counts))
        };
        self.sensors.iter_mut().filter_map(counts).collect()
    }
}

/// Removes the liquid on the card, if it is there.
pub(crate) fn forget(world: &mut World) {
    if world.remove_resource::<DeviceLiquid>().is_some() {
        *world.resource_mut::<FluidDeviceTimes>() = FluidDeviceTimes::default();
        world.resource_mut::<FluidStatistics>().on_device = 0;
        let capacity = world.resource::<FluidSettings>().capacity;
        world.resource_mut::<FluidSimulation>().set_capacity_beside(capacity, 0);
    }
}

/// Adds the particles from the card to the CPU.
fn come_back(world: &mut World, particles: Result<Option<Vec<GpuParticle>>, GpuError>) {
    forget(world);
    let particles = match particles {
        Ok(particles) => particles.unwrap_or_default(),
        Err(error) => {
            warn!("the liquid on the graphics card is lost: {error}");
            return;
        }
    };
    let capacity = world.resource::<FluidSettings>().capacity;
    let mut fluid = world.resource_mut::<FluidSimulation>();
    // Particles beyond the capacity are not removed, as if they had always been on the CPU.
    let all = particles.len() + fluid.particles().len();
    fluid.world_mut().set_capacity(capacity.max(all));
    let saved = saved_particles(&particles, fluid.liquid());
    if let Err(error) = fluid.restore_particles(&saved) {
        warn!("the liquid on the graphics card did not come back: {error}");
    }
    fluid.world_mut().set_capacity(capacity);
}

/// Moves the particles that were spawned since the last call, and starts anew if the liquid was cleared.
fn move_over(
    settings: Res<FluidSettings>,
    renderer: (Res<RenderDevice>, Res<RenderQueue>),
    mut on_device: ResMut<DeviceLiquid>,
    mut fluid: ResMut<FluidSimulation>,
    mut statistics: ResMut<FluidStatistics>,
    mut commands: Commands,
) {
    if on_device.clears != fluid.clears() {
        match DeviceLiquid::of(&renderer.0, &renderer.1, &mut fluid) {
            Ok(anew) => *on_device = DeviceLiquid { revision: on_device.revision + 1, ..anew },
            Err(_) => {
                // The card cannot take the liquid. The next attempt warns of this.
                commands.queue(forget);
                return;
            }
        }
        statistics.on_device = on_device.in_play();
    }
    let recycles = settings.when_full == CapacityPolicy::RecycleOldest;
    if !fluid.particles().is_empty() {
        on_device.take_from(&mut fluid);
        if recycles {
            on_device.recycle_beyond(settings.capacity);
        }
    }
    statistics.on_device = on_device.in_play();
    let taken = if recycles { 0 } else { statistics.on_device };
    fluid.set_capacity_beside(settings.capacity, taken);
}

/// A tick on the card.
fn step(
    time: Res<Time>,
    on_device: Option<ResMut<DeviceLiquid>>,
    mut fluid: ResMut<FluidSimulation>,
    mut statistics: ResMut<FluidStatistics>,
    mut times: ResMut<FluidDeviceTimes>,
    mut removed: ResMut<RemovedOnDevice>,
    mut warned: Local<HashSet<&'static str>>,
) {
    // A command of `move_over` may have removed it.
    let Some(mut on_device) = on_device else { return };
    for ignored in ignored_settings(fluid.liquid()) {
        if warned.insert(ignored.setting) {
            warn!("{ignored}");
        }
    }
    on_device.note_products(fluid.classes());
    let begin = Instant::now();
    let tick = time.delta_secs();
    match on_device.liquid.step(fluid.world_mut().liquid_mut(), tick) {
        Ok(substeps) => statistics.substeps = substeps,
        Err(error) => {
            on_device.lost = matches!(error, GpuError::Lost);
            warn_once!("the liquid on the graphics card stands still: {error}");
            return;
        }
    }
    on_device.tick = tick;
    // While all liquid sleeps, the picture stays the same.
    on_device.revision += u64::from(statistics.substeps > 0);
    statistics.on_device = on_device.in_play();
    if let Ok(Some(report)) = on_device.liquid.report() {
        statistics.asleep = report.in_play().saturating_sub(report.awake as usize);
        if report.quarantined > 0 {
            warn_once!(
                "{} fluid particles on the graphics card were not finite or out of the world; they were removed",
                report.quarantined
            );
        }
    }
    let [out_of_bounds, recycled] = on_device.newly_removed();
    removed.out_of_bounds += u64::from(out_of_bounds);
    removed.recycled += u64::from(recycled);
    statistics.out_of_bounds = fluid.out_of_bounds() + removed.out_of_bounds;
    statistics.recycled = fluid.recycled() + removed.recycled;
    // This fails on an adapter without timestamps, which has no times.
    let _ = on_device.liquid.watch_times(true);
    if let Ok(newest) = on_device.liquid.pass_times() {
        times.set(newest.iter().map(|time| (time.pass.name(), time.milliseconds as f32)));
    }
    statistics.passes_milliseconds = 1e3 * begin.elapsed().as_secs_f32();
}
