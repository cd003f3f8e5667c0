//! Methods that insert, change, move and remove containers and colliders one by one.

use glam::Vec2;

use crate::boundary::body::HostBodyRecord;
use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::container::container_of;
use crate::{
    Collider, ColliderId, Container, ContainerId, FluidBounds, HostBody, HostBodyId, Liquid, Load,
    Motion, OutOfRange, Pose,
};

/// Methods for containers, which hold the liquid. Without containers, the liquid is not bounded.
impl Liquid {
    /// All containers and their handles, in the order of insertion.
    pub fn containers(
        &self,
    ) -> impl ExactSizeIterator<Item = (ContainerId, &Container)> + DoubleEndedIterator + Clone
    {
        self.boundary.containers.entries()
    }

    /// The container of a handle; `None` if it was removed.
    pub fn container(&self, id: ContainerId) -> Option<&Container> {
        self.boundary.containers.find(id)
    }

    /// Adds a container after all other containers. The container has an effect from the next pass on. Liquid outside
    /// of the container is moved inside, and spreads there [gently](Self::ease_in). Liquid that a container moves
    /// beyond the world's [reach](Self::reach) is quarantined.
    ///
    /// ```
    /// use blob_fluid::{Container, FluidWorld};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let jar = world.insert_container(Container::circle(Vec2::ZERO, 100.0)?);
    /// assert!(world.move_container(jar, Vec2::new(5.0, 0.0), Vec2::X)?);
    /// assert_eq!(world.container(jar).map(Container::centre), Some(Vec2::new(5.0, 0.0)));
    /// assert!(world.remove_container(jar).is_some());
    /// assert!(world.container(jar).is_none() && !world.move_container(jar, Vec2::ZERO, Vec2::X)?);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn insert_container(&mut self, container: Container) -> ContainerId {
        let swept = container.swept_bounds();
        let id = self.boundary.containers.insert(container);
        self.boundary.walls_revision.renew();
        self.boundary.contacts_outdated = true;
        self.wake_held([swept]);
        self.ease_in_outside();
        id
    }

    /// Replaces a container; returns `false` if it was removed. If the new container moves, its motion starts at its
    /// new pose. Liquid outside of the container is moved inside, and spreads there [gently](Self::ease_in).
    pub fn set_container(&mut self, id: ContainerId, container: Container) -> bool {
        let Some(index) = self.boundary.containers.index_of(id) else { return false };
        let before = &mut self.boundary.containers[index];
        if *before != container {
            let swept = [before.swept_bounds(), container.swept_bounds()];
            let jumps = (&before.shape, before.pose) != (&container.shape, container.pose);
            *before = container;
            self.boundary.walls_revision.renew();
            self.boundary.contacts_outdated = true;
            self.wake_held(swept);
            if jumps {
                self.ease_in_outside();
            }
        }
        true
    }

    /// Moves a container immediately to another pose, where it is at rest; returns `false` if it was removed. The
    /// liquid does not move with the container. The next step moves liquid outside of the container back inside.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Solid::with_pose`](crate::Solid::with_pose). Then the container keeps its
    /// pose.
    pub fn move_container(
        &mut self,
        id: ContainerId,
        centre: Vec2,
        rotation: Vec2,
    ) -> Result<bool, OutOfRange> {
        let Some(container) = self.container(id) else { return Ok(false) };
        let moved = container.clone().with_named_pose(Pose::new(centre, rotation), "centre")?;
        Ok(self.set_container(id, moved))
    }

    /// Sets the motion of a container, which carries the liquid along until the motion is changed.
    /// Returns `false` if the container was removed.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Motion::validate`]. Then the container keeps its motion.
    pub fn set_container_motion(
        &mut self,
        id: ContainerId,
        motion: Motion,
    ) -> Result<bool, OutOfRange> {
        motion.validate()?;
        let Some(container) = self.container(id) else { return Ok(false) };
        let moving = Container { motion, ..container.clone() };
        Ok(self.set_container(id, moving))
    }

    /// Removes a container and returns it; `None` if it was already removed. The liquid in it
    /// stays.
    pub fn remove_container(&mut self, id: ContainerId) -> Option<Container> {
        let index = self.boundary.containers.index_of(id)?;
        let swept = self.boundary.containers[index].swept_bounds();
        self.wake_held([swept]);
        let removed = self.boundary.containers.remove(index);
        self.boundary.walls_revision.renew();
        self.ease_in_outside();
        Some(removed)
    }

    /// Removes all containers. Their handles become invalid.
    pub fn clear_containers(&mut self) {
        if !self.boundary.containers.is_empty() {
            self.sleep.everywhere = true;
            self.boundary.containers.clear();
            self.boundary.walls_revision.renew();
        }
    }

    /// Removes the particles that belong to a container, and returns their number; 0 if the
    /// container was removed.
    pub fn despawn_in_container(&mut self, id: ContainerId) -> usize {
        let Some(holder) = self.boundary.containers.index_of(id) else { return 0 };
        let swept = self.boundary.containers[holder].swept_bounds();
        self.wake_held([swept]);
        let Self { particles, boundary, sleep, .. } = self;
        let containers = &*boundary.containers;
        particles.remove_where(|all, index| {
            let position = all.position[index];
            let home = container_of(containers, position);
            let dies = home.is_some_and(|home| std::ptr::eq(home, &containers[holder]));
            // A particle outside of the container may belong to it.
            if dies && !swept.contains(position) {
                sleep.disturb(position);
            }
            dies
        })
    }

    /// Wakes the liquid that belongs to a container or touches it. `swept` are boxes around the
    /// regions that the container sweeps over.
    fn wake_held<const COUNT: usize>(&mut self, swept: [FluidBounds; COUNT]) {
        if self.boundary.containers.len() == 1 {
            self.sleep.everywhere = true;
        } else {
            swept.into_iter().for_each(|bounds| self.sleep.disturb_all_in(bounds));
        }
    }
}

