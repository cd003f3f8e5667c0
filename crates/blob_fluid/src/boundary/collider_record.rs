//! What a world keeps of one collider.

use std::ops::Deref;
use std::sync::Arc;

use glam::{DVec2, Vec2};

use crate::boundary::body::{Load, LoadSums};
use crate::boundary::collider::Collider;
use crate::boundary::solid::Rest;
use crate::geometry::pose::{Motion, Pose};
use crate::geometry::shape::FluidShape;
use crate::settings::class::{ClassFilter, ClassId, DensityClass};
use crate::settings::class_table::ClassTable;
use crate::stored::stored;

/// A collider of a world, and all that belongs to it. It can be read like the [`Collider`].
///
/// Passes change how it moves and rests. Every other change goes through
/// [`Solids`](crate::boundary::solids::Solids), which keeps its box.
#[derive(Clone, Debug)]
pub(crate) struct ColliderRecord {
    collider: Collider,
    /// The classes that it stops.
    stops: ClassFilter,
    /// At most [`MAX_CORNERS`] corners of its outlines.
    corners: Arc<[Vec2]>,
    /// Fraction of the liquid's pressure that it bears, 0 to 1.
    fade_in: f32,
    /// The liquid's load on it; `None` from its insertion to the next tick.
    load: Option<LoadSums>,
}

stored!(ColliderRecord { collider, fade_in in Limits::SHARE, load } derived {
    // The classes are not known yet; `Solids::set_classes` finds it.
    stops = ClassFilter::ALL,
    corners = Collider::shape(&collider).some_corners(MAX_CORNERS).into(),
});

/// Largest number of corners of a collider that are tested for contacts between bodies.
const MAX_CORNERS: usize = 48;

/// Time, in T0, during which a collider that has jumped into liquid bears only a part of its
/// pressure.
const FADE_IN_TIME: f32 = 3.0;

impl Deref for ColliderRecord {
    type Target = Collider;

    #[inline]
    fn deref(&self) -> &Collider {
        &self.collider
    }
}

impl ColliderRecord {
    /// Creates the record of a collider, which at first bears the fraction `fade_in` of the liquid's
    /// pressure.
    pub(crate) fn new(mut collider: Collider, fade_in: f32, classes: &ClassTable) -> Self {
        collider.rest = Rest::restless(collider.pose);
        let stops = stopped_by(&collider, classes);
        let corners = collider.shape.some_corners(MAX_CORNERS).into();
        Self { collider, stops, corners, fade_in, load: None }
    }

    /// Puts another collider in the place of this one. The load on it remains.
    pub(crate) fn replace(&mut self, collider: Collider, fade_in: f32, classes: &ClassTable) {
        if self.shape != collider.shape {
            self.corners = collider.shape.some_corners(MAX_CORNERS).into();
        }
        self.collider = collider;
        self.wake();
        self.fade_in = fade_in;
        self.set_classes(classes);
    }

    /// Updates the classes that it stops.
    pub(crate) fn set_classes(&mut self, classes: &ClassTable) {
        self.stops = stopped_by(&self.collider, classes);
    }

    /// Changes its motion. If it is a body, it has to rest anew.
    pub(crate) fn set_motion(&mut self, motion: Motion) {
        self.collider.motion = motion;
        self.wake();
    }

    /// Lets a body sleep where it is.
    pub(crate) fn put_to_sleep(&mut self) {
        let collider = &mut self.collider;
        collider.rest.asleep = true;
        (collider.motion, collider.shift) = (Motion::STILL, Motion::STILL);
        collider.nudged_from = None;
        collider.previous_pose = collider.pose;
    }

    /// Whether it stops a class.
    #[inline]
    pub(crate) fn stops(&self, class: ClassId) -> bool {
        self.stops.contains(class)
    }

    /// The classes that it stops.
    pub(crate) fn stopped_classes(&self) -> ClassFilter {
        self.stops
    }

    /// Corners of its outlines, relative to its centre and rotation.
    pub(crate) fn corners(&self) -> &[Vec2] {
        &self.corners
    }

    /// A point at most about a `depth` below the edge at a corner, relative to its centre and
    /// rotation. From there the faces that the corner touches are nearer than the faces beside it.
    pub(crate) fn below(&self, corner: Vec2, depth: f32) -> Vec2 {
        let towards_centre = corner - corner.clamp_length_max(depth);
        match &self.shape {
            FluidShape::Rectangle { half_size } => {
                let inner = (*half_size - depth).max(Vec2::ZERO);
                corner.clamp(-inner, inner)
            }
            FluidShape::Polygon(_) => {
                // A corner of a flat plate lies about as deep as the centre.
                let Some(edge) = self.shape.nearest(towards_centre, f32::INFINITY) else {
                    return towards_centre;
                };
                let missing = (0.5 * depth + edge.distance).max(0.0);
                let deeper = towards_centre - edge.normal * missing;
                if self.shape.contains(deeper) { deeper } else { towards_centre }
            }
            _ => towards_centre,
        }
    }

    /// Whether bodies meet it.
    pub(crate) fn stops_bodies(&self) -> bool {
        let passes = self.options.body.is_some_and(|body| body.ignore_contacts);
        !passes && !self.options.one_way
    }

