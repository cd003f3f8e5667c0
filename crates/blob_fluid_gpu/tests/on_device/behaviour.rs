//! Liquid on a device behaves as the core's.

use blob_fluid::shape::scatter;
use blob_fluid::{
    ClassId, ClassTable, Container, DensityClass, FluidIntoAir, FluidParameters, FluidPowder,
    FluidThermal, FluidWorld, ParticleSpawn, SerialExecutor,
};
use blob_fluid_gpu::{GpuLiquid, GpuParticle, ignored_settings};
use glam::{DVec2, Vec2};

use crate::adapter::{device, on, shaders};
use crate::liquids::{TICK, block, run, tank, weightless_cloud, world};

fn root_mean_square(velocities: impl ExactSizeIterator<Item = Vec2>) -> f32 {
    let count = velocities.len() as f32;
    (velocities.map(Vec2::length_squared).sum::<f32>() / count).sqrt()
}

/// Mean relative density of particles, by height in spacings: the lower, the middle and the upper part
/// of a pool.
fn profile(particles: impl Iterator<Item = (f32, f32)>, rows: f32) -> [f32; 3] {
    let mut sums = [(0.0, 0.0); 3];
    for (height, density) in particles {
        // The rows next to the floor and to the surface differ.
        let part = (height - 3.0) / (rows - 6.0) * 3.0;
        if (0.0..3.0).contains(&part) {
            let (sum, count) = &mut sums[part as usize];
            *sum += density;
            *count += 1.0;
        }
    }
    sums.map(|(sum, count): (f32, f32)| sum / count)
}

#[test]
fn a_pool_settles_as_the_cores() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    tank(&mut world, 30.0, 40.0);
    block(&mut world, Vec2::ZERO, (30, 24), ClassId::MEDIUM);
    let mut gpu = on(&both, &world);
    let mut settings = world.liquid().clone();
    for _ in 0..900 {
        world.step(TICK, &SerialExecutor).expect("valid");
        gpu.step(&mut settings, TICK).expect("valid");
    }
    let ours = gpu.read_particles().expect("read");
    let spacing = world.parameters().particle_spacing;
    let arrays = world.particles();
    let heights = arrays.positions().iter().map(|position| position.y / spacing);
    let core = profile(heights.zip(arrays.relative_densities().iter().copied()), 24.0);
    let ours_at =
        ours.iter().map(|particle| (particle.position.y / spacing, particle.relative_density));
    let profile = profile(ours_at, 24.0);
    let speeds = [
        root_mean_square(ours.iter().map(|particle| particle.velocity)),
        root_mean_square(arrays.velocities().iter().copied()),
    ];
    println!("densities {profile:?}, core {core:?}; rms {speeds:?}");
    for (ours, core) in profile.into_iter().zip(core) {
        assert!((ours / core - 1.0).abs() < 0.01, "{profile:?} against {core:?}");
    }
    // Both rest: a hundredth of the unit of speed.
    let rest = 0.01 * world.parameters().speed_unit();
    assert!(speeds.iter().all(|speed| *speed < rest), "{speeds:?}");
    assert!((speeds[0] / speeds[1] - 1.0).abs() < 0.25, "{speeds:?}");
}

#[test]
fn layers_sort() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    tank(&mut world, 20.0, 30.0);
    // The heavy class above the light one.
    let spacing = world.parameters().particle_spacing;
    block(&mut world, Vec2::ZERO, (20, 10), ClassId::LIGHT);
    block(&mut world, Vec2::new(0.0, 10.0 * spacing), (20, 10), ClassId::HEAVY);
    let mut gpu = on(&both, &world);
    run(&mut gpu, world.liquid_mut(), 900);
    let particles = gpu.read_particles().expect("read");
    let mean = |class| {
        let of_class = particles.iter().filter(|particle| particle.class == class);
        of_class.map(|particle| particle.position.y).sum::<f32>() / 200.0 / spacing
    };
    let (heavy, light) = (mean(ClassId::HEAVY), mean(ClassId::LIGHT));
    println!("mean heights: heavy {heavy}, light {light} spacings");
    // Sorted, they are 5 and 15 spacings high.
    assert!(light - heavy > 7.5, "heavy {heavy}, light {light}");
}

/// Most that a particle is beyond a container, in world units.
fn beyond(container: &Container, particles: &[GpuParticle]) -> f32 {
    particles.iter().map(|particle| -container.depth(particle.position)).fold(0.0, f32::max)
}

#[test]
fn nothing_leaks_from_a_box_or_a_disc() {
    let Some(both) = device() else { return };
    let spacing = FluidParameters::default().particle_spacing;
    let containers = [
        Container::rectangle(Vec2::ZERO, Vec2::new(12.0, 9.0) * spacing),
        Container::circle(Vec2::ZERO, 11.0 * spacing),
    ];
    for container in containers.map(|container| container.expect("valid")) {
        let mut world = world(FluidParameters::default());
        world.insert_container(container.clone());
        for index in 0..300 {
            let position = scatter(index) * (7.0 * spacing);
            let velocity = scatter(!index) * 4000.0;
            let spawn = ParticleSpawn { position, velocity, ..Default::default() };
            world.spawn(spawn).expect("valid");
        }
        let mut gpu = on(&both, &world);
        run(&mut gpu, world.liquid_mut(), 150);
        let particles = gpu.read_particles().expect("read");
        assert_eq!(particles.len(), 300);
        let beyond = beyond(&container, &particles);
        assert!(beyond < 1e-3, "{beyond} beyond {container:?}");
    }
}

