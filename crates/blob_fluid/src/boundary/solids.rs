//! All containers, colliders and host bodies of a liquid, and the boxes around the colliders.

use std::ops::Range;
use std::sync::OnceLock;

use glam::{DVec2, Vec2};

use crate::boundary::body::HostBodyRecord;
use crate::boundary::collider_record::{CachedContact, ColliderBoxes, ColliderRecord};
use crate::boundary::slots::Slots;
use crate::parallel::executor::{CHUNK, GROUP, parts};
use crate::revision::Revision;
#[cfg(feature = "snapshot")]
use crate::settings::range::Limits;
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{Numbers, Reader, SnapshotError, Stored, Writer, ensure};
use crate::{
    ClassId, ClassTable, Collider, ColliderId, Container, ContainerId, FluidBounds, FluidShape,
    HostBodyId, Motion, WallProperties,
};

/// All containers, colliders and host bodies of a liquid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solids {
    pub containers: Slots<ContainerId, Container>,
    /// One record for each collider. Only the methods of `Solids` insert, change and remove
    /// colliders, because they also update the boxes, the buried colliders and the counts.
    pub colliders: Slots<ColliderId, ColliderRecord>,
    pub host_bodies: Slots<HostBodyId, HostBodyRecord>,
    /// The boxes around the colliders. They are separate from the records, because searches read
    /// only the boxes.
    pub boxes: ColliderBoxes,
    /// For each collider, whether it is buried: only particles inside it can touch it. It is
    /// computed on first use after a change of the colliders that stand still.
    pub(super) buried: OnceLock<Vec<bool>>,
    pub(super) counts: ColliderCounts,
    /// Revision of everything that decides which walls stop a particle: containers, colliders, the
    /// class table, and the classes that hosts give to particles.
    pub walls_revision: Revision,
    /// Contacts of bodies in the last substep. The list is emptied when indices of colliders change.
    pub cached_contacts: Vec<CachedContact>,
    /// Whether a solid has changed, or a body has woken, since the contacts were last found.
    pub contacts_outdated: bool,
    /// Depth inside a collider, in world units, beyond which the collider must have jumped onto a
    /// particle. The wall does not act on such a particle, which moves out.
    pub jump_depth: f32,
    /// Largest gap between two colliders that act as one, in world units. It is too narrow for
    /// liquid.
    pub seam_gap: f32,
    /// Depth of the core points of a body below its edge, in world units. Contacts are found from
    /// these points, and they never pass through a collider.
    pub core_depth: f32,
    /// Smallest radius of curvature of a wall, in world units.
    pub min_curvature_radius: f32,
    /// Smallest distance from the edge of a moving collider, in world units, at which it is certain
    /// on which side a particle is. It exceeds the rounding errors of poses, and the gaps that they
    /// open between colliders that move together.
    pub skin: f32,
    /// The largest [rotation](crate::boundary::solid::Solid::rotation_change) of a collider in the
    /// present substep.
    pub max_rotation: f32,
}

/// See [`Solids::jump_depth`], in interaction radii.
const JUMP_DEPTH_IN_RADII: f32 = 0.1;

/// See [`Solids::seam_gap`], in particle spacings.
const SEAM_GAP_IN_SPACINGS: f32 = 0.05;

/// See [`Solids::core_depth`], in particle spacings.
const CORE_DEPTH_IN_SPACINGS: f32 = 0.25;

/// See [`Solids::min_curvature_radius`], in particle spacings.
const MIN_CURVATURE_RADIUS_IN_SPACINGS: f32 = 0.5;

/// See [`Solids::skin`], in particle spacings.
const SKIN_IN_SPACINGS: f32 = 0.001;

/// How a body responds to impulses of the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyResponse {
    pub inverse_mass: Vec2,
    pub inverse_inertia: f32,
    /// The change of speed, in world units/s, that wakes it.
    pub least_change: f32,
}

/// Numbers of colliders with a property, so that passes need not search all colliders.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ColliderCounts {
    /// Colliders whose load is measured.
    load_bearing: usize,
    /// Colliders with the option [`reports_load`](crate::ColliderOptions::reports_load).
    reporting: usize,
    /// Colliders that bear only a part of the liquid's pressure.
    fading_in: usize,
}

impl ColliderCounts {
    pub(super) fn add(&mut self, record: &ColliderRecord) {
        self.load_bearing += usize::from(record.bears_load());
        self.reporting += usize::from(record.options.reports_load);
        self.fading_in += usize::from(record.is_fading_in());
    }

