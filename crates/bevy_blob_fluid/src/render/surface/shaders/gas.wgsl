// Gases.

//# bevy_blob_fluid::surface_haze
// The storage of the haze of gases in a texture.

#import bevy_blob_fluid::surface_bindings::surface

// Largest brightness that is stored in bytes.
const BRIGHTEST: f32 = 4.0;

// A colour and its opacity as stored. The colour is multiplied by the opacity. Bytes store its square root, so that
// dark colours have as many shades as bright ones.
fn stored(haze: vec4<f32>) -> vec4<f32> {
    let light = haze.rgb * haze.a;
    if surface.unit < 1.0 {
        return vec4(sqrt(light / BRIGHTEST), haze.a);
    }
    return vec4(light, haze.a);
}

// The inverse of `stored`.
fn restored(found: vec4<f32>) -> vec4<f32> {
    var light = found.rgb;
    if surface.unit < 1.0 {
        light = BRIGHTEST * light * light;
    }
    return vec4(light / max(found.a, 1e-4), found.a);
}

//# bevy_blob_fluid::surface_gas
// Gases: swirl, shadows, light, and the haze that results.

#import bevy_blob_fluid::surface_bindings::{deep_texture, gas_details_texture, gas_texture, linear_sampler, surface}
#import bevy_blob_fluid::surface_light::glow
#import bevy_blob_fluid::surface_sampling::cubic
#import bevy_blob_fluid::surface_types::place_in_tile
#import bevy_blob_fluid::view::view

// Difference between the drawn gas and its smooth field.
struct Swirl {
    // Displacement, in particle spacings; at most 4 long. It varies slowly enough not to fold the
    // picture.
    shift: vec2<f32>,
    // Factor on the thickness, 0.5 to 1.5.
    factor: f32,
}

// The swirl at a place, in particle spacings: eddies that rise and carry smaller ones.
fn swirl(place: vec2<f32>, time: f32) -> Swirl {
    var out = Swirl(vec2(0.0), 1.0);
    var at = (place - vec2(0.0, 4.0 * time)) / 7.0;
    var size = 1.7;
    for (var octave = 0; octave < 4; octave++) {
        let phase = 2.1 * f32(octave);
        let turn = vec2(
            sin(1.1 * at.y + 0.6 * at.x + 0.7 * time + phase),
            cos(1.0 * at.x - 0.5 * at.y - 0.5 * time + phase),
        );
        out.shift += size * turn;
        out.factor += 0.125 * (turn.x + turn.y) * turn.y;
        at = 1.8 * at + 0.9 * turn + vec2(3.1, -1.7);
        size *= 0.36;
    }
    out.factor = clamp(out.factor, 0.5, 1.5);
    return out;
}

// Gas at a place in a tile.
struct Gas {
    // The colour times the thickness, and the thickness.
    color: vec4<f32>,
    // The emitted light times the thickness, and the opacity times the thickness.
    emitted: vec4<f32>,
    // Thickness between the gas and the light.
    shadow: f32,
}

