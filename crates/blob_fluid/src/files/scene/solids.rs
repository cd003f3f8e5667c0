//! Containers and colliders of scenes.

use glam::Vec2;
use serde::{Deserialize, Serialize};

use crate::boundary::collider::ColliderOptions;
use crate::boundary::container::ContainerOptions;
use crate::boundary::solid::{Solid, SolidOptions};
use crate::boundary::wall::WallProperties;
use crate::geometry::motion::Motion;
use crate::geometry::shape::FluidShape;
use crate::settings::range::OutOfRange;
use crate::world::FluidWorld;

/// A container or a collider of a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneSolid<Options> {
    /// Its outline.
    pub shape: FluidShape,
    /// Its centre, in world units.
    #[serde(default)]
    pub centre: Vec2,
    /// Rotation, counter-clockwise, as the cosine and sine of its angle.
    #[serde(default = "unturned")]
    pub rotation: Vec2,
    /// Properties of its wall.
    #[serde(default)]
    pub wall: WallProperties,
    /// How it moves.
    #[serde(default)]
    pub motion: Motion,
    /// Further options of the container or collider.
    #[serde(default)]
    pub options: Options,
}

/// A container of a scene.
pub type SceneContainer = SceneSolid<ContainerOptions>;

/// A collider of a scene.
pub type SceneCollider = SceneSolid<ColliderOptions>;

const fn unturned() -> Vec2 {
    Vec2::X
}

/// Replaces the containers of a world.
pub(super) fn set_containers(
    world: &mut FluidWorld,
    stated: &[SceneContainer],
) -> Result<(), OutOfRange> {
    let containers = build(stated)?;
    world.clear_containers();
    for container in containers {
        world.insert_container(container);
    }
    Ok(())
}

/// Moves the colliders of a world back to where they begin, or inserts them.
pub(super) fn set_obstacles(
    world: &mut FluidWorld,
    stated: &[SceneCollider],
) -> Result<(), OutOfRange> {
    let colliders = build(stated)?;
    let present: Vec<_> = world.colliders().map(|(id, _)| id).collect();
    for (index, collider) in colliders.into_iter().enumerate() {
        match present.get(index) {
            Some(id) => {
                world.set_collider(*id, collider);
            }
            None => {
                world.insert_collider(collider);
            }
        }
    }
    Ok(())
}

fn build<Options: SolidOptions>(
    stated: &[SceneSolid<Options>],
) -> Result<Vec<Solid<Options>>, OutOfRange> {
    let build = |placed: &SceneSolid<Options>| {
        let solid = Solid::new(placed.shape.clone(), placed.centre, placed.rotation)?;
        placed.options.validate()?;
        let solid = Solid { options: placed.options.clone(), ..solid };
        solid.with_wall(placed.wall)?.with_motion(placed.motion)
    };
    stated.iter().map(build).collect()
}
