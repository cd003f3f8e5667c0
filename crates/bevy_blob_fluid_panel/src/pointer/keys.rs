//! Keys and the wheel.

use bevy::input::mouse::{AccumulatedMouseScroll, MouseScrollUnit};
use bevy::prelude::*;
use bevy_blob_fluid::FluidClasses;
use bevy_blob_fluid::blob_fluid::ClassId;
use bevy_egui::input::EguiWantsInput;

use crate::pointer::position::FluidPointer;
use crate::state::FluidPanel;
use crate::tools::{FluidTool, FluidTools};

/// F1 opens the panel; while it is open, the wheel changes the brush and keys choose classes.
///
/// If no tool is chosen, the panel uses F1 only.
pub(crate) fn read_keys(
    keys: Option<Res<ButtonInput<KeyCode>>>,
    wheel: Option<Res<AccumulatedMouseScroll>>,
    wants: Option<Res<EguiWantsInput>>,
    classes: Res<FluidClasses>,
    pointer: Res<FluidPointer>,
    mut tools: ResMut<FluidTools>,
    mut panel: ResMut<FluidPanel>,
) {
    let typing = wants.is_some_and(|wants| wants.wants_any_keyboard_input());
    if let Some(keys) = keys.filter(|_| !typing) {
        if keys.just_pressed(KeyCode::F1) {
            panel.open = !panel.open;
        }
        let pressed = DIGITS.into_iter().position(|digit| keys.just_pressed(digit));
        let held = panel.open && tools.tool != FluidTool::None;
        if let Some(index) = pressed.filter(|index| held && *index < classes.len()) {
            tools.class = ClassId(index as u8);
            tools.tool = FluidTool::Pour;
        }
    }
    // Over the panel the wheel scrolls its page.
    let turned = wheel.map_or(0.0, |wheel| match wheel.unit {
        MouseScrollUnit::Line => wheel.delta.y,
        MouseScrollUnit::Pixel => wheel.delta.y / MouseScrollUnit::SCROLL_UNIT_CONVERSION_FACTOR,
    });
    let held = panel.open && tools.tool != FluidTool::None;
    if turned != 0.0 && pointer.position.is_some() && held {
        let (least, most) = FluidTools::RADII;
        let factor = 1.0 + 0.1 * turned.clamp(-3.0, 3.0);
        // Rounded to tenths, for display.
        let radius = (10.0 * tools.radius * factor).round() / 10.0;
        tools.radius = radius.clamp(least, most);
    }
}

const DIGITS: [KeyCode; 9] = [
    KeyCode::Digit1,
    KeyCode::Digit2,
    KeyCode::Digit3,
    KeyCode::Digit4,
    KeyCode::Digit5,
    KeyCode::Digit6,
    KeyCode::Digit7,
    KeyCode::Digit8,
    KeyCode::Digit9,
];
