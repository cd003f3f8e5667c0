// The liquid with a closed surface: its properties at a pixel, and its light.
//
// A shader of your own imports this, takes `liquid_at(in)`, changes the liquid, and returns
// `finish(in, liquid, shade(liquid))`; see `FluidCustomLook`.

#define_import_path bevy_blob_fluid::surface

#ifdef HAZE
#import bevy_blob_fluid::haze::swirl
#endif
#import bevy_blob_fluid::output::for_target
#import bevy_blob_fluid::surface_types::{Look, SurfaceUniform, place_in_tile}
#ifdef WALLS
#import bevy_blob_fluid::walls::{NearWall, near_wall, wall_at}
#endif
#import bevy_sprite::sprite_view_bindings::view

@group(1) @binding(0) var<uniform> surface: SurfaceUniform;
@group(1) @binding(1) var field: texture_2d<f32>;
@group(1) @binding(2) var details: texture_2d<f32>;
@group(1) @binding(3) var shallow: texture_2d<f32>;
@group(1) @binding(4) var deep: texture_2d<f32>;
@group(1) @binding(5) var behind: texture_2d<f32>;
@group(1) @binding(6) var linear: sampler;
#ifdef WALLS
@group(1) @binding(7) var walls: texture_2d<f32>;
@group(1) @binding(8) var nearest_wall: texture_2d<u32>;
#endif

struct SurfaceVertex {
    @builtin(position) position: vec4<f32>,
    // A bit for each liquid that may be there.
    @location(0) @interpolate(flat) liquids: u32,
}

// The liquid at a pixel. Where it covers nothing of it, heat, foam and depth are 0 and the normal
// points towards the eye.
struct Liquid {
    // Index of its look in `surface.looks`.
    look: u32,
    // Fraction of the pixel that it covers, 0 to 1.
    coverage: f32,
    // Its own colour, linear, and its opacity.
    color: vec4<f32>,
    // Temperature and foam, 0 to 1.
    heat: f32,
    foam: f32,
    // The field: 1 inside of the liquid, less at its edge, 0 outside.
    field: f32,
    // Distance to the surface, in world units; accurate near it.
    distance: f32,
    // Distance to the next liquid, in world units; accurate near it.
    next: f32,
    // Depth: 0 at the surface, 1 far from it.
    depth: f32,
    // Normal of the surface, as if the liquid were a rounded slab; z points towards the eye.
    normal: vec3<f32>,
    // Position in world units.
    world: vec2<f32>,
    // World units per pixel.
    pixel: f32,
    // Gas in front of it: its colour, linear and lit, and its opacity.
    haze: vec4<f32>,
}

// A texture's value at a position in texels, smoothed by a cubic B-spline (four samples replace its
// sixteen weights), read only within a box of texels.
fn cubic(
    image: texture_2d<f32>,
    place: vec2<f32>,
    low: vec2<f32>,
    high: vec2<f32>,
) -> vec4<f32> {
    let size = vec2<f32>(textureDimensions(image));
    let corner = floor(place - 0.5);
    let f = place - 0.5 - corner;
    let g = 1.0 - f;
    let w0 = g * g * g / 6.0;
    let w3 = f * f * f / 6.0;
    let w1 = 2.0 / 3.0 - f * f * (1.0 - 0.5 * f);
    let w2 = 1.0 - w0 - w1 - w3;
    let near = w0 + w1;
    let a = clamp(corner - 0.5 + w1 / near, low + 0.5, high - 0.5) / size;
    let b = clamp(corner + 1.5 + w3 / (w2 + w3), low + 0.5, high - 0.5) / size;
    let upper = mix(
        textureSampleLevel(image, linear, vec2(b.x, a.y), 0.0),
        textureSampleLevel(image, linear, a, 0.0),
        near.x,
    );
    let lower = mix(
        textureSampleLevel(image, linear, b, 0.0),
        textureSampleLevel(image, linear, vec2(a.x, b.y), 0.0),
        near.x,
    );
    return mix(lower, upper, near.y);
}

// Gradient of a texture to the right (x) and downwards (y) per texel. The samples are two texels
// apart: closer ones differ by less than filters resolve.
struct Slope {
    x: vec4<f32>,
    y: vec4<f32>,
}

