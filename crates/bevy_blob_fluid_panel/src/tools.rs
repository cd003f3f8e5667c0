//! The tools of the pointer: their settings, and their controls.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::{ClassId, DensityClass};
use bevy_egui::egui;
use egui::{Button, Color32, RichText, Stroke, Ui};

use crate::form::{Form, Number, named_button};
use crate::style;

/// Action of the pointer on the liquid while the left mouse button is held.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FluidTool {
    /// No action: the pointer belongs to the game.
    None,
    /// Fills the brush with particles, with the density of liquid at rest.
    #[default]
    Pour,
    /// Removes the liquid in the brush.
    Erase,
    /// Paints the liquid in the brush, if the liquid's class takes paint.
    Paint,
    /// Repels liquid.
    Push,
    /// Attracts liquid.
    Pull,
    /// Turns liquid around the pointer.
    Stir,
    /// Carries liquid along with the pointer.
    Grab,
}

impl FluidTool {
    /// All tools, with their names and descriptions.
    pub(crate) const ALL: [(Self, &'static str, &'static str); 8] = [
        (Self::None, "None", "The pointer belongs to the game."),
        (Self::Pour, "Pour", "Fills the brush with the class below."),
        (Self::Erase, "Erase", "Removes the liquid in the brush."),
        (Self::Paint, "Paint", "Paints the liquid in the brush, if its class takes paint."),
        (Self::Push, "Push", "Repels liquid."),
        (Self::Pull, "Pull", "Attracts liquid."),
        (Self::Stir, "Stir", "Turns liquid around the pointer."),
        (Self::Grab, "Grab", "Carries liquid along with the pointer."),
    ];
}

/// The pointer's tool, which acts while the panel is open. The panel's controls and the app may change the tool. While
/// a tool is chosen, the mouse wheel changes the brush, and the keys 1 to 9 choose a class to pour.
///
/// When the classes change, the tool keeps the class of the same name, or takes the first class if that name is
/// missing.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidTools {
    /// Effect of dragging the pointer. With [`FluidTool::None`] the pointer belongs to the game.
    pub tool: FluidTool,
    /// Class that the tool pours.
    pub class: ClassId,
    /// Radius of the brush, in particle spacings; 0.5 to 60. Default 6.
    pub radius: f32,
    /// Acceleration with which the tool pushes, pulls and stirs, as a multiple of
    /// [`reference_acceleration`](bevy_blob_fluid::blob_fluid::FluidParameters::reference_acceleration); 0 to 100.
    /// Default 6.
    pub strength: f32,
    /// Colour with which the tool paints. Default a shade of red.
    pub paint: Color,
}

impl Default for FluidTools {
    fn default() -> Self {
        Self {
            tool: FluidTool::Pour,
            class: ClassId::MEDIUM,
            radius: 6.0,
            strength: 6.0,
            paint: Color::srgb(0.86, 0.2, 0.18),
        }
    }
}

impl FluidTools {
    /// Valid radii.
    pub(crate) const RADII: (f32, f32) = (0.5, 60.0);

    /// Radius of the brush in world units, clamped to its range.
    pub(crate) fn reach(&self, spacing: f32) -> f32 {
        let (least, most) = Self::RADII;
        let radius = if self.radius.is_finite() { self.radius } else { least };
        radius.clamp(least, most) * spacing
    }
}

const BRUSH: Number = Number::new(
    "Brush",
    "spacings",
    FluidTools::RADII.0,
    FluidTools::RADII.1,
    "Radius of the brush; the mouse wheel changes it as well.",
)
.usually(0.5, 20.0)
.by_factors();
const STRENGTH: Number =
    Number::new("Strength", "a0", 0.0, 100.0, "How strongly it pushes, pulls and stirs.")
        .usually(0.0, 20.0);

/// The controls of the tools. Tools that change single particles are disabled while the liquid is on a graphics card.
pub(crate) fn show(
    ui: &mut Ui,
    tools: &mut FluidTools,
    classes: &[DensityClass],
    is_on_card: bool,
) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for (tool, name, help) in FluidTool::ALL {
            let button = Button::selectable(tools.tool == tool, name);
            let changes = matches!(tool, FluidTool::Pour | FluidTool::Erase | FluidTool::Paint);
            let button = ui.add_enabled(!(changes && is_on_card), button).on_hover_text(help);
            if button
                .on_disabled_hover_text("Not while the liquid is on the graphics card.")
                .clicked()
            {
                tools.tool = tool;
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 4.0);
        for (index, class) in classes.iter().enumerate().take(256) {
            let id = ClassId(index as u8);
            if class_button(ui, "Pour", class, index, tools.class == id) {
                tools.class = id;
                if !is_on_card {
                    tools.tool = FluidTool::Pour;
                }
            }
        }
    });
    let form = Form::default();
    let usual = FluidTools::default();
    form.number(ui, &BRUSH, &mut tools.radius, usual.radius);
    form.number(ui, &STRENGTH, &mut tools.strength, usual.strength);
    if tools.tool == FluidTool::Paint {
        let mut paint = tools.paint.to_srgba().to_f32_array();
        form.class_colour(ui, "Paint colour", "Colour with which the tool paints.", &mut paint);
        let [red, green, blue, _] = paint;
        tools.paint = Color::srgb(red, green, blue);
    }
}

/// A button in a class's colour; `verb` is its action, for screen readers.
pub(crate) fn class_button(
    ui: &mut Ui,
    verb: &str,
    class: &DensityClass,
    index: usize,
    chosen: bool,
) -> bool {
    let colour = colour_of(class);
    let name = if class.name.is_empty() { format!("class {index}") } else { class.name.clone() };
    let dot = RichText::new("⏺").color(colour);
    let text = RichText::new(&name).color(if chosen { style::BRIGHT } else { style::TEXT });
    let button = Button::new((dot, text))
        .small()
        .fill(if chosen { colour.gamma_multiply(0.35) } else { Color32::TRANSPARENT })
        .stroke(Stroke::new(1.0, colour.gamma_multiply(if chosen { 1.0 } else { 0.4 })))
        .corner_radius(9);
    named_button(ui, button, true, &format!("{verb} {name}"))
}

/// A class's colour on the panel.
pub(crate) fn colour_of(class: &DensityClass) -> Color32 {
    let [red, green, blue, _] = class.color.map(|value| (value.clamp(0.0, 1.0) * 255.0) as u8);
    Color32::from_rgb(red, green, blue)
}
