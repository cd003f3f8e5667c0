//! The pointer's path while it pours or erases, since the last tick.

use bevy::prelude::*;

use crate::pointer::position::FluidPointer;
use crate::state::FluidPanel;
use crate::tools::{FluidTool, FluidTools};
use bevy_blob_fluid::{Fluid, FluidClock};

/// Largest number of segments that wait for a tick; beyond that the last one is lengthened.
const MAX_PIECES: usize = 256;
/// Largest number of positions along a segment at which the brush is applied.
const MAX_PLACES: f32 = 256.0;

/// The pointer's path since the last tick. Frames are shorter than ticks in slow motion: a short
/// click or a fast stroke would be missed between two of them.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct FluidStroke {
    /// The tool that was held.
    pub tool: FluidTool,
    /// Position in the last frame, if pressed.
    last: Option<Vec2>,
    pieces: Vec<[Vec2; 2]>,
}

impl FluidStroke {
    /// Takes the positions along the path at which a brush of a radius is applied, each once.
    pub(crate) fn take(&mut self, radius: f32) -> impl Iterator<Item = Vec2> + '_ {
        self.pieces.drain(..).flat_map(move |[from, to]| {
            let count = (2.0 * from.distance(to) / radius).ceil().clamp(1.0, MAX_PLACES);
            (1..=count as u32).map(move |number| from.lerp(to, number as f32 / count))
        })
    }
}

/// Records the pointer's path while it pours, erases or paints.
pub(crate) fn lengthen_stroke(
    pointer: Res<FluidPointer>,
    tools: Res<FluidTools>,
    panel: Res<FluidPanel>,
    mut stroke: ResMut<FluidStroke>,
) {
    let draws = matches!(tools.tool, FluidTool::Pour | FluidTool::Erase | FluidTool::Paint);
    if !panel.open || !draws || stroke.tool != tools.tool {
        (stroke.tool, stroke.last) = (tools.tool, None);
        stroke.pieces.clear();
    }
    let now = pointer.position.filter(|_| panel.open && draws && pointer.pressed);
    if let Some(now) = now {
        let piece = [stroke.last.unwrap_or(now), now];
        let is_full = stroke.pieces.len() >= MAX_PIECES;
        match stroke.pieces.last_mut() {
            Some(before) if *before == piece || is_full => before[1] = now,
            _ => stroke.pieces.push(piece),
        }
    }
    stroke.last = now;
}

/// Whether the fluid is paused, so that no tick pours or erases.
pub(crate) fn is_paused(time: Option<Res<Time<Fluid>>>) -> bool {
    time.is_some_and(|time| time.is_paused())
}
