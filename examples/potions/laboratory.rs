//! What the liquid meets: vessels, taps, the cauldron on its fire, and the flask.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::shape::Polyline;
use bevy_blob_fluid::prelude::*;

use super::super::{Game, Hands, PIGMENTS};
use super::room::{BRASS, GLASS, IRON};

/// Distance of the particles, in world units.
const SPACING: f32 = 6.0;
/// Height of their rims, above the view, so that nothing splashes over.
const RIM: f32 = 430.0;
/// Outlines of the insides of the vessels from one rim to the other; between the two middle points is the
/// hole for the tap.
pub const VESSELS: [[Vec2; 6]; 3] = [
    [
        Vec2::new(-612.0, RIM),
        Vec2::new(-612.0, 206.0),
        Vec2::new(-242.0, 124.0),
        Vec2::new(-190.0, 124.0),
        Vec2::new(-190.0, 150.0),
        Vec2::new(-190.0, RIM),
    ],
    [
        Vec2::new(-172.0, RIM),
        Vec2::new(-172.0, 164.0),
        Vec2::new(-28.0, 124.0),
        Vec2::new(28.0, 124.0),
        Vec2::new(172.0, 164.0),
        Vec2::new(172.0, RIM),
    ],
    [
        Vec2::new(190.0, RIM),
        Vec2::new(190.0, 150.0),
        Vec2::new(190.0, 124.0),
        Vec2::new(242.0, 124.0),
        Vec2::new(612.0, 206.0),
        Vec2::new(612.0, RIM),
    ],
];
/// Up to where the vessels are filled.
const LEVEL: f32 = 322.0;
/// The cauldron's inside, on either side of the hole for its tap.
pub const CAULDRON: [&[Vec2]; 2] = [
    &[
        Vec2::new(-272.0, 70.0),
        Vec2::new(-264.0, -20.0),
        Vec2::new(-214.0, -92.0),
        Vec2::new(-120.0, -124.0),
        Vec2::new(126.0, -136.0),
    ],
    &[
        Vec2::new(174.0, -136.0),
        Vec2::new(222.0, -92.0),
        Vec2::new(264.0, -20.0),
        Vec2::new(272.0, 70.0),
    ],
];
/// The flask, from one side of its mouth to the other.
pub const FLASK: [Vec2; 6] = [
    Vec2::new(362.0, -222.0),
    Vec2::new(362.0, -244.0),
    Vec2::new(288.0, -338.0),
    Vec2::new(516.0, -338.0),
    Vec2::new(442.0, -244.0),
    Vec2::new(442.0, -222.0),
];
/// Where cauldron and flask are measured.
const MIXTURE: Rect = Rect { min: Vec2::new(-270.0, -140.0), max: Vec2::new(270.0, 70.0) };
const POTION: Rect = Rect { min: Vec2::new(288.0, -340.0), max: Vec2::new(516.0, -230.0) };
/// Middles of the whisks, the length of their arms, and how fast they turn, in radians/s.
pub const WHISKS: [Vec2; 2] = [Vec2::new(-126.0, -50.0), Vec2::new(76.0, -60.0)];
const ARM: f32 = 58.0;
const STIRRING: f32 = 2.8;
/// Middle of the fire.
pub const BURNER: Vec2 = Vec2::new(-40.0, -300.0);
/// How fast the fire heats the mixture, in degrees/s.
const HEATING: f32 = 14.0;

/// The setting of the liquid.
pub fn settings() -> FluidSettings {
    let mut settings = FluidSettings::new(SPACING, Vec2::new(0.0, -600.0));
    // What is spilt falls out of sight.
    let (low, high) = (Vec2::new(-900.0, -600.0), Vec2::new(900.0, 600.0));
    settings.kill_bounds = Some(FluidBounds { low, high });
    settings
}

/// The liquid of all potions: its colour is its paint.
pub fn potion() -> DensityClass {
    DensityClass {
        name: "potion".into(),
        paint: Some(FluidPaint { diffusion: 0.4, ..default() }),
        thermal: FluidThermal {
            conductivity: 0.4,
            cooling: 0.0004,
            // What is warm rises, and stirs the mixture.
            expansion: 0.001,
            ..default()
        },
        ..default()
    }
}

/// The tap of a vessel, 0 to 2, or of the cauldron, 3.
#[derive(Component)]
pub struct Tap(pub usize);

