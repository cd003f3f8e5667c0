// u (min(dt (sigma + beta u), limit) [u > 0] + dt linear), divided by the weight q
fn exchanged(pair: PairOfClasses, approach: f32) -> f32 {
    let rate = min(pair.approach + pair.quadratic * approach, pair.limit);
    return pair.linear * approach + rate * max(approach, 0.0);
}
