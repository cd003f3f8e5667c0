//! What is on every page, and what holds for all of them.

use bevy_blob_fluid::FluidRecorderPlugin;
use bevy_blob_fluid::render::{FluidAirLook, FluidSurface};
use bevy_blob_fluid_panel::{
    FluidPanel, FluidPanelCorner, FluidPanelPlugin, FluidPanelScenes, FluidPanelTab,
};
use bevy_egui::egui;

use super::cases::FRAME;
use super::driver::{self, Driver};
use super::page::work_where;
use crate::app::*;

const TABS: [FluidPanelTab; 7] = [
    FluidPanelTab::Liquid,
    FluidPanelTab::Classes,
    FluidPanelTab::Pairs,
    FluidPanelTab::Look,
    FluidPanelTab::Graphs,
    FluidPanelTab::Doctor,
    FluidPanelTab::Air,
];

#[test]
fn every_control_of_the_frame_works() {
    let mut app = driver::app_with(FluidRecorderPlugin::of_last(1.0));
    app.insert_resource(FluidPanelScenes {
        names: vec!["Pond".into(), "Waterfall".into()],
        current: Some(0),
    });
    app.spawn(FluidAir::new(50.0, 50.0));
    // It has begun to record, and there are moments to go back to.
    app.updates(3);
    let mut driver = Driver::new(app, FluidPanelTab::Doctor);
    // Working the tabs brings other pages' controls to light.
    work_where(&mut driver, FRAME, &[], |control| {
        let name = control.label.trim_start_matches("Reset ");
        FRAME.iter().any(|case| case.label == name)
    });
}

#[test]
fn without_scenes_there_is_no_picker() {
    let driver = Driver::new(driver::app(), FluidPanelTab::Doctor);
    assert!(!driver.has_control("Scene"));
}

#[test]
fn every_page_fits_its_width_and_reaches_no_further_than_the_window() {
    for (width, height) in [(1280.0, 720.0), (1920.0, 1080.0)] {
        for tab in TABS {
            let mut app = driver::app();
            app.spawn(FluidSurface::default());
            app.spawn((FluidAir::new(50.0, 50.0), FluidAirLook::default()));
            let driver = Driver::sized(app, tab, width, height);
            for control in driver.controls() {
                let rect = driver.rect(&control);
                assert!(
                    rect.left() >= 10.0 && rect.right() <= 357.0,
                    "{tab:?} at {width}: {} is at {rect:?}",
                    control.label
                );
            }
            // The frame is seen without scrolling.
            for case in FRAME.iter().filter(|case| driver.has_control(case.label)) {
                let rect = driver.rect(&driver.control(case.label));
                assert!(rect.bottom() < height, "{}", case.label);
            }
        }
    }
}

#[test]
fn open_and_closed_it_stays_in_its_corner_and_can_be_hidden() {
    let (width, height) = (1280.0, 720.0);
    for (corner, right, bottom) in [
        (FluidPanelCorner::TopLeft, false, false),
        (FluidPanelCorner::TopRight, true, false),
        (FluidPanelCorner::BottomLeft, false, true),
        (FluidPanelCorner::BottomRight, true, true),
    ] {
        let mut app = driver::app();
        app.resource_mut::<FluidPanel>().corner = corner;
        let mut driver = Driver::sized(app, FluidPanelTab::Doctor, width, height);
        // A margin of 10, to a whole point.
        let is_in_it = |rect: egui::Rect| {
            let x = if right { width - rect.right() } else { rect.left() };
            let y = if bottom { height - rect.bottom() } else { rect.top() };
            (x - 10.0).abs() <= 1.0 && (y - 10.0).abs() <= 1.0
        };
        let hide = driver.rect(&driver.control("Hide panel (F1)"));
        let from_the_edge = if right { width - hide.right() } else { hide.left() };
        assert!((10.0..357.0).contains(&from_the_edge), "{corner:?}: {hide:?}");
        assert!(hide.top() >= 10.0 && hide.bottom() < height, "{corner:?}: {hide:?}");
        driver.click_on("Hide panel (F1)");
        let button = driver.rect(&driver.control("Show panel (F1)"));
        assert!(is_in_it(button), "{corner:?}: {button:?}");
        assert_eq!(driver.labels().len(), 1);
        driver.app_mut().resource_mut::<FluidPanel>().button = false;
        driver.settle();
        assert!(driver.labels().is_empty());
        driver.app_mut().resource_mut::<FluidPanel>().open = true;
        driver.settle();
        assert_eq!(driver.rect(&driver.control("Hide panel (F1)")), hide);
    }
}

