//! A world that is called in any order with any numbers.

use arbitrary::{Arbitrary, Unstructured};

use crate::calls::Call;
use crate::host::Host;

/// Most calls of a sequence.
const MOST_CALLS: usize = 60;

/// Makes calls until the bytes are used up. What is refused changes nothing; nothing is lost or not finite; snapshots
/// and recordings of what came of it go on with the same bits.
///
/// # Panics
///
/// If one of these does not hold.
pub fn operations(bytes: &[u8]) {
    let mut bytes = Unstructured::new(bytes);
    let mut host = Host::new();
    let mut calls = Calls(Vec::new());
    for _ in 0..MOST_CALLS {
        let Ok(call) = Call::arbitrary(&mut bytes) else { break };
        calls.0.push(call);
        host.call(call);
        if bytes.is_empty() {
            break;
        }
    }
    host.end();
}

/// The calls so far, which are printed where one of them fails.
struct Calls(Vec<Call>);

impl Drop for Calls {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.iter().for_each(|call| eprintln!("{call:?}"));
        }
    }
}
