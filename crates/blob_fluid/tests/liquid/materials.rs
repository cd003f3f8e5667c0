//! The bundled materials, and the errors for invalid ones.

use std::fs;
use std::path::{Path, PathBuf};

use blob_fluid::material::{Material, MaterialError, read_materials, table_with};
use blob_fluid::measure::measure;
use blob_fluid::scene::Scene;
use blob_fluid::{ClassError, FluidWorld, SerialExecutor};

const DOCUMENT: &str = include_str!("../../../../docs/materials.md");

fn folder() -> PathBuf {
    "../../assets/materials".into()
}

fn bundled() -> Vec<Material> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder()).expect("a folder").map(|e| e.expect("readable").path()).collect();
    files.sort();
    files
        .iter()
        .map(|file| Material::read(file).unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

#[test]
fn bundled_materials_are_named_as_their_files_and_go_together() {
    let all = bundled();
    for name in ["water", "oil", "honey", "lava", "slime", "jelly", "mud", "mercury", "smoke"] {
        assert!(all.iter().any(|material| material.class.name == name), "{name} is missing");
    }
    for material in &all {
        let name = &material.class.name;
        assert!(folder().join(format!("{name}.fluid.ron")).is_file(), "{name}");
        assert!(!material.description.is_empty(), "{name} says nothing of itself");
        assert!(material.look.is_some(), "{name} has no look");
        // Each material is tested alone, with all materials into which it changes.
        let alone = read_materials(&folder(), std::slice::from_ref(name));
        let alone = alone.unwrap_or_else(|error| panic!("{error}"));
        table_with(vec![], vec![], &alone).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let table = table_with(vec![], vec![], &all).unwrap_or_else(|error| panic!("{error}"));
    assert!(table.mass_ratio() <= 5.001, "{} separates violently", table.mass_ratio());
}

#[test]
fn what_a_material_turns_into_comes_along() {
    let names = |wanted: &[&str]| -> Vec<String> {
        let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
        let read = read_materials(&folder(), &wanted).unwrap_or_else(|error| panic!("{error}"));
        read.into_iter().map(|material| material.class.name).collect()
    };
    assert_eq!(names(&["honey"]), ["honey"]);
    assert_eq!(names(&["water"]), ["water", "steam"]);
    assert_eq!(names(&["lava"]), ["lava", "stone"]);
    assert_eq!(names(&["sand"]), ["sand"]);
    assert_eq!(names(&["sand", "lava"]), ["sand", "lava", "stone", "glass"]);
    assert_eq!(names(&["wood"]), ["wood", "ash"]);
    // Smoke appears only where oil meets lava.
    assert_eq!(names(&["oil"]), ["oil"]);
    assert_eq!(names(&["oil", "lava"]), ["oil", "lava", "stone", "smoke"]);
}

#[test]
fn the_documented_materials_are_the_bundled_ones() {
    for material in bundled() {
        let name = &material.class.name;
        let row = format!("| `{name}` | {} |", material.description);
        assert!(DOCUMENT.contains(&row), "docs/materials.md lacks the row\n{row}");
    }
    for example in examples() {
        Material::from_ron(example).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// The files in the document.
fn examples() -> impl Iterator<Item = &'static str> {
    DOCUMENT.split("```ron").skip(1).filter_map(|text| text.split("```").next())
}

#[test]
fn every_field_of_materials_is_documented() {
    let longest = examples().max_by_key(|example| example.len()).expect("an example");
    let example = Material::from_ron(longest).expect("valid");
    let mut names = Vec::new();
    field_names(&serde_json::to_value(example).expect("JSON"), &mut names);
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        let found =
            DOCUMENT.contains(&format!("`{name}`")) || DOCUMENT.contains(&format!(".{name}`"));
        assert!(found, "docs/materials.md does not mention `{name}`");
    }
}

fn field_names(value: &serde_json::Value, names: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                names.push(name.clone());
                field_names(value, names);
            }
        }
        serde_json::Value::Array(items) => {
            items.iter().for_each(|item| field_names(item, names));
        }
        _ => {}
    }
}

