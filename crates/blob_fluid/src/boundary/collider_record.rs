//! The record of one collider in a world.

use std::ops::Deref;
use std::sync::Arc;

use glam::{DVec2, Vec2};

use crate::boundary::body::{Load, LoadSums};
use crate::boundary::collider::Collider;
use crate::boundary::solid::RestState;
use crate::geometry::pose::{Motion, Pose};
use crate::geometry::shape::FluidShape;
use crate::settings::class::{ClassFilter, ClassId, DensityClass};
use crate::settings::class_table::ClassTable;
use crate::stored::stored;

/// A collider of a world and the data that belongs to it. It dereferences to the [`Collider`].
///
/// Passes change its motion and its rest. Every other change goes through
/// [`Solids`](crate::boundary::solids::Solids), which keeps its box.
#[derive(Clone, Debug)]
pub(crate) struct ColliderRecord {
    collider: Collider,
    /// The classes that it stops.
    stopped_classes: ClassFilter,
    /// At most [`MAX_CORNERS`] corners of its outlines.
    corners: Arc<[Vec2]>,
    /// Fraction of the liquid's pressure that it bears, 0 to 1.
    fade_in: f32,
    /// The liquid's load on it; `None` from its insertion to the next tick.
    load: Option<LoadSums>,
}

stored!(ColliderRecord { collider, fade_in in Limits::SHARE, load } derived {
    // `Solids::set_classes` computes it, because the classes are not known yet.
    stopped_classes = ClassFilter::ALL,
    corners = Collider::shape(&collider).some_corners(MAX_CORNERS).into(),
});

/// Largest number of corners of a collider that are tested for contacts between bodies.
const MAX_CORNERS: usize = 48;

/// Time, in T0, in which the pressure on a collider that has jumped into liquid grows to its full
/// value.
const FADE_IN_TIME: f32 = 3.0;

impl Deref for ColliderRecord {
    type Target = Collider;

    #[inline]
    fn deref(&self) -> &Collider {
        &self.collider
    }
}

impl ColliderRecord {
    /// Creates the record of a collider, which initially bears the fraction `fade_in` of the
    /// liquid's pressure.
    pub(crate) fn new(mut collider: Collider, fade_in: f32, classes: &ClassTable) -> Self {
        collider.rest = RestState::awake_at(collider.pose);
        let stopped_classes = stopped_classes_of(&collider, classes);
        let corners = collider.shape.some_corners(MAX_CORNERS).into();
        Self { collider, stopped_classes, corners, fade_in, load: None }
    }

