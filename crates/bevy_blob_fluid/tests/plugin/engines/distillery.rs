//! A small game with avian2d, played to its win: a still, a pipe with a valve, a filter of sand, a cup that is carried
//! and tilted, and a cork that the distillate lifts. It is saved, loaded and undone meanwhile.

use std::f32::consts::TAU;

use avian2d::prelude::*;
use bevy_blob_fluid::blob_fluid::material::Material;
use bevy_blob_fluid::blob_fluid::shape::{Polyline, scatter};

use crate::app::*;
use crate::engines::avian::Avian;
use crate::engines::coupling::floating::TestEngine;

/// The part of the game that is being played, and the ticks since it began.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
struct Play {
    part: Part,
    ticks: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Part {
    /// Until enough water has passed the filter.
    #[default]
    Distil,
    /// The valve opens until the cup is full.
    Fill,
    Carry,
    Pour,
    Won,
}

#[derive(Component)]
struct Cup;

#[derive(Component)]
struct Cork;

const WATER: ClassId = ClassId(0);
const SAND: ClassId = ClassId(1);

/// Where the cup is filled.
const BELOW_VALVE: Vec2 = Vec2::new(130.0, -145.0);
/// Height of the cork from which on the game is won.
const LIFTED: f32 = -221.0;

fn lines<const COUNT: usize>(points: [(f32, f32); COUNT]) -> FluidCollider {
    let line = Polyline::new(points.map(Vec2::from), 4.0).expect("valid");
    FluidCollider::new(FluidShape::Polyline(line))
}

fn spawn_level(mut commands: Commands) {
    commands.spawn(FluidContainer::from(Rectangle::new(640.0, 480.0)));
    // The still: a pot on a heater, a roof, and a cooler above the funnel.
    commands.spawn(lines([(-280.0, 70.0), (-280.0, -60.0), (-120.0, -60.0), (-120.0, 70.0)]));
    let water = FluidBlob::from(Rectangle::new(150.0, 90.0));
    commands.spawn((water, FluidClass(WATER), xy(-200.0, -8.0)));
    commands.spawn((FluidForce::heat(120.0, 900.0), xy(-200.0, -40.0)));
    commands.spawn(lines([(-320.0, 150.0), (-100.0, 190.0), (220.0, 190.0), (220.0, 60.0)]));
    commands.spawn((FluidForce::heat(110.0, -900.0), xy(130.0, 140.0)));
    // The filter: sand on a sieve.
    let sieve = FluidCollider::from(Rectangle::new(184.0, 8.0)).stopping(ClassFilter::from(SAND));
    commands.spawn((sieve, xy(130.0, 0.0)));
    let sand = FluidBlob::from(Rectangle::new(174.0, 24.0));
    commands.spawn((sand, FluidClass(SAND), xy(130.0, 18.0)));
    commands.spawn(lines([(40.0, 100.0), (40.0, -20.0), (108.0, -58.0)]));
    commands.spawn(lines([(220.0, 100.0), (220.0, -20.0), (152.0, -58.0)]));
    let pipe = FluidPipe::new([Vec2::new(130.0, -56.0), Vec2::new(130.0, -112.0)], 40.0);
    let (valve, place) = pipe.valve_at(28.0);
    commands.spawn(pipe).with_child((valve, place));
    commands.spawn((
        Cup,
        lines([(-36.0, 26.0), (-36.0, -26.0), (36.0, -26.0), (36.0, 26.0)]),
        xy(BELOW_VALVE.x, BELOW_VALVE.y),
    ));
    // The basin, and the cork on its floor.
    let corners = [(-300.0, -190.0), (-300.0, -236.0), (-180.0, -236.0), (-180.0, -190.0)];
    let basin = Collider::polyline(corners.map(Vec2::from).to_vec(), None);
    commands.spawn((RigidBody::Static, basin, FluidCoupled::default()));
    let cork = Collider::circle(12.0);
    let cork = (RigidBody::Dynamic, cork, ColliderDensity(0.25), FluidCoupled::default());
    commands.spawn((Cork, cork, xy(-240.0, -223.0)));
}

/// The player, who is always right.
fn play(
    mut play: ResMut<Play>,
    fluid: Res<FluidSimulation>,
    mut valve: Single<&mut FluidValve>,
    mut cup: Single<&mut Transform, (With<Cup>, Without<Cork>)>,
    cork: Single<&Transform, (With<Cork>, Without<Cup>)>,
    time: Res<Time>,
) {
    let water_in = |low: Vec2, high: Vec2| {
        let particles = fluid.particles();
        let all = particles.positions().iter().zip(particles.classes());
        let inside = |at: Vec2| at.cmpge(low).all() && at.cmple(high).all();
        all.filter(|(at, class)| **class == WATER && inside(**at)).count()
    };
    let centre = cup.translation.truncate();
    let in_cup = water_in(centre - Vec2::new(36.0, 26.0), centre + Vec2::new(36.0, 30.0));
    let opening = if play.part == Part::Fill { 1.0 } else { -1.0 };
    let opened = (valve.opening + 2.0 * opening * time.delta_secs()).clamp(0.0, 1.0);
    if opened != valve.opening {
        valve.opening = opened;
    }
    let before = play.part;
    match play.part {
        Part::Distil => {
            let passed = water_in(Vec2::new(40.0, -90.0), Vec2::new(220.0, -6.0));
            if passed >= 50 {
                play.part = Part::Fill;
            }
        }
        Part::Fill => {
            if in_cup >= 34 || play.ticks > 400 {
                play.part = Part::Carry;
            }
        }
        Part::Carry => {
            cup.translation.x -= 50.0 * time.delta_secs();
            if cup.translation.x <= -200.0 {
                play.part = Part::Pour;
            }
        }
        Part::Pour => {
            let angle = (0.8 * time.delta_secs() * play.ticks as f32).min(0.35 * TAU);
            cup.rotation = Quat::from_rotation_z(angle);
            if cork.translation.y > LIFTED {
                play.part = Part::Won;
            }
        }
        Part::Won => {}
    }
    play.ticks = if play.part == before { play.ticks + 1 } else { 0 };
}

fn game() -> App {
    let mut app =
        app_of((PhysicsPlugins::default().with_length_unit(100.0), BlobFluidPlugins::default()));
    let gravity = Vec2::new(0.0, -600.0);
    app.insert_resource(FluidSettings::new(8.0, gravity)).insert_resource(Gravity(gravity));
    app.init_resource::<Play>().add_systems(Startup, spawn_level).add_systems(FixedUpdate, play);
    let class = |file: &str| Material::from_ron(file).expect("a material").class;
    app.insert_resource(FluidClasses::from(vec![
        class(include_str!("../../../../../assets/materials/water.fluid.ron")),
        class(include_str!("../../../../../assets/materials/sand.fluid.ron")),
        class(include_str!("../../../../../assets/materials/steam.fluid.ron")),
    ]));
    app.start();
    app.update();
    app
}

/// The only entity with a component.
fn one<C: Component>(app: &mut App) -> Entity {
    let world = app.world_mut();
    world.query_filtered::<Entity, With<C>>().single(world).expect("there is one")
}

/// A saved game.
struct Saved {
    liquid: Vec<u8>,
    play: Play,
    valve: FluidValve,
    cup: Transform,
    /// The state of the cork in the engine.
    cork: <Avian as TestEngine>::Bodies,
}

fn save(app: &mut App) -> Saved {
    let [valve, cup, cork] = [one::<FluidValve>(app), one::<Cup>(app), one::<Cork>(app)];
    Saved {
        play: *app.resource(),
        valve: *app.component(valve),
        cup: *app.component(cup),
        cork: Avian::state_of(app.world_mut(), &[cork]),
        liquid: FluidSnapshot::save(app.world_mut()).expect("between two ticks"),
    }
}

/// Loads a game into an app with the level.
fn load(app: &mut App, saved: &Saved) {
    let [valve, cup, cork] = [one::<FluidValve>(app), one::<Cup>(app), one::<Cork>(app)];
    app.insert_resource(saved.play);
    app.insert(valve, saved.valve);
    app.insert(cup, saved.cup);
    Avian::put_back(app.world_mut(), &[cork], &saved.cork);
    let restored = FluidSnapshot::load(app.world_mut(), &saved.liquid).expect("a snapshot");
    assert!(restored.is_complete(), "{:?}", restored.missing);
}

/// The liquid, the game and the cork.
fn state(app: &mut App) -> String {
    let (hash, play) = (app.fluid().deep_hash(), *app.resource::<Play>());
    format!("{hash:?} {play:?} {:?}", save(app).cork)
}

/// Plays to the win, and returns the number of ticks.
fn win(app: &mut App) -> u32 {
    for ticks in 0..3000 {
        if app.resource::<Play>().part == Part::Won {
            return ticks;
        }
        app.update();
    }
    panic!("not won: {:?}", app.resource::<Play>());
}

/// Ten moments of a game of so many ticks.
fn moments(ticks: u32) -> impl Iterator<Item = u32> {
    let length = ticks as f32 / 10.0;
    (0..10).map(move |index| ((index as f32 + 0.5 + 0.4 * scatter(index).x) * length) as u32)
}

#[test]
fn a_game_that_is_saved_and_loaded_at_ten_moments_ends_with_the_same_bits() {
    let mut once = game();
    let count = once.particles();
    let ticks = win(&mut once);
    assert!(count > 200 && once.particles() == count, "{} of {count}", once.particles());
    let end = state(&mut once);
    let (mut again, mut played) = (game(), 0);
    for moment in moments(ticks) {
        again.updates(moment - played);
        played = moment;
        let saved = FluidSnapshot::save(again.world_mut()).expect("between two ticks");
        let restored = FluidSnapshot::load(again.world_mut(), &saved).expect("a snapshot");
        assert!(restored.is_complete(), "{:?}", restored.missing);
    }
    assert_eq!(win(&mut again), ticks - played);
    assert_eq!(state(&mut again), end);
}

// The engine finds its contacts anew, so the cork differs by a rounding from the cork of the game that was saved.
#[test]
#[ignore = "long: .ci/run"]
fn another_run_of_the_game_is_won_from_any_save() {
    let mut once = game();
    let ticks = win(&mut once);
    let (mut again, mut played) = (game(), 0);
    for moment in moments(ticks).step_by(3) {
        again.updates(moment - played);
        played = moment;
        let mut other = game();
        load(&mut other, &save(&mut again));
        let won = moment + win(&mut other);
        println!("loaded at {moment}: won at {won}, without loading at {ticks}");
    }
}

#[test]
fn a_wrong_move_is_undone() {
    let mut app = game();
    while app.resource::<Play>().part != Part::Carry {
        app.update();
    }
    let kept = save(&mut app);
    // The cup is emptied beside the basin.
    let cup = one::<Cup>(&mut app);
    for tick in 0..64 {
        let angle = Quat::from_rotation_z(0.4 * TAU * tick as f32 / 64.0);
        let place = *app.component::<Transform>(cup);
        app.insert(cup, place.with_rotation(angle));
        app.update();
    }
    load(&mut app, &kept);
    let mut unharmed = game();
    let ticks = win(&mut unharmed);
    assert!(win(&mut app) < ticks);
}
