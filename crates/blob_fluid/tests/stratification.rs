//! The main job and the other scenes, against the numbers a correct build must reach.

use blob_fluid::measure::{Report, layer_order, measure};
use blob_fluid::scene::Scene;
use blob_fluid::{ClassTable, DensityClass, FluidWorld, SerialExecutor};

fn load(name: &str) -> Scene {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/scenes");
    let text = std::fs::read_to_string(format!("{folder}/{name}.scene.ron")).expect("readable");
    Scene::from_ron(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
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

#[test]
fn the_same_liquid_in_any_units_and_at_any_rate() {
    let reference = load("stratification").with_particles(1200).expect("valid");
    let order = |scene: &Scene, seconds: f64| {
        let mut world = scene.start(&SerialExecutor).expect("valid");
        run(scene, &mut world, seconds).layer_order
    };
    let expected = order(&reference, 15.0);
    for rate in [30.0, 144.0] {
        let scene = Scene { tick_rate: rate, ..reference.clone() };
        let got = order(&scene, 15.0);
        assert!((got - expected).abs() <= 0.04, "{got} at {rate} Hz against {expected}");
    }
    // Metres: a hundredth of the lengths, gravity of the Earth, times in proportion.
    let gravity = 9.81;
    let mut metres = reference.clone();
    metres.parameters = blob_fluid::FluidParameters::new(
        0.01 * reference.parameters.particle_spacing,
        glam::Vec2::new(0.0, -gravity),
    );
    let scaled = scaled_by(&metres, 0.01);
    let time = (0.01 * 200.0 / f64::from(gravity)).sqrt();
    let got = order(&scaled, 15.0 * time);
    assert!((got - expected).abs() <= 0.04, "{got} in metres against {expected}");
}

/// The same scene with all containers and spirals at another scale.
fn scaled_by(scene: &Scene, factor: f32) -> Scene {
    use blob_fluid::ContainerShape;
    use blob_fluid::scene::SceneFill;
    let mut scaled = scene.clone();
    for container in &mut scaled.containers {
        if let ContainerShape::Circle { radius } = &mut container.shape {
            *radius *= factor;
        }
    }
    for block in &mut scaled.blocks {
        if let SceneFill::Spiral { radius, .. } = &mut block.fill {
            *radius *= factor;
        }
    }
    scaled
}
