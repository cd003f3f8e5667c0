//! The four levels.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{OfLevel, Stage};

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
