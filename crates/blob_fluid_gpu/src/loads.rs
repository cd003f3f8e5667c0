//! Loads of the liquid on colliders. The host gets them some ticks late, and moves bodies by an
//! estimate. Within a tick, the GPU moves them further by the difference.

use std::collections::HashMap;

use blob_fluid::device::{DeviceBearer, DeviceSolid, DeviceTick, LoadBearer};
use blob_fluid::{Liquid, Load, Motion};
use glam::Vec2;
use wgpu::{BindGroup, Buffer, CommandEncoder, Device, Queue};

use crate::buffers::{Access, Buffers, DeviceBuffer};
use crate::programs::{Pipeline, Shaders};
use crate::records::{BEARERS_HEAD, BearerRecord, Borne, LOAD_WORDS, Steps};
use crate::solids::farthest;

/// Number of steps of impulse per speed unit of the lightest particle.
const STEPS: f32 = 1_048_576.0;

/// Weight of a new tick in the mean that estimates the loads of ticks without a report.
const NEWEST: f64 = 0.3;

/// Remaining fraction of an offset after a second. An offset may have to correct for contacts that
/// the host has found.
const FADED: f32 = 0.1;

/// A row of the table on the GPU, and its known loads.
#[derive(Clone, Debug)]
struct Row {
    bearer: LoadBearer,
    record: BearerRecord,
    /// Sum of the steps that the host has applied, and number of their substeps.
    applied: Steps,
    substeps: u32,
    /// Sum in the newest report, and its tick.
    known: Option<(Steps, u64)>,
    /// Mean of the steps per tick in the last ticks.
    mean: [f64; 3],
    /// The first tick in which the bearer has the row.
    since: u64,
    /// Whether a collider of the liquid has this bearer in the present tick.
    is_there: bool,
    /// Change of its motion by the host at the end of the last tick.
    last_change: Motion,
}

/// The loads of a liquid.
#[derive(Debug)]
pub(crate) struct Loads {
    rows: Vec<Option<Row>>,
    of_bearer: HashMap<LoadBearer, usize>,
    /// The revision of the solids at the last search for bearers.
    revision: Option<u64>,
    /// For each collider with a load, its row and the centre of mass in its frame.
    slots: Vec<(u32, Vec2)>,
    /// The load of each bearer in each substep of the tick.
    due: Vec<(LoadBearer, Load)>,
    /// Rows to be filled with zeros.
    fresh: Vec<usize>,
    /// Impulse and angular impulse of one step.
    step: [f32; 2],
    /// Whether any bearer yields.
    yields: bool,
    /// For each row and substep, the host's change of velocity and angular velocity at the beginning.
    changes: Vec<[f32; 4]>,
    /// Passes over bearers, and over moving bodies.
    passes: [Pipeline; 4],
    /// Passes over particles.
    sharing: [Pipeline; 2],
    bindings: Option<([BindGroup; 4], [BindGroup; 2])>,
}

impl Loads {
    pub(crate) fn new(device: &Device, shaders: &Shaders) -> Self {
        use Access::{Read, Write};
        let parts = ["common", "solids", "bearers", "yield"];
        let pass =
            |name| Pipeline::new(device, name, shaders, &parts, [Read, Write, Write].into_iter());
        let parts_of_sharing =
            ["common", "finite", "tables", "solids", "bearers", "sums", "loads", "added_mass"];
        let sharing = |name| {
            let accesses = [Write, Read, Read, Read, Write].into_iter();
            Pipeline::new(device, name, shaders, &parts_of_sharing, accesses)
        };
        Self {
            rows: Vec::new(),
            of_bearer: HashMap::new(),
            revision: None,
            slots: Vec::new(),
            due: Vec::new(),
            fresh: Vec::new(),
            step: [0.0; 2],
            yields: false,
            changes: Vec::new(),
            passes: ["find_changes", "share_changes", "move_bearers", "shift_bodies"].map(pass),
            sharing: ["attach_masses", "give_changes"].map(sharing),
            bindings: None,
        }
    }

