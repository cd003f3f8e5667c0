// Draws a surface without a custom look.

#import bevy_blob_fluid::surface::{SurfaceVertex, finish, liquid_at, shade}
#import bevy_blob_fluid::surface_bindings::surface
#import bevy_blob_fluid::surface_places::world_at
#import bevy_blob_fluid::view::view

// A strip; see `strips.rs`.
@vertex
fn vertex(
    @builtin(vertex_index) index: u32,
    @location(0) low_and_high: vec4<u32>,
    @location(1) liquids: u32,
) -> SurfaceVertex {
    let is_high = vec2((index & 1u) == 1u, (index >> 1u) == 1u);
    // WebGL2 supports only `select` of floats.
    let edges = vec4<f32>(low_and_high);
    let pixel = select(edges.xy, edges.zw, is_high);
    // The edges of strips are exact edges of pixels, so only the depth is projected.
    let in_view = pixel / view.viewport.zw * vec2(2.0, -2.0) + vec2(-1.0, 1.0);
    let clip = view.clip_from_world * vec4(world_at(pixel), surface.depth, 1.0);
    var out: SurfaceVertex;
    out.position = vec4(in_view * clip.w, clip.zw);
    out.liquids = liquids;
    return out;
}

@fragment
fn fragment(in: SurfaceVertex) -> @location(0) vec4<f32> {
    let liquid = liquid_at(in);
    if liquid.coverage <= 0.0 && liquid.haze.a <= 0.0 {
        discard;
    }
    return finish(in, liquid, shade(liquid));
}
