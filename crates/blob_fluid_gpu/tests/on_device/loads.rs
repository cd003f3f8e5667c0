//! Loads on colliders, and bodies that yield to them.

use blob_fluid::shape::Polygon;
use blob_fluid::{
    Attachment, Body, ClassId, Collider, ColliderId, ColliderOptions, FluidParameters, FluidShape,
    FluidWorld, HostBody, Load, Motion, ParticleSpawn, Pose, SerialExecutor, Substeps,
};
use blob_fluid_gpu::{GpuLiquid, Shaders};
use glam::Vec2;

use crate::adapter::{device, on, on_with, shaders};
use crate::liquids::{
    TICK, among_colliders_with, assert_found, block, run, tank, world, world_that_sleeps,
};

/// The largest difference of the loads in a tick from the core's, relative to the largest load, among colliders that
/// report theirs; and whether a particle touches a wall then.
fn worst_load(seed: u32, shaders: &Shaders) -> Option<(f32, bool)> {
    let both = device()?;
    let reporting = |options| ColliderOptions { reports_load: true, ..options };
    let mut core = among_colliders_with(seed, reporting);
    // The core finds beds at the beginning of a tick, and a device in each substep.
    // Beside bodies, all particles on a device lose their memory of pressure, in the core only those that touch them.
    let substeps = Substeps::Fixed(1);
    let one = FluidParameters { substeps, pressure_memory: 0.0, ..*core.parameters() };
    core.set_parameters(one).expect("valid");
    let mut settings = core.liquid().clone();
    let mut liquid = on_with(&both, &core, shaders);
    liquid.set_exact(true);
    core.step(TICK, &SerialExecutor).expect("valid");
    // The third tick learns what the first one did.
    run(&mut liquid, &mut settings, 3);
    let radius = core.parameters().interaction_radius();
    let numbers = |load: Load| [load.impulse.x, load.impulse.y, load.angular_impulse / radius];
    let (mut largest, mut apart) = (0.0_f32, 0.0_f32);
    for (id, _) in core.colliders() {
        let expected = numbers(core.load_on(id).expect("there"));
        let ours = numbers(settings.load_on(id).expect("there"));
        for (ours, expected) in ours.into_iter().zip(expected) {
            largest = largest.max(expected.abs());
            apart = apart.max((ours - expected).abs());
        }
    }
    let touches = |point: &Vec2| core.colliders().any(|(_, wall)| wall.distance(*point) < 0.1);
    Some((apart / largest, core.particles().positions().iter().any(touches)))
}

/// What a wall stops lies at the device's own distance from it, and gets another push out of it.
fn bound(touches: bool) -> f32 {
    if touches { 0.01 } else { 1e-4 }
}

