//! The scenes of the gallery.

use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::shape::{Polygon, Polyline};
use bevy_blob_fluid::prelude::*;

use super::super::{Painter, Silhouette};
use super::stage::{Stage, VIEW, at, class, rgb, rgba, turned};

const BOWL_RADIUS: f32 = 320.0;

/// Three layers in a round bowl on a table, before striped wallpaper.
pub fn bowl(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.93, 0.88, 0.80), rgba(0.55, 0.50, 0.56, 0.45));
    scenery_of_bowl(stage);
    *stage.settings() = FluidSettings::new(7.9, Vec2::new(0.0, -700.0));
    stage.classes(vec![
        class("syrup", 1.5, [0.78, 0.16, 0.27]),
        class("juice", 1.0, [0.96, 0.56, 0.16]),
        class("cream", 0.6, [0.99, 0.91, 0.72]),
    ]);
    stage.look(FluidSurfaceLook { opacity: 0.88, refraction: 0.6, ..default() }, &[]);
    stage.spawn(FluidContainer::from(Circle::new(BOWL_RADIUS)));
    for (class, x, width) in [(1, -175.0, 170.0), (0, 0.0, 170.0), (2, 175.0, 170.0)] {
        let column = FluidBlob::from(Rectangle::new(width, 430.0));
        stage.spawn((column, FluidClass::new(class), at(x, -10.0)));
    }
}

fn scenery_of_bowl(stage: &mut Stage) {
    stage.painter.sky(&[(-300.0, rgb(0.10, 0.24, 0.27)), (360.0, rgb(0.20, 0.42, 0.44))]);
    stage.bands(34.0, 80.0, std::f32::consts::FRAC_PI_2, rgba(0.75, 0.95, 0.92, 0.07));
    let painter = &mut stage.painter;
    painter.glow((-470.0, 330.0), 760.0, rgba(1.0, 0.96, 0.84, 0.35));
    painter.panel(
        (0.0, -330.0),
        (VIEW.x * 2.0, 60.0),
        [rgb(0.52, 0.31, 0.24), rgb(0.33, 0.18, 0.15)],
    );
    painter.board((0.0, -306.0), (VIEW.x * 2.0, 16.0), rgb(0.66, 0.42, 0.31));
    painter.glow((40.0, -318.0), 330.0, rgba(0.16, 0.06, 0.05, 0.55));
    painter.shape(
        &[(150.0, -352.0), (118.0, -290.0), (-118.0, -290.0), (-150.0, -352.0)],
        10.0,
        [rgb(0.42, 0.33, 0.36), rgb(0.24, 0.18, 0.22)],
    );
    painter.in_front();
    painter.glass(Vec2::ZERO, BOWL_RADIUS);
    painter.vignette(VIEW, 0.4);
}

/// A dam has broken: the water meets a step, and sprays.
pub fn dam(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.05, 0.09, 0.16), rgb(0.30, 0.34, 0.42));
    stage.painter.sky(&[(0.0, rgb(0.22, 0.16, 0.14))]);
    stage.tiles(Vec2::new(128.0, 64.0), rgb(0.34, 0.26, 0.23), 0.04);
    for x in [-400.0, 0.0, 400.0] {
        stage.painter.glow((x, 330.0), 460.0, rgba(1.0, 0.80, 0.56, 0.30));
        stage.painter.board((x, 345.0), (150.0, 14.0), rgb(1.0, 0.93, 0.80));
    }
    stage.painter.vignette(VIEW, 0.55);
    *stage.settings() = FluidSettings::new(7.9, Vec2::new(0.0, -600.0));
    stage.classes(vec![class("water", 1.0, [0.20, 0.58, 0.86])]);
    stage.look(FluidSurfaceLook::WATER, &[]);
    let basin = FluidContainer::from(Rectangle::new(VIEW.x - 40.0, VIEW.y + 400.0));
    stage.spawn((basin, at(0.0, 220.0)));
    stage.spawn((FluidCollider::from(Rectangle::new(180.0, 70.0)), at(240.0, -305.0)));
    let water = FluidBlob::from(Rectangle::new(620.0, 560.0));
    stage.spawn((water, FluidClass::new(0), at(-305.0, -55.0)));
}

