// Densities, pressures, and the displacements of pairs and walls that follow from them.

//# ghost_walls
// Contributions of the missing liquid behind a wall.

// G2, G3 and their pushes -G2'/2 and -G3'/3, at the distance u = d/h: G2 = w^3.5 P(w), G3 = w^4.5 N(w)
// with w = 1 - u.
struct Ghost { density: f32, near_density: f32, push: f32, near_push: f32 }

// Value and slope of the polynomial whose six numbers begin at `first`.
fn polynomial(first: u32, w: f32) -> vec2f {
    var value = vec2f(0.0);
    for (var k = 6u; k > 0u; k--) {
        let at = first + k - 1u;
        value = vec2f(value.x * w + params.ghost[at / 4u][at % 4u], value.y * w + value.x);
    }
    return value;
}

fn ghost_wall(u: f32) -> Ghost {
    let w = clamp(1.0 - u, 0.0, 1.0);
    let p = polynomial(0u, w);
    let n = polynomial(6u, w);
    let w25 = w * w * sqrt(w);
    let w35 = w25 * w;
    return Ghost(w35 * p.x, w35 * w * n.x,
        0.5 * w25 * (3.5 * p.x + w * p.y), w35 * (4.5 * n.x + w * n.y) / 3.0);
}

//# pressures
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

//# segregation
// kappa/15 ((w_i - w_j) (1 +- cos/2) +- missing (1 +- cos)) h q
//
// `below` is half the cosine between gravity and the direction to the neighbour; `calm` is 1 if the
// two do not move against each other.
fn lift_of(pair: PairOfClasses, difference: f32, closeness: f32, below: f32, calm: f32) -> f32 {
    let contrast = clamp(difference, -pair.most_contrast, pair.most_contrast);
    let size = abs(contrast);
    let order = contrast + size * below;
    let sign = contrast / max(size, params.least_contrast * pair.most_contrast);
    let missing = max(pair.most_contrast - size / params.strong_contrast, 0.0) * calm;
    let unlocked = sign * missing * (1.0 + sign * below * 2.0);
    return (order + unlocked) * pair.segregation * closeness;
}

// cos/2 h q, if the neighbour is on the wrong side, otherwise 0.
fn disorder_of(pair: PairOfClasses, difference: f32, closeness: f32, below: f32) -> f32 {
    let contrast = clamp(difference, -pair.most_contrast, pair.most_contrast);
    let sign = contrast / max(abs(contrast), params.least_contrast * pair.most_contrast);
    return max(sign * below, 0.0) * closeness;
}

//# viscosity
// u (min(dt (sigma + beta u), limit) [u > 0] + dt linear), divided by the weight q
fn exchanged(pair: PairOfClasses, approach: f32) -> f32 {
    let rate = min(pair.approach + pair.quadratic * approach, pair.limit);
    return pair.linear * approach + rate * max(approach, 0.0);
}

//# separation
// Direction from coincident particle `a` to `b`: one of sixteen, chosen by their ids. Swapping `a`
// and `b` gives the opposite direction.
fn separation_axis(a: u32, b: u32) -> vec2f {
    let low = min(a, b);
    let high = max(a, b);
    let mixed = ((low ^ ((high << 16u) | (high >> 16u))) * 0x9e3779b9u) >> 28u;
    var quarter = array<vec2f, 4>(vec2f(1.0, 0.0), vec2f(0.9238795, 0.38268343),
        vec2f(0.70710677, 0.70710677), vec2f(0.38268343, 0.9238795));
    var axis = quarter[mixed & 3u];
    if (mixed & 4u) != 0u { axis = vec2f(-axis.y, axis.x); }
    if (mixed & 8u) != 0u { axis = -axis; }
    return select(-axis, axis, a < b);
}

//# wall_pressure
// Walls push with the pressures of the particle itself. The attraction of all walls together is
// limited to a part of its weight, so that particles do not stick to walls for ever.

