// Passes with measured loads: the walls' pressure on colliders, and the end of `displace`, which
// omits it then.

@group(0) @binding(1) var<storage, read> sorted: array<Particle>;
@group(0) @binding(2) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(3) var<storage, read> states: array<vec4f>;
@group(0) @binding(4) var<storage, read> starts: array<u32>;
// Classes, then pairs of classes.
@group(0) @binding(5) var<storage, read> tables: array<vec4f>;
@group(0) @binding(6) var<storage, read> solids: array<vec4u>;
@group(0) @binding(7) var<storage, read> bearers: array<vec4u>;
@group(0) @binding(8) var<storage, read_write> sums: array<atomic<u32>>;

// Whether particles may sleep. Otherwise the compiler removes the code.
override SLEEP: bool = true;

@compute @workgroup_size(64)
fn bear_loads(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= starts[params.cells] { return; }
    var particle = particles[i];
    // Sleeping particles keep their positions.
    if SLEEP && (particle.kind & ASLEEP) != 0u { return; }
    let home = sorted[i].position;
    if may_have_walls(home) { press_on_colliders(home, states[i].zw, particle.kind & CLASS); }
    contain(&particle, home, false);
    particle.velocity += particle.displacement / params.time_step;
    particles[i] = particle;
}

fn press_on_colliders(p: vec2f, pressure: vec2f, class_index: u32) {
    let own = class_at(class_index);
    var near = find_walls(p, class_index, false);
    var attracted = vec2f(0.0);
    // Only tension attracts.
    let attracts = pressure.x < 0.0 || pressure.y < 0.0;
    for (var number = 0u; attracts && number < near.count; number++) {
        if is_out_of_sight(&near, number) { continue; }
        attracted += push_of_wall(shown_wall(&near, number, p), pressure, own).attracted;
    }
    let held = part_of_attraction(attracted, own);
    let momentum = own.mass / params.time_step;
    for (var number = 0u; number < near.count; number++) {
        if is_out_of_sight(&near, number) { continue; }
        let wall = near.walls[number];
        let shown = shown_wall(&near, number, p);
        let push = push_of_wall(shown, pressure, own);
        var given = push.pushed + push.attracted * held - shown.slope * push.against_slope;
        // The nearer wall itself bears its contribution to the slope.
        for (var rank = 0u; rank < near.count; rank++) {
            let index = near.order[rank];
            if index == number { break; }
            let nearer = near.walls[index];
            if is_out_of_sight(&near, index) || !share_liquid(wall, nearer) { continue; }
            let others = fade_in_of(wall) * part_of_others(&near, number, index);
            let of_nearer = slope_of_nearer(wall, nearer, others, p) * -push.against_slope;
            given -= of_nearer;
            bear_wall(nearer, p, of_nearer * momentum);
        }
        bear_wall(wall, p, given * momentum);
    }
}

fn bear_wall(wall: NearWall, p: vec2f, given: vec2f) {
    if wall.body == NONE { return; }
    let body = body_at(wall.body);
    bear(body, body.later, p, given);
}
