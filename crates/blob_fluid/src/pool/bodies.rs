//! Bodies in a pool: the water that they displace, and the forces of the water on them.
//!
//! A body in a column takes the place of water. The area that it has below the waterline, divided by the width of the
//! column, raises the head of the column, and so pushes water aside. The waterline is the mean surface of the last
//! seconds on both sides of the body, as a line from one to the other. In the steady state, the head below a body is the
//! level around it, and the water below it is lower by the displaced height.
//!
//! With a waterline that follows waves at once, the surface beside the body would act on the body, but the body not on
//! that surface, and bobbing bodies would gain energy.
//!
//! The water pushes the body up with the weight of the displaced water, and with the excess of the head below the body
//! over the waterline. It pushes the body aside with the opposite of the momentum that the raised heads give to the
//! water. So the momentum along the x axis is conserved.

use std::ops::Range;

use glam::{DVec2, Vec2};

use super::columns::StepInputs;
use super::state::{BelowBodies, CHUNK, Pool};
use crate::boundary::body::Body;
use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::solids::{BodyResponse, Solids};
use crate::geometry::pose::Motion;
use crate::geometry::shape::FluidShape;
use crate::liquid::state::Sleep;

/// Number of columns beside a body in which the surface beside it is looked for.
const BESIDE: usize = 4;

/// Change of a displaced height, in particle spacings, that wakes columns.
const NOTICED: f64 = 1.0 / 256.0;

/// Change of a displaced height, in particle spacings, that wakes a sleeping body.
const WAKES_BODY: f64 = 0.1;

/// Area in a column, in particle spacings times the width of the column, below which it is a rounding error.
const NEGLIGIBLE: f64 = 1e-6;

/// The part of a body below the waterline in a column.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slice {
    /// Area, in square world units.
    pub area: f64,
    /// Width at the waterline, in world units.
    pub width: f64,
    /// Integral of the position over the area, relative to the pool's origin.
    moment: DVec2,
    /// Integral of the position along the x axis over the width.
    width_moment: f64,
    /// Height of the waterline above the pool's origin, in world units.
    pub waterline: f64,
}

impl Slice {
    /// Centre of the area, relative to the pool's origin; zero without an area.
    fn centre(&self) -> DVec2 {
        if self.area > 0.0 { self.moment / self.area } else { DVec2::ZERO }
    }

    /// Adds the area below a part of an edge and above the height `low`.
    fn add_below(&mut self, from: DVec2, to: DVec2, low: f64) {
        // The edge is cut where it crosses the bed and the waterline.
        let high = self.waterline.max(low);
        let crossing = |height: f64| ((height - from.y) / (to.y - from.y)).clamp(0.0, 1.0);
        let mut cuts = [0.0, crossing(low), crossing(high), 1.0];
        if from.y == to.y {
            (cuts[1], cuts[2]) = (0.0, 0.0);
        } else if cuts[1] > cuts[2] {
            cuts.swap(1, 2);
        }
        for cut in cuts.windows(2).filter(|cut| cut[1] > cut[0]) {
            let [start, end] = [cut[0], cut[1]].map(|share| from + (to - from) * share);
            let length = start.x - end.x;
            let [one, other] = [start, end].map(|point| point.y.clamp(low, high));
            let (above_one, above_other) = (one - low, other - low);
            self.area += length * 0.5 * (above_one + above_other);
            let weighted =
                above_one * (2.0 * start.x + end.x) + above_other * (start.x + 2.0 * end.x);
            self.moment.x += length / 6.0 * weighted;
            let squares = one * one + one * other + other * other - 3.0 * low * low;
            self.moment.y += length / 6.0 * squares;
            if start.y + end.y > 2.0 * high {
                self.width += length;
                self.width_moment += length * 0.5 * (start.x + end.x);
            }
        }
    }
}

/// Speed, in V0, below which the drag on bodies is proportional to the relative velocity.
const SLOW_DRAG: f64 = 0.2;