struct WallPush { pushed: vec2f, attracted: vec2f, against_slope: f32 }

// The displacement by a wall within the radius: by its pressure or its attraction, and against the
// slope of its fraction.
fn push_of_wall(wall: PressingWall, pressure: vec2f, own: Class) -> WallPush {
    let squared_step = params.time_step * params.time_step;
    let behind = own.ghost_density * 0.5 * own.inverse_mass;
    let ghost = ghost_wall(wall.distance * params.inverse_radius);
    let near = pressure.y * params.interaction_radius;
    let push = behind * (pressure.x * ghost.push + near * ghost.near_push);
    let moved = wall.normal * (squared_step * wall.part * push);
    // The pushes are half and a third of the slopes of the densities.
    let swell = behind * (pressure.x * ghost.density / 2.0 + near * ghost.near_density / 3.0);
    let against_slope = params.interaction_radius * squared_step * max(swell, 0.0);
    if push < 0.0 { return WallPush(vec2f(0.0), moved * wall.wetting, against_slope); }
    return WallPush(moved, vec2f(0.0), against_slope);
}

fn part_of_attraction(attracted: vec2f, own: Class) -> f32 {
    let most = params.held_weight * params.time_step * length(own.gravity_impulse);
    let all = length(attracted);
    return select(1.0, most / all, most > 0.0 && all > most);
}

fn wall_displacement(p: vec2f, pressure: vec2f, class_index: u32, own: Class) -> vec2f {
    if !may_have_walls(p) { return vec2f(0.0); }
    var pushed = vec2f(0.0);
    var attracted = vec2f(0.0);
    var pressing = pressing_walls(p, class_index);
    for (var k = 0u; k < pressing.count; k++) {
        let wall = pressing_wall(&pressing, k, p);
        if !(wall.distance < params.interaction_radius) { continue; }
        let push = push_of_wall(wall, pressure, own);
        pushed += push.pushed;
        if SOLIDS { pushed -= wall.slope * push.against_slope; }
        attracted += push.attracted;
    }
    return pushed + attracted * part_of_attraction(attracted, own);
}

//# displacements
// dx = -1/2 (dt^2/m_i) sum_j [(m_i P_i + m_j P_j) q + (m_i Pn_i + m_j Pn_j) q^2 - A_ij q (1 - q)] r_hat,
// segregation, viscosity and walls; then containment, and v += (sum of displacements)/dt.

@group(0) @binding(1) var<storage, read> sorted: array<Particle>;
@group(0) @binding(2) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(3) var<storage, read> positions: array<vec2f>;
@group(0) @binding(4) var<storage, read> states: array<vec4f>;
@group(0) @binding(5) var<storage, read> kinds: array<vec2u>;
@group(0) @binding(6) var<storage, read> starts: array<u32>;
// Classes, then pairs of classes.
@group(0) @binding(7) var<storage, read> tables: array<vec4f>;
@group(0) @binding(8) var<storage, read> solids: array<vec4u>;

// Whether particles may sleep. Otherwise the compiler removes the code.
override SLEEP: bool = true;

@compute @workgroup_size(64)
fn displace(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    var particle = sorted[i];
    let sleeps = SLEEP && (particle.kind & ASLEEP) != 0u;
    if i >= starts[params.cells] || sleeps {
        if sleeps && (particle.kind & PREDICTED) != 0u {
            particle.position = particle.displacement;
            particle.velocity = vec2f(0.0);
            particle.displacement = vec2f(0.0);
        }
        particles[i] = particle;
        return;
    }
    let home = particle.position;
    if !is_alone(positions[i]) { displace_by_pairs(&particle, i); }
    if !LOADS {
        contain(&particle, home, false);
        particle.velocity += particle.displacement / params.time_step;
    }
    particles[i] = particle;
}

