//! Methods for the classes of a liquid, and for changing the classes of particles.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::particles::arrays::Particles;
use crate::particles::id::ParticleId;
use crate::particles::spawn::SpawnError;
use crate::settings::class::ClassId;
use crate::settings::class_table::{ClassError, ClassTable};

/// Methods for classes.
impl Liquid {
    /// The class table.
    pub fn classes(&self) -> &ClassTable {
        &self.classes
    }

    /// Changes the class table. It has an effect from the next pass on. Other masses, rest
    /// densities, stiffnesses and surface tensions of liquid that is there are
    /// [eased in](Self::ease_in), so that it does not burst.
    ///
    /// # Errors
    ///
    /// Returns [`ClassError::InUse`] if living particles belong to a class that the new table
    /// lacks. The old table is kept.
    pub fn set_classes(&mut self, classes: ClassTable) -> Result<(), ClassError> {
        let missing = |class: &&ClassId| class.index() >= classes.len();
        if let Some(class) = self.particles.class.iter().find(missing) {
            let particles = self.particles.class.iter().filter(missing).count();
            return Err(ClassError::InUse { class: class.0, particles });
        }
        if classes == self.classes {
            return Ok(());
        }
        for (index, (before, after)) in self.classes.iter().zip(classes.iter()).enumerate() {
            let class = ClassId(index as u8);
            // Particles of a class that becomes elastic get springs to their neighbours.
            if before.elasticity.is_none() && after.elasticity.is_some() {
                self.particles.mark_new(class);
            }
            // Those of a class that becomes a powder, or is none any more, begin as grains without load.
            if before.powder.is_some() != after.powder.is_some() {
                self.particles.forget_grains_of(class);
            }
        }
        self.sleep.everywhere = true;
        if self.is_upset_by_classes(&classes) {
            self.ease_in();
        }
        self.boundary.set_classes(&classes);
        self.particles.follow_paint_of(&classes);
        self.classes = classes;
        self.settings_revision.renew();
        Ok(())
    }

    /// Changes a particle's class and keeps its velocity and temperature; returns `false` if the
    /// particle is dead.
    ///
    /// # Errors
    ///
    /// Returns [`SpawnError::UnknownClass`] if the table lacks the class.
    pub fn set_class(&mut self, id: ParticleId, class: ClassId) -> Result<bool, SpawnError> {
        self.temperature_of_new(class)?;
        let index = self.particles.index_of(id);
        if let Some(index) = index.filter(|index| self.particles.class[*index] != class) {
            self.change_class(index, class);
        }
        Ok(index.is_some())
    }

    /// Changes the class of the particle at an index to one that the table has, and wakes what is around it.
    pub(crate) fn change_class(&mut self, index: usize, class: ClassId) {
        self.sleep.disturb(self.particles.position[index]);
        self.particles.change_class(index, class);
        self.boundary.walls_revision.renew();
    }

    /// Changes the class of all particles for which `chosen(position, class)` returns `true`, and
    /// returns their number.
    ///
    /// # Errors
    ///
    /// Returns [`SpawnError::UnknownClass`] if the table lacks the class.
    pub fn set_class_where(
        &mut self,
        class: ClassId,
        mut chosen: impl FnMut(Vec2, ClassId) -> bool,
    ) -> Result<usize, SpawnError> {
        self.change_classes(class, |all, index| chosen(all.position[index], all.class[index]))
    }

    /// As [`set_class_where`](Self::set_class_where), but `chosen` gets the particle's index.
    pub(crate) fn change_classes(
        &mut self,
        class: ClassId,
        mut chosen: impl FnMut(&Particles, usize) -> bool,
    ) -> Result<usize, SpawnError> {
        self.temperature_of_new(class)?;
        let mut changed = 0;
        for index in 0..self.particles.len() {
            if chosen(&self.particles, index) && self.particles.class[index] != class {
                self.change_class(index, class);
                changed += 1;
            }
        }
        Ok(changed)
    }

    /// Temperature of a class's new particles; `None` if the class states none.
    pub(crate) fn temperature_of_new(&self, class: ClassId) -> Result<Option<f32>, SpawnError> {
        let classes = self.classes.len();
        let known = self.classes.get(class);
        let known = known.ok_or(SpawnError::UnknownClass { class: class.0, classes })?;
        Ok(known.thermal.temperature)
    }
}
