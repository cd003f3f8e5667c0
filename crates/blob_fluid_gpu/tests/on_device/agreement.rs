//! After the passes, the device's particles agree with the core's.

use std::collections::HashMap;

use blob_fluid::{
    Collider, ColliderOptions, FluidParameters, FluidPass, FluidShape, FluidWorld, Motion,
    ParticleSpawn, SerialExecutor,
};
use blob_fluid_gpu::{GpuParticle, GpuPass, Shaders};
use glam::Vec2;

use crate::adapter::{device, on_with, shaders};
use crate::liquids::{TICK, among_colliders, assert_found, in_a_container, random, tank, world};

const EPSILON: f32 = f32::EPSILON;

/// What rounding explains of a particle's difference, in 32 bits on both sides.
///
/// A sum over `n` neighbours rounds `n + 8` times, and each of its weights six times. An error of a
/// density changes `h/dt^2 (c - c_eq)/c^2` by at most three times as much, relative to `c`.
#[derive(Clone, Copy, Debug, Default)]
struct Bound {
    /// Of the density.
    density: f32,
    /// Of the resistance, in units of `h/dt^2`.
    pressure: f32,
    /// Of the displacement by pairs and walls, in units of `h`.
    displacement: f32,
}

/// The sums over a particle's neighbours that bounds follow from.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f32,
    weights: f32,
    squares: f32,
}

impl Sums {
    /// The bound, without the displacement, if every position is off by `off` interaction radii.
    fn bound(self, off: f32) -> Bound {
        let Self { count, weights, squares } = self;
        // Both sides round. Both sums begin at -1 and contain the particle itself; walls add up to 1.5
        // densities, in some 32 operations.
        let rounding = 7.5 * weights + (count + 8.0) * (squares + 1.0) + 48.0;
        let density = 2.0 * EPSILON * rounding + 4.0 * weights * off;
        let packing = squares.max(1e-3);
        let pressure = (3.0 * density / packing + 16.0 * EPSILON) / packing.max(0.1);
        Bound { density, pressure, displacement: 0.0 }
    }
}

/// The bounds of all particles, by id, from the pairs of the core, where the lightest particle has
/// that mass and every position is off by `off` interaction radii.
fn bounds(world: &mut FluidWorld, lightest: f32, off: f32) -> HashMap<u32, Bound> {
    let mut pairs = Vec::new();
    world.pairs(&SerialExecutor).for_each(|pair| pairs.push((pair.a, pair.b, pair.weight)));
    let mut sums = vec![Sums::default(); world.particles().len()];
    for (a, b, weight) in &pairs {
        for index in [*a, *b] {
            let sums = &mut sums[index];
            sums.count += 1.0;
            sums.weights += weight;
            sums.squares += weight * weight;
        }
    }
    let mut bounds: Vec<Bound> = sums.iter().map(|sums| sums.bound(off)).collect();
    let mut displacements = vec![0.0_f32; sums.len()];
    for (a, b, weight) in &pairs {
        let wrong = bounds[*a].pressure + bounds[*b].pressure;
        // A pressure is at most `1/rho` of its unit.
        let largest = 1.0 / sums[*a].squares.max(0.3) + 1.0 / sums[*b].squares.max(0.3);
        for index in [*a, *b] {
            let terms = sums[index].count + 32.0;
            let wrong = wrong * weight + largest * (2.0 * EPSILON * terms * weight + 2.0 * off);
            displacements[index] += wrong / lightest;
        }
    }
    for (bound, displacement) in bounds.iter_mut().zip(displacements) {
        // What walls displace has the error of the particle's own pressure.
        bound.displacement = displacement + bound.pressure / lightest;
    }
    world.particles().ids().iter().map(|id| id.slot()).zip(bounds).collect()
}

/// The largest difference between device and core, relative to what rounding explains.
#[derive(Clone, Copy, Debug, Default)]
struct Worst(f32);

impl Worst {
    fn number(&mut self, ours: f32, core: f32, bound: f32) {
        let ratio = (ours - core).abs() / bound;
        // Not a number counts as infinitely wrong.
        self.0 = self.0.max(if ratio.is_nan() { f32::INFINITY } else { ratio });
    }

    fn vector(&mut self, ours: Vec2, core: Vec2, bound: f32) {
        self.number((ours - core).length(), 0.0, bound);
    }
}

