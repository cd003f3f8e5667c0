//! All forces of a world.

use std::fmt;
use std::sync::Arc;

use super::{FieldParticles, Force, ForceField, Reach};
use crate::bounds::Bounds;
use crate::range::OutOfRange;
use crate::world::FluidWorld;

/// Forces and force fields, and where they reach.
#[derive(Clone, Default)]
pub(crate) struct Forces {
    list: Vec<Force>,
    /// Of each force.
    reaches: Vec<Reach>,
    fields: Vec<Arc<dyn ForceField>>,
}

impl fmt::Debug for Forces {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.fields.len();
        formatter.debug_struct("Forces").field("list", &self.list).field("fields", &fields).finish()
    }
}

impl Forces {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.fields.is_empty()
    }

    /// Lets all that may reach into a box act on the particles in it.
    pub(crate) fn apply(&self, around: Bounds, particles: &mut FieldParticles<'_>) {
        for (force, reach) in self.list.iter().zip(&self.reaches) {
            if reach.bounds.meets(around) {
                force.apply(*reach, particles);
            }
        }
        for field in &self.fields {
            if field.bounds().meets(around) {
                field.apply(particles);
            }
        }
    }

    /// Boxes around where anything happens to liquid at rest.
    pub(crate) fn restless(&self) -> impl Iterator<Item = Bounds> + '_ {
        let acting = self.list.iter().zip(&self.reaches).filter(|(force, _)| force.acts());
        let fields = self.fields.iter().filter(|field| field.acts_at_rest());
        acting.map(|(_, reach)| reach.bounds).chain(fields.map(|field| field.bounds()))
    }
}

/// Forces.
impl FluidWorld {
    /// Forces.
    pub fn forces(&self) -> &[Force] {
        &self.forces.list
    }

    /// Changes the forces; they count from the next pass on. Liquid at rest that one acts on stays
    /// awake.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] when one is invalid; the old ones stay.
    pub fn set_forces(&mut self, forces: &[Force]) -> Result<(), OutOfRange> {
        forces.iter().try_for_each(Force::validate)?;
        let Forces { list, reaches, .. } = &mut self.forces;
        list.clear();
        list.extend_from_slice(forces);
        reaches.clear();
        reaches.extend(forces.iter().map(Force::reach));
        Ok(())
    }

    /// Forces of the host's own making.
    pub fn force_fields(&self) -> &[Arc<dyn ForceField>] {
        &self.forces.fields
    }

    /// Changes the [force fields](ForceField); they count from the next pass on.
    pub fn set_force_fields(&mut self, fields: Vec<Arc<dyn ForceField>>) {
        self.forces.fields = fields;
    }

    /// Lets a force act once, for as much as it would in a second: its accelerations become
    /// velocities at once. For the time between ticks.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, Force, ParticleSpawn, SerialExecutor};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// world.spawn(ParticleSpawn { position: Vec2::new(5.0, 0.0), ..Default::default() })?;
    /// let explosion = Force::explosion(Vec2::ZERO, 10.0, 400.0)?;
    /// world.apply_impulse(&explosion)?;
    /// assert_eq!(world.particles().velocities(), [Vec2::new(300.0, 0.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] when the force is invalid; nothing is changed then.
    pub fn apply_impulse(&mut self, force: &Force) -> Result<(), OutOfRange> {
        force.validate()?;
        let reach = force.reach();
        if force.acts() {
            self.sleep.disturbances.push(reach.bounds);
        }
        let particles = self.particles_mut();
        force.apply(
            reach,
            &mut FieldParticles {
                positions: &particles.position,
                classes: &particles.class,
                velocities: &mut particles.velocity,
                temperatures: &mut particles.temperature,
                time_step: 1.0,
            },
        );
        Ok(())
    }
}
