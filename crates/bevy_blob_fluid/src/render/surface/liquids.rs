//! Which classes are drawn as one liquid or gas.

use crate::render::look::surface::FluidSurfaceMixing;

/// Largest number of liquids of a surface; further classes share the last.
pub(super) const MAX_LIQUIDS: usize = 16;

/// The classes that have particles, sorted into liquids and gases. Every one has a tile of the
/// field's texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Liquids {
    by_class: [u8; 256],
    /// The class that each liquid takes its look from.
    first: [u8; MAX_LIQUIDS],
    count: usize,
}

impl Liquids {
    /// Sorts classes, given in ascending order, into liquids; `blending` are the pairs for
    /// [`FluidSurfaceMixing::ByPair`]. A gas blends with no liquid.
    pub(super) fn new(
        classes: impl Iterator<Item = u8>,
        blending: &[[u8; 2]],
        mixing: FluidSurfaceMixing,
        is_gas: impl Fn(u8) -> bool,
    ) -> Self {
        let mut present = [false; 256];
        let mut parent: [u8; 256] = std::array::from_fn(|class| class as u8);
        for class in classes {
            present[usize::from(class)] = true;
        }
        if mixing == FluidSurfaceMixing::ByPair {
            for [one, other] in
                blending.iter().filter(|[one, other]| is_gas(*one) == is_gas(*other))
            {
                if present[usize::from(*one)] && present[usize::from(*other)] {
                    let (one, other) = (root(&parent, *one), root(&parent, *other));
                    // The lower class is the root, so that the root of a liquid comes first.
                    parent[usize::from(one.max(other))] = one.min(other);
                }
            }
        }
        let mut liquids = Self { by_class: [0; 256], first: [0; MAX_LIQUIDS], count: 0 };
        for class in (0..=u8::MAX).filter(|class| present[usize::from(*class)]) {
            let root = root(&parent, class);
            let blended = liquids.first_classes().iter().position(|first| {
                mixing == FluidSurfaceMixing::Blended && is_gas(*first) == is_gas(class)
            });
            liquids.by_class[usize::from(class)] = if root != class {
                liquids.by_class[usize::from(root)]
            } else if let Some(liquid) = blended {
                liquid as u8
            } else if liquids.count == MAX_LIQUIDS {
                liquids.count as u8 - 1
            } else {
                liquids.first[liquids.count] = class;
                liquids.count += 1;
                liquids.count as u8 - 1
            };
        }
        liquids
    }

    /// Number of liquids.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The class that each liquid takes its look from.
    pub(super) fn first_classes(&self) -> &[u8] {
        &self.first[..self.count]
    }

    /// Index of the liquid that each class belongs to.
    pub(super) fn indices(&self) -> &[u8; 256] {
        &self.by_class
    }
}

fn root(parent: &[u8; 256], mut class: u8) -> u8 {
    while parent[usize::from(class)] != class {
        class = parent[usize::from(class)];
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(
        classes: &[u8],
        blending: &[[u8; 2]],
        mixing: FluidSurfaceMixing,
    ) -> (Vec<u8>, Vec<u8>) {
        // Those from 100 on are gases.
        let liquids = Liquids::new(classes.iter().copied(), blending, mixing, |class| class >= 100);
        let indices = classes.iter().map(|class| liquids.indices()[usize::from(*class)]).collect();
        (indices, liquids.first_classes().to_vec())
    }

    #[test]
    fn classes_that_blend_are_one_liquid() {
        let pairs = [[7, 2], [9, 7], [3, 4], [9, 200]];
        let mixed = |mixing| sorted(&[2, 3, 7, 9, 200], &pairs, mixing);
        assert_eq!(mixed(FluidSurfaceMixing::ByPair), (vec![0, 1, 0, 0, 2], vec![2, 3, 200]));
        assert_eq!(mixed(FluidSurfaceMixing::Sharp), (vec![0, 1, 2, 3, 4], vec![2, 3, 7, 9, 200]));
        assert_eq!(mixed(FluidSurfaceMixing::Blended), (vec![0, 0, 0, 0, 1], vec![2, 200]));
        assert_eq!(sorted(&[], &pairs, FluidSurfaceMixing::ByPair), (vec![], vec![]));
    }

    #[test]
    fn classes_beyond_the_last_liquid_share_it() {
        let classes: Vec<u8> = (10..40).collect();
        let (indices, first) = sorted(&classes, &[[12, 39]], FluidSurfaceMixing::ByPair);
        assert_eq!(first, (10..26).collect::<Vec<_>>());
        assert_eq!((indices[15], indices[16], indices[28], indices[29]), (15, 15, 15, 2));
    }
}
