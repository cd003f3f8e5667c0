//! The least code that shows liquid.
fn main() {}