    /// Discards the bindings of the passes.
    pub(crate) fn unbind(&mut self) {
        self.bindings = None;
    }

    /// Whether any load is measured.
    pub(crate) fn any(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Number of entries of the buffer `Bearers`, and of rows of the buffer `Loads`.
    pub(crate) fn room(&self) -> [u32; 2] {
        let rows = self.rows.len() as u32;
        [self.first_change() + self.changes.len() as u32, rows]
    }

    /// Number of entries before the changes.
    fn first_change(&self) -> u32 {
        let bearer = (size_of::<BearerRecord>() / 16) as u32;
        BEARERS_HEAD + self.slots.len() as u32 + bearer * self.rows.len() as u32
    }

    /// Records the host's change of motion of each bearer at the end of each substep, in the order
    /// of the [due](Self::due) loads.
    pub(crate) fn note_changes(&mut self, changes: &[Motion]) {
        let count = self.rows.iter().flatten().count();
        let numbers = |Motion { velocity, angular_velocity }: Motion| {
            [velocity.x, velocity.y, angular_velocity, 0.0]
        };
        let mut of_substeps = changes.chunks(count.max(1));
        let last = of_substeps.next_back().unwrap_or_default();
        let before: Vec<_> = self.rows.iter().flatten().map(|row| row.last_change).collect();
        self.changes.clear();
        // A substep begins with the changes at the end of the previous one.
        for changes in std::iter::once(&before[..]).chain(of_substeps) {
            let mut of_rows = changes.iter();
            self.changes.extend(self.rows.iter().map(|row| {
                let change = row.as_ref().and_then(|_| of_rows.next());
                numbers(*change.unwrap_or(&Motion::STILL))
            }));
        }
        let mut last = last.iter();
        for row in self.rows.iter_mut().flatten() {
            row.last_change = *last.next().unwrap_or(&Motion::STILL);
        }
    }

    /// Begins the tick with this number. It computes the share of the reported loads that the
    /// liquid's bodies get in each substep.
    pub(crate) fn begin_tick(
        &mut self,
        liquid: &Liquid,
        of_tick: &DeviceTick,
        report: Option<(&Borne, u64)>,
        tick: u64,
    ) {
        self.set_steps(of_tick);
        self.due.clear();
        self.find_bearers(liquid, tick);
        if self.rows.is_empty() {
            return;
        }
        for (bearer, steps) in report.into_iter().flat_map(|(borne, _)| borne) {
            if let Some(row) = self.of_bearer.get(bearer).and_then(|row| self.rows[*row].as_mut()) {
                row.learn(*steps, report.map_or(0, |(_, reported)| reported));
            }
        }
        let [linear, angular] = self.step.map(f64::from);
        self.due.extend(self.rows.iter_mut().flatten().map(|row| {
            row.apply(tick, of_tick.substeps);
            let [x, y, turn] = row.record.per_substep.map(f64::from);
            let impulse = Vec2::new((x * linear) as f32, (y * linear) as f32);
            (row.bearer, Load { impulse, angular_impulse: (turn * angular) as f32 })
        }));
    }

    /// The load of each bearer in each substep of the tick.
    pub(crate) fn due(&self) -> &[(LoadBearer, Load)] {
        &self.due
    }

    /// Sets the size of a step. If masses or speeds have changed, all sums restart.
    fn set_steps(&mut self, tick: &DeviceTick) {
        let coefficients = &tick.coefficients;
        let masses = tick.classes.iter().map(|class| class.mass);
        let lightest = masses.fold(f32::MAX, f32::min);
        let linear = (lightest * coefficients.speed_unit / STEPS).clamp(1e-25, 1e25);
        let step = [linear, linear * coefficients.interaction_radius];
        if step != self.step {
            self.step = step;
            self.forget();
        }
    }

    /// Restarts all sums in the next tick.
    pub(crate) fn forget(&mut self) {
        self.rows.clear();
        self.of_bearer.clear();
        self.fresh.clear();
    }

    /// Gives each bearer a row.
    fn find_bearers(&mut self, liquid: &Liquid, tick: u64) {
        // Bearing a load is an option of a collider, so it changes only with the solids.
        let revision = Some(liquid.solids_revision());
        if self.slots.is_empty() && self.revision == revision {
            return;
        }
        self.revision = revision;
        self.slots.clear();
        self.rows.iter_mut().flatten().for_each(|row| row.is_there = false);
        for solid in liquid.device_solids() {
            let Some(bearer) = solid.bearer else { continue };
            let number = self.row_of(bearer.id, tick);
            if let Some(row) = &mut self.rows[number] {
                row.describe(&bearer, &solid);
            }
            self.slots.push((number as u32, bearer.centre));
        }
        for row in &mut self.rows {
            if let Some(gone) = row.take_if(|row| !row.is_there) {
                self.of_bearer.remove(&gone.bearer);
            }
        }
        while self.rows.pop_if(|row| row.is_none()).is_some() {}
        // Rows that a failed tick did not fill may have been removed.
        self.fresh.retain(|row| *row < self.rows.len());
        self.yields = self.rows.iter().flatten().any(|row| row.yields());
    }

    fn row_of(&mut self, bearer: LoadBearer, tick: u64) -> usize {
        let Self { rows, of_bearer, fresh, .. } = self;
        *of_bearer.entry(bearer).or_insert_with(|| {
            let vacant = rows.iter().position(Option::is_none);
            let number = vacant.unwrap_or_else(|| {
                rows.push(None);
                rows.len() - 1
            });
            rows[number] = Some(Row {
                bearer,
                record: BearerRecord::default(),
                applied: [0; 3],
                substeps: 0,
                known: None,
                mean: [0.0; 3],
                since: tick,
                is_there: false,
                last_change: Motion::STILL,
            });
            fresh.push(number);
            number
        })
    }

    /// Copies the data of the bearers to the GPU, for a tick with substeps of this length. `moving`
    /// is the place of the first moving body, and the number of moving bodies.
    pub(crate) fn upload(
        &mut self,
        device: &Device,
        queue: &Queue,
        params: &Buffer,
        buffers: &Buffers,
        moving: [u32; 2],
        substep: f32,
    ) {
        if !self.any() {
            return;
        }
        let rows = BEARERS_HEAD + self.slots.len() as u32;
        let kept = FADED.powf(substep);
        let [linear, angular] = self.step.map(|step| (1.0 / step).to_bits());
        let mut words = vec![moving[0], moving[1], self.rows.len() as u32, rows];
        words.extend([linear, angular, kept.to_bits(), self.first_change()]);
        for (row, centre) in &self.slots {
            words.extend([*row, centre.x.to_bits(), centre.y.to_bits(), 0]);
        }
        let records = self.rows.iter().map(|row| row.as_ref().map(|row| row.record));
        let records: Vec<_> = records.map(Option::unwrap_or_default).collect();
        let bearers = buffers.get(DeviceBuffer::Bearers);
        queue.write_buffer(bearers, 0, bytemuck::cast_slice(&words));
        queue.write_buffer(bearers, 16 * u64::from(rows), bytemuck::cast_slice(&records));
        let first = 16 * u64::from(self.first_change());
        queue.write_buffer(bearers, first, bytemuck::cast_slice(&self.changes));
        for row in self.fresh.drain(..) {
            let zeros = [0_u32; LOAD_WORDS];
            let at = (4 * LOAD_WORDS * row) as u64;
            queue.write_buffer(buffers.get(DeviceBuffer::Loads), at, bytemuck::bytes_of(&zeros));
        }
        self.bindings.get_or_insert_with(|| {
            use DeviceBuffer::{Bearers, Loads, Particles, Solids, Tables};
            let bound = |which: &[DeviceBuffer]| {
                let buffers = which.iter().map(|which| buffers.get(*which));
                std::iter::once(params).chain(buffers).collect::<Vec<_>>()
            };
            let of_bearers = bound(&[Bearers, Loads, Solids]);
            let of_particles = bound(&[Particles, Tables, Solids, Bearers, Loads]);
            let bind =
                |pass: &Pipeline, bound: &[&Buffer]| pass.bind(device, bound.iter().copied());
            (
                self.passes.each_ref().map(|pass| bind(pass, &of_bearers)),
                self.sharing.each_ref().map(|pass| bind(pass, &of_particles)),
            )
        });
    }

    /// Records the beginning of a substep, with `groups` work groups for particles. Bodies yield to
    /// the loads that the host does not know, and share their change of motion with the particles
    /// that touch them.
    pub(crate) fn encode(&self, encoder: &mut CommandEncoder, bodies: u32, groups: (u32, u32)) {
        let Some((of_bearers, of_particles)) = self.bindings.as_ref().filter(|_| self.yields)
        else {
            return;
        };
        let [find, share, move_on, shift] = &self.passes;
        let [attach, give] = &self.sharing;
        let groups_of = |count: u32| (count.div_ceil(64).max(1), 1);
        let bearers = groups_of(self.rows.len() as u32);
        find.record(encoder, &of_bearers[0], bearers);
        attach.record(encoder, &of_particles[0], groups);
        share.record(encoder, &of_bearers[1], bearers);
        give.record(encoder, &of_particles[1], groups);
        move_on.record(encoder, &of_bearers[2], bearers);
        shift.record(encoder, &of_bearers[3], groups_of(bodies));
    }

    /// The bearers of the rows on the GPU.
    pub(crate) fn bearers(&self) -> Vec<Option<LoadBearer>> {
        self.rows.iter().map(|row| row.as_ref().map(|row| row.bearer)).collect()
    }
}

impl Row {
    fn yields(&self) -> bool {
        self.record.inverse_mass != [0.0; 2] || self.record.inverse_inertia != 0.0
    }

