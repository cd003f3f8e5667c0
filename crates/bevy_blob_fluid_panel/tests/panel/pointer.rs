//! Where the pointer is, and what it does between two ticks.

use bevy_blob_fluid_panel::{FluidPointer, FluidTool};

use super::driver;
use super::tools::{PLACE, floating, forces, hold, release};
use crate::app::*;

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
    app.spawn((Camera2d, camera, transform))
}

/// An app with a window, and the left button held down.
fn pressed_in_a_window() -> (App, Entity) {
    let mut app = driver::app();
    let mut buttons = ButtonInput::<MouseButton>::default();
    buttons.press(MouseButton::Left);
    app.insert_resource(buttons);
    let window = Window { resolution: (1280, 720).into(), ..default() };
    let window = app.spawn((window, bevy::window::PrimaryWindow));
    (app, window)
}

fn point(app: &mut App, window: Entity, x: f64, y: f64) -> Option<Vec2> {
    let mut window = app.world_mut().get_mut::<Window>(window).expect("a window");
    window.set_physical_cursor_position(Some(bevy::math::DVec2::new(x, y)));
    app.update();
    app.resource::<FluidPointer>().position
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
    // And that of another window.
    let second = app.spawn(Window::default());
    let other = camera(&mut app, Vec2::splat(8e3), 0, 1280, 30);
    app.insert(other, RenderTarget::Window(bevy::window::WindowRef::Entity(second)));
    app.update();
    let near = |found: Option<Vec2>, wanted: Vec2| {
        assert!(found.is_some_and(|found| found.distance(wanted) < 1e-2), "{found:?}, {wanted}");
    };
    near(point(&mut app, window, 330.0, 360.0), Vec2::new(10.0, 0.0));
    assert!(app.resource::<FluidPointer>().pressed);
    near(point(&mut app, window, 960.0, 340.0), Vec2::new(1000.0, 70.0));
    // Where two overlap it is the one on top.
    camera(&mut app, Vec2::splat(-500.0), 0, 1280, 1);
    app.update();
    near(point(&mut app, window, 640.0, 360.0), Vec2::splat(-500.0));
    // A camera that is off sees nothing.
    let mut cameras = app.world_mut().query::<&mut Camera>();
    let all: Vec<_> = cameras.iter(app.world()).map(|camera| camera.order).collect();
    assert_eq!(all.len(), 6);
    for mut camera in cameras.iter_mut(app.world_mut()) {
        camera.is_active = camera.order == 0;
    }
    near(point(&mut app, window, 640.5, 360.0), Vec2::new(680.5, 50.0));
    app.despawn(right);
    assert_eq!(point(&mut app, window, 960.0, 360.0), None);
}

#[test]
fn a_window_that_goes_takes_its_pointer_along() {
    let (mut app, window) = pressed_in_a_window();
    camera(&mut app, Vec2::ZERO, 0, 1280, 0);
    app.update();
    assert!(point(&mut app, window, 640.0, 360.0).is_some());
    assert!(app.resource::<FluidPointer>().pressed);
    app.despawn(window);
    app.update();
    assert_eq!(*app.resource::<FluidPointer>(), FluidPointer::default());
    // From now on it is the app's.
    hold(&mut app, FluidTool::Push, Vec2::ZERO);
    app.updates(2);
    assert!(app.resource::<FluidPointer>().pressed);
    assert_eq!(forces(&mut app), 1);
}

/// An empty container that ticks every tenth frame.
fn slow_and_empty() -> App {
    let mut app = floating();
    app.fluid_mut().clear();
    app.clock().set_relative_speed(0.1);
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
    let ticks = app.fluid().ticks();
    app.updates(12);
    assert!(app.fluid().ticks() > ticks);
    let spacing = app.fluid().parameters().particle_spacing;
    for piece in ends.windows(2) {
        for number in 0..=100 {
            let at = piece[0].lerp(piece[1], number as f32 / 100.0);
            let near = app.fluid().nearest(at, 2.0 * spacing, ClassFilter::ALL);
            assert!(near.is_some(), "nothing near {at}");
        }
    }
    let positions = app.positions();
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
    app.updates(12);
    for end in ends {
        assert_eq!(app.fluid().nearest(end, 2.0 * spacing, ClassFilter::ALL), None, "{end}");
    }
    let between = ends[0].lerp(ends[1], 0.5);
    assert_eq!(app.fluid().nearest(between, 2.0 * spacing, ClassFilter::ALL), None);
}

