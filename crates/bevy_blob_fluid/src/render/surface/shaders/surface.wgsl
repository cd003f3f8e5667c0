// The liquid with a closed surface: its properties at a pixel, and its light.
//
// A shader of your own imports this, takes `liquid_at(in)`, changes the liquid, and returns
// `finish(in, liquid, shade(liquid))`; see `FluidCustomLook`.

#define_import_path bevy_blob_fluid::surface

#import bevy_blob_fluid::output::for_target
#import bevy_blob_fluid::surface_bindings as bindings
#import bevy_blob_fluid::surface_bindings::surface
#ifdef HAZE
#import bevy_blob_fluid::surface_gas::{Gas, gas_at, haze_of, swirl}
#endif
#import bevy_blob_fluid::surface_light::{caustics, glow}
#import bevy_blob_fluid::surface_places::{scale_at, world_at}
#import bevy_blob_fluid::surface_reading::Reading
#ifdef WALLS
#import bevy_blob_fluid::surface_reading::before_walls
#endif
#import bevy_blob_fluid::surface_sampling::{cubic, fullness, slope_of}
#import bevy_sprite::sprite_view_bindings::view

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

fn liquid_at(in: SurfaceVertex) -> Liquid {
    // All follows from the position, so that a picture does not depend on where strips end.
    let in_view = in.position.xy - view.viewport.xy;
    let place = (in_view / view.viewport.zw - 0.5) * surface.view_part + 0.5;
    let tile = surface.sizes.xy;
    let unshifted = place * tile;
    let texels_per_pixel = surface.view_part.x * tile.x / view.viewport.z;
    let world = world_at(in_view);
    let pixel = scale_at(in_view, world);
    var reading = Reading(unshifted, 1.0, vec2(0.0), vec2(0.0));
#ifdef WALLS
    reading = before_walls(world, unshifted, pixel);
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
            let added = gas_at(liquid, corner, swirled, towards_light);
            gas.color += added.color;
            gas.emitted += added.emitted;
            gas.shadow += added.shadow;
            liquid++;
            continue;
        }
#endif
        let found = cubic(bindings::field, corner + texel, corner, corner + tile);
        total += found.a;
        if found.a > 0.0 {
            let slope = slope_of(bindings::field, corner + texel, corner, corner + tile);
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
    let nearer = first_color.rgb / max(first_color.a, 1e-4);
    let other = second_color.rgb / max(second_color.a, 1e-4);
    out.color = vec4(select(nearer, mix(other, nearer, share), second > 1e-3), 1.0);

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
    let detail_size = vec2<f32>(textureDimensions(bindings::details));
    let at = clamp(corner + texel, corner + 0.5, corner + tile - 0.5) / detail_size;
    let detail = textureSampleLevel(bindings::details, bindings::linear, at, 0.0)
        / max(first_color.a, 1e-4);
    out.heat = clamp(detail.x, 0.0, 1.0);
    out.foam = clamp(detail.y, 0.0, 1.0);
    out.color.a = clamp(detail.z, 0.0, 1.0);
#endif

    let around = fullness(bindings::shallow, place);
    let far_around = fullness(bindings::deep, place);
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
        let size = vec2<f32>(textureDimensions(bindings::behind));
        let shift = -liquid.normal.xy * vec2(1.0, -1.0) * look.refraction / liquid.pixel;
        // Other cameras may have drawn outside of the view.
        let low = view.viewport.xy + 0.5;
        let high = view.viewport.xy + view.viewport.zw - 0.5;
        let at = clamp(in.position.xy + shift, low, high);
        let far = textureSampleLevel(bindings::behind, bindings::linear, at / size, 0.0);
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