    /// Replaces the collider and keeps the load on it.
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
        self.stopped_classes = stopped_classes_of(&self.collider, classes);
    }

    /// Changes its motion. A body wakes.
    pub(crate) fn set_motion(&mut self, motion: Motion) {
        self.collider.motion = motion;
        self.wake();
    }

    /// Puts a body to sleep at its present pose.
    pub(crate) fn put_to_sleep(&mut self) {
        let collider = &mut self.collider;
        collider.rest.asleep = true;
        (collider.motion, collider.shift) = (Motion::STILL, Motion::STILL);
        collider.continued_from = None;
        collider.previous_pose = collider.pose;
    }

    /// Whether it stops a class.
    #[inline]
    pub(crate) fn stops(&self, class: ClassId) -> bool {
        self.stopped_classes.contains(class)
    }

    /// The classes that it stops.
    pub(crate) fn stopped_classes(&self) -> ClassFilter {
        self.stopped_classes
    }

    /// Corners of its outlines, relative to its centre and rotation.
    pub(crate) fn corners(&self) -> &[Vec2] {
        &self.corners
    }

    /// A point at most about a `depth` below the edge at a corner, in local coordinates. The faces
    /// at the corner are nearer to this point than the faces beside them.
    pub(crate) fn core_point(&self, corner: Vec2, depth: f32) -> Vec2 {
        let towards_centre = corner - corner.clamp_length_max(depth);
        match &self.shape {
            FluidShape::Rectangle { half_size } => {
                let inner = (*half_size - depth).max(Vec2::ZERO);
                corner.clamp(-inner, inner)
            }
            FluidShape::Polygon(_) => {
                // At a corner of a flat plate, the direction to the centre runs nearly along the edge.
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

    /// Whether bodies collide with it.
    pub(crate) fn stops_bodies(&self) -> bool {
        let ignores_contacts = self.options.body.is_some_and(|body| body.ignore_contacts);
        !ignores_contacts && !self.options.one_way
    }

    /// Moves it back along the path of this substep, to a `fraction` of the path.
    pub(crate) fn shorten_path(&mut self, fraction: f32) {
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
    pub(crate) fn rest_mut(&mut self) -> &mut RestState {
        &mut self.collider.rest
    }

    /// Wakes a body and restarts its rest time.
    pub(crate) fn wake(&mut self) {
        self.collider.rest = RestState::awake_at(self.pose);
    }

    /// Sets the motion that leads to a `target` pose in `time` seconds.
    pub(crate) fn set_motion_towards(&mut self, target: Pose, time: f32) {
        self.collider.motion = self.pose.motion_to(target, time);
    }

    /// Limits the angular velocity that its walls give to the liquid in substeps of `time` seconds.
    pub(crate) fn limit_angular_velocity(&mut self, time: f32) {
        self.collider.limit_angular_velocity(time);
    }

    /// Moves it with its motion for `time` seconds.
    pub(crate) fn advance(&mut self, time: f32) {
        self.collider.advance(time);
    }

    /// Moves it to a `target` pose in `time` seconds.
    pub(crate) fn advance_to(&mut self, target: Pose, time: f32) {
        self.set_motion_towards(target, time);
        self.advance(time);
        // Rounding must not move the colliders of a body apart.
        self.collider.pose = target;
    }

    /// Sets the load to 0 before a tick. A sleeping body keeps the load of its last tick.
    pub(crate) fn reset_load(&mut self) {
        let load = self.load.filter(|_| self.is_sleeping()).unwrap_or_default();
        self.load = Some(load.without_substep());
    }

    /// Adds an impulse of the liquid in the present substep. A collider inserted in this tick ignores it.
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

    /// Returns the collider alone.
    pub(crate) fn into_collider(self) -> Collider {
        self.collider
    }
}

/// The classes that a collider stops.
fn stopped_classes_of(collider: &Collider, classes: &ClassTable) -> ClassFilter {
    let options = collider.options();
    let ignores = |class: &DensityClass| class.collision_layers & options.layers == 0;
    let passing = classes.iter().enumerate().filter(|(_, class)| ignores(class));
    passing.fold(options.classes, |stops, (index, _)| stops.without(ClassId(index as u8)))
}

// Contacts of bodies that are kept from substep to substep, for warm starting.

/// The key that identifies a contact: the body, the other side, and the corner that touches.
///
/// Lists of contacts are sorted by the fields in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ContactKey {
    /// Index of the body.
    pub body: usize,
    /// Index of the other collider plus 1; 0 for the container.
    pub other: usize,
    /// Whether the corner belongs to the other collider instead of the body.
    pub is_corner_of_other: bool,
    /// Number of the corner.
    pub corner: usize,
    /// Number of the container's wall.
    pub wall: usize,
}

stored!(ContactKey { body, other, is_corner_of_other, corner, wall });

/// Impulses at a contact in the last substep. The next substep starts with them, so that a stack of
/// bodies comes to rest with few iterations per substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedContact {
    pub key: ContactKey,
    /// Impulse along the normal.
    pub normal_impulse: f32,
    /// Impulse along the tangent.
    pub tangent_impulse: f32,
}

impl CachedContact {
    pub(crate) fn is_finite(&self) -> bool {
        self.normal_impulse.is_finite() && self.tangent_impulse.is_finite()
    }
}

stored!(CachedContact { key, normal_impulse in Limits::FINITE, tangent_impulse in Limits::FINITE });
