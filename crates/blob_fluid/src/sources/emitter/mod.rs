//! Emitters: nozzles that add liquid evenly, at any speed and with any motion of the nozzle.

mod settings;

use glam::Vec2;

use crate::geometry::shape::scatter;
use crate::settings::range::{Check, count_more};
use crate::sources::backpressure::{OPENING_CLEARANCE, Opening};
use crate::sources::blob::PointHash;
use crate::sources::emitter::settings::{Dealer, MAX_AT_ONCE};
use crate::stored::stored;
use crate::{ClassId, FluidShape, Liquid, OutOfRange, ParticleSpawn, Pose, SpawnError, Tank};

pub use settings::{EmitterSettings, FluidNozzle};

/// Smallest distance between a new particle in an area and other particles, in particle spacings. It is
/// so large that no particle appears within liquid at rest.
const AREA_CLEARANCE: f32 = 0.9;

/// Result of one tick of an [`Emitter`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EmitReport {
    /// Number of particles that came out.
    pub emitted: usize,
    /// Number of particles that were held back for lack of a free place, or by the pressure. Held
    /// back particles are not emitted later.
    pub held_back: usize,
    /// Number of particles that the world refused.
    pub refused: usize,
    /// Why the world refused the first refused particle.
    pub error: Option<SpawnError>,
}

/// A nozzle that emits particles, evenly spaced at any length of the ticks and with any motion of
/// the nozzle.
///
/// Each particle leaves at its own moment within a tick. A particle that leaves `tau` seconds before the end of the
/// tick starts `v tau` away from the nozzle's position at that moment. A particle is held back and counted if its
/// place is not free. A place is not free if it is outside of all containers, inside a collider, or too near to other
/// particles. A slot also holds particles back if the pressure there is above the stagnation pressure `rho v^2/2` of
/// their speed. So a tap fills a tank up to the height `v^2/2g` above the nozzle. No particles come out into a full
/// container.
///
/// ```
/// use blob_fluid::{Emitter, EmitterSettings, FluidWorld, Pose, SerialExecutor};
/// use glam::Vec2;
///
/// let mut world = FluidWorld::default();
/// let mut tap = Emitter::new(EmitterSettings::jet(40.0, 300.0))?;
/// // Rotated by half a turn, so that its +Y axis points down.
/// let pose = Pose::new(Vec2::new(0.0, 200.0), Vec2::NEG_X);
/// for _ in 0..60 {
///     tap.emit(world.liquid_mut(), pose, pose, 1.0 / 60.0)?;
///     world.step(1.0 / 60.0, &SerialExecutor)?;
/// }
/// let full = tap.settings().full_rate(300.0, world.parameters().particle_spacing);
/// assert!((tap.emitted() as f32 - full).abs() <= 5.0, "a second's worth");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Emitter {
    settings: EmitterSettings,
    /// Fraction of the next row (or particle) that is already due.
    phase: f64,
    rows: u32,
    draws: u32,
    dealer: Dealer,
    burst_is_out: bool,
    emitted: u64,
    held_back: u64,
    refused: u64,
    /// Fraction of a particle held back so far.
    held_part: f64,
    taken: PointHash,
    accepted: Vec<(ParticleSpawn, usize)>,
    /// Remaining contents, in this tick, of the tank that it draws from; `None` without a tank.
    supply: Option<Tank>,
}

/// The nozzle's motion in a tick.
#[derive(Clone, Copy, Debug)]
struct Way {
    before: Pose,
    now: Pose,
    time: f32,
}

impl Way {
    /// Pose of the nozzle, where the fraction 0 is the beginning of the tick and 1 its end.
    fn at(&self, fraction: f32) -> Pose {
        let Self { before, now, .. } = *self;
        let blend = |a: Vec2, b: Vec2| a * (1.0 - fraction) + b * fraction;
        // A half turn has no defined direction, so the nozzle jumps.
        let turned = if before.rotation.dot(now.rotation) > -0.99 {
            blend(before.rotation, now.rotation).normalize_or(now.rotation)
        } else {
            now.rotation
        };
        Pose::new(blend(before.translation, now.translation), turned)
    }

    /// Velocity of a point of the nozzle.
    fn velocity(&self, local: Vec2) -> Vec2 {
        (self.now.to_world(local) - self.before.to_world(local)) / self.time
    }
}

/// A particle that is about to leave the nozzle.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    /// Position relative to the nozzle.
    local: Vec2,
    /// Distance that it has already covered, in world units.
    ahead: f32,
    /// Moment at which it leaves, as a fraction of the tick.
    fraction: f32,
    speed: f32,
    /// Additional velocity, independent of the nozzle's direction, in world units/s.
    falls: Vec2,
    /// Whether it appears anywhere in an area, where each place has its own pressure.
    into_area: bool,
}