/// Methods for colliders, which the liquid cannot enter.
impl Liquid {
    /// All colliders and their handles, in the order of insertion.
    pub fn colliders(
        &self,
    ) -> impl ExactSizeIterator<Item = (ColliderId, &Collider)> + DoubleEndedIterator + Clone {
        self.boundary.colliders.entries().map(|(id, record)| (id, &**record))
    }

    /// The collider of a handle; `None` if it was removed.
    pub fn collider(&self, id: ColliderId) -> Option<&Collider> {
        self.boundary.colliders.find(id).map(|record| &**record)
    }

    /// Adds a collider after all other colliders. The collider has an effect from the next pass on. Only liquid around
    /// the collider wakes. Other colliders do not change.
    ///
    /// ```
    /// use blob_fluid::{Collider, FluidWorld, Motion, SerialExecutor};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let post = world.insert_collider(Collider::circle(Vec2::ZERO, 10.0)?);
    /// let wheel = world.insert_collider(Collider::circle(Vec2::new(50.0, 0.0), 20.0)?);
    /// world.set_collider_motion(wheel, Motion { angular_velocity: 2.0, ..Motion::STILL })?;
    /// assert!(world.remove_collider(post).is_some());
    /// assert!(world.collider(post).is_none() && world.collider(wheel).is_some());
    /// let another = world.insert_collider(Collider::circle(Vec2::ZERO, 10.0)?);
    /// assert_ne!(another, post);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn insert_collider(&mut self, collider: Collider) -> ColliderId {
        self.sleep.disturb_around(collider.swept_bounds());
        let fade_in = self.fade_in_of_new(&collider);
        self.boundary.insert_collider(collider, fade_in, &self.classes)
    }

    /// Replaces a collider; returns `false` if it was removed. If the new collider moves, its motion starts at its new
    /// pose. A different pose or shape counts as a jump: liquid inside the collider moves out gently. A collider of the
    /// same shape, displaced by less than a twentieth of the particle spacing, counts as moved: liquid stays on its
    /// side of the walls.
    pub fn set_collider(&mut self, id: ColliderId, mut collider: Collider) -> bool {
        let Some(index) = self.boundary.colliders.index_of(id) else { return false };
        let before = &self.boundary.colliders[index];
        if **before != collider {
            let jumps = !collider.continue_from(before, self.boundary.seam_gap);
            self.sleep.disturb_around(before.swept_bounds());
            self.sleep.disturb_around(collider.swept_bounds());
            let fade_in = if jumps { self.fade_in_of_new(&collider) } else { before.fade_in() };
            self.boundary.replace_collider(index, collider, fade_in, &self.classes);
        }
        true
    }

    /// Moves a collider immediately to another pose, at rest; returns `false` if it was removed.
    /// Liquid inside it then moves out gently.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Solid::with_pose`](crate::Solid::with_pose). Then the collider keeps its
    /// pose.
    pub fn move_collider(
        &mut self,
        id: ColliderId,
        centre: Vec2,
        rotation: Vec2,
    ) -> Result<bool, OutOfRange> {
        let Some(collider) = self.collider(id) else { return Ok(false) };
        let moved = collider.clone().with_named_pose(Pose::new(centre, rotation), "centre")?;
        Ok(self.set_collider(id, moved))
    }

    /// Sets the motion of a collider, which pushes the liquid until the motion is changed. Returns
    /// `false` if the collider was removed.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Motion::validate`]. Then the collider keeps its motion.
    pub fn set_collider_motion(
        &mut self,
        id: ColliderId,
        motion: Motion,
    ) -> Result<bool, OutOfRange> {
        motion.validate()?;
        let Some(index) = self.boundary.colliders.index_of(id) else { return Ok(false) };
        let collider = &self.boundary.colliders[index];
        if collider.motion != motion {
            self.sleep.disturb_around(collider.swept_bounds());
            self.boundary.set_motion(index, motion);
        }
        Ok(true)
    }

    /// Removes a collider and returns it; `None` if it was already removed.
    pub fn remove_collider(&mut self, id: ColliderId) -> Option<Collider> {
        let index = self.boundary.colliders.index_of(id)?;
        self.sleep.disturb_around(self.boundary.colliders[index].swept_bounds());
        Some(self.boundary.remove_collider(index))
    }

    /// Removes several colliders, and returns how many of them existed. Use it to remove many: its time grows with the
    /// number of all colliders, however many you remove.
    ///
    /// ```
    /// use blob_fluid::{Collider, FluidWorld};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let post = |x| Collider::circle(Vec2::new(x, 0.0), 5.0).expect("valid");
    /// let posts: Vec<_> = (0..9_u8).map(|x| world.insert_collider(post(f32::from(x)))).collect();
    /// assert_eq!(world.remove_colliders(&posts[..6]), 6);
    /// assert_eq!(world.colliders().len(), 3);
    /// ```
    pub fn remove_colliders(&mut self, ids: &[ColliderId]) -> usize {
        let present = ids.iter().filter_map(|id| self.boundary.colliders.index_of(*id));
        let mut indices: Vec<usize> = present.collect();
        indices.sort_unstable();
        indices.dedup();
        for index in &indices {
            self.sleep.disturb_around(self.boundary.colliders[*index].swept_bounds());
        }
        self.boundary.remove_colliders(&indices);
        indices.len()
    }

    /// Removes all colliders. Their handles become invalid.
    pub fn clear_colliders(&mut self) {
        for collider in &*self.boundary.colliders {
            self.sleep.disturb_around(collider.swept_bounds());
        }
        self.boundary.clear_colliders();
    }

    /// Load of the liquid on a collider in the last tick; `None` if the collider was removed. The
    /// load is zero unless the collider is a body or
    /// [`reports_load`](crate::ColliderOptions::reports_load). A sleeping body keeps the load from
    /// the time when it fell asleep.
    pub fn load_on(&self, id: ColliderId) -> Option<Load> {
        self.boundary.colliders.find(id).map(ColliderRecord::load)
    }

    /// Fraction of the liquid's pressure that a collider bears, 0 to 1. This fraction is below 1 for a short time after
    /// the collider has jumped into liquid, so that the liquid moves out gently. `None` if the collider was removed.
    pub fn collider_fade_in(&self, id: ColliderId) -> Option<f32> {
        self.boundary.colliders.find(id).map(ColliderRecord::fade_in)
    }

    /// Fraction of the liquid's pressure that a new or moved collider bears: 0 if liquid is inside
    /// it, otherwise 1.
    fn fade_in_of_new(&self, collider: &Collider) -> f32 {
        let positions = self.particles.positions();
        let jump_depth = self.boundary.jump_depth;
        let mut inside = false;
        self.particles.index().visit(
            |bounds| collider.may_touch(bounds, 0.0),
            |mut run| inside |= run.any(|index| collider.distance(positions[index]) < -jump_depth),
        );
        if inside { 0.0 } else { 1.0 }
    }
}