/// Lava runs down a mountain into the sea, and glows.
pub fn lava(stage: &mut Stage) {
    stage.camera().insert((bevy::camera::Hdr, Bloom::NATURAL));
    stage.colors(rgb(0.035, 0.03, 0.06), rgb(0.13, 0.10, 0.12));
    scenery_of_lava(&mut stage.painter);
    let lava = FluidSurfaceLook::LAVA;
    stage.look(FluidSurfaceLook::WATER, &[("lava", lava), ("stone", lava)]);
    let basin = FluidContainer::from(Rectangle::new(VIEW.x - 40.0, VIEW.y + 200.0));
    stage.spawn((basin, at(0.0, 120.0)));
    let mountain = [
        Vec2::new(-620.0, -460.0),
        Vec2::new(60.0, -460.0),
        Vec2::new(-60.0, -340.0),
        Vec2::new(-200.0, -190.0),
        Vec2::new(-330.0, -110.0),
        Vec2::new(-470.0, 40.0),
        Vec2::new(-620.0, 90.0),
    ];
    let mountain = FluidShape::Polygon(Polygon::new(mountain).expect("an outline"));
    let rough = WallProperties { friction: Some(0.3), ..default() };
    stage.spawn((FluidCollider::new(mountain).with_wall(rough), at(0.0, 120.0)));
    let sea = FluidBlob::from(Rectangle::new(540.0, 200.0));
    stage.spawn((sea, FluidMadeOf::WATER, at(330.0, -235.0)));
    let vent = FluidEmitter::jet(60.0, 130.0);
    stage.spawn((vent, FluidMadeOf::LAVA, turned(-580.0, 290.0, -2.0)));
}

fn scenery_of_lava(painter: &mut Painter) {
    painter.sky(&[
        (-200.0, rgb(0.34, 0.12, 0.13)),
        (120.0, rgb(0.13, 0.07, 0.14)),
        (360.0, rgb(0.045, 0.04, 0.09)),
    ]);
    painter.scatter(Rect::new(-640.0, 0.0, 640.0, 360.0), 130, 4.5, rgba(0.85, 0.85, 1.0, 0.8));
    painter.glow((430.0, 230.0), 200.0, rgba(0.80, 0.80, 0.95, 0.4));
    painter.disc((430.0, 230.0), 46.0, rgb(0.87, 0.84, 0.80));
    painter.disc((414.0, 242.0), 10.0, rgb(0.76, 0.73, 0.72));
    painter.disc((446.0, 220.0), 7.0, rgb(0.77, 0.74, 0.73));
    painter.ridge(
        Silhouette::Hills,
        [-350.0, -40.0],
        [rgb(0.20, 0.08, 0.12), rgb(0.36, 0.13, 0.13)],
    );
    painter.ridge(
        Silhouette::Rocks,
        [-350.0, -120.0],
        [rgb(0.11, 0.05, 0.08), rgb(0.24, 0.09, 0.10)],
    );
    painter.glow((40.0, -250.0), 480.0, rgba(1.0, 0.40, 0.10, 0.4));
    painter.vignette(VIEW, 0.45);
}

