//! Gradients: colours along a scale.

use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Colours along a scale, from a low end to a high end.
///
/// Between two stops, colours are mixed in Oklab, which is perceptually even. Below the first stop
/// and above the last stop, they are constant.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::{FluidGradient, FluidGradientStop};
///
/// let stop = |position, color| FluidGradientStop { position, color };
/// let embers = FluidGradient::new([
///     stop(0.0, [0.1, 0.0, 0.0, 1.0]),
///     stop(1.0, [1.0, 0.8, 0.3, 1.0]),
/// ])?;
/// assert_eq!(embers.color(1.0), Color::srgb(1.0, 0.8, 0.3));
/// # Ok::<(), bevy_blob_fluid::FluidGradientError>(())
/// ```
///
/// As an asset, it is a `*.gradient.ron` file. If Bevy watches files, the file may change while the
/// game runs:
///
/// ```
/// use bevy_blob_fluid::FluidGradient;
///
/// let gradient = FluidGradient::from_ron(
///     "(stops: [
///         (position: 0, color: (0.1, 0, 0, 1)),
///         (position: 1, color: (1, 0.8, 0.3, 1)),
///     ])",
/// )?;
/// assert_eq!(gradient.stops().len(), 2);
/// # Ok::<(), bevy_blob_fluid::FluidGradientError>(())
/// ```
#[derive(Asset, Reflect, Clone, Debug, PartialEq)]
#[reflect(opaque, Debug, PartialEq)]
pub struct FluidGradient {
    pub(super) stops: Vec<FluidGradientStop>,
}

/// A colour at a position of a [`FluidGradient`].
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[reflect(Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct FluidGradientStop {
    /// Position on the scale: 0 is the low end, 1 is the high end.
    pub position: f32,
    /// Red, green, blue and alpha in sRGB, each 0 to 1.
    pub color: [f32; 4],
}

/// Errors of a gradient. Stops are counted from 1.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FluidGradientError {
    /// The text is not a gradient; the message begins with line and column.
    #[error("{0}")]
    Syntax(Box<ron::error::SpannedError>),
    /// The file is not UTF-8.
    #[error("not a text")]
    NotText,
    /// The gradient has fewer than two stops.
    #[error("gradient: a gradient of {stops} stops, and there must be 2 or more")]
    TooFew {
        /// Number of stops.
        stops: usize,
    },
    /// The position of a stop is outside of 0 to 1, or is NaN.
    #[error("gradient: position of stop {stop} is {position}, and must be between 0 and 1")]
    Position {
        /// Number of the stop.
        stop: usize,
        /// Position of the stop.
        position: f32,
    },
    /// A stop has a lower position than the previous stop.
    #[error(
        "gradient: position of stop {stop} is {position}, and must not be below {before}, where the \
         stop before it is"
    )]
    Order {
        /// Number of the stop.
        stop: usize,
        /// Position of the stop.
        position: f32,
        /// Position of the previous stop.
        before: f32,
    },
    /// A channel of a colour is out of range.
    #[error("gradient: {channel} of stop {stop} is {value}, and must be between 0 and 1")]
    Color {
        /// Number of the stop.
        stop: usize,
        /// Name of the channel: red, green, blue or alpha.
        channel: &'static str,
        /// Value of the channel.
        value: f32,
    },
}

/// A gradient as serialised.
#[derive(Deserialize)]
#[serde(rename = "FluidGradient", deny_unknown_fields)]
struct Written {
    stops: Vec<FluidGradientStop>,
}

impl FluidGradient {
    /// Number of colours that [`colors`](Self::colors) returns.
    pub const COLORS: usize = 256;