/// A row of particles that is about to leave a slot.
#[derive(Clone, Copy, Debug)]
struct Row {
    width: f32,
    columns: u32,
    ahead: f32,
    fraction: f32,
    speed: f32,
    /// Smallest distance from other particles, in particle spacings; `None` if the pressure at the slot holds it back.
    clearance: Option<f32>,
}

/// Result of one attempt to emit a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Accepted,
    NoPlace,
    /// The limit of the emitter is reached.
    Enough,
}

impl Emitter {
    /// An emitter that has emitted nothing yet.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`EmitterSettings::validate`].
    pub fn new(settings: EmitterSettings) -> Result<Self, OutOfRange> {
        settings.validate()?;
        Ok(Self {
            settings,
            // The first row comes after half a row's time, so that counts are rounded to the
            // nearest.
            phase: 0.5,
            rows: 0,
            draws: 0,
            dealer: Dealer::default(),
            burst_is_out: false,
            emitted: 0,
            held_back: 0,
            refused: 0,
            held_part: 0.0,
            taken: PointHash::default(),
            accepted: Vec::new(),
            supply: None,
        })
    }

    /// The settings.
    pub fn settings(&self) -> &EmitterSettings {
        &self.settings
    }

    /// Changes the settings. The counts of emitted particles stay.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`EmitterSettings::validate`]; then the old settings stay.
    pub fn set_settings(&mut self, settings: EmitterSettings) -> Result<(), OutOfRange> {
        settings.validate()?;
        if settings.mix != self.settings.mix {
            self.dealer.clear();
        }
        self.settings = settings;
        Ok(())
    }

    /// Starts again from the beginning, as if the emitter had emitted nothing.
    pub fn restart(&mut self) {
        self.phase = 0.5;
        (self.rows, self.draws, self.burst_is_out) = (0, 0, false);
        (self.emitted, self.held_back, self.refused, self.held_part) = (0, 0, 0, 0.0);
        self.dealer.clear();
    }

    /// Total number of particles that came out.
    pub fn emitted(&self) -> u64 {
        self.emitted
    }

    /// Total number of particles that were held back, by the pressure or for lack of a free place.
    pub fn held_back(&self) -> u64 {
        self.held_back
    }

    /// Total number of particles that the world refused.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Whether its burst is done or its limit is reached, so that it emits no more.
    pub fn is_finished(&self) -> bool {
        let full = self.settings.limit.is_some_and(|limit| self.emitted >= limit);
        full || self.settings.burst.is_some() && self.burst_is_out
    }

    /// Emits the particles that leave in `time` seconds, in which the nozzle moves from the pose
    /// `before` to the pose `now`. Call it before each tick, with the time of the tick.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a translation beyond ±1e12, a rotation whose length is not 1, and a time that is not
    /// finite or below 0; nothing comes out then. Time beyond the longest tick
    /// ([`max_time_step`](crate::FluidParameters::max_time_step)) does not count.
    pub fn emit(
        &mut self,
        world: &mut Liquid,
        before: Pose,
        now: Pose,
        time: f32,
    ) -> Result<EmitReport, OutOfRange> {
        self.emit_with(world, None, before, now, time)
    }

    /// Emits the particles of a tick, out of a tank if there is one.
    fn emit_with(
        &mut self,
        world: &mut Liquid,
        tank: Option<&mut Tank>,
        before: Pose,
        now: Pose,
        time: f32,
    ) -> Result<EmitReport, OutOfRange> {
        let check = Check("emitter");
        let before = before.checked(check, "translation")?;
        let now = now.checked(check, "translation")?;
        check.that(time.is_finite() && time >= 0.0, "time", time, "finite and >= 0")?;
        let time = time.min(world.parameters().max_time_step);
        let mut report = EmitReport::default();
        self.supply = tank.as_deref().cloned();
        let is_still = !self.settings.running || self.is_finished() || self.next_class().is_none();
        if time <= 1e-9 || is_still {
            return Ok(report);
        }
        let way = Way { before, now, time };
        let spacing = world.parameters().particle_spacing;
        self.accepted.clear();
        match self.settings.nozzle.clone() {
            FluidNozzle::Slot { width } => {
                self.taken.clear(OPENING_CLEARANCE * spacing);
                if let Some(burst) = self.settings.burst {
                    self.let_out_block(world, &way, width, burst, &mut report);
                } else {
                    self.let_out_rows(world, &way, width, &mut report);
                }
            }
            FluidNozzle::Area(shape) => {
                self.taken.clear(AREA_CLEARANCE * spacing);
                self.rain(world, &way, &shape, &mut report);
            }
        }
        self.add_accepted(world, tank, &mut report);
        count_more(&mut self.emitted, report.emitted as u64);
        count_more(&mut self.held_back, report.held_back as u64);
        count_more(&mut self.refused, report.refused as u64);
        Ok(report)
    }

