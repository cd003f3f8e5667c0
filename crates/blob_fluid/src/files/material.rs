//! Materials: liquids described in RON files, with the look that a host gives them. A scene or a host loads them by name.
//!
//! `docs/materials.md` lists every field; `assets/materials` holds water, honey, lava and more.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::settings::declare::settings;
use crate::settings::range::Settings;
use crate::{
    ClassError, ClassPair, ClassTable, ClassViscosity, DensityClass, FluidReaction, OutOfRange,
    work,
};

/// A liquid with a name: a class, its interactions with other materials, and its look.
///
/// ```
/// use blob_fluid::material::Material;
/// let honey = Material::from_ron(
///     r#"(class: (name: "honey", mass: 1.4, viscosity: (linear: 10)))"#,
/// )?;
/// assert_eq!(honey.class.mass, 1.4);
/// let wrong = Material::from_ron("(\n  class: (name: \"tar\",\n    mass: -1),\n)");
/// let message = wrong.unwrap_err().to_string();
/// assert!(message.starts_with("3:5: class `tar`: mass is -1"), "{message}");
/// # Ok::<(), blob_fluid::material::MaterialError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Description of the liquid, in a sentence.
    #[serde(default)]
    pub description: String,
    /// The class of the liquid. The name of the class is the name of the material.
    pub class: DensityClass,
    /// Interactions with other materials. Pairs with materials that are not in use have no effect.
    #[serde(default)]
    pub pairs: Vec<MaterialPair>,
    /// How the material is drawn; `None` for the look of a class without a material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<MaterialLook>,
}

/// The interaction of a material with another: a [`ClassPair`] as seen from one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialPair {
    /// Name of the other material.
    pub with: String,
    /// As [`ClassPair::viscosity`].
    #[serde(default)]
    pub viscosity: Option<ClassViscosity>,
    /// As [`ClassPair::cohesion`].
    #[serde(default)]
    pub cohesion: f32,
    /// As [`ClassPair::segregation`].
    #[serde(default)]
    pub segregation: Option<f32>,
    /// As [`ClassPair::paint_diffusion`].
    #[serde(default)]
    pub paint_diffusion: Option<f32>,
    /// As [`ClassPair::reaction`].
    #[serde(default)]
    pub reaction: Option<MaterialReaction>,
}

/// The reaction of a material with another material on contact: a [`FluidReaction`] as seen from
/// one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialReaction {
    /// As [`FluidReaction::rate`].
    pub rate: f32,
    /// Name of the material that this material becomes; `None` if it stays.
    #[serde(default)]
    pub becomes: Option<String>,
    /// Name of the material that the other material becomes; `None` if it stays.
    #[serde(default)]
    pub other_becomes: Option<String>,
    /// As [`FluidReaction::temperature`].
    #[serde(default)]
    pub temperature: Option<f32>,
}

/// Why a material could not be read.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MaterialError {
    /// The text is not a material; the message begins with line and column.
    #[error("{0}")]
    Syntax(Box<ron::error::SpannedError>),
    /// The input is not UTF-8.
    #[error("{line}:{column}: not a text")]
    NotText {
        /// Line of the first wrong byte, from 1.
        line: usize,
        /// Column of the first wrong byte, from 1.
        column: usize,
    },
    /// A value is invalid.
    #[error("{line}:{column}: {error}")]
    Invalid {
        /// Line of the field with the error, from 1.
        line: usize,
        /// Column of the field with the error, from 1.
        column: usize,
        /// The error.
        error: ClassError,
    },
    /// A value of the look is invalid.
    #[error("{line}:{column}: {error}")]
    InvalidLook {
        /// Line of the field with the error, from 1.
        line: usize,
        /// Column of the field with the error, from 1.
        column: usize,
        /// The error.
        error: OutOfRange,
    },
    /// A file could not be read.
    #[error("{path}: {message}")]
    File {
        /// The file.
        path: PathBuf,
        /// The message of the operating system.
        message: String,
    },
    /// A file does not contain a valid material.
    #[error("{path}:{error}")]
    InFile {
        /// The file.
        path: PathBuf,
        /// The error in the file.
        error: Box<MaterialError>,
    },
    /// A file's class does not have the name of the file.
    #[error("{path}: its class is `{class}`, and must have the name of the file")]
    OtherName {
        /// The file.
        path: PathBuf,
        /// The name of the file's class.
        class: String,
    },
    /// A name that would lead out of the folder of materials.
    #[error(
        "`{0}` is no name of a material: it must have no `/`, `\\` or `:`, and not begin with a dot"
    )]
    Name(String),
    /// Materials do not fit together in one table.
    #[error(transparent)]
    Together(#[from] ClassError),
}

