//! The flow between the columns of a pool: the shallow-water equations on a staggered grid.
//!
//! Depths are at the centres of columns and velocities at the faces between them (Stelling and Duinmeijer 2003, "A
//! staggered conservative scheme for every Froude number in rapidly varied shallow water flows", International Journal
//! for Numerical Methods in Fluids 43). With the head `H = bed + h + d`, where `d` is the height by which bodies raise
//! the column, a substep computes
//!
//! 1. `h += q_left - q_right`, with the flow `q = dt/dx h_upstream u` of each face,
//! 2. `u += q_mean/h_mean (u_upstream - u) + dt/dx g (H_left - H_right)`, braked by the bed.
//!
//! Both steps use the same flow, so advection conserves the momentum `h_mean u` exactly, and bores have the right speed.
//! Two things keep water at rest exactly at rest: heads are whole numbers, and a difference counts only above the higher
//! one of the two beds. The flow of each substep is rounded to a whole amount, which leaves one column and enters the
//! next. It is at most the water of a column, and half of it if water leaves on both sides, so no depth is negative.
//!
//! Groups of columns that have been at rest for a while sleep, except beside groups that move.

use std::ops::Range;

use super::state::{CHUNK, Pool, Workspace};

/// Largest number of substeps in a tick. Faster flow is limited to a column per substep.
const MOST_SUBSTEPS: f64 = 64.0;

/// Fraction of a column that waves cross in a substep.
const COURANT: f64 = 0.9;

/// Speed, in V0, below which a column is at rest.
const CALM_SPEED: f64 = 0.002;

/// Time, in T0, after which columns at rest sleep.
const CALM_TIME: f32 = 10.0;

/// Time, in T0, over which the mean of a head is taken.
const MEAN_TIME: f64 = 20.0;

/// The quantities of the liquid that a step of a pool needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepInputs {
    /// Length of the tick, in seconds.
    pub time_step: f64,
    /// Downward gravity, in world units/s²; not negative.
    pub gravity: f64,
    /// T0, in seconds.
    pub time_unit: f64,
    /// V0, in world units/s.
    pub speed_unit: f64,
}

impl StepInputs {
    /// Rest time, in seconds, from which columns sleep.
    pub(super) fn calm_time(&self) -> f32 {
        CALM_TIME * self.time_unit as f32
    }
}

/// The state of a face in a substep.
#[derive(Clone, Copy, Debug)]
struct Face {
    /// Head on the left minus head on the right, in units of height, above the higher bed.
    drop: f64,
    /// Depth of the water of each column above the higher bed, in units of height.
    depths: [f64; 2],
}

impl Pool {
    /// Whether a group of columns takes part in a tick: it, or a group beside it, has moved within the calm time.
    pub(super) fn is_awake(&self, chunk: usize, calm_time: f32) -> bool {
        let beside = chunk.saturating_sub(1)..(chunk + 2).min(self.rest.len());
        self.rest[beside].iter().any(|rest| *rest < calm_time)
    }