    /// Emits the rows that are due.
    fn let_out_rows(&mut self, world: &Liquid, way: &Way, width: f32, report: &mut EmitReport) {
        let spacing = world.parameters().particle_spacing;
        let flow = self.settings.flow(width, spacing);
        // Liquid that leaves in the direction of the nozzle's motion is slower relative to the
        // nozzle.
        let outwards = way.now.to_world_direction(Vec2::Y);
        let outward_speed = way.velocity(Vec2::ZERO).dot(outwards);
        let leaves_at =
            (flow.speed + (self.settings.inherit_velocity - 1.0) * outward_speed).max(0.0);
        let rows = f64::from(flow.rate / flow.columns);
        let fitting = rows.min(f64::from(leaves_at / spacing));
        let time = f64::from(way.time);
        self.hold_back((rows - fitting) * time * f64::from(flow.columns), report);

        let step = fitting * time;
        let (begin, end) = (self.phase, self.phase + step);
        let due = end.floor();
        self.phase = end - due;
        let most = f64::from((MAX_AT_ONCE as f32 / flow.columns).max(1.0).floor());
        let opening = Opening::of_slot(way.now, width, flow.rate);
        let clearance = if due > 0.0 { self.clearance(world, opening, flow.speed) } else { None };
        self.hold_back((due - most).max(0.0) * f64::from(flow.columns), report);
        for number in 1..=due.min(most) as u64 {
            let fraction = ((number as f64 - begin) / step).clamp(0.0, 1.0) as f32;
            let columns = flow.columns as u32;
            let speed = flow.speed;
            let row = Row { width, columns, ahead: 0.0, fraction, speed, clearance };
            self.let_out_row(world, way, row, u32::MAX, report);
        }
    }

    /// Emits a burst from a slot.
    fn let_out_block(
        &mut self,
        world: &Liquid,
        way: &Way,
        width: f32,
        burst: u32,
        report: &mut EmitReport,
    ) {
        self.burst_is_out = true;
        let spacing = world.parameters().particle_spacing;
        let speed = self.settings.flow(width, spacing).speed;
        let columns = self.settings.full_rate(spacing, spacing) as u32;
        let opening = Opening::of_slot(way.now, width, burst as f32 / way.time);
        let clearance = self.clearance(world, opening, speed);
        for number in 0..burst.div_ceil(columns) {
            let ahead = number as f32 * spacing;
            let fraction = 1.0;
            let row = Row { width, columns, ahead, fraction, speed, clearance };
            self.let_out_row(world, way, row, burst - number * columns, report);
        }
    }

    /// Smallest distance from other particles, in particle spacings, of particles that come out at a speed; `None` if the
    /// pressure at the slot holds them back.
    fn clearance(&self, world: &Liquid, opening: Opening, speed: f32) -> Option<f32> {
        let class = self.next_class().map(|(_, class)| class);
        let kept_back = class.is_some_and(|class| world.keeps_back(opening, class, speed));
        (!kept_back).then(|| world.clearance_at(opening))
    }

    /// Emits at most `most` particles of a row.
    fn let_out_row(
        &mut self,
        world: &Liquid,
        way: &Way,
        row: Row,
        most: u32,
        report: &mut EmitReport,
    ) {
        let Row { width, columns, ahead, fraction, speed, clearance } = row;
        // Rows are staggered. Each row deals its mix from another column on, to avoid stripes.
        let shift = if self.rows.is_multiple_of(2) { 0.25 } else { 0.75 };
        let first = self.rows.wrapping_mul(0x9e37_79b9) >> 16;
        self.rows = self.rows.wrapping_add(1);
        let Some(clearance) = clearance else {
            report.held_back += columns.min(most) as usize;
            return;
        };
        for number in 0..columns.min(most) {
            let column = (first + number) % columns;
            let x = ((column as f32 + shift) / columns as f32 - 0.5) * width;
            let local = Vec2::new(x, 0.0);
            let leaving =
                Leaving { local, ahead, fraction, speed, falls: Vec2::ZERO, into_area: false };
            match self.try_out(world, way, leaving, clearance) {
                Outcome::Accepted => {}
                Outcome::NoPlace => report.held_back += 1,
                Outcome::Enough => return,
            }
        }
    }

