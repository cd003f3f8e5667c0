//! The four levels, and what they are made of.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

/// A level: what it is called, what a player is told, what is in it, and what solves it: moments in seconds, and
/// the levers that are worked then.
pub(crate) struct Level {
    pub name: &'static str,
    pub hint: &'static str,
    pub build: fn(&mut Stage),
    pub solution: &'static [(f32, usize)],
}

pub(crate) const LEVELS: [Level; 4] = [
    Level {
        name: "The Well",
        hint: "What falls in lifts what floats.",
        build: well,
        solution: &[(1.0, 1)],
    },
    Level {
        name: "Two Layers",
        hint: "In oil it sinks, on water it floats.",
        build: layers,
        solution: &[(1.0, 1)],
    },
    Level {
        name: "The Fire",
        hint: "First the rain, then the journey.",
        build: fire,
        solution: &[(1.5, 1), (7.0, 2)],
    },
    Level {
        name: "The Lock",
        hint: "A pump is no use as long as a gate is open.",
        build: lock,
        solution: &[(1.0, 1), (2.5, 2)],
    },
];

/// Floor and walls around a level.
fn frame(stage: &mut Stage) {
    stage.wall((-560.0, -360.0), (560.0, -300.0));
    stage.wall((-560.0, -360.0), (-480.0, 400.0));
    stage.wall((480.0, -360.0), (560.0, 400.0));
}

fn well(stage: &mut Stage) {
    frame(stage);
    // A cistern above the shaft, with its gate in the floor.
    stage.wall((-480.0, 100.0), (-430.0, 120.0));
    stage.wall((-370.0, 100.0), (-120.0, 120.0));
    stage.wall((-120.0, 100.0), (-100.0, 340.0));
    stage.liquid(FluidClass::MEDIUM, (-480.0, 124.0), (-120.0, 330.0));
    // The shaft, and a slope from its rim.
    stage.wall((-480.0, -300.0), (-430.0, 40.0));
    stage.wall((-430.0, -300.0), (-340.0, -230.0));
    stage.slope((-340.0, -80.0), (370.0, -210.0), -300.0);
    stage.wall((370.0, -300.0), (480.0, -216.0));
    stage.duck((-375.0, -208.0), 0.3);
    stage.gate((60.0, 16.0), (-400.0, 110.0), (-330.0, 91.0), false);
    // What comes to the nest runs off, and so it draws the duck along.
    stage.drain((474.0, -180.0), (12.0, 76.0));
    stage.nest((430.0, -190.0));
}

fn layers(stage: &mut Stage) {
    frame(stage);
    stage.wall((-480.0, -300.0), (-200.0, 120.0));
    // What is poured in at the left comes in from below.
    stage.wall((-140.0, -236.0), (-124.0, 150.0));
    stage.liquid(FluidClass::MEDIUM, (-200.0, -296.0), (40.0, -240.0));
    stage.liquid(FluidClass::LIGHT, (-124.0, -234.0), (40.0, -110.0));
    stage.slope((40.0, 0.0), (230.0, -110.0), -300.0);
    stage.wall((230.0, -300.0), (350.0, -130.0));
    stage.wall((350.0, -300.0), (480.0, 90.0));
    stage.duck((-40.0, -226.0), 0.76);
    // What comes to the nest runs off, and so it draws the duck along.
    stage.drain((344.0, -90.0), (12.0, 76.0));
    stage.tap(FluidClass::MEDIUM, (-170.0, 300.0), 4000);
    stage.tap(FluidClass::LIGHT, (-30.0, 300.0), 260);
    stage.nest((290.0, -104.0));
}

fn fire(stage: &mut Stage) {
    frame(stage);
    // A pool on a terrace, held by a gate.
    stage.wall((-480.0, -300.0), (-220.0, -20.0));
    stage.liquid(FluidClass::MEDIUM, (-480.0, -16.0), (-240.0, 140.0));
    stage.wall((-240.0, 84.0), (-220.0, 260.0));
    stage.duck((-300.0, 150.0), 0.3);
    // A way down, past the flames.
    stage.slope((-220.0, -20.0), (100.0, -150.0), -300.0);
    stage.slope((100.0, -150.0), (370.0, -200.0), -300.0);
    stage.wall((370.0, -300.0), (480.0, -220.0));
    stage.commands.spawn((
        OfLevel,
        FluidAir::new(960.0, 660.0).with_cell_size(15.0).with_open_top(),
        Transform::from_xyz(0.0, 30.0, 0.0),
    ));
    // In a basket above the stream, where only rain puts it out.
    stage.flame((150.0, -88.0));
    stage.tap(FluidClass::MEDIUM, (150.0, 300.0), 260);
    stage.gate((18.0, 104.0), (-230.0, 32.0), (-230.0, 140.0), false);
    stage.nest((430.0, -192.0));
}

fn lock(stage: &mut Stage) {
    frame(stage);
    // Two basins, joined by a gate below.
    stage.wall((-150.0, -236.0), (-100.0, 0.0));
    stage.wall((-480.0, -300.0), (-440.0, 150.0));
    stage.liquid(FluidClass::MEDIUM, (-440.0, -296.0), (-156.0, -124.0));
    stage.liquid(FluidClass::MEDIUM, (-94.0, -296.0), (480.0, -124.0));
    // From the rim to the nest, with a gap through which water goes back, and no duck.
    stage.slope((-100.0, 0.0), (300.0, -70.0), -90.0);
    stage.wall((326.0, -112.0), (480.0, -84.0));
    stage.duck((-220.0, -104.0), 0.3);
    stage.gate((18.0, 66.0), (-125.0, -268.0), (-125.0, -200.0), true);
    stage.pump((60.0, -276.0), (-390.0, 130.0));
    stage.nest((420.0, -56.0));
}

// What levels are made of.

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
