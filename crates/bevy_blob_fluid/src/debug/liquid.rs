//! Draws particles, their neighbours and the cells of the grid.

use bevy::prelude::*;
use blob_fluid::{FluidBounds, Particles};

use super::gizmos::{FluidGizmoColors, FluidGizmos};
use super::pen;
use crate::simulation::FluidSimulation;

/// Largest number of velocities, and of springs, that are drawn; each takes one line.
const MAX_LINES: usize = 20_000;

/// Largest number of densities, and of cells, that are drawn. A density takes [`CORNERS`] lines; a
/// cell takes four or [`HATCHES`].
const MAX_OUTLINES: usize = 5_000;

/// Corners of the circle around a particle.
const CORNERS: u32 = 8;

/// Number of lines across a sleeping cell.
const HATCHES: usize = 4;

/// Opacity of a spring at rest.
const FAINT: f32 = 0.1;

/// Time that a line of velocity spans, in seconds.
const VELOCITY_SECONDS: f32 = 1.0 / 16.0;

/// Positions at which particles are drawn: interpolated between two ticks.
struct Drawn<'a> {
    particles: &'a Particles,
    fraction: f32,
}

impl Drawn<'_> {
    fn position(&self, index: usize) -> Vec2 {
        let start = self.particles.tick_start_positions()[index];
        start.lerp(self.particles.positions()[index], self.fraction)
    }
}

/// Every n-th of `count` items, so that at most `most` remain.
fn every(count: usize, most: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(count.div_ceil(most).max(1))
}

/// Draws cells, sleep, neighbours, velocities, densities and springs, with particles interpolated
/// by `fraction` from the tick before the last to the last.
pub(super) fn draw_liquid(
    In(fraction): In<f32>,
    fluid: Res<FluidSimulation>,
    mut gizmos: Gizmos<FluidGizmos>,
) {
    let layers = gizmos.config_ext;
    let colors = &layers.colors;
    let drawn = Drawn { particles: fluid.particles(), fraction };
    if layers.cells || layers.sleeping {
        draw_cells(&mut gizmos, &fluid);
    }
    if layers.densities {
        draw_densities(&mut gizmos, &fluid, &drawn);
    }
    if layers.springs {
        draw_springs(&mut gizmos, &fluid, &drawn);
    }
    if layers.velocities {
        for index in every(drawn.particles.len(), MAX_LINES) {
            let now = drawn.position(index);
            let before = now - VELOCITY_SECONDS * drawn.particles.velocities()[index];
            gizmos.line_gradient_2d(before, now, colors.velocity.with_alpha(0.0), colors.velocity);
        }
    }
    draw_picked(&mut gizmos, &fluid, &drawn);
}

fn draw_cells(gizmos: &mut Gizmos<FluidGizmos>, fluid: &FluidSimulation) {
    let FluidGizmos { cells: occupied, sleeping, colors, .. } = gizmos.config_ext;
    let parameters = fluid.parameters();
    let side = parameters.interaction_radius();
    // Number of particles in a cell of liquid at rest.
    let crowd = parameters.radius_ratio * parameters.radius_ratio;
    let cells = fluid.occupied_cells();
    for cell in every(cells.len(), MAX_OUTLINES).map(|index| &cells[index]) {
        if *occupied {
            let share = (cell.particles as f32 - 1.0) / (crowd - 1.0);
            // Inset, so that the outlines of neighbouring cells do not overlap.
            let inner = Vec2::splat(0.94 * side);
            let color = pen::mixed(colors.sparse, colors.crowded, share);
            gizmos.rect_2d(cell.bounds.centre(), inner, color);
        }
        if *sleeping && cell.asleep == cell.particles {
            hatch(gizmos, cell.bounds, colors.sleeping);
        }
    }
}

/// Draws slanting lines across a box, which continue in the next box.
fn hatch(gizmos: &mut Gizmos<FluidGizmos>, FluidBounds { low, high }: FluidBounds, color: Color) {
    let side = high - low;
    for line in 0..HATCHES {
        let share = (2 * line + 1) as f32 / HATCHES as f32;
        let (start, end) = if share < 1.0 {
            (Vec2::new(0.0, share), Vec2::new(share, 0.0))
        } else {
            (Vec2::new(share - 1.0, 1.0), Vec2::new(1.0, share - 1.0))
        };
        gizmos.line_2d(low + start * side, low + end * side, color);
    }
}

fn draw_densities(gizmos: &mut Gizmos<FluidGizmos>, fluid: &FluidSimulation, drawn: &Drawn) {
    let colors = &gizmos.config_ext.colors;
    let radius = 0.4 * fluid.parameters().particle_spacing;
    for index in every(drawn.particles.len(), MAX_OUTLINES) {
        let excess = drawn.particles.relative_densities()[index] - 1.0;
        let color = by_excess(colors, excess);
        gizmos.circle_2d(drawn.position(index), radius, color).resolution(CORNERS);
    }
}

fn draw_springs(gizmos: &mut Gizmos<FluidGizmos>, fluid: &FluidSimulation, drawn: &Drawn) {
    let colors = &gizmos.config_ext.colors;
    let springs = fluid.springs();
    for spring in every(springs.len(), MAX_LINES).map(|index| &springs[index]) {
        // A spring with a dead end is removed in the next substep.
        let [Some(start), Some(end)] = spring.ends.map(|end| drawn.particles.index_of(end)) else {
            continue;
        };
        let [start, end] = [start, end].map(|particle| drawn.position(particle));
        let strain = start.distance(end) / spring.rest_length - 1.0;
        // There are many springs, so those at rest are faint and do not hide the others.
        let color = by_excess(colors, -2.0 * strain);
        let share = FAINT + (1.0 - FAINT) * (4.0 * strain.abs()).min(1.0);
        gizmos.line_2d(start, end, color.with_alpha(share * color.alpha()));
    }
}

/// The colour of a density or spring by how much tighter than at rest it is.
fn by_excess(colors: &FluidGizmoColors, excess: f32) -> Color {
    let end = if excess > 0.0 { colors.tight } else { colors.loose };
    pen::mixed(colors.at_rest, end, 2.0 * excess.abs())
}

fn draw_picked(gizmos: &mut Gizmos<FluidGizmos>, fluid: &FluidSimulation, drawn: &Drawn) {
    let FluidGizmos { picked, colors, .. } = gizmos.config_ext;
    let Some((picked, index)) = picked.and_then(|id| Some((id, drawn.particles.index_of(id)?)))
    else {
        return;
    };
    let parameters = fluid.parameters();
    let centre = drawn.position(index);
    gizmos.circle_2d(centre, parameters.interaction_radius(), colors.picked).resolution(64);
    gizmos.circle_2d(centre, 0.4 * parameters.particle_spacing, colors.picked).resolution(16);
    let neighbours = fluid.neighbours(picked);
    for index in neighbours.into_iter().filter_map(|id| drawn.particles.index_of(id)) {
        gizmos.line_2d(centre, drawn.position(index), colors.picked.with_alpha(0.6));
    }
}
