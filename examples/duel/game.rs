//! The rules. All of them are whole numbers, and places follow from them: so the same inputs give the same game on
//! every machine.

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::super::{DOWN, LEFT, PUMP, RIGHT, UP};

/// Distance of the particles, in world units.
const SPACING: f32 = 7.0;
const GRAVITY: f32 = 600.0;
/// Speed of the water as it leaves a hose, in world units/s.
const SPEED: f32 = 760.0;
/// Height of the piers, and of the hoses above them.
pub(crate) const PIER: f32 = -60.0;
const HOSE: f32 = 46.0;
/// Where a pump takes its water.
const INLET: f32 = -250.0;
/// How far from the middle a player may go.
const RANGE: (i32, i32) = (235, 445);
/// World units that a player goes in a tick.
const STEP: i32 = 3;
/// Slopes to which a hose turns, in hundredths, and by how much in a tick.
const SLOPES: (i32, i32) = (-20, 260);
const TURN: i32 = 2;
/// Who is as wet as this loses a point.
pub(crate) const SOAKED: i32 = 10_000;
/// How wet a drop in reach of a player makes in a tick, and what dries in it.
const BY_DROP: i32 = 3;
const DRIES: i32 = 8;
/// Ticks between two rounds.
const PAUSE: u32 = 120;

/// What both players hold: bits as in [`LEFT`].
#[derive(Resource, Default)]
pub(crate) struct Hands(pub [u8; 2]);

/// All that decides the game, beside the liquid.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Duel {
    pub players: [Player; 2],
    pub ticks: u32,
    /// Ticks until the next round.
    pub pause: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Player {
    /// Distance from the middle, in world units.
    pub away: i32,
    /// Slope of the hose, in hundredths.
    pub slope: i32,
    /// Up to [`SOAKED`].
    pub wet: i32,
    pub points: u32,
}

impl Default for Player {
    fn default() -> Self {
        Self { away: 340, slope: 60, wet: 0, points: 0 }
    }
}

/// The side of a player: -1 is left.
pub(crate) fn sign(side: usize) -> f32 {
    if side == 0 { -1.0 } else { 1.0 }
}

impl Player {
    /// Where the player stands.
    pub(crate) fn feet(&self, side: usize) -> Vec2 {
        Vec2::new(sign(side) * self.away as f32, PIER)
    }

    /// Where the hose points, as a unit vector.
    pub(crate) fn aim(&self, side: usize) -> Vec2 {
        Vec2::new(-sign(side), self.slope as f32 / 100.0).normalize()
    }

    /// Where the hose is held.
    pub(crate) fn hand(&self, side: usize) -> Vec2 {
        self.feet(side) + Vec2::new(0.0, HOSE)
    }

    /// Where the water leaves the hose.
    fn nozzle(&self, side: usize) -> Vec2 {
        self.hand(side) + 42.0 * self.aim(side)
    }
}

/// The side that an entity belongs to.
#[derive(Component, Clone, Copy)]
pub(crate) struct Side(pub usize);

/// Adds the game to the schedule in which the liquid is simulated, or to one before it.
pub(crate) fn add(app: &mut App, schedule: impl ScheduleLabel) {
    app.insert_resource(FluidSettings::new(SPACING, Vec2::new(0.0, -GRAVITY)))
        .init_resource::<Duel>()
        .init_resource::<Hands>()
        .add_systems(Startup, setup)
        .add_systems(schedule, (play, place).chain().before(FluidSystems::SyncSettings));
}

/// Players move, aim, and get wet or dry.
pub(crate) fn play(
    hands: Res<Hands>,
    sensors: Query<(&Side, &FluidSensorReading)>,
    mut duel: ResMut<Duel>,
) {
    duel.ticks += 1;
    for (side, held) in hands.0.into_iter().enumerate() {
        let is = |key: u8| i32::from(held & key != 0);
        let outwards = if side == 0 { is(LEFT) - is(RIGHT) } else { is(RIGHT) - is(LEFT) };
        let player = &mut duel.players[side];
        player.away = (player.away + STEP * outwards).clamp(RANGE.0, RANGE.1);
        player.slope = (player.slope + TURN * (is(UP) - is(DOWN))).clamp(SLOPES.0, SLOPES.1);
    }
    if duel.pause > 0 {
        duel.pause -= 1;
        if duel.pause == 0 {
            duel.players.iter_mut().for_each(|player| player.wet = 0);
        }
        return;
    }
    for (side, reading) in &sensors {
        let wetter = BY_DROP * reading.count.min(100) as i32 - DRIES;
        let player = &mut duel.players[side.0];
        player.wet = (player.wet + wetter).clamp(0, SOAKED);
    }
    let soaked = duel.players.map(|player| player.wet == SOAKED);
    for side in 0..2 {
        if soaked[1 - side] {
            duel.players[side].points += 1;
            duel.pause = PAUSE;
        }
    }
}

