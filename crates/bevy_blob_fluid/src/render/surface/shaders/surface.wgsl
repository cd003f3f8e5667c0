// The closed surface of the liquid: its uniform and bindings, its properties at a pixel, and its light.

//# bevy_blob_fluid::surface_types
// The uniform of a surface; see `uniform.rs`.

// Upper bound of the known depths, in particle spacings.
const DEEPEST: f32 = 40.0;

struct Look {
    outline_color: vec4<f32>,
    depth_color: vec4<f32>,
    foam_color: vec4<f32>,
    sky_color: vec4<f32>,
    crust_color: vec4<f32>,
    color: vec4<f32>,
    opacity: f32,
    outline_width: f32,
    rim_light: f32,
    specular: f32,
    shininess: f32,
    refraction: f32,
    caustics: f32,
    glow: f32,
    reflection: f32,
    depth: f32,
    haze: f32,
    grain: f32,
    grain_size: f32,
    radius: f32,
    weight: f32,
    slot: u32,
}

struct SurfaceUniform {
    looks: array<Look, 16>,
    liquids: array<vec4<u32>, 16>,
    bounds: vec4<f32>,
    world_from_pixel: mat3x3<f32>,
    sizes: vec4<f32>,
    gas_sizes: vec4<f32>,
    channels: vec4<u32>,
    view_part: vec2<f32>,
    gas_view_part: vec2<f32>,
    columns: u32,
    gas_columns: u32,
    liquid_count: u32,
    step: f32,
    texels_per_spacing: f32,
    flat_field: f32,
    radius: f32,
    loose_weight: f32,
    interpolation: f32,
    depth: f32,
    threshold: f32,
    particle_spacing: f32,
    time: f32,
    by_instance: u32,
    refracts: u32,
    unit: f32,
    wall_reach: f32,
    wall_inset: f32,
    gas_inset: f32,
    haze_inset: f32,
    inside_out: u32,
    contained: u32,
}

// Position of a point in its tile, 0 to 1 from the upper left.
fn place_in_tile(
    world: vec2<f32>,
    depth: f32,
    clip_from_world: mat4x4<f32>,
    view_part: vec2<f32>,
) -> vec2<f32> {
    let clip = clip_from_world * vec4(world, depth, 1.0);
    return clip.xy / clip.w * vec2(0.5, -0.5) * view_part + 0.5;
}

//# bevy_blob_fluid::surface_bindings
// Bindings of the shader of a surface.

#import bevy_blob_fluid::surface_types::SurfaceUniform

@group(1) @binding(0) var<uniform> surface: SurfaceUniform;
@group(1) @binding(1) var field_texture: texture_2d<f32>;
@group(1) @binding(2) var details_texture: texture_2d<f32>;
@group(1) @binding(3) var shape_texture: texture_2d<f32>;
@group(1) @binding(4) var deep_texture: texture_2d<f32>;
@group(1) @binding(5) var behind_texture: texture_2d<f32>;
@group(1) @binding(6) var linear_sampler: sampler;
#ifdef FROM_GASES
@group(1) @binding(7) var gas_texture: texture_2d<f32>;
#else
@group(1) @binding(7) var haze_texture: texture_2d<f32>;
#endif
@group(1) @binding(8) var gas_details_texture: texture_2d<f32>;
@group(1) @binding(9) var shallow_texture: texture_2d<f32>;
#ifdef WALLS
@group(1) @binding(10) var walls_texture: texture_2d<f32>;
@group(1) @binding(11) var nearest_wall_texture: texture_2d<u32>;
@group(1) @binding(12) var solid_texture: texture_2d<f32>;
#endif

//# bevy_blob_fluid::surface_places
// Conversion of positions between the view and the world.

#import bevy_blob_fluid::surface_bindings::surface

// Position in world units of a place in the view, which is in pixels.
fn world_at(pixel: vec2<f32>) -> vec2<f32> {
    let world = surface.world_from_pixel * vec3(pixel, 1.0);
    return world.xy / world.z;
}

