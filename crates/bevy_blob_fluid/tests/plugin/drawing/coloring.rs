//! Colour by anything.

use std::fs;
use std::path::Path;

use bevy_blob_fluid::render::FluidRenderPlugin;
use bevy_blob_fluid::render::raw::{
    FluidInstance, FluidInstances, FluidInterpolation, FluidPalette,
};
use bevy_blob_fluid::{FluidGradientError, FluidGradientStop};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::Config;

use crate::app::*;
use crate::drawing::cameras::{BLACK, RED, SIZE, SPACING, color_classes, flat, lattice};
use crate::files::{Errors, Folder, app_with_assets};
use crate::pictures::{at, drawing, offscreen, shoot, spawn_camera};

fn color_by(app: &mut App, coloring: FluidColoring) {
    app.insert_resource(coloring);
    app.update();
}

/// Which colour each drawn particle has, in the order of their slots; where colours go by class, how
/// hot and foamy it is.
fn indices(app: &App) -> Vec<u8> {
    let instances = app.resource::<FluidInstances>().as_slice();
    let color = |instance: &FluidInstance| {
        (0..=u8::MAX).find(|color| instance.with_color(*color) == *instance).expect("some colour")
    };
    instances.iter().map(color).collect()
}

fn palette(app: &App) -> Vec<Srgba> {
    let palette = app.resource::<FluidPalette>();
    palette.as_slice().iter().map(|color| color.to_srgba()).collect()
}

/// What a scale from `low` to `high` makes of values.
fn expected(values: impl IntoIterator<Item = f32>, low: f32, high: f32) -> Vec<u8> {
    let index = |value: f32| (255.0 * ((value - low) / (high - low)).clamp(0.0, 1.0)).round() as u8;
    values.into_iter().map(index).collect()
}

/// A few particles that differ in everything, and a clump of others; the fluid is paused.
fn varied() -> App {
    let mut app = headless(without_gravity());
    for index in 0..12_u8 {
        let at = f32::from(index);
        let class = ClassId(index % 3);
        let position = Vec2::new(100.0 * at, 0.0);
        let velocity = Vec2::new(3.0, 4.0) * at;
        let temperature = Some(20.0 + 30.0 * at);
        let tag = ParticleTag(u32::from(index) * 50);
        app.add_particle(ParticleSpawn {
            position,
            velocity,
            class,
            temperature,
            tag,
            ..default()
        });
        app.update();
    }
    let spacing = FluidParameters::default().particle_spacing;
    for position in (FluidShape::Circle { radius: 30.0 }).fill(Vec2::NEG_Y * 300.0, 0.95 * spacing)
    {
        app.add_particle(ParticleSpawn { position, class: ClassId::HEAVY, ..default() });
    }
    app.update();
    app.clock().pause();
    app.update();
    app
}

#[test]
fn every_quantity_colours_what_it_should() {
    let mut app = varied();
    let all = app.fluid().particles().clone();
    // Without dots the order is that of the memory.
    let all_indices: Vec<usize> = (0..all.len()).collect();
    let of = |value: &dyn Fn(usize) -> f32| {
        all_indices.iter().map(|particle| value(*particle)).collect()
    };
    let speeds: Vec<f32> = of(&|particle| all.velocities()[particle].length());
    let pressures: Vec<f32> = of(&|particle| app.fluid().pressure(particle));
    let densities: Vec<f32> = of(&|particle| all.relative_densities()[particle]);
    let ages: Vec<f32> = of(&|particle| all.age(all.ids()[particle]).expect("alive"));
    let temperatures: Vec<f32> = of(&|particle| all.temperatures()[particle]);
    for (by, values, low, high) in [
        (FluidColorBy::Speed, speeds, 5.0, 50.0),
        (FluidColorBy::Pressure, pressures, -4000.0, 9000.0),
        (FluidColorBy::Density, densities, 0.2, 1.0),
        (FluidColorBy::Age, ages, 0.02, 0.18),
        (FluidColorBy::Temperature, temperatures, 330.0, 40.0),
    ] {
        let expected = expected(values, low, high);
        let (least, most) = (expected.iter().min(), expected.iter().max());
        assert!(least < Some(&60) && most > Some(&190), "{by:?} hardly differs: {expected:?}");
        color_by(&mut app, FluidColoring::new(by).with_range(low, high));
        assert_eq!(indices(&app), expected, "{by:?}");
        let scale = *app.resource::<FluidColorScale>();
        assert_eq!((scale.by(), scale.low(), scale.high()), (by, low, high));
    }
    color_by(&mut app, FluidColoring::new(FluidColorBy::Tag));
    // Tag 50 is the fiftieth, and so on; there are 255.
    let tag =
        |slot: u32| if (1..12).contains(&slot) { ((slot * 50 - 1) % 255 + 1) as u8 } else { 0 };
    let tags: Vec<u8> = all.ids().iter().map(|id| tag(id.slot())).collect();
    assert_eq!(indices(&app), tags);
    let colors = palette(&app);
    assert!(colors.len() == 256 && colors[50] != colors[100] && colors[0] != colors[50]);
}

