//! Threads of a page.

use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Most threads that are started; more gain little, and each takes memory.
const MOST: usize = 8;

/// Starts a thread for each core but the page's own, then calls `game`.
pub(crate) fn start_then(game: impl FnOnce() + 'static) {
    let cores = web_sys::window().map_or(1.0, |window| window.navigator().hardware_concurrency());
    let threads = (cores as usize).clamp(2, MOST + 1) - 1;
    spawn_local(async move {
        if JsFuture::from(wasm_bindgen_rayon::init_thread_pool(threads)).await.is_err() {
            // The pool then has no thread but this one.
            eprintln!("no threads could be started");
        }
        game();
    });
}
