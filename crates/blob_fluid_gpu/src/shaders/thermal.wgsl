// The effects of heat on classes, and the reactions of pairs.

struct Thermal {
    // Temperature of new particles.
    temperature: f32,
    conductivity: f32,
    cooling: f32,
    expansion: f32,
    ambient: f32,
    // Temperatures beyond which a particle changes its class.
    above: f32,
    below: f32,
    becomes_above: u32,
    becomes_below: u32,
    reacts: bool,
}

struct Reaction { rate: f32, temperature: f32, becomes: u32 }

fn thermal_tables() -> u32 {
    return 3u * params.classes + 2u * params.classes * params.classes;
}

fn thermal_at(index: u32) -> Thermal {
    let one = tables[thermal_tables() + 2u * index];
    let two = tables[thermal_tables() + 2u * index + 1u];
    let bits = bitcast<u32>(two.w);
    return Thermal(one.x, one.y, one.z, one.w, two.x, two.y, two.z, bits & 0xffu, (bits >> 8u) & 0xffu,
        (bits >> 16u) != 0u);
}

// A rate of 0 means that the pair does not react.
fn reaction_at(own: u32, other: u32) -> Reaction {
    let record = tables[thermal_tables() + 2u * params.classes + own * params.classes + other];
    return Reaction(record.x, record.y, bitcast<u32>(record.z));
}
