//! A ledger of the momentum that the liquid, the coupling and an engine exchange.
//!
//! | account | what it sums |
//! |---|---|
//! | liquid | what the particles lose, gravity apart |
//! | loads | the core's impulses on the body and on walls, of every tick |
//! | pushes | the impulses that the engine gets, at every step |
//! | body | what the engine's body gains, gravity apart |
//!
//! All sums are in 64 bits. They are compared relative to the sum of the amounts of the impulses
//! between the liquid and the body.

use std::marker::PhantomData;
use std::time::Duration;

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleConfigs};
use bevy::ecs::system::{ScheduleSystem, SystemParamItem};
use bevy::math::DVec2;
use bevy_blob_fluid::engines::{EngineBodies, EnginePush, FluidEnginePlugin, PhysicsEngine};

use super::engine::{Kind, TICK, TestEngine};
use super::tank::{app_with, spawn_coupled};
use crate::app::*;

/// Largest difference between two accounts.
const TOLERANCE: f64 = 1e-5;

/// An engine that records what it gets.
struct Recorded<P>(PhantomData<P>);

/// An impulse, and an angular impulse.
#[derive(Clone, Copy, Debug, Default)]
struct Impulses {
    linear: DVec2,
    angular: f64,
}

/// Sums of impulses.
#[derive(Resource, Default)]
struct Ledger {
    /// What the liquid did to the body, in its own masses.
    loads: Impulses,
    /// The part of it that the engine has not got yet.
    waiting: Impulses,
    /// Sum of the amounts of it.
    exchanged: (f64, f64),
    walls: DVec2,
    /// What the engine got, in its own masses.
    pushes: Impulses,
    ticks: u32,
    steps: u32,
}

