//! Shows any moment of a film.

use std::sync::Arc;

use glam::Vec2;

use crate::bake::frame::{FrameReader, Moment, column, is_key};
use crate::settings::declare::settings;
use crate::settings::range::{Settings, find_in};
use crate::snapshot::entries;
use crate::stored::bytes::{Numbers, Reader, Stored, Writer, ensure, load_array, store_array};
use crate::stored::stored;
use crate::{ClassId, FluidParameters, SnapshotError, SnapshotFile};

/// Shows any moment of a film, in any order. A player reuses its memory, and allocates nothing once its buffers are
/// large enough.
///
/// Playing forwards costs least: each frame is unpacked once. A jump unpacks the frames from the last key frame on.
/// Playing backwards unpacks the frames after each key frame once, and keeps some of them.
///
/// See [`FluidBaker`](crate::FluidBaker) for an example.
#[derive(Clone, Debug)]
pub struct BakedPlayer {
    baked: Arc<BakedFluid>,
    reader: FrameReader,
    /// The frame before the moment, and the one after it.
    around: [Unpacked; 2],
    /// Frames that are kept while playing backwards. The frames after them are unpacked from them.
    marks: Vec<Unpacked>,
    shown: BakedFrame,
}

/// A frame that was unpacked.
#[derive(Clone, Debug)]
struct Unpacked {
    /// Its number; `None` if no frame is unpacked.
    number: Option<usize>,
    moment: Moment,
}

impl Unpacked {
    fn copy_from(&mut self, other: &Self) {
        self.number = other.number;
        self.moment.copy_from(&other.moment);
    }
}

impl BakedPlayer {
    /// Creates a player of a film. Several players may share a film.
    pub fn new(baked: impl Into<Arc<BakedFluid>>) -> Self {
        let baked = baked.into();
        let none = Unpacked { number: None, moment: Moment::with_columns(baked.column_count()) };
        Self {
            baked,
            reader: FrameReader::default(),
            around: [none.clone(), none],
            marks: Vec::new(),
            shown: BakedFrame::default(),
        }
    }

    /// The film that the player shows.
    pub fn baked(&self) -> &BakedFluid {
        &self.baked
    }

    /// The moment that was shown last.
    pub fn shown(&self) -> &BakedFrame {
        &self.shown
    }

    /// Shows a moment, in seconds after the first frame. A time before the first frame shows the first frame, and
    /// a time after the last frame shows the last; NaN counts as 0. Between two frames, positions are interpolated
    /// linearly.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::Invalid`] for a damaged frame, which happens only with a forged checksum.
    /// [`shown`](Self::shown) then stays at the previous moment.
    pub fn show(&mut self, time: f64) -> Result<&BakedFrame, SnapshotError> {
        let last = self.baked.frames() - 1;
        let time = time.max(0.0).min(self.baked.seconds());
        let frames = time / self.baked.frame_interval();
        let first = (frames as usize).min(last);
        let second = (first + 1).min(last);
        let part = if second > first { (frames - first as f64).clamp(0.0, 1.0) } else { 0.0 };
        let [before, after] = self.around.each_ref().map(|frame| frame.number);
        if after == Some(first) || before == Some(second) {
            self.around.swap(0, 1);
        }
        for (which, number) in [first, second].into_iter().enumerate() {
            if self.around[which].number != Some(number) {
                self.unpack(which, number)?;
            }
        }
        let moments = self.around.each_ref().map(|frame| &frame.moment);
        self.shown.show(&self.baked, moments, time, part);
        Ok(&self.shown)
    }

    /// Unpacks a frame, starting from the nearest known frame before it.
    fn unpack(&mut self, which: usize, number: usize) -> Result<(), SnapshotError> {
        let Self { baked, reader, around, marks, .. } = self;
        let key = baked.key_before(number);
        let goes_back = around[0].number.is_some_and(|now| number < now);
        if goes_back {
            let group = key..key + baked.settings().key_interval as usize;
            for mark in &mut *marks {
                mark.number = mark.number.filter(|marked| group.contains(marked));
            }
        }
        let known = |frame: &Unpacked| frame.number.filter(|known| (key..=number).contains(known));
        let [first, second] = around;
        let (target, other) = if which == 0 { (first, second) } else { (second, first) };
        let mut nearest = &*other;
        for mark in &*marks {
            if known(mark) > known(nearest) {
                nearest = mark;
            }
        }
        if known(nearest) > known(target) {
            target.copy_from(nearest);
        }
        let mut next = known(target).map_or(key, |now| now + 1);
        let stride = baked.settings().key_interval.isqrt().max(1) as usize;
        while next <= number {
            target.number = None;
            reader.read(baked.frame(next), baked.classes.len(), &mut target.moment)?;
            target.number = Some(next);
            if goes_back && next > key && (next - key).is_multiple_of(stride) {
                match marks.iter_mut().find(|mark| mark.number.is_none()) {
                    Some(mark) => mark.copy_from(target),
                    None => marks.push(target.clone()),
                }
            }
            next += 1;
        }
        Ok(())
    }
}

