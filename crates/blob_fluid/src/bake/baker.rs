//! Bakes a liquid while it is simulated.

use crate::bake::frame::{Packer, write_key, write_next};
use crate::bake::player::BakedFluid;
use crate::liquid::state::Liquid;
use crate::particles::life::ParticleId;
use crate::settings::class::ClassId;
use crate::settings::declare::settings;
use crate::settings::range::OutOfRange;
use crate::settings::visit::Settings;
use crate::stored::stored;
use crate::world::FluidWorld;

/// Largest relative density that is told apart from larger ones.
const MOST_DENSE: f64 = 8.0;

/// Share of a frame interval by which ticks may miss a frame's time. It is for rounding.
const ON_TIME: f64 = 1e-3;

/// A particle that is farther from its last place than this many particle spacings and this many times the way of
/// its speed was moved by the host, and does not come along the straight way.
const LEAP_IN_SPACINGS: f64 = 2.0;
const LEAP_IN_WAYS: f64 = 4.0;

/// Bakes a liquid: it takes frames of it at equal intervals, which can be shown without a simulation.
///
/// Frames need not be ticks: if one falls between two ticks, particles are on the straight way.
///
/// ```
/// use blob_fluid::{
///     BakeSettings, BakedFluid, BakedPlayer, FluidBaker, FluidWorld, ParticleSpawn, SerialExecutor,
/// };
/// let mut world = FluidWorld::default();
/// world.spawn(ParticleSpawn::default())?;
/// let mut baker = FluidBaker::new(&world, BakeSettings::default())?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0, &SerialExecutor)?;
///     baker.after_tick(&world);
/// }
/// let bytes = baker.baked().to_bytes();
///
/// let baked = BakedFluid::from_bytes(&bytes)?;
/// let half_a_step = 0.5 * baked.settings().position_step * baked.particle_spacing();
/// let mut player = BakedPlayer::new(baked);
/// let shown = player.show(1.0)?;
/// let offset = shown.positions()[0] - world.particles().positions()[0];
/// assert!(offset.abs().max_element() <= 1.001 * half_a_step);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FluidBaker {
    baked: BakedFluid,
    /// The last frame, and the handles of its particles.
    last: Moment,
    handles: Vec<ParticleId>,
    /// Time of the world after the last tick, and time since the first frame.
    world_time: f64,
    elapsed: f64,
    packer: Packer,
    buffers: Buffers,
}

/// Memory that is used again for each frame.
#[derive(Clone, Debug, Default)]
struct Buffers {
    now: Moment,
    /// For each particle of the new frame, its index in the liquid.
    indices: Vec<usize>,
    gone: Vec<u32>,
    /// For each particle of the liquid, whether the last frame has it.
    stays: Vec<bool>,
}

impl FluidBaker {
    /// Begins with the liquid as it is now, which is the first frame.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first setting outside its range.
    pub fn new(world: &FluidWorld, settings: BakeSettings) -> Result<Self, OutOfRange> {
        settings.validate()?;
        let liquid = world.liquid();
        let baked = BakedFluid {
            settings,
            particle_spacing: liquid.parameters.particle_spacing,
            classes: Vec::new(),
            has_paint: liquid.classes.take_paint(),
            bytes: Vec::new(),
            ends: Vec::new(),
        };
        let columns = Moment::with_columns(baked.column_count());
        let mut baker = Self {
            baked,
            last: columns.clone(),
            handles: Vec::new(),
            world_time: liquid.time(),
            elapsed: 0.0,
            packer: Packer::default(),
            buffers: Buffers { now: columns, ..Buffers::default() },
        };
        baker.take_frame(liquid, 1.0);
        Ok(baker)
    }

    /// Takes the frames whose time has come, after each tick of the world.
    ///
    /// If the world went back in time, or on by more than a tick, because another state was restored, it is taken
    /// as the next frame.
    pub fn after_tick(&mut self, world: &FluidWorld) {
        let liquid = world.liquid();
        let interval = self.baked.frame_interval();
        let tick = liquid.time() - self.world_time;
        let longest = f64::from(liquid.parameters.max_time_step);
        let tick = if (0.0..=longest).contains(&tick) { tick } else { interval };
        let before = self.elapsed;
        self.world_time = liquid.time();
        self.elapsed += tick;
        loop {
            let due = self.baked.frames() as f64 * interval;
            let late = self.elapsed - due;
            if late < -ON_TIME * interval {
                break;
            }
            let part = if late < ON_TIME * interval { 1.0 } else { (due - before) / tick };
            self.take_frame(liquid, part.clamp(0.0, 1.0));
        }
    }

