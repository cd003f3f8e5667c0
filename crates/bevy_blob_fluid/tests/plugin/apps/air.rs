//! Air in a headless app.

use bevy::ecs::system::RunSystemOnce;
use bevy_blob_fluid::blob_fluid::air::SavedAir;

use crate::app::*;

fn airs(app: &App) -> usize {
    app.fluid().airs().count()
}

fn ask<T: Send + 'static>(
    app: &mut App,
    question: impl Fn(FluidQuery) -> T + Send + Sync + 'static,
) -> T {
    let system = move |query: FluidQuery| question(query);
    app.world_mut().run_system_once(system).expect("it runs")
}

#[test]
fn air_comes_and_goes_with_its_entity() {
    let mut app = weightless();
    let room = app.spawn(FluidAir::new(160.0, 80.0));
    app.update();
    assert_eq!(airs(&app), 1);
    let air = app.fluid().airs().next().expect("one");
    assert_eq!((air.columns(), air.rows()), (27, 14));
    assert!(air.bounds().contains(Vec2::new(-79.0, 39.0)));
    // A new cell size is new air, and a new place is not.
    app.component_mut::<FluidAir>(room).cell_size = 10.0;
    app.update();
    assert_eq!((airs(&app), app.fluid().airs().next().expect("one").columns()), (1, 16));
    let time = app.fluid().airs().next().expect("one").time();
    app.transform(room).translation.x = 500.0;
    app.update();
    let air = app.fluid().airs().next().expect("one");
    assert!(air.time() > time && air.bounds().contains(Vec2::new(570.0, 0.0)));
    app.remove::<FluidAir>(room);
    app.update();
    assert_eq!(airs(&app), 0);
    assert!(app.world().get::<FluidAirReport>(room).is_none());
    app.insert(room, FluidAir::default());
    app.update();
    assert_eq!(airs(&app), 1);
    app.despawn(room);
    app.update();
    assert_eq!(airs(&app), 0);
}

/// Which passes ran, in order.
#[derive(Resource, Default)]
struct Log(Vec<FluidAirSystems>);

#[test]
fn passes_run_in_their_order_once_per_tick_where_there_is_air() {
    let mut app = weightless();
    app.init_resource::<Log>();
    for pair in FluidAirSystems::ALL.windows(2) {
        let set = pair[0];
        let log = move |mut log: ResMut<Log>, fluid: Res<FluidSimulation>| {
            assert!(fluid.airs().next().is_some());
            log.0.push(set);
        };
        // It reads what the passes write, and has its place between two of them.
        app.add_systems(
            FluidSchedule,
            log.in_set(FluidTickSystems::Air)
                .after(set)
                .before(pair[1])
                .run_if(|fluid: Res<FluidSimulation>| fluid.airs().next().is_some()),
        );
    }
    app.update();
    assert!(app.resource::<Log>().0.is_empty());
    let times = *app.resource::<FluidPassTimes>();
    assert_eq!(times.air_total(), 0.0);
    app.spawn(FluidAir::new(160.0, 80.0));
    app.updates(2);
    let between = &FluidAirSystems::ALL[..FluidAirSystems::ALL.len() - 1];
    assert_eq!(app.resource::<Log>().0, [between, between].concat());
    let times = *app.resource::<FluidPassTimes>();
    assert!(AirPass::ALL.iter().all(|pass| times.air(*pass) > 0.0), "{times:?}");
    let all = app.resource::<FluidStatistics>().air_milliseconds;
    assert_eq!(all, times.air_total());
}

#[test]
fn impossible_air_is_left_out_and_changes_to_it_refused() {
    let mut app = weightless();
    for (air, transform) in [
        (FluidAir::new(100.0, 100.0).with_cell_size(0.0), Transform::IDENTITY),
        (FluidAir::new(1e7, 1e7), Transform::IDENTITY),
        (FluidAir::new(-5.0, 100.0), Transform::IDENTITY),
        (FluidAir::new(f32::NAN, 100.0), Transform::IDENTITY),
        (FluidAir::default(), xy(f32::NAN, 0.0)),
        (FluidAir::default(), Transform::from_rotation(Quat::from_rotation_z(0.3))),
        (FluidAir { density_ratio: f32::NAN, ..default() }, Transform::IDENTITY),
    ] {
        app.spawn((air, transform));
    }
    app.updates(2);
    assert_eq!(airs(&app), 0);
    let room = app.spawn(FluidAir::default());
    app.update();
    let mut air = app.component_mut::<FluidAir>(room);
    air.settings.viscosity = -1.0;
    air.sides.left = AirSide::Periodic;
    app.update();
    assert_eq!(airs(&app), 1);
    let air = app.fluid().airs().next().expect("one");
    assert_eq!((air.settings().viscosity, air.sides().left), (0.0, AirSide::CLOSED));
}

