// v_t /= 1 + dt c (1 - d/reach); v_n -= dt k_stick d (1 - d/d_stick)
fn apply_wall_friction(position: vec2f, velocity: vec2f, class_index: u32) -> vec2f {
    if !may_have_walls(position) { return velocity; }
    var v = velocity;
    var near = find_walls(position, class_index, true);
    for (var k = 0u; k < near.count; k++) {
        if ((near.hidden >> k) & 1u) != 0u { continue; }
        let wall = near_wall(&near, k, position);
        if !(wall.distance < params.interaction_radius) { continue; }
        var friction = vec3f(params.wall.drag, params.wall.rest, params.wall.reach);
        var stick = vec2f(params.wall.stick_per_step, params.wall.stick_reach);
        var of_wall = vec2f(0.0);
        let before = v;
        if SOLIDS && wall.body != NONE {
            let body = body_at(wall.body);
            friction = bitcast<vec3f>(solids[body.wall].xyz);
            stick = bitcast<vec2f>(solids[body.wall + 1u].xy);
            of_wall = wall_velocity(body, body.earlier, position, wall.distance);
        }
        let closeness = 1.0 - max(wall.distance, 0.0) / friction.z;
        if closeness > 0.0 && friction.x > 0.0 {
            let drag = friction.x * closeness;
            let tangent = vec2f(-wall.normal.y, wall.normal.x);
            v -= tangent * (dot(v - of_wall, tangent) * (drag / (friction.y + drag)));
        }
        if wall.distance > 0.0 && wall.distance < stick.y {
            v -= wall.normal * (stick.x * wall.distance * (1.0 - wall.distance / stick.y));
        }
        if LOADS && wall.body != NONE {
            let body = body_at(wall.body);
            bear(body, body.earlier, position, (v - before) * mass_of(class_index));
        }
    }
    return v;
}
