//! Liquid and cold put out fires.

use blob_fluid::air::*;
use blob_fluid::shape::scatter;
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{add_collider, add_tank, cells, moving, pour, pour_class, spawn, world_with};
use crate::ticks::{TICK, run, run_for};
use crate::{materials, there};

const SPACING: f32 = 8.0;
const RADIUS: f32 = 25.0;

fn hearth() -> FluidRegion {
    FluidRegion::circle(Vec2::new(0.0, 20.0), RADIUS).expect("valid")
}

/// As a plugin's fire.
fn fire() -> AirSource {
    let embers = Some(AirEmbers::default());
    AirSource { fuel: 6.0, heat: 3.0, embers, ..AirSource::new(hearth()) }
}

/// A room with an open top and a fire on the floor between two kerbs.
fn room(table: Option<ClassTable>) -> (FluidWorld, AirId) {
    let mut world = world_with(FluidParameters {
        gravity: Vec2::new(0.0, -600.0),
        particle_spacing: SPACING,
        ambient_temperature: 20.0,
        ..FluidParameters::default()
    });
    if let Some(table) = table {
        world.set_classes(table).expect("no particles yet");
    }
    add_tank(&mut world, Vec2::new(0.0, 200.0), Vec2::new(300.0, 200.0));
    for side in [-60.0, 60.0] {
        add_collider(&mut world, Collider::rectangle(Vec2::new(side, 5.0), Vec2::new(8.0, 5.0)));
    }
    let settings = AirSettings {
        density: 0.02 / (SPACING * SPACING),
        buoyancy: 2.0,
        cooling: 0.6,
        ..AirSettings::new(world.parameters().gravity)
    };
    let bounds = FluidBounds { low: Vec2::new(-300.0, 0.0), high: Vec2::new(300.0, 400.0) };
    let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
    let id = world.insert_air(Air::new(bounds, 6.0, settings, sides).expect("valid"));
    (world, id)
}

fn light(world: &mut FluidWorld, air: AirId, source: AirSource) {
    world.air_mut(air).expect("there").set_sources(vec![source]).expect("valid");
}

fn left(world: &FluidWorld, air: AirId) -> f32 {
    there(world, air).sources()[0].embers.expect("a fire").left
}

/// Mean heat where the fire is.
fn heat(world: &FluidWorld, air: AirId) -> f32 {
    let heat = there(world, air).channel(AirChannel::Heat);
    let cells = cells_of_hearth(world, air);
    cells.iter().map(|cell| heat[*cell]).sum::<f32>() / cells.len() as f32
}

fn cells_of_hearth(world: &FluidWorld, air: AirId) -> Vec<usize> {
    let (air, place) = (there(world, air), hearth());
    let cells = 0..air.columns() * air.rows();
    cells.filter(|cell| place.contains(air.cell_centre(*cell))).collect()
}

/// Sets embers that nothing heats, in air that is always hot enough, and returns the air's settings.
fn set_embers_alone(world: &mut FluidWorld, air: AirId) -> AirSettings {
    let burning = AirFire { ignition_heat: -1.0, ..AirFire::default() };
    let settings = AirSettings { fire: burning, ..*there(world, air).settings() };
    world.air_mut(air).expect("there").set_settings(settings).expect("valid");
    light(world, air, AirSource { heat: 0.0, fuel: 0.0, ..fire() });
    settings
}

/// A jet of particles onto the fire for some seconds, one every so many ticks. Returns the mean heat
/// there.
fn hose(world: &mut FluidWorld, air: AirId, class: ClassId, seconds: f32, every: u32) -> f32 {
    let ticks = (seconds / TICK) as u32;
    let mut sum = 0.0;
    for tick in 0..ticks {
        if tick % every == 0 {
            let position = Vec2::new(-250.0, 120.0) + 0.2 * SPACING * scatter(tick);
            let drop = moving(position, Vec2::new(500.0, -20.0));
            spawn(world, ParticleSpawn { class, ..drop });
        }
        run(world, 1);
        sum += heat(world, air);
    }
    sum / ticks as f32
}

#[test]
fn a_hose_puts_out_a_fire_and_it_stays_out() {
    let water = materials(&["water"]);
    let class = water.find("water").expect("there");
    // Also plain liquid, which knows nothing of heat.
    for (table, class) in [(Some(water), class), (None, ClassId::MEDIUM)] {
        let (mut world, air) = room(table);
        light(&mut world, air, fire());
        run_for(&mut world, 2.0);
        assert_eq!(left(&world, air), 1.0);
        assert!(heat(&world, air) > 0.5);
        hose(&mut world, air, class, 4.0, 1);
        assert_eq!(left(&world, air), 0.0);
        run_for(&mut world, 8.0);
        assert_eq!(left(&world, air), 0.0, "it stays out");
        assert!(heat(&world, air) < 0.02, "{}", heat(&world, air));
        light(&mut world, air, fire());
        assert!(there(&world, air).sources()[0].is_lit(), "until somebody lights it again");
    }
}

