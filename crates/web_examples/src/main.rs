//! All examples in one program for browsers: a visitor loads it once for all pages. A page names its example in
//! the attribute `data-example` of its root element. On other targets it does nothing.

#[cfg(target_arch = "wasm32")]
mod examples {
    include!(concat!(env!("OUT_DIR"), "/examples.rs"));

    pub(super) fn run(wanted: &str) {
        match EXAMPLES.iter().find(|(name, _)| *name == wanted) {
            Some((_, run)) => run(),
            None => panic!("the page names no example: data-example=\"{wanted}\""),
        }
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "atomics"))]
mod threads;

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        let document = web_sys::window().and_then(|window| window.document());
        let root = document.and_then(|document| document.document_element());
        let wanted = root.and_then(|root| root.get_attribute("data-example")).unwrap_or_default();
        #[cfg(target_feature = "atomics")]
        threads::start_then(move || examples::run(&wanted));
        #[cfg(not(target_feature = "atomics"))]
        examples::run(&wanted);
    }
}