    /// What was baked until now.
    pub fn baked(&self) -> &BakedFluid {
        &self.baked
    }

    /// Ends it, and gives what was baked.
    pub fn finish(self) -> BakedFluid {
        self.baked
    }

    /// Takes a frame: a part of the last tick after its beginning, 0 to 1.
    fn take_frame(&mut self, liquid: &Liquid, part: f64) {
        let Self { baked, last, handles, packer, buffers, .. } = self;
        let names = || liquid.classes.iter().map(|class| &class.name);
        if !names().eq(&baked.classes) {
            baked.classes = names().cloned().collect();
        }
        buffers.find(liquid, baked, last, handles, part);
        last.remove(&buffers.gone);
        remove(handles, &buffers.gone);
        let stayed = last.len();
        handles.extend(buffers.indices[stayed..].iter().map(|index| liquid.particles.id[*index]));
        buffers.measure(liquid, baked, last, part);
        let Buffers { now, gone, .. } = buffers;
        let is_key = baked.frames().is_multiple_of(baked.settings.key_interval as usize);
        if is_key {
            write_key(now, packer, &mut baked.bytes);
        } else {
            write_next(last, gone, now, packer, &mut baked.bytes);
        }
        baked.ends.push(baked.bytes.len());
        std::mem::swap(last, now);
    }
}

/// A position in a part of the last tick.
fn position_at(liquid: &Liquid, index: usize, part: f64) -> [f64; 2] {
    let (begin, end) = (liquid.particles.tick_start[index], liquid.particles.position[index]);
    let between = |begin: f32, end: f32| {
        let (begin, end) = (f64::from(begin), f64::from(end));
        if part < 1.0 { begin + (end - begin) * part } else { end }
    };
    [between(begin.x, end.x), between(begin.y, end.y)]
}

/// A number in whole steps. A number that is not finite is the nearest that is, or 0.
fn steps(value: f64, step: f64) -> i32 {
    (value / step).round() as i32
}

impl Buffers {
    /// Finds which particles of the last frame are gone, and which the new one has.
    fn find(
        &mut self,
        liquid: &Liquid,
        baked: &BakedFluid,
        last: &Moment,
        handles: &[ParticleId],
        part: f64,
    ) {
        let particles = &liquid.particles;
        self.gone.clear();
        self.indices.clear();
        self.stays.clear();
        self.stays.resize(particles.len(), false);
        // What a host has made invalid is not there.
        let is_finite = |index: usize| {
            particles.position[index].is_finite() && particles.velocity[index].is_finite()
        };
        let (step, interval) = (baked.step_of(column::X), baked.frame_interval());
        let leap = LEAP_IN_SPACINGS * f64::from(baked.particle_spacing);
        for (place, handle) in handles.iter().enumerate() {
            let stays = |index: &usize| {
                let position = position_at(liquid, *index, part);
                let speed = f64::from(particles.velocity[*index].abs().max_element());
                is_finite(*index)
                    && (0..column::POSITIONS).all(|axis| {
                        let way = position[axis] - f64::from(last.columns[axis][place]) * step;
                        let before = f64::from(last.ways[axis][place].unsigned_abs()) * step;
                        way.abs() <= leap + LEAP_IN_WAYS * before.max(speed * interval)
                    })
            };
            match particles.index_of(*handle).filter(stays) {
                Some(index) => {
                    self.stays[index] = true;
                    self.indices.push(index);
                }
                None => self.gone.push(place as u32),
            }
        }
        let stays = &self.stays;
        let coming = (0..particles.len()).filter(|index| !stays[*index] && is_finite(*index));
        self.indices.extend(coming);
    }

