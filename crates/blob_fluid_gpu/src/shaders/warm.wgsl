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