fn slope_of(
    image: texture_2d<f32>,
    place: vec2<f32>,
    low: vec2<f32>,
    high: vec2<f32>,
) -> Slope {
    let size = vec2<f32>(textureDimensions(image));
    let before = clamp(place - 1.0, low + 0.5, high - 0.5) / size;
    let after = clamp(place + 1.0, low + 0.5, high - 0.5) / size;
    let here = clamp(place, low + 0.5, high - 0.5) / size;
    let x = textureSampleLevel(image, linear, vec2(after.x, here.y), 0.0)
        - textureSampleLevel(image, linear, vec2(before.x, here.y), 0.0);
    let y = textureSampleLevel(image, linear, vec2(here.x, after.y), 0.0)
        - textureSampleLevel(image, linear, vec2(here.x, before.y), 0.0);
    return Slope(0.5 * x, 0.5 * y);
}

// How full of liquid the surroundings are (z), and the gradient of that (x and y).
fn fullness(image: texture_2d<f32>, place: vec2<f32>) -> vec3<f32> {
    let size = vec2<f32>(textureDimensions(image));
    let origin = vec2(0.0);
    let found = cubic(image, place * size, origin, size).rg;
    let slope = slope_of(image, place * size, origin, size);
    // The part of what is not solid.
    let open = max(found.g, 1e-2);
    let full = found.r / open;
    let rise = vec2(slope.x.r - full * slope.x.g, slope.y.r - full * slope.y.g) / open;
    return vec3(rise, full);
}

// Position in world units of a place in the view, in pixels.
fn world_at(pixel: vec2<f32>) -> vec2<f32> {
    let world = surface.world_from_pixel * vec3(pixel, 1.0);
    return world.xy / world.z;
}

// World units per pixel at such a place, which is at `world`.
fn scale_at(pixel: vec2<f32>, world: vec2<f32>) -> f32 {
    let map = surface.world_from_pixel;
    let divisor = (map * vec3(pixel, 1.0)).z;
    let rise = vec2(map[0].x - world.x * map[0].z, map[1].x - world.x * map[1].z);
    return max(length(rise / divisor), 1e-9);
}

// Where the field is read at a pixel.
struct Reading {
    // Position in the field, in texels of a tile.
    texel: vec2<f32>,
    // Part of the pixel that is not solid.
    open: f32,
    // Directions in the field in which it does not change.
    flat_a: vec2<f32>,
    flat_b: vec2<f32>,
}

#ifdef WALLS
fn texel_at(world: vec2<f32>) -> vec2<f32> {
    let clip_from_world = view.clip_from_world;
    let place = place_in_tile(world, surface.depth, clip_from_world, surface.view_part);
    return place * surface.sizes.xy;
}

// The wall nearest to a point, which is one of those nearest to the texels around. Where one of them
// is too far from walls to know any, none matters at the point, and the others may not know the
// nearest one.
fn nearest_to(world: vec2<f32>, texel: vec2<f32>) -> NearWall {
    let last = vec2<i32>(surface.sizes.xy) - 1;
    let corner = vec2<i32>(floor(texel - 0.5));
    let none = NearWall(vec2(0.0), 1e9, 0.0, 1e9);
    var nearest = none;
    var known = 0u;
    for (var part = 0; part < 4; part++) {
        let at = clamp(corner + vec2(part & 1, part >> 1u), vec2(0), last);
        let index = textureLoad(nearest_wall, at, 0).r;
        if index == 0u {
            return none;
        }
        if index == known {
            continue;
        }
        known = index;
        let near = near_wall(wall_at(walls, index - 1u), world, surface.particle_spacing);
        if near.rank < nearest.rank {
            nearest = near;
        }
    }
    return nearest;
}

// Near a wall the liquid is as it is a little before the wall, so that it fills corners and meets
// walls at a right angle.
fn before_walls(world: vec2<f32>, texel: vec2<f32>, pixel: f32) -> Reading {
    var out = Reading(texel, 1.0, vec2(0.0), vec2(0.0));
    let inset = surface.wall_inset;
    let first = nearest_to(world, texel);
    if first.distance >= inset {
        return out;
    }
    out.open = clamp(0.5 + first.distance / pixel, 0.0, 1.0);
    if out.open <= 0.0 {
        return out;
    }
    var at = world + first.normal * (inset - first.distance);
    out.texel = texel_at(at);
    out.flat_a = normalize(out.texel - texel_at(at - first.normal * inset));
    // In a corner there is another wall.
    let second = nearest_to(at, out.texel);
    if second.distance < 0.99 * inset {
        at += second.normal * (inset - second.distance);
        out.texel = texel_at(at);
        out.flat_b = normalize(out.texel - texel_at(at - second.normal * inset));
    }
    return out;
}
#endif

