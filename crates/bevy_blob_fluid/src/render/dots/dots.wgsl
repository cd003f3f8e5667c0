// Draws every particle as a soft, round, lit dot.

#import bevy_blob_fluid::instance::{Instance, Palette, color_index_of, opacity_of, painted, shade_of}
#import bevy_blob_fluid::output::for_target
#import bevy_blob_fluid::view::view

struct Dots {
    radius: f32,
    softness: f32,
    opacity: f32,
    shading: f32,
    interpolation: f32,
    depth: f32,
    by_instance: u32,
    padding: f32,
    // One bit for each class that is drawn.
    classes: array<vec4<u32>, 2>,
}

@group(1) @binding(0) var<uniform> dots: Dots;
@group(1) @binding(1) var<uniform> palette: Palette;

struct Vertex {
    @builtin(position) clip_position: vec4<f32>,
    // Position in the dot's square, -1 to 1.
    @location(0) corner: vec2<f32>,
    @location(1) @interpolate(flat) color: vec4<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32, instance: Instance) -> Vertex {
    let corner = vec2(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let centre = instance.position + instance.previous_offset * (1.0 - dots.interpolation);
    let class_id = instance.bytes.x;
    let is_drawn = (dots.classes[class_id >> 7u][(class_id >> 5u) & 3u] >> (class_id & 31u)) & 1u;
    let world = centre + corner * dots.radius * f32(is_drawn);
    var color = painted(instance, palette.colors[color_index_of(instance, dots.by_instance)]);
    // Neighbours have slightly different shades, so that a resting pool is not one flat area.
    let variation = shade_of(instance) * 0.16 * dots.shading;
    color = vec4(color.rgb * (1.0 + variation), color.a * opacity_of(instance));
    var out: Vertex;
    out.clip_position = view.clip_from_world * vec4(world, dots.depth, 1.0);
    out.corner = corner;
    out.color = color;
    return out;
}

@fragment
fn fragment(in: Vertex) -> @location(0) vec4<f32> {
    let distance = length(in.corner);
    // The edge is at least a pixel wide, so that even a hard dot is smooth at any zoom.
    let pixel = max(fwidth(distance), 1e-4);
    let fade = max(dots.softness, pixel);
    let coverage = 1.0 - smoothstep(1.0 - fade, 1.0, distance);

    // Light from the upper left; the rim is a little darker.
    let light = exp(-4.5 * dot(in.corner - vec2(-0.25, 0.3), in.corner - vec2(-0.25, 0.3)));
    let lit = 1.0 + dots.shading * (0.30 * light - 0.18 * distance * distance);
    return for_target(vec4(in.color.rgb * lit, in.color.a * dots.opacity * coverage));
}