// World units per pixel at a place in the view, whose position in the world is `world`.
fn scale_at(pixel: vec2<f32>, world: vec2<f32>) -> f32 {
    let map = surface.world_from_pixel;
    let divisor = (map * vec3(pixel, 1.0)).z;
    let rise = vec2(map[0].x - world.x * map[0].z, map[1].x - world.x * map[1].z);
    return max(length(rise / divisor), 1e-9);
}

//# bevy_blob_fluid::surface_light
// Light inside of a liquid, and the colour of glow.

// A net of moving lines, as of light at the bottom of a pool: 1 on a line and 0 far from it. A mesh is about 1 wide in
// `p`. A larger `sharpness` makes thinner lines.
fn net(p: vec2<f32>, time: f32, sharpness: f32) -> f32 {
    var q = 4.2 * p;
    q += 0.9 * vec2(sin(0.61 * q.y + 0.7 * time), sin(0.53 * q.x - 0.6 * time + 1.3));
    q += 0.45 * vec2(sin(1.37 * q.y - 0.9 * time + 2.1), sin(1.51 * q.x + 0.8 * time));
    // Three waves, a sixth of a turn apart, have closed lines of zeros.
    let waves = vec3(
        sin(q.x + 0.4 * time),
        sin(0.5 * q.x + 0.866 * q.y - 0.5 * time),
        sin(0.5 * q.x - 0.866 * q.y + 0.3 * time),
    );
    return near_zero(waves.x + waves.y - waves.z + 0.35, sharpness);
}

// 1 where a smooth value is 0, and 0 far from there. A larger `sharpness` makes a thinner line.
fn near_zero(value: f32, sharpness: f32) -> f32 {
    return 1.0 / (1.0 + sharpness * value * value);
}

// Shafts of light that fall from the upper left through a wavy surface, 0 to 1. `p` is in the same unit as for `caustics`.
fn shafts(p: vec2<f32>, time: f32) -> f32 {
    // The position across the shafts.
    let across = 0.92 * p.x + 0.39 * p.y;
    let wide = sin(0.43 * across + 0.17 * time) + sin(0.71 * across - 0.23 * time + 1.1);
    let thin = sin(2.3 * across + 0.45 * time + 2.3) + sin(1.57 * across - 0.6 * time);
    return smoothstep(-0.6, 2.4, wide + 0.5 * thin);
}

// Light that a wavy surface focuses into lines. A mesh is about 1 wide in `p`.
fn caustics(p: vec2<f32>, time: f32) -> f32 {
    let one = net(p, time, 22.0);
    let other = net(0.83 * vec2(p.y, -p.x) + 0.37, 1.2 * time + 4.0, 22.0);
    // Crossings of lines are brightest.
    return 0.55 * max(one, other) + 0.9 * one * other;
}

// The reflection of a studio of soft light in a mirror with this normal. The studio has a pale ceiling with a bright
// window at the upper left, a thin one at the right, a dark horizon, and a warm floor that reflects some light.
fn studio(normal: vec3<f32>) -> vec3<f32> {
    // The eye looks along z.
    let seen = vec3(2.0 * normal.z * normal.xy, 2.0 * normal.z * normal.z - 1.0);
    let horizon = vec3(0.03, 0.035, 0.04);
    let ceiling = mix(horizon, vec3(0.86, 0.90, 0.96), smoothstep(-0.03, 0.3, seen.y));
    let ground = mix(horizon, vec3(0.52, 0.34, 0.24), smoothstep(-0.1, -0.75, seen.y));
    var light = select(ground, ceiling, seen.y > -0.03);
    let window = abs(seen.xy - vec2(-0.45, 0.58));
    light += 1.2 * (1.0 - smoothstep(0.14, 0.3, max(window.x, 1.3 * window.y)));
    let slit = abs(seen.xy - vec2(0.55, 0.2));
    light += 0.6 * (1.0 - smoothstep(0.05, 0.12, max(slit.x, 0.3 * slit.y)));
    return light;
}

