//! The main job and the other scenes, against the numbers a correct build must reach.

use blob_fluid::measure::{Report, layer_order, measure};
use blob_fluid::scene::{Scene, SceneFill};
use blob_fluid::shape::fermat_spiral;
use blob_fluid::{
    ClassTable, ContainerShape, DensityClass, FluidParameters, FluidWorld, ParticleSpawn,
    SerialExecutor,
};
use glam::Vec2;

const SCENES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/scenes");

fn load(name: &str) -> Scene {
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
fn three_classes_sort_into_layers() {
    let scene = load("stratification");
    let mut world = scene.start(&SerialExecutor).expect("valid");
    for (seconds, order) in [(5.0, 0.75), (10.0, 0.92), (20.0, 0.97), (60.0, 0.985)] {
        let report = run(&scene, &mut world, seconds);
        assert!(report.layer_order >= order, "{} at {seconds} s", report.layer_order);
        assert_eq!((report.particles, report.escaped, report.quarantined), (3000, 0, 0));
    }
    let end = measure(&world);
    assert!(end.misplaced <= 0.035, "{} misplaced", end.misplaced);
    assert!(end.interface_thickness <= 1.2, "{} h thick", end.interface_thickness);
    assert!(end.rms_speed <= 1.0, "{} rms", end.rms_speed);
    assert!(end.centre_of_mass[0].abs() <= 0.25, "drift {:?}", end.centre_of_mass);
}

#[test]
fn gravity_divided_by_mass_would_invert_the_layers() {
    let mut scene = load("stratification");
    let inverted = |class: &DensityClass| DensityClass {
        mass: 1.0,
        gravity_scale: 1.0 / class.mass,
        relative_rest_density: 1.0,
        ..class.clone()
    };
    scene.classes = ClassTable::default().iter().map(inverted).collect();
    let mut world = scene.start(&SerialExecutor).expect("valid");
    run(&scene, &mut world, 30.0);
    // By the masses these classes should have had.
    world.set_classes(ClassTable::default()).expect("as many");
    let order = layer_order(&world);
    assert!(order < 0.2, "{order}");
}

#[test]
fn a_deep_pool_rests_uncompressed() {
    let scene = load("deep_pool");
    let mut world = scene.start(&SerialExecutor).expect("valid");
    let report = run(&scene, &mut world, 60.0);
    assert!(report.bottom_top_density <= 1.03, "{}", report.bottom_top_density);
    assert!(report.rms_speed <= 0.5, "{} rms", report.rms_speed);
    assert_eq!((report.escaped, report.quarantined), (0, 0));
}

#[test]
fn a_pool_twice_as_deep_is_hardly_compressed() {
    let mut scene = load("deep_pool");
    let half_size = Vec2::new(95.4, 600.0);
    scene.containers[0].shape = ContainerShape::Rectangle { half_size };
    scene.containers[0].centre = Vec2::new(0.0, 600.0);
    scene.blocks[0].fill = SceneFill::Lattice { columns: 24, rows: 100, spacing: 1.007 };
    scene.blocks[0].centre.y *= 2.0;
    let mut world = scene.start(&SerialExecutor).expect("valid");
    assert_eq!(world.particles().len(), 2400);
    let report = run(&scene, &mut world, 20.0);
    assert!(report.bottom_top_density <= 1.06, "{}", report.bottom_top_density);
    assert_eq!((report.escaped, report.quarantined), (0, 0));
}

#[test]
fn two_blobs_that_nearly_touch_merge() {
    let parameters = FluidParameters::new(30.0 / 3.8, Vec2::ZERO);
    let mut world = FluidWorld::new(parameters).expect("valid");
    let (h, spacing) = (parameters.interaction_radius(), 1.04 * parameters.particle_spacing);
    let radius = spacing * (500.0 / std::f32::consts::PI).sqrt();
    for side in [-1.0, 1.0] {
        let centre = Vec2::new(side * (radius + 0.2 * h), 0.0);
        for position in fermat_spiral(centre, radius, 500) {
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
        }
    }
    for _ in 0..20 * 60 {
        world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
    }
    let report = measure(&world);
    assert!(report.roundness >= 0.98, "{}", report.roundness);
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
        assert!(count > 100, "{name} holds {count} particles");
        run(&scene, &mut world, 0.5);
        let report = measure(&world);
        let left = (report.particles, report.escaped, report.quarantined);
        assert_eq!(left, (count, 0, 0), "{name}");
        names.push(name.to_owned());
    }
    for expected in ["stratification", "legacy", "deep_pool", "dam_break", "free_blob"] {
        assert!(names.iter().any(|name| name == expected), "{expected} is missing");
    }
}

#[test]
fn a_square_blob_rounds_up() {
    let scene = load("free_blob");
    let mut world = scene.start(&SerialExecutor).expect("valid");
    let at_ten = run(&scene, &mut world, 10.0);
    assert!(at_ten.roundness >= 0.99, "{} at 10 s", at_ten.roundness);
    let at_thirty = run(&scene, &mut world, 30.0);
    assert!(at_thirty.roundness >= 0.995, "{} at 30 s", at_thirty.roundness);
    assert!(at_thirty.least_spacing >= 0.14, "{} h", at_thirty.least_spacing);
}

#[test]
fn the_dam_breaks_from_a_settled_column() {
    let scene = load("dam_break");
    let mut world = scene.start(&SerialExecutor).expect("valid");
    let width = f64::from(scene.column_width.expect("stated"));
    let settled = measure(&world);
    assert_eq!(settled.time, 0.0);
    assert!((settled.max_height / width - 2.0).abs() <= 0.04, "{}", settled.max_height / width);
    let report = run(&scene, &mut world, 1.0);
    assert!(report.front_x > 1.5 * width, "the front has left");
    // No liquid outruns the shallow-water front, 2 sqrt(g H) t.
    let limit = width + 2.0 * (report.gravity * settled.max_height).sqrt() * report.time;
    assert!(report.front_x < limit, "{} beyond {limit}", report.front_x);
}

#[test]
fn the_ancestors_liquid_runs_too() {
    let scene = load("legacy");
    let mut world = scene.start(&SerialExecutor).expect("valid");
    let report = run(&scene, &mut world, 10.0);
    assert_eq!((report.particles, report.escaped, report.quarantined), (3000, 0, 0));
    // It compresses and boils: that is what it is there to show.
    assert!(report.density_ratio.max > 1.5 && report.rms_speed > 5.0);
}
