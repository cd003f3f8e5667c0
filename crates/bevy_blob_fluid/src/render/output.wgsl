// Converts linear light to the encoding of a view's target.

#define_import_path bevy_blob_fluid::output

#ifdef TONEMAP_IN_SHADER
#import bevy_core_pipeline::tonemapping
#endif
#ifdef SRGB_OUTPUT
#import bevy_render::color_operations::linear_to_srgb
#endif
#ifdef OKLAB_OUTPUT
#import bevy_render::color_operations::linear_rgb_to_oklab
#endif

#import bevy_sprite::sprite_view_bindings::view

fn for_target(light: vec4<f32>) -> vec4<f32> {
    var color = light;
#ifdef TONEMAP_IN_SHADER
#ifdef TONEMAP_METHOD_REINHARD_LUMINANCE
    // The tone mapping divides by the luminance, which must not be 0.
    color = vec4(max(color.rgb, vec3(1e-6)), color.a);
#endif
    color = tonemapping::tone_mapping(color, view.color_grading);
#endif
#ifdef SRGB_OUTPUT
    color = vec4(linear_to_srgb(color.rgb), color.a);
#endif
#ifdef OKLAB_OUTPUT
    color = vec4(linear_rgb_to_oklab(color.rgb), color.a);
#endif
    return color;
}