#[test]
fn sources_smoke_heat_and_blow_where_they_are() {
    let mut app = weightless();
    app.spawn(FluidAir::new(400.0, 200.0).with_open_sides());
    app.spawn((
        FluidAirSource::smoke(&Circle::new(20.0), 2.0).with_heat(1.0).with_wind(Vec2::X * 50.0),
        xy(-100.0, 0.0).with_rotation(Quat::from_rotation_z(1.0)),
    ));
    app.spawn(FluidAirSource::smoke(&Circle::new(20.0), f32::NAN));
    let watched = app.spawn((FluidSensor::from(Circle::new(30.0)), xy(-100.0, 0.0)));
    app.updates(20);
    let at = Vec2::new(-100.0, 0.0);
    let (smoke, heat, wind) =
        ask(&mut app, move |air| (air.smoke_at(at), air.heat_at(at), air.wind_at(at)));
    assert!(smoke.is_some_and(|smoke| smoke > 0.2), "{smoke:?}");
    assert!(heat.is_some_and(|heat| heat > 0.1), "{heat:?}");
    // The source is turned, and its wind with it.
    let wind = wind.expect("inside");
    assert!(wind.dot(Vec2::from_angle(1.0)) > 25.0, "{wind}");
    assert_eq!(ask(&mut app, |air| air.smoke_at(Vec2::new(900.0, 0.0))), None);
    let reading = *app.component::<FluidAirReading>(watched);
    assert!(reading.smoke > 50.0 && reading.heat > 20.0 && reading.wind.length() > 10.0);
    let report = app.world_mut().query::<&FluidAirReport>().single(app.world()).expect("one");
    let AirProjection::Multigrid { residual, .. } = AirProjection::default() else {
        panic!("the default")
    };
    assert!(report.max_speed > 10.0 && report.residual <= residual, "{report:?}");
}

#[test]
fn a_burst_comes_once() {
    let mut app = weightless();
    app.spawn(FluidAir::new(200.0, 200.0));
    let puff = app.spawn(FluidAirSource::smoke(&Circle::new(30.0), 1.0).as_burst());
    app.clock().pause();
    app.updates(2);
    assert!(app.world().get::<FluidAirSource>(puff).is_some(), "it waits");
    app.clock().unpause();
    app.updates(2);
    assert!(app.world().get::<FluidAirSource>(puff).is_none());
    let amount =
        |app: &App| app.fluid().airs().map(|air| air.amount(AirChannel::Smoke)).sum::<f64>();
    let first = amount(&app);
    assert!(first > 2000.0, "{first}");
    app.updates(10);
    assert!(amount(&app) <= first);
}

/// The wind of a force blows in the air as well.
#[test]
fn the_wind_of_a_force_moves_the_air() {
    let mut app = weightless();
    app.spawn(FluidAir::new(400.0, 200.0).with_open_sides());
    app.spawn(FluidForce::wind(&Rectangle::new(60.0, 60.0), Vec2::X * 80.0, 5.0));
    app.updates(60);
    let wind = ask(&mut app, |air| air.wind_at(Vec2::ZERO)).expect("inside");
    assert!(wind.x > 30.0, "{wind}");
}

