//! Liquid that passes powder: by Darcy's law, and without moving its grains.

use blob_fluid::material::Material;
use blob_fluid::shape::scatter;
use blob_fluid::{
    ClassFilter, ClassId, ClassViscosity, Collider, ColliderOptions, Container, DensityClass,
    FluidParameters, FluidPowder, FluidSleeping, FluidWorld, WallProperties,
};
use glam::Vec2;

use crate::pools::{add_tank, cells, spacing};
use crate::powder::{heap, spawn, world_of};
use crate::ticks::{TICK, run, run_for};

const LIQUID: ClassId = ClassId(0);
const POWDER: ClassId = ClassId(1);

/// Columns of the filters.
const COLUMNS: usize = 24;

fn water() -> DensityClass {
    DensityClass { name: "water".into(), ..DensityClass::default() }
}

fn sand(permeability: f32) -> DensityClass {
    let powder = Some(FluidPowder { permeability, ..FluidPowder::default() });
    DensityClass { name: "sand".into(), mass: 1.6, powder, ..DensityClass::default() }
}

/// A level floor at height 0 that only stops powder. It reports its load.
fn sieve() -> Collider {
    let half_size = Vec2::new(0.5 * COLUMNS as f32 + 1.0, 0.5) * spacing();
    let floor = Collider::rectangle(Vec2::new(0.0, -half_size.y), half_size);
    let options = ColliderOptions {
        classes: ClassFilter::from(POWDER),
        reports_load: true,
        ..Default::default()
    };
    floor.and_then(|floor| floor.with_options(options)).expect("valid")
}

/// Powder that has settled on a sieve, with so many rows, and rows of a liquid above it.
fn filter(classes: [DensityClass; 2], powder_rows: usize, liquid_rows: usize) -> FluidWorld {
    filter_with(FluidSleeping::default(), classes, powder_rows, liquid_rows)
}

fn filter_with(
    sleeping: FluidSleeping,
    classes: [DensityClass; 2],
    powder_rows: usize,
    liquid_rows: usize,
) -> FluidWorld {
    let parameters = FluidParameters { sleeping, ..Default::default() };
    let mut world = world_of(parameters, classes.to_vec());
    let half_width = 0.5 * COLUMNS as f32;
    add_tank(&mut world, Vec2::ZERO, Vec2::new(half_width, 100.0) * spacing());
    world.insert_collider(sieve());
    for cell in cells(COLUMNS, powder_rows) {
        spawn(&mut world, (cell - Vec2::new(half_width, 0.0)) * spacing(), Vec2::ZERO, POWDER.0);
    }
    run_for(&mut world, 3.0);
    let above = powder_rows as f32 + 1.0;
    for cell in cells(COLUMNS, liquid_rows) {
        let place = cell + Vec2::new(-half_width, above);
        spawn(&mut world, place * spacing(), Vec2::ZERO, LIQUID.0);
    }
    world
}

/// The heights of the particles of a class, in spacings above the floor.
fn heights(world: &FluidWorld, class: ClassId) -> Vec<f32> {
    let particles = world.particles();
    let all = particles.positions().iter().zip(particles.classes());
    all.filter(|(_, of)| **of == class).map(|(at, _)| at.y / spacing()).collect()
}

fn passed(world: &FluidWorld) -> usize {
    heights(world, LIQUID).iter().filter(|height| **height < -1.0).count()
}

fn mean(numbers: &[f32]) -> f32 {
    numbers.iter().sum::<f32>() / numbers.len() as f32
}

/// The height up to which the powder reaches: half a spacing above its highest row.
fn thickness(world: &FluidWorld) -> f32 {
    let mut heights = heights(world, POWDER);
    heights.sort_by(f32::total_cmp);
    0.5 + mean(&heights[heights.len() - COLUMNS / 2..])
}

