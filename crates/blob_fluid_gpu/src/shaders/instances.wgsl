// What is drawn of a particle.

//# instances
// The drawing data of a particle: 20 bytes, in the layout of vertex buffers.
//
// - position,
// - offset to the position one tick before, in half floats,
// - class, glow (four bits), opacity: a byte each,
// - looseness (five bits) and shade (three bits): a byte,
// - four bytes of 0.

struct Instances {
    // Length of a tick, in seconds.
    tick: f32,
    // Relative density from which a particle counts as inside.
    inside: f32,
    // Whether a particle's place is its id instead of its place in memory.
    by_id: u32,
    count: u32,
    // The temperatures at which glow begins and is largest.
    glow: vec2f,
    glows: u32,
}

@group(0) @binding(1) var<uniform> drawn: Instances;
@group(0) @binding(2) var<storage, read> particles: array<Particle>;
@group(0) @binding(3) var<storage, read_write> instances: array<u32>;
// Without temperatures this is another buffer, and particles do not glow.
@group(0) @binding(4) var<storage, read> warmth: array<vec2f>;

// The largest half float is 65,504.
const LONGEST_OFFSET: f32 = 65000.0;

// One of eight shades, by the same hash as `shade` of the plugin.
fn shade_of(id: u32) -> u32 {
    var hash = (id ^ (id >> 16u)) * 0x7feb352du;
    hash = (hash ^ (hash >> 15u)) * 0x846ca68bu;
    return (hash ^ (hash >> 16u)) >> 29u;
}

@compute @workgroup_size(64)
fn write_instances(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= drawn.count { return; }
    let particle = particles[i];
    let first = 5u * select(i, particle.id, drawn.by_id != 0u);
    if (particle.kind & OUT_OF_PLAY) != 0u {
        for (var word = 0u; word < 5u; word++) { instances[first + word] = 0u; }
        return;
    }
    var offset = -particle.velocity * drawn.tick;
    if max(abs(offset.x), abs(offset.y)) >= LONGEST_OFFSET { offset = vec2f(0.0); }
    let loose = clamp(1.0 - particle.relative_density / drawn.inside, 0.0, 1.0);
    let shade = shade_of(particle.id);
    let looseness = u32(floor(loose * 31.0 + 0.5));
    var glow = 0.0;
    if drawn.glows != 0u && warmth[i].y >= 0.0 {
        glow = clamp((warmth[i].x - drawn.glow.x) / max(drawn.glow.y - drawn.glow.x, 1e-3), 0.0, 1.0);
    }
    let tint = u32(floor(glow * 15.0 + 0.5)) << 4u;
    instances[first] = bitcast<u32>(particle.position.x);
    instances[first + 1u] = bitcast<u32>(particle.position.y);
    instances[first + 2u] = pack2x16float(offset);
    instances[first + 3u] = (particle.kind & CLASS) | (tint << 8u) | 0xff0000u | (((looseness << 3u) | shade) << 24u);
    instances[first + 4u] = 0u;
}
