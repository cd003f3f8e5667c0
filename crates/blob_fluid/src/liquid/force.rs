//! Forces that push, turn, carry, slow or heat liquid in a region, and force fields of the host.

use std::fmt;
use std::sync::Arc;

use glam::Vec2;

use crate::geometry::bounds::FluidBounds;
use crate::geometry::region::FluidRegion;
use crate::geometry::shape::FluidShape;
use crate::settings::class::{ClassFilter, ClassId};
use crate::settings::declare::settings;
use crate::settings::range::OutOfRange;
use crate::stored::stored;

// Forces in a region.

/// The decrease of a force from the middle of its region to the edge. The strength depends on `s`,
/// the depth below the edge relative to the shape's [greatest depth](FluidShape::max_depth):
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum FluidFalloff {
    /// 1: full strength up to the edge.
    Constant,
    /// `s`: the strength falls evenly from full strength in the middle to 0 at the edge.
    Linear,
    /// `1 - (1 - s)^2`; in a disc of radius `R` the strength is `1 - (r/R)^2` at the distance `r` from the centre.
    #[default]
    Smooth,
}

stored!(settings FluidFalloff, without numbers);

settings! {
    /// A force on the liquid in a region. You can combine its parts; parts that are zero have no effect.
    ///
    /// A substep of `dt` seconds changes the velocity `v` and the temperature `T` of a particle in the
    /// region. With the strength `f` (0 to 1) by the [falloff](FluidFalloff) and the unit vector `d` to the
    /// centre, the changes are, in this order:
    ///
    /// 1. `v += dt f attraction d`
    /// 2. `v += dt f (acceleration - swirl perp(d))`
    /// 3. `v = wind + (v - wind)/(1 + dt f drag)`
    /// 4. As in 3, but only along the conveyor's direction, with its speed and with `grip`
    /// 5. `T += dt f heat`
    ///
    /// All forces together do not accelerate a particle beyond 16 interaction radii per substep.
    ///
    /// In a half plane, and for a force without a region, the strength is 1 everywhere.
    ///
    /// ```
    /// use blob_fluid::{ClassFilter, ClassId, FluidWorld, Force, FluidRegion};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let fan = FluidRegion::rectangle(Vec2::new(0.0, 50.0), Vec2::new(100.0, 20.0))?;
    /// let whirl = Force::vortex(Vec2::ZERO, 80.0, 300.0)?;
    /// world.set_forces(&[
    ///     Force { classes: ClassFilter::from(ClassId::LIGHT), ..Force::wind(fan, Vec2::X * 60.0, 2.0) },
    ///     // Drag limits the speed of the vortex.
    ///     Force { drag: 1.0, ..whirl },
    /// ])?;
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    pub struct Force: Default as "force" with validate {
        /// Region in which the force acts; `None` (default) for everywhere.
        pub region: Option<FluidRegion> = { None },
        /// Classes on which the force acts. Default all.
        pub classes: ClassFilter = { ClassFilter::default() },
        /// How the force fades towards the region's edge.
        pub falloff: FluidFalloff = { FluidFalloff::default() },
        /// Centre of attraction and swirl.
        ///
        /// Attraction and swirl have no effect at the centre itself.
        pub centre: Vec2 [finite] in "world units" = 0,
        /// Acceleration towards the centre; negative repels.
        pub attraction: f32 [within 1e12] in "world units/s²" = 0,
        /// Acceleration around the centre, counter-clockwise.
        ///
        /// A negative value turns clockwise.
        pub swirl: f32 [within 1e12] in "world units/s²" = 0,
        /// Uniform acceleration.
        pub acceleration: Vec2 [within 1e12] in "world units/s²" = 0,
        /// Velocity of a medium that takes the liquid along.
        ///
        /// The medium acts only with a [`drag`](Self::drag) above 0.
        pub wind: Vec2 [within 1e12] in "world units/s" = 0,
        /// How fast the velocity becomes the wind's.
        ///
        /// Without wind the liquid slows.
        pub drag: f32 [0 to 1e12] in "1/s" = 0,
        /// Velocity of a belt that takes the liquid along only in the belt's direction.
        pub conveyor: Vec2 [within 1e12] in "world units/s" = 0,
        /// How fast the liquid's speed along the conveyor approaches the conveyor's speed.
        pub grip: f32 [0 to 1e12] in "1/s" = 0,
        /// How fast the temperature rises.
        ///
        /// A negative value cools.
        pub heat: f32 [within 1e12] in "degrees/s" = 0,
    }
}

