//! The colliders of a liquid on a device.

mod bins;
mod layout;
mod pieces;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use blob_fluid::{DeviceCollider, DeviceTick, FluidBounds, FluidShape, Liquid};
use glam::Vec2;
use wgpu::{Buffer, CommandEncoder, Queue};

use crate::solids::bins::{Bins, Placed};
use crate::solids::layout::{BODY, BodyEntry, HEADER, Surface, Table, body_record, header, placed};
use crate::solids::pieces::{Piece, pieces_of};

/// Most bins of the colliders that stand, and of the others.
const MOST_BINS: [f32; 2] = [1_048_576.0, 16_384.0];

/// A membrane; free inside; a line. See `shaders/solids.wgsl`.
const ONE_WAY: u32 = 1;
const INSIDE_OUT: u32 = 2;
const LINE: u32 = 4;

/// A collider as it was when pieces were made of it.
#[derive(Clone, Debug)]
struct Known {
    collider: blob_fluid::Collider,
    surface: Surface,
    slack: f32,
    stands: bool,
    pieces: Arc<[Piece]>,
}

impl Known {
    fn of(solid: &DeviceCollider<'_>, before: Option<&Self>) -> Self {
        let collider = solid.collider;
        let options = collider.options();
        let sides = |options: blob_fluid::ColliderOptions| (options.inside_out, options.one_way);
        let same = before.filter(|before| {
            before.collider.shape() == collider.shape()
                && sides(before.collider.options()) == sides(options)
        });
        let make = || pieces_of(collider.shape(), &options).into();
        Self {
            collider: collider.clone(),
            surface: Surface { wall: collider.wall(), stops: solid.stops },
            slack: solid.slack,
            stands: !solid.moves && solid.fade_in == 1.0,
            pieces: same.map_or_else(make, |before| before.pieces.clone()),
        }
    }

    fn flags(&self) -> u32 {
        let options = self.collider.options();
        let line = matches!(self.collider.shape(), FluidShape::Polyline(_));
        let bit = |set: bool, flag: u32| if set { flag } else { 0 };
        bit(options.one_way, ONE_WAY) | bit(options.inside_out, INSIDE_OUT) | bit(line, LINE)
    }

    /// How far from its pieces it is felt, where liquid reaches `reach`.
    fn margin(&self, piece: &Piece, reach: f32) -> f32 {
        reach + piece.radius + 4.0 * self.slack
    }
}

/// What the bins of standing colliders depend on beside the colliders.
type Scale = (f32, FluidBounds);

/// The colliders of a liquid, as they lie on the device.
#[derive(Debug, Default)]
pub(crate) struct DeviceSolids {
    revision: Option<u64>,
    known: Vec<Known>,
    scale: Option<Scale>,
    standing: Table,
    moving: Table,
    header: [u32; HEADER as usize * 4],
    /// Which parts of the device's buffer are not what is here: the header, and the two tables.
    stale: [bool; 3],
    /// The bodies' records in the substeps after the first; empty if they do not change.
    poses: Vec<u32>,
    /// Number of the substep that the next prediction begins.
    substep: AtomicU32,
}

impl DeviceSolids {
    /// Groups of four numbers that the buffers for solids and for poses need.
    pub(crate) fn groups(&self) -> [u32; 2] {
        let solids = HEADER + self.standing.groups() + self.moving.groups();
        [solids, (self.poses.len() / 4) as u32]
    }

    /// Notes that the device's buffers are empty.
    pub(crate) fn forget_buffers(&mut self) {
        self.stale = [true; 3];
    }

    /// Moves the colliders of a liquid through a tick, and finds what the device needs of them.
    pub(crate) fn begin_tick(&mut self, liquid: &mut Liquid, tick: &DeviceTick, domain: FluidBounds) {
        let coefficients = &tick.coefficients;
        let reach = 1.01 * coefficients.interaction_radius + coefficients.seams.seam_gap;
        if self.revision != Some(liquid.solids_revision()) {
            self.note_changes(liquid);
        }
        if self.scale != Some((reach, domain)) {
            self.scale = Some((reach, domain));
            self.build_standing(liquid, reach, domain);
        }
        self.stale[1] |= self.standing.set_coefficients(coefficients);
        self.build_moving(liquid, tick, reach, domain);
        let header = header(&self.standing, &self.moving, coefficients.seams);
        self.stale[0] |= header != self.header;
        self.header = header;
        *self.substep.get_mut() = 0;
    }

