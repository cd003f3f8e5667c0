//! Worlds that are larger than the simulated liquid: liquid far from all cameras and players is stored as bytes.
//!
//! | file | contents |
//! |---|---|
//! | `regions.rs` | the component, the resource and the messages; stored liquid in a snapshot |
//! | `exchange.rs` | the systems that store liquid and put it back |

mod exchange;
mod regions;

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;

use crate::simulation::RestartApp;
use crate::solids::ForeignColliders;

pub use regions::{
    FluidRegionEntered, FluidRegionLeft, FluidRegions, FluidRegionsError, FluidStreaming,
};
pub(crate) use regions::{RegionsRecord, move_to_regions};

crate::concern::concern! {
    /// [`FluidStreaming`]: liquid far from all cameras and players is stored. The plugin takes no time in an app
    /// without the component.
    FluidStreamingPlugin: add_regions, exchange::add_exchange
}

fn add_regions(app: &mut App, _: InternedScheduleLabel) {
    app.init_resource::<FluidRegions>()
        .init_resource::<ForeignColliders>()
        .register_type::<FluidStreaming>()
        .register_type::<FluidRegions>()
        .register_type::<FluidRegionEntered>()
        .register_type::<FluidRegionLeft>()
        .add_message::<FluidRegionEntered>()
        .add_message::<FluidRegionLeft>()
        .on_restart(regions::start_over);
}
