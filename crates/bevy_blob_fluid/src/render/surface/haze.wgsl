// How a gas swirls.

#define_import_path bevy_blob_fluid::haze

// How what is seen of a gas differs from its smooth field.
struct Swirl {
    // Shift, in particle spacings; at most 4 long. It changes slowly enough to fold nothing.
    shift: vec2<f32>,
    // Factor on the thickness, 0.5 to 1.5.
    factor: f32,
}

// The swirl at a place, in particle spacings: eddies that rise and carry smaller ones.
fn swirl(place: vec2<f32>, time: f32) -> Swirl {
    var out = Swirl(vec2(0.0), 1.0);
    var at = (place - vec2(0.0, 4.0 * time)) / 7.0;
    var size = 1.7;
    for (var octave = 0; octave < 4; octave++) {
        let phase = 2.1 * f32(octave);
        let turn = vec2(
            sin(1.1 * at.y + 0.6 * at.x + 0.7 * time + phase),
            cos(1.0 * at.x - 0.5 * at.y - 0.5 * time + phase),
        );
        out.shift += size * turn;
        out.factor += 0.125 * (turn.x + turn.y) * turn.y;
        at = 1.8 * at + 0.9 * turn + vec2(3.1, -1.7);
        size *= 0.36;
    }
    out.factor = clamp(out.factor, 0.5, 1.5);
    return out;
}