// The colour of glow by heat, from red to yellow.
fn glow(heat: f32) -> vec3<f32> {
    let red = smoothstep(0.0, 0.45, heat);
    let green = smoothstep(0.2, 1.1, heat);
    let blue = smoothstep(0.7, 1.6, heat);
    return vec3(red, 0.62 * green * green, 0.5 * blue * blue) * (0.15 + heat);
}

// Three random numbers of a cell, 0 to 1.
fn random_of(cell: vec2<f32>) -> vec3<f32> {
    // `pcg3d` of Jarzynski and Olano 2020, "Hash Functions for GPU Rendering".
    var v = vec3(vec2<u32>(vec2<i32>(cell)), 7u) * 1664525u + 1013904223u;
    for (var round = 0; round < 2; round++) {
        v.x += v.y * v.z;
        v.y += v.z * v.x;
        v.z += v.x * v.y;
        v ^= v >> vec3(16u);
    }
    return vec3<f32>(v >> vec3(8u)) / 16777216.0;
}

// A heap of round grains.
struct Grain {
    // Brightness of the place, -1 to 1.
    shade: f32,
    // 1 in the middle of a grain, 0 between grains.
    middle: f32,
}

// The grain at a place; `p` is in widths of grains.
fn grain_at(p: vec2<f32>) -> Grain {
    let corner = floor(p - 0.5);
    var nearest = 9.0;
    var away = vec2(0.0);
    var own = 0.5;
    for (var part = 0; part < 4; part++) {
        let cell = corner + vec2(f32(part & 1), f32(part >> 1u));
        let random = random_of(cell);
        let offset = p - cell - 0.5 - 0.55 * (random.xy - 0.5);
        let squared = dot(offset, offset) * (1.0 + 0.5 * random.z);
        if squared < nearest {
            nearest = squared;
            away = offset;
            own = random.z;
        }
    }
    let middle = 1.0 - smoothstep(0.1, 0.5, nearest);
    // Each grain has its own shade, is light at the upper left, and has dark gaps around it.
    let shade = 0.9 * (own - 0.5) + 0.8 * dot(away, vec2(-0.5, 0.8)) - 0.7 * (1.0 - middle) + 0.15;
    return Grain(clamp(shade, -1.0, 1.0), middle);
}

//# bevy_blob_fluid::surface
// The closed surface of the liquid: its properties at a pixel, and its light.
//
// Your own shader imports this, calls `liquid_at(in)`, changes the liquid, and returns `finish(in,
// liquid, shade(liquid))`; see `FluidCustomLook`.

#import bevy_blob_fluid::output::for_target
#import bevy_blob_fluid::surface_bindings::{behind_texture, haze_texture, linear_sampler, shallow_texture, shape_texture, surface}
#import bevy_blob_fluid::surface_fields::fields_at
#ifdef HAZE
#import bevy_blob_fluid::surface_haze::restored
#endif
#import bevy_blob_fluid::surface_light::{caustics, glow, grain_at, near_zero, shafts, studio}
#import bevy_blob_fluid::surface_places::{scale_at, world_at}
#ifdef CRUST
#import bevy_blob_fluid::surface_sampling::cubic
#endif
#import bevy_blob_fluid::surface_types::DEEPEST
#import bevy_blob_fluid::surface_reading::Reading
#ifdef WALLS
#import bevy_blob_fluid::surface_reading::before_walls
#endif
#import bevy_blob_fluid::view::view

struct SurfaceVertex {
    @builtin(position) position: vec4<f32>,
    // A bit for each liquid that may be present.
    @location(0) @interpolate(flat) liquids: u32,
}

