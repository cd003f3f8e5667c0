//! The state of air, and the calls that change it.

use glam::Vec2;

use crate::air::bodies::BodiesInAir;
use crate::air::grid::Grid;
use crate::air::solids::AirSolids;
use crate::air::{AirChannel, AirError, AirSettings, AirSides, AirSource, AirSourceId};
use crate::boundary::slots::Slots;
use crate::revision::StateHash;
use crate::settings::range::{Check, Limits, SettingRange};
use crate::{Collider, Container, FluidBounds, FluidRegion};

/// A value of a channel, which is part of the state and not a setting.
const AMOUNT: SettingRange = SettingRange {
    subject: "air",
    path: "amount",
    limits: Limits::within(1e6),
    ..SettingRange::ANY
};
/// A velocity on a face, which is part of the state and not a setting.
const SPEED: SettingRange =
    SettingRange { subject: "air", path: "velocity", limits: Limits::VAST, ..SettingRange::ANY };

/// The whole state of air in a rectangle: velocities on a staggered grid, pressures, and channels.
///
/// Values that a step derives from the state belong to the
/// [`AirWorkspace`](crate::air::AirWorkspace). A workspace can be dropped between two steps, and
/// all later results stay bit-identical. A clone is a snapshot.
///
/// ```
/// use blob_fluid::air::{Air, AirSettings, AirSource, AirWorkspace, AirChannel, AirSides};
/// use blob_fluid::{FluidBounds, FluidRegion, SerialExecutor};
/// use glam::Vec2;
///
/// let room = FluidBounds { low: Vec2::ZERO, high: Vec2::new(64.0, 64.0) };
/// let settings = AirSettings::new(Vec2::new(0.0, -100.0));
/// let mut air = Air::new(room, 2.0, settings, AirSides::default())?;
/// let fire = FluidRegion::circle(Vec2::new(32.0, 10.0), 5.0).expect("valid");
/// air.set_sources(vec![AirSource { smoke: 1.0, heat: 1.0, ..AirSource::new(fire) }])?;
/// let mut workspace = AirWorkspace::default();
/// for _ in 0..60 {
///     air.step(1.0 / 60.0, &mut workspace, &SerialExecutor)?;
/// }
/// let above = air.velocity_at(Vec2::new(32.0, 20.0)).expect("inside");
/// assert!(above.y > 0.0, "hot air rises");
/// assert!(air.amount(AirChannel::Smoke) > 0.0);
/// # Ok::<(), blob_fluid::air::AirError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Air {
    pub(crate) grid: Grid,
    pub(crate) settings: AirSettings,
    pub(crate) sides: AirSides,
    /// Velocity to the right across vertical faces: `columns + 1` in each row.
    pub(crate) velocity_x: Vec<f32>,
    /// Velocity upwards across horizontal faces: `columns` in each of `rows + 1` rows.
    pub(crate) velocity_y: Vec<f32>,
    /// Pressure of every cell, from which the next projection starts.
    pub(crate) pressure: Vec<f32>,
    /// The channels in the order of [`AirChannel::ALL`]; empty until used.
    pub(crate) channels: [Vec<f32>; 7],
    /// Condensed vapour that is not a particle yet, as area of liquid in square world units.
    pub(crate) condensate: f64,
    /// Volume that comes into every cell in the next step, in shares of the cell per second; empty
    /// for none.
    pub(crate) expansion: Vec<f32>,
    pub(crate) sources: Slots<AirSourceId, AirSource>,
    pub(crate) solids: AirSolids,
    pub(crate) liquid: LiquidShare,
    /// The bodies in the air, in a step.
    pub(crate) bodies: BodiesInAir,
    /// Whether all velocities and pressures are 0; false if that is not known.
    pub(crate) at_rest: bool,
    /// Simulated time, in seconds.
    pub(crate) time: f64,
}

