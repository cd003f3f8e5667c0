// Particles sorted by cell and id, and the candidates that a particle has in the cells around it.

//# scan
// Prefix sums of the counts, in blocks of 1024, which give the first index of each cell. The counts
// are reset to 0.

const BLOCK: u32 = 1024u;

@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> blocks: array<u32>;
@group(0) @binding(4) var<storage, read_write> crowded: array<u32>;

var<workgroup> sums: array<u32, 256>;

// Inclusive sums over the workgroup. Every thread must call it.
fn scan_workgroup(local: u32, own: u32) -> u32 {
    sums[local] = own;
    workgroupBarrier();
    for (var step = 1u; step < 256u; step = step << 1u) {
        var before = 0u;
        if local >= step { before = sums[local - step]; }
        workgroupBarrier();
        sums[local] += before;
        workgroupBarrier();
    }
    return sums[local];
}

@compute @workgroup_size(256)
fn scan_blocks(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
    let length = params.cells + 2u;
    let first = group.x * BLOCK + local * 4u;
    var own = vec4u(0u);
    for (var k = 0u; k < 4u; k++) {
        if first + k < length { own[k] = counts[first + k]; counts[first + k] = 0u; }
    }
    let total = own.x + own.y + own.z + own.w;
    let through = scan_workgroup(local, total);
    var next = through - total;
    for (var k = 0u; k < 4u; k++) {
        if first + k < length { starts[first + k] = next; }
        next += own[k];
    }
    if local == 255u { blocks[group.x] = through; }
}

// One workgroup.
@compute @workgroup_size(256)
fn scan_sums(@builtin(local_invocation_index) local: u32) {
    let length = (params.cells + 2u + BLOCK - 1u) / BLOCK;
    var before = 0u;
    // The list of crowded cells starts empty.
    if local == 0u { crowded[0] = 0u; }
    for (var base = 0u; base < length; base += 256u) {
        var own = 0u;
        if base + local < length { own = blocks[base + local]; }
        let through = scan_workgroup(local, own);
        if base + local < length { blocks[base + local] = before + through - own; }
        before += sums[255];
        workgroupBarrier();
    }
}

@compute @workgroup_size(256)
fn add_sums(@builtin(global_invocation_id) at: vec3u) {
    if at.x < params.cells + 2u { starts[at.x] += blocks[at.x / BLOCK]; }
}

//# scatter
// Groups the ids of particles by cell, in the order of arrival.

@group(0) @binding(1) var<storage, read> keys: array<vec2u>;
@group(0) @binding(2) var<storage, read> particles: array<Particle>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> slots: array<u32>;
// The number of crowded cells, then the cells.
@group(0) @binding(5) var<storage, read_write> crowded: array<atomic<u32>>;

@compute @workgroup_size(64)
fn scatter(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    let key = keys[i];
    // The first particle beyond the limit adds the cell to the list.
    if key.y == CROWDED_FROM && key.x != params.cells {
        atomicStore(&crowded[1u + atomicAdd(&crowded[0], 1u)], key.x);
    }
    slots[starts[key.x] + key.y] = particles[i].id;
}

//# sort_crowded
// Sorts the ids of each crowded cell in ascending order, so that `order` need not compare all pairs
// of ids. It is a radix sort by four digits, the lowest first, with one work group for each cell.

@group(0) @binding(1) var<storage, read> crowded: array<u32>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> slots: array<u32>;
// It uses the memory of a later pass.
@group(0) @binding(4) var<storage, read_write> other: array<u32>;

// The place of the next id with each digit.
var<workgroup> places: array<atomic<u32>, 256>;
// The digits of 256 consecutive ids.
var<workgroup> digits: array<u32, 256>;

fn id_at(i: u32, digit: u32) -> u32 {
    if (digit & 1u) == 0u { return slots[i]; }
    return other[i];
}

fn digit_of(id: u32, digit: u32) -> u32 { return (id >> (8u * digit)) & 0xffu; }

// Ids with equal digits keep their order, so each sort keeps the result of the previous one.
fn sort_by(digit: u32, start: u32, end: u32, local: u32) {
    atomicStore(&places[local], 0u);
    workgroupBarrier();
    for (var i = start + local; i < end; i += 256u) {
        atomicAdd(&places[digit_of(id_at(i, digit), digit)], 1u);
    }
    workgroupBarrier();
    digits[local] = atomicLoad(&places[local]);
    workgroupBarrier();
    var before = start;
    for (var lower = 0u; lower < local; lower++) { before += digits[lower]; }
    atomicStore(&places[local], before);
    workgroupBarrier();
    for (var first = start; first < end; first += 256u) {
        let i = first + local;
        var id = 0u;
        var own = 256u;
        if i < end {
            id = id_at(i, digit);
            own = digit_of(id, digit);
        }
        digits[local] = own;
        workgroupBarrier();
        if i < end {
            var place = atomicLoad(&places[own]);
            for (var lower = 0u; lower < local; lower++) {
                place += select(0u, 1u, digits[lower] == own);
            }
            if (digit & 1u) == 0u { other[place] = id; } else { slots[place] = id; }
        }
        workgroupBarrier();
        if i < end { atomicAdd(&places[own], 1u); }
        workgroupBarrier();
    }
    storageBarrier();
}