#[test]
fn a_short_click_pours_once_however_slow_the_liquid_is() {
    let mut app = slow_and_empty();
    hold(&mut app, FluidTool::Pour, PLACE);
    app.update();
    release(&mut app);
    app.updates(12);
    let poured = app.particles();
    assert!(poured > 20, "{poured}");
    app.updates(24);
    assert_eq!(app.particles(), poured);
    // A stroke that was begun with another tool is forgotten with that.
    hold(&mut app, FluidTool::Erase, PLACE);
    app.update();
    let poured = app.particles();
    hold(&mut app, FluidTool::None, PLACE);
    release(&mut app);
    app.updates(12);
    assert_eq!(app.particles(), poured);
}

#[test]
fn a_paused_liquid_is_poured_and_erased_at_once() {
    let mut app = slow_and_empty();
    app.clock().pause();
    let ticks = app.fluid().ticks();
    hold(&mut app, FluidTool::Pour, PLACE);
    app.update();
    let poured = app.particles();
    assert!(poured > 20, "{poured}");
    app.updates(10);
    assert!(app.particles() < poured + poured / 5, "{poured}, then {}", app.particles());
    hold(&mut app, FluidTool::Erase, PLACE);
    app.update();
    assert_eq!(app.particles(), 0);
    assert_eq!(app.fluid().ticks(), ticks);
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
    app.spawn((window, PrimaryWindow));
    app.update();
    assert!(app.resource::<FluidPointer>().pressed);
    app.resource_mut::<ButtonInput<MouseButton>>().clear();
    app.update();
    assert!(!app.resource::<FluidPointer>().pressed);
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
    let window = app.spawn((window, bevy::window::PrimaryWindow));
    camera(&mut app, Vec2::ZERO, 0, 1280, 0);
    let touch_by = |app: &mut App, id, phase, x, y| {
        let position = Vec2::new(x, y);
        app.world_mut().write_message(TouchInput { phase, position, window, force: None, id });
        app.update();
        *app.resource::<FluidPointer>()
    };
    let touch = |app: &mut App, phase, x, y| touch_by(app, 7, phase, x, y);
    let first = touch(&mut app, TouchPhase::Started, 600.0, 360.0);
    assert_eq!(first, FluidPointer::default(), "egui does not know it yet");
    let held = touch(&mut app, TouchPhase::Moved, 660.0, 350.0);
    let position = held.position.expect("a place");
    assert!(position.distance(Vec2::new(20.0, 10.0)) < 1e-2 && held.pressed, "{held:?}");
    // Others do not move it, and take over only a frame after it is lifted.
    for id in [0, 1, 2, 3, 20, 21] {
        touch_by(&mut app, id, TouchPhase::Started, 100.0, 100.0);
        let held = touch_by(&mut app, id, TouchPhase::Moved, 900.0, 100.0);
        assert_eq!((held.position, held.pressed), (Some(position), true), "{id}");
        if id > 3 {
            touch_by(&mut app, id, TouchPhase::Ended, 900.0, 100.0);
        }
    }
    let lifted = touch(&mut app, TouchPhase::Ended, 660.0, 350.0);
    assert_eq!(lifted, FluidPointer::default());
    let next = touch_by(&mut app, 3, TouchPhase::Moved, 650.0, 360.0);
    assert!(next.pressed && next.position.is_some_and(|place| place.distance(position) > 200.0));
    for id in 0..4 {
        touch_by(&mut app, id, TouchPhase::Ended, 900.0, 100.0);
    }
    assert_eq!(*app.resource::<FluidPointer>(), FluidPointer::default());
}
