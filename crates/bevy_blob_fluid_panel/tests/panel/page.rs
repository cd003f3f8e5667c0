//! Works every control of a page once, and fails where one does nothing or is not known.

use std::collections::BTreeSet;

use bevy_blob_fluid::blob_fluid::ranges::Settings;
use bevy_egui::egui::accesskit::Role;

use super::cases::{self, Case, Effect};
use super::driver::{Control, Driver};
use crate::app::*;

/// Works every control that is not of another page, those included that come to light on the way.
///
/// Every case must be met, and every control must have one.
pub fn work(driver: &mut Driver, page: &[Case], sections: &[&str]) {
    let of_frame = |name: &str| cases::FRAME.iter().any(|case| case.label == name);
    work_where(driver, page, sections, |control| {
        !of_frame(control.label.trim_start_matches("Reset "))
    });
}

/// Opens these sections, then works every control for which `of_page` holds.
pub fn work_where(
    driver: &mut Driver,
    page: &[Case],
    sections: &[&str],
    of_page: impl Fn(&Control) -> bool,
) {
    for section in sections {
        driver.click_on(section);
    }
    let known: Vec<&Case> = page.iter().collect();
    let known_labels: BTreeSet<&str> = page.iter().map(|case| case.label).collect();
    let mut worked: BTreeSet<(String, String)> = BTreeSet::new();
    for _ in 0..2000 {
        let controls: Vec<Control> =
            driver.controls().into_iter().filter(|control| of_page(control)).collect();
        let key = |control: &Control| (format!("{:?}", control.role), control.label.clone());
        let mut open: Vec<&Control> =
            controls.iter().filter(|control| !worked.contains(&key(control))).collect();
        // Choices may hide others, which come first.
        open.sort_by_key(|control| {
            let case = page.iter().find(|case| case.label == control.label);
            case.is_some_and(|case| matches!(case.effect, Effect::Becomes(..)))
        });
        if open.is_empty() {
            let labels: BTreeSet<&str> = worked.iter().map(|(_, label)| label.as_str()).collect();
            let missed: Vec<_> =
                known_labels.iter().filter(|label| !labels.contains(*label)).collect();
            assert!(missed.is_empty(), "never seen: {missed:?}, worked: {labels:?}");
            return;
        }
        let mut progress = false;
        for control in open {
            assert!(!control.label.is_empty(), "a control without a name: {control:?}");
            if act(driver, control, &known) {
                worked.insert(key(control));
                progress = true;
                break;
            }
        }
        assert!(progress, "controls that do nothing: {controls:#?}");
    }
    panic!("the page has no end: {worked:?}");
}

/// Works a control and checks what it did; `false` if it cannot do anything at the moment.
fn act(driver: &mut Driver, control: &Control, page: &[&Case]) -> bool {
    let find = |label: &str| {
        let case = page.iter().find(|case| case.label == label);
        case.unwrap_or_else(|| panic!("no case for the control {control:?}"))
    };
    let label = control.label.as_str();
    if let Some(name) = label.strip_prefix("Reset ") {
        return reset(driver, control, find(name));
    }
    if !control.enabled {
        return false;
    }
    match &find(label).effect {
        Effect::Section => {
            let before = driver.labels();
            driver.click(control);
            assert!(driver.labels().len() < before.len(), "{label} does not close");
            driver.click_on(label);
            assert_eq!(driver.labels(), before, "{label}");
            true
        }
        Effect::Number(read) => {
            let (least, most) = (control.least.expect("a range"), control.most.expect("a range"));
            // Both controls of a number, each to a value of its own.
            let share = if control.role == Role::Slider { 0.31 } else { 0.62 };
            let (least, most) = (least.max(-400.0), most.min(400.0));
            let wanted = (least + share * (most - least)).round().clamp(least, most);
            let wanted = if most - least < 5.0 { least + share * (most - least) } else { wanted };
            driver.set(control, wanted);
            let found = read(driver.app());
            assert!(
                (found - wanted).abs() < 1e-4 * wanted.abs().max(1.0),
                "{label} ({:?}) was set to {wanted}, and is {found}",
                control.role
            );
            true
        }
        Effect::Becomes(read, text) => {
            if read(driver.app()) == *text {
                return false;
            }
            driver.click(control);
            assert_eq!(read(driver.app()), *text, "{label}");
            true
        }
        Effect::Changes(read) => {
            let before = read(driver.app());
            driver.click(control);
            assert_ne!(read(driver.app()), before, "{label}");
            true
        }
        Effect::Picks(read, option, text) => {
            driver.click(control);
            driver.click_on(option);
            assert_eq!(read(driver.app()), *text, "{label}: {option}");
            // Nobody pressed a mouse button, which would have closed the list.
            driver.press_escape();
            true
        }
        Effect::Does(work) => {
            work(driver, control);
            true
        }
    }
}

/// A number goes back to what it was to begin with, and the way back vanishes.
fn reset(driver: &mut Driver, control: &Control, case: &Case) -> bool {
    let Effect::Number(read) = case.effect else {
        panic!("{} is no number, and is reset", case.label);
    };
    let before = read(driver.app());
    driver.click(control);
    assert_ne!(read(driver.app()), before, "{}", control.label);
    assert!(!driver.has_control(&control.label), "{} stays", control.label);
    true
}

/// Sets every number that is seen, and tells which settings that changes, by their paths.
pub fn settable<T: Settings>(
    driver: &mut Driver,
    read: impl Fn(&App) -> T,
) -> BTreeSet<&'static str> {
    let values = |driver: &Driver| {
        let mut values = Vec::new();
        read(driver.app()).visit(&mut |row, value| values.push((row.path, value)));
        values
    };
    let numbers = driver.controls().into_iter();
    let numbers: Vec<_> = numbers.filter(|control| control.role == Role::SpinButton).collect();
    let mut found = BTreeSet::new();
    for control in numbers {
        let before = values(driver);
        let (least, most) = (control.least.expect("a range"), control.most.expect("a range"));
        driver.set(&control, (least + 0.4 * (most.min(1000.0) - least)).clamp(-400.0, 400.0));
        let now = values(driver).into_iter().zip(before);
        found.extend(now.filter(|(now, before)| now != before).map(|((path, _), _)| path));
    }
    found
}

/// The paths of all declared settings but these.
pub fn declared<T: Settings>(but: &[&str]) -> BTreeSet<&'static str> {
    T::ROWS.iter().map(|row| row.path).filter(|path| !but.contains(path)).collect()
}

/// Picks another opacity, the last number of the picker, and looks whether what is read has changed.
pub fn pick_colour<T: PartialEq + std::fmt::Debug>(
    driver: &mut Driver,
    control: &Control,
    read: impl Fn(&App) -> T,
) {
    pick_part(driver, control, 0, read);
}

/// The same for the blue of a colour without opacity.
pub fn pick_opaque_colour<T: PartialEq + std::fmt::Debug>(
    driver: &mut Driver,
    control: &Control,
    read: impl Fn(&App) -> T,
) {
    pick_part(driver, control, 1, read);
}

fn pick_part<T: PartialEq + std::fmt::Debug>(
    driver: &mut Driver,
    control: &Control,
    from_end: usize,
    read: impl Fn(&App) -> T,
) {
    let before = read(driver.app());
    driver.click(control);
    let picker = driver.controls();
    let part = picker.iter().rev().filter(|control| control.role == Role::SpinButton).nth(from_end);
    driver.set(&part.expect("a picker").clone(), 9.0);
    assert_ne!(read(driver.app()), before);
    driver.press_escape();
}
