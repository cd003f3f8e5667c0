//! The "Doctor" tab and its state.

use std::collections::VecDeque;

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::doctor::{Finding, History, Severity, examine};
use bevy_egui::egui;
use egui::{Color32, RichText, Ui};

use crate::state::FluidPanel;
use crate::style;
use bevy_blob_fluid::{Fluid, FluidSimulation, FluidStatistics};

/// Seconds between two examinations.
const INTERVAL: f32 = 0.5;
/// Number of examinations over which events are counted.
const LATELY: usize = 6;

/// The findings, and the earlier counts that show recent events.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct FluidCheckup {
    pub findings: Vec<Finding>,
    counts: VecDeque<FluidStatistics>,
    next: f32,
}

/// Examines the liquid, while the panel is open.
pub(crate) fn examine_fluid(
    panel: Res<FluidPanel>,
    fluid: Res<FluidSimulation>,
    statistics: Res<FluidStatistics>,
    clock: Res<Time<Fluid>>,
    fixed: Res<Time<Fixed>>,
    time: Option<Res<Time<Real>>>,
    mut checkup: ResMut<FluidCheckup>,
) {
    let now = time.map_or(0.0, |time| time.elapsed_secs());
    if !panel.open || now < checkup.next {
        return;
    }
    checkup.next = now + INTERVAL;
    checkup.counts.push_back(*statistics);
    if checkup.counts.len() > LATELY {
        checkup.counts.pop_front();
    }
    let before = checkup.counts.front().copied().unwrap_or_default();
    let history = History {
        time_step: clock.context().tick_length(&fixed).as_secs_f32(),
        ticks_dropped: statistics.ticks_dropped.saturating_sub(before.ticks_dropped),
        given_up: statistics.given_up,
        quarantined: statistics.quarantined.saturating_sub(before.quarantined),
        out_of_bounds: statistics.out_of_bounds.saturating_sub(before.out_of_bounds),
        recycled: statistics.recycled.saturating_sub(before.recycled),
    };
    checkup.findings = examine(&fluid, &history);
}

/// Shows the findings.
pub(crate) fn show(ui: &mut Ui, findings: &[Finding]) {
    if findings.is_empty() {
        ui.add_space(10.0);
        ui.vertical_centered(|ui| {
            ui.label(RichText::new("✔").size(30.0).color(style::GOOD));
            ui.label(RichText::new("Nothing is off.").color(style::BRIGHT));
            let text = "The doctor looks twice a second, and names the setting to blame.";
            ui.label(RichText::new(text).small().color(style::WEAK));
        });
        return;
    }
    for finding in findings {
        let colour = severity_colour(finding.severity);
        let frame = style::group().stroke(egui::Stroke::new(1.0, colour.gamma_multiply(0.4)));
        let drawn = frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                ui.label(RichText::new(severity_name(finding.severity)).small().color(colour));
                let right = egui::Layout::right_to_left(egui::Align::Center);
                ui.with_layout(right, |ui| {
                    let parameter = RichText::new(finding.parameter).monospace();
                    ui.label(parameter.size(10.5).color(style::ACCENT));
                });
            });
            ui.label(RichText::new(&finding.message).color(style::BRIGHT));
            ui.label(RichText::new(&finding.suggestion).color(style::TEXT));
        });
        let rect = drawn.response.rect;
        let stripe = egui::Rect::from_min_max(rect.min, egui::pos2(rect.min.x + 3.0, rect.max.y));
        ui.painter().rect_filled(stripe, 3, colour);
    }
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "NOTE",
        Severity::Warning => "WARNING",
        Severity::Error => "ERROR",
    }
}

pub(crate) fn severity_colour(severity: Severity) -> Color32 {
    match severity {
        Severity::Note => style::ACCENT,
        Severity::Warning => style::WARNING,
        Severity::Error => style::ERROR,
    }
}