    /// Accepts a particle if its place is free.
    fn try_out(&mut self, world: &Liquid, way: &Way, leaving: Leaving, clearance: f32) -> Outcome {
        let settings = &self.settings;
        let out = self.emitted + self.accepted.len() as u64;
        if settings.limit.is_some_and(|limit| out >= limit) {
            return Outcome::Enough;
        }
        let Some((entry, class)) = self.next_class() else { return Outcome::Enough };
        let pose = way.at(leaving.fraction);
        let aside = scatter(!self.draws).x * settings.spread;
        self.draws = self.draws.wrapping_add(1);
        let direction = Vec2::new(aside, 1.0).normalize();
        let velocity = pose.to_world_direction(direction) * leaving.speed
            + leaving.falls
            + way.velocity(leaving.local) * settings.inherit_velocity;
        // Gravity and drag act on it from the moment at which it leaves, in substeps as in the
        // solver.
        let since = (1.0 - leaving.fraction) * way.time;
        let substep = way.time / world.substeps() as f32;
        let falls = world.fall(class, velocity);
        let fallen = falls * (0.5 * since * (since + substep));
        let mouth = pose.to_world(leaving.local);
        let ahead = pose.to_world_direction(Vec2::Y) * leaving.ahead;
        let mut point = mouth + ahead + velocity * since + fallen;
        let spacing = world.parameters().particle_spacing;
        if !leaving.into_area && clearance < OPENING_CLEARANCE {
            point = world.place_between(point, clearance * spacing, &self.taken);
        }
        if !point.is_finite()
            || !self.taken.is_free(point)
            || !world.is_free(point, clearance * spacing)
            || !world.is_open(mouth, point, class)
            || leaving.into_area && world.is_full_at(point, class)
        {
            return Outcome::NoPlace;
        }
        self.taken.add(point);
        let spawn = ParticleSpawn {
            position: point,
            velocity: velocity + falls * since,
            class,
            temperature: settings.temperature.or_else(|| self.temperature_of_supply(class)),
            paint: settings.paint,
            lifetime: settings.lifetime,
            tag: settings.tag,
        };
        self.accepted.push((spawn, entry));
        if let Some(supply) = &mut self.supply {
            supply.take(class, 1);
        }
        self.dealer.deal(entry);
        Outcome::Accepted
    }

    /// Spawns the accepted particles in the world.
    fn add_accepted(
        &mut self,
        world: &mut Liquid,
        mut tank: Option<&mut Tank>,
        report: &mut EmitReport,
    ) {
        for (spawn, entry) in &self.accepted {
            // A full world stays full until the end of the tick.
            let full = matches!(report.error, Some(SpawnError::Full { .. }));
            let error = if full { report.error } else { world.spawn(*spawn).err() };
            if error.is_some() {
                self.dealer.take_back(*entry);
                report.refused += 1;
                report.error = report.error.or(error);
            } else {
                report.emitted += 1;
                if let Some(tank) = &mut tank {
                    tank.take(spawn.class, 1);
                }
            }
        }
    }

    /// Counts held-back particles. Fractions of particles add up.
    fn hold_back(&mut self, part: f64, report: &mut EmitReport) {
        self.held_part += part;
        report.held_back = report.held_back.saturating_add(self.held_part.floor() as usize);
        self.held_part -= self.held_part.floor();
    }
}

impl Liquid {
    /// Acceleration of a particle of a class by gravity and drag.
    fn fall(&self, class: ClassId, velocity: Vec2) -> Vec2 {
        let scale = self.classes().get(class).map_or(1.0, |class| class.gravity_scale);
        // This is the drag of a substep, per second.
        let substep = self.clock.substep;
        let drag = self.parameters.drag_in(substep) / substep;
        self.parameters().gravity * scale - velocity * drag
    }
}

// Emission at random positions in an area, and rain.

/// Number of positions in an area that are tried for each particle.
const TRIES: u32 = 64;

/// Speed of rain, in V0.
const RAIN_SPEED: f32 = 25.0;

