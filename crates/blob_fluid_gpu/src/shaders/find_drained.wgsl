// Finds the particles in a drain's region. The record of a drain is its region, its classes (two
// entries), the largest number to remove, and the channel that counts them.

@group(0) @binding(1) var<storage, read> particles: array<Particle>;
@group(0) @binding(2) var<storage, read> regions: array<vec4u>;
// The found particles: bits of the squared distance, and index. It uses the memory of a later pass.
@group(0) @binding(3) var<storage, read_write> found: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> tallies: Tallies;

@compute @workgroup_size(64)
fn find_drained(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    let kind = particles[i].kind;
    let p = particles[i].position;
    if (kind & OUT_OF_PLAY) != 0u || !within(p, params.reach) { return; }
    if !has_class(REGION, kind & CLASS) || !region_contains(0u, p) { return; }
    let offset = p - numbers(1u).xy;
    // The bits of non-negative numbers have the order of the numbers.
    found[atomicAdd(&tallies.found, 1u)] = vec2u(bitcast<u32>(dot(offset, offset)), i);
}