fn gas_at(index: u32, texel: vec2<f32>, towards_light: vec2<f32>) -> Gas {
    let look = surface.looks[index];
    let tile = surface.gas_sizes.xy;
    let slot = vec2(look.slot % surface.gas_columns, look.slot / surface.gas_columns);
    let corner = vec2<f32>(slot) * tile;
    let found = cubic(gas_texture, corner + texel, corner, corner + tile)
        * look.haze / surface.unit;
    var out = Gas(found, vec4(vec3(0.0), found.a), 0.0);
    if found.a <= 0.0 {
        return out;
    }
    let size = surface.gas_sizes.zw;
    let before = clamp(corner + texel + towards_light, corner + 0.5, corner + tile - 0.5) / size;
    out.shadow = textureSampleLevel(gas_texture, linear_sampler, before, 0.0).a
        * look.haze / surface.unit;
#ifdef DETAILS
    let here = clamp(corner + texel, corner + 0.5, corner + tile - 0.5) / size;
    let detail = textureSampleLevel(gas_details_texture, linear_sampler, here, 0.0)
        * look.haze / surface.unit;
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
// Brightness of the light that glowing liquid and gas cast on a place, from up to about 25 particle
// spacings away.
fn light_around(place: vec2<f32>) -> f32 {
    let size = vec2<f32>(textureDimensions(deep_texture));
    var sum = 1.5 * textureSampleLevel(deep_texture, linear_sampler, place, 0.0).b;
    var direction = vec2(1.0, 0.0);
    for (var part = 0; part < 6; part++) {
        // Two rings of samples, rotated against each other. A texel is about five spacings wide.
        let across = vec2(-direction.y, direction.x);
        let inner = place + 2.0 * direction / size;
        let outer = place + 4.5 * across / size;
        sum += textureSampleLevel(deep_texture, linear_sampler, inner, 0.0).b;
        sum += 0.5 * textureSampleLevel(deep_texture, linear_sampler, outer, 0.0).b;
        direction = 0.5 * direction + 0.866 * across;
    }
    return 3.0 * sum;
}
#endif

// Largest brightness of the light that a gas gets from glowing liquid.
const MOST_LIGHT: f32 = 1.0;

// The haze of all gases together: its lit colour, and its opacity.
fn haze_of(gas: Gas, place: vec2<f32>) -> vec4<f32> {
    let thickness = gas.color.a;
    if thickness <= 1e-4 {
        return vec4(0.0);
    }
    // Thick gas casts a shadow away from the light, which is at the upper left.
    var light = vec3(0.42 + 0.73 * exp(-gas.shadow));
#ifdef GLOW
    // A pocket of gas that light surrounds is not brighter than the light.
    light += glow(0.75) * min(light_around(place), MOST_LIGHT);
#endif
    let color = gas.color.rgb / thickness * light + gas.emitted.rgb / thickness;
    return vec4(color, (1.0 - exp(-thickness)) * gas.emitted.w / thickness);
}

// Position of a point of the world in a gas's tile.
fn gas_place(world: vec2<f32>) -> vec2<f32> {
    return place_in_tile(world, surface.depth, view.clip_from_world, surface.gas_view_part);
}

// The haze of all gases. `place` is the position at which they are read, and `lit` the position at
// which they are drawn. Both are 0 to 1 from the upper left corner of a liquid's tile.
// No wall is within a distance of `clear`, in world units.
fn haze_at(place: vec2<f32>, lit: vec2<f32>, world: vec2<f32>, clear: f32) -> vec4<f32> {
    var eddies = swirl(world / surface.particle_spacing, surface.time);
    // No eddy carries gas through a wall.
    let farthest = clear / surface.particle_spacing;
    eddies.shift *= min(1.0, farthest / max(length(eddies.shift), 1e-4));
    let tile = surface.gas_sizes.xy;
    let at = (place - 0.5) / surface.view_part * surface.gas_view_part + 0.5;
    // The field has the same number of texels per particle spacing upwards as to the right.
    let texels_per_spacing = surface.texels_per_spacing * vec2(1.0, -1.0)
        * (tile * surface.gas_view_part) / (surface.sizes.xy * surface.view_part);
    // Eddies are fixed to the world, and do not rotate with the camera.
    let shift = gas_place(world + eddies.shift * surface.particle_spacing) - gas_place(world);
    let texel = (at + shift) * tile;
    let towards_light = vec2(-2.0, 3.4) * texels_per_spacing;
    var gas = Gas(vec4(0.0), vec4(0.0), 0.0);
    for (var liquid = 0u; liquid < surface.liquid_count; liquid++) {
        if surface.looks[liquid].haze > 0.0 {
            let added = gas_at(liquid, texel, towards_light);
            gas.color += added.color;
            gas.emitted += added.emitted;
            gas.shadow += added.shadow;
        }
    }
    gas.color *= eddies.factor;
    gas.emitted *= eddies.factor;
    return haze_of(gas, lit);
}