#[test]
fn the_palette_is_the_gradients_and_again_the_classes() {
    let mut app = varied();
    let class_colors = palette(&app);
    assert_eq!(class_colors.len(), 3);
    // Neither hot nor foamy.
    let by_class = indices(&app);
    assert!(by_class.iter().all(|tint| *tint == 0));
    assert!(!app.resource::<FluidPalette>().is_by_instance());

    let stop = |position, color| FluidGradientStop { position, color };
    let (red, blue) = ([1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.5]);
    let gradient = FluidGradient::new([stop(0.0, red), stop(0.5, blue), stop(1.0, red)]);
    let gradient = gradient.expect("valid");
    let coloring = FluidColoring::new(FluidColorBy::Speed).with_gradient(gradient);
    color_by(&mut app, coloring.clone());
    assert!(app.resource::<FluidPalette>().is_by_instance());
    let colors = palette(&app);
    assert_eq!(colors.len(), 256);
    assert_eq!((colors[0], colors[255]), (Srgba::RED, Srgba::RED));
    assert!(colors[128].blue > 0.98 && colors[128].red < 0.1, "{:?}", colors[128]);
    assert!((colors[128].alpha - 0.5).abs() < 0.01);
    // Halfway between two colours neither is darker than both, as it would be when mixed in sRGB.
    let lightness = |color: Srgba| Oklaba::from(color).lightness;
    let between = lightness(colors[64]);
    assert!((between - 0.5 * (lightness(Srgba::RED) + lightness(Srgba::BLUE))).abs() < 0.02);

    // Changed in place.
    let mut changed = app.resource_mut::<FluidColoring>();
    changed.gradient = FluidGradient::built_in("ice").expect("there").into();
    app.update();
    assert_eq!(palette(&app)[255], Srgba::WHITE);

    // Classes that change in the meantime are there afterwards.
    app.resource_mut::<FluidClasses>()[ClassId::MEDIUM].color = [0.25, 0.5, 0.75, 1.0];
    app.update();
    assert_eq!(palette(&app)[255], Srgba::WHITE);
    color_by(&mut app, FluidColoring::default());
    assert!(!app.resource::<FluidPalette>().is_by_instance());
    assert_eq!(indices(&app), by_class);
    let restored = palette(&app);
    assert_eq!(restored[1], Srgba::new(0.25, 0.5, 0.75, 1.0));
    assert_eq!((restored[0], restored[2], restored.len()), (class_colors[0], class_colors[2], 3));
}

#[test]
fn an_automatic_range_follows_the_liquid_while_it_runs() {
    let mut app = headless(without_gravity());
    let mut hot = Vec::new();
    for index in 0..100 {
        let position = Vec2::X * 100.0 * index as f32;
        let temperature = Some(index as f32);
        hot.push(app.add_particle(ParticleSpawn { position, temperature, ..default() }));
    }
    app.insert_resource(FluidColoring::new(FluidColorBy::Temperature));
    app.update();
    let scale = |app: &App| *app.resource::<FluidColorScale>();
    let first = scale(&app);
    assert_eq!((first.low(), first.high()), (5.0, 94.0));
    let warm = |app: &mut App, by: f32| {
        let mut fluid = app.fluid_mut();
        fluid.particles_mut().temperatures_mut().iter_mut().for_each(|warmed| *warmed += by);
    };
    warm(&mut app, 1000.0);
    app.update();
    let soon = scale(&app);
    assert!(soon.low() > 10.0 && soon.low() < 100.0, "little by little: {soon:?}");
    app.updates(300);
    assert!((scale(&app).high() - 1094.0).abs() < 1.0, "{:?}", scale(&app));
    // Not while it is paused, whatever happens.
    app.clock().pause();
    app.update();
    let stopped = scale(&app);
    warm(&mut app, 1000.0);
    app.update();
    assert_eq!(scale(&app), stopped);
}