impl Material {
    /// Reads a material from RON text.
    ///
    /// # Errors
    ///
    /// Returns [`MaterialError::Syntax`], [`MaterialError::Invalid`] and [`MaterialError::InvalidLook`], all with line
    /// and column.
    pub fn from_ron(text: &str) -> Result<Self, MaterialError> {
        let text = without_mark(text);
        let material: Self = parse(text).map_err(|error| MaterialError::Syntax(Box::new(error)))?;
        material.validate().map_err(|(path, error)| {
            let (line, column) = location_of(text, &path);
            MaterialError::Invalid { line, column, error }
        })?;
        material.look.check().map_err(|error| {
            let (line, column) = location_of(text, &format!("look.{}", error.field));
            MaterialError::InvalidLook { line, column, error }
        })?;
        Ok(material)
    }

    /// Reads a material from the bytes of a RON text.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Material::from_ron`], and an error for bytes that are not UTF-8.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MaterialError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::from_ron(text),
            Err(error) => {
                let (line, column) = location_at(bytes, error.valid_up_to());
                Err(MaterialError::NotText { line, column })
            }
        }
    }

    /// Reads a material from a file.
    ///
    /// # Errors
    ///
    /// Returns [`MaterialError`] with the file's name, and line and column in it.
    pub fn read(path: &Path) -> Result<Self, MaterialError> {
        let bytes = fs::read(path).map_err(|error| MaterialError::File {
            path: path.to_owned(),
            message: error.to_string(),
        })?;
        Self::from_bytes(&bytes)
            .map_err(|error| MaterialError::InFile { path: path.to_owned(), error: error.into() })
    }

    /// Creates a material from a class and its pairs; `None` if none of `classes` has that name.
    ///
    /// [`Material::class_pairs`] returns the same pairs, with this class first. The description is
    /// empty, and the look is `None`.
    ///
    /// ```
    /// use blob_fluid::material::Material;
    /// use blob_fluid::{ClassPair, DensityClass};
    /// let classes = ["oil", "water"]
    ///     .map(|name| DensityClass { name: name.into(), ..Default::default() });
    /// let pairs = [ClassPair { cohesion: -0.6, ..ClassPair::new("water", "oil") }];
    /// let oil = Material::of_class("oil", &classes, &pairs).unwrap();
    /// assert_eq!((oil.pairs[0].with.as_str(), oil.pairs[0].cohesion), ("water", -0.6));
    /// assert_eq!(Material::from_ron(&oil.to_ron())?, oil);
    /// # Ok::<(), blob_fluid::material::MaterialError>(())
    /// ```
    pub fn of_class(name: &str, classes: &[DensityClass], pairs: &[ClassPair]) -> Option<Self> {
        let class = classes.iter().find(|class| class.name == name)?.clone();
        let pairs = pairs.iter().filter_map(|pair| MaterialPair::seen_from(name, pair)).collect();
        Some(Self { description: String::new(), class, pairs, look: None })
    }

    /// The material as RON text with all fields, for a file `NAME.fluid.ron`.
    ///
    /// [`Material::from_ron`] reads the same material back, unless a value is out of range.
    pub fn to_ron(&self) -> String {
        let style = ron::ser::PrettyConfig::new()
            .extensions(ron::extensions::Extensions::IMPLICIT_SOME)
            .compact_arrays(true);
        // This cannot fail: a material contains nothing that RON cannot write, such as maps with
        // keys that are not text.
        let text = ron::ser::to_string_pretty(self, style).unwrap_or_default();
        // The reader always enables this extension.
        let text = text.strip_prefix("#![enable(implicit_some)]").unwrap_or(&text);
        format!("{}\n", text.trim())
    }

    /// Names of the materials that this material may turn into by its temperature, rain included.
    pub fn transitions(&self) -> impl Iterator<Item = &str> {
        let thermal = &self.class.thermal;
        let rains = thermal.into_air.iter().filter_map(|into_air| into_air.rains.as_ref());
        let transitions = thermal.above.iter().chain(&thermal.below).chain(rains);
        transitions.map(|transition| transition.becomes.as_str())
    }

    /// Names of all materials that this material turns into by its temperature or by reactions with `others`. The
    /// reactions may be in its own file or in the files of `others`.
    pub fn products<'a>(
        &'a self,
        others: impl Iterator<Item = &'a Self>,
    ) -> impl Iterator<Item = &'a str> {
        let met = others.flat_map(|other| {
            let mine = self.products_with(&other.class.name);
            mine.chain(other.products_with(&self.class.name))
        });
        self.transitions().chain(met)
    }

    /// Names of the materials that reactions with `other` produce, according to its own file.
    fn products_with(&self, other: &str) -> impl Iterator<Item = &str> {
        let reactions = self.pairs.iter().filter(move |pair| pair.with == other);
        let reactions = reactions.filter_map(|pair| pair.reaction.as_ref());
        reactions
            .flat_map(|reaction| reaction.becomes.iter().chain(&reaction.other_becomes))
            .map(String::as_str)
    }

    /// Interactions of this material as pairs of classes, in which its own class is the first.
    pub fn class_pairs(&self) -> impl Iterator<Item = ClassPair> {
        self.pairs.iter().map(|pair| pair.to_class_pair(self))
    }

    /// Checks all numbers. An error comes with the path of the field.
    fn validate(&self) -> Result<(), (String, ClassError)> {
        let field_name = |error: &ClassError| match error {
            ClassError::OutOfRange { field, .. } | ClassError::UnknownClass { field, .. } => *field,
            _ => "",
        };
        // Other materials are unknown here, so default classes stand in for them.
        let table = |pairs: &[MaterialPair]| {
            let pairs: Vec<_> = pairs.iter().map(|pair| pair.to_class_pair(self)).collect();
            let mut classes = vec![self.class.clone()];
            let mut names = BTreeSet::from([self.class.name.as_str()]);
            let in_pairs = pairs.iter().flat_map(|pair| {
                let products = pair.reaction.iter().flat_map(|to| to.becomes.iter().flatten());
                pair.classes.iter().chain(products)
            });
            for name in in_pairs.map(String::as_str).chain(self.transitions()) {
                if names.insert(name) {
                    classes.push(DensityClass { name: name.to_owned(), ..Default::default() });
                }
            }
            ClassTable::with_pairs(classes, pairs)
        };
        table(&[]).map_err(|error| (format!("class.{}", field_name(&error)), error))?;
        for (index, pair) in self.pairs.iter().enumerate() {
            table(std::slice::from_ref(pair))
                .map_err(|error| (format!("pairs.{index}.{}", field_name(&error)), error))?;
        }
        table(&self.pairs).map_err(|error| ("pairs".to_owned(), error))?;
        Ok(())
    }
}