impl Air {
    /// Creates air at rest in a rectangle, divided into square cells of `cell_size` world units
    /// (0.000001 to 1000000). The rectangle grows to the right and upwards to a whole number of
    /// cells.
    ///
    /// # Errors
    ///
    /// Returns [`AirError`] for numbers outside their ranges, and for a rectangle of no cell or of
    /// more than [`MAX_CELLS`](crate::air::MAX_CELLS) cells.
    pub fn new(
        bounds: FluidBounds,
        cell_size: f32,
        settings: AirSettings,
        sides: AirSides,
    ) -> Result<Self, AirError> {
        settings.validate()?;
        sides.validate()?;
        let grid = Grid::new(bounds, cell_size)?;
        Ok(Self {
            grid,
            settings,
            sides,
            velocity_x: vec![0.0; grid.faces_x()],
            velocity_y: vec![0.0; grid.faces_y()],
            pressure: vec![0.0; grid.cells()],
            channels: Default::default(),
            condensate: 0.0,
            expansion: Vec::new(),
            sources: Slots::default(),
            solids: AirSolids::new(&grid, &sides),
            liquid: LiquidShare::default(),
            bodies: BodiesInAir::default(),
            at_rest: false,
            time: 0.0,
        })
    }

    /// The rectangle of the air, in world units.
    pub fn bounds(&self) -> FluidBounds {
        self.grid.bounds()
    }

    /// Moves the rectangle and its contents, so that its lower left corner is at `low`, in world
    /// units.
    ///
    /// # Errors
    ///
    /// Returns [`AirError::OutOfRange`] for a corner that is not finite.
    pub fn move_to(&mut self, low: Vec2) -> Result<(), AirError> {
        Check("air").finite("bounds", &low.to_array())?;
        if self.grid.low != low {
            self.grid.low = low;
            self.solids.set_sides(&self.grid, &self.sides);
        }
        Ok(())
    }

    /// Side of a cell, in world units.
    pub fn cell_size(&self) -> f32 {
        self.grid.cell
    }

    /// Number of columns of cells.
    pub fn columns(&self) -> usize {
        self.grid.columns
    }

    /// Number of rows of cells.
    pub fn rows(&self) -> usize {
        self.grid.rows
    }

    /// Simulated time, in seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The settings.
    pub fn settings(&self) -> &AirSettings {
        &self.settings
    }

    /// Changes the settings.
    ///
    /// # Errors
    ///
    /// Returns [`AirError::OutOfRange`] for a number outside its range.
    pub fn set_settings(&mut self, settings: AirSettings) -> Result<(), AirError> {
        settings.validate()?;
        if settings.density != self.settings.density {
            // Keeps the pressures consistent with the same flow.
            let factor = settings.density / self.settings.density;
            self.pressure.iter_mut().for_each(|pressure| *pressure *= factor);
        }
        self.settings = settings;
        Ok(())
    }

    /// The four sides.
    pub fn sides(&self) -> &AirSides {
        &self.sides
    }

    /// Changes the four sides.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`AirSides::validate`].
    pub fn set_sides(&mut self, sides: AirSides) -> Result<(), AirError> {
        sides.validate()?;
        if sides != self.sides {
            self.sides = sides;
            self.solids.set_sides(&self.grid, &self.sides);
        }
        Ok(())
    }

