// Removes the found particles nearest to the centre of the region. At equal distances lower ids
// come first. When the oldest particles make room for others, distance does not count.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
// The drain's record. Its third number after the classes marks recycling, which has no region.
@group(0) @binding(2) var<storage, read> regions: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> found: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> tallies: Tallies;
@group(0) @binding(5) var<storage, read_write> tiles: array<Tile>;

var<workgroup> histogram: array<atomic<u32>, 256>;
// The number of particles that are still to be chosen, and the digits of the last chosen one.
var<workgroup> remaining: u32;
var<workgroup> last: array<u32, 8>;

// The digits of a particle: four of the distance, then four of the id, the highest digit first.
fn digit_of(one: vec2u, digit: u32) -> u32 {
    var number = one.x;
    if digit >= 4u { number = particles[one.y].id; }
    return (number >> (24u - 8u * (digit % 4u))) & 0xffu;
}

// -1, 0 or 1 if its first digits are lower than, equal to or higher than those of the last.
fn compared(one: vec2u, digits: u32) -> i32 {
    for (var digit = 0u; digit < digits; digit++) {
        let own = digit_of(one, digit);
        if own != last[digit] { return select(-1, 1, own > last[digit]); }
    }
    return 0;
}

// One work group. It finds the last particle to be removed digit by digit.
@compute @workgroup_size(256)
fn remove_drained(@builtin(local_invocation_index) local: u32) {
    let count = atomicLoad(&tallies.found);
    if local == 0u { remaining = min(regions[REGION + 2u].x, count); }
    workgroupBarrier();
    let none = remaining == 0u;
    let recycles = regions[REGION + 2u].z != 0u;
    for (var digit = 0u; digit < 8u; digit++) {
        atomicStore(&histogram[local], 0u);
        workgroupBarrier();
        for (var k = local; k < count; k += 256u) {
            let one = found[k];
            if compared(one, digit) == 0 { atomicAdd(&histogram[digit_of(one, digit)], 1u); }
        }
        workgroupBarrier();
        if local == 0u {
            var own = 0u;
            while own < 255u && atomicLoad(&histogram[own]) < remaining {
                remaining -= atomicLoad(&histogram[own]);
                own++;
            }
            last[digit] = own;
        }
        workgroupBarrier();
    }
    if local == 0u { atomicStore(&tallies.found, 0u); }
    if none { return; }
    for (var k = local; k < count; k += 256u) {
        let one = found[k];
        if compared(one, 8u) <= 0 {
            let kind = particles[one.y].kind;
            particles[one.y].kind = kind | OUT_OF_PLAY | COUNTED;
            if recycles {
                atomicAdd(&tallies.recycled, 1u);
            } else {
                atomicAdd(&tallies.drained, 1u);
                atomicAdd(&tallies.channels[kind & CLASS][regions[REGION + 2u].y % 64u], 1u);
            }
            // The removal leaves a gap.
            if params.still_speed > 0.0 { atomicStore(&tiles[tile_of(particles[one.y].position)].disturbed, 1u); }
        }
    }
}
