//! The tools that the pointer holds.

use bevy_blob_fluid_panel::{FluidPointer, FluidTool, FluidTools};

use super::driver;
use crate::app::*;

pub const PLACE: Vec2 = Vec2::new(60.0, 20.0);

pub fn hold(app: &mut App, tool: FluidTool, at: Vec2) {
    let mut tools = app.resource_mut::<FluidTools>();
    *tools = FluidTools {
        tool,
        class: ClassId::LIGHT,
        radius: 4.0,
        strength: 20.0,
        ..FluidTools::default()
    };
    *app.resource_mut::<FluidPointer>() =
        FluidPointer { position: Some(at), velocity: Vec2::ZERO, pressed: true };
}

pub fn release(app: &mut App) {
    app.resource_mut::<FluidPointer>().pressed = false;
}

pub fn forces(app: &mut App) -> usize {
    app.world_mut().query::<&FluidForce>().iter(app.world()).count()
}

/// A pool without weight, at rest.
pub fn floating() -> App {
    let mut app = driver::app();
    app.settings().parameters.gravity = Vec2::ZERO;
    app.updates(30);
    app
}

fn mean_distance(app: &App, to: Vec2) -> f32 {
    let positions = app.positions();
    positions.iter().map(|at| at.distance(to)).sum::<f32>() / positions.len() as f32
}

#[test]
fn the_brush_pours_its_class_with_room_to_spare_and_stops_when_full() {
    let mut app = floating();
    app.fluid_mut().clear();
    hold(&mut app, FluidTool::Pour, PLACE);
    app.update();
    let poured = app.particles();
    let spacing = app.fluid().parameters().particle_spacing;
    let disc = std::f32::consts::PI * 16.0 / 1.03_f32.powi(2);
    assert!((poured as f32 / disc - 1.0).abs() < 0.35, "{poured} of {disc}");
    let particles = app.fluid().particles();
    assert!(particles.classes().iter().all(|class| *class == ClassId::LIGHT));
    for (index, at) in particles.positions().iter().enumerate() {
        for other in &particles.positions()[..index] {
            assert!(at.distance(*other) > 0.7 * spacing, "{at} and {other}");
        }
    }
    // Held on, it only fills what has become free.
    app.updates(60);
    assert!(app.particles() < poured + poured / 2, "{poured}, then {}", app.particles());
    release(&mut app);
    let before = app.particles();
    app.update();
    assert_eq!(app.particles(), before);
}

#[test]
fn nothing_is_poured_outside_into_colliders_or_beyond_the_capacity() {
    let mut app = floating();
    app.fluid_mut().clear();
    hold(&mut app, FluidTool::Pour, Vec2::new(400.0, 0.0));
    app.update();
    assert_eq!(app.particles(), 0);
    // Held on, it would pour on its way.
    release(&mut app);
    app.update();
    app.spawn((FluidCollider::from(Circle::new(60.0)), xy(PLACE.x, PLACE.y)));
    hold(&mut app, FluidTool::Pour, PLACE);
    app.updates(2);
    assert_eq!(app.particles(), 0);
    app.settings().capacity = 7;
    hold(&mut app, FluidTool::Pour, Vec2::new(-50.0, 0.0));
    app.updates(2);
    assert_eq!(app.particles(), 7);
    let mut tools = app.resource_mut::<FluidTools>();
    (tools.radius, tools.class) = (f32::NAN, ClassId(200));
    app.update();
    assert_eq!(app.particles(), 7, "a class that is none pours nothing");
}

#[test]
fn the_eraser_takes_what_is_in_the_brush_and_nothing_else() {
    let mut app = floating();
    let before = app.particles();
    hold(&mut app, FluidTool::Erase, Vec2::ZERO);
    app.update();
    let radius = 4.0 * app.fluid().parameters().particle_spacing;
    assert!(app.particles() < before && app.particles() > 0);
    let nearest = app.positions().iter().map(|at| at.length());
    assert!(nearest.fold(f32::MAX, f32::min) > 0.8 * radius);
}

#[test]
fn the_brush_paints_what_is_in_it_where_classes_take_paint() {
    let mut app = floating();
    hold(&mut app, FluidTool::Paint, Vec2::ZERO);
    app.update();
    assert!(app.fluid().particles().paint_amounts().is_empty());
    let paint = Some(FluidPaint { diffusion: 0.0, ..FluidPaint::default() });
    for class in &mut app.resource_mut::<FluidClasses>().classes {
        class.paint = paint;
    }
    app.updates(2);
    let LinearRgba { red, green, blue, .. } = FluidTools::default().paint.to_linear();
    let particles = app.fluid().particles();
    let radius = 4.0 * app.fluid().parameters().particle_spacing;
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
        app.resource_mut::<FluidTools>().radius = 12.0;
        let before = mean_distance(&app, point);
        app.updates(20);
        assert_eq!(forces(&mut app), 1);
        let after = mean_distance(&app, point);
        assert_eq!(after < before, near, "{tool:?}: {before} to {after}");
        release(&mut app);
        app.update();
        assert_eq!(forces(&mut app), 0);
        app.update();
        assert!(app.fluid().forces().is_empty());
    }
}

