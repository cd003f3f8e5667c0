//! The state of air as data, for saved games.

use crate::air::grid::Grid;
use crate::air::sources::LARGEST_AMOUNT;
use crate::air::{Air, AirChannel, AirError, SavedAirLiquid};
use crate::settings::range::{Check, Limits, SettingRange};

/// The channels and the motion of air, as plain data ([`Air::save`]).
///
/// Settings, sides, sources and solids are not saved: a game creates them again. With the feature
/// `serde`, saved air can be serialized to any format.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SavedAir {
    /// Number of columns of cells.
    pub columns: usize,
    /// Number of rows of cells.
    pub rows: usize,
    /// Simulated time, in seconds; finite and at least 0.
    pub time: f64,
    /// Velocities to the right across the vertical faces, in world units/s, in the order of
    /// [`Air::velocities_x`]; each within ±1e16.
    pub velocity_x: Vec<f32>,
    /// Velocities upwards across the horizontal faces, in world units/s, in the order of
    /// [`Air::velocities_y`]; each within ±1e16.
    pub velocity_y: Vec<f32>,
    /// Pressures of the cells, as [`Air::pressures`]; each within ±1e30.
    pub pressure: Vec<f32>,
    /// The channels that are in use.
    pub channels: Vec<SavedAirChannel>,
    /// Area of condensed vapour that is not a particle yet, in square world units ([`Air::condensate`]); within ±1e9.
    pub condensate: f64,
    /// The liquid that covered faces of cells in the last step; `None` for no liquid.
    #[cfg_attr(feature = "serde", serde(default))]
    pub liquid: Option<SavedAirLiquid>,
}

/// A channel of air as data.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SavedAirChannel {
    /// The channel.
    pub channel: AirChannel,
    /// Values of the channel, one for each cell, as [`Air::channel`]; each within ±1e9.
    pub values: Vec<f32>,
}

/// Velocities, in world units/s.
pub(super) const SPEEDS: Limits = Limits::within(1e16);
pub(super) const PRESSURES: Limits = Limits::within(1e30);
/// Values of channels.
pub(super) const AMOUNTS: Limits = Limits::within(LARGEST_AMOUNT);

impl Air {
    /// The state of the air as data.
    ///
    /// ```
    /// use blob_fluid::air::{Air, AirChannel, AirSettings, AirSides, AirWorkspace};
    /// use blob_fluid::{FluidBounds, FluidRegion, SerialExecutor};
    /// use glam::Vec2;
    /// let room = FluidBounds { low: Vec2::ZERO, high: Vec2::new(64.0, 64.0) };
    /// let new = || Air::new(room, 2.0, AirSettings::new(Vec2::new(0.0, -100.0)), AirSides::default());
    /// let mut air = new()?;
    /// let oven = FluidRegion::circle(Vec2::new(32.0, 20.0), 8.0).expect("valid");
    /// air.fill_channel(AirChannel::Heat, &oven, 1.0)?;
    /// air.step(1.0 / 60.0, &mut AirWorkspace::default(), &SerialExecutor)?;
    /// let saved = air.save();
    ///
    /// let mut later = new()?;
    /// later.restore(&saved)?;
    /// for air in [&mut air, &mut later] {
    ///     air.step(1.0 / 60.0, &mut AirWorkspace::default(), &SerialExecutor)?;
    /// }
    /// assert_eq!(later.state_hash(), air.state_hash());
    /// # Ok::<(), blob_fluid::air::AirError>(())
    /// ```
    pub fn save(&self) -> SavedAir {
        let used = AirChannel::ALL.into_iter().filter(|channel| !self.channel(*channel).is_empty());
        let channels =
            used.map(|channel| SavedAirChannel { channel, values: self.channel(channel).to_vec() });
        SavedAir {
            columns: self.grid.columns,
            rows: self.grid.rows,
            time: self.time,
            velocity_x: self.velocity_x.clone(),
            velocity_y: self.velocity_y.clone(),
            pressure: self.pressure.clone(),
            channels: channels.collect(),
            condensate: self.condensate,
            liquid: self.liquid.is_present().then(|| self.liquid.clone()),
        }
    }

