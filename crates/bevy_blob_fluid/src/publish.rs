//! Hands the particles to the material, once per frame in which they changed.

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;

use crate::coloring::{self, FluidColorScale, FluidColoring};
use crate::render::{FluidInstance, FluidInstances, FluidInterpolation};
use crate::simulation::{Fluid, FluidSimulation, interpolation, is_fixed};

/// Copies particles, [their colours](FluidColoring) and the moment between two ticks to where
/// [`FluidRenderPlugin`](crate::render::FluidRenderPlugin) draws from.
#[derive(Clone, Debug)]
pub struct FluidPublishPlugin {
    schedule: InternedScheduleLabel,
}

impl FluidPublishPlugin {
    /// For a fluid that is simulated in that schedule.
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
        app.add_systems(
            PostUpdate,
            (
                (
                    coloring::choose_gradient,
                    (coloring::choose_scale, publish_particles).chain().run_if(
                        resource_changed::<FluidSimulation>
                            .or_eager(resource_changed::<FluidColoring>),
                    ),
                    coloring::publish_palette.run_if(coloring::palette_is_outdated),
                )
                    .chain(),
                publish_interpolation,
            ),
        );
    }

    /// Once all plugins are there: Bevy's may be added after this one.
    fn finish(&self, app: &mut App) {
        coloring::finish(app);
    }
}

fn publish_particles(
    fluid: Res<FluidSimulation>,
    scale: Res<FluidColorScale>,
    mut instances: ResMut<FluidInstances>,
) {
    let particles = fluid.particles();
    let (before, now) = (particles.tick_start_positions(), particles.positions());
    let (classes, ids) = (particles.classes(), particles.ids());
    let densities = particles.relative_densities();
    // In an order that sorting does not change, so that overlapping blobs do not flicker.
    let drawn = particles.places_by_slot().map(|place| {
        // Any fixed scrambling of the slot will do to tell neighbours apart.
        let shade = (ids[place].index().wrapping_mul(0x9e37_79b9) >> 29) as u8;
        FluidInstance::new(before[place], now[place], classes[place].0, shade)
            .with_opacity(particles.opacity(place))
            .with_looseness(looseness(densities[place]))
            .with_color(scale.color_index(&fluid, place))
    });
    instances.set(drawn, fluid.parameters().particle_spacing);
}

/// How loose a particle of that relative density is: the surface of a pool has about half the
/// density of its inside and is not loose at all.
fn looseness(relative_density: f32) -> f32 {
    1.0 - relative_density / 0.45
}
