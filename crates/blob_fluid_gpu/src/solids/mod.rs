//! The colliders of a liquid on a graphics card, and all containers except standing boxes and discs.

mod layout;
mod parts;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use blob_fluid::device::{DeviceTick, LoadBearer};
use blob_fluid::{FluidBounds, Liquid, Load, Motion};
use wgpu::{Buffer, CommandEncoder, Queue};

use crate::records::BEARERS_HEAD;
pub(crate) use crate::solids::layout::farthest;
use crate::solids::layout::{BODY, HEADER, Table, body_record, header, in_motion};
use crate::solids::parts::{Known, Parts, Way, is_plain};

/// Largest number of bins of standing solids, and of the others.
const MOST_BINS: [f32; 2] = [1_048_576.0, 16_384.0];

/// The solids of a liquid, in the layout of the GPU.
#[derive(Debug, Default)]
pub(crate) struct DeviceSolids {
    revision: Option<u64>,
    known: Vec<Known>,
    /// Whether the container is a standing box or disc, for which shaders have special code.
    has_plain_container: bool,
    any_moves: bool,
    /// Further inputs of the bins of standing solids: the reach and the domain.
    scale: Option<(f32, FluidBounds)>,
    standing: Table,
    moving: Table,
    header: [u32; HEADER as usize * 4],
    /// The parts of the GPU's buffer that are out of date: the header, and the two tables.
    stale: [bool; 3],
    /// The bodies' records in the substeps after the first; empty if they stay the same.
    poses: Vec<u32>,
    /// The host's change of motion of each bearer at the end of each substep.
    changes: Vec<Motion>,
    /// Number of the substep that the next prediction begins.
    substep: AtomicU32,
}

impl DeviceSolids {
    /// Number of groups of four numbers in the buffers for solids and for poses.
    pub(crate) fn groups(&self) -> [u32; 2] {
        let solids = HEADER + self.standing.groups() + self.moving.groups();
        [solids, (self.poses.len() / 4) as u32]
    }

    /// Whether the container is a standing box or disc, for which shaders have special code.
    pub(crate) fn has_plain_container(&self) -> bool {
        self.has_plain_container
    }

