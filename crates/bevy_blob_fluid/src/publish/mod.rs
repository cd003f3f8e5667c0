//! Copies the particles to the renderer's instances, once per frame in which they changed.

#[cfg(feature = "gpu")]
mod device;
#[cfg(feature = "snapshot")]
mod film;
mod pools;

use bevy::camera::CameraUpdateSystems;
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use blob_fluid::ClassPair;

use crate::coloring::{FluidColorScale, FluidColoring, shade};
use crate::foam::{FluidFoam, FluidGlow, looseness};
use crate::publish::pools::{SeenBoxes, find_boxes, has_pools, instances_of_pools};
use crate::render::{
    FluidBlending, FluidDots, FluidDrawnTime, FluidGases, FluidInstance, FluidInstances,
    FluidInterpolation,
};
use crate::simulation::{Fluid, FluidClasses, FluidSimulation, interpolation, is_fixed};
use crate::walls::publish_walls;
use crate::{coloring, foam};

#[cfg(feature = "snapshot")]
pub use film::FluidFilm;

/// Copies particles, [their colours](FluidColoring), walls and the moment between two ticks to the
/// resources that [`FluidRenderPlugin`](crate::render::FluidRenderPlugin) draws.
#[derive(Clone, Debug)]
pub struct FluidPublishPlugin {
    schedule: InternedScheduleLabel,
}

impl FluidPublishPlugin {
    /// The plugin for a liquid that is simulated in the given schedule.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Plugin for FluidPublishPlugin {
    fn build(&self, app: &mut App) {
        let in_fixed_schedule = is_fixed(self.schedule);
        let publish_interpolation =
            move |time: Res<Time<Fluid>>,
                  fixed: Res<Time<Fixed>>,
                  mut fraction: ResMut<FluidInterpolation>| {
                fraction.0 = interpolation(&time, &fixed, in_fixed_schedule);
            };
        coloring::build(app);
        let publish = publish_particles.into_configs();
        #[cfg(feature = "gpu")]
        let publish = {
            use crate::simulation::{DeviceLiquid, is_on_device};
            let on_device =
                device::publish_particles.run_if(resource_exists_and_changed::<DeviceLiquid>);
            #[cfg(feature = "snapshot")]
            let on_device = on_device.run_if(not(resource_exists::<FluidFilm>));
            app.add_systems(PostUpdate, on_device);
            publish.run_if(not(is_on_device))
        };
        let is_outdated = resource_changed::<FluidSimulation>
            .or_eager(resource_changed::<FluidColoring>)
            .or_eager(resource_changed::<FluidGlow>)
            .or_eager(resource_changed::<SeenBoxes>);
        #[cfg(feature = "snapshot")]
        let (publish, is_outdated) = {
            let shows = resource_exists::<FluidFilm>;
            app.add_systems(PostUpdate, film::publish_film.run_if(shows));
            (publish.run_if(not(shows)), is_outdated.or_eager(resource_removed::<FluidFilm>))
        };
        let publish_time = publish_time.into_configs();
        #[cfg(feature = "snapshot")]
        let publish_time = publish_time.run_if(not(resource_exists::<FluidFilm>));
        foam::add_foam(app);
        let find_boxes = find_boxes
            .after(CameraUpdateSystems)
            .after(TransformSystems::Propagate)
            .before(publish_particles)
            .run_if(has_pools);
        app.init_resource::<SeenBoxes>().add_systems(PostUpdate, find_boxes);
        app.add_systems(
            PostUpdate,
            (
                (
                    coloring::choose_gradient,
                    (coloring::choose_scale, publish).chain().run_if(is_outdated),
                    coloring::publish_palette.run_if(coloring::palette_is_outdated),
                )
                    .chain(),
                (publish_blending, publish_gases).run_if(resource_changed::<FluidClasses>),
                (publish_interpolation, publish_time).chain(),
                publish_walls.after(TransformSystems::Propagate),
            ),
        );
    }

    /// Runs in `finish`, after all plugins are added.
    fn finish(&self, app: &mut App) {
        coloring::finish(app);
    }
}

/// Ticks between two publications of sleeping liquid. Only its foam and heat change, and slowly.
const TICKS_ASLEEP: u64 = 10;

/// Number of ticks for which all liquid must sleep until the picture between ticks is constant as
/// well.
const TICKS_TO_STAND: u32 = 2;

