//! The scenes of the gallery.

use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::shape::Polygon;
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
    stage.painter.sky(&[(0.0, rgb(0.06, 0.09, 0.12))]);
    stage.tiles(Vec2::new(128.0, 64.0), rgb(0.12, 0.17, 0.21), 0.015);
    stage.painter.glow((-420.0, 300.0), 760.0, rgba(1.0, 0.78, 0.54, 0.55));
    stage.painter.glow((-420.0, 300.0), 130.0, rgba(1.0, 0.90, 0.72, 0.9));
    stage.painter.vignette(VIEW, 0.55);
    *stage.settings() = FluidSettings::new(7.9, Vec2::new(0.0, -600.0));
    stage.classes(vec![class("water", 1.0, [0.05, 0.47, 0.63])]);
    let water = FluidSurfaceLook {
        depth_color: rgba(0.01, 0.10, 0.23, 0.9),
        sky_color: rgba(1.0, 0.86, 0.66, 0.7),
        ..FluidSurfaceLook::WATER
    };
    stage.look(water, &[]);
    let basin = FluidContainer::from(Rectangle::new(VIEW.x - 40.0, VIEW.y + 400.0));
    stage.spawn((basin, at(0.0, 220.0)));
    stage.spawn((FluidCollider::from(Rectangle::new(180.0, 70.0)), at(240.0, -305.0)));
    let water = FluidBlob::from(Rectangle::new(620.0, 560.0));
    stage.spawn((water, FluidClass::new(0), at(-305.0, -55.0)));
    // A pyramid of crates on the step, and a ball.
    for (x, y) in
        [(196.0, 0.0), (242.0, 0.0), (288.0, 0.0), (219.0, 46.0), (265.0, 46.0), (242.0, 92.0)]
    {
        let crates =
            (FluidCollider::from(Rectangle::new(44.0, 44.0)), FluidBuoyant::of_density(0.4));
        stage.spawn((crates, FluidSolidColor(rgb(0.79, 0.54, 0.29)), at(x, y - 248.0)));
    }
    let ball = (FluidCollider::from(Circle::new(30.0)), FluidBuoyant::of_density(0.3));
    stage.spawn((ball, FluidSolidColor(rgb(0.86, 0.22, 0.18)), at(450.0, -310.0)));
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

/// Honey runs over pancakes.
pub fn honey(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.98, 0.90, 0.76), rgb(0.80, 0.52, 0.26));
    *stage.settings() = FluidSettings::new(6.0, Vec2::new(0.0, -250.0));
    scenery_of_honey(&mut stage.painter);
    // The stream leaves the nozzle row by row.
    stage.look(FluidSurface { smoothing: 3.2, ..FluidSurfaceLook::HONEY.into() }, &[]);
    let sticky = WallProperties { friction: Some(0.9), ..default() };
    let plate = FluidCollider::from(Rectangle::new(880.0, 24.0)).with_wall(sticky);
    stage.spawn((plate, Visibility::Hidden, at(0.0, PLATE)));
    for (x, y, width) in PANCAKES {
        let pancake = Capsule2d::new(0.5 * THICKNESS, width - THICKNESS);
        let pancake = FluidCollider::from(pancake).with_wall(sticky);
        stage.spawn((pancake, Visibility::Hidden, turned(x, y, std::f32::consts::FRAC_PI_2)));
    }
    stage.classes(vec![DensityClass {
        viscosity: Some(ClassViscosity { approach: 1.0, quadratic: 0.2, linear: 30.0 }),
        ..class("honey", 1.0, [0.96, 0.60, 0.05])
    }]);
    let down = std::f32::consts::PI;
    stage.spawn((FluidEmitter::jet(46.0, 260.0), FluidClass::new(0), turned(0.0, 268.0, down)));
}

/// Height of the plate's middle, thickness of a pancake, and the middles and widths of the pancakes.
const PLATE: f32 = -298.0;
const THICKNESS: f32 = 66.0;
const PANCAKES: [(f32, f32, f32); 4] =
    [(-8.0, -252.0, 640.0), (10.0, -188.0, 600.0), (-12.0, -124.0, 620.0), (4.0, -60.0, 580.0)];