#[test]
fn colliders_stand_in_the_wind_and_liquid_is_blown_away() {
    let mut app = weightless();
    let air = FluidAir { density_ratio: 0.2, ..FluidAir::new(600.0, 200.0) };
    app.spawn(air.with_wind_from_left(200.0));
    app.spawn(FluidCollider::from(Circle::new(40.0)));
    let drop = Vec2::new(-200.0, 0.0);
    app.add_particle(ParticleSpawn { position: drop, ..default() });
    app.updates(30);
    assert_eq!(ask(&mut app, |air| air.wind_at(Vec2::ZERO)), Some(Vec2::ZERO));
    let beside = ask(&mut app, |air| air.wind_at(Vec2::new(0.0, 70.0))).expect("inside");
    assert!(beside.x > 220.0, "{beside}");
    assert!(app.positions()[0].x > drop.x + 10.0);
}

#[test]
fn a_restart_begins_with_still_air_and_the_same_bits() {
    let mut app = weightless();
    app.spawn(FluidAir::new(200.0, 200.0).with_wind_from_left(100.0));
    app.spawn(FluidAirSource::fire(&Circle::new(20.0)));
    let hashes = |app: &App| app.fluid().airs().map(|air| air.state_hash()).collect::<Vec<_>>();
    app.updates(20);
    let first = hashes(&app);
    FluidSimulation::restart(app.world_mut());
    app.updates(20);
    assert_eq!((airs(&app), hashes(&app)), (1, first));
    // Paused air stands still.
    app.clock().pause();
    let before = hashes(&app);
    app.updates(3);
    assert_eq!(hashes(&app), before);
}

#[test]
fn water_puts_out_a_fire_until_it_is_lit_again() {
    let mut app = weightless();
    app.spawn(FluidAir::new(200.0, 120.0));
    let fire = app.spawn(FluidAirSource::fire(&Circle::new(20.0)));
    let kept = FluidAirSource { embers: None, ..FluidAirSource::fire(&Circle::new(20.0)) };
    let endless = app.spawn((kept, xy(60.0, 0.0)));
    app.updates(60);
    let left = |app: &App| app.component::<FluidAirSource>(fire).embers.map(|embers| embers.left);
    assert_eq!(left(&app), Some(1.0));
    for number in 0..20_u8 {
        let place = Vec2::new(f32::from(number % 5) - 2.0, f32::from(number / 5) - 1.5);
        let spawn = ParticleSpawn { position: 7.0 * place, ..default() };
        app.fluid_mut().spawn(spawn).expect("valid");
    }
    app.updates(60);
    assert_eq!(left(&app), Some(0.0));
    assert!(app.component::<FluidAirSource>(endless).is_lit());
    app.fluid_mut().clear();
    app.updates(60);
    assert!(!app.component::<FluidAirSource>(fire).is_lit(), "it stays out");
    app.component_mut::<FluidAirSource>(fire).relight();
    app.updates(30);
    assert!(app.component::<FluidAirSource>(fire).is_lit());
    // And with everything else.
    app.component_mut::<FluidAirSource>(fire).embers = Some(AirEmbers { left: 0.0, ..default() });
    app.world_mut().commands().queue(FluidSimulation::restart);
    app.updates(2);
    assert!(app.component::<FluidAirSource>(fire).is_lit());
}

#[test]
fn air_is_saved_filled_and_restored() {
    let mut app = weightless();
    let room = app.spawn(FluidAir::new(160.0, 80.0));
    assert_eq!(app.component::<FluidAirState>(room).id(), None);
    app.update();
    let id = app.component::<FluidAirState>(room).id().expect("in the simulation");
    let puff = FluidRegion::circle(Vec2::ZERO, 20.0).expect("valid");
    let saved = {
        let mut fluid = app.fluid_mut();
        let air = fluid.air_mut(id).expect("there");
        assert!(air.fill_channel(AirChannel::Smoke, &puff, 1.0).expect("valid") > 10);
        let saved = fluid.save_air(id).expect("there");
        fluid.air_mut(id).expect("there").clear();
        saved
    };
    assert_eq!(app.fluid_mut().restore_air(id, &saved), Ok(true));
    assert_eq!(app.fluid().save_air(id), Some(saved.clone()));
    let other = SavedAir { columns: 3, ..saved };
    let error = app.fluid_mut().restore_air(id, &other).expect_err("another grid");
    assert_eq!(error.to_string(), "the saved air has 3 x 14 cells, and must have 27 x 14");
    app.remove::<FluidAir>(room);
    app.update();
    assert!(app.fluid_mut().air_mut(id).is_none());
}
