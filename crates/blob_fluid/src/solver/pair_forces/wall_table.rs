//! A table of what lies beyond a straight wall.

/// Number of intervals of the table.
pub(super) const INTERVALS: usize = 64;

/// What liquid of density 1 beyond a wall gives to a particle at a distance from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BeyondWall {
    pub density: f32,
    pub near_density: f32,
    /// The integral of the pressure kernel. That of the near pressure is `near_density`.
    pub weight: f32,
    /// The integral of the pressure kernel's gradient, which is that of the kernel along the wall.
    pub push: f32,
    pub near_push: f32,
}

/// A table of [`BeyondWall`] over the distance from the wall, from 0 to one interaction radius.
#[derive(Debug)]
pub(crate) struct WallIntegrals(pub(super) [BeyondWall; INTERVALS + 1]);

impl WallIntegrals {
    /// At a distance of `u` interaction radii. Beyond the wall it is as at the wall.
    pub(crate) fn at(&self, u: f32) -> BeyondWall {
        let place = (u * INTERVALS as f32).max(0.0);
        let index = place as usize;
        let Some([low, high]) = self.0.get(index..index + 2).and_then(|pair| pair.first_chunk())
        else {
            return BeyondWall::default();
        };
        let part = place - index as f32;
        let between =
            |value: fn(&BeyondWall) -> f32| value(low) + part * (value(high) - value(low));
        BeyondWall {
            density: between(|beyond| beyond.density),
            near_density: between(|beyond| beyond.near_density),
            weight: between(|beyond| beyond.weight),
            push: between(|beyond| beyond.push),
            near_push: between(|beyond| beyond.near_push),
        }
    }
}
