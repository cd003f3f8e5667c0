//! The grid of air as textures of half floats, and the light of its flames around them.

use bevy::asset::RenderAssetUsages;
use bevy::image::{Image, ImageSampler};
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use blob_fluid::air::{Air, AirChannel};
use half::f16;

use crate::render::look::air::{FluidAirLook, FluidAirShow};

/// Two textures with a texel for each cell, rows from the top.
///
/// The first holds red, green and blue of the smoke times its concentration, and the concentration;
/// the second heat, fuel, the scalar that is shown, -1 to 1, and the share of air.
pub(super) struct Texels {
    pub smoke: Vec<u8>,
    pub heat: Vec<u8>,
}

/// A texture for a grid of this size.
pub(super) fn image(columns: usize, rows: usize) -> Image {
    let size = Extent3d { width: columns as u32, height: rows as u32, depth_or_array_layers: 1 };
    let mut image = Image::new_fill(
        size,
        TextureDimension::D2,
        &[0; 8],
        TextureFormat::Rgba16Float,
        RenderAssetUsages::default(),
    );
    image.sampler = ImageSampler::linear();
    image
}

/// Side of a texel of the light of flames, in cells.
const GLOW_CELLS: usize = 4;

/// How far the light of flames reaches in each of three blurs, in texels.
const GLOW_REACH: usize = 2;

/// Columns and rows of the light of flames.
pub(super) fn glow_size(columns: usize, rows: usize) -> (usize, usize) {
    (columns.div_ceil(GLOW_CELLS), rows.div_ceil(GLOW_CELLS))
}

/// The light of flames around them: what is hot enough to shine, blurred. Rows from the top.
pub(super) fn glow(air: &Air) -> Vec<u8> {
    let heat = air.channel(AirChannel::Heat);
    let (columns, rows) = glow_size(air.columns(), air.rows());
    let mut light = vec![0.0; columns * rows];
    for (index, heat) in heat.iter().enumerate() {
        let (column, row) = (index % air.columns(), index / air.columns());
        let shines = ((heat - 0.25) * 1.5).clamp(0.0, 1.0);
        light[(rows - 1 - row / GLOW_CELLS) * columns + column / GLOW_CELLS] += shines;
    }
    let mut blurred = vec![0.0; columns * rows];
    for _ in 0..3 {
        blur(&light, &mut blurred, (1, columns), (columns, rows));
        blur(&blurred, &mut light, (columns, rows), (1, columns));
    }
    let cells = (GLOW_CELLS * GLOW_CELLS) as f32;
    let mut texels = Vec::with_capacity(8 * light.len());
    for value in light {
        for part in [value / cells, 0.0, 0.0, 1.0] {
            texels.extend_from_slice(&f16::from_f32(part.min(MOST)).to_le_bytes());
        }
    }
    texels
}

/// Blurs along lines. Both pairs are the distance of two neighbours in the list, and their number: along
/// the lines, and across them.
fn blur(
    from: &[f32],
    into: &mut [f32],
    (along, length): (usize, usize),
    (across, lines): (usize, usize),
) {
    for line in 0..lines {
        for place in 0..length {
            let first = place.saturating_sub(GLOW_REACH);
            let last = (place + GLOW_REACH).min(length - 1);
            let sum: f32 = (first..=last).map(|at| from[line * across + at * along]).sum();
            into[line * across + place * along] = sum / (2 * GLOW_REACH + 1) as f32;
        }
    }
}

/// The largest size of a half float that leaves room for sums.
const MOST: f32 = 1e4;

/// The texels of air. `smoke_color` is the colour of white smoke; vapour is drawn as white smoke too.
pub(super) fn texels(air: &Air, look: &FluidAirLook, smoke_color: [f32; 3]) -> Texels {
    let (columns, rows) = (air.columns(), air.rows());
    let scalar = scalars(air, look.show, look.range);
    let fog_per_vapour = look.vapour.max(0.0);
    let channel = |channel| air.channel(channel);
    let smoke = channel(AirChannel::Smoke);
    let [heat, fuel, vapour] =
        [AirChannel::Heat, AirChannel::Fuel, AirChannel::Vapour].map(channel);
    let colors = AirChannel::COLOUR.map(channel);
    let has_colors = !colors[0].is_empty();
    let shares = air.air_shares();
    let at = |list: &[f32], index: usize| list.get(index).copied().unwrap_or(0.0);
    let mut texels = Texels {
        smoke: Vec::with_capacity(8 * columns * rows),
        heat: Vec::with_capacity(8 * columns * rows),
    };
    let push = |into: &mut Vec<u8>, value: f32| {
        into.extend_from_slice(&f16::from_f32(value.clamp(-MOST, MOST)).to_le_bytes());
    };
    for row in (0..rows).rev() {
        let first = row * columns;
        for (index, share) in (first..).zip(&shares[first..first + columns]) {
            let amount = at(smoke, index).max(0.0);
            let fog = fog_per_vapour * at(vapour, index).max(0.0);
            let colors = colors.map(|color| at(color, index));
            for part in 0..3 {
                let color = if has_colors { colors[part] } else { amount };
                push(&mut texels.smoke, color.max(0.0) * smoke_color[part] + fog);
            }
            push(&mut texels.smoke, amount + fog);
            push(&mut texels.heat, at(heat, index));
            push(&mut texels.heat, at(fuel, index));
            push(&mut texels.heat, at(&scalar, index));
            push(&mut texels.heat, *share);
        }
    }
    texels
}

/// What is shown, -1 to 1.
fn scalars(air: &Air, show: FluidAirShow, range: Option<f32>) -> Vec<f32> {
    let mut values = Vec::new();
    match show {
        FluidAirShow::Smoke => return values,
        FluidAirShow::Pressure => values.extend_from_slice(air.pressures()),
        FluidAirShow::Speed => {
            let cells = 0..air.columns() * air.rows();
            values.extend(cells.map(|index| air.velocity_in_cell(index).length()));
        }
        FluidAirShow::Vorticity => air.vorticities(&mut values),
    }
    // One cell in a hundred may be beyond the range that is found.
    let found = || {
        let mut sizes: Vec<f32> = values.iter().map(|value| value.abs()).collect();
        let index = sizes.len() * 99 / 100;
        sizes.get(index)?;
        let (_, size, _) = sizes.select_nth_unstable_by(index, f32::total_cmp);
        Some(*size)
    };
    let range = range.or_else(found).unwrap_or(1.0).max(f32::MIN_POSITIVE);
    values.iter_mut().for_each(|value| *value = (*value / range).clamp(-1.0, 1.0));
    values
}