    /// Replaces the state by a saved state. With the settings, sides, sources and solids from the time of the save, the
    /// following results are bit-identical.
    ///
    /// # Errors
    ///
    /// Returns [`AirError::OtherGrid`] for air of another number of columns or rows, and [`AirError::SavedLength`] for
    /// a list of the wrong length. It returns [`AirError::ChannelTwice`] for a repeated channel, and
    /// [`AirError::OutOfRange`], which names the field, for a number outside its range. After an error, the air is
    /// unchanged.
    pub fn restore(&mut self, saved: &SavedAir) -> Result<(), AirError> {
        saved.check(&self.grid)?;
        self.clear();
        self.velocity_x.clone_from(&saved.velocity_x);
        self.velocity_y.clone_from(&saved.velocity_y);
        self.pressure.clone_from(&saved.pressure);
        for SavedAirChannel { channel, values } in &saved.channels {
            let cells = &mut self.channels[*channel as usize];
            cells.clone_from(values);
        }
        self.at_rest = false;
        self.condensate = saved.condensate;
        self.time = saved.time;
        self.liquid = saved.liquid.clone().unwrap_or_default();
        Ok(())
    }
}

impl SavedAir {
    fn check(&self, grid: &Grid) -> Result<(), AirError> {
        if (self.columns, self.rows) != (grid.columns, grid.rows) {
            return Err(AirError::OtherGrid {
                found: [self.columns, self.rows],
                expected: [grid.columns, grid.rows],
            });
        }
        let (cells, faces_x, faces_y) = (grid.cells(), grid.faces_x(), grid.faces_y());
        check_list("velocity_x", &self.velocity_x, faces_x, SPEEDS)?;
        check_list("velocity_y", &self.velocity_y, faces_y, SPEEDS)?;
        check_list("pressure", &self.pressure, cells, PRESSURES)?;
        for (index, SavedAirChannel { channel, values }) in self.channels.iter().enumerate() {
            check_list(channel.name(), values, cells, AMOUNTS)?;
            if self.channels[..index].iter().any(|before| before.channel == *channel) {
                return Err(AirError::ChannelTwice(channel.name()));
            }
        }
        self.check_colours()?;
        if let Some(liquid) = &self.liquid {
            check_list("liquid.share_x", &liquid.share_x, faces_x, Limits::SHARE)?;
            check_list("liquid.share_y", &liquid.share_y, faces_y, Limits::SHARE)?;
            check_list("liquid.velocity_x", &liquid.velocity_x, faces_x, SPEEDS)?;
            check_list("liquid.velocity_y", &liquid.velocity_y, faces_y, SPEEDS)?;
            check_list("liquid.ratio_x", &liquid.ratio_x, faces_x, Limits::SHARE)?;
            check_list("liquid.ratio_y", &liquid.ratio_y, faces_y, Limits::SHARE)?;
        }
        let check = Check("saved air");
        let time = self.time as f32;
        check.that(time.is_finite() && time >= 0.0, "time", time, "finite and at least 0")?;
        let condensate = self.condensate as f32;
        check.that(condensate.abs() <= LARGEST_AMOUNT, "condensate", condensate, "within ±1e9")?;
        Ok(())
    }

    /// Checks that smoke has all three colours or none.
    fn check_colours(&self) -> Result<(), AirError> {
        let cells = self.columns * self.rows;
        let length = |colour: AirChannel| {
            let found = self.channels.iter().find(|saved| saved.channel == colour);
            found.map_or(0, |saved| saved.values.len())
        };
        let any = AirChannel::COLOUR.into_iter().any(|colour| length(colour) > 0);
        let missing = AirChannel::COLOUR.into_iter().find(|colour| length(*colour) == 0);
        match missing.filter(|_| any) {
            Some(colour) => {
                Err(AirError::SavedLength { field: colour.name(), found: 0, expected: cells })
            }
            None => Ok(()),
        }
    }
}

fn check_list(
    field: &'static str,
    values: &[f32],
    expected: usize,
    limits: Limits,
) -> Result<(), AirError> {
    let found = values.len();
    if found != expected {
        return Err(AirError::SavedLength { field, found, expected });
    }
    let range = SettingRange { subject: "saved air", path: field, limits, ..SettingRange::ANY };
    Ok(range.check_all(values.iter().copied())?)
}
