//! Methods that paint particles.

use glam::Vec2;

use crate::geometry::region::FluidRegion;
use crate::liquid::state::Liquid;
use crate::particles::id::ParticleId;
use crate::particles::life::ParticleTag;
use crate::settings::class::ClassId;
use crate::settings::class_filter::ClassFilter;
use crate::settings::paint::check_paint;
use crate::settings::range::{Check, OutOfRange};

/// Methods that paint particles. They paint only particles of classes that take [paint](crate::FluidPaint).
/// Colours are red, green and blue, linear, 0 to 1. Liquid that sleeps sleeps on, and exchanges its new
/// paint.
impl Liquid {
    /// Whether no paint changes until something moves or is painted; also if no class takes paint.
    pub fn paint_rests(&self) -> bool {
        !self.particles.paints.goes_on()
    }

    /// Paints a particle; returns `false` if it is dead, or if its class takes no paint.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number that is not within 0 to 1.
    pub fn set_paint(&mut self, id: ParticleId, color: [f32; 3]) -> Result<bool, OutOfRange> {
        check_paint("particle", color)?;
        let Some(index) = self.particles.index_of(id) else { return Ok(false) };
        Ok(self.mix_in_at([index].into_iter(), color, 1.0) > 0)
    }

    /// Paints all particles for which `chosen(position, class)` returns `true`, and returns how many it
    /// painted.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number that is not within 0 to 1.
    pub fn paint_where(
        &mut self,
        color: [f32; 3],
        mut chosen: impl FnMut(Vec2, ClassId) -> bool,
    ) -> Result<usize, OutOfRange> {
        check_paint("particle", color)?;
        let particles = &self.particles;
        let indices: Vec<usize> = (0..particles.len())
            .filter(|index| chosen(particles.position[*index], particles.class[*index]))
            .collect();
        Ok(self.mix_in_at(indices.into_iter(), color, 1.0))
    }

    /// Paints all particles with a tag, and returns how many it painted.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number that is not within 0 to 1.
    pub fn paint_tagged(&mut self, tag: ParticleTag, color: [f32; 3]) -> Result<usize, OutOfRange> {
        check_paint("particle", color)?;
        let particles = &self.particles;
        let indices: Vec<usize> =
            (0..particles.len()).filter(|index| particles.tag_at(*index) == tag).collect();
        Ok(self.mix_in_at(indices.into_iter(), color, 1.0))
    }

    /// Paints the particles of some classes in a region, and returns how many. A share of 1 covers what
    /// they had, and a smaller one mixes that much of the colour into it, as a brush does.
    ///
    /// ```
    /// use blob_fluid::{
    ///     ClassFilter, ClassTable, DensityClass, FluidPaint, FluidRegion, FluidWorld, ParticleSpawn, ClassId,
    /// };
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let paint = Some(FluidPaint::default());
    /// let class = DensityClass { name: "paint".into(), paint, ..Default::default() };
    /// world.set_classes(ClassTable::new(vec![class])?)?;
    /// for x in [0.0, 100.0] {
    ///     let position = Vec2::new(x, 0.0);
    ///     world.spawn(ParticleSpawn { position, class: ClassId(0), ..Default::default() })?;
    /// }
    /// let here = FluidRegion::circle(Vec2::ZERO, 20.0)?;
    /// assert_eq!(world.paint_in(&here, ClassFilter::ALL, [0.0, 0.0, 1.0], 1.0)?, 1);
    /// assert_eq!(world.mean_paint(&here, ClassFilter::ALL), Some([0.0, 0.0, 1.0]));
    /// assert_eq!(world.particles().paint(1), Some([1.0; 3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number, or a share, that is not within 0 to 1.
    pub fn paint_in(
        &mut self,
        region: &FluidRegion,
        classes: ClassFilter,
        color: [f32; 3],
        share: f32,
    ) -> Result<usize, OutOfRange> {
        check_paint("particle", color)?;
        Check("particle").that((0.0..=1.0).contains(&share), "share", share, "0 to 1")?;
        let mut indices = Vec::new();
        self.for_each_in(region, classes, |index| indices.push(index));
        Ok(self.mix_in_at(indices.into_iter(), color, share))
    }

    /// Mixes a share of a colour into particles, and returns how many take paint.
    fn mix_in_at(
        &mut self,
        indices: impl Iterator<Item = usize>,
        color: [f32; 3],
        share: f32,
    ) -> usize {
        let Self { particles, classes, .. } = self;
        let mut painted = 0;
        for index in indices {
            let class = classes.get(particles.class[index]);
            if class.is_some_and(|class| class.paint.is_some()) {
                particles.paints.mix_in(index, color, share);
                painted += 1;
            }
        }
        painted
    }
}
