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
