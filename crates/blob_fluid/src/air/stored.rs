//! Air as bytes. What the grid makes of the solids is found again.

use crate::air::airs::{AirInWorld, Airs};
use crate::air::channel::AirChannel;
use crate::air::coupling::LiquidShare;
use crate::air::grid::{Grid, MAX_CELLS};
use crate::air::report::AirReport;
use crate::air::settings::AirSettings;
use crate::air::sides::AirSides;
use crate::air::solids::AirSolids;
use crate::air::source::AirSource;
use crate::air::state::Air;
use crate::air::step::AirWorkspace;
use crate::stored::arrays::{load_array, store_array};
use crate::stored::error::{SnapshotError, ensure};
use crate::stored::reader::Reader;
use crate::stored::stored;
use crate::stored::writer::{Stored, Writer};

stored!(settings AirSettings, check Self::validate);
stored!(settings AirSides, check Self::validate);
stored!(Grid { columns, rows, low, cell } check check_grid);
stored!(AirReport {
    iterations,
    residual,
    divergence,
    max_speed,
    blocked_inflow,
    blocked_at,
    evaporated,
    condensed,
});

fn check_grid(grid: &Grid) -> Result<(), SnapshotError> {
    let cells = grid.columns.checked_mul(grid.rows);
    let fits = cells.is_some_and(|cells| (1..=MAX_CELLS).contains(&cells));
    let sound = fits && grid.low.is_finite() && Grid::CELL_SIZE.check(grid.cell).is_ok();
    ensure(sound, "air with too many cells, or at no place")
}

impl Stored for Air {
    fn store(&self, to: &mut Writer) {
        let Self {
            grid,
            settings,
            sides,
            velocity_x,
            velocity_y,
            pressure,
            channels,
            condensate,
            expansion,
            sources,
            solids,
            liquid,
            at_rest,
            time,
        } = self;
        ((*grid, *settings), (*sides, *condensate)).store(to);
        (*at_rest, *time).store(to);
        for list in [velocity_x, velocity_y, pressure, expansion].into_iter().chain(channels) {
            store_array(list, to);
        }
        let LiquidShare { share_x, share_y, velocity_x, velocity_y, ratio_x, ratio_y } = liquid;
        for list in [share_x, share_y, velocity_x, velocity_y, ratio_x, ratio_y] {
            store_array(list, to);
        }
        sources.store(to);
        solids.store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let ((grid, settings), (sides, condensate)) =
            <((Grid, AirSettings), (AirSides, f64))>::load(from)?;
        let (at_rest, time) = Stored::load(from)?;
        let (cells, faces_x, faces_y) = (grid.cells(), grid.faces_x(), grid.faces_y());
        let (velocity_x, velocity_y) = (list_of(faces_x, from)?, list_of(faces_y, from)?);
        let pressure = list_of(cells, from)?;
        let expansion = list_or_none(cells, from)?;
        let mut channels: [Vec<f32>; 7] = Default::default();
        for channel in &mut channels {
            *channel = list_or_none(cells, from)?;
        }
        let [red, green, blue] = AirChannel::COLOUR.map(|colour| channels[colour as usize].len());
        ensure(red == green && green == blue, "smoke with some colours only")?;
        let (share_x, share_y) = (list_or_none(faces_x, from)?, list_or_none(faces_y, from)?);
        let liquid = LiquidShare {
            velocity_x: list_or_none(faces_x, from)?,
            velocity_y: list_or_none(faces_y, from)?,
            ratio_x: list_or_none(faces_x, from)?,
            ratio_y: list_or_none(faces_y, from)?,
            share_x,
            share_y,
        };
        let LiquidShare { share_x, share_y, velocity_x: vx, velocity_y: vy, ratio_x, ratio_y } =
            &liquid;
        let there = share_x.is_empty();
        let alike =
            [share_y, vx, vy, ratio_x, ratio_y].into_iter().all(|list| list.is_empty() == there);
        ensure(alike, "liquid on some faces of the air only")?;
        let sources = Stored::load(from)?;
        let solids = AirSolids::load_on(&grid, &sides, from)?;
        Ok(Self {
            grid,
            settings,
            sides,
            velocity_x,
            velocity_y,
            pressure,
            channels,
            condensate,
            expansion,
            sources,
            solids,
            liquid,
            at_rest,
            time,
        })
    }
}

/// A list of so many finite numbers.
fn list_of(count: usize, from: &mut Reader<'_>) -> Result<Vec<f32>, SnapshotError> {
    let list = load_array::<f32>(from)?;
    ensure(list.len() == count, "a list of air has the wrong length")?;
    ensure(list.iter().all(|number| number.is_finite()), "a number of air is not finite")?;
    Ok(list)
}

/// A list of so many numbers, or an empty one.
fn list_or_none(count: usize, from: &mut Reader<'_>) -> Result<Vec<f32>, SnapshotError> {
    let list = load_array::<f32>(from)?;
    ensure(list.is_empty() || list.len() == count, "a list of air has the wrong length")?;
    ensure(list.iter().all(|number| number.is_finite()), "a number of air is not finite")?;
    Ok(list)
}

stored!(AirSource {
    region,
    smoke,
    heat,
    fuel,
    vapour,
    colour,
    expansion,
    wind,
    embers,
    burst,
} check Self::validate);

impl Stored for AirInWorld {
    fn store(&self, to: &mut Writer) {
        let Self { air, workspace } = self;
        air.store(to);
        workspace.between_steps().store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let air = Stored::load(from)?;
        let (report, met) = Stored::load(from)?;
        Ok(Self { air, workspace: AirWorkspace::after(report, met) })
    }
}

stored!(Airs { 0: all });