/// The nozzle that fills a vessel again, by the number of the vessel.
#[derive(Component)]
pub struct Refill(usize);

/// Marks the sensor in a vessel, by its number.
#[derive(Component)]
pub struct Level(usize);

/// What a sensor is in.
#[derive(Component)]
pub enum Holds {
    Mixture,
    Potion,
}

/// A whisk in the cauldron, and how fast it turns, in radians/s.
#[derive(Component)]
pub struct Whisk(f32);

/// Marks what heats the mixture, what burns below it, and the plug.
#[derive(Component)]
pub struct Heat;
#[derive(Component)]
pub struct Flame;
#[derive(Component)]
pub struct Plug;

/// The pipes below the vessels and the cauldron, and how far along each its tap is.
pub fn pipes() -> [(FluidPipe, f32); 4] {
    let below = |x: f32| {
        (FluidPipe::new([Vec2::new(x, 128.0), Vec2::new(x, 78.0)], 48.0).with_thickness(7.0), 28.0)
    };
    let spout = [Vec2::new(150.0, -132.0), Vec2::new(150.0, -184.0), Vec2::new(372.0, -214.0)];
    let spout = FluidPipe::new(spout, 40.0).with_thickness(7.0);
    [below(-216.0), below(0.0), below(216.0), (spout, 28.0)]
}

pub fn build(mut commands: Commands) {
    let line = |points: &[Vec2], thickness| {
        let line = Polyline::new(points.iter().copied(), thickness).expect("a line");
        FluidCollider::from(FluidShape::Polyline(line))
    };
    for (number, (outline, color)) in VESSELS.iter().zip(PIGMENTS).enumerate() {
        for side in [&outline[..3], &outline[3..]] {
            commands.spawn((line(side, 8.0), FluidSolidColor(GLASS)));
        }
        let low = outline[1].y.max(outline[4].y);
        let liquid = Polygon::new(outline.map(|corner| corner.min(Vec2::new(1e3, LEVEL))));
        commands.spawn(FluidBlob::from(liquid).with_paint(color));
        // The upper part of the vessel, and a nozzle above it that draws from a tank in the attic.
        let (left, right) = (outline[0].x, outline[5].x);
        let middle = 0.5 * (left + right);
        let upper = Rectangle::new(right - left - 10.0, LEVEL - low);
        commands.spawn((
            Level(number),
            FluidSensor::from(upper),
            Transform::from_xyz(middle, 0.5 * (LEVEL + low), 0.0),
        ));
        let tank = FluidTank::with_capacity(100_000).holding(ClassId(0), 20_000);
        let tank = commands.spawn(tank).id();
        commands.spawn((
            Refill(number),
            FluidEmitter::pour(60.0, 240.0).with_paint(color).stopped(),
            FluidTankLink(tank),
            Transform::from_xyz(middle, RIM - 30.0, 0.0)
                .with_rotation(Quat::from_rotation_z(std::f32::consts::PI)),
        ));
    }
    for side in CAULDRON {
        commands.spawn((line(side, 14.0), FluidSolidColor(IRON)));
    }
    let arms = (0..4_u8).flat_map(|arm| {
        let tip = Vec2::from_angle(std::f32::consts::FRAC_PI_2 * f32::from(arm)) * ARM;
        [Vec2::ZERO, tip, tip + 0.3 * tip.perp(), tip]
    });
    let arms: Vec<Vec2> = arms.chain([Vec2::ZERO]).collect();
    for (middle, speed) in WHISKS.into_iter().zip([STIRRING, -STIRRING]) {
        // The arms of the other point the other way.
        let arms: Vec<Vec2> = arms.iter().map(|at| *at * Vec2::new(speed.signum(), 1.0)).collect();
        let place = Transform::from_translation(middle.extend(0.0));
        commands.spawn((Whisk(speed), line(&arms, 8.0), FluidSolidColor(BRASS), place));
    }
    commands.spawn((line(&FLASK, 7.0), FluidSolidColor(GLASS)));
    for (number, (pipe, distance)) in pipes().into_iter().enumerate() {
        let (valve, place) = pipe.valve_at(distance);
        let valve = (valve, Tap(number), place, Visibility::default());
        commands.spawn((pipe, Visibility::default())).with_child(valve);
    }
    for (holds, area) in [(Holds::Mixture, MIXTURE), (Holds::Potion, POTION)] {
        let place = Transform::from_translation(area.center().extend(0.0));
        commands.spawn((holds, FluidSensor::from(Rectangle::from_size(area.size())), place));
        // The plug at the bottom of either: while it is open everything drains.
        let drain = FluidDrain::from(Rectangle::new(area.width(), area.height() + 30.0));
        commands.spawn((Plug, drain.with_rate(500.0).stopped(), place));
    }
    commands.spawn((
        Heat,
        FluidForce::heat(1.0, 0.0)
            .with_shape(&Rectangle::new(440.0, 110.0))
            .with_falloff(FluidFalloff::Constant),
        Transform::from_xyz(0.0, -90.0, 0.0),
    ));
    // Air for the fire.
    let mut air = FluidAir::new(420.0, 210.0).with_cell_size(6.0).with_open_sides();
    air.settings.fire = AirFire { burn_rate: 3.0, soot: 0.25, ..default() };
    air.settings.cooling = 1.2;
    commands.spawn((air, Transform::from_xyz(BURNER.x, -238.0, 1.0)));
    commands.spawn((
        Flame,
        FluidAirSource {
            fuel: 0.0,
            heat: 0.0,
            ..FluidAirSource::new(&Rectangle::new(150.0, 14.0))
        },
        Transform::from_translation((BURNER - Vec2::new(0.0, 16.0)).extend(0.0)),
    ));
    // What misses the flask.
    commands.spawn((
        FluidDrain::from(Rectangle::new(3000.0, 60.0)),
        Transform::from_xyz(0.0, -420.0, 0.0),
    ));
}

