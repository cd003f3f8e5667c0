//! Copies the particles to the renderer's instances, once per frame in which they changed.

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use blob_fluid::ClassPair;

use crate::coloring::{self, FluidColorScale, FluidColoring};
use crate::foam::{self, FluidFoam, FluidGlow, looseness};
use crate::render::{FluidBlending, FluidGases, FluidInstance, FluidInstances, FluidInterpolation};
use crate::simulation::{Fluid, FluidClasses, FluidSimulation, interpolation, is_fixed};
use crate::walls::publish_walls;

/// Copies particles, [their colours](FluidColoring), walls and the moment between two ticks to the
/// resources that [`FluidRenderPlugin`](crate::render::FluidRenderPlugin) draws.
#[derive(Clone, Debug)]
pub struct FluidPublishPlugin {
    schedule: InternedScheduleLabel,
}

impl FluidPublishPlugin {
    /// The plugin for a fluid that is simulated in the given schedule.
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
        foam::add_to(app);
        app.add_systems(
            PostUpdate,
            (
                (
                    coloring::choose_gradient,
                    (coloring::choose_scale, publish_particles).chain().run_if(
                        resource_changed::<FluidSimulation>
                            .or_eager(resource_changed::<FluidColoring>)
                            .or_eager(resource_changed::<FluidGlow>),
                    ),
                    coloring::publish_palette.run_if(coloring::palette_is_outdated),
                )
                    .chain(),
                (publish_blending, publish_gases).run_if(resource_changed::<FluidClasses>),
                publish_interpolation,
                publish_walls.after(TransformSystems::Propagate),
            ),
        );
    }

    /// This runs in `finish`, because Bevy's plugins may be added after this one.
    fn finish(&self, app: &mut App) {
        coloring::finish(app);
    }
}

fn publish_particles(
    fluid: Res<FluidSimulation>,
    scale: Res<FluidColorScale>,
    foam: Res<FluidFoam>,
    glow: Res<FluidGlow>,
    mut instances: ResMut<FluidInstances>,
) {
    let particles = fluid.particles();
    let (before, now) = (particles.tick_start_positions(), particles.positions());
    let (classes, ids) = (particles.classes(), particles.ids());
    let densities = particles.relative_densities();
    let temperatures = particles.temperatures();
    // Sorting does not change this order, so that overlapping dots do not flicker.
    let drawn = particles.indices_by_slot().map(|index| {
        // A fixed hash of the slot gives neighbours different shades.
        let shade = (ids[index].slot().wrapping_mul(0x9e37_79b9) >> 29) as u8;
        let drawn = FluidInstance::new(before[index], now[index], classes[index].0, shade)
            .with_opacity(particles.opacity(index))
            .with_looseness(looseness(densities[index]));
        match scale.color_index(&fluid, index) {
            Some(color) => drawn.with_color(color),
            None => {
                let foam = foam.get(ids[index]);
                drawn.with_heat_and_foam(glow.heat(temperatures[index]), foam)
            }
        }
    });
    instances.set(drawn, fluid.parameters().particle_spacing);
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