// The liquid at a pixel. Without coverage, heat, foam and depth are 0 and the normal points towards
// the eye.
struct Liquid {
    // Index of its look in `surface.looks`.
    look: u32,
    // Covered fraction of the pixel, 0 to 1.
    coverage: f32,
    // Its own colour, linear, and its opacity.
    color: vec4<f32>,
    // Temperature and foam, 0 to 1.
    heat: f32,
    foam: f32,
    // Smooth random numbers that move with the particles, of mean 0 and standard deviation 1. Spots of the fine pattern
    // are about two particle spacings wide, and those of the wide pattern about five. The fine pattern is 0 without the
    // details texture, and the wide pattern is 0 without a crust.
    fine_pattern: f32,
    wide_pattern: f32,
    // The field: 1 inside of the liquid, less at its edge, 0 outside.
    field: f32,
    // Distance to the surface, in world units; accurate near it.
    distance: f32,
    // Distance to the next liquid, in world units; accurate near it.
    next: f32,
    // How much the surface is rounded towards the next liquid, 0 to 1. The more opaque liquid is rounded most.
    rounding: f32,
    // Depth below the surface in world units, also far from it. A stream is about half as deep as it is wide.
    deep: f32,
    // Fraction of the surroundings that is liquid: about 1 inside, 0.5 at a flat surface, and less in jets and drops.
    fill: f32,
    // Fraction of the depth colour, 0 at the surface to nearly 1 at the depth of the look.
    depth: f32,
    // Normal of the surface, as of a rounded slab; z points towards the eye.
    normal: vec3<f32>,
    // Distance to the nearest wall in world units, large without a near wall, and the direction away from the wall.
    wall: f32,
    wall_normal: vec2<f32>,
    // Position in world units.
    world: vec2<f32>,
    // World units per pixel.
    pixel: f32,
    // Gas outside of the liquid: its colour, linear and lit, and its opacity.
    haze: vec4<f32>,
}

// Standard deviation of the shades of single particles. The weighted mean of n particles has a standard deviation that
// is smaller by sqrt(n). Here n is the density, 1 per square spacing, times the squared integral of the weight divided
// by the integral of the squared weight.
const SHADE: f32 = 0.327;

#ifdef CRUST
// The mean shade around a place in a coarse texture, in standard deviations. `width` is the width of a texel in
// particle spacings.
fn pattern_of(image: texture_2d<f32>, place: vec2<f32>, width: f32) -> f32 {
    let size = vec2<f32>(textureDimensions(image));
    let found = cubic(image, place * size, vec2(0.0), size);
    // A cubic B-spline over boxes is nearly a normal distribution of this variance. The variance of a particle's weight
    // adds to it.
    let radius = surface.radius / surface.particle_spacing;
    let variance = 0.42 * width * width + 0.1 * radius * radius;
    let counted = 4.0 * 3.1416 * variance;
    return (found.a / max(found.r, 1e-4) - 0.5) * sqrt(counted) / SHADE;
}
#endif

// Distance over which the difference of two adjacent wide fields grows by 1, divided by the radius
// of the weight.
const BORDER: f32 = 0.7;

// Distance from another liquid, in particle spacings, within which a liquid is rounded.
const ROUNDED: f32 = 1.4;

// Position in the view, in pixels. All values derive from it, so that a picture does not depend on the ends of strips.
fn position_in_view(in: SurfaceVertex) -> vec2<f32> {
    return in.position.xy - view.viewport.xy;
}

// Position in a liquid's tile, 0 to 1.
fn place_in_view(in_view: vec2<f32>) -> vec2<f32> {
    return (in_view / view.viewport.zw - 0.5) * surface.view_part + 0.5;
}

// The haze at a place in a tile, up to the surface of a liquid with this coverage.
fn haze_seen(in_tile: vec2<f32>, world: vec2<f32>, pixel: f32, coverage: f32) -> vec4<f32> {
#ifdef HAZE
    var place = in_tile;
    var open = 1.0;
#ifdef WALLS
    // Texels of haze are wide: nearer to a wall some of them are behind it.
    let reading = before_walls(world, place * surface.sizes.xy, pixel, surface.haze_inset);
    place = reading.texel / surface.sizes.xy;
    open = reading.open;
#endif
    let haze = restored(textureSampleLevel(haze_texture, linear_sampler, place, 0.0));
    // A place holds gas or liquid. Gas ends at the liquid's surface, and is not visible through it.
    return haze * vec4(1.0, 1.0, 1.0, open * (1.0 - coverage));
#else
    return vec4(0.0);
#endif
}

