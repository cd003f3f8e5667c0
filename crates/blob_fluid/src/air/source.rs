//! Sources of smoke, heat, fuel, vapour, colour and wind.

use glam::Vec2;

use crate::air::settings::AirChannel;
use crate::air::state::{Air, AirError};
use crate::boundary::collider_record::declare_handle;
use crate::geometry::bounds::FluidRegion;
use crate::settings::declare::settings;
use crate::settings::visit::Settings;
use crate::stored::stored;

declare_handle! {
    /// A handle of a source of [`Air`](crate::air::Air). It is valid until that source is removed, and
    /// never refers to another source of that air.
    AirSourceId
}

settings! {
    /// A wind in a source.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
    pub struct Wind {
        /// Velocity that the air inside is driven towards.
        pub velocity: Vec2 [within 1e12] in "world units/s",
        /// Rate at which the air's velocity becomes the wind's.
        ///
        /// `None` (default) for at once.
        #[serde(default)]
        pub strength: Option<f32> [0 to 1e12] in "1/s" = { None },
    }
}

settings! {
    /// The embers of a fire: the heat that liquid has to take away to put it out.
    ///
    /// Liquid in the source gets hot by the embers, and boils away where its class says so; what heat it gets
    /// the embers lose, by the [`heat_capacity`](crate::air::AirSettings::heat_capacity) and the
    /// [`degrees_per_heat`](crate::air::AirSettings::degrees_per_heat) of the air. Liquid that becomes fuel
    /// takes none. Where the air is too cold for fuel to burn in nine cells of ten, embers cool down within
    /// a second. Where it burns they are heated again by the [`heat`](AirSource::heat) of the source. With
    /// less than half of their heat the source gives less, and nothing where liquid fills its cells.
    ///
    /// ```
    /// use blob_fluid::air::{AirEmbers, AirSource};
    /// use blob_fluid::FluidRegion;
    /// use glam::Vec2;
    /// let hearth = FluidRegion::circle(Vec2::ZERO, 25.0)?;
    /// let embers = Some(AirEmbers::default());
    /// let mut fire = AirSource { fuel: 6.0, heat: 3.0, embers, ..AirSource::new(hearth) };
    /// assert!(fire.is_lit());
    /// fire.embers = Some(AirEmbers { left: 0.0, ..AirEmbers::default() });
    /// assert!(!fire.is_lit(), "it gives nothing until somebody lights it again");
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct AirEmbers: Default {
        /// Heat of glowing embers, which is to be taken away.
        ///
        /// That of so much air as covers the source.
        pub heat: f32 [0.001 to 1000000] = 10,
        /// Share of the heat that is left.
        ///
        /// At 0 the fire is out, and stays out until this is set to more.
        pub left: f32 [0 to 1] = 1,
    }
}

settings! {
    /// A region in which smoke, heat, fuel, vapour, colour or wind come into the air.
    ///
    /// It fills cells whose centres are inside, and does nothing outside the grid. A region that covers
    /// no centre of a cell fills the cell around its own centre.
    ///
    /// ```
    /// use blob_fluid::{FluidRegion, air::AirSource};
    /// use glam::Vec2;
    /// let chimney = AirSource { smoke: 2.0, heat: 4.0, ..AirSource::new(FluidRegion::circle(Vec2::ZERO, 5.0)?) };
    /// assert!(chimney.validate().is_ok());
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
    pub struct AirSource as "air source" {
        /// Where it is.
        pub region: FluidRegion,
        /// Smoke that comes in.
        ///
        /// Smoke does not fall below 0.
        #[serde(default)]
        pub smoke: f32 [within 1000000] in "1/s" = 0,
        /// Heat that comes in; negative cools.
        #[serde(default)]
        pub heat: f32 [within 1000000] in "1/s" = 0,
        /// Fuel that comes in.
        ///
        /// Fuel does not fall below 0.
        #[serde(default)]
        pub fuel: f32 [within 1000000] in "1/s" = 0,
        /// Vapour that comes in.
        ///
        /// It is area of liquid per area of air. Vapour does not fall below 0.
        #[serde(default)]
        pub vapour: f32 [within 1000000] in "1/s" = 0,
        /// Red, green and blue of the smoke.
        ///
        /// The colours of the air grow by `colour` times `smoke` per second. `None` (default) for white.
        #[serde(default)]
        pub colour: Option<[f32; 3]> [within 1000000] = { None },
        /// Volume that comes in, as a share of each cell.
        #[serde(default)]
        pub expansion: f32 [within 1000000] in "1/s" = 0,
        /// Wind; `None` (default) for none.
        #[serde(default)]
        pub wind: Option<Wind> [group] = { None },
        /// Embers, without which nothing comes in but wind; `None` (default) for a source that nothing puts out.
        #[serde(default)]
        pub embers: Option<AirEmbers> [group] = { None },
        /// Whether `smoke`, `heat`, `fuel`, `vapour` and `expansion` come in all at once in the next step, as amounts, and
        /// the source is then removed. Default no.
        #[serde(default)]
        pub burst: bool = { false },
    }
}

