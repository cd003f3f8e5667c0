// Light inside of a liquid, and that of what glows.

#define_import_path bevy_blob_fluid::surface_light

// Bright lines that move like light at the bottom of a pool; a cell of the pattern is about 1 in
// `p`.
fn caustics(p: vec2<f32>, time: f32) -> f32 {
    var q = p * 3.1;
    var light = 1.0;
    for (var octave = 0; octave < 3; octave++) {
        let phase = f32(octave) * 1.9;
        q += 0.65 * vec2(sin(q.y * 1.1 + time * 0.7 + phase), cos(q.x * 1.3 - time * 0.6 + phase));
        light *= 0.25 + abs(sin(q.x + 0.4 * q.y) * cos(q.y - 0.3 * q.x));
    }
    // The dark lines of the product become bright lines.
    return pow(clamp(1.0 - 1.6 * light, 0.0, 1.0), 3.0);
}

// The colour of something that glows from red to yellow.
fn glow(heat: f32) -> vec3<f32> {
    let red = smoothstep(0.0, 0.45, heat);
    let green = smoothstep(0.2, 1.1, heat);
    let blue = smoothstep(0.7, 1.6, heat);
    return vec3(red, 0.62 * green * green, 0.5 * blue * blue) * (0.15 + heat);
}
