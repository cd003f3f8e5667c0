//! Settings of sensors and of splash detection.

use crate::settings::range::Limits;

/// Settings of a sensor's [`FillLevels`](crate::FillLevels).
pub mod fill_levels {
    use super::Limits;

    rows! { "fill levels":
        FULL_AT = "full_at" in "", [Limits::above(0.0, 1.0)], default 0.8;
            "how full is full"
        EMPTY_BELOW = "empty_below" in "", [Limits::above(0.0, 1.0)], default 0.2;
            "how full is no longer empty; at most `full_at`"
    }
}

/// Settings of a [`Sensor`](crate::Sensor).
pub mod sensor {
    use super::Limits;

    rows! { "sensor":
        SMOOTHING = "smoothing" in "s", [Limits::between(0.0, 1e3)], default 0.25;
            "for how long flows are smoothed"
    }
}

/// Settings of [`SplashDetection`](crate::SplashDetection).
pub mod splashes {
    use super::Limits;

    rows! { "splash detection":
        MIN_SPEED = "min_speed" in "V0", [Limits::between(0.01, 1e3)], default 0.4;
            "least change of a particle's speed in a tick that counts"
        MIN_ENERGY = "min_energy" in "that of a medium particle at the speed V0", [Limits::between(0.0, 1e9)], default 10.0;
            "least energy of a splash in a tick"
        TILE = "tile" in "d", [Limits::between(1.0, 1e3)], default 8.0;
            "side of the squares that splashes are told apart by"
        GATHERING = "gathering" in "s", [Limits::between(0.0, 10.0)], default 0.05;
            "for how long energy is summed up before a splash is reported"
        REFRACTORY = "refractory" in "s", [Limits::between(0.0, 1e3)], default 0.3;
            "for how long there is no other in the same place"
    }
}