#[test]
fn all_the_water_passes_six_rows_of_sand_within_seconds_and_leaves_the_grains_in_place() {
    let mut world = filter([water(), sand(FluidPowder::default().permeability)], 6, 10);
    let before = mean(&heights(&world, POWDER));
    let all = heights(&world, LIQUID).len();
    for _ in 0..8 {
        run_for(&mut world, 1.0);
        let moved = mean(&heights(&world, POWDER)) - before;
        assert!(moved.abs() < 0.5, "the sand moved by {moved} spacings");
    }
    assert_eq!(passed(&world), all, "water is left in the sand");
}

// Darcy 1856: the flow is proportional to the head over the thickness.
#[test]
fn the_flow_follows_the_law_of_darcy() {
    for (permeability, rows, liquid_rows) in [
        (0.3, 3, 12),
        (0.3, 4, 12),
        (0.3, 8, 8),
        (0.3, 8, 24),
        (0.3, 16, 24),
        (0.3, 40, 40),
        (0.03, 4, 8),
        (0.03, 8, 12),
    ] {
        let world = filter([water(), sand(permeability)], rows, liquid_rows);
        let relative = conductivity(world, 2.0) / (permeability / 1.1);
        println!("{permeability}, {rows} rows under {liquid_rows}: {relative} of Darcy's flow");
        assert!((relative - 1.0).abs() < 0.2, "{relative} of Darcy's flow in {rows} rows");
    }
}

/// The flow through a filter over the slope of its head, in T0: until so many rows of liquid are left above the powder.
/// The first liquid has then passed.
fn conductivity(mut world: FluidWorld, rows_left: f32) -> f32 {
    let width = COLUMNS as f32;
    // Until the powder is full of water down to the floor.
    while passed(&world) < COLUMNS {
        run(&mut world, 1);
    }
    let centre = mean(&heights(&world, POWDER));
    let (began, mut ticks, mut slopes) = (passed(&world), 0.0, 0.0);
    loop {
        let thickness = thickness(&world);
        let water = heights(&world, LIQUID);
        let above = water.iter().filter(|height| **height > thickness).count() as f32 / width;
        if above < rows_left {
            break;
        }
        slopes += (above + thickness) / thickness;
        run(&mut world, 1);
        ticks += 1.0;
    }
    let moved = mean(&heights(&world, POWDER)) - centre;
    assert!(moved.abs() < 0.5, "the sand moved by {moved} spacings");
    let parameters = world.parameters();
    assert_eq!(parameters.viscosity.linear, 0.1);
    let gravity = parameters.gravity.length() * world.classes()[LIQUID].gravity_scale;
    let flow = (passed(&world) - began) as f32 / width * 60.0 / ticks * spacing();
    flow / (slopes / ticks) / (parameters.time_unit() * gravity)
}

#[test]
fn water_seeps_into_the_finest_silt() {
    for (permeability, rows, liquid_rows) in [(0.01, 8, 12), (0.005, 4, 8)] {
        let world =
            filter_with(FluidSleeping::OFF, [water(), sand(permeability)], rows, liquid_rows);
        let relative = conductivity(world, 2.0) / (permeability / 1.1);
        println!("{permeability}, {rows} rows under {liquid_rows}: {relative} of Darcy's flow");
        assert!((relative - 1.0).abs() < 0.2, "{relative} of Darcy's flow");
    }
}

// Darcy's law holds without inertia. A tenth of the gravity makes the flow ten times as slow, and the head that accelerates
// the water a hundredth.
#[test]
fn slow_flow_through_coarse_sand_follows_the_law_of_darcy_and_fast_flow_loses_head_to_inertia() {
    let coarse = |permeability: f32, gravity_scale: f32| {
        [water(), sand(permeability)].map(|class| DensityClass { gravity_scale, ..class })
    };
    let slow = conductivity(filter(coarse(1.0, 0.1), 16, 24), 4.0) / (1.0 / 1.1);
    println!("slow: {slow} of Darcy's flow");
    assert!((slow - 1.0).abs() < 0.2, "{slow}");
    // Water at the speed `u` enters pores that take 0.4 of the space, at the speed `v = u/0.4`. It is accelerated without
    // recovering pressure behind the bed, so it loses the head `(v² - u²)/g`. In units of d and T0, with the slope of
    // the head `S` over the thickness `L`: `S = u/k + (1/0.4² - 1) u²/L`.
    for (permeability, rows, liquid_rows) in [(1.0_f32, 16, 24), (1.0, 40, 40), (3.0, 8, 12)] {
        let world = filter(coarse(permeability, 1.0), rows, liquid_rows);
        let thickness = thickness(&world);
        // The pores take up liquid first; then the head above falls to two rows.
        let above = liquid_rows as f32 - 0.4 * rows as f32 - 1.0;
        let slope = 1.0 + 0.5 * (above + 2.0) / thickness;
        let (linear, quadratic) = (1.1 / permeability, (1.0 / (0.4 * 0.4) - 1.0) / thickness);
        let speed =
            (-linear + (linear * linear + 4.0 * quadratic * slope).sqrt()) / (2.0 * quadratic);
        let relative = conductivity(world, 2.0) / (speed / slope);
        println!("{permeability}, {rows} rows under {liquid_rows}: {relative} of the flow");
        assert!((relative - 1.0).abs() < 0.2, "{relative} with {permeability}");
    }
}

