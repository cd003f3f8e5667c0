// T_i += sum_j kappa_ij q (T_j - T_i); then the heat of walls, and dT/dt = cooling (T_ambient - T), both implicit.

@group(0) @binding(1) var<storage, read> positions: array<vec2f>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> sorted: array<Particle>;
@group(0) @binding(4) var<storage, read> sorted_warmth: array<vec2f>;
@group(0) @binding(5) var<storage, read_write> warmth: array<vec2f>;
// The classes before reactions, and the changes of temperature.
@group(0) @binding(6) var<storage, read_write> kinds: array<vec2u>;
@group(0) @binding(7) var<storage, read> tables: array<vec4f>;
@group(0) @binding(8) var<storage, read> solids: array<vec4u>;

// A wall warms a particle that touches it like this number of particles at distance 0.
const WALL_CONTACTS: f32 = 6.0;

@compute @workgroup_size(64)
fn exchange_heat(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= starts[params.cells] { return; }
    let kind = sorted[i].kind & CLASS;
    let thermal = thermal_at(kind);
    let before = sorted_warmth[i];
    var own = before;
    if thermal.conductivity > 0.0 {
        if !is_alone(positions[i]) { own.x += conducted(positions[i], own.x, kind); }
        own.x = warmed_by_walls(sorted[i].position, own.x, kind, thermal.conductivity);
    }
    own.x += (thermal.ambient - own.x) * (thermal.cooling / (1.0 + thermal.cooling));
    warmth[i] = own;
    kinds[i] = vec2u(kind, bitcast<u32>(own.x - before.x));
}

// The loop also visits the particle itself, with q = 1.
fn conducted(p: vec2f, temperature: f32, kind: u32) -> f32 {
    var weights = -pair_at(kind, kind).conductivity;
    var gains = 0.0;
    let rows = rows_near(p);
    for (var row = rows.first; row <= rows.last; row++) {
        let span = span_of(p, row);
        for (var run = run_of(span.x, span.y); run.x < span.y; run = run_of(run.y, span.y)) {
            for (var j = run.x; j < run.y; j++) {
                let q = 1.0 - length(positions[j] - p) * params.inverse_radius;
                if q <= 0.0 { continue; }
                let weight = q * pair_at(kind, sorted[j].kind & CLASS).conductivity;
                weights += weight;
                gains += weight * (sorted_warmth[j].x - temperature);
            }
        }
    }
    return gains / max(weights, 1.0);
}

fn warmed_by_walls(p: vec2f, temperature: f32, kind: u32, conductivity: f32) -> f32 {
    var warmed = temperature;
    if !may_have_walls(p) { return warmed; }
    let reach = 0.5 * params.interaction_radius;
    var near = find_walls(p, kind, false);
    for (var k = 0u; k < near.count; k++) {
        if is_out_of_sight(&near, k) { continue; }
        let wall = near_wall(&near, k, p);
        if !(wall.distance < reach) { continue; }
        var of_wall = params.wall.temperature;
        if SOLIDS && wall.body != NONE {
            of_wall = bitcast<f32>(solids[body_at(wall.body).wall + 1u].w);
        }
        if of_wall >= NO_TEMPERATURE { continue; }
        let rate = WALL_CONTACTS * conductivity * (1.0 - max(wall.distance, 0.0) / reach);
        warmed += (of_wall - warmed) * (rate / (1.0 + rate));
    }
    return warmed;
}