/// The mean temperature in an area, in degrees.
pub fn mean_temperature(fluid: &FluidSimulation, area: Rect) -> f32 {
    let particles = fluid.particles();
    let inside = particles.positions().iter().zip(particles.temperatures());
    let inside = inside.filter(|(at, _)| area.contains(**at)).map(|(_, degrees)| *degrees);
    let (count, sum) =
        inside.fold((0.0, 0.0), |(count, sum), degrees| (count + 1.0, sum + degrees));
    if count > 0.0 { sum / count } else { 20.0 }
}

impl Holds {
    /// The area that is measured.
    pub fn area(&self) -> Rect {
        match self {
            Self::Mixture => MIXTURE,
            Self::Potion => POTION,
        }
    }
}

/// Taps take a third of a second.
pub fn turn_taps(time: Res<Time>, hands: Res<Hands>, taps: Query<(&Tap, &mut FluidValve)>) {
    let most = 3.0 * time.delta_secs();
    for (tap, mut valve) in taps {
        let goal = f32::from(hands.taps[tap.0]);
        let step = (goal - valve.opening).clamp(-most, most);
        if step != 0.0 {
            valve.opening = (valve.opening + step).clamp(0.0, 1.0);
        }
    }
}

/// The whisks stir the mixture.
pub fn stir(time: Res<Time>, mut whisks: Query<(&Whisk, &mut Transform)>) {
    for (whisk, mut place) in &mut whisks {
        place.rotate_z(whisk.0 * time.delta_secs());
    }
}

/// The fire burns, and heats the mixture.
pub fn burn(
    hands: Res<Hands>,
    mut heat: Single<&mut FluidForce, With<Heat>>,
    mut flame: Single<&mut FluidAirSource, With<Flame>>,
) {
    let (degrees, fuel) = if hands.burner { (HEATING, 9.0) } else { (0.0, 0.0) };
    if heat.heat != degrees {
        heat.heat = degrees;
        (flame.fuel, flame.heat) = (fuel, 0.5 * fuel);
    }
}

/// Vessels that are no longer full are filled again.
pub fn refill(
    levels: Query<(&Level, &FluidSensorReading)>,
    mut nozzles: Query<(&Refill, &mut FluidEmitter)>,
) {
    for (refill, mut nozzle) in &mut nozzles {
        let level = levels.iter().find(|(level, _)| level.0 == refill.0);
        let runs = level.is_some_and(|(_, reading)| reading.measured && reading.fill < 0.84);
        if nozzle.running != runs {
            nozzle.running = runs;
        }
    }
}

/// Empties cauldron and flask while the plug is out, and the flask after a potion is brewed.
pub fn empty(hands: Res<Hands>, game: Res<Game>, mut drains: Query<&mut FluidDrain, With<Plug>>) {
    let open = hands.plug || game.is_done();
    for mut drain in &mut drains {
        if drain.running != open {
            drain.running = open;
        }
    }
}