    fn subtract(&mut self, record: &ColliderRecord) {
        self.load_bearing -= usize::from(record.bears_load());
        self.reporting -= usize::from(record.options.reports_load);
        self.fading_in -= usize::from(record.is_fading_in());
    }
}

impl Solids {
    /// Whether there are no containers and no colliders.
    pub(crate) fn is_empty(&self) -> bool {
        self.containers.is_empty() && self.colliders.is_empty()
    }

    /// Sets the lengths that depend on the liquid's scale. Both arguments are in world units.
    pub(crate) fn set_scale(&mut self, interaction_radius: f32, particle_spacing: f32) {
        self.jump_depth = JUMP_DEPTH_IN_RADII * interaction_radius;
        self.seam_gap = SEAM_GAP_IN_SPACINGS * particle_spacing;
        self.core_depth = CORE_DEPTH_IN_SPACINGS * particle_spacing;
        self.min_curvature_radius = MIN_CURVATURE_RADIUS_IN_SPACINGS * particle_spacing;
        self.buried.take();
        self.skin = SKIN_IN_SPACINGS * particle_spacing;
    }

    /// Whether the load on any collider is measured.
    pub(crate) fn any_bears_load(&self) -> bool {
        self.counts.load_bearing > 0
    }

    /// The boxes of the colliders whose motion the liquid's load may change, or might once: bodies, colliders of host
    /// bodies, and colliders that report their loads and have ever moved. A host's body that sleeps and wakes again does
    /// not change the substeps.
    pub(crate) fn yielding_boxes(&self) -> impl Iterator<Item = &FluidBounds> {
        let yields = |record: &ColliderRecord| record.bears_load() || record.memory_loss() > 0.0;
        let movers = self.boxes.movers().filter(move |index| yields(&self.colliders[*index]));
        movers.map(|index| &self.boxes[index])
    }

    /// Whether any of the [`yielding_boxes`](Self::yielding_boxes) intersects `bounds`, which are computed only if needed.
    pub(crate) fn any_yields_within(&self, bounds: impl FnOnce() -> FluidBounds) -> bool {
        let mut boxes = self.yielding_boxes().peekable();
        boxes.peek().is_some() && {
            let bounds = bounds();
            boxes.any(|solid| solid.intersects(bounds))
        }
    }

    /// The index and the collider, if the load on it is measured in this tick.
    #[inline]
    pub(crate) fn measured_collider(&self, collider: Option<u32>) -> Option<(u32, &Collider)> {
        let index = collider.filter(|_| self.any_bears_load())?;
        let collider: &Collider = &self.colliders[index as usize];
        collider.bears_load_now().then_some((index, collider))
    }

    /// Whether a host body that is present carries a collider.
    fn is_on_host_body(&self, collider: &Collider) -> bool {
        let attachment = collider.options.attachment.as_ref();
        attachment.is_some_and(|attachment| self.host_bodies.find(attachment.body).is_some())
    }

    /// Whether the liquid around a collider must stay awake, because the load is needed.
    pub(crate) fn needs_load(&self, collider: &Collider) -> bool {
        let reports = collider.options.reports_load;
        reports || collider.is_awake_body() || self.is_on_host_body(collider)
    }

    /// Whether a collider keeps the liquid around it from settling. Most bodies do not: they may sleep too.
    pub(crate) fn prevents_settling(&self, collider: &Collider) -> bool {
        if collider.is_body() && !collider.options.reports_load && !collider.is_attached() {
            return false;
        }
        self.needs_load(collider) || self.may_move(collider)
    }

    /// Whether a collider moves or may begin to move.
    fn may_move(&self, collider: &Collider) -> bool {
        let moves = collider.motion != Motion::STILL;
        moves || collider.is_awake_body() || self.is_on_host_body(collider)
    }

    /// Whether any container or collider moves or may begin to move.
    pub(crate) fn any_solid_moves(&self) -> bool {
        let under_way = |container: &Container| container.motion != Motion::STILL;
        self.containers.iter().any(under_way) || self.moving_colliders().next().is_some()
    }

    /// Whether any collider [needs](Self::needs_load) its load.
    pub(crate) fn any_needs_load(&self) -> bool {
        // Bodies and attached colliders are movers from the beginning.
        let mut movers = self.boxes.movers().map(|index| &self.colliders[index]);
        self.counts.reporting > 0
            || self.any_bears_load() && movers.any(|collider| self.needs_load(collider))
    }

