// The colour and opacity of all gases together at each texel of a liquid's tile, with light. The field of gases and the
// swirl are wider than a texel, so a finer resolution would show nothing more.

#import bevy_blob_fluid::surface_bindings::surface
#import bevy_blob_fluid::surface_gas::haze_at
#import bevy_blob_fluid::surface_haze::stored
#import bevy_blob_fluid::surface_places::world_at
#ifdef WALLS
#import bevy_blob_fluid::surface_places::scale_at
#import bevy_blob_fluid::surface_reading::before_walls
#endif
#import bevy_blob_fluid::view::view

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    // One triangle that covers the whole target.
    return vec4(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let lit = position.xy / surface.sizes.xy;
    let in_view = ((lit - 0.5) / surface.view_part + 0.5) * view.viewport.zw;
    let world = world_at(in_view);
    var place = lit;
    var clear = 1e9;
#ifdef WALLS
    // The field of gases is so coarse that nearer to a wall it is also that behind the wall.
    let inset = surface.gas_inset;
    let reading = before_walls(world, position.xy, scale_at(in_view, world), inset);
    place = reading.texel / surface.sizes.xy;
    clear = max(reading.wall - inset, 0.0);
#endif
    return stored(haze_at(place, lit, world, clear));
}