    /// Puts it back on the way of this substep, so that it only goes a `fraction` of it.
    pub(crate) fn go_only(&mut self, fraction: f32) {
        self.collider.pose = self.previous_pose.between(self.pose, fraction);
    }

    /// Fraction of the liquid's pressure that it bears, 0 to 1.
    #[inline]
    pub(crate) fn fade_in(&self) -> f32 {
        self.fade_in
    }

    /// Whether it bears only a part of the liquid's pressure.
    pub(crate) fn is_fading_in(&self) -> bool {
        self.fade_in < 1.0
    }

    /// Raises the fraction of the liquid's pressure that it bears, after a substep of `time_units`
    /// T0.
    pub(crate) fn continue_fade_in(&mut self, time_units: f32) {
        self.fade_in = (self.fade_in + time_units / FADE_IN_TIME).min(1.0);
    }

    /// The motion of a body, which the liquid and contacts change.
    pub(crate) fn motion_mut(&mut self) -> &mut Motion {
        &mut self.collider.motion
    }

    /// The additional motion of a body at the next advance, which contacts change.
    pub(crate) fn shift_mut(&mut self) -> &mut Motion {
        &mut self.collider.shift
    }

    /// How long a body has been at rest, and whether it sleeps.
    pub(crate) fn rest_mut(&mut self) -> &mut Rest {
        &mut self.collider.rest
    }

    /// Lets a body rest anew.
    pub(crate) fn wake(&mut self) {
        self.collider.rest = Rest::restless(self.pose);
    }

    /// Gives it the motion that leads to a `target` pose in `time` seconds.
    pub(crate) fn head_for(&mut self, target: Pose, time: f32) {
        self.collider.motion = self.pose.motion_to(target, time);
    }

    /// Limits the speed of its walls to how far they can come in a substep of `time` seconds.
    pub(crate) fn limit_turn(&mut self, time: f32) {
        self.collider.limit_turn(time);
    }

    /// Moves it by `time` seconds of its motion.
    pub(crate) fn advance(&mut self, time: f32) {
        self.collider.advance(time);
    }

    /// Moves it to a `target` pose in `time` seconds.
    pub(crate) fn advance_to(&mut self, target: Pose, time: f32) {
        self.head_for(target, time);
        self.advance(time);
        // Rounding must not move the colliders of a body apart.
        self.collider.pose = target;
    }

    /// Sets the load to 0 before a tick. A sleeping body keeps the load of its last tick.
    pub(crate) fn begin_load(&mut self) {
        let kept = self.load.filter(|_| self.is_sleeping()).unwrap_or_default();
        self.load = Some(kept.without_substep());
    }

    /// Adds an impulse of the liquid in the present substep, if it was there when the tick began.
    pub(crate) fn add_impulse(&mut self, impulse: DVec2, angular_impulse: f64) {
        if let Some(load) = &mut self.load {
            load.add(impulse, angular_impulse);
        }
    }

    /// Adds an impulse of the liquid that has already changed the motion of the body.
    pub(crate) fn add_reaction(&mut self, impulse: DVec2, angular_impulse: f64) {
        if let Some(load) = &mut self.load {
            load.add_reaction(impulse, angular_impulse);
        }
    }

    /// Ends the substep and returns the load in it.
    pub(crate) fn end_substep(&mut self) -> Load {
        self.load.as_mut().map(LoadSums::end_substep).unwrap_or_default()
    }

    /// The liquid's load on it in the last tick.
    pub(crate) fn load(&self) -> Load {
        self.load.as_ref().map(LoadSums::load).unwrap_or_default()
    }

    /// The collider without what belongs to it.
    pub(crate) fn into_collider(self) -> Collider {
        self.collider
    }
}

/// The classes that a collider stops.
fn stopped_by(collider: &Collider, classes: &ClassTable) -> ClassFilter {
    let options = collider.options();
    let passes = |class: &DensityClass| class.collision_layers & options.layers == 0;
    let passing = classes.iter().enumerate().filter(|(_, class)| passes(class));
    passing.fold(options.classes, |stops, (index, _)| stops.without(ClassId(index as u8)))
}

// Contacts of bodies, as remembered from one substep to the next.

/// What tells a contact from others: the body, the other side, and the corner that touches.
///
/// The fields are in the order in which contacts are found, so that lists of contacts are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ContactKey {
    /// Index of the body.
    pub body: usize,
    /// Index of the other collider plus 1; 0 for the container.
    pub other: usize,
    /// Whether the corner is one of the other collider, and not of the body.
    pub is_of_other: bool,
    /// Number of the corner.
    pub corner: usize,
    /// Number of the container's wall.
    pub wall: usize,
}

stored!(ContactKey { body, other, is_of_other, corner, wall });

/// Impulses at a contact in the last substep. The next one starts with them, so that a stack of bodies
/// comes to rest however few the iterations of a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldContact {
    pub key: ContactKey,
    /// Impulse along the normal.
    pub pushed: f32,
    /// Impulse along the tangent.
    pub rubbed: f32,
}

impl HeldContact {
    pub(crate) fn is_finite(&self) -> bool {
        self.pushed.is_finite() && self.rubbed.is_finite()
    }
}

stored!(HeldContact { key, pushed in Limits::FINITE, rubbed in Limits::FINITE });
