//! A solid as the grid sees it.

use glam::Vec2;

use crate::boundary::collider::Collider;
use crate::boundary::container::Container;
use crate::geometry::bounds::FluidBounds;
use crate::geometry::motion::Motion;
#[cfg(feature = "snapshot")]
use crate::stored::error::SnapshotError;
#[cfg(feature = "snapshot")]
use crate::stored::reader::Reader;
#[cfg(feature = "snapshot")]
use crate::stored::writer::{Stored, Writer};

/// A container or a collider, as it was when the faces were found.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Obstacle {
    Container(Container),
    Collider(Collider),
}

#[cfg(feature = "snapshot")]
impl Stored for Obstacle {
    fn store(&self, to: &mut Writer) {
        match self {
            Self::Container(container) => {
                false.store(to);
                container.store(to);
            }
            Self::Collider(collider) => {
                true.store(to);
                collider.store(to);
            }
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        if bool::load(from)? {
            Stored::load(from).map(Self::Collider)
        } else {
            Stored::load(from).map(Self::Container)
        }
    }
}

impl Obstacle {
    pub(super) fn of_container(container: &Container) -> Self {
        Self::Container(container.clone())
    }

    pub(super) fn of_collider(collider: &Collider) -> Self {
        Self::Collider(collider.clone())
    }

    pub(super) fn is_container(&self) -> bool {
        matches!(self, Self::Container(_))
    }

    /// Whether there is no air outside of its shape, rather than inside.
    pub(super) fn is_inside_out(&self) -> bool {
        match self {
            Self::Container(_) => true,
            Self::Collider(collider) => collider.options().inside_out,
        }
    }

    /// A box around all that it makes solid.
    pub(super) fn touched(&self) -> FluidBounds {
        match self {
            Self::Collider(collider) if !collider.options().inside_out => {
                collider.pose.bounds(&collider.shape)
            }
            _ => FluidBounds::ALL,
        }
    }

    /// Distance of a point, negative where it is solid.
    pub(super) fn distance(&self, point: Vec2) -> f32 {
        match self {
            Self::Container(container) => container.depth(point),
            Self::Collider(collider) => collider.distance(point),
        }
    }

    pub(super) fn moves(&self) -> bool {
        self.motion() != Motion::STILL
    }

    fn motion(&self) -> Motion {
        match self {
            Self::Container(container) => container.motion(),
            Self::Collider(collider) => collider.motion(),
        }
    }

    pub(super) fn velocity_at(&self, point: Vec2) -> Vec2 {
        match self {
            Self::Container(container) => container.velocity_at(point, 0.0),
            Self::Collider(collider) => collider.velocity_at(point, 0.0),
        }
    }

    /// The nearest point outside of a collider that has this point inside, slightly beyond the edge.
    pub(super) fn pushed_out(&self, point: Vec2) -> Option<Vec2> {
        let Self::Collider(collider) = self else { return None };
        let nearest = collider.shape.nearest(collider.pose.to_local(point), f32::INFINITY)?;
        let way = (-nearest.distance).max(0.0) + 2.0 * collider.slack();
        (nearest.distance < 0.0).then(|| point + collider.pose.direction(nearest.normal) * way)
    }

    /// The unit normal of a wall that separates two points: a line between them goes in at one side
    /// and out at another. `None` if there is no such wall, as at a bulge that it only cuts.
    pub(super) fn separates(&self, from: Vec2, to: Vec2) -> Option<Vec2> {
        let Self::Collider(collider) = self else { return None };
        let local = |point| collider.pose.to_local(point);
        let (from, to, slack) = (local(from), local(to), collider.slack());
        let there = collider.shape.entry(from, to, slack, false)?;
        let back = collider.shape.entry(to, from, slack, false)?;
        (there.normal.dot(back.normal) < 0.0).then(|| collider.pose.direction(there.normal))
    }
}
