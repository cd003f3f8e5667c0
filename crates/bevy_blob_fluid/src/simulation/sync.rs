//! Copies settings and classes into the simulation when they change.

use std::fmt;
use std::sync::Arc;

use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use blob_fluid::doctor::VIOLENT_MASS_RATIO;
use blob_fluid::{
    ClassId, ClassPair, ClassTable, DensityClass, FluidParameters, FluidSolver, ForceField,
    Governor,
};

#[cfg(not(feature = "gpu"))]
use crate::simulation::resources::FluidBackend;
use crate::simulation::resources::{FluidGovernor, FluidSettings, FluidSimulation};

/// Applies changed settings, or refuses them with a warning.
pub(crate) fn sync_settings(
    settings: Res<FluidSettings>,
    mut fluid: ResMut<FluidSimulation>,
    mut governor: ResMut<FluidGovernor>,
) {
    if !settings.is_changed() {
        return;
    }
    if governor.0.map(|governor| governor.budget()) != settings.budget {
        match settings.budget.map(Governor::new).transpose() {
            Ok(new) => governor.0 = new,
            Err(error) => warn!("fluid budget refused, the last valid one stays: {error}"),
        }
    }
    fluid.world_mut().set_capacity(settings.capacity);
    fluid.world_mut().set_capacity_policy(settings.when_full);
    if let Err(error) = fluid.world_mut().set_kill_bounds(settings.kill_bounds) {
        warn!("fluid settings refused, the last valid ones stay: {error}");
    }
    if let Err(error) = fluid.world_mut().set_parameters(settings.parameters) {
        warn!("fluid settings refused, the last valid ones stay: {error}");
    }
}

/// Applies changed classes, or refuses them with a warning.
pub(crate) fn sync_classes(classes: Res<FluidClasses>, mut fluid: ResMut<FluidSimulation>) {
    if !classes.is_changed() {
        return;
    }
    let table = match ClassTable::with_pairs(classes.classes.clone(), classes.pairs.clone()) {
        Ok(table) => table,
        Err(error) => {
            warn!("fluid classes refused, the last valid ones stay: {error}");
            return;
        }
    };
    let ratio = table.mass_ratio();
    if ratio > VIOLENT_MASS_RATIO {
        warn!(
            "the heaviest fluid class has {ratio:.1} times the mass of the lightest: expect violent separation"
        );
    }
    if let Err(error) = fluid.world_mut().set_classes(table) {
        warn!("fluid classes refused, the last valid ones stay: {error}");
    }
}

/// Warns of settings that the selected solver ignores, once for each setting.
pub(crate) fn warn_of_ignored_settings(
    settings: Res<FluidSettings>,
    classes: Res<FluidClasses>,
    fluid: Res<FluidSimulation>,
    mut warned: Local<HashSet<(FluidSolver, &'static str)>>,
) {
    if !settings.is_changed() && !classes.is_changed() {
        return;
    }
    let solver = fluid.parameters().solver;
    for ignored in fluid.ignored_settings() {
        if warned.insert((solver, ignored.setting)) {
            warn!("{ignored}");
        }
    }
}

/// Warns once if the settings request the graphics card in a build without it.
#[cfg(not(feature = "gpu"))]
pub(super) fn warn_of_missing_feature(mut commands: Commands, settings: Res<FluidSettings>) {
    if settings.is_changed() && settings.backend == FluidBackend::Gpu {
        warn_once!(
            "the liquid stays on the processor: bevy_blob_fluid was built without its feature `gpu`"
        );
        commands.run_system_cached(fall_back);
    }
}

// The density classes, as a resource that the game may change.

/// The density classes, in the order of the indices of [`FluidClass`](crate::FluidClass); heavy, medium and light by
/// default. Materials append their classes ([`FluidMadeOf`](crate::FluidMadeOf)). With classes of your own, blobs and
/// emitters without a class have the first class. Masses and densities of bodies are relative to a class with a mass of
/// 1. A change of a material's class stays until the material's file changes or the liquid starts over.
///
/// A value outside its range, or the removal of a class that has particles, is refused with a
/// warning. The last valid classes then stay in use.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// let class = |name: &str, mass| DensityClass { name: name.into(), mass, ..default() };
/// App::new().insert_resource(FluidClasses {
///     classes: vec![class("water", 1.0), class("oil", 0.7)],
///     // Oil beads in water.
///     pairs: vec![ClassPair { cohesion: -0.5, ..ClassPair::new("water", "oil") }],
/// });
///
/// /// Ink spreads in whatever is called water.
/// fn thin(mut classes: ResMut<FluidClasses>) {
///     if let Some(water) = classes.find("water") {
///         classes[water].surface_tension = 0.0;
///     }
/// }
/// ```
#[doc = guide!("mix")]
#[derive(Resource, Reflect, Clone, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidClasses {
    /// All classes; the class at index 0 has the id [`ClassId(0)`](ClassId).
    pub classes: Vec<DensityClass>,
    /// Interactions of pairs of classes.
    pub pairs: Vec<ClassPair>,
}

impl Default for FluidClasses {
    fn default() -> Self {
        ClassTable::default().iter().cloned().collect::<Vec<_>>().into()
    }
}

impl From<Vec<DensityClass>> for FluidClasses {
    /// Classes without interactions of pairs.
    fn from(classes: Vec<DensityClass>) -> Self {
        Self { classes, pairs: Vec::new() }
    }
}