/// Honey folds onto a plate.
pub fn honey(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.97, 0.93, 0.84), rgb(0.36, 0.46, 0.55));
    stage.painter.sky(&[(-360.0, rgb(0.62, 0.72, 0.74)), (360.0, rgb(0.90, 0.92, 0.88))]);
    stage.bands(40.0, 96.0, 0.0, rgba(1.0, 0.97, 0.88, 0.35));
    stage.painter.glow((-380.0, 320.0), 720.0, rgba(1.0, 0.97, 0.86, 0.85));
    stage.write("HONEY", 250.0, rgba(0.33, 0.44, 0.50, 0.55), at(0.0, -40.0));
    stage.painter.glow((20.0, -345.0), 420.0, rgba(0.10, 0.16, 0.20, 0.45));
    stage.painter.vignette(VIEW, 0.35);
    // The stream leaves the nozzle row by row.
    stage.look(FluidSurface { smoothing: 3.2, ..FluidSurfaceLook::HONEY.into() }, &[]);
    stage.settings().parameters.gravity.y = -250.0;
    let rim = [(-300.0, 50.0), (-210.0, 0.0), (210.0, 0.0), (300.0, 50.0)];
    let plate = FluidShape::Polyline(Polyline::new(rim.map(Vec2::from), 16.0).expect("a line"));
    let sticky = WallProperties { friction: Some(0.9), ..default() };
    stage.spawn((FluidCollider::new(plate).with_wall(sticky), at(0.0, -290.0)));
    stage.classes(vec![DensityClass {
        viscosity: Some(ClassViscosity { approach: 1.0, quadratic: 0.2, linear: 30.0 }),
        ..class("honey", 1.0, [0.95, 0.55, 0.04])
    }]);
    let down = std::f32::consts::PI;
    stage.spawn((FluidEmitter::jet(58.0, 190.0), FluidClass::new(0), turned(0.0, 360.0, down)));
}

/// Beads of mercury on a table.
pub fn mercury(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.16, 0.07, 0.08), rgb(0.36, 0.20, 0.13));
    stage.painter.sky(&[(-240.0, rgb(0.17, 0.04, 0.06)), (360.0, rgb(0.30, 0.08, 0.10))]);
    stage.bands(30.0, 66.0, std::f32::consts::FRAC_PI_2, rgba(0.55, 0.14, 0.17, 0.22));
    stage.painter.glow((-330.0, 260.0), 640.0, rgba(1.0, 0.74, 0.50, 0.5));
    stage.painter.board((0.0, -240.0), (VIEW.x * 2.0, 12.0), rgb(0.58, 0.34, 0.22));
    stage.painter.vignette(VIEW, 0.5);
    let dry = WallProperties { friction: Some(0.1), wetting: 0.0, ..default() };
    stage.spawn((
        FluidCollider::from(Rectangle::new(VIEW.x + 40.0, 160.0)).with_wall(dry),
        at(0.0, -320.0),
    ));
    stage.look(FluidSurface { smoothing: 3.2, ..FluidSurfaceLook::MERCURY.into() }, &[]);
    stage.settings().parameters.gravity.y = -14.0;
    stage.classes(vec![DensityClass {
        surface_tension: 2.6,
        viscosity: Some(ClassViscosity { linear: 0.3, ..default() }),
        ..class("mercury", 1.0, [0.78, 0.80, 0.84])
    }]);
    for (x, y, radius) in [
        (-505.0, -150.0, 74.0),
        (-372.0, -205.0, 30.0),
        (-215.0, -110.0, 118.0),
        (-40.0, -195.0, 42.0),
        (-75.0, 190.0, 38.0),
        (130.0, -140.0, 94.0),
        (272.0, -208.0, 26.0),
        (352.0, -190.0, 44.0),
        (520.0, -130.0, 100.0),
    ] {
        let bead = FluidBlob::from(Circle::new(radius));
        stage.spawn((bead, FluidClass::new(0), at(x, y)));
    }
}