stored!(Force {
    region,
    classes,
    falloff,
    centre in Limits::FINITE,
    attraction in Limits::FINITE,
    swirl in Limits::FINITE,
    acceleration in Limits::FINITE,
    wind in Limits::FINITE,
    drag in Limits::FINITE,
    conveyor in Limits::FINITE,
    grip in Limits::FINITE,
    heat in Limits::FINITE,
} check Self::validate);

/// Values derived once from a force's region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    pub bounds: FluidBounds,
    /// Depth at which the force has full strength; infinite if it has full strength everywhere.
    depth: f32,
}

impl Force {
    /// Creates a force that attracts liquid towards a point, with up to `acceleration` world
    /// units/s² within `radius` world units.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FluidRegion::circle`].
    pub fn attract(centre: Vec2, radius: f32, acceleration: f32) -> Result<Self, OutOfRange> {
        let region = Some(FluidRegion::circle(centre, radius)?);
        Ok(Self { region, centre, attraction: acceleration, ..Self::default() })
    }

    /// Creates a force that repels liquid from a point, with up to `acceleration` world units/s²
    /// within `radius` world units.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FluidRegion::circle`].
    pub fn repel(centre: Vec2, radius: f32, acceleration: f32) -> Result<Self, OutOfRange> {
        Self::attract(centre, radius, -acceleration)
    }

    /// Creates a force that turns liquid counter-clockwise around a point, with up to
    /// `acceleration` world units/s² within `radius` world units. Without additional attraction the
    /// liquid flies off.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FluidRegion::circle`].
    pub fn vortex(centre: Vec2, radius: f32, acceleration: f32) -> Result<Self, OutOfRange> {
        Ok(Self { swirl: acceleration, ..Self::attract(centre, radius, 0.0)? })
    }

    /// Creates a force that carries liquid along with a medium that moves at `velocity` world
    /// units/s. `drag` is a rate in 1/s.
    pub fn wind(region: FluidRegion, velocity: Vec2, drag: f32) -> Self {
        Self { wind: velocity, drag, ..Self::all_over(region) }
    }

    /// Creates a force that slows liquid. `drag` is a rate in 1/s.
    pub fn drag(region: FluidRegion, drag: f32) -> Self {
        Self { drag, ..Self::all_over(region) }
    }

    /// Creates a force that carries liquid along with a belt that moves at `velocity` world
    /// units/s. `grip` is a rate in 1/s. Liquid moves freely across the belt.
    pub fn conveyor(region: FluidRegion, velocity: Vec2, grip: f32) -> Self {
        Self { conveyor: velocity, grip, ..Self::all_over(region) }
    }

    /// Creates a force with a uniform acceleration in a region, in world units/s².
    pub fn uniform(region: FluidRegion, acceleration: Vec2) -> Self {
        Self { acceleration, ..Self::all_over(region) }
    }

    /// Creates a force that heats liquid by up to `heat` degrees/s, less towards the edge.
    pub fn heat(region: FluidRegion, heat: f32) -> Self {
        Self { heat, falloff: FluidFalloff::Smooth, ..Self::all_over(region) }
    }

    /// Creates a force that throws liquid. As an [impulse](crate::Liquid::apply_impulse) it adds
    /// `velocity` world units/s to all particles in the region.
    pub fn impulse(region: FluidRegion, velocity: Vec2) -> Self {
        Self::uniform(region, velocity)
    }

    /// Creates an explosion. As an [impulse](crate::Liquid::apply_impulse) it drives liquid within
    /// `radius` world units away from a point, at up to `speed` world units/s.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FluidRegion::circle`].
    pub fn explosion(centre: Vec2, radius: f32, speed: f32) -> Result<Self, OutOfRange> {
        Self::repel(centre, radius, speed)
    }

    /// A force without effect, for a region, with constant falloff.
    fn all_over(region: FluidRegion) -> Self {
        let centre = region.centre();
        let falloff = FluidFalloff::Constant;
        Self { region: Some(region), centre, falloff, ..Self::default() }
    }

    /// Whether the force accelerates or heats liquid at rest.
    pub(crate) fn acts(&self) -> bool {
        self.attraction != 0.0
            || self.swirl != 0.0
            || self.acceleration != Vec2::ZERO
            || self.wind != Vec2::ZERO && self.drag > 0.0
            || self.conveyor != Vec2::ZERO && self.grip > 0.0
            || self.heat != 0.0
    }

