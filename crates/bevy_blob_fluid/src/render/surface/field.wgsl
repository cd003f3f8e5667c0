// Adds up a smooth weight for every particle. The surface is a contour of the sum, the field.

#import bevy_blob_fluid::instance::{Instance, Palette, color_index_of, heat_and_foam_of, looseness_of, opacity_of, shade_of}
#import bevy_blob_fluid::surface_types::SurfaceUniform
#import bevy_sprite::sprite_view_bindings::view

@group(1) @binding(0) var<uniform> surface: SurfaceUniform;
@group(1) @binding(1) var<uniform> palette: Palette;

struct Vertex {
    @builtin(position) clip_position: vec4<f32>,
    // Position in the particle's square, -1 to 1.
    @location(0) corner: vec2<f32>,
    // Position in the liquid's tile, 0 to 1.
    @location(1) place: vec2<f32>,
    @location(2) @interpolate(flat) color: vec4<f32>,
    // Heat, foam and weight.
    @location(3) @interpolate(flat) details: vec3<f32>,
}

// Position of a point in its tile, 0 to 1 from the upper left.
fn place_in_tile(world: vec2<f32>) -> vec2<f32> {
    let clip = view.clip_from_world * vec4(world, surface.depth, 1.0);
    return clip.xy / clip.w * vec2(0.5, -0.5) * surface.view_part + 0.5;
}

@vertex
fn vertex(@builtin(vertex_index) index: u32, instance: Instance) -> Vertex {
    let corner = vec2(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let centre = instance.position + instance.previous_offset * (1.0 - surface.interpolation);
    let place = place_in_tile(centre + corner * surface.radius);
    let reach = abs(place - place_in_tile(centre));

    let kind = instance.bytes.x;
    let liquid = (surface.liquids[kind / 16u][kind / 4u % 4u] >> (kind % 4u * 8u)) & 255u;
    let tile = vec2(f32(liquid % surface.columns), f32(liquid / surface.columns));
    let position = (tile + place) * surface.sizes.xy / surface.sizes.zw;

    var out: Vertex;
    out.clip_position = vec4(position * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
    // A camera may be turned: a corner is at most a diagonal away.
    let far = max(reach.x, reach.y) * 1.5;
    let centre_place = place_in_tile(centre);
    if any(centre_place < vec2(-far)) || any(centre_place > vec2(1.0 + far)) {
        // All four corners are at one point outside, so nothing is drawn.
        out.clip_position = vec4(2.0, 2.0, 2.0, 1.0);
    }
    out.corner = corner;
    out.place = place;
    let color = palette.colors[color_index_of(instance, surface.by_instance)];
    out.color = vec4(color.rgb * (1.0 + 0.05 * shade_of(instance)), color.a);
    let loose = looseness_of(instance);
    let weight = mix(surface.weight, surface.loose_weight, loose) * opacity_of(instance);
    out.details = vec3(heat_and_foam_of(instance, surface.by_instance), weight * surface.unit);
    return out;
}

struct Field {
    // The liquid's colour times the field, and the field.
    @location(0) color: vec4<f32>,
#ifdef DETAILS
    // Heat, foam and opacity, times the field.
    @location(1) details: vec4<f32>,
#endif
}

@fragment
fn fragment(in: Vertex) -> Field {
    let left = 1.0 - dot(in.corner, in.corner);
    if left <= 0.0 || any(in.place < vec2(0.0)) || any(in.place > vec2(1.0)) {
        discard;
    }
    let field = in.details.z * left * left * left;
    var out: Field;
    out.color = vec4(in.color.rgb * field, field);
#ifdef DETAILS
    out.details = vec4(in.details.xy * field, in.color.a * field, 0.0);
#endif
    return out;
}