    /// Sets the solids in the air. Air exists only inside of containers and outside of colliders.
    /// Without containers, air is everywhere in the rectangle.
    ///
    /// Call it before every step if solids move; only solids that changed since the last call cost
    /// time. Solids push the air with their [motion](crate::Motion).
    pub fn set_solids<'a>(
        &mut self,
        containers: impl IntoIterator<Item = &'a Container>,
        colliders: impl IntoIterator<Item = &'a Collider>,
    ) {
        self.solids.set(&self.grid, &self.sides, containers, colliders);
    }

    /// Adds a source, and returns a handle with which it can be changed and removed. The handle of a
    /// [burst](AirSource::burst) is invalid after the next step.
    ///
    /// ```
    /// use blob_fluid::air::{Air, AirSettings, AirSource, AirSides};
    /// use blob_fluid::{FluidBounds, FluidRegion};
    /// use glam::Vec2;
    /// let room = FluidBounds { low: Vec2::ZERO, high: Vec2::new(64.0, 64.0) };
    /// let mut air = Air::new(room, 2.0, AirSettings::default(), AirSides::default())?;
    /// let nozzle = AirSource::new(FluidRegion::circle(Vec2::new(10.0, 32.0), 4.0).expect("valid"));
    /// let id = air.insert_source(AirSource { smoke: 1.0, ..nozzle.clone() })?;
    /// assert!(air.set_source(id, AirSource { smoke: 3.0, ..nozzle })?);
    /// assert_eq!(air.remove_source(id).map(|source| source.smoke), Some(3.0));
    /// assert!(air.source(id).is_none());
    /// # Ok::<(), blob_fluid::air::AirError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the error of [`AirSource::validate`].
    pub fn insert_source(&mut self, source: AirSource) -> Result<AirSourceId, AirError> {
        source.validate()?;
        Ok(self.sources.insert(source))
    }

    /// Replaces a source, and returns false if it was removed.
    ///
    /// # Errors
    ///
    /// Returns the error of [`AirSource::validate`]; then the old source stays.
    pub fn set_source(&mut self, id: AirSourceId, source: AirSource) -> Result<bool, AirError> {
        source.validate()?;
        let index = self.sources.index_of(id);
        if let Some(index) = index {
            self.sources[index] = source;
        }
        Ok(index.is_some())
    }

    /// Removes a source, and returns it; `None` if it was removed before.
    pub fn remove_source(&mut self, id: AirSourceId) -> Option<AirSource> {
        let index = self.sources.index_of(id)?;
        Some(self.sources.remove(index))
    }

    /// A source; `None` if it was removed.
    pub fn source(&self, id: AirSourceId) -> Option<&AirSource> {
        self.sources.find(id)
    }

    /// The handles of all sources, in the order of [`sources`](Self::sources).
    pub fn source_ids(
        &self,
    ) -> impl ExactSizeIterator<Item = AirSourceId> + DoubleEndedIterator + Clone + '_ {
        self.sources.entries().map(|(id, _)| id)
    }

    /// All sources, in the order in which they were added.
    pub fn sources(&self) -> &[AirSource] {
        &self.sources
    }

    /// Replaces all sources. The handles of the previous sources become invalid.
    ///
    /// # Errors
    ///
    /// Returns the error of [`AirSource::validate`] for the first invalid source; then the old
    /// sources stay.
    pub fn set_sources(&mut self, sources: Vec<AirSource>) -> Result<(), AirError> {
        sources.iter().try_for_each(AirSource::validate)?;
        self.sources.clear();
        for source in sources {
            self.sources.insert(source);
        }
        Ok(())
    }

    /// The numbers of a channel, one for each cell, row by row from the lower left one; empty if it
    /// was never used.
    pub fn channel(&self, channel: AirChannel) -> &[f32] {
        &self.channels[channel as usize]
    }

    /// Replaces the numbers of a channel: one for each cell, each within ±1000000. Cells without air keep 0. When you
    /// set the first colour, smoke gets all three colours, and existing smoke becomes white.
    ///
    /// # Errors
    ///
    /// Returns [`AirError`] for a list of another length and for a number outside the range.
    pub fn set_channel(&mut self, channel: AirChannel, values: &[f32]) -> Result<(), AirError> {
        check_length(values, self.grid.cells())?;
        AMOUNT.check_all(values.iter().copied())?;
        self.use_colours_for(channel);
        let cells = &mut self.channels[channel as usize];
        cells.clear();
        cells.extend_from_slice(values);
        self.solids.empty_solid_cells(cells);
        Ok(())
    }

    /// Sets a channel to a value, within ±1000000, in the cells of a region, and returns the number of
    /// these cells. The cells of a region are the cells with air whose centres are inside, or, without
    /// any centre inside, the cell around the region's centre. Smoke that is set this way is white. A
    /// region outside of the rectangle changes nothing.
    ///
    /// ```
    /// use blob_fluid::air::{Air, AirChannel, AirSettings, AirSides};
    /// use blob_fluid::{FluidBounds, FluidRegion};
    /// use glam::Vec2;
    /// let room = FluidBounds { low: Vec2::ZERO, high: Vec2::new(40.0, 20.0) };
    /// let mut air = Air::new(room, 2.0, AirSettings::default(), AirSides::default())?;
    /// let left_half = FluidRegion::rectangle(Vec2::new(10.0, 10.0), Vec2::splat(10.0))?;
    /// assert_eq!(air.fill_channel(AirChannel::Smoke, &left_half, 0.5)?, 100);
    /// assert_eq!(air.amount(AirChannel::Smoke), 200.0);
    /// let error = air.fill_channel(AirChannel::Heat, &left_half, f32::NAN).unwrap_err();
    /// assert_eq!(error.to_string(), "air: amount is NaN, and must be within ±1000000");
    /// # Ok::<(), blob_fluid::air::AirError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`AirError::OutOfRange`] for a value outside the range.
    pub fn fill_channel(
        &mut self,
        channel: AirChannel,
        region: &FluidRegion,
        value: f32,
    ) -> Result<usize, AirError> {
        AMOUNT.check(value)?;
        let (grid, mut filled) = (self.grid, Vec::new());
        grid.for_each_cell_in(region, |cell| filled.push(cell));
        filled.retain(|cell| self.solids.passages[*cell] != 0);
        self.use_colours_for(channel);
        let white = channel == AirChannel::Smoke && self.has_colours();
        let colours = AirChannel::COLOUR.into_iter().filter(|_| white);
        for channel in std::iter::once(channel).chain(colours) {
            let cells = self.channel_mut(channel);
            filled.iter().for_each(|cell| cells[*cell] = value);
        }
        Ok(filled.len())
    }

    /// Velocities to the right across the vertical faces, in world units/s: `columns + 1` for each
    /// row, from the lower left one.
    pub fn velocities_x(&self) -> &[f32] {
        &self.velocity_x
    }

    /// Velocities upwards across the horizontal faces, in world units/s: `columns` for each of
    /// `rows + 1` rows, from the lower left one.
    pub fn velocities_y(&self) -> &[f32] {
        &self.velocity_y
    }

    /// Replaces all velocities, in the order of [`velocities_x`](Self::velocities_x) and
    /// [`velocities_y`](Self::velocities_y); each within ±1e12. The next step removes their
    /// divergence.
    ///
    /// # Errors
    ///
    /// Returns [`AirError`] for a list of another length and for a number outside the range.
    pub fn set_velocities(&mut self, x: &[f32], y: &[f32]) -> Result<(), AirError> {
        check_length(x, self.velocity_x.len())?;
        check_length(y, self.velocity_y.len())?;
        SPEED.check_all(x.iter().chain(y).copied())?;
        self.velocity_x.copy_from_slice(x);
        self.velocity_y.copy_from_slice(y);
        self.at_rest = false;
        Ok(())
    }

    /// Pressures of the cells relative to air at rest, in mass/area times square world units/s²,
    /// row by row from the lower left one. In a part of the air without an opening, the mean
    /// pressure is 0.
    pub fn pressures(&self) -> &[f32] {
        &self.pressure
    }

    /// Condensed vapour that is not a particle yet, as area of liquid in square world units; slightly
    /// below 0 if a particle appeared slightly early. Condensation conserves the sum of this area, the
    /// [amount](Self::amount) of [`AirChannel::Vapour`] and the area of the particles.
    pub fn condensate(&self) -> f64 {
        self.condensate
    }

    /// Stops the air and empties all channels. Settings, sides, solids and sources stay.
    pub fn clear(&mut self) {
        self.velocity_x.fill(0.0);
        self.velocity_y.fill(0.0);
        self.pressure.fill(0.0);
        self.channels.iter_mut().for_each(Vec::clear);
        self.condensate = 0.0;
        self.expansion.clear();
        self.time = 0.0;
    }

    /// Whether smoke has colours.
    pub(crate) fn has_colours(&self) -> bool {
        !self.channels[AirChannel::Red as usize].is_empty()
    }

    /// Gives colours to smoke. Existing smoke is white.
    pub(crate) fn use_colours(&mut self) {
        if !self.has_colours() {
            let smoke = self.channel_mut(AirChannel::Smoke).to_vec();
            for colour in AirChannel::COLOUR {
                self.channel_mut(colour).copy_from_slice(&smoke);
            }
        }
    }

    /// Gives colours to smoke if the channel is one of them.
    fn use_colours_for(&mut self, channel: AirChannel) {
        if AirChannel::COLOUR.contains(&channel) {
            self.use_colours();
        }
    }

    /// The cells of a channel, created if it was never used.
    pub(crate) fn channel_mut(&mut self, channel: AirChannel) -> &mut [f32] {
        let cells = self.grid.cells();
        let values = &mut self.channels[channel as usize];
        values.resize(cells, 0.0);
        values
    }

    /// A hash (FNV-1a) of velocities, pressures, channels and condensate. Two states have the same hash if these
    /// quantities are bit-identical.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        let [smoke, heat, fuel, vapour, red, green, blue] = &self.channels;
        let lists = [&self.velocity_x, &self.velocity_y, &self.pressure];
        let channels = [smoke, heat, fuel, red, green, blue];
        // An unused vapour channel does not change the hash.
        let vapour = (!vapour.is_empty()).then_some(vapour);
        for list in lists.into_iter().chain(channels).chain(vapour) {
            hash.add(list.len() as u64);
            list.iter().for_each(|value| hash.add_number(*value));
        }
        if self.condensate != 0.0 {
            hash.add(self.condensate.to_bits());
        }
        hash.0
    }
}

