//! Measures of air.

use std::fmt::{self, Display, Formatter};

use crate::air::{Air, AirChannel, AirReport};
use crate::world::FluidWorld;

/// All measures of air at one moment.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MeasuredAir {
    /// Number of columns of cells.
    pub columns: usize,
    /// Number of rows of cells.
    pub rows: usize,
    /// Number of cells.
    pub cells: usize,
    /// Number of sources.
    pub sources: usize,
    /// Largest velocity across a face, in world units/s.
    pub max_speed: f64,
    /// Largest divergence of a cell after the last step, in 1/s.
    pub divergence: f64,
    /// Divergence that the last projection left, relative to that which it met.
    pub residual: f64,
    /// Iterations of the last projection.
    pub iterations: u32,
    /// Mean divergence that the last projection had to leave, in 1/s, because more air flows in than
    /// out in a part of the air without an opening.
    pub blocked_inflow: f64,
    /// Amount of smoke, in square world units: concentration times area.
    pub smoke: f64,
    /// Amount of heat, in square world units.
    pub heat: f64,
    /// Amount of fuel, in square world units.
    pub fuel: f64,
    /// Amount of vapour, in square world units.
    pub vapour: f64,
    /// [`Air::state_hash`] in hexadecimal.
    pub state_hash: String,
}

/// Measures all air of a world, in the order in which it was inserted.
///
/// ```
/// use blob_fluid::air::{Air, AirSettings, AirSides};
/// use blob_fluid::{FluidBounds, FluidWorld, measure::measure_airs};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// let room = FluidBounds { low: Vec2::ZERO, high: Vec2::new(40.0, 20.0) };
/// world.insert_air(Air::new(room, 2.0, AirSettings::default(), AirSides::default())?);
/// let [air] = &measure_airs(&world)[..] else { panic!("one") };
/// assert_eq!((air.cells, air.max_speed, air.smoke), (200, 0.0, 0.0));
/// # Ok::<(), blob_fluid::air::AirError>(())
/// ```
pub fn measure_airs(world: &FluidWorld) -> Vec<MeasuredAir> {
    world.airs_with_reports().map(|(air, report)| measured(air, report)).collect()
}

fn measured(air: &Air, report: AirReport) -> MeasuredAir {
    let AirReport { iterations, residual, divergence, blocked_inflow, .. } = report;
    let faces = air.velocities_x().iter().chain(air.velocities_y());
    MeasuredAir {
        columns: air.columns(),
        rows: air.rows(),
        cells: air.columns() * air.rows(),
        sources: air.sources().len(),
        max_speed: f64::from(faces.fold(0.0_f32, |most, speed| most.max(speed.abs()))),
        divergence: divergence.into(),
        residual: residual.into(),
        iterations,
        blocked_inflow: blocked_inflow.into(),
        smoke: air.amount(AirChannel::Smoke),
        heat: air.amount(AirChannel::Heat),
        fuel: air.amount(AirChannel::Fuel),
        vapour: air.amount(AirChannel::Vapour),
        state_hash: format!("{:016x}", air.state_hash()),
    }
}

impl Display for MeasuredAir {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  air of {} x {} cells: speed {:.2} max, divergence {:.1e} max after {} iterations, \
             residual {:.1e}",
            self.columns,
            self.rows,
            self.max_speed,
            self.divergence,
            self.iterations,
            self.residual
        )?;
        write!(
            f,
            "    smoke {:.1}, heat {:.1}, fuel {:.1}, vapour {:.1}, state {}",
            self.smoke, self.heat, self.fuel, self.vapour, self.state_hash
        )
    }
}