// A moment of a film, as a renderer takes it.

/// The particles of a film at a moment: arrays of equal length, the oldest particle first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakedFrame {
    time: f64,
    ids: Vec<u32>,
    positions: Vec<Vec2>,
    velocities: Vec<Vec2>,
    classes: Vec<ClassId>,
    densities: Vec<f32>,
    opacities: Vec<f32>,
    temperatures: Vec<f32>,
    paints: Vec<[f32; 3]>,
    /// Index of each particle in the next frame, or [`NOWHERE`].
    places: Vec<usize>,
}

/// The index of a particle that the next frame lacks.
const NOWHERE: usize = usize::MAX;

impl BakedFrame {
    /// Time of this moment, in seconds after the first frame.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The id of each particle: the number of particles that appeared before it. An id stays the same from
    /// frame to frame, and is never reused.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Positions, in world units.
    pub fn positions(&self) -> &[Vec2] {
        &self.positions
    }

    /// Velocities in world units/s: the displacement to the next frame, divided by the frame interval.
    /// Velocities of sleeping particles are 0.
    pub fn velocities(&self) -> &[Vec2] {
        &self.velocities
    }

    /// The class of each particle, an index into [`BakedFluid::class_names`].
    pub fn classes(&self) -> &[ClassId] {
        &self.classes
    }

    /// Densities relative to the density at rest, as
    /// [`Particles::relative_densities`](crate::Particles::relative_densities), up to 8.
    pub fn relative_densities(&self) -> &[f32] {
        &self.densities
    }

    /// Opacities, 0 to 1, as [`Particles::opacity`](crate::Particles::opacity).
    pub fn opacities(&self) -> &[f32] {
        &self.opacities
    }

    /// Temperatures, in degrees.
    pub fn temperatures(&self) -> &[f32] {
        &self.temperatures
    }

    /// Paint: red, green and blue, linear, 0 to 1. Empty if no class took paint when baking began.
    pub fn paints(&self) -> &[[f32; 3]] {
        &self.paints
    }

    /// Shows the moment at a fraction `part` between two frames, 0 to 1. Particles that are only in the first frame
    /// keep their velocity. Particles that are only in the second frame are not shown.
    pub(super) fn show(
        &mut self,
        baked: &BakedFluid,
        [from, to]: [&Moment; 2],
        time: f64,
        part: f64,
    ) {
        self.time = time;
        self.ids.clone_from(&from.ids);
        self.classes.clone_from(&from.classes);
        self.find_places(to);
        self.show_positions(baked, [from, to], part);
        let Self { places, densities, opacities, temperatures, paints, .. } = self;
        for (number, shown, (least, most)) in [
            (column::DENSITY, densities, (0.0, 8.0)),
            (column::OPACITY, opacities, (0.0, 1.0)),
            (column::TEMPERATURE, temperatures, (f64::MIN, f64::MAX)),
        ] {
            let values = between(&from.columns[number], &to.columns[number], places, part);
            let step = baked.step_of(number);
            shown.clear();
            shown.extend(values.map(|value| (value * step).max(least).min(most) as f32));
        }
        paints.clear();
        if baked.has_paint {
            paints.resize(from.len(), [0.0; 3]);
            for (color, number) in (column::PAINT..column::COUNT_WITH_PAINT).enumerate() {
                let values = between(&from.columns[number], &to.columns[number], places, part);
                let step = baked.step_of(number);
                for (paint, value) in paints.iter_mut().zip(values) {
                    let root = (value * step).clamp(0.0, 1.0);
                    paint[color] = (root * root) as f32;
                }
            }
        }
    }

    /// Finds the index of each particle in the next frame.
    fn find_places(&mut self, to: &Moment) {
        let mut place = 0;
        self.places.clear();
        // Ids ascend in both.
        self.places.extend(self.ids.iter().map(|id| {
            while to.ids.get(place).is_some_and(|other| other < id) {
                place += 1;
            }
            if to.ids.get(place) == Some(id) { place } else { NOWHERE }
        }));
    }

