// Sums a smooth weight for every particle. The surface is a contour of the sum, the field.

#import bevy_blob_fluid::instance::{Instance, Palette, color_index_of, heat_and_foam_of, looseness_of, opacity_of, painted, shade_of}
#import bevy_blob_fluid::surface_types::{SurfaceUniform, place_in_tile}
#ifdef WALLS
#import bevy_blob_fluid::walls::{is_crossed, near_wall, nearest_along, part_before_wall, wall_at, wall_count}
#endif
#import bevy_blob_fluid::view::view

@group(1) @binding(0) var<uniform> surface: SurfaceUniform;
@group(1) @binding(1) var<uniform> palette: Palette;
#ifdef WALLS
@group(1) @binding(2) var walls: texture_2d<f32>;
@group(1) @binding(3) var nearest_wall: texture_2d<u32>;
#endif

struct Vertex {
    @builtin(position) clip_position: vec4<f32>,
    // Position in the particle's square, -1 to 1.
    @location(0) corner: vec2<f32>,
    // Position in the liquid's tile, 0 to 1.
    @location(1) place: vec2<f32>,
    // The particle's colour, or a 1 in the channel of its liquid.
    @location(2) @interpolate(flat) color: vec4<f32>,
    // Heat, foam, shade from 0 to 1, and weight.
    @location(3) @interpolate(flat) details: vec4<f32>,
#ifdef WALLS
    // Position of the fragment and of the particle, in world units.
    @location(4) world: vec2<f32>,
    @location(5) @interpolate(flat) centre: vec2<f32>,
    @location(6) @interpolate(flat) radius: f32,
#endif
}

fn place_of(world: vec2<f32>) -> vec2<f32> {
#ifdef GASES
    let part = surface.gas_view_part;
#else
    let part = surface.view_part;
#endif
    return place_in_tile(world, surface.depth, view.clip_from_world, part);
}

// The offset of a corner of a particle's square from its centre, in world units. Loose particles in flight are stretched
// along their path by the distance of a tick, and as much narrower: a thin jet is a rope and not a string of beads.
fn offset_of(corner: vec2<f32>, radius: f32, instance: Instance) -> vec2<f32> {
#ifndef GASES
    let path = instance.previous_offset;
    let distance = length(path) / surface.particle_spacing;
    if distance > 0.05 && looseness_of(instance) > 0.0 {
        let stretch = 1.0 + 0.5 * min(distance, 1.0) * looseness_of(instance);
        let along = path / length(path);
        let across = vec2(-along.y, along.x);
        return radius * (along * corner.x * stretch + across * corner.y / stretch);
    }
#endif
    return radius * corner;
}

