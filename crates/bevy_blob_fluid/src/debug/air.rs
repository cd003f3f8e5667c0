//! Draws the grid of air, its wind, and what gives it smoke and wind.

use bevy::prelude::*;
use blob_fluid::air::Air;

use super::gizmos::FluidGizmos;
use super::pen;
use crate::simulation::FluidSimulation;

/// Largest number of winds that are drawn; each takes one line.
const MAX_WINDS: usize = 5_000;

/// Time that a line of wind spans, in seconds.
const WIND_SECONDS: f32 = 1.0 / 8.0;

/// Draws the rectangles of air, wind in an even sample of their cells, and the regions and winds of
/// sources.
pub(super) fn draw_air(fluid: Res<FluidSimulation>, mut gizmos: Gizmos<FluidGizmos>) {
    let FluidGizmos { air: grids, air_sources, colors, .. } = gizmos.config_ext;
    let cell_count: usize = fluid.airs().map(|air| air.columns() * air.rows()).sum();
    for air in fluid.airs() {
        if *grids {
            let bounds = air.bounds();
            gizmos.rect_2d(bounds.centre(), 2.0 * bounds.half_size(), colors.air);
            draw_winds(&mut gizmos, air, cell_count, colors.air);
        }
        if *air_sources {
            for source in air.sources() {
                pen::outline_of(&mut gizmos, &source.region, colors.air_source);
                if let Some(wind) = source.wind {
                    let length = source.region.shape().max_depth();
                    let way = wind.velocity.normalize_or_zero() * length;
                    pen::arrow(&mut gizmos, source.region.centre(), way, colors.air_source);
                }
            }
        }
    }
}

/// Draws lines back to where the air was a moment ago, in every n-th column and row.
fn draw_winds(gizmos: &mut Gizmos<FluidGizmos>, air: &Air, cell_count: usize, color: Color) {
    let mut step = 1;
    while cell_count / (step * step) > MAX_WINDS {
        step += 1;
    }
    for row in (step / 2..air.rows()).step_by(step) {
        for column in (step / 2..air.columns()).step_by(step) {
            let cell = row * air.columns() + column;
            let velocity = air.velocity_in_cell(cell);
            if air.air_shares()[cell] > 0.0 && velocity != Vec2::ZERO {
                let centre = air.cell_centre(cell);
                let before = centre - WIND_SECONDS * velocity;
                gizmos.line_gradient_2d(before, centre, color.with_alpha(0.0), color);
            }
        }
    }
}
