//! Emission at random positions in an area, and rain.

use glam::Vec2;

use super::{AREA_CLEARANCE, EmitReport, Emitter, Leaving, Outcome, Way};
use crate::geometry::shape::{FluidShape, scatter};
use crate::liquid::state::Liquid;
use crate::sources::backpressure::Opening;

/// Number of positions in an area that are tried for each particle.
const TRIES: u32 = 64;

/// Speed of rain, in V0.
const RAIN_SPEED: f32 = 25.0;

impl Emitter {
    /// Emits particles at random positions in a shape.
    pub(super) fn rain(
        &mut self,
        world: &Liquid,
        way: &Way,
        shape: &FluidShape,
        report: &mut EmitReport,
    ) {
        let (begin, step, due) = if let Some(burst) = self.settings.burst {
            self.burst_is_out = true;
            (0.0, 0.0, u64::from(burst))
        } else {
            let step = f64::from(self.settings.rate.unwrap_or(0.0)) * f64::from(way.time);
            let (begin, end) = (self.phase, self.phase + step);
            self.phase = end - end.floor();
            (begin, step, end.floor() as u64)
        };
        let speed = self.settings.speed.unwrap_or(0.0);
        let falls = self.settings.speed.is_none() && self.settings.burst.is_none();
        let falls = if falls { world.rain_velocity() } else { Vec2::ZERO };
        let bounds = shape.bounds();
        let (centre, half_size) = (bounds.centre(), bounds.half_size());
        let opening = Opening {
            mouth: way.now.to_world(centre),
            half_width: way.now.direction(half_size),
            outwards: Vec2::ZERO,
            flow: due as f32 / way.time,
        };
        let class = self.next_class().map(|(_, class)| class);
        if due > 0 && class.is_some_and(|class| world.is_full_around(opening, class)) {
            report.held_back += due as usize;
            return;
        }
        for number in 1..=due {
            let moment = if step > 0.0 { (number as f64 - begin) / step } else { 1.0 };
            let fraction = moment.clamp(0.0, 1.0) as f32;
            let mut outcome = Outcome::NoPlace;
            for _ in 0..TRIES {
                let local = centre + half_size * scatter(self.draws);
                self.draws = self.draws.wrapping_add(1);
                if shape.contains(local) {
                    let leaving =
                        Leaving { local, ahead: 0.0, fraction, speed, falls, into_area: true };
                    outcome = self.try_out(world, way, leaving, AREA_CLEARANCE);
                }
                if outcome != Outcome::NoPlace {
                    break;
                }
            }
            match outcome {
                Outcome::Accepted => {}
                Outcome::NoPlace => report.held_back += 1,
                Outcome::Enough => return,
            }
        }
    }
}

impl Liquid {
    /// Velocity of drops of rain, in world units/s: so fast that drops are far from each other. 0 without gravity.
    fn rain_velocity(&self) -> Vec2 {
        let parameters = self.parameters();
        parameters.gravity.normalize_or_zero() * (RAIN_SPEED * parameters.speed_unit())
    }
}
