//! Wall properties: how containers and colliders act on the liquid that touches them.

use glam::Vec2;

use crate::boundary::collider::{Collider, Way};
use crate::boundary::near::Near;
use crate::boundary::solids::Solids;
use crate::geometry::bounds::FluidBounds;
use crate::geometry::shape::{Corner, Entry, Face};
use crate::settings::class::ClassId;
use crate::settings::declare::settings;
use crate::settings::range::{OutOfRange, default_in};
use crate::settings::visit::Settings;
use crate::stored::stored;

settings! {
    /// Friction, stickiness, wetting and temperature of the walls of a container or a collider (Clavet
    /// et al. 2005, Algorithm 6).
    ///
    /// ```
    /// use blob_fluid::{Container, WallProperties};
    /// use glam::Vec2;
    /// let sticky = WallProperties { friction: Some(1.0), stickiness: 4.0, ..Default::default() };
    /// let jar = Container::circle(Vec2::ZERO, 200.0)?.with_wall(sticky)?;
    /// assert_eq!(jar.wall().friction, Some(1.0));
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct WallProperties as "wall" {
        /// 0 lets the liquid slip, 1 holds it.
        ///
        /// `mu`: a particle that hits the wall at V0 or faster loses this fraction of its tangential speed, a slower
        /// one less, so that what lies on the wall is slowed alike in any number of substeps. Within a
        /// particle spacing of the wall the tangential speed decays at the rate `mu/(1 - mu)` per T0, less
        /// with distance. `None` (default) for
        /// [`Settling::wall_friction`](crate::Settling::wall_friction), which reaches half an interaction
        /// radius, and no loss on impact. The speed is relative to the wall's own motion.
        pub friction: Option<f32> [0 to 1] = { None },
        /// Pull on particles that are close; 4 holds a film against gravity.
        ///
        /// `k_stick`. It pulls particles within [`stick_distance`](Self::stick_distance) towards the wall
        /// by `dt k_stick d (1 - d/d_stick)`.
        pub stickiness: f32 [0 to 1000] in "1/T0²" keeps "d²/T0²" = 0,
        /// Distance within which stickiness pulls.
        ///
        /// `d_stick`. Distances beyond the interaction radius have no effect.
        pub stick_distance: f32 [above 0 to 6] in "d" = 2,
        /// How much liquid clings of itself: 1 keeps a thin film, 0 is dry.
        ///
        /// It counts where walls have a ghost density ([`GhostWalls`](crate::GhostWalls)). With 1 a thin
        /// film clings to the wall, slides down and drips off, since the walls' attraction is less than
        /// the liquid's weight. At 0 the wall keeps the liquid out and does not attract it.
        pub wetting: f32 [0 to 1] = 1,
        /// Temperature of the surface.
        ///
        /// The wall exchanges heat with the liquid that touches it; with `None` (default) it exchanges no
        /// heat.
        pub temperature: Option<f32> [within 1000000] in "degrees" = { None },
    }
}

stored!(settings WallProperties, check Self::validate);

impl Default for WallProperties {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl WallProperties {
    /// The default properties.
    const DEFAULT: Self = Self {
        friction: None,
        stickiness: default_in(Self::ROWS, "stickiness"),
        stick_distance: default_in(Self::ROWS, "stick_distance"),
        wetting: default_in(Self::ROWS, "wetting"),
        temperature: None,
    };

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        self.check()
    }
}

/// A wall near a particle: the unit normal, which points into the liquid; the distance to the wall
/// in world units, negative beyond it; and the wall's own velocity there, in world units/s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearWall {
    /// The collider's index; `None` for a container.
    pub collider: Option<u32>,
    /// Whether it is one of several faces of its collider near the particle, all of them flat.
    pub among_faces: bool,
    /// Fraction of the liquid's pressure that the wall bears, 0 to 1. It is below 1 for a collider
    /// that has just jumped into liquid, and for a wall that shares liquid with a nearer one.
    pub fade_in: f32,
    /// Slope of that fraction while the particle moves, per world unit.
    pub slope: Vec2,
    pub normal: Vec2,
    pub distance: f32,
    pub velocity: Vec2,
    pub properties: WallProperties,
}