#[test]
fn water_runs_no_faster_along_walls_than_in_the_middle_of_a_bed() {
    let mut world = filter([water(), sand(0.03)], 8, 12);
    run_for(&mut world, 6.0);
    // Mean velocities in a spacing beside the walls, and in the middle half.
    let (mut edge, mut middle) = (Vec::new(), Vec::new());
    for _ in 0..60 {
        run(&mut world, 1);
        let particles = world.particles();
        for (index, at) in particles.positions().iter().enumerate() {
            let at = *at / spacing();
            if particles.classes()[index] != LIQUID || !(1.0..7.0).contains(&at.y) {
                continue;
            }
            let down = -particles.velocities()[index].y;
            if at.x.abs() > 0.5 * COLUMNS as f32 - 1.0 {
                edge.push(down);
            } else if at.x.abs() < 0.25 * COLUMNS as f32 {
                middle.push(down);
            }
        }
    }
    let ratio = mean(&edge) / mean(&middle);
    assert!((0.7..1.2).contains(&ratio), "{ratio} times as fast along the walls");
}

// Archimedes: all water is at rest, so a sieve bears the weight of the grains less that of the displaced water.
#[test]
fn a_sieve_under_water_bears_the_weight_of_the_grains_less_their_buoyancy() {
    for (mass, permeability, rows, head) in [
        (1.6, 0.3, 3, 8),
        (1.6, 0.3, 16, 16),
        (1.6, 0.3, 40, 8),
        (1.6, 0.03, 16, 8),
        (2.0, 3.0, 16, 16),
    ] {
        let parameters = FluidParameters { sleeping: FluidSleeping::OFF, ..Default::default() };
        let powder = DensityClass { mass, ..sand(permeability) };
        let mut world = world_of(parameters, vec![water(), powder]);
        let half_size = Vec2::new(0.5 * COLUMNS as f32, 50.0) * spacing();
        let smooth = WallProperties { friction: Some(0.0), ..Default::default() };
        let below = 12;
        let centre = Vec2::new(0.0, half_size.y - below as f32 * spacing());
        let tank = Container::rectangle(centre, half_size).and_then(|tank| tank.with_wall(smooth));
        world.insert_container(tank.expect("valid"));
        let sieve = world.insert_collider(sieve());
        fill(&mut world, LIQUID, below, -(below as f32));
        fill(&mut world, POWDER, rows, 0.0);
        run_for(&mut world, 3.0);
        // Grains leave 0.4 of the space to the water.
        fill(&mut world, LIQUID, head + 2 * rows / 5, rows as f32 + 1.0);
        run_for(&mut world, 12.0 + rows as f32);
        let weight = (rows * COLUMNS) as f32 * world.parameters().gravity.length();
        let mut load = 0.0;
        for _ in 0..120 {
            run(&mut world, 1);
            load -= world.load_on(sieve).expect("there").impulse.y / (120.0 * TICK);
        }
        let right = (mass - 0.6) * weight;
        println!("{rows} rows of mass {mass} under {head}: {} of the right load", load / right);
        assert!((load / right - 1.0).abs() < 0.05, "{load} for {right}, {rows} rows");
    }
}

