// Particles in tiles with a mark below 3 sleep, unless they are out of reach. Those in tiles with a
// mark above 0 are predicted.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(2) var<storage, read> marks: array<u32>;

const AWAKE_FROM: u32 = 3u;

@compute @workgroup_size(64)
fn doze(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    let kind = particles[i].kind;
    if (kind & OUT_OF_PLAY) != 0u { return; }
    let p = particles[i].position;
    let mark = marks[tile_of(p)];
    var now = kind & ~(ASLEEP | PREDICTED);
    // Particles out of reach stay awake, so that the prediction quarantines them.
    if mark < AWAKE_FROM && within(p, params.reach) { now |= select(ASLEEP, ASLEEP | PREDICTED, mark > 0u); }
    if now != kind { particles[i].kind = now; }
}
