//! Pools as entities: lakes of columns instead of particles.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{ClassId, Pool, PoolId, PoolSettings};

use super::blob::{KnownClasses, StatedClass};
use crate::placing::{Placement, PlacementError};
use crate::schedule::{FluidEntitySystems, FluidOrder, Ranks};
use crate::simulation::{FluidSimulation, RestartApp};
use crate::warnings::Warnings;

/// Adds the types and systems below.
pub(super) fn add_pools(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidPool>()
        .add_systems(schedule, sync_pools.in_set(FluidEntitySystems::Pools))
        .begins_anew::<FluidPool>();
}

/// A lake, placed by the entity's [`Transform`]: columns of water over a bed instead of particles, which cost almost
/// nothing at rest. Bodies float in it and make waves. A splash turns water into particles, and particles that fall
/// below its surface become a part of it.
///
/// Its water is that of the entity's [`FluidClass`](crate::FluidClass) or [`FluidMadeOf`](crate::FluidMadeOf).
/// [`FluidQuery`](crate::FluidQuery), sensors, drains and pumps treat it as liquid. Surfaces and dots draw it as if it was
/// particles, where a camera sees it. The core's [`Pool`] lists the limits of the model. The bed holds the water, but not particles and bodies: give the
/// ground a [`FluidCollider`](crate::FluidCollider) as well.
///
/// The pool moves with its entity. The scale applies to the bed and the level. The entity must not be rotated. Invalid
/// values and placements cause a warning: a new pool is left out, and a changed one keeps its last valid state. Changing
/// the bed, the level, the class, the scale or [`PoolSettings::column_width`] creates a new pool with new water.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     // A lake in a valley. Its surface is 20 units above the entity.
///     let ground = [(-800.0, 100.0), (-300.0, -150.0), (400.0, -180.0), (800.0, 120.0)];
///     commands.spawn((FluidPool::over(ground.map(Vec2::from), 20.0), FluidMadeOf::WATER));
/// }
///
/// /// The wave below a boat.
/// fn measure(lake: Single<&FluidPoolState>, fluid: Res<FluidSimulation>) {
///     if let Some(pool) = lake.id().and_then(|id| fluid.pool(id))
///         && let Some(column) = pool.column_at(100.0)
///     {
///         info!("{} high, {} units/s", pool.level(column), pool.velocity(column));
///     }
/// }
/// # let _ = (setup, measure);
/// ```
#[doc = guide!("lakes")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder, FluidPoolState)]
#[component(on_remove = forget)]
pub struct FluidPool {
    /// Corners of the ground, in the entity's own units: at least two, each to the right of the one before. The first
    /// and the last one are the ends of the pool, which are closed unless the settings open them.
    pub bed: Vec<Vec2>,
    /// Height up to which the pool is filled when it is created, in the entity's own units, finite. Below the whole bed,
    /// it is empty.
    pub level: f32,
    /// Width of the columns, damping, drag, splashes and open ends. The field `class` in these settings has no effect.
    pub settings: PoolSettings,
}

impl Default for FluidPool {
    fn default() -> Self {
        Self::new(800.0, 200.0)
    }
}

impl FluidPool {
    /// A full pool with a flat bed, in world units. The middle of its surface is at the entity.
    pub fn new(width: f32, depth: f32) -> Self {
        let bed = [-0.5 * width, 0.5 * width].map(|x| Vec2::new(x, -depth));
        Self::over(bed, 0.0)
    }

    /// A pool over a ground with these corners, filled up to a level.
    pub fn over(bed: impl IntoIterator<Item = Vec2>, level: f32) -> Self {
        Self { bed: bed.into_iter().collect(), level, settings: PoolSettings::default() }
    }

    /// The same pool with these settings.
    #[must_use]
    pub fn with_settings(mut self, settings: PoolSettings) -> Self {
        self.settings = settings;
        self
    }
}

/// The values of a pool with which its water is created.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PoolShape {
    /// Corners of the bed, relative to the entity, in world units.
    bed: Vec<Vec2>,
    /// Height above the entity, in world units.
    level: f32,
    class: u8,
    column_width: u32,
    particle_spacing: f32,
}

impl PoolShape {
    /// The left end of the bed, relative to the entity.
    fn start(&self) -> f32 {
        self.bed.first().map_or(0.0, |corner| corner.x)
    }