#ifdef NO_LIQUID
// The surface has only gases.
fn liquid_at(in: SurfaceVertex) -> Liquid {
    let in_view = position_in_view(in);
    let place = place_in_view(in_view);
    var out: Liquid;
    out.world = world_at(in_view);
    out.pixel = scale_at(in_view, out.world);
    out.wall = 1e9;
    out.next = 1e9;
    out.distance = -1e9;
    out.normal = vec3(0.0, 0.0, 1.0);
#ifdef WALLS
    let reading = before_walls(out.world, place * surface.sizes.xy, out.pixel, surface.wall_inset);
    out.wall = reading.wall;
    out.wall_normal = reading.wall_normal;
#endif
    out.haze = haze_seen(place, out.world, out.pixel, 0.0);
    return out;
}

fn shade(liquid: Liquid) -> vec4<f32> {
    return vec4(0.0);
}
#else
fn liquid_at(in: SurfaceVertex) -> Liquid {
    let in_view = position_in_view(in);
    let place = place_in_view(in_view);
    let tile = surface.sizes.xy;
    let unshifted = place * tile;
    let texels_per_pixel = surface.view_part.x * tile.x / view.viewport.z;
    let world = world_at(in_view);
    let pixel = scale_at(in_view, world);
    // Slope of the liquid at large scale, depth of the place, and fill of its surroundings.
    let shape = textureSampleLevel(shape_texture, linear_sampler, place, 0.0);
    let spacings = shape.z * shape.z * DEEPEST;
    var reading = Reading(unshifted, 1.0, 1e9, vec2(0.0), vec2(0.0), vec2(0.0));
#ifdef WALLS
    reading = before_walls(world, unshifted, pixel, surface.wall_inset);
#endif
    let texel = reading.texel;

    let fields = fields_at(texel, in.liquids);
    var rise = fields.rise;
    rise -= reading.flat_a * dot(rise, reading.flat_a);
    rise -= reading.flat_b * dot(rise, reading.flat_b);
    var total = fields.total / surface.unit;
#ifdef WALLS
    // A drop on a wall widens there. It is read at a distance at which it is nearly as wide as long.
    let alone = 1.0 - smoothstep(0.25, 0.4, shape.w);
    total *= 1.0 + alone * max(1.0 - max(reading.wall, 0.0) / surface.wall_inset, 0.0);
    // Particles keep a distance from the corner of a solid. If more than half of the deep surroundings is full, the
    // thin field at the corner is not a surface.
    let near_wall = 1.0 - smoothstep(1.0, 2.0, reading.wall / surface.particle_spacing);
    let closed = near_wall * smoothstep(0.45, 0.6, shape.w) * smoothstep(1.0, 2.5, spacings);
    total = mix(total, max(total, 1.0), closed);
#endif
    let most = fields.most / surface.unit;
    let second = fields.second / surface.unit;

    var out: Liquid;
    out.world = world;
    out.wall = reading.wall;
    out.wall_normal = reading.wall_normal;
    out.look = fields.look;
    out.field = total;
    let slope = rise / surface.unit * texels_per_pixel;
    let steepness = length(slope);
    out.pixel = pixel;
    out.coverage = clamp(0.5 + (total - surface.threshold) / max(steepness, 1e-5), 0.0, 1.0)
        * reading.open;
    out.distance = (total - surface.threshold) / max(steepness, 1e-5) * pixel;
    let apart = (most - second) * BORDER * surface.radius;
    out.next = select(1e9, apart, second > 1e-3);
    let share = clamp(0.5 + apart / pixel, 0.0, 1.0);
    out.color = vec4(fields.color, fields.opacity);
    if second > 1e-3 {
        out.color = vec4(mix(fields.other, fields.color, share), fields.opacity);
    }

    out.haze = haze_seen(place, world, pixel, out.coverage);
    out.heat = 0.0;
    out.foam = 0.0;
    out.fine_pattern = 0.0;
    out.wide_pattern = 0.0;
    out.rounding = 0.0;
    out.normal = vec3(0.0, 0.0, 1.0);
    if out.coverage <= 0.0 {
        // An uncovered pixel needs no light.
        return out;
    }
    out.heat = fields.heat;
    out.foam = fields.foam;
#ifdef DETAILS
    // The weight is (1 - q²)³.
    let radius = surface.radius / surface.particle_spacing;
    let counted = 7.0 / 16.0 * 3.1416 * radius * radius;
    out.fine_pattern = (fields.shade - 0.5) * sqrt(counted) / SHADE;
#endif
#ifdef CRUST
    let width = surface.step / surface.texels_per_spacing;
    out.wide_pattern = pattern_of(shallow_texture, place, width);
#endif

    out.fill = shape.w;
    out.deep = spacings * surface.particle_spacing;
    out.depth = 1.0 - exp(-3.0 * spacings / surface.looks[out.look].depth);

    // A rounded edge, steep at the surface, on a gently bulging shape. The field inside has ripples
    // from single particles. To hide them, it counts as full well below 1.
    let inside = smoothstep(surface.threshold, mix(surface.threshold, 1.0, 0.55), total);
    let outwards = -slope / max(steepness, 1e-5) * vec2(1.0, -1.0);
    // A mirror bulges more, so that it shows more of its surroundings.
    let bulge = mix(1.0, 1.9, surface.looks[out.look].reflection);
    var lean = outwards * (1.0 - inside) * 0.75 + bulge * (4.0 * shape.xy - 2.0);
    // Towards another liquid, the more opaque one has an edge of its own: without one it would look flat there.
    let from_border = out.next / surface.particle_spacing;
    if from_border < ROUNDED {
        let more_opaque = surface.looks[fields.look].opacity - surface.looks[fields.other_look].opacity;
        out.rounding = clamp(0.4 + 4.0 * more_opaque, 0.0, 1.0) * (1.0 - smoothstep(0.0, ROUNDED, from_border));
        let apart_slope = fields.apart / surface.unit * texels_per_pixel * BORDER * surface.radius / pixel;
        lean -= 0.7 * out.rounding * apart_slope / max(1.0, length(apart_slope)) * vec2(1.0, -1.0);
    }
    lean /= max(1.0, length(lean) / 0.97);
    out.normal = normalize(vec3(lean, sqrt(1.0 - dot(lean, lean))));
    return out;
}