#[test]
fn sand_and_snow_put_out_a_fire() {
    for name in ["sand", "snow"] {
        let table = materials(&[name]);
        let class = table.find(name).expect("there");
        let (mut world, air) = room(Some(table));
        light(&mut world, air, fire());
        run_for(&mut world, 2.0);
        hose(&mut world, air, class, 4.0, 1);
        assert_eq!(left(&world, air), 0.0, "{name}");
        run_for(&mut world, 8.0);
        assert_eq!(left(&world, air), 0.0, "{name}: it stays out");
        let water = world.classes().find("water");
        let melted = water.is_some_and(|water| world.particles().classes().contains(&water));
        assert_eq!(melted, name == "snow", "{name}");
    }
}

/// Coal and wood burn where they are heated, or where lava touches them, and leave ash.
#[test]
fn coal_and_wood_that_get_hot_burn_to_ash() {
    for (name, by_lava) in [("coal", false), ("wood", false), ("coal", true), ("wood", true)] {
        let table = materials(&[name, "lava"]);
        let [fuel, ash, lava] = [name, "ash", "lava"].map(|name| table.find(name).expect("there"));
        let (mut world, air) = room(Some(table));
        let pile = |world: &mut FluidWorld, class, low: f32, rows| {
            let low = Vec2::new(-5.0, low);
            pour_class(world, class, cells(10, rows).map(|cell| (cell + low) * SPACING));
        };
        pile(&mut world, fuel, 0.0, 4);
        run_for(&mut world, 2.0);
        let count = |world: &FluidWorld, class| {
            world.particles().classes().iter().filter(|of| **of == class).count()
        };
        assert_eq!(count(&world, fuel), 40, "{name} does not burn by itself");
        if by_lava {
            pile(&mut world, lava, 5.0, 2);
            run_for(&mut world, 4.0);
        } else {
            let brush = FluidRegion::circle(Vec2::new(0.0, 10.0), 60.0).expect("valid");
            let heat = Force { region: Some(brush), heat: 500.0, ..Force::default() };
            world.set_forces(&[heat]).expect("valid");
            run_for(&mut world, 1.0);
        }
        let [left, ashes] = [fuel, ash].map(|class| count(&world, class));
        let given = there(&world, air).channel(AirChannel::Fuel).iter().sum::<f32>();
        assert!(given > 0.0, "{name} gives off no fuel");
        assert_eq!(left + ashes, 40, "{name}");
        assert!(ashes >= if by_lava { 4 } else { 30 }, "{name}, by lava {by_lava}: {ashes}");
    }
}

#[test]
fn a_fire_that_nobody_hoses_burns_on_and_one_that_is_hosed_gets_no_hotter() {
    let (mut world, air) = room(None);
    light(&mut world, air, fire());
    run_for(&mut world, 2.0);
    let mut hosed = world.clone();
    let mut endless = world.clone();
    light(&mut endless, air, AirSource { embers: None, ..fire() });
    let mut without = 0.0;
    for _ in 0..180 {
        run(&mut world, 1);
        without += heat(&world, air) / 180.0;
    }
    assert_eq!(left(&world, air), 1.0);
    let with = hose(&mut hosed, air, ClassId::MEDIUM, 3.0, 1);
    assert!(with < without, "{with} with water, {without} without");
    let kept = hose(&mut endless, air, ClassId::MEDIUM, 3.0, 1);
    assert!(kept > with, "{kept} from a source that nothing puts out, {with}");
}

#[test]
fn a_few_drops_are_not_enough() {
    let (mut world, air) = room(None);
    light(&mut world, air, fire());
    run_for(&mut world, 1.0);
    for _ in 0..6 {
        // A drop a second falls into the fire.
        pour(&mut world, [Vec2::new(0.0, 120.0)]);
        run_for(&mut world, 1.0);
        let lying = world.particles().positions().len();
        assert!(left(&world, air) > 0.5, "{} after {lying}", left(&world, air));
        world.clear();
    }
}

