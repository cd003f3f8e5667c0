//! Tells the crate how it is optimised, which no `cfg` says.

fn main() {
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo::rustc-env=BLOB_FLUID_OPT_LEVEL={level}");
    println!("cargo::rerun-if-changed=build.rs");
}
