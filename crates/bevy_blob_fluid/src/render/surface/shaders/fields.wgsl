// The fields of the liquids: where they are read, smooth values and slopes, and all of them together.

//# bevy_blob_fluid::surface_sampling
// Smooth values and slopes of textures.

#import bevy_blob_fluid::surface_bindings::linear_sampler

// A texture's value at a position in texels, smoothed by a cubic B-spline. Four samples replace its sixteen weights. Only
// texels within the box from `low` to `high` are read.
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
        textureSampleLevel(image, linear_sampler, vec2(b.x, a.y), 0.0),
        textureSampleLevel(image, linear_sampler, a, 0.0),
        near.x,
    );
    let lower = mix(
        textureSampleLevel(image, linear_sampler, b, 0.0),
        textureSampleLevel(image, linear_sampler, vec2(a.x, b.y), 0.0),
        near.x,
    );
    return mix(lower, upper, near.y);
}

// A smooth value of a texture, and its gradient to the right (x) and downwards (y) per texel.
struct Wide {
    value: vec4<f32>,
    x: vec4<f32>,
    y: vec4<f32>,
}

// The same, smooth over about two particles: a quadratic B-spline whose control points are two texels apart, each the
// mean of four texels. Where classes alternate, their fields differ by little: with samples that are only linear, the
// border would follow the texels, and four samples would jump where the control points change.
fn wide(
    image: texture_2d<f32>,
    place: vec2<f32>,
    low: vec2<f32>,
    high: vec2<f32>,
) -> Wide {
    let size = vec2<f32>(textureDimensions(image));
    let middle = floor(0.5 * place);
    let f = 0.5 * place - middle;
    let g = 1.0 - f;
    // Weights of the control points before, at and after the middle one.
    let before = 0.5 * g * g;
    let after = 0.5 * f * f;
    let here = 1.0 - before - after;
    let at = 2.0 * middle + 1.0;
    let a = clamp(at - 2.0, low + 0.5, high - 0.5) / size;
    let b = clamp(at, low + 0.5, high - 0.5) / size;
    let c = clamp(at + 2.0, low + 0.5, high - 0.5) / size;
    let xs = vec3(a.x, b.x, c.x);
    let weights = vec3(before.x, here.x, after.x);
    // The derivatives of the weights.
    let slopes = 0.5 * vec3(-g.x, g.x - f.x, f.x);
    let upper = row_of_samples(image, xs, a.y, weights, slopes);
    let same = row_of_samples(image, xs, b.y, weights, slopes);
    let lower = row_of_samples(image, xs, c.y, weights, slopes);
    return Wide(
        before.y * upper.value + here.y * same.value + after.y * lower.value,
        before.y * upper.x + here.y * same.x + after.y * lower.x,
        0.5 * ((g.y - f.y) * same.value + f.y * lower.value - g.y * upper.value),
    );
}

fn row_of_samples(
    image: texture_2d<f32>,
    xs: vec3<f32>,
    y: f32,
    weights: vec3<f32>,
    slopes: vec3<f32>,
) -> Wide {
    let a = textureSampleLevel(image, linear_sampler, vec2(xs.x, y), 0.0);
    let b = textureSampleLevel(image, linear_sampler, vec2(xs.y, y), 0.0);
    let c = textureSampleLevel(image, linear_sampler, vec2(xs.z, y), 0.0);
    let value = weights.x * a + weights.y * b + weights.z * c;
    return Wide(value, slopes.x * a + slopes.y * b + slopes.z * c, vec4(0.0));
}

// Half of the distance between the samples of a slope, in texels. Closer samples differ by less than filters resolve.
const HALF_WAY: f32 = 0.6;

// Gradient of a texture to the right (x) and downwards (y) per texel.
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
    let before = clamp(place - HALF_WAY, low + 0.5, high - 0.5) / size;
    let after = clamp(place + HALF_WAY, low + 0.5, high - 0.5) / size;
    let here = clamp(place, low + 0.5, high - 0.5) / size;
    let x = textureSampleLevel(image, linear_sampler, vec2(after.x, here.y), 0.0)
        - textureSampleLevel(image, linear_sampler, vec2(before.x, here.y), 0.0);
    let y = textureSampleLevel(image, linear_sampler, vec2(here.x, after.y), 0.0)
        - textureSampleLevel(image, linear_sampler, vec2(here.x, before.y), 0.0);
    return Slope(0.5 / HALF_WAY * x, 0.5 / HALF_WAY * y);
}

//# bevy_blob_fluid::surface_reading
// The position at which the field is read; near walls it is displaced away from them.

#ifdef WALLS
#import bevy_blob_fluid::surface_bindings::{nearest_wall_texture, surface, walls_texture}
#import bevy_blob_fluid::surface_types::place_in_tile
#import bevy_blob_fluid::walls::{NearWall, near_wall, nearest_along, wall_at}
#import bevy_blob_fluid::view::view
#endif

