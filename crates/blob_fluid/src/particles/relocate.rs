//! Moving a particle to another place, as the same particle.

use glam::Vec2;

use crate::particles::activity::Activity;
use crate::particles::arrays::Particles;
use crate::particles::grain::Grain;

impl Particles {
    /// Moves a particle to another place, at which it is like a new one except for its handle, class,
    /// temperature, paint, exposure, life and tag. Returns whether it slept.
    pub(crate) fn relocate(&mut self, index: usize, position: Vec2, velocity: Vec2) -> bool {
        self.mark_moved();
        self.order.renew();
        self.position[index] = position;
        self.previous_position[index] = position;
        self.tick_start[index] = position;
        self.velocity[index] = velocity;
        self.displacement[index] = Vec2::ZERO;
        self.rest_time[index] = 0.0;
        self.rest_position[index] = position;
        self.rest_temperature[index] = self.temperature[index];
        self.relative_density[index] = 1.0;
        if let Some(pressure) = self.pressure.get_mut(index) {
            *pressure = 0.0;
        }
        if let Some(grain) = self.grains.get_mut(index) {
            *grain = Grain::at(position);
        }
        self.paints.rests = false;
        self.slots[self.id[index].slot() as usize].new = true;
        self.any_new = true;
        std::mem::replace(&mut self.activity[index], Activity::Awake) < Activity::Awake
    }
}