#[test]
fn momentum_is_conserved() {
    let Some(both) = device() else { return };
    let mut world = weightless_cloud(60.0, 0);
    let masses: Vec<f64> = world.classes().iter().map(|class| class.mass.into()).collect();
    let momentum = |particles: &[GpuParticle]| {
        let of =
            |particle: &GpuParticle| particle.velocity.as_dvec2() * masses[particle.class.index()];
        let all: DVec2 = particles.iter().map(of).sum();
        (all, particles.iter().map(|particle| of(particle).length()).sum::<f64>())
    };
    let mut gpu = on(&both, &world);
    let (before, scale) = momentum(&gpu.read_particles().expect("read"));
    run(&mut gpu, world.liquid_mut(), 200);
    let (after, _) = momentum(&gpu.read_particles().expect("read"));
    let change = (after - before).length() / scale;
    println!("momentum changed by {change:e} of the sum of its magnitudes");
    assert!(change < 1e-5, "{change:e}");
}

#[test]
fn bad_particles_touch_nobody() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    tank(&mut world, 20.0, 20.0);
    block(&mut world, Vec2::ZERO, (20, 10), ClassId::MEDIUM);
    let mut gpu = on(&both, &world);
    let numbers = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30];
    let bad: Vec<_> = numbers
        .into_iter()
        .enumerate()
        .map(|(index, number)| GpuParticle {
            id: 1000 + index as u32,
            velocity: Vec2::new(number, number),
            position: Vec2::new(50.0, 50.0),
            ..GpuParticle::default()
        })
        .collect();
    gpu.insert(&bad).expect("inserted");
    run(&mut gpu, world.liquid_mut(), 10);
    let particles = gpu.read_particles().expect("read");
    assert_eq!(particles.len(), 200);
    assert!(particles.iter().all(|particle| particle.position.is_finite()));
    assert!(particles.iter().all(|particle| particle.velocity.is_finite()));
}

#[test]
fn what_a_device_cannot_do_is_refused_or_named() {
    let Some(both) = device() else { return };
    let (device, queue) = &*both;
    let refused = |world: &FluidWorld| {
        GpuLiquid::with_shaders(device, queue, world.liquid(), &shaders())
            .expect_err("refused")
            .to_string()
    };
    let solver = blob_fluid::FluidSolver::Sph;
    let other = world(FluidParameters { solver, ..FluidParameters::default() });
    assert!(refused(&other).contains("`sph`"));
    let mut several = world(FluidParameters::default());
    tank(&mut several, 10.0, 10.0);
    tank(&mut several, 20.0, 20.0);
    assert!(refused(&several).contains("has 2"));
    let mut shaped = world(FluidParameters::default());
    let line = blob_fluid::shape::Polyline::new([Vec2::ZERO, Vec2::X * 50.0], 9.0).expect("valid");
    let line = blob_fluid::FluidShape::Polyline(line);
    shaped.insert_container(Container::new(line, Vec2::ZERO, Vec2::X).expect("valid"));
    assert!(refused(&shaped).contains("line"));

    let mut rich = world(FluidParameters {
        viscosity: blob_fluid::Viscosity { linear: 10.0, ..Default::default() },
        ..FluidParameters::default()
    });
    let powder = Some(FluidPowder::default());
    let sand = DensityClass { name: "sand".into(), powder, ..DensityClass::default() };
    rich.set_classes(ClassTable::new(vec![sand]).expect("valid")).expect("unused");
    let named: Vec<_> = ignored_settings(rich.liquid()).iter().map(|row| row.setting).collect();
    assert_eq!(named, ["class.powder", "viscosity.linear"]);
    let heater = blob_fluid::Force { heat: 1.0, ..Default::default() };
    let mut hot = world(FluidParameters::default());
    let boils = FluidThermal {
        conductivity: 1.0,
        air_conductivity: 0.3,
        into_air: Some(FluidIntoAir { above: 100.0, ..FluidIntoAir::default() }),
        ..FluidThermal::default()
    };
    let water = DensityClass { thermal: boils, ..DensityClass::default() };
    hot.set_classes(ClassTable::new(vec![water]).expect("valid")).expect("unused");
    hot.set_forces(&[heater, blob_fluid::Force::default()]).expect("valid");
    hot.set_force_fields(vec![std::sync::Arc::new(|_: &mut blob_fluid::FieldParticles<'_>| {})]);
    let named: Vec<_> = ignored_settings(hot.liquid()).iter().map(|row| row.setting).collect();
    assert_eq!(named, ["force_fields", "class.into_air", "class.air_conductivity"]);

    // Between two classes viscosity may be larger than that of each.
    for (cross_class, classes, ignored) in [(8.0, 2, true), (8.0, 1, false), (1.0, 2, false)] {
        let viscosity =
            blob_fluid::Viscosity { linear: 0.1, cross_class, ..blob_fluid::Viscosity::default() };
        let mut thick = world(FluidParameters { viscosity, ..FluidParameters::default() });
        let classes = vec![DensityClass::default(); classes];
        thick.set_classes(ClassTable::new(classes).expect("valid")).expect("unused");
        let named = ignored_settings(thick.liquid());
        assert_eq!(named.iter().any(|row| row.setting == "viscosity.linear"), ignored, "{named:?}");
    }
}