// Methods that insert, change and remove host bodies.

/// Methods for [host bodies](HostBody), which carry colliders.
impl Liquid {
    /// All host bodies and their handles, in the order of insertion.
    pub fn host_bodies(&self) -> impl ExactSizeIterator<Item = (HostBodyId, &HostBody)> + Clone {
        self.boundary.host_bodies.entries().map(|(id, carried)| (id, &carried.body))
    }

    /// The host body of a handle; `None` if it was removed.
    pub fn host_body(&self, id: HostBodyId) -> Option<&HostBody> {
        self.boundary.host_bodies.find(id).map(|carried| &carried.body)
    }

    /// Adds a host body. Colliders are [attached](crate::Attachment) to it by their options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`HostBody::validate`].
    pub fn insert_host_body(&mut self, body: HostBody) -> Result<HostBodyId, OutOfRange> {
        body.validate()?;
        Ok(self.boundary.host_bodies.insert(HostBodyRecord::new(body)))
    }

    /// Replaces a host body, and keeps its load; returns `false` if it was removed. In the next substep, the
    /// attached colliders move to the new pose.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`HostBody::validate`]. Then the body does not change.
    pub fn set_host_body(&mut self, id: HostBodyId, body: HostBody) -> Result<bool, OutOfRange> {
        body.validate()?;
        let Some(index) = self.boundary.host_bodies.index_of(id) else { return Ok(false) };
        self.boundary.host_bodies[index].body = body;
        Ok(true)
    }

    /// Sets the motion of a host body; returns `false` if it was removed.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Motion::validate`]. Then the body keeps its motion.
    pub fn set_host_body_motion(
        &mut self,
        id: HostBodyId,
        motion: Motion,
    ) -> Result<bool, OutOfRange> {
        let Some(body) = self.host_body(id) else { return Ok(false) };
        self.set_host_body(id, HostBody { motion, ..*body })
    }

    /// Removes a host body and returns it; `None` if it was already removed. The attached colliders stay at their
    /// places.
    pub fn remove_host_body(&mut self, id: HostBodyId) -> Option<HostBody> {
        let index = self.boundary.host_bodies.index_of(id)?;
        Some(self.boundary.host_bodies.remove(index).body)
    }

    /// Load of the liquid on the colliders of a host body in the last tick, about its centre of mass; `None` if the
    /// body was removed. While a change is [eased in](Self::ease_in), the load excludes the part that would accelerate
    /// the body beyond the largest speed that easing in allows.
    pub fn host_body_load(&self, id: HostBodyId) -> Option<Load> {
        self.boundary.host_bodies.find(id).map(HostBodyRecord::load)
    }
}