    /// Whether a collider is buried: only particles inside it can touch it.
    #[inline]
    pub(crate) fn is_buried(&self, index: usize) -> bool {
        let compute = || find_buried(&self.colliders, &self.boxes, self.seam_gap);
        // Colliders that were added afterwards are movers, which are not buried.
        self.buried.get_or_init(compute).get(index).is_some_and(|buried| *buried)
    }

    /// Appends a collider. It initially bears the fraction `fade_in` of the liquid's pressure.
    pub(crate) fn insert_collider(
        &mut self,
        collider: Collider,
        fade_in: f32,
        classes: &ClassTable,
    ) -> ColliderId {
        let record = ColliderRecord::new(collider, fade_in, classes);
        self.walls_revision.renew();
        self.contacts_outdated = true;
        self.boxes.push(&record);
        self.counts.add(&record);
        if !self.boxes.is_mover(self.colliders.len()) {
            self.buried.take();
        }
        self.colliders.insert(record)
    }

    /// Changes a collider and the data outside of its record. All changes except those of passes
    /// use this method.
    fn update_record(&mut self, index: usize, change: impl FnOnce(&mut ColliderRecord)) {
        self.walls_revision.renew();
        self.contacts_outdated = true;
        if !self.boxes.is_mover(index) {
            self.buried.take();
        }
        let record = &mut self.colliders[index];
        self.counts.subtract(record);
        change(record);
        self.counts.add(record);
        self.boxes.update(index, record);
    }

    /// Replaces a collider. It bears the fraction `fade_in` of the liquid's pressure, which grows to
    /// 1 afterwards.
    pub(crate) fn replace_collider(
        &mut self,
        index: usize,
        collider: Collider,
        fade_in: f32,
        classes: &ClassTable,
    ) {
        self.update_record(index, |record| record.replace(collider, fade_in, classes));
    }

    /// Changes the motion of a collider.
    pub(crate) fn set_motion(&mut self, index: usize, motion: Motion) {
        self.update_record(index, |record| record.set_motion(motion));
    }

    /// Puts a body to sleep at its present pose.
    pub(crate) fn put_to_sleep(&mut self, index: usize) {
        self.update_record(index, ColliderRecord::put_to_sleep);
    }

    /// Removes a collider. The indices of all colliders after it decrease by 1.
    pub(crate) fn remove_collider(&mut self, index: usize) -> Collider {
        self.walls_revision.renew();
        if !self.boxes.is_mover(index) {
            self.buried.take();
        } else if let Some(buried) = self.buried.get_mut().filter(|buried| index < buried.len()) {
            // A collider that has ever moved neither is buried nor buries others.
            buried.remove(index);
        }
        self.boxes.remove(index);
        self.cached_contacts.clear();
        let record = self.colliders.remove(index);
        self.counts.subtract(&record);
        record.into_collider()
    }

    /// Removes the colliders at these indices, which are sorted.
    pub(crate) fn remove_colliders(&mut self, indices: &[usize]) {
        if indices.is_empty() {
            return;
        }
        self.walls_revision.renew();
        self.buried.take();
        self.cached_contacts.clear();
        for index in indices {
            self.counts.subtract(&self.colliders[*index]);
        }
        let mut is_removed = vec![false; self.colliders.len()];
        indices.iter().for_each(|index| is_removed[*index] = true);
        self.boxes.remove_all(&is_removed);
        self.colliders.retain(|index, _| !is_removed[index]);
    }

    /// Removes all colliders.
    pub(crate) fn clear_colliders(&mut self) {
        self.walls_revision.renew();
        self.boxes.clear();
        self.buried.take();
        self.cached_contacts.clear();
        self.colliders.clear();
        self.counts = ColliderCounts::default();
    }

    /// Updates the classes that each collider stops.
    pub(crate) fn set_classes(&mut self, classes: &ClassTable) {
        self.walls_revision.renew();
        self.buried.take();
        self.colliders.iter_mut().for_each(|record| record.set_classes(classes));
    }

    /// The wall properties of all containers and colliders.
    pub(crate) fn wall_properties(&self) -> impl Iterator<Item = WallProperties> {
        let containers = self.containers.iter().map(|container| container.wall());
        containers.chain(self.colliders.iter().map(|collider| collider.wall()))
    }

