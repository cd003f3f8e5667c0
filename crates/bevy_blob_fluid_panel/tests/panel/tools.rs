//! The tools that the pointer holds.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid_panel::{FluidPointer, FluidTool, FluidTools};

use super::driver;
use super::page::resource;

const PLACE: Vec2 = Vec2::new(60.0, 20.0);

fn hold(app: &mut App, tool: FluidTool, at: Vec2) {
    let mut tools = app.world_mut().resource_mut::<FluidTools>();
    *tools = FluidTools { tool, class: FluidClassId::LIGHT, radius: 4.0, strength: 20.0 };
    *app.world_mut().resource_mut::<FluidPointer>() =
        FluidPointer { position: Some(at), velocity: Vec2::ZERO, pressed: true };
}

fn release(app: &mut App) {
    app.world_mut().resource_mut::<FluidPointer>().pressed = false;
}

fn fluid(app: &App) -> &FluidSimulation {
    resource(app)
}

fn count(app: &App) -> usize {
    fluid(app).particles().len()
}

fn forces(app: &mut App) -> usize {
    app.world_mut().query::<&FluidForce>().iter(app.world()).count()
}

/// A pool without weight, at rest.
fn floating() -> App {
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
    assert!(particles.classes().iter().all(|class| *class == FluidClassId::LIGHT));
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
    (tools.radius, tools.class) = (f32::NAN, FluidClassId(200));
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
    assert_eq!(resource::<FluidTools>(&app).class, FluidClassId::LIGHT);
    press(&mut app, KeyCode::Digit9);
    assert_eq!(resource::<FluidTools>(&app).class, FluidClassId::LIGHT, "there are three classes");
    assert_eq!(resource::<FluidTools>(&app).radius, 6.0, "the pointer is nowhere");
    app.world_mut().resource_mut::<FluidTools>().tool = FluidTool::Stir;
    press(&mut app, KeyCode::Digit2);
    let tools = *resource::<FluidTools>(&app);
    assert_eq!((tools.tool, tools.class), (FluidTool::Pour, FluidClassId::MEDIUM));
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
    app.world_mut().resource_mut::<FluidTools>().class = FluidClassId::LIGHT;
    let mut driver = driver::Driver::new(app, FluidPanelTab::Look);
    driver.click_on("Look of");
    driver.click_on("light");
    driver.press_escape();
    assert!(driver.has_control("Own look"));
    driver.app_mut().update();
    let mut change = |names: &[&str]| {
        let class = |name: &&str| FluidDensityClass { name: (*name).into(), ..default() };
        let classes = FluidClasses::from(names.iter().map(class).collect::<Vec<_>>());
        *driver.app_mut().world_mut().resource_mut::<FluidClasses>() = classes;
        driver.app_mut().update();
        driver.settle();
        // Whose look it is shows in where the new one goes.
        driver.click_on("Own look");
        let world = driver.app_mut().world_mut();
        let mut surface = world.query::<&mut FluidSurface>().single_mut(world).expect("one");
        let looks: Vec<FluidClassId> =
            surface.class_looks.drain(..).map(|(class, _)| class).collect();
        driver.settle();
        (resource::<FluidTools>(driver.app()).class, looks)
    };
    let first = FluidClassId(0);
    assert_eq!(change(&["light", "heavy"]), (first, vec![first]));
    assert_eq!(
        change(&["heavy", "medium", "tar", "light"]),
        (FluidClassId(3), vec![FluidClassId(3)])
    );
    // Renamed where it is.
    assert_eq!(
        change(&["heavy", "medium", "tar", "gas"]),
        (FluidClassId(3), vec![FluidClassId(3)])
    );
    // Gone.
    assert_eq!(change(&["a", "b", "c", "d", "e"]), (first, vec![first]));
}

/// A camera that sees the world around `centre` in a part of a window of 1280 by 720 pixels.
fn camera(app: &mut App, centre: Vec2, left: u32, width: u32, order: isize) -> Entity {
    use bevy::camera::{CameraProjection, RenderTargetInfo, Viewport};

    let mut projection = OrthographicProjection::default_2d();
    projection.update(width as f32, 720.0);
    let mut camera = Camera { order, ..default() };
    camera.viewport = Some(Viewport {
        physical_position: UVec2::new(left, 0),
        physical_size: UVec2::new(width, 720),
        ..default()
    });
    camera.computed.clip_from_view = projection.get_clip_from_view();
    camera.computed.target_info =
        Some(RenderTargetInfo { physical_size: UVec2::new(1280, 720), scale_factor: 1.0 });
    let transform = Transform::from_translation(centre.extend(0.0));
    app.world_mut().spawn((Camera2d, camera, transform)).id()
}

