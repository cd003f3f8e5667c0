// Light inside of a liquid, and the colour of glow.

// A net of moving lines, as of light at the bottom of a pool: 1 on a line and 0 far from it. A mesh is about 1 wide in
// `p`. A larger `sharpness` makes thinner lines.
fn net(p: vec2<f32>, time: f32, sharpness: f32) -> f32 {
    var q = 4.2 * p;
    q += 0.9 * vec2(sin(0.61 * q.y + 0.7 * time), sin(0.53 * q.x - 0.6 * time + 1.3));
    q += 0.45 * vec2(sin(1.37 * q.y - 0.9 * time + 2.1), sin(1.51 * q.x + 0.8 * time));
    // Three waves, a sixth of a turn apart, have closed lines of zeros.
    let waves = vec3(
        sin(q.x + 0.4 * time),
        sin(0.5 * q.x + 0.866 * q.y - 0.5 * time),
        sin(0.5 * q.x - 0.866 * q.y + 0.3 * time),
    );
    return near_zero(waves.x + waves.y - waves.z + 0.35, sharpness);
}

// 1 where a smooth value is 0, and 0 far from there. A larger `sharpness` makes a thinner line.
fn near_zero(value: f32, sharpness: f32) -> f32 {
    return 1.0 / (1.0 + sharpness * value * value);
}

// Light that a wavy surface focuses into lines. A mesh is about 1 wide in `p`.
fn caustics(p: vec2<f32>, time: f32) -> f32 {
    let one = net(p, time, 22.0);
    let other = net(0.83 * vec2(p.y, -p.x) + 0.37, 1.2 * time + 4.0, 22.0);
    // Crossings of lines are brightest.
    return 0.55 * max(one, other) + 0.9 * one * other;
}

// The reflection of a studio of soft light in a mirror with this normal. The studio has a pale ceiling with a bright
// window at the upper left, a dark horizon, and a floor that reflects some light.
fn studio(normal: vec3<f32>) -> vec3<f32> {
    // The eye looks along z.
    let seen = vec3(2.0 * normal.z * normal.xy, 2.0 * normal.z * normal.z - 1.0);
    let horizon = vec3(0.10, 0.11, 0.13);
    let ceiling = mix(horizon, vec3(0.86, 0.90, 0.96), smoothstep(-0.12, 0.62, seen.y));
    let ground = mix(horizon, vec3(0.40, 0.36, 0.33), smoothstep(-0.25, -0.95, seen.y));
    var light = select(ground, ceiling, seen.y > -0.12);
    let window = abs(seen.xy - vec2(-0.45, 0.58));
    light += 1.2 * (1.0 - smoothstep(0.14, 0.3, max(window.x, 1.3 * window.y)));
    return light;
}

// The colour of glow by heat, from red to yellow.
fn glow(heat: f32) -> vec3<f32> {
    let red = smoothstep(0.0, 0.45, heat);
    let green = smoothstep(0.2, 1.1, heat);
    let blue = smoothstep(0.7, 1.6, heat);
    return vec3(red, 0.62 * green * green, 0.5 * blue * blue) * (0.15 + heat);
}

// Three random numbers of a cell, 0 to 1.
fn random_of(cell: vec2<f32>) -> vec3<f32> {
    // `pcg3d` of Jarzynski and Olano 2020, "Hash Functions for GPU Rendering".
    var v = vec3(vec2<u32>(vec2<i32>(cell)), 7u) * 1664525u + 1013904223u;
    for (var round = 0; round < 2; round++) {
        v.x += v.y * v.z;
        v.y += v.z * v.x;
        v.z += v.x * v.y;
        v ^= v >> vec3(16u);
    }
    return vec3<f32>(v >> vec3(8u)) / 16777216.0;
}

// A heap of round grains.
struct Grain {
    // Brightness of the place, -1 to 1.
    shade: f32,
    // 1 in the middle of a grain, 0 between grains.
    middle: f32,
}

// The grain at a place; `p` is in widths of grains.
fn grain_at(p: vec2<f32>) -> Grain {
    let corner = floor(p - 0.5);
    var nearest = 9.0;
    var away = vec2(0.0);
    var own = 0.5;
    for (var part = 0; part < 4; part++) {
        let cell = corner + vec2(f32(part & 1), f32(part >> 1u));
        let random = random_of(cell);
        let offset = p - cell - 0.5 - 0.55 * (random.xy - 0.5);
        let squared = dot(offset, offset) * (1.0 + 0.5 * random.z);
        if squared < nearest {
            nearest = squared;
            away = offset;
            own = random.z;
        }
    }
    let middle = 1.0 - smoothstep(0.1, 0.5, nearest);
    // Each grain has its own shade, is light at the upper left, and has dark gaps around it.
    let shade = 0.9 * (own - 0.5) + 0.8 * dot(away, vec2(-0.5, 0.8)) - 0.7 * (1.0 - middle) + 0.15;
    return Grain(clamp(shade, -1.0, 1.0), middle);
}
