//! Every bundled scene builds and runs. The validation suite tests what the liquid does in them.

use blob_fluid::air::{AirChannel, AirError, AirProjection, AirSettings, AirSide, AirSides};
use blob_fluid::measure::{Report, measure, measure_airs};
use blob_fluid::scene::{Scene, SceneAir, SceneError};
use blob_fluid::{FluidPass, FluidWorld, OutOfRange, ParticleSpawn, SerialExecutor, SpawnError};
use glam::Vec2;
use serde_json::Value;

pub const SCENES: &str = "../../assets/scenes";

pub fn load(name: &str) -> Scene {
    let path = format!("{SCENES}/{name}.scene.ron");
    Scene::read(path.as_ref()).unwrap_or_else(|error| panic!("{error}"))
}

fn run(scene: &Scene, world: &mut FluidWorld, seconds: f64) -> Report {
    while world.time() < seconds - 1e-6 {
        world.step(scene.time_step(), &SerialExecutor).expect("valid");
    }
    measure(world)
}

#[test]
fn every_scene_builds_and_runs() {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(SCENES).expect("a folder") {
        let path = entry.expect("readable").path();
        let file = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
        let name = file.strip_suffix(".scene.ron").unwrap_or_else(|| panic!("{file}: no scene?"));
        let scene = load(name);
        assert!(!scene.description.is_empty(), "{name} says nothing of itself");
        let mut world = scene.build().unwrap_or_else(|error| panic!("{name}: {error}"));
        let count = world.particles().len();
        assert!(count > 100 || !scene.airs.is_empty(), "{name} holds {count} particles");
        run(&scene, &mut world, 0.1);
        let report = measure(&world);
        let left = (report.particles, report.escaped, report.quarantined);
        assert_eq!(left, (count, 0, 0), "{name}");
        names.push(name.to_owned());
    }
    for expected in [
        "stratification",
        "legacy",
        "deep_pool",
        "dam_break",
        "free_blob",
        "wind_tunnel",
        "campfire",
        "spray",
    ] {
        assert!(names.iter().any(|name| name == expected), "{expected} is missing");
    }
}

#[test]
fn a_world_that_holds_more_than_its_capacity_takes_no_scene() {
    let scene = load("dam_break");
    let mut world = scene.build().expect("valid");
    let count = world.particles().len();
    world.set_capacity(count / 2);
    let error = scene.fill(&mut world, Vec2::ZERO, Vec2::X).expect_err("there is no room");
    assert!(matches!(error, SceneError::Spawn(SpawnError::Full { .. })), "{error}");
    assert_eq!(world.particles().len(), count);
}

#[test]
#[ignore = "long: .ci/run"]
fn the_ancestors_liquid_reaches_their_figures() {
    let scene = load("legacy");
    let mut world = scene.start(&SerialExecutor).expect("valid");
    let report = run(&scene, &mut world, 10.0);
    assert_eq!((report.particles, report.escaped, report.quarantined), (3000, 0, 0));
    // The ancestors' prototype, in place, reached .710 at 23 px/s after 10 s. The scene shows that
    // its liquid is compressed.
    assert!((report.layer_order - 0.71).abs() < 0.05, "{report}");
    assert!(report.density_ratio.max > 1.5 && report.rms_speed > 15.0, "{report}");
    // The ancestors reached .957 at 15.2 px/s after 60 s, and .969 at 14.7 px/s. A start that is
    // shifted by a tenth of a pixel changes these numbers by .005 and .1.
    let report = run(&scene, &mut world, 60.0);
    assert_eq!((report.particles, report.escaped, report.quarantined), (3000, 0, 0));
    assert!((0.945..=0.985).contains(&report.layer_order), "{report}");
    assert!((13.0..=17.0).contains(&report.rms_speed), "{report}");
}

