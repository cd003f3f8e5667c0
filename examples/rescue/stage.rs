//! What levels are made of.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

/// Goes with its level.
#[derive(Component, Clone, Copy, Default)]
pub(crate) struct OfLevel;

/// The one that is to be rescued.
#[derive(Component)]
pub(crate) struct Duck;

/// Where the duck is safe.
#[derive(Component)]
pub(crate) struct Nest;

/// A flame that the duck must not meet.
#[derive(Component)]
pub(crate) struct Flame;

/// Where liquid runs off.
#[derive(Component)]
pub(crate) struct Grate;

/// What a click or a number key works: its number, from 1, and whether it is on.
#[derive(Component)]
pub(crate) struct Lever {
    pub number: usize,
    pub is_on: bool,
}

/// A gate: its place while it is shut, and where it goes to.
#[derive(Component)]
pub(crate) struct Gate {
    pub shut: Vec2,
    pub open: Vec2,
}

/// What a lever is drawn as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Gate,
    Tap,
    Pump,
}

/// The wheel of a lever, for [`scenery`](super::scenery).
#[derive(Component, Clone, Copy)]
pub(crate) struct Wheel(pub Work);

/// Builds a level.
pub(crate) struct Stage<'a, 'w, 's> {
    pub commands: &'a mut Commands<'w, 's>,
    levers: usize,
}

impl<'a, 'w, 's> Stage<'a, 'w, 's> {
    pub(crate) fn new(commands: &'a mut Commands<'w, 's>) -> Self {
        Self { commands, levers: 0 }
    }

    /// A wall from one corner to the opposite one.
    pub(crate) fn wall(&mut self, low: (f32, f32), high: (f32, f32)) {
        let (low, high) = (Vec2::from(low), Vec2::from(high));
        let size = high - low;
        let place = Transform::from_translation((0.5 * (low + high)).extend(0.0));
        self.commands.spawn((OfLevel, FluidCollider::from(Rectangle::new(size.x, size.y)), place));
    }

    /// A slope between two points, and all below it down to a height.
    pub(crate) fn slope(&mut self, from: (f32, f32), to: (f32, f32), foot: f32) {
        let corners = [from, to, (to.0, foot), (from.0, foot)].map(Vec2::from);
        self.commands.spawn((OfLevel, FluidCollider::from(Polygon::new(corners))));
    }

    /// Liquid from one corner to the opposite one.
    pub(crate) fn liquid(&mut self, class: FluidClass, low: (f32, f32), high: (f32, f32)) {
        let (low, high) = (Vec2::from(low), Vec2::from(high));
        let size = high - low - 8.0;
        let place = Transform::from_translation((0.5 * (low + high)).extend(0.0));
        let blob = FluidBlob::from(Rectangle::new(size.x, size.y));
        self.commands.spawn((OfLevel, blob, class, place));
    }

    fn lever(&mut self, is_on: bool) -> Lever {
        self.levers += 1;
        Lever { number: self.levers, is_on }
    }

    /// A gate of this size, which goes to another place when it is opened.
    pub(crate) fn gate(
        &mut self,
        size: (f32, f32),
        shut: (f32, f32),
        open: (f32, f32),
        is_open: bool,
    ) {
        let (shut, open) = (Vec2::from(shut), Vec2::from(open));
        let lever = self.lever(is_open);
        let at = if is_open { open } else { shut };
        self.commands.spawn((
            OfLevel,
            lever,
            Gate { shut, open },
            Wheel(Work::Gate),
            FluidCollider::from(Rectangle::new(size.0, size.1)),
            FluidSolidColor(Color::srgb(0.62, 0.42, 0.24)),
            Transform::from_translation(at.extend(0.0)),
        ));
    }

    /// A tap above a point, with so many drops.
    pub(crate) fn tap(&mut self, class: FluidClass, at: (f32, f32), drops: u64) {
        let lever = self.lever(false);
        let down = Quat::from_rotation_z(std::f32::consts::PI);
        self.commands.spawn((
            OfLevel,
            lever,
            Wheel(Work::Tap),
            class,
            FluidEmitter::jet(40.0, 120.0).with_limit(drops).stopped(),
            Visibility::default(),
            Transform::from_xyz(at.0, at.1, 0.0).with_rotation(down),
        ));
    }

    /// A pump from one place to another.
    pub(crate) fn pump(&mut self, from: (f32, f32), to: (f32, f32)) {
        let lever = self.lever(false);
        self.commands.spawn((
            OfLevel,
            lever,
            Wheel(Work::Pump),
            FluidPump::new(
                Rectangle::new(120.0, 44.0),
                Rectangle::new(44.0, 24.0),
                Vec2::from(to) - Vec2::from(from),
            )
            .with_rate(240.0)
            .with_velocity(Vec2::new(0.0, -110.0))
            .stopped(),
            Visibility::default(),
            Transform::from_xyz(from.0, from.1, 0.0),
        ));
    }

    /// A grate into which liquid goes, around a point and of this size.
    pub(crate) fn drain(&mut self, at: (f32, f32), size: (f32, f32)) {
        let grate = FluidDrain::from(Rectangle::new(size.0, size.1)).with_rate(260.0);
        let place = Transform::from_xyz(at.0, at.1, 0.0);
        self.commands.spawn((OfLevel, Grate, grate, Visibility::default(), place));
    }

    pub(crate) fn duck(&mut self, at: (f32, f32), density: f32) {
        self.commands.spawn((
            OfLevel,
            Duck,
            FluidCollider::from(Circle::new(16.0)),
            FluidBuoyant::of_density(density).with_drag(0.3),
            FluidSolidColor(Color::srgb(0.99, 0.82, 0.22)),
            Transform::from_xyz(at.0, at.1, 0.0),
        ));
    }

    pub(crate) fn nest(&mut self, at: (f32, f32)) {
        let place = Transform::from_xyz(at.0, at.1, 0.0);
        self.commands.spawn((OfLevel, Nest, Visibility::default(), place));
    }

    pub(crate) fn flame(&mut self, at: (f32, f32)) {
        self.commands.spawn((
            OfLevel,
            Flame,
            FluidAirSource::fire(&Rectangle::new(56.0, 22.0)),
            Visibility::default(),
            Transform::from_xyz(at.0, at.1, 0.0),
        ));
    }
}