#[test]
fn liquid_gets_the_heat_that_embers_lose() {
    let thermal = FluidThermal { conductivity: 0.01, ..FluidThermal::default() };
    let class = DensityClass { name: "brine".into(), mass: 1.5, thermal, ..Default::default() };
    let (mut world, air) = room(Some(ClassTable::new(vec![class]).expect("valid")));
    let settings = set_embers_alone(&mut world, air);
    let places = [-12.0, -4.0, 4.0, 12.0, 150.0].map(|x| Vec2::new(x, 4.0));
    pour_class(&mut world, ClassId(0), places);
    run(&mut world, 20);
    let temperatures = world.particles().temperatures().iter();
    let gained: f64 = temperatures.map(|degrees| 1.5 * (f64::from(*degrees) - 20.0)).sum();
    let cells = cells_of_hearth(&world, air).len() as f64;
    let per_cell = f64::from(settings.heat_capacity * settings.degrees_per_heat) * 36.0 / 64.0;
    let lost = (1.0 - f64::from(left(&world, air))) * 10.0 * cells * per_cell;
    assert!(gained > 100.0, "{gained}");
    assert!((gained / lost - 1.0).abs() < 1e-4, "{gained} gained, {lost} lost");
}

#[test]
fn water_takes_its_latent_heat_from_a_fire() {
    // As many particles as theory has it: each from 20 to 100 degrees and then to vapour.
    let water = materials(&["water"]);
    let class = water.find("water").expect("there");
    let (mut world, air) = room(Some(water));
    let settings = set_embers_alone(&mut world, air);
    let mut evaporated = 0;
    for tick in 0..60 * 10 {
        if tick % 6 == 0 && left(&world, air) > 0.0 {
            pour_class(&mut world, class, [Vec2::new(20.0 * scatter(tick).x, 30.0)]);
        }
        run(&mut world, 1);
        if left(&world, air) > 0.0 {
            evaporated += world.air_report(air).expect("there").evaporated;
        }
    }
    assert_eq!(left(&world, air), 0.0);
    let area = std::f64::consts::PI * f64::from(RADIUS * RADIUS);
    let heat = 10.0 * area * f64::from(settings.heat_capacity * settings.degrees_per_heat);
    let particles = heat / (620.0 * f64::from(SPACING * SPACING));
    let ratio = f64::from(evaporated) / particles;
    assert!((0.6..1.3).contains(&ratio), "{evaporated} boiled, not {particles}");
}

#[test]
fn what_burns_puts_out_nothing() {
    let into_air = FluidIntoAir { above: 250.0, fuel: 20.0, ..FluidIntoAir::default() };
    let thermal = FluidThermal { into_air: Some(into_air), ..FluidThermal::default() };
    let oil = DensityClass { name: "oil".into(), thermal, ..Default::default() };
    let (mut world, air) = room(Some(ClassTable::new(vec![oil]).expect("valid")));
    light(&mut world, air, fire());
    run_for(&mut world, 1.0);
    // So little that it does not smother the fire.
    hose(&mut world, air, ClassId(0), 1.0, 4);
    assert!(left(&world, air) > 0.9, "{}", left(&world, air));
}

#[test]
fn cold_puts_out_a_fire() {
    let (mut world, air) = room(None);
    light(&mut world, air, fire());
    run_for(&mut world, 1.0);
    let cold = AirSource { heat: -60.0, ..AirSource::new(hearth()) };
    let sources = vec![there(&world, air).sources()[0].clone(), cold];
    world.air_mut(air).expect("there").set_sources(sources).expect("valid");
    run_for(&mut world, 2.0);
    assert_eq!(left(&world, air), 0.0);
}

#[test]
fn embers_out_of_range_are_refused() {
    let (mut world, air) = room(None);
    for (embers, message) in [
        (
            AirEmbers { left: 1.5, ..AirEmbers::default() },
            "air source: embers.left is 1.5, and must be between 0 and 1",
        ),
        (
            AirEmbers { heat: 0.0, ..AirEmbers::default() },
            "air source: embers.heat is 0, and must be between 0.001 and 1000000",
        ),
    ] {
        let source = AirSource { embers: Some(embers), ..fire() };
        let refused = world.air_mut(air).expect("there").set_sources(vec![source]);
        assert_eq!(refused.expect_err("out of range").to_string(), message);
    }
}

#[test]
fn embers_outside_of_the_air_stay_as_they_are() {
    let (mut world, air) = room(None);
    let cellar = FluidRegion::circle(Vec2::new(0.0, -500.0), 20.0).expect("valid");
    let embers = Some(AirEmbers::default());
    light(&mut world, air, AirSource { heat: 3.0, embers, ..AirSource::new(cellar) });
    run(&mut world, 5);
    assert_eq!(left(&world, air), 1.0);
}