// The light of the liquid, and its opacity.
fn shade(liquid: Liquid) -> vec4<f32> {
    let look = surface.looks[liquid.look];
    var color = liquid.color.rgb;
    var alpha = liquid.color.a * look.opacity;
    let light = normalize(vec3(-0.45, 0.75, 0.6));
    let towards = dot(liquid.normal, light);

    let spacing = surface.particle_spacing;
    // Liquid absorbs first the weakest channels. Light that comes from near the surface has kept more of them: it is
    // paler, and greener in blue water. Deep down the colour is more saturated and tends to the depth colour.
    let brightest = max(max(color.r, color.g), max(color.b, 1e-3));
    let tint = look.depth_color.a * liquid.depth;
    let pale = brightest * pow(color / brightest, vec3(0.55));
    let deep = 0.4 * color * color / brightest + 0.6 * look.depth_color.rgb;
    color = mix(color, pale, 0.85 * look.depth_color.a * (1.0 - liquid.depth));
    color = mix(color, deep, tint);
    var texture = 1.0;
#ifdef GRAIN
    if look.grain > 0.0 {
        // The pattern moves with the particles, and so do the grains.
        let place = liquid.world / look.grain_size + vec2(0.4, 0.3) * liquid.fine_pattern;
        let grain = grain_at(place);
        let contrast = look.grain * (1.0 - smoothstep(0.3, 0.7, liquid.pixel / look.grain_size));
        texture = 1.0 + contrast * grain.shade;
        color *= texture;
        // Grains stand out from the surface.
        let bump = liquid.distance - look.grain_size * (0.5 - 0.7 * grain.middle);
        alpha *= mix(1.0, clamp(0.5 + bump / liquid.pixel, 0.0, 1.0), contrast);
    }
#endif
    let below = liquid.deep / spacing;
    color *= 1.0 + 0.6 * look.rim_light * exp(-below / 5.0);
    alpha = mix(alpha, 1.0, 0.85 * tint * min(2.0 * alpha, 1.0));
    // A jet or a drop of clear liquid lets most of the picture behind it through, and has little colour of its own.
    let clear = smoothstep(0.0, 0.3, look.refraction) * clamp(2.5 - 2.5 * look.opacity, 0.0, 1.0)
        * (1.0 - smoothstep(0.28, 0.46, liquid.fill));
    alpha *= 1.0 - 0.55 * clear;
    color = mix(color, mix(pale, look.sky_color.rgb, 0.5), 0.5 * clear);
#ifdef CAUSTICS
    if look.caustics > 0.0 {
        let place = liquid.world / (spacing * 9.0);
        let pattern = caustics(place, surface.time);
        // Caustics gather a little below the surface, fade with depth, and are brightest on a floor.
        let floor_near = smoothstep(0.2, 0.7, liquid.wall_normal.y) * exp(-max(liquid.wall, 0.0) / spacing);
        let strength = look.caustics * liquid.normal.z * smoothstep(0.3, 2.5, below)
            * (0.35 * exp(-below / 4.0) + 0.9 * exp(-below / 40.0) * floor_near);
        color += pattern * strength * (0.7 * color + 0.25 * look.sky_color.rgb * brightest);
        let lit = look.caustics * shafts(place, surface.time) * smoothstep(0.5, 4.0, below) * exp(-below / 11.0);
        color += lit * (0.45 * color + 0.3 * pale);
    }
#endif
    // Light from above at the surface, and shade below and at walls.
    let from_surface = liquid.distance / spacing;
    let edge = 1.0 - clamp(from_surface / 1.4, 0.0, 1.0);
    let band = max(edge * edge, 0.6 * liquid.rounding);
    let shaded = max(1.0 - smoothstep(0.35, 1.25, from_surface), 0.6 * liquid.rounding);
    let up = smoothstep(0.12, 0.8, liquid.normal.y);
    let down = smoothstep(0.12, 0.8, -liquid.normal.y);
    color *= 1.0 + 0.25 * look.rim_light * (towards - light.z);
    color *= 1.0 - min(0.5 * look.rim_light, 0.6) * (1.0 - 0.75 * clear) * shaded * down;
    let above = mix(0.9 * color, look.sky_color.rgb, look.sky_color.a);
    color += look.rim_light * band * up * above * 0.75;
    let contact = 1.0 - smoothstep(0.0, 0.45 * spacing, liquid.wall);
    color *= 1.0 - min(0.7 * look.rim_light, 0.5) * contact;
    if look.reflection > 0.0 {
        let edge_on = pow(1.0 - liquid.normal.z, 2.0);
        let mirrored = look.reflection * mix(0.15 + 0.85 * edge_on, 1.0, look.reflection * look.reflection);
        color = mix(color, studio(liquid.normal) * mix(vec3(1.0), color / brightest, look.reflection), mirrored);
        alpha = max(alpha, mirrored);
    }
    let half_way = normalize(light + vec3(0.0, 0.0, 1.0));
    let shine = look.specular * pow(max(dot(liquid.normal, half_way), 0.0), look.shininess)
        * smoothstep(0.0, 0.2, length(liquid.normal.xy));
    var foam = 0.0;
    if look.foam_color.a > 0.0 && liquid.foam > 0.02 {
        // Lace: less foam has more holes. Its threads and holes move with the particles.
        let holes = 1.0 - near_zero(1.1 * liquid.fine_pattern, 4.0) + 2.0 * (liquid.field - 1.0);
        let reach = 2.0 + 9.0 * liquid.foam;
        let here = liquid.foam * (1.0 - smoothstep(reach, 2.2 * reach, below));
        let lace = smoothstep(0.0, 0.9, 1.7 * (here - 0.05) - 0.85 * clamp(holes, 0.0, 1.0));
        // A jet or a drop is narrower than the lace: it is evenly white.
        let thick = smoothstep(0.42, 0.7, liquid.fill);
        foam = look.foam_color.a * max(mix(0.55, 0.3, thick) * here, lace * thick);
    }
    let lit = clamp(1.0 + 0.45 * (towards - light.z), 0.65, 1.05);
    color = mix(color, look.foam_color.rgb * lit, foam);
    color += shine;
    alpha = max(max(alpha, min(shine, 1.0)), foam);
    if look.outline_width > 0.0 {
        // Towards other liquids the line is half as wide, because they draw their own half.
        let near = min(liquid.distance, 2.0 * liquid.next);
        let line = clamp((look.outline_width - near) / liquid.pixel + 0.5, 0.0, 1.0);
        color = mix(color, look.outline_color.rgb, line * look.outline_color.a);
        alpha = max(alpha, line * look.outline_color.a);
    }
#ifdef GLOW
    if look.glow > 0.0 {
        var hot = glow(liquid.heat) * look.glow;
#ifdef CRUST
        if look.crust_color.a > 0.0 {
            // The crust breaks along lines, and is thin on hot liquid.
            let cracks = near_zero(1.1 * liquid.wide_pattern, 10.0) + 2.0 * (1.0 - liquid.field);
            let cooled = 1.0 - smoothstep(0.5, 1.0, liquid.heat);
            let crust = look.crust_color.a * smoothstep(0.1, 0.5, 1.3 * cooled - cracks);
            color = mix(color, look.crust_color.rgb * texture * (1.0 + 2.0 * up), crust);
            hot *= 1.0 - crust;
        }
#endif
        color += hot;
        alpha = max(alpha, min(max(hot.r, hot.g), 1.0));
    }
#endif
    return vec4(color, alpha);
}
#endif

