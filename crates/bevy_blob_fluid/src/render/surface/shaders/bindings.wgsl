// Bindings of the shader of a surface.

#define_import_path bevy_blob_fluid::surface_bindings

#import bevy_blob_fluid::surface_types::SurfaceUniform

@group(1) @binding(0) var<uniform> surface: SurfaceUniform;
@group(1) @binding(1) var field: texture_2d<f32>;
@group(1) @binding(2) var details: texture_2d<f32>;
@group(1) @binding(3) var shape: texture_2d<f32>;
@group(1) @binding(4) var deep: texture_2d<f32>;
@group(1) @binding(5) var behind: texture_2d<f32>;
@group(1) @binding(6) var linear: sampler;
#ifdef FROM_GASES
@group(1) @binding(7) var gas: texture_2d<f32>;
#else
@group(1) @binding(7) var haze: texture_2d<f32>;
#endif
@group(1) @binding(8) var gas_details: texture_2d<f32>;
@group(1) @binding(9) var shallow: texture_2d<f32>;
#ifdef WALLS
@group(1) @binding(10) var walls: texture_2d<f32>;
@group(1) @binding(11) var nearest_wall: texture_2d<u32>;
#endif
