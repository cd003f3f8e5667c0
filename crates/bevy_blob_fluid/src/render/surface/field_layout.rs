//! Sizes of the field's textures.

use bevy::prelude::*;

/// Texels of a tile beyond each edge of the view, for filters.
const MARGIN: f32 = 4.0;
/// Sizes of tiles are multiples of it, so that each texel of the two coarser textures covers whole
/// texels.
const TILE_STEP: u32 = 16;
/// Width of a texel of the deep texture, in texels of the shallow one, and of the wide one in those of the deep one.
pub(super) const DEEP_STEP: u32 = 4;

/// Width of a texel in particle spacings above which a texel of the shallow texture covers 2 x 2 of
/// the field, and 4 x 4 otherwise, so that it is about a spacing wide.
const COARSE_TEXEL: f32 = 0.4;

/// What a field is drawn for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FieldRequest {
    /// Size of the view, in pixels.
    pub view: UVec2,
    /// A particle spacing, in pixels.
    pub spacing: f32,
    pub texels_per_spacing: f32,
    /// Number of tiles; at least 1.
    pub tiles: usize,
    /// Largest width and height of a texture, in texels.
    pub largest_texture: u32,
    /// Whether texels are floats instead of bytes.
    pub floats: bool,
}

/// Tiles of a field in its texture, in rows, each as large as the view and a margin.
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
    /// Largest width and height of a texture, in texels.
    largest: u32,
}

impl FieldLayout {
    /// The layout for a request; `None` if there is nothing to draw.
    pub(super) fn new(request: &FieldRequest) -> Option<Self> {
        let FieldRequest { view, spacing, tiles, .. } = *request;
        if view.min_element() == 0 || tiles == 0 || !(spacing.is_finite() && spacing > 0.0) {
            return None;
        }
        let columns = (1..=tiles as u32).find(|columns| (columns * columns) as usize >= tiles)?;
        let rows = (tiles as u32).div_ceil(columns);
        let mut pixels_per_texel = (spacing / request.texels_per_spacing).max(1.0);
        loop {
            let texels = view.as_vec2() / pixels_per_texel;
            let size = ((texels + 2.0 * MARGIN) / TILE_STEP as f32).ceil() * TILE_STEP as f32;
            if (size * Vec2::new(columns as f32, rows as f32)).max_element()
                <= request.largest_texture as f32
            {
                // Fixed point numbers end at 1, and the field of compressed liquid is larger than
                // 1.
                let unit = if request.floats { 1.0 } else { 0.5 };
                return Some(Self {
                    tile: size.as_uvec2(),
                    columns,
                    rows,
                    view_part: texels / size,
                    unit,
                    texel: pixels_per_texel / spacing,
                    pixels_per_texel,
                    largest: request.largest_texture,
                });
            }
            pixels_per_texel *= std::f32::consts::SQRT_2;
        }
    }

    /// Width of a texel of the shallow texture, in texels of the field.
    pub(super) fn step(&self) -> u32 {
        if self.texel > COARSE_TEXEL { 2 } else { 4 }
    }

    /// Size of the texture with the nearest walls, which covers a tile. Where texels are wide, each has 3 x 3
    /// of it, because the edges of a round solid are short; the middle one is at the texel's own centre.
    pub(super) fn walls(&self) -> UVec2 {
        let fine = 3 * self.tile;
        let is_wide = self.texel > COARSE_TEXEL && self.pixels_per_texel > 1.5;
        if is_wide && fine.max_element() <= self.largest { fine } else { self.tile }
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
        FieldLayout::new(&FieldRequest {
            view: view.into(),
            spacing,
            texels_per_spacing: 3.0,
            tiles: liquids,
            largest_texture: 2048,
            floats: true,
        })
    }

    #[test]
    fn the_resolution_follows_the_particles_and_not_the_screen() {
        let small = layout([1280, 720], 12.0, 3).expect("something");
        let large = layout([3840, 2160], 36.0, 3).expect("something");
        assert_eq!((small.columns, small.rows), (2, 2));
        assert_eq!(small.tile, large.tile);
        assert!((small.texel - 1.0 / 3.0).abs() < 1e-6 && small.step() == 4, "{small:?}");
        // The field is never finer than the screen.
        let far = layout([1280, 720], 0.5, 1).expect("something");
        assert_eq!(far.tile, UVec2::new(1296, 736));
        assert_eq!(far.view_part * far.tile.as_vec2(), Vec2::new(1280.0, 720.0));
        assert_eq!((far.texel, far.step()), (2.0, 2));
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
