//! What the passes over pairs share: eight particles side by side against one neighbour.
//!
//! Loops over lanes have no branches, so that compilers turn them into vector instructions. A
//! candidate beyond the interaction radius adds exactly zero, so a particle's result depends
//! neither on its block nor on the width of those instructions.

use std::ops::Range;

use glam::Vec2;

use crate::class::ClassId;
use crate::grid::LANES;
use crate::particle::ParticleId;

/// One number for each particle of a block.
pub(crate) type Lanes = [f32; LANES];

/// One number of each particle in a block; lanes past its end hold those of the particles that
/// follow, or of the last one.
#[inline(always)]
pub(crate) fn gather<T>(particles: &Range<usize>, array: &[T], value: impl Fn(&T) -> f32) -> Lanes {
    let from_block = &array[particles.start..];
    let mut lanes = [0.0; LANES];
    if let Some(eight) = from_block.first_chunk::<LANES>() {
        for (lane, item) in lanes.iter_mut().zip(eight) {
            *lane = value(item);
        }
    } else {
        for (index, lane) in lanes.iter_mut().enumerate() {
            *lane = value(&from_block[index.min(from_block.len() - 1)]);
        }
    }
    lanes
}

/// Classes of a block's particles; lanes past its end hold those of the particles that follow, or of
/// the last one.
#[derive(Clone, Copy)]
pub(crate) struct ClassLanes {
    classes: [u8; LANES],
    all_the_same: bool,
}

impl ClassLanes {
    #[inline(always)]
    pub(crate) fn of(particles: &Range<usize>, classes: &[ClassId]) -> Self {
        let from_block = &classes[particles.start..];
        let classes = match from_block.first_chunk::<LANES>() {
            Some(eight) => eight.map(|class| class.0),
            None => std::array::from_fn(|lane| from_block[lane.min(from_block.len() - 1)].0),
        };
        Self { classes, all_the_same: classes == [classes[0]; LANES] }
    }

    /// One number of each particle's class.
    #[inline(always)]
    pub(crate) fn map(&self, value: impl Fn(usize) -> f32) -> Lanes {
        if self.all_the_same {
            [value(usize::from(self.classes[0])); LANES]
        } else {
            self.classes.map(|class| value(usize::from(class)))
        }
    }

    /// The class of all of them, if it is the same.
    #[inline(always)]
    pub(crate) fn only(&self) -> Option<usize> {
        self.all_the_same.then_some(usize::from(self.classes[0]))
    }
}

/// Direction from coincident particle `a` to `b`: one of sixteen, fixed by their ids, and opposite
/// for `b` and `a`.
pub(crate) fn separation_axis(a: ParticleId, b: ParticleId) -> Vec2 {
    // A quarter circle; the other directions follow by quarter turns.
    const QUARTER: [Vec2; 4] = [
        Vec2::new(1.0, 0.0),
        Vec2::new(0.923_879_5, 0.382_683_43),
        Vec2::new(0.707_106_77, 0.707_106_77),
        Vec2::new(0.382_683_43, 0.923_879_5),
    ];
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    let mixed = (low.index() ^ high.index().rotate_left(16)).wrapping_mul(0x9e37_79b9) >> 28;
    let axis = QUARTER[(mixed & 3) as usize];
    let turned = match mixed >> 2 {
        0 => axis,
        1 => axis.perp(),
        2 => -axis,
        _ => -axis.perp(),
    };
    if a < b { turned } else { -turned }
}