#[test]
fn loads_are_the_cores() {
    let mut exact = 0;
    for seed in 0..12 {
        let Some((worst, touches)) = worst_load(seed, &shaders()) else { return };
        println!("seed {seed}: {worst}, touches a wall: {touches}");
        assert!(worst < bound(touches), "seed {seed}: {worst}");
        exact += u32::from(!touches);
    }
    assert!(exact >= 6, "{exact} without a touch");
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_the_loads_is_found() {
    let faults = [
        ("sums", "let upper = floor(size * 0x1p-32)", "let upper = 1.0"),
        ("sums", "if steps < 0.0 {", "if false {"),
        ("sums", "high += select(0u, 1u, before + low < low);", ""),
        ("loads", "-given * ", "given * "),
        ("loads", "lever.y * given.x - lever.x", "lever.y * given.x + lever.x"),
        ("loads", "point - centre_of_mass(slot, pose)", "point"),
        ("wall_friction", "if LOADS && wall.body != NONE {", "if false {"),
        ("wall_friction", "* mass_of(class_index)", ""),
        ("gravity", "return classes[class_index].mass;", "return 1.0;"),
        ("bear_loads", "own.mass / params.time_step", "1.0 / params.time_step"),
        ("bear_loads", "push.attracted * held", "push.attracted"),
        ("bear_loads", "- shown.slope * push.against_slope", ""),
        ("bear_loads", "given -= of_nearer;", ""),
        ("bear_loads", "fade_in_of(wall) * part_of_others", "0.9 * part_of_others"),
        ("bear_loads", "bear_wall(nearer, p, of_nearer * momentum);", ""),
        ("bear_loads", "bear_wall(wall, p, given * momentum);", ""),
    ];
    assert_found(&faults, |shaders| {
        for seed in 0..12 {
            let (worst, touches) = worst_load(seed, shaders)?;
            if worst.is_nan() || worst > bound(touches) {
                return Some((true, format!("{worst} with seed {seed}")));
            }
        }
        Some((false, "nothing".into()))
    });
}

/// A tank 60 spacings wide with 15 rows of liquid without memory of pressure. Beside bodies, all particles on a device lose
/// their memory, in the core only those that touch them.
fn pool() -> FluidWorld {
    let mut world = world(FluidParameters { pressure_memory: 0.0, ..Default::default() });
    tank(&mut world, 60.0, 40.0);
    block(&mut world, Vec2::ZERO, (60, 15), ClassId::MEDIUM);
    world
}

/// Adds a body of a density to a world, at a place in spacings.
fn add_body(
    world: &mut FluidWorld,
    (shape, density): (&FluidShape, f32),
    at: Vec2,
    change: fn(Body) -> Body,
) -> ColliderId {
    let spacing = world.parameters().particle_spacing;
    let body = Body::of_density(density, shape, spacing).expect("valid");
    let options = ColliderOptions { body: Some(change(body)), ..Default::default() };
    let collider = Collider::new(shape.clone(), at * spacing, Vec2::from_angle(0.1));
    world.insert_collider(collider.expect("valid").with_options(options).expect("valid"))
}

fn rectangle(half_width: f32, half_height: f32) -> FluidShape {
    let spacing = FluidParameters::default().particle_spacing;
    FluidShape::Rectangle { half_size: Vec2::new(half_width, half_height) * spacing }
}

/// A collider's place in spacings, and its angle.
fn place(collider: &Collider, spacing: f32) -> (Vec2, f32) {
    (collider.centre() / spacing, collider.rotation().to_angle())
}

/// Where a body is, tick by tick, on the processor and on a device.
fn ways(core: FluidWorld, id: ColliderId, ticks: usize) -> Option<Vec<[(Vec2, f32); 2]>> {
    ways_with(core, id, ticks, &shaders())
}

/// The same with other shaders.
fn ways_with(
    mut core: FluidWorld,
    id: ColliderId,
    ticks: usize,
    shaders: &Shaders,
) -> Option<Vec<[(Vec2, f32); 2]>> {
    let both = device()?;
    let mut settings = core.liquid().clone();
    let mut liquid = on_with(&both, &core, shaders);
    liquid.set_exact(true);
    let spacing = core.parameters().particle_spacing;
    let tick = |_| {
        core.step(TICK, &SerialExecutor).expect("valid");
        liquid.step(&mut settings, TICK).expect("valid");
        let [core, ours] = [core.collider(id), settings.collider(id)];
        [core, ours].map(|collider| place(collider.expect("there"), spacing))
    };
    Some((0..ticks).map(tick).collect())
}

/// The largest horizontal and vertical distance of both ways in spacings, and the largest angle between them.
fn apart(ways: &[[(Vec2, f32); 2]]) -> [f32; 3] {
    let apart = ways.iter().map(|[core, ours]| {
        let [x, y] = (core.0 - ours.0).abs().to_array();
        [x, y, (core.1 - ours.1).abs()]
    });
    apart.fold([0.0; 3], |most, one| [0, 1, 2].map(|axis: usize| most[axis].max(one[axis])))
}

#[test]
#[ignore = "long: .ci/run"]
fn bodies_fall_in_and_float_as_the_cores() {
    let spacing = FluidParameters::default().particle_spacing;
    let hull = [(-7.0, 3.0), (-4.0, -3.0), (4.0, -3.0), (7.0, 3.0)];
    let hull = Polygon::new(hull.map(|(x, y)| Vec2::new(x, y) * spacing)).expect("corners");
    let shapes = [
        ("a box half as dense", rectangle(6.0, 4.0), 0.5),
        ("a light box", rectangle(6.0, 4.0), 0.1),
        ("a balloon", rectangle(6.0, 4.0), 0.03),
        ("a ball", FluidShape::Circle { radius: 4.0 * spacing }, 0.3),
        ("a heavy box", rectangle(6.0, 4.0), 3.0),
        ("a hull", FluidShape::Polygon(hull), 0.4),
    ];
    for (name, shape, density) in shapes {
        let mut world = pool();
        let id = add_body(&mut world, (&shape, density), Vec2::new(30.0, 21.0), |body| body);
        let Some(ways) = ways(world, id, 420) else { return };
        let [x, y, turn] = apart(&ways);
        println!("{name}: apart {x} and {y} spacings and {turn} rad; at the end {:?}", ways[419]);
        assert!(x < 0.5 && y < 0.25 && turn < 0.1, "{name}: apart {x}, {y}, {turn}");
    }
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_the_added_mass_is_found() {
    let faults = [
        ("yield", "let factor = params.attached_mass *", "let factor = 0.0 *"),
        ("added_mass", "bear(body, pose, p, given);", ""),
    ];
    // How far apart a light box is on the core and on the device, sideways.
    let drift = |shaders: &Shaders| {
        let mut world = pool();
        let shape = rectangle(6.0, 4.0);
        let id = add_body(&mut world, (&shape, 0.03), Vec2::new(30.0, 21.0), |body| body);
        let [x, ..] = apart(&ways_with(world, id, 240, shaders)?);
        Some(x)
    };
    let Some(sound) = drift(&shaders()) else { return };
    assert_found(&faults, |shaders| {
        let faulty = drift(shaders)?;
        Some((faulty > 2.0 * sound, format!("apart {faulty}, without a fault {sound}")))
    });
}

/// A wheel in a pool, and a column that falls onto one of its arms from a height that is larger by `raised` spacings.
fn wheel(raised: f32) -> (FluidWorld, ColliderId) {
    let mut world = pool();
    let pinned = |body| Body { pinned: true, ..body };
    let paddle = rectangle(8.0, 0.8);
    let id = add_body(&mut world, (&paddle, 1.0), Vec2::new(30.0, 18.0), pinned);
    let spacing = world.parameters().particle_spacing;
    for number in 0..300 {
        let up = 22.0 + raised + 0.25 * number as f32;
        let position = Vec2::new(33.0 + (number % 4) as f32, up) * spacing;
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
    }
    (world, id)
}

#[test]
#[ignore = "long: .ci/run"]
fn a_wheel_turns_as_the_cores_and_twice_the_same() {
    const TICKS: usize = 200;
    let (world, id) = wheel(0.0);
    let Some(first) = ways(world.clone(), id, TICKS) else { return };
    let [turned, on_device] =
        [0, 1].map(|of| first.iter().map(|both| both[of].1.abs()).fold(0.0, f32::max));
    let [x, y, turn] = apart(&first);
    // Loads of the device act up to two ticks later, in which the column falls by up to a spacing. By as much as a start
    // that is so much higher or lower changes the core's own wheel, the two may differ.
    let own = [-1.0, -0.5, 0.5, 1.0].map(|raised| {
        let (mut other, id) = wheel(raised);
        let spacing = other.parameters().particle_spacing;
        let differences = first.iter().map(|[core, _]| {
            other.step(TICK, &SerialExecutor).expect("valid");
            (place(other.collider(id).expect("there"), spacing).1 - core.1).abs()
        });
        differences.fold(0.0, f32::max)
    });
    let own = own.into_iter().fold(0.0, f32::max);
    println!("turned by {turned} and {on_device}, apart {turn}, the core's own {own}");
    assert!((x, y) == (0.0, 0.0) && turned > 0.5, "{turned}, apart {x}, {y}");
    assert!(on_device > 0.5 * turned, "{on_device} of {turned}");
    assert!(turn < own.min(0.5 * turned), "apart {turn}, the core's own {own}, of {turned}");
    let Some(second) = ways(world, id, TICKS) else { return };
    assert!(first == second);
}

#[test]
#[ignore = "long: .ci/run"]
fn host_bodies_of_several_colliders_float_as_the_cores() {
    let mut world = pool();
    let spacing = world.parameters().particle_spacing;
    let float = FluidShape::Circle { radius: 3.0 * spacing };
    let mass = 2.0 * Body::of_density(0.4, &float, spacing).expect("valid").mass;
    let carrier = HostBody {
        acceleration: world.parameters().gravity,
        inverse_mass: Vec2::splat(1.0 / mass),
        inverse_inertia: 1.0 / (mass * 50.0 * spacing * spacing),
        ..HostBody::at(Pose::new(Vec2::new(30.0, 20.0) * spacing, Vec2::from_angle(0.3)))
    };
    let body = world.insert_host_body(carrier).expect("valid");
    let ids = [-7.0, 7.0].map(|x| {
        // The float is turned on its carrier.
        let pose = Pose::new(Vec2::new(x, 0.0) * spacing, Vec2::from_angle(0.7));
        let attachment = Attachment { body, pose };
        let options = ColliderOptions { attachment: Some(attachment), ..Default::default() };
        let Pose { translation, rotation } = carrier.pose * pose;
        let float = Collider::new(float.clone(), translation, rotation).expect("valid");
        world.insert_collider(float.with_options(options).expect("valid"))
    });
    for id in ids {
        let Some(ways) = ways(world.clone(), id, 420) else { return };
        let [x, y, turn] = apart(&ways);
        println!("apart {x} and {y} spacings and {turn} rad; at the end {:?}", ways[419]);
        assert!(x < 0.5 && y < 0.25 && turn < 0.1, "apart {x}, {y}, {turn}");
    }
}

#[test]
#[ignore = "long: .ci/run"]
fn bodies_come_and_go() {
    let Some(both) = device() else { return };
    let mut world = pool();
    let spacing = world.parameters().particle_spacing;
    let mut liquid = on(&both, &world);
    let ball = FluidShape::Circle { radius: 2.5 * spacing };
    let add = |world: &mut FluidWorld, x: f32| {
        add_body(world, (&ball, 0.5), Vec2::new(x, 18.0), |body| body)
    };
    let mut balls = vec![add(&mut world, 10.0), add(&mut world, 25.0)];
    let particles = world.particles().len();
    for tick in 0..700 {
        if tick == 100 {
            // Another one takes its row.
            assert!(world.remove_collider(balls.remove(0)).is_some());
            balls.push(add(&mut world, 40.0));
            balls.push(add(&mut world, 50.0));
        }
        if tick == 200 {
            // All sums begin anew, in other steps.
            let before = *world.parameters();
            let parameters = FluidParameters {
                reference_acceleration: 1.1 * before.reference_acceleration,
                ..before
            };
            world.set_parameters(parameters).expect("valid");
        }
        liquid.step(world.liquid_mut(), TICK).expect("valid");
    }
    let settled = liquid.read_particles().expect("read");
    assert_eq!(settled.len(), particles);
    for id in balls {
        let ball = world.collider(id).expect("there");
        let Motion { velocity, .. } = ball.motion();
        println!("at {} with {velocity}", ball.centre() / spacing);
        // They float in 15 rows, to half of their height, and to their own gap.
        assert!((ball.centre().y / spacing - 15.5).abs() < 1.0, "{}", ball.centre() / spacing);
        assert!(velocity.length() < 0.02 * world.parameters().speed_unit(), "{velocity}");
        let inside = settled.iter().filter(|particle| ball.distance(particle.position) < 0.0);
        assert_eq!(inside.count(), 0);
    }
}

/// The heights between which a box of a density that a game moves by its load is from tick 300 to 400, in spacings.
fn moved_by_a_game(
    density: f32,
    step: &mut dyn FnMut(&mut FluidWorld),
    mut world: FluidWorld,
) -> [f32; 2] {
    let spacing = world.parameters().particle_spacing;
    let shape = rectangle(6.0, 4.0);
    let mass = Body::of_density(density, &shape, spacing).expect("valid").mass;
    let options = ColliderOptions { reports_load: true, ..Default::default() };
    let collider = Collider::new(shape, Vec2::new(30.0, 20.0) * spacing, Vec2::X);
    let collider = collider.and_then(|collider| collider.with_options(options));
    let id = world.insert_collider(collider.expect("valid"));
    let mut velocity = Vec2::ZERO;
    let [mut lowest, mut highest] = [f32::MAX, f32::MIN];
    for tick in 0..400 {
        let motion = Motion { velocity, angular_velocity: 0.0 };
        world.set_collider_motion(id, motion).expect("valid");
        step(&mut world);
        let load = world.load_on(id).expect("there");
        velocity += world.parameters().gravity * TICK + load.impulse / mass;
        if tick >= 300 {
            let height = world.collider(id).expect("there").centre().y / spacing;
            (lowest, highest) = (lowest.min(height), highest.max(height));
        }
    }
    [lowest, highest]
}

#[test]
#[ignore = "long: .ci/run"]
fn what_a_game_moves_by_its_load_floats_as_the_cores() {
    let Some(both) = device() else { return };
    for density in [0.3, 0.5, 0.8] {
        let world = pool();
        let mut liquid = on(&both, &world);
        let on_device = &mut |world: &mut FluidWorld| {
            liquid.step(world.liquid_mut(), TICK).expect("valid");
        };
        let ours = moved_by_a_game(density, on_device, world.clone());
        let on_core = &mut |world: &mut FluidWorld| {
            world.step(TICK, &SerialExecutor).expect("valid");
        };
        let core = moved_by_a_game(density, on_core, world);
        println!("density {density}: heights {ours:?}, core {core:?}");
        // It swings a little, because the loads come late.
        let close = ours.iter().zip(core).all(|(ours, core)| (ours - core).abs() < 0.5);
        assert!(close, "{ours:?}, core {core:?}");
    }
}

/// A float in a long pool keeps the liquid beside it awake, and the rest sleeps.
#[test]
#[ignore = "long: .ci/run"]
fn liquid_far_from_a_float_sleeps() {
    let Some(both) = device() else { return };
    let mut core = world_that_sleeps();
    tank(&mut core, 200.0, 30.0);
    block(&mut core, Vec2::ZERO, (200, 8), ClassId::MEDIUM);
    let id = add_body(&mut core, (&rectangle(5.0, 2.0), 0.5), Vec2::new(20.0, 10.0), |body| body);
    let mut settings = core.liquid().clone();
    let mut liquid = on(&both, &core);
    liquid.set_exact(true);
    let spacing = core.parameters().particle_spacing;
    let mut apart = 0.0_f32;
    for tick in 0..1500 {
        core.step(TICK, &SerialExecutor).expect("valid");
        liquid.step(&mut settings, TICK).expect("valid");
        let [core, ours] = [core.collider(id), settings.collider(id)]
            .map(|collider| place(collider.expect("there"), spacing));
        if tick > 400 {
            apart = apart.max((core.0.y - ours.0.y).abs());
        }
    }
    let awake = liquid.wait_for_report().expect("works").expect("there").awake;
    println!("{awake} awake; heights at most {apart} spacings from the core's");
    assert!(awake > 50 && awake < 800, "{awake}");
    assert!(apart < 0.25, "{apart}");
    // Nothing that sleeps is moved.
    let far = |liquid: &GpuLiquid| {
        let mut particles = liquid.read_particles().expect("read");
        particles.retain(|particle| particle.position.x > 150.0 * spacing);
        particles
    };
    let before = far(&liquid);
    assert!(before.len() > 300, "{}", before.len());
    run(&mut liquid, &mut settings, 30);
    assert_eq!(far(&liquid), before);
}
