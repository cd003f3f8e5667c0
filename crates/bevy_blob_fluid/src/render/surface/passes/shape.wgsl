// The shape of the surface. The first two channels hold its slope at large scale, times 1/4 plus 1/2. The third holds
// the square root of the depth, as a fraction of `DEEPEST`. The fourth holds the fill of the surroundings.

#import bevy_blob_fluid::surface_types::{DEEPEST, SurfaceUniform}

@group(0) @binding(0) var<uniform> surface: SurfaceUniform;
@group(0) @binding(1) var shallow: texture_2d<f32>;
@group(0) @binding(2) var deep: texture_2d<f32>;
@group(0) @binding(3) var wide: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    // One triangle that covers the whole target.
    return vec4(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

// The liquid and the part that is not solid, smoothed by a cubic B-spline, with their gradients per
// texel.
struct Smooth {
    value: vec2<f32>,
    right: vec2<f32>,
    down: vec2<f32>,
}

fn smooth_at(image: texture_2d<f32>, place: vec2<f32>) -> Smooth {
    let corner = floor(place - 0.5);
    let f = place - 0.5 - corner;
    let g = 1.0 - f;
    // The weights of four texels along each axis, and their derivatives.
    var weights = array<vec2<f32>, 4>(
        g * g * g / 6.0,
        2.0 / 3.0 - f * f * (1.0 - 0.5 * f),
        2.0 / 3.0 - g * g * (1.0 - 0.5 * g),
        f * f * f / 6.0,
    );
    var slopes = array<vec2<f32>, 4>(
        -0.5 * g * g,
        f * (1.5 * f - 2.0),
        g * (2.0 - 1.5 * g),
        0.5 * f * f,
    );
    let last = vec2<i32>(textureDimensions(image)) - 1;
    var out = Smooth(vec2(0.0), vec2(0.0), vec2(0.0));
    for (var row = 0; row < 4; row++) {
        for (var column = 0; column < 4; column++) {
            let at = clamp(vec2<i32>(corner) + vec2(column, row) - 1, vec2(0), last);
            let texel = textureLoad(image, at, 0).rg;
            out.value += weights[column].x * weights[row].y * texel;
            out.right += slopes[column].x * weights[row].y * texel;
            out.down += weights[column].x * slopes[row].y * texel;
        }
    }
    return out;
}

// Fill of the part that is not solid (z), and its gradient (x and y).
fn fullness(smooth_value: Smooth) -> vec3<f32> {
    let open = max(smooth_value.value.y, 1e-2);
    let full = smooth_value.value.x / open;
    let right = smooth_value.right.x - full * smooth_value.right.y;
    let down = smooth_value.down.x - full * smooth_value.down.y;
    return vec3(right / open, down / open, full);
}

// The fill deep inside of the liquid. It is a little less than 1, because the field is clamped to 1 before it is
// averaged.
const FULL: f32 = 0.96;

// Largest excess of the fill over one half, as a fraction of one half. Above it, errors of partly solid texels would
// decide the result.
const MOST: f32 = 0.93;

// The depth below a level surface at which the surroundings have this fill, for weights of standard deviation 1. It
// approximates the inverse of the normal distribution, and is 0 below a fill of one half.
fn depth_of(full: f32) -> f32 {
    let more = clamp(2.0 * full / FULL - 1.0, 0.0, MOST);
    return 1.2 * more / (sqrt(1.0 - more * more) + 0.25);
}

// Standard deviation of a coarser texture's weights, in its texels: a cubic B-spline over boxes.
const SPREAD: f32 = 0.645;

@fragment
fn fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let near = fullness(smooth_at(shallow, position.xy));
    let far = fullness(smooth_at(deep, position.xy / 4.0));
    let around = fullness(smooth_at(wide, position.xy / 16.0));
    // From texels to particle spacings. The liquid leans away from its fuller side.
    let texels = surface.texels_per_spacing / surface.step;
    let lean = (near.xy * 0.8 + far.xy / 4.0 * 1.6) * texels * vec2(-1.0, 1.0);
    // Each texture knows depths up to a few of its texels, and the deepest known value dominates.
    let depths = vec3(depth_of(near.z), 4.0 * depth_of(far.z), 16.0 * depth_of(around.z))
        * SPREAD / texels;
    let squares = depths * depths;
    let depth = sqrt(sqrt(dot(squares, squares)));
    return vec4(0.25 * lean + 0.5, sqrt(min(depth / DEEPEST, 1.0)), near.z);
}