/// A collider that may move, in a pool.
#[derive(Clone, Debug)]
pub(super) struct Immersed {
    pub collider: usize,
    /// Index of the host body that carries it.
    pub host: Option<usize>,
    /// The first column that it covers.
    pub first: usize,
    /// For each column that it covers.
    pub slices: Vec<Slice>,
    /// Area below the waterline, in square world units.
    pub area: f64,
    pub response: BodyResponse,
    /// Downward acceleration by its weight, in world units/s².
    fall: f64,
    pub is_asleep: bool,
}

impl Immersed {
    /// The columns that it covers.
    pub(super) fn columns(&self) -> Range<usize> {
        self.first..self.first + self.slices.len()
    }

    /// Its width at the waterline, in world units.
    pub(super) fn width(&self) -> f64 {
        self.slices.iter().map(|slice| slice.width).sum()
    }
}

impl Pool {
    /// Finds the bodies in the pool, and updates the heights by which they raise the columns. Wakes bodies around which
    /// the level has changed.
    pub(super) fn immerse(
        &mut self,
        solids: &Solids,
        sleep: &mut Sleep,
        inputs: StepInputs,
    ) -> Vec<Immersed> {
        let (left, width) = (self.origin.x, f64::from(self.column_width()));
        let right = left + self.columns() as f32 * self.column_width();
        let is_near = |collider: &usize| {
            let around = solids.boxes[*collider].inflated(self.spacing);
            around.high.x >= left && around.low.x <= right
        };
        let near: Vec<usize> = solids.boxes.movers().filter(is_near).collect();
        let sleep_all = near.iter().all(|collider| solids.colliders[*collider].is_sleeping());
        let covered = self.workspace.covered.as_ref();
        if sleep_all
            && covered.is_some_and(|covered| covered.len() == near.len())
            && (0..self.rest.len()).all(|chunk| !self.is_awake(chunk, inputs.calm_time()))
        {
            return Vec::new();
        }
        let by_collider: Vec<Option<Immersed>> =
            near.into_iter().map(|collider| self.immersed(collider, solids, inputs)).collect();
        let columns_of = |body: &Option<Immersed>| body.as_ref().map_or(0..0, Immersed::columns);
        let mut covered: Vec<Range<usize>> = by_collider.iter().map(columns_of).collect();
        let all: Vec<Immersed> = by_collider.into_iter().flatten().collect();
        // Columns that no body covers now or covered in the last tick do not change. After loading, all may.
        let before = self.workspace.covered.replace(covered.clone());
        match before {
            Some(before) => covered.extend(before),
            None => covered.push(0..self.columns()),
        }
        covered.sort_unstable_by_key(|columns| columns.start);
        let mut below = std::mem::take(&mut self.workspace.below_bodies);
        below.resize(self.columns(), BelowBodies::default());
        let unit = self.unit();
        for body in &all {
            for (column, slice) in body.columns().zip(&body.slices) {
                below[column].displaced += (slice.area / (width * unit)) as i64;
                below[column].is_covered = true;
                below[column].sleeps |= body.is_asleep;
            }
        }
        let spacing = f64::from(self.spacing);
        let [noticed, wakes] = [NOTICED, WAKES_BODY].map(|share| self.units(share * spacing));
        // Columns, in order, in which the level has changed around sleeping bodies.
        let mut changed = Vec::new();
        let mut next = 0;
        for columns in covered {
            let first = columns.start.max(next).min(columns.end);
            for (bodies, column) in below[first..columns.end].iter_mut().zip(first..) {
                let BelowBodies { displaced, is_covered, sleeps } = std::mem::take(bodies);
                let change = (displaced - self.displaced[column]).abs();
                let is_noticed = change > if sleeps { wakes } else { noticed };
                if is_noticed {
                    self.touch(column);
                    if sleeps {
                        changed.push(column);
                    }
                }
                let is_awake = || self.is_awake(column / CHUNK, inputs.calm_time());
                if is_noticed || !is_covered || !sleeps && is_awake() {
                    self.displaced[column] = displaced;
                }
                next = column + 1;
            }
        }
        self.workspace.below_bodies = below;
        for body in all.iter().filter(|body| body.is_asleep) {
            let first = changed.partition_point(|column| *column < body.first);
            if changed.get(first).is_some_and(|column| body.columns().contains(column)) {
                sleep.disturb_around(solids.boxes[body.collider]);
            }
        }
        all
    }

