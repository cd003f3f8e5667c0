//! Numbers that are none, in a body that floats. `any_engine.rs` tests what the coupling does with each.

use super::engine::{Part, TestEngine};
use super::tank::{floating_box, position_of, run, tank};
use crate::app::*;

/// Nonsense in a part of a floating body reaches neither the liquid nor another body.
fn spoiled<E: TestEngine>(part: Part, number: f32) {
    let mut app = tank::<E>(300.0, FluidClass::MEDIUM);
    let body = floating_box::<E>(&mut app, -70.0);
    run(&mut app, 1.0);
    E::set(app.world_mut(), body, part, number);
    for _ in 0..64 {
        app.update();
        let particles = app.fluid().particles();
        assert!(particles.positions().iter().all(|at| at.is_finite()), "{part:?} {number}");
        assert!(particles.velocities().iter().all(|at| at.is_finite()), "{part:?} {number}");
    }
    app.despawn(body);
    let other = floating_box::<E>(&mut app, 70.0);
    // It rocks for some seconds.
    run(&mut app, 10.0);
    let at = position_of(&app, other);
    println!("{part:?} {number}: {at}");
    assert!((at.y + 29.0).abs() < 10.0, "{part:?} {number}: it floats at {at}");
    assert_eq!(app.fluid().quarantined(), 0);
}

/// Numbers that are none.
pub fn numbers<E: TestEngine>() {
    let parts = [Part::Position, Part::Velocity, Part::Spin, Part::Mass];
    for part in parts.into_iter().filter(|part| E::survives(*part)) {
        for number in [f32::NAN, f32::INFINITY] {
            spoiled::<E>(part, number);
        }
    }
}
