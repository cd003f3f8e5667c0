//! The liquid is the same in any units, to the bit if these are powers of two.

use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::{ClassId, Container, FluidParameters, FluidWorld, ParticleSpawn, SerialExecutor};
use glam::Vec2;

/// Units in which the same liquid is described.
#[derive(Clone, Copy, Debug)]
struct Units {
    /// Number of these world units in one world unit of the reference.
    length: f32,
    /// Magnitude of gravity, in these world units.
    gravity: f32,
    ticks_per_second: f32,
}

const PIXELS: Units = Units { length: 1.0, gravity: 200.0, ticks_per_second: 60.0 };

impl Units {
    /// `T0 = sqrt(d/a0)` relative to that of the pixels.
    fn time(self) -> f32 {
        (self.length * PIXELS.gravity / self.gravity).sqrt()
    }

    fn parameters(self) -> FluidParameters {
        FluidParameters::new(self.length * 12.5, Vec2::new(0.0, -self.gravity))
    }

    /// A thousand and two hundred mixed particles in a round container, which move at random.
    fn world(self) -> FluidWorld {
        let mut world = FluidWorld::new(self.parameters()).expect("valid");
        let container = Container::circle(Vec2::ZERO, self.length * 400.0).expect("valid");
        world.insert_container(container);
        for (index, point) in fermat_spiral(Vec2::ZERO, 360.0, 1200).into_iter().enumerate() {
            let velocity = scatter(index as u32) * (10.0 * self.length / self.time());
            let class = ClassId((index % 3) as u8);
            let spawn = ParticleSpawn {
                position: point * self.length,
                velocity,
                class,
                ..Default::default()
            };
            world.spawn(spawn).expect("valid");
        }
        world
    }
}

/// Scaling by powers of two is exact in floating point, so no bit may differ. The test finds
/// numbers that have a unit but do not scale with it.
#[test]
fn units_that_are_powers_of_two_give_the_same_bits() {
    let ticks_per_second = 64.0;
    let reference = Units { ticks_per_second, ..PIXELS };
    for units in [
        // These units have the same times.
        Units { length: 4.0, gravity: 4.0 * PIXELS.gravity, ticks_per_second },
        Units { length: 0.03125, gravity: 0.03125 * PIXELS.gravity, ticks_per_second },
        // With four times the gravity everything is twice as fast.
        Units { length: 1.0, gravity: 4.0 * PIXELS.gravity, ticks_per_second: 128.0 },
        // With a quarter of the gravity everything is half as fast.
        Units { length: 1.0, gravity: 0.25 * PIXELS.gravity, ticks_per_second: 32.0 },
        Units { length: 4.0, gravity: PIXELS.gravity, ticks_per_second: 32.0 },
    ] {
        let (mut here, mut there) = (reference.world(), units.world());
        let speed = units.length / units.time();
        for tick in 0..120 {
            // A container that jumps tests all parts of the solver.
            if tick == 60 {
                for (world, length) in [(&mut here, 1.0), (&mut there, units.length)] {
                    let centre = Vec2::new(length * 150.0, 0.0);
                    let (id, _) = world.containers().next().expect("one");
                    assert_eq!(world.move_container(id, centre, Vec2::X), Ok(true));
                }
            }
            let taken = here.step(1.0 / ticks_per_second, &SerialExecutor).expect("valid");
            let report = there.step(1.0 / units.ticks_per_second, &SerialExecutor).expect("valid");
            assert_eq!(report.substeps, taken.substeps, "{units:?}, tick {tick}");
            let (here, there) = (here.particles(), there.particles());
            let scaled = |vectors: &[Vec2], factor: f32| -> Vec<Vec2> {
                vectors.iter().map(|vector| *vector * factor).collect()
            };
            let positions = scaled(here.positions(), units.length);
            let differs = positions.iter().zip(there.positions()).position(|(a, b)| a != b);
            assert_eq!(differs, None, "a position in {units:?}, tick {tick}");
            let velocities = scaled(here.velocities(), speed);
            let differs = velocities.iter().zip(there.velocities()).position(|(a, b)| a != b);
            assert_eq!(differs, None, "a velocity in {units:?}, tick {tick}");
        }
    }
}
