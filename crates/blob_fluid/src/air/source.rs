//! Sources of smoke, heat, fuel, vapour, colour and wind.

use glam::Vec2;

use crate::air::grid::AirError;
use crate::boundary::slots::declare_handle;
use crate::geometry::region::FluidRegion;
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
    /// Liquid in the source gets hot by the embers, and boils away where its class says so. The embers lose
    /// the heat that the liquid receives, by the [`heat_capacity`](crate::air::AirSettings::heat_capacity) and the
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
        /// Heat of glowing embers, which liquid has to take away.
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
        /// Embers, without which only wind comes in; `None` (default) for a source that cannot be put out.
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
    /// A source in a region that emits nothing yet.
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

    /// Whether it emits smoke, heat, fuel, vapour and volume: it has no embers, or they are not out.
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
