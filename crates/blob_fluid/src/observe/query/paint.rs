//! The colour of paint in a region and at a point.

use glam::Vec2;

use crate::geometry::region::FluidRegion;
use crate::liquid::state::Liquid;
use crate::settings::class_filter::ClassFilter;

impl Liquid {
    /// The colour that the paint of some classes in a region has when it is stirred: red, green and blue,
    /// linear. `None` if there is none.
    pub fn mean_paint(&self, region: &FluidRegion, classes: ClassFilter) -> Option<[f32; 3]> {
        let mut amounts = Vec::new();
        self.for_each_in(region, classes, |index| amounts.extend(self.paint_amounts_at(index)));
        self.parameters.paint_mixing.mean_of_amounts(amounts.into_iter())
    }

    /// The colour of the paint at a point: red, green and blue, linear; nearer particles have more weight.
    /// `None` if the point is farther than the interaction radius from all paint, or not finite.
    pub fn paint_at(&self, point: Vec2) -> Option<[f32; 3]> {
        let (mut total, mut sums) = (0.0, [0.0; 3]);
        self.for_each_part(point, ClassFilter::ALL, |index, density, _| {
            if let Some(amounts) = self.paint_amounts_at(index) {
                total += density;
                sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += density * amount);
            }
        });
        let mixing = self.parameters.paint_mixing;
        (total > 0.0).then(|| mixing.color_of(sums.map(|sum| sum / total)))
    }

    /// What is mixed of the paint at an index; `None` if the particle's class takes no paint.
    pub(crate) fn paint_amounts_at(&self, index: usize) -> Option<[f32; 3]> {
        let amounts = self.particles.paints.amounts.get(index)?;
        let class = self.classes.get(self.particles.class[index]);
        class.is_some_and(|class| class.paint.is_some()).then_some(*amounts)
    }
}