#ifdef HAZE
// Gas at a place in a tile.
struct Gas {
    // Its colour times its thickness, and the thickness.
    color: vec4<f32>,
    // The light that it emits times its thickness, and its opacity times its thickness.
    emitted: vec4<f32>,
    // Thickness between it and the light.
    shadow: f32,
}

fn gas_at(index: u32, corner: vec2<f32>, texel: vec2<f32>, towards_light: vec2<f32>) -> Gas {
    let look = surface.looks[index];
    let tile = surface.sizes.xy;
    let found = cubic(field, corner + texel, corner, corner + tile) * look.haze / surface.unit;
    var out = Gas(found, vec4(vec3(0.0), found.a), 0.0);
    if found.a <= 0.0 {
        return out;
    }
    let size = vec2<f32>(textureDimensions(field));
    let before = clamp(corner + texel + towards_light, corner + 0.5, corner + tile - 0.5) / size;
    out.shadow = textureSampleLevel(field, linear, before, 0.0).a * look.haze / surface.unit;
#ifdef DETAILS
    let here = clamp(corner + texel, corner + 0.5, corner + tile - 0.5) / size;
    let detail = textureSampleLevel(details, linear, here, 0.0) * look.haze / surface.unit;
    out.emitted.w = detail.z;
#ifdef GLOW
    let heat = clamp(detail.x / found.a, 0.0, 1.0);
    out.emitted = vec4(glow(heat) * look.glow * found.a, detail.z);
#endif
#endif
    out.emitted.w *= look.opacity;
    return out;
}

#ifdef GLOW
// How bright what glows makes its surroundings, about 25 particle spacings far.
fn light_around(place: vec2<f32>) -> f32 {
    let size = vec2<f32>(textureDimensions(deep));
    var sum = 1.5 * textureSampleLevel(deep, linear, place, 0.0).b;
    var direction = vec2(1.0, 0.0);
    for (var part = 0; part < 6; part++) {
        // Two rings, turned against each other; a texel is about five spacings wide.
        let across = vec2(-direction.y, direction.x);
        sum += textureSampleLevel(deep, linear, place + 2.0 * direction / size, 0.0).b;
        sum += 0.5 * textureSampleLevel(deep, linear, place + 4.5 * across / size, 0.0).b;
        direction = 0.5 * direction + 0.866 * across;
    }
    return 3.0 * sum;
}
#endif

// The haze of all gases together: its lit colour, and its opacity.
fn haze_of(gas: Gas, place: vec2<f32>) -> vec4<f32> {
    let thickness = gas.color.a;
    if thickness <= 1e-4 {
        return vec4(0.0);
    }
    // Thick gas shadows what is behind it as seen from the light, upper left.
    var light = vec3(0.42 + 0.73 * exp(-gas.shadow));
#ifdef GLOW
    light += glow(0.75) * light_around(place);
#endif
    let color = gas.color.rgb / thickness * light + gas.emitted.rgb / thickness;
    return vec4(color, (1.0 - exp(-thickness)) * gas.emitted.w / thickness);
}
#endif