fn check_length(values: &[f32], expected: usize) -> Result<(), AirError> {
    let found = values.len();
    if found == expected { Ok(()) } else { Err(AirError::Length { found, expected }) }
}

// The report of a step.

/// Result of a step of the air.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct AirReport {
    /// Number of iterations of the [projection](crate::air::AirProjection).
    pub iterations: u32,
    /// Root mean square of the divergence after the projection, divided by the divergence before the projection; 0 if
    /// the divergence before was 0.
    pub residual: f32,
    /// Largest divergence of a cell after the step, in 1/s.
    pub divergence: f32,
    /// Largest velocity across a face after the step, in world units/s.
    pub max_speed: f32,
    /// Mean divergence that the projection could not remove, in 1/s, because inflow and outflow differ in a part of the
    /// air without an opening. Such a scene needs an opening.
    pub blocked_inflow: f32,
    /// A place in the part of the air with the largest [blocked inflow](Self::blocked_inflow), in
    /// world units; `None` if inflow equals outflow in all parts.
    pub blocked_at: Option<Vec2>,
    /// Number of particles that turned into air
    /// ([`FluidThermal::into_air`](crate::FluidThermal::into_air)).
    pub evaporated: u32,
    /// Number of particles that formed from vapour.
    pub condensed: u32,
}