/// Ink blends into water; oil does not.
pub fn ink(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.95, 0.94, 0.90), rgb(0.20, 0.22, 0.28));
    stage.painter.sky(&[(0.0, rgb(0.72, 0.70, 0.66))]);
    stage.tiles(Vec2::splat(72.0), rgb(0.90, 0.885, 0.85), 0.03);
    stage.painter.glow((-420.0, 330.0), 800.0, rgba(1.0, 1.0, 0.96, 0.8));
    stage.painter.board((0.0, -350.0), (VIEW.x * 2.0, 60.0), rgb(0.46, 0.36, 0.30));
    stage.painter.vignette(VIEW, 0.35);
    let water = DensityClass {
        paint: Some(FluidPaint { color: [0.60, 0.84, 0.93], diffusion: 0.012 }),
        ..class("water", 1.0, [1.0; 3])
    };
    let oil = DensityClass { surface_tension: 0.9, ..class("oil", 0.8, [0.95, 0.72, 0.18]) };
    stage.classes(FluidClasses {
        classes: vec![water, oil],
        pairs: vec![ClassPair { cohesion: -0.8, ..ClassPair::new("water", "oil") }],
    });
    let oil = FluidSurfaceLook { opacity: 0.95, refraction: 0.8, specular: 0.9, ..default() };
    let clear = FluidSurfaceLook {
        opacity: 0.82,
        depth_color: Color::srgba(0.05, 0.10, 0.30, 0.25),
        caustics: 0.2,
        foam_color: Color::NONE,
        ..FluidSurfaceLook::WATER
    };
    stage.look(clear, &[("oil", oil)]);
    stage.spawn((FluidContainer::from(Rectangle::new(1200.0, 690.0)), at(0.0, 10.0)));
    let water = FluidBlob::from(Rectangle::new(1180.0, 480.0));
    stage.spawn((water, FluidClass::new(0), at(0.0, -90.0)));
    let down = std::f32::consts::PI;
    let ink = FluidEmitter::jet(24.0, 260.0).with_limit(900).with_paint(rgb(0.16, 0.06, 0.42));
    stage.spawn((ink, FluidClass::new(0), turned(-420.0, 340.0, down + 0.3)));
    // Slow eddies, which draw the ink out.
    for (x, y, acceleration) in [(-230.0, -90.0, -70.0), (70.0, -140.0, 60.0)] {
        // Attraction as well, so that the middle does not become empty.
        let eddy = FluidForce { attraction: 60.0, ..FluidForce::vortex(210.0, acceleration) };
        stage.spawn((eddy, at(x, y)));
    }
    let oil = FluidEmitter::jet(44.0, 200.0).with_limit(500);
    stage.spawn((oil, FluidClass::new(1), turned(290.0, 340.0, down)));
}

/// A fountain over stones.
pub fn fountain(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.55, 0.74, 0.78), rgb(0.46, 0.43, 0.42));
    scenery_of_fountain(&mut stage.painter);
    *stage.settings() = FluidSettings::new(7.9, Vec2::new(0.0, -400.0));
    stage.classes(vec![class("water", 1.0, [0.30, 0.66, 0.84])]);
    stage.look(FluidSurfaceLook { caustics: 0.3, ..FluidSurfaceLook::WATER }, &[]);
    stage.spawn((FluidContainer::from(Rectangle::new(VIEW.x - 120.0, 1100.0)), at(0.0, 240.0)));
    let water = FluidBlob::from(Rectangle::new(VIEW.x - 140.0, 90.0));
    stage.spawn((water, FluidClass::new(0), at(0.0, -262.0)));
    for (x, y, size) in [
        (-430.0, -276.0, 70.0),
        (-300.0, -256.0, 105.0),
        (-130.0, -280.0, 60.0),
        (140.0, -277.0, 66.0),
        (310.0, -250.0, 112.0),
        (455.0, -282.0, 58.0),
    ] {
        let stone = FluidShape::Polygon(stone(size));
        stage.spawn((FluidCollider::new(stone), at(x, y)));
    }
    stage.spawn((FluidCollider::from(Rectangle::new(70.0, 190.0)), at(0.0, -215.0)));
    for (x, angle) in [(-24.0, 0.32), (24.0, -0.32)] {
        let jet = FluidEmitter::jet(20.0, 580.0).with_spread(0.03);
        stage.spawn((jet, FluidClass::new(0), turned(x, -108.0, angle)));
    }
}

fn scenery_of_fountain(painter: &mut Painter) {
    painter.sky(&[
        (-260.0, rgb(0.99, 0.90, 0.74)),
        (60.0, rgb(0.76, 0.87, 0.88)),
        (360.0, rgb(0.42, 0.68, 0.84)),
    ]);
    painter.glow((300.0, 180.0), 420.0, rgba(1.0, 0.97, 0.82, 0.8));
    painter.ridge(
        Silhouette::Hills,
        [-330.0, 40.0],
        [rgb(0.55, 0.72, 0.70), rgb(0.80, 0.86, 0.78)],
    );
    painter.ridge(
        Silhouette::Leaves,
        [-330.0, -30.0],
        [rgb(0.34, 0.56, 0.42), rgb(0.62, 0.74, 0.56)],
    );
    painter.ridge(
        Silhouette::Leaves,
        [-330.0, -120.0],
        [rgb(0.22, 0.43, 0.33), rgb(0.42, 0.60, 0.42)],
    );
    painter.panel(
        (0.0, -340.0),
        (VIEW.x * 2.0, 60.0),
        [rgb(0.44, 0.40, 0.38), rgb(0.24, 0.22, 0.22)],
    );
    painter.vignette(VIEW, 0.35);
}