// The reading of the field at a pixel.
struct Reading {
    // Position in the field, in texels of a tile.
    texel: vec2<f32>,
    // Fraction of the pixel that is not solid.
    open: f32,
    // Distance to the nearest wall in world units, large without a near wall, and the direction away from the wall.
    wall: f32,
    wall_normal: vec2<f32>,
    // Directions in the field along which the reading is constant.
    flat_a: vec2<f32>,
    flat_b: vec2<f32>,
}

#ifdef WALLS
fn texel_at(world: vec2<f32>) -> vec2<f32> {
    let clip_from_world = view.clip_from_world;
    let place = place_in_tile(world, surface.depth, clip_from_world, surface.view_part);
    return place * surface.sizes.xy;
}

// The wall nearest to a point: one of the walls nearest to the surrounding texels. A texel without a wall is far from
// all walls. Then no wall matters at the point, and the other texels may not know the nearest one.
fn nearest_to(world: vec2<f32>, texel: vec2<f32>) -> NearWall {
    // This texture is finer than the field if walls are short relative to texels.
    let size = textureDimensions(nearest_wall_texture);
    let last = vec2<i32>(size) - 1;
    let corner = vec2<i32>(floor(texel * vec2<f32>(size) / surface.sizes.xy - 0.5));
    let none = NearWall(vec2(0.0), 1e9, 0.0, 1e9);
    var nearest = none;
    var best = 0u;
    var known = 0u;
    for (var part = 0; part < 4; part++) {
        let at = clamp(corner + vec2(part & 1, part >> 1u), vec2(0), last);
        let index = textureLoad(nearest_wall_texture, at, 0).r;
        if index == 0u {
            return none;
        }
        if index == known {
            continue;
        }
        known = index;
        let near = near_wall(wall_at(walls_texture, index - 1u), world, surface.particle_spacing);
        if near.rank < nearest.rank {
            nearest = near;
            best = index;
        }
    }
    // If faces are shorter than texels, as around a rounded corner, no texel may know the nearest face.
    return nearest_along(walls_texture, best, nearest, world, surface.particle_spacing);
}

// Nearer to a wall than `inset`, the field is read at that distance. The liquid therefore fills corners and meets walls
// at a right angle.
fn before_walls(world: vec2<f32>, texel: vec2<f32>, pixel: f32, inset: f32) -> Reading {
    let first = nearest_to(world, texel);
    var out = Reading(texel, 1.0, first.distance, first.normal, vec2(0.0), vec2(0.0));
    out.open = clamp(0.5 + first.distance / pixel, 0.0, 1.0);
    if out.open <= 0.0 || first.distance >= inset {
        return out;
    }
    var at = world + first.normal * (inset - first.distance);
    out.texel = texel_at(at);
    out.flat_a = normalize(out.texel - texel_at(at - first.normal * inset));
    // A corner has a second wall.
    let second = nearest_to(at, out.texel);
    let before_second = dot(world - at, second.normal) + second.distance;
    if before_second < min(first.distance, 0.0) - 0.05 * surface.particle_spacing {
        // The way there crosses it: a narrow pipe is read in its middle.
        let gap = max(inset - max(second.distance, 0.0), first.distance);
        out.texel = texel_at(world + first.normal * (0.5 * gap - first.distance));
        return out;
    }
    if second.distance < 0.99 * inset {
        at += second.normal * (inset - second.distance);
        out.texel = texel_at(at);
        out.flat_b = normalize(out.texel - texel_at(at - second.normal * inset));
    }
    return out;
}
#endif

//# bevy_blob_fluid::surface_fields
// The fields of all liquids at a place.

#import bevy_blob_fluid::surface_bindings::{details_texture, field_texture, linear_sampler, surface}
#import bevy_blob_fluid::surface_sampling::{Wide, cubic, slope_of, wide}

struct Fields {
    // The sum of the fields, and its gradient to the right and downwards per texel. The gradient is 0 far from the
    // surface.
    total: f32,
    rise: vec2<f32>,
    // The largest and the second largest field. Both are wide fields, which do not show single
    // particles.
    most: f32,
    second: f32,
    // The gradient of their difference to the right and downwards per texel.
    apart: vec2<f32>,
    // The liquids with the largest and the second largest field.
    look: u32,
    other_look: u32,
    // The colours of both liquids, linear.
    color: vec3<f32>,
    other: vec3<f32>,
    // Opacity of the colour, heat and foam.
    opacity: f32,
    heat: f32,
    foam: f32,
    // The mean shade of the particles, 0 to 1.
    shade: f32,
}