impl FluidClasses {
    /// The id of the first class with this name; `None` without such a class.
    pub fn find(&self, name: &str) -> Option<ClassId> {
        let index = self.classes.iter().position(|class| class.name == name)?;
        u8::try_from(index).ok().map(ClassId)
    }

    /// The class with this id; `None` if the class does not exist.
    pub fn get(&self, class: ClassId) -> Option<&DensityClass> {
        self.classes.get(class.index())
    }

    /// The class with this id, for changes; `None` if the class does not exist.
    pub fn get_mut(&mut self, class: ClassId) -> Option<&mut DensityClass> {
        self.classes.get_mut(class.index())
    }

    /// All classes, by ascending id.
    ///
    /// ```
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// let classes = FluidClasses::default();
    /// let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
    /// assert_eq!(names, ["heavy", "medium", "light"]);
    /// assert_eq!(classes[ClassId::HEAVY].name, "heavy");
    /// ```
    pub fn iter(&self) -> std::slice::Iter<'_, DensityClass> {
        self.classes.iter()
    }

    /// All classes, by ascending id, to change them.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, DensityClass> {
        self.classes.iter_mut()
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether the list has no classes. The simulation refuses an empty list.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }
}

impl std::ops::Index<ClassId> for FluidClasses {
    type Output = DensityClass;

    /// A class by its id.
    ///
    /// # Panics
    ///
    /// Panics if the class does not exist; [`get`](FluidClasses::get) returns `None`.
    fn index(&self, class: ClassId) -> &DensityClass {
        &self.classes[class.index()]
    }
}

impl std::ops::IndexMut<ClassId> for FluidClasses {
    /// A class by its id, to change the class, as [`Index`](std::ops::Index).
    fn index_mut(&mut self, class: ClassId) -> &mut DensityClass {
        &mut self.classes[class.index()]
    }
}

impl<'a> IntoIterator for &'a FluidClasses {
    type Item = &'a DensityClass;
    type IntoIter = std::slice::Iter<'a, DensityClass>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut FluidClasses {
    type Item = &'a mut DensityClass;
    type IntoIter = std::slice::IterMut<'a, DensityClass>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

// Force fields of the game.

/// Functions that push or heat the liquid in every substep, right after every
/// [`FluidForce`](crate::FluidForce), on several threads.
///
/// Force fields wake only the liquid in their [bounds](ForceField::bounds), unlike a system between
/// two passes that changes [`particles_mut`](blob_fluid::Liquid::particles_mut). A field must own
/// the values that it uses: to change these, replace the field. A [`FluidField`](crate::FluidField)
/// lives as long as its entity.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::blob_fluid::{FluidBounds, FieldParticles, ForceField};
/// use bevy_blob_fluid::prelude::*;
///
/// /// A wind that grows with the height.
/// struct Breeze {
///     level: FluidBounds,
///     shear: f32,
/// }
///
/// impl ForceField for Breeze {
///     fn bounds(&self) -> FluidBounds {
///         self.level
///     }
///
///     fn apply(&self, particles: &mut FieldParticles<'_>) {
///         for (position, velocity) in particles.positions.iter().zip(&mut *particles.velocities) {
///             velocity.x += particles.time_step * self.shear * (position.y - self.level.low.y);
///         }
///     }
/// }
///
/// fn setup(mut fields: ResMut<FluidForceFields>) {
///     let level = FluidBounds { low: Vec2::new(-400.0, 0.0), high: Vec2::new(400.0, 300.0) };
///     fields.add(Breeze { level, shear: 0.5 });
/// }
/// ```
#[derive(Resource, Reflect, Clone, Default, Deref, DerefMut)]
#[reflect(opaque, Resource, Default)]
pub struct FluidForceFields(pub Vec<Arc<dyn ForceField>>);

impl FluidForceFields {
    /// Appends a field.
    pub fn add(&mut self, field: impl ForceField + 'static) {
        self.0.push(Arc::new(field));
    }
}

impl fmt::Debug for FluidForceFields {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "FluidForceFields({})", self.0.len())
    }
}

/// The fields of entities.
#[derive(Resource, Clone, Default)]
pub(crate) struct EntityFields(pub Vec<Arc<dyn ForceField>>);

/// Copies the fields into the simulation when they change.
pub(crate) fn sync_force_fields(
    fields: Res<FluidForceFields>,
    of_entities: Res<EntityFields>,
    mut fluid: ResMut<FluidSimulation>,
) {
    if fields.is_changed() || of_entities.is_changed() {
        let all = fields.0.iter().chain(&of_entities.0).cloned().collect();
        fluid.world_mut().set_force_fields(all);
    }
}

// The particle spacing of a liquid that cannot be on the graphics card.

/// Applies [`FluidSettings::fallback_spacing`], unless there are particles already.
pub(super) fn fall_back(mut settings: ResMut<FluidSettings>, mut fluid: ResMut<FluidSimulation>) {
    let FluidSettings { fallback_spacing, parameters, .. } = *settings;
    let Some(particle_spacing) = fallback_spacing else { return };
    if particle_spacing == parameters.particle_spacing || !fluid.particles().is_empty() {
        return;
    }
    let coarse = FluidParameters { particle_spacing, ..parameters };
    match fluid.world_mut().set_parameters(coarse) {
        Ok(()) => settings.parameters = coarse,
        Err(error) => warn_once!("fluid fallback spacing refused: {error}"),
    }
}
