// Contributions of the missing liquid behind a wall.

// G2, G3 and their pushes -G2'/2 and -G3'/3, at the distance u = d/h: G2 = w^3.5 P(w), G3 = w^4.5 N(w)
// with w = 1 - u.
struct Ghost { density: f32, near_density: f32, push: f32, near_push: f32 }

// Value and slope of the polynomial whose six numbers begin at `first`.
fn polynomial(first: u32, w: f32) -> vec2f {
    var value = vec2f(0.0);
    for (var k = 6u; k > 0u; k--) {
        let at = first + k - 1u;
        value = vec2f(value.x * w + params.ghost[at / 4u][at % 4u], value.y * w + value.x);
    }
    return value;
}

fn ghost_wall(u: f32) -> Ghost {
    let w = clamp(1.0 - u, 0.0, 1.0);
    let p = polynomial(0u, w);
    let n = polynomial(6u, w);
    let w25 = w * w * sqrt(w);
    let w35 = w25 * w;
    return Ghost(w35 * p.x, w35 * w * n.x,
        0.5 * w25 * (3.5 * p.x + w * p.y), w35 * (4.5 * n.x + w * n.y) / 3.0);
}