// Row 26 of docs/reliability.md.
#[test]
fn a_file_cut_short_anywhere_says_where() {
    let path = folder().join("lava.fluid.ron");
    let text = fs::read_to_string(&path).expect("readable");
    let end = text.trim_end().len();
    for length in 0..end {
        let Err(error) = Material::from_ron(&text[..length]) else {
            panic!("{length} of {end} bytes are a material");
        };
        let message = error.to_string();
        let point = message.split(':').next().and_then(|line| line.parse::<usize>().ok());
        assert!(point.is_some_and(|line| line <= text.lines().count()), "{message}");
    }
}

#[test]
fn every_bad_value_of_a_bundled_material_is_refused_or_works() {
    let text = fs::read_to_string(folder().join("lava.fluid.ron")).expect("readable");
    let mut refused = 0;
    // Each value in the file is replaced by another text.
    for (start, _) in text.match_indices(": ").map(|(at, _)| (at + 2, ())) {
        let rest = &text[start..];
        let length = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
        let Some(length) = length.filter(|length| *length > 0) else { continue };
        for bad in ["-1e9", "inf", "NaN", "-inf", "\"x\"", "1e39", "()"] {
            let spoilt = format!("{}{bad}{}", &text[..start], &text[start + length..]);
            let error = Material::from_ron(&spoilt).expect_err(&spoilt);
            let message = error.to_string();
            let line = text[..start].matches('\n').count() + 1;
            assert!(message.starts_with(&format!("{line}:")), "{message}, expected line {line}");
            refused += 1;
        }
    }
    assert!(refused > 60, "{refused}");
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let missing = read_materials(&folder(), &["treacle".into()]).expect_err("missing");
    assert!(matches!(missing, MaterialError::File { .. }));
    assert!(missing.to_string().contains("treacle.fluid.ron"), "{missing}");
    let picture = Path::new("../../docs/images/jelly.png");
    let error = Material::read(picture).expect_err("a picture").to_string();
    assert!(error.contains("jelly.png:1:1: not a text"), "{error}");
}

#[test]
fn three_hundred_materials_are_too_many() {
    let material = |index: usize| {
        let text = format!("(class: (name: \"{index}\"))");
        Material::from_ron(&text).expect("valid")
    };
    let materials: Vec<Material> = (0..300).map(material).collect();
    assert!(table_with(vec![], vec![], &materials[..256]).is_ok());
    let error = table_with(vec![], vec![], &materials).expect_err("too many");
    assert_eq!(error, ClassError::Count(300));
}

#[test]
fn materials_that_turn_into_each_other_work() {
    let material = |text: &str| Material::from_ron(text).expect("valid");
    let always = |name: &str, other: &str| {
        let text = format!(
            "(class: (name: \"{name}\", thermal: (above: (temperature: -1000, becomes: \"{other}\"))))"
        );
        material(&text)
    };
    let classes = [always("tick", "tock"), always("tock", "tick")];
    let scene = "(blocks: [(fill: Filled(shape: Circle(radius: 40)), class: \"tick\")], \
                 materials: [\"tick\"])";
    let mut scene = Scene::from_ron(scene).expect("readable");
    assert!(scene.build().is_err(), "its materials were not read");
    scene.material_contents = classes.to_vec();
    let mut world = scene.build().expect("valid");
    let count = world.particles().len();
    for _ in 0..50 {
        world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
    }
    assert_eq!(world.particles().len(), count);
}

