// A surface as the shaders read it; see `uniform.rs`.

#define_import_path bevy_blob_fluid::surface_types

struct Look {
    outline_color: vec4<f32>,
    depth_color: vec4<f32>,
    foam_color: vec4<f32>,
    opacity: f32,
    outline_width: f32,
    rim_light: f32,
    specular: f32,
    shininess: f32,
    refraction: f32,
    caustics: f32,
    glow: f32,
    depth: f32,
    padding_a: f32,
    padding_b: f32,
    padding_c: f32,
}

struct SurfaceUniform {
    looks: array<Look, 16>,
    liquids: array<vec4<u32>, 16>,
    bounds: vec4<f32>,
    sizes: vec4<f32>,
    view_part: vec2<f32>,
    columns: u32,
    liquid_count: u32,
    radius: f32,
    weight: f32,
    loose_weight: f32,
    interpolation: f32,
    depth: f32,
    threshold: f32,
    particle_spacing: f32,
    time: f32,
    by_instance: u32,
    refracts: u32,
    unit: f32,
    padding: f32,
}
