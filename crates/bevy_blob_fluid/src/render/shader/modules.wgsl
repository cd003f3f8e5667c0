// Modules for all shaders.

//# bevy_blob_fluid::instance
// A particle in the vertex buffer.

struct Instance {
    @location(0) position: vec2<f32>,
    @location(1) previous_offset: vec2<f32>,
    // Class, tint, opacity, and looseness with shade.
    @location(2) bytes: vec4<u32>,
    // Square roots of the red, green and blue of its paint, and 1 if it is painted.
    @location(3) paint: vec4<f32>,
}

struct Palette {
    colors: array<vec4<f32>, 256>,
}

// Index of the particle's colour in the palette.
fn color_index_of(instance: Instance, by_instance: u32) -> u32 {
    return select(instance.bytes.x, instance.bytes.y, by_instance != 0u);
}

// The colour of a particle: its paint in linear light, or `known`, its colour in the palette.
fn painted(instance: Instance, known: vec4<f32>) -> vec4<f32> {
    let paint = instance.paint.rgb * instance.paint.rgb;
    return vec4(select(known.rgb, paint, instance.paint.a > 0.5), known.a);
}

// Heat and foam, 0 to 1.
fn heat_and_foam_of(instance: Instance, by_instance: u32) -> vec2<f32> {
    let steps = vec2(instance.bytes.y >> 4u, instance.bytes.y & 15u);
    return select(vec2<f32>(steps) / 15.0, vec2(0.0), by_instance != 0u);
}

fn opacity_of(instance: Instance) -> f32 {
    return f32(instance.bytes.z) / 255.0;
}

// Looseness: 0 inside of the liquid, 1 for a single particle.
fn looseness_of(instance: Instance) -> f32 {
    return f32(instance.bytes.w >> 3u) / 31.0;
}

// Shade, -0.5 to 0.5, different for neighbours.
fn shade_of(instance: Instance) -> f32 {
    return f32(instance.bytes.w & 7u) / 7.0 - 0.5;
}

//# bevy_blob_fluid::output
// Converts linear light to the encoding of a view's target.

#ifdef TONEMAP_IN_SHADER
#import bevy_blob_fluid::tone_mapping::tone_mapping
#import bevy_blob_fluid::view::view
#endif

fn for_target(light: vec4<f32>) -> vec4<f32> {
    var color = light;
#ifdef TONEMAP_IN_SHADER
#ifdef TONEMAP_METHOD_REINHARD_LUMINANCE
    // The tone mapping divides by the luminance, which must not be 0.
    color = vec4(max(color.rgb, vec3(1e-6)), color.a);
#endif
    color = tone_mapping(color, view.color_grading);
#endif
#ifdef SRGB_OUTPUT
    color = vec4(linear_to_srgb(color.rgb), color.a);
#endif
#ifdef OKLAB_OUTPUT
    color = vec4(linear_to_oklab(color.rgb), color.a);
#endif
    return color;
}

#ifdef SRGB_OUTPUT
fn linear_to_srgb(light: vec3<f32>) -> vec3<f32> {
    return vec3(srgb_of(light.x), srgb_of(light.y), srgb_of(light.z));
}

fn srgb_of(light: f32) -> f32 {
    if light <= 0.0 {
        return light;
    }
    if light <= 0.0031308 {
        return light * 12.92;
    } else {
        return 1.055 * pow(light, 1.0 / 2.4) - 0.055;
    }
}
#endif

#ifdef OKLAB_OUTPUT
// https://bottosson.github.io/posts/oklab/
fn linear_to_oklab(c: vec3<f32>) -> vec3<f32> {
    let l = pow(c.x * 0.4122214708 + c.y * 0.5363325363 + c.z * 0.0514459929, 1.0 / 3.0);
    let m = pow(c.x * 0.2119034982 + c.y * 0.6806995451 + c.z * 0.1073969566, 1.0 / 3.0);
    let s = pow(c.x * 0.0883024619 + c.y * 0.2817188376 + c.z * 0.6299787005, 1.0 / 3.0);
    return vec3(
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    );
}
#endif