    fn show_positions(&mut self, baked: &BakedFluid, [from, to]: [&Moment; 2], part: f64) {
        let Self { places, positions, velocities, .. } = self;
        let step = baked.step_of(column::X);
        let per_second = step / baked.frame_interval();
        let axis = |number: usize| {
            let (places_in_next, then) = (places.iter(), &to.columns[number]);
            let now = from.columns[number].iter().zip(&from.ways[number]);
            now.zip(places_in_next).map(|((now, before), place)| {
                let way = then.get(*place).map_or(*before, |then| then.wrapping_sub(*now));
                let (now, way) = (f64::from(*now), f64::from(way));
                (((now + way * part) * step) as f32, (way * per_second) as f32)
            })
        };
        positions.clear();
        velocities.clear();
        for ((x, along_x), (y, along_y)) in axis(column::X).zip(axis(column::Y)) {
            positions.push(Vec2::new(x, y));
            velocities.push(Vec2::new(along_x, along_y));
        }
    }
}

/// A column at a fraction `part` between two frames. `places` holds the indices of the particles in the second
/// frame. Particles that are only in the first frame keep their values.
fn between<'a>(
    from: &'a [i32],
    to: &'a [i32],
    places: &'a [usize],
    part: f64,
) -> impl Iterator<Item = f64> + 'a {
    from.iter().zip(places).map(move |(now, place)| {
        let then = f64::from(*to.get(*place).unwrap_or(now));
        let now = f64::from(*now);
        now + (then - now) * part
    })
}

// Films as values and as bytes.

/// Name of the only entry of a film's own file.
const BAKED: &str = "baked";

/// A film: a liquid that was simulated once, as frames. A film is shown without a simulation, for cut scenes and
/// for slow machines. A [`FluidBaker`](crate::FluidBaker) creates it, and a [`BakedPlayer`](crate::BakedPlayer)
/// shows it.
///
/// A film holds the values that a renderer needs: positions, classes, densities, opacities, temperatures, and
/// paint if a class takes it. Nothing collides with a film, and a simulation cannot continue from it.
///
/// | number | step | largest error |
/// |---|---|---|
/// | position, each coordinate | [`position_step`](BakeSettings::position_step) | half a step |
/// | temperature | [`temperature_step`](BakeSettings::temperature_step) | half a step |
/// | relative density, up to 8 | 1/32 | 1/64 |
/// | opacity, and the square root of each colour of paint | 1/255 | 1/510 |
///
/// Rounding to `f32` adds to these errors. The shown values are bit-identical on all platforms. A film is an
/// entry of a [`SnapshotFile`], so that a game can store its own state beside it.
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
    /// The end of each frame in `bytes`.
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

    /// The settings with which the film was baked.
    pub fn settings(&self) -> &BakeSettings {
        &self.settings
    }

    /// Distance of particles at rest, in world units.
    pub fn particle_spacing(&self) -> f32 {
        self.particle_spacing
    }

    /// Names of the classes, by the class indices of the particles. The classes of a game may have another
    /// order, so match them by name.
    pub fn class_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.classes.iter().map(String::as_str)
    }

    /// The film as bytes: a [`SnapshotFile`] with one entry.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = SnapshotFile::default();
        file.insert(BAKED, self).expect("the only entry, between two ticks");
        file.to_bytes()
    }

    /// Reads bytes that [`to_bytes`](Self::to_bytes) wrote. The bytes may be untrusted: reading allocates at
    /// most 16 times their length. Frames are unpacked when they are shown.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError`] for bytes that are not a film, or that are of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        SnapshotFile::from_bytes(bytes)?.get(BAKED)
    }

    /// Time from frame to frame, in seconds.
    pub(super) fn frame_interval(&self) -> f64 {
        1.0 / f64::from(self.settings.frame_rate)
    }

    /// The value of one step of a column, in the units of the particles.
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

    /// Whether the first frame is a key frame, and every other frame is less than a key interval after
    /// a key frame.
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

// The resolution of films.

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
    pub struct BakeSettings: Default as "bake" with validate in files with default {
        /// Number of frames per second. Between two frames, particles move along a straight path.
        pub frame_rate: f32 [1 to 240] in "1/s" = 60,
        /// Step to which positions are rounded.
        ///
        /// A particle is shown at most half a step from its true position, along each axis. Half of the default is an
        /// eighth of a pixel where particles are 16 pixels apart. With a quarter of the step, each particle of a splash
        /// takes about half a byte more in each frame.
        pub position_step: f32 [0.002 to 0.5] in "particle spacings" = 0.015625,
        /// Step to which temperatures are rounded.
        pub temperature_step: f32 [above 0 to 1000] in "degrees" = 1,
        /// Number of frames from one key frame to the next.
        ///
        /// A jump to another moment begins at a key frame, so it unpacks at most this many frames. A key
        /// frame takes about five times as many bytes as another frame.
        pub key_interval: u32 [1 to 60] in "frames" = 30,
    }
}

stored!(settings BakeSettings, check Self::validate);
