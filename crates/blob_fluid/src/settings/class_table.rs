//! The table of all classes and of the interactions of their pairs.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::settings::range::{Settings, ValidRange};
use crate::stored::stored;
use crate::work::{self, Counted};
use crate::{ClassFilter, ClassId, ClassPair, DensityClass, FluidThermal, OutOfRange};

/// The error for an invalid table of classes.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ClassError {
    /// The table has no classes, or more classes than there are [`ClassId`]s.
    #[error("a class table holds 1 to {max} classes, not {0}", max = ClassTable::MAX_CLASSES)]
    Count(usize),
    /// A number is outside its range.
    #[error("class `{class}`: {field} is {value}, and must be {range}")]
    OutOfRange {
        /// Name of the class, or of both classes of a pair.
        class: String,
        /// The invalid field.
        field: &'static str,
        /// Value of the invalid field.
        value: f32,
        /// Valid range of the field.
        range: ValidRange,
    },
    /// A class or a pair refers to a class that the table lacks.
    #[error("class `{class}`: {field} names `{name}`, which is none of {known}")]
    UnknownClass {
        /// Name of the class, or of both classes of a pair.
        class: String,
        /// The invalid field.
        field: &'static str,
        /// The unknown name.
        name: String,
        /// The names of the table's classes.
        known: String,
    },
    /// Two pairs have the same classes.
    #[error("classes `{0}` and `{1}` are paired twice")]
    PairedTwice(String, String),
    /// A class is paired with itself.
    #[error(
        "class `{0}` is paired with itself: the class itself says how its own particles interact"
    )]
    PairedWithItself(String),
    /// There are living particles of a class that the new table lacks.
    #[error("{particles} particles belong to class {class}, which the new table lacks")]
    InUse {
        /// The missing class.
        class: u8,
        /// Number of particles that belong to the missing class.
        particles: usize,
    },
}

/// The classes of a liquid, in the order of their [`ClassId`]s, and the interactions of their pairs.
///
/// ```
/// use blob_fluid::{ClassId, ClassTable};
/// let classes = ClassTable::default();
/// assert!(classes[ClassId::HEAVY].mass > classes[ClassId::LIGHT].mass);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ClassTable {
    classes: Vec<DensityClass>,
    pairs: Vec<ClassPair>,
    /// Indices of the classes, sorted by name. Equal names are sorted by index.
    by_name: Vec<u8>,
}

stored!(ClassTable { classes, pairs } derived {
    by_name = order_of(Vec::<DensityClass>::as_slice(&classes)),
} check Self::check);

impl ClassTable {
    /// Largest number of classes in a table.
    pub const MAX_CLASSES: usize = 256;

    /// Creates a table of `classes` without pairs.
    ///
    /// # Errors
    ///
    /// Returns [`ClassError`] for an empty or oversized table, for values outside their range, and
    /// for names of classes that are not in the table.
    pub fn new(classes: Vec<DensityClass>) -> Result<Self, ClassError> {
        Self::with_pairs(classes, Vec::new())
    }

    /// Creates a table of `classes` and of their `pairs`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ClassTable::new`], and [`ClassError`] for a pair that occurs twice
    /// or that pairs a class with itself.
    pub fn with_pairs(
        classes: Vec<DensityClass>,
        pairs: Vec<ClassPair>,
    ) -> Result<Self, ClassError> {
        let table = Self { by_name: order_of(&classes), classes, pairs };
        table.check()?;
        Ok(table)
    }

    /// The class with this id; `None` if the table lacks it.
    pub fn get(&self, class: ClassId) -> Option<&DensityClass> {
        self.classes.get(class.index())
    }

    /// The first class with this name; `None` if the table lacks it.
    pub fn find(&self, name: &str) -> Option<ClassId> {
        let place = self.by_name.partition_point(|index| self.name_at(*index) < name);
        let index = *self.by_name.get(place)?;
        (self.name_at(index) == name).then_some(ClassId(index))
    }

    fn name_at(&self, index: u8) -> &str {
        work::count(1);
        &self.classes[usize::from(index)].name
    }