impl MaterialPair {
    /// A pair as seen from one of its classes; `None` if the name is not one of the two.
    fn seen_from(name: &str, pair: &ClassPair) -> Option<Self> {
        let index = pair.classes.iter().position(|class| class == name)?;
        let other = 1 - index;
        let reaction = pair.reaction.as_ref().map(|reaction| MaterialReaction {
            rate: reaction.rate,
            becomes: reaction.becomes[index].clone(),
            other_becomes: reaction.becomes[other].clone(),
            temperature: reaction.temperature,
        });
        let with = pair.classes[other].clone();
        let &ClassPair { viscosity, cohesion, segregation, paint_diffusion, .. } = pair;
        Some(Self { with, viscosity, cohesion, segregation, paint_diffusion, reaction })
    }

    fn to_class_pair(&self, of: &Material) -> ClassPair {
        ClassPair {
            classes: [of.class.name.clone(), self.with.clone()],
            viscosity: self.viscosity,
            cohesion: self.cohesion,
            segregation: self.segregation,
            paint_diffusion: self.paint_diffusion,
            reaction: self.reaction.as_ref().map(|reaction| FluidReaction {
                rate: reaction.rate,
                becomes: [reaction.becomes.clone(), reaction.other_becomes.clone()],
                temperature: reaction.temperature,
            }),
        }
    }
}

/// Reads RON text in the form of materials and scenes: `Some` may be left out, and a byte order mark may come first.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ron::error::SpannedError> {
    ron::Options::default()
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
        .from_str(without_mark(text))
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The file of a material in a folder.
fn file_in(folder: &Path, name: &str) -> Result<PathBuf, MaterialError> {
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', ':', '\0']) {
        return Err(MaterialError::Name(name.to_owned()));
    }
    Ok(folder.join(format!("{name}.fluid.ron")))
}

