//! Many bodies in much liquid stay quiet.

use super::engine::{Kind, TICK, TestEngine};
use super::tank::{app, position_of, run, spawn_coupled};
use crate::app::*;

/// Greatest root mean square of speeds in a quiet scene, in world units/s. Particles are 8 units apart.
const QUIET: f32 = 1.0;

/// How fast a crowd is, in world units/s, and how much of it sleeps.
#[derive(Clone, Copy, Debug, Default)]
struct Unrest {
    /// Root mean square of the speeds of bodies and of particles.
    rms: (f32, f32),
    /// Greatest speed of a body.
    fastest: f32,
    bodies_asleep: usize,
    particles_asleep: usize,
}

fn unrest<E: TestEngine>(app: &mut App, bodies: &[Entity]) -> Unrest {
    let speeds: Vec<f32> =
        bodies.iter().map(|body| E::motion(app.world(), *body).0.length()).collect();
    let rms = |squares: f32, count: usize| (squares / count as f32).sqrt();
    let body_rms = rms(speeds.iter().map(|speed| speed * speed).sum(), speeds.len());
    let velocities = app.velocities();
    let particle_rms =
        rms(velocities.iter().map(|velocity| velocity.length_squared()).sum(), velocities.len());
    let particles_asleep = app.fluid().asleep();
    Unrest {
        rms: (body_rms, particle_rms),
        fastest: speeds.into_iter().fold(0.0, f32::max),
        bodies_asleep: bodies.iter().filter(|body| E::asleep(app.world_mut(), **body)).count(),
        particles_asleep,
    }
}

/// A tank of so many columns and rows of particles, where half of the bodies float and the others
/// lie on the floor, is quiet after `calm` seconds, and stays so for `watched` seconds.
fn crowd<E: TestEngine>(columns: u32, rows: u32, count: usize, calm: f32, watched: f32) {
    let mut app = app::<E>(default());
    let spacing = app.fluid().parameters().particle_spacing;
    let size = Vec2::new(columns as f32, rows as f32) * spacing;
    let side = 0.5 * size.x + 20.0;
    let (wide, high) = (Vec2::new(size.x + 80.0, 40.0), Vec2::new(40.0, 2.0 * size.y + 200.0));
    for (size, x, y) in
        [(wide, 0.0, -20.0), (high, -side, 0.5 * high.y), (high, side, 0.5 * high.y)]
    {
        let at = xy(x, y);
        spawn_coupled::<E>(&mut app, Kind::Static, E::rectangle(size), 1.0, at);
    }
    app.spawn((
        FluidBlob::from(Rectangle::new(size.x - spacing, size.y - spacing)),
        FluidClass::MEDIUM,
        xy(0.0, 0.5 * size.y),
    ));
    run(&mut app, 1.0);
    let floating = count / 2;
    let across = |index: usize, of: usize| size.x * ((index as f32 + 0.5) / of as f32 - 0.5);
    let bodies: Vec<Entity> = (0..count)
        .map(|index| {
            let (at, density) = if index < floating {
                (Vec2::new(across(index, floating), size.y), 0.5)
            } else {
                (Vec2::new(across(index - floating, count - floating), 14.0), 2.0)
            };
            let (shape, reach) = if index % 2 == 0 {
                (E::rectangle(Vec2::new(28.0, 20.0)), Vec2::new(14.0, 10.0))
            } else {
                (E::circle(12.0), Vec2::splat(12.0))
            };
            let reach = reach + 0.4 * spacing;
            app.fluid_mut().despawn_where(|place, _| (place - at).abs().cmplt(reach).all());
            let at = Transform::from_translation(at.extend(0.0));
            spawn_coupled::<E>(&mut app, Kind::Dynamic, shape, density, at)
        })
        .collect();
    run(&mut app, calm);
    let particles = app.particles();
    let mut worst = Unrest::default();
    for tick in 0..(watched / TICK) as u32 {
        app.update();
        let now = unrest::<E>(&mut app, &bodies);
        if tick % 320 == 0 {
            println!("after {:.0} s: {now:?}", calm + tick as f32 * TICK);
        }
        worst = Unrest {
            rms: (worst.rms.0.max(now.rms.0), worst.rms.1.max(now.rms.1)),
            fastest: worst.fastest.max(now.fastest),
            ..now
        };
    }
    println!("{particles} particles and {count} bodies, worst: {worst:?}");
    let Unrest { bodies_asleep, particles_asleep, .. } = worst;
    println!("{bodies_asleep} and {particles_asleep} sleep");
    let inside = |at: Vec2| at.x.abs() < 0.5 * size.x && at.y > 0.0 && at.y < 2.0 * size.y;
    assert_eq!(app.particles(), particles, "none is lost");
    let outside = app.positions().iter().filter(|at| !inside(**at)).count();
    assert_eq!(outside, 0, "none is outside");
    let outside: Vec<Vec2> =
        bodies.iter().map(|body| position_of(&app, *body)).filter(|at| !inside(*at)).collect();
    assert!(outside.is_empty(), "{outside:?}");
    assert!(worst.rms.0 < QUIET && worst.rms.1 < QUIET, "{worst:?}");
}

/// Twenty bodies in 3,000 particles.
pub fn small<E: TestEngine>() {
    crowd::<E>(100, 30, 20, 15.0, 15.0);
}

/// Two hundred bodies in 30,000 particles.
pub fn large<E: TestEngine>() {
    crowd::<E>(600, 50, 200, 30.0, 60.0);
}