    /// The default class of liquid: `medium` in a table that begins with the three default classes,
    /// otherwise the first class.
    ///
    /// ```
    /// use blob_fluid::{ClassId, ClassTable, DensityClass};
    /// assert_eq!(ClassTable::default().default_class(), ClassId::MEDIUM);
    /// let class = |name: &str| DensityClass { name: name.into(), ..Default::default() };
    /// let table = ClassTable::new(vec![class("water"), class("oil")])?;
    /// assert_eq!(table.default_class(), ClassId(0));
    /// # Ok::<(), blob_fluid::ClassError>(())
    /// ```
    pub fn default_class(&self) -> ClassId {
        let names = self.iter().map(|class| class.name.as_str());
        if names.take(DEFAULT_NAMES.len()).eq(DEFAULT_NAMES) { ClassId::MEDIUM } else { ClassId(0) }
    }

    /// All classes, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &DensityClass> + Clone {
        self.classes.iter()
    }

    /// The classes of a set, in order.
    pub(crate) fn members(&self, set: ClassFilter) -> impl Iterator<Item = &DensityClass> + Clone {
        let classes = ClassId::all().zip(&self.classes);
        classes.filter(move |(id, _)| set.contains(*id)).map(|(_, class)| class)
    }

    /// All pairs of classes, in order.
    pub fn pairs(&self) -> &[ClassPair] {
        &self.pairs
    }

    /// The indices of a pair's classes; `None` if the table lacks one of them.
    pub(crate) fn indices_of(&self, names: &[String; 2]) -> Option<(usize, usize)> {
        Some((self.find(&names[0])?.index(), self.find(&names[1])?.index()))
    }

    /// Whether particles exchange heat with each other, with air or with the surroundings.
    pub(crate) fn exchange_heat(&self) -> bool {
        let exchanges = |thermal: &FluidThermal| {
            thermal.conductivity > 0.0 || thermal.air_conductivity > 0.0 || thermal.cooling > 0.0
        };
        self.iter().any(|class| exchanges(&class.thermal))
    }

    /// Whether any class takes paint.
    pub(crate) fn take_paint(&self) -> bool {
        self.iter().any(|class| class.paint.is_some())
    }

    /// The default colour of new particles of a class; white if the class takes no paint.
    pub(crate) fn paint_of_new(&self, class: ClassId) -> [f32; 3] {
        let paint = self.get(class).and_then(|class| class.paint);
        paint.map_or([1.0; 3], |paint| paint.color)
    }

    /// Whether particles can change their class by temperature or by a reaction.
    pub(crate) fn react(&self) -> bool {
        let turns =
            |class: &DensityClass| class.thermal.above.is_some() || class.thermal.below.is_some();
        self.iter().any(turns) || self.react_on_contact()
    }

    /// Whether particles can change their class by a reaction.
    pub(crate) fn react_on_contact(&self) -> bool {
        self.pairs.iter().any(|pair| {
            pair.reaction
                .as_ref()
                .is_some_and(|reaction| reaction.becomes.iter().any(Option::is_some))
        })
    }

    /// Number of classes; at least 1.
    #[expect(clippy::len_without_is_empty, reason = "a table is never empty")]
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// The largest ratio of the masses of two classes. With a ratio above 5, the liquid separates
    /// violently.
    pub fn mass_ratio(&self) -> f32 {
        let masses = || self.classes.iter().map(|class| class.mass);
        masses().fold(0.0, f32::max) / masses().fold(f32::MAX, f32::min)
    }

    fn check_class(&self, class: &DensityClass) -> Result<(), ClassError> {
        let FluidThermal { above, below, into_air, .. } = &class.thermal;
        let rains = into_air.as_ref().and_then(|into_air| into_air.rains.as_ref());
        let transitions = [
            ("thermal.above.becomes", above.as_ref()),
            ("thermal.below.becomes", below.as_ref()),
            ("thermal.into_air.rains.becomes", rains),
        ];
        check_numbers(|| class.name.clone(), class)?;
        transitions.into_iter().try_for_each(|(field, transition)| {
            let unknown = transition.filter(|to| self.find(&to.becomes).is_none());
            unknown.map_or(Ok(()), |to| Err(self.unknown(&class.name, field, &to.becomes)))
        })
    }

    /// The checks of [`with_pairs`](Self::with_pairs).
    fn check(&self) -> Result<(), ClassError> {
        if self.classes.is_empty() || self.classes.len() > Self::MAX_CLASSES {
            return Err(ClassError::Count(self.classes.len()));
        }
        self.classes.iter().try_for_each(|class| self.check_class(class))?;
        let mut paired = BTreeSet::new();
        self.pairs.iter().try_for_each(|pair| self.check_pair(pair, &mut paired))
    }

    /// Checks a pair. `paired` holds the classes of the previous pairs.
    fn check_pair(
        &self,
        pair: &ClassPair,
        paired: &mut BTreeSet<Counted<[ClassId; 2]>>,
    ) -> Result<(), ClassError> {
        let [one, other] = &pair.classes;
        let id = |name| self.find(name).ok_or_else(|| self.unknown(&both(pair), "classes", name));
        let mut ids = [id(one)?, id(other)?];
        if ids[0] == ids[1] {
            return Err(ClassError::PairedWithItself(one.clone()));
        }
        ids.sort_unstable();
        if !paired.insert(Counted(ids)) {
            return Err(ClassError::PairedTwice(one.clone(), other.clone()));
        }
        check_numbers(|| both(pair), pair)?;
        let becomes = pair.reaction.iter().flat_map(|reaction| reaction.becomes.iter().flatten());
        becomes.into_iter().try_for_each(|name| {
            let known = self.find(name).is_some();
            if known { Ok(()) } else { Err(self.unknown(&both(pair), "reaction.becomes", name)) }
        })
    }

    /// The error for a field of a class or a pair with the name of an unknown class.
    fn unknown(&self, class: &str, field: &'static str, name: &str) -> ClassError {
        let known: Vec<_> = self.classes.iter().map(|class| class.name.as_str()).collect();
        ClassError::UnknownClass {
            class: class.to_owned(),
            field,
            name: name.to_owned(),
            known: known.join(", "),
        }
    }
}

