// Smooth values and slopes of textures.

#define_import_path bevy_blob_fluid::surface_sampling

#import bevy_blob_fluid::surface_bindings::linear

// A texture's value at a position in texels, smoothed by a cubic B-spline. Four samples replace its
// sixteen weights. Only texels within the box from `low` to `high` are read.
fn cubic(
    image: texture_2d<f32>,
    place: vec2<f32>,
    low: vec2<f32>,
    high: vec2<f32>,
) -> vec4<f32> {
    let size = vec2<f32>(textureDimensions(image));
    let corner = floor(place - 0.5);
    let f = place - 0.5 - corner;
    let g = 1.0 - f;
    let w0 = g * g * g / 6.0;
    let w3 = f * f * f / 6.0;
    let w1 = 2.0 / 3.0 - f * f * (1.0 - 0.5 * f);
    let w2 = 1.0 - w0 - w1 - w3;
    let near = w0 + w1;
    let a = clamp(corner - 0.5 + w1 / near, low + 0.5, high - 0.5) / size;
    let b = clamp(corner + 1.5 + w3 / (w2 + w3), low + 0.5, high - 0.5) / size;
    let upper = mix(
        textureSampleLevel(image, linear, vec2(b.x, a.y), 0.0),
        textureSampleLevel(image, linear, a, 0.0),
        near.x,
    );
    let lower = mix(
        textureSampleLevel(image, linear, b, 0.0),
        textureSampleLevel(image, linear, vec2(a.x, b.y), 0.0),
        near.x,
    );
    return mix(lower, upper, near.y);
}

// Distance of the samples of a wide value, in texels. Their mean is smooth over about two particles.
const AROUND: f32 = 1.3;

// A texture's value at a position in texels, smoothed more than by `cubic`. Where classes alternate, their fields differ
// by little: between samples that are only linear the border would follow the texels.
fn wide(
    image: texture_2d<f32>,
    place: vec2<f32>,
    low: vec2<f32>,
    high: vec2<f32>,
) -> vec4<f32> {
    var sum = vec4(0.0);
    for (var part = 0u; part < 4u; part++) {
        let offset = AROUND * (vec2(f32(part & 1u), f32(part >> 1u)) * 2.0 - 1.0);
        sum += cubic(image, place + offset, low, high);
    }
    return 0.25 * sum;
}

// Half of the distance between the samples of a slope, in texels. Closer samples differ by less than filters resolve.
const HALF_WAY: f32 = 0.6;

// Gradient of a texture to the right (x) and downwards (y) per texel.
struct Slope {
    x: vec4<f32>,
    y: vec4<f32>,
}

fn slope_of(
    image: texture_2d<f32>,
    place: vec2<f32>,
    low: vec2<f32>,
    high: vec2<f32>,
) -> Slope {
    let size = vec2<f32>(textureDimensions(image));
    let before = clamp(place - HALF_WAY, low + 0.5, high - 0.5) / size;
    let after = clamp(place + HALF_WAY, low + 0.5, high - 0.5) / size;
    let here = clamp(place, low + 0.5, high - 0.5) / size;
    let x = textureSampleLevel(image, linear, vec2(after.x, here.y), 0.0)
        - textureSampleLevel(image, linear, vec2(before.x, here.y), 0.0);
    let y = textureSampleLevel(image, linear, vec2(here.x, after.y), 0.0)
        - textureSampleLevel(image, linear, vec2(here.x, before.y), 0.0);
    return Slope(0.5 / HALF_WAY * x, 0.5 / HALF_WAY * y);
}
