//! Air is saved, restored and filled.

use blob_fluid::air::{
    Air, AirChannel, AirError, AirSettings, AirSide, AirSides, AirSource, AirWorkspace, SavedAir,
};
use blob_fluid::{
    Collider, Container, FluidBounds, FluidParameters, FluidRegion, FluidWorld, ParticleSpawn,
    SerialExecutor,
};
use glam::Vec2;

use crate::ticks::{TICK, run};
use crate::{gravity, room};

/// Air around a post, with coloured smoke and fire.
fn smoky() -> Air {
    let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
    let settings = AirSettings { vorticity_confinement: 0.2, cooling: 0.3, ..gravity() };
    let mut air = room(24, 30, settings, sides);
    air.set_solids([], &[Collider::circle(Vec2::new(13.0, 16.0), 4.0).expect("valid")]);
    let place = FluidRegion::circle(Vec2::new(11.0, 5.0), 3.0).expect("valid");
    let colour = Some([0.9, 0.4, 0.1]);
    let fire = AirSource { smoke: 1.0, fuel: 4.0, heat: 5.0, colour, ..AirSource::new(place) };
    air.set_sources(vec![fire]).expect("valid");
    air
}

fn step(air: &mut Air, steps: usize) {
    crate::run(air, steps);
}

#[test]
fn restored_air_goes_on_with_the_same_bits() {
    let mut air = smoky();
    step(&mut air, 40);
    let saved = air.save();
    let mut later = smoky();
    later.restore(&saved).expect("valid");
    assert_eq!(later.save(), saved);
    assert_eq!(later.time(), air.time());
    for _ in 0..60 {
        step(&mut air, 1);
        step(&mut later, 1);
        assert_eq!(later.state_hash(), air.state_hash());
    }
}

#[test]
fn saved_air_is_text_and_comes_back() {
    let mut air = smoky();
    step(&mut air, 20);
    let text = serde_json::to_string(&air.save()).expect("it is data");
    let read: SavedAir = serde_json::from_str(&text).expect("it was written so");
    assert_eq!(read, air.save());
    assert!(serde_json::from_str::<SavedAir>(r#"{"columns": 3}"#).is_err());
}

/// A world in which liquid falls into a pool and exchanges heat with the air.
fn wet_world(columns: f32) -> (FluidWorld, blob_fluid::air::AirId) {
    let parameters = FluidParameters::default();
    let mut world = FluidWorld::new(parameters).expect("valid");
    let half_size = Vec2::new(columns * 4.0, 80.0);
    world.insert_container(Container::rectangle(half_size, half_size).expect("valid"));
    let spacing = world.parameters().particle_spacing;
    let settings = AirSettings {
        density: 0.02 / (spacing * spacing),
        ..AirSettings::new(world.parameters().gravity)
    };
    let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::new(columns * 8.0, 160.0) };
    let air = Air::new(bounds, 8.0, settings, AirSides::default()).expect("valid");
    let id = world.insert_air(air);
    (world, id)
}

#[test]
fn a_restored_world_of_air_and_liquid_goes_on_with_the_same_bits() {
    let (mut world, air) = wet_world(20.0);
    for number in 0..60_u32 {
        let cell = Vec2::new((number % 10) as f32, (number / 10) as f32);
        let position = Vec2::new(30.0, 40.0) + cell * 8.0;
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
    }
    run(&mut world, 30);
    let saved = world.save_air(air).expect("there");
    let mut later = world.clone();
    later.air_mut(air).expect("there").clear();
    assert_eq!(later.restore_air(air, &saved), Ok(true));
    for _ in 0..30 {
        run(&mut world, 1);
        run(&mut later, 1);
        let hash = |world: &FluidWorld| world.air(air).map(Air::state_hash);
        assert_eq!(hash(&later), hash(&world));
        assert_eq!(later.state_hash(), world.state_hash());
    }
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut air = smoky();
    step(&mut air, 5);
    let (saved, before) = (air.save(), air.state_hash());
    let mut other = room(24, 31, gravity(), AirSides::default());
    let error = other.restore(&saved).expect_err("another grid");
    assert_eq!(error, AirError::OtherGrid { found: [24, 30], expected: [24, 31] });
    assert_eq!(error.to_string(), "the saved air has 24 x 30 cells, and must have 24 x 31");
    type Spoil = fn(&mut SavedAir);
    let spoilt: [(&str, Spoil); 9] = [
        ("velocity_x has 3 numbers, and must have 750", |saved| saved.velocity_x.truncate(3)),
        ("velocity_y is NaN", |saved| saved.velocity_y[7] = f32::NAN),
        ("pressure is inf, and must be within", |saved| saved.pressure[0] = f32::INFINITY),
        ("smoke is 20000000000", |saved| saved.channels[0].values[9] = 2e10),
        ("the channel smoke is there twice", |saved| {
            saved.channels.push(saved.channels[0].clone())
        }),
        ("blue has 0 numbers", |saved| {
            saved.channels.retain(|saved| saved.channel != AirChannel::Blue);
        }),
        ("time is -1, and must be finite and at least 0", |saved| saved.time = -1.0),
        ("condensate is NaN", |saved| saved.condensate = f64::NAN),
        ("liquid.share_x has 0 numbers", |saved| saved.liquid = Some(Default::default())),
    ];
    for (named, spoil) in spoilt {
        let mut bad = saved.clone();
        spoil(&mut bad);
        let error = air.restore(&bad).expect_err(named).to_string();
        assert!(error.contains(named), "{error}, not {named}");
        assert_eq!(air.state_hash(), before);
    }
    let (mut world, id) = wet_world(8.0);
    world.remove_air(id);
    assert_eq!((world.save_air(id), world.restore_air(id, &saved)), (None, Ok(false)));
}

#[test]
fn a_region_is_filled() {
    let mut air = smoky();
    step(&mut air, 5);
    // Half of it is over the post, in whose middle there is no air.
    let low = FluidRegion::rectangle(Vec2::new(12.0, 15.0), Vec2::new(12.0, 15.0)).expect("valid");
    let filled = air.fill_channel(AirChannel::Smoke, &low, 0.5).expect("valid");
    assert!(filled > 24 * 30 - 50 && filled < 24 * 30, "{filled}");
    let with_air = |channel: AirChannel| air.channel(channel).iter().filter(|value| **value == 0.5);
    for channel in [AirChannel::Smoke, AirChannel::Red, AirChannel::Blue] {
        assert_eq!(with_air(channel).count(), filled, "it is white");
    }
    let outside = FluidRegion::circle(Vec2::splat(-50.0), 3.0).expect("valid");
    assert_eq!(air.fill_channel(AirChannel::Heat, &outside, 1.0), Ok(0));
    let error = air.fill_channel(AirChannel::Fuel, &low, 1e7).expect_err("too much");
    assert_eq!(error.to_string(), "air: amount is 10000000, and must be within ±1000000");
    let mut work = AirWorkspace::default();
    air.step(TICK, &mut work, &SerialExecutor).expect("valid");
}
