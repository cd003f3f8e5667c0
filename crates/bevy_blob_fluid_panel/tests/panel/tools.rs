//! The tools that the pointer holds.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid_panel::{FluidPointer, FluidTool, FluidTools};

use super::driver;
use super::page::resource;

pub const PLACE: Vec2 = Vec2::new(60.0, 20.0);

pub fn hold(app: &mut App, tool: FluidTool, at: Vec2) {
    let mut tools = app.world_mut().resource_mut::<FluidTools>();
    *tools = FluidTools {
        tool,
        class: ClassId::LIGHT,
        radius: 4.0,
        strength: 20.0,
        ..FluidTools::default()
    };
    *app.world_mut().resource_mut::<FluidPointer>() =
        FluidPointer { position: Some(at), velocity: Vec2::ZERO, pressed: true };
}

pub fn release(app: &mut App) {
    app.world_mut().resource_mut::<FluidPointer>().pressed = false;
}

pub fn fluid(app: &App) -> &FluidSimulation {
    resource(app)
}

pub fn count(app: &App) -> usize {
    fluid(app).particles().len()
}

pub fn forces(app: &mut App) -> usize {
    app.world_mut().query::<&FluidForce>().iter(app.world()).count()
}

/// A pool without weight, at rest.
pub fn floating() -> App {
    let mut app = driver::app();
    app.world_mut().resource_mut::<FluidSettings>().parameters.gravity = Vec2::ZERO;
    for _ in 0..30 {
        app.update();
    }
    app
}

fn mean_distance(app: &App, to: Vec2) -> f32 {
    let positions = fluid(app).particles().positions();
    positions.iter().map(|at| at.distance(to)).sum::<f32>() / positions.len() as f32
}

#[test]
fn the_brush_pours_its_class_with_room_to_spare_and_stops_when_full() {
    let mut app = floating();
    app.world_mut().resource_mut::<FluidSimulation>().clear();
    hold(&mut app, FluidTool::Pour, PLACE);
    app.update();
    let poured = count(&app);
    let spacing = fluid(&app).parameters().particle_spacing;
    let disc = std::f32::consts::PI * 16.0 / 1.03_f32.powi(2);
    assert!((poured as f32 / disc - 1.0).abs() < 0.35, "{poured} of {disc}");
    let particles = fluid(&app).particles();
    assert!(particles.classes().iter().all(|class| *class == ClassId::LIGHT));
    for (index, at) in particles.positions().iter().enumerate() {
        for other in &particles.positions()[..index] {
            assert!(at.distance(*other) > 0.7 * spacing, "{at} and {other}");
        }
    }
    // Held on, it only fills what has become free.
    for _ in 0..60 {
        app.update();
    }
    assert!(count(&app) < poured + poured / 2, "{poured}, then {}", count(&app));
    release(&mut app);
    let before = count(&app);
    app.update();
    assert_eq!(count(&app), before);
}

#[test]
fn nothing_is_poured_outside_into_colliders_or_beyond_the_capacity() {
    let mut app = floating();
    app.world_mut().resource_mut::<FluidSimulation>().clear();
    hold(&mut app, FluidTool::Pour, Vec2::new(400.0, 0.0));
    app.update();
    assert_eq!(count(&app), 0);
    // Held on, it would pour on its way.
    release(&mut app);
    app.update();
    app.world_mut().spawn((
        FluidCollider::from(Circle::new(60.0)),
        Transform::from_translation(PLACE.extend(0.0)),
    ));
    hold(&mut app, FluidTool::Pour, PLACE);
    app.update();
    app.update();
    assert_eq!(count(&app), 0);
    app.world_mut().resource_mut::<FluidSettings>().capacity = 7;
    hold(&mut app, FluidTool::Pour, Vec2::new(-50.0, 0.0));
    app.update();
    app.update();
    assert_eq!(count(&app), 7);
    let mut tools = app.world_mut().resource_mut::<FluidTools>();
    (tools.radius, tools.class) = (f32::NAN, ClassId(200));
    app.update();
    assert_eq!(count(&app), 7, "a class that is none pours nothing");
}

#[test]
fn the_eraser_takes_what_is_in_the_brush_and_nothing_else() {
    let mut app = floating();
    let before = count(&app);
    hold(&mut app, FluidTool::Erase, Vec2::ZERO);
    app.update();
    let radius = 4.0 * fluid(&app).parameters().particle_spacing;
    assert!(count(&app) < before && count(&app) > 0);
    let nearest = fluid(&app).particles().positions().iter().map(|at| at.length());
    assert!(nearest.fold(f32::MAX, f32::min) > 0.8 * radius);
}

