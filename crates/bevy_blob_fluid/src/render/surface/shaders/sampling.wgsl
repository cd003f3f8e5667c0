// Smooth values and slopes of textures.

#import bevy_blob_fluid::surface_bindings::linear_sampler

// A texture's value at a position in texels, smoothed by a cubic B-spline whose knots have this distance in texels. Four
// samples replace its sixteen weights. Only texels within the box from `low` to `high` are read.
fn spline(
    image: texture_2d<f32>,
    place: vec2<f32>,
    knots: f32,
    low: vec2<f32>,
    high: vec2<f32>,
) -> vec4<f32> {
    let size = vec2<f32>(textureDimensions(image));
    let corner = floor(place / knots - 0.5);
    let f = place / knots - 0.5 - corner;
    let g = 1.0 - f;
    let w0 = g * g * g / 6.0;
    let w3 = f * f * f / 6.0;
    let w1 = 2.0 / 3.0 - f * f * (1.0 - 0.5 * f);
    let w2 = 1.0 - w0 - w1 - w3;
    let near = w0 + w1;
    let a = clamp(knots * (corner - 0.5 + w1 / near), low + 0.5, high - 0.5) / size;
    let b = clamp(knots * (corner + 1.5 + w3 / (w2 + w3)), low + 0.5, high - 0.5) / size;
    let upper = mix(
        textureSampleLevel(image, linear_sampler, vec2(b.x, a.y), 0.0),
        textureSampleLevel(image, linear_sampler, a, 0.0),
        near.x,
    );
    let lower = mix(
        textureSampleLevel(image, linear_sampler, b, 0.0),
        textureSampleLevel(image, linear_sampler, vec2(a.x, b.y), 0.0),
        near.x,
    );
    return mix(lower, upper, near.y);
}

// A texture's value at a position in texels, smoothed by as little as hides the texels.
fn cubic(
    image: texture_2d<f32>,
    place: vec2<f32>,
    low: vec2<f32>,
    high: vec2<f32>,
) -> vec4<f32> {
    return spline(image, place, 1.0, low, high);
}

// The same, smooth over about two particles. Where classes alternate, their fields differ by little: with samples that
// are only linear, the border would follow the texels.
fn wide(
    image: texture_2d<f32>,
    place: vec2<f32>,
    low: vec2<f32>,
    high: vec2<f32>,
) -> vec4<f32> {
    return spline(image, place, 2.0, low, high);
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
    let x = textureSampleLevel(image, linear_sampler, vec2(after.x, here.y), 0.0)
        - textureSampleLevel(image, linear_sampler, vec2(before.x, here.y), 0.0);
    let y = textureSampleLevel(image, linear_sampler, vec2(here.x, after.y), 0.0)
        - textureSampleLevel(image, linear_sampler, vec2(here.x, before.y), 0.0);
    return Slope(0.5 / HALF_WAY * x, 0.5 / HALF_WAY * y);
}
