//! Blobs of liquid as entities.

use bevy::ecs::query::QueryData;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{
    Blob, BlobReport, ClassId, ClassTable, FluidRegion, FluidShape, OutOfRange, Pose,
};
use thiserror::Error;

use crate::materials::{FluidMadeOf, FluidMaterials};
use crate::placing::{Placement, from_outline};
use crate::schedule::{FluidEntitySystems, FluidOrder, Ranks};
use crate::simulation::{FluidClasses, FluidSimulation, RestartApp};
use crate::warnings::Warnings;

/// Adds the types and systems below.
pub(super) fn add_blobs(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidBlob>()
        .register_type::<FluidBlobFilled>()
        .add_systems(schedule, fill_blobs.in_set(FluidEntitySystems::Blobs))
        .on_restart(fill_again);
}

/// Fills a shape, or a vessel [up to a level](Self::up_to), with liquid once, at the entity's [`Transform`].
///
/// The particles then belong to the world: they stay when the entity is despawned, even at once. A filled entity gets a
/// [`FluidBlobFilled`]; remove that to fill the shape again. An entity with a degenerate transform waits until the
/// transform is valid; an entity with a [`FluidMadeOf`](crate::FluidMadeOf) waits until its material is loaded.
///
/// The blob is clipped to the free space: it omits particles in walls of containers and colliders,
/// and particles on existing liquid. So a blob that does not fit does not burst.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((
///         FluidBlob::from(Circle::new(150.0)),
///         FluidClass::HEAVY,
///         Transform::from_xyz(0.0, 150.0, 0.0),
///     ));
/// }
/// ```
#[doc = guide!("start")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
pub struct FluidBlob {
    /// Shape that is filled, in the entity's own units. With a [`level`](Self::level), the shape has no
    /// effect.
    pub shape: FluidShape,
    /// Height above the entity, against gravity, up to which the vessel around the entity is filled. In world units,
    /// finite. `None` (default) fills the `shape`.
    pub level: Option<f32>,
    /// Shares of classes, each finite and at least 0. If the list is empty (default), the blob consists of the entity's
    /// [`FluidClass`](crate::FluidClass) or [`FluidMadeOf`](crate::FluidMadeOf).
    pub mix: Vec<(ClassId, f32)>,
    /// Distance between the particles, in particle spacings; 0.2 to 100. Default 1.03. With a smaller distance, the
    /// blob bursts apart.
    pub spacing: f32,
    /// Velocity of all particles of the blob, in world units/s. Default 0.
    pub velocity: Vec2,
    /// Temperature of all particles of the blob, in degrees; `None` (default) for the temperature of their class.
    pub temperature: Option<f32>,
    /// Paint of all particles of the blob: red, green and blue, linear, 0 to 1; `None` (default) for the paint of their
    /// class. In a class without [paint](blob_fluid::FluidPaint) this field has no effect, with a warning;
    /// [`FluidMaterials::request_paintable`] makes any material paintable.
    pub paint: Option<[f32; 3]>,
    /// Whether the blob is clipped to the free space. Default yes. An unclipped blob fills its whole shape: liquid in
    /// walls or in other liquid bursts apart.
    pub clipped: bool,
}

from_outline!(FluidBlob);

impl FluidBlob {
    /// A blob of a shape, at rest, with the density of liquid at rest.
    pub const fn new(shape: FluidShape) -> Self {
        Self {
            shape,
            level: None,
            mix: Vec::new(),
            spacing: 1.03,
            velocity: Vec2::ZERO,
            temperature: None,
            paint: None,
            clipped: true,
        }
    }

    /// A blob that fills the vessel around the entity up to a height above it, in world units.
    ///
    /// The vessel is the space that liquid can reach from the entity without passing a wall and without rising above
    /// the level. The vessel's walls are those of a container, or of colliders such as the line of a cup. A vessel may
    /// be open at the top. If the vessel is open below the level, nothing is filled, with a warning. Once the liquid
    /// rests, its surface is at the level within half a particle spacing. At first some particles are above the level,
    /// because new liquid is less dense. A vessel whose rim is at the level is filled less. If the level is above the rim
    /// of a cup in a container, the whole container is filled up to the level.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// fn setup(mut commands: Commands) {
    ///     let points = [(-60.0, 80.0), (-50.0, 0.0), (50.0, 0.0), (60.0, 80.0)].map(Vec2::from);
    ///     let cup = FluidCollider::from(Polyline2d::new(points));
    ///     let wine = (FluidBlob::up_to(50.0), Transform::from_xyz(0.0, 10.0, 0.0));
    ///     commands.spawn((cup, Transform::from_xyz(-200.0, 0.0, 0.0))).with_child(wine);
    /// }
    /// # App::new().add_systems(Startup, setup);
    /// ```
    pub const fn up_to(level: f32) -> Self {
        let mut blob = Self::new(FluidShape::HalfPlane { normal: Vec2::Y });
        blob.level = Some(level);
        blob
    }

