//! What wakes liquid that sleeps on a device.

use crate::geometry::bounds::FluidBounds;
use crate::liquid::sleep::STILL;
use crate::liquid::state::Liquid;
use crate::settings::parameters::FluidParameters;
use crate::solver::double_density::segregation::UNSORTED;
use crate::solver::sleep::bodies::{is_afloat, wake_all_bodies};
use crate::solver::sleep::wake::{DRIFTING, MOVING, WEIGHT_DRIFT, disturb_where_solids_move};

/// When liquid on a device sleeps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceSleeping {
    /// Speed up to which a particle is at rest, in world units/s; 0 if nothing sleeps.
    pub still_speed: f32,
    /// Speed above which even a single particle keeps the liquid around it awake.
    pub moving_speed: f32,
    /// How long liquid must have stayed where it is, in seconds.
    pub settling_time: f32,
    /// How far it may have gone in that time, in world units.
    pub drift: f32,
    /// A particle does not sleep while the sum of `q cos/2` over neighbours on the wrong side of it is larger.
    pub unsorted: f32,
    /// Change of weight by heat, as a fraction of the weight, that wakes liquid.
    pub weight_drift: f32,
    /// Change of a temperature in a substep, in degrees or as a fraction of it, that is none.
    pub still_temperature: f32,
}

/// Where liquid on a device wakes in a tick, because something has changed or moves there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceWake {
    /// Whether all of it wakes.
    pub everywhere: bool,
    /// The boxes in which it wakes, with the interaction radius around them.
    pub boxes: Vec<FluidBounds>,
    /// Whether particles of the classes react on contact, asleep or not.
    pub reacts: bool,
    /// Whether they exchange heat, asleep or not.
    pub exchanges_heat: bool,
}

impl DeviceSleeping {
    pub(crate) fn of(parameters: &FluidParameters) -> Self {
        let sleeping = &parameters.sleeping;
        if !sleeping.is_on() {
            return Self::default();
        }
        let settling_time = sleeping.after * parameters.time_unit();
        let drift = sleeping.drift * parameters.particle_spacing;
        let still_speed = DRIFTING * parameters.speed_unit();
        let moving_speed = MOVING * parameters.speed_unit();
        Self {
            still_speed,
            moving_speed,
            settling_time,
            drift,
            unsorted: UNSORTED,
            weight_drift: WEIGHT_DRIFT,
            still_temperature: STILL,
        }
    }
}

impl Liquid {
    /// What wakes the liquid in a tick of `time` seconds, and wakes all bodies. What hosts have done since the last tick counts
    /// once.
    pub(crate) fn take_device_wake(&mut self, time: f32) -> DeviceWake {
        let settling_time = self.parameters.sleeping.after * self.parameters.time_unit();
        // Bodies do not sleep there.
        wake_all_bodies(&mut self.boundary);
        disturb_where_solids_move(self, settling_time, time);
        let Self { boundary, parameters, sleep, .. } = self;
        // Bodies that hardly move. Liquid that sleeps carries nothing.
        let slow = boundary.colliders.iter().filter(|collider| {
            let is_known =
                boundary.keeps_awake(collider) || is_afloat(collider, parameters, settling_time);
            collider.bears_load_now() && !is_known
        });
        sleep.disturbances.extend(slow.map(|collider| collider.swept_ahead(time)));
        let radius = self.parameters.interaction_radius();
        let sleep = &mut self.sleep;
        // The particles that a host may have changed are not those of the device.
        sleep.touched = false;
        let everywhere = std::mem::take(&mut sleep.everywhere);
        let boxes = sleep.disturbances.drain(..).chain(sleep.regions.drain(..));
        let boxes = boxes.map(|bounds| bounds.inflated(radius)).collect();
        let reacts = self.classes.react_on_contact();
        DeviceWake { everywhere, boxes, reacts, exchanges_heat: self.classes.exchange_heat() }
    }
}
