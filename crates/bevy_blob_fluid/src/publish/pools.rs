//! The water of pools as instances: it is drawn as particles at rest would be, below the level of each column, where a
//! camera sees it.

use bevy::prelude::*;
use blob_fluid::{FluidBounds, FluidWorld, Pool};

use crate::coloring::{FluidColorBy, FluidColorScale, shade};
use crate::render::FluidInstance;
use crate::simulation::FluidSimulation;

/// Whether the liquid has pools.
pub(super) fn has_pools(fluid: Res<FluidSimulation>) -> bool {
    fluid.pools().next().is_some()
}

/// The boxes in which cameras see liquid, apart from each other.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(super) struct SeenBoxes(Vec<FluidBounds>);

/// Side of the cells to which the boxes extend, in particle spacings. While a camera moves within a cell, the instances
/// stay as they are.
const CELL: f32 = 32.0;

/// Finds the boxes that cameras see, with a margin for the light and the depth at their edges.
pub(super) fn find_boxes(
    cameras: Query<(&Camera, &GlobalTransform)>,
    fluid: Res<FluidSimulation>,
    mut seen: ResMut<SeenBoxes>,
) {
    let cell = CELL * fluid.parameters().particle_spacing;
    let mut boxes: Vec<FluidBounds> = Vec::new();
    for (camera, placed) in cameras.iter().filter(|(camera, _)| camera.is_active) {
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let corners = corners.map(|(x, y)| camera.ndc_to_world(placed, Vec3::new(x, y, 0.5)));
        let mut around = corners.iter().flatten().fold(FluidBounds::NONE, |around, corner| {
            let corner = corner.truncate();
            around.union(FluidBounds { low: corner, high: corner })
        });
        around.low = ((around.low / cell).floor() - 1.0) * cell;
        around.high = ((around.high / cell).ceil() + 1.0) * cell;
        if !(around.low.is_finite() && around.high.is_finite()) {
            continue;
        }
        // Boxes that overlap become one, so that no water is drawn twice.
        while let Some(index) = boxes.iter().position(|other| other.intersects(around)) {
            around = around.union(boxes.swap_remove(index));
        }
        boxes.push(around);
    }
    seen.set_if_neq(SeenBoxes(boxes));
}

/// Depth of a column, in particle spacings, below which it is drawn dry.
const DRY: f32 = 0.2;

/// The instances of the water of all pools in these boxes.
pub(super) fn instances_of_pools<'a>(
    fluid: &'a FluidWorld,
    scale: &'a FluidColorScale,
    seen: &'a SeenBoxes,
) -> impl Iterator<Item = FluidInstance> + 'a {
    let pools = fluid.pools().map(|(_, pool)| pool);
    pools
        .flat_map(move |pool| seen.0.iter().flat_map(move |seen| in_box(pool, fluid, scale, *seen)))
}

/// The instances of a pool in a box, in rows from the surface downwards.
fn in_box<'a>(
    pool: &'a Pool,
    fluid: &'a FluidWorld,
    scale: &'a FluidColorScale,
    seen: FluidBounds,
) -> impl Iterator<Item = FluidInstance> + 'a {
    let spacing = fluid.parameters().particle_spacing;
    let class = pool.settings().class;
    let paint = fluid.classes().get(class).and_then(|class| class.paint).map(|paint| paint.color);
    // Places across are at a particle spacing, several in a wide column.
    let across = (pool.columns() as u32 * pool.settings().column_width) as f32;
    let place_of = |x: f32| ((x - pool.origin().x) / spacing).clamp(0.0, across) as u32;
    let places = place_of(seen.low.x)..place_of(seen.high.x);
    places.flat_map(move |place| {
        let x = pool.origin().x + (place as f32 + 0.5) * spacing;
        let column = (place / pool.settings().column_width) as usize;
        let [level, before] = levels_at(pool, column, x);
        let bed = pool.bed(column);
        let depth = (level - bed) / spacing;
        let is_wet = pool.depth(column) > 0.0 && depth > DRY;
        // The last row is below the bed, so that the lower edge of the liquid is in the ground.
        let rows = if is_wet { (depth + 0.5).ceil() as u32 } else { 0 };
        let row_of = |y: f32| ((level - y) / spacing).clamp(0.0, rows as f32) as u32;
        let velocity = pool.velocity(column);
        (row_of(seen.high.y)..row_of(seen.low.y)).map(move |row| {
            let below = (row as f32 + 0.5) * spacing;
            let [now, then] = [level, before].map(|level| Vec2::new(x, level - below));
            let shade = shade(place.wrapping_mul(0x9e37_79b9) ^ row);
            let drawn = FluidInstance::new(then, now, class.0, shade);
            match color_index(fluid, scale, velocity, below) {
                Some(color) => drawn.with_color(color),
                None => paint.map_or(drawn, |paint| drawn.with_paint(paint)),
            }
        })
    })
}

/// The levels of a pool at a position in a column, at the last tick and at its start: straight between the centres of
/// two columns with water.
fn levels_at(pool: &Pool, column: usize, x: f32) -> [f32; 2] {
    let from_centre = (x - pool.centre_of(column)) / pool.column_width();
    let beside = if from_centre < 0.0 { column.checked_sub(1) } else { Some(column + 1) };
    let is_wet = |beside: &usize| *beside < pool.columns() && pool.depth(*beside) > 0.0;
    let beside = beside.filter(is_wet).unwrap_or(column);
    [Pool::level, Pool::tick_start_level]
        .map(|level| level(pool, column).lerp(level(pool, beside), from_centre.abs()))
}

/// Index in the palette of the colour of water at a depth below the surface; `None` stands for the colour of its class.
fn color_index(
    fluid: &FluidWorld,
    scale: &FluidColorScale,
    velocity: f32,
    depth: f32,
) -> Option<u8> {
    let parameters = fluid.parameters();
    let value = match scale.by() {
        FluidColorBy::Class => return None,
        // The colour of particles without a tag.
        FluidColorBy::Tag => return Some(0),
        FluidColorBy::Speed => velocity.abs(),
        FluidColorBy::Pressure => depth * parameters.gravity.y.abs(),
        FluidColorBy::Density => 1.0,
        FluidColorBy::Age => 0.0,
        FluidColorBy::Temperature => parameters.ambient_temperature,
    };
    Some(scale.index_of(value))
}
