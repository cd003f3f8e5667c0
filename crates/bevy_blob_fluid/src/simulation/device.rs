//! The liquid on the graphics card.

use bevy::platform::collections::HashSet;
use bevy::platform::time::Instant;
use bevy::prelude::*;
use bevy::render::renderer::{RenderDevice, RenderQueue};
use blob_fluid::{ParticleTag, SavedParticle, SavedParticles};
use blob_fluid_gpu::{GpuLiquid, GpuParticle, ignored_settings};

use super::backend::FluidBackend;
use super::passes::run_substeps;
use super::resources::{FluidSettings, FluidSimulation, FluidStatistics};
use super::restart::RestartApp;
use crate::schedule::{FluidSchedule, FluidSystems, FluidTickSystems};

/// The liquid on the graphics card, while it is there.
#[derive(Resource, Debug)]
pub(crate) struct DeviceLiquid {
    pub liquid: GpuLiquid,
    /// The classes that have or had particles.
    pub classes: [bool; 256],
    /// Grows with every change of the particles.
    pub revision: u64,
    /// Length of the last tick, in seconds.
    pub tick: f32,
    next_id: u32,
    /// How often the simulation had been cleared.
    clears: u64,
}

/// Whether the liquid is on the graphics card.
pub(crate) fn is_on_device(liquid: Option<Res<DeviceLiquid>>) -> bool {
    liquid.is_some()
}

/// Adds the choice between processor and card, and the tick there.
pub(crate) fn add_to(app: &mut App, schedule: impl bevy::ecs::schedule::ScheduleLabel) {
    app.add_systems(
        schedule,
        (
            choose_backend.in_set(FluidSystems::SyncSettings).after(super::sync_classes),
            move_over
                .after(FluidSystems::SyncEntities)
                .before(FluidSystems::Tick)
                .run_if(is_on_device),
        ),
    );
    app.add_systems(
        FluidSchedule,
        (move_over, step)
            .chain()
            .in_set(FluidTickSystems::Substeps)
            .before(run_substeps)
            .run_if(is_on_device),
    );
    app.on_restart(|world| {
        world.remove_resource::<DeviceLiquid>();
    });
}