#[test]
fn the_brush_paints_what_is_in_it_where_classes_take_paint() {
    let mut app = floating();
    hold(&mut app, FluidTool::Paint, Vec2::ZERO);
    app.update();
    assert!(fluid(&app).particles().paint_amounts().is_empty());
    let paint = Some(FluidPaint { diffusion: 0.0, ..FluidPaint::default() });
    for class in &mut app.world_mut().resource_mut::<FluidClasses>().classes {
        class.paint = paint;
    }
    app.update();
    app.update();
    let LinearRgba { red, green, blue, .. } = FluidTools::default().paint.to_linear();
    let particles = fluid(&app).particles();
    let radius = 4.0 * fluid(&app).parameters().particle_spacing;
    let mut painted = 0;
    for (index, at) in particles.positions().iter().enumerate() {
        let colour = particles.paint(index).expect("paint");
        let is_painted = Vec3::from(colour).abs_diff_eq(Vec3::new(red, green, blue), 1e-3);
        painted += usize::from(is_painted);
        assert!(at.length() > 0.8 * radius || is_painted, "{colour:?} at {at}");
    }
    assert!((20..particles.len() / 2).contains(&painted), "{painted}");
}

#[test]
fn forces_act_while_they_are_held_and_leave_nothing_behind() {
    for (tool, near) in [(FluidTool::Pull, true), (FluidTool::Push, false)] {
        let mut app = floating();
        let point = Vec2::new(30.0, 0.0);
        hold(&mut app, tool, point);
        app.world_mut().resource_mut::<FluidTools>().radius = 12.0;
        let before = mean_distance(&app, point);
        for _ in 0..20 {
            app.update();
        }
        assert_eq!(forces(&mut app), 1);
        let after = mean_distance(&app, point);
        assert_eq!(after < before, near, "{tool:?}: {before} to {after}");
        release(&mut app);
        app.update();
        assert_eq!(forces(&mut app), 0);
        app.update();
        assert!(fluid(&app).forces().is_empty());
    }
}

#[test]
fn stirring_turns_and_grabbing_takes_along() {
    let mut app = floating();
    hold(&mut app, FluidTool::Stir, Vec2::ZERO);
    app.world_mut().resource_mut::<FluidTools>().radius = 8.0;
    for _ in 0..15 {
        app.update();
    }
    let particles = fluid(&app).particles();
    let turning: f32 = particles
        .positions()
        .iter()
        .zip(particles.velocities())
        .map(|(at, velocity)| at.perp_dot(*velocity))
        .sum();
    assert!(turning > 0.0, "{turning}");

    let mut app = driver::app();
    hold(&mut app, FluidTool::Grab, Vec2::ZERO);
    app.world_mut().resource_mut::<FluidTools>().radius = 10.0;
    app.world_mut().resource_mut::<FluidPointer>().velocity = Vec2::new(150.0, 0.0);
    for _ in 0..15 {
        app.update();
    }
    let velocities = fluid(&app).particles().velocities();
    let mean = velocities.iter().sum::<Vec2>() / velocities.len() as f32;
    assert!(mean.x > 20.0, "{mean}");
}

#[test]
fn no_tool_and_no_pointer_do_nothing() {
    let mut app = driver::app();
    let before = count(&app);
    hold(&mut app, FluidTool::None, Vec2::ZERO);
    app.update();
    for tool in [FluidTool::Pour, FluidTool::Erase, FluidTool::Push] {
        hold(&mut app, tool, Vec2::ZERO);
        app.world_mut().resource_mut::<FluidPointer>().position = None;
        app.update();
        assert_eq!((count(&app), forces(&mut app)), (before, 0));
    }
}

