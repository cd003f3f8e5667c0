//! Runs the example that the page asks for.

#[cfg(target_feature = "atomics")]
use crate::threads;

/// Runs one of the examples: a page names it in the attribute `data-example` of its root element.
pub(crate) fn run(examples: &'static [(&'static str, fn())]) {
    let document = web_sys::window().and_then(|window| window.document());
    let root = document.and_then(|document| document.document_element());
    let wanted = root.and_then(|root| root.get_attribute("data-example")).unwrap_or_default();
    let run = move || match examples.iter().find(|(name, _)| *name == wanted) {
        Some((_, run)) => run(),
        None => panic!("no example of this program: data-example=\"{wanted}\""),
    };
    #[cfg(target_feature = "atomics")]
    threads::start_then(run);
    #[cfg(not(target_feature = "atomics"))]
    run();
}
