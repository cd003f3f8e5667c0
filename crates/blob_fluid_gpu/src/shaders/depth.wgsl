// The depth of the deepest column. A column ends at an empty bin. It also ends where liquid falls
// faster than the mean by more than the speed after a free fall through a bin.

@group(0) @binding(3) var<storage, read_write> tallies: Tallies;

var<workgroup> counts: array<u32, 256>;
var<workgroup> falls: array<f32, 256>;

// The mean speed along gravity. One work group.
@compute @workgroup_size(256)
fn sum_columns(@builtin(local_invocation_index) local: u32) {
    let all = params.bins.x * params.bins.y;
    var count = 0u;
    var fall = 0.0;
    for (var index = local; index < all; index += 256u) {
        count += atomicLoad(&bins[index].count);
        fall += f32(atomicLoad(&bins[index].falling));
    }
    counts[local] = count;
    falls[local] = fall;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half = half >> 1u) {
        if local < half {
            counts[local] += counts[local + half];
            falls[local] += falls[local + half];
        }
        workgroupBarrier();
    }
    if local == 0u { atomicStore(&bins[all].falling, i32(round(falls[0] / f32(max(counts[0], 1u))))); }
}

// Number of particles of a bin that press on the ones below.
fn pressing(column: u32, row: u32, fastest: f32) -> u32 {
    let index = (column % params.bins.x) * params.bins.y + row;
    let count = atomicLoad(&bins[index].count);
    if f32(atomicLoad(&bins[index].falling)) > fastest * f32(count) { return 0u; }
    return min(count, params.fullest);
}

// One thread for each column.
@compute @workgroup_size(64)
fn measure_depth(@builtin(global_invocation_id) at: vec3u) {
    let column = at.x;
    if column >= params.bins.x { return; }
    let fastest = f32(atomicLoad(&bins[params.bins.x * params.bins.y].falling)) + FALL;
    var one = 0u;
    var two = 0u;
    var most = vec2u(0u);
    for (var row = 0u; row < params.bins.y; row++) {
        let own = pressing(column, row, fastest);
        let both = own + pressing(column + 1u, row, fastest);
        one = select(0u, one + own, own > 0u);
        two = select(0u, two + both, both > 0u);
        most = max(most, vec2u(one, two));
    }
    atomicMax(&tallies.in_one, most.x);
    atomicMax(&tallies.in_two, most.y);
}