#[test]
fn a_range_out_of_range_is_refused_and_the_last_stays() {
    let mut app = varied();
    color_by(&mut app, FluidColoring::new(FluidColorBy::Temperature).with_range(20.0, 350.0));
    let valid = indices(&app);
    for (low, high) in [(f32::NAN, 1.0), (1.0, 1.0), (0.0, f32::INFINITY)] {
        color_by(&mut app, FluidColoring::new(FluidColorBy::Temperature).with_range(low, high));
        assert_eq!(indices(&app), valid, "{low} to {high}");
    }
}

#[test]
fn gradients_that_are_none_say_why() {
    let read = |stops: &str| {
        FluidGradient::from_ron(&format!("(stops: [{stops}])")).expect_err("not valid").to_string()
    };
    let fine = "(position: 0.2, color: (0, 0, 0, 1))";
    for (stops, expected) in [
        (fine.to_string(), "gradient: a gradient of 1 stops"),
        (
            format!("{fine}, (position: 1.5, color: (0, 0, 0, 1))"),
            "gradient: position of stop 2 is 1.5",
        ),
        (
            format!("{fine}, (position: NaN, color: (0, 0, 0, 1))"),
            "gradient: position of stop 2 is NaN",
        ),
        (
            format!("{fine}, {fine}, (position: 0.1, color: (0, 0, 0, 1))"),
            "gradient: position of stop 3 is 0.1, and must not be below 0.2",
        ),
        (format!("{fine}, (position: 1, color: (0, 7, 0, 1))"), "gradient: green of stop 2 is 7"),
        (format!("{fine}, (position: 1, color: (0, 0, 0, -1))"), "gradient: alpha of stop 2 is -1"),
        (format!("{fine}, (place: 1)"), "1:"),
        (format!("{fine}, (position: 1, color: (0, 0, 0))"), "1:"),
    ] {
        let message = read(&stops);
        assert!(message.starts_with(expected), "{message}");
    }
    assert_eq!(FluidGradient::new([]), Err(FluidGradientError::TooFew { stops: 0 }));
}

#[test]
fn the_ends_and_edges_of_a_gradient() {
    let stop = |position: f32, level: f32| FluidGradientStop {
        position,
        color: [level, level, level, 1.0],
    };
    let stops = [stop(0.25, 0.0), stop(0.5, 0.25), stop(0.5, 0.75), stop(0.75, 1.0)];
    let gradient = FluidGradient::new(stops).expect("valid");
    let level = |position| gradient.color(position).to_srgba().red;
    assert_eq!([f32::NAN, -1.0, 0.0, 0.25].map(level), [0.0; 4]);
    assert_eq!([0.75, 1.0, 9.0].map(level), [1.0; 3]);
    assert!((level(0.4999) - 0.25).abs() < 1e-2 && level(0.5) == 0.75, "a hard edge");
    assert_eq!(gradient.colors().count(), 256);
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_damaged_gradient_file_is_refused_or_has_its_colors(
        file in 0..5_usize,
        damages in vec((any::<Index>(), "[-0-9a-z(),:.\\[\\]\"]{0,4}"), 1..6),
    ) {
        let folder = Path::new("../../assets/gradients");
        let mut files: Vec<_> = fs::read_dir(folder).expect("there").flatten().collect();
        files.sort_by_key(|file| file.file_name());
        let mut text = fs::read_to_string(files[file].path()).expect("readable");
        for (place, damage) in damages {
            let place = place.index(text.len() - 1);
            text.replace_range(place..=place, &damage);
        }
        if let Ok(gradient) = FluidGradient::from_ron(&text) {
            let shares = |color: Color| color.to_srgba().to_f32_array();
            prop_assert_eq!(gradient.colors().count(), 256);
            prop_assert!(gradient.colors().flat_map(shares).all(|share| (0.0..=1.0).contains(&share)));
        }
    }
}

fn write(folder: &Folder, red: f32) {
    let text = format!(
        "(stops: [(position: 0, color: ({red}, 0, 0, 1)), (position: 1, color: (1, 1, 1, 1))])"
    );
    folder.write("own.gradient.ron", &text);
}