fn displace_by_pairs(particle: ptr<function, Particle>, i: u32) {
    let p = (*particle).position;
    let own_kind = kinds[i];
    let own = class_at(own_kind.x);
    let calm_own = bitcast<f32>(own_kind.y);
    let state = states[i];
    let h = params.interaction_radius;
    let squared_coincidence = params.coincidence * params.coincidence;
    let squared_step = params.time_step * params.time_step;
    // Displacement by a pressure of 1.
    let share = squared_step * (0.5 * own.inverse_mass);
    // Viscosity as a pressure: its displacement is dt times the exchanged velocity.
    let as_pressure = params.time_step / share;
    var sum = vec2f(0.0);
    var lift = 0.0;
    var disorder = 0.0;
    var coincident = false;
    // Most neighbours have the same class, so its pair is kept.
    var other_class = own_kind.x;
    var pair = pair_at(own_kind.x, other_class);
    let rows = rows_near(p);
    for (var row = rows.first; row <= rows.last; row++) {
        let span = span_of(p, row);
        for (var run = run_of(span.x, span.y); run.x < span.y; run = run_of(run.y, span.y)) {
            for (var j = run.x; j < run.y; j++) {
                let d = positions[j] - p;
                let squared = dot(d, d);
                if squared >= h * h || j == i { continue; }
                let together = squared < squared_coincidence;
                coincident = coincident || together;
                let distance = sqrt(squared);
                let inverse = select(1.0 / distance, 0.0, together);
                let other = states[j];
                let other_kind = kinds[j];
                if other_kind.x != other_class {
                    other_class = other_kind.x;
                    pair = pair_at(own_kind.x, other_class);
                }
                let closeness = h - distance;
                let apart = state.xy - other.xy;
                let calm = min(calm_own, bitcast<f32>(other_kind.y));
                var strength = (state.z + other.z) + (state.w + other.w) * closeness;
                strength -= pair.attraction * (1.0 - closeness * params.inverse_radius);
                strength += as_pressure * calm * exchanged(pair, dot(apart, d) * inverse);
                sum -= d * (strength * (closeness * inverse));
                if pair.segregation != 0.0 {
                    let difference = own.weight - class_at(other_kind.x).weight;
                    let below = dot(d, params.preference) * inverse;
                    let still = max(1.0 - dot(apart, apart) * params.per_squared_passing_speed, 0.0);
                    lift += lift_of(pair, difference, closeness, below, still);
                    if SLEEP { disorder += disorder_of(pair, difference, closeness, below); }
                }
            }
        }
    }
    // This is rare, so a separate loop handles it.
    if coincident {
        for (var row = rows.first; row <= rows.last; row++) {
            let span = span_of(p, row);
            for (var run = run_of(span.x, span.y); run.x < span.y; run = run_of(run.y, span.y)) {
                for (var j = run.x; j < run.y; j++) {
                    let d = positions[j] - p;
                    if dot(d, d) >= squared_coincidence || j == i { continue; }
                    let closeness = h - length(d);
                    let strength = (state.z + states[j].z) + (state.w + states[j].w) * closeness;
                    sum -= separation_axis((*particle).id, sorted[j].id) * (strength * closeness);
                }
            }
        }
    }
    let inverse_radius = params.inverse_radius;
    if SLEEP && disorder * inverse_radius > params.unsorted { (*particle).kind |= UNSORTED; }
    var dx = sum * (share * inverse_radius);
    dx += params.gravity * (lift * (squared_step * own.inverse_mass * inverse_radius));
    dx += wall_displacement(p, state.zw, own_kind.x, own);

    // Pairs accelerate a particle only up to a limit.
    let way = (*particle).velocity * params.time_step + (*particle).displacement;
    let most = max(params.most_displacement, length(way));
    let whole = way + dx;
    let far = length(whole);
    if far > most { dx = whole * (most / far) - way; }
    (*particle).position += dx;
    (*particle).displacement += dx;
}