    /// Finds the pieces of colliders that the host has changed.
    fn note_changes(&mut self, liquid: &Liquid) {
        self.revision = Some(liquid.solids_revision());
        let solids = liquid.device_colliders().enumerate();
        let known: Vec<Known> =
            solids.map(|(index, solid)| Known::of(&solid, self.known.get(index))).collect();
        let standing = |known: &'_ Known| known.stands;
        let same = |(one, other): (&Known, &Known)| {
            one.collider == other.collider && one.surface == other.surface && one.slack == other.slack
        };
        let before = self.known.iter().filter(|known| standing(known));
        let now = known.iter().filter(|known| standing(known));
        if before.clone().count() != now.clone().count() || !before.zip(now).all(same) {
            self.scale = None;
        }
        self.known = known;
    }

    fn build_standing(&mut self, liquid: &Liquid, reach: f32, domain: FluidBounds) {
        let mut parts = Parts::default();
        for (solid, known) in liquid.device_colliders().zip(&self.known) {
            if known.stands {
                let pose = (solid.collider.centre(), solid.collider.rotation());
                parts.add(&solid, known, |piece, margin| {
                    vec![placed(0, piece.ends, pose, margin)]
                }, reach);
            }
        }
        self.standing = parts.table(HEADER, reach, MOST_BINS[0], domain);
        self.stale[1] = true;
    }

    /// Moves all colliders through the substeps, and collects those that may move.
    fn build_moving(&mut self, liquid: &mut Liquid, tick: &DeviceTick, reach: f32, domain: FluidBounds) {
        let mut ways: Vec<Vec<Way>> = vec![Vec::new(); self.known.len()];
        let mut records: Vec<Vec<[u32; 16]>> = Vec::new();
        let mut parts = Parts::default();
        for substep in 0..tick.substeps {
            liquid.advance_device_solids(tick);
            let moving = liquid.device_colliders().zip(&self.known).zip(&mut ways);
            let moving = moving.filter(|((_, known), _)| !known.stands);
            records.push(Vec::new());
            for ((solid, known), ways) in moving {
                let surface = if substep == 0 { parts.surface(known) } else { 0 };
                records[substep as usize].push(body_record(&solid, surface, known.flags()));
                ways.push(Way::of(&solid));
            }
        }
        let mut first = records.first().into_iter().flatten();
        for (known, ways) in self.known.iter().zip(&ways).filter(|(known, _)| !known.stands) {
            let record = *first.next().expect("one for each collider that may move");
            let place = |piece: &Piece, margin: f32| {
                ways.iter().map(|way| way.placed(piece, margin, reach)).collect()
            };
            parts.add_record(record, known, place, reach);
        }
        let base = HEADER + self.standing.groups();
        let mut table = parts.table(base, reach, MOST_BINS[1], domain);
        table.set_coefficients(&tick.coefficients);
        // Poses that stay are copied once.
        let changes = records.windows(2).any(|pair| {
            let poses = |record: &[u32; 16]| -> [u32; 14] { std::array::from_fn(|word| record[word]) };
            pair[0].iter().map(poses).ne(pair[1].iter().map(poses))
        });
        self.stale[2] |= changes || !self.poses.is_empty() || table.words != self.moving.words;
        self.stale[2] |= table.base != self.moving.base;
        self.poses.clear();
        if changes {
            for later in &records[1..] {
                for (mut record, first) in later.iter().copied().zip(&records[0]) {
                    record[14] = base + 4 * first[14];
                    self.poses.extend(record);
                }
            }
        }
        self.moving = table;
    }

    /// Copies to the device what has changed.
    pub(crate) fn upload(&mut self, queue: &Queue, solids: &Buffer, poses: &Buffer) {
        let parts: [(u32, &[u32]); 3] = [
            (0, &self.header),
            (HEADER, &self.standing.words),
            (self.moving.base, &self.moving.words),
        ];
        for ((group, words), stale) in parts.into_iter().zip(&mut self.stale) {
            if std::mem::take(stale) && !words.is_empty() {
                queue.write_buffer(solids, 16 * u64::from(group), bytemuck::cast_slice(words));
            }
        }
        if !self.poses.is_empty() {
            queue.write_buffer(poses, 0, bytemuck::cast_slice(&self.poses));
        }
    }

