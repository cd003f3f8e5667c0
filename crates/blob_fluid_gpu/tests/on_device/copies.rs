//! Copies of all particles, for which nobody waits.

use blob_fluid::FluidParameters;

use crate::adapter::{device, on};
use crate::liquids::{TICK, ten_rows, world};

#[test]
fn a_copy_is_of_when_it_was_asked_for_and_comes_while_nobody_waits() {
    let Some(both) = device() else { return };
    let (mut world, mut liquid) = ten_rows(&both);
    liquid.step(world.liquid_mut(), TICK).expect("valid");
    let at_once = liquid.read_particles().expect("read");
    let mut copy = liquid.request_particles().expect("asked");
    let later = liquid.request_particles().expect("asked");
    let mut ticks = 0;
    let came = loop {
        if let Some(particles) = copy.take().expect("works") {
            break particles;
        }
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        ticks += 1;
        assert!(ticks < 10_000, "it never comes");
    };
    assert_eq!((came.len(), &came), (300, &at_once));
    assert_eq!(copy.take().expect("works"), None);
    assert!(copy.wait().is_err());
    // Waited for, it is the same.
    assert_eq!(later.wait().expect("works"), at_once);
}

#[test]
fn a_copy_of_no_particles_is_there_at_once() {
    let Some(both) = device() else { return };
    let world = world(FluidParameters::default());
    let liquid = on(&both, &world);
    let mut copy = liquid.request_particles().expect("asked");
    assert_eq!(copy.take().expect("works"), Some(Vec::new()));
    assert_eq!(copy.take().expect("works"), None);
    assert_eq!(liquid.read_particles().expect("works"), Vec::new());
}
