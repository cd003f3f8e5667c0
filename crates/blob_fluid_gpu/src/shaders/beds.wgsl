// The bed of each column, which is the solid below the liquid, and the damping relative to it. The
// bed takes the reaction of the damping.

// The tables begin with the classes.
@group(0) @binding(3) var<storage, read> tables: array<vec4f>;
@group(0) @binding(4) var<storage, read> solids: array<vec4u>;
@group(0) @binding(5) var<storage, read> bearers: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> sums: array<atomic<u32>>;

@compute @workgroup_size(64)
fn find_lowest(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count || !takes_part(particles[i]) { return; }
    let place = place_of(particles[i].position);
    // The depth equals the counted one, within rounding.
    if place.depth + 1u >= atomicLoad(&bins[place.bin].deepest) {
        atomicMax(&bins[place.bin].lowest, ~particles[i].id);
    }
}

// The lowest particle of a column searches its bed.
@compute @workgroup_size(64)
fn find_beds(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count || !takes_part(particles[i]) { return; }
    let place = place_of(particles[i].position);
    if atomicLoad(&bins[place.bin].lowest) != ~particles[i].id { return; }
    let goes_on = place.row + 1u < params.bins.y && atomicLoad(&bins[place.bin + 1u].count) > 0u;
    if !goes_on { bins[place.bin].bed = bed_at(particles[i].position, particles[i].kind & CLASS); }
}

// The nearest solid within the radius of a point, otherwise the container. The result is NONE for a
// container that is a standing box or disc, and without one.
fn bed_at(p: vec2f, class_index: u32) -> u32 {
    let jump_depth = bitcast<f32>(solids[6].x);
    var home = NONE;
    var to_home = container_depth(p);
    var bed = NONE;
    var nearest = params.interaction_radius;
    for (var number = 0u; number < 4u; number++) {
        let table = table_at(number >> 1u);
        var range = vec2u(table.everywhere, table.everywhere_end);
        if (number & 1u) != 0u { range = entries_at(table, p); }
        var first = range.x;
        while first < range.y {
            let owner = body_of(word(first));
            let end = end_of_body(first, range.y);
            let body = body_at(owner);
            let found = nearest_of(first, end, body.flags, to_local(body.earlier, p));
            if (body.flags & HOLDS) != 0u {
                home = owner;
                to_home = min(to_home, found.distance);
            } else if stops(body, class_index) {
                let behind = found.distance < 0.0 && (body.flags & ONE_WAY) != 0u;
                if found.distance < nearest && found.distance >= -jump_depth && !behind {
                    nearest = found.distance;
                    bed = owner;
                }
            }
            first = end;
        }
    }
    return select(bed, home, bed == NONE || to_home <= nearest);
}

// Bins take over the bed of the bins below, from the bottom up. One thread for each column.
@compute @workgroup_size(64)
fn settle_beds(@builtin(global_invocation_id) at: vec3u) {
    if at.x >= params.bins.x { return; }
    var stands = false;
    var below = NONE;
    for (var row = params.bins.y; row > 0u; row--) {
        let index = at.x * params.bins.y + row - 1u;
        if atomicLoad(&bins[index].count) == 0u {
            stands = false;
            continue;
        }
        if stands { bins[index].bed = below; }
        below = bins[index].bed;
        stands = true;
    }
}

@compute @workgroup_size(64)
fn damp(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count || !takes_part(particles[i]) { return; }
    let kind = particles[i].kind;
    if (kind & (ASLEEP | PREDICTED)) == ASLEEP { return; }
    let bed = bins[place_of(particles[i].position).bin].bed;
    let velocity = particles[i].velocity;
    if bed == NONE {
        particles[i].velocity = damped(velocity);
        return;
    }
    let body = body_at(bed);
    let of_bed = body.motion.xy;
    let after = of_bed + damped(velocity - of_bed);
    particles[i].velocity = after;
    bear(body, body.earlier, particles[i].position, (after - velocity) * mass_of(kind & CLASS));
}
