// rho = sum q^2, rho_near = sum q^3, with contributions of the missing liquid behind walls;
// C = max(0, kept + stiff (c - c_eq)/c^2), c = (1 - s) rho + s rho_near;
// P = k (rho - rho0) a + (1 - s) C, P_near = k_near rho_near + 3/2 s C.

@group(0) @binding(1) var<storage, read> positions: array<vec2f>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> sorted: array<Particle>;
// Velocity, m P, m P_near/h.
@group(0) @binding(4) var<storage, read_write> states: array<vec4f>;
// Class, and the factor on viscosity in crowded places.
@group(0) @binding(5) var<storage, read_write> kinds: array<vec2u>;
// Classes, then pairs of classes.
@group(0) @binding(6) var<storage, read> tables: array<vec4f>;
@group(0) @binding(7) var<storage, read> solids: array<vec4u>;
// The marks of tiles.
@group(0) @binding(8) var<storage, read> marks: array<u32>;

// Whether particles may sleep. Otherwise the compiler removes the code.
override SLEEP: bool = true;
// Sleeping particles in tiles with at least this mark press on particles that are awake.
const PRESSING_FROM: u32 = 2u;

@compute @workgroup_size(64)
fn find_pressures(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= starts[params.cells] { return; }
    let p = positions[i];
    if is_alone(p) {
        states[i] = vec4f(sorted[i].velocity, 0.0, 0.0);
        kinds[i] = vec2u(sorted[i].kind & CLASS, bitcast<u32>(1.0));
        return;
    }
    if SLEEP && sleeps_far_from_others(sorted[i].kind, sorted[i].displacement) {
        // No awake particle is near, except by rounding.
        let kept_pressure = sorted[i].resistance * vec2f(1.0 - params.near_share, 1.5 * params.near_share);
        states[i] = vec4f(0.0, 0.0, kept_pressure.x, kept_pressure.y * params.inverse_radius);
        kinds[i] = vec2u(sorted[i].kind & CLASS, bitcast<u32>(1.0));
        return;
    }
    let h = params.interaction_radius;
    // The loop also visits the particle itself, with w = h.
    var sum = -h * h;
    var near_sum = -h * h * h;
    let rows = rows_near(p);
    for (var row = rows.first; row <= rows.last; row++) {
        let span = span_of(p, row);
        for (var run = run_of(span.x, span.y); run.x < span.y; run = run_of(run.y, span.y)) {
            for (var j = run.x; j < run.y; j++) {
                let d = positions[j] - p;
                let w = max(h - sqrt(dot(d, d)), 0.0);
                sum += w * w;
                near_sum += w * w * w;
            }
        }
    }
    var particle = sorted[i];
    let kind = particle.kind & CLASS;
    let own = class_at(kind);
    let inverse = params.inverse_radius;
    var density = max(sum * (inverse * inverse), 0.0);
    var near_density = max(near_sum * (inverse * inverse * inverse), 0.0);
    if may_have_walls(p) {
        let behind_walls = density_behind_walls(p, kind, own);
        density += behind_walls.x;
        near_density += behind_walls.y;
    }
    let relative_density = density / own.equilibrium_density;
    let change = abs(relative_density - particle.relative_density);
    let before = particle.resistance * own.inverse_mass;
    let kept = params.kept * max(1.0 - change / params.faded, 0.0) * before;

    let bound = params.pressure_limit / max(density, 1e-3);
    let share = params.near_share;
    let packing = (1.0 - share) * density + share * near_density;
    let safe = max(packing, 1e-3);
    let resisting = max(kept + params.stiff * (packing - own.equilibrium_packing) / (safe * safe), 0.0);
    var soft = own.stiffness * (density - own.rest_density);
    if soft < 0.0 {
        let grown = max(relative_density - params.cohesion_onset, 0.0) * params.cohesion_slope;
        soft *= max(min(grown, 1.0), params.cohesion_least);
    }
    let tension = -params.tension * select(params.pressure_limit, bound, density > 1.0);
    let far_pressure = max(min(soft + (1.0 - share) * resisting, bound), tension);
    let near_pressure = min(own.near_stiffness * near_density + 1.5 * share * resisting, bound);

    particle.relative_density = relative_density;
    particle.resistance = own.mass * resisting;
    sorted[i].relative_density = particle.relative_density;
    sorted[i].resistance = particle.resistance;
    states[i] = vec4f(particle.velocity, own.mass * far_pressure, own.mass * near_pressure * inverse);
    var calm = 1.0;
    if relative_density > own.crowded_from { calm = calm_factor(p, kind); }
    kinds[i] = vec2u(kind, bitcast<u32>(calm));
}

fn sleeps_far_from_others(kind: u32, home: vec2f) -> bool {
    if (kind & ASLEEP) == 0u { return false; }
    return (kind & PREDICTED) == 0u || marks[tile_of(home)] < PRESSING_FROM;
}

// Contributions to the density and the near density by the missing liquid behind walls.
fn density_behind_walls(p: vec2f, kind: u32, own: Class) -> vec2f {
    var sum = vec2f(0.0);
    var pressing = pressing_walls(p, kind);
    for (var k = 0u; k < pressing.count; k++) {
        let wall = pressing_wall(&pressing, k, p);
        if !(wall.distance < params.interaction_radius) { continue; }
        let ghost = ghost_wall(wall.distance * params.inverse_radius);
        sum += wall.part * own.ghost_density * vec2f(ghost.density, ghost.near_density);
    }
    return sum;
}

// The other particles' classes are read from `sorted`, because `kinds` is still being written.
fn calm_factor(p: vec2f, kind: u32) -> f32 {
    var sum = 0.0;
    var along_x = 0.0;
    var across = 0.0;
    let rows = rows_near(p);
    for (var row = rows.first; row <= rows.last; row++) {
        let span = span_of(p, row);
        for (var run = run_of(span.x, span.y); run.x < span.y; run = run_of(run.y, span.y)) {
            for (var j = run.x; j < run.y; j++) {
                let d = positions[j] - p;
                let squared = dot(d, d);
                let pair = pair_at(kind, sorted[j].kind & CLASS);
                let q = max(1.0 - sqrt(squared) * params.inverse_radius, 0.0);
                let weight = q * (pair.linear + select(0.0, pair.limit, pair.approach + pair.quadratic > 0.0));
                let turned = weight / max(params.coincidence * params.coincidence, squared);
                sum += weight;
                along_x += turned * (d.x * d.x - d.y * d.y);
                across += turned * (2.0 * d.x * d.y);
            }
        }
    }
    let largest = 0.5 * (sum + sqrt(along_x * along_x + across * across));
    return params.stable_exchange / max(largest, params.stable_exchange);
}
