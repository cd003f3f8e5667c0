// The added mass of bodies. Particles that touch a body share its change of motion in a substep. So
// a body that is lighter than the displaced liquid is not thrown about. The attached masses are
// summed as integers, so the order of sums does not matter.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
// The tables begin with the classes.
@group(0) @binding(2) var<storage, read> tables: array<vec4f>;
@group(0) @binding(3) var<storage, read> solids: array<vec4u>;
@group(0) @binding(4) var<storage, read> bearers: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> sums: array<atomic<u32>>;

fn three_of(at: u32) -> vec3f {
    return bitcast<vec3f>(vec3u(atomicLoad(&sums[at]), atomicLoad(&sums[at + 1u]), atomicLoad(&sums[at + 2u])));
}

// Visits the bodies that a particle touches. Without `gives` it adds the masses that would be
// attached to massless bodies. With `gives` the particle takes its share of their changes of
// motion. Returns the particle's velocity.
fn touch(particle: Particle, gives: bool) -> vec2f {
    let p = particle.position;
    let class_index = particle.kind & CLASS;
    let jump_depth = bitcast<f32>(solids[6].x);
    let table = table_at(1u);
    var velocity = particle.velocity;
    for (var number = 0u; number < 2u; number++) {
        var range = vec2u(table.everywhere, table.everywhere_end);
        if number == 1u { range = entries_at(table, p); }
        var first = range.x;
        while first < range.y {
            let owner = body_of(word(first));
            let end = end_of_body(first, range.y);
            let body = body_at(owner);
            let slot = slot_of(body);
            if slot != 0u && stops(body, class_index) {
                let row = LOAD * bearers[slot].x;
                // The pose before the substep.
                let pose = shifted(body.earlier, slot, three_of(row + AFTER));
                let nearest = nearest_of(first, end, body.flags, to_local(pose, p));
                let behind = nearest.distance < 0.0 && (body.flags & ONE_WAY) != 0u;
                if nearest.distance < params.interaction_radius && nearest.distance >= -jump_depth && !behind {
                    let closeness = 1.0 - max(nearest.distance, 0.0) * params.inverse_radius;
                    let mass = closeness * mass_of(class_index);
                    let offset = p - centre_of_mass(slot, pose);
                    if gives {
                        velocity += give(body, pose, row, p, offset, mass) / mass_of(class_index);
                    } else {
                        attach(row, offset * params.inverse_radius, mass);
                    }
                }
            }
            first = end;
        }
    }
    return velocity;
}

fn attach(row: u32, offset: vec2f, mass: f32) {
    let steps = mass * params.speed_unit * bitcast<f32>(bearers[1].x);
    add_steps(row + MASS, round(steps));
    add_steps(row + MASS + 2u, round(steps * offset.x));
    add_steps(row + MASS + 4u, round(steps * offset.y));
    add_steps(row + MASS + 6u, round(steps * dot(offset, offset)));
}

// The momentum that a particle receives.
fn give(body: Body, pose: vec4f, row: u32, p: vec2f, offset: vec2f, mass: f32) -> vec2f {
    let change = three_of(row + CHANGE);
    let factor = bitcast<f32>(atomicLoad(&sums[row + FACTOR]));
    let given = (change.xy + change.z * vec2f(-offset.y, offset.x)) * (factor * mass);
    bear(body, pose, p, given);
    return given;
}

fn is_awake(particle: Particle) -> bool {
    return (particle.kind & (OUT_OF_PLAY | ASLEEP)) == 0u && within(particle.position, params.reach);
}

@compute @workgroup_size(64)
fn attach_masses(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i < params.count && is_awake(particles[i]) { _ = touch(particles[i], false); }
}

@compute @workgroup_size(64)
fn give_changes(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i < params.count && is_awake(particles[i]) { particles[i].velocity = touch(particles[i], true); }
}
