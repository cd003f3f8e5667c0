//! The walls of the simulation as line segments, which surfaces meet. Only changed solids, and solids near them, are
//! computed again.
//!
//! | file | contents |
//! |---|---|
//! | `outline.rs` | edges of shapes, and the parts of them that liquid can reach |
//! | `solid.rs` | a container or collider with its walls |

mod outline;
mod solid;

use bevy::prelude::*;
use blob_fluid::{
    ClassId, ColliderId, ColliderOptions, ContainerId, FluidBounds, FluidShape, FluidWorld, Pose,
};

use crate::placing::Placement;
use crate::render::FluidWalls;
use crate::simulation::FluidSimulation;
use crate::solids::{EntityPart, FluidColliders, FluidContainers};
use solid::{Solid, SolidId, WallKind};

/// The entity of each solid of one kind, indexed by the slot of its handle.
pub(crate) struct Owners<Id>(Vec<Option<(Id, (Entity, EntityPart))>>);

impl<Id> Default for Owners<Id> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<Id: Copy + PartialEq> Owners<Id> {
    fn set(
        &mut self,
        owners: impl Iterator<Item = (Id, (Entity, EntityPart))>,
        slot: impl Fn(Id) -> u32,
    ) {
        self.0.clear();
        for (id, owner) in owners {
            let slot = slot(id) as usize;
            if slot >= self.0.len() {
                self.0.resize(slot + 1, None);
            }
            self.0[slot] = Some((id, owner));
        }
    }

    fn of(&self, id: Id, slot: u32) -> Option<(Entity, EntityPart)> {
        let (owned, owner) = (*self.0.get(slot as usize)?)?;
        (owned == id).then_some(owner)
    }
}

/// The solids of the last frame, and lists whose memory is reused.
#[derive(Default)]
pub(crate) struct KnownSolids {
    solids: Vec<(SolidId, Solid)>,
    before: Vec<(SolidId, Solid)>,
    /// Boxes of the changes.
    changed: Vec<FluidBounds>,
    spacing: f32,
}

/// Copies the walls of changed solids. The solid of an entity is placed at the entity's pose in
/// this frame, so that it meets the liquid where the game draws it.
pub(crate) fn publish_walls(
    fluid: Res<FluidSimulation>,
    containers: Option<Res<FluidContainers>>,
    colliders: Option<Res<FluidColliders>>,
    entities: Query<&GlobalTransform>,
    mut container_owners: Local<Owners<ContainerId>>,
    mut collider_owners: Local<Owners<ColliderId>>,
    mut known: Local<KnownSolids>,
    mut walls: ResMut<FluidWalls>,
) {
    if let Some(containers) = containers.filter(DetectChanges::is_changed) {
        container_owners.set(containers.owners(), ContainerId::slot);
    }
    if let Some(colliders) = colliders.filter(DetectChanges::is_changed) {
        collider_owners.set(colliders.owners(), ColliderId::slot);
    }
    let placed = |(entity, part): (Entity, EntityPart)| {
        let placement = Placement::from_global(entities.get(entity).ok()?).ok()?;
        Some(placement.pose * part.pose)
    };
    let containers = fluid.containers().map(|(id, container)| {
        let owner = container_owners.of(id, id.slot());
        let pose = owner.and_then(placed).unwrap_or(container.pose());
        (SolidId::Container(id), container.shape(), WallKind::Container, pose)
    });
    let colliders = fluid.colliders().filter_map(|(id, collider)| {
        let options = collider.options();
        let kind = if options.inside_out { WallKind::InsideOut } else { WallKind::Collider };
        stops_all(&options, &fluid).then(|| {
            let owner = collider_owners.of(id, id.slot());
            let pose = owner.and_then(placed).unwrap_or(collider.pose());
            (SolidId::Collider(id), collider.shape(), kind, pose)
        })
    });
    let spacing = fluid.parameters().particle_spacing;
    if known.update(containers.chain(colliders), spacing) {
        walls.replace(|walls, solids| {
            let any = |wanted| known.solids.iter().filter(move |(_, solid)| solid.kind() == wanted);
            solids.contained = any(WallKind::Container).next().is_some();
            solids.inside_out = any(WallKind::InsideOut).count() as u32;
            for (_, solid) in &known.solids {
                walls.extend_from_slice(solid.walls());
                solids.triangles.extend(solid.triangles());
            }
        });
    }
}

/// Whether a collider stops every class from both sides.
fn stops_all(options: &ColliderOptions, fluid: &FluidWorld) -> bool {
    let mut classes = fluid.classes().iter().zip(0..=u8::MAX);
    !options.one_way
        && classes.all(|(class, index)| {
            options.classes.contains(ClassId(index)) && class.collision_layers & options.layers != 0
        })
}

impl KnownSolids {
    /// Takes over the present solids, in their order, and finds the changed walls. Returns whether
    /// any wall changed.
    fn update<'a>(
        &mut self,
        present: impl Iterator<Item = (SolidId, &'a FluidShape, WallKind, Pose)>,
        spacing: f32,
    ) -> bool {
        let Self { solids, before, changed, .. } = self;
        std::mem::swap(solids, before);
        solids.clear();
        changed.clear();
        if spacing != self.spacing {
            self.spacing = spacing;
            before.clear();
            changed.push(FluidBounds::ALL);
        }
        // Solids keep their order, and new ones follow after all others.
        let mut known = before.drain(..).peekable();
        for (id, shape, kind, pose) in present {
            while let Some((_, gone)) = known.next_if(|(before, _)| *before != id) {
                changed.push(gone.influence());
            }
            let solid = match known.next() {
                Some((_, solid)) if solid.matches(shape, kind, pose) => solid,
                outdated => {
                    changed.extend(outdated.map(|(_, solid)| solid.influence()));
                    let solid = Solid::new(shape, kind, pose, spacing);
                    changed.push(solid.influence());
                    solid
                }
            };
            solids.push((id, solid));
        }
        changed.extend(known.map(|(_, gone)| gone.influence()));
        if changed.is_empty() {
            return false;
        }
        for index in 0..solids.len() {
            let walls = Solid::find_walls(solids, index, changed, spacing);
            if let (Some(walls), Some((_, solid))) = (walls, solids.get_mut(index)) {
                solid.set_walls(walls);
            }
        }
        true
    }
}
