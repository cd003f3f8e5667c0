// v_t /= 1 + dt c (1 - d/reach); v_n -= dt k_stick d (1 - d/d_stick)
fn apply_wall_friction(position: vec2f, velocity: vec2f) -> vec2f {
    var v = velocity;
    let near = walls_near(position, params.radius);
    for (var k = 0u; k < near.count; k++) {
        let normal = near.walls[k].xy;
        let distance = near.walls[k].z;
        let closeness = 1.0 - max(distance, 0.0) / params.wall_reach;
        if closeness > 0.0 && params.wall_drag > 0.0 {
            let drag = params.wall_drag * closeness;
            let tangent = vec2f(-normal.y, normal.x);
            v -= tangent * (dot(v, tangent) * (drag / (params.wall_rest + drag)));
        }
        if distance > 0.0 && distance < params.stick_reach {
            v -= normal * (params.stick_per_step * distance * (1.0 - distance / params.stick_reach));
        }
    }
    return v;
}
