// The uniform of a surface; see `uniform.rs`.

// Upper bound of the known depths, in particle spacings.
const DEEPEST: f32 = 40.0;

struct Look {
    outline_color: vec4<f32>,
    depth_color: vec4<f32>,
    foam_color: vec4<f32>,
    sky_color: vec4<f32>,
    crust_color: vec4<f32>,
    color: vec4<f32>,
    opacity: f32,
    outline_width: f32,
    rim_light: f32,
    specular: f32,
    shininess: f32,
    refraction: f32,
    caustics: f32,
    glow: f32,
    reflection: f32,
    depth: f32,
    haze: f32,
    grain: f32,
    grain_size: f32,
    radius: f32,
    weight: f32,
    slot: u32,
}

struct SurfaceUniform {
    looks: array<Look, 16>,
    liquids: array<vec4<u32>, 16>,
    bounds: vec4<f32>,
    world_from_pixel: mat3x3<f32>,
    sizes: vec4<f32>,
    gas_sizes: vec4<f32>,
    channels: vec4<u32>,
    view_part: vec2<f32>,
    gas_view_part: vec2<f32>,
    columns: u32,
    gas_columns: u32,
    liquid_count: u32,
    step: f32,
    texels_per_spacing: f32,
    flat_field: f32,
    radius: f32,
    loose_weight: f32,
    interpolation: f32,
    depth: f32,
    threshold: f32,
    particle_spacing: f32,
    time: f32,
    by_instance: u32,
    refracts: u32,
    unit: f32,
    wall_reach: f32,
    wall_inset: f32,
    gas_inset: f32,
    haze_inset: f32,
    inside_out: u32,
    contained: u32,
}

// Position of a point in its tile, 0 to 1 from the upper left.
fn place_in_tile(
    world: vec2<f32>,
    depth: f32,
    clip_from_world: mat4x4<f32>,
    view_part: vec2<f32>,
) -> vec2<f32> {
    let clip = clip_from_world * vec4(world, depth, 1.0);
    return clip.xy / clip.w * vec2(0.5, -0.5) * view_part + 0.5;
}
