//! The classes of a liquid, and which particles belong to them.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::particles::arrays::Particles;
use crate::particles::id::ParticleId;
use crate::particles::spawn::SpawnError;
use crate::settings::class::ClassId;
use crate::settings::class_table::{ClassError, ClassTable};

/// Classes.
impl Liquid {
    /// Classes.
    pub fn classes(&self) -> &ClassTable {
        &self.classes
    }

    /// Changes the classes; they count from the next pass on.
    ///
    /// # Errors
    ///
    /// [`ClassError::InUse`] when living particles belong to a class that the new table lacks; the
    /// old one stays.
    pub fn set_classes(&mut self, classes: ClassTable) -> Result<(), ClassError> {
        let missing = |class: &&ClassId| class.index() >= classes.len();
        if let Some(class) = self.particles.class.iter().find(missing) {
            let particles = self.particles.class.iter().filter(missing).count();
            return Err(ClassError::InUse { class: class.0, particles });
        }
        // Particles that become elastic hold on to those around them.
        for (index, (before, after)) in self.classes.iter().zip(classes.iter()).enumerate() {
            if before.elasticity.is_none() && after.elasticity.is_some() {
                self.particles.mark_new(ClassId(index as u8));
            }
        }
        self.sleep.everywhere |= classes != self.classes;
        self.boundary.set_classes(&classes);
        self.classes = classes;
        Ok(())
    }

    /// Makes a particle another class's, with the velocity and temperature it has; `false` if it
    /// is dead.
    ///
    /// # Errors
    ///
    /// [`SpawnError::UnknownClass`] when there is no such class.
    pub fn set_class(&mut self, id: ParticleId, class: ClassId) -> Result<bool, SpawnError> {
        self.own_temperature(class)?;
        let index = self.particles.index_of(id);
        if let Some(index) = index {
            self.sleep.disturb(self.particles.position[index]);
            self.particles.change_class(index, class);
        }
        Ok(index.is_some())
    }

    /// Makes the particles for which `chosen` holds (given position and class) another class's, and
    /// says how many.
    ///
    /// # Errors
    ///
    /// [`SpawnError::UnknownClass`] when there is no such class.
    pub fn set_class_where(
        &mut self,
        class: ClassId,
        mut chosen: impl FnMut(Vec2, ClassId) -> bool,
    ) -> Result<usize, SpawnError> {
        self.change_classes(class, |all, index| chosen(all.position[index], all.class[index]))
    }

    /// The same, given their indices.
    pub(crate) fn change_classes(
        &mut self,
        class: ClassId,
        mut chosen: impl FnMut(&Particles, usize) -> bool,
    ) -> Result<usize, SpawnError> {
        self.own_temperature(class)?;
        let mut changed = 0;
        for index in 0..self.particles.len() {
            if chosen(&self.particles, index) && self.particles.class[index] != class {
                self.sleep.disturb(self.particles.position[index]);
                self.particles.change_class(index, class);
                changed += 1;
            }
        }
        Ok(changed)
    }

    /// Temperature of a class's new particles, if it has one of its own.
    pub(super) fn own_temperature(&self, class: ClassId) -> Result<Option<f32>, SpawnError> {
        let classes = self.classes.len();
        let known = self.classes.get(class);
        let known = known.ok_or(SpawnError::UnknownClass { class: class.0, classes })?;
        Ok(known.thermal.temperature)
    }
}
