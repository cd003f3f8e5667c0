//! What the panel shows, and what the user has chosen in it.

use std::path::PathBuf;

use bevy::prelude::*;
use bevy_blob_fluid::FluidSettings;
use bevy_blob_fluid::blob_fluid::ClassId;

use crate::tabs::material_files::{SaveError, Written};

/// A page of the panel.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FluidPanelTab {
    /// The settings of the liquid as a whole.
    #[default]
    Liquid,
    /// The classes, one by one.
    Classes,
    /// The interactions of two classes.
    Pairs,
    /// The looks of the liquid.
    Look,
    /// Times, and how the layers sort themselves.
    Graphs,
    /// Findings of the doctor.
    Doctor,
    /// The air, in a world that has any.
    Air,
}

/// The corner of the window that the panel is in, open or closed.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FluidPanelCorner {
    /// The upper left one.
    #[default]
    TopLeft,
    /// The upper right one.
    TopRight,
    /// The lower left one.
    BottomLeft,
    /// The lower right one.
    BottomRight,
}

/// State of the panel. The app may change it.
#[derive(Resource, Clone, Debug)]
pub struct FluidPanel {
    /// Whether it is open. A closed panel is a button, and its tools do nothing.
    pub open: bool,
    /// Where it is, open or closed.
    pub corner: FluidPanelCorner,
    /// Whether a closed panel is a button. Without one nothing of it is seen, and F1 opens it.
    pub button: bool,
    /// The page that is shown.
    pub tab: FluidPanelTab,
    /// Factor on its size, which follows from the size of the window; 0.5 to 3. Default 1.
    pub size: f32,
    /// Folder where materials are saved.
    pub materials_folder: PathBuf,
    /// Settings of the app; resetting keeps their scale.
    pub(crate) started_with: FluidSettings,
    /// Settings as the panel left them.
    pub(crate) seen_settings: Option<FluidSettings>,
    pub(crate) classes: ClassesState,
    /// Files that the panel wrote.
    pub(crate) written: Written,
    /// The classes whose pair is edited.
    pub(crate) pair: [usize; 2],
    /// The class whose look is edited; `None` for the look of all others.
    pub(crate) look_class: Option<ClassId>,
}

/// State of the tab of the classes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassesState {
    /// The class that is edited.
    pub chosen: usize,
    /// A name that is being typed.
    pub draft: Option<Draft>,
    /// The class that was saved last, and the result.
    pub saved: Option<(String, Result<String, SaveError>)>,
}

/// A name that is being typed and is not valid yet.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// Name of the class it is for.
    pub class: String,
    pub text: String,
}

impl FluidPanel {
    /// The panel of an app that has just started.
    pub(crate) fn new(
        open: bool,
        corner: FluidPanelCorner,
        button: bool,
        materials_folder: PathBuf,
    ) -> Self {
        Self {
            open,
            corner,
            button,
            tab: FluidPanelTab::default(),
            size: 1.0,
            materials_folder,
            started_with: FluidSettings::default(),
            seen_settings: None,
            classes: ClassesState::default(),
            written: Written::default(),
            pair: [0, 1],
            look_class: None,
        }
    }
}
