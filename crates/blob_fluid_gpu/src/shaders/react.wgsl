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