fn scenery_of_honey(painter: &mut Painter) {
    painter.sky(&[(-330.0, rgb(0.86, 0.62, 0.42)), (360.0, rgb(1.0, 0.93, 0.78))]);
    // A window, and what shines through it, out of focus.
    painter.glow((-400.0, 240.0), 620.0, rgba(1.0, 0.99, 0.90, 0.95));
    for (x, y, radius, alpha) in [
        (-520.0, 60.0, 90.0, 0.20),
        (-330.0, 190.0, 120.0, 0.18),
        (-180.0, 40.0, 60.0, 0.16),
        (360.0, 210.0, 100.0, 0.22),
        (500.0, 60.0, 130.0, 0.20),
        (250.0, 30.0, 56.0, 0.16),
    ] {
        painter.disc((x, y), radius, rgba(1.0, 0.88, 0.58, alpha));
    }
    // The table, the plate's shadow on it, and the plate.
    painter.panel(
        (0.0, -420.0),
        (VIEW.x * 2.0, 300.0),
        [rgb(0.62, 0.37, 0.22), rgb(0.36, 0.19, 0.12)],
    );
    painter.board((0.0, -276.0), (VIEW.x * 2.0, 12.0), rgb(0.74, 0.47, 0.29));
    painter.glow((20.0, -330.0), 560.0, rgba(0.16, 0.06, 0.02, 0.6));
    let porcelain = [rgb(0.97, 0.96, 0.95), rgb(0.66, 0.68, 0.74)];
    let (top, foot) = (PLATE + 12.0, PLATE - 34.0);
    painter.shape(&[(470.0, top), (-470.0, top), (-260.0, foot), (260.0, foot)], 14.0, porcelain);
    painter.board((0.0, top - 4.0), (950.0, 12.0), rgb(1.0, 0.99, 0.97));
    for (x, y, width) in PANCAKES {
        let half = 0.5 * width;
        let ring = |inset: f32, low: f32, high: f32| {
            [(half, high), (-half, high), (-half, low), (half, low)]
                .map(|(right, up)| (x + right - inset * right.signum(), y + up))
        };
        let middle = 0.5 * THICKNESS;
        // A brown crust above and below, and a pale side.
        let crust = [rgb(0.80, 0.48, 0.20), rgb(0.56, 0.29, 0.11)];
        painter.shape(&ring(0.0, -middle, middle), 33.0, crust);
        painter.shape(
            &ring(8.0, -15.0, 13.0),
            14.0,
            [rgb(0.99, 0.86, 0.57), rgb(0.90, 0.68, 0.36)],
        );
    }
    painter.in_front();
    // The honey dipper: a stick, and discs of wood.
    painter.panel((0.0, 370.0), (24.0, 110.0), [rgb(0.80, 0.56, 0.32), rgb(0.62, 0.40, 0.20)]);
    for (number, width) in [84.0, 118.0, 128.0, 112.0, 78.0].into_iter().enumerate() {
        let y = 326.0 - 17.0 * number as f32;
        painter.board((0.0, y - 7.0), (0.7 * width, 8.0), rgb(0.45, 0.26, 0.12));
        painter.board((0.0, y), (width, 14.0), rgb(0.80, 0.55, 0.30));
    }
    painter.vignette(VIEW, 0.3);
}