stored!(settings Wind, checked by AirSource);
stored!(settings AirEmbers, checked by AirSource);

impl AirSource {
    /// A source in a region from which nothing comes.
    pub fn new(region: FluidRegion) -> Self {
        Self {
            region,
            smoke: 0.0,
            heat: 0.0,
            fuel: 0.0,
            vapour: 0.0,
            colour: None,
            expansion: 0.0,
            wind: None,
            embers: None,
            burst: false,
        }
    }

    /// Whether it gives smoke, heat, fuel, vapour and volume: it has no embers, or they are not out.
    pub fn is_lit(&self) -> bool {
        self.embers.is_none_or(|embers| embers.left > 0.0)
    }

    /// Checks every number.
    ///
    /// # Errors
    ///
    /// Returns [`AirError::OutOfRange`] for a number outside its range.
    pub fn validate(&self) -> Result<(), AirError> {
        Ok(self.check()?)
    }
}

// Sources fill their cells.

impl Air {
    /// Adds what the sources give in a step, and removes those that give all at once.
    pub(super) fn apply_sources(&mut self, time_step: f32) {
        let mut sources = std::mem::take(&mut self.sources);
        for source in sources.iter_mut() {
            if source.is_lit() {
                self.fill(source, time_step);
            }
            self.blow(source, time_step);
            source.embers = self.tend(source, time_step).or(source.embers);
        }
        self.sources = sources;
        self.sources.retain(|source| !source.burst);
    }

    /// Red, green and blue that come with smoke. Where there are colours, smoke that has none is white.
    pub(super) fn colours_of(&mut self, smoke: f32, colour: Option<[f32; 3]>) -> [f32; 3] {
        if colour.is_some() && smoke != 0.0 {
            self.use_colours();
        }
        let colour = if self.has_colours() { colour.unwrap_or([1.0; 3]) } else { [0.0; 3] };
        colour.map(|part| part * smoke)
    }

    fn fill(&mut self, source: &AirSource, time_step: f32) {
        let time = if source.burst { 1.0 } else { time_step };
        let [red, green, blue] = self.colours_of(source.smoke, source.colour);
        let rates = [source.smoke, source.heat, source.fuel, source.vapour, red, green, blue];
        let grid = self.grid;
        // Flames burn in the air. If they went on where liquid lies, heat would gather there, because
        // liquid holds the air fast that would carry it away.
        let drowns = source.embers.is_some();
        let strength = source.strength();
        let mut filled = Vec::new();
        grid.for_each_cell_in(&source.region, |cell| {
            if self.solids.passages[cell] != 0 {
                let wet = if drowns { self.liquid_share_of(cell) } else { 0.0 };
                filled.push((cell, strength * (1.0 - wet)));
            }
        });
        for (channel, rate) in AirChannel::ALL.into_iter().zip(rates) {
            if rate == 0.0 {
                continue;
            }
            // There is no negative smoke; there may be cold.
            let least = if channel == AirChannel::Heat { f32::MIN } else { 0.0 };
            let added = rate * time;
            let cells = self.channel_mut(channel);
            for (cell, part) in &filled {
                let sum = cells[*cell] + part * added;
                cells[*cell] = sum.clamp(least.max(-LARGEST_AMOUNT), LARGEST_AMOUNT);
            }
        }
        if source.expansion != 0.0 {
            // The projection takes a rate. Its bound keeps velocities finite in the shortest steps.
            let rate = if source.burst {
                (source.expansion / time_step).clamp(-1e12, 1e12)
            } else {
                source.expansion
            };
            self.expansion.resize(grid.cells(), 0.0);
            for (cell, part) in &filled {
                self.expansion[*cell] += part * rate;
            }
        }
    }

    fn blow(&mut self, source: &AirSource, time_step: f32) {
        let Some(wind) = source.wind else { return };
        // Half of each cell's part for both of its faces along an axis.
        let share = wind.strength.map_or(1.0, |strength| {
            let way = strength * time_step;
            if way.is_finite() { way / (1.0 + way) } else { 1.0 }
        });
        let each = 0.5 * share;
        let (grid, columns) = (self.grid, self.grid.columns);
        let mut faces_x = vec![0.0_f32; 0];
        let mut faces_y = vec![0.0_f32; 0];
        faces_x.resize(grid.faces_x(), 0.0);
        faces_y.resize(grid.faces_y(), 0.0);
        grid.for_each_cell_in(&source.region, |index| {
            let left = index / columns * (columns + 1) + index % columns;
            for face in [left, left + 1] {
                faces_x[face] += each;
            }
            for face in [index, index + columns] {
                faces_y[face] += each;
            }
        });
        let lists = [
            (&mut self.velocity_x, faces_x, wind.velocity.x),
            (&mut self.velocity_y, faces_y, wind.velocity.y),
        ];
        for (velocities, parts, goal) in lists {
            for (velocity, part) in velocities.iter_mut().zip(parts) {
                *velocity += part * (goal - *velocity);
            }
        }
    }
}

/// Largest value of a channel, so that nothing overflows.
pub(super) const LARGEST_AMOUNT: f32 = 1e9;
