//! `docs/scenes.md` describes all fields of scene files.

use blob_fluid::measure::{measure, measure_airs};
use blob_fluid::scene::Scene;
use serde_json::Value;

const DOCUMENT: &str = include_str!("../../../../docs/scenes.md");
/// The tables of the settings, sides and sources of air.
const AIR: &str = include_str!("../../../../docs/air.md");

fn example() -> Scene {
    let block = DOCUMENT.split("```ron\n").nth(1).and_then(|rest| rest.split("```").next());
    Scene::from_ron(block.expect("a block of RON")).expect("the documented scene is valid")
}

/// Names of all fields in a value, at any depth.
fn field_names(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                names.push(name.clone());
                field_names(value, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| field_names(item, names)),
        _ => {}
    }
}

#[test]
fn the_documented_scene_can_be_built() {
    let world = example().build().expect("valid");
    assert!(world.particles().len() > 300);
}

fn mentions(document: &str, name: &str) -> bool {
    let (alone, nested) = (format!("`{name}`"), format!(".{name}`"));
    let inside = format!("{name}:");
    [alone, nested, inside, format!("`{name}(")].iter().any(|n| document.contains(n))
}

#[test]
fn every_field_of_scenes_and_reports_is_documented() {
    let mut names = Vec::new();
    let mut scene = serde_json::to_value(example()).expect("JSON");
    let airs = scene["airs"].take();
    field_names(&scene, &mut names);
    let world = example().build().expect("valid");
    field_names(&serde_json::to_value(measure(&world)).expect("JSON"), &mut names);
    field_names(&serde_json::to_value(measure_airs(&world)).expect("JSON"), &mut names);
    assert!(names.len() > 60);
    for name in names {
        assert!(mentions(DOCUMENT, &name), "docs/scenes.md does not mention `{name}`");
    }
    let mut names = Vec::new();
    field_names(&airs, &mut names);
    assert!(names.len() > 40, "{names:?}");
    for name in names {
        assert!(
            mentions(DOCUMENT, &name) || mentions(AIR, &name),
            "neither docs/scenes.md nor docs/air.md mentions `{name}`"
        );
    }
}
