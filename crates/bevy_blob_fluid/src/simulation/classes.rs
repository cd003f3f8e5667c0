//! The density classes, as a resource that a game changes.

use bevy::prelude::*;
use blob_fluid::{ClassId, ClassPair, ClassTable, DensityClass};

/// The density classes, in the order of the indices of [`FluidClass`](crate::FluidClass); heavy,
/// medium and light by default. Materials add theirs behind them
/// ([`FluidMadeOf`](crate::FluidMadeOf)). With classes of your own, blobs and emitters that state
/// none have the first one, and masses and densities of bodies are relative to a class with a mass
/// of 1. A change of a material's class stays until its file changes or the liquid starts over.
///
/// A value outside its range, or the removal of a class that living particles belong to, is refused
/// with a warning, and the last valid classes stay in use.
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
#[derive(Resource, Reflect, Clone, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidClasses {
    /// Every class: the one at index 0 is that of [`ClassId(0)`](ClassId).
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
    /// The id of the class of a name; of the first of several.
    pub fn find(&self, name: &str) -> Option<ClassId> {
        let index = self.classes.iter().position(|class| class.name == name)?;
        u8::try_from(index).ok().map(ClassId)
    }

    /// A class by its id, if there is one.
    pub fn get(&self, class: ClassId) -> Option<&DensityClass> {
        self.classes.get(class.index())
    }

    /// A class by its id, to be changed, if there is one.
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

    /// All classes, by ascending id, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, DensityClass> {
        self.classes.iter_mut()
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there is no class. The simulation refuses that.
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
    /// If there is no such class; [`get`](FluidClasses::get) does not.
    fn index(&self, class: ClassId) -> &DensityClass {
        &self.classes[class.index()]
    }
}

impl std::ops::IndexMut<ClassId> for FluidClasses {
    /// As [`Index`](std::ops::Index), to be changed.
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
