// The walls of the container: four of a rectangle, one of a disc. They are computed one by one,
// because an array of them would be in memory.

fn own_walls() -> u32 {
    return select(select(0u, 1u, params.container == 2u), 4u, params.container == 1u);
}

// xy: the normal, which points into the liquid; z: the distance, negative beyond the wall.
fn own_wall(p: vec2f, number: u32) -> vec3f {
    let offset = p - params.centre;
    if params.container == 2u {
        let radius = params.half_size.x;
        let distance = length(offset);
        // The normal is not defined at the centre.
        if distance <= 1e-6 * radius { return vec3f(0.0, 1.0, 1e30); }
        return vec3f(-offset / distance, radius - distance);
    }
    let x = params.axis;
    let across = number < 2u;
    let axis = select(vec2f(-x.y, x.x), x, across);
    let side = select(1.0, -1.0, (number & 1u) != 0u);
    return vec3f(axis * side, select(params.half_size.y, params.half_size.x, across) + side * dot(offset, axis));
}

// Depth of a point inside the container's walls; a large number without a container.
fn container_depth(p: vec2f) -> f32 {
    let offset = p - params.centre;
    if params.container == 1u {
        let x = params.axis;
        let local = abs(vec2f(dot(offset, x), dot(offset, vec2f(-x.y, x.x))));
        return min(params.half_size.x - local.x, params.half_size.y - local.y);
    }
    return select(1e30, params.half_size.x - length(offset), params.container == 2u);
}
