//! How the scene lies in the world, and how it is built.

use glam::{DVec2, Vec2};

/// The order of the calls that build the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    #[default]
    WallsFirst,
    /// The walls after the particles, in reverse order.
    WallsLast,
    /// The particles in reverse order.
    ParticlesReversed,
}

/// How the scene lies in the world, and how it is built.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Speed with which all moves along the floor, in the scene's own units.
    pub speed: f32,
    /// Rotation, as the cosine and sine of its angle.
    pub rotation: Vec2,
    pub mirrored: bool,
    /// World units in one of the scene's own.
    pub unit: f32,
    /// Where the scene's origin is, in world units.
    pub origin: Vec2,
    /// Whether a pool at rest is in the same world, far away.
    pub neighbour: bool,
    pub tiled: bool,
    pub ticks_per_second: f32,
    /// Number of particles, relative to the plain scene's.
    pub particles: f32,
    pub order: Order,
    /// Displaces all particles by up to a thousandth of a spacing at the beginning, in another way for
    /// each number above 0.
    pub disturbance: u32,
}

impl Frame {
    pub const PLAIN: Self = Self {
        speed: 0.0,
        rotation: Vec2::X,
        mirrored: false,
        unit: 1.0,
        origin: Vec2::ZERO,
        neighbour: false,
        tiled: false,
        ticks_per_second: 60.0,
        particles: 1.0,
        order: Order::WallsFirst,
        disturbance: 0,
    };

    /// A direction of the scene in the world.
    pub fn turned(&self, direction: Vec2) -> Vec2 {
        let side = if self.mirrored { -1.0 } else { 1.0 };
        self.rotation.rotate(Vec2::new(side * direction.x, direction.y))
    }

    pub fn point(&self, place: Vec2) -> Vec2 {
        self.origin + self.unit * self.turned(place)
    }

    pub fn velocity(&self) -> Vec2 {
        self.unit * self.turned(Vec2::new(self.speed, 0.0))
    }

    /// A place of the scene, from a point of the world relative to where the scene's origin is now.
    pub fn place(&self, offset: DVec2) -> DVec2 {
        let rotation = self.rotation.as_dvec2();
        let turned = DVec2::new(rotation.dot(offset), rotation.perp_dot(offset));
        let side = if self.mirrored { -1.0 } else { 1.0 };
        DVec2::new(side * turned.x, turned.y) / f64::from(self.unit)
    }
}
