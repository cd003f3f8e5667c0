// The coefficients of classes and of their pairs, read from one buffer.

fn class_at(index: u32) -> Class {
    let one = tables[3u * index];
    let two = tables[3u * index + 1u];
    let three = tables[3u * index + 2u];
    return Class(one.x, one.y, one.z, one.w, two.x, two.y, two.z, two.w, three.xy, three.z, three.w);
}

fn mass_of(class_index: u32) -> f32 { return tables[3u * class_index + 1u].y; }

fn pair_at(own: u32, other: u32) -> PairOfClasses {
    let at = 3u * params.classes + 2u * (own * params.classes + other);
    let one = tables[at];
    let two = tables[at + 1u];
    return PairOfClasses(one.x, one.y, one.z, one.w, two.x, two.y, two.z, two.w);
}