// The fields at a place in a tile, in texels. `liquids` has a bit for each liquid of the strip.
fn fields_at(texel: vec2<f32>, liquids: u32) -> Fields {
    var out: Fields;
    out.opacity = 1.0;
    let tile = surface.sizes.xy;
#ifdef ONE_LIQUID
    let found = cubic(field_texture, texel, vec2(0.0), tile);
    out.total = found.x;
    out.most = found.x;
    out.look = surface.channels.x;
    let look = surface.looks[out.look];
    out.color = look.color.rgb;
    if found.x > 0.0 && found.x < surface.flat_field * surface.unit {
        let slope = slope_of(field_texture, texel, vec2(0.0), tile);
        out.rise = vec2(slope.x.x, slope.y.x);
    }
#ifdef DETAILS
    out.opacity = look.color.a;
    out.heat = found.y / max(found.x, 1e-4);
    out.foam = found.z / max(found.x, 1e-4);
    out.shade = found.w / max(found.x, 1e-4);
#endif
#endif
#ifdef FOUR_LIQUIDS
    let found = cubic(field_texture, texel, vec2(0.0), tile);
    out.total = dot(found, vec4(1.0));
    var around = Wide(found, vec4(0.0), vec4(0.0));
    if max(max(found.x, found.y), max(found.z, found.w)) < out.total {
        around = wide(field_texture, texel, vec2(0.0), tile);
    }
    var most = 0;
    var second = 0;
    out.most = around.value.x;
    for (var channel = 1; channel < 4; channel++) {
        if around.value[channel] > out.most {
            out.second = out.most;
            second = most;
            out.most = around.value[channel];
            most = channel;
        } else if around.value[channel] > out.second {
            out.second = around.value[channel];
            second = channel;
        }
    }
    out.apart = vec2(around.x[most] - around.x[second], around.y[most] - around.y[second]);
    out.look = surface.channels[most];
    out.color = surface.looks[out.look].color.rgb;
    out.other_look = surface.channels[second];
    out.other = surface.looks[out.other_look].color.rgb;
    if out.total > 0.0 && out.total < surface.flat_field * surface.unit {
        let slope = slope_of(field_texture, texel, vec2(0.0), tile);
        out.rise = vec2(dot(slope.x, vec4(1.0)), dot(slope.y, vec4(1.0)));
    }
#ifdef DETAILS
    let at = clamp(texel, vec2(0.5), tile - 0.5) / tile;
    var sum = dot(textureSampleLevel(field_texture, linear_sampler, at, 0.0), vec4(1.0));
    // Bytes saturate at 1.
    sum = select(sum, min(sum, 1.0), surface.unit < 1.0);
    let detail = textureSampleLevel(details_texture, linear_sampler, at, 0.0) / max(sum, 1e-4);
    out.heat = detail.x;
    out.foam = detail.y;
    out.opacity = surface.looks[out.look].color.a;
    out.shade = detail.w;
#endif
#endif
#ifdef TILES
    var liquid = 0u;
    var most_slope = vec2(0.0);
    var second_slope = vec2(0.0);
    // The inner loop ends, because a strip has at least one liquid or gas.
    loop {
        while ((liquids >> liquid) & 1u) == 0u {
            liquid++;
        }
        if surface.looks[liquid].haze == 0.0 {
            let slot = surface.looks[liquid].slot;
            let corner = vec2(f32(slot % surface.columns), f32(slot / surface.columns)) * tile;
            let found = cubic(field_texture, corner + texel, corner, corner + tile);
            let color = found.rgb / max(found.a, 1e-4);
            out.total += found.a;
            if found.a > 0.0 && found.a < surface.flat_field * surface.unit {
                let slope = slope_of(field_texture, corner + texel, corner, corner + tile);
                out.rise += vec2(slope.x.a, slope.y.a);
            }
            var around = 0.0;
            var around_slope = vec2(0.0);
            if found.a > 0.0 {
                let smooth_field = wide(field_texture, corner + texel, corner, corner + tile);
                around = smooth_field.value.a;
                around_slope = vec2(smooth_field.x.a, smooth_field.y.a);
            }
            if around > out.most {
                out.second = out.most;
                second_slope = most_slope;
                out.other = out.color;
                out.other_look = out.look;
                out.most = around;
                most_slope = around_slope;
                out.color = color;
                out.look = liquid;
            } else if around > out.second {
                out.second = around;
                second_slope = around_slope;
                out.other = color;
                out.other_look = liquid;
            }
        }
        liquid++;
        continuing {
            break if (liquids >> liquid) == 0u;
        }
    }
    out.apart = most_slope - second_slope;
#ifdef DETAILS
    let slot = surface.looks[out.look].slot;
    let corner = vec2(f32(slot % surface.columns), f32(slot / surface.columns)) * tile;
    let at = clamp(corner + texel, corner + 0.5, corner + tile - 0.5) / surface.sizes.zw;
    let sum = textureSampleLevel(field_texture, linear_sampler, at, 0.0).a;
    let detail = textureSampleLevel(details_texture, linear_sampler, at, 0.0) / max(sum, 1e-4);
    out.heat = detail.x;
    out.foam = detail.y;
    out.opacity = clamp(detail.z, 0.0, 1.0);
    out.shade = detail.w;
#endif
#endif
    out.heat = clamp(out.heat, 0.0, 1.0);
    out.foam = clamp(out.foam, 0.0, 1.0);
    return out;
}