#[test]
fn a_gradient_from_a_file_counts_once_loaded_and_when_it_changes() {
    let folder = Folder::new("gradients");
    write(&folder, 0.5);
    let mut app = app_with_assets::<FluidGradient>(&folder.0);
    app.start();
    app.clock().pause();
    let handle: Handle<FluidGradient> = app.resource::<AssetServer>().load("own.gradient.ron");
    app.insert_resource(FluidColoring::new(FluidColorBy::Speed).with_gradient(handle));
    let first = |app: &App| palette(app).first().map(|color| color.red);
    app.update_until("loaded", |app| first(app) == Some(0.5));
    write(&folder, 0.25);
    app.resource::<AssetServer>().reload("own.gradient.ron");
    app.update_until("reloaded", |app| first(app) == Some(0.25));
    // A file that is wrong says so, and what was there stays.
    write(&folder, 7.0);
    app.resource::<AssetServer>().reload("own.gradient.ron");
    app.update_until("refused", |app| !app.resource::<Errors>().0.is_empty());
    let errors = &app.resource::<Errors>().0;
    assert!(errors[0].contains("red of stop 1 is 7, and must be between 0 and 1"), "{errors:?}");
    assert_eq!(first(&app), Some(0.25));
}

#[test]
fn a_picture_shows_fast_liquid_in_the_colours_of_the_upper_end() {
    let flat = FluidDots { radius: 1.0, softness: 0.0, opacity: 1.0, shading: 0.0, ..default() };
    let Some(mut app) = offscreen(without_gravity(), flat, |_| {}) else { return };
    let (_, picture) = spawn_camera(&mut app, 96);
    for (x, speed) in [(-30.0, 0.0), (0.0, 50.0), (30.0, 100.0)] {
        let (position, velocity) = (Vec2::X * x, Vec2::X * speed);
        app.add_particle(ParticleSpawn { position, velocity, ..default() });
    }
    let stop = |position, color| FluidGradientStop { position, color };
    let (red, blue) = ([1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]);
    let gradient = FluidGradient::new([stop(0.0, red), stop(1.0, blue)]).expect("valid");
    app.clock().pause();
    app.insert_resource(
        FluidColoring::new(FluidColorBy::Speed)
            .with_range(0.0, 100.0)
            .with_gradient(gradient.clone()),
    );
    let image = shoot(&mut app, &picture);
    assert_eq!(at(&image, -30.0, 0.0), [255, 0, 0]);
    assert_eq!(at(&image, 30.0, 0.0), [0, 0, 255]);
    let Srgba { red, green, blue, .. } = gradient.color(128.0 / 255.0).to_srgba();
    for (drawn, expected) in at(&image, 0.0, 0.0).into_iter().zip([red, green, blue]) {
        assert!(drawn.abs_diff((expected * 255.0).round() as u8) <= 1, "the middle");
    }

    // Changed while the fluid is paused.
    app.insert_resource(FluidColoring::default());
    let image = shoot(&mut app, &picture);
    let [red, green, blue, _] = app.resource::<FluidClasses>()[ClassId::MEDIUM].color;
    let class = [red, green, blue].map(|part| (part * 255.0).round() as u8);
    for x in [-30.0, 0.0, 30.0] {
        for (drawn, expected) in at(&image, x, 0.0).into_iter().zip(class) {
            assert!(drawn.abs_diff(expected) <= 1, "{:?} is not {class:?}", at(&image, x, 0.0));
        }
    }
}

#[test]
fn pictures_of_a_dam_break_by_every_quantity() {
    let ground = ClearColor(Color::srgb(0.03, 0.04, 0.06));
    let add = |app: &mut App| _ = app.insert_resource(ground);
    let Some(mut app) = offscreen(default(), FluidDots::default(), add) else { return };
    let (_, picture) = spawn_camera(&mut app, 480);
    app.spawn(FluidContainer::from(Rectangle::new(460.0, 320.0)));
    let water = FluidBlob::from(Rectangle::new(150.0, 260.0));
    app.spawn((water, FluidClass::MEDIUM, xy(-155.0, -30.0)));
    app.spawn((FluidForce::heat(140.0, 400.0), xy(130.0, -130.0)));
    app.spawn((
        FluidEmitter::jet(24.0, 200.0).with_tag(ParticleTag(3)),
        xy(200.0, 100.0).with_rotation(Quat::from_rotation_z(1.2)),
    ));
    app.updates(100);
    app.clock().pause();
    let last = {
        let particles = app.fluid().particles();
        particles.indices_by_slot().last().map(|particle| particles.positions()[particle])
    };
    for (by, gradient) in [
        (FluidColorBy::Speed, "turbo"),
        (FluidColorBy::Pressure, "viridis"),
        (FluidColorBy::Density, "cool_warm"),
        (FluidColorBy::Age, "ice"),
        (FluidColorBy::Temperature, "heat"),
        (FluidColorBy::Tag, "viridis"),
    ] {
        let gradient = FluidGradient::built_in(gradient).expect("there");
        app.insert_resource(FluidColoring::new(by).with_gradient(gradient));
        let image = shoot(&mut app, &picture);
        // The one that nothing is drawn over.
        let index = *indices(&app).last().expect("liquid");
        let expected = palette(&app)[usize::from(index)];
        let last = last.expect("liquid");
        let drawn = at(&image, last.x, last.y);
        let expected = [expected.red, expected.green, expected.blue];
        for (drawn, expected) in drawn.into_iter().zip(expected) {
            // But for its shading.
            let expected = 255.0 * expected;
            assert!((f32::from(drawn) - expected).abs() < 0.2 * expected + 4.0, "{by:?}");
        }
    }
}

