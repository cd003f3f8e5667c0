// Applies a force once, for a second.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(2) var<storage, read> regions: array<vec4u>;
// Without temperatures this is another buffer, and the force has no heat.
@group(0) @binding(3) var<storage, read_write> warmth: array<vec2f>;

@compute @workgroup_size(64)
fn apply_impulse(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    let kind = particles[i].kind;
    let p = particles[i].position;
    if (kind & OUT_OF_PLAY) != 0u || !within(p, 3e38) { return; }
    let heat = heat_of_force(1u, 1.0, p, kind & CLASS);
    if heat != 0.0 { warmth[i].x += heat; }
    particles[i].velocity = apply_force(1u, 1.0, p, particles[i].velocity, kind & CLASS);
}
