//! Reading and changing the paint of particles.

use crate::particles::arrays::Particles;
use crate::particles::id::ParticleId;
use crate::settings::class_table::ClassTable;

impl Particles {
    /// The paint of the particle at an index: red, green and blue, linear, 0 to 1. `None` if no class
    /// takes [paint](crate::FluidPaint), and beyond the last particle.
    pub fn paint(&self, index: usize) -> Option<[f32; 3]> {
        self.paints.amounts.get(index).map(|amounts| self.paints.mixing.color_of(*amounts))
    }

    /// What is mixed of each particle's paint; empty if no class takes [paint](crate::FluidPaint). When
    /// neighbours exchange paint, the sum stays the same. It is the colour itself, or as
    /// [pigments](crate::PaintMixing::Pigments) the ratio of absorption to scattering in each of three
    /// bands of light.
    pub fn paint_amounts(&self) -> &[[f32; 3]] {
        &self.paints.amounts
    }

    /// Paints the particle at an index: red, green and blue, linear. Numbers beyond 0 and 1 are cut, and
    /// a particle with one that is NaN is quarantined. It has no effect if no class takes
    /// [paint](crate::FluidPaint), and beyond the last particle.
    pub fn set_paint(&mut self, index: usize, color: [f32; 3]) {
        self.paints.mix_in(index, color, 1.0);
    }

    /// Gives a new particle the paint that it had before it was saved, to the bit.
    pub(crate) fn bring_back_paint(&mut self, id: ParticleId, saved: Option<[f32; 3]>) {
        let Some(index) = self.index_of(id) else { return };
        if let (Some(amounts), Some(saved)) = (self.paints.amounts.get_mut(index), saved) {
            *amounts = saved;
        }
    }

    /// Gives every particle the paint of its class, or takes it from all, as the classes want.
    pub(crate) fn follow_paint_of(&mut self, classes: &ClassTable) {
        if !classes.take_paint() {
            self.paints.amounts.clear();
            return;
        }
        self.paints.rests = false;
        self.paints.begin();
        for class in &self.class[self.paints.amounts.len()..] {
            let amounts = self.paints.mixing.amounts_of(classes.paint_of_new(*class));
            self.paints.amounts.push(amounts);
        }
    }

    /// Whether each particle has paint, if these classes take any, and otherwise none has.
    #[cfg(feature = "snapshot")]
    pub(crate) fn has_paint_for(&self, classes: &ClassTable) -> bool {
        self.paints.amounts.len() == if classes.take_paint() { self.len() } else { 0 }
    }
}