/// An app with a window, and the left button held down.
fn pressed_in_a_window() -> (App, Entity) {
    let mut app = driver::app();
    let mut buttons = ButtonInput::<MouseButton>::default();
    buttons.press(MouseButton::Left);
    app.insert_resource(buttons);
    let window = Window { resolution: (1280, 720).into(), ..default() };
    let window = app.world_mut().spawn((window, bevy::window::PrimaryWindow)).id();
    (app, window)
}

fn point(app: &mut App, window: Entity, x: f64, y: f64) -> Option<Vec2> {
    let mut window = app.world_mut().get_mut::<Window>(window).expect("a window");
    window.set_physical_cursor_position(Some(bevy::math::DVec2::new(x, y)));
    app.update();
    resource::<FluidPointer>(app).position
}

#[test]
fn the_pointer_is_where_the_camera_below_it_sees_it() {
    use bevy::camera::RenderTarget;
    use bevy::camera::visibility::RenderLayers;

    let (mut app, window) = pressed_in_a_window();
    assert_eq!(point(&mut app, window, 320.0, 360.0), None, "no camera, no place");
    camera(&mut app, Vec2::ZERO, 0, 640, 0);
    let right = camera(&mut app, Vec2::new(1000.0, 50.0), 640, 640, 0);
    // A panel's own camera, and one that draws into an image.
    let panel = camera(&mut app, Vec2::splat(7e3), 0, 1280, 10);
    app.world_mut().entity_mut(panel).insert(RenderLayers::none());
    let image = camera(&mut app, Vec2::splat(9e3), 0, 1280, 20);
    app.world_mut().entity_mut(image).insert(RenderTarget::Image(Handle::default().into()));
    app.update();
    let near = |found: Option<Vec2>, wanted: Vec2| {
        assert!(found.is_some_and(|found| found.distance(wanted) < 1e-2), "{found:?}, {wanted}");
    };
    near(point(&mut app, window, 330.0, 360.0), Vec2::new(10.0, 0.0));
    assert!(resource::<FluidPointer>(&app).pressed);
    near(point(&mut app, window, 960.0, 340.0), Vec2::new(1000.0, 70.0));
    // Where two overlap it is the one on top.
    camera(&mut app, Vec2::splat(-500.0), 0, 1280, 1);
    app.update();
    near(point(&mut app, window, 640.0, 360.0), Vec2::splat(-500.0));
    // A camera that is off sees nothing.
    let mut cameras = app.world_mut().query::<&mut Camera>();
    let all: Vec<_> = cameras.iter(app.world()).map(|camera| camera.order).collect();
    assert_eq!(all.len(), 5);
    for mut camera in cameras.iter_mut(app.world_mut()) {
        camera.is_active = camera.order == 0;
    }
    near(point(&mut app, window, 640.5, 360.0), Vec2::new(680.5, 50.0));
    app.world_mut().despawn(right);
    assert_eq!(point(&mut app, window, 960.0, 360.0), None);
}

#[test]
fn a_window_that_goes_takes_its_pointer_along() {
    let (mut app, window) = pressed_in_a_window();
    camera(&mut app, Vec2::ZERO, 0, 1280, 0);
    app.update();
    assert!(point(&mut app, window, 640.0, 360.0).is_some());
    assert!(resource::<FluidPointer>(&app).pressed);
    app.world_mut().despawn(window);
    app.update();
    assert_eq!(*resource::<FluidPointer>(&app), FluidPointer::default());
    // From now on it is the app's.
    hold(&mut app, FluidTool::Push, Vec2::ZERO);
    app.update();
    app.update();
    assert!(resource::<FluidPointer>(&app).pressed);
    assert_eq!(forces(&mut app), 1);
}

fn set_speed(app: &mut App, speed: f64) {
    app.world_mut().resource_mut::<Time<Fluid>>().set_relative_speed(speed);
}

/// An empty container that ticks every tenth frame.
fn slow_and_empty() -> App {
    let mut app = floating();
    app.world_mut().resource_mut::<FluidSimulation>().clear();
    set_speed(&mut app, 0.1);
    app
}

