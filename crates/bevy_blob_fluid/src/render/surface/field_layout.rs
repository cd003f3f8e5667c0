//! Sizes of the field's textures.

use bevy::prelude::*;

/// Texels of a tile beyond each edge of the view, for filters.
const MARGIN: f32 = 4.0;
/// Sizes of tiles are multiples of it, so that each texel of the two coarser textures covers whole
/// texels.
pub(super) const TILE_STEP: u32 = 16;

/// Position of each liquid's field in the texture: one tile each, in rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FieldLayout {
    /// Size of a tile in texels, a multiple of [`TILE_STEP`].
    pub tile: UVec2,
    pub columns: u32,
    pub rows: u32,
    /// Fraction of a tile's width and height that the view takes up.
    pub view_part: Vec2,
    /// Stored value of a field of 1.
    pub unit: f32,
    /// Size of a texel, in particle spacings.
    pub texel: f32,
    /// Size of a texel, in pixels.
    pub pixels_per_texel: f32,
}

impl FieldLayout {
    /// The layout for a view of `view` pixels in which a particle spacing has `spacing` pixels;
    /// `None` if there is nothing to draw.
    pub(super) fn new(
        view: UVec2,
        spacing: f32,
        texels_per_spacing: f32,
        liquids: usize,
        largest_texture: u32,
        floats: bool,
    ) -> Option<Self> {
        if view.min_element() == 0 || liquids == 0 || !(spacing.is_finite() && spacing > 0.0) {
            return None;
        }
        let columns =
            (1..=liquids as u32).find(|columns| (columns * columns) as usize >= liquids)?;
        let rows = (liquids as u32).div_ceil(columns);
        // Sizes change in steps, so that zooming does not need new textures in every frame.
        let wanted = (spacing / texels_per_spacing).max(1.0);
        let mut pixels_per_texel = libm::exp2f((2.0 * libm::log2f(wanted)).floor() / 2.0);
        loop {
            let texels = view.as_vec2() / pixels_per_texel;
            let size = ((texels + 2.0 * MARGIN) / TILE_STEP as f32).ceil() * TILE_STEP as f32;
            if (size * Vec2::new(columns as f32, rows as f32)).max_element()
                <= largest_texture as f32
            {
                // Fixed point numbers end at 1, and the field of compressed liquid is larger than
                // 1.
                let unit = if floats { 1.0 } else { 0.5 };
                return Some(Self {
                    tile: size.as_uvec2(),
                    columns,
                    rows,
                    view_part: texels / size,
                    unit,
                    texel: pixels_per_texel / spacing,
                    pixels_per_texel,
                });
            }
            pixels_per_texel *= std::f32::consts::SQRT_2;
        }
    }

    /// Size of the texture with all tiles, in texels.
    pub(super) fn texture(&self) -> UVec2 {
        self.tile * UVec2::new(self.columns, self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(view: [u32; 2], spacing: f32, liquids: usize) -> Option<FieldLayout> {
        FieldLayout::new(view.into(), spacing, 3.0, liquids, 2048, true)
    }

    #[test]
    fn the_resolution_follows_the_particles_and_not_the_screen() {
        let small = layout([1280, 720], 12.0, 3).expect("something");
        let large = layout([3840, 2160], 36.0, 3).expect("something");
        assert_eq!((small.columns, small.rows), (2, 2));
        assert!(small.tile.x.abs_diff(large.tile.x) <= TILE_STEP, "{small:?} {large:?}");
        // The field is never finer than the screen.
        let far = layout([1280, 720], 0.5, 1).expect("something");
        assert_eq!(far.tile, UVec2::new(1296, 736));
        assert_eq!(far.view_part * far.tile.as_vec2(), Vec2::new(1280.0, 720.0));
    }

    #[test]
    fn it_fits_the_largest_texture() {
        for liquids in 1..=16 {
            let fitting = layout([8000, 5000], 2.0, liquids).expect("something");
            assert!(fitting.texture().max_element() <= 2048, "{fitting:?}");
            assert!((fitting.columns * fitting.rows) as usize >= liquids);
        }
    }

    #[test]
    fn nothing_is_drawn_where_there_is_nothing() {
        assert_eq!(layout([0, 720], 12.0, 3), None);
        assert_eq!(layout([1280, 720], 12.0, 0), None);
        for spacing in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(layout([1280, 720], spacing, 3), None);
        }
    }
}