/// A boulder of nine corners and about the given size.
fn stone(size: f32) -> Polygon {
    let corners = [
        (-1.00, -0.55),
        (1.00, -0.55),
        (1.04, -0.10),
        (0.80, 0.32),
        (0.42, 0.56),
        (-0.05, 0.66),
        (-0.52, 0.52),
        (-0.86, 0.20),
        (-1.05, -0.18),
    ];
    Polygon::new(corners.map(|corner| size * Vec2::from(corner))).expect("an outline")
}

/// Hot liquid rises from plates and sinks where it has cooled; its glow shows its temperature.
pub fn convection(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.04, 0.04, 0.07), rgb(0.24, 0.24, 0.32));
    stage.painter.sky(&[(-360.0, rgb(0.12, 0.07, 0.11)), (360.0, rgb(0.045, 0.05, 0.09))]);
    stage.bands(2.0, 40.0, 0.0, rgba(0.5, 0.6, 0.9, 0.07));
    stage.bands(2.0, 40.0, std::f32::consts::FRAC_PI_2, rgba(0.5, 0.6, 0.9, 0.07));
    for x in [-330.0, 0.0, 330.0] {
        stage.painter.glow((x, -300.0), 420.0, rgba(1.0, 0.45, 0.20, 0.4));
    }
    stage.painter.vignette(VIEW, 0.5);
    stage.settings().parameters.gravity.y = -400.0;
    let thermal = FluidThermal { conductivity: 0.35, expansion: 0.006, ..default() };
    let glycerine = class("glycerine", 1.0, [0.10, 0.13, 0.32]);
    stage.classes(vec![DensityClass { thermal, ..glycerine }]);
    stage.glow(25.0, 110.0);
    let glowing = FluidSurfaceLook {
        opacity: 1.0,
        depth_color: Color::NONE,
        foam_color: Color::NONE,
        glow: 1.0,
        ..default()
    };
    stage.look(glowing, &[]);
    let wall = |temperature| WallProperties { temperature: Some(temperature), ..default() };
    stage.spawn(FluidContainer::from(Rectangle::new(1000.0, 560.0)).with_wall(wall(0.0)));
    for x in [-330.0, 0.0, 330.0] {
        let plate = FluidCollider::from(Rectangle::new(150.0, 24.0)).with_wall(wall(200.0));
        stage.spawn((plate, at(x, -266.0)));
    }
    let liquid = FluidBlob::from(Rectangle::new(990.0, 330.0));
    stage.spawn((liquid, FluidClass::new(0), at(0.0, -85.0)));
}

const MARBLE_RADIUS: f32 = 330.0;
/// Number of bands.
const BANDS: usize = 10;