#[test]
fn materials_act_as_described() {
    let report = |name: &str, seconds: f64| {
        let path = folder().join(format!("../scenes/{name}.scene.ron"));
        let scene = Scene::read(&path).unwrap_or_else(|error| panic!("{error}"));
        let mut world = scene.start(&SerialExecutor).expect("valid");
        let before = world.particles().len();
        while world.time() < seconds {
            world.step(scene.time_step(), &SerialExecutor).expect("valid");
        }
        let report = measure(&world);
        assert_eq!((report.particles, report.escaped, report.quarantined), (before, 0, 0));
        report
    };
    let basin = report("materials", 12.0);
    let height = |name: &str| {
        let mut classes = basin.classes.iter();
        classes.find(|class| class.name == name).expect("there").mean_height
    };
    assert!(height("oil") > height("water"));
    for heavy in ["honey", "mud", "slime", "mercury"] {
        assert!(height(heavy) < height("water"), "{heavy} floats");
    }
    let volcano = report("lava_meets_water", 6.0);
    let count =
        |name: &str| volcano.classes.iter().find(|class| class.name == name).expect("there").count;
    assert!(count("stone") > 50 && count("steam") > 100 && count("water") > 300, "{volcano}");
}

#[test]
fn what_is_written_reads_back_the_same() {
    let all = bundled();
    assert!(all.len() >= 11, "{}", all.len());
    for material in all {
        let again = Material::from_ron(&material.to_ron()).expect("valid");
        assert_eq!(again, material, "{}", material.to_ron());
    }
}

#[test]
fn a_material_goes_into_classes_and_comes_out_the_same() {
    let names = ["lava", "water", "oil", "mercury"].map(str::to_owned);
    let materials = read_materials(&folder(), &names).expect("valid");
    let table = table_with(Vec::new(), Vec::new(), &materials).expect("valid");
    let classes: Vec<_> = table.iter().cloned().collect();
    for material in &materials {
        let out = Material::of_class(&material.class.name, &classes, table.pairs());
        let out = out.expect("its class is there");
        assert_eq!(out.class, material.class);
        for pair in material.pairs.iter().filter(|pair| table.find(&pair.with).is_some()) {
            assert!(out.pairs.contains(pair), "{pair:?} in {:?}", out.pairs);
        }
    }
    // The other side of a reaction sees it mirrored.
    let water = Material::of_class("water", &classes, table.pairs()).expect("water is there");
    let with_lava = water.pairs.iter().find(|pair| pair.with == "lava").expect("they react");
    let reaction = with_lava.reaction.as_ref().expect("they react");
    assert_eq!(reaction.becomes.as_deref(), Some("steam"));
    assert_eq!(reaction.other_becomes.as_deref(), Some("stone"));
    assert_eq!(Material::of_class("tar", &classes, table.pairs()), None);
}

/// A tank of two materials, some seconds after they met.
fn after(seconds: f64, first: (&str, &str), second: (&str, &str)) -> FluidWorld {
    let block = |(name, fill): (&str, &str)| format!("({fill}, class: \"{name}\")");
    let text = format!(
        "(materials: [\"{}\", \"{}\"], containers: [(shape: Rectangle(half_size: (150, 150)), \
         centre: (0, 150))], blocks: [{}, {}])",
        first.0,
        second.0,
        block(first),
        block(second),
    );
    let mut scene = Scene::from_ron(&text).expect("valid");
    let wanted = [first.0, second.0].map(str::to_owned);
    scene.material_contents = read_materials(&folder(), &wanted).expect("bundled");
    let mut world = scene.start(&SerialExecutor).expect("valid");
    while world.time() < seconds {
        world.step(scene.time_step(), &SerialExecutor).expect("valid");
    }
    world
}

/// Number and mean height of the particles of a material.
fn of(world: &FluidWorld, name: &str) -> (usize, f32) {
    let class = world.classes().find(name).expect("there");
    let particles = world.particles();
    let found = particles.classes().iter().zip(particles.positions());
    let heights: Vec<f32> =
        found.filter(|(of, _)| **of == class).map(|(_, position)| position.y).collect();
    (heights.len(), heights.iter().sum::<f32>() / heights.len().max(1) as f32)
}