    /// Whether any wall has a temperature.
    pub(crate) fn any_wall_has_temperature(&self) -> bool {
        self.wall_properties().any(|wall| wall.temperature.is_some())
    }

    /// A box around the region to which containers and inside-out colliders confine a class;
    /// infinite without them.
    pub(crate) fn bounds_of_liquid(&self, class: ClassId) -> FluidBounds {
        let container_bounds = match &self.containers[..] {
            [] => FluidBounds::ALL,
            containers => {
                let boxes = containers.iter().map(Container::swept_bounds);
                boxes.fold(FluidBounds::NONE, FluidBounds::union)
            }
        };
        let inside_out = self.colliders.iter();
        let inside_out =
            inside_out.filter(|record| record.options.inside_out && record.stops(class));
        inside_out
            .map(|record| record.swept_bounds())
            .fold(container_bounds, FluidBounds::intersection)
    }

    /// A box around all containers and colliders; infinite if one of them is unbounded.
    pub(crate) fn bounds_of_walls(&self) -> FluidBounds {
        let containers = self.containers.iter().map(Container::swept_bounds);
        let colliders = self.colliders.iter().map(|record| record.swept_bounds());
        containers.chain(colliders).fold(FluidBounds::NONE, FluidBounds::union)
    }

    /// The colliders that move, and those that the liquid, gravity or a host may move.
    pub(crate) fn moving_colliders(&self) -> impl Iterator<Item = &Collider> {
        let movers = self.boxes.movers().map(|index| &*self.colliders[index]);
        movers.filter(|collider| self.may_move(collider))
    }

    /// Limits the angular velocities that walls give to the liquid in substeps of `time` seconds.
    pub(crate) fn limit_angular_velocities(&mut self, time: f32) {
        self.containers.iter_mut().for_each(|container| container.limit_angular_velocity(time));
        self.colliders.iter_mut().for_each(|record| record.limit_angular_velocity(time));
    }

    /// Sets the motions of attached colliders to those of their host bodies in the next `time`
    /// seconds, and the loads on host bodies to 0.
    pub(crate) fn begin_tick(&mut self, time: f32) {
        let Self { colliders, host_bodies, contacts_outdated, .. } = self;
        if host_bodies.is_empty() {
            return;
        }
        host_bodies.iter_mut().for_each(HostBodyRecord::begin_tick);
        for record in colliders.iter_mut() {
            if let Some(attachment) = &record.options.attachment
                && let Some(body) = host_bodies.find(attachment.body)
            {
                let old_motion = record.motion;
                record.set_motion_towards(body.predicted_pose(attachment, time), time);
                *contacts_outdated |= record.motion != old_motion;
            }
        }
    }

    /// Adds an impulse of the liquid at a point to the loads on a collider and on the host body
    /// that carries it. The impulse has already changed their motions.
    pub(crate) fn add_reaction(
        &mut self,
        collider: usize,
        host: Option<usize>,
        point: Vec2,
        impulse: Vec2,
    ) {
        let record = &mut self.colliders[collider];
        let lever = (point - record.centre()).as_dvec2();
        record.add_reaction(impulse.as_dvec2(), lever.perp_dot(impulse.as_dvec2()));
        if let Some(host) = host {
            self.host_bodies[host].add_reaction(point, impulse.as_dvec2(), 0.0);
        }
    }

    /// Adds an impulse of the air to a body or to the host body `host`, and to the load on one of its colliders. A
    /// sleeping body ignores a push that changes its speed by less than [`BodyResponse::least_change`]. Returns whether
    /// the body woke.
    pub(crate) fn push_body(
        &mut self,
        collider: usize,
        host: Option<usize>,
        impulse: DVec2,
        angular_impulse: f64,
        response: BodyResponse,
    ) -> bool {
        let record = &mut self.colliders[collider];
        let BodyResponse { inverse_mass, inverse_inertia, least_change } = response;
        let velocity = impulse.as_vec2() * inverse_mass;
        let mut spin = angular_impulse as f32 * inverse_inertia;
        let radius = record.bounding_radius();
        let asleep = record.is_sleeping();
        if asleep && velocity.length().max((spin * radius).abs()) < least_change {
            return false;
        }
        let motion = match host {
            Some(host) => {
                let body = &mut self.host_bodies[host].body;
                let lever = (record.centre() - body.pose.translation).as_dvec2();
                spin += lever.perp_dot(impulse) as f32 * inverse_inertia;
                &mut body.motion
            }
            None => record.motion_mut(),
        };
        let pushed = Motion {
            velocity: motion.velocity + velocity,
            angular_velocity: motion.angular_velocity + spin,
        };
        if pushed.validate().is_err() {
            return false;
        }
        *motion = pushed;
        record.add_reaction(impulse, angular_impulse);
        if let Some(host) = host {
            self.host_bodies[host].add_reaction(record.centre(), impulse, angular_impulse);
        }
        if asleep {
            self.update_record(collider, ColliderRecord::wake);
        }
        asleep
    }

