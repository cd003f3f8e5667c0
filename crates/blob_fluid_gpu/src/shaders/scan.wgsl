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
