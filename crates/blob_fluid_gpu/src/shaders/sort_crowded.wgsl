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
