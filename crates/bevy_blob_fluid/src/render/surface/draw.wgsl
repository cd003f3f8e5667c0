// Draws a surface without a custom look.

#import bevy_blob_fluid::surface::{SurfaceVertex, finish, liquid_at, shade, surface}
#import bevy_sprite::sprite_view_bindings::view

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> SurfaceVertex {
    let corner = vec2(f32(index & 1u), f32(index >> 1u));
    var out: SurfaceVertex;
    out.world = mix(surface.bounds.xy, surface.bounds.zw, corner);
    out.position = view.clip_from_world * vec4(out.world, surface.depth, 1.0);
    return out;
}

@fragment
fn fragment(in: SurfaceVertex) -> @location(0) vec4<f32> {
    let liquid = liquid_at(in);
    if liquid.coverage <= 0.0 {
        discard;
    }
    return finish(in, liquid, shade(liquid));
}
