//! Every control there is, and what it must do.

use bevy_blob_fluid::FluidRecording;
use bevy_blob_fluid_panel::{FluidPanel, FluidPanelScenes, FluidTool, FluidTools};

use super::driver::{Control, Driver};
use crate::app::*;

/// A control by its name.
#[derive(Clone)]
pub struct Case {
    pub label: &'static str,
    pub effect: Effect,
}

/// What working a control does.
#[derive(Clone)]
pub enum Effect {
    /// Opens and closes a section.
    Section,
    /// Sets a number, which is read so.
    Number(fn(&App) -> f64),
    /// Makes something this, which it was not.
    Becomes(fn(&App) -> String, &'static str),
    /// Changes something.
    Changes(fn(&App) -> String),
    /// Lets this be picked, which makes something that.
    Picks(fn(&App) -> String, &'static str, &'static str),
    /// Anything else.
    Does(fn(&mut Driver, &Control)),
}

pub const fn number(label: &'static str, read: fn(&App) -> f64) -> Case {
    Case { label, effect: Effect::Number(read) }
}

pub const fn becomes(label: &'static str, read: fn(&App) -> String, text: &'static str) -> Case {
    Case { label, effect: Effect::Becomes(read, text) }
}

pub const fn changes(label: &'static str, read: fn(&App) -> String) -> Case {
    Case { label, effect: Effect::Changes(read) }
}

pub const fn picks(
    label: &'static str,
    read: fn(&App) -> String,
    option: &'static str,
    text: &'static str,
) -> Case {
    Case { label, effect: Effect::Picks(read, option, text) }
}

pub const fn does(label: &'static str, work: fn(&mut Driver, &Control)) -> Case {
    Case { label, effect: Effect::Does(work) }
}

pub const fn section(label: &'static str) -> Case {
    Case { label, effect: Effect::Section }
}

fn tool(app: &App) -> String {
    format!("{:?}", app.resource::<FluidTools>().tool)
}

fn poured(app: &App) -> String {
    let tools = app.resource::<FluidTools>();
    assert_eq!(tools.tool, FluidTool::Pour);
    app.resource::<FluidClasses>()[tools.class].name.clone()
}

fn tab(app: &App) -> String {
    format!("{:?}", app.resource::<FluidPanel>().tab)
}

fn ticks_to_come(driver: &mut Driver, control: &Control) {
    let ticks = |driver: &Driver| driver.app().fluid().ticks();
    driver.click(control);
    assert!(driver.app().resource::<Time<Fluid>>().is_paused());
    let before = ticks(driver);
    driver.app_mut().updates(2);
    assert_eq!(ticks(driver), before + 1);
}

/// A step back is what the liquid was a tick before, to the bit; and the same tick comes again.
fn goes_back(driver: &mut Driver, control: &Control) {
    let now = |driver: &Driver| {
        let fluid = driver.app().fluid();
        (fluid.ticks(), fluid.deep_hash().all())
    };
    let step = |driver: &mut Driver| {
        driver.click_on("Step");
        driver.app_mut().updates(2);
    };
    step(driver);
    let before = now(driver);
    step(driver);
    let after = now(driver);
    assert_ne!(before, after);
    driver.click(control);
    driver.app_mut().update();
    assert_eq!(now(driver), before);
    assert!(driver.app().resource::<Time<Fluid>>().is_paused());
    step(driver);
    assert_eq!(now(driver), after);
}

fn records(driver: &mut Driver, control: &Control) {
    driver.click(control);
    assert!(driver.app().resource::<FluidRecording>().is_running());
    driver.click_on("Step");
    driver.app_mut().updates(2);
    driver.settle();
}

fn stops(driver: &mut Driver, control: &Control) {
    driver.click(control);
    assert!(!driver.app().resource::<FluidRecording>().is_running());
}

/// What is saved is a recording.
fn saves(driver: &mut Driver, control: &Control) {
    let file = std::path::Path::new("fluid.recording");
    driver.click(control);
    let bytes = std::fs::read(file).expect("a file");
    std::fs::remove_file(file).expect("it was there");
    assert_eq!(bytes, driver.app().resource::<FluidRecording>().to_bytes().expect("recorded"));
}

fn restart(driver: &mut Driver, control: &Control) {
    use bevy_blob_fluid_panel::FluidRestartRequested;
    let asked = |driver: &Driver| driver.app().resource::<Messages<FluidRestartRequested>>().len();
    let before = asked(driver);
    driver.click(control);
    assert_eq!(asked(driver), before + 1);
}

fn pick_scene(driver: &mut Driver, control: &Control) {
    use bevy_blob_fluid_panel::FluidScenePicked;
    driver.click(control);
    driver.click_on("Waterfall");
    let picked = driver.app().resource::<Messages<FluidScenePicked>>();
    let picked: Vec<_> = picked.get_cursor().read(picked).copied().collect();
    assert_eq!(picked, [FluidScenePicked(1)]);
    assert_eq!(driver.app().resource::<FluidPanelScenes>().current, Some(1));
}

fn hide(driver: &mut Driver, control: &Control) {
    driver.click(control);
    assert!(!driver.app().resource::<FluidPanel>().open);
    assert_eq!(driver.labels(), ["Show panel (F1)"]);
    driver.click_on("Show panel (F1)");
    assert!(driver.app().resource::<FluidPanel>().open);
    assert!(driver.has_control("Hide panel (F1)"));
}

/// What is on every page.
pub const FRAME: &[Case] = &[
    does("Hide panel (F1)", hide),
    changes("Pause", |app| format!("{}", app.resource::<Time<Fluid>>().is_paused())),
    changes("Play", |app| format!("{}", app.resource::<Time<Fluid>>().is_paused())),
    does("Step back", goes_back),
    does("Step", ticks_to_come),
    does("Record", records),
    does("Stop recording", stops),
    does("Save recording", saves),
    does("Restart", restart),
    does("Scene", pick_scene),
    number("Speed", |app| app.resource::<Time<Fluid>>().relative_speed()),
    section("Tools"),
    becomes("None", tool, "None"),
    becomes("Pour", tool, "Pour"),
    becomes("Erase", tool, "Erase"),
    becomes("Paint", tool, "Paint"),
    becomes("Push", tool, "Push"),
    becomes("Pull", tool, "Pull"),
    becomes("Stir", tool, "Stir"),
    becomes("Grab", tool, "Grab"),
    becomes("Pour heavy", poured_or_not, "heavy"),
    becomes("Pour medium", poured_or_not, "medium"),
    becomes("Pour light", poured_or_not, "light"),
    number("Brush", |app| f64::from(app.resource::<FluidTools>().radius)),
    number("Strength", |app| f64::from(app.resource::<FluidTools>().strength)),
    becomes("Liquid", tab, "Liquid"),
    becomes("Classes", tab, "Classes"),
    becomes("Pairs", tab, "Pairs"),
    becomes("Look", tab, "Look"),
    becomes("Graphs", tab, "Graphs"),
    becomes("Doctor", tab, "Doctor"),
    becomes("Air", tab, "Air"),
];

/// The class that is poured; nothing while another tool is held.
fn poured_or_not(app: &App) -> String {
    match app.resource::<FluidTools>().tool {
        FluidTool::Pour => poured(app),
        _ => String::new(),
    }
}
