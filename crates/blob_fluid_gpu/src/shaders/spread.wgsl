// The distribution of particles: their number, mean position, sums of squares and of products of
// their offsets from the mean, and the box around them. Two distributions are merged without loss
// of precision far from the origin (Chan, Golub and LeVeque 1979): d = m_b - m_a, S = S_a + S_b +
// d^2 n_a n_b/n.

struct Spread {
    mean: vec2f,
    squares: vec2f,
    low: vec2f,
    high: vec2f,
    product: f32,
    count: u32,
}

fn spread_of_none() -> Spread {
    let far = vec2f(3e38);
    return Spread(vec2f(0.0), vec2f(0.0), far, -far, 0.0, 0u);
}

fn spread_of_one(p: vec2f) -> Spread {
    return Spread(p, vec2f(0.0), p, p, 0.0, 1u);
}

fn merged(a: Spread, b: Spread) -> Spread {
    if a.count == 0u { return b; }
    if b.count == 0u { return a; }
    let count = a.count + b.count;
    let part = f32(b.count) / f32(count);
    let weight = f32(a.count) * part;
    let d = b.mean - a.mean;
    return Spread(a.mean + d * part, a.squares + b.squares + d * d * weight,
        min(a.low, b.low), max(a.high, b.high), a.product + b.product + d.x * d.y * weight, count);
}

var<workgroup> spreads: array<Spread, 256>;

// Merges the spreads of all threads, in a fixed order. Every thread must call it.
fn merge_workgroup(local: u32, own: Spread) -> Spread {
    spreads[local] = own;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half = half >> 1u) {
        if local < half { spreads[local] = merged(spreads[local], spreads[local + half]); }
        workgroupBarrier();
    }
    return spreads[0];
}
