//! Blasts as entities: gas that is created at once breaks walls, and throws liquid and bodies.

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use blob_fluid::{Blast, BlastReport, OutOfRange};

use crate::placing::Placement;
use crate::schedule::{FluidAirSystems, FluidOrder, FluidSchedule, FluidTickSystems};
#[cfg(feature = "gpu")]
use crate::simulation::DeviceLiquid;
use crate::simulation::FluidSimulation;
use crate::solids::{BreakableWalls, FluidColliders, FluidWornOut};
use crate::warnings::Warnings;

/// Adds the types and systems below.
pub(super) fn add_blasts(app: &mut App, _: InternedScheduleLabel) {
    // Loads on bodies are read afterwards. A recorder ends the tick before.
    let systems = blast.in_set(FluidTickSystems::Air).after(FluidAirSystems::LAST);
    app.init_resource::<FluidColliders>()
        .register_type::<FluidBlast>()
        .register_type::<FluidBlasted>()
        .add_message::<FluidBlasted>()
        .add_message::<FluidWornOut>()
        .add_systems(FluidSchedule, systems.run_if(any_with_component::<FluidBlast>));
}

/// Gas that is created at once at the entity: it breaks walls, and throws liquid and bodies that nothing hides from the
/// entity.
///
/// The blast acts at the end of a tick, and then the component is removed. Energies are in masses times square world
/// units/s², pressures in masses/s².
///
/// 1. **Walls.** At the distance `r` the pressure is the energy divided by the area `π r²`. It breaks the tiles and
///    colliders whose [`FluidWear::breaks_at`](crate::FluidWear::breaks_at) it exceeds, in the order of this excess. Each
///    tile takes its area times its pressure from the energy. If nothing breaks, and walls enclose the entity within
///    the radius, the energy divided by the enclosed area presses on all of them, and the weakest tile breaks.
/// 2. While tiles break, the blast waits for the next tick, and acts through the gap. So it digs one layer per tick.
/// 3. **Liquid and bodies.** When no more tiles break, the remaining energy throws liquid and bodies
///    ([`Liquid::apply_blast`](blob_fluid::Liquid::apply_blast)). [`FluidBlasted`] reports the effect.
///
/// The scale and the rotation of the entity have no effect. An invalid blast waits, with a warning. On the graphics card
/// ([`FluidBackend::Gpu`](crate::FluidBackend::Gpu)) a blast has no effect, with a warning. Air does not move.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn explode(mut commands: Commands) {
///     let place = Transform::from_xyz(30.0, -20.0, 0.0);
///     commands.spawn((FluidBlast::new(2e6, 120.0), place));
/// }
///
/// fn despawn(blasted: On<FluidBlasted>, mut commands: Commands) {
///     info!("{} tiles are broken, {:?}", blasted.broken, blasted.report);
///     commands.entity(blasted.entity).despawn();
/// }
/// # App::new().add_systems(Startup, explode).add_observer(despawn);
/// ```
#[doc = guide!("forces")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidBlast {
    /// Energy of the gas, the most that walls, liquid and bodies get together; 0 to 1e12. Default
    /// 1000000.
    pub energy: f32,
    /// Distance at which the blast ends, in world units; above 0, up to 1000000. Default 100.
    pub radius: f32,
    /// Number of walls that it has broken.
    #[reflect(ignore)]
    broken: u32,
    /// Energy that broken walls have taken.
    #[reflect(ignore)]
    energy_of_walls: f32,
}

impl Default for FluidBlast {
    fn default() -> Self {
        let Blast { energy, radius, .. } = Blast::default();
        Self::new(energy, radius)
    }
}

impl FluidBlast {
    /// A blast with an energy, in masses times square world units/s², that ends at a radius, in world units.
    pub const fn new(energy: f32, radius: f32) -> Self {
        Self { energy, radius, broken: 0, energy_of_walls: 0.0 }
    }

    /// The blast with its remaining energy.
    fn placed_at(&self, position: Vec2) -> Result<Blast, OutOfRange> {
        let energy = self.energy - self.energy_of_walls;
        let blast = Blast { position, energy, radius: self.radius };
        blast.validate().map(|()| blast)
    }
}

/// A [`FluidBlast`] has acted. The message is also triggered for observers.
#[derive(Message, EntityEvent, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidBlasted {
    /// The entity that had the [`FluidBlast`].
    pub entity: Entity,
    /// Centre of the blast, in world units.
    pub position: Vec2,
    /// Number of broken tiles and colliders.
    pub broken: u32,
    /// Energy that broken tiles took, in masses times square world units/s².
    pub energy_of_walls: f32,
    /// Effect on liquid, bodies and walls.
    pub report: BlastReport,
}

/// Lets blasts break walls, or applies and removes them.
pub(crate) fn blast(
    mut blasts: Query<(Entity, &mut FluidBlast)>,
    mut walls: BreakableWalls,
    mut fluid: ResMut<FluidSimulation>,
    mut commands: Commands,
    mut blasted: MessageWriter<FluidBlasted>,
    mut warnings: Warnings,
    #[cfg(feature = "gpu")] on_device: Option<Res<DeviceLiquid>>,
) {
    warnings.retain(|entity| blasts.contains(entity));
    #[cfg(feature = "gpu")]
    if on_device.is_some() {
        warn_once!("`FluidBlast` does nothing while the liquid is on the graphics card");
        blasts
            .iter()
            .for_each(|(entity, _)| _ = commands.entity(entity).try_remove::<FluidBlast>());
        return;
    }
    let mut waiting: Vec<_> = blasts.iter_mut().collect();
    waiting.sort_unstable_by_key(|(entity, _)| walls.ranks.of(*entity));
    for (entity, mut waiting) in waiting {
        let placement = Placement::of(entity, &walls.transforms).map_err(|error| error.to_string());
        let placed = placement.and_then(|placement| {
            waiting.placed_at(placement.pose.translation).map_err(|error| error.to_string())
        });
        let Some(placed) = warnings.check(entity, "fluid blast", placed) else { continue };
        let Ok(hits) = fluid.blast_hits(&placed) else { continue };
        let breakage = walls.break_by(&hits, placed.energy, &fluid);
        waiting.broken += breakage.broken;
        waiting.energy_of_walls += breakage.energy;
        if breakage.opens_tiles {
            continue;
        }
        let energy = waiting.energy - waiting.energy_of_walls;
        let Ok(report) = fluid.world_mut().apply_blast(&Blast { energy, ..placed }) else {
            continue;
        };
        let FluidBlast { broken, energy_of_walls, .. } = *waiting;
        let message =
            FluidBlasted { entity, position: placed.position, broken, energy_of_walls, report };
        blasted.write(message);
        commands.trigger(message);
        commands.entity(entity).try_remove::<FluidBlast>();
    }
}
