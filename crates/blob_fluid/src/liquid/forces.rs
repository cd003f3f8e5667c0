//! Methods for the forces and force fields of a liquid, and for impulses.

use std::sync::Arc;

use crate::liquid::force::field::{FieldParticles, ForceField};
use crate::liquid::force::forces::Forces;
use crate::liquid::force::region_force::Force;
use crate::liquid::state::Liquid;
use crate::settings::range::OutOfRange;

/// Methods for forces, force fields and impulses.
impl Liquid {
    /// The forces.
    pub fn forces(&self) -> &[Force] {
        &self.forces.list
    }

    /// Changes the forces. They have an effect from the next pass on. Liquid at rest stays awake
    /// while a force acts on it.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] if a force is invalid. The old forces are kept.
    pub fn set_forces(&mut self, forces: &[Force]) -> Result<(), OutOfRange> {
        forces.iter().try_for_each(Force::validate)?;
        let Forces { list, reaches, .. } = &mut self.forces;
        list.clear();
        list.extend_from_slice(forces);
        reaches.clear();
        reaches.extend(forces.iter().map(Force::reach));
        Ok(())
    }

    /// The force fields: forces that the host computes.
    pub fn force_fields(&self) -> &[Arc<dyn ForceField>] {
        &self.forces.fields
    }

    /// Changes the [force fields](ForceField). They have an effect from the next pass on.
    pub fn set_force_fields(&mut self, fields: Vec<Arc<dyn ForceField>>) {
        self.forces.fields = fields;
    }

    /// Applies a force once, with the effect of one second: its accelerations become changes of
    /// velocity. It must be called between ticks.
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
    /// Returns [`OutOfRange`] if the force is invalid. Then nothing is changed.
    pub fn apply_impulse(&mut self, force: &Force) -> Result<(), OutOfRange> {
        force.validate()?;
        let reach = force.reach();
        if force.acts() {
            self.sleep.disturbances.push(reach.bounds);
        }
        let particles = self.particles_mut_in_place();
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