    /// A gradient of colours at positions in ascending order. Two stops at the same position make a
    /// hard edge.
    ///
    /// # Errors
    ///
    /// [`FluidGradientError`] names the first invalid stop.
    pub fn new(
        stops: impl IntoIterator<Item = FluidGradientStop>,
    ) -> Result<Self, FluidGradientError> {
        let stops: Vec<FluidGradientStop> = stops.into_iter().collect();
        if stops.len() < 2 {
            return Err(FluidGradientError::TooFew { stops: stops.len() });
        }
        let mut before = 0.0;
        for (index, FluidGradientStop { position, color }) in stops.iter().enumerate() {
            let (stop, position) = (index + 1, *position);
            if !(0.0..=1.0).contains(&position) {
                return Err(FluidGradientError::Position { stop, position });
            }
            if position < before {
                return Err(FluidGradientError::Order { stop, position, before });
            }
            before = position;
            for (channel, value) in ["red", "green", "blue", "alpha"].into_iter().zip(color) {
                if !(0.0..=1.0).contains(value) {
                    return Err(FluidGradientError::Color { stop, channel, value: *value });
                }
            }
        }
        Ok(Self { stops })
    }

    /// Reads a gradient from RON text.
    ///
    /// # Errors
    ///
    /// [`FluidGradientError::Syntax`] with line and column, and the errors of
    /// [`FluidGradient::new`].
    pub fn from_ron(text: &str) -> Result<Self, FluidGradientError> {
        let written: Written =
            ron::from_str(text).map_err(|error| FluidGradientError::Syntax(Box::new(error)))?;
        Self::new(written.stops)
    }

    /// The stops, in ascending order.
    pub fn stops(&self) -> &[FluidGradientStop] {
        &self.stops
    }

    /// The colour at a position on the scale: 0 is the low end, 1 is the high end. A position beyond an end has the
    /// colour of that end; NaN has the colour of one of the ends.
    pub fn color(&self, position: f32) -> Color {
        let of = |stop: &FluidGradientStop| {
            let [red, green, blue, alpha] = stop.color;
            Srgba::new(red, green, blue, alpha)
        };
        let next = self.stops.partition_point(|stop| stop.position <= position);
        let (Some(after), Some(before)) =
            (self.stops.get(next), next.checked_sub(1).map(|before| &self.stops[before]))
        else {
            let end = if next == 0 { self.stops.first() } else { self.stops.last() };
            return end.map_or(Color::WHITE, |end| of(end).into());
        };
        let share = (position - before.position) / (after.position - before.position);
        if share == 0.0 {
            // Returns the exact colour of the stop, which a conversion through Oklab would round.
            return of(before).into();
        }
        let mixed = Oklaba::from(of(before)).mix(&of(after).into(), share);
        // The mixed colour may be outside sRGB, so it is clamped.
        let Srgba { red, green, blue, alpha } = mixed.into();
        Color::srgba(red.clamp(0.0, 1.0), green.clamp(0.0, 1.0), blue.clamp(0.0, 1.0), alpha)
    }

    /// [`COLORS`](Self::COLORS) colours of the gradient at even distances, from position 0 to position 1.
    pub fn colors(&self) -> impl Iterator<Item = Color> + '_ {
        (0..Self::COLORS).map(|index| self.color(index as f32 / (Self::COLORS - 1) as f32))
    }
}

// The loader of gradients.

/// Reads `*.gradient.ron` files.
#[derive(Default, TypePath)]
pub struct FluidGradientLoader;

/// Errors of [`FluidGradientLoader`].
#[derive(Debug, Error)]
pub enum FluidGradientLoaderError {
    /// The file could not be read.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// Error from the asset reader.
        error: std::io::Error,
    },
    /// The file is not a gradient.
    #[error("{path}:{error}")]
    Gradient {
        /// The file.
        path: String,
        /// Error in the text.
        error: FluidGradientError,
    },
}

impl AssetLoader for FluidGradientLoader {
    type Asset = FluidGradient;
    type Settings = ();
    type Error = FluidGradientLoaderError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<FluidGradient, FluidGradientLoaderError> {
        let path = || context.path().to_string();
        let mut bytes = Vec::new();
        let read = reader.read_to_end(&mut bytes).await;
        read.map_err(|error| FluidGradientLoaderError::Read { path: path(), error })?;
        let text = str::from_utf8(&bytes).map_err(|_| FluidGradientError::NotText);
        let gradient = text.and_then(FluidGradient::from_ron);
        gradient.map_err(|error| FluidGradientLoaderError::Gradient { path: path(), error })
    }

