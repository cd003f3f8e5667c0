// Bindings of the shader of a surface.

#import bevy_blob_fluid::surface_types::SurfaceUniform

@group(1) @binding(0) var<uniform> surface: SurfaceUniform;
@group(1) @binding(1) var field_texture: texture_2d<f32>;
@group(1) @binding(2) var details_texture: texture_2d<f32>;
@group(1) @binding(3) var shape_texture: texture_2d<f32>;
@group(1) @binding(4) var deep_texture: texture_2d<f32>;
@group(1) @binding(5) var behind_texture: texture_2d<f32>;
@group(1) @binding(6) var linear_sampler: sampler;
#ifdef FROM_GASES
@group(1) @binding(7) var gas_texture: texture_2d<f32>;
#else
@group(1) @binding(7) var haze_texture: texture_2d<f32>;
#endif
@group(1) @binding(8) var gas_details_texture: texture_2d<f32>;
@group(1) @binding(9) var shallow_texture: texture_2d<f32>;
#ifdef WALLS
@group(1) @binding(10) var walls_texture: texture_2d<f32>;
@group(1) @binding(11) var nearest_wall_texture: texture_2d<u32>;
#endif
