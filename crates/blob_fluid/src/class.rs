//! Density classes: what kinds of liquid there are.

use thiserror::Error;

/// Which density class a particle belongs to: an index into a [`ClassTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ClassId(pub u8);

impl ClassId {
    /// The heaviest of the three default classes.
    pub const HEAVY: Self = Self(0);
    /// The middle one of the three default classes, to which masses are relative.
    pub const MEDIUM: Self = Self(1);
    /// The lightest of the three default classes.
    pub const LIGHT: Self = Self(2);

    /// Position of the class in its table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Default for ClassId {
    fn default() -> Self {
        Self::MEDIUM
    }
}

/// One kind of liquid.
///
/// Classes stratify because their [`mass`](Self::mass) differs while gravity is the same for all:
/// a light particle displaces more mass than it has. The slight difference of rest densities keeps
/// them from mixing.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct DensityClass {
    /// Name for reports and panels.
    pub name: String,
    /// Rest density relative to that of the liquid as a whole
    /// ([`FluidParameters::rest_density`](crate::FluidParameters::rest_density)); > 0, usually 0.9
    /// to 1.1. How tightly particles of the class pack.
    pub relative_rest_density: f32,
    /// Mass of a particle relative to one of the medium class; > 0. Ratios above 5 between classes
    /// separate violently.
    pub mass: f32,
    /// Factor on gravity; usually 1. The ancestors of this solver separate their classes with it;
    /// 0 floats, negative values rise.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub gravity_scale: f32,
    /// Springs between its particles; `None` (default) for a plain liquid.
    #[cfg_attr(feature = "serde", serde(default))]
    pub elasticity: Option<Elasticity>,
    /// Colour: red, green, blue and alpha in sRGB, each 0 to 1.
    #[cfg_attr(feature = "serde", serde(default = "white"))]
    pub color: [f32; 4],
}

/// Springs between the particles of a class (Clavet et al. 2005, Algorithms 3 and 4).
///
/// Without [`plasticity`](Self::plasticity) a body of it is a jelly: the particles that appear
/// together stay together and return to their shape. With it, it is a dough that takes on any shape
/// slowly, and sticks to itself.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Elasticity {
    /// `k_spring`, in 1/T0²; 0 to 100000. Default 40. Per substep at most 0.25/dt² of it acts,
    /// which is where springs would become unstable; automatic substeps are taken accordingly.
    pub stiffness: f32,
    /// `gamma`, the yield ratio: part of its length that a spring may be strained by before it
    /// flows; 0 to 10. Default 0.1.
    pub yield_ratio: f32,
    /// `alpha`, the plasticity: rate at which a spring's rest length follows its strain beyond the
    /// yield ratio, in 1/T0; 0 to 1000. Default 0: purely elastic.
    pub plasticity: f32,
    /// Shortest rest length, in interaction radii; 0 to 1. Default 0.1.
    pub least_rest_length: f32,
}

impl Default for Elasticity {
    fn default() -> Self {
        Self { stiffness: 40.0, yield_ratio: 0.1, plasticity: 0.0, least_rest_length: 0.1 }
    }
}

#[cfg(feature = "serde")]
const fn one() -> f32 {
    1.0
}

#[cfg(feature = "serde")]
const fn white() -> [f32; 4] {
    [1.0; 4]
}

/// Why a set of classes was refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ClassError {
    /// No classes, or more than a [`ClassId`] can name.
    #[error("a class table holds 1 to {max} classes, not {0}", max = ClassTable::MAX_CLASSES)]
    Count(usize),
    /// A number of a class is outside its range.
    #[error("class `{class}`: {field} is {value}, and must be {range}")]
    OutOfRange {
        /// Name of the class.
        class: String,
        /// The field at fault.
        field: &'static str,
        /// What it held.
        value: f32,
        /// What it may hold.
        range: &'static str,
    },
    /// Particles of a class that the new table lacks are alive.
    #[error("{particles} particles belong to class {class}, which the new table lacks")]
    InUse {
        /// The missing class.
        class: u8,
        /// How many particles belong to it.
        particles: usize,
    },
}

/// The classes of a liquid, in the order [`ClassId`]s count them.
///
/// ```
/// use blob_fluid::{ClassId, ClassTable};
/// let classes = ClassTable::default();
/// assert!(classes[ClassId::HEAVY].mass > classes[ClassId::LIGHT].mass);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ClassTable(Vec<DensityClass>);

impl ClassTable {
    /// How many classes a table can hold.
    pub const MAX_CLASSES: usize = 256;