#[test]
fn the_files_hold_the_same_gradients_as_those_built_in() {
    let folder = Path::new("../../assets/gradients");
    for name in FluidGradient::BUILT_IN {
        let path = folder.join(format!("{name}.gradient.ron"));
        let text = fs::read_to_string(&path).expect("a file of its own");
        let read = FluidGradient::from_ron(&text).expect(name);
        let built_in = FluidGradient::built_in(name).expect(name);
        assert_eq!(FluidGradient::new(built_in.stops().iter().copied()), Ok(built_in.clone()));
        assert_eq!(read.stops().len(), built_in.stops().len(), "{name}");
        for (read, built_in) in read.stops().iter().zip(built_in.stops()) {
            assert_eq!(read.position, built_in.position, "{name}");
            for (read, built_in) in read.color.into_iter().zip(built_in.color) {
                assert!((read - built_in).abs() < 1.5e-3, "{name}: {read} is not {built_in}");
            }
        }
    }
}

// Pictures of paint: dots and surfaces show the colour of each particle.

/// A dark violet, and its 8-bit numbers.
const VIOLET: Srgba = Srgba::new(0.4, 0.1, 0.6, 1.0);
const VIOLET_BYTES: [u8; 3] = [102, 26, 153];

fn painted(place: Vec2) -> FluidInstance {
    let LinearRgba { red, green, blue, .. } = VIOLET.into();
    // Of a middle shade, which leaves the colour as it is.
    FluidInstance::new(place, place, 0, 0).with_paint([red, green, blue])
}

fn close(found: [u8; 3], wanted: [u8; 3], most: u8) -> bool {
    found.iter().zip(wanted).all(|(one, other)| one.abs_diff(other) <= most)
}

#[test]
fn dots_have_their_own_paint_beside_those_of_their_class() {
    let Some(mut app) = drawing(FluidRenderPlugin::default()) else { return };
    app.spawn(FluidDots { radius: 1.0, softness: 0.0, opacity: 1.0, shading: 0.0, ..default() });
    app.update();
    app.insert_resource(FluidInterpolation(1.0));
    color_classes(&mut app);
    let (_, picture) = spawn_camera(&mut app, SIZE);
    let plain = Vec2::new(30.0, 0.0);
    let both = [painted(Vec2::new(-30.0, 0.0)), FluidInstance::new(plain, plain, 0, 0)];
    app.resource_mut::<FluidInstances>().set(both, SPACING);
    let image = shoot(&mut app, &picture);
    let found = at(&image, -30.0, 0.0);
    assert!(close(found, VIOLET_BYTES, 2), "{found:?}");
    assert_eq!(at(&image, 30.0, 0.0), RED);
    assert_eq!(at(&image, 0.0, 40.0), BLACK);
}

#[test]
fn a_surface_has_the_paint_of_its_particles_and_again_the_colour_of_their_class() {
    let Some((mut app, picture)) = flat() else { return };
    let left = |place: Vec2| place.x < 0.0;
    let plain = |place: Vec2| FluidInstance::new(place, place, 0, 0);
    let places: Vec<Vec2> = lattice(12, |_| true).collect();
    let mixed =
        places.iter().map(|place| if left(*place) { painted(*place) } else { plain(*place) });
    app.resource_mut::<FluidInstances>().set(mixed, SPACING);
    let image = shoot(&mut app, &picture);
    let found = at(&image, -40.0, 0.0);
    assert!(close(found, VIOLET_BYTES, 8), "{found:?}");
    let found = at(&image, 40.0, 0.0);
    assert!(close(found, RED, 8), "{found:?}");
    // Between them it is a mixture.
    let [red, _, blue] = at(&image, 0.0, 0.0);
    assert!((110..250).contains(&red) && (20..145).contains(&blue), "{red}, {blue}");
    app.resource_mut::<FluidInstances>().set(places.iter().map(|place| plain(*place)), SPACING);
    let image = shoot(&mut app, &picture);
    assert_eq!(at(&image, -40.0, 0.0), RED);
}