/// Moves the liquid to the card and back, as the settings say.
fn choose_backend(world: &mut World, mut refused: Local<bool>) {
    let settings = world.resource_ref::<FluidSettings>();
    let wanted = settings.backend;
    if settings.is_changed() {
        *refused = false;
    }
    let is_there = world.contains_resource::<DeviceLiquid>();
    match wanted {
        FluidBackend::Gpu if !is_there && !*refused => match begin(world) {
            Ok(liquid) => world.insert_resource(liquid),
            Err(why) => {
                *refused = true;
                warn!("the liquid stays on the processor: {why}");
            }
        },
        FluidBackend::Cpu if is_there => {
            if let Some(liquid) = world.remove_resource::<DeviceLiquid>() {
                come_back(world, &liquid);
            }
        }
        _ => {}
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
    let (device, queue) = (device.wgpu_device().clone(), (***queue).clone());
    let mut fluid = world.resource_mut::<FluidSimulation>();
    let liquid =
        GpuLiquid::new(&device, &queue, fluid.liquid()).map_err(|error| error.to_string())?;
    let mut classes = [false; 256];
    let particles = fluid.particles();
    for class in particles.classes() {
        classes[class.index()] = true;
    }
    let ids = particles.ids().iter().map(|id| id.slot() + 1);
    let next_id = ids.fold(0, u32::max);
    let clears = fluid.clears();
    fluid.world_mut().clear();
    Ok(DeviceLiquid { liquid, classes, revision: 1, tick: 0.0, next_id, clears })
}

/// Copies the liquid back to the processor.
fn come_back(world: &mut World, on_device: &DeviceLiquid) {
    let particles = match on_device.liquid.read_particles() {
        Ok(particles) => particles,
        Err(error) => {
            warn!("the liquid on the graphics card is lost: {error}");
            return;
        }
    };
    world.resource_mut::<FluidStatistics>().on_device = 0;
    let capacity = world.resource::<FluidSettings>().capacity;
    let mut fluid = world.resource_mut::<FluidSimulation>();
    fluid.world_mut().set_capacity(capacity);
    let temperature = fluid.parameters().ambient_temperature;
    let saved = SavedParticles {
        classes: fluid.classes().iter().map(|class| class.name.clone()).collect(),
        particles: particles.iter().map(|particle| saved(particle, temperature)).collect(),
        ..SavedParticles::default()
    };
    if let Err(error) = fluid.restore_particles(&saved) {
        warn!("the liquid on the graphics card did not come back: {error}");
    }
}

fn saved(particle: &GpuParticle, temperature: f32) -> SavedParticle {
    SavedParticle {
        position: particle.position,
        velocity: particle.velocity,
        class: particle.class.0,
        temperature,
        exposure: 0.0,
        relative_density: particle.relative_density,
        pressure: particle.kept_pressure,
        grain: None,
        paint: None,
        age: 0.0,
        lifetime: None,
        tag: ParticleTag::default(),
    }
}

/// Moves what was spawned since the last call, and removes all if a game has cleared the liquid.
fn move_over(
    settings: Res<FluidSettings>,
    mut on_device: ResMut<DeviceLiquid>,
    mut fluid: ResMut<FluidSimulation>,
    mut statistics: ResMut<FluidStatistics>,
    mut warned: Local<HashSet<&'static str>>,
) {
    if on_device.clears != fluid.clears() {
        on_device.clears = fluid.clears();
        on_device.liquid.clear();
        on_device.next_id = 0;
        on_device.classes = [false; 256];
        on_device.revision += 1;
        statistics.on_device = 0;
    }
    let particles = fluid.particles();
    if particles.is_empty() {
        return;
    }
    let first = on_device.next_id;
    let (positions, velocities) = (particles.positions(), particles.velocities());
    let classes = particles.classes();
    let new: Vec<GpuParticle> = (0..particles.len())
        .map(|index| GpuParticle {
            id: first + index as u32,
            class: classes[index],
            position: positions[index],
            velocity: velocities[index],
            ..default()
        })
        .collect();
    if particles.lifetime_count() > 0 && warned.insert("lifetime") {
        warn!("liquid on the graphics card lives for ever: it has no lifetimes");
    }
    match on_device.liquid.insert(&new) {
        Ok(()) => {
            for particle in &new {
                on_device.classes[particle.class.index()] = true;
            }
            on_device.next_id = first + new.len() as u32;
            on_device.revision += 1;
        }
        Err(error) => warn_once!("liquid does not fit on the graphics card and is gone: {error}"),
    }
    statistics.on_device = on_device.liquid.len();
    let room = settings.capacity.saturating_sub(on_device.liquid.len());
    fluid.world_mut().clear();
    fluid.world_mut().set_capacity(room);
}

/// A tick on the card.
fn step(
    time: Res<Time>,
    mut on_device: ResMut<DeviceLiquid>,
    mut fluid: ResMut<FluidSimulation>,
    mut statistics: ResMut<FluidStatistics>,
    mut warned: Local<HashSet<&'static str>>,
) {
    for ignored in ignored_settings(fluid.liquid()) {
        if warned.insert(ignored.setting) {
            warn!("{ignored}");
        }
    }
    let begin = Instant::now();
    let tick = time.delta_secs();
    match on_device.liquid.step(fluid.world_mut().liquid_mut(), tick) {
        Ok(substeps) => statistics.substeps = substeps,
        Err(error) => {
            warn_once!("the liquid on the graphics card stands still: {error}");
            return;
        }
    }
    on_device.tick = tick;
    on_device.revision += 1;
    statistics.on_device = on_device.liquid.len();
    statistics.asleep = 0;
    statistics.passes_milliseconds = 1e3 * begin.elapsed().as_secs_f32();
}