    fn extensions(&self) -> &[&str] {
        &["gradient.ron"]
    }
}

// Built-in gradients. `assets/gradients` holds the same gradients as files, for copying and
// changing.

/// Position, and red, green and blue in one number.
type Stops = &'static [(f32, u32)];

/// Dark violet over green to yellow: perceptually even, also for colour-blind people (matplotlib's
/// viridis).
const VIRIDIS: Stops = &[
    (0.0, 0x44_01_54),
    (0.125, 0x47_2d_7b),
    (0.25, 0x3b_52_8b),
    (0.375, 0x2c_72_8e),
    (0.5, 0x21_91_8c),
    (0.625, 0x28_ae_80),
    (0.75, 0x5e_c9_62),
    (0.875, 0xad_dc_30),
    (1.0, 0xfd_e7_25),
];

/// A rainbow without perceived edges that the data lack (Mikhailov's Turbo).
const TURBO: Stops = &[
    (0.0, 0x30_12_3b),
    (0.111, 0x46_62_d7),
    (0.222, 0x35_ab_f8),
    (0.333, 0x1a_e4_b6),
    (0.444, 0x71_fe_5f),
    (0.556, 0xc8_ef_34),
    (0.667, 0xfa_ba_39),
    (0.778, 0xf6_6b_19),
    (0.889, 0xca_2a_04),
    (1.0, 0x7a_04_03),
];

/// Glowing bodies: dark embers over orange to white.
const HEAT: Stops = &[
    (0.0, 0x2b_0d_12),
    (0.3, 0x8c_1a_12),
    (0.55, 0xe2_4b_0e),
    (0.78, 0xfd_b0_2f),
    (1.0, 0xff_fb_e3),
];

/// Deep water over ice to snow.
const ICE: Stops = &[
    (0.0, 0x0c_1c_44),
    (0.35, 0x1f_5f_a8),
    (0.65, 0x5f_b8_e0),
    (0.85, 0xb9_e8_f5),
    (1.0, 0xff_ff_ff),
];

/// Blue over grey to red, for quantities with a centre (Moreland's diverging map).
const COOL_WARM: Stops = &[
    (0.0, 0x3b_4c_c0),
    (0.25, 0x8d_b0_fe),
    (0.5, 0xdd_dd_dd),
    (0.75, 0xf4_98_7a),
    (1.0, 0xb4_04_26),
];

const ALL: [(&str, Stops); 5] = [
    ("viridis", VIRIDIS),
    ("turbo", TURBO),
    ("heat", HEAT),
    ("ice", ICE),
    ("cool_warm", COOL_WARM),
];

impl FluidGradient {
    /// Names of the built-in gradients.
    pub const BUILT_IN: [&str; ALL.len()] = [ALL[0].0, ALL[1].0, ALL[2].0, ALL[3].0, ALL[4].0];

    /// A built-in gradient, by its name ([`BUILT_IN`](Self::BUILT_IN)).
    ///
    /// ```
    /// use bevy_blob_fluid::FluidGradient;
    /// assert!(FluidGradient::built_in("turbo").is_some());
    /// assert!(FluidGradient::BUILT_IN.iter().all(|name| FluidGradient::built_in(name).is_some()));
    /// ```
    pub fn built_in(name: &str) -> Option<Self> {
        let (_, stops) = ALL.into_iter().find(|(built_in, _)| *built_in == name)?;
        Some(Self::of(stops))
    }

    fn of(stops: Stops) -> Self {
        let stop = |(position, color): &(f32, u32)| {
            let [_, red, green, blue] = color.to_be_bytes().map(|part| f32::from(part) / 255.0);
            FluidGradientStop { position: *position, color: [red, green, blue, 1.0] }
        };
        Self { stops: stops.iter().map(stop).collect() }
    }
}

impl Default for FluidGradient {
    /// The built-in gradient `viridis`.
    fn default() -> Self {
        Self::of(VIRIDIS)
    }
}
