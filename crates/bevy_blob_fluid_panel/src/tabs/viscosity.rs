//! The presentation of the viscosity settings of the whole liquid, of classes and of pairs of classes.

use crate::controls::form::{Shown, shown};

pub(crate) const LINEAR: Shown =
    shown("viscosity.linear").usually(0.0, 20.0).by_factors().hint("0.1 is water.");
pub(crate) const APPROACH: Shown =
    shown("viscosity.approach").named("Approach (sigma)").usually(0.0, 5.0).by_factors();
pub(crate) const QUADRATIC: Shown = shown("viscosity.quadratic")
    .named("Quadratic (beta)")
    .usually(0.0, 5.0)
    .by_factors()
    .hint("It keeps fast particles apart.");