#[test]
fn a_heap_under_water_slumps_to_the_slope_of_a_dry_one() {
    let [dry, wet] = [false, true].map(|under_water| {
        let mut world = heap(under_water, 1.0);
        run_for(&mut world, 24.0);
        let particles = world.particles();
        let grains = particles.positions().iter().zip(particles.classes());
        let grains = grains.filter(|(_, class)| world.classes()[**class].powder.is_some());
        let sum = grains.fold(Vec2::ZERO, |sum, (at, _)| sum + at.abs());
        sum.to_angle().to_degrees()
    });
    assert!((wet - dry).abs() < 3.0, "{wet} degrees under water, {dry} dry");
}

#[test]
fn what_has_no_permeability_or_is_elastic_is_watertight() {
    let mud = include_str!("../../../../assets/materials/mud.fluid.ron");
    let mud = Material::from_ron(mud).expect("a valid material").class;
    for powder in [sand(0.0), mud] {
        let name = powder.name.clone();
        let mut world = filter([water(), powder], 6, 6);
        run_for(&mut world, 6.0);
        assert_eq!(passed(&world), 0, "{name}");
    }
}

#[test]
fn thick_liquid_passes_more_slowly_and_silt_lets_less_pass_than_sand() {
    let passed_after = |liquid: DensityClass, permeability: f32| {
        let mut world = filter([liquid, sand(permeability)], 6, 6);
        run_for(&mut world, 3.0);
        passed(&world)
    };
    let viscosity = Some(ClassViscosity { linear: 2.0, ..ClassViscosity::default() });
    let oil = DensityClass { viscosity, ..water() };
    let [sand, oil, silt] =
        [passed_after(water(), 0.3), passed_after(oil, 0.3), passed_after(water(), 0.03)];
    assert!(2 * oil < sand && 10 * silt < sand, "{sand} of water, {oil} of oil, {silt} in silt");
}

/// A vessel that holds sand and water.
fn vessel() -> FluidWorld {
    let parameters = FluidParameters { sleeping: FluidSleeping::OFF, ..Default::default() };
    let mut world = world_of(parameters, vec![water(), sand(FluidPowder::default().permeability)]);
    let half_size = Vec2::new(0.5 * COLUMNS as f32, 40.0) * spacing();
    add_tank(&mut world, Vec2::new(0.0, half_size.y), half_size);
    world
}

fn fill(world: &mut FluidWorld, class: ClassId, rows: usize, from: f32) {
    for (index, cell) in cells(COLUMNS, rows).enumerate() {
        let place = cell + Vec2::new(-0.5 * COLUMNS as f32, from) + 0.05 * scatter(index as u32);
        spawn(world, place * spacing(), Vec2::ZERO, class.0);
    }
}

#[test]
fn sand_sinks_in_water_and_raises_it_by_its_solid_part() {
    let mut world = vessel();
    fill(&mut world, LIQUID, 20, 0.0);
    run_for(&mut world, 4.0);
    // Half a spacing below the surface.
    let level = |world: &FluidWorld| {
        let mut heights = heights(world, LIQUID);
        heights.sort_by(f32::total_cmp);
        mean(&heights[heights.len() - COLUMNS / 2..])
    };
    let before = level(&world);
    fill(&mut world, POWDER, 8, 24.0);
    run_for(&mut world, 15.0);
    let highest = heights(&world, POWDER).into_iter().fold(0.0, f32::max);
    assert!(highest < 11.0, "a grain is {highest} above the floor");
    let raised = level(&world) - before;
    assert!((raised / (0.6 * 8.0) - 1.0).abs() < 0.15, "raised by {raised} spacings");
    let (mut least, mut most) = (f32::MAX, 0.0_f32);
    let particles = world.particles();
    for (at, density) in particles.positions().iter().zip(particles.relative_densities()) {
        if (3.0..15.0).contains(&(at.y / spacing())) {
            (least, most) = (least.min(*density), most.max(*density));
        }
    }
    assert!(least > 0.9 && most < 1.1, "relative densities from {least} to {most}");
}
