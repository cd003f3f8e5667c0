//! Settings of containers and colliders: shapes, wall properties, motions and bodies.

use crate::settings::range::Limits;

/// Sizes of a [`Shape`](crate::Shape).
pub mod shape {
    use super::Limits;

    rows! { "shape":
        RADIUS = "radius" in "world units", [Limits::SIZE];
            "of a disc, or of the round ends of a bar"
        HALF_SIZE = "half_size" in "world units", [Limits::SIZE];
            "half of the width and of the height of a rectangle"
        HALF_LENGTH = "half_length" in "world units", [Limits::SIZE];
            "half of the length of a bar without its round ends"
    }
}

/// Sizes of a [`Polyline`](crate::shape::Polyline).
pub mod polyline {
    use super::Limits;

    rows! { "polyline":
        THICKNESS = "thickness" in "world units", [Limits::between(0.0, 1e9)], default 0.0;
            "of a line; 0 is thin and still holds everything"
    }
}

/// Settings of [`WallProperties`](crate::WallProperties).
pub mod wall {
    use super::Limits;

    rows! { "wall":
        FRICTION = "friction" in "", [Limits::between(0.0, 1.0)];
            "0 lets the liquid slip, 1 holds it"
        STICKINESS = "stickiness" in "1/T0²", [Limits::between(0.0, 1e3)], default 0.0;
            "pull on particles that are close; 4 holds a film against gravity"
        STICK_DISTANCE = "stick_distance" in "d", [Limits::above(0.0, 6.0)], default 2.0;
            "how close"
        WETTING = "wetting" in "", [Limits::between(0.0, 1.0)], default 1.0;
            "how much liquid clings of itself: 1 keeps a thin film, 0 is dry"
        TEMPERATURE = "temperature" in "degrees", [Limits::within(1e6)];
            "of the surface"
    }
}

/// Settings of a [`Motion`](crate::Motion).
pub mod motion {
    use super::Limits;

    rows! { "motion":
        VELOCITY = "velocity" in "world units/s", [Limits::VAST], default 0.0;
            "of its centre"
        ANGULAR_VELOCITY = "angular_velocity" in "rad/s", [Limits::VAST], default 0.0;
            "about its centre, counter-clockwise"
    }
}

/// Settings of a [`Body`](crate::Body).
pub mod body {
    use super::Limits;

    rows! { "body":
        MASS = "mass" in "", [Limits::POSITIVE];
            "in masses of a medium particle"
        MOMENT_OF_INERTIA = "moment_of_inertia" in "world units²", [Limits::POSITIVE];
            "about its centre, in masses times square world units"
        GRAVITY_SCALE = "gravity_scale" in "", [Limits::within(1e3)], default 1.0;
            "factor on gravity"
        DRAG = "drag" in "1/s", [Limits::between(0.0, 1e6)], default 0.0;
            "how fast its velocities decay by themselves"
        FRICTION = "friction" in "", [Limits::between(0.0, 10.0)], default 0.4;
            "how much it rubs on other bodies, colliders and containers"
    }
}