/// Puts everything where the game's state says.
fn place(
    hands: Res<Hands>,
    duel: Res<Duel>,
    mut figures: Query<(&Side, &mut Transform), With<FluidCollider>>,
    mut pumps: Query<(&Side, &mut Transform, &mut FluidPump), Without<FluidCollider>>,
) {
    for (side, mut place) in &mut figures {
        place.translation = (duel.players[side.0].feet(side.0) + Vec2::Y * 31.0).extend(0.0);
    }
    for (side, mut place, mut pump) in &mut pumps {
        let player = &duel.players[side.0];
        let inlet = Vec2::new(player.feet(side.0).x, INLET);
        place.translation = inlet.extend(0.0);
        pump.to = player.nozzle(side.0) - inlet;
        pump.velocity = SPEED * player.aim(side.0);
        pump.running = hands.0[side.0] & PUMP != 0 && duel.pause == 0;
    }
}

/// What a bot holds: it aims at the other, walks to and fro, and rests now and then.
pub(crate) fn bot(side: usize, duel: &Duel) -> u8 {
    let (own, other) = (&duel.players[side], &duel.players[1 - side]);
    let way = (other.feet(1 - side) - own.nozzle(side)) + Vec2::Y * 40.0;
    // The flatter of the two throws that hit.
    let (x, fall) = (way.x.abs(), GRAVITY * way.x * way.x / (2.0 * SPEED * SPEED));
    let root = (x * x - 4.0 * fall * (fall + way.y)).max(0.0).sqrt();
    let turn = duel.ticks / 240 + side as u32;
    let wanted = if turn % 3 == 2 { x + root } else { x - root } / (2.0 * fall);
    let wrong = wanted - own.slope as f32 / 100.0;
    let mut held = match wrong {
        up if up > 0.03 => UP,
        down if down < -0.03 => DOWN,
        _ => 0,
    };
    held |= match (duel.ticks / 70 + 2 * side as u32) % 5 {
        0 | 3 => LEFT,
        1 => RIGHT,
        _ if duel.ticks.is_multiple_of(2) => RIGHT,
        _ => 0,
    };
    if wrong.abs() < 0.5 && turn % 5 != 4 { held | PUMP } else { held }
}

fn setup(mut commands: Commands) {
    let at = |x, y| Transform::from_xyz(x, y, 0.0);
    let solid =
        |width, height, x, y| (FluidCollider::from(Rectangle::new(width, height)), at(x, y));
    // The pool, and a wall across it with a gap above the floor.
    commands.spawn(solid(1200.0, 60.0, 0.0, -345.0));
    commands.spawn(solid(40.0, 900.0, -510.0, 0.0));
    commands.spawn(solid(40.0, 900.0, 510.0, 0.0));
    commands
        .spawn((solid(22.0, 190.0, 0.0, -145.0), FluidSolidColor(Color::srgb(0.50, 0.36, 0.26))));
    let wood = [Color::srgb(0.62, 0.42, 0.27), Color::srgb(0.56, 0.37, 0.24)];
    for side in 0..2 {
        let sign = sign(side);
        // Planks with gaps, so that the piers dry.
        for plank in 0..8_u8 {
            let x = sign * (218.0 + 36.0 * f32::from(plank));
            let color = FluidSolidColor(wood[usize::from(plank % 2)]);
            commands.spawn((solid(24.0, 14.0, x, PIER - 7.0), color));
        }
        let coat = [Color::srgb(0.95, 0.74, 0.16), Color::srgb(0.86, 0.25, 0.30)][side];
        commands.spawn((
            Side(side),
            FluidCollider::from(Capsule2d::new(13.0, 30.0)),
            FluidSolidColor(coat),
            at(sign * 340.0, PIER + 31.0),
            // Around the figure, and behind its hose.
            children![(Side(side), FluidSensor::from(Capsule2d::new(24.0, 34.0)))],
        ));
        commands.spawn((
            Side(side),
            FluidPump::new(Rectangle::new(130.0, 70.0), Rectangle::new(14.0, 14.0), Vec2::ZERO)
                .with_rate(170.0)
                .stopped(),
            at(sign * 340.0, INLET),
        ));
        // Something that floats.
        for (x, radius, color) in [
            (70.0, 24.0, Color::srgb(0.90, 0.35, 0.22)),
            (140.0, 16.0, Color::srgb(0.97, 0.93, 0.82)),
        ] {
            commands.spawn((
                FluidCollider::from(Circle::new(radius)),
                FluidBuoyant::of_density(0.25),
                FluidSolidColor(color),
                at(sign * x, -85.0),
            ));
        }
        commands.spawn((FluidBlob::from(Rectangle::new(474.0, 165.0)), at(sign * 251.0, -232.0)));
    }
}
