//! The settings of viscosity, which the whole liquid, classes and pairs of classes have.

use bevy_blob_fluid::blob_fluid::ranges::parameters as row;

use crate::controls::form::Number;

pub(crate) const LINEAR: Number = Number::of(
    "Linear",
    row::VISCOSITY_LINEAR,
    "For approaching and parting pairs alike: 0.1 is water, 2 oil, 10 honey.",
)
.usually(0.0, 20.0)
.by_factors();

pub(crate) const APPROACH: Number = Number::of(
    "Approach (sigma)",
    row::VISCOSITY_APPROACH,
    "Of approaching pairs, in proportion to their speed.",
)
.usually(0.0, 5.0)
.by_factors();

pub(crate) const QUADRATIC: Number = Number::of(
    "Quadratic (beta)",
    row::VISCOSITY_QUADRATIC,
    "Of approaching pairs, by the square of their speed: keeps fast ones apart.",
)
.usually(0.0, 5.0)
.by_factors();

#[cfg(test)]
mod tests {
    use bevy_blob_fluid::blob_fluid::ranges::classes::{class, pair};

    use super::*;

    #[test]
    fn classes_and_pairs_may_have_what_the_liquid_may() {
        for (liquid, class, pair) in [
            (row::VISCOSITY_LINEAR, class::VISCOSITY_LINEAR, pair::VISCOSITY_LINEAR),
            (row::VISCOSITY_APPROACH, class::VISCOSITY_APPROACH, pair::VISCOSITY_APPROACH),
            (row::VISCOSITY_QUADRATIC, class::VISCOSITY_QUADRATIC, pair::VISCOSITY_QUADRATIC),
        ] {
            let same = (liquid.path, liquid.unit, liquid.limits);
            assert_eq!((class.path, class.unit, class.limits), same);
            assert_eq!((pair.path, pair.unit, pair.limits), same);
        }
    }
}