#ifdef REFRACTION
// How much the surface mirrors the picture above it: where it faces up, below its line of light, and within two spacings.
fn surface_mirror(liquid: Liquid) -> f32 {
    let depth = liquid.distance / surface.particle_spacing;
    let band = smoothstep(0.1, 0.7, depth) * (1.0 - smoothstep(0.7, 2.0, depth));
    return band * smoothstep(0.1, 0.6, liquid.normal.y);
}
#endif

// The colour of the pixel: the picture behind the liquid, the liquid's own light within its
// surface, and haze beside it.
fn finish(in: SurfaceVertex, liquid: Liquid, shaded: vec4<f32>) -> vec4<f32> {
    let color = for_target(shaded);
    var seen = vec4(color.rgb, color.a * liquid.coverage);
#ifdef REFRACTION
    let look = surface.looks[liquid.look];
    if surface.refracts != 0u && look.refraction > 0.0 {
        let size = vec2<f32>(textureDimensions(behind_texture));
        var shift = -liquid.normal.xy * vec2(1.0, -1.0) * look.refraction;
        // A surface that faces up mirrors the picture above it.
        let mirror = surface_mirror(liquid);
        shift = mix(shift, vec2(0.0, -2.0 * max(liquid.distance, 0.0)), mirror) / liquid.pixel;
        // Other cameras may have drawn outside of the view.
        let low = view.viewport.xy + 0.5;
        let high = view.viewport.xy + view.viewport.zw - 0.5;
        let at = clamp(in.position.xy + shift, low, high);
        let far = textureSampleLevel(behind_texture, linear_sampler, at / size, 0.0);
        // Liquid filters the light of the picture. An empty background is not refracted.
        let own = liquid.color.rgb / max(max(liquid.color.r, liquid.color.g), max(liquid.color.b, 1e-3));
        let filtered = far.rgb * mix(own, vec3(1.0), max(mirror, 1.0 - 0.7 * look.opacity));
        let opacity = color.a * (1.0 - 0.5 * mirror);
        let through = vec4(mix(filtered, color.rgb, opacity), liquid.coverage);
        seen = mix(seen, through, far.a);
    }
#endif
#ifdef HAZE
    let haze = for_target(liquid.haze);
    let alpha = mix(seen.a, 1.0, haze.a);
    let light = mix(seen.rgb * seen.a, haze.rgb, haze.a);
    seen = vec4(light / max(alpha, 1e-4), alpha);
#endif
    return seen;
}
