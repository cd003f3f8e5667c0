// A particle in the vertex buffer.

struct Instance {
    @location(0) position: vec2<f32>,
    @location(1) previous_offset: vec2<f32>,
    // Class, tint, opacity, and looseness with shade.
    @location(2) bytes: vec4<u32>,
    // Square roots of the red, green and blue of its paint, and 1 if it is painted.
    @location(3) paint: vec4<f32>,
}

struct Palette {
    colors: array<vec4<f32>, 256>,
}

// Index of the particle's colour in the palette.
fn color_index_of(instance: Instance, by_instance: u32) -> u32 {
    return select(instance.bytes.x, instance.bytes.y, by_instance != 0u);
}

// The colour of a particle: its paint in linear light, or `known`, its colour in the palette.
fn painted(instance: Instance, known: vec4<f32>) -> vec4<f32> {
    let paint = instance.paint.rgb * instance.paint.rgb;
    return vec4(select(known.rgb, paint, instance.paint.a > 0.5), known.a);
}

// Heat and foam, 0 to 1.
fn heat_and_foam_of(instance: Instance, by_instance: u32) -> vec2<f32> {
    let steps = vec2(instance.bytes.y >> 4u, instance.bytes.y & 15u);
    return select(vec2<f32>(steps) / 15.0, vec2(0.0), by_instance != 0u);
}

fn opacity_of(instance: Instance) -> f32 {
    return f32(instance.bytes.z) / 255.0;
}

// Looseness: 0 inside of the liquid, 1 for a single particle.
fn looseness_of(instance: Instance) -> f32 {
    return f32(instance.bytes.w >> 3u) / 31.0;
}

// Shade, -0.5 to 0.5, different for neighbours.
fn shade_of(instance: Instance) -> f32 {
    return f32(instance.bytes.w & 7u) / 7.0 - 0.5;
}
