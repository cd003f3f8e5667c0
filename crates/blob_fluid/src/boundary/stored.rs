//! Containers, colliders and host bodies as bytes.

use crate::boundary::collider_boxes::ColliderBoxes;
use crate::boundary::collider_record::{ColliderRecord, HeldContact, Slots};
use crate::boundary::solids::{ColliderCounts, Solids};
use crate::revision::Revision;
use crate::settings::range::Limits;
use crate::stored::bytes::{Reader, SnapshotError, Stored, Writer, ensure};
use crate::stored::kinds::Numbers;

impl Stored for Solids {
    fn store(&self, to: &mut Writer) {
        let Self {
            containers,
            colliders,
            host_bodies,
            boxes,
            buried: _,
            counts: _,
            walls_revision: _,
            held_contacts,
            // Five lengths that follow from the parameters.
            jump_depth: _,
            seam_gap: _,
            core_depth: _,
            least_bend_radius: _,
            skin: _,
            turn,
        } = self;
        containers.store(to);
        colliders.store(to);
        host_bodies.store(to);
        boxes.movers().map(|index| index as u32).collect::<Vec<u32>>().store(to);
        held_contacts.store(to);
        turn.store_numbers(to);
    }

    /// The lengths that follow from the parameters, and the classes that colliders stop, have to be set.
    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let containers = Stored::load(from)?;
        let colliders: Slots<_, ColliderRecord> = Stored::load(from)?;
        let host_bodies = Stored::load(from)?;
        let movers: Vec<u32> = Stored::load(from)?;
        let count = colliders.len();
        let ascend = movers.windows(2).all(|pair| pair[0] < pair[1]);
        ensure(ascend && movers.iter().all(|index| (*index as usize) < count), "movers")?;
        let stands = |index: usize| movers.binary_search(&(index as u32)).is_err();
        let under_way =
            |(index, record): (usize, &ColliderRecord)| stands(index) && record.is_under_way();
        ensure(!colliders.iter().enumerate().any(under_way), "a collider that stands moves")?;
        let held_contacts: Vec<HeldContact> = Stored::load(from)?;
        let known = |HeldContact { key, .. }: &HeldContact| key.body < count && key.other <= count;
        ensure(held_contacts.iter().all(known), "a contact of an unknown body")?;
        let turn = Numbers::load_within(Limits::between(0.0, f32::INFINITY), from)?;
        let mut counts = ColliderCounts::default();
        colliders.iter().for_each(|record| counts.add(record));
        Ok(Self {
            containers,
            boxes: ColliderBoxes::of(&colliders, movers),
            colliders,
            host_bodies,
            counts,
            walls_revision: Revision::default(),
            held_contacts,
            turn,
            ..Self::default()
        })
    }
}