    /// Finds the numbers of the new frame. The last one has only particles that stay.
    fn measure(&mut self, liquid: &Liquid, baked: &BakedFluid, last: &Moment, part: f64) {
        let Self { now, indices, .. } = self;
        let particles = &liquid.particles;
        now.clear();
        let stayed = last.len();
        let count = (indices.len() - stayed) as u32;
        now.ids.extend_from_slice(&last.ids);
        now.ids.extend((0..count).map(|number| last.next_id.wrapping_add(number)));
        now.next_id = last.next_id.wrapping_add(count);
        now.classes.extend(indices.iter().map(|index| particles.class[*index]));
        let interval = baked.frame_interval();
        for (place, index) in indices.iter().copied().enumerate() {
            let [x, y] = position_at(liquid, index, part);
            let mut set = |number: usize, value: f64| {
                now.columns[number].push(steps(value, baked.step_of(number)));
            };
            set(column::X, x);
            set(column::Y, y);
            set(column::DENSITY, f64::from(particles.relative_density[index]).min(MOST_DENSE));
            set(column::OPACITY, f64::from(particles.opacity(index)));
            set(column::TEMPERATURE, f64::from(particles.temperature[index]));
            if baked.has_paint {
                let paint = particles.paint(index).unwrap_or([1.0; 3]);
                for (number, color) in (column::PAINT..).zip(paint) {
                    set(number, f64::from(color).sqrt());
                }
            }
            for (axis, speed) in particles.velocity[index].to_array().into_iter().enumerate() {
                now.ways[axis].push(match last.columns[axis].get(place) {
                    Some(before) => now.columns[axis][place].wrapping_sub(*before),
                    None => steps(f64::from(speed) * interval, baked.step_of(axis)),
                });
            }
        }
    }
}

// How finely liquid is baked.

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

// The particles at a frame, in whole steps.

/// The numbers of a particle that are baked. Paint is baked only if a class takes it.
pub(super) mod column {
    pub const X: usize = 0;
    pub const Y: usize = 1;
    pub const DENSITY: usize = 2;
    pub const OPACITY: usize = 3;
    pub const TEMPERATURE: usize = 4;
    /// Red, and after it green and blue.
    pub const PAINT: usize = 5;
    /// Number of columns without and with paint.
    pub const COUNT: usize = 5;
    pub const COUNT_WITH_PAINT: usize = 8;
    /// Columns of positions: they come first, and particles go on in them as fast as before.
    pub const POSITIONS: usize = 2;
}

/// The particles at a frame, the oldest first. All numbers are whole steps, so that they are the same on every
/// platform, and the same whether they were reached from one key frame or another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Moment {
    /// Number of particles that came before each one.
    pub ids: Vec<u32>,
    pub classes: Vec<ClassId>,
    pub columns: Vec<Vec<i32>>,
    /// How far each particle came since the frame before, along each axis.
    pub ways: [Vec<i32>; column::POSITIONS],
    /// The id of the next particle that comes.
    pub next_id: u32,
}

impl Moment {
    pub(super) fn with_columns(count: usize) -> Self {
        Self { columns: vec![Vec::new(); count], ..Self::default() }
    }

    /// Number of particles.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Removes all particles, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.classes.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        self.ways.iter_mut().for_each(Vec::clear);
    }

    /// Becomes equal to another one, in the memory that it has.
    pub(super) fn copy_from(&mut self, other: &Self) {
        let Self { ids, classes, columns, ways, next_id } = other;
        self.ids.clone_from(ids);
        self.classes.clone_from(classes);
        self.columns.clone_from(columns);
        self.ways.clone_from(ways);
        self.next_id = *next_id;
    }

    /// Removes the particles at these indices, which ascend.
    pub(super) fn remove(&mut self, gone: &[u32]) {
        remove(&mut self.ids, gone);
        remove(&mut self.classes, gone);
        self.columns.iter_mut().for_each(|column| remove(column, gone));
        self.ways.iter_mut().for_each(|ways| remove(ways, gone));
    }
}

/// Removes the items at these indices, which ascend, and keeps the order of the others.
pub(super) fn remove<T: Copy>(items: &mut Vec<T>, gone: &[u32]) {
    let Some(first) = gone.first() else { return };
    let mut to = *first as usize;
    let ends = gone[1..].iter().map(|next| *next as usize).chain([items.len()]);
    for (hole, end) in gone.iter().zip(ends) {
        let kept = *hole as usize + 1..end;
        items.copy_within(kept.clone(), to);
        to += kept.len();
    }
    items.truncate(to);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removal_keeps_the_order_of_the_others() {
        for gone in
            [&[][..], &[0], &[9], &[0, 1, 2], &[3, 5, 8, 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]
        {
            let mut items: Vec<u32> = (0..10).collect();
            remove(&mut items, gone);
            let kept: Vec<u32> = (0..10).filter(|item| !gone.contains(item)).collect();
            assert_eq!(items, kept);
        }
    }
}