#[test]
fn filled_blocks_are_clipped_unless_they_say_otherwise() {
    let scene = |clipped: &str| {
        let block = format!(
            "(fill: Filled(shape: Rectangle(half_size: (90, 40)){clipped}), centre: (0, -80)),"
        );
        let container = "(shape: Circle(radius: 100))";
        let text = format!("(containers: [{container}], blocks: [{block} {block}])");
        Scene::from_ron(&text).expect("a scene").build().expect("valid")
    };
    let (clipped, whole) = (scene(""), scene(", clipped: false"));
    let inside = |world: &FluidWorld| {
        world.particles().positions().iter().filter(|position| position.length() < 100.0).count()
    };
    assert_eq!(inside(&clipped), clipped.particles().len());
    // The second block lies on the first one.
    assert!(2 * clipped.particles().len() <= inside(&whole));
    assert!(inside(&whole) < whole.particles().len());
    let step = clipped.parameters().particle_spacing * 1.03;
    let shape = blob_fluid::FluidShape::Rectangle { half_size: Vec2::new(90.0, 40.0) };
    let all: Vec<_> = shape.fill(Vec2::new(0.0, -80.0), step).collect();
    assert_eq!(whole.particles().positions(), [&all[..], &all[..]].concat());
}

// Air in scene files: built as stated, refused with its name, stepped and measured.

const WITH_AIR: [&str; 3] = ["wind_tunnel", "campfire", "spray"];