/// Beads of mercury on a table.
pub fn mercury(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.16, 0.07, 0.08), rgb(0.17, 0.08, 0.07));
    stage.painter.sky(&[(-240.0, rgb(0.17, 0.04, 0.06)), (360.0, rgb(0.30, 0.08, 0.10))]);
    stage.bands(30.0, 66.0, std::f32::consts::FRAC_PI_2, rgba(0.55, 0.14, 0.17, 0.11));
    stage.painter.glow((-200.0, 200.0), 640.0, rgba(1.0, 0.74, 0.50, 0.6));
    stage.painter.board((0.0, -247.0), (VIEW.x * 2.0, 12.0), rgb(0.30, 0.14, 0.12));
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
        (-215.0, -90.0, 140.0),
        (-40.0, -195.0, 42.0),
        (-75.0, 190.0, 38.0),
        (130.0, -140.0, 94.0),
        (272.0, -208.0, 26.0),
        (520.0, -130.0, 100.0),
    ] {
        let bead = FluidBlob::from(Circle::new(radius));
        stage.spawn((bead, FluidClass::new(0), at(x, y)));
    }
}

/// Ink blends into water; oil does not.
pub fn ink(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.93, 0.94, 0.95), rgba(0.80, 0.90, 0.96, 0.9));
    stage.painter.sky(&[(-360.0, rgb(0.66, 0.74, 0.80)), (360.0, rgb(0.97, 0.97, 0.95))]);
    stage.painter.glow((-120.0, 150.0), 760.0, rgba(1.0, 1.0, 0.98, 0.9));
    stage.painter.board((0.0, -352.0), (VIEW.x * 2.0, 40.0), rgb(0.30, 0.24, 0.26));
    stage.painter.vignette(VIEW, 0.3);
    *stage.settings() = FluidSettings::new(6.0, Vec2::new(0.0, -200.0));
    let water = DensityClass {
        paint: Some(FluidPaint { color: [0.70, 0.89, 0.95], diffusion: 0.012 }),
        ..class("water", 1.0, [1.0; 3])
    };
    let oil = DensityClass { surface_tension: 0.9, ..class("oil", 0.8, [0.98, 0.70, 0.12]) };
    stage.classes(FluidClasses {
        classes: vec![water, oil],
        pairs: vec![ClassPair { cohesion: -0.8, ..ClassPair::new("water", "oil") }],
    });
    let oil = FluidSurfaceLook { opacity: 0.9, refraction: 0.8, ..FluidSurfaceLook::OIL };
    let clear = FluidSurfaceLook {
        opacity: 0.9,
        depth_color: Color::srgba(0.02, 0.24, 0.42, 0.22),
        caustics: 0.3,
        foam_color: Color::NONE,
        ..FluidSurfaceLook::WATER
    };
    stage.look(FluidSurface { smoothing: 3.2, ..clear.into() }, &[("oil", oil)]);
    stage.spawn((FluidContainer::from(Rectangle::new(1220.0, 690.0)), at(0.0, 12.0)));
    let water = FluidBlob::from(Rectangle::new(1200.0, 560.0));
    stage.spawn((water, FluidClass::new(0), at(0.0, -50.0)));
    let down = std::f32::consts::PI;
    for (x, tilt, color) in
        [(-360.0, 0.25, rgb(0.10, 0.04, 0.46)), (60.0, -0.2, rgb(0.86, 0.02, 0.36))]
    {
        let ink = FluidEmitter::jet(30.0, 300.0).with_limit(1050).with_paint(color);
        stage.spawn((ink, FluidClass::new(0), turned(x, 345.0, down + tilt)));
    }
    // Slow eddies, which draw the ink out.
    for (x, y, acceleration) in [(-330.0, -60.0, -55.0), (-60.0, -150.0, 70.0), (180.0, 0.0, -60.0)]
    {
        // Attraction as well, so that the middle does not become empty.
        let eddy = FluidForce { attraction: 110.0, ..FluidForce::vortex(210.0, acceleration) };
        stage.spawn((eddy, at(x, y)));
    }
    let oil = FluidEmitter::jet(44.0, 200.0).with_limit(800);
    stage.spawn((oil, FluidClass::new(1), turned(450.0, 345.0, down)));
}

