//! How finely liquid is baked.

use crate::settings::declare::settings;
use crate::settings::range::OutOfRange;
use crate::settings::visit::Settings;
use crate::stored::stored;

settings! {
    /// How finely a [`FluidBaker`](crate::FluidBaker) bakes a liquid.
    ///
    /// ```
    /// use blob_fluid::BakeSettings;
    /// let for_phones = BakeSettings { frame_rate: 30.0, ..Default::default() };
    /// assert!(for_phones.validate().is_ok());
    /// assert!(BakeSettings { position_step: 0.0, ..Default::default() }.validate().is_err());
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct BakeSettings: Default as "bake" {
        /// How many frames a second has. Between two frames, particles are shown on the straight way.
        pub frame_rate: f32 [1 to 240] in "1/s" = 60,
        /// Distance of the places at which particles are shown.
        ///
        /// A particle is shown at most half of it from where it was, along each axis. Half of the default is an
        /// eighth of a pixel where particles are 16 pixels apart. Four times as fine takes about half a byte more
        /// for each particle and frame of a splash.
        pub position_step: f32 [0.002 to 0.5] in "particle spacings" = 0.015625,
        /// Difference of the temperatures that are told apart.
        pub temperature_step: f32 [above 0 to 1000] in "degrees" = 1,
        /// Number of frames from one key frame to the next.
        ///
        /// A jump to another moment begins at a key frame, so that it unpacks at most so many frames. A key
        /// frame takes about five times the room of another one.
        pub key_interval: u32 [1 to 1000] in "frames" = 30,
    }
}

stored!(settings BakeSettings, check Self::validate);

impl BakeSettings {
    /// Checks every field.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        self.check()
    }
}
