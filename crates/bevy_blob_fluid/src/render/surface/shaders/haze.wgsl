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
