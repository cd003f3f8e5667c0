// kappa/15 ((w_i - w_j) (1 +- cos/2) +- missing (1 +- cos)) h q
//
// `below` is half the cosine between gravity and the direction to the neighbour; `calm` is 1 if the
// two do not move against each other.
fn lift_of(pair: PairOfClasses, difference: f32, closeness: f32, below: f32, calm: f32) -> f32 {
    let contrast = clamp(difference, -pair.most_contrast, pair.most_contrast);
    let size = abs(contrast);
    let order = contrast + size * below;
    let sign = contrast / max(size, params.least_contrast * pair.most_contrast);
    let missing = max(pair.most_contrast - size / params.strong_contrast, 0.0) * calm;
    let unlocked = sign * missing * (1.0 + sign * below * 2.0);
    return (order + unlocked) * pair.segregation * closeness;
}

// cos/2 h q, if the neighbour is on the wrong side, otherwise 0.
fn disorder_of(pair: PairOfClasses, difference: f32, closeness: f32, below: f32) -> f32 {
    let contrast = clamp(difference, -pair.most_contrast, pair.most_contrast);
    let sign = contrast / max(abs(contrast), params.least_contrast * pair.most_contrast);
    return max(sign * below, 0.0) * closeness;
}
