// The passes of a surface, in their order.

//# nearest_wall
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

//# solid
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

//# field
// Sums a smooth weight for every particle. The surface is a contour of the sum, the field.

#import bevy_blob_fluid::instance::{Instance, Palette, color_index_of, heat_and_foam_of, looseness_of, opacity_of, painted, shade_of}
#import bevy_blob_fluid::surface_types::{SurfaceUniform, place_in_tile}
#ifdef WALLS
#import bevy_blob_fluid::walls::{LINE, is_crossed, is_solid, near_wall, nearest_along, part_before_wall, wall_at}
#endif
#import bevy_blob_fluid::view::view

@group(1) @binding(0) var<uniform> surface: SurfaceUniform;
@group(1) @binding(1) var<uniform> palette: Palette;
#ifdef WALLS
@group(1) @binding(2) var walls: texture_2d<f32>;
@group(1) @binding(3) var nearest_wall: texture_2d<u32>;
@group(1) @binding(4) var solid: texture_2d<f32>;
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
// The texel at a place in a liquid's tile, or the nearest one: a tile of gases reaches farther beyond the view.
fn texel_of(place: vec2<f32>, size: vec2<u32>) -> vec2<i32> {
    return vec2<i32>(clamp(place, vec2(0.0), vec2(0.9999)) * vec2<f32>(size));
}

// Index of the wall nearest to a place in a liquid's tile, from 1; 0 where none is near.
fn nearest_at(place: vec2<f32>) -> u32 {
    return textureLoad(nearest_wall, texel_of(place, textureDimensions(nearest_wall)), 0).r;
}

#ifdef GASES
// Most steps from a point to a particle.
const STEPS: i32 = 12;

