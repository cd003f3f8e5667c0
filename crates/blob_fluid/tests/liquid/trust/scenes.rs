//! Scenes and materials that are read from files of others.

use std::fs;
use std::path::PathBuf;

use blob_fluid::SerialExecutor;
use blob_fluid::material::{Material, MaterialError};
use blob_fluid::scene::{Scene, SceneError};

/// A folder with a scene of these materials, and with files of materials.
fn folder(name: &str, materials: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("blob_fluid_trust_{name}_{}", std::process::id()));
    fs::create_dir_all(folder.join("scenes")).expect("writable");
    fs::create_dir_all(folder.join("materials")).expect("writable");
    let scene = folder.join("scenes/scene.scene.ron");
    fs::write(&scene, format!("(materials: [{materials}])")).expect("writable");
    for (name, text) in files {
        fs::write(folder.join("materials").join(name), text).expect("writable");
    }
    scene
}

fn read(name: &str, materials: &str, files: &[(&str, &str)]) -> Result<Scene, SceneError> {
    let scene = folder(name, materials, files);
    let read = Scene::read(&scene);
    let folder = scene.ancestors().nth(2).expect("it has one");
    fs::remove_dir_all(folder).expect("it is there");
    read
}

/// Each such file would have been read for ever, because the class that it names never comes.
#[test]
fn a_material_has_the_name_of_its_file() {
    let other = "(class: (name: \"b\", thermal: (above: (temperature: 9, becomes: \"a\"))))";
    let error = read("other", "\"a\"", &[("a.fluid.ron", other)]).expect_err("refused");
    let SceneError::Material(MaterialError::OtherName { path, class }) = &error else {
        panic!("{error}");
    };
    assert!(path.ends_with("a.fluid.ron") && class == "b");
    // Two that turn into each other are each read once.
    let turns = |name: &str, into: &str| {
        format!(
            "(class: (name: \"{name}\", thermal: (above: (temperature: 9, becomes: \"{into}\"))))"
        )
    };
    let files = [("a.fluid.ron", &*turns("a", "b")), ("b.fluid.ron", &*turns("b", "a"))];
    let scene = read("circle", "\"a\"", &files).expect("valid");
    assert_eq!(scene.material_contents.len(), 2);
}

#[test]
fn no_name_of_a_material_leaves_its_folder() {
    for name in ["../secret", "/etc/passwd", "a/b", "..", ".hidden", "c:a", "", "a\\\\b"] {
        let error = read("leave", &format!("\"{name}\""), &[]).expect_err("refused");
        let named = matches!(&error, SceneError::Material(MaterialError::Name(_)));
        assert!(named, "{name}: {error}");
    }
    let becomes = "(class: (name: \"a\", thermal: (above: (temperature: 9, becomes: \"../b\"))))";
    let error = read("becomes", "\"a\"", &[("a.fluid.ron", becomes)]).expect_err("refused");
    assert!(matches!(error, SceneError::Material(MaterialError::Name(_))), "{error}");
}

#[test]
fn a_byte_order_mark_is_no_fault() {
    assert_eq!(Scene::from_ron("\u{feff}(duration: 3)").expect("valid").duration, 3.0);
    let material = Material::from_ron("\u{feff}(class: (name: \"x\"))").expect("valid");
    assert_eq!(material.class.name, "x");
    let error =
        Material::from_ron("\u{feff}(class: (name: \"x\", mass: inf))").expect_err("refused");
    assert!(error.to_string().starts_with("1:21"), "{error}");
}

#[test]
fn scenes_that_would_take_any_memory_or_time_are_refused() {
    let air = "(bounds: (low: (0, 0), high: (2047, 2047)), cell_size: 1)";
    let cases = [
        (format!("(airs: [{}])", [air; 5].join(", ")), "airs"),
        ("(settling: (duration: 1000000, drag: 1))".to_owned(), "duration"),
        ("(settling: (duration: NaN, drag: 1))".to_owned(), "duration"),
        ("(settling: (duration: -1, drag: 1))".to_owned(), "duration"),
        ("(settling: (duration: 1, drag: -1))".to_owned(), "drag"),
        ("(settling: (duration: 1, drag: 1e9))".to_owned(), "drag"),
        ("(blocks: [(fill: Spiral(radius: -5, count: 3))])".to_owned(), "radius"),
        ("(blocks: [(fill: Spiral(radius: NaN, count: 3))])".to_owned(), "radius"),
    ];
    for (text, field) in cases {
        let scene = Scene::from_ron(&text).expect("readable");
        let error = scene.start(&SerialExecutor).expect_err("refused").to_string();
        assert!(error.contains(field), "{text}: {error}");
    }
}
