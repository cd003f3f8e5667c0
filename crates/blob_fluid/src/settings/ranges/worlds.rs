//! Settings of a tick's budget and of a scene.

use crate::settings::range::Limits;

/// Settings of a tick's [`Budget`](crate::Budget).
pub mod budget {
    use super::Limits;

    rows! { "budget":
        MILLISECONDS = "milliseconds" in "ms", [Limits::between(0.01, 1e3)], default 4.0;
            "real time that a tick may take"
        MIN_SUBSTEPS = "min_substeps" in "", whole [Limits::between(1.0, 64.0)], default 1.0;
            "fewest substeps that are left"
        MIN_VISCOSITY_SWEEPS = "min_viscosity_sweeps" in "", whole [Limits::between(1.0, 64.0)], default 2.0;
            "fewest sweeps over the pairs of a viscous liquid that are left"
    }
}

/// Settings of a scene (`scene::Scene`).
pub mod scene {
    use super::Limits;

    rows! { "scene":
        DURATION = "duration" in "s", [Limits::above(0.0, 1e6)], default 60.0;
            "how long to simulate"
        TICK_RATE = "tick_rate" in "1/s", [Limits::between(1.0, 1e4)], default 60.0;
            "ticks per second"
    }
}
