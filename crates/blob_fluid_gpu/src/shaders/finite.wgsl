// Whether both numbers are within the limit. By their bits, because compilers may assume that no
// number is NaN.
fn within(v: vec2f, limit: f32) -> bool {
    let bits = bitcast<vec2u>(v) & vec2u(0x7fffffffu);
    return max(bits.x, bits.y) <= bitcast<u32>(limit);
}
