// Finds the wall nearest to each texel of the field. Every wall is drawn up to the distance at
// which it matters, and the depth test keeps the nearest wall.

#import bevy_blob_fluid::surface_types::{SurfaceUniform, place_in_tile}
#import bevy_blob_fluid::walls::{near_wall, wall_at}
#import bevy_blob_fluid::view::view

@group(1) @binding(0) var<uniform> surface: SurfaceUniform;
@group(1) @binding(1) var walls: texture_2d<f32>;

struct Vertex {
    @builtin(position) position: vec4<f32>,
    @location(0) world: vec2<f32>,
    @location(1) @interpolate(flat) index: u32,
}

@vertex
fn vertex(
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
) -> Vertex {
    let wall = wall_at(walls, instance);
    let reach = surface.wall_reach + wall.half_thickness;
    let way = wall.end - wall.start;
    let along = way * inverseSqrt(max(dot(way, way), 1e-20)) * reach;
    let across = vec2(-along.y, along.x) * (f32(index >> 1u) * 2.0 - 1.0);
    let end = select(wall.start - along, wall.end + along, (index & 1u) == 1u);
    var out: Vertex;
    out.world = end + across;
    out.index = instance;
    let place = place_in_tile(out.world, surface.depth, view.clip_from_world, surface.view_part);
    out.position = vec4(place * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
    let low = min(wall.start, wall.end) - reach;
    let high = max(wall.start, wall.end) + reach;
    if any(high < surface.bounds.xy) || any(low > surface.bounds.zw) {
        // All four corners are at one point outside, because no liquid is near.
        out.position = vec4(2.0, 2.0, 2.0, 1.0);
    }
    return out;
}

struct Nearest {
    // Index of the wall, from 1.
    @location(0) index: u32,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn fragment(in: Vertex) -> Nearest {
    let near = near_wall(wall_at(walls, in.index), in.world, surface.particle_spacing);
    let distance = max(near.rank, 0.0);
    if distance >= surface.wall_reach {
        discard;
    }
    return Nearest(in.index + 1u, distance / surface.wall_reach);
}