/// A fountain among stones, in the evening.
pub fn fountain(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.55, 0.74, 0.78), rgb(0.50, 0.45, 0.46));
    scenery_of_fountain(&mut stage.painter);
    *stage.settings() = FluidSettings::new(5.5, Vec2::new(0.0, -400.0));
    stage.classes(vec![class("water", 1.0, [0.37, 0.53, 0.68])]);
    let water = FluidSurfaceLook {
        caustics: 0.3,
        depth_color: rgba(0.16, 0.14, 0.30, 0.85),
        sky_color: rgba(1.0, 0.77, 0.54, 0.8),
        ..FluidSurfaceLook::WATER
    };
    stage.look(water, &[]);
    let basin = FluidContainer::from(Rectangle::new(VIEW.x + 60.0, 1100.0));
    stage.spawn((basin, Visibility::Hidden, at(0.0, 215.0)));
    let water = FluidBlob::from(Rectangle::new(VIEW.x + 40.0, 90.0));
    stage.spawn((water, FluidClass::new(0), at(0.0, -288.0)));
    for (x, y, size) in [
        (-600.0, -270.0, 130.0),
        (-440.0, -310.0, 80.0),
        (-215.0, -316.0, 70.0),
        (220.0, -314.0, 76.0),
        (410.0, -312.0, 64.0),
        (585.0, -262.0, 140.0),
    ] {
        let stone = FluidShape::Polygon(stone(size));
        stage.spawn((FluidCollider::new(stone), at(x, y)));
    }
    let foot = [(110.0, -335.0), (46.0, -160.0), (-46.0, -160.0), (-110.0, -335.0)];
    let bowl = [(60.0, -160.0), (100.0, -122.0), (-100.0, -122.0), (-60.0, -160.0)];
    for part in [foot, bowl] {
        let part = ConvexPolygon::new(part.map(Vec2::from)).expect("convex");
        stage.spawn((FluidCollider::from(part), at(0.0, 0.0)));
    }
    for (x, y, angle, speed, width) in [
        (-22.0, -118.0, 0.34, 580.0, 18.0),
        (22.0, -118.0, -0.34, 580.0, 18.0),
        (-500.0, -180.0, -0.62, 320.0, 12.0),
        (500.0, -180.0, 0.62, 320.0, 12.0),
    ] {
        let jet = FluidEmitter::jet(width, speed).with_spread(0.02);
        stage.spawn((jet, FluidClass::new(0), turned(x, y, angle)));
    }
}