/// Runs a substep on both sides. Returns the worst difference after each compared pass: the
/// prediction, the pressures, the displacements.
fn worst_of_a_substep(world: &mut FluidWorld, shaders: &Shaders) -> Option<[f32; 3]> {
    let both = device()?;
    let mut gpu = on_with(&both, world, shaders);
    let tick = gpu.begin_tick(&mut world.liquid().clone(), TICK).expect("valid");
    let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
    assert_eq!(tick.substeps, report.substeps);
    let radius = tick.coefficients.interaction_radius;
    let dt = tick.coefficients.time_step;
    let masses = || world.classes().iter().map(|class| class.mass);
    let (lightest, heaviest) = (masses().fold(f32::MAX, f32::min), masses().fold(0.0, f32::max));
    let mut worst = [Worst::default(); 3];

    let predicted = FluidPass::ALL.iter().position(|pass| *pass == FluidPass::HashPositions);
    let relaxed = FluidPass::ALL.iter().position(|pass| *pass == FluidPass::Contain);
    let (predicted, relaxed) = (predicted.expect("a pass"), relaxed.expect("a pass"));
    for pass in &FluidPass::ALL[..predicted] {
        world.run_pass(*pass, &SerialExecutor);
    }
    gpu.run_pass(GpuPass::Predict).expect("works");
    let mut off = 0.0_f32;
    // Damping rounds velocities relative to those of the solids.
    let solids = world.liquid().device_solids();
    let fastest = solids.map(|solid| solid.velocity.length()).fold(0.0, f32::max);
    compare(world, &gpu.read_particles().expect("read"), |ours, core| {
        let way = core.velocity.length() * dt + core.displacement.length();
        // A dozen operations, of which the last adds the way to the position.
        let scale = EPSILON * (4.0 * core.position.length() + 16.0 * way);
        worst[0].vector(ours.position, core.position, scale);
        worst[0].vector(ours.displacement, core.displacement, 2.0 * scale);
        let speed = 24.0 * core.velocity.length() + 4.0 * fastest;
        worst[0].vector(ours.velocity, core.velocity, EPSILON * speed);
        off = off.max((ours.position - core.position).length() / radius);
    });
    let bounds = bounds(world, lightest, off);
    for pass in &FluidPass::ALL[predicted..relaxed] {
        world.run_pass(*pass, &SerialExecutor);
    }
    let between = |pass: &&GpuPass| **pass > GpuPass::Predict && **pass < GpuPass::Displace;
    for pass in GpuPass::ALL.iter().filter(between) {
        gpu.run_pass(*pass).expect("works");
    }
    let found = gpu.read_sorted_particles().expect("read");
    let keeps = !world.particles().kept_pressures().is_empty();
    let unit = tick.coefficients.pressure_limit;
    let equilibrium = tick.classes.iter().map(|class| class.equilibrium_density);
    let thinnest = equilibrium.fold(f32::MAX, f32::min);
    let arrays = world.particles();
    for (index, id) in arrays.ids().iter().enumerate() {
        let bound = bounds[&id.slot()];
        let place = found.binary_search_by_key(&id.slot(), |particle| particle.id);
        let ours = found[place.expect("there")];
        let core = arrays.relative_densities()[index];
        worst[1].number(ours.relative_density, core, bound.density / thinnest);
        if keeps {
            let core = arrays.kept_pressures()[index];
            worst[1].number(ours.kept_pressure, core, heaviest * unit * bound.pressure);
        }
    }
    for pass in &FluidPass::ALL[relaxed..] {
        world.run_pass(*pass, &SerialExecutor);
    }
    gpu.run_pass(GpuPass::Displace).expect("works");
    compare(world, &gpu.read_particles().expect("read"), |ours, core| {
        let way = core.velocity.length() * dt;
        let rounding = EPSILON * (4.0 * core.position.length() + 32.0 * way);
        let bound = radius * bounds[&ours.id].displacement + rounding;
        // What such a wall stops lies at the device's own distance from it.
        if near_wall(world, core.position, 0.1) {
            return;
        }
        worst[2].vector(ours.position, core.position, bound);
        worst[2].vector(ours.velocity, core.velocity, bound / dt);
    });
    world.end_tick(report, &SerialExecutor);
    Some(worst.map(|worst| worst.0))
}

/// Whether a point is beyond a wall, or within a distance of one.
fn near_wall(world: &FluidWorld, point: Vec2, distance: f32) -> bool {
    let plain = |container: &blob_fluid::Container| container.motion() == Motion::STILL;
    let mut containers = world.containers().filter(|(_, container)| !plain(container));
    containers.any(|(_, container)| container.depth(point) < distance)
        || world.colliders().any(|(_, collider)| collider.distance(point) < distance)
}

