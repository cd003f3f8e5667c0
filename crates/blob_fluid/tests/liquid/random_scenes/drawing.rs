//! What a scene is drawn with: random numbers, and the parts that may differ from the default.

use super::random::Random;

/// The parts of a scene that may differ from the default.
pub const PARTS: [&str; 37] = [
    "solver",
    "units",
    "radius",
    "gravity",
    "rest density",
    "stiffness",
    "segregation",
    "viscosity",
    "settling",
    "sleeping",
    "ghost walls",
    "classic",
    "forces of pairs",
    "incompressible",
    "substeps",
    "tick",
    "effort",
    "masses",
    "gravity scales",
    "rest densities",
    "class stiffness",
    "class viscosity",
    "surface tension",
    "elasticity",
    "powder",
    "heat",
    "pairs",
    "container",
    "walls",
    "container's motion",
    "obstacles",
    "forces",
    "start",
    "paint",
    "emitters",
    "drains",
    "air",
];

/// A scene that is being drawn.
pub struct Drawing<'a> {
    pub seed: u64,
    pub has: &'a dyn Fn(&str) -> bool,
    pub words: Vec<(&'static str, String)>,
}

impl Drawing<'_> {
    /// The generator of a part; `None` if the part has its default.
    pub fn part(&self, part: &'static str) -> Option<Random> {
        assert!(PARTS.contains(&part));
        (self.has)(part).then(|| Random::new(self.seed, part))
    }

    pub fn say(&mut self, part: &'static str, what: impl std::fmt::Debug) {
        self.words.push((part, format!("{what:?}")));
    }
}
