//! Whether rain stays rain: how wide it is while it falls.

use blob_fluid::{
    Emitter, EmitterSettings, FluidParameters, FluidShape, FluidWorld, SerialExecutor,
};
use glam::Vec2;

const TICK: f32 = 1.0 / 64.0;

/// The rain of `docs/games.md`: 80 wide, at the default spacing.
const WIDTH: f32 = 80.0;

/// Depths below where it begins at which it is measured.
const DEPTHS: [f32; 4] = [60.0, 200.0, 400.0, 600.0];

/// How wide the rain is around these depths: as wide as evenly spread rain with the same standard deviation.
fn widths(wide: f32, rate: f32, speed: Option<f32>, cohesion_onset: f32) -> [f32; 4] {
    let mut parameters = FluidParameters { cohesion_onset, ..FluidParameters::default() };
    // Air brakes the drops. Without it those that pushed each other at the beginning fly apart for ever.
    parameters.settling.drag = 0.02;
    let mut world = FluidWorld::new(parameters).expect("valid");
    let shape = FluidShape::Rectangle { half_size: Vec2::new(0.5 * wide, 10.0) };
    let settings = EmitterSettings { speed, ..EmitterSettings::rain(shape, rate) };
    let mut emitter = Emitter::new(settings).expect("valid");
    let down = (Vec2::ZERO, Vec2::NEG_X);
    // Number, sum and sum of squares of places across.
    let mut sums = [[0.0_f64; 3]; 4];
    for tick in 0..64 * 20 {
        emitter.emit(world.liquid_mut(), down, down, TICK).expect("valid");
        world.step(TICK, &SerialExecutor).expect("valid");
        world.despawn_where(|position, _| position.y < -700.0);
        if tick < 64 * 4 {
            continue;
        }
        for position in world.particles().positions() {
            for (depth, sums) in DEPTHS.into_iter().zip(&mut sums) {
                if (-position.y - depth).abs() < 30.0 {
                    let x = f64::from(position.x);
                    *sums = [sums[0] + 1.0, sums[1] + x, sums[2] + x * x];
                }
            }
        }
    }
    sums.map(|[count, sum, squares]| {
        assert!(count > 50.0, "it rains");
        let mean = sum / count;
        (12.0 * (squares / count - mean * mean)).sqrt() as f32
    })
}

#[test]
fn rain_keeps_its_width() {
    for (width, rate) in [(WIDTH, 90.0), (WIDTH, 30.0), (400.0, 90.0)] {
        let found = widths(width, rate, None, 0.0);
        println!("{rate} in {width}: {found:?}");
        let stays = found.iter().all(|found| (found / width - 1.0).abs() < 0.1);
        assert!(stays, "{rate} in {width}: {found:?}");
    }
}

#[test]
fn slow_drops_within_reach_of_each_other_come_together() {
    for rate in [90.0, 30.0] {
        let [begun, ..] = widths(WIDTH, rate, Some(0.0), 0.0);
        assert!(begun < 0.6 * WIDTH, "{rate}: {begun}");
    }
}

#[test]
fn slow_drops_beyond_the_radius_stay_apart() {
    for width in widths(400.0, 50.0, Some(0.0), 0.0) {
        assert!((width / 400.0 - 1.0).abs() < 0.03, "{width}");
    }
}

#[test]
fn rain_keeps_its_width_where_thin_liquid_does_not_attract() {
    for (rate, speed) in [(10.0, 0.0), (30.0, 0.0), (90.0, 200.0)] {
        let speed = Some(speed);
        let rains = widths(WIDTH, rate, speed, 0.2);
        println!("{rate} at {speed:?}: {:?} and {rains:?}", widths(WIDTH, rate, speed, 0.0));
        for width in rains {
            assert!((0.95..1.15).contains(&(width / WIDTH)), "{rate} at {speed:?}: {rains:?}");
        }
    }
}

#[test]
fn a_sheet_contracts_as_a_jet_does() {
    // At rest as many drops are liquid: more than half as dense as a pool when they begin to fall.
    let [plain, late] = [0.0, 0.2].map(|onset| widths(WIDTH, 90.0, Some(0.0), onset));
    println!("a sheet: {plain:?} and {late:?}");
    assert!(plain[1] < 0.5 * WIDTH && late[1] < 0.5 * WIDTH, "{plain:?} {late:?}");
}
