//! Blocks of particles of scenes.

use glam::Vec2;
use serde::{Deserialize, Serialize};

use crate::geometry::shape::{FluidShape, fermat_spiral, scatter};
use crate::settings::range::{Limits, OutOfRange};

/// Particles of a scene that fill one shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneBlock {
    /// Positions of its particles.
    pub fill: SceneFill,
    /// Centre, in world units.
    #[serde(default)]
    pub centre: Vec2,
    /// Name of its class; `None` deals the particles out to all classes in turn.
    #[serde(default)]
    pub class: Option<String>,
    /// Velocity of all its particles, in world units/s.
    #[serde(default)]
    pub velocity: Vec2,
    /// Largest random velocity added to each coordinate, in world units/s.
    #[serde(default)]
    pub velocity_scatter: f32,
    /// Angular velocity about its centre, in radians/s.
    #[serde(default)]
    pub spin: f32,
    /// Temperature of its particles; `None` for the temperature of their class.
    #[serde(default)]
    pub temperature: Option<f32>,
    /// Paint of its particles: red, green and blue, linear, 0 to 1; `None` for that of their class.
    #[serde(default)]
    pub paint: Option<[f32; 3]>,
}

/// How a block's particles are placed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum SceneFill {
    /// A shape filled evenly.
    Filled {
        /// The shape that is filled.
        shape: FluidShape,
        /// Distance of the particles, in particle spacings.
        #[serde(default = "fill_spacing")]
        spacing: f32,
        /// Whether particles are left out where they would be in walls or in liquid that is already
        /// there, as in a [`Blob`](crate::Blob). Default yes.
        #[serde(default = "yes")]
        clipped: bool,
    },
    /// A Fermat spiral.
    Spiral {
        /// Radius in world units; above 0, up to 1e9.
        radius: f32,
        /// Number of particles.
        count: usize,
    },
    /// A square lattice. Each particle is displaced by up to 2 % of the lattice step.
    Lattice {
        /// Number of columns.
        columns: usize,
        /// Number of rows.
        rows: usize,
        /// Distance of the particles, in particle spacings.
        #[serde(default = "one")]
        spacing: f32,
    },
}

const fn one() -> f32 {
    1.0
}

const fn yes() -> bool {
    true
}

/// Slightly more than the spacing at rest, so that the liquid does not burst apart.
const fn fill_spacing() -> f32 {
    1.03
}

impl SceneFill {
    /// Rough estimate of the number of positions, usually below the real number.
    pub(super) fn expected_count(&self, particle_spacing: f32) -> f64 {
        match self {
            Self::Filled { shape, spacing, .. } => {
                let step = f64::from(spacing * particle_spacing);
                let size = shape.bounds().half_size().as_dvec2();
                // If the area is not finite or the spacing is NaN, there are no positions.
                let count = 0.5 * size.x * size.y / (step * step);
                if count.is_finite() { count } else { 0.0 }
            }
            Self::Spiral { count, .. } => *count as f64,
            Self::Lattice { columns, rows, .. } => *columns as f64 * *rows as f64,
        }
    }

    /// Checks what no shape or setting checks.
    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        match self {
            Self::Spiral { radius, .. } => Limits::SIZE.check("spiral", "radius", *radius),
            Self::Filled { .. } | Self::Lattice { .. } => Ok(()),
        }
    }

    /// Positions of the particles, in world units, before any are left out.
    pub fn positions(&self, centre: Vec2, particle_spacing: f32) -> Vec<Vec2> {
        match *self {
            Self::Filled { ref shape, spacing, .. } => {
                shape.fill(centre, spacing * particle_spacing).collect()
            }
            Self::Spiral { radius, count } => fermat_spiral(centre, radius, count),
            Self::Lattice { columns, rows, spacing } => {
                let step = spacing * particle_spacing;
                let middle = 0.5 * Vec2::new(columns as f32 - 1.0, rows as f32 - 1.0);
                (0..columns * rows)
                    .map(|number| {
                        let cell = Vec2::new((number % columns) as f32, (number / columns) as f32);
                        centre + (cell - middle + 0.02 * scatter(number as u32)) * step
                    })
                    .collect()
            }
        }
    }
}