    /// A table of `classes`.
    ///
    /// # Errors
    ///
    /// [`ClassError`] for an empty or oversized table and for values outside their range.
    pub fn new(classes: Vec<DensityClass>) -> Result<Self, ClassError> {
        if classes.is_empty() || classes.len() > Self::MAX_CLASSES {
            return Err(ClassError::Count(classes.len()));
        }
        for class in &classes {
            let check = |field, value: f32, valid: bool, range| {
                if valid {
                    return Ok(());
                }
                Err(ClassError::OutOfRange { class: class.name.clone(), field, value, range })
            };
            let density = class.relative_rest_density;
            check(
                "relative_rest_density",
                density,
                (0.01..=100.0).contains(&density),
                "between 0.01 and 100",
            )?;
            check(
                "mass",
                class.mass,
                (1e-3..=1e3).contains(&class.mass),
                "between 0.001 and 1000",
            )?;
            check(
                "gravity_scale",
                class.gravity_scale,
                class.gravity_scale.abs() <= 1e3,
                "between -1000 and 1000",
            )?;
            if let Some(elastic) = &class.elasticity {
                for (field, value, most, range) in [
                    ("elasticity.stiffness", elastic.stiffness, 1e5, "between 0 and 100000"),
                    ("elasticity.yield_ratio", elastic.yield_ratio, 10.0, "between 0 and 10"),
                    ("elasticity.plasticity", elastic.plasticity, 1e3, "between 0 and 1000"),
                    (
                        "elasticity.least_rest_length",
                        elastic.least_rest_length,
                        1.0,
                        "between 0 and 1",
                    ),
                ] {
                    check(field, value, (0.0..=most).contains(&value), range)?;
                }
            }
            for channel in class.color {
                check("color", channel, (0.0..=1.0).contains(&channel), "between 0 and 1")?;
            }
        }
        Ok(Self(classes))
    }

    /// The class with that id, if the table has it.
    pub fn get(&self, class: ClassId) -> Option<&DensityClass> {
        self.0.get(class.index())
    }

    /// The class of that name, if the table has it.
    pub fn find(&self, name: &str) -> Option<ClassId> {
        let index = self.0.iter().position(|class| class.name == name)?;
        u8::try_from(index).ok().map(ClassId)
    }

    /// The classes in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &DensityClass> {
        self.0.iter()
    }

    /// How many classes there are; at least 1.
    #[expect(clippy::len_without_is_empty, reason = "a table is never empty")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The largest ratio between the masses of two classes; above 5 the liquid separates violently.
    pub fn mass_ratio(&self) -> f32 {
        let masses = || self.0.iter().map(|class| class.mass);
        masses().fold(0.0, f32::max) / masses().fold(f32::MAX, f32::min)
    }
}

impl std::ops::Index<ClassId> for ClassTable {
    type Output = DensityClass;

    /// # Panics
    ///
    /// If the table lacks the class; [`ClassTable::get`] does not.
    fn index(&self, class: ClassId) -> &DensityClass {
        &self.0[class.index()]
    }
}

impl Default for ClassTable {
    /// Heavy, medium and light: masses 1.5, 1 and 0.6, rest densities 1.05, 1 and 0.95.
    fn default() -> Self {
        let class = |name: &str, relative_rest_density, mass, color| DensityClass {
            name: name.into(),
            relative_rest_density,
            mass,
            gravity_scale: 1.0,
            elasticity: None,
            color,
        };
        Self(vec![
            class("heavy", 1.05, 1.5, [0.98, 0.42, 0.27, 1.0]),
            class("medium", 1.0, 1.0, [0.11, 0.66, 0.78, 1.0]),
            class("light", 0.95, 0.6, [0.80, 0.72, 0.98, 1.0]),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_classes_are_refused_by_name() {
        let with = |change: fn(&mut DensityClass)| {
            let mut classes: Vec<_> = ClassTable::default().iter().cloned().collect();
            change(&mut classes[1]);
            ClassTable::new(classes).map_err(|error| error.to_string())
        };
        assert!(with(|_| {}).is_ok());
        for (bad, field) in [
            (with(|c| c.mass = 0.0), "mass"),
            (with(|c| c.mass = f32::NAN), "mass"),
            (with(|c| c.relative_rest_density = -1.0), "relative_rest_density"),
            (with(|c| c.relative_rest_density = f32::INFINITY), "relative_rest_density"),
            (with(|c| c.gravity_scale = f32::NAN), "gravity_scale"),
            (with(|c| c.color[0] = 2.0), "color"),
        ] {
            let message = bad.expect_err(field);
            assert!(message.contains("medium") && message.contains(field), "{message}");
        }
        assert_eq!(ClassTable::new(vec![]), Err(ClassError::Count(0)));
        let many = vec![ClassTable::default()[ClassId::LIGHT].clone(); 257];
        assert_eq!(ClassTable::new(many), Err(ClassError::Count(257)));
    }
}