#[test]
fn on_a_phone_the_lower_half_is_the_liquid_s() {
    for tab in TABS {
        let driver = Driver::sized(driver::app(), tab, 378.0, 700.0);
        for control in driver.controls() {
            let rect = driver.rect(&control);
            assert!(rect.right() <= 368.0, "{tab:?}: {} is at {rect:?}", control.label);
        }
        for case in FRAME.iter().filter(|case| driver.has_control(case.label)) {
            let rect = driver.rect(&driver.control(case.label));
            assert!(rect.bottom() < 350.0, "{tab:?}: {} is at {rect:?}", case.label);
        }
    }
}

#[test]
fn the_keyboard_reaches_and_works_every_control() {
    let mut driver = Driver::new(driver::app(), FluidPanelTab::Liquid);
    let mut reached = Vec::new();
    for _ in 0..200 {
        driver.press(egui::Key::Tab);
        reached.extend(driver.focused());
    }
    let missed: Vec<_> = driver
        .controls()
        .into_iter()
        .filter(|control| control.enabled && !reached.contains(&control.target))
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
    // The key of buttons.
    let classes = driver.control("Classes");
    for _ in 0..200 {
        if driver.focused() == Some(classes.target) {
            break;
        }
        driver.press(egui::Key::Tab);
    }
    driver.press(egui::Key::Space);
    assert_eq!(driver.app().resource::<FluidPanel>().tab, FluidPanelTab::Classes);
}

#[test]
fn names_are_unique_within_a_page() {
    for tab in TABS {
        let driver = Driver::new(driver::app(), tab);
        let controls = driver.controls();
        for (index, control) in controls.iter().enumerate() {
            let again = controls[..index]
                .iter()
                .find(|other| other.label == control.label && other.role == control.role);
            assert!(again.is_none(), "{tab:?}: {control:?} and {again:?}");
        }
    }
}

#[test]
fn the_doctor_says_what_is_off_and_that_nothing_is() {
    let mut app = driver::app();
    app.spawn((FluidBlob::from(Circle::new(20.0)), FluidClass::LIGHT, xy(0.0, 80.0)));
    app.updates(2);
    let mut driver = Driver::new(app, FluidPanelTab::Doctor);
    driver.settle();
    assert!(driver.says("Nothing is off."));
    driver.app_mut().resource_mut::<FluidClasses>().classes[0].mass = 20.0;
    // The doctor looks twice a second.
    driver.app_mut().updates(40);
    driver.settle();
    assert!(driver.says("class.mass") && driver.says("times the mass"), "{:?}", driver.labels());
}

#[test]
fn graphs_are_measured_while_they_are_seen_and_cleared() {
    let mut driver = Driver::new(driver::app(), FluidPanelTab::Graphs);
    driver.app_mut().updates(4);
    driver.settle();
    assert!(driver.says("Layer order") && driver.says("Kinetic energy"));
    assert!(driver.says("Relax density"), "the dearest pass");
    let particles = driver.app().particles();
    assert!(driver.says(&format!("heavy {particles}")));
    driver.click_on("Clear graphs");
    assert!(!driver.says(&format!("heavy {particles}")));
}

#[test]
fn the_panel_does_nothing_where_there_is_nothing_to_show() {
    // Without the fluid's plugins, and without its own.
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, FluidPanelPlugin::default())).start();
    app.update();
    let driver = Driver::new(app, FluidPanelTab::Liquid);
    assert!(driver.controls().is_empty());
    let mut app = driver::app();
    app.world_mut().remove_resource::<FluidPanel>();
    let driver = Driver::without_panel(app);
    assert!(driver.controls().is_empty());
}

#[test]
fn what_else_is_drawn_with_egui_keeps_its_style_and_the_panel_has_its_own() {
    let looks = |theme: egui::Theme| {
        let context = egui::Context::default();
        context.set_theme(theme);
        context.all_styles_mut(|style| style.spacing.item_spacing.x = 33.0);
        let mut app = driver::app();
        let mut colours = Vec::new();
        for _ in 0..2 {
            let mut drawn = context.run_ui(egui::RawInput::default(), |ui| {
                let before = ui.ctx().global_style();
                bevy_blob_fluid_panel::show(ui.ctx(), app.world_mut());
                assert_eq!(*ui.ctx().global_style(), *before);
            });
            let fills = drawn.shapes.iter().filter_map(|shape| match &shape.shape {
                egui::Shape::Rect(rect) => Some(rect.fill),
                _ => None,
            });
            colours = fills.collect();
            drawn.textures_delta.clear();
        }
        assert!(colours.len() > 5, "{colours:?}");
        colours
    };
    assert_eq!(looks(egui::Theme::Dark), looks(egui::Theme::Light));
}
