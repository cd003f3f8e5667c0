//! Methods that insert, change and remove host bodies.

use crate::boundary::host_body::{CarriedBody, HostBody, HostBodyId};
use crate::boundary::load::Load;
use crate::geometry::motion::Motion;
use crate::liquid::state::Liquid;
use crate::settings::range::OutOfRange;

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
        Ok(self.boundary.host_bodies.insert(CarriedBody::new(body)))
    }

    /// Replaces a host body, and keeps its load; returns `false` if it was removed. In the next
    /// substep the colliders that it carries move to where it is.
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

    /// Removes a host body and returns it; `None` if it was already removed. The colliders that it
    /// carried stay where they are.
    pub fn remove_host_body(&mut self, id: HostBodyId) -> Option<HostBody> {
        let index = self.boundary.host_bodies.index_of(id)?;
        Some(self.boundary.host_bodies.remove(index).body)
    }

    /// The liquid's load on the colliders of a host body in the last tick, about its centre of mass;
    /// `None` if the body was removed. While a change is [eased in](Self::ease_in), what would make the body
    /// faster than liquid may become is no part of it.
    pub fn host_body_load(&self, id: HostBodyId) -> Option<Load> {
        self.boundary.host_bodies.find(id).map(CarriedBody::load)
    }
}