fn liquid_at(in: SurfaceVertex) -> Liquid {
    // All follows from the position, so that a picture does not depend on where strips end.
    let in_view = in.position.xy - view.viewport.xy;
    let place = (in_view / view.viewport.zw - 0.5) * surface.view_part + 0.5;
    let tile = surface.sizes.xy;
    let own_texel = place * tile;
    let texels_per_pixel = surface.view_part.x * tile.x / view.viewport.z;
    let world = world_at(in_view);
    let pixel = scale_at(in_view, world);
    var reading = Reading(own_texel, 1.0, vec2(0.0), vec2(0.0));
#ifdef WALLS
    reading = before_walls(world, own_texel, pixel);
#endif
    let texel = reading.texel;

    // The field of each liquid, and the two liquids with the largest fields.
    var total = 0.0;
    var rise = vec2(0.0);
    var most = 0.0;
    var second = 0.0;
    var first_color = vec4(0.0);
    var second_color = vec4(0.0);
    var look = 0u;
    var liquid = 0u;
#ifdef HAZE
    // The field has as many texels per particle spacing upwards as to the right.
    let texels_per_spacing = surface.particle_spacing / pixel * texels_per_pixel * vec2(1.0, -1.0);
    let eddies = swirl(world / surface.particle_spacing, surface.time);
    let swirled = texel + eddies.shift * texels_per_spacing;
    let towards_light = vec2(-2.0, 3.4) * texels_per_spacing;
    var gas = Gas(vec4(0.0), vec4(0.0), 0.0);
#endif
    // A strip has at least one.
    loop {
        while ((in.liquids >> liquid) & 1u) == 0u {
            liquid++;
        }
        let corner = vec2(f32(liquid % surface.columns), f32(liquid / surface.columns)) * tile;
#ifdef HAZE
        if surface.looks[liquid].haze > 0.0 {
            let own = gas_at(liquid, corner, swirled, towards_light);
            gas.color += own.color;
            gas.emitted += own.emitted;
            gas.shadow += own.shadow;
            liquid++;
            continue;
        }
#endif
        let found = cubic(field, corner + texel, corner, corner + tile);
        total += found.a;
        if found.a > 0.0 {
            let slope = slope_of(field, corner + texel, corner, corner + tile);
            rise += vec2(slope.x.a, slope.y.a);
        }
        if found.a > most {
            second = most;
            second_color = first_color;
            most = found.a;
            first_color = found;
            look = liquid;
        } else if found.a > second {
            second = found.a;
            second_color = found;
        }
        liquid++;
        continuing {
            break if (in.liquids >> liquid) == 0u;
        }
    }
    rise -= reading.flat_a * dot(rise, reading.flat_a);
    rise -= reading.flat_b * dot(rise, reading.flat_b);
    total /= surface.unit;
    most /= surface.unit;
    second /= surface.unit;

    var out: Liquid;
    out.world = world;
    out.look = look;
    out.field = total;
    let slope = rise / surface.unit * texels_per_pixel;
    let steepness = length(slope);
    out.pixel = pixel;
    out.coverage = clamp(0.5 + (total - surface.threshold) / max(steepness, 1e-5), 0.0, 1.0)
        * reading.open;
    out.distance = (total - surface.threshold) / max(steepness, 1e-5) * pixel;
    // Two fields that meet separate over about the kernel's radius.
    let sharpness = 0.5 * surface.radius / pixel;
    out.next = select(1e9, (most - second) * 0.5 * surface.radius, second > 1e-3);
    let share = clamp(0.5 + (most - second) * sharpness, 0.0, 1.0);
    let own = first_color.rgb / max(first_color.a, 1e-4);
    let other = second_color.rgb / max(second_color.a, 1e-4);
    out.color = vec4(select(own, mix(other, own, share), second > 1e-3), 1.0);

    out.haze = vec4(0.0);
#ifdef HAZE
    gas.color *= eddies.factor;
    gas.emitted *= eddies.factor;
    out.haze = haze_of(gas, place) * vec4(1.0, 1.0, 1.0, reading.open);
#endif
    out.heat = 0.0;
    out.foam = 0.0;
    out.normal = vec3(0.0, 0.0, 1.0);
    if out.coverage <= 0.0 {
        // What is not seen is not lit.
        return out;
    }
#ifdef DETAILS
    let corner = vec2(f32(look % surface.columns), f32(look / surface.columns)) * tile;
    let detail_size = vec2<f32>(textureDimensions(details));
    let at = clamp(corner + texel, corner + 0.5, corner + tile - 0.5) / detail_size;
    let detail = textureSampleLevel(details, linear, at, 0.0) / max(first_color.a, 1e-4);
    out.heat = clamp(detail.x, 0.0, 1.0);
    out.foam = clamp(detail.y, 0.0, 1.0);
    out.color.a = clamp(detail.z, 0.0, 1.0);
#endif

    let around = fullness(shallow, place);
    let far_around = fullness(deep, place);
    out.depth = smoothstep(0.5, 1.0, mix(around.z, far_around.z, surface.looks[look].depth));

    // A rounded edge, steep at the surface, on a shape that bulges gently. Inside, the field has
    // ripples from single particles; it counts as full early, so that they are not visible.
    let inside = smoothstep(surface.threshold, mix(surface.threshold, 1.0, 0.55), total);
    let outwards = -slope / max(steepness, 1e-5) * vec2(1.0, -1.0);
    // Texels of the coarser textures are as wide as four and as sixteen finer ones.
    let texels = surface.particle_spacing / pixel * texels_per_pixel * vec2(-1.0, 1.0);
    let bulge = around.xy * texels / 4.0;
    let far_bulge = far_around.xy * texels / 16.0;
    var lean = outwards * (1.0 - inside) * 0.75 + bulge * 0.8 + far_bulge * 1.6;
    lean /= max(1.0, length(lean) / 0.97);
    out.normal = normalize(vec3(lean, sqrt(1.0 - dot(lean, lean))));
    return out;
}