    /// Whether the tables are empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.standing.groups() + self.moving.groups() == 0
    }

    /// Whether any solid moves, or yields to the liquid.
    pub(crate) fn any_moves(&self) -> bool {
        self.any_moves
    }

    /// The place of the first moving body, and the number of moving bodies.
    pub(crate) fn moving_bodies(&self) -> [u32; 2] {
        [self.moving.bodies, self.moving.body_count]
    }

    /// The host's change of motion of each bearer at the end of each substep of the tick.
    pub(crate) fn changes(&self) -> &[Motion] {
        &self.changes
    }

    /// Records that the buffers on the GPU are empty.
    pub(crate) fn forget_buffers(&mut self) {
        self.stale = [true; 3];
    }

    /// Moves the solids of a liquid through a tick, and builds their tables. Liquid is in `domain`,
    /// and `loads` are the loads of bodies in each substep.
    pub(crate) fn begin_tick(
        &mut self,
        liquid: &mut Liquid,
        loads: &[(LoadBearer, Load)],
        tick: &DeviceTick,
        domain: FluidBounds,
    ) {
        let coefficients = &tick.coefficients;
        let reach = 1.01 * coefficients.interaction_radius + tick.seams.seam_gap;
        let has_plain_container =
            liquid.device_solids().next().is_some_and(|first| is_plain(&first));
        let comes_to_rest = has_plain_container != self.has_plain_container;
        self.has_plain_container = has_plain_container;
        if self.revision != Some(liquid.solids_revision()) || comes_to_rest {
            self.note_changes(liquid);
        }
        if self.scale != Some((reach, domain)) {
            self.scale = Some((reach, domain));
            self.build_standing(liquid, reach, domain, tick.seams.seam_gap);
        }
        self.stale[1] |= self.standing.set_coefficients(coefficients);
        self.build_moving(liquid, loads, tick, reach, domain);
        let header = header(&self.standing, &self.moving, tick.seams);
        self.stale[0] |= header != self.header;
        self.header = header;
        *self.substep.get_mut() = 0;
    }

    /// Updates the pieces of solids that the host has changed.
    fn note_changes(&mut self, liquid: &Liquid) {
        self.revision = Some(liquid.solids_revision());
        let mut next_slot = BEARERS_HEAD;
        let known: Vec<Known> = liquid
            .device_solids()
            .enumerate()
            .map(|(index, solid)| {
                let slot = solid.bearer.map_or(0, |_| next_slot);
                next_slot += u32::from(solid.bearer.is_some());
                Known::of(&solid, slot, self.known.get(index))
            })
            .collect();
        let before = self.known.iter().filter(|known| known.is_standing());
        let now = known.iter().filter(|known| known.is_standing());
        let same = before.clone().count() == now.clone().count()
            && before.zip(now).all(|(one, other)| one.is_as(other));
        if !same {
            self.scale = None;
        }
        self.known = known;
    }

    fn build_standing(&mut self, liquid: &Liquid, reach: f32, domain: FluidBounds, seam_gap: f32) {
        let mut parts = Parts::new(reach);
        let solids = liquid.device_solids().zip(&self.known);
        for (solid, known) in solids.filter(|(_, known)| known.is_standing()) {
            let record = body_record(&solid, parts.surface(known.surface), known.marks());
            parts.add(known, record, &[Way::of(&solid)]);
        }
        self.standing = parts.standing_table(HEADER, MOST_BINS[0], domain, seam_gap);
        self.stale[1] = true;
    }

    /// Moves all solids through the substeps, and collects those that may move.
    fn build_moving(
        &mut self,
        liquid: &mut Liquid,
        loads: &[(LoadBearer, Load)],
        tick: &DeviceTick,
        reach: f32,
        domain: FluidBounds,
    ) {
        let mut parts = Parts::new(reach);
        let movers = self.known.iter().filter(|known| known.is_moving()).count();
        // One list for each solid that may move, with an item for each substep.
        let mut records: Vec<Vec<[u32; 16]>> = vec![Vec::new(); movers];
        let mut ways: Vec<Vec<Way>> = vec![Vec::new(); movers];
        self.changes.clear();
        let motions = |liquid: &Liquid| -> Vec<Motion> {
            let motion = |bearer| liquid.motion_of_bearer(bearer).unwrap_or(Motion::STILL);
            loads.iter().map(|(bearer, _)| motion(*bearer)).collect()
        };
        for _ in 0..tick.substeps {
            liquid.advance_device_solids(tick);
            let solids = liquid.device_solids().zip(&self.known);
            let moving = solids.filter(|(_, known)| known.is_moving());
            for (((solid, known), records), ways) in moving.zip(&mut records).zip(&mut ways) {
                records.push(body_record(&solid, parts.surface(known.surface), known.marks()));
                ways.push(Way::of(&solid));
            }
            let before = motions(liquid);
            liquid.apply_device_loads(loads.iter().copied());
            liquid.move_device_bodies(tick);
            self.changes.extend(motions(liquid).iter().zip(before).map(|(after, before)| Motion {
                velocity: after.velocity - before.velocity,
                angular_velocity: after.angular_velocity - before.angular_velocity,
            }));
        }
        let moving = || self.known.iter().filter(|known| known.is_moving());
        let moves = |records: &Vec<[u32; 16]>| records.iter().any(in_motion);
        self.any_moves = moving().any(|known| known.slot != 0) || records.iter().any(moves);
        for ((known, records), ways) in moving().zip(&records).zip(&ways) {
            parts.add(known, records[0], ways);
        }
        let base = HEADER + self.standing.groups();
        let mut table = parts.table(base, MOST_BINS[1], domain);
        table.set_coefficients(&tick.coefficients);
        // Constant poses are copied once.
        let changes = moving().any(|known| known.slot != 0)
            || records.iter().any(|records| records.iter().any(|later| *later != records[0]));
        // The GPU has shifted yielding bodies.
        self.stale[2] |= changes || !self.poses.is_empty() || table.words != self.moving.words;
        self.stale[2] |= table.base != self.moving.base;
        self.poses.clear();
        for substep in (1..tick.substeps as usize).filter(|_| changes) {
            for (known, records) in moving().zip(&records) {
                let record = table.placed_record(records[substep]);
                known.bodies().for_each(|_| self.poses.extend(record));
            }
        }
        self.moving = table;
    }

    /// Copies the changed parts to the GPU.
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

    /// Records the beginning of a substep: the copy of the bodies' poses.
    pub(crate) fn begin_substep(
        &self,
        encoder: &mut CommandEncoder,
        solids: &Buffer,
        poses: &Buffer,
    ) {
        let substep = u64::from(self.substep.fetch_add(1, Relaxed));
        let bytes = 16 * u64::from(BODY * self.moving.body_count);
        let all = 4 * self.poses.len() as u64;
        if substep > 0 && bytes > 0 && substep * bytes <= all {
            let to = 16 * u64::from(self.moving.bodies);
            encoder.copy_buffer_to_buffer(poses, (substep - 1) * bytes, solids, to, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use blob_fluid::device::DeviceMeasures;
    use blob_fluid::{Collider, FluidWorld};
    use glam::Vec2;

    use super::*;

    /// The parts of the buffer that a tick changes.
    fn changed(solids: &mut DeviceSolids, world: &mut FluidWorld) -> [bool; 3] {
        let liquid = world.liquid_mut();
        let tick = liquid.begin_device_tick(1.0 / 60.0, DeviceMeasures::default()).expect("valid");
        solids.begin_tick(liquid, &[], &tick, FluidBounds::ALL);
        std::mem::take(&mut solids.stale)
    }

    #[test]
    fn solids_that_stay_are_copied_once() {
        let mut world = FluidWorld::default();
        let mut solids = DeviceSolids::default();
        assert_eq!(changed(&mut solids, &mut world), [true; 3]);
        assert_eq!(changed(&mut solids, &mut world), [false; 3]);
        assert!(solids.is_empty());
        let disc = |x: f32| Collider::circle(Vec2::new(x, 0.0), 10.0).expect("valid");
        for number in 0..50 {
            world.insert_collider(disc(30.0 * number as f32));
        }
        assert_eq!(changed(&mut solids, &mut world), [true, true, true]);
        assert_eq!(changed(&mut solids, &mut world), [false; 3]);
        // A moving collider is copied in every tick, and the others are not.
        let motion = Motion { velocity: Vec2::X, angular_velocity: 0.0 };
        let moving = world.insert_collider(disc(-100.0).with_motion(motion).expect("valid"));
        assert_eq!(changed(&mut solids, &mut world), [true, false, true]);
        assert!(!changed(&mut solids, &mut world)[1]);
        // A collider at rest has its last pose twice, and then nothing changes.
        world.set_collider_motion(moving, Motion::STILL).expect("valid");
        changed(&mut solids, &mut world);
        changed(&mut solids, &mut world);
        assert_eq!(changed(&mut solids, &mut world), [false; 3]);
        assert!(world.remove_collider(moving).is_some());
        assert_eq!(changed(&mut solids, &mut world), [true, false, true]);
        // A different friction changes the walls' coefficients.
        let settling = blob_fluid::Settling { wall_friction: 9.0, ..world.parameters().settling };
        let parameters = blob_fluid::FluidParameters { settling, ..*world.parameters() };
        world.set_parameters(parameters).expect("valid");
        assert_eq!(changed(&mut solids, &mut world), [false, true, false]);
    }
}