    /// Sets the loads on all colliders to 0 before a tick, except those of sleeping bodies.
    pub(crate) fn reset_loads(&mut self) {
        self.colliders.iter_mut().for_each(ColliderRecord::reset_load);
    }

    /// Moves all containers and colliders by `time` seconds, which are `time_units` T0.
    pub(crate) fn advance(&mut self, time: f32, time_units: f32) {
        self.max_rotation = 0.0;
        self.advance_containers(time, time_units);
        self.advance_colliders(time, |_| true);
        self.shorten_body_paths();
    }

    /// Moves only the bodies.
    pub(crate) fn advance_bodies(&mut self, time: f32) {
        self.max_rotation = 0.0;
        self.advance_colliders(time, |collider| collider.is_body());
        self.shorten_body_paths();
    }

    /// Moves everything except the bodies, after [`advance_bodies`](Self::advance_bodies).
    pub(crate) fn advance_others(&mut self, time: f32, time_units: f32) {
        self.advance_containers(time, time_units);
        self.advance_colliders(time, |collider| !collider.is_body());
    }

    /// Moves the containers and the host bodies, and continues the easing of colliders.
    fn advance_containers(&mut self, time: f32, time_units: f32) {
        let Self { containers, colliders, boxes, host_bodies, counts, .. } = self;
        for mover in boxes.movers() {
            if colliders[mover].bears_load() {
                colliders[mover].lose_memory(time_units);
            }
        }
        if counts.fading_in > 0 {
            for record in colliders.iter_mut().filter(|record| record.is_fading_in()) {
                record.continue_fade_in(time_units);
                counts.fading_in -= usize::from(!record.is_fading_in());
            }
        }
        containers.iter_mut().for_each(|container| container.advance(time));
        host_bodies.iter_mut().for_each(|body| body.advance(time));
    }

    /// Moves the colliders for which `filter` returns `true`.
    fn advance_colliders(&mut self, time: f32, filter: impl Fn(&ColliderRecord) -> bool) {
        let Self { colliders, host_bodies, boxes, max_rotation, .. } = self;
        boxes.advance(colliders, |record| {
            if !filter(record) {
                return;
            }
            if let Some(attachment) = &record.options.attachment {
                let body = host_bodies.find(attachment.body);
                // Colliders of a removed body stay where they are.
                let target = body.map_or(record.pose, |body| body.pose_of(attachment));
                record.advance_to(target, time);
            } else {
                record.advance(time);
            }
            *max_rotation = max_rotation.max(record.rotation_change());
        });
    }
}

// Buried colliders: tiles of a level that other tiles surround on all sides.
//
// For a particle outside, a buried collider always lies behind another one, so it never acts.
// Searches skip it, because its walls would be hidden anyway.

/// Thickness of the solid that must cover each side of a buried collider, as a fraction of half its
/// width or height.
const MIN_COVER_FRACTION: f32 = 0.5;

/// Finds the buried colliders: rectangles each of whose sides lies within another rectangle. That
/// rectangle must stop the same classes and reach beyond the side by [`MIN_COVER_FRACTION`].
/// Rounding errors are allowed for, if they are smaller than `seam_gap`.
pub(crate) fn find_buried(
    colliders: &[ColliderRecord],
    boxes: &ColliderBoxes,
    seam_gap: f32,
) -> Vec<bool> {
    (0..colliders.len()).map(|index| is_buried(index, colliders, boxes, seam_gap)).collect()
}

