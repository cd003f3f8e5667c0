//! All containers and colliders of a liquid, and the lists and boxes derived from them.

use std::sync::Arc;

use glam::Vec2;

use crate::boundary::buried::Buried;
use crate::boundary::collider::{Collider, ColliderId};
use crate::boundary::collider_boxes::{ColliderBoxes, close_gap};
use crate::boundary::container::{Container, ContainerId};
use crate::boundary::held_contact::HeldContact;
use crate::boundary::host_body::{CarriedBody, HostBodyId};
use crate::boundary::rest::Rest;
use crate::boundary::slots::Slots;
use crate::geometry::bounds::Bounds;
use crate::geometry::motion::Motion;
use crate::geometry::shape::Shape;
use crate::settings::class::{ClassId, DensityClass};
use crate::settings::class_filter::ClassFilter;
use crate::settings::class_table::ClassTable;

/// All containers and colliders. The lists `boxes`, `stops`, `fade_in` and `corners` have one entry
/// for each collider, at the same index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solids {
    pub containers: Slots<ContainerId, Container>,
    pub colliders: Slots<ColliderId, Collider>,
    pub host_bodies: Slots<HostBodyId, CarriedBody>,
    /// The boxes around the colliders.
    pub boxes: ColliderBoxes,
    /// Which colliders only particles inside them can meet.
    pub buried: Buried,
    /// For each collider, the classes that it stops.
    pub stops: Vec<ClassFilter>,
    /// For each collider, the fraction of the liquid's pressure that it bears, 0 to 1.
    pub fade_in: Vec<f32>,
    /// Indices of the colliders whose `fade_in` is less than 1.
    fading_in: Vec<u32>,
    /// For each collider, at most [`MAX_CORNERS`] corners of its outlines.
    corners: Vec<Arc<[Vec2]>>,
    /// Contacts of bodies in the last substep. The list is emptied when indices of colliders change.
    pub held_contacts: Vec<HeldContact>,
    /// Number of colliders whose load is measured.
    feeling: usize,
    /// Number of colliders with the option [`reports_load`](crate::ColliderOptions::reports_load).
    reporting: usize,
    /// Depth inside a collider, in world units, beyond which a particle is there because the
    /// collider jumped onto it. Such a particle is moving out, and the wall does not act on it.
    pub jump_depth: f32,
    /// Largest gap between two colliders, in world units, that still act as one. It is too small
    /// for liquid to get in between.
    pub seam_gap: f32,
    /// Smallest radius, in world units, about which a wall's normal turns.
    pub least_bend_radius: f32,
    /// Smallest distance from the edge of a moving collider, in world units, at which the side that
    /// a particle is on is certain. It is larger than the rounding errors of poses, and than the
    /// gaps that they open between colliders that move together.
    pub skin: f32,
    /// The largest [turn](Solid::turn) of a collider in the present substep.
    pub turn: f32,
}

/// Depth inside a collider, in interaction radii, beyond which a particle is there because the
/// collider jumped onto it.
const JUMP_DEPTH_IN_RADII: f32 = 0.1;

/// Largest gap between two colliders, in particle spacings, that still act as one, like the tiles
/// of a floor.
const SEAM_GAP_IN_SPACINGS: f32 = 0.05;

/// See [`Solids::least_bend_radius`], in particle spacings.
const LEAST_BEND_RADIUS_IN_SPACINGS: f32 = 0.5;

/// See [`Solids::skin`], in particle spacings.
const SKIN_IN_SPACINGS: f32 = 0.001;

/// Largest number of corners of a collider that are tested for contacts between bodies.
const MAX_CORNERS: usize = 48;

/// Time, in T0, during which a collider that has jumped into liquid bears only a part of its
/// pressure.
const FADE_IN_TIME: f32 = 3.0;

impl Solids {
    /// Whether there are no containers and no colliders.
    pub(crate) fn is_empty(&self) -> bool {
        self.containers.is_empty() && self.colliders.is_empty()
    }

    /// Sets the lengths that depend on the liquid's scale. Both arguments are in world units.
    pub(crate) fn set_scale(&mut self, interaction_radius: f32, particle_spacing: f32) {
        self.jump_depth = JUMP_DEPTH_IN_RADII * interaction_radius;
        self.seam_gap = SEAM_GAP_IN_SPACINGS * particle_spacing;
        self.least_bend_radius = LEAST_BEND_RADIUS_IN_SPACINGS * particle_spacing;
        self.buried.forget();
        self.skin = SKIN_IN_SPACINGS * particle_spacing;
    }

    /// Whether the load on any collider is measured.
    pub(crate) fn any_bears_load(&self) -> bool {
        self.feeling > 0
    }

    /// The index and the collider, if the load on it is measured in this tick.
    #[inline]
    pub(crate) fn load_bearing(&self, collider: Option<u32>) -> Option<(u32, &Collider)> {
        let index = collider.filter(|_| self.any_bears_load())?;
        Some((index, &self.colliders[index as usize])).filter(|(_, own)| own.bears_load_now())
    }