/// Marbled paint: bands of colour, stirred.
pub fn marble(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.94, 0.91, 0.86), rgb(0.17, 0.15, 0.22));
    stage.painter.sky(&[(0.0, rgb(0.62, 0.45, 0.33))]);
    for number in 0..9_i16 {
        let shade = [0.0, 0.035, 0.015][usize::from(number.unsigned_abs() % 3)];
        let plank = rgb(0.74 - shade, 0.56 - shade, 0.42 - shade);
        stage.painter.board((0.0, 88.0 * f32::from(number - 4)), (VIEW.x * 2.0, 85.0), plank);
    }
    stage.painter.glow((-420.0, 330.0), 820.0, rgba(1.0, 0.95, 0.82, 0.55));
    for part in 0..8 {
        let radius = MARBLE_RADIUS + 6.0 + 8.0 * part as f32;
        stage.painter.disc((10.0, -14.0), radius, rgba(0.16, 0.07, 0.04, 0.07));
    }
    stage.painter.vignette(VIEW, 0.35);
    stage.settings().parameters =
        FluidParameters { reference_acceleration: 500.0, ..FluidParameters::new(5.0, Vec2::ZERO) };
    stage.classes(vec![DensityClass {
        paint: Some(FluidPaint { diffusion: 0.001, ..default() }),
        ..class("paint", 1.0, [1.0; 3])
    }]);
    let look = FluidSurfaceLook {
        opacity: 1.0,
        outline_width: 0.0,
        depth_color: Color::NONE,
        foam_color: Color::NONE,
        ..default()
    };
    let (quality, smoothing) = (FluidSurfaceQuality::High, 1.9);
    stage.look(FluidSurface { quality, smoothing, ..FluidSurface::from(look) }, &[]);
    stage.spawn(FluidContainer::from(Circle::new(MARBLE_RADIUS)));
    let colors = [
        rgb(0.13, 0.17, 0.42),
        rgb(0.16, 0.62, 0.64),
        rgb(0.97, 0.93, 0.82),
        rgb(0.95, 0.42, 0.33),
        rgb(0.95, 0.73, 0.24),
    ];
    for number in 0..BANDS {
        let blob = FluidBlob::new(FluidShape::Polygon(band(number)));
        // A little too full, so that no hole opens where it turns.
        let blob = FluidBlob { spacing: 0.95, ..blob.with_paint(colors[number % 5]) };
        stage.spawn((blob, at(0.0, 0.0)));
    }
    for (x, y, acceleration) in [(-125.0, 65.0, 96.0), (125.0, -65.0, 96.0)] {
        // Attraction as well, so that the middle does not become empty.
        let stir =
            FluidForce { attraction: 90.0, drag: 1.2, ..FluidForce::vortex(200.0, acceleration) };
        stage.spawn((stir, at(x, y)));
    }
}

/// What is in the dish between two heights, and a little beyond its wall, which cuts it.
fn band(number: usize) -> Polygon {
    let reach = MARBLE_RADIUS + 12.0;
    let side = |step: usize| {
        let part = (number as f32 + step as f32 / 8.0) / BANDS as f32;
        let y = reach * (2.0 * part - 1.0);
        Vec2::new((reach * reach - y * y).max(1.0).sqrt(), y)
    };
    let left = (0..=8).rev().map(|step| side(step) * Vec2::new(-1.0, 1.0));
    Polygon::new((0..=8).map(side).chain(left)).expect("a band")
}

/// Words of jelly have fallen on a shelf, and wobble.
pub fn letters(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.99, 0.80, 0.30), rgb(0.55, 0.20, 0.30));
    stage.painter.sky(&[(-360.0, rgb(0.98, 0.62, 0.25)), (360.0, rgb(1.0, 0.86, 0.42))]);
    for number in 0..14 {
        let far = |turn: f32| {
            let way =
                1400.0 * Vec2::from_angle(std::f32::consts::PI * (number as f32 + turn) / 14.0);
            (way.x, -320.0 + way.y)
        };
        let pale = rgba(1.0, 0.95, 0.70, 0.3);
        stage.painter.shape(&[(0.0, -320.0), far(0.0), far(0.5)], 0.0, [pale; 2]);
    }
    stage.painter.glow((0.0, -320.0), 700.0, rgba(1.0, 0.98, 0.82, 0.7));
    stage.painter.vignette(VIEW, 0.35);
    stage.settings().parameters.gravity.y = -160.0;
    let jelly = |name, color| DensityClass {
        elasticity: Some(FluidElasticity { stiffness: 500.0, ..default() }),
        ..class(name, 1.0, color)
    };
    stage.classes(vec![jelly("raspberry", [0.88, 0.13, 0.36]), jelly("mint", [0.13, 0.66, 0.50])]);
    let jelly = FluidSurfaceLook {
        opacity: 0.85,
        rim_light: 0.8,
        specular: 1.1,
        refraction: 1.0,
        foam_color: Color::NONE,
        ..default()
    };
    stage.look(jelly, &[]);
    let grip = WallProperties { friction: Some(0.6), ..default() };
    stage.spawn((
        FluidCollider::from(Rectangle::new(VIEW.x + 40.0, 60.0)).with_wall(grip),
        at(0.0, -335.0),
    ));
    for (text, class, y, size) in [("JELLY", 0, -160.0, 360.0), ("blob", 1, 150.0, 260.0)] {
        let letters = FluidText::new(text, size, FluidBlob::default());
        stage.spawn((letters, FluidClass::new(class), at(0.0, y)));
    }
}