fn is_buried(
    index: usize,
    colliders: &[ColliderRecord],
    boxes: &ColliderBoxes,
    seam_gap: f32,
) -> bool {
    let rectangle = |index| standing_rectangle(index, colliders, boxes);
    let Some(half_size) = rectangle(index) else { return false };
    let (tile, slack) = (&colliders[index], colliders[index].slack());
    if slack > seam_gap {
        return false;
    }
    [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y].into_iter().all(|outward| {
        let along = outward.perp() * half_size;
        let depths = [1.0, 1.0 + MIN_COVER_FRACTION].map(|depth| outward * half_size * depth);
        let cover = depths.map(|side| [side - along, side + along]);
        let corners = cover.map(|side| side.map(|corner| tile.pose.to_world(corner)));
        let mut covered = false;
        boxes.visit(boxes[index], |other| {
            let other = other as usize;
            covered = other != index
                && colliders[other].stopped_classes() == tile.stopped_classes()
                && rectangle(other).is_some_and(|half_size| {
                    let within = |corner: &Vec2| {
                        let local = colliders[other].pose.to_local(*corner);
                        local.abs().cmple(half_size + slack).all()
                    };
                    corners.as_flattened().iter().all(within)
                });
            covered
        });
        covered
    })
}

/// Half of the width and height of a collider that is a solid rectangle and has never moved.
fn standing_rectangle(
    index: usize,
    colliders: &[ColliderRecord],
    boxes: &ColliderBoxes,
) -> Option<Vec2> {
    let collider = &colliders[index];
    let options = &collider.options;
    let solid = !(options.inside_out || options.one_way || boxes.is_mover(index));
    match collider.shape {
        FluidShape::Rectangle { half_size } if solid => Some(half_size),
        _ => None,
    }
}

// The impulses of the liquid on colliders within a pass, collected for each chunk of particles.

/// Impulse on one collider, from one chunk of particles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColliderImpulse {
    pub collider: u32,
    pub impulse: DVec2,
    /// About the collider's centre.
    pub angular_impulse: f64,
}

/// Impulses on colliders, from the particles of one chunk.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkLoads(Vec<ColliderImpulse>);

impl ChunkLoads {
    /// The impulses, at most one for each collider.
    pub(crate) fn list(&self) -> &[ColliderImpulse] {
        &self.0
    }

    /// Adds the reaction to the impulse `impulse_on_liquid`, which the `collider` with this `index`
    /// exerts on the liquid at a `point`.
    pub(crate) fn add(
        &mut self,
        index: u32,
        collider: &Collider,
        point: Vec2,
        impulse_on_liquid: Vec2,
    ) {
        let impulse = -impulse_on_liquid.as_dvec2();
        let angular_impulse = (point - collider.centre()).as_dvec2().perp_dot(impulse);
        match self.0.iter_mut().find(|push| push.collider == index) {
            Some(push) => {
                push.impulse += impulse;
                push.angular_impulse += angular_impulse;
            }
            None => self.0.push(ColliderImpulse { collider: index, impulse, angular_impulse }),
        }
    }
}

/// The impulses of a pass on all colliders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loads {
    /// For each chunk of particles, its impulses.
    pub chunks: Vec<ChunkLoads>,
}

impl Loads {
    /// Prepares an empty list for each chunk of a pass.
    pub(crate) fn begin_pass(&mut self, chunks: usize) {
        self.chunks.resize_with(chunks, ChunkLoads::default);
        self.chunks.iter_mut().for_each(|chunk| chunk.0.clear());
    }

    /// Adds the impulses of a pass to the colliders, in the order of the chunks.
    pub(crate) fn end_pass(&self, solids: &mut Solids) {
        for push in self.chunks.iter().flat_map(|chunk| &chunk.0) {
            solids.colliders[push.collider as usize]
                .add_impulse(push.impulse, push.angular_impulse);
        }
    }
}

// Discs around particles that contain no walls. While a particle stays inside its disc, passes need
// not search for walls near it.

/// A disc without walls of solids that stand still and act on the particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeDisc {
    pub centre: Vec2,
    /// In world units; 0 if it is unknown.
    pub radius: f32,
}

impl FreeDisc {
    /// An unknown disc.
    pub(crate) const UNKNOWN: Self = Self { centre: Vec2::ZERO, radius: 0.0 };
}

/// The free disc of each particle, computed with the densities. The discs are valid until the
/// particles are sorted again.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeDiscs {
    discs: Vec<FreeDisc>,
    are_valid: bool,
    /// Distance from a wall, in world units, within which rounding may move a particle beyond it.
    slack: f32,
}

impl FreeDiscs {
    /// Invalidates the discs. Call it when walls, classes of particles or the order of particles change.
    pub(crate) fn invalidate(&mut self) {
        self.are_valid = false;
    }

