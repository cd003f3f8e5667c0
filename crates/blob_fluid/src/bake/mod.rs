//! Films: baked liquid, which is simulated once and then shown without a simulation. The baker records a liquid while it is
//! simulated.

mod frame;
pub(crate) mod player;

use crate::bake::frame::{Moment, Packer, column, remove, write_key, write_next};
use crate::{BakeSettings, BakedFluid, FluidWorld, Liquid, OutOfRange, ParticleId};

/// Largest relative density that is stored. Larger densities are clamped to it.
const MOST_DENSE: f64 = 8.0;

/// Fraction of a frame interval by which ticks may miss a frame's time, because of rounding.
const ON_TIME: f64 = 1e-3;

/// The host has moved a particle if its displacement in a frame exceeds this many particle spacings plus
/// [`LEAP_IN_WAYS`] times the displacement at its speed. It then counts as a new particle, and its path is not
/// interpolated.
const LEAP_IN_SPACINGS: f64 = 2.0;
const LEAP_IN_WAYS: f64 = 4.0;

/// Bakes a liquid: it takes frames at equal intervals, which can be shown without a simulation.
///
/// Frames need not coincide with ticks: between two ticks, positions are interpolated linearly.
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

/// Buffers that are reused for each frame.
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
    /// Begins to bake. The present state of the liquid is the first frame.
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

    /// Takes the frames that are due. Call it after each tick of the world.
    ///
    /// If a restored state has moved the world's time back, or forward by more than a tick, the present
    /// state is the next frame.
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

    /// The film with the frames so far.
    pub fn baked(&self) -> &BakedFluid {
        &self.baked
    }

    /// Ends baking, and returns the film.
    pub fn finish(self) -> BakedFluid {
        self.baked
    }

    /// Takes a frame at a fraction of the last tick, 0 to 1.
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

/// Position of a particle at a fraction of the last tick.
fn position_at(liquid: &Liquid, index: usize, part: f64) -> [f64; 2] {
    let (begin, end) = (liquid.particles.tick_start[index], liquid.particles.position[index]);
    let between = |begin: f32, end: f32| {
        let (begin, end) = (f64::from(begin), f64::from(end));
        if part < 1.0 { begin + (end - begin) * part } else { end }
    };
    [between(begin.x, end.x), between(begin.y, end.y)]
}

/// A number in whole steps. Infinite numbers saturate, and NaN becomes 0.
fn steps(value: f64, step: f64) -> i32 {
    (value / step).round() as i32
}

impl Buffers {
    /// Finds the particles of the last frame that are gone, and the particles of the new frame.
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
        // Particles that a host has made invalid are left out.
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

    /// Computes the numbers of the new frame. The last frame has only particles that stay.
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
