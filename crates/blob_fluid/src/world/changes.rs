//! The calls that change the liquid of a world: each is the liquid's own method of that name.

use std::sync::Arc;

use glam::Vec2;

use crate::boundary::collider::{Collider, ColliderId};
use crate::boundary::container::{Container, ContainerId};
use crate::boundary::host_body::{HostBody, HostBodyId};
use crate::geometry::bounds::FluidBounds;
use crate::geometry::motion::Motion;
use crate::geometry::region::FluidRegion;
use crate::liquid::force::field::ForceField;
use crate::liquid::force::region_force::Force;
use crate::liquid::population::CapacityPolicy;
use crate::liquid::saved::{RestoreError, SavedParticles};
use crate::liquid::state::Liquid;
use crate::liquid::velocities::MovingParticle;
use crate::particles::arrays::Particles;
use crate::particles::id::ParticleId;
use crate::particles::life::ParticleTag;
use crate::particles::spawn::{ParticleSpawn, SpawnError};
use crate::settings::class::ClassId;
use crate::settings::class_filter::ClassFilter;
use crate::settings::class_table::{ClassError, ClassTable};
use crate::settings::effort::Effort;
use crate::settings::parameters::FluidParameters;
use crate::settings::range::OutOfRange;
use crate::world::FluidWorld;

/// Gives the world methods of the liquid. They are the world's own, and not reached through
/// `DerefMut`, so that arguments may read the world:
/// `world.set_parameters(FluidParameters { solver, ..*world.parameters() })`.
macro_rules! forward_to_liquid {
    ($(
        $(#[$about:meta])*
        { $(fn $name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?;)* }
    )*) => {$(
        $(#[$about])*
        impl FluidWorld {$(
            #[doc = concat!("As [`Liquid::", stringify!($name), "`].")]
            pub fn $name(&mut self, $($argument: $kind),*) $(-> $result)? {
                Liquid::$name(&mut self.liquid, $($argument),*)
            }
        )*}
    )*};
}

forward_to_liquid! {
    /// Methods that change settings.
    {
        fn set_parameters(parameters: FluidParameters) -> Result<(), OutOfRange>;
        fn set_effort(effort: Effort);
        fn set_classes(classes: ClassTable) -> Result<(), ClassError>;
        fn ease_in();
        fn end_easing();
        fn set_forces(forces: &[Force]) -> Result<(), OutOfRange>;
        fn set_force_fields(fields: Vec<Arc<dyn ForceField>>);
        fn set_capacity(capacity: usize);
        fn set_capacity_policy(policy: CapacityPolicy);
        fn set_kill_bounds(bounds: Option<FluidBounds>) -> Result<(), OutOfRange>;
        fn set_spring_capacity(capacity: usize);
        fn reset_clock();
    }

    /// Methods that add and remove particles.
    {
        fn spawn(spawn: ParticleSpawn) -> Result<ParticleId, SpawnError>;
        fn restore_particles(saved: &SavedParticles) -> Result<Vec<ParticleId>, RestoreError>;
        fn despawn(id: ParticleId) -> bool;
        fn despawn_where(dead: impl FnMut(Vec2, ClassId) -> bool) -> usize;
        fn despawn_tagged(tag: ParticleTag) -> usize;
        fn despawn_in_container(id: ContainerId) -> usize;
        fn clear();
    }

    /// Methods that change particles.
    {
        fn particles_mut() -> &mut Particles;
        fn change_velocities_in(bounds: FluidBounds, change: impl FnMut(MovingParticle<'_>)) -> usize;
        fn add_velocity_tagged(tag: ParticleTag, change: Vec2) -> Result<usize, OutOfRange>;
        fn apply_impulse(force: &Force) -> Result<(), OutOfRange>;
        fn set_class(id: ParticleId, class: ClassId) -> Result<bool, SpawnError>;
        fn set_class_where(
            class: ClassId,
            chosen: impl FnMut(Vec2, ClassId) -> bool
        ) -> Result<usize, SpawnError>;
        fn set_class_tagged(tag: ParticleTag, class: ClassId) -> Result<usize, SpawnError>;
        fn set_paint(id: ParticleId, color: [f32; 3]) -> Result<bool, OutOfRange>;
        fn paint_where(
            color: [f32; 3],
            chosen: impl FnMut(Vec2, ClassId) -> bool
        ) -> Result<usize, OutOfRange>;
        fn paint_tagged(tag: ParticleTag, color: [f32; 3]) -> Result<usize, OutOfRange>;
        fn paint_in(
            region: &FluidRegion,
            classes: ClassFilter,
            color: [f32; 3],
            share: f32
        ) -> Result<usize, OutOfRange>;
        fn set_tag(id: ParticleId, tag: ParticleTag) -> bool;
        fn relocate(id: ParticleId, position: Vec2, velocity: Vec2) -> Result<bool, SpawnError>;
    }

    /// Methods that change containers, which hold the liquid.
    {
        fn insert_container(container: Container) -> ContainerId;
        fn set_container(id: ContainerId, container: Container) -> bool;
        fn move_container(
            id: ContainerId,
            centre: Vec2,
            rotation: Vec2
        ) -> Result<bool, OutOfRange>;
        fn set_container_motion(id: ContainerId, motion: Motion) -> Result<bool, OutOfRange>;
        fn remove_container(id: ContainerId) -> Option<Container>;
        fn clear_containers();
    }

    /// Methods that change colliders, which the liquid cannot enter.
    {
        fn insert_collider(collider: Collider) -> ColliderId;
        fn set_collider(id: ColliderId, collider: Collider) -> bool;
        fn move_collider(
            id: ColliderId,
            centre: Vec2,
            rotation: Vec2
        ) -> Result<bool, OutOfRange>;
        fn set_collider_motion(id: ColliderId, motion: Motion) -> Result<bool, OutOfRange>;
        fn remove_collider(id: ColliderId) -> Option<Collider>;
        fn clear_colliders();
    }

    /// Methods that change [host bodies](HostBody).
    {
        fn insert_host_body(body: HostBody) -> Result<HostBodyId, OutOfRange>;
        fn set_host_body(id: HostBodyId, body: HostBody) -> Result<bool, OutOfRange>;
        fn set_host_body_motion(id: HostBodyId, motion: Motion) -> Result<bool, OutOfRange>;
        fn remove_host_body(id: HostBodyId) -> Option<HostBody>;
    }
}
