// Conversion of positions between the view and the world.

#import bevy_blob_fluid::surface_bindings::surface

// Position in world units of a place in the view, which is in pixels.
fn world_at(pixel: vec2<f32>) -> vec2<f32> {
    let world = surface.world_from_pixel * vec3(pixel, 1.0);
    return world.xy / world.z;
}

// World units per pixel at a place in the view, whose position in the world is `world`.
fn scale_at(pixel: vec2<f32>, world: vec2<f32>) -> f32 {
    let map = surface.world_from_pixel;
    let divisor = (map * vec3(pixel, 1.0)).z;
    let rise = vec2(map[0].x - world.x * map[0].z, map[1].x - world.x * map[1].z);
    return max(length(rise / divisor), 1e-9);
}
