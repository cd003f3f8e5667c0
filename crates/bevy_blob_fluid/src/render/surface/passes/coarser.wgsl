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
