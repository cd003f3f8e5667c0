//! Containers and colliders for a device that runs the passes itself, such as a graphics card.

use glam::Vec2;

use crate::boundary::collider::ColliderId;
use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::host_body::HostBodyId;
use crate::boundary::load::Load;
use crate::boundary::solid::{Solid, SolidOptions};
use crate::boundary::solids::Solids;
use crate::boundary::wall::WallProperties;
use crate::geometry::motion::Motion;
use crate::geometry::shape::FluidShape;
use crate::liquid::state::Liquid;
use crate::settings::class_filter::ClassFilter;
use crate::solver::sleep::bodies::wake_all_bodies;

/// A container or a collider as a device needs it in a substep.
#[derive(Clone, Copy, Debug)]
pub struct DeviceSolid<'a> {
    /// Its shape.
    pub shape: &'a FluidShape,
    /// Centre and rotation at the end of the substep.
    pub pose: (Vec2, Vec2),
    /// Centre and rotation at its beginning.
    pub previous_pose: (Vec2, Vec2),
    /// Velocity of its centre, in world units/s.
    pub velocity: Vec2,
    /// Angular velocity that its walls give to the liquid, in rad/s.
    pub angular_velocity: f32,
    /// Its wall properties.
    pub wall: WallProperties,
    /// Whether it is a container.
    pub is_container: bool,
    /// Whether the outside of the shape is solid, as that of containers is.
    pub inside_out: bool,
    /// Whether it is a membrane.
    pub one_way: bool,
    /// The classes that it stops: those of its options that share a layer with it.
    pub stops: ClassFilter,
    /// The fraction of the liquid's pressure that it bears.
    pub fade_in: f32,
    /// Distance, in world units, below which rounding hides on which side of an edge a particle is.
    pub slack: f32,
    /// Whether it moves, or has ever moved, or may begin to.
    pub moves: bool,
    /// What bears the liquid's load on it, if the load is measured.
    pub bearer: Option<DeviceBearer>,
}

/// Names what bears the liquid's load on a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadBearer {
    /// The collider itself.
    Collider(ColliderId),
    /// The host body that carries it.
    HostBody(HostBodyId),
}

/// What bears the liquid's load on a collider, and how it yields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceBearer {
    /// Its name.
    pub id: LoadBearer,
    /// Its centre of mass, in world units in the frame of the collider.
    pub centre: Vec2,
    /// 1/mass along each axis of the world; 0 if it does not yield.
    pub inverse_mass: Vec2,
    /// 1/moment of inertia about the centre of mass; 0 if it does not yield.
    pub inverse_inertia: f32,
}

/// A solid that stops all classes and is solid inside.
fn solid<Options: SolidOptions>(solid: &Solid<Options>, moves: bool, skin: f32) -> DeviceSolid<'_> {
    let fastest = solid.fastest_turn;
    DeviceSolid {
        shape: &solid.shape,
        pose: (solid.pose.centre, solid.pose.rotation),
        previous_pose: solid.previous_pose(),
        velocity: solid.motion.velocity,
        angular_velocity: solid.motion.angular_velocity.clamp(-fastest, fastest),
        wall: solid.wall,
        is_container: false,
        inside_out: false,
        one_way: false,
        stops: ClassFilter::ALL,
        fade_in: 1.0,
        slack: solid.slack().max(if moves { skin } else { 0.0 }),
        moves,
        bearer: None,
    }
}

/// What bears the load on a collider.
fn bearer(solids: &Solids, id: ColliderId, record: &ColliderRecord) -> Option<DeviceBearer> {
    let options = record.options();
    if let Some(attachment) = options.attachment
        && let Some(carried) = solids.host_bodies.find(attachment.body)
    {
        let turned_back = Vec2::new(attachment.rotation.x, -attachment.rotation.y);
        return Some(DeviceBearer {
            id: LoadBearer::HostBody(attachment.body),
            centre: turned_back.rotate(-attachment.centre),
            inverse_mass: carried.body.inverse_mass,
            inverse_inertia: carried.body.inverse_inertia,
        });
    }
    record.bears_load().then(|| DeviceBearer {
        id: LoadBearer::Collider(id),
        centre: Vec2::ZERO,
        inverse_mass: Vec2::splat(options.body.map_or(0.0, |body| body.inverse_mass())),
        inverse_inertia: options.body.map_or(0.0, |body| body.inverse_inertia()),
    })
}

impl Liquid {
    /// A number that is another one after every change of containers or colliders by the host. That
    /// they advance in a tick is no change.
    pub fn solids_revision(&self) -> u64 {
        self.boundary.walls_revision.number()
    }