// Bright lines that move like light at the bottom of a pool; a cell of the pattern is about 1 in
// `p`.
fn caustics(p: vec2<f32>, time: f32) -> f32 {
    var q = p * 3.1;
    var light = 1.0;
    for (var octave = 0; octave < 3; octave++) {
        let phase = f32(octave) * 1.9;
        q += 0.65 * vec2(sin(q.y * 1.1 + time * 0.7 + phase), cos(q.x * 1.3 - time * 0.6 + phase));
        light *= 0.25 + abs(sin(q.x + 0.4 * q.y) * cos(q.y - 0.3 * q.x));
    }
    // The dark lines of the product become bright lines.
    return pow(clamp(1.0 - 1.6 * light, 0.0, 1.0), 3.0);
}

// The colour of something that glows from red to yellow.
fn glow(heat: f32) -> vec3<f32> {
    let red = smoothstep(0.0, 0.45, heat);
    let green = smoothstep(0.2, 1.1, heat);
    let blue = smoothstep(0.7, 1.6, heat);
    return vec3(red, 0.62 * green * green, 0.5 * blue * blue) * (0.15 + heat);
}

// The light that comes from the liquid, and its opacity.
fn shade(liquid: Liquid) -> vec4<f32> {
    let look = surface.looks[liquid.look];
    var color = liquid.color.rgb;
    var alpha = liquid.color.a * look.opacity;
    let light = normalize(vec3(-0.45, 0.75, 0.6));
    let towards = dot(liquid.normal, light);

    let tint = look.depth_color.a * liquid.depth;
    color = mix(color, look.depth_color.rgb, tint);
    alpha = mix(alpha, 1.0, 0.5 * tint * alpha);
#ifdef CAUSTICS
    if look.caustics > 0.0 {
        let pattern = caustics(liquid.world / (surface.particle_spacing * 9.0), surface.time);
        let strength = look.caustics * (1.0 - 0.75 * liquid.depth) * liquid.normal.z;
        color += pattern * strength * (0.35 * color + 0.12);
    }
#endif
    let edge = 1.0 - smoothstep(0.0, 0.9 * surface.particle_spacing, liquid.distance);
    let upper = 0.35 + 0.65 * smoothstep(-0.4, 0.9, dot(liquid.normal.xy, light.xy));
    color *= 1.0 + 0.25 * look.rim_light * (towards - light.z);
    color += look.rim_light * edge * upper * (0.5 * color + 0.1);
    let half_way = normalize(light + vec3(0.0, 0.0, 1.0));
    let shine = look.specular * pow(max(dot(liquid.normal, half_way), 0.0), look.shininess)
        * smoothstep(0.0, 0.2, length(liquid.normal.xy));
    let foam = look.foam_color.a * smoothstep(0.05, 0.6, liquid.foam);
    color = mix(color, look.foam_color.rgb, foam);
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
        let hot = glow(liquid.heat) * look.glow;
        color += hot;
        alpha = max(alpha, min(max(hot.r, hot.g), 1.0));
    }
#endif
    return vec4(color, alpha);
}

// The colour of the pixel: the picture behind the liquid, with the liquid's own light over it,
// within its surface, and haze in front of all.
fn finish(in: SurfaceVertex, liquid: Liquid, shaded: vec4<f32>) -> vec4<f32> {
    let color = for_target(shaded);
    var seen = vec4(color.rgb, color.a * liquid.coverage);
#ifdef REFRACTION
    let look = surface.looks[liquid.look];
    if surface.refracts != 0u && look.refraction > 0.0 {
        let size = vec2<f32>(textureDimensions(behind));
        let shift = -liquid.normal.xy * vec2(1.0, -1.0) * look.refraction / liquid.pixel;
        // Other cameras may have drawn outside of the view.
        let low = view.viewport.xy + 0.5;
        let high = view.viewport.xy + view.viewport.zw - 0.5;
        let at = clamp(in.position.xy + shift, low, high);
        let far = textureSampleLevel(behind, linear, at / size, 0.0);
        // Where nothing is behind the liquid, nothing is refracted.
        let through = vec4(mix(far.rgb, color.rgb, color.a), liquid.coverage);
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
