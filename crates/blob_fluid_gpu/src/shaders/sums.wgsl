// Adds an integer to a 64-bit sum.
fn add_steps(at: u32, steps: f32) {
    if steps == 0.0 { return; }
    let size = abs(steps);
    let upper = floor(size * 0x1p-32);
    var high = u32(upper);
    var low = u32(size - upper * 0x1p32);
    if steps < 0.0 {
        low = ~low + 1u;
        high = ~high + select(0u, 1u, low == 0u);
    }
    let before = atomicAdd(&sums[at], low);
    high += select(0u, 1u, before + low < low);
    if high != 0u { atomicAdd(&sums[at + 1u], high); }
}
