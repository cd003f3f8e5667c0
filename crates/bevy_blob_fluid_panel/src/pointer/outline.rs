//! The outline of the brush.

use bevy::prelude::*;
use bevy_blob_fluid::{FluidClasses, FluidSimulation};
use bevy_egui::egui::{self, Id, Order};

use crate::controls::style;
use crate::pointer::position::{FluidPointer, Followed};
use crate::state::FluidPanel;
use crate::tools::{FluidTool, FluidTools, colour_of};

/// Draws a circle where the tool acts.
pub(crate) fn outline_brush(context: &egui::Context, world: &mut World) {
    let Some(outline) = outline(world) else { return };
    let zoom = context.zoom_factor();
    let centre = egui::pos2(outline.centre.x / zoom, outline.centre.y / zoom);
    let tool = world.resource::<FluidTools>();
    let classes = world.resource::<FluidClasses>();
    let colour = match (tool.tool, classes.get(tool.class)) {
        (FluidTool::Pour, Some(class)) => colour_of(class),
        (FluidTool::Erase, _) => style::ERROR,
        (FluidTool::Paint, _) => {
            let Srgba { red, green, blue, .. } = tool.paint.to_srgba();
            let [red, green, blue] = [red, green, blue].map(|value| (255.0 * value) as u8);
            egui::Color32::from_rgb(red, green, blue)
        }
        _ => style::BRIGHT,
    };
    let painter = context.layer_painter(egui::LayerId::new(Order::Background, Id::new("brush")));
    let radius = outline.radius / zoom;
    painter.circle_filled(centre, radius, colour.gamma_multiply(0.06));
    painter.circle_stroke(centre, radius, egui::Stroke::new(1.5, colour.gamma_multiply(0.9)));
}

/// The outline of the brush in a camera's viewport.
struct Outline {
    /// Logical pixels.
    centre: Vec2,
    /// Logical pixels.
    radius: f32,
}

/// The brush's outline where the pointer is.
fn outline(world: &mut World) -> Option<Outline> {
    let tools = *world.resource::<FluidTools>();
    let position = world.resource::<FluidPointer>().position?;
    let is_open = world.get_resource::<FluidPanel>().is_some_and(|panel| panel.open);
    if tools.tool == FluidTool::None || !is_open {
        return None;
    }
    let spacing = world.resource::<FluidSimulation>().parameters().particle_spacing;
    let edge = position + tools.reach(spacing) * Vec2::X;
    let (_, view) = world.resource::<Followed>().place?;
    let (camera, transform) = (world.get::<Camera>(view)?, world.get::<GlobalTransform>(view)?);
    let edge = camera.world_to_viewport(transform, edge.extend(0.0)).ok()?;
    let centre = camera.world_to_viewport(transform, position.extend(0.0)).ok()?;
    Some(Outline { centre, radius: centre.distance(edge) })
}
