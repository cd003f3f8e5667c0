//! Bodies: colliders that the liquid moves.

use glam::Vec2;

use crate::geometry::shape::FluidShape;
use crate::settings::declare::settings;
use crate::settings::range::{Check, OutOfRange, default_in};
use crate::settings::visit::Settings;
use crate::stored::stored;

settings! {
    /// Properties of a collider that the liquid carries, turns and drags (Clavet et al. 2005, Algorithm
    /// 6).
    ///
    /// Its centre counts as its centre of mass. Masses are relative to a particle of the medium class,
    /// or, with classes of one's own, of any class with a [mass](crate::DensityClass::mass) of 1: that
    /// liquid has a mass of 1 per particle spacing squared.
    ///
    /// A body at rest [sleeps](crate::FluidSleeping) together with the liquid around it, unless its collider
    /// [`reports_load`](crate::ColliderOptions::reports_load). Bodies lie on each other and stack; piles
    /// of many are better left to a physics engine.
    ///
    /// ```
    /// use blob_fluid::{Body, Collider, FluidWorld, ColliderOptions, FluidShape};
    /// use glam::Vec2;
    /// let world = FluidWorld::default();
    /// let spacing = world.parameters().particle_spacing;
    /// let crate_shape = FluidShape::Rectangle { half_size: Vec2::splat(30.0) };
    /// let body = Body::of_density(0.5, &crate_shape, spacing)?;
    /// let side = 60.0 + 2.0 * Body::GAP * spacing;
    /// let displaced = side * side / (spacing * spacing);
    /// assert!((body.mass / displaced - 0.5).abs() < 0.01);
    /// let options = ColliderOptions { body: Some(body), ..Default::default() };
    /// let floating = Collider::new(crate_shape, Vec2::ZERO, Vec2::X)?.with_options(options)?;
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct Body as "body" {
        /// Mass, in masses of a medium particle.
        pub mass: f32 [above 0],
        /// Moment of inertia about its centre, in masses times square world units.
        pub moment_of_inertia: f32 [above 0] in "world units²",
        /// Factor on gravity.
        #[serde(default = "gravity_scale")]
        pub gravity_scale: f32 [within 1000] = 1,
        /// How fast its velocities decay by themselves.
        ///
        /// Its velocity and its angular velocity, as in a rusty bearing.
        #[serde(default)]
        pub drag: f32 [0 to 1000000] in "1/s" = 0,
        /// How much it rubs on other bodies, colliders and containers.
        #[serde(default = "friction")]
        pub friction: f32 [0 to 10] = 0.4,
        /// Whether its centre is fixed, so that it only rotates, like a wheel. Default no.
        #[serde(default)]
        pub pinned: bool = { false },
        /// Whether its rotation is locked. Default no.
        #[serde(default)]
        pub lock_rotation: bool = { false },
        /// Whether it passes through other bodies, colliders and containers. Default no.
        #[serde(default)]
        pub ignore_contacts: bool = { false },
    }
}

stored!(settings Body, check Self::validate);

const fn gravity_scale() -> f32 {
    default_in(Body::ROWS, "gravity_scale")
}

const fn friction() -> f32 {
    default_in(Body::ROWS, "friction")
}

/// Number of sample points along each axis with which a shape is measured.
const SAMPLES: u32 = 80;

impl Body {
    /// Width of the gap around a body that counts as displaced liquid, in particle spacings. The
    /// nearest particles are half a spacing away, and have a size themselves: with this width bodies
    /// float as deep as their densities say.
    pub const GAP: f32 = 0.3;

    /// Creates a body with this mass and moment of inertia, and the defaults of the other fields.
    pub const fn new(mass: f32, moment_of_inertia: f32) -> Self {
        Self {
            mass,
            moment_of_inertia,
            gravity_scale: gravity_scale(),
            drag: 0.0,
            friction: friction(),
            pinned: false,
            lock_rotation: false,
            ignore_contacts: false,
        }
    }

