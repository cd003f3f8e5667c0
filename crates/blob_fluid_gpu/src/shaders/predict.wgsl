// All passes before the pairs: damping (unless `damp` has done it), gravity, forces, wall friction,
// x += dt v, containment of the prediction, and quarantine. Then it finds the particle's cell, and
// its rank by arrival in the cell.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(4) var<storage, read> classes: array<Class>;
@group(0) @binding(5) var<storage, read> solids: array<vec4u>;
// The forces.
@group(0) @binding(6) var<storage, read> regions: array<vec4u>;
@group(0) @binding(7) var<storage, read> bearers: array<vec4u>;
@group(0) @binding(8) var<storage, read_write> sums: array<atomic<u32>>;

// Whether particles may sleep. Otherwise the compiler removes the code.
override SLEEP: bool = true;

@compute @workgroup_size(64)
fn predict(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    var particle = particles[i];
    var cell = params.cells;
    if SLEEP && (particle.kind & (ASLEEP | PREDICTED | OUT_OF_PLAY)) == ASLEEP {
        cell = cell_of(particle.position);
        particle.velocity = vec2f(0.0);
        particle.displacement = vec2f(0.0);
        particles[i] = particle;
    } else if (particle.kind & OUT_OF_PLAY) == 0u {
        var v = particle.velocity;
        if params.beds == 0u { v = damped(v); }
        v = apply_gravity(v, particle.kind & CLASS, i);
        v = apply_forces(particle.position, v, particle.kind & CLASS);
        v = apply_wall_friction(particle.position, v, particle.kind & CLASS);
        particle.velocity = v;
        particle.displacement = vec2f(0.0);
        let home = particle.position;
        particle.position += v * params.time_step;
        contain(&particle, home, true);
        if within(particle.position, params.reach) && within(particle.velocity, params.fastest) {
            cell = cell_of(particle.position);
        } else {
            particle.kind = (particle.kind & ~COUNTED) | OUT_OF_PLAY;
        }
        if SLEEP && (particle.kind & ASLEEP) != 0u { particle.displacement = home; }
        particles[i] = particle;
    }
    keys[i] = vec2u(cell, atomicAdd(&counts[cell], 1u));
}
