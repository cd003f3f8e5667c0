//! What springs are made and moved by.

use crate::particles::arrays::Particles;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::coefficients::{ElasticCoefficients, PressureCoefficients};

/// The values that springs read, frozen before the pass.
pub(super) struct Elastic<'a> {
    pub particles: &'a Particles,
    pub coefficients: &'a Coefficients,
    pub pressure: &'a PressureCoefficients,
}

impl Elastic<'_> {
    /// The elastic coefficients of the class of both particles; `None` for different classes.
    pub(super) fn between(&self, a: usize, b: usize) -> Option<&ElasticCoefficients> {
        let (class, other) = (self.particles.class[a], self.particles.class[b]);
        let elastic = self.pressure.classes[class.index()].elastic.as_ref();
        elastic.filter(|_| class == other)
    }
}
