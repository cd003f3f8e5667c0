// Heat, and the reactions of pairs.

//# thermal
// The effects of heat on classes, and the reactions of pairs.

struct Thermal {
    // Temperature of new particles.
    temperature: f32,
    conductivity: f32,
    cooling: f32,
    expansion: f32,
    ambient: f32,
    // Temperatures beyond which a particle changes its class.
    above: f32,
    below: f32,
    becomes_above: u32,
    becomes_below: u32,
    reacts: bool,
}

struct Reaction { rate: f32, temperature: f32, becomes: u32 }

fn thermal_tables() -> u32 {
    return 3u * params.classes + 2u * params.classes * params.classes;
}

fn thermal_at(index: u32) -> Thermal {
    let one = tables[thermal_tables() + 2u * index];
    let two = tables[thermal_tables() + 2u * index + 1u];
    let bits = bitcast<u32>(two.w);
    return Thermal(one.x, one.y, one.z, one.w, two.x, two.y, two.z, bits & 0xffu, (bits >> 8u) & 0xffu,
        (bits >> 16u) != 0u);
}

// A rate of 0 means that the pair does not react.
fn reaction_at(own: u32, other: u32) -> Reaction {
    let record = tables[thermal_tables() + 2u * params.classes + own * params.classes + other];
    return Reaction(record.x, record.y, bitcast<u32>(record.z));
}

//# warm
// Before the prediction: the fraction of its weight that a warm particle lacks, which `predict`
// reads; and the heat of forces, T += dt f.

@group(0) @binding(1) var<storage, read> particles: array<Particle>;
// Temperature and exposure. With a negative exposure, the temperature is relative to that of the
// class's new particles.
@group(0) @binding(2) var<storage, read_write> warmth: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(4) var<storage, read> tables: array<vec4f>;
// The forces.
@group(0) @binding(5) var<storage, read> regions: array<vec4u>;

@compute @workgroup_size(64)
fn warm(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    let kind = particles[i].kind;
    if (kind & OUT_OF_PLAY) != 0u { return; }
    let thermal = thermal_at(kind & CLASS);
    var temperature = warmth[i].x;
    var exposure = warmth[i].y;
    if exposure < 0.0 {
        temperature += thermal.temperature;
        exposure = 0.0;
    }
    let lost = clamp(thermal.expansion * (temperature - thermal.ambient), -2.0, 2.0);
    keys[i].x = bitcast<u32>(lost);
    temperature += heat_of_forces(particles[i].position, kind & CLASS);
    warmth[i] = vec2f(temperature, exposure);
}

//# exchange_heat
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

//# react
// A particle beyond the temperature limits of its class changes its class. Otherwise its exposure
// grows by dt rate min(1, sum q) over the partners around it, at the rate of the nearest one. At 1
// it becomes the product of the reaction with that one.

@group(0) @binding(1) var<storage, read> positions: array<vec2f>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> sorted: array<Particle>;
@group(0) @binding(4) var<storage, read_write> warmth: array<vec2f>;
// The classes before reactions, and the changes of temperature by heat.
@group(0) @binding(5) var<storage, read> kinds: array<vec2u>;
@group(0) @binding(6) var<storage, read> tables: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> tiles: array<Tile>;

// Limit of a particle's change of weight in a substep, as a fraction, so that the sum of a tile
// does not overflow.
const MOST_LIGHTER: f32 = 0.00048828125;

@compute @workgroup_size(64)
fn react(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= starts[params.cells] { return; }
    let kind = kinds[i].x;
    let thermal = thermal_at(kind);
    var own = warmth[i];
    if params.still_speed > 0.0 { note_heat(tile_of(sorted[i].position), bitcast<f32>(kinds[i].y), own.x, thermal); }
    var becomes = kind;
    if own.x > thermal.above {
        becomes = thermal.becomes_above;
        own.y = 0.0;
    } else if own.x < thermal.below {
        becomes = thermal.becomes_below;
        own.y = 0.0;
    } else if thermal.reacts && !is_alone(positions[i]) {
        let contact = contact_of(i, kind);
        own.y += contact.reaction.rate * min(contact.closeness, 1.0);
        if contact.closeness > 0.0 && own.y >= 1.0 {
            becomes = contact.reaction.becomes;
            own.y = 0.0;
            if contact.reaction.temperature < NO_TEMPERATURE { own.x = contact.reaction.temperature; }
        }
    }
    warmth[i] = own;
    if becomes == kind { return; }
    sorted[i].kind = (sorted[i].kind & ~CLASS) | becomes;
    if params.still_speed > 0.0 { atomicStore(&tiles[tile_of(sorted[i].position)].disturbed, 1u); }
}

// Records events that wake sleeping liquid: changes of its weight. While temperatures change, ticks
// must run even if all liquid sleeps.
fn note_heat(tile: u32, change: f32, temperature: f32, thermal: Thermal) {
    if abs(change) > params.still_temperature * max(abs(temperature), 1.0) { atomicStore(&tiles[tile].heated, 1u); }
    let lighter = clamp(thermal.expansion * change, -MOST_LIGHTER, MOST_LIGHTER);
    if lighter != 0.0 { atomicAdd(&tiles[tile].weights, i32(round(lighter * WEIGHT_STEPS))); }
}

// `sum q` over the partners of a particle, and the reaction with the nearest one. At equal
// distances the lowest id decides.
struct Contact { closeness: f32, reaction: Reaction }

fn contact_of(i: u32, kind: u32) -> Contact {
    let p = positions[i];
    var contact = Contact(0.0, Reaction(0.0, 0.0, 0u));
    var nearest = params.interaction_radius;
    var lowest = 0xffffffffu;
    let rows = rows_near(p);
    for (var row = rows.first; row <= rows.last; row++) {
        let span = span_of(p, row);
        for (var run = run_of(span.x, span.y); run.x < span.y; run = run_of(run.y, span.y)) {
            for (var j = run.x; j < run.y; j++) {
                let distance = length(positions[j] - p);
                let q = 1.0 - distance * params.inverse_radius;
                if q <= 0.0 { continue; }
                let reaction = reaction_at(kind, kinds[j].x);
                if reaction.rate == 0.0 { continue; }
                contact.closeness += q;
                let id = sorted[j].id;
                if distance < nearest || (distance == nearest && id < lowest) {
                    nearest = distance;
                    lowest = id;
                    contact.reaction = reaction;
                }
            }
        }
    }
    return contact;
}
