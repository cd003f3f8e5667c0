//! The brush: it pours what is chosen, or erases.

use bevy::input::mouse::{AccumulatedMouseScroll, MouseScrollUnit};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;

use super::super::shelf::{self, CHIPS, FIRE, WALL};
use super::super::{BOX, SPACING};

/// Smallest and largest radius of the brush, in world units.
const RADII: [f32; 2] = [6.0, 80.0];

/// Turns of the wheel in pixels that count as one line.
const PIXELS_PER_LINE: f32 = 100.0;

/// What the hand does while a button is held.
#[derive(Clone, Copy, PartialEq)]
pub enum Stroke {
    Use,
    Erase,
}

/// The hand with the brush.
#[derive(Component)]
pub struct Hand {
    /// Number of the chosen chip.
    pub chosen: usize,
    /// Radius of the brush, in world units.
    pub radius: f32,
    /// What it does.
    pub stroke: Option<Stroke>,
    /// Where it was in the frame before, and where it is; `None` outside of the box.
    pub way: Option<[Vec2; 2]>,
}

/// Marks the ring around what the brush reaches.
#[derive(Component)]
pub struct Ring;

pub fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let radius = 22.0;
    let hand = Hand { chosen: 8, radius, stroke: None, way: None };
    commands.spawn((
        hand,
        FluidEmitter::rain(Circle::new(radius), 0.0).with_speed(120.0).stopped(),
        FluidDrain::from(Circle::new(radius)).stopped(),
        // Its own Y axis, along which it pours, is down.
        Transform::from_rotation(Quat::from_rotation_z(std::f32::consts::PI)),
    ));
    let ring = meshes.add(Annulus::new(0.93, 1.0));
    let white = materials.add(Color::srgba(1.0, 1.0, 1.0, 0.7));
    commands.spawn((Ring, Mesh2d(ring), MeshMaterial2d(white), Visibility::Hidden));
}

/// Chooses a material by its key, or by a click on its chip.
pub fn choose(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    buttons: Res<ButtonInput<MouseButton>>,
    pointer: Pointer,
    hand: Single<(Entity, &mut Hand)>,
    mut frame: Single<&mut Transform, With<shelf::Frame>>,
) {
    let (entity, mut hand) = hand.into_inner();
    let typed = CHIPS.iter().position(|(_, key, _)| keys.just_pressed(*key));
    let click = pointer.position().filter(|_| buttons.just_pressed(MouseButton::Left));
    let chosen = typed.or(click.and_then(shelf::chip_at));
    let is_new = hand.is_added();
    let Some(chosen) = chosen.or(is_new.then_some(hand.chosen)) else { return };
    hand.chosen = chosen;
    frame.translation = shelf::place(chosen).extend(frame.translation.z);
    if let Some(material) = FluidMadeOf::built_in(CHIPS[chosen].0) {
        commands.entity(entity).insert(material);
    }
}

/// The wheel makes the brush larger or smaller.
pub fn resize(scroll: Res<AccumulatedMouseScroll>, mut hand: Single<&mut Hand>) {
    let lines = match scroll.unit {
        MouseScrollUnit::Line => scroll.delta.y,
        MouseScrollUnit::Pixel => scroll.delta.y / PIXELS_PER_LINE,
    };
    if lines != 0.0 {
        let larger = hand.radius * (1.15_f32).powf(lines.clamp(-3.0, 3.0));
        hand.radius = larger.clamp(RADII[0], RADII[1]);
    }
}

/// Pours, burns or erases at the pointer.
pub fn work(
    mut commands: Commands,
    buttons: Res<ButtonInput<MouseButton>>,
    pointer: Pointer,
    hand: Single<(Entity, &mut Hand, &mut FluidEmitter, &mut FluidDrain, &mut Transform)>,
    ring: Single<(&mut Transform, &mut Visibility), (With<Ring>, Without<Hand>)>,
) {
    let (entity, mut hand, mut emitter, mut drain, mut place) = hand.into_inner();
    let now = pointer.position().filter(|now| BOX.contains(*now));
    hand.way = now.map(|now| [hand.way.map_or(now, |[_, last]| last), now]);
    hand.stroke = match now {
        Some(_) if buttons.pressed(MouseButton::Right) => Some(Stroke::Erase),
        Some(_) if buttons.pressed(MouseButton::Left) => Some(Stroke::Use),
        _ => None,
    };
    let circle = Circle::new(hand.radius);
    let name = CHIPS[hand.chosen].0;
    let uses = hand.stroke == Some(Stroke::Use);
    emitter.running = uses && name != FIRE && name != WALL;
    drain.running = hand.stroke == Some(Stroke::Erase);
    if emitter.running {
        // Powders and liquids fill the circle about nine times a second.
        let full = circle.area() / (SPACING * SPACING);
        *emitter = FluidEmitter::rain(circle, 9.0 * full).with_speed(120.0);
    }
    if drain.running {
        *drain = circle.into();
    }
    if uses && name == FIRE {
        let fire = FluidAirSource { embers: None, ..FluidAirSource::fire(&circle) };
        commands.entity(entity).insert((fire, FluidForce::heat(1.5 * hand.radius, 500.0)));
    } else {
        commands.entity(entity).remove::<(FluidAirSource, FluidForce)>();
    }
    let (mut shown, mut visibility) = ring.into_inner();
    *visibility = if now.is_some() { Visibility::Visible } else { Visibility::Hidden };
    if let Some(now) = now {
        place.translation = now.extend(0.0);
        *shown = Transform::from_translation(now.extend(5.05)).with_scale(Vec3::splat(hand.radius));
    }
}

/// The pointer in the world.
#[derive(bevy::ecs::system::SystemParam)]
pub struct Pointer<'w, 's> {
    // Pictures are drawn without a window.
    window: Query<'w, 's, &'static Window, With<PrimaryWindow>>,
    camera: Single<'w, 's, (&'static Camera, &'static GlobalTransform)>,
}

impl Pointer<'_, '_> {
    fn position(&self) -> Option<Vec2> {
        let (camera, transform) = *self.camera;
        let cursor = self.window.single().ok()?.cursor_position()?;
        camera.viewport_to_world_2d(transform, cursor).ok()
    }
}
