//! Numbers that are none, in a body that floats.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::{Kind, Part, TestEngine, fluid, position_of, run, tank};

/// Writes nonsense to a part of a floating body, and then mends it.
fn spoiled<E: TestEngine>(part: Part, number: f32, coupled: bool) {
    let mut app = tank::<E>(300.0, FluidClass::MEDIUM);
    let shape = E::rectangle(Vec2::new(60.0, 40.0));
    let at = Transform::from_xyz(0.0, -10.0, 0.0);
    let body = E::spawn(app.world_mut(), Kind::Dynamic, shape, 0.5, at);
    if coupled {
        app.world_mut().entity_mut(body).insert(FluidCoupled::default());
    }
    run(&mut app, 1.0);
    let (mass, _) = E::mass(app.world_mut(), body);
    E::set(app.world_mut(), body, part, number);
    run(&mut app, 1.0);
    println!("  spoiled: {} {:?}", position_of(&app, body), E::motion(app.world(), body));
    assert!(fluid(&app).particles().positions().iter().all(|own| own.is_finite()));
    assert_eq!(fluid(&app).quarantined(), 0);
    app.world_mut().entity_mut(body).insert(at);
    E::set(app.world_mut(), body, Part::Mass, mass);
    E::set(app.world_mut(), body, Part::Position, -5.0);
    E::set(app.world_mut(), body, Part::Velocity, 0.0);
    E::set(app.world_mut(), body, Part::Spin, 0.0);
    run(&mut app, 2.0);
    println!(
        "  mended: {} {:?} {}",
        position_of(&app, body),
        E::motion(app.world(), body),
        fluid(&app).host_bodies().len()
    );
    assert!(fluid(&app).particles().positions().iter().all(|own| own.is_finite()));
    assert_eq!(fluid(&app).quarantined(), 0);
}

/// Numbers that are none.
pub fn numbers<E: TestEngine>() {
    for part in [Part::Position, Part::Velocity, Part::Spin, Part::Mass] {
        for number in [f32::NAN, f32::INFINITY] {
            for coupled in [false, true] {
                println!("{part:?} {number} coupled {coupled}");
                let own = std::panic::catch_unwind(|| spoiled::<E>(part, number, coupled));
                println!("  {}", if own.is_ok() { "went on" } else { "PANICKED" });
            }
        }
    }
}
