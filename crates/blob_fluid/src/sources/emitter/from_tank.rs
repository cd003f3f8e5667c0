//! Emitters that draw from a tank.

use glam::Vec2;

use crate::geometry::shape::scatter;
use crate::liquid::state::Liquid;
use crate::settings::class::ClassId;
use crate::settings::range::OutOfRange;
use crate::sources::emitter::{EmitReport, Emitter};
use crate::sources::tank::Tank;

impl Emitter {
    /// As [`emit`](Self::emit), out of a tank: what comes out is taken from the tank, at the tank's
    /// temperature unless the settings state one. While the tank is empty the emitter pauses.
    ///
    /// Without a mix it emits what the tank holds, as if that were stirred: each class as often as its
    /// share of the tank says. With a mix the tank must hold the class whose turn it is, or the emitter
    /// pauses. The class of the settings does not count.
    ///
    /// Particles that the world [recycles](crate::CapacityPolicy) or that reach the end of their
    /// lifetime do not return to the tank.
    ///
    /// # Errors
    ///
    /// As [`emit`](Self::emit).
    pub fn emit_from(
        &mut self,
        world: &mut Liquid,
        tank: &mut Tank,
        before: (Vec2, Vec2),
        now: (Vec2, Vec2),
        time: f32,
    ) -> Result<EmitReport, OutOfRange> {
        self.emit_with(world, Some(tank), (before, now), time)
    }

    /// Class of the next particle, and its entry in the mix; `None` if the tank has none.
    pub(super) fn next_class(&self) -> Option<(usize, ClassId)> {
        let entry = self.dealer.next(&self.settings.mix);
        let dealt = self.settings.mix.get(entry).map(|(class, _)| *class);
        let class = match (&self.supply, dealt) {
            (None, dealt) => dealt.unwrap_or(self.settings.class),
            (Some(supply), Some(class)) => Some(class).filter(|class| supply.amount(*class) > 0)?,
            (Some(supply), None) => self.any_class_of(supply)?,
        };
        Some((entry, class))
    }

    /// The class of a particle that is taken out of a stirred tank.
    fn any_class_of(&self, supply: &Tank) -> Option<ClassId> {
        let share = 0.5 + 0.5 * f64::from(scatter(!self.draws).y);
        let mut before = (share * supply.total() as f64) as u64;
        let mut last = None;
        for (class, amount) in supply.amounts().enumerate().filter(|(_, amount)| *amount > 0) {
            last = u8::try_from(class).ok().map(ClassId);
            if before < amount {
                break;
            }
            before -= amount;
        }
        last
    }

    /// Temperature of a class in the tank; `None` without one.
    pub(super) fn temperature_of_supply(&self, class: ClassId) -> Option<f32> {
        self.supply.as_ref().and_then(|supply| supply.temperature(class))
    }
}