    /// The columns that are awake, as ranges of consecutive groups.
    fn awake_ranges(&self, calm_time: f32) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for chunk in (0..self.rest.len()).filter(|chunk| self.is_awake(*chunk, calm_time)) {
            let columns = self.chunk(chunk);
            match ranges.last_mut().filter(|last| last.end == columns.start) {
                Some(last) => last.end = columns.end,
                None => ranges.push(columns),
            }
        }
        ranges
    }

    /// Keeps the heads of the columns that move in this tick or moved in the last one.
    pub(super) fn keep_tick_start(&mut self, inputs: StepInputs) {
        let mut kept = std::mem::take(&mut self.workspace.tick_start);
        let mut ranges = self.awake_ranges(inputs.calm_time());
        if kept.is_empty() {
            kept.resize(self.columns(), 0);
            ranges.push(0..self.columns());
        }
        for range in ranges.into_iter().chain(self.workspace.pressed.iter().cloned()) {
            kept[range.clone()].iter_mut().zip(range).for_each(|(kept, at)| *kept = self.head(at));
        }
        self.workspace.tick_start = kept;
    }

    /// Lets the water flow for a tick.
    pub(super) fn flow(&mut self, inputs: StepInputs) {
        let ranges = self.awake_ranges(inputs.calm_time());
        let Workspace { pressing, pressed, .. } = &mut self.workspace;
        pressing.resize(self.velocity.len(), 0.0);
        for columns in pressed.drain(..) {
            pressing[columns.start..=columns.end].fill(0.0);
        }
        pressed.extend_from_slice(&ranges);
        if ranges.is_empty() {
            return;
        }
        self.workspace.crossing.resize(self.velocity.len(), 0);
        let width = f64::from(self.column_width());
        let mut fastest = 0.0_f64;
        for range in &ranges {
            let deepest = self.water[range.clone()].iter().copied().max().unwrap_or_default();
            let wave = (inputs.gravity * deepest as f64 * self.unit()).sqrt();
            let speeds = self.velocity[range.start..=range.end].iter().map(|speed| speed.abs());
            fastest = fastest.max(wave + speeds.fold(0.0, f64::max));
        }
        let crossed = fastest * inputs.time_step / width;
        let substeps = (crossed / COURANT).ceil().clamp(1.0, MOST_SUBSTEPS);
        let substep = StepInputs { time_step: inputs.time_step / substeps, ..inputs };
        for _ in 0..substeps as u32 {
            for range in &ranges {
                self.move_water(range, substep);
                self.accelerate(range, substep);
            }
        }
        let calm_speed = CALM_SPEED * inputs.speed_unit;
        for chunk in 0..self.rest.len() {
            let columns = self.chunk(chunk);
            if !self.is_awake(chunk, inputs.calm_time()) {
                continue;
            }
            let faces = &self.velocity[columns.start..=columns.end];
            if faces.iter().any(|velocity| velocity.abs() > calm_speed) {
                self.rest[chunk] = 0.0;
            } else {
                let rest = self.rest[chunk] + inputs.time_step as f32;
                self.rest[chunk] = rest.min(inputs.calm_time());
            }
        }
        let share = (inputs.time_step / (MEAN_TIME * inputs.time_unit)).min(1.0);
        for range in ranges {
            for column in range {
                let head = self.head(column) as f64;
                self.mean_head[column] += share * (head - self.mean_head[column]);
            }
        }
        // A group stops as soon as no group beside it moves.
        for chunk in 0..self.rest.len() {
            if !self.is_awake(chunk, inputs.calm_time()) {
                for column in self.chunk(chunk) {
                    (self.velocity[column], self.velocity[column + 1]) = (0.0, 0.0);
                    self.forget_mean(column);
                }
            }
        }
    }

    /// The heads and the depths beside a face. Outside of an open end the ground is infinitely deep.
    fn face(&self, face: usize) -> Face {
        let last = self.columns() - 1;
        let left = face.checked_sub(1);
        let right = (face <= last).then_some(face);
        let bed = |column: Option<usize>| column.map_or(i64::MIN, |column| self.bed[column]);
        let sill = bed(left).max(bed(right));
        let head =
            |column: Option<usize>| column.map_or(sill, |column| self.head(column).max(sill));
        let depth = |column: Option<usize>, head: i64| {
            column.map_or(0, |column| (head - sill).min(self.water[column])) as f64
        };
        let (on_left, on_right) = (head(left), head(right));
        Face {
            drop: (on_left - on_right) as f64,
            depths: [depth(left, on_left), depth(right, on_right)],
        }
    }

    /// First step: water crosses the faces of some columns.
    fn move_water(&mut self, columns: &Range<usize>, inputs: StepInputs) {
        let per_velocity = inputs.time_step / f64::from(self.column_width());
        let last = self.columns() - 1;
        for number in columns.start..=columns.end {
            let velocity = self.velocity[number];
            let [left, right] = self.face(number).depths;
            let depth = if velocity > 0.0 { left } else { right };
            let crossing = (per_velocity * velocity * depth) as i64;
            let most = |column: usize| {
                let leaves_on_both_sides =
                    self.velocity[column] < 0.0 && self.velocity[column + 1] > 0.0;
                self.water[column] / if leaves_on_both_sides { 2 } else { 1 }
            };
            let most_to_left = if number <= last { most(number) } else { 0 };
            let most_to_right = number.checked_sub(1).map_or(0, most);
            self.workspace.crossing[number] = crossing.clamp(-most_to_left, most_to_right);
        }
        for column in columns.clone() {
            let [entering, leaving] =
                [column, column + 1].map(|face| self.workspace.crossing[face]);
            self.water[column] += entering - leaving;
        }
        if columns.start == 0 {
            self.overflow[0] -= self.workspace.crossing[0];
        }
        if columns.end == self.columns() {
            self.overflow[1] += self.workspace.crossing[columns.end];
        }
    }

    /// Second step: the new velocities of the faces of some columns.
    fn accelerate(&mut self, columns: &Range<usize>, inputs: StepInputs) {
        let StepInputs { time_step, gravity, time_unit, .. } = inputs;
        let (unit, width) = (self.unit(), f64::from(self.column_width()));
        let fastest = width / time_step;
        let decay = 1.0 + time_step * f64::from(self.settings.damping) / time_unit;
        let friction = time_step * f64::from(self.settings.friction);
        let steepness = time_step * gravity * unit / width;
        let flow = |pool: &Self, face: usize| pool.workspace.crossing[face] as f64;
        // The velocity of the face before, as it was before this substep.
        let mut velocity_before = 0.0;
        for number in columns.start..=columns.end {
            let face = self.face(number);
            let [left, right] = face.depths;
            let velocity = self.velocity[number];
            // Faces between columns that are awake and asleep are closed: the water on both sides is calm.
            let is_inside = number > columns.start && number < columns.end;
            let is_end = number == 0 || number == self.columns();
            let is_open = is_inside || is_end && self.is_face_open(number);
            self.velocity[number] = if is_open && left.max(right) > 0.0 {
                let mean_depth = 0.5 * (left + right);
                let mut carried = 0.0;
                if number > columns.start {
                    let arriving = 0.5 * (flow(self, number - 1) + flow(self, number));
                    carried +=
                        (arriving / mean_depth).clamp(0.0, 1.0) * (velocity_before - velocity);
                }
                if number < columns.end {
                    let arriving = -0.5 * (flow(self, number) + flow(self, number + 1));
                    let velocity_after = self.velocity[number + 1];
                    carried +=
                        (arriving / mean_depth).clamp(0.0, 1.0) * (velocity_after - velocity);
                }
                self.workspace.pressing[number] += time_step * gravity * mean_depth * unit;
                let pushed = velocity + carried + steepness * face.drop;
                let braked = decay + friction * pushed.abs() / (mean_depth * unit);
                (pushed / braked).clamp(-fastest, fastest)
            } else {
                0.0
            };
            velocity_before = velocity;
        }
    }
}

/// Waves cross less than a group of columns in a tick, so the group beside a group that moves wakes in time.
const _: () = assert!(CHUNK as f64 >= MOST_SUBSTEPS * COURANT);