    /// Begins to compute the discs. They save time only if there are colliders that have never moved, and are invalid if
    /// a particle may change to another container. Returns one disc for each particle, and whether
    /// the caller must compute them.
    pub(crate) fn prepare(&mut self, particles: usize, solids: &Solids) -> (&mut [FreeDisc], bool) {
        let slacks = solids.containers.iter().map(Container::slack);
        let slacks = slacks.chain(solids.colliders.iter().map(|collider| collider.slack()));
        self.slack = 2.0 * slacks.fold(0.0, f32::max);
        self.discs.resize(particles, FreeDisc::UNKNOWN);
        let any_stands = solids.colliders.len() > solids.boxes.movers().len();
        self.are_valid = any_stands && solids.containers.len() <= 1;
        (&mut self.discs, self.are_valid)
    }

    /// The discs of some of `count` particles, if they are known and containers stand still.
    fn discs_of(&self, range: Range<usize>, count: usize, solids: &Solids) -> Option<&[FreeDisc]> {
        let are_static =
            solids.containers.iter().all(|container| container.previous_pose == container.pose);
        (self.are_valid && self.discs.len() == count && are_static).then(|| &self.discs[range])
    }

    /// Finds the particles of a chunk that may come within `reach` of a wall on their paths, which
    /// `ends` gives. `count` is the number of all particles.
    #[inline]
    pub(crate) fn find_exposed(
        &self,
        chunk: Range<usize>,
        count: usize,
        solids: &Solids,
        reach: f32,
        ends: [&[Vec2]; 2],
    ) -> ExposedParticles {
        let Some(discs) = self.discs_of(chunk, count, solids) else { return ExposedParticles::ALL };
        let is_mover_near = |part: Range<usize>| {
            let [one, other] = ends.map(|end| FluidBounds::of(&end[part.clone()]));
            solids.is_mover_near(one.union(other), reach)
        };
        let movers = solids.boxes.any_mover() && is_mover_near(0..discs.len());
        let margin = reach + self.slack;
        let mut exposed = ExposedParticles { groups: [0; CHUNK / GROUP] };
        for (group, range) in exposed.groups.iter_mut().zip(parts(0..discs.len(), GROUP)) {
            if movers && is_mover_near(range.clone()) {
                *group = u16::MAX;
                continue;
            }
            let mut is_inside = [0; GROUP];
            let ends = ends[0][range.clone()].iter().zip(&ends[1][range.clone()]);
            for ((is_inside, disc), (one, other)) in
                is_inside.iter_mut().zip(&discs[range]).zip(ends)
            {
                let free = (disc.radius - margin).max(0.0);
                let is_within = |end: &Vec2| (*end - disc.centre).length_squared() < free * free;
                *is_inside = u16::from(is_within(one) & is_within(other));
            }
            let inside_bits = is_inside
                .iter()
                .enumerate()
                .fold(0, |all, (bit, is_inside)| all | is_inside << bit);
            *group = !inside_bits;
        }
        exposed
    }
}

/// Which particles of a chunk may be near a wall: for each group, one bit for each particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExposedParticles {
    groups: [u16; CHUNK / GROUP],
}

impl ExposedParticles {
    /// All particles.
    pub(crate) const ALL: Self = Self { groups: [u16::MAX; CHUNK / GROUP] };

    /// Whether any particle of the group that begins at this offset in the chunk is exposed.
    #[inline]
    pub(crate) fn any_in_group(&self, start: usize) -> bool {
        self.groups[start / GROUP] != 0
    }

    /// Whether the particle at this offset in the chunk is exposed.
    #[inline]
    pub(crate) fn contains(&self, offset: usize) -> bool {
        self.groups[offset / GROUP] >> (offset % GROUP) & 1 != 0
    }
}

impl Solids {
    /// Whether a collider that has ever moved may be within `reach` of paths inside a box.
    fn is_mover_near(&self, bounds: FluidBounds, reach: f32) -> bool {
        self.boxes.any_mover_intersects(self.search_bounds(bounds, reach))
    }
}

// Serialization of containers, colliders and host bodies.