    /// Updates the record from a solid with this bearer.
    fn describe(&mut self, bearer: &DeviceBearer, solid: &DeviceSolid<'_>) {
        let corner = farthest(solid) + bearer.centre.length();
        let before = if self.is_there { self.record.farthest } else { 0.0 };
        self.record.inverse_mass = bearer.inverse_mass.into();
        self.record.inverse_inertia = bearer.inverse_inertia;
        self.record.farthest = corner.max(before).clamp(1e-18, 1e18);
        self.is_there = true;
    }

    /// Takes over the sum in a report.
    fn learn(&mut self, steps: Steps, tick: u64) {
        if tick < self.since {
            return;
        }
        let known = self.known.filter(|(_, known)| *known < tick);
        if let Some((before, then)) = known {
            let ticks = (tick - then) as f64;
            for ((mean, now), before) in self.mean.iter_mut().zip(steps).zip(before) {
                *mean += NEWEST * (now.wrapping_sub(before) as f64 / ticks - *mean);
            }
        }
        if known.is_some() || self.known.is_none() {
            self.known = Some((steps, tick));
        }
    }

    /// Computes the steps that the host applies in each substep of the tick with this number. For a
    /// yielding bearer, the loads of ticks without a report are estimated.
    fn apply(&mut self, tick: u64, substeps: u32) {
        self.record.applied = self.applied;
        self.record.substeps = self.substeps;
        self.substeps = self.substeps.wrapping_add(substeps);
        let Some((known, then)) = self.known else { return };
        let unknown = if self.yields() { tick.saturating_sub(then) as f64 } else { 0.0 };
        for (axis, known) in known.into_iter().enumerate() {
            let guess = (unknown * self.mean[axis]).round() as i64;
            let applied = known.wrapping_add(guess);
            let given = applied.wrapping_sub(self.applied[axis]);
            self.record.per_substep[axis] = (given as f64 / f64::from(substeps)) as f32;
            self.applied[axis] = applied;
        }
    }
}