    /// Creates a body of a shape, with `density` times the density of liquid with a mass of 1, such
    /// as the medium class, in a liquid whose particles are `particle_spacing` world units apart.
    /// Below 1 it floats in that liquid; at 0.5 half of it is below the surface.
    ///
    /// Liquid keeps away from the body. A [gap](Self::GAP) counts as displaced liquid.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a density or spacing that is not above 0 and finite, and for
    /// shapes without a finite area above 0: lines and half planes.
    pub fn of_density(
        density: f32,
        shape: &FluidShape,
        particle_spacing: f32,
    ) -> Result<Self, OutOfRange> {
        shape.validate()?;
        let check = Check("body");
        check.size("density", density)?;
        check.size("particle_spacing", particle_spacing)?;
        check.size("area", shape.area())?;
        let gap = Self::GAP * particle_spacing;
        let around = shape.bounds().inflated(gap);
        let step = (around.high - around.low) / SAMPLES as f32;
        let (mut squares, mut count) = (0.0_f64, 0_u32);
        for sample in 0..SAMPLES * SAMPLES {
            let cell = Vec2::new((sample % SAMPLES) as f32, (sample / SAMPLES) as f32) + 0.5;
            let point = around.low + step * cell;
            if shape.distance(point) <= gap {
                squares += f64::from(point.length_squared());
                count += 1;
            }
        }
        let mass =
            density * count as f32 * (step.x / particle_spacing) * (step.y / particle_spacing);
        check.size("mass", mass)?;
        let body = Self::new(mass, mass * (squares / f64::from(count)) as f32);
        body.validate().map(|()| body)
    }

    /// The body of a shape with the same density when the particle spacing changes from `before` to
    /// `after`. Without an area to displace liquid, the shape has the same mass in world units.
    #[cfg(feature = "scene")]
    pub(crate) fn respaced(
        self,
        shape: &FluidShape,
        before: f32,
        after: f32,
    ) -> Result<Self, OutOfRange> {
        let per_mass = (before / after) * (before / after);
        let displaced = |spacing| Self::of_density(1.0, shape, spacing);
        let (mass, inertia) = match (displaced(before), displaced(after)) {
            (Ok(before), Ok(after)) => {
                (after.mass / before.mass, after.moment_of_inertia / before.moment_of_inertia)
            }
            _ => (per_mass, per_mass),
        };
        let body = Self {
            mass: self.mass * mass,
            moment_of_inertia: self.moment_of_inertia * inertia,
            ..self
        };
        body.validate().map(|()| body)
    }

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        self.check()
    }

    /// 1/mass, or 0 if the body is pinned.
    pub(crate) fn inverse_mass(&self) -> f32 {
        if self.pinned { 0.0 } else { 1.0 / self.mass }
    }

    /// 1/moment of inertia, or 0 if the body's rotation is locked.
    pub(crate) fn inverse_inertia(&self) -> f32 {
        if self.lock_rotation { 0.0 } else { 1.0 / self.moment_of_inertia }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inertia_is_that_of_the_shape() {
        let square = |half: f32| FluidShape::Rectangle { half_size: Vec2::splat(half) };
        for (shape, squared_gyration) in [
            (FluidShape::Circle { radius: 30.0 }, 450.0),
            (square(30.0), 600.0),
            (FluidShape::Rectangle { half_size: Vec2::new(60.0, 5.0) }, 3625.0 / 3.0),
        ] {
            // The particles are so small that the sum is close to the integral.
            let body = Body::of_density(2.0, &shape, 0.1).expect("valid");
            let expected = squared_gyration * body.mass;
            assert!((body.moment_of_inertia / expected - 1.0).abs() < 0.03, "{shape:?} {body:?}");
        }
    }

    #[test]
    fn impossible_bodies_are_refused_by_field() {
        let disc = FluidShape::Circle { radius: 3.0 };
        assert_eq!(Body::of_density(0.0, &disc, 1.0).expect_err("refused").field, "density");
        let plane = FluidShape::HalfPlane { normal: Vec2::Y };
        assert_eq!(Body::of_density(1.0, &plane, 1.0).expect_err("refused").field, "area");
        let bad: [(&str, fn(&mut Body)); 5] = [
            ("mass", |body| body.mass = 0.0),
            ("moment_of_inertia", |body| body.moment_of_inertia = f32::NAN),
            ("gravity_scale", |body| body.gravity_scale = f32::INFINITY),
            ("drag", |body| body.drag = -1.0),
            ("friction", |body| body.friction = 11.0),
        ];
        for (field, change) in bad {
            let mut body = Body::new(1.0, 1.0);
            change(&mut body);
            assert_eq!(body.validate().expect_err(field).field, field);
        }
    }
}
