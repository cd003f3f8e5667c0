// Direction from coincident particle `a` to `b`: one of sixteen, chosen by their ids. Swapping `a`
// and `b` gives the opposite direction.
fn separation_axis(a: u32, b: u32) -> vec2f {
    let low = min(a, b);
    let high = max(a, b);
    let mixed = ((low ^ ((high << 16u) | (high >> 16u))) * 0x9e3779b9u) >> 28u;
    var quarter = array<vec2f, 4>(vec2f(1.0, 0.0), vec2f(0.9238795, 0.38268343),
        vec2f(0.70710677, 0.70710677), vec2f(0.38268343, 0.9238795));
    var axis = quarter[mixed & 3u];
    if (mixed & 4u) != 0u { axis = vec2f(-axis.y, axis.x); }
    if (mixed & 8u) != 0u { axis = -axis; }
    return select(-axis, axis, a < b);
}
