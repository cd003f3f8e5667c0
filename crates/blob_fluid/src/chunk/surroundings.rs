//! What is around a chunk, and whether it is as it was.

use glam::Vec2;

use crate::boundary::collider::Collider;
use crate::boundary::solid::Solid;
use crate::geometry::bounds::FluidBounds;
use crate::liquid::state::Liquid;
use crate::particles::arrays::Particles;
use crate::state_hash::StateHash;
use crate::stored::stored;
use crate::stored::writer::{Stored, Writer};

/// What the liquid of a chunk rests on, as hashes. While they are equal, liquid that slept sleeps on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Surroundings {
    /// Of the liquid that touches it.
    liquid: u64,
    /// Of solids and settings.
    ground: u64,
}

stored!(Surroundings { liquid, ground });

impl Surroundings {
    /// What is around the particles of a chunk. `rim` are those of the world that touch it.
    pub(super) fn of(liquid: &Liquid, chunk: &Particles, rim: &[usize]) -> Self {
        let Particles { position, class, .. } = &liquid.particles;
        // Sorting changes the order of the particles, and not the sum.
        let touching = rim.iter().fold(0_u64, |sum, index| {
            let (Vec2 { x, y }, mut hash) = (position[*index], StateHash::new());
            hash.add(u64::from(x.to_bits()) << 32 | u64::from(y.to_bits()));
            hash.add(class[*index].0.into());
            sum.wrapping_add(hash.0)
        });
        Self { liquid: touching, ground: ground_of(liquid, chunk.index().bounds()) }
    }
}

/// A hash of the settings, and of the solids that reach a box.
fn ground_of(liquid: &Liquid, bounds: FluidBounds) -> u64 {
    let near = bounds.inflated(liquid.parameters.interaction_radius());
    let Liquid { parameters, classes, boundary, .. } = liquid;
    let mut writer = Writer::default();
    parameters.store(&mut writer);
    classes.store(&mut writer);
    for container in &*boundary.containers {
        store_solid(container, &mut writer);
    }
    for collider in boundary.colliders.iter() {
        let touches = |collider: &Collider| {
            collider.options.inside_out || collider.swept_ahead(0.0).intersects(near)
        };
        if touches(collider) {
            store_solid(collider, &mut writer);
        }
    }
    let mut hash = StateHash::new();
    for bytes in writer.bytes.chunks(8) {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        hash.add(u64::from_le_bytes(word));
    }
    hash.0
}

/// Writes what holds liquid of a solid; what a tick measures of it, such as its load, is no matter.
fn store_solid<Options: Stored>(solid: &Solid<Options>, to: &mut Writer) {
    solid.shape.store(to);
    solid.pose.store(to);
    solid.wall.store(to);
    solid.options.store(to);
}

/// The particles of a world that touch those of a chunk: those within an interaction radius.
pub(super) fn rim_of(liquid: &Liquid, chunk: &Particles) -> Vec<usize> {
    let radius = liquid.parameters.interaction_radius();
    let near = chunk.index().bounds().inflated(radius);
    let positions = &liquid.particles.position;
    let mut rim = Vec::new();
    liquid.particles.index().visit(
        |bounds| bounds.intersects(near),
        |run| {
            let touches = |index: &usize| {
                let position = positions[*index];
                near.contains(position) && is_near(chunk, position, radius)
            };
            rim.extend(run.filter(touches));
        },
    );
    rim
}

fn is_near(particles: &Particles, point: Vec2, radius: f32) -> bool {
    let within = radius * radius;
    let mut found = false;
    particles.index().visit(
        |bounds| bounds.distance_squared(point) <= within,
        |mut run| {
            found |=
                run.any(|other| (particles.position[other] - point).length_squared() <= within);
        },
    );
    found
}