/// Two columns collapse onto each other, simulated by smoothed particle hydrodynamics.
pub fn collision(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.055, 0.05, 0.11), rgb(0.27, 0.24, 0.40));
    stage.painter.sky(&[
        (-360.0, rgb(0.20, 0.09, 0.22)),
        (100.0, rgb(0.08, 0.06, 0.15)),
        (360.0, rgb(0.04, 0.035, 0.09)),
    ]);
    stage.painter.scatter(
        Rect::new(-640.0, -60.0, 640.0, 360.0),
        120,
        4.0,
        rgba(0.85, 0.80, 1.0, 0.8),
    );
    stage.painter.glow((0.0, 60.0), 480.0, rgba(0.75, 0.35, 0.85, 0.45));
    for (radius, alpha) in [(210.0, 0.10), (206.0, 0.25), (120.0, 0.10)] {
        stage.painter.disc((0.0, 60.0), radius, rgba(0.93, 0.62, 0.72, alpha));
    }
    stage.painter.vignette(VIEW, 0.5);
    let settings = stage.settings();
    *settings = FluidSettings::new(7.5, Vec2::new(0.0, -600.0));
    settings.parameters.solver = FluidSolver::Sph;
    stage.classes(vec![
        class("rose", 1.0, [0.93, 0.33, 0.45]),
        class("amber", 1.0, [0.97, 0.69, 0.26]),
    ]);
    stage.look(FluidSurfaceLook::WATER, &[]);
    let basin = FluidContainer::from(Rectangle::new(VIEW.x - 40.0, VIEW.y + 400.0));
    stage.spawn((basin, at(0.0, 220.0)));
    stage.spawn((FluidCollider::from(Circle::new(46.0)), at(0.0, -230.0)));
    for (side, number) in [(-1.0, 0), (1.0, 1)] {
        let column = FluidBlob::from(Rectangle::new(250.0, 600.0));
        stage.spawn((column, FluidClass::new(number), at(side * 490.0, -36.0)));
    }
}

/// Two colours of smoke meet over a ball.
pub fn smoke(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.025, 0.028, 0.05), rgb(0.62, 0.60, 0.66));
    stage.painter.sky(&[(-360.0, rgb(0.10, 0.09, 0.15)), (200.0, rgb(0.035, 0.04, 0.07))]);
    let beam = [(260.0, 400.0), (-260.0, 400.0), (-640.0, -380.0), (640.0, -380.0)];
    stage.painter.beam(beam, rgba(0.80, 0.88, 1.0, 0.24));
    stage.painter.vignette(VIEW, 0.5);
    let mut air = FluidAir::new(VIEW.x, VIEW.y).with_cell_size(4.0).with_open_sides();
    air.settings.smoke_dissipation = 0.05;
    let look = FluidAirLook {
        light: Vec2::new(0.35, -1.0),
        ambient: Color::srgb(0.72, 0.72, 0.80),
        thickness: 2.4,
        shadow: 0.35,
        ..default()
    };
    stage.spawn((air, look, at(0.0, 0.0)));
    stage.spawn((FluidCollider::from(Circle::new(64.0)), at(0.0, -20.0)));
    for (side, color, speed, tilt) in [
        (-1.0, Color::srgb(1.0, 0.35, 0.45), 260.0, 0.58),
        (1.0, Color::srgb(0.25, 0.72, 1.0), 215.0, 0.66),
    ] {
        let nozzle = FluidAirSource::smoke(&Rectangle::new(46.0, 30.0), 7.0)
            .with_color(color)
            .with_heat(0.9)
            .with_wind(Vec2::Y * speed);
        stage.spawn((nozzle, turned(side * 330.0, -345.0, side * tilt)));
    }
}