/// Calls `visit` for every particle of the device, with the core's.
fn compare(
    world: &FluidWorld,
    ours: &[GpuParticle],
    mut visit: impl FnMut(&GpuParticle, &GpuParticle),
) {
    let arrays = world.particles();
    assert_eq!(ours.len(), arrays.len());
    let mut order: Vec<usize> = (0..arrays.len()).collect();
    order.sort_unstable_by_key(|index| arrays.ids()[*index].slot());
    for (ours, index) in ours.iter().zip(order) {
        assert_eq!(ours.id, arrays.ids()[index].slot());
        assert_eq!(ours.class, arrays.classes()[index]);
        visit(
            ours,
            &GpuParticle {
                position: arrays.positions()[index],
                velocity: arrays.velocities()[index],
                displacement: arrays.displacements()[index],
                ..*ours
            },
        );
    }
}

/// A random liquid after some ticks, so that pressures are remembered and walls are met.
fn under_way(seed: u32) -> FluidWorld {
    let mut world = random(seed);
    for _ in 0..5 {
        world.step(TICK, &SerialExecutor).expect("valid");
    }
    world
}

/// Every pass agrees with the core's in the first worlds.
fn agrees(make: impl Fn(u32) -> FluidWorld, worlds: u32) {
    for seed in 0..worlds {
        let mut world = make(seed);
        let Some(worst) = worst_of_a_substep(&mut world, &shaders()) else { return };
        println!("seed {seed}: {worst:?} of what rounding explains");
        assert!(worst.iter().all(|worst| *worst <= 1.0), "seed {seed}: {worst:?}");
    }
}

#[test]
fn every_pass_agrees_with_the_core() {
    agrees(under_way, 12);
}

#[test]
fn every_pass_agrees_with_the_core_among_colliders() {
    agrees(among_colliders, 12);
}

