//! Calls that insert, move and remove solids and bodies.

use std::error::Error;

use arbitrary::Arbitrary;
use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::{
    Attachment, Body, Collider, ColliderId, ColliderOptions, Container, ContainerId, FluidShape,
    HostBody, Motion, WallProperties,
};
use glam::Vec2;

use crate::host::{Host, Outcome};
use crate::number::{Number, Vector};

/// Calls that insert, move and remove solids and bodies. Solids are counted around.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum SolidCall {
    InsertCollider(Shape),
    SetCollider { collider: u8, shape: Shape },
    MoveCollider { collider: u8, centre: Vector, angle: Number },
    ColliderMotion { collider: u8, velocity: Vector, angular: Number },
    RemoveCollider(u8),
    ClearColliders,
    InsertContainer(Shape),
    MoveContainer { container: u8, centre: Vector, angle: Number },
    ContainerMotion { container: u8, velocity: Vector, angular: Number },
    RemoveContainer(u8),
    InsertHost { centre: Vector, inverse_mass: Vector },
    HostMotion { velocity: Vector, angular: Number },
    RemoveHost,
}

/// A solid with what it may have.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub struct Shape {
    pub kind: u8,
    pub centre: Vector,
    pub size: Vector,
    pub angle: Number,
    pub mass: Option<Number>,
    pub friction: Option<Number>,
    pub stickiness: Number,
    pub flags: u8,
}

impl Host {
    pub(super) fn call_solids(&mut self, call: SolidCall) -> Outcome {
        use SolidCall as Call;
        match call {
            Call::InsertCollider(shape) => {
                let collider = self.collider(shape)?;
                self.world.insert_collider(collider);
            }
            Call::SetCollider { collider, shape } => {
                let new = self.collider(shape)?;
                if let Some(id) = nth(&self.colliders(), collider) {
                    assert!(self.world.set_collider(id, new), "there");
                }
            }
            Call::MoveCollider { collider, centre, angle } => {
                if let Some(id) = nth(&self.colliders(), collider) {
                    self.world.move_collider(id, centre.get(), Vec2::from_angle(angle.0))?;
                }
            }
            Call::ColliderMotion { collider, velocity, angular } => {
                if let Some(id) = nth(&self.colliders(), collider) {
                    let motion = Motion { velocity: velocity.get(), angular_velocity: angular.0 };
                    self.world.set_collider_motion(id, motion)?;
                }
            }
            Call::RemoveCollider(collider) => {
                if let Some(id) = nth(&self.colliders(), collider) {
                    assert!(self.world.remove_collider(id).is_some(), "there");
                }
            }
            Call::ClearColliders => self.world.clear_colliders(),
            Call::InsertContainer(shape) => {
                let (centre, rotation) = (shape.centre.get(), Vec2::from_angle(shape.angle.0));
                let container = Container::new(shape_of(shape)?, centre, rotation)?;
                self.world.insert_container(container.with_wall(wall_of(shape))?);
            }
            Call::MoveContainer { container, centre, angle } => {
                if let Some(id) = nth(&self.containers(), container) {
                    self.world.move_container(id, centre.get(), Vec2::from_angle(angle.0))?;
                }
            }
            Call::ContainerMotion { container, velocity, angular } => {
                if let Some(id) = nth(&self.containers(), container) {
                    let motion = Motion { velocity: velocity.get(), angular_velocity: angular.0 };
                    self.world.set_container_motion(id, motion)?;
                }
            }
            Call::RemoveContainer(container) => {
                if let Some(id) = nth(&self.containers(), container) {
                    assert!(self.world.remove_container(id).is_some(), "there");
                }
            }
            Call::InsertHost { centre, inverse_mass } => {
                let body = HostBody {
                    inverse_mass: inverse_mass.get(),
                    ..HostBody::at(centre.get(), Vec2::X)
                };
                self.body = Some(self.world.insert_host_body(body)?);
            }
            Call::HostMotion { velocity, angular } => {
                if let Some(id) = self.body {
                    let motion = Motion { velocity: velocity.get(), angular_velocity: angular.0 };
                    self.world.set_host_body_motion(id, motion)?;
                }
            }
            Call::RemoveHost => {
                if let Some(id) = self.body.take() {
                    self.world.remove_host_body(id);
                }
            }
        }
        Ok(())
    }

    fn colliders(&self) -> Vec<ColliderId> {
        self.world.colliders().map(|(id, _)| id).collect()
    }

    fn containers(&self) -> Vec<ContainerId> {
        self.world.containers().map(|(id, _)| id).collect()
    }

    fn collider(&self, shape: Shape) -> Result<Collider, Box<dyn Error>> {
        let (centre, rotation) = (shape.centre.get(), Vec2::from_angle(shape.angle.0));
        let of = shape_of(shape)?;
        let has = |bit: u8| shape.flags & 1 << bit != 0;
        let body = shape.mass.map(|mass| Body {
            pinned: has(0),
            friction: shape.friction.map_or(0.4, |friction| friction.0),
            ..Body::new(mass.0, 10.0 * mass.0)
        });
        let attachment = self.body.filter(|_| has(1)).map(|body| Attachment {
            body,
            centre: 0.1 * centre,
            rotation: Vec2::X,
        });
        let options = ColliderOptions {
            inside_out: has(2),
            one_way: has(3),
            reports_load: has(4),
            body,
            attachment,
            ..ColliderOptions::default()
        };
        let collider = Collider::new(of, centre, rotation)?.with_wall(wall_of(shape))?;
        Ok(collider.with_options(options)?)
    }
}

fn nth<T: Copy>(all: &[T], number: u8) -> Option<T> {
    usize::from(number).checked_rem(all.len()).map(|index| all[index])
}

fn shape_of(shape: Shape) -> Result<FluidShape, Box<dyn Error>> {
    let size = shape.size.get();
    Ok(match shape.kind % 6 {
        0 => FluidShape::Circle { radius: size.x },
        1 => FluidShape::Rectangle { half_size: size },
        2 => FluidShape::Capsule { half_length: size.x, radius: size.y },
        3 => FluidShape::Polygon(Polygon::new([size, -size, shape.centre.get()])?),
        4 => FluidShape::Polyline(Polyline::new([size, Vec2::ZERO, shape.centre.get()], 0.5)?),
        _ => FluidShape::HalfPlane { normal: size },
    })
}

fn wall_of(shape: Shape) -> WallProperties {
    WallProperties {
        friction: shape.friction.map(|friction| friction.0),
        stickiness: shape.stickiness.0,
        ..WallProperties::default()
    }
}