/// Indices of classes, sorted by name.
fn order_of(classes: &[DensityClass]) -> Vec<u8> {
    let mut order: Vec<u8> = (0..=u8::MAX).take(classes.len()).collect();
    order.sort_by_key(|index| classes[usize::from(*index)].name.as_str());
    order
}

/// The names of a pair's classes.
fn both(pair: &ClassPair) -> String {
    pair.classes.join(" and ")
}

/// Checks the numbers of a class or a pair. The error contains its name.
fn check_numbers(
    name: impl FnOnce() -> String,
    settings: &impl Settings,
) -> Result<(), ClassError> {
    settings.check().map_err(|OutOfRange { field, value, range, .. }| ClassError::OutOfRange {
        class: name(),
        field,
        value,
        range,
    })
}

impl std::ops::Index<ClassId> for ClassTable {
    type Output = DensityClass;

    /// # Panics
    ///
    /// Panics if the table lacks the class; [`ClassTable::get`] returns `None` instead.
    fn index(&self, class: ClassId) -> &DensityClass {
        &self.classes[class.index()]
    }
}

/// Names of the three default classes, in their order.
const DEFAULT_NAMES: [&str; 3] = ["heavy", "medium", "light"];

impl Default for ClassTable {
    /// Three classes, heavy, medium and light: masses 1.5, 1 and 0.6, and rest densities 1.05, 1
    /// and 0.95.
    fn default() -> Self {
        let class = |name: &str, relative_rest_density, mass, color| DensityClass {
            name: name.into(),
            relative_rest_density,
            mass,
            color,
            ..DensityClass::default()
        };
        let [heavy, medium, light] = DEFAULT_NAMES;
        let classes = vec![
            class(heavy, 1.05, 1.5, [0.98, 0.42, 0.27, 1.0]),
            class(medium, 1.0, 1.0, [0.11, 0.66, 0.78, 1.0]),
            class(light, 0.95, 0.6, [0.80, 0.72, 0.98, 1.0]),
        ];
        Self { by_name: order_of(&classes), classes, pairs: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClassViscosity, FluidElasticity, FluidIntoAir, FluidReaction, FluidTransition};

    fn with(change: impl Fn(&mut DensityClass, &mut ClassPair)) -> Result<ClassTable, ClassError> {
        let mut classes: Vec<_> = ClassTable::default().iter().cloned().collect();
        let mut pair = ClassPair::new("heavy", "light");
        change(&mut classes[1], &mut pair);
        ClassTable::with_pairs(classes, vec![pair])
    }

    #[test]
    fn bad_classes_are_refused_by_name() {
        assert!(with(|_, _| {}).is_ok());
        let bad: [(&str, fn(&mut DensityClass)); 23] = [
            ("mass", |c| c.mass = 0.0),
            ("mass", |c| c.mass = f32::NAN),
            ("relative_rest_density", |c| c.relative_rest_density = -1.0),
            ("relative_rest_density", |c| c.relative_rest_density = f32::INFINITY),
            ("gravity_scale", |c| c.gravity_scale = f32::NAN),
            ("near_stiffness", |c| c.near_stiffness = -1.0),
            ("stiffness", |c| c.stiffness = f32::INFINITY),
            ("viscosity.linear", |c| {
                c.viscosity = Some(ClassViscosity { linear: -1.0, ..Default::default() });
            }),
            ("viscosity.quadratic", |c| {
                c.viscosity = Some(ClassViscosity { quadratic: f32::NAN, ..Default::default() });
            }),
            ("surface_tension", |c| c.surface_tension = 11.0),
            ("elasticity.plasticity", |c| {
                c.elasticity = Some(FluidElasticity { plasticity: -1.0, ..Default::default() });
            }),
            ("thermal.conductivity", |c| c.thermal.conductivity = f32::INFINITY),
            ("thermal.cooling", |c| c.thermal.cooling = -1.0),
            ("thermal.expansion", |c| c.thermal.expansion = 2.0),
            ("thermal.temperature", |c| c.thermal.temperature = Some(f32::NAN)),
            ("thermal.above.temperature", |c| {
                let becomes = "light".into();
                c.thermal.above = Some(FluidTransition { temperature: f32::NAN, becomes });
            }),
            ("thermal.above.becomes", |c| {
                let becomes = "steam".into();
                c.thermal.above = Some(FluidTransition { temperature: 1.0, becomes });
            }),
            ("thermal.below.becomes", |c| c.thermal.below = Some(FluidTransition::default())),
            ("thermal.air_conductivity", |c| c.thermal.air_conductivity = -1.0),
            ("thermal.into_air.above", |c| {
                c.thermal.into_air = Some(FluidIntoAir { above: f32::NAN, ..Default::default() });
            }),
            ("thermal.into_air.colour", |c| {
                let colour = Some([0.0, f32::INFINITY, 0.0]);
                c.thermal.into_air = Some(FluidIntoAir { colour, ..Default::default() });
            }),
            ("thermal.into_air.rains.becomes", |c| {
                let rains = Some(FluidTransition::default());
                c.thermal.into_air = Some(FluidIntoAir { rains, ..Default::default() });
            }),
            ("color", |c| c.color[0] = 2.0),
        ];
        for (field, change) in bad {
            let message = with(|class, _| change(class)).expect_err(field).to_string();
            assert!(message.contains("medium") && message.contains(field), "{message}");
        }
        assert_eq!(ClassTable::new(vec![]), Err(ClassError::Count(0)));
        let many = vec![ClassTable::default()[ClassId::LIGHT].clone(); 300];
        assert_eq!(ClassTable::new(many), Err(ClassError::Count(300)));
    }

    #[test]
    fn bad_pairs_are_refused_by_name() {
        let reaction = |rate, name: &str, temperature| {
            let becomes = [Some(name.to_owned()), None];
            Some(FluidReaction { rate, becomes, temperature })
        };
        let bad: [(&str, &dyn Fn(&mut ClassPair)); 7] = [
            ("classes", &|p| p.classes[0] = "steam".into()),
            ("viscosity.approach", &|p| {
                p.viscosity = Some(ClassViscosity { approach: -1.0, ..Default::default() });
            }),
            ("cohesion", &|p| p.cohesion = f32::NAN),
            ("reaction.rate", &|p| p.reaction = reaction(0.0, "light", None)),
            ("reaction.rate", &|p| p.reaction = reaction(f32::NAN, "light", None)),
            ("reaction.becomes", &|p| p.reaction = reaction(1.0, "steam", None)),
            ("reaction.temperature", &|p| p.reaction = reaction(1.0, "light", Some(1e9))),
        ];
        for (field, change) in bad {
            let message = with(|_, pair| change(pair)).expect_err(field).to_string();
            assert!(message.contains("light") && message.contains(field), "{message}");
        }
        let with_itself = with(|_, pair| pair.classes[0] = "light".into());
        assert_eq!(with_itself, Err(ClassError::PairedWithItself("light".into())));
        let classes: Vec<_> = ClassTable::default().iter().cloned().collect();
        let twice = vec![ClassPair::new("heavy", "light"), ClassPair::new("light", "heavy")];
        let error = ClassTable::with_pairs(classes, twice).expect_err("refused");
        assert_eq!(error, ClassError::PairedTwice("light".into(), "heavy".into()));
    }
}