    /// The same blob with a mix of classes, given by their shares. The particles of each class are spread evenly.
    pub fn with_mix(mut self, mix: impl IntoIterator<Item = (ClassId, f32)>) -> Self {
        self.mix = mix.into_iter().collect();
        self
    }

    /// The same blob at a temperature, in degrees.
    pub const fn with_temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// The same blob with a colour as [paint](blob_fluid::FluidPaint). There is a warning if its class takes no
    /// paint; [`FluidMaterials::request_paintable`] makes any material paintable.
    pub fn with_paint(mut self, color: impl Into<Color>) -> Self {
        self.paint = Some(paint_of(color.into()));
        self
    }

    /// The same blob thrown at a velocity, in world units/s.
    pub const fn with_velocity(mut self, velocity: Vec2) -> Self {
        self.velocity = velocity;
        self
    }

    /// The same blob, but not [clipped](Self::clipped) to the free space.
    pub const fn unclipped(mut self) -> Self {
        self.clipped = false;
        self
    }
}

/// Marks a [`FluidBlob`] that was filled.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidBlobFilled {
    /// Number of particles in the filled blob.
    pub particles: usize,
    /// Number of particles left out because they would have been in walls or outside of the
    /// containers.
    pub left_out_by_walls: usize,
    /// Number of particles left out because they would have been on existing liquid.
    pub left_out_by_liquid: usize,
}

/// Removes the marks of all filled blobs, so that they are filled again.
fn fill_again(world: &mut World) {
    let mut filled = world.query_filtered::<Entity, With<FluidBlobFilled>>();
    let filled: Vec<Entity> = filled.iter(world).collect();
    filled.into_iter().for_each(|blob| _ = world.entity_mut(blob).remove::<FluidBlobFilled>());
}

/// Fills the blobs that were not filled yet.
fn fill_blobs(
    mut commands: Commands,
    blobs: Query<(Entity, &FluidBlob, StatedClass), Without<FluidBlobFilled>>,
    transforms: TransformHelper,
    ranks: Ranks,
    classes: KnownClasses,
    mut fluid: ResMut<FluidSimulation>,
    mut warnings: Warnings,
    mut unpainted: Warnings,
) {
    warnings.retain(|entity| blobs.contains(entity));
    unpainted.retain(|entity| blobs.contains(entity));
    let mut waiting: Vec<_> = blobs.iter().collect();
    waiting.sort_unstable_by_key(|(entity, ..)| ranks.of(*entity));
    for (entity, blob, stated) in waiting {
        let Some(class) = classes.of(&stated, fluid.classes()) else { continue };
        let placed = Placement::of(entity, &transforms);
        let Some(placement) = warnings.check(entity, "fluid blob", placed) else { continue };
        if blob.paint.is_some() {
            let mixed = blob.mix.iter().map(|(class, _)| *class);
            let classes = mixed.chain(blob.mix.is_empty().then_some(class));
            let painted = takes_paint(fluid.classes(), classes);
            unpainted.check(entity, "the paint of fluid blob", painted);
        }
        let filled = fill(&mut fluid, blob, class, placement);
        let filled = warnings.check(entity, "fluid blob", filled);
        if let Some(shortage) = filled.as_ref().and_then(|report| shortage(blob, report)) {
            warn!("fluid blob {} is {shortage}", warnings.named(entity));
        }
        let report = filled.unwrap_or_default();
        commands.entity(entity).try_insert(FluidBlobFilled {
            particles: report.spawned,
            left_out_by_walls: report.left_out_by_walls,
            left_out_by_liquid: report.left_out_by_liquid,
        });
    }
}

/// The reason why a blob was cut short or is empty; `None` for a complete blob.
fn shortage(blob: &FluidBlob, report: &BlobReport) -> Option<String> {
    let BlobReport { spawned, left_out_by_walls, left_out_by_liquid, open, .. } = *report;
    if open {
        return Some("empty: the vessel around it is open below the level".into());
    }
    if let Some(error) = report.error {
        return Some(format!("cut short at {spawned} particles: {error}"));
    }
    if report.cut_short {
        return Some(format!("cut short at {spawned} particles: it is too large"));
    }
    let reason = match (left_out_by_walls, left_out_by_liquid) {
        _ if spawned > 0 => return None,
        (0, 0) if blob.level.is_some() => "it is in a wall, or above the level",
        (0, 0) => return None,
        (_, 0) => "all of it would be in walls or outside of the containers",
        (0, _) => "there is liquid already",
        _ => "all of it would be in walls, outside of the containers or on other liquid",
    };
    Some(format!("empty: {reason}"))
}