// The effect of a liquid on the air: its share of the faces.

/// The liquid's share of every face, and its velocity there. Empty lists stand for no liquid.
///
/// The flux through a face is `open ((1 - a) u + a u_liquid) + (1 - open) u_solid`, and the pressure
/// changes it in proportion to `open ((1 - a) + a r)`. Here `a` is the liquid's share, and `r` the
/// ratio of the densities of air and of the liquid there.
pub(crate) type LiquidShare = SavedAirLiquid;

/// The liquid that covers faces of cells of air. Each list has a number for each face, or all are empty.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SavedAirLiquid {
    /// For each vertical face, the part of it that liquid covers, 0 to 1.
    pub share_x: Vec<f32>,
    /// For each horizontal face, the part of it that liquid covers, 0 to 1.
    pub share_y: Vec<f32>,
    /// Velocities of the liquid across the vertical faces, in world units/s; each within ±1e16. The projection changes
    /// them like the air's.
    pub velocity_x: Vec<f32>,
    /// Velocities of the liquid across the horizontal faces, in world units/s; each within ±1e16.
    pub velocity_y: Vec<f32>,
    /// For each vertical face, the density of air divided by the density of the liquid there, 0 to 1.
    pub ratio_x: Vec<f32>,
    /// For each horizontal face, the density of air divided by the density of the liquid there, 0 to 1.
    pub ratio_y: Vec<f32>,
}

impl SavedAirLiquid {
    /// Whether there is any liquid.
    pub(crate) fn is_present(&self) -> bool {
        !self.share_x.is_empty()
    }

    /// All lists, in the order of the snapshot.
    #[cfg(feature = "snapshot")]
    pub(crate) fn lists(&self) -> [&Vec<f32>; 6] {
        let Self { share_x, share_y, velocity_x, velocity_y, ratio_x, ratio_y } = self;
        [share_x, share_y, velocity_x, velocity_y, ratio_x, ratio_y]
    }

    /// Removes all liquid.
    pub(crate) fn clear(&mut self) {
        let Self { share_x, share_y, velocity_x, velocity_y, ratio_x, ratio_y } = self;
        for list in [share_x, share_y, velocity_x, velocity_y, ratio_x, ratio_y] {
            list.clear();
        }
    }
}
