// How full of liquid the surroundings are: each texel is the mean of 4 x 4 finer ones. The first
// channel holds the liquid, the second the part that is not solid, and the third the light of what
// glows.

#import bevy_blob_fluid::surface_types::SurfaceUniform
#ifdef WALLS
#import bevy_blob_fluid::walls::is_solid
#endif

@group(0) @binding(0) var<uniform> surface: SurfaceUniform;
@group(0) @binding(1) var finer: texture_2d<f32>;
@group(0) @binding(2) var linear: sampler;
@group(0) @binding(3) var details: texture_2d<f32>;
#ifdef WALLS
@group(0) @binding(4) var solid: texture_2d<f32>;
#endif

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    // One triangle that covers the whole target.
    return vec4(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let size = vec2<f32>(textureDimensions(finer));
    // The corner of the block of 4 x 4, in finer texels.
    let block = floor(position.xy) * 4.0;
    var sum = vec3(0.0);
#ifdef WALLS
    // A solid texel says nothing about the liquid.
    let counts = textureLoad(solid, vec2<i32>(position.xy), 0);
    if is_solid(counts, surface.inside_out, surface.contained) {
        return vec4(0.0);
    }
#endif
    for (var part = 0u; part < 4u; part++) {
        // A sample between four texels is their mean.
        let place = block + vec2(f32(part & 1u), f32(part >> 1u)) * 2.0 + 1.0;
#ifdef FROM_FIELD
        var total = 0.0;
        var light = 0.0;
        for (var liquid = 0u; liquid < surface.liquid_count; liquid++) {
            let tile = vec2(f32(liquid % surface.columns), f32(liquid / surface.columns));
            let at = (tile * surface.sizes.xy + place) / size;
            let look = surface.looks[liquid];
            if look.haze == 0.0 {
                total += textureSampleLevel(finer, linear, at, 0.0).a;
            }
#ifdef DETAILS
            let heat = textureSampleLevel(details, linear, at, 0.0).x;
            light += heat * look.glow;
#endif
        }
        // Glows are at most 10, and bytes at most 1.
        sum += vec3(min(total / surface.unit, 1.0), 1.0, min(0.1 * light / surface.unit, 1.0));
#else
        sum += textureSampleLevel(finer, linear, place / size, 0.0).rgb;
#endif
    }
    return vec4(sum * 0.25, 0.0);
}