#[test]
fn stirring_turns_and_grabbing_takes_along() {
    let mut app = floating();
    hold(&mut app, FluidTool::Stir, Vec2::ZERO);
    app.resource_mut::<FluidTools>().radius = 8.0;
    app.updates(15);
    let particles = app.fluid().particles();
    let turning: f32 = particles
        .positions()
        .iter()
        .zip(particles.velocities())
        .map(|(at, velocity)| at.perp_dot(*velocity))
        .sum();
    assert!(turning > 0.0, "{turning}");

    let mut app = driver::app();
    hold(&mut app, FluidTool::Grab, Vec2::ZERO);
    app.resource_mut::<FluidTools>().radius = 10.0;
    app.resource_mut::<FluidPointer>().velocity = Vec2::new(150.0, 0.0);
    app.updates(15);
    let velocities = app.velocities();
    let mean = velocities.iter().sum::<Vec2>() / velocities.len() as f32;
    assert!(mean.x > 20.0, "{mean}");
}

#[test]
fn no_tool_and_no_pointer_do_nothing() {
    let mut app = driver::app();
    let before = app.particles();
    hold(&mut app, FluidTool::None, Vec2::ZERO);
    app.update();
    for tool in [FluidTool::Pour, FluidTool::Erase, FluidTool::Push] {
        hold(&mut app, tool, Vec2::ZERO);
        app.resource_mut::<FluidPointer>().position = None;
        app.update();
        assert_eq!((app.particles(), forces(&mut app)), (before, 0));
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
        let mut keys = app.resource_mut::<ButtonInput<KeyCode>>();
        keys.reset_all();
        keys.press(key);
        app.update();
    };
    press(&mut app, KeyCode::Digit3);
    assert_eq!(app.resource::<FluidTools>().class, ClassId::LIGHT);
    press(&mut app, KeyCode::Digit9);
    assert_eq!(app.resource::<FluidTools>().class, ClassId::LIGHT, "there are three classes");
    assert_eq!(app.resource::<FluidTools>().radius, 6.0, "the pointer is nowhere");
    app.resource_mut::<FluidTools>().tool = FluidTool::Stir;
    press(&mut app, KeyCode::Digit2);
    let tools = *app.resource::<FluidTools>();
    assert_eq!((tools.tool, tools.class), (FluidTool::Pour, ClassId::MEDIUM));
    // Without a tool, and without the panel, they are the game's.
    app.resource_mut::<FluidPointer>().position = Some(PLACE);
    app.resource_mut::<FluidTools>().tool = FluidTool::None;
    press(&mut app, KeyCode::Digit3);
    assert_eq!(*app.resource::<FluidTools>(), FluidTools { tool: FluidTool::None, ..tools });
    press(&mut app, KeyCode::F1);
    assert!(!app.resource::<FluidPanel>().open);
    *app.resource_mut::<FluidTools>() = tools;
    press(&mut app, KeyCode::Digit3);
    assert_eq!(*app.resource::<FluidTools>(), tools);
    press(&mut app, KeyCode::F1);
    let radius = app.resource::<FluidTools>().radius;
    assert!(radius > 6.0 && radius < 7.0, "{radius}");
}

#[test]
fn a_closed_panel_leaves_the_liquid_alone() {
    use bevy_blob_fluid_panel::FluidPanel;

    for tool in [FluidTool::Pour, FluidTool::Erase, FluidTool::Push, FluidTool::Grab] {
        let mut app = driver::app();
        let before = app.particles();
        let point = if tool == FluidTool::Pour { PLACE } else { Vec2::ZERO };
        hold(&mut app, tool, point);
        app.resource_mut::<FluidPanel>().open = false;
        app.update();
        assert_eq!((app.particles(), forces(&mut app)), (before, 0), "{tool:?}");
        app.resource_mut::<FluidPanel>().open = true;
        app.update();
        assert_ne!((app.particles(), forces(&mut app)), (before, 0), "{tool:?}");
        // What is held is let go of.
        app.resource_mut::<FluidPanel>().open = false;
        app.update();
        assert_eq!(forces(&mut app), 0, "{tool:?}");
    }
}

#[test]
fn tool_and_look_keep_to_their_class_by_name() {
    use bevy_blob_fluid::render::FluidSurface;
    use bevy_blob_fluid_panel::FluidPanelTab;

    let mut app = driver::app();
    app.spawn(FluidSurface::default());
    app.resource_mut::<FluidTools>().class = ClassId::LIGHT;
    let mut driver = driver::Driver::new(app, FluidPanelTab::Look);
    driver.click_on("Look of");
    driver.click_on("light");
    driver.press_escape();
    assert!(driver.has_control("Own look"));
    driver.app_mut().update();
    let mut change = |names: &[&str]| {
        let class = |name: &&str| DensityClass { name: (*name).into(), ..default() };
        let classes = FluidClasses::from(names.iter().map(class).collect::<Vec<_>>());
        *driver.app_mut().resource_mut::<FluidClasses>() = classes;
        driver.app_mut().update();
        driver.settle();
        // Whose look it is shows in where the new one goes.
        driver.click_on("Own look");
        let world = driver.app_mut().world_mut();
        let mut surface = world.query::<&mut FluidSurface>().single_mut(world).expect("one");
        let looks: Vec<FluidClassFilter> =
            surface.class_looks.drain(..).map(|(classes, _)| classes).collect();
        driver.settle();
        (driver.app().resource::<FluidTools>().class, looks)
    };
    let one = |index: u8| (ClassId(index), vec![ClassId(index).into()]);
    assert_eq!(change(&["light", "heavy"]), one(0));
    assert_eq!(change(&["heavy", "medium", "tar", "light"]), one(3));
    // Renamed where it is.
    assert_eq!(change(&["heavy", "medium", "tar", "gas"]), one(3));
    // Gone.
    assert_eq!(change(&["a", "b", "c", "d", "e"]), one(0));
}
