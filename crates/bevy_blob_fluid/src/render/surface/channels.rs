//! What the channels of a surface's field hold.

use bevy::prelude::*;

use super::liquids::Liquids;

/// What the channels of a surface's field hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Channels {
    /// Nothing: there are only gases.
    NoLiquid,
    /// The field of the only liquid, which has one colour, and its heat, foam and shade times the field.
    OneLiquid,
    /// The fields of up to four liquids, each of one colour.
    FourLiquids,
    /// The colour times the field, and the field, of any liquids, each in a tile of its own.
    Tiles,
}

impl Channels {
    /// The channels for liquids whose classes have the given colours; `own_colors` says that particles have
    /// others than these.
    pub(super) fn new(
        liquids: &Liquids,
        is_gas: impl Fn(u8) -> bool,
        classes: impl Iterator<Item = u8>,
        colors: &[Vec4],
        own_colors: bool,
    ) -> Self {
        let first = liquids.first_classes();
        let count = first.iter().filter(|class| !is_gas(**class)).count();
        let color = |class: u8| colors.get(usize::from(class)).copied().unwrap_or(Vec4::ONE);
        let mut classes = classes.filter(|class| !is_gas(*class));
        let plain = !own_colors
            && classes.all(|class| {
                let liquid = usize::from(liquids.indices()[usize::from(class)]);
                color(class) == color(first[liquid])
            });
        match count {
            0 => Self::NoLiquid,
            1 if plain => Self::OneLiquid,
            2..=4 if plain => Self::FourLiquids,
            _ => Self::Tiles,
        }
    }

    /// Whether heat, foam, opacity and shade need a texture of their own.
    pub(super) fn need_details(self) -> bool {
        matches!(self, Self::FourLiquids | Self::Tiles)
    }

    /// Number of tiles for so many liquids.
    pub(super) fn tiles(self, liquids: usize) -> usize {
        if self == Self::Tiles { liquids } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::look::surface::FluidSurfaceMixing;

    fn channels(classes: &[u8], colors: &[Vec4], mixing: FluidSurfaceMixing) -> Channels {
        let is_gas = |class| class >= 100;
        let all = || classes.iter().copied();
        let liquids = Liquids::new(all(), &[], mixing, is_gas);
        Channels::new(&liquids, is_gas, all(), colors, false)
    }

    #[test]
    fn liquids_of_one_colour_share_a_tile() {
        use FluidSurfaceMixing::{Blended, Sharp};
        let colors = [Vec4::ONE, Vec4::X, Vec4::ONE];
        assert_eq!(channels(&[0, 200], &colors, Sharp), Channels::OneLiquid);
        assert_eq!(channels(&[200], &colors, Sharp), Channels::NoLiquid);
        assert_eq!(channels(&[0, 1, 2, 3, 200], &colors, Sharp), Channels::FourLiquids);
        assert_eq!(channels(&[0, 1, 2, 3, 4], &colors, Sharp), Channels::Tiles);
        // Colours that blend need channels of their own.
        assert_eq!(channels(&[0, 1], &colors, Blended), Channels::Tiles);
        assert_eq!(channels(&[0, 2, 9], &colors, Blended), Channels::OneLiquid);
        assert_eq!((Channels::Tiles.tiles(5), Channels::FourLiquids.tiles(4)), (5, 1));
    }
}