impl<P: PhysicsEngine> PhysicsEngine for Recorded<P> {
    type Read = P::Read;
    type Write = (P::Write, ResMut<'static, Ledger>);

    fn collect(engine: SystemParamItem<Self::Read>, bodies: &mut EngineBodies) {
        P::collect(engine, bodies);
    }

    fn push((engine, mut ledger): SystemParamItem<Self::Write>, pushes: &[EnginePush]) -> bool {
        let taken = P::push(engine, pushes);
        if taken {
            ledger.steps += 1;
            ledger.waiting = Impulses::default();
            for push in pushes {
                ledger.pushes.linear += push.impulse.as_dvec2();
                ledger.pushes.angular += f64::from(push.angular_impulse);
            }
        }
        taken
    }

    fn schedule(
        app: &mut App,
        fluid: InternedScheduleLabel,
        push: ScheduleConfigs<ScheduleSystem>,
    ) {
        P::schedule(app, fluid, push);
    }
}

/// Records the loads of a tick.
fn record(mut ledger: ResMut<Ledger>, fluid: Res<FluidSimulation>) {
    ledger.ticks += 1;
    for (body, _) in fluid.host_bodies() {
        let load = fluid.host_body_load(body).expect("there");
        let (linear, angular) = (load.impulse.as_dvec2(), f64::from(load.angular_impulse));
        ledger.loads.linear += linear;
        ledger.loads.angular += angular;
        ledger.waiting.linear += linear;
        ledger.waiting.angular += angular;
        ledger.exchanged.0 += linear.length();
        ledger.exchanged.1 += angular.abs();
    }
    for (collider, _) in fluid.colliders().filter(|(_, solid)| solid.options().attachment.is_none())
    {
        ledger.walls += fluid.load_on(collider).expect("it reports its load").impulse.as_dvec2();
    }
}

/// An app whose engine records what it gets.
fn recorded<E: TestEngine>(settings: FluidSettings) -> App {
    let plugins = BlobFluidPlugins::default().build().disable::<FluidEnginePlugin<E::Physics>>();
    let recording = FluidEnginePlugin::<Recorded<E::Physics>>::default();
    let mut app = app_with::<E>(settings, plugins.add(recording));
    let after_bodies = record.after(FluidSenseSystems::Bodies).before(FluidSenseSystems::Air);
    app.init_resource::<Ledger>().add_systems(FluidSchedule, after_bodies);
    app
}

/// Mass and momentum of the liquid.
fn momentum(app: &App) -> (f64, DVec2) {
    let fluid = app.fluid();
    let particles = fluid.particles();
    let particles = particles.classes().iter().zip(particles.velocities());
    particles.fold((0.0, DVec2::ZERO), |(total, sum), (class, velocity)| {
        let mass = f64::from(fluid.classes()[*class].mass);
        (total + mass, sum + mass * velocity.as_dvec2())
    })
}

/// Runs a scene with one body for some seconds, and compares all accounts.
fn compare<E: TestEngine>(app: &mut App, body: Entity, seconds: f32) {
    while app.positions().is_empty() || app.fluid().host_bodies().len() == 0 {
        app.update();
    }
    // What the tick before the first one of the ledger did is still to be given.
    let before = std::mem::take(&mut *app.resource_mut::<Ledger>()).waiting;
    let gravity = app.fluid().parameters().gravity.as_dvec2();
    let (liquid_mass, liquid_before) = momentum(app);
    let (velocity, spin) = E::motion(app.world(), body);
    app.updates((seconds / TICK) as u32);
    let (mass, inertia) = E::mass(app.world_mut(), body);
    let ledger = app.resource::<Ledger>();
    let (_, host) = app.fluid().host_bodies().next().expect("it is awake");
    // Masses of the liquid per mass of the engine.
    let ratio = 1.0 / (f64::from(host.inverse_mass.x) * f64::from(mass));
    let tick = app.fluid().time() / app.fluid().ticks() as f64;
    let fallen = gravity * liquid_mass * tick * f64::from(ledger.ticks);
    let liquid = liquid_before + fallen - momentum(app).1;
    let given = Impulses {
        linear: ledger.loads.linear + before.linear - ledger.waiting.linear,
        angular: ledger.loads.angular + before.angular - ledger.waiting.angular,
    };
    let (velocity_after, spin_after) = E::motion(app.world(), body);
    let fallen = gravity * f64::from(TICK) * f64::from(ledger.steps);
    let gained = Impulses {
        linear: f64::from(mass) * ((velocity_after - velocity).as_dvec2() - fallen),
        angular: f64::from(inertia) * f64::from(spin_after - spin),
    };
    let (exchanged, turned) = ledger.exchanged;
    let linear = |a: DVec2, b: DVec2| (a - b).length() / exchanged;
    let angular = |a: f64, b: f64| (a - b).abs() / turned;
    let errors = [
        ("liquid and loads", linear(liquid, ledger.loads.linear + ledger.walls)),
        ("loads and pushes", linear(given.linear, ledger.pushes.linear * ratio)),
        ("loads and pushes, angular", angular(given.angular, ledger.pushes.angular * ratio)),
        ("pushes and body", linear(ledger.pushes.linear, gained.linear) * ratio),
        ("pushes and body, angular", angular(ledger.pushes.angular, gained.angular) * ratio),
    ];
    println!(
        "{} ticks, {} steps, exchanged {exchanged:.3e} and {turned:.3e}",
        ledger.ticks, ledger.steps
    );
    for (accounts, error) in errors {
        println!("{accounts}: {error:.1e}");
    }
    assert!(ledger.ticks > 50 && ledger.steps > 50 && exchanged > 1000.0 && turned > 1000.0);
    for (accounts, error) in errors {
        assert!(error < TOLERANCE, "{accounts} differ by {error:e} of {exchanged} and {turned}");
    }
}

/// A drop that hits a body, without gravity; the liquid's ticks may be of another length than the
/// engine's steps.
fn splash<E: TestEngine>(tick: Option<Duration>) {
    let mut app = recorded::<E>(FluidSettings::new(8.0, Vec2::ZERO));
    if let Some(tick) = tick {
        app.clock().set_tick(FluidTick::Every(tick));
    }
    let at = xy(90.0, 10.0);
    let shape = E::rectangle(Vec2::new(30.0, 60.0));
    let body = spawn_coupled::<E>(&mut app, Kind::Dynamic, shape, 0.5, at);
    let drop = FluidBlob::from(Circle::new(50.0)).with_velocity(Vec2::new(200.0, 0.0));
    app.spawn((drop, xy(-20.0, 0.0)));
    compare::<E>(&mut app, body, 2.0);
}

/// A splash balances.
pub fn splashes<E: TestEngine>() {
    splash::<E>(None);
    splash::<E>(Some(Duration::from_micros(8_400)));
    splash::<E>(Some(Duration::from_micros(23_000)));
}

/// A body that falls into a pond and floats for a minute balances. The liquid has no drag and does
/// not sleep: both take momentum that no wall gets.
pub fn minute<E: TestEngine>() {
    let mut settings = FluidSettings::default();
    settings.parameters.sleeping = FluidSleeping::OFF;
    (settings.parameters.settling.drag, settings.parameters.settling.calm_drag) = (0.0, 0.0);
    let mut app = recorded::<E>(settings);
    let side = (40.0, 400.0);
    for (size, x, y) in [((480.0, 40.0), 0.0, -170.0), (side, -220.0, 0.0), (side, 220.0, 0.0)] {
        let wall = FluidCollider::from(Rectangle::new(size.0, size.1));
        app.spawn((wall, FluidLoad::default(), xy(x, y)));
    }
    app.spawn((FluidBlob::from(Rectangle::new(390.0, 130.0)), FluidClass::MEDIUM, xy(0.0, -84.0)));
    let at = xy(30.0, 10.0).with_rotation(Quat::from_rotation_z(0.3));
    let shape = E::rectangle(Vec2::new(80.0, 40.0));
    let body = spawn_coupled::<E>(&mut app, Kind::Dynamic, shape, 0.5, at);
    compare::<E>(&mut app, body, 60.0);
}