// Whether a wall is between a point and a particle. A puff is wide: the nearest wall to a place that it covers need not be
// the one between the two. Each step is as long as the distance to the nearest wall, because no other wall is closer.
fn is_hidden(point: vec2<f32>, particle: vec2<f32>) -> bool {
    let size = textureDimensions(nearest_wall);
    let whole = max(distance(point, particle), 1e-6);
    var along = 0.0;
    for (var step = 0; step < STEPS && along < whole; step++) {
        let between = mix(point, particle, along / whole);
        let place = place_in_tile(between, surface.depth, view.clip_from_world, surface.view_part);
        // Where two walls meet, either may be the nearest.
        let corner = vec2<i32>(floor(place * vec2<f32>(size) - 0.5));
        var clear = surface.wall_reach;
        var known = 0u;
        for (var part = 0; part < 4; part++) {
            let texel = clamp(corner + vec2(part & 1, part >> 1u), vec2(0), vec2<i32>(size) - 1);
            let nearest = textureLoad(nearest_wall, texel, 0).r;
            if nearest == 0u || nearest == known {
                continue;
            }
            known = nearest;
            let wall = wall_at(walls, nearest - 1u);
            if is_crossed(wall, point, particle, surface.particle_spacing) {
                return true;
            }
            clear = min(clear, abs(near_wall(wall, between, surface.particle_spacing).rank));
        }
        along += max(clear, whole / f32(STEPS));
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
#ifdef GASES
    // Only faces know on which side they are solid.
    var is_beside_face = false;
    if nearest != 0u {
        is_beside_face = (wall_at(walls, nearest - 1u).kind & LINE) == 0u;
    }
    let counts = textureLoad(solid, texel_of(place, textureDimensions(solid)), 0);
    if !is_beside_face && is_solid(counts, surface.inside_out, surface.contained) {
        discard;
    }
#endif
    if nearest != 0u {
        var wall = near_wall(wall_at(walls, nearest - 1u), in.world, surface.particle_spacing);
#ifdef GASES
        // The texels of gases differ from those that know the nearest wall. Beyond the end of a face, a place in a
        // round container would count as solid.
        wall = nearest_along(walls, nearest, wall, in.world, surface.particle_spacing);
        // A pixel behind a wall knows the wall up to a limited distance. Beyond it, an eddy would show this gas.
        if wall.distance < -wall.slack {
            discard;
        }
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

//# coarser
// Fill of the surroundings: each texel is the mean of 4 x 4 finer texels. In a field with wide texels it is the mean of
// 2 x 2. The first channel holds the liquid, and the second the part that is not solid. The third holds the light of
// glowing liquid and gas, and the fourth the shades of particles times the liquid.

#import bevy_blob_fluid::surface_types::SurfaceUniform
#ifdef WALLS
#import bevy_blob_fluid::walls::is_solid
#endif

@group(0) @binding(0) var<uniform> surface: SurfaceUniform;
@group(0) @binding(1) var finer: texture_2d<f32>;
@group(0) @binding(2) var linear: sampler;
@group(0) @binding(3) var details: texture_2d<f32>;
@group(0) @binding(4) var gas_details: texture_2d<f32>;
#ifdef WALLS
@group(0) @binding(5) var solid: texture_2d<f32>;
#endif

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    // One triangle that covers the whole target.
    return vec4(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

#ifdef FROM_FIELD
// The sum of the liquids' fields at a place in a tile, the light of glowing liquids, and the particles' shades times
// the field.
fn liquid_at(place: vec2<f32>, size: vec2<f32>) -> vec3<f32> {
    var found = vec3(0.0);
#ifdef TILES
    for (var liquid = 0u; liquid < surface.liquid_count; liquid++) {
        let look = surface.looks[liquid];
        if look.haze == 0.0 {
            let slot = vec2(look.slot % surface.columns, look.slot / surface.columns);
            let at = (vec2<f32>(slot) * surface.sizes.xy + place) / size;
            found.x += textureSampleLevel(finer, linear, at, 0.0).a;
#ifdef DETAILS
            let detail = textureSampleLevel(details, linear, at, 0.0);
            found.y += detail.x * look.glow;
            found.z += detail.w;
#endif
        }
    }
#endif
#ifdef ONE_LIQUID
    let fields = textureSampleLevel(finer, linear, place / size, 0.0);
    found.x = fields.x;
#ifdef DETAILS
    found.y = fields.y * surface.looks[surface.channels.x].glow;
    found.z = fields.w;
#endif
#endif
#ifdef FOUR_LIQUIDS
    let fields = textureSampleLevel(finer, linear, place / size, 0.0);
    found.x = dot(fields, vec4(1.0));
#ifdef DETAILS
    let detail = textureSampleLevel(details, linear, place / size, 0.0);
    var glow = 0.0;
    for (var channel = 0; channel < 4; channel++) {
        glow += surface.looks[surface.channels[channel]].glow * fields[channel];
    }
    found.y = detail.x * glow / max(found.x, 1e-4);
    found.z = detail.w;
#endif
#endif
    return found / surface.unit;
}

// The light of glowing gases at a place in a liquid's tile.
fn gas_light_at(place: vec2<f32>) -> f32 {
    var light = 0.0;
#ifdef DETAILS
#ifdef GASES
    let in_view = (place / surface.sizes.xy - 0.5) / surface.view_part;
    let tile = surface.gas_sizes.xy;
    let texel = (in_view * surface.gas_view_part + 0.5) * tile;
    for (var liquid = 0u; liquid < surface.liquid_count; liquid++) {
        let look = surface.looks[liquid];
        if look.haze > 0.0 {
            let slot = vec2(look.slot % surface.gas_columns, look.slot / surface.gas_columns);
            let at = (vec2<f32>(slot) * tile + texel) / surface.gas_sizes.zw;
            light += textureSampleLevel(gas_details, linear, at, 0.0).x * look.glow;
        }
    }
#endif
#endif
    return light / surface.unit;
}
#endif

@fragment
fn fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let size = vec2<f32>(textureDimensions(finer));
#ifdef FROM_FIELD
    let step = surface.step;
#else
    let step = 4.0;
#endif
    // The corner of the block, in finer texels.
    let block = floor(position.xy) * step;
    var sum = vec4(0.0);
#ifdef WALLS
    // A solid texel has no information about the liquid.
    let counts = textureLoad(solid, vec2<i32>(position.xy), 0);
    if is_solid(counts, surface.inside_out, surface.contained) {
        return vec4(0.0);
    }
#endif
    for (var part = 0u; part < 4u; part++) {
        // A sample between four texels is their mean.
        let place = block + (vec2(f32(part & 1u), f32(part >> 1u)) * 2.0 + 1.0) * 0.25 * step;
#ifdef FROM_FIELD
        let found = liquid_at(place, size);
        // Glow is at most 10, and bytes are at most 1.
        let bright = min(0.1 * (found.y + gas_light_at(place)), 1.0);
        let full = min(found.x, 1.0);
        sum += vec4(full, 1.0, bright, found.z * full / max(found.x, 1e-4));
#else
        sum += textureSampleLevel(finer, linear, place / size, 0.0);
#endif
    }
    return sum * 0.25;
}

//# shape
// The shape of the surface. The first two channels hold its slope at large scale, times 1/4 plus 1/2. The third holds
// the square root of the depth, as a fraction of `DEEPEST`. The fourth holds the fill of the surroundings.

#import bevy_blob_fluid::surface_types::{DEEPEST, SurfaceUniform}

@group(0) @binding(0) var<uniform> surface: SurfaceUniform;
@group(0) @binding(1) var shallow: texture_2d<f32>;
@group(0) @binding(2) var deep: texture_2d<f32>;
@group(0) @binding(3) var wide: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    // One triangle that covers the whole target.
    return vec4(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

// The liquid and the part that is not solid, smoothed by a cubic B-spline, with their gradients per
// texel.
struct Smooth {
    value: vec2<f32>,
    right: vec2<f32>,
    down: vec2<f32>,
}

fn smooth_at(image: texture_2d<f32>, place: vec2<f32>) -> Smooth {
    let corner = floor(place - 0.5);
    let f = place - 0.5 - corner;
    let g = 1.0 - f;
    // The weights of four texels along each axis, and their derivatives.
    var weights = array<vec2<f32>, 4>(
        g * g * g / 6.0,
        2.0 / 3.0 - f * f * (1.0 - 0.5 * f),
        2.0 / 3.0 - g * g * (1.0 - 0.5 * g),
        f * f * f / 6.0,
    );
    var slopes = array<vec2<f32>, 4>(
        -0.5 * g * g,
        f * (1.5 * f - 2.0),
        g * (2.0 - 1.5 * g),
        0.5 * f * f,
    );
    let last = vec2<i32>(textureDimensions(image)) - 1;
    var out = Smooth(vec2(0.0), vec2(0.0), vec2(0.0));
    for (var row = 0; row < 4; row++) {
        for (var column = 0; column < 4; column++) {
            let at = clamp(vec2<i32>(corner) + vec2(column, row) - 1, vec2(0), last);
            let texel = textureLoad(image, at, 0).rg;
            out.value += weights[column].x * weights[row].y * texel;
            out.right += slopes[column].x * weights[row].y * texel;
            out.down += weights[column].x * slopes[row].y * texel;
        }
    }
    return out;
}

// Fill of the part that is not solid (z), and its gradient (x and y).
fn fullness(smooth_value: Smooth) -> vec3<f32> {
    let open = max(smooth_value.value.y, 1e-2);
    let full = smooth_value.value.x / open;
    let right = smooth_value.right.x - full * smooth_value.right.y;
    let down = smooth_value.down.x - full * smooth_value.down.y;
    return vec3(right / open, down / open, full);
}

// The fill deep inside of the liquid. It is a little less than 1, because the field is clamped to 1 before it is
// averaged.
const FULL: f32 = 0.96;

// Largest excess of the fill over one half, as a fraction of one half. Above it, errors of partly solid texels would
// decide the result.
const MOST: f32 = 0.93;

// The depth below a level surface at which the surroundings have this fill, for weights of standard deviation 1. It
// approximates the inverse of the normal distribution, and is 0 below a fill of one half.
fn depth_of(full: f32) -> f32 {
    let more = clamp(2.0 * full / FULL - 1.0, 0.0, MOST);
    return 1.2 * more / (sqrt(1.0 - more * more) + 0.25);
}

// Standard deviation of a coarser texture's weights, in its texels: a cubic B-spline over boxes.
const SPREAD: f32 = 0.645;

@fragment
fn fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let near = fullness(smooth_at(shallow, position.xy));
    let far = fullness(smooth_at(deep, position.xy / 4.0));
    let around = fullness(smooth_at(wide, position.xy / 16.0));
    // From texels to particle spacings. The liquid leans away from its fuller side.
    let texels = surface.texels_per_spacing / surface.step;
    let lean = (near.xy * 0.8 + far.xy / 4.0 * 1.6) * texels * vec2(-1.0, 1.0);
    // Each texture knows depths up to a few of its texels, and the deepest known value dominates.
    let depths = vec3(depth_of(near.z), 4.0 * depth_of(far.z), 16.0 * depth_of(around.z))
        * SPREAD / texels;
    let squares = depths * depths;
    let depth = sqrt(sqrt(dot(squares, squares)));
    return vec4(0.25 * lean + 0.5, sqrt(min(depth / DEEPEST, 1.0)), near.z);
}

//# haze
// The colour and opacity of all gases together at each texel of a liquid's tile, with light. The field of gases and the
// swirl are wider than a texel, so a finer resolution would show nothing more.

#import bevy_blob_fluid::surface_bindings::surface
#import bevy_blob_fluid::surface_gas::haze_at
#import bevy_blob_fluid::surface_haze::stored
#import bevy_blob_fluid::surface_places::world_at
#ifdef WALLS
#import bevy_blob_fluid::surface_bindings::solid_texture
#import bevy_blob_fluid::surface_places::scale_at
#import bevy_blob_fluid::surface_reading::before_walls
#import bevy_blob_fluid::walls::is_solid
#endif
#import bevy_blob_fluid::view::view

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    // One triangle that covers the whole target.
    return vec4(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let lit = position.xy / surface.sizes.xy;
    let in_view = ((lit - 0.5) / surface.view_part + 0.5) * view.viewport.zw;
    let world = world_at(in_view);
    var place = lit;
    var clear = 1e9;
#ifdef WALLS
    // The field of gases is so coarse that nearer to a wall it is also that behind the wall.
    let inset = surface.gas_inset;
    let reading = before_walls(world, position.xy, scale_at(in_view, world), inset);
    // Far from all faces, and beside lines, only this texture knows what is solid.
    let solid_texel = vec2<i32>(lit * vec2<f32>(textureDimensions(solid_texture)));
    let counts = textureLoad(solid_texture, solid_texel, 0);
    if reading.wall > surface.particle_spacing
        && is_solid(counts, surface.inside_out, surface.contained) {
        return vec4(0.0);
    }
    place = reading.texel / surface.sizes.xy;
    clear = max(reading.wall - inset, 0.0);
#endif
    return stored(haze_at(place, lit, world, clear));
}

//# draw
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