#[test]
fn wood_floats_in_one_piece_and_ice_melts() {
    let water = ("water", "fill: Filled(shape: Rectangle(half_size: (148, 50))), centre: (0, 52)");
    let log = "fill: Filled(shape: Rectangle(half_size: (40, 12))), centre: (0, 24)";
    let world = after(12.0, ("wood", log), water);
    let (wood, height) = of(&world, "wood");
    assert!(height > 75.0, "it lies at {height}");
    let class = world.classes().find("wood").expect("there");
    let particles = world.particles();
    let along = particles.positions().iter().zip(particles.classes());
    let along = along.filter(|(_, of)| **of == class).map(|(position, _)| position.x);
    let (low, high) = along.fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(x), high.max(x)));
    assert!((high - low - 80.0).abs() < 20.0, "{wood} grains from {low} to {high}");

    let [(before, low), (later, high), (end, _)] =
        [5.0, 20.0, 60.0].map(|seconds| of(&after(seconds, ("ice", log), water), "ice"));
    println!("{before} of ice at {low}, then {later} at {high}, then {end}");
    assert!(before > 20 && later > 0 && later < before && end == 0, "{before}, {later}, {end}");
    assert!(high > low + 30.0, "{low} and {high}");
}

#[test]
fn sand_becomes_glass_under_lava() {
    let sand = ("sand", "fill: Filled(shape: Rectangle(half_size: (148, 24))), centre: (0, 26)");
    let lava = ("lava", "fill: Filled(shape: Rectangle(half_size: (60, 30))), centre: (0, 90)");
    let before = after(0.0, sand, lava);
    let world = after(8.0, sand, lava);
    let [sand_before, sand, glass] = [of(&before, "sand"), of(&world, "sand"), of(&world, "glass")];
    println!("{sand_before:?} of sand became {sand:?} and {glass:?} of glass");
    assert_eq!(sand.0 + glass.0, sand_before.0);
    assert!(glass.0 > 15 && glass.0 < sand_before.0 / 2, "{glass:?}");
    // It lies above the sand that is left.
    assert!(glass.1 > sand.1, "{glass:?} and {sand:?}");
}

/// How much of a heap of fuel is ash after 20 s beside a fire, in water as well or not; and how much fuel there was.
fn ashes(fuel: &str, in_water: bool) -> [usize; 2] {
    let water = if in_water {
        "(fill: Filled(shape: Rectangle(half_size: (158, 38))), centre: (0, 44), class: \"water\")"
    } else {
        ""
    };
    let text = format!(
        "(parameters: (particle_spacing: 6), materials: [\"{fuel}\", \"water\", \"ash\"],
        containers: [(shape: Rectangle(half_size: (160, 200)), centre: (0, 200))],
        airs: [(bounds: (low: (-160, 0), high: (160, 400)), cell_size: 6,
            settings: (density: 0.00056, gravity: (0, -200), buoyancy: 1.4, cooling: 1.1,
                fire: (burn_rate: 2.2, heat: 1.6, soot: 0.6)),
            sides: (top: Open),
            sources: [(region: (shape: Rectangle(half_size: (20, 20)), centre: (-80, 20)), fuel: 6, heat: 3,
                embers: (heat: 10))])],
        blocks: [(fill: Filled(shape: Rectangle(half_size: (80, 15))), centre: (0, 18), class: \"{fuel}\"), {water}])"
    );
    let mut scene = Scene::from_ron(&text).expect("valid");
    scene.material_contents = read_materials(&folder(), &scene.materials).expect("bundled");
    let mut world = scene.start(&SerialExecutor).expect("valid");
    let before = of(&world, fuel).0;
    while world.time() < 20.0 {
        world.step(scene.time_step(), &SerialExecutor).expect("valid");
    }
    [of(&world, "ash").0, before]
}

#[test]
fn coal_and_wood_burn_on_and_coal_does_not_where_water_drowns_the_fire() {
    for fuel in ["coal", "wood"] {
        let [burnt, all] = ashes(fuel, false);
        assert!(10 * burnt > 9 * all, "{burnt} of {all} of {fuel} burnt");
    }
    assert_eq!(ashes("coal", true)[0], 0);
}
