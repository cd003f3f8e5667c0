// x += d n; I = v_n - mu v_t, limited to what cancels the speed into the wall, plus V0
fn contain(particle: ptr<function, Particle>) {
    let time_step = params.time_step;
    let ejection = params.speed_unit * time_step;
    let near = walls_near((*particle).position, 0.0);
    for (var k = 0u; k < near.count; k++) {
        let normal = near.walls[k].xy;
        let beyond = -near.walls[k].z;
        let travel = (*particle).velocity * time_step + (*particle).displacement;
        let along = dot(travel, normal);
        let followed = min(beyond, max(ejection - along, 0.0));
        (*particle).displacement += normal * (followed + params.unsticking_speed * time_step);
        if along < 0.0 {
            let part = min(followed / -along, 1.0);
            (*particle).displacement -= (travel - normal * along) * (params.impact_friction * part);
        }
        (*particle).position += normal * beyond;
    }
}
