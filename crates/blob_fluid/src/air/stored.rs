//! Air as bytes. Loading computes the open shares of the grid from the solids again.

use crate::SnapshotError;
use crate::air::bodies::BodiesInAir;
use crate::air::grid::Grid;
use crate::air::saved::{AMOUNTS, PRESSURES, SPEEDS};
use crate::air::solids::AirSolids;
use crate::air::state::LiquidShare;
use crate::air::step::{AirInWorld, Airs};
use crate::air::{
    Air, AirChannel, AirReport, AirSettings, AirSides, AirSource, AirWorkspace, MAX_CELLS,
};
use crate::settings::range::Limits;
use crate::stored::bytes::{
    Loaded, Numbers, Reader, Stored, Writer, ensure, load_fractions, store_array,
};
use crate::stored::stored;

stored!(settings AirSettings, check Self::validate);
stored!(settings AirSides, check Self::validate);
stored!(Grid { columns, rows, low in Limits::FINITE, cell in Grid::CELL_SIZE.limits } check check_grid);
stored!(AirReport {
    iterations,
    residual in Limits::FINITE,
    divergence in Limits::FINITE,
    max_speed in Limits::NOT_NEGATIVE,
    blocked_inflow in Limits::FINITE,
    blocked_at in Limits::FINITE,
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
            // Only within a step.
            bodies: _,
        } = self;
        ((*grid, *settings), *sides).store(to);
        condensate.store_numbers(to);
        at_rest.store(to);
        time.store_numbers(to);
        for list in [velocity_x, velocity_y, pressure, expansion].into_iter().chain(channels) {
            store_array(list, to);
        }
        for list in liquid.lists() {
            store_array(list, to);
        }
        sources.store(to);
        solids.store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let ((grid, settings), sides) = <((Grid, AirSettings), AirSides)>::load(from)?;
        let condensate = Numbers::load_within(AMOUNTS, from)?;
        let at_rest = Stored::load(from)?;
        let time = Numbers::load_within(Limits::NOT_NEGATIVE, from)?;
        let (cells, faces_x, faces_y) = (grid.cells(), grid.faces_x(), grid.faces_y());
        let velocity_x = list_of(faces_x, SPEEDS, from)?;
        let velocity_y = list_of(faces_y, SPEEDS, from)?;
        let pressure = list_of(cells, PRESSURES, from)?;
        let expansion = list_or_none(cells, Limits::FINITE, from)?;
        let mut channels: [Vec<f32>; 7] = Default::default();
        for channel in &mut channels {
            *channel = list_or_none(cells, AMOUNTS, from)?;
        }
        let [red, green, blue] = AirChannel::COLOUR.map(|colour| channels[colour as usize].len());
        ensure(red == green && green == blue, "smoke with some colours only")?;
        let liquid = LiquidShare {
            share_x: list_or_none(faces_x, Limits::SHARE, from)?,
            share_y: list_or_none(faces_y, Limits::SHARE, from)?,
            velocity_x: list_or_none(faces_x, SPEEDS, from)?,
            velocity_y: list_or_none(faces_y, SPEEDS, from)?,
            ratio_x: list_or_none(faces_x, Limits::SHARE, from)?,
            ratio_y: list_or_none(faces_y, Limits::SHARE, from)?,
        };
        let lists = liquid.lists();
        let alike = lists.iter().all(|list| list.is_empty() == lists[0].is_empty());
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
            bodies: BodiesInAir::default(),
        })
    }
}

/// Reads a list of `count` numbers within limits.
fn list_of(count: usize, limits: Limits, from: &mut Reader<'_>) -> Result<Vec<f32>, SnapshotError> {
    let list = list_or_none(count, limits, from)?;
    ensure(list.len() == count, "a list of air has the wrong length")?;
    Ok(list)
}

/// Reads a list of `count` numbers within limits, or an empty list.
fn list_or_none(count: usize, limits: Limits, from: &mut Reader<'_>) -> Loaded<Vec<f32>> {
    let list = load_fractions::<f32>(Some(limits), from)?;
    ensure(list.is_empty() || list.len() == count, "a list of air has the wrong length")?;
    Ok(list)
}

stored!(AirSource {
    region,
    smoke in Limits::FINITE,
    heat in Limits::FINITE,
    fuel in Limits::FINITE,
    vapour in Limits::FINITE,
    colour in Limits::FINITE,
    expansion in Limits::FINITE,
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
