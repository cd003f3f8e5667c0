// The end of a tick. Particles beyond the kill bounds and those whose lifetime is over go out of
// play. All others are counted by class. Each work group finds the spread of 2048 particles, and
// tiles count particles that are not at rest.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(2) var<storage, read_write> tallies: Tallies;
@group(0) @binding(3) var<storage, read_write> partial: array<Spread>;
@group(0) @binding(4) var<storage, read_write> tiles: array<Tile>;
// Temperature and exposure, and place of rest.
@group(0) @binding(5) var<storage, read_write> extras: array<vec2f>;

var<workgroup> of_class: array<atomic<u32>, 256>;
var<workgroup> compressed: atomic<u32>;
var<workgroup> awake: atomic<u32>;
var<workgroup> heated: atomic<u32>;
var<workgroup> oldest: atomic<u32>;

@compute @workgroup_size(256)
fn summarise(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
    atomicStore(&of_class[local], 0u);
    if local == 0u {
        atomicStore(&compressed, 0u);
        atomicStore(&awake, 0u);
        atomicStore(&heated, 0u);
        atomicStore(&oldest, 0u);
    }
    workgroupBarrier();
    var spread = spread_of_none();
    for (var k = 0u; k < 8u; k++) {
        let i = group.x * 2048u + k * 256u + local;
        if i >= params.count { continue; }
        let kind = particles[i].kind;
        let position = particles[i].position;
        if (kind & OUT_OF_PLAY) != 0u {
            if (kind & COUNTED) == 0u {
                atomicAdd(&tallies.quarantined, 1u);
                particles[i].kind = kind | COUNTED;
            }
            continue;
        }
        let sound = within(position, params.reach);
        let inside = all(position >= params.kill_low) && all(position <= params.kill_high);
        let dies = (kind >> LIFE_SHIFT) & LIFE_MASK;
        let over = dies != 0u && ((params.now - dies) & LIFE_MASK) <= LIFE_MASK / 2u;
        if over || (sound && !inside) {
            if over { atomicAdd(&tallies.expired, 1u); } else { atomicAdd(&tallies.out_of_bounds, 1u); }
            particles[i].kind = kind | OUT_OF_PLAY | COUNTED;
            // The removal leaves a gap.
            if params.still_speed > 0.0 { atomicStore(&tiles[tile_of(position)].disturbed, 1u); }
            continue;
        }
        atomicAdd(&of_class[kind & CLASS], 1u);
        atomicMax(&oldest, ~particles[i].id);
        if particles[i].relative_density > params.compressed_from { atomicAdd(&compressed, 1u); }
        if params.still_speed == 0.0 {
            atomicAdd(&awake, 1u);
        } else if (kind & ASLEEP) == 0u {
            atomicAdd(&awake, 1u);
            count_unrest(i, position, particles[i].velocity, (kind & UNSORTED) != 0u);
        } else if params.first_rest != 0u {
            // With heat, the weight of sleeping particles changes as well.
            atomicAdd(&tiles[tile_of(position)].all, 1u);
        }
        if params.still_speed > 0.0 && params.first_rest != 0u {
            if atomicLoad(&tiles[tile_of(position)].heated) != 0u { atomicAdd(&heated, 1u); }
        }
        if sound { spread = merged(spread, spread_of_one(position)); }
    }
    let all_of_group = merge_workgroup(local, spread);
    if local == 0u {
        partial[group.x] = all_of_group;
        let found = atomicLoad(&compressed);
        if found > 0u { atomicAdd(&tallies.compressed, found); }
        let not_asleep = atomicLoad(&awake);
        if not_asleep > 0u { atomicAdd(&tallies.awake, not_asleep); }
        let warming = atomicLoad(&heated);
        if warming > 0u { atomicAdd(&tallies.heated, warming); }
        atomicMax(&tallies.oldest, atomicLoad(&oldest));
    }
    let count = atomicLoad(&of_class[local]);
    if count > 0u { atomicAdd(&tallies.classes[local], count); }
}
