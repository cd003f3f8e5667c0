//! All examples in one program. For browsers it holds those without a physics engine, and a page says which one it
//! shows: a visitor loads it once for all pages. Elsewhere the program's own name says which one it plays
//! (`.ci/example` makes a link for each), so that checks link Bevy once.

/// Examples call their support `example_support`; that of the panel's examples has all of it.
#[cfg(not(feature = "panel"))]
extern crate base_support as example_support;
#[cfg(feature = "panel")]
extern crate panel_support as example_support;

#[allow(clippy::module_inception, reason = "the modules of an example are in one of its name")]
mod examples {
    include!(concat!(env!("OUT_DIR"), "/examples.rs"));
}

#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(all(target_arch = "wasm32", target_feature = "atomics"))]
mod threads;

#[cfg(target_arch = "wasm32")]
fn main() {
    page::run(examples::EXAMPLES);
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    let path = std::env::args_os().next().map(std::path::PathBuf::from).unwrap_or_default();
    let name = path.file_stem().unwrap_or_default();
    match examples::EXAMPLES.iter().find(|(known, _)| name == *known) {
        Some((_, run)) => run(),
        None => {
            println!("This program plays the example that it is named after: make a link to it.");
            examples::EXAMPLES.iter().for_each(|(name, _)| println!("{name}"));
        }
    }
}
