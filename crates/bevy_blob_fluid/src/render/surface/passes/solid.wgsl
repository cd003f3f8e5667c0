// Counts the solids that cover each texel. The triangles between a point and the edges of a ring
// cover its inside once, if clockwise triangles count as negative.

#import bevy_blob_fluid::surface_types::{SurfaceUniform, place_in_tile}
#import bevy_blob_fluid::view::view

@group(1) @binding(0) var<uniform> surface: SurfaceUniform;

struct Vertex {
    @builtin(position) position: vec4<f32>,
    // One count each for counter-clockwise and clockwise triangles of colliders, then of
    // containers.
    @location(0) @interpolate(flat) counts: vec4<f32>,
}

@vertex
fn vertex(
    @builtin(vertex_index) index: u32,
    @location(0) first_and_second: vec4<f32>,
    @location(1) third_and_kind: vec4<f32>,
) -> Vertex {
    let first = first_and_second.xy;
    let second = first_and_second.zw;
    let third = third_and_kind.xy;
    let world = select(select(third, second, index == 1u), first, index == 0u);
    let place = place_in_tile(world, surface.depth, view.clip_from_world, surface.view_part);
    let a = second - first;
    let b = third - first;
    let is_left = a.x * b.y - a.y * b.x > 0.0;
    let counts = select(vec2(0.0, 4.0), vec2(4.0, 0.0), is_left) / 255.0;
    var out: Vertex;
    out.position = vec4(place * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
    out.counts = select(vec4(counts, 0.0, 0.0), vec4(0.0, 0.0, counts), third_and_kind.z > 0.5);
    return out;
}

@fragment
fn fragment(in: Vertex) -> @location(0) vec4<f32> {
    return in.counts;
}