//# bevy_blob_fluid::tone_mapping
// Tone mapping as of Bevy's sprites and 2D meshes, after `tonemapping_shared.wgsl` of Bevy (MIT or Apache-2.0): exposure,
// the method of the camera, and saturation.

#import bevy_blob_fluid::view::ColorGrading

// The lookup table of the method.
#ifdef MESH_VIEW
@group(0) @binding(2) var lookup_table: texture_3d<f32>;
@group(0) @binding(3) var lookup_sampler: sampler;
#else
@group(0) @binding(1) var lookup_table: texture_3d<f32>;
@group(0) @binding(2) var lookup_sampler: sampler;
#endif

fn tone_mapping(light: vec4<f32>, grading: ColorGrading) -> vec4<f32> {
    var color = max(light.rgb, vec3(0.0));
    color = color * pow(vec3(2.0), vec3(grading.exposure));
#ifdef TONEMAP_METHOD_REINHARD
    color = color / (1.0 + color);
#endif
#ifdef TONEMAP_METHOD_REINHARD_LUMINANCE
    let luminance = luminance_of(color);
    color = color * ((luminance / (1.0 + luminance)) / luminance);
#endif
#ifdef TONEMAP_METHOD_ACES_FITTED
    color = aces_fitted(color);
#endif
#ifdef TONEMAP_METHOD_AGX
    color = looked_up(agx_log(color), 32.0);
#endif
#ifdef TONEMAP_METHOD_SOMEWHAT_BORING_DISPLAY_TRANSFORM
    color = somewhat_boring(color);
#endif
#ifdef TONEMAP_METHOD_TONY_MC_MAPFACE
    let place = (color / (color + 1.0)) * (47.0 / 48.0) + 0.5 / 48.0;
    color = textureSampleLevel(lookup_table, lookup_sampler, saturate(place), 0.0).rgb;
#endif
#ifdef TONEMAP_METHOD_BLENDER_FILMIC
    color = looked_up(saturate(log_steps(color, -11.0, 12.0)), 64.0);
#endif
#ifdef TONEMAP_METHOD_PBR_NEUTRAL
    color = pbr_neutral(color);
#endif
    color = mix(vec3(luminance_of(color)), color, vec3(grading.post_saturation));
    return vec4(color, light.a);
}

// Luminance by Rec. 709.
fn luminance_of(color: vec3<f32>) -> f32 {
    return dot(color, vec3<f32>(0.2126, 0.7152, 0.0722));
}

// The table's value at a colour, for a table of this width.
fn looked_up(color: vec3<f32>, width: f32) -> vec3<f32> {
    let place = color * ((width - 1.0) / width) + 0.5 / width;
    return textureSampleLevel(lookup_table, lookup_sampler, place, 0.0).rgb;
}

// The logarithm of each channel relative to middle grey, 0 to 1 between two exposures.
fn log_steps(light: vec3<f32>, lowest: f32, highest: f32) -> vec3<f32> {
    var color = max(vec3(0.0), light);
    color = select(color, 0.00001525878 + color, color < vec3<f32>(0.00003051757));
    color = clamp(log2(color / 0.18), vec3(lowest), vec3(highest));
    return (color - lowest) / (highest - lowest);
}

#ifdef TONEMAP_METHOD_ACES_FITTED
// After Stephen Hill, in MJP's BakingLab.
fn aces_fitted(light: vec3<f32>) -> vec3<f32> {
    // From sRGB to the space of the curve, and back.
    let to_curve = mat3x3<f32>(
        vec3(0.59719, 0.35458, 0.04823),
        vec3(0.07600, 0.90834, 0.01566),
        vec3(0.02840, 0.13383, 0.83777),
    );
    let from_curve = mat3x3<f32>(
        vec3(1.60475, -0.53108, -0.07367),
        vec3(-0.10208, 1.10813, -0.00605),
        vec3(-0.00327, -0.07276, 1.07602),
    );
    let v = light * to_curve;
    let a = v * (v + 0.0245786) - 0.000090537;
    let b = v * (0.983729 * v + 0.4329510) + 0.238081;
    return saturate((a / b) * from_curve);
}
#endif

