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
