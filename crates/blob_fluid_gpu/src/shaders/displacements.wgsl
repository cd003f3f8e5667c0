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
