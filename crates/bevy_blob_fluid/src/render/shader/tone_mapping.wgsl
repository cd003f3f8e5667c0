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