#ifdef TONEMAP_METHOD_AGX
// After Troy Sobotka.
fn agx_log(light: vec3<f32>) -> vec3<f32> {
    let color = max(vec3(0.0), light);
    let r = dot(color, vec3(0.84247906, 0.0784336, 0.07922375));
    let g = dot(color, vec3(0.04232824, 0.87846864, 0.07916613));
    let b = dot(color, vec3(0.04237565, 0.0784336, 0.87914297));
    return clamp(log_steps(vec3(r, g, b), -10.0, 6.5), vec3(0.0), vec3(1.0));
}
#endif

#ifdef TONEMAP_METHOD_SOMEWHAT_BORING_DISPLAY_TRANSFORM
// After Tomasz Stachowiak.
fn somewhat_boring(light: vec3<f32>) -> vec3<f32> {
    let to_ycbcr = mat3x3<f32>(
        0.2126, 0.7152, 0.0722,
        -0.1146, -0.3854, 0.5,
        0.5, -0.4542, -0.0458,
    );
    let ycbcr = light * to_ycbcr;
    let chroma = 1.0 - exp(-(length(ycbcr.yz) * 2.4));
    var grey = max((chroma - 0.7) * 0.8, 0.0);
    grey *= grey;
    let mapped = 1.0 - exp(-ycbcr.x);
    let by_luminance = light * max(0.0, mapped / max(1e-5, luminance_of(light)));
    let by_channel = 1.0 - exp(-mix(light, ycbcr.xxx, grey));
    return mix(by_luminance, by_channel, chroma * chroma) * 0.97;
}
#endif

#ifdef TONEMAP_METHOD_PBR_NEUTRAL
// https://github.com/KhronosGroup/ToneMapping/blob/main/PBR_Neutral/pbrNeutral.glsl (Apache-2.0)
fn pbr_neutral(light: vec3<f32>) -> vec3<f32> {
    const START: f32 = 0.8 - 0.04;
    const DESATURATION: f32 = 0.15;
    let least = min(light.r, min(light.g, light.b));
    let toe = select(0.04, least - 6.25 * least * least, least < 0.08);
    let color = light - toe;
    let peak = max(color.r, max(color.g, color.b));
    if peak < START {
        return color;
    }
    let d = 1.0 - START;
    let compressed = 1.0 - d * d / (peak + d - START);
    let grey = 1.0 - 1.0 / (DESATURATION * (peak - compressed) + 1.0);
    return mix(color * (compressed / peak), vec3(compressed), grey);
}
#endif

//# bevy_blob_fluid::view
// The uniform of a view: the first binding of the first group, for sprites and for 2D meshes. A test compares its size
// with that of Bevy's `ViewUniform`.

struct ColorGrading {
    balance: mat3x3<f32>,
    saturation: vec3<f32>,
    contrast: vec3<f32>,
    gamma: vec3<f32>,
    gain: vec3<f32>,
    lift: vec3<f32>,
    midtone_range: vec2<f32>,
    exposure: f32,
    hue: f32,
    post_saturation: f32,
}

struct View {
    clip_from_world: mat4x4<f32>,
    unjittered_clip_from_world: mat4x4<f32>,
    world_from_clip: mat4x4<f32>,
    world_from_view: mat4x4<f32>,
    view_from_world: mat4x4<f32>,
    clip_from_view: mat4x4<f32>,
    view_from_clip: mat4x4<f32>,
    world_position: vec3<f32>,
    exposure: f32,
    // Left, top, width and height, in pixels.
    viewport: vec4<f32>,
    main_pass_viewport: vec4<f32>,
    frustum: array<vec4<f32>, 6>,
    lod_view_world_position: vec3<f32>,
    color_grading: ColorGrading,
    mip_bias: f32,
    frame_count: u32,
}

@group(0) @binding(0) var<uniform> view: View;
