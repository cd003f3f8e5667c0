// v /= 1 + dt c, where the drag on slow particles fades as (1 - |v|/v_calm)^2
fn damped(velocity: vec2f) -> vec2f {
    let slowness = max(1.0 - length(velocity) * params.inverse_calm_speed, 0.0);
    return velocity / (1.0 + (params.drag + params.calm_drag * slowness * slowness));
}