    /// All containers, then all colliders, as a device needs them, in the order of insertion.
    pub fn device_solids(&self) -> impl Iterator<Item = DeviceSolid<'_>> {
        let all = &self.boundary;
        let containers = all.containers.iter().map(|container| DeviceSolid {
            is_container: true,
            inside_out: true,
            ..solid(container, container.is_under_way(), all.skin)
        });
        let colliders =
            all.colliders.entries().enumerate().map(|(index, (id, record))| DeviceSolid {
                bearer: bearer(all, id, record),
                inside_out: record.options.inside_out,
                one_way: record.options.one_way,
                stops: record.stopped_classes(),
                fade_in: record.fade_in(),
                ..solid(record, all.boxes.is_mover(index), all.skin)
            });
        containers.chain(colliders)
    }
}

/// Lengths in which walls near each other are told apart, in world units.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceSeams {
    /// Depth inside a collider beyond which its wall does not act on a particle.
    pub jump_depth: f32,
    /// Largest gap between two colliders that still act as one.
    pub seam_gap: f32,
    /// Smallest radius about which a wall's normal turns.
    pub least_bend_radius: f32,
}

impl Liquid {
    pub(crate) fn device_seams(&self) -> DeviceSeams {
        let solids = &self.boundary;
        let (jump_depth, seam_gap) = (solids.jump_depth, solids.seam_gap);
        DeviceSeams { jump_depth, seam_gap, least_bend_radius: solids.least_bend_radius }
    }

    /// Begins a tick of containers and colliders: attached ones head for where their bodies will be,
    /// and walls turn no faster than a substep allows.
    pub(crate) fn begin_device_solids(&mut self, time_step: f32, substep: f32) {
        self.boundary.begin_tick(time_step);
        // No body sleeps on a device.
        wake_all_bodies(&mut self.boundary);
        self.boundary.begin_loads();
        self.boundary.limit_turns(substep);
    }

    /// The motion of what bears the liquid's load, at its centre of mass; `None` if it is not there.
    pub fn motion_of_bearer(&self, bearer: LoadBearer) -> Option<Motion> {
        let Solids { colliders, host_bodies, .. } = &self.boundary;
        match bearer {
            LoadBearer::Collider(id) => Some(colliders[colliders.index_of(id)?].motion),
            LoadBearer::HostBody(id) => Some(host_bodies.find(id)?.body.motion),
        }
    }

    /// Lets the liquid on a device act on what bears its [loads](DeviceSolid::bearer), with these impulses, which have
    /// their effect in the next [`move_device_bodies`](Self::move_device_bodies). Those on others than the
    /// liquid's own colliders and host bodies are left out.
    ///
    /// ```
    /// use blob_fluid::{Body, Collider, ColliderOptions, DeviceMeasures, FluidWorld, Load, LoadBearer};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let body = Body { gravity_scale: 0.0, ..Body::new(2.0, 50.0) };
    /// let options = ColliderOptions { body: Some(body), ..Default::default() };
    /// let disc = world.insert_collider(Collider::circle(Vec2::ZERO, 10.0)?.with_options(options)?);
    /// let liquid = world.liquid_mut();
    /// let tick = liquid.begin_device_tick(1.0 / 60.0, DeviceMeasures::default()).expect("valid");
    /// let load = Load { impulse: Vec2::new(6.0, 0.0), angular_impulse: 0.0 };
    /// liquid.apply_device_loads([(LoadBearer::Collider(disc), load)]);
    /// liquid.move_device_bodies(&tick);
    /// assert_eq!(world.collider(disc).expect("there").motion().velocity, Vec2::new(3.0, 0.0));
    /// assert_eq!(world.load_on(disc), Some(load));
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn apply_device_loads(&mut self, loads: impl IntoIterator<Item = (LoadBearer, Load)>) {
        let Solids { colliders, host_bodies, .. } = &mut self.boundary;
        for (bearer, load) in loads {
            match bearer {
                LoadBearer::Collider(id) => {
                    let Some(index) = colliders.index_of(id) else { continue };
                    let (impulse, angular) = (load.impulse.as_dvec2(), load.angular_impulse.into());
                    colliders[index].add_impulse(impulse, angular);
                }
                LoadBearer::HostBody(id) => {
                    let Some(index) = host_bodies.index_of(id) else { continue };
                    let centre = host_bodies[index].body.centre;
                    host_bodies[index].add(centre, load);
                }
            }
        }
    }
}