    pub(crate) fn reach(&self) -> Reach {
        let Some(region) = &self.region else {
            return Reach { bounds: FluidBounds::ALL, depth: f32::INFINITY };
        };
        Reach { bounds: region.bounds(), depth: region.shape().max_depth() }
    }

    /// Strength at a point, 0 to 1.
    #[inline]
    fn strength(&self, reach: Reach, position: Vec2) -> f32 {
        let Some(region) = &self.region else { return 1.0 };
        if let FluidShape::Circle { radius } = region.shape() {
            let ratio = (region.centre() - position).length_squared() / (radius * radius);
            return match self.falloff {
                _ if ratio >= 1.0 => 0.0,
                FluidFalloff::Constant => 1.0,
                FluidFalloff::Linear => 1.0 - ratio.sqrt(),
                FluidFalloff::Smooth => 1.0 - ratio,
            };
        }
        if !(reach.bounds.contains(position) && region.contains(position)) {
            return 0.0;
        }
        if self.falloff == FluidFalloff::Constant || reach.depth.is_infinite() {
            return 1.0;
        }
        // The depth of a line without thickness is 0, so the force has full strength.
        let depth =
            (-region.distance(position) / reach.depth.max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        if self.falloff == FluidFalloff::Linear {
            depth
        } else {
            1.0 - (1.0 - depth) * (1.0 - depth)
        }
    }

    /// Applies the force to particles for their `time_step`.
    pub(crate) fn apply(&self, reach: Reach, particles: &mut FieldParticles<'_>) {
        let FieldParticles { positions, classes, velocities, temperatures, time_step } = particles;
        let time_step = *time_step;
        let turns_or_pushes = self.swirl != 0.0 || self.acceleration != Vec2::ZERO;
        let along = self.conveyor.normalize_or_zero();
        let speed = self.conveyor.dot(along);
        for (index, position) in positions.iter().enumerate() {
            if !self.classes.contains(classes[index]) {
                continue;
            }
            let strength = self.strength(reach, *position);
            if strength == 0.0 {
                continue;
            }
            let direction = (self.centre - *position).normalize_or_zero();
            let velocity = &mut velocities[index];
            *velocity += direction * (self.attraction * strength * time_step);
            if turns_or_pushes {
                let push = self.acceleration - direction.perp() * self.swirl;
                *velocity += push * (strength * time_step);
            }
            if self.drag > 0.0 {
                let kept = 1.0 + self.drag * strength * time_step;
                *velocity = self.wind + (*velocity - self.wind) / kept;
            }
            if self.grip > 0.0 {
                let lag = speed - velocity.dot(along);
                let kept = 1.0 / (1.0 + self.grip * strength * time_step);
                *velocity += along * (lag * (1.0 - kept));
            }
            temperatures[index] += self.heat * strength * time_step;
        }
    }
}

// Force fields.

/// Particles on which a [`ForceField`] acts: arrays of equal length, in an arbitrary order.
#[derive(Debug)]
pub struct FieldParticles<'a> {
    /// Positions, in world units.
    pub positions: &'a [Vec2],
    /// The particles' classes.
    pub classes: &'a [ClassId],
    /// Velocities, in world units/s. A particle whose velocity is not finite is quarantined.
    pub velocities: &'a mut [Vec2],
    /// Temperatures, in degrees. A particle whose temperature is not finite is quarantined.
    pub temperatures: &'a mut [f32],
    /// Time for which the field acts, in seconds.
    pub time_step: f32,
}

/// A force that your code computes. Every substep calls it after the [forces](crate::Force), for the particles in its
/// bounds. A call gets a few dozen particles, and calls may run on several threads.
///
/// Functions are force fields that act everywhere. The result for a particle must depend only on
/// that particle and the field, because the division into calls is not defined.
///
/// ```
/// use std::sync::Arc;
/// use blob_fluid::{FieldParticles, FluidWorld};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// // The drag of the air increases with height.
/// world.set_force_fields(vec![Arc::new(|particles: &mut FieldParticles<'_>| {
///     for (position, velocity) in particles.positions.iter().zip(&mut *particles.velocities) {
///         *velocity /= 1.0 + particles.time_step * 0.01 * position.y.max(0.0);
///     }
/// })]);
/// ```
pub trait ForceField: Send + Sync {
    /// A box around the region in which the field acts. A call may include some particles outside of the box.
    fn bounds(&self) -> FluidBounds {
        FluidBounds::ALL
    }