/// Spawns a blob's particles.
fn fill(
    fluid: &mut FluidSimulation,
    blob: &FluidBlob,
    class: ClassId,
    placement: Placement,
) -> Result<BlobReport, OutOfRange> {
    let Placement { pose: Pose { translation: position, rotation }, scale } = placement;
    let region = match blob.level {
        Some(level) => {
            let up = -fluid.parameters().gravity.normalize_or(Vec2::NEG_Y);
            let below = FluidShape::HalfPlane { normal: up };
            FluidRegion::new(below, position + level * up, Vec2::X)?
        }
        None => FluidRegion::new(blob.shape.scaled(scale), position, rotation)?,
    };
    let blob = Blob {
        seed: blob.level.map(|_| position),
        mix: blob.mix.clone(),
        spacing: blob.spacing.clamp(0.2, 100.0),
        velocity: blob.velocity,
        temperature: blob.temperature,
        paint: blob.paint,
        clipped: blob.clipped,
        ..Blob::new(region, class)
    };
    blob.fill(fluid.world_mut().liquid_mut())
}

// The density class of an entity's liquid.

/// Adds the types and systems below.
pub(super) fn add_classes(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidClass>();
}

/// Density class of the liquid of a [`FluidBlob`](crate::FluidBlob) or
/// [`FluidEmitter`](crate::FluidEmitter): an index into [`FluidClasses`](crate::FluidClasses), whose
/// [`find`](crate::FluidClasses::find) returns the id of a class by its name.
///
/// Liquid without this component has the [default class](blob_fluid::ClassTable::default_class): medium as long as the
/// three default classes exist, and otherwise the first class.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Hash)]
pub struct FluidClass(pub ClassId);

impl FluidClass {
    /// The heaviest of the three default classes.
    pub const HEAVY: Self = Self(ClassId::HEAVY);
    /// The middle class of the three default classes.
    pub const MEDIUM: Self = Self(ClassId::MEDIUM);
    /// The lightest of the three default classes.
    pub const LIGHT: Self = Self(ClassId::LIGHT);

    /// The class at an index of [`FluidClasses`](crate::FluidClasses).
    pub const fn new(index: u8) -> Self {
        Self(ClassId(index))
    }
}

impl From<ClassId> for FluidClass {
    fn from(class: ClassId) -> Self {
        Self(class)
    }
}

/// The components that select the liquid of an entity.
#[derive(QueryData)]
pub(crate) struct StatedClass {
    class: Option<&'static FluidClass>,
    made_of: Option<&'static FluidMadeOf>,
}

impl StatedClassItem<'_, '_> {
    /// Whether a component selects the liquid of the entity.
    pub(crate) fn is_stated(&self) -> bool {
        self.class.is_some() || self.made_of.is_some()
    }
}

/// Finds the class of an entity's liquid.
#[derive(SystemParam)]
pub(crate) struct KnownClasses<'w> {
    materials: Res<'w, FluidMaterials>,
    classes: Res<'w, FluidClasses>,
}

impl KnownClasses<'_> {
    /// The class of an entity's liquid in a simulation with this table; `None` while its material
    /// is loading.
    pub(crate) fn of(
        &self,
        stated: &StatedClassItem<'_, '_>,
        table: &ClassTable,
    ) -> Option<ClassId> {
        match (stated.made_of, stated.class) {
            (Some(FluidMadeOf(material)), _) => self.materials.class(material, &self.classes),
            (None, Some(FluidClass(class))) => Some(*class),
            (None, None) => Some(table.default_class()),
        }
    }
}

// Colours as paint.

/// Liquid that takes no paint.
#[derive(Error, Clone, Debug, PartialEq, Eq)]
#[error(
    "`{0}` takes no paint: give its class `paint: Some(FluidPaint::default())`, or request its material with \
     `FluidMaterials::request_paintable`"
)]
pub(crate) struct NoPaint(String);

/// Whether any of these classes takes paint; otherwise the error names the first of them.
pub(crate) fn takes_paint(
    table: &ClassTable,
    classes: impl IntoIterator<Item = ClassId>,
) -> Result<(), NoPaint> {
    let mut known = classes.into_iter().filter_map(|class| table.get(class)).peekable();
    let first = known.peek().map(|class| class.name.clone());
    match first {
        Some(name) if known.all(|class| class.paint.is_none()) => Err(NoPaint(name)),
        _ => Ok(()),
    }
}

/// The paint of a colour: red, green and blue, linear, clamped to 0 to 1.
pub(crate) fn paint_of(color: Color) -> [f32; 3] {
    let LinearRgba { red, green, blue, .. } = color.to_linear();
    [red, green, blue].map(|value| value.clamp(0.0, 1.0))
}