/// A table of `classes` and their `pairs`, followed by the classes of the materials.
///
/// Pairs of a material with a class that is not in the table are left out.
///
/// # Errors
///
/// Returns [`ClassError`] as for [`ClassTable::with_pairs`], such as for a material that turns into a material that is
/// missing.
pub fn table_with(
    mut classes: Vec<DensityClass>,
    mut pairs: Vec<ClassPair>,
    materials: &[Material],
) -> Result<ClassTable, ClassError> {
    classes.extend(materials.iter().map(|material| material.class.clone()));
    for material in materials {
        let present = |pair: &ClassPair| classes.iter().any(|class| class.name == pair.classes[1]);
        pairs.extend(material.class_pairs().filter(present));
    }
    ClassTable::with_pairs(classes, pairs)
}

/// Reads the materials with these names from files `NAME.fluid.ron` in a folder, and all materials
/// that they turn into, by temperature or by reactions. The named materials come first, then the
/// added materials, in the order of discovery.
///
/// # Errors
///
/// Returns [`MaterialError`] with the file's name, if a file is missing or invalid, or if its class has another name
/// than the file. Also returns it for a name that would lead out of the folder.
pub fn read_materials(folder: &Path, names: &[String]) -> Result<Vec<Material>, MaterialError> {
    let mut materials: Vec<Material> = Vec::new();
    let mut wanted: VecDeque<String> = names.iter().cloned().collect();
    while let Some(name) = wanted.pop_front() {
        if materials.iter().any(|material| material.class.name == name) {
            continue;
        }
        let path = file_in(folder, &name)?;
        let material = Material::read(&path)?;
        if material.class.name != name {
            return Err(MaterialError::OtherName { path, class: material.class.name });
        }
        wanted.extend(material.products(materials.iter()).map(str::to_owned));
        materials.push(material);
    }
    Ok(materials)
}

// Finds the line and column of a field in RON text.

/// Line and column, from 1, of the field with a path such as `class.thermal.cooling` or
/// `pairs.0.cohesion`. If the field is not in the text, this is the nearest field around it; 1:1
/// without such a field.
fn location_of(text: &str, path: &str) -> (usize, usize) {
    let fields = fields(text);
    let mut path = path;
    loop {
        if let Some((_, at)) = fields.iter().find(|(found, _)| found == path) {
            return location_at(text.as_bytes(), *at);
        }
        match path.rsplit_once('.') {
            Some((around, _)) => path = around,
            None => return (1, 1),
        }
    }
}