    /// Whether a host body that is present carries a collider.
    fn is_carried(&self, collider: &Collider) -> bool {
        let carrier = collider.options.attachment.as_ref();
        carrier.is_some_and(|own| self.host_bodies.find(own.body).is_some())
    }

    /// Whether the liquid around a collider must stay awake, because the load on it is wanted.
    pub(crate) fn needs_load(&self, collider: &Collider) -> bool {
        let reports = collider.options.reports_load;
        reports || collider.is_awake_body() || self.is_carried(collider)
    }

    /// Whether a collider, which is no slow body, keeps the liquid around it from settling.
    pub(crate) fn keeps_awake(&self, collider: &Collider) -> bool {
        if collider.is_body() && !collider.options.reports_load && !collider.is_attached() {
            return false;
        }
        self.needs_load(collider) || self.may_move(collider)
    }

    /// Whether a collider moves, or may begin to.
    fn may_move(&self, collider: &Collider) -> bool {
        let moves = collider.motion != Motion::STILL;
        moves || collider.is_awake_body() || self.is_carried(collider)
    }

    /// Whether any collider [needs](Self::needs_load) its load.
    pub(crate) fn any_needs_load(&self) -> bool {
        // Bodies and attached colliders are movers from the beginning.
        let mut movers = self.boxes.movers().map(|index| &self.colliders[index]);
        self.reporting > 0 || self.any_bears_load() && movers.any(|own| self.needs_load(own))
    }

    /// Lets a body sleep where it is.
    pub(crate) fn put_to_sleep(&mut self, index: usize) {
        let collider = &mut self.colliders[index];
        collider.rest.asleep = true;
        (collider.motion, collider.shift) = (Motion::STILL, Motion::STILL);
        collider.nudged_from = None;
        collider.before = collider.pose;
        self.boxes.update(index, collider);
    }

    /// The corners of a collider, relative to its centre and rotation.
    pub(crate) fn corners(&self, index: usize) -> &[Vec2] {
        &self.corners[index]
    }

    /// Adds a collider after all others. At first it bears the fraction `fade_in` of the liquid's
    /// pressure.
    pub(crate) fn insert_collider(
        &mut self,
        mut collider: Collider,
        fade_in: f32,
        classes: &ClassTable,
    ) -> ColliderId {
        collider.rest = Rest::restless(collider.pose);
        self.boxes.push(&collider);
        if !self.boxes.is_mover(self.colliders.len()) {
            self.buried.forget();
        }
        self.stops.push(stopped_by(&collider, classes));
        self.corners.push(corners_of(&collider.shape));
        self.feeling += usize::from(collider.bears_load());
        self.reporting += usize::from(collider.options.reports_load);
        self.fade_in.push(1.0);
        self.set_presence(self.colliders.len(), fade_in);
        self.colliders.insert(collider)
    }

    /// Replaces a collider.
    pub(crate) fn replace_collider(
        &mut self,
        index: usize,
        mut collider: Collider,
        classes: &ClassTable,
    ) {
        collider.rest = Rest::restless(collider.pose);
        if self.colliders[index].shape != collider.shape {
            self.corners[index] = corners_of(&collider.shape);
        }
        self.stops[index] = stopped_by(&collider, classes);
        self.forget_if_standing(index);
        self.boxes.update(index, &collider);
        self.feeling += usize::from(collider.bears_load());
        self.feeling -= usize::from(self.colliders[index].bears_load());
        self.reporting += usize::from(collider.options.reports_load);
        self.reporting -= usize::from(self.colliders[index].options.reports_load);
        self.colliders[index] = collider;
    }

    /// Changes the motion of a collider.
    pub(crate) fn set_motion(&mut self, index: usize, motion: Motion) {
        self.forget_if_standing(index);
        let collider = &mut self.colliders[index];
        collider.motion = motion;
        collider.rest = Rest::restless(collider.pose);
        self.boxes.update(index, &self.colliders[index]);
    }

    /// Forgets which colliders are buried, if a collider that changes has stood still so far.
    fn forget_if_standing(&mut self, index: usize) {
        if !self.boxes.is_mover(index) {
            self.buried.forget();
        }
    }

    /// Sets the fraction of the liquid's pressure that a collider bears. It grows to 1 afterwards.
    pub(crate) fn set_presence(&mut self, index: usize, fade_in: f32) {
        self.fade_in[index] = fade_in;
        self.fading_in.retain(|own| *own as usize != index);
        if fade_in < 1.0 {
            self.fading_in.push(index as u32);
        }
    }

    /// Removes a collider. The indices of all colliders after it decrease by 1.
    pub(crate) fn remove_collider(&mut self, index: usize) -> Collider {
        if self.boxes.is_mover(index) {
            self.buried.remove_mover(index);
        } else {
            self.buried.forget();
        }
        self.boxes.remove(index);
        self.stops.remove(index);
        self.corners.remove(index);
        self.fade_in.remove(index);
        self.held_contacts.clear();
        close_gap(&mut self.fading_in, index);
        let collider = self.colliders.remove(index);
        self.feeling -= usize::from(collider.bears_load());
        self.reporting -= usize::from(collider.options.reports_load);
        collider
    }