/// Whether a wall is near a point.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nearness {
    /// It is not within reach, and the point is not beyond it.
    Far,
    /// It may be within reach, but does not act on liquid at the point: a membrane that the point
    /// is behind, or a solid that jumped onto it.
    NotActing,
    /// It is within reach and acts.
    Near(NearWall),
}

impl Nearness {
    /// The wall, if it is near and acts.
    pub(crate) fn wall(self) -> Option<NearWall> {
        match self {
            Self::Near(wall) => Some(wall),
            Self::Far | Self::NotActing => None,
        }
    }
}

impl NearWall {
    /// The point of the wall that is nearest to a particle at `point`.
    pub(crate) fn foot(&self, point: Vec2) -> Vec2 {
        point - self.normal * self.distance
    }

    /// An entry of a list without a wall.
    pub(crate) const NONE: Self = Self {
        collider: None,
        among_faces: false,
        fade_in: 0.0,
        slope: Vec2::ZERO,
        normal: Vec2::ZERO,
        distance: f32::INFINITY,
        velocity: Vec2::ZERO,
        properties: WallProperties::DEFAULT,
    };
}

// Seams: where a collider touches, overlaps or nearly touches another one, both act as one solid.
//
// A face inside a seam stops no particle. Such are the sides of the tiles of a floor: a particle that
// slides over the floor would lose its speed at them.

/// Largest height of a step in a seam that particles pass without being stopped, in seam gaps.
const STEP: f32 = 0.5;

/// Distance from a corner at which a particle goes on that has passed a seam, in slacks.
const CLEARANCE: f32 = 4.0;

/// Smallest cosine of the angle between the normals of what counts as the same face.
const SAME: f32 = 0.99;

/// A particle's way from `before` to `after` in the world, through one collider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage {
    pub index: usize,
    pub class: ClassId,
    pub before: Vec2,
    pub after: Vec2,
}

impl Solids {
    /// Distance below which rounding hides on which side of a collider's edge a particle is.
    pub(crate) fn slack(&self, collider: &Collider) -> f32 {
        let rests = collider.previous_pose == collider.pose;
        collider.slack().max(if rests { 0.0 } else { self.skin })
    }

    /// Where a particle on its way enters a collider. A face within a seam is passed by: the way goes
    /// on above the next face.
    pub(crate) fn entry(&self, passage: Passage, way: Way, slack: f32) -> Option<Entry> {
        let collider = &self.colliders[passage.index];
        let entry = collider.entry(way, slack)?;
        match self.beyond_seam(passage, way, entry, slack) {
            Some(start) => collider.entry(Way { start, ..way }, slack),
            None => Some(entry),
        }
    }

    /// Whether a particle on its way enters another collider before it enters this one after a
    /// `fraction` of the way. Only resting colliders count, or with `moving` all colliders.
    pub(crate) fn enters_another(
        &self,
        near: &Near,
        passage: Passage,
        fraction: f32,
        moving: bool,
    ) -> bool {
        let Passage { before, after, .. } = passage;
        self.stopping(near, passage.class).any(|(index, collider)| {
            let counts = index != passage.index && (moving || !collider.moves());
            if !counts || !self.is_in_the_way(index, before, after) {
                return false;
            }
            let slack = self.slack(collider);
            let Some(way) = collider.way(before, after, slack) else { return false };
            let entry = self.entry(Passage { index, ..passage }, way, slack);
            entry.is_some_and(|entry| {
                // A particle that lies on a wall enters it by rounding.
                let beyond = (way.end - entry.point).dot(entry.normal);
                beyond < -slack && way.fraction(entry.point) < fraction
            })
        })
    }