#[test]
fn every_pass_agrees_with_the_core_in_containers_of_all_shapes() {
    agrees(in_a_container, 15);
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_a_shader_is_found() {
    let faults = [
        ("gravity", "velocity + ", "velocity + 1.001 * ", 0),
        ("damping", "slowness * slowness", "slowness", 0),
        ("wall_friction", "friction.y + drag", "friction.y + 1.01 * drag", 0),
        ("containment", "wall.xy * wall.z;", "wall.xy * (0.99 * wall.z);", 0),
        ("pressures", "1.5 * share", "1.4 * share", 2),
        ("pressures", "change / params.faded", "change", 1),
        ("pressures", "near_sum += w * w * w", "near_sum += w * w", 1),
        ("ghost_walls", "3.5 * p.x", "3.4 * p.x", 2),
        ("spans", "params.interaction_radius * 1.0001", "params.interaction_radius * 0.9", 1),
        ("segregation", "sign * below * 2.0", "sign * below", 2),
        ("viscosity", "pair.linear * approach", "1.1 * pair.linear * approach", 2),
        ("displacements", "strength -= pair.attraction", "strength += pair.attraction", 2),
        ("displacements", "0.5 * own.inverse_mass)", "0.501 * own.inverse_mass)", 2),
    ];
    assert_found_in(&[0, 1, 2, 4], under_way, &faults);
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_the_walls_of_colliders_is_found() {
    let faults = [
        (
            "wall_friction",
            "body.earlier, position, wall.distance",
            "body.earlier, position, 0.0 * body.slack - 1e9",
            0,
        ),
        (
            "wall_friction",
            "friction = bitcast<vec3f>(solids[body.wall].xyz)",
            "friction.x = 0.0",
            0,
        ),
        (
            "wall_friction",
            "stick = bitcast<vec2f>(solids[body.wall + 1u].xy)",
            "stick.x *= 1.01",
            0,
        ),
        ("solids", "body.motion.z * vec2f(-lever.y, lever.x)", "vec2f(0.0)", 0),
        ("solids", "best = apart - piece.radius;", "best = apart - 1.01 * piece.radius;", 1),
        ("solids", "apart < best", "apart < 0.9 * best", 1),
        ("solids", "found = Nearest(away * sign, best * sign)", "found = Nearest(away, best)", 1),
        ("near_walls", "if is_hidden(&near, rank, p, before)", "if false", 1),
        ("near_walls", "(*shown).part *= 1.0 - ", "(*shown).part *= 1.001 - ", 1),
        ("near_walls", "if bend < 0.0 { bend = bend_of(wall, p); }", "bend = 0.0;", 2),
        ("near_walls", "dot(along, wall.normal) * bend_of(nearer, p)", "0.0", 2),
        (
            "near_walls",
            "shown.wetting = bitcast<f32>(solids[body.wall + 1u].z)",
            "shown.wetting = 1.0",
            2,
        ),
        ("near_walls", "wall.among_faces = push_other_faces(&near, wall, pose, p);", "", 1),
        ("wall_pressure", "0.5 * own.inverse_mass;", "0.51 * own.inverse_mass;", 2),
    ];
    assert_found_in(&[0, 1, 2, 3, 4, 5, 6, 7], among_colliders, &faults);
}

/// Twenty rows of liquid over a disc over a plank. Both take load and move. Liquid just above the disc belongs to the disc,
/// above that to the plank, up to the plank's bounding radius, and above that to the tank.
fn disc_on_a_plank() -> FluidWorld {
    let mut world = world(FluidParameters::default());
    let spacing = world.parameters().particle_spacing;
    tank(&mut world, 24.0, 30.0);
    let plank = FluidShape::Rectangle { half_size: Vec2::new(8.0, 1.0) * spacing };
    let disc = FluidShape::Circle { radius: 1.5 * spacing };
    let mut colliders = Vec::new();
    for (shape, height, speed) in [(plank, 3.0, 20.0), (disc, 6.5, -30.0)] {
        let options = ColliderOptions { reports_load: true, ..Default::default() };
        let motion = Motion { velocity: Vec2::new(speed, 0.0), ..Motion::STILL };
        let collider = Collider::new(shape, Vec2::new(12.0, height) * spacing, Vec2::X)
            .and_then(|collider| collider.with_options(options))
            .and_then(|collider| collider.with_motion(motion));
        colliders.push(collider.expect("valid"));
    }
    for index in 0..24 * 20_u16 {
        let cell = Vec2::new(f32::from(index % 24) + 0.5, f32::from(index / 24) + 0.5);
        let position = cell * spacing;
        if colliders.iter().all(|collider| collider.distance(position) > 0.5 * spacing) {
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
        }
    }
    for collider in colliders {
        world.insert_collider(collider);
    }
    world
}

#[test]
fn beds_above_each_other_agree_with_the_core() {
    let Some(worst) = worst_of_a_substep(&mut disc_on_a_plank(), &shaders()) else { return };
    assert!(worst[0] <= 1.0, "{worst:?} of what rounding explains");
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_the_beds_is_found() {
    let faults = [
        ("beds", "found.distance < nearest", "found.distance < 0.5 * nearest", 0),
        ("beds", "bins[index].bed = below;", "bins[index].bed = NONE;", 0),
        ("beds", "to_home <= nearest", "to_home > nearest", 0),
        ("beds", "damped(velocity - of_bed)", "damped(velocity) - of_bed", 0),
        ("beds", "> STEEPEST_FLOOR", "> 2.0", 0),
        ("beds", "below = upper;", "", 0),
        ("beds", "place.depth < bins[place.bin].floor", "false", 0),
        ("columns", "&bins[place.bin].deepest, place.depth", "&bins[place.bin].deepest, 1u", 0),
        ("columns", "-params.down.y, params.down.x", "params.down.y, -params.down.x", 0),
    ];
    assert_found_in(&[1, 3, 5, 7], among_colliders, &faults);
    let faults = [
        ("beds", "if depth < crest_of(bed) {", "if false {", 0),
        (
            "beds",
            "* params.interaction_radius < crest_of(below)",
            "* params.interaction_radius < -1e30",
            0,
        ),
        ("beds", "if crest_of(below) < crest_of(upper) { base = below; }", "", 0),
    ];
    assert_found_in(&[0], |_| disc_on_a_plank(), &faults);
}

/// A file, what stands there, what is put instead, and the compared pass that finds it.
type Fault = (&'static str, &'static str, &'static str, usize);

/// Each fault is found in one of these worlds.
fn assert_found_in(seeds: &[u32], make: impl Fn(u32) -> FluidWorld, faults: &[Fault]) {
    for (file, text, instead, pass) in faults.iter().copied() {
        assert_found(&[(file, text, instead)], |shaders| {
            let mut found = 0.0_f32;
            for seed in seeds {
                found = found.max(worst_of_a_substep(&mut make(*seed), shaders)?[pass]);
                if found > 1.0 {
                    break;
                }
            }
            Some((found > 1.0, found.to_string()))
        });
    }
}
