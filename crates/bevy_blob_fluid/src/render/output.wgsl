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
