//! The component that makes an engine's collider meet the liquid.

use bevy::prelude::*;
use blob_fluid::ranges::{Limits, ValidRange};
use blob_fluid::{ClassFilter, OutOfRange, WallProperties};

use crate::order::FluidOrder;

/// Lets a collider of a physics engine meet the liquid. On a rigid body it holds for all its
/// colliders; a collider's own comes first.
///
/// The collider keeps liquid out, and pushes it when it moves. A dynamic body floats, sinks and is
/// dragged along. Sensors and disabled colliders do nothing to the liquid; watch regions with a
/// [`FluidSensor`](crate::FluidSensor).
///
/// A body floats by its density, as the engine has it: mass divided by the area of its colliders. A
/// body of density 0.5 is half sunk in liquid with a [mass](blob_fluid::DensityClass::mass) of 1.
/// Liquid keeps away from it, and a [gap](blob_fluid::Body::GAP) counts as part of the body.
///
/// ```
/// use bevy_blob_fluid::prelude::*;
/// // Floats by the engine's own density.
/// let crate_of_the_engine = FluidCoupled::default();
/// // Masses of the engine in kilograms per square metre, where water has 1000.
/// let ship = FluidCoupled::default().with_liquid_density(1000.0);
/// // A density for the liquid only: the mass in the engine stays as it is.
/// let balloon = FluidCoupled::of_density(0.1);
/// # assert_eq!((crate_of_the_engine.density, balloon.density), (None, Some(0.1)));
/// # assert_eq!(ship.liquid_density, 1000.0);
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(FluidOrder)]
pub struct FluidCoupled {
    /// Friction, stickiness, wetting and temperature of its walls.
    pub wall: WallProperties,
    /// Density that the engine's masses are relative to: that of liquid with a mass of 1, as mass per
    /// square world unit. Above 0. Default 1, as colliders of both engines have.
    pub liquid_density: f32,
    /// Density of its body as a multiple of that of liquid with a mass of 1, instead of the engine's
    /// mass divided by `liquid_density`. Above 0. Default `None`.
    pub density: Option<f32>,
    /// The classes that it stops. Default all.
    pub classes: ClassFilter,
    /// The layers that it is on, instead of the layers or groups that the engine's collider collides
    /// with. It stops classes that share one
    /// ([`DensityClass::collision_layers`](blob_fluid::DensityClass::collision_layers)). Default
    /// `None`.
    pub layers: Option<u32>,
}

impl Default for FluidCoupled {
    /// Default walls, and the engine's densities and layers.
    fn default() -> Self {
        Self {
            wall: WallProperties::default(),
            liquid_density: 1.0,
            density: None,
            classes: ClassFilter::ALL,
            layers: None,
        }
    }
}

impl FluidCoupled {
    /// A body with this density, as a multiple of that of liquid with a mass of 1, whatever mass it
    /// has in the engine.
    pub fn of_density(density: f32) -> Self {
        Self { density: Some(density), ..Self::default() }
    }

    /// The same coupling in an engine where liquid with a mass of 1 has this density.
    pub const fn with_liquid_density(mut self, density: f32) -> Self {
        self.liquid_density = density;
        self
    }

    /// The same coupling with other walls.
    pub const fn with_wall(mut self, wall: WallProperties) -> Self {
        self.wall = wall;
        self
    }

    /// Checks the densities.
    pub(super) fn validate(&self) -> Result<(), OutOfRange> {
        let densities = [("liquid_density", Some(self.liquid_density)), ("density", self.density)];
        for (field, value) in densities {
            if let Some(value) = value.filter(|value| !Limits::POSITIVE.contains(*value)) {
                let range = ValidRange::Limits(Limits::POSITIVE);
                return Err(OutOfRange { subject: "fluid coupling", field, value, range });
            }
        }
        Ok(())
    }

    /// The same coupling, which stops these classes only.
    pub const fn stopping(mut self, classes: ClassFilter) -> Self {
        self.classes = classes;
        self
    }

    /// The same coupling on these layers, a bit each.
    pub const fn on_layers(mut self, layers: u32) -> Self {
        self.layers = Some(layers);
        self
    }
}
