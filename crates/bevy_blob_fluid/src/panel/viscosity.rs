//! The numbers of viscosity, which the liquid as a whole, classes and pairs of them have.

use super::form::Number;

/// Range of everything that is so much per time.
pub(super) const RATE: (f32, f32) = (0.0, 1000.0);

pub(super) const LINEAR: Number = Number::new(
    "Linear",
    "viscosity.linear",
    "1/T0",
    RATE,
    "For approaching and parting pairs alike: 0.1 is water, 2 oil, 10 honey.",
)
.usually(0.0, 20.0)
.by_factors();

pub(super) const APPROACH: Number = Number::new(
    "Approach (sigma)",
    "viscosity.approach",
    "1/T0",
    RATE,
    "Of approaching pairs, in proportion to their speed.",
)
.usually(0.0, 5.0)
.by_factors();

pub(super) const QUADRATIC: Number = Number::new(
    "Quadratic (beta)",
    "viscosity.quadratic",
    "1/d",
    RATE,
    "Of approaching pairs, by the square of their speed: keeps fast ones apart.",
)
.usually(0.0, 5.0)
.by_factors();