/// Line and column, from 1, of a byte. All bytes before it must be valid text.
fn location_at(bytes: &[u8], at: usize) -> (usize, usize) {
    work::count(at);
    let before = String::from_utf8_lossy(&bytes[..at]);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// A bracket that is open at the current position.
#[derive(Default)]
struct Bracket {
    is_list: bool,
    index: usize,
    key: Option<String>,
}

/// Path and first byte of every field, in the order of the text.
fn fields(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut brackets: Vec<Bracket> = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => {
                while let Some((_, inside)) = characters.next() {
                    match inside {
                        '\\' => drop(characters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '/' if text[at..].starts_with("//") => {
                while characters.next_if(|(_, next)| *next != '\n').is_some() {}
            }
            '/' if text[at..].starts_with("/*") => {
                let end = text[at..].find("*/").map_or(text.len(), |length| at + length + 2);
                while characters.next_if(|(at, _)| *at < end).is_some() {}
            }
            '(' | '{' => brackets.push(Bracket::default()),
            '[' => brackets.push(Bracket { is_list: true, ..Bracket::default() }),
            ')' | '}' | ']' => drop(brackets.pop()),
            ',' => {
                if let Some(bracket) = brackets.last_mut() {
                    bracket.index += 1;
                    bracket.key = None;
                }
            }
            _ if character.is_alphabetic() || character == '_' => {
                let mut end = at + character.len_utf8();
                while let Some((next, inside)) =
                    characters.next_if(|(_, next)| next.is_alphanumeric() || *next == '_')
                {
                    end = next + inside.len_utf8();
                }
                if text[end..].trim_start().starts_with(':')
                    && let Some(bracket) = brackets.last_mut()
                {
                    bracket.key = Some(text[at..end].to_owned());
                    found.push((path(&brackets), at));
                }
            }
            _ => {}
        }
    }
    found
}

fn path(brackets: &[Bracket]) -> String {
    let parts = brackets.iter().filter_map(|bracket| {
        if bracket.is_list { Some(bracket.index.to_string()) } else { bracket.key.clone() }
    });
    parts.collect::<Vec<_>>().join(".")
}

// The look: how a host draws a material. It has no effect on the simulation.

settings! {
    /// How a [`Material`](crate::material::Material) is drawn.
    ///
    /// A look begins with a [preset](LookPreset); each stated field replaces that field of the preset. Lengths are in
    /// particle spacings. Colours are red, green, blue and alpha in sRGB.
    ///
    /// ```
    /// use blob_fluid::material::{LookPreset, Material};
    /// let sap = Material::from_ron(
    ///     r#"(class: (name: "sap"), look: (preset: Honey, opacity: 0.8))"#,
    /// )?;
    /// let look = sap.look.unwrap();
    /// assert_eq!((look.preset, look.opacity, look.glow), (LookPreset::Honey, Some(0.8), None));
    /// # Ok::<(), blob_fluid::material::MaterialError>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct MaterialLook: Default as "look" {
        /// Look that supplies the fields that this look does not state. Default `Soft`.
        pub preset: LookPreset = { LookPreset::Soft },
        /// Opacity, times the alpha of the class's colour.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub opacity: Option<f32> [0 to 1] = { None },
        /// Width of the line along the surface.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub outline_width: Option<f32> [0 to 3] in "spacings" = { None },
        /// Colour of the outline; alpha is the part of the class's colour that it replaces.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub outline_color: Option<[f32; 4]> [0 to 1] = { None },
        /// Light from above at the surface, and shade below it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub rim_light: Option<f32> [0 to 2] = { None },
        /// Colour of the rim light; alpha is the part of the class's colour that it replaces.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub sky_color: Option<[f32; 4]> [0 to 1] = { None },
        /// Colour far below the surface; alpha is the part of the class's colour that it replaces.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub depth_color: Option<[f32; 4]> [0 to 1] = { None },
        /// Depth at which the depth colour has nearly its full strength.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub depth: Option<f32> [1 to 60] in "spacings" = { None },
        /// Strength of highlights.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub specular: Option<f32> [0 to 2] = { None },
        /// Sharpness of highlights.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub gloss: Option<f32> [0 to 1] = { None },
        /// Reflection of soft light; small values reflect at the edges, 1 everywhere, as metal
        /// does.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reflection: Option<f32> [0 to 1] = { None },
        /// Shift of the picture behind the liquid.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub refraction: Option<f32> [0 to 4] in "spacings" = { None },
        /// Moving lines of light below the surface.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub caustics: Option<f32> [0 to 1] = { None },
        /// Colour of foam and spray; alpha is their opacity.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub foam_color: Option<[f32; 4]> [0 to 1] = { None },
        /// Light that hot liquid emits; above 1 it is brighter than white.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub glow: Option<f32> [0 to 10] = { None },
        /// Colour of the crust on hot liquid; alpha is the part of the surface that it covers.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub crust_color: Option<[f32; 4]> [0 to 1] = { None },
        /// Contrast of grains.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub grain: Option<f32> [0 to 1] = { None },
        /// Width of a grain.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub grain_size: Option<f32> [0.2 to 4] in "spacings" = { None },
        /// How much light a gas absorbs; at 0 the class is a liquid with a surface.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub haze: Option<f32> [0 to 20] = { None },
    }
}

/// A look that a [`MaterialLook`] starts from. The program that draws the liquid defines the values of each look; in
/// `bevy_blob_fluid` they are the constants of `FluidSurfaceLook`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LookPreset {
    /// The class's colour, flat, with a smooth edge and no effects.
    Flat,
    /// Nearly opaque and softly lit, with a dark outline: the look of classes without a material.
    #[default]
    Soft,
    /// Clear, refracting, foaming, with caustics.
    Water,
    /// Clear and smooth, without foam.
    Oil,
    /// Translucent, thick and shiny.
    Honey,
    /// Opaque and glossy.
    Slime,
    /// Liquid metal.
    Mercury,
    /// Glowing where it is hot, with a dark crust.
    Lava,
    /// Dull, with visible grains.
    Powder,
    /// A soft haze without a surface.
    Gas,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_field_and_where_it_is() {
        for (text, expected) in [
            ("(class: (mass: 1))", "missing field"),
            ("(class: (name: \"x\", mass: 1)", "1:29"),
            ("(\n class: (name: \"x\",\n  weight: 1))", "3:9"),
            ("(class: (name: \"x\", mass: inf))", "1:21: class `x`: mass is inf"),
            ("(class: (name: \"x\", viscosity: (\n linear: -2)))", "2:2: class `x`: viscosity.lin"),
            (
                "(class: (name: \"mass\", // mass: 3\n thermal: (above: (temperature: NaN,\n becomes: \"y\"))))",
                "2:20: class `mass`: thermal.above.temperature is NaN",
            ),
            (
                "(class: (name: \"x\"), pairs: [(with: \"y\", cohesion: 1),\n (with: \"z\", cohesion: 99)])",
                "2:14: class `x and z`: cohesion is 99",
            ),
            (
                "(class: (name: \"x\"), pairs: [(with: \"y\", reaction: (rate: 0))])",
                "1:53: class `x and y`: reaction.rate is 0",
            ),
            ("(class: (name: \"x\"), pairs: [(with: \"x\")])", "`x` is paired with itself"),
            (
                "(class: (name: \"x\"),\n pairs: [(with: \"y\"), (with: \"y\")])",
                "2:2: classes `x` and `y` are paired twice",
            ),
            ("", "1:1"),
        ] {
            let message = Material::from_ron(text).expect_err(text).to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn errors_of_a_look_name_the_field_its_range_and_where_it_is() {
        for (look, expected) in [
            ("preset: Lava,\n glow: 11", "2:2: look: glow is 11, and must be between 0 and 10"),
            ("grain_size: 0", "1:29: look: grain_size is 0, and must be between 0.2 and 4"),
            ("foam_color: (0, 2, 0, 1)", "1:29: look: foam_color is 2, and must be between 0"),
            ("opacity: NaN", "1:29: look: opacity is NaN"),
            ("preset: Beer", "`Beer`"),
            ("sheen: 1", "`sheen`"),
            ("sky_color: (1, 1, 1)", "1:"),
        ] {
            let text = format!("(class: (name: \"x\"), look: ({look}))");
            let message = Material::from_ron(&text).expect_err(&text).to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn every_field_of_a_look_is_written_and_read_back() {
        let mut stated = 0;
        for row in MaterialLook::ROWS {
            let value = row.limits.most;
            let [number, colour] = [format!("{value}"), format!("({value}, 0, {value}, 1)")];
            let is_colour = row.path.ends_with("_color");
            let value = if is_colour { colour } else { number };
            let text =
                format!("(class: (name: \"x\"), look: (preset: Gas, {}: {value}))", row.path);
            let material = Material::from_ron(&text).expect(&text);
            material.look.visit(&mut |_, _| stated += 1);
            assert_eq!(Material::from_ron(&material.to_ron()).expect(&text), material);
        }
        let colours = MaterialLook::ROWS.iter().filter(|row| row.path.ends_with("_color")).count();
        assert_eq!(stated, MaterialLook::ROWS.len() + 3 * colours);
    }

    #[test]
    fn a_material_that_turns_into_a_missing_one_is_refused() {
        let steam =
            "(class: (name: \"steam\", thermal: (below: (temperature: 100, becomes: \"water\"))))";
        let steam = Material::from_ron(steam).expect("valid by itself");
        let error = table_with(Vec::new(), Vec::new(), &[steam]).expect_err("refused");
        assert!(error.to_string().contains("names `water`"), "{error}");
    }

    #[test]
    fn pairs_count_where_both_are_there() {
        let text =
            "(class: (name: \"lava\"), pairs: [(with: \"water\", cohesion: -1), (with: \"oil\")])";
        let lava = Material::from_ron(text).expect("valid");
        let water = Material::from_ron("(class: (name: \"water\"))").expect("valid");
        let table = table_with(Vec::new(), Vec::new(), &[lava, water]).expect("valid");
        assert_eq!((table.len(), table.pairs().len()), (2, 1));
        assert_eq!(table.pairs()[0].cohesion, -1.0);
    }

    #[test]
    fn fields_are_found_past_strings_comments_and_lists() {
        let text = "(\n  a: \"b: (\\\" c:\", // d: 1\n  /* e:\n */ f: Some((g: [1, (h: 2)])),\n)";
        let found: Vec<_> = fields(text).into_iter().map(|(path, _)| path).collect();
        assert_eq!(found, ["a", "f", "f.g", "f.g.1.h"]);
        assert_eq!(location_of(text, "f.g.1.h"), (4, 22));
        assert_eq!(location_of(text, "f.g.1.missing"), (4, 14));
        assert_eq!(location_of(text, "nowhere"), (1, 1));
    }
}
