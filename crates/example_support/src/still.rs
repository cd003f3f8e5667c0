//! Pages that stop at a time. They draw the same picture as the native program at this time, for comparison.

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::{Fluid, FluidSimulation, FluidStatistics};

use crate::run::{has_come_to, hide_hud, stop_time, wait_for_assets};

/// Simulates without drawing, a tick per frame, until the liquid's time is `at` seconds. Then time stops and the page
/// is drawn. The console shows the mean time of a tick and the hash of the state.
pub(crate) struct StillPlugin {
    pub at: f64,
}

#[derive(Resource)]
struct Still {
    at: f64,
    due: bool,
    /// The liquid's time in the previous frame.
    before: f64,
    milliseconds: f64,
    ticks: u32,
}

impl Plugin for StillPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .insert_resource(Still {
                at: self.at,
                due: false,
                before: 0.0,
                milliseconds: 0.0,
                ticks: 0,
            })
            .add_observer(close)
            .add_systems(Update, (wait_for_assets, hide_hud))
            .add_systems(Last, advance);
    }
}

/// Disables a camera until the picture is due.
fn close(added: On<Add, Camera>, still: Res<Still>, mut cameras: Query<&mut Camera>) {
    if let Ok(mut camera) = cameras.get_mut(added.entity) {
        camera.is_active = still.due;
    }
}

fn advance(
    fluid: Res<FluidSimulation>,
    statistics: Res<FluidStatistics>,
    mut time: ResMut<Time<Fluid>>,
    mut strategy: ResMut<TimeUpdateStrategy>,
    mut still: ResMut<Still>,
    mut cameras: Query<&mut Camera>,
) {
    if still.due {
        return;
    }
    if fluid.time() > still.before {
        still.before = fluid.time();
        still.milliseconds += f64::from(statistics.tick_milliseconds);
        still.ticks += 1;
    }
    if has_come_to(&fluid, still.at) {
        still.due = true;
        stop_time(&mut time, &mut strategy);
        cameras.iter_mut().for_each(|mut camera| camera.is_active = true);
        let mean = still.milliseconds / f64::from(still.ticks);
        let hash = fluid.state_hash();
        info!("still after {} ticks of {mean:.2} ms, in state {hash:016x}", still.ticks);
    }
}