fn scenery_of_fountain(painter: &mut Painter) {
    painter.sky(&[
        (-200.0, rgb(1.0, 0.80, 0.52)),
        (60.0, rgb(0.98, 0.62, 0.48)),
        (360.0, rgb(0.36, 0.42, 0.66)),
    ]);
    painter.glow((250.0, 40.0), 620.0, rgba(1.0, 0.90, 0.62, 0.9));
    painter.disc((250.0, 40.0), 58.0, rgb(1.0, 0.96, 0.80));
    painter.ridge(
        Silhouette::Hills,
        [-330.0, 70.0],
        [rgb(0.58, 0.42, 0.52), rgb(0.98, 0.70, 0.52)],
    );
    painter.ridge(
        Silhouette::Leaves,
        [-330.0, -10.0],
        [rgb(0.34, 0.34, 0.40), rgb(0.78, 0.58, 0.46)],
    );
    painter.ridge(
        Silhouette::Leaves,
        [-340.0, -110.0],
        [rgb(0.16, 0.24, 0.26), rgb(0.40, 0.38, 0.32)],
    );
    painter.panel(
        (0.0, -335.0),
        (VIEW.x * 2.0, 200.0),
        [rgb(0.20, 0.30, 0.32), rgb(0.07, 0.10, 0.14)],
    );
    painter.in_front();
    painter.ridge(
        Silhouette::Leaves,
        [-420.0, -300.0],
        [rgb(0.08, 0.13, 0.13), rgb(0.04, 0.07, 0.08)],
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

/// Hot liquid rises from burners and sinks where it has cooled; its glow shows its temperature.
pub fn convection(stage: &mut Stage) {
    stage.camera().insert((bevy::camera::Hdr, Bloom::NATURAL));
    stage.colors(rgb(0.03, 0.03, 0.06), rgba(0.62, 0.74, 0.90, 0.55));
    stage.painter.sky(&[(-360.0, rgb(0.16, 0.07, 0.09)), (360.0, rgb(0.05, 0.05, 0.10))]);
    stage.tiles(Vec2::new(128.0, 64.0), rgb(0.15, 0.12, 0.16), 0.03);
    scenery_of_convection(&mut stage.painter);
    *stage.settings() = FluidSettings::new(6.6, Vec2::new(0.0, -400.0));
    let thermal = FluidThermal { conductivity: 0.35, expansion: 0.006, ..default() };
    let glycerine = class("glycerine", 1.0, [0.10, 0.10, 0.38]);
    stage.classes(vec![DensityClass { thermal, ..glycerine }]);
    stage.glow(25.0, 110.0);
    let glowing = FluidSurfaceLook {
        opacity: 1.0,
        depth_color: Color::NONE,
        foam_color: Color::NONE,
        glow: 1.2,
        ..default()
    };
    stage.look(FluidSurface { smoothing: 3.4, ..glowing.into() }, &[]);
    let wall = |temperature| WallProperties { temperature: Some(temperature), ..default() };
    let tank = FluidContainer::from(Rectangle::new(1140.0, 620.0)).with_wall(wall(0.0));
    stage.spawn((tank, at(0.0, 42.0)));
    for x in BURNERS {
        let plate = FluidCollider::from(Rectangle::new(170.0, 20.0)).with_wall(wall(200.0));
        stage.spawn((plate, FluidSolidColor(rgb(0.20, 0.15, 0.16)), at(x, -258.0)));
    }
    let liquid = FluidBlob::from(Rectangle::new(1130.0, 470.0));
    stage.spawn((liquid, FluidClass::new(0), at(0.0, -30.0)));
}

/// Places of the burners along the tank.
const BURNERS: [f32; 3] = [-370.0, 0.0, 370.0];

fn scenery_of_convection(painter: &mut Painter) {
    for x in BURNERS {
        painter.glow((x, -300.0), 460.0, rgba(1.0, 0.45, 0.16, 0.5));
    }
    painter.in_front();
    // The stove, with a ring of flames at each burner.
    painter.panel(
        (0.0, -380.0),
        (VIEW.x * 2.0, 90.0),
        [rgb(0.12, 0.11, 0.13), rgb(0.03, 0.03, 0.04)],
    );
    for x in BURNERS {
        painter.glow((x, -318.0), 190.0, rgba(1.0, 0.50, 0.15, 0.75));
        for flame in -4..=4_i8 {
            let (x, high) = (x + 22.0 * f32::from(flame), 34.0 - f32::from(flame.pow(2)));
            let tongue = |half: f32, high: f32| {
                [
                    (x + half, -336.0),
                    (x + 0.3 * half, -336.0 + high),
                    (x, -330.0 + high),
                    (x - half, -336.0),
                ]
            };
            painter.shape(
                &tongue(10.0, high),
                3.0,
                [rgba(1.0, 0.62, 0.18, 0.7), rgb(0.35, 0.50, 1.0)],
            );
            painter.shape(
                &tongue(5.0, 0.6 * high),
                2.0,
                [rgb(1.0, 0.93, 0.62), rgb(0.62, 0.80, 1.0)],
            );
        }
        painter.board((x, -341.0), (230.0, 14.0), rgb(0.24, 0.23, 0.26));
    }
    // Light on the glass.
    for (x, width) in [(-470.0, 60.0), (-390.0, 18.0)] {
        let shine = [(width, 340.0), (0.0, 340.0), (-150.0, -100.0), (width - 150.0, -100.0)];
        let fading = [rgba(0.7, 0.8, 1.0, 0.07), rgba(0.7, 0.8, 1.0, 0.0)];
        painter.shape(&shine.map(|(right, y)| (x + right, y)), 0.0, fading);
    }
    painter.vignette(VIEW, 0.4);
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
