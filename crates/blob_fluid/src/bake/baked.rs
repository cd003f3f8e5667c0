//! Baked liquid as a value, and as bytes.

use crate::bake::frame::is_key;
use crate::bake::moment::column;
use crate::bake::settings::BakeSettings;
use crate::settings::parameters::FluidParameters;
use crate::settings::range::find_in;
use crate::settings::visit::Settings;
use crate::snapshot::file::{SnapshotFile, entries};
use crate::stored::arrays::{load_array, store_array};
use crate::stored::error::{SnapshotError, ensure};
use crate::stored::numbers::Numbers;
use crate::stored::reader::Reader;
use crate::stored::writer::{Stored, Writer};

/// Name of the only entry of a baked liquid's own file.
const BAKED: &str = "baked";

/// A liquid that was simulated once, as frames: to be shown without simulating it, for cut scenes and for devices
/// that are too weak. A [`FluidBaker`](crate::FluidBaker) makes it, and a [`BakedPlayer`](crate::BakedPlayer) shows
/// it.
///
/// It holds what a look needs: places, classes, densities, opacities, temperatures, and paint if a class takes it.
/// It is no simulation and decides no future: nothing collides with it, and nothing continues from it.
///
/// | number | kept in steps of | off by at most |
/// |---|---|---|
/// | position, each coordinate | [`position_step`](BakeSettings::position_step) | half a step |
/// | temperature | [`temperature_step`](BakeSettings::temperature_step) | half a step |
/// | relative density, up to 8 | 1/32 | 1/64 |
/// | opacity, and the square root of each colour of paint | 1/255 | 1/510 |
///
/// To that come the roundings of 32 bits. What is shown has the same bits on every platform. It is an entry of a
/// [`SnapshotFile`], so that a game can put its own state beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedFluid {
    pub(super) settings: BakeSettings,
    /// Distance of particles at rest, in world units.
    pub(super) particle_spacing: f32,
    /// Names of the classes, by their index.
    pub(super) classes: Vec<String>,
    pub(super) has_paint: bool,
    /// All frames, one after the other.
    pub(super) bytes: Vec<u8>,
    /// Where each frame ends.
    pub(super) ends: Vec<usize>,
}

entries! { "baked fluid": BakedFluid }

impl Stored for BakedFluid {
    fn store(&self, to: &mut Writer) {
        let Self { settings, particle_spacing, classes, has_paint, bytes, ends } = self;
        settings.store(to);
        particle_spacing.store_numbers(to);
        classes.store(to);
        has_paint.store(to);
        let starts = [0].into_iter().chain(ends.iter().copied());
        let lengths: Vec<u32> = starts.zip(ends).map(|(start, end)| (end - start) as u32).collect();
        store_array(&lengths, to);
        store_array(bytes, to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let settings: BakeSettings = Stored::load(from)?;
        let spacings = find_in(FluidParameters::ROWS, "particle_spacing").limits;
        let particle_spacing = Numbers::load_within(spacings, from)?;
        let (classes, has_paint) = Stored::load(from)?;
        let lengths: Vec<u32> = load_array(from)?;
        let bytes: Vec<u8> = load_array(from)?;
        let mut end = 0_usize;
        let mut ends = Vec::with_capacity(lengths.len());
        for length in lengths {
            end = end.saturating_add(length as usize);
            ends.push(end);
        }
        ensure(end == bytes.len(), "frames of another length")?;
        let baked = Self { settings, particle_spacing, classes, has_paint, bytes, ends };
        ensure(baked.has_keys(), "a frame is farther from its key frame than the key interval")?;
        Ok(baked)
    }
}

impl BakedFluid {
    /// Number of frames, at least 1.
    pub fn frames(&self) -> usize {
        self.ends.len()
    }

    /// Time of the last frame, in seconds. The first one is at 0.
    pub fn seconds(&self) -> f64 {
        (self.frames() - 1) as f64 * self.frame_interval()
    }

    /// How it was baked.
    pub fn settings(&self) -> &BakeSettings {
        &self.settings
    }

    /// Distance of particles at rest, in world units.
    pub fn particle_spacing(&self) -> f32 {
        self.particle_spacing
    }

    /// Names of the classes, by the index that particles have. A look gives colours to classes; those of a game
    /// may stand in another order.
    pub fn class_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.classes.iter().map(String::as_str)
    }

    /// The baked liquid as bytes: a [`SnapshotFile`] with one entry.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = SnapshotFile::default();
        file.insert(BAKED, self).expect("the only entry, between two ticks");
        file.to_bytes()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote. The bytes may come from anywhere: no more memory is taken
    /// than 16 times their length. Frames are unpacked when they are shown.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError`] for bytes that are no baked liquid, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        SnapshotFile::from_bytes(bytes)?.get(BAKED)
    }

    /// Time from frame to frame, in seconds.
    pub(super) fn frame_interval(&self) -> f64 {
        1.0 / f64::from(self.settings.frame_rate)
    }

    /// What a whole number of a column stands for, in the units of the particles.
    pub(super) fn step_of(&self, number: usize) -> f64 {
        let BakeSettings { position_step, temperature_step, .. } = self.settings;
        match number {
            column::X | column::Y => f64::from(position_step) * f64::from(self.particle_spacing),
            column::TEMPERATURE => f64::from(temperature_step),
            column::DENSITY => 1.0 / 32.0,
            _ => 1.0 / 255.0,
        }
    }

    /// Number of columns of each particle.
    pub(super) fn column_count(&self) -> usize {
        if self.has_paint { column::COUNT_WITH_PAINT } else { column::COUNT }
    }

    /// The bytes of a frame.
    pub(super) fn frame(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[number]]
    }

    /// Whether the first frame is a key frame, and every other one is at most a key interval after one.
    fn has_keys(&self) -> bool {
        let most = self.settings.key_interval as usize;
        let mut since_key = most;
        for number in 0..self.frames() {
            since_key = if is_key(self.frame(number)) { 0 } else { since_key + 1 };
            if since_key >= most {
                return false;
            }
        }
        !self.ends.is_empty()
    }

    /// The last key frame that is not after a frame.
    pub(super) fn key_before(&self, number: usize) -> usize {
        (0..=number).rev().find(|frame| is_key(self.frame(*frame))).unwrap_or_default()
    }
}
