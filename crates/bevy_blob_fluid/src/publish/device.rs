//! Hands the particles on the graphics card over to the renderer, without a copy to the CPU.

use bevy::prelude::*;
use bevy::render::render_resource::Buffer;
use blob_fluid::FluidBounds;
use blob_fluid_gpu::{GpuError, GpuInstances};

use crate::foam::{FluidGlow, INSIDE};
use crate::render::FluidInstances;
use crate::render::raw::FluidDeviceInstances;
use crate::simulation::{DeviceLiquid, FluidSimulation};

/// Writes the instances of the particles on the graphics card.
pub(super) fn publish_particles(
    mut liquid: ResMut<DeviceLiquid>,
    fluid: Res<FluidSimulation>,
    glow: Res<FluidGlow>,
    mut published: Local<u64>,
    mut instances: ResMut<FluidInstances>,
) {
    let liquid = liquid.bypass_change_detection();
    let is_drawn = instances.on_device().is_some() && *published == liquid.revision;
    if is_drawn && !glow.is_changed() {
        return;
    }
    *published = liquid.revision;
    let glows = liquid.liquid.has_heat();
    let glow = glows.then_some([glow.begins, glow.full]);
    let (buffer, count) = match write(liquid, glow) {
        Ok(written) => written,
        Err(error) => {
            warn_once!("the liquid on the graphics card is not drawn: {error}");
            return;
        }
    };
    let FluidBounds { low, high } = liquid.liquid.domain();
    let particles = FluidDeviceInstances {
        buffer,
        count,
        classes: (0..=u8::MAX).filter(|class| liquid.classes[usize::from(*class)]).collect(),
        bounds: [low, high],
        has_tints: glows,
    };
    instances.set_on_device(particles, fluid.parameters().particle_spacing);
}

/// Writes the instances with a pass that is compiled at its first use.
fn write(liquid: &mut DeviceLiquid, glow: Option<[f32; 2]>) -> Result<(Buffer, u32), GpuError> {
    let known = liquid.writer.take().map_or_else(|| GpuInstances::new(&liquid.liquid), Ok)?;
    let writer = liquid.writer.insert(known);
    let (buffer, count) = writer.write(&liquid.liquid, liquid.tick, INSIDE, glow)?;
    Ok((buffer.clone().into(), count))
}
