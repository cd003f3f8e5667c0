//! Loads: the impulses of the liquid on colliders.

use glam::{DVec2, Vec2};

use crate::stored::stored;

/// Impulse of the liquid on a collider in a tick. It is opposite to the impulse of the collider on
/// the liquid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Load {
    /// Impulse, in masses times world units/s, where a particle of the medium class has mass 1.
    pub impulse: Vec2,
    /// Angular impulse about the collider's centre, in masses times square world units/s.
    pub angular_impulse: f32,
}

/// The sums of the impulses on a collider or on a host body: impulse and angular impulse.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoadSums {
    /// Sums of the present substep.
    substep: (DVec2, f64),
    /// Sums of the present or the last tick.
    tick: (DVec2, f64),
}

stored!(LoadSums { substep, tick });

impl LoadSums {
    /// Adds an impulse of the present substep.
    pub(crate) fn add(&mut self, impulse: DVec2, angular_impulse: f64) {
        self.substep.0 += impulse;
        self.substep.1 += angular_impulse;
    }

    /// Ends the substep and returns the load in it.
    pub(crate) fn end_substep(&mut self) -> Load {
        let (impulse, angular_impulse) = std::mem::take(&mut self.substep);
        self.tick.0 += impulse;
        self.tick.1 += angular_impulse;
        rounded((impulse, angular_impulse))
    }

    /// The load of the tick alone, before the first substep of another one.
    pub(crate) fn without_substep(self) -> Self {
        Self { tick: self.tick, ..Self::default() }
    }

    /// The load of the present or the last tick.
    pub(crate) fn load(&self) -> Load {
        rounded(self.tick)
    }
}

fn rounded((impulse, angular_impulse): (DVec2, f64)) -> Load {
    Load { impulse: impulse.as_vec2(), angular_impulse: angular_impulse as f32 }
}
