// The position at which the field is read; near walls it is displaced away from them.

#ifdef WALLS
#import bevy_blob_fluid::surface_bindings::{nearest_wall_texture, surface, walls_texture}
#import bevy_blob_fluid::surface_types::place_in_tile
#import bevy_blob_fluid::walls::{NearWall, near_wall, nearest_along, wall_at}
#import bevy_blob_fluid::view::view
#endif

// The reading of the field at a pixel.
struct Reading {
    // Position in the field, in texels of a tile.
    texel: vec2<f32>,
    // Fraction of the pixel that is not solid.
    open: f32,
    // Distance to the nearest wall in world units, large without a near wall, and the direction away from the wall.
    wall: f32,
    wall_normal: vec2<f32>,
    // Directions in the field along which the reading is constant.
    flat_a: vec2<f32>,
    flat_b: vec2<f32>,
}

#ifdef WALLS
fn texel_at(world: vec2<f32>) -> vec2<f32> {
    let clip_from_world = view.clip_from_world;
    let place = place_in_tile(world, surface.depth, clip_from_world, surface.view_part);
    return place * surface.sizes.xy;
}

// The wall nearest to a point: one of the walls nearest to the surrounding texels. A texel without a wall is far from
// all walls. Then no wall matters at the point, and the other texels may not know the nearest one.
fn nearest_to(world: vec2<f32>, texel: vec2<f32>) -> NearWall {
    // This texture is finer than the field if walls are short relative to texels.
    let size = textureDimensions(nearest_wall_texture);
    let last = vec2<i32>(size) - 1;
    let corner = vec2<i32>(floor(texel * vec2<f32>(size) / surface.sizes.xy - 0.5));
    let none = NearWall(vec2(0.0), 1e9, 0.0, 1e9);
    var nearest = none;
    var best = 0u;
    var known = 0u;
    for (var part = 0; part < 4; part++) {
        let at = clamp(corner + vec2(part & 1, part >> 1u), vec2(0), last);
        let index = textureLoad(nearest_wall_texture, at, 0).r;
        if index == 0u {
            return none;
        }
        if index == known {
            continue;
        }
        known = index;
        let near = near_wall(wall_at(walls_texture, index - 1u), world, surface.particle_spacing);
        if near.rank < nearest.rank {
            nearest = near;
            best = index;
        }
    }
    // If faces are shorter than texels, as around a rounded corner, no texel may know the nearest face.
    return nearest_along(walls_texture, best, nearest, world, surface.particle_spacing);
}

// Nearer to a wall than `inset`, the field is read at that distance. The liquid therefore fills corners and meets walls
// at a right angle.
fn before_walls(world: vec2<f32>, texel: vec2<f32>, pixel: f32, inset: f32) -> Reading {
    let first = nearest_to(world, texel);
    var out = Reading(texel, 1.0, first.distance, first.normal, vec2(0.0), vec2(0.0));
    out.open = clamp(0.5 + first.distance / pixel, 0.0, 1.0);
    if out.open <= 0.0 || first.distance >= inset {
        return out;
    }
    var at = world + first.normal * (inset - first.distance);
    out.texel = texel_at(at);
    out.flat_a = normalize(out.texel - texel_at(at - first.normal * inset));
    // A corner has a second wall.
    let second = nearest_to(at, out.texel);
    let before_second = dot(world - at, second.normal) + second.distance;
    if before_second < min(first.distance, 0.0) - 0.05 * surface.particle_spacing {
        // The way there crosses it: a narrow pipe is read in its middle.
        let gap = max(inset - max(second.distance, 0.0), first.distance);
        out.texel = texel_at(world + first.normal * (0.5 * gap - first.distance));
        return out;
    }
    if second.distance < 0.99 * inset {
        at += second.normal * (inset - second.distance);
        out.texel = texel_at(at);
        out.flat_b = normalize(out.texel - texel_at(at - second.normal * inset));
    }
    return out;
}
#endif
