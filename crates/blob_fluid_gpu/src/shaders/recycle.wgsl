// Finds the oldest particles, which have the lowest ids. It counts all particles in ranges of ids.
// Then it finds the particles in the ranges up to that of the last one to be removed.
// `remove_drained` removes the lowest of them.

@group(0) @binding(1) var<storage, read> particles: array<Particle>;
// The record of a drain, with the shift from an id to its range, and an id below which few
// particles are left.
@group(0) @binding(2) var<storage, read> regions: array<vec4u>;
// The found particles: 0, because distance does not count, and index. It uses the memory of a later pass.
@group(0) @binding(3) var<storage, read_write> found: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> tallies: Tallies;
// Number of particles in each range of ids.
@group(0) @binding(5) var<storage, read_write> ages: array<atomic<u32>, 256>;

var<workgroup> of_range: array<atomic<u32>, 256>;
// The range of the last one to be removed.
var<workgroup> last_range: u32;

fn range_of(id: u32) -> u32 {
    let first = regions[REGION + 3u].x;
    return min((max(id, first) - first) >> regions[REGION + 2u].w, 255u);
}

fn in_play(i: u32) -> bool {
    return i < params.count && (particles[i].kind & OUT_OF_PLAY) == 0u;
}

@compute @workgroup_size(256)
fn count_ages(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    atomicStore(&of_range[local], 0u);
    workgroupBarrier();
    let i = (group.x + group.y * groups.x) * 256u + local;
    if in_play(i) { atomicAdd(&of_range[range_of(particles[i].id)], 1u); }
    workgroupBarrier();
    let count = atomicLoad(&of_range[local]);
    if count > 0u { atomicAdd(&ages[local], count); }
}

@compute @workgroup_size(256)
fn find_oldest(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    if local == 0u {
        var missing = regions[REGION + 2u].x;
        var range = 0u;
        while range < 255u && atomicLoad(&ages[range]) < missing {
            missing -= atomicLoad(&ages[range]);
            range++;
        }
        last_range = range;
    }
    workgroupBarrier();
    let i = (group.x + group.y * groups.x) * 256u + local;
    if in_play(i) && range_of(particles[i].id) <= last_range {
        found[atomicAdd(&tallies.found, 1u)] = vec2u(0u, i);
    }
}
