// The walls of the container near a point.

// xy: the normal, which points into the liquid; z: the distance, negative beyond the wall.
struct Walls { count: u32, walls: array<vec3f, 4> }

// Every wall within `reach` of a point, or that the point is beyond.
fn walls_near(p: vec2f, reach: f32) -> Walls {
    var found: Walls;
    let offset = p - params.centre;
    if params.container == 1u {
        let x = params.axis;
        let y = vec2f(-x.y, x.x);
        let local = vec2f(dot(offset, x), dot(offset, y));
        let low = params.half_size + local;
        let high = params.half_size - local;
        if low.x < reach { found.walls[found.count] = vec3f(x, low.x); found.count++; }
        if high.x < reach { found.walls[found.count] = vec3f(-x, high.x); found.count++; }
        if low.y < reach { found.walls[found.count] = vec3f(y, low.y); found.count++; }
        if high.y < reach { found.walls[found.count] = vec3f(-y, high.y); found.count++; }
    }
    if params.container == 2u {
        let radius = params.half_size.x;
        let distance = length(offset);
        if radius - distance < reach && distance > 1e-6 * radius {
            found.walls[0] = vec3f(-offset / distance, radius - distance);
            found.count = 1u;
        }
    }
    return found;
}

// How far inside of the container's walls a point is; a large number without a container.
fn container_depth(p: vec2f) -> f32 {
    let offset = p - params.centre;
    if params.container == 1u {
        let x = params.axis;
        let local = abs(vec2f(dot(offset, x), dot(offset, vec2f(-x.y, x.x))));
        return min(params.half_size.x - local.x, params.half_size.y - local.y);
    }
    return select(1e30, params.half_size.x - length(offset), params.container == 2u);
}
