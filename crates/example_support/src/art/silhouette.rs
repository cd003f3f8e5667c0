//! Outlines of what stands on the horizon.

use std::f32::consts::PI;

/// What a [`ridge`](super::Painter::ridge) looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silhouette {
    /// Round hills.
    Hills,
    /// A wood of firs.
    Firs,
    /// Leafy trees.
    Leaves,
    /// Houses with gables and chimneys.
    Roofs,
    /// Jagged rock; hanging, what a cave has above.
    Rocks,
}

impl Silhouette {
    /// Height of the outline, 0 to 1, at a distance along it in units of its greatest height. Every
    /// `seed` has an outline of its own.
    pub(super) fn height(self, x: f32, seed: f32) -> f32 {
        let tallest = |width: f32, shape: &dyn Fn(f32, f32) -> f32| {
            let cell = (x / width).floor();
            let part = |near: f32| {
                let (size, shift) = (random(cell + near, seed), random(cell + near, seed + 7.0));
                let offset = x / width - (cell + near + 0.3 + 0.4 * shift);
                shape(offset, size)
            };
            [-1.0, 0.0, 1.0].map(part).into_iter().fold(0.0, f32::max)
        };
        match self {
            Self::Hills => {
                let wave = |length: f32, shift: f32| (x / length + shift * (1.0 + seed)).sin();
                0.55 + 0.27 * wave(0.9, 1.0) + 0.13 * wave(0.37, 2.3) + 0.05 * wave(0.16, 4.1)
            }
            Self::Firs => tallest(0.26, &|offset, size| {
                let up = 4.0 * (1.0 - offset.abs() / 0.75).max(0.0);
                // Four tiers of branches.
                (0.55 + 0.45 * size) * (0.25 * (up.floor() + up.fract().powi(2))).max(0.2)
            }),
            Self::Leaves => tallest(0.45, &|offset, size| {
                let round = (1.0 - (offset / 0.8).powi(2)).max(0.0).sqrt();
                let leaves = 0.03 * (offset * 19.0).sin().abs();
                0.3 + (0.3 + 0.35 * size) * round + leaves
            }),
            Self::Roofs => {
                let cell = (x / 0.55).floor();
                let (offset, size) = (x / 0.55 - cell - 0.5, random(cell, seed));
                let gable = 0.26 * (1.0 - 2.0 * offset.abs()) * f32::from(size > 0.3);
                let chimney = f32::from((offset - 0.22).abs() < 0.06 && size > 0.3);
                (0.3 + 0.4 * size) + gable.max(0.2 * chimney)
            }
            Self::Rocks => {
                let (cell, part) = ((x / 0.22).floor(), (x / 0.22).rem_euclid(1.0));
                let [a, b] = [cell, cell + 1.0].map(|cell| random(cell, seed).powi(2));
                0.2 + 0.8 * (a + (b - a) * part)
            }
        }
    }
}

/// A number from 0 to 1 that belongs to a cell.
pub(super) fn random(cell: f32, seed: f32) -> f32 {
    ((cell * 12.99 + seed * 78.23 + PI).sin() * 43_758.547).rem_euclid(1.0)
}
