// How the haze of gases is stored in a texture.

#define_import_path bevy_blob_fluid::surface_haze

#import bevy_blob_fluid::surface_bindings::surface

// What glows is at most so bright where it is stored in bytes.
const BRIGHTEST: f32 = 4.0;

// A colour and its opacity as stored: the colour times the opacity, and in bytes the root of it, so that what is dark has
// as many shades as what is bright.
fn stored(haze: vec4<f32>) -> vec4<f32> {
    let light = haze.rgb * haze.a;
    if surface.unit < 1.0 {
        return vec4(sqrt(light / BRIGHTEST), haze.a);
    }
    return vec4(light, haze.a);
}

// And back.
fn restored(found: vec4<f32>) -> vec4<f32> {
    var light = found.rgb;
    if surface.unit < 1.0 {
        light = BRIGHTEST * light * light;
    }
    return vec4(light / max(found.a, 1e-4), found.a);
}
