//! Gradients that come with the plugin. `assets/gradients` holds the same gradients as files, to be
//! copied and changed.

use super::gradient::{FluidGradient, FluidGradientStop};

/// Position, and red, green and blue as one number.
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

/// A rainbow without false edges (Mikhailov's Turbo).
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

/// Blue over grey to red: for quantities with a centre (Moreland's diverging map).
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
    /// Names of the gradients that come with the plugin.
    pub const BUILT_IN: [&str; ALL.len()] = [ALL[0].0, ALL[1].0, ALL[2].0, ALL[3].0, ALL[4].0];

    /// One of the gradients that come with the plugin, by its name ([`BUILT_IN`](Self::BUILT_IN)).
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
    /// Viridis.
    fn default() -> Self {
        Self::of(VIRIDIS)
    }
}