    /// Removes all colliders.
    pub(crate) fn clear_colliders(&mut self) {
        self.boxes.clear();
        self.buried.forget();
        self.stops.clear();
        self.corners.clear();
        self.fade_in.clear();
        self.fading_in.clear();
        self.held_contacts.clear();
        self.colliders.clear();
        (self.feeling, self.reporting) = (0, 0);
    }

    /// Updates the classes that each collider stops.
    pub(crate) fn set_classes(&mut self, classes: &ClassTable) {
        self.buried.forget();
        for (stops, collider) in self.stops.iter_mut().zip(&*self.colliders) {
            *stops = stopped_by(collider, classes);
        }
    }

    /// Whether any wall has a temperature.
    pub(crate) fn any_heats(&self) -> bool {
        let of_containers = self.containers.iter().map(Container::wall);
        let mut surfaces = of_containers.chain(self.colliders.iter().map(Collider::wall));
        surfaces.any(|surface| surface.temperature.is_some())
    }

    /// A box around the places where containers and colliders with a solid outside let a class be;
    /// infinite without any.
    pub(crate) fn bounds_of_liquid(&self, class: ClassId) -> Bounds {
        let around = |bounds: Bounds, own: &Container| bounds.union(own.swept());
        let held = match &self.containers[..] {
            [] => Bounds::ALL,
            containers => containers.iter().fold(Bounds::NONE, around),
        };
        let holds = |(own, stops): &(&Collider, &ClassFilter)| {
            own.options.inside_out && stops.contains(class)
        };
        let holding = self.colliders.iter().zip(&self.stops).filter(holds);
        holding.fold(held, |bounds, (own, _)| bounds.intersection(own.swept()))
    }

    /// The colliders that move, and those that the liquid, gravity or a host may move.
    pub(crate) fn moving_colliders(&self) -> impl Iterator<Item = &Collider> {
        self.boxes.movers().map(|index| &self.colliders[index]).filter(|own| self.may_move(own))
    }

    /// Limits the speed of all walls to how far they can come in a substep of `time` seconds.
    pub(crate) fn limit_turns(&mut self, time: f32) {
        self.containers.iter_mut().for_each(|container| container.limit_turn(time));
        self.colliders.iter_mut().for_each(|collider| collider.limit_turn(time));
    }

    /// Sets the motions of attached colliders to what their bodies' motions do to them in the next
    /// `time` seconds, and the loads on these bodies to 0.
    pub(crate) fn begin_tick(&mut self, time: f32) {
        let Self { colliders, host_bodies, .. } = self;
        if host_bodies.is_empty() {
            return;
        }
        host_bodies.iter_mut().for_each(CarriedBody::begin_tick);
        for collider in colliders.iter_mut() {
            if let Some(attachment) = &collider.options.attachment
                && let Some(body) = host_bodies.find(attachment.body)
            {
                let ahead = body.pose_ahead(attachment, time);
                collider.motion = collider.pose.motion_to(ahead, time);
            }
        }
    }

    /// Moves all containers and colliders by `time` seconds, which are `time_units` T0.
    pub(crate) fn advance(&mut self, time: f32, time_units: f32) {
        let Self { containers, colliders, host_bodies, boxes, fade_in, fading_in, turn, .. } = self;
        fading_in.retain(|index| {
            let fade_in = &mut fade_in[*index as usize];
            *fade_in = (*fade_in + time_units / FADE_IN_TIME).min(1.0);
            *fade_in < 1.0
        });
        containers.iter_mut().for_each(|container| container.advance(time));
        host_bodies.iter_mut().for_each(|body| body.advance(time));
        *turn = 0.0;
        boxes.advance(colliders, |collider| {
            let attachment = collider.options.attachment.as_ref();
            let carried = attachment.map(|own| host_bodies.find(own.body).map(|b| b.pose_of(own)));
            if let Some(carried) = carried {
                // A body that was removed leaves its colliders where they are.
                let ahead = carried.unwrap_or(collider.pose);
                collider.motion = collider.pose.motion_to(ahead, time);
                collider.advance(time);
                // Rounding must not move the colliders of a body apart.
                collider.pose = ahead;
            } else {
                collider.advance(time);
            }
            *turn = turn.max(collider.turn());
        });
    }
}

/// The classes that a collider stops.
fn stopped_by(collider: &Collider, classes: &ClassTable) -> ClassFilter {
    let options = collider.options();
    let passes = |class: &DensityClass| class.collision_layers & options.layers == 0;
    let passing = classes.iter().enumerate().filter(|(_, class)| passes(class));
    passing.fold(options.classes, |stops, (index, _)| stops.without(ClassId(index as u8)))
}

/// Corners of a shape's outlines. If there are too many, every n-th corner is chosen.
fn corners_of(shape: &Shape) -> Arc<[Vec2]> {
    let all: Vec<Vec2> = match shape {
        Shape::Field(field) => field.edge_points(),
        _ => shape.outlines().into_iter().flatten().flatten().collect(),
    };
    let every = all.len().div_ceil(MAX_CORNERS).max(1);
    all.into_iter().step_by(every).collect()
}
