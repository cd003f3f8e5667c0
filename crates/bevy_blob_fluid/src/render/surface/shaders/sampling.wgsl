// Smooth values and slopes of textures.

#import bevy_blob_fluid::surface_bindings::linear_sampler

// A texture's value at a position in texels, smoothed by a cubic B-spline. Four samples replace its sixteen weights. Only
// texels within the box from `low` to `high` are read.
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

// A smooth value of a texture, and its gradient to the right (x) and downwards (y) per texel.
struct Wide {
    value: vec4<f32>,
    x: vec4<f32>,
    y: vec4<f32>,
}

// The same, smooth over about two particles: a quadratic B-spline whose control points are two texels apart, each the
// mean of four texels. Where classes alternate, their fields differ by little: with samples that are only linear, the
// border would follow the texels, and four samples would jump where the control points change.
fn wide(
    image: texture_2d<f32>,
    place: vec2<f32>,
    low: vec2<f32>,
    high: vec2<f32>,
) -> Wide {
    let size = vec2<f32>(textureDimensions(image));
    let middle = floor(0.5 * place);
    let f = 0.5 * place - middle;
    let g = 1.0 - f;
    // Weights of the control points before, at and after the middle one.
    let before = 0.5 * g * g;
    let after = 0.5 * f * f;
    let here = 1.0 - before - after;
    let at = 2.0 * middle + 1.0;
    let a = clamp(at - 2.0, low + 0.5, high - 0.5) / size;
    let b = clamp(at, low + 0.5, high - 0.5) / size;
    let c = clamp(at + 2.0, low + 0.5, high - 0.5) / size;
    let xs = vec3(a.x, b.x, c.x);
    let weights = vec3(before.x, here.x, after.x);
    // The derivatives of the weights.
    let slopes = 0.5 * vec3(-g.x, g.x - f.x, f.x);
    let upper = row_of_samples(image, xs, a.y, weights, slopes);
    let same = row_of_samples(image, xs, b.y, weights, slopes);
    let lower = row_of_samples(image, xs, c.y, weights, slopes);
    return Wide(
        before.y * upper.value + here.y * same.value + after.y * lower.value,
        before.y * upper.x + here.y * same.x + after.y * lower.x,
        0.5 * ((g.y - f.y) * same.value + f.y * lower.value - g.y * upper.value),
    );
}

fn row_of_samples(
    image: texture_2d<f32>,
    xs: vec3<f32>,
    y: f32,
    weights: vec3<f32>,
    slopes: vec3<f32>,
) -> Wide {
    let a = textureSampleLevel(image, linear_sampler, vec2(xs.x, y), 0.0);
    let b = textureSampleLevel(image, linear_sampler, vec2(xs.y, y), 0.0);
    let c = textureSampleLevel(image, linear_sampler, vec2(xs.z, y), 0.0);
    let value = weights.x * a + weights.y * b + weights.z * c;
    return Wide(value, slopes.x * a + slopes.y * b + slopes.z * c, vec4(0.0));
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
