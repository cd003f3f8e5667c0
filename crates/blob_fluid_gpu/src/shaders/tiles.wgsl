// Square tiles of 4 by 2 cells. Each tile sleeps or is awake.

struct Tile {
    // Counts of particles at the end of the last tick. `all` counts particles awake, and with heat
    // also sleeping ones. The others count particles awake: those too fast for rest, those that
    // moved, and those that have left their places of rest.
    all: atomic<u32>,
    fast: atomic<u32>,
    moving: atomic<u32>,
    left: atomic<u32>,
    // The fraction of its particles that have recently left their places.
    unrest: f32,
    // Whether too many particles were too fast in the last tick.
    is_unsettled: u32,
    // Whether particles were removed or changed their class in the last tick, so that all have to settle again.
    disturbed: atomic<u32>,
    // Whether heat changed a temperature in the last tick; the change of the weights of all
    // particles together, in steps; and the sum of their mean changes since it last woke the liquid
    // here.
    heated: atomic<u32>,
    weights: atomic<i32>,
    drifted: f32,
}

// Number of steps of a weight.
const WEIGHT_STEPS: f32 = 268435456.0;

// The reciprocal of the fraction of particles that may be restless.
const UNSETTLED_SHARE: u32 = 4u;

fn tile_rows() -> u32 { return (params.rows + 1u) / 2u; }

fn tile_of(p: vec2f) -> u32 {
    return (u32(row_of(p.y)) / 2u) * params.tile_columns + u32(column_of(p.x)) / 4u;
}
