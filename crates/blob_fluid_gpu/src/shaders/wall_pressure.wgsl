// Walls push with the pressures of the particle itself. The attraction of all walls together is
// limited to a part of its weight, so that particles do not stick to walls for ever.

struct WallPush { pushed: vec2f, attracted: vec2f, against_slope: f32 }

// The displacement by a wall within the radius: by its pressure or its attraction, and against the
// slope of its fraction.
fn push_of_wall(wall: PressingWall, pressure: vec2f, own: Class) -> WallPush {
    let squared_step = params.time_step * params.time_step;
    let behind = own.ghost_density * 0.5 * own.inverse_mass;
    let ghost = ghost_wall(wall.distance * params.inverse_radius);
    let near = pressure.y * params.interaction_radius;
    let push = behind * (pressure.x * ghost.push + near * ghost.near_push);
    let moved = wall.normal * (squared_step * wall.part * push);
    // The pushes are half and a third of the slopes of the densities.
    let swell = behind * (pressure.x * ghost.density / 2.0 + near * ghost.near_density / 3.0);
    let against_slope = params.interaction_radius * squared_step * max(swell, 0.0);
    if push < 0.0 { return WallPush(vec2f(0.0), moved * wall.wetting, against_slope); }
    return WallPush(moved, vec2f(0.0), against_slope);
}

fn part_of_attraction(attracted: vec2f, own: Class) -> f32 {
    let most = params.held_weight * params.time_step * length(own.gravity_impulse);
    let all = length(attracted);
    return select(1.0, most / all, most > 0.0 && all > most);
}

fn wall_displacement(p: vec2f, pressure: vec2f, class_index: u32, own: Class) -> vec2f {
    if !may_have_walls(p) { return vec2f(0.0); }
    var pushed = vec2f(0.0);
    var attracted = vec2f(0.0);
    var pressing = pressing_walls(p, class_index);
    for (var k = 0u; k < pressing.count; k++) {
        let wall = pressing_wall(&pressing, k, p);
        if !(wall.distance < params.interaction_radius) { continue; }
        let push = push_of_wall(wall, pressure, own);
        pushed += push.pushed;
        if SOLIDS { pushed -= wall.slope * push.against_slope; }
        attracted += push.attracted;
    }
    return pushed + attracted * part_of_attraction(attracted, own);
}