    /// Records what a substep begins with: the poses of the bodies in it.
    pub(crate) fn begin_substep(&self, encoder: &mut CommandEncoder, solids: &Buffer, poses: &Buffer) {
        let substep = u64::from(self.substep.fetch_add(1, Relaxed));
        let bodies = self.known.iter().filter(|known| !known.stands).count();
        let bytes = 16 * u64::from(BODY) * bodies as u64;
        if substep > 0 && 4 * self.poses.len() as u64 >= substep * bytes && bytes > 0 {
            let to = 16 * u64::from(self.moving.bodies);
            encoder.copy_buffer_to_buffer(poses, (substep - 1) * bytes, solids, to, bytes);
        }
    }
}

/// The way of a body through a substep.
#[derive(Clone, Copy, Debug)]
struct Way {
    poses: [(Vec2, Vec2); 2],
    /// How far the ways of particles that are straight relative to it bulge, in the world.
    bulge: f32,
    turn: f32,
}

impl Way {
    fn of(solid: &DeviceCollider<'_>) -> Self {
        let collider = solid.collider;
        let poses = [collider.previous_pose(), (collider.centre(), collider.rotation())];
        let turn = poses[0].1.distance(poses[1].1);
        let bounds = collider.shape().bounds();
        let farthest = bounds.low.abs().max(bounds.high.abs()).length();
        let bulge =
            if turn > 0.0 { turn * (poses[0].0.distance(poses[1].0) + turn * farthest) } else { 0.0 };
        Self { poses, bulge, turn }
    }

    fn placed(&self, piece: &Piece, margin: f32, reach: f32) -> Placed {
        let [before, after] = self.poses.map(|pose| placed(0, piece.ends, pose, margin));
        let way = |end: usize| before.ends[end].distance(after.ends[end]);
        let margin = margin + way(0).max(way(1)) + self.bulge + self.turn * reach;
        Placed { margin, ..after }
    }
}

/// The parts of a table while they are collected.
#[derive(Default)]
struct Parts {
    surfaces: Vec<Surface>,
    records: Vec<[u32; 16]>,
    pieces: Vec<Arc<[Piece]>>,
    placed: Vec<Placed>,
    count: u32,
}

impl Parts {
    /// The number of a collider's surface.
    fn surface(&mut self, known: &Known) -> usize {
        let found = self.surfaces.iter().rposition(|surface| *surface == known.surface);
        found.unwrap_or_else(|| {
            self.surfaces.push(known.surface);
            self.surfaces.len() - 1
        })
    }

    fn add(
        &mut self,
        solid: &DeviceCollider<'_>,
        known: &Known,
        place: impl Fn(&Piece, f32) -> Vec<Placed>,
        reach: f32,
    ) {
        let surface = self.surface(known);
        self.add_record(body_record(solid, surface, known.flags()), known, place, reach);
    }

    fn add_record(
        &mut self,
        record: [u32; 16],
        known: &Known,
        place: impl Fn(&Piece, f32) -> Vec<Placed>,
        reach: f32,
    ) {
        self.records.push(record);
        self.pieces.push(known.pieces.clone());
        for piece in &*known.pieces {
            if !piece.is_plane() {
                let places = place(piece, known.margin(piece, reach));
                self.placed.extend(places.into_iter().map(|place| Placed { piece: self.count, ..place }));
            }
            self.count += 1;
        }
    }

    fn table(self, base: u32, size: f32, most: f32, domain: FluidBounds) -> Table {
        if self.records.is_empty() {
            return Table { base, ..Table::default() };
        }
        let bins = Bins::over(&self.placed, size, most, domain);
        let bodies = self.records.iter().zip(&self.pieces);
        let bodies: Vec<_> =
            bodies.map(|(record, pieces)| BodyEntry { record: *record, pieces }).collect();
        Table::new(base, self.surfaces, &bodies, &bins)
    }
}
