//! Why a scene could not be read or built.

use thiserror::Error;

use crate::air::AirError;
use crate::files::material::MaterialError;
use crate::particles::spawn::SpawnError;
use crate::settings::class_table::ClassError;
use crate::settings::range::OutOfRange;
use crate::solver::report::StepError;

/// Why a scene could not be read or built.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SceneError {
    /// The text is not a scene; the message names line and column.
    #[error("scene: {0}")]
    Syntax(Box<ron::error::SpannedError>),
    /// The file could not be read.
    #[error("{path}: {message}")]
    File {
        /// The file.
        path: String,
        /// The message of the operating system.
        message: String,
    },
    /// A file does not contain a valid scene.
    #[error("{path}: {error}")]
    InFile {
        /// The file.
        path: String,
        /// The error in the file.
        error: Box<SceneError>,
    },
    /// A material could not be read.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// The scene names materials whose files were not read.
    #[error("the scene's materials were not read: see Scene::read_materials")]
    MaterialsMissing,
    /// A setting or a container is out of range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// A class is out of range.
    #[error(transparent)]
    Classes(#[from] ClassError),
    /// A particle is invalid.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// A block names a class that the scene lacks.
    #[error("block {block}: there is no class `{class}`; the scene has {known}")]
    UnknownClass {
        /// Index of the block, from 0.
        block: usize,
        /// The name in the block.
        class: String,
        /// The names of the scene's classes.
        known: String,
    },
    /// Air is invalid.
    #[error("airs[{air}]: {error}")]
    Air {
        /// Index of the air, from 0.
        air: usize,
        /// What is wrong with it.
        error: AirError,
    },
    /// A source of air is invalid.
    #[error("airs[{air}].sources[{index}]: {error}")]
    AirSource {
        /// Index of the air, from 0.
        air: usize,
        /// Index of the source, from 0.
        index: usize,
        /// What is wrong with it.
        error: AirError,
    },
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
}
