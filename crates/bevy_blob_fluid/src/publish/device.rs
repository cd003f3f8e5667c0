//! Hands over the particles that lie on the graphics card, where they are.

use bevy::prelude::*;
use blob_fluid::FluidBounds;
use blob_fluid_gpu::GpuInstances;

use crate::foam::{FluidGlow, INSIDE};
use crate::render::{FluidDeviceInstances, FluidInstances};
use crate::simulation::{DeviceLiquid, FluidSimulation};

/// Writes what is drawn of the particles on the card.
pub(super) fn publish_particles(
    liquid: Res<DeviceLiquid>,
    fluid: Res<FluidSimulation>,
    glow: Res<FluidGlow>,
    mut writer: Local<Option<GpuInstances>>,
    mut published: Local<u64>,
    mut instances: ResMut<FluidInstances>,
) {
    let is_drawn = instances.on_device().is_some() && *published == liquid.revision;
    if is_drawn && !glow.is_changed() {
        return;
    }
    *published = liquid.revision;
    let writer = writer.get_or_insert_with(|| GpuInstances::new(liquid.liquid.wgpu_device()));
    let glows = liquid.liquid.has_heat();
    let glow = glows.then_some([glow.begins, glow.full]);
    let (buffer, count) = match writer.write(&liquid.liquid, liquid.tick, INSIDE, glow) {
        Ok(written) => written,
        Err(error) => {
            warn_once!("the liquid on the graphics card is not drawn: {error}");
            return;
        }
    };
    let FluidBounds { low, high } = liquid.liquid.domain();
    let particles = FluidDeviceInstances {
        buffer: buffer.clone().into(),
        count,
        classes: (0..=u8::MAX).filter(|class| liquid.classes[usize::from(*class)]).collect(),
        bounds: [low, high],
        has_tints: glows,
    };
    instances.set_on_device(particles, fluid.parameters().particle_spacing);
}
