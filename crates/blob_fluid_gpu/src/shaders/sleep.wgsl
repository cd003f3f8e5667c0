// Sleep, by tiles.

//# tiles
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

//# unrest
// Counts the particles of a tile that are not at rest, and the tiles on the path of fast ones.

// Largest number of steps on a path.
const MOST_ON_A_WAY: f32 = 32.0;

fn count_unrest(i: u32, p: vec2f, velocity: vec2f, unsorted: bool) {
    let here = tile_of(p);
    atomicAdd(&tiles[here].all, 1u);
    // A NaN counts as having left as well.
    let rest = params.first_rest + i;
    if !(length(p - extras[rest]) <= params.drift) {
        extras[rest] = p;
        atomicAdd(&tiles[here].left, 1u);
    }
    if unsorted { atomicAdd(&tiles[here].moving, 1u); }
    let speed = length(velocity);
    if speed <= params.still_speed { return; }
    atomicAdd(&tiles[here].fast, 1u);
    if speed <= params.moving_speed { return; }
    let way = velocity * params.tick;
    let steps = clamp(ceil(length(way) * params.inverse_radius), 1.0, MOST_ON_A_WAY);
    for (var step = 0.0; step <= steps; step += 1.0) {
        atomicAdd(&tiles[tile_of(p + way * (step / steps))].moving, 1u);
    }
}

//# choose_tiles
// Finds the tiles that were unsettled in the last tick: a particle moves there, or more than a
// quarter of the particles is faster than liquid at rest. It also updates the fraction of particles
// that have left their places, over about the settling time. A tile settles again if particles were
// removed or changed their class, or if heat has changed their weight.

@group(0) @binding(1) var<storage, read_write> tiles: array<Tile>;
// The number of boxes, and whether all tiles wake; then the corners of each box in which liquid wakes.
@group(0) @binding(2) var<storage, read> woken: array<vec4f>;

@compute @workgroup_size(64)
fn choose_tiles(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(at, groups);
    if index >= params.tile_columns * tile_rows() { return; }
    let all = atomicExchange(&tiles[index].all, 0u);
    let fast = atomicExchange(&tiles[index].fast, 0u);
    let moving = atomicExchange(&tiles[index].moving, 0u);
    let left = atomicExchange(&tiles[index].left, 0u);
    let share = 1.0 / f32(UNSETTLED_SHARE);
    // Unrest decays from 1 to `share` in the settling time.
    let fading = pow(share, params.tick / params.settling_time);
    var unrest = min(tiles[index].unrest * fading + f32(left) / f32(max(all, 1u)), 1.0);
    atomicStore(&tiles[index].heated, 0u);
    let weights = f32(atomicExchange(&tiles[index].weights, 0)) / WEIGHT_STEPS;
    var drifted = tiles[index].drifted + weights / f32(max(all, 1u));
    let tips = abs(drifted) > params.weight_drift;
    if tips { drifted = 0.0; }
    tiles[index].drifted = drifted;
    let disturbed = atomicExchange(&tiles[index].disturbed, 0u) != 0u;
    if disturbed || tips || is_woken(index) { unrest = 1.0; }
    tiles[index].unrest = unrest;
    tiles[index].is_unsettled = u32(moving > 0u || (fast > 0u && fast * UNSETTLED_SHARE >= all));
}

fn is_woken(index: u32) -> bool {
    if woken[0].y != 0.0 { return true; }
    let column = index % params.tile_columns;
    let row = index / params.tile_columns;
    let count = u32(woken[0].x);
    for (var k = 1u; k <= count; k++) {
        let low = tile_of(woken[k].xy);
        let high = tile_of(woken[k].zw);
        let columns = vec2u(low, high) % params.tile_columns;
        let rows = vec2u(low, high) / params.tile_columns;
        if column >= columns.x && column <= columns.y && row >= rows.x && row <= rows.y { return true; }
    }
    return false;
}

//# mark_tiles
// Marks of the tiles: 4 for unsettled liquid, decreasing by 1 per tile of distance, down to 0.

@group(0) @binding(1) var<storage, read_write> tiles: array<Tile>;
@group(0) @binding(2) var<storage, read_write> marks: array<u32>;

@compute @workgroup_size(64)
fn mark_tiles(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(at, groups);
    let columns = i32(params.tile_columns);
    let rows = i32(tile_rows());
    let place = vec2i(i32(index) % columns, i32(index) / columns);
    if place.y >= rows { return; }
    var mark = 0;
    for (var y = max(place.y - 3, 0); y <= min(place.y + 3, rows - 1); y++) {
        for (var x = max(place.x - 3, 0); x <= min(place.x + 3, columns - 1); x++) {
            let away = max(abs(x - place.x), abs(y - place.y));
            if 4 - away > mark && !is_settled(y * columns + x) { mark = 4 - away; }
        }
    }
    marks[index] = u32(mark);
}

fn is_settled(index: i32) -> bool {
    return tiles[index].is_unsettled == 0u && tiles[index].unrest * f32(UNSETTLED_SHARE) < 1.0;
}

//# doze
// Particles in tiles with a mark below 3 sleep, unless they are out of reach. Those in tiles with a
// mark above 0 are predicted.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(2) var<storage, read> marks: array<u32>;

const AWAKE_FROM: u32 = 3u;

@compute @workgroup_size(64)
fn doze(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    let kind = particles[i].kind;
    if (kind & OUT_OF_PLAY) != 0u { return; }
    let p = particles[i].position;
    let mark = marks[tile_of(p)];
    var now = kind & ~(ASLEEP | PREDICTED);
    // Particles out of reach stay awake, so that the prediction quarantines them.
    if mark < AWAKE_FROM && within(p, params.reach) { now |= select(ASLEEP, ASLEEP | PREDICTED, mark > 0u); }
    if now != kind { particles[i].kind = now; }
}
