//! Containers and colliders of a liquid.

use crate::boundary::collider::Collider;
use crate::boundary::container::{Container, container_of};
use crate::boundary::load::Load;
use crate::liquid::state::Liquid;

/// Containers and colliders.
impl Liquid {
    /// Removes the particles that the container at `index` holds, and says how many; none if there
    /// is no such container.
    pub fn despawn_held_by(&mut self, index: usize) -> usize {
        self.particles.has_moved();
        let containers = &self.boundary.containers;
        let Some(holder) = containers.get(index) else {
            return 0;
        };
        self.sleep.everywhere = true;
        self.particles.remove_where(|all, place| {
            let home = container_of(containers, all.position[place]);
            home.is_some_and(|home| std::ptr::eq(home, holder))
        })
    }

    /// Containers. Without any the liquid is free.
    pub fn containers(&self) -> &[Container] {
        &self.boundary.containers
    }

    /// Changes the containers; they count from the next pass on. Those that move do so from where
    /// they are now. Liquid that a container farther away than the world [reaches](Self::reach)
    /// takes along is quarantined.
    pub fn set_containers(&mut self, containers: Vec<Container>) {
        self.sleep.everywhere |= containers != self.boundary.containers;
        self.boundary.containers = containers;
    }

    /// Colliders.
    pub fn colliders(&self) -> &[Collider] {
        &self.boundary.colliders
    }

    /// What the liquid did to the collider at `index` in the last tick; `None` if there is none. All
    /// zero unless the collider is a body or [`feels`](crate::Obstacle::feels).
    pub fn load_on(&self, index: usize) -> Option<Load> {
        let there = index < self.boundary.colliders.len();
        there.then(|| self.loads.of(index).unwrap_or_default())
    }

    /// How much of the liquid's pressure each collider bears, 0 to 1: less than all of it for a
    /// moment after it has jumped into liquid, which comes out gently.
    pub fn collider_presence(&self) -> &[f32] {
        self.boundary.presence()
    }

    /// Changes the colliders; they count from the next pass on. Those that move do so from where
    /// they are now.
    pub fn set_colliders(&mut self, colliders: Vec<Collider>) {
        let before = &self.boundary.colliders;
        for index in 0..before.len().max(colliders.len()) {
            let (before, after) = (before.get(index), colliders.get(index));
            if before != after {
                let places = before.into_iter().chain(after).map(Collider::swept);
                self.sleep.disturbances.extend(places);
            }
        }
        let Self { particles, boundary, classes, .. } = self;
        let positions = &particles.position;
        let deepest = boundary.deepest();
        let jumps_into_liquid = |collider: &Collider| {
            let mut inside = false;
            particles.index().visit(
                |bounds| collider.may_meet(bounds, 0.0),
                |mut run| inside |= run.any(|place| collider.distance(positions[place]) < -deepest),
            );
            inside
        };
        boundary.set_colliders(colliders, classes.iter(), jumps_into_liquid);
    }
}
