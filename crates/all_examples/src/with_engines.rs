//! The examples with a physics engine in one program for browsers. On other targets it does nothing.

#[cfg(all(target_arch = "wasm32", not(feature = "panel")))]
extern crate base_support as example_support;
#[cfg(all(target_arch = "wasm32", feature = "panel"))]
extern crate panel_support as example_support;

#[cfg(target_arch = "wasm32")]
mod examples {
    include!(concat!(env!("OUT_DIR"), "/with_engines.rs"));
}

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(all(target_arch = "wasm32", target_feature = "atomics"))]
mod threads;

fn main() {
    #[cfg(target_arch = "wasm32")]
    page::run(examples::EXAMPLES);
}