fn read(text: &str) -> Scene {
    Scene::from_ron(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn run_until(scene: &Scene, world: &mut FluidWorld, seconds: f64) {
    while world.time() < seconds - 1e-6 {
        world.step(scene.time_step(), &SerialExecutor).expect("valid");
    }
}

#[test]
fn worlds_have_the_air_that_their_scenes_state() {
    let mut sources = 0;
    for name in WITH_AIR {
        let scene = load(name);
        let world = scene.build().expect("valid");
        assert_eq!(world.airs().count(), scene.airs.len(), "{name}");
        for (air, stated) in world.airs().zip(&scene.airs) {
            let size = (stated.bounds.high - stated.bounds.low) / stated.cell_size;
            assert_eq!([air.columns(), air.rows()], size.ceil().to_array().map(|n| n as usize));
            assert_eq!((air.bounds().low, air.cell_size()), (stated.bounds.low, stated.cell_size));
            assert_eq!((air.settings(), air.sides()), (&stated.settings, &stated.sides));
            assert_eq!(air.sources(), stated.sources);
            sources += air.sources().len();
        }
        let ids: Vec<_> = world.air_ids().collect();
        assert!(
            ids.iter().zip(world.airs()).all(|(id, air)| {
                world.air(*id).map(|found| found.bounds()) == Some(air.bounds())
            })
        );
    }
    assert!(sources > 0);
}

#[test]
fn what_is_left_out_is_the_default() {
    let scene =
        read("(airs: [(), (sides: (top: Open, left: Inflow(velocity: (3, 0)), right: Closed()))])");
    assert_eq!(scene.airs[0], SceneAir::default());
    let inflow = AirSide::Inflow { velocity: Vec2::new(3.0, 0.0), smoke: 0.0, heat: 0.0 };
    let sides = AirSides { top: AirSide::Open, left: inflow, ..AirSides::default() };
    assert_eq!(scene.airs[1], SceneAir { sides, ..SceneAir::default() });
    let scene = read("(airs: [(settings: (projection: Multigrid(max_cycles: 7)))])");
    let AirProjection::Multigrid { residual, .. } = AirProjection::default() else {
        panic!("default")
    };
    let projection = AirProjection::Multigrid { residual, max_cycles: 7 };
    assert_eq!(scene.airs[0].settings, AirSettings { projection, ..AirSettings::default() });
}

#[test]
fn scenes_that_are_written_and_read_are_the_same() {
    for entry in std::fs::read_dir(SCENES).expect("a folder") {
        let file = entry.expect("readable").file_name().into_string().expect("UTF-8");
        let name = file.strip_suffix(".scene.ron").expect("a scene");
        let scene = load(name);
        let text = serde_json::to_string(&scene).expect("JSON");
        let mut again: Scene = serde_json::from_str(&text).expect("a scene");
        // The contents of the materials are in files of their own.
        again.material_contents = scene.material_contents.clone();
        assert_eq!(again, scene, "{name}");
        let hash = |scene: &Scene| {
            let mut world = scene.build().expect("valid");
            run_until(scene, &mut world, 0.05);
            world.state_hash()
        };
        assert_eq!(hash(&again), hash(&scene), "{name}");
    }
}

#[test]
fn invalid_air_is_refused_with_its_place() {
    let fine = "()";
    let source = "region: (shape: Circle(radius: 9), centre: (0, 0))";
    for (airs, expected) in [
        (format!("{fine}, (cell_size: 0)"), "airs[1]: air: cell_size is 0"),
        ("(cell_size: 1e30)".into(), "airs[0]: air: cell_size is 1e"),
        ("(bounds: (low: (0, 0), high: (0, 9)))".into(), "airs[0]: the air has 0 x 2 cells"),
        ("(bounds: (low: (0, 0), high: (1e39, 9)))".into(), "airs[0]: air: bounds is inf"),
        ("(settings: (drag: -1))".into(), "airs[0]: air: drag is -1"),
        ("(sides: (left: Periodic))".into(), "airs[0]: only one of the sides left and right"),
        (
            "(sides: (top: Inflow(velocity: (0, -1), smoke: 1e9)))".into(),
            "airs[0]: air side: smoke is 1",
        ),
        (
            format!("{fine}, (sources: [({source}), ({source}, wind: (velocity: (0, 1e20)))])"),
            "airs[1].sources[1]: air source: wind.velocity is 1e20",
        ),
    ] {
        let text = format!("(airs: [{airs}])");
        let error = read(&text).build().expect_err(&text).to_string();
        let plain = error.replace("100000000000000000000", "1e20");
        assert!(plain.starts_with(expected), "{text}: {error}");
    }
    let error = read("(airs: [(settings: (cooling: -2))])").build().expect_err("refused");
    let SceneError::Air { air: 0, error: AirError::OutOfRange(OutOfRange { field, value, .. }) } =
        error
    else {
        panic!("{error}");
    };
    assert_eq!((field, value), ("cooling", -2.0));
    // A shape that cannot be is refused when it is read.
    let bad = source.replace('9', "-9");
    let error = Scene::from_ron(&format!("(airs: [(sources: [({bad})])])")).expect_err("refused");
    assert!(matches!(error, SceneError::Syntax(_)), "{error}");
}

#[test]
fn air_comes_in_after_the_settling() {
    let text = |settling: &str| {
        format!(
            "(
                parameters: (particle_spacing: 10),
                containers: [(shape: Rectangle(half_size: (100, 100)))],
                blocks: [(fill: Filled(shape: Circle(radius: 40)))],
                airs: [(
                    bounds: (low: (-100, -100), high: (100, 100)),
                    cell_size: 10,
                    settings: (density: 0.002),
                    sides: (left: Inflow(velocity: (90, 0)), right: Open),
                    sources: [(
                        region: (shape: Circle(radius: 20), centre: (0, 50)),
                        smoke: 1,
                        burst: true,
                    )],
                )],
                {settling}
            )"
        )
    };
    let settled = |text: &str| read(text).start(&SerialExecutor).expect("valid");
    let world = settled(&text("settling: (duration: 0.5, drag: 0.1)"));
    let air = world.airs().next().expect("one");
    assert_eq!((world.time(), air.time(), air.sources().len()), (0.0, 0.0, 1));
    assert_eq!(air.amount(AirChannel::Smoke), 0.0, "the burst is yet to come");
    // The wind did not meet the liquid.
    let mut still = read(&text("settling: (duration: 0.5, drag: 0.1)"));
    still.airs.clear();
    let still = still.start(&SerialExecutor).expect("valid");
    assert_eq!(world.liquid().state_hash(), still.state_hash());
    assert_ne!(world.state_hash(), still.state_hash());
    let unsettled = settled(&text(""));
    assert_eq!(unsettled.airs().next().expect("one").sources().len(), 1);
}

#[test]
fn a_finer_liquid_has_air_of_the_same_relative_density() {
    let scene = load("campfire");
    let relative = |scene: &Scene| {
        let spacing = scene.parameters.particle_spacing;
        scene.airs[0].settings.density * spacing * spacing
    };
    let count = scene.build().expect("valid").particles().len();
    let finer = scene.clone().with_particles(4 * count).expect("valid");
    let doubled = scene.parameters.particle_spacing / finer.parameters.particle_spacing;
    assert!((doubled - 2.0).abs() < 1e-6);
    assert!((relative(&finer) / relative(&scene) - 1.0).abs() < 4.0 * f32::EPSILON);
    let error = load("wind_tunnel").with_particles(100).expect_err("no liquid to refine");
    assert!(matches!(error, SceneError::OutOfRange(_)), "{error}");
}

/// Fails if a number at any depth of a report is not finite: JSON has `null` for it.
fn assert_finite(value: &Value, name: &str) {
    match value {
        Value::Null => panic!("{name} is not a finite number"),
        Value::Array(items) => items.iter().for_each(|item| assert_finite(item, name)),
        Value::Object(fields) => fields.iter().for_each(|(name, field)| assert_finite(field, name)),
        _ => {}
    }
}

#[test]
fn measures_of_air_are_finite_with_and_without_liquid() {
    for name in WITH_AIR {
        let scene = load(name);
        let mut world = scene.start(&SerialExecutor).expect("valid");
        for seconds in [0.0, 0.5] {
            run_until(&scene, &mut world, seconds);
            assert_finite(&serde_json::to_value(measure(&world)).expect("JSON"), name);
            let airs = measure_airs(&world);
            assert_finite(&serde_json::to_value(&airs).expect("JSON"), name);
            for (measured, (id, air)) in airs.iter().zip(world.air_ids().zip(world.airs())) {
                let report = world.air_report(id).expect("there");
                assert_eq!(measured.cells, air.pressures().len());
                assert_eq!(measured.max_speed, f64::from(report.max_speed), "{name}");
                assert_eq!((measured.columns, measured.rows), (air.columns(), air.rows()));
                assert_eq!(measured.sources, air.sources().len());
                assert_eq!(measured.iterations, report.iterations);
                assert_eq!(
                    [measured.residual, measured.divergence],
                    [f64::from(report.residual), f64::from(report.divergence)]
                );
                assert_eq!(measured.smoke, air.amount(AirChannel::Smoke));
                assert_eq!(measured.heat, air.amount(AirChannel::Heat));
                assert_eq!(measured.fuel, air.amount(AirChannel::Fuel));
                assert_eq!(measured.state_hash, format!("{:016x}", air.state_hash()));
            }
        }
        assert!(measure_airs(&world)[0].max_speed > 1.0, "{name}: something happens");
    }
}

#[test]
fn ticks_by_hand_are_those_of_a_step() {
    for name in WITH_AIR {
        let scene = load(name);
        let [mut stepped, mut by_hand] = [(); 2].map(|()| scene.build().expect("valid"));
        for _ in 0..10 {
            stepped.step(scene.time_step(), &SerialExecutor).expect("valid");
            let report = by_hand.begin_tick(scene.time_step(), &SerialExecutor).expect("valid");
            for pass in (0..report.substeps).flat_map(|_| FluidPass::ALL) {
                by_hand.run_pass(pass, &SerialExecutor);
            }
            let report = by_hand.end_tick(report, &SerialExecutor);
            by_hand.step_air(report.time_step, &SerialExecutor);
        }
        assert_eq!(by_hand.state_hash(), stepped.state_hash(), "{name}");
    }
}

#[test]
fn the_hash_of_a_world_is_that_of_liquid_and_air() {
    let mut world = load("spray").build().expect("valid");
    let whole = world.state_hash();
    let id = world.air_ids().next().expect("one");
    let air = world.air_mut(id).expect("there");
    let cells = air.pressures().len();
    air.set_channel(AirChannel::Smoke, &vec![0.5; cells]).expect("valid");
    let smoky = world.state_hash();
    assert_ne!(smoky, whole);
    world.spawn(ParticleSpawn::default()).expect("valid");
    assert_ne!(world.state_hash(), smoky);
    world.remove_air(id);
    assert_eq!(world.state_hash(), world.liquid().state_hash());
}

// `docs/scenes.md` describes all fields of scene files.

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