    /// Where a particle's way goes on, in the collider's frame, if it entered the collider through a
    /// face within a seam: at the corner with the next face, above that face.
    fn beyond_seam(&self, passage: Passage, way: Way, entry: Entry, slack: f32) -> Option<Vec2> {
        let (corner, face) =
            self.seam(passage.index, passage.class, entry.point, |_, face, side| {
                side.normal.dot(entry.normal) > SAME && face.normal.dot(entry.normal) < SAME
            })?;
        let from = way.start - corner;
        let comes_from_beyond =
            from.dot(face.normal) >= -STEP * self.seam_gap && from.dot(face.along) >= -slack;
        comes_from_beyond.then(|| corner + face.normal * (CLEARANCE * slack))
    }

    /// The wall near a point, where a face beyond a seam continues it.
    pub(crate) fn across_seam(
        &self,
        index: usize,
        class: ClassId,
        point: Vec2,
        wall: NearWall,
    ) -> NearWall {
        if wall.distance.abs() > self.seam_gap {
            return wall;
        }
        let pose = self.colliders[index].pose;
        let (local, normal) = (pose.to_local(point), pose.to_local_direction(wall.normal));
        let seam = self.seam(index, class, local - normal * wall.distance, |corner, face, side| {
            let from = local - corner;
            side.normal.dot(normal) > 1e-3
                && from.dot(face.along) > 0.0
                && from.dot(face.normal) >= -STEP * self.seam_gap
        });
        let Some((corner, face)) = seam else { return wall };
        let distance = (local - corner).dot(face.normal);
        NearWall { normal: pose.direction(face.normal), distance, ..wall }
    }

    /// The corner near a point of a collider's edge, and the `wanted` one of its two faces, if
    /// another collider continues this face beyond the corner. The third argument of `wanted` is the
    /// other face.
    ///
    /// Before the face must be room, as for no face at the bottom of a wedge.
    fn seam(
        &self,
        index: usize,
        class: ClassId,
        point: Vec2,
        wanted: impl Fn(Vec2, Face, Face) -> bool,
    ) -> Option<(Vec2, Face)> {
        let collider = &self.colliders[index];
        if collider.options.inside_out {
            return None;
        }
        let step = STEP * self.seam_gap;
        let Corner { point: corner, faces: [one, other] } = collider.shape.corner(point, step)?;
        let is_solid = |face: Face, along: f32, above: f32| {
            let offset = face.along * along + face.normal * above;
            self.covers(index, class, collider.pose.to_world(corner + offset))
        };
        let is_seam = |face: Face| {
            is_solid(face, self.seam_gap, -self.seam_gap) && !is_solid(face, -step, step)
        };
        let found = [[one, other], [other, one]]
            .into_iter()
            .find(|[face, side]| wanted(corner, *face, *side) && is_seam(*face));
        found.map(|[face, _]| (corner, face))
    }

    /// Whether a point lies inside another collider that stops the class from all sides.
    fn covers(&self, index: usize, class: ClassId, point: Vec2) -> bool {
        let mut covered = false;
        self.boxes.visit(FluidBounds { low: point, high: point }, |other| {
            let collider = &self.colliders[other as usize];
            covered = other as usize != index
                && collider.stops(class)
                && !collider.options.one_way
                && collider.distance(point) <= 0.0;
            covered
        });
        covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::pose::Motion;

    #[test]
    fn bad_surfaces_are_refused_by_field() {
        let bad: [(&str, fn(&mut WallProperties)); 8] = [
            ("friction", |s| s.friction = Some(1.5)),
            ("friction", |s| s.friction = Some(f32::NAN)),
            ("stickiness", |s| s.stickiness = -1.0),
            ("stick_distance", |s| s.stick_distance = 0.0),
            ("stick_distance", |s| s.stick_distance = f32::INFINITY),
            ("wetting", |s| s.wetting = -0.1),
            ("wetting", |s| s.wetting = f32::NAN),
            ("temperature", |s| s.temperature = Some(f32::NAN)),
        ];
        for (field, change) in bad {
            let mut wall = WallProperties::default();
            change(&mut wall);
            assert_eq!(wall.validate().expect_err(field).field, field);
        }
        let motion = Motion { angular_velocity: f32::NAN, ..Motion::STILL };
        assert_eq!(motion.validate().expect_err("refused").field, "angular_velocity");
    }
}
