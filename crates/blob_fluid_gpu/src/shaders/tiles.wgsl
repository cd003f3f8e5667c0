// Square tiles of 4 by 2 cells, of which each sleeps or is awake.

struct Tile {
    // Particles at the end of the last tick that were awake, with heat also those that slept; of those awake, those that were
    // too fast for rest, that moved, and that have left the place where they rested.
    all: atomic<u32>,
    fast: atomic<u32>,
    moving: atomic<u32>,
    left: atomic<u32>,
    // The part of its particles that have left their places lately.
    unrest: f32,
    // Whether too many were too fast in the last tick.
    is_unsettled: u32,
    // Whether particles were removed or became others in the last tick, so that all have to settle anew.
    disturbed: atomic<u32>,
    // Whether heat changed a temperature in the last tick; by how much the weights of all particles together, in steps; and
    // their mean since liquid here woke because of that.
    heated: atomic<u32>,
    weights: atomic<i32>,
    drifted: f32,
}

// Steps of a weight.
const WEIGHT_STEPS: f32 = 268435456.0;

// One particle in this many may be restless.
const UNSETTLED_SHARE: u32 = 4u;

fn tile_rows() -> u32 { return (params.rows + 1u) / 2u; }

fn tile_of(p: vec2f) -> u32 {
    return (u32(row_of(p.y)) / 2u) * params.tile_columns + u32(column_of(p.x)) / 4u;
}
