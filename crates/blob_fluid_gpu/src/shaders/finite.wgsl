// Whether both numbers are within the limit. It compares bits, because compilers may assume that
// NaN does not occur.
fn within(v: vec2f, limit: f32) -> bool {
    let bits = bitcast<vec2u>(v) & vec2u(0x7fffffffu);
    return max(bits.x, bits.y) <= bitcast<u32>(limit);
}