    /// A collider in the pool; `None` if no part of it with an area is below the waterline.
    fn immersed(&self, collider: usize, solids: &Solids, inputs: StepInputs) -> Option<Immersed> {
        let record = &solids.colliders[collider];
        let rings = self.rings_of(record);
        let xs = || rings.iter().flatten().map(|corner| corner.x);
        let (low, high) =
            (xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max));
        let width = f64::from(self.column_width());
        let columns = self.columns() as f64;
        if !(low < high && high > 0.0 && low < columns * width) {
            return None;
        }
        let first = (low / width).max(0.0) as usize;
        let last = ((high / width).min(columns - 1.0) as usize).max(first);
        let mut slices = self.waterline(first..last + 1)?;
        for ring in &rings {
            let from = ring.last().into_iter().chain(ring);
            for (from, to) in from.zip(ring) {
                self.cut_edge(*from, *to, first, &mut slices);
            }
        }
        let negligible = NEGLIGIBLE * width * f64::from(self.spacing);
        for slice in &mut slices {
            if slice.area < negligible {
                *slice = Slice { waterline: slice.waterline, ..Slice::default() };
            }
            slice.width = slice.width.clamp(0.0, width);
        }
        let area: f64 = slices.iter().map(|slice| slice.area).sum();
        if area == 0.0 {
            return None;
        }
        let attachment = record.options.attachment;
        let host = attachment.and_then(|attachment| solids.host_bodies.index_of(attachment.body));
        let (inverse_mass, inverse_inertia, fall) = match (host, record.options.body) {
            (Some(host), _) => {
                let body = &solids.host_bodies[host].body;
                (body.inverse_mass, body.inverse_inertia, -f64::from(body.acceleration.y))
            }
            (None, Some(body)) => (
                Vec2::splat(body.inverse_mass()),
                body.inverse_inertia(),
                inputs.gravity * f64::from(body.gravity_scale),
            ),
            (None, None) => (Vec2::ZERO, 0.0, 0.0),
        };
        Some(Immersed {
            collider,
            host,
            first,
            area,
            slices,
            response: BodyResponse { inverse_mass, inverse_inertia, least_change: 0.0 },
            fall: fall.max(0.0),
            is_asleep: record.is_sleeping(),
        })
    }

    /// The outlines of a collider with the [gap](Body::GAP) around it, relative to the pool's origin, counter-clockwise
    /// around solid parts.
    fn rings_of(&self, record: &ColliderRecord) -> Vec<Vec<DVec2>> {
        let gap = Body::GAP * self.spacing;
        let outlines = match &record.shape {
            FluidShape::HalfPlane { .. } => Vec::new(),
            // A drawn shape has no outline.
            shape @ FluidShape::Field(_) => {
                let half_size = shape.bounds().half_size();
                let filled = shape.area() / (4.0 * half_size.x * half_size.y);
                let half_size = half_size * filled.min(1.0).sqrt();
                FluidShape::Rectangle { half_size }.outlines()
            }
            shape => shape.outlines(),
        };
        let origin = self.origin.as_dvec2();
        let mut rings = Vec::new();
        for outline in outlines {
            for (number, ring) in outline.into_iter().enumerate() {
                let ring = grown(ring, gap, number > 0);
                let placed = ring.into_iter().map(|corner| record.pose.to_world(corner));
                rings.push(placed.map(|corner| corner.as_dvec2() - origin).collect());
            }
        }
        rings
    }

    /// The slices of these columns, with their waterlines and without areas; `None` if neither these columns nor the ones
    /// beside them have water.
    fn waterline(&self, columns: Range<usize>) -> Option<Vec<Slice>> {
        let is_wet = |column: &usize| self.water[*column] > 0;
        let head = |column: usize| self.mean_head[column] * self.unit();
        let left = (columns.start.saturating_sub(BESIDE)..columns.start).rev().find(is_wet);
        let right = (columns.end..(columns.end + BESIDE).min(self.columns())).find(is_wet);
        let (one, other) = match (left.or(right), right.or(left)) {
            (Some(left), Some(right)) => (head(left), head(right)),
            _ => {
                // It covers the whole pool: the level that the water has without it.
                let wet = columns.clone().filter(is_wet);
                let level = wet.map(|column| self.bed[column] + self.water[column]).max()?;
                (level as f64 * self.unit(), level as f64 * self.unit())
            }
        };
        let count = columns.len() as f64;
        let share = |number: usize| (number as f64 + 0.5) / count;
        let height = |number| one + (other - one) * share(number);
        Some(
            (0..columns.len())
                .map(|number| Slice { waterline: height(number), ..Slice::default() })
                .collect(),
        )
    }

    /// Adds the areas below an edge to the slices of the columns above which it is.
    fn cut_edge(&self, from: DVec2, to: DVec2, first: usize, slices: &mut [Slice]) {
        if from.x == to.x {
            return;
        }
        let width = f64::from(self.column_width());
        let column_of =
            |x: f64| ((x / width).floor().max(first as f64) as usize).min(first + slices.len() - 1);
        let (low, high) = (column_of(from.x.min(to.x)), column_of(from.x.max(to.x)));
        for column in low..=high {
            let sides = [column, column + 1].map(|side| side as f64 * width);
            let share = |x: f64| ((x - from.x) / (to.x - from.x)).clamp(0.0, 1.0);
            let (enters, leaves) = if to.x > from.x {
                (share(sides[0]), share(sides[1]))
            } else {
                (share(sides[1]), share(sides[0]))
            };
            if leaves > enters {
                let [start, end] = [enters, leaves].map(|share| from + (to - from) * share);
                let bed = self.bed[column] as f64 * self.unit();
                slices[column - first].add_below(start, end, bed);
            }
        }
    }

    /// Pushes the bodies after the flow of a tick. `density` is in masses per square world unit.
    pub(super) fn push_bodies(
        &mut self,
        bodies: &[Immersed],
        solids: &mut Solids,
        density: f64,
        inputs: StepInputs,
    ) {
        let StepInputs { time_step, gravity, .. } = inputs;
        let mut area_of_host = vec![0.0; solids.host_bodies.len()];
        for body in bodies {
            if let Some(host) = body.host {
                area_of_host[host] += body.area;
            }
        }
        for body in bodies.iter().filter(|body| !body.is_asleep) {
            let centre =
                solids.colliders[body.collider].centre().as_dvec2() - self.origin.as_dvec2();
            let (mut impulse, mut angular) = (DVec2::ZERO, 0.0);
            let mut add = |at: DVec2, push: DVec2| {
                impulse += push;
                angular += (at - centre).perp_dot(push);
            };
            let (unit, width) = (self.unit(), f64::from(self.column_width()));
            let raised = |column: usize| {
                let slice = column.checked_sub(body.first).and_then(|at| body.slices.get(at));
                slice.map_or(0.0, |slice| slice.area / width)
            };
            for (column, slice) in body.columns().zip(&body.slices) {
                if slice.area <= 0.0 {
                    continue;
                }
                let excess = self.head(column) as f64 * unit - slice.waterline;
                let weight = density * gravity * time_step;
                add(slice.centre(), DVec2::Y * (weight * slice.area));
                if slice.width > 0.0 {
                    let at = DVec2::new(slice.width_moment / slice.width, slice.waterline);
                    let excess = excess.max(-slice.area / width);
                    add(at, DVec2::Y * (weight * excess * slice.width));
                }
            }
            // The opposite of the momentum that the raised heads gave to the water, at the centre of buoyancy.
            let mut aside = 0.0;
            for face in body.first..=body.columns().end {
                let rise = raised(face) - if face > 0 { raised(face - 1) } else { 0.0 };
                aside += density * self.workspace.pressing[face] * rise;
            }
            let moment: DVec2 = body.slices.iter().map(|slice| slice.moment).sum();
            add(moment / body.area, DVec2::X * aside);
            // Water moves along with the body, as much as it displaces.
            let carried = density * body.area;
            let all_carried = body.host.map_or(carried, |host| density * area_of_host[host]);
            impulse.y += carried * body.fall * time_step;
            impulse.y /= 1.0 + all_carried * f64::from(body.response.inverse_mass.y);
            let angular =
                angular / (1.0 + all_carried * f64::from(body.response.inverse_mass.max_element()));
            solids.push_body(body.collider, body.host, impulse, angular, body.response);
            self.drag_body(body, solids, density, inputs);
        }
    }

    /// Brakes a body relative to the water. The water gets the opposite momentum along the x axis.
    fn drag_body(
        &mut self,
        body: &Immersed,
        solids: &mut Solids,
        density: f64,
        inputs: StepInputs,
    ) {
        let record = &solids.colliders[body.collider];
        let (centre, motion) = (record.centre().as_dvec2() - self.origin.as_dvec2(), record.motion);
        let motion = body.host.map_or(motion, |host| {
            let carrier = &solids.host_bodies[host].body;
            let lever = record.centre() - carrier.pose.translation;
            let turning = carrier.motion.angular_velocity * lever.perp();
            Motion { velocity: carrier.motion.velocity + turning, ..carrier.motion }
        });
        let extent = body.slices.iter().filter(|slice| slice.area > 0.0).count() as f64
            * f64::from(self.column_width());
        let half = 0.5 * density * f64::from(self.settings.drag) * inputs.time_step;
        let slow = DVec2::splat(SLOW_DRAG * inputs.speed_unit);
        let mut pushes = Vec::with_capacity(body.slices.len());
        let mut sum = DVec2::ZERO;
        for (column, slice) in body.columns().zip(&body.slices) {
            if slice.area <= 0.0 {
                continue;
            }
            let lever = slice.centre() - centre;
            let velocity = motion.velocity.as_dvec2()
                + f64::from(motion.angular_velocity) * lever.perp()
                - DVec2::new(self.mean_velocity(column), 0.0);
            let across = DVec2::new(slice.area / extent, slice.area / body.area * extent);
            let rate = half * across * (velocity.abs() + slow);
            sum += rate;
            pushes.push((column, lever, -rate * velocity));
        }
        // So the relative velocity shrinks, and never changes its sign.
        let water: f64 = body.columns().map(|column| self.water[column] as f64).sum::<f64>()
            / Self::PARTS as f64
            * density
            * f64::from(self.spacing)
            * f64::from(self.spacing);
        let inverse_mass =
            body.response.inverse_mass.as_dvec2() + DVec2::new(1.0 / water.max(1e-9), 0.0);
        let limit = 1.0 / (1.0 + sum * inverse_mass);
        let (mut impulse, mut angular) = (DVec2::ZERO, 0.0);
        let particle = density * f64::from(self.spacing) * f64::from(self.spacing);
        for (column, lever, push) in pushes {
            let mut push = push * limit;
            if !self.push(column, -push.x / particle) {
                push.x = 0.0;
            }
            impulse += push;
            angular += lever.perp_dot(push);
        }
        solids.push_body(body.collider, body.host, impulse, angular * limit.y, body.response);
    }
}

/// A ring of corners, moved outwards by `gap` (for a hole, inwards), and ordered counter-clockwise (a hole, clockwise).
fn grown(mut ring: Vec<Vec2>, gap: f32, is_hole: bool) -> Vec<Vec2> {
    let twice_area: f32 =
        (0..ring.len()).map(|number| ring[number].perp_dot(ring[(number + 1) % ring.len()])).sum();
    if (twice_area < 0.0) != is_hole {
        ring.reverse();
    }
    let count = ring.len();
    let corner = |number: usize| {
        let at = ring[number];
        let along_in = (at - ring[(number + count - 1) % count]).normalize_or_zero();
        let along_out = (ring[(number + 1) % count] - at).normalize_or_zero();
        let (out_in, out_out) = (-along_in.perp(), -along_out.perp());
        // Sharp corners are moved by at most twice the gap.
        let bisector = (out_in + out_out).normalize_or(out_in);
        at + bisector * (gap / bisector.dot(out_in).max(0.5))
    };
    (0..count).map(corner).collect()
}