@vertex
fn vertex(@builtin(vertex_index) index: u32, instance: Instance) -> Vertex {
    let kind = instance.bytes.x;
    let liquid = (surface.liquids[kind / 16u][kind / 4u % 4u] >> (kind % 4u * 8u)) & 255u;
    let look = surface.looks[liquid];
    let radius = look.radius;
    let corner = vec2(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let centre = instance.position + instance.previous_offset * (1.0 - surface.interpolation);
    let offset = offset_of(corner, radius, instance);
    let place = place_of(centre + offset);
    let centre_place = place_of(centre);
    let reach = abs(place - centre_place);
#ifdef GASES
    let columns = surface.gas_columns;
    let sizes = surface.gas_sizes;
    let is_other = look.haze == 0.0;
#else
    let columns = surface.columns;
    let sizes = surface.sizes;
    let is_other = look.haze > 0.0;
#endif
#ifdef TILES
    let tile = vec2(f32(look.slot % columns), f32(look.slot / columns));
#else
    let tile = vec2(0.0);
#endif
    let position = (tile + place) * sizes.xy / sizes.zw;

    var out: Vertex;
    out.clip_position = vec4(position * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
    // A camera may be rotated, and a corner is at most a diagonal away.
    let far = max(reach.x, reach.y) * 1.5;
    if is_other || any(centre_place < vec2(-far)) || any(centre_place > vec2(1.0 + far)) {
        // All four corners are at one point outside, so nothing is drawn.
        out.clip_position = vec4(2.0, 2.0, 2.0, 1.0);
    }
    out.corner = corner;
    out.place = place;
#ifdef TILES
    let color = painted(instance, palette.colors[color_index_of(instance, surface.by_instance)]);
    out.color = vec4(color.rgb * (1.0 + 0.05 * shade_of(instance)), color.a);
#else
    // A 1 in the channel of the liquid.
    let channel = vec4<f32>(vec4(look.slot) == vec4(0u, 1u, 2u, 3u));
    out.color = channel;
#endif
    var weight = look.weight;
#ifndef GASES
    weight = mix(weight, surface.loose_weight, looseness_of(instance));
#endif
    weight *= opacity_of(instance);
    let heat_and_foam = heat_and_foam_of(instance, surface.by_instance);
    out.details = vec4(heat_and_foam, shade_of(instance) + 0.5, weight * surface.unit);
#ifdef WALLS
    out.world = centre + offset;
    out.centre = centre;
    out.radius = radius;
#endif
    return out;
}

#ifdef WALLS
// Index of the wall nearest to a place in a liquid's tile, from 1; 0 where none is near.
fn nearest_at(place: vec2<f32>) -> u32 {
    return textureLoad(nearest_wall, vec2<i32>(place * vec2<f32>(textureDimensions(nearest_wall))), 0).r;
}

#ifdef GASES
// Places on the way from a particle at which walls are looked for. A puff is wide: the nearest wall to a place that it
// covers need not be the one between the two.
const PLACES: i32 = 4;

// Whether a wall is between a point and a particle.
fn is_hidden(point: vec2<f32>, particle: vec2<f32>) -> bool {
    let count = wall_count(walls);
    for (var part = 0; part < PLACES; part++) {
        let between = mix(point, particle, (f32(part) + 0.5) / f32(PLACES));
        let place = place_in_tile(between, surface.depth, view.clip_from_world, surface.view_part);
        let nearest = nearest_at(place);
        if nearest == 0u {
            continue;
        }
        // Where two faces meet, either may be the nearest.
        for (var index = max(nearest, 2u) - 1u; index <= min(nearest + 1u, count); index++) {
            if is_crossed(wall_at(walls, index - 1u), point, particle, surface.particle_spacing) {
                return true;
            }
        }
    }
    return false;
}
#endif
#endif

struct Field {
    // The content that `Channels` in `uniform.rs` describes.
    @location(0) channels: vec4<f32>,
#ifdef DETAILS
    // Heat, foam, opacity and shade, times the field.
    @location(1) details: vec4<f32>,
#endif
}

@fragment
fn fragment(in: Vertex) -> Field {
    let left = 1.0 - dot(in.corner, in.corner);
    if left <= 0.0 || any(in.place < vec2(0.0)) || any(in.place > vec2(1.0)) {
        discard;
    }
    var field = in.details.w * left * left * left;
#ifdef WALLS
    var place = in.place;
#ifdef GASES
    if is_hidden(in.world, in.centre) {
        discard;
    }
    place = (place - 0.5) / surface.gas_view_part * surface.view_part + 0.5;
#endif
    let nearest = nearest_at(place);
    if nearest != 0u {
        var wall = near_wall(wall_at(walls, nearest - 1u), in.world, surface.particle_spacing);
#ifdef GASES
        // The texels of gases differ from those that know the nearest wall. Beyond the end of a face, a place in a
        // round container would count as solid.
        wall = nearest_along(walls, nearest, wall, in.world, surface.particle_spacing);
#else
        // Only liquid on the same side of the wall counts. The rest of the weight's area is wall,
        // and counts as if the liquid continued into it.
        if dot(in.centre - in.world, wall.normal) + wall.distance < -wall.slack {
            discard;
        }
#endif
        field /= part_before_wall(wall.distance, in.radius);
    }
#endif
    var out: Field;
#ifdef TILES
    out.channels = vec4(in.color.rgb * field, field);
#else
#ifdef ONE_LIQUID
    out.channels = vec4(1.0, in.details.xyz) * field;
#else
    out.channels = in.color * field;
#endif
#endif
#ifdef DETAILS
    out.details = vec4(in.details.xy, in.color.a, in.details.z) * field;
#endif
    return out;
}
