//! Style of the panel: dark, translucent, rounded.

use std::sync::Arc;

use bevy_egui::egui;
use egui::{Color32, CornerRadius, FontFamily, FontId, Margin, Shadow, Stroke, Style, TextStyle};

/// Width of the panel, in points.
pub(crate) const WIDTH: f32 = 336.0;
/// Distance of the panel from the edges of the window, in points.
pub(crate) const MARGIN: f32 = 10.0;
/// Distance of the controls from the panel's edge, in points.
const PADDING: i8 = 10;
/// Width of the panel with its edges and margins, in points.
pub(crate) const OUTER_WIDTH: f32 = WIDTH + 2.0 * (PADDING as f32 + 1.0 + MARGIN);

pub(crate) const ACCENT: Color32 = Color32::from_rgb(64, 196, 230);
pub(crate) const TEXT: Color32 = Color32::from_rgb(214, 222, 235);
pub(crate) const BRIGHT: Color32 = Color32::from_rgb(240, 245, 252);
pub(crate) const WEAK: Color32 = Color32::from_rgb(128, 143, 168);
pub(crate) const GOOD: Color32 = Color32::from_rgb(104, 211, 145);
pub(crate) const WARNING: Color32 = Color32::from_rgb(246, 190, 88);
pub(crate) const ERROR: Color32 = Color32::from_rgb(250, 110, 110);
/// Background of graphs, numbers and rails.
pub(crate) const SUNKEN: Color32 = Color32::from_rgb(15, 20, 31);
const RAISED: Color32 = Color32::from_rgb(40, 51, 73);
const HOVERED: Color32 = Color32::from_rgb(54, 70, 100);
const PRESSED: Color32 = Color32::from_rgb(30, 96, 122);

/// Background of the panel.
pub(crate) fn card() -> egui::Frame {
    egui::Frame::new()
        .fill(Color32::from_rgba_unmultiplied(20, 26, 40, 232))
        .stroke(Stroke::new(1.0, Color32::from_rgba_unmultiplied(120, 160, 210, 46)))
        .corner_radius(CornerRadius::same(12))
        .inner_margin(Margin::same(PADDING))
        .shadow(Shadow {
            offset: [0, 6],
            blur: 22,
            spread: 0,
            color: Color32::from_black_alpha(110),
        })
}

/// Background of a group of controls.
pub(crate) fn group() -> egui::Frame {
    egui::Frame::new()
        .fill(Color32::from_rgba_unmultiplied(255, 255, 255, 7))
        .corner_radius(CornerRadius::same(8))
        .inner_margin(Margin::symmetric(8, 6))
}

/// The style of the panel and of its popups. It does not depend on the context's own style.
pub(crate) fn panel_style(context: &egui::Context) -> Arc<Style> {
    let kept = egui::Id::new("fluid panel style");
    let new = || {
        let mut style = Style { visuals: egui::Visuals::dark(), ..Style::default() };
        restyle(&mut style);
        Arc::new(style)
    };
    context.data_mut(|data| data.get_temp_mut_or_insert_with(kept, new).clone())
}

fn restyle(style: &mut Style) {
    let sized = |size| FontId::new(size, FontFamily::Proportional);
    style.text_styles = [
        (TextStyle::Small, sized(10.5)),
        (TextStyle::Body, sized(12.5)),
        (TextStyle::Button, sized(12.5)),
        (TextStyle::Heading, sized(16.0)),
        (TextStyle::Monospace, FontId::new(11.5, FontFamily::Monospace)),
    ]
    .into();
    style.drag_value_text_style = TextStyle::Monospace;
    // Text does not react to the pointer; only controls do.
    style.interaction.selectable_labels = false;
    let spacing = &mut style.spacing;
    spacing.item_spacing = egui::vec2(6.0, 4.0);
    spacing.button_padding = egui::vec2(7.0, 2.0);
    spacing.interact_size = egui::vec2(30.0, 19.0);
    spacing.slider_rail_height = 4.0;
    spacing.indent = 16.0;
    spacing.icon_width = 13.0;
    spacing.icon_width_inner = 7.0;
    spacing.tooltip_width = 300.0;
    spacing.menu_margin = Margin::same(7);
    spacing.window_margin = Margin::same(9);
    spacing.scroll.bar_width = 5.0;
    spacing.scroll.floating = true;
    let visuals = &mut style.visuals;
    visuals.override_text_color = None;
    visuals.weak_text_color = Some(WEAK);
    visuals.panel_fill = Color32::from_rgb(20, 26, 40);
    visuals.window_fill = Color32::from_rgba_unmultiplied(22, 29, 44, 248);
    visuals.window_stroke = Stroke::new(1.0, Color32::from_rgba_unmultiplied(120, 160, 210, 60));
    visuals.window_corner_radius = CornerRadius::same(10);
    visuals.menu_corner_radius = CornerRadius::same(8);
    visuals.extreme_bg_color = SUNKEN;
    visuals.faint_bg_color = Color32::from_rgba_unmultiplied(255, 255, 255, 6);
    visuals.slider_trailing_fill = true;
    visuals.handle_shape = egui::style::HandleShape::Rect { aspect_ratio: 0.45 };
    visuals.indent_has_left_vline = false;
    visuals.selection.bg_fill = PRESSED;
    visuals.selection.stroke = Stroke::new(1.0, BRIGHT);
    visuals.warn_fg_color = WARNING;
    visuals.error_fg_color = ERROR;
    let corner = CornerRadius::same(5);
    let widgets = &mut visuals.widgets;
    for (widget, fill, text) in [
        (&mut widgets.noninteractive, SUNKEN, TEXT),
        (&mut widgets.inactive, RAISED, TEXT),
        (&mut widgets.hovered, HOVERED, BRIGHT),
        (&mut widgets.active, PRESSED, BRIGHT),
        (&mut widgets.open, HOVERED, BRIGHT),
    ] {
        widget.bg_fill = fill;
        widget.weak_bg_fill = fill;
        widget.bg_stroke = Stroke::NONE;
        widget.fg_stroke = Stroke::new(1.0, text);
        widget.corner_radius = corner;
        widget.expansion = 0.0;
    }
    widgets.noninteractive.bg_stroke =
        Stroke::new(1.0, Color32::from_rgba_unmultiplied(120, 160, 210, 36));
    widgets.hovered.bg_stroke =
        Stroke::new(1.0, Color32::from_rgba_unmultiplied(64, 196, 230, 110));
}
