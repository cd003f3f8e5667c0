//! Settings of blobs, emitters, lifetimes, drains and forces.

use crate::settings::range::Limits;

/// Limits of particles per second, and of speeds.
const FLOW: Limits = Limits::between(0.0, 1e6);

/// Settings of a [`Blob`](crate::Blob).
pub mod blob {
    use super::Limits;

    rows! { "blob":
        SPACING = "spacing" in "d", [Limits::between(0.2, 100.0)], default 1.03;
            "distance of the particles"
        VELOCITY = "velocity" in "world units/s", [Limits::FINITE], default 0.0;
            "of all its particles"
        TEMPERATURE = "temperature" in "degrees", [Limits::within(1e6)];
            "of all its particles"
    }
}

/// Settings of an emitter: [`EmitterSettings`](crate::EmitterSettings).
pub mod emitter {
    use super::{FLOW, Limits};

    rows! { "emitter":
        WIDTH = "width" in "world units", [Limits::SIZE];
            "of a slot"
        RATE = "rate" in "1/s", [FLOW];
            "how many particles come out"
        SPEED = "speed" in "world units/s", [FLOW];
            "along the nozzle's own +Y axis"
        SPREAD = "spread" in "", [Limits::between(0.0, 10.0)], default 0.0;
            "tangent of the largest angle to the nozzle's direction"
        INHERIT = "inherit_velocity" in "", [Limits::between(0.0, 1.0)], default 1.0;
            "share of the nozzle's own velocity that particles take along"
        MIX = "mix" in "", [Limits::NOT_NEGATIVE];
            "shares of classes"
        TEMPERATURE = "temperature" in "degrees", [Limits::within(1e6)];
            "of new particles"
        BURST = "burst" in "", whole [Limits::between(0.0, 1e5)];
            "how many particles come out at once"
    }
}

/// Settings of a particle's [`Lifetime`](crate::Lifetime).
pub mod lifetime {
    use super::Limits;

    rows! { "lifetime":
        SECONDS = "seconds" in "s", [Limits::NOT_NEGATIVE];
            "how long a particle lives"
        FADE = "fade" in "s", [Limits::NOT_NEGATIVE], default 0.0;
            "for how much of the end of that time it fades"
    }
}

/// Settings of a [`Drain`](crate::Drain).
pub mod drain {
    use super::FLOW;

    rows! { "drain":
        RATE = "rate" in "1/s", [FLOW];
            "how many particles it removes"
    }
}

/// Settings of a [`Force`](crate::Force).
pub mod force {
    use super::Limits;

    rows! { "force":
        CENTRE = "centre" in "world units", [Limits::FINITE], default 0.0;
            "what attraction and swirl are around"
        ATTRACTION = "attraction" in "world units/s²", [Limits::VAST], default 0.0;
            "acceleration towards the centre; negative repels"
        SWIRL = "swirl" in "world units/s²", [Limits::VAST], default 0.0;
            "acceleration around the centre, counter-clockwise"
        ACCELERATION = "acceleration" in "world units/s²", [Limits::VAST], default 0.0;
            "acceleration the same everywhere"
        WIND = "wind" in "world units/s", [Limits::VAST], default 0.0;
            "velocity of a medium that takes the liquid along"
        DRAG = "drag" in "1/s", [Limits::between(0.0, 1e12)], default 0.0;
            "how fast the velocity becomes the wind's"
        CONVEYOR = "conveyor" in "world units/s", [Limits::VAST], default 0.0;
            "velocity of a belt that takes the liquid along in its own direction only"
        GRIP = "grip" in "1/s", [Limits::between(0.0, 1e12)], default 0.0;
            "how fast the velocity along the conveyor becomes its own"
        HEAT = "heat" in "degrees/s", [Limits::VAST], default 0.0;
            "how fast the temperature rises"
    }
}
