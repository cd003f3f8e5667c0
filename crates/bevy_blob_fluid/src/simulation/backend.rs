//! Where the liquid is simulated.

use bevy::prelude::*;

/// Where the liquid is simulated.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn choose(mut settings: ResMut<FluidSettings>) {
///     settings.backend = FluidBackend::Gpu;
/// }
/// ```
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum FluidBackend {
    /// On the processor: the whole of the liquid, with the same bits on every machine.
    #[default]
    Cpu,
    /// On the graphics card, for a hundred thousand particles and more; it needs the feature `gpu`. The liquid that there is
    /// moves over with the next tick, and what blobs and emitters add follows it; back on [`Cpu`](Self::Cpu)
    /// the liquid returns, for which a frame waits for the card; in a browser it returns some frames later.
    ///
    /// While it is there, [`FluidSimulation`](crate::FluidSimulation) holds no particles: queries, air, pumps, drains
    /// with tanks and snapshots meet none.
    /// It carries bodies. [`FluidLoad`](crate::FluidLoad)s and [`FluidSensor`](crate::FluidSensor)s measure it a tick or two late, and
    /// [`FluidStatistics::on_device`](crate::FluidStatistics::on_device) counts them.
    /// What a card does not do yet is listed in `docs/gpu.md`; what of it the settings ask for is warned of, once for
    /// each. Without a card that computes, or with a solver that it does not have, the liquid stays on the
    /// processor, with a warning; [`FluidSettings::fallback_spacing`](crate::FluidSettings::fallback_spacing) then makes it
    /// fewer particles. Liquid for which a card has no room waits on the processor, with a warning; a card that is lost takes the
    /// liquid on it along, and the processor goes on with whatever comes then.
    Gpu,
}

/// How many particles the card has ever removed; the processor counts its own.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(crate) struct RemovedOnDevice {
    /// Beyond the kill bounds.
    pub out_of_bounds: u64,
    /// To make room for others.
    pub recycled: u64,
}