#[test]
fn keys_and_the_wheel_choose_class_and_brush() {
    use bevy::input::mouse::AccumulatedMouseScroll;
    use bevy_blob_fluid_panel::FluidPanel;

    let mut app = driver::app();
    app.init_resource::<ButtonInput<KeyCode>>();
    app.insert_resource(AccumulatedMouseScroll { delta: Vec2::Y, ..default() });
    let press = |app: &mut App, key: KeyCode| {
        let mut keys = app.world_mut().resource_mut::<ButtonInput<KeyCode>>();
        keys.reset_all();
        keys.press(key);
        app.update();
    };
    press(&mut app, KeyCode::Digit3);
    assert_eq!(resource::<FluidTools>(&app).class, ClassId::LIGHT);
    press(&mut app, KeyCode::Digit9);
    assert_eq!(resource::<FluidTools>(&app).class, ClassId::LIGHT, "there are three classes");
    assert_eq!(resource::<FluidTools>(&app).radius, 6.0, "the pointer is nowhere");
    app.world_mut().resource_mut::<FluidTools>().tool = FluidTool::Stir;
    press(&mut app, KeyCode::Digit2);
    let tools = *resource::<FluidTools>(&app);
    assert_eq!((tools.tool, tools.class), (FluidTool::Pour, ClassId::MEDIUM));
    // Without a tool, and without the panel, they are the game's.
    app.world_mut().resource_mut::<FluidPointer>().position = Some(PLACE);
    app.world_mut().resource_mut::<FluidTools>().tool = FluidTool::None;
    press(&mut app, KeyCode::Digit3);
    assert_eq!(*resource::<FluidTools>(&app), FluidTools { tool: FluidTool::None, ..tools });
    press(&mut app, KeyCode::F1);
    assert!(!resource::<FluidPanel>(&app).open);
    *app.world_mut().resource_mut::<FluidTools>() = tools;
    press(&mut app, KeyCode::Digit3);
    assert_eq!(*resource::<FluidTools>(&app), tools);
    press(&mut app, KeyCode::F1);
    let radius = resource::<FluidTools>(&app).radius;
    assert!(radius > 6.0 && radius < 7.0, "{radius}");
}

#[test]
fn a_closed_panel_leaves_the_liquid_alone() {
    use bevy_blob_fluid_panel::FluidPanel;

    for tool in [FluidTool::Pour, FluidTool::Erase, FluidTool::Push, FluidTool::Grab] {
        let mut app = driver::app();
        let before = count(&app);
        let point = if tool == FluidTool::Pour { PLACE } else { Vec2::ZERO };
        hold(&mut app, tool, point);
        app.world_mut().resource_mut::<FluidPanel>().open = false;
        app.update();
        assert_eq!((count(&app), forces(&mut app)), (before, 0), "{tool:?}");
        app.world_mut().resource_mut::<FluidPanel>().open = true;
        app.update();
        assert_ne!((count(&app), forces(&mut app)), (before, 0), "{tool:?}");
        // What is held is let go of.
        app.world_mut().resource_mut::<FluidPanel>().open = false;
        app.update();
        assert_eq!(forces(&mut app), 0, "{tool:?}");
    }
}

#[test]
fn tool_and_look_keep_to_their_class_by_name() {
    use bevy_blob_fluid::render::FluidSurface;
    use bevy_blob_fluid_panel::FluidPanelTab;

    let mut app = driver::app();
    app.world_mut().spawn(FluidSurface::default());
    app.world_mut().resource_mut::<FluidTools>().class = ClassId::LIGHT;
    let mut driver = driver::Driver::new(app, FluidPanelTab::Look);
    driver.click_on("Look of");
    driver.click_on("light");
    driver.press_escape();
    assert!(driver.has_control("Own look"));
    driver.app_mut().update();
    let mut change = |names: &[&str]| {
        let class = |name: &&str| DensityClass { name: (*name).into(), ..default() };
        let classes = FluidClasses::from(names.iter().map(class).collect::<Vec<_>>());
        *driver.app_mut().world_mut().resource_mut::<FluidClasses>() = classes;
        driver.app_mut().update();
        driver.settle();
        // Whose look it is shows in where the new one goes.
        driver.click_on("Own look");
        let world = driver.app_mut().world_mut();
        let mut surface = world.query::<&mut FluidSurface>().single_mut(world).expect("one");
        let looks: Vec<ClassId> = surface.class_looks.drain(..).map(|(class, _)| class).collect();
        driver.settle();
        (resource::<FluidTools>(driver.app()).class, looks)
    };
    let first = ClassId(0);
    assert_eq!(change(&["light", "heavy"]), (first, vec![first]));
    assert_eq!(change(&["heavy", "medium", "tar", "light"]), (ClassId(3), vec![ClassId(3)]));
    // Renamed where it is.
    assert_eq!(change(&["heavy", "medium", "tar", "gas"]), (ClassId(3), vec![ClassId(3)]));
    // Gone.
    assert_eq!(change(&["a", "b", "c", "d", "e"]), (first, vec![first]));
}