#[test]
fn a_fast_stroke_between_two_ticks_leaves_no_gaps() {
    let mut app = slow_and_empty();
    let ends = [Vec2::new(-90.0, 0.0), Vec2::new(0.0, 60.0), Vec2::new(90.0, 0.0)];
    for end in ends {
        hold(&mut app, FluidTool::Pour, end);
        app.update();
    }
    release(&mut app);
    let ticks = fluid(&app).ticks();
    for _ in 0..12 {
        app.update();
    }
    assert!(fluid(&app).ticks() > ticks);
    let spacing = fluid(&app).parameters().particle_spacing;
    for piece in ends.windows(2) {
        for number in 0..=100 {
            let at = piece[0].lerp(piece[1], number as f32 / 100.0);
            let near = fluid(&app).nearest(at, 2.0 * spacing, FluidClassFilter::ALL);
            assert!(near.is_some(), "nothing near {at}");
        }
    }
    let positions = fluid(&app).particles().positions();
    for (index, at) in positions.iter().enumerate() {
        for other in &positions[..index] {
            assert!(at.distance(*other) > 0.6 * spacing, "{at} and {other}");
        }
    }
    // It goes the same way again.
    for end in ends {
        hold(&mut app, FluidTool::Erase, end);
        app.update();
    }
    release(&mut app);
    for _ in 0..12 {
        app.update();
    }
    for end in ends {
        assert_eq!(fluid(&app).nearest(end, 2.0 * spacing, FluidClassFilter::ALL), None, "{end}");
    }
    let between = ends[0].lerp(ends[1], 0.5);
    assert_eq!(fluid(&app).nearest(between, 2.0 * spacing, FluidClassFilter::ALL), None);
}

#[test]
fn a_short_click_pours_once_however_slow_the_liquid_is() {
    let mut app = slow_and_empty();
    hold(&mut app, FluidTool::Pour, PLACE);
    app.update();
    release(&mut app);
    for _ in 0..12 {
        app.update();
    }
    let poured = count(&app);
    assert!(poured > 20, "{poured}");
    for _ in 0..24 {
        app.update();
    }
    assert_eq!(count(&app), poured);
    // A stroke that was begun with another tool is forgotten with that.
    hold(&mut app, FluidTool::Erase, PLACE);
    app.update();
    let poured = count(&app);
    hold(&mut app, FluidTool::None, PLACE);
    release(&mut app);
    for _ in 0..12 {
        app.update();
    }
    assert_eq!(count(&app), poured);
}

#[test]
fn a_paused_liquid_is_poured_and_erased_at_once() {
    let mut app = slow_and_empty();
    app.world_mut().resource_mut::<Time<Fluid>>().pause();
    let ticks = fluid(&app).ticks();
    hold(&mut app, FluidTool::Pour, PLACE);
    app.update();
    let poured = count(&app);
    assert!(poured > 20, "{poured}");
    for _ in 0..10 {
        app.update();
    }
    assert!(count(&app) < poured + poured / 5, "{poured}, then {}", count(&app));
    hold(&mut app, FluidTool::Erase, PLACE);
    app.update();
    assert_eq!(count(&app), 0);
    assert_eq!(fluid(&app).ticks(), ticks);
}

#[test]
fn a_click_within_a_frame_counts() {
    use bevy::window::PrimaryWindow;

    let mut app = driver::app();
    let mut buttons = ButtonInput::<MouseButton>::default();
    buttons.press(MouseButton::Left);
    buttons.release(MouseButton::Left);
    app.insert_resource(buttons);
    let window = Window { resolution: (1280, 720).into(), ..default() };
    app.world_mut().spawn((window, PrimaryWindow));
    app.update();
    assert!(resource::<FluidPointer>(&app).pressed);
    app.world_mut().resource_mut::<ButtonInput<MouseButton>>().clear();
    app.update();
    assert!(!resource::<FluidPointer>(&app).pressed);
}

#[test]
fn a_finger_is_the_pointer_from_its_second_frame_on() {
    use bevy::input::InputSystems;
    use bevy::input::touch::{TouchInput, TouchPhase, Touches, touch_screen_input_system};

    let mut app = driver::app();
    app.add_message::<TouchInput>()
        .init_resource::<Touches>()
        .add_systems(PreUpdate, touch_screen_input_system.in_set(InputSystems));
    let window = Window { resolution: (1280, 720).into(), ..default() };
    let window = app.world_mut().spawn((window, bevy::window::PrimaryWindow)).id();
    camera(&mut app, Vec2::ZERO, 0, 1280, 0);
    let touch = |app: &mut App, phase, x, y| {
        app.world_mut().write_message(TouchInput {
            phase,
            position: Vec2::new(x, y),
            window,
            force: None,
            id: 7,
        });
        app.update();
        *resource::<FluidPointer>(app)
    };
    let first = touch(&mut app, TouchPhase::Started, 600.0, 360.0);
    assert_eq!(first, FluidPointer::default(), "egui does not know it yet");
    let held = touch(&mut app, TouchPhase::Moved, 660.0, 350.0);
    let position = held.position.expect("a place");
    assert!(position.distance(Vec2::new(20.0, 10.0)) < 1e-2 && held.pressed, "{held:?}");
    let lifted = touch(&mut app, TouchPhase::Ended, 660.0, 350.0);
    assert_eq!(lifted, FluidPointer::default());
}
