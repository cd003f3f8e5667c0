//! Hands the particles to the material, once per frame in which they changed.

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use blob_fluid::ClassPair;

use crate::foam::{self, FluidFoam, FluidGlow, looseness};
use crate::render::{
    FluidBlending, FluidInstance, FluidInstances, FluidInterpolation, FluidPalette,
};
use crate::simulation::{Fluid, FluidClasses, FluidSimulation, interpolation, is_fixed};

/// Copies particles, class colours and the moment between two ticks to where
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
        foam::add_to(app);
        app.add_systems(
            PostUpdate,
            (
                publish_particles.run_if(resource_changed::<FluidSimulation>),
                publish_palette.run_if(resource_changed::<FluidClasses>),
                publish_interpolation,
            ),
        );
    }
}

fn publish_particles(
    fluid: Res<FluidSimulation>,
    foam: Res<FluidFoam>,
    glow: Res<FluidGlow>,
    mut instances: ResMut<FluidInstances>,
) {
    let particles = fluid.particles();
    let (before, now) = (particles.tick_start_positions(), particles.positions());
    let (classes, ids) = (particles.classes(), particles.ids());
    let densities = particles.relative_densities();
    let temperatures = particles.temperatures();
    // In an order that sorting does not change, so that overlapping blobs do not flicker.
    let drawn = particles.places_by_slot().map(|place| {
        // Any fixed scrambling of the slot will do to tell neighbours apart.
        let shade = (ids[place].index().wrapping_mul(0x9e37_79b9) >> 29) as u8;
        FluidInstance::new(before[place], now[place], classes[place].0, shade)
            .with_opacity(particles.opacity(place))
            .with_looseness(looseness(densities[place]))
            .with_heat_and_foam(glow.heat(temperatures[place]), foam.get(ids[place].index()))
    });
    instances.set(drawn, fluid.parameters().particle_spacing);
}

fn publish_palette(
    classes: Res<FluidClasses>,
    mut palette: ResMut<FluidPalette>,
    mut blending: ResMut<FluidBlending>,
) {
    palette.set(classes.iter().map(|class| {
        let [red, green, blue, alpha] = class.color;
        Color::srgba(red, green, blue, alpha)
    }));
    let attracted = classes.pairs.iter().filter(|pair| pair.cohesion > 0.0);
    let class = |name: &String| classes.find(name).map(|class| class.0);
    blending.0.clear();
    blending.0.extend(
        attracted.filter_map(|ClassPair { classes: [one, other], .. }| {
            Some([class(one)?, class(other)?])
        }),
    );
}
