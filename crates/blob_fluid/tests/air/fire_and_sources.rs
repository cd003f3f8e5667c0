//! Fire, cooling, colours and wind.

use blob_fluid::FluidRegion;
use blob_fluid::air::*;
use glam::Vec2;

use crate::ticks::TICK;
use crate::{room, run};

fn everywhere() -> FluidRegion {
    FluidRegion::rectangle(Vec2::splat(4.0), Vec2::splat(4.0)).expect("valid")
}

#[test]
fn hot_fuel_becomes_heat_and_soot() {
    let fire = AirFire { burn_rate: 6.0, heat: 2.0, soot: 0.25, ..AirFire::default() };
    let mut air = room(8, 8, AirSettings { fire, ..Default::default() }, AirSides::default());
    let source = AirSource { fuel: 1.0, burst: true, ..AirSource::new(everywhere()) };
    air.set_sources(vec![source.clone()]).expect("valid");
    run(&mut air, 10);
    assert_eq!(air.amount(AirChannel::Fuel), 64.0, "cold fuel does not burn");
    air.set_sources(vec![AirSource { fuel: 0.0, heat: 1.0, ..source }]).expect("valid");
    let steps = 30;
    run(&mut air, steps);
    let left = f64::from(1.0 / (1.0 + 6.0 * TICK)).powi(steps as i32);
    let close = |found: f64, exact: f64| (found / 64.0 - exact).abs() < 1e-5;
    assert!(close(air.amount(AirChannel::Fuel), left));
    assert!(close(air.amount(AirChannel::Heat), 1.0 + 2.0 * (1.0 - left)));
    assert!(close(air.amount(AirChannel::Smoke), 0.25 * (1.0 - left)));
}

#[test]
fn smoke_that_is_given_one_colour_has_all_three() {
    let fire = AirFire { burn_rate: 6.0, heat: 2.0, soot: 0.25, ..AirFire::default() };
    let settings = AirSettings { fire, ..Default::default() };
    let cells = vec![1.0; 64];
    for colour in AirChannel::COLOUR {
        let [mut filled, mut set] = [(); 2].map(|()| room(8, 8, settings, AirSides::default()));
        for air in [&mut filled, &mut set] {
            for channel in [AirChannel::Smoke, AirChannel::Fuel, AirChannel::Heat] {
                air.set_channel(channel, &cells).expect("valid");
            }
        }
        filled.fill_channel(colour, &everywhere(), 0.5).expect("valid");
        set.set_channel(colour, &[0.5; 64]).expect("valid");
        assert_eq!(filled.save(), set.save());
        // What was there was white.
        let others = AirChannel::COLOUR.into_iter().filter(|other| *other != colour);
        others.for_each(|other| assert_eq!(set.channel(other), cells, "{colour:?}"));
        run(&mut set, 10);
        for colour in AirChannel::COLOUR {
            assert!(set.amount(colour) > 64.0 * 0.5, "soot is white");
        }
    }
}

#[test]
fn smoke_that_flows_in_leaves_white_smoke_white() {
    let inflow = AirSide::Inflow { velocity: Vec2::new(20.0, 0.0), smoke: 0.5, heat: 0.0 };
    let sides = AirSides { left: inflow, right: AirSide::Open, ..AirSides::default() };
    let mut air = room(8, 8, AirSettings::default(), sides);
    air.fill_channel(AirChannel::Smoke, &everywhere(), 1.0).expect("valid");
    run(&mut air, 5);
    assert!(AirChannel::COLOUR.into_iter().all(|colour| air.channel(colour).is_empty()));
    // From now on it has colours, and what flows in is white as well.
    let red =
        AirSource { smoke: 1.0, colour: Some([1.0, 0.0, 0.0]), ..AirSource::new(everywhere()) };
    air.set_sources(vec![red]).expect("valid");
    run(&mut air, 5);
    air.set_sources(Vec::new()).expect("valid");
    run(&mut air, 200);
    let [smoke, green] = [AirChannel::Smoke, AirChannel::Green].map(|channel| air.amount(channel));
    assert!(green > 0.95 * smoke && smoke > 1.0, "{green} of {smoke}");
}

#[test]
fn heat_and_smoke_fade_at_their_rates() {
    let settings = AirSettings { cooling: 3.0, smoke_dissipation: 0.5, ..Default::default() };
    let mut air = room(8, 8, settings, AirSides::default());
    let colour = Some([1.0, 0.0, 0.5]);
    let source =
        AirSource { smoke: 1.0, heat: 1.0, colour, burst: true, ..AirSource::new(everywhere()) };
    air.set_sources(vec![source]).expect("valid");
    run(&mut air, 61);
    // The first step fills and fades.
    let fading = |rate: f32| f64::from(1.0 / (1.0 + rate * TICK)).powi(61) * 64.0;
    assert!((air.amount(AirChannel::Heat) - fading(3.0)).abs() < 1e-3);
    assert!((air.amount(AirChannel::Smoke) - fading(0.5)).abs() < 1e-3);
    assert!((air.amount(AirChannel::Blue) - 0.5 * fading(0.5)).abs() < 1e-3);
    assert_eq!(air.colour_at(Vec2::splat(4.0)).expect("inside")[1], 0.0);
}

#[test]
fn wind_blows_at_its_velocity() {
    let mut air = room(24, 24, AirSettings::default(), AirSides::all(AirSide::Open));
    let region = FluidRegion::circle(Vec2::splat(12.0), 5.0).expect("valid");
    let wind = Some(Wind { velocity: Vec2::new(3.0, 4.0), strength: Some(60.0) });
    air.set_sources(vec![AirSource { wind, ..AirSource::new(region) }]).expect("valid");
    run(&mut air, 120);
    let velocity = air.velocity_at(Vec2::splat(12.0)).expect("inside");
    assert!(velocity.distance(Vec2::new(3.0, 4.0)) < 1.0, "{velocity}");
}

#[test]
fn a_moving_lid_drags_the_air_along() {
    let lid = AirSide::Closed { slip: AirSlip::NoSlip { velocity: 2.0 } };
    let sides = AirSides {
        left: AirSide::Periodic,
        right: AirSide::Periodic,
        bottom: AirSide::STICKY,
        top: lid,
    };
    // Couette flow: the velocity rises evenly from wall to wall, at any viscosity.
    let mut air = room(8, 16, AirSettings { viscosity: 200.0, ..Default::default() }, sides);
    run(&mut air, 200);
    for j in 0..16 {
        let height = j as f32 + 0.5;
        let velocity = air.velocity_at(Vec2::new(4.0, height)).expect("inside").x;
        assert!((velocity - 2.0 * height / 16.0).abs() < 1e-3, "{velocity} at {height}");
    }
}