    /// Whether the field acts on liquid at rest; such liquid stays awake. Return `false` for a field that only slows
    /// liquid.
    fn acts_at_rest(&self) -> bool {
        true
    }

    /// Changes the velocities and temperatures of particles.
    fn apply(&self, particles: &mut FieldParticles<'_>);
}

impl<F: Fn(&mut FieldParticles<'_>) + Send + Sync> ForceField for F {
    fn apply(&self, particles: &mut FieldParticles<'_>) {
        self(particles);
    }
}

// All forces and force fields of a liquid.

/// Forces and force fields, and the bounds within which they act.
#[derive(Clone, Default)]
pub(crate) struct Forces {
    pub list: Vec<Force>,
    /// For each force, the values derived from its region.
    pub reaches: Vec<Reach>,
    pub fields: Vec<Arc<dyn ForceField>>,
}

// Fields are code of the host, which sets them again after a load.
stored!(Forces { list } derived {
    reaches = Vec::<Force>::as_slice(&list).iter().map(Force::reach).collect(),
    fields = Vec::new(),
});

impl fmt::Debug for Forces {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.fields.len();
        formatter.debug_struct("Forces").field("list", &self.list).field("fields", &fields).finish()
    }
}

impl Forces {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.fields.is_empty()
    }

    /// Applies all forces and fields whose bounds meet a box. `particles` are the particles in the box.
    pub(crate) fn apply(&self, around: FluidBounds, particles: &mut FieldParticles<'_>) {
        for (force, reach) in self.list.iter().zip(&self.reaches) {
            if reach.bounds.intersects(around) {
                force.apply(*reach, particles);
            }
        }
        for field in &self.fields {
            if field.bounds().intersects(around) {
                field.apply(particles);
            }
        }
    }

    /// Boxes around the regions in which forces and fields act on liquid at rest.
    pub(crate) fn waking_bounds(&self) -> impl Iterator<Item = FluidBounds> + '_ {
        let acting = self.list.iter().zip(&self.reaches).filter(|(force, _)| force.acts());
        let fields = self.fields.iter().filter(|field| field.acts_at_rest());
        acting.map(|(_, reach)| reach.bounds).chain(fields.map(|field| field.bounds()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "scene")]
    #[test]
    fn forces_are_written_and_read_again() {
        let force = Force { swirl: 3.0, ..Force::attract(Vec2::ONE, 50.0, 9.0).expect("valid") };
        let text = ron::to_string(&force).expect("written");
        assert_eq!(ron::from_str::<Force>(&text).expect("read"), force);
        let small = "(region: Some((shape: Circle(radius: 5.0), centre: (1.0, 2.0))), heat: 3.0)";
        let small: Force = ron::from_str(small).expect("read");
        let region = FluidRegion::circle(Vec2::new(1.0, 2.0), 5.0).expect("valid");
        assert_eq!(small, Force { region: Some(region), heat: 3.0, ..Force::default() });
        let flat = "(region: Some((shape: Circle(radius: 0.0), centre: (1.0, 2.0))))";
        assert!(ron::from_str::<Force>(flat).expect_err("refused").to_string().contains("radius"));
    }

    #[test]
    fn bad_forces_are_refused_by_field() {
        let bad: [(&str, fn(&mut Force)); 10] = [
            ("centre", |f| f.centre.x = f32::NAN),
            ("attraction", |f| f.attraction = f32::INFINITY),
            ("swirl", |f| f.swirl = f32::NAN),
            ("acceleration", |f| f.acceleration.y = f32::NAN),
            ("wind", |f| f.wind.x = f32::INFINITY),
            ("conveyor", |f| f.conveyor.y = f32::NAN),
            ("drag", |f| f.drag = -1.0),
            ("drag", |f| f.drag = f32::NAN),
            ("grip", |f| f.grip = -0.1),
            ("heat", |f| f.heat = f32::NEG_INFINITY),
        ];
        for (field, change) in bad {
            let mut force = Force::default();
            assert_eq!(force.validate(), Ok(()));
            change(&mut force);
            assert_eq!(force.validate().expect_err(field).field, field);
        }
        for radius in [0.0, -1.0, f32::NAN] {
            assert_eq!(
                Force::attract(Vec2::ZERO, radius, 1.0).expect_err("refused").field,
                "radius"
            );
        }
    }
}