    /// Creates the pool of an entity at a position.
    fn create(&self, position: Vec2, settings: PoolSettings) -> Result<Pool, String> {
        let is_ordered = self.bed.windows(2).all(|pair| pair[0].x < pair[1].x);
        if self.bed.len() < 2 || !is_ordered {
            return Err(
                "its bed must have two or more corners, each to the right of the one before".into(),
            );
        }
        if !self.level.is_finite() {
            return Err(format!("its level is {}, and must be finite", self.level));
        }
        settings.validate().map_err(|error| error.to_string())?;
        let column_width = self.particle_spacing * self.column_width as f32;
        let width = self.bed[self.bed.len() - 1].x - self.start();
        let columns = (width / column_width).round().max(1.0) as usize;
        let mut corner = 0;
        let height = |column: usize| {
            let x = self.start() + (column as f32 + 0.5) * column_width;
            while corner + 2 < self.bed.len() && self.bed[corner + 1].x < x {
                corner += 1;
            }
            let [from, to] = [self.bed[corner], self.bed[corner + 1]];
            from.y.lerp(to.y, ((x - from.x) / (to.x - from.x)).clamp(0.0, 1.0))
        };
        // One column more than any pool may have is enough for the error.
        let bed: Vec<f32> = (0..columns.min(Pool::MAX_COLUMNS + 1)).map(height).collect();
        let origin = position + Vec2::X * self.start();
        let pool = Pool::new(origin, &bed, self.particle_spacing, settings);
        let mut pool = pool.map_err(|error| error.to_string())?;
        pool.fill_to(position.y + self.level);
        Ok(pool)
    }
}

/// The simulated pool of a [`FluidPool`].
#[derive(Component, Clone, Debug, Default)]
pub struct FluidPoolState {
    pub(crate) id: Option<PoolId>,
    pub(crate) shape: PoolShape,
}

impl FluidPoolState {
    /// The handle of the pool, for [`Liquid::pool`](blob_fluid::Liquid::pool) and
    /// [`FluidSimulation::pool_mut`](crate::FluidSimulation::pool_mut); `None` before
    /// [`FluidSystems::SyncEntities`](crate::FluidSystems::SyncEntities) has run, and while the [`FluidPool`] has never
    /// been valid.
    pub fn id(&self) -> Option<PoolId> {
        self.id
    }
}

/// Removes the simulated pool and the companion component when the component is removed.
fn forget(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    let id = world.get::<FluidPoolState>(entity).and_then(|state| state.id);
    if let (Some(id), Some(mut fluid)) = (id, world.get_resource_mut::<FluidSimulation>()) {
        fluid.world_mut().remove_pool(id);
    }
    world.commands().entity(entity).try_remove::<FluidPoolState>();
}

/// Copies pools into the simulation.
fn sync_pools(
    mut pools: Query<(Entity, &FluidPool, &mut FluidPoolState, StatedClass)>,
    transforms: TransformHelper,
    ranks: Ranks,
    classes: KnownClasses,
    mut fluid: ResMut<FluidSimulation>,
    mut warnings: Warnings,
) {
    warnings.retain(|entity| pools.contains(entity));
    let mut sorted: Vec<_> = pools.iter_mut().collect();
    // Inserting in rank order makes the handles deterministic.
    sorted.sort_unstable_by_key(|(entity, ..)| ranks.of(*entity));
    for (entity, pool, mut state, stated) in sorted {
        let Some(class) = classes.of(&stated, fluid.classes()) else { continue };
        let placed = Placement::of(entity, &transforms);
        let synced = sync(pool, class, &mut state, placed, &mut fluid);
        warnings.check_change(entity, "fluid pool", state.id.is_some(), synced);
    }
}

fn sync(
    component: &FluidPool,
    class: ClassId,
    state: &mut FluidPoolState,
    placement: Result<Placement, PlacementError>,
    fluid: &mut ResMut<FluidSimulation>,
) -> Result<(), String> {
    let Placement { pose, scale } = placement.map_err(|error| error.to_string())?;
    if (pose.rotation.x - 1.0).abs() > 1e-4 {
        return Err("it is turned, and a pool cannot be".into());
    }
    let settings = PoolSettings { class, ..component.settings };
    let mut bed: Vec<Vec2> = component.bed.iter().map(|corner| *corner * scale).collect();
    if scale.x < 0.0 {
        bed.reverse();
    }
    let shape = PoolShape {
        bed,
        level: component.level * scale.y,
        class: class.0,
        column_width: settings.column_width,
        particle_spacing: fluid.parameters().particle_spacing,
    };
    let origin = pose.translation + Vec2::X * shape.start();
    let known = state.id.filter(|_| state.shape == shape);
    if let Some((id, present)) = known.and_then(|id| Some((id, fluid.pool(id)?))) {
        // Access by `&mut` would count as a change of the simulation.
        if present.origin() == origin && *present.settings() == settings {
            return Ok(());
        }
        let Some(present) = fluid.world_mut().pool_mut(id) else { return Ok(()) };
        let changed = present.set_settings(settings).and_then(|()| present.move_to(origin));
        return changed.map_err(|error| error.to_string());
    }
    let pool = shape.create(pose.translation, settings)?;
    let world = fluid.world_mut();
    let id = world.insert_pool(pool).map_err(|error| error.to_string())?;
    if let Some(outdated) = state.id.replace(id) {
        world.remove_pool(outdated);
    }
    state.shape = shape;
    Ok(())
}