#[cfg(feature = "snapshot")]
impl Stored for Solids {
    fn store(&self, to: &mut Writer) {
        let Self {
            containers,
            colliders,
            host_bodies,
            boxes,
            buried: _,
            counts: _,
            walls_revision: _,
            cached_contacts,
            contacts_outdated,
            // Five lengths that `set_scale` derives from the parameters.
            jump_depth: _,
            seam_gap: _,
            core_depth: _,
            min_curvature_radius: _,
            skin: _,
            max_rotation,
        } = self;
        containers.store(to);
        colliders.store(to);
        host_bodies.store(to);
        boxes.movers().map(|index| index as u32).collect::<Vec<u32>>().store(to);
        cached_contacts.store(to);
        contacts_outdated.store(to);
        max_rotation.store_numbers(to);
    }

    /// After loading, `set_scale` and `set_classes` must be called.
    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let containers = Stored::load(from)?;
        let colliders: Slots<_, ColliderRecord> = Stored::load(from)?;
        let host_bodies = Stored::load(from)?;
        let movers: Vec<u32> = Stored::load(from)?;
        let count = colliders.len();
        let are_sorted = movers.windows(2).all(|pair| pair[0] < pair[1]);
        ensure(are_sorted && movers.iter().all(|index| (*index as usize) < count), "movers")?;
        let is_static = |index: usize| movers.binary_search(&(index as u32)).is_err();
        let under_way = |(index, record): (usize, &ColliderRecord)| {
            is_static(index) && record.will_change_pose()
        };
        ensure(!colliders.iter().enumerate().any(under_way), "a collider that stands moves")?;
        let cached_contacts: Vec<CachedContact> = Stored::load(from)?;
        let is_valid =
            |CachedContact { key, .. }: &CachedContact| key.body < count && key.other <= count;
        ensure(cached_contacts.iter().all(is_valid), "a contact of an unknown body")?;
        let contacts_outdated = Stored::load(from)?;
        let max_rotation = Numbers::load_within(Limits::between(0.0, f32::INFINITY), from)?;
        let mut counts = ColliderCounts::default();
        colliders.iter().for_each(|record| counts.add(record));
        Ok(Self {
            containers,
            boxes: ColliderBoxes::from_colliders(&colliders, movers),
            colliders,
            host_bodies,
            counts,
            walls_revision: Revision::default(),
            cached_contacts,
            contacts_outdated,
            max_rotation,
            ..Self::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClassFilter, ColliderOptions};

    const SIDE: u32 = 5;

    fn tile(column: u32, row: u32) -> Collider {
        let centre = Vec2::new(column as f32, row as f32) * 8.0 + 1000.0;
        Collider::rectangle(centre, Vec2::splat(4.0)).expect("valid")
    }

    fn square() -> Solids {
        let mut solids = Solids::default();
        solids.set_scale(30.0, 8.0);
        for number in 0..SIDE * SIDE {
            let tile = tile(number % SIDE, number / SIDE);
            solids.insert_collider(tile, 1.0, &ClassTable::default());
        }
        solids
    }

    fn buried(solids: &Solids) -> Vec<usize> {
        (0..solids.colliders.len()).filter(|index| solids.is_buried(*index)).collect()
    }

    #[test]
    fn tiles_with_tiles_on_all_sides_are_buried() {
        let mut solids = square();
        assert_eq!(buried(&solids), [6, 7, 8, 11, 12, 13, 16, 17, 18]);
        // A tile that moves, is removed or lets a class pass covers no other tile.
        solids.set_motion(2, Motion { velocity: Vec2::X, ..Motion::STILL });
        assert_eq!(buried(&solids), [6, 8, 11, 12, 13, 16, 17, 18]);
        let options =
            ColliderOptions { classes: ClassFilter::ALL.without(ClassId(0)), ..Default::default() };
        let membrane = tile(4, 3).with_options(options).expect("valid");
        solids.replace_collider(19, membrane, 1.0, &ClassTable::default());
        assert_eq!(buried(&solids), [6, 8, 11, 12, 13, 16, 17]);
        solids.remove_collider(2);
        assert_eq!(buried(&solids), [5, 7, 10, 11, 12, 15, 16]);
        solids.remove_collider(8);
        assert_eq!(buried(&solids), [5, 9, 10, 11, 14, 15]);
        solids.clear_colliders();
        assert!(buried(&solids).is_empty());
    }

    #[test]
    fn tiles_in_the_same_place_do_not_bury_each_other() {
        let mut solids = Solids::default();
        solids.set_scale(30.0, 8.0);
        for _ in 0..3 {
            solids.insert_collider(tile(0, 0), 1.0, &ClassTable::default());
        }
        assert!(buried(&solids).is_empty());
    }
}