@compute @workgroup_size(256)
fn sort_crowded(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let length = crowded[0];
    for (var k = group.x; k < length; k += groups.x) {
        let cell = crowded[1u + k];
        let start = starts[cell];
        let end = starts[cell + 1u];
        for (var digit = 0u; digit < 4u; digit++) { sort_by(digit, start, end, local); }
    }
}

//# order
// Moves each particle to its place: its cell's start plus the number of lower ids in the cell. Ids
// are unique, so the order does not depend on the order of arrival.

@group(0) @binding(1) var<storage, read> keys: array<vec2u>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> slots: array<u32>;
@group(0) @binding(4) var<storage, read> particles: array<Particle>;
@group(0) @binding(5) var<storage, read_write> sorted: array<Particle>;
@group(0) @binding(6) var<storage, read_write> positions: array<vec2f>;
// Temperature and exposure, and place of rest.
@group(0) @binding(7) var<storage, read> extras: array<vec2f>;
@group(0) @binding(8) var<storage, read_write> sorted_extras: array<vec2f>;

// Whether particles have extras. Otherwise the compiler removes the code.
override EXTRAS: bool = true;

@compute @workgroup_size(64)
fn order(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    let particle = particles[i];
    let cell = keys[i].x;
    let start = starts[cell];
    let end = starts[cell + 1u];
    if cell == params.cells {
        // The order of particles out of play does not matter, and there may be many.
        sorted[start + keys[i].y] = particle;
        return;
    }
    var rank = 0u;
    if end - start <= CROWDED_FROM {
        for (var slot = start; slot < end; slot++) {
            rank += select(0u, 1u, slots[slot] < particle.id);
        }
    } else {
        // Crowded cells are sorted already.
        var beyond = end - start;
        while rank < beyond {
            let middle = (rank + beyond) / 2u;
            if slots[start + middle] < particle.id { rank = middle + 1u; } else { beyond = middle; }
        }
    }
    sorted[start + rank] = particle;
    if EXTRAS { sorted_extras[start + rank] = extras[i]; }
    if EXTRAS && params.first_rest != 0u {
        sorted_extras[params.first_rest + start + rank] = extras[params.first_rest + i];
    }
    // The y coordinate is the number of remaining particles in the cell, at most 2^24, so that
    // others can skip them.
    let alone = vec2f(ALONE, f32(min(end - start - rank - 1u, 0x1000000u)));
    positions[start + rank] = select(particle.position, alone, rank >= params.most_in_cell);
}

//# spans
// The candidates of a particle: one span of consecutive particles in each row of cells.

// Largest number of candidates that are visited without a check for particles that do not interact.
// Those are so far away that a visit changes nothing. So only long spans need to skip the remaining
// particles of a crowded cell.
const RUN: u32 = 64u;

struct Rows { first: i32, last: i32 }

// Slightly more than h, so that rounding loses no neighbour.
fn reach() -> f32 { return params.interaction_radius * 1.0001; }

fn rows_near(p: vec2f) -> Rows {
    return Rows(row_of(p.y - reach()), row_of(p.y + reach()));
}

// Spans are narrower in rows far above or below.
fn span_of(p: vec2f, row: i32) -> vec2u {
    let height = 1.0 / params.per_cell.y;
    let low = params.low.y + f32(row) * height;
    // The outermost rows also hold particles beyond them.
    let y = clamp(p.y, params.low.y, params.high.y);
    let apart = max(max(low - y, y - low - height), 0.0);
    let half = sqrt(max(reach() * reach() - apart * apart, 0.0)) + 1e-3 * params.interaction_radius;
    let first = u32(row) * params.columns;
    let from_cell = first + u32(column_of(p.x - half));
    let to_cell = first + u32(column_of(p.x + half));
    return vec2u(starts[from_cell], starts[to_cell + 1u]);
}

// The next candidates, from `at` on, of a span that ends at `end`.
fn run_of(at: u32, end: u32) -> vec2u {
    if end - at <= RUN { return vec2u(at, end); }
    let first = positions[at];
    var from_here = at;
    if is_alone(first) { from_here += 1u + u32(first.y); }
    return vec2u(from_here, min(from_here + RUN, end));
}