impl Emitter {
    /// Emits particles at random positions in a shape.
    fn rain(&mut self, world: &Liquid, way: &Way, shape: &FluidShape, report: &mut EmitReport) {
        let (begin, step, due) = if let Some(burst) = self.settings.burst {
            self.burst_is_out = true;
            (0.0, 0.0, u64::from(burst))
        } else {
            let step = f64::from(self.settings.rate.unwrap_or(0.0)) * f64::from(way.time);
            let (begin, end) = (self.phase, self.phase + step);
            self.phase = end - end.floor();
            (begin, step, end.floor() as u64)
        };
        let speed = self.settings.speed.unwrap_or(0.0);
        let falls = self.settings.speed.is_none() && self.settings.burst.is_none();
        let falls = if falls { world.rain_velocity() } else { Vec2::ZERO };
        let bounds = shape.bounds();
        let (centre, half_size) = (bounds.centre(), bounds.half_size());
        let opening = Opening {
            mouth: way.now.to_world(centre),
            half_width: way.now.to_world_direction(half_size),
            outwards: Vec2::ZERO,
            flow: due as f32 / way.time,
        };
        let class = self.next_class().map(|(_, class)| class);
        if due > 0 && class.is_some_and(|class| world.is_full_around(opening, class)) {
            report.held_back += due as usize;
            return;
        }
        for number in 1..=due {
            let moment = if step > 0.0 { (number as f64 - begin) / step } else { 1.0 };
            let fraction = moment.clamp(0.0, 1.0) as f32;
            let mut outcome = Outcome::NoPlace;
            for _ in 0..TRIES {
                let local = centre + half_size * scatter(self.draws);
                self.draws = self.draws.wrapping_add(1);
                if shape.contains(local) {
                    let leaving =
                        Leaving { local, ahead: 0.0, fraction, speed, falls, into_area: true };
                    outcome = self.try_out(world, way, leaving, AREA_CLEARANCE);
                }
                if outcome != Outcome::NoPlace {
                    break;
                }
            }
            match outcome {
                Outcome::Accepted => {}
                Outcome::NoPlace => report.held_back += 1,
                Outcome::Enough => return,
            }
        }
    }
}

impl Liquid {
    /// Velocity of rain, in world units/s: so fast that its particles are far from each other. 0 without gravity.
    fn rain_velocity(&self) -> Vec2 {
        let parameters = self.parameters();
        parameters.gravity.normalize_or_zero() * (RAIN_SPEED * parameters.speed_unit())
    }
}

// Emitters that draw from a tank.

impl Emitter {
    /// As [`emit`](Self::emit), and takes the particles from a tank. The particles have the tank's
    /// temperature unless the settings state a temperature. The emitter pauses while the tank is
    /// empty.
    ///
    /// Without a mix, it emits each class in proportion to its share of the tank, as from a stirred tank. With a mix,
    /// the emitter pauses unless the tank holds the next class of the mix. The emitter ignores the class of the
    /// settings.
    ///
    /// Particles that the world [recycles](crate::CapacityPolicy) or that reach the end of their
    /// lifetime do not return to the tank.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`emit`](Self::emit).
    pub fn emit_from(
        &mut self,
        world: &mut Liquid,
        tank: &mut Tank,
        before: Pose,
        now: Pose,
        time: f32,
    ) -> Result<EmitReport, OutOfRange> {
        self.emit_with(world, Some(tank), before, now, time)
    }

    /// Class of the next particle, and its entry in the mix; `None` if the tank has none.
    pub(super) fn next_class(&self) -> Option<(usize, ClassId)> {
        let entry = self.dealer.next(&self.settings.mix);
        let dealt = self.settings.mix.get(entry).map(|(class, _)| *class);
        let class = match (&self.supply, dealt) {
            (None, dealt) => dealt.unwrap_or(self.settings.class),
            (Some(supply), Some(class)) => Some(class).filter(|class| supply.amount(*class) > 0)?,
            (Some(supply), None) => self.any_class_of(supply)?,
        };
        Some((entry, class))
    }

    /// The class of a particle that is taken out of a stirred tank.
    fn any_class_of(&self, supply: &Tank) -> Option<ClassId> {
        let share = 0.5 + 0.5 * f64::from(scatter(!self.draws).y);
        let mut before = (share * supply.total() as f64) as u64;
        let mut last = None;
        for (class, amount) in supply.amounts().enumerate().filter(|(_, amount)| *amount > 0) {
            last = u8::try_from(class).ok().map(ClassId);
            if before < amount {
                break;
            }
            before -= amount;
        }
        last
    }

    /// Temperature of a class in the tank; `None` without one.
    pub(super) fn temperature_of_supply(&self, class: ClassId) -> Option<f32> {
        self.supply.as_ref().and_then(|supply| supply.temperature(class))
    }
}

// An emitter as bytes, with the fractions of particles that are still due.

stored!(Emitter {
    settings,
    phase in Limits::SHARE,
    rows,
    draws,
    dealer,
    burst_is_out,
    emitted,
    held_back,
    refused,
    held_part in Limits::SHARE,
} derived { taken = PointHash::default(), accepted = Vec::new(), supply = None } check |all: &Self| {
    crate::stored::bytes::countable([all.emitted, all.held_back, all.refused])
});