/// State of the liquid at its last publication.
#[derive(Clone, Copy, Default)]
struct Published {
    tick: u64,
    /// Number of sleeping particles, if all sleep.
    asleep: Option<usize>,
    /// Number of successive publications with this count.
    times: u32,
}

fn publish_particles(
    fluid: Res<FluidSimulation>,
    scale: Res<FluidColorScale>,
    foam: Res<FluidFoam>,
    glow: Res<FluidGlow>,
    dots: Query<(), With<FluidDots>>,
    classes: Res<FluidClasses>,
    seen: Res<SeenBoxes>,
    mut last: Local<Published>,
    mut instances: ResMut<FluidInstances>,
) {
    let particles = fluid.particles();
    let asleep = Some(particles.len()).filter(|count| *count == fluid.asleep());
    let sleeps_on = asleep.is_some() && asleep == last.asleep;
    let tick = fluid.ticks();
    if sleeps_on
        && last.times >= TICKS_TO_STAND
        && (last.tick..last.tick + TICKS_ASLEEP).contains(&tick)
        && particles.lifetime_count() == 0
        && fluid.paint_rests()
        && fluid.pools_rest()
        && !(scale.is_changed() || glow.is_changed() || classes.is_changed() || seen.is_changed())
        // No other system has replaced the instances.
        && !instances.is_changed()
    {
        return;
    }
    let times = if sleeps_on { last.times.saturating_add(1) } else { 0 };
    *last = Published { tick, asleep, times };
    let instance_of = instance_of(&fluid, &scale, &foam, &glow);
    let of_pools = instances_of_pools(&fluid, &scale, &seen);
    let spacing = fluid.parameters().particle_spacing;
    if dots.is_empty() {
        // The order of memory, in which neighbours are close together.
        instances.set((0..particles.len()).map(instance_of).chain(of_pools), spacing);
    } else {
        // Sorting particles does not change the order of slots, so overlapping dots do not flicker.
        instances.set(particles.indices_by_slot().map(instance_of).chain(of_pools), spacing);
    }
}

/// The instance of a particle, by its index.
fn instance_of<'a>(
    fluid: &'a FluidSimulation,
    scale: &'a FluidColorScale,
    foam: &'a FluidFoam,
    glow: &'a FluidGlow,
) -> impl Fn(usize) -> FluidInstance + 'a {
    let particles = fluid.particles();
    let (before, now) = (particles.tick_start_positions(), particles.positions());
    let (classes, ids) = (particles.classes(), particles.ids());
    let densities = particles.relative_densities();
    let temperatures = particles.temperatures();
    let takes_paint: Vec<bool> =
        fluid.classes().iter().map(|class| class.paint.is_some()).collect();
    move |index| {
        let shade = shade(ids[index].slot());
        let drawn = FluidInstance::new(before[index], now[index], classes[index].0, shade)
            .with_opacity(particles.opacity(index))
            .with_looseness(looseness(densities[index]));
        match scale.color_index(fluid, index) {
            Some(color) => drawn.with_color(color),
            None => {
                let foam = foam.get(ids[index]);
                let drawn = drawn.with_heat_and_foam(glow.heat(temperatures[index]), foam);
                let painted = takes_paint[classes[index].index()];
                let paint = painted.then(|| particles.paint(index)).flatten();
                paint.map_or(drawn, |color| drawn.with_paint(color))
            }
        }
    }
}

/// The time of the drawn moment. It pauses and slows down with the liquid.
fn publish_time(
    time: Res<Time<Fluid>>,
    fraction: Res<FluidInterpolation>,
    mut drawn: ResMut<FluidDrawnTime>,
) {
    drawn.0 = Some(time.elapsed_secs_wrapped() - (1.0 - fraction.0) * time.delta_secs());
}

fn publish_blending(classes: Res<FluidClasses>, mut blending: ResMut<FluidBlending>) {
    let attracted = classes.pairs.iter().filter(|pair| pair.cohesion > 0.0);
    let class = |name: &String| classes.find(name).map(|class| class.0);
    blending.0.clear();
    blending.0.extend(
        attracted.filter_map(|ClassPair { classes: [one, other], .. }| {
            Some([class(one)?, class(other)?])
        }),
    );
}

fn publish_gases(classes: Res<FluidClasses>, mut gases: ResMut<FluidGases>) {
    gases.0.clear();
    gases.0.extend(
        (0..=u8::MAX)
            .zip(classes.iter())
            .filter(|(_, class)| class.is_gas())
            .map(|(class, _)| class),
    );
}
