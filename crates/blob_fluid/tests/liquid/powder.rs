//! Powder: against a scalar oracle, at rest, asleep, saved, and on walls.

use blob_fluid::shape::{Polyline, fermat_spiral, scatter};
use blob_fluid::{
    ClassId, ClassTable, Collider, ColliderOptions, Container, DensityClass, FluidParameters,
    FluidPass, FluidPowder, FluidShape, FluidSleeping, FluidWorld, Grain, Motion, ParticleId,
    ParticleSpawn, Particles, PoreLiquid, SavedParticles, SavedTicks, SerialExecutor, Settling,
    Substeps, Viscosity,
};
use glam::{DVec2, Vec2};

use crate::pools::{add_tank, cells, change_parameters, fastest, spacing};
use crate::ticks::{TICK, run, run_for};

pub(crate) fn sand(friction_angle: f32) -> DensityClass {
    let powder = FluidPowder { friction_angle, ..FluidPowder::default() };
    DensityClass { name: "sand".into(), powder: Some(powder), ..DensityClass::default() }
}

pub(crate) fn world_of(parameters: FluidParameters, classes: Vec<DensityClass>) -> FluidWorld {
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("no particles yet");
    world
}

/// A column of sand on a floor, 20 grains wide and high.
fn column(friction_angle: f32, sleeping: FluidSleeping) -> FluidWorld {
    let parameters = FluidParameters { sleeping, ..FluidParameters::default() };
    let mut world = world_of(parameters, vec![sand(friction_angle)]);
    let half_size = Vec2::new(60.0, 30.0) * spacing();
    add_tank(&mut world, Vec2::new(0.0, half_size.y), half_size);
    for (index, cell) in cells(20, 20).enumerate() {
        let offset = 0.05 * scatter(index as u32) - Vec2::new(10.0, 0.0);
        spawn(&mut world, (cell + offset) * spacing(), Vec2::ZERO, 0);
    }
    world
}

pub(crate) fn spawn(world: &mut FluidWorld, position: Vec2, velocity: Vec2, class: u8) {
    let class = ClassId(class);
    world.spawn(ParticleSpawn { position, velocity, class, ..Default::default() }).expect("valid");
}

/// Half the width of what is there over its height.
fn flatness(world: &FluidWorld) -> f32 {
    let positions = world.particles().positions();
    let top = positions.iter().fold(0.0_f32, |top, at| top.max(at.y));
    positions.iter().fold(0.0_f32, |most, at| most.max(at.x.abs())) / top
}

/// The tangent of an angle in degrees.
#[expect(clippy::disallowed_methods, reason = "a reference, compared within a tolerance")]
pub(crate) fn slope(degrees: f32) -> f32 {
    degrees.to_radians().tan()
}

/// The rest density and that of equilibrium.
fn densities_at_rest(parameters: &FluidParameters) -> (f64, f64) {
    let ratio = f64::from(parameters.radius_ratio);
    let r = f64::from(parameters.near_stiffness_ratio);
    let lattice = std::f64::consts::PI / 6.0 * ratio * ratio - 1.0;
    let rest = lattice * (1.0 + 0.24 * r) - 0.16 * r;
    (rest, f64::from(parameters.equilibrium_ratio) * rest)
}

/// The same equations in 64 bits, over all pairs: what a grain's stress and load become.
struct Oracle<'a> {
    particles: &'a Particles,
    parameters: &'a FluidParameters,
    classes: &'a ClassTable,
    dt: f64,
}

impl Oracle<'_> {
    fn class(&self, i: usize) -> &DensityClass {
        &self.classes[self.particles.classes()[i]]
    }

    fn mass(&self, i: usize) -> f64 {
        f64::from(self.class(i).mass)
    }

    fn radius(&self) -> f64 {
        f64::from(self.parameters.interaction_radius())
    }

    /// Index, direction and weight of the neighbours.
    fn neighbours(&self, i: usize) -> Vec<(usize, DVec2, f64)> {
        let positions = self.particles.positions();
        let pair = |j: usize| {
            let offset = positions[j].as_dvec2() - positions[i].as_dvec2();
            let q = 1.0 - offset.length() / self.radius();
            (j != i && q > 0.0).then(|| (j, offset.normalize(), q))
        };
        (0..positions.len()).filter_map(pair).collect()
    }

    fn grains(&self, i: usize) -> Vec<(usize, DVec2, f64)> {
        let all = self.neighbours(i).into_iter();
        all.filter(|(j, ..)| self.class(*j).powder.is_some()).collect()
    }

    /// The density and the near density.
    fn densities(&self, i: usize) -> (f64, f64) {
        let weights = self.neighbours(i).into_iter().map(|(_, _, q)| q);
        weights.fold((0.0, 0.0), |sum, q| (sum.0 + q * q, sum.1 + q * q * q))
    }

    /// `m P` and `m P_near` of a grain.
    fn pressures(&self, i: usize) -> (f64, f64) {
        let (density, near_density) = self.densities(i);
        let share = f64::from(self.parameters.near_share);
        let (rest, equilibrium) = densities_at_rest(self.parameters);
        let packing = (1.0 - share) * density + share * near_density;
        let at_rest = (1.0 - share) * equilibrium + share * (0.6 * equilibrium - 0.3);
        let stiff = 0.8 * (1.0 - 0.43 * share) * self.radius() / (self.dt * self.dt);
        let resisting = (stiff * (packing - at_rest) / (packing * packing)).max(0.0);
        let k = f64::from(self.parameters.stiffness * self.parameters.reference_acceleration);
        let near_soft = k * f64::from(self.parameters.near_stiffness_ratio) * near_density;
        let soft = (k * (density - rest)).max(-0.4 * near_soft);
        let far = soft + (1.0 - share) * resisting;
        (self.mass(i) * far, self.mass(i) * (near_soft + 1.5 * share * resisting))
    }

    /// The new stress.
    fn stress(&self, i: usize) -> DVec2 {
        let (positions, grains) = (self.particles.positions(), self.particles.grains());
        let way = |i: usize| positions[i].as_dvec2() - grains[i].place.as_dvec2();
        let (mut strain, mut turn, mut arm) = (DVec2::ZERO, 0.0, 0.0);
        for (j, r, q) in self.grains(i) {
            let u = way(j) - way(i);
            let double = DVec2::new(r.x * r.x - r.y * r.y, 2.0 * r.x * r.y);
            let plain = DVec2::new(u.x * r.x - u.y * r.y, u.x * r.y + u.y * r.x);
            strain += q * (0.7 * u.dot(r) * double + 0.15 * plain);
            turn += q * r.perp_dot(u);
            arm += q * (1.0 - q) * self.radius();
        }
        let turn = if arm > 0.0 { (turn / arm).clamp(-0.5, 0.5) } else { 0.0 };
        let turned = DVec2::new(1.0 - turn * turn, 2.0 * turn) / (1.0 + turn * turn);
        let density = self.densities(i).0;
        let shear = self.mass(i) * 0.4 * 2.0 / (self.dt * self.dt) / (density * density).max(4.0);
        let powder = self.class(i).powder.expect("a grain");
        let cohesion = f64::from(powder.cohesion * self.parameters.reference_acceleration);
        let most = f64::from(slope(powder.friction_angle)) * f64::from(grains[i].load)
            + self.mass(i) * cohesion;
        let stress = turned.rotate(grains[i].stress.as_dvec2()) + shear * strain;
        stress.clamp_length_max(most)
    }

    /// The displacement by pressures and stresses, and the new load.
    fn displacement(&self, i: usize, pressures: &[(f64, f64)], stresses: &[DVec2]) -> (DVec2, f64) {
        let (mut sum, mut load, mut arms) = (DVec2::ZERO, 0.0, 0.0);
        for (j, r, q) in self.neighbours(i) {
            let (mine, other) = (pressures[i], pressures[j]);
            let strength = mine.0 + other.0 + (mine.1 + other.1) * q;
            let s = stresses[i] + stresses[j];
            let double = DVec2::new(r.x * r.x - r.y * r.y, 2.0 * r.x * r.y);
            let tensor = DVec2::new(s.x * r.x + s.y * r.y, s.y * r.x - s.x * r.y);
            sum += q * (1.4 * s.dot(double) * r + 0.3 * tensor - strength * r);
            load += q * (1.0 - q) * strength / 2.0;
            arms += q * (1.0 - q);
        }
        (sum * (0.5 * self.dt * self.dt / self.mass(i)), load.max(0.0) / arms)
    }
}

#[test]
fn the_oracle_finds_the_same_stresses_loads_and_displacements() {
    let parameters = FluidParameters {
        gravity: Vec2::ZERO,
        substeps: Substeps::Fixed(1),
        viscosity: Viscosity { approach: 0.0, quadratic: 0.0, linear: 0.0, ..Default::default() },
        sleeping: FluidSleeping::OFF,
        ..FluidParameters::default()
    };
    let heavy = DensityClass { name: "heavy".into(), mass: 1.6, ..sand(35.0) };
    let powder = Some(FluidPowder { friction_angle: 20.0, cohesion: 0.2, ..Default::default() });
    let damp = DensityClass { name: "damp".into(), powder, ..sand(0.0) };
    let mut world = world_of(parameters, vec![sand(30.0), heavy, damp]);
    for (index, point) in fermat_spiral(Vec2::ZERO, 90.0, 420).into_iter().enumerate() {
        let velocity = 20.0 * scatter(index as u32) - 0.4 * point;
        spawn(&mut world, point + scatter(!(index as u32)), velocity, (index % 3) as u8);
    }
    run(&mut world, 5);
    let report = world.begin_tick(TICK, &SerialExecutor).expect("a valid step");
    let mut limited = 0;
    for pass in FluidPass::ALL {
        if pass != FluidPass::RelaxDensity {
            world.run_pass(pass, &SerialExecutor);
            continue;
        }
        let before = world.clone();
        let (parameters, classes) = (before.parameters(), before.classes());
        let oracle =
            Oracle { particles: before.particles(), parameters, classes, dt: f64::from(TICK) };
        let count = before.particles().len();
        let pressures: Vec<_> = (0..count).map(|i| oracle.pressures(i)).collect();
        let stresses: Vec<_> = (0..count).map(|i| oracle.stress(i)).collect();
        world.run_pass(pass, &SerialExecutor);
        let largest = stresses.iter().map(|stress| stress.length()).fold(0.0, f64::max);
        assert!(largest > 10.0, "something is strained: {largest}");
        for i in 0..count {
            let now = world.particles();
            let index = now.index_of(before.particles().ids()[i]).expect("alive");
            let grain = now.grains()[index];
            let (way, load) = oracle.displacement(i, &pressures, &stresses);
            // Places and positions have the rounding of 32 bits, and strains are divided by dt².
            let off = (grain.stress.as_dvec2() - stresses[i]).length();
            assert!(off < 2e-4 * largest, "stress of {i}: {} for {}", grain.stress, stresses[i]);
            let off = (f64::from(grain.load) - load).abs();
            assert!(off < 1e-4 * load.max(100.0), "load of {i}: {} for {load}", grain.load);
            let off = (now.displacements()[index].as_dvec2() - way).length();
            assert!(off < 2e-5 * way.length().max(1.0), "way of {i}: off by {off}");
            assert_eq!(grain.place, before.particles().positions()[i]);
            let angle = oracle.class(i).powder.expect("a grain").friction_angle;
            let most = f64::from(slope(angle) * before.particles().grains()[i].load);
            limited += usize::from(stresses[i].length() > 0.999 * most);
        }
    }
    assert!(limited > 20, "Coulomb's law limits some: {limited}");
    world.end_tick(report, &SerialExecutor);
}

#[test]
fn momentum_is_conserved() {
    for permeability in [0.0, 0.001, FluidPowder::default().permeability] {
        conserves_momentum(permeability);
    }
}

fn conserves_momentum(permeability: f32) {
    let parameters = FluidParameters { gravity: Vec2::ZERO, ..FluidParameters::default() };
    let heavy = DensityClass { name: "heavy".into(), mass: 1.6, ..sand(35.0) };
    let water = DensityClass { name: "water".into(), ..DensityClass::default() };
    let soaked = |class: DensityClass| {
        let powder = class.powder.map(|powder| FluidPowder { permeability, ..powder });
        DensityClass { powder, ..class }
    };
    let mut world = world_of(parameters, vec![soaked(sand(30.0)), soaked(heavy), water]);
    for (index, point) in fermat_spiral(Vec2::ZERO, 100.0, 500).into_iter().enumerate() {
        let velocity = 60.0 * scatter(index as u32) + point.perp();
        spawn(&mut world, point, velocity, (index % 3) as u8);
    }
    let momentum = |world: &FluidWorld| {
        let particles = world.particles();
        let all = particles.velocities().iter().zip(particles.classes());
        let of =
            |(v, class): (&Vec2, &ClassId)| v.as_dvec2() * f64::from(world.classes()[*class].mass);
        all.map(of).fold((DVec2::ZERO, 0.0), |sum, p| (sum.0 + p, sum.1 + p.length()))
    };
    let (before, whole) = momentum(&world);
    run_for(&mut world, 2.0);
    let off = (momentum(&world).0 - before).length();
    assert!(off < 1e-6 * whole, "off by {off} of {whole}");
}

#[test]
fn a_column_becomes_a_heap_that_stands_and_sleeps() {
    let mut heap = column(30.0, FluidSleeping::OFF);
    // What trembles after the fall fades to a half in 0.8 s.
    run_for(&mut heap, 12.0);
    assert!(flatness(&heap) < 4.0, "a heap: {}", flatness(&heap));
    assert!(fastest(&heap, |_| true) < 0.05, "at rest: {}", fastest(&heap, |_| true));
    // The same without friction is a puddle.
    let mut puddle = column(0.0, FluidSleeping::OFF);
    run_for(&mut puddle, 12.0);
    assert!(flatness(&puddle) > 3.0 * flatness(&heap), "a puddle: {}", flatness(&puddle));
    let mut sleeper = column(30.0, FluidSleeping::default());
    run_for(&mut sleeper, 12.0);
    assert_eq!(sleeper.asleep(), sleeper.particles().len());
    // It wakes as the heap that it was.
    let before = flatness(&sleeper);
    change_parameters(&mut sleeper, |parameters| parameters.sleeping = FluidSleeping::OFF);
    run_for(&mut sleeper, 4.0);
    assert!((flatness(&sleeper) - before).abs() < 0.01 * before);
}

#[test]
fn a_saved_heap_goes_on_as_the_heap_itself() {
    let mut world = column(30.0, FluidSleeping::OFF);
    run(&mut world, 60);
    let saved = world.save_particles();
    let mut again = column(30.0, FluidSleeping::OFF);
    again.clear();
    again.restore_particles(&saved).expect("valid");
    assert_eq!(again.state_hash(), world.state_hash());
    run(&mut again, 1);
    run(&mut world, 1);
    let off = again.particles().grains().iter().map(|grain| grain.load).sum::<f32>()
        - world.particles().grains().iter().map(|grain| grain.load).sum::<f32>();
    assert!(off.abs() < 1.0, "the load is {off} off");
    let refused = |change: fn(&mut Grain)| {
        let mut saved = saved.clone();
        change(saved.particles[0].grain.as_mut().expect("a grain"));
        column(30.0, FluidSleeping::OFF).restore_particles(&saved).is_err()
    };
    assert!(refused(|grain| grain.load = f32::NAN));
    assert!(refused(|grain| grain.pores.share = 1.5));
    assert!(refused(|grain| grain.pores.pressure = -1.0));
    assert!(refused(|grain| grain.pores.weight = f32::INFINITY));
    for ticks in [
        SavedTicks { wanted_substeps: 0, ..saved.ticks },
        SavedTicks { resisting_substep: -1.0, ..saved.ticks },
        SavedTicks { resisting_substep: 1e13, ..saved.ticks },
        SavedTicks { tick: f32::NAN, ..saved.ticks },
        SavedTicks { tick: 1.5, ..saved.ticks },
        SavedTicks { evenness: 1.5, ..saved.ticks },
    ] {
        let saved = SavedParticles { ticks, ..saved.clone() };
        assert!(again.restore_particles(&saved).is_err(), "{ticks:?}");
    }
}

#[test]
fn walls_hold_grains_back_only_within_their_container() {
    for shape in [
        FluidShape::Rectangle { half_size: Vec2::new(100.0, 60.0) },
        FluidShape::Circle { radius: 80.0 },
        FluidShape::Capsule { half_length: 60.0, radius: 50.0 },
    ] {
        for angular_velocity in [0.0, 3.0] {
            let mut world = world_of(FluidParameters::default(), vec![sand(60.0)]);
            let container = Container::new(shape.clone(), Vec2::ZERO, Vec2::new(0.8, 0.6));
            let id = world.insert_container(container.expect("valid"));
            let motion = Motion { angular_velocity, ..Motion::default() };
            world.set_container_motion(id, motion).expect("valid");
            for (index, point) in fermat_spiral(Vec2::ZERO, 40.0, 60).into_iter().enumerate() {
                spawn(&mut world, point, 6000.0 * scatter(index as u32), 0);
            }
            for tick in 0..30 {
                run(&mut world, 1);
                let container = world.container(id).expect("there");
                let positions = world.particles().positions().iter();
                let outside = positions.map(|at| -container.depth(*at)).fold(0.0, f32::max);
                assert!(outside < 1e-3, "{shape:?}, tick {tick}: {outside} outside");
            }
        }
    }
}

#[test]
fn a_particle_that_is_no_grain_any_more_forgets() {
    let water = DensityClass { name: "water".into(), ..DensityClass::default() };
    let mut world = column(30.0, FluidSleeping::OFF);
    run(&mut world, 30);
    assert!(world.particles().grains().iter().any(|grain| grain.load > 0.0));
    let table = ClassTable::new(vec![sand(30.0), water]).expect("valid");
    world.set_classes(table).expect("as many");
    world.set_class_where(ClassId(1), |_, _| true).expect("known");
    run(&mut world, 1);
    assert!(world.particles().grains().iter().all(|grain| grain.load == 0.0));
    let water = DensityClass { name: "water".into(), ..DensityClass::default() };
    let liquids = vec![water.clone(), DensityClass { name: "oil".into(), ..water }];
    world.set_classes(ClassTable::new(liquids).expect("valid")).expect("as many");
    run(&mut world, 1);
    assert!(world.particles().grains().is_empty(), "no class is a powder");
}

#[test]
fn particles_of_a_class_that_becomes_a_powder_or_ceases_to_be_one_begin_anew() {
    let water = DensityClass { name: "water".into(), ..DensityClass::default() };
    let table = |powders: [bool; 2]| {
        let class = |powder: bool| if powder { sand(30.0).powder } else { None };
        let [sand, water] = [sand(30.0), water.clone()];
        let [one, other] = powders.map(class);
        let classes =
            vec![DensityClass { powder: one, ..sand }, DensityClass { powder: other, ..water }];
        ClassTable::new(classes).expect("valid")
    };
    let mut world = column(30.0, FluidSleeping::OFF);
    // The sand keeps the memory of all grains alive.
    world.set_classes(table([true, false])).expect("as many");
    spawn(&mut world, Vec2::new(0.0, 400.0), Vec2::ZERO, 1);
    run(&mut world, 30);
    let anew = |world: &FluidWorld, class: ClassId| {
        let particles = world.particles();
        let all = particles.grains().iter().zip(particles.positions()).zip(particles.classes());
        let mut of_class = all.filter(|(_, known)| **known == class);
        of_class.all(|((grain, at), _)| {
            (grain.stress, grain.load, grain.place) == (Vec2::ZERO, 0.0, *at)
        })
    };
    let [sand, water] = [ClassId(0), ClassId(1)];
    assert!(!anew(&world, sand) && !anew(&world, water), "the drop fell from its place");
    world.set_classes(table([true, true])).expect("as many");
    assert!(!anew(&world, sand) && anew(&world, water));
    world.set_classes(table([false, true])).expect("as many");
    assert!(anew(&world, sand) && anew(&world, water));
}

/// A heap of sand of mass 1.6, 12 high with flanks of 45 degrees, alone or under 20 rows of water.
pub(crate) fn heap(under_water: bool, permeability: f32) -> FluidWorld {
    let powder = Some(FluidPowder { friction_angle: 30.0, permeability, ..Default::default() });
    let sand = DensityClass { mass: 1.6, powder, ..sand(30.0) };
    let water = DensityClass { name: "water".into(), ..DensityClass::default() };
    let parameters = FluidParameters { sleeping: FluidSleeping::OFF, ..Default::default() };
    let mut world = world_of(parameters, vec![sand, water]);
    let half_size = Vec2::new(25.0, 30.0) * spacing();
    add_tank(&mut world, Vec2::new(0.0, half_size.y), half_size);
    for (index, cell) in cells(50, 20).enumerate() {
        let cell = cell - Vec2::new(25.0, 0.0) + 0.05 * scatter(index as u32);
        let is_sand = cell.x.abs() + cell.y < 12.0;
        if is_sand || under_water {
            spawn(&mut world, cell * spacing(), Vec2::ZERO, u8::from(!is_sand));
        }
    }
    world
}

#[test]
fn water_in_the_pores_bears_what_it_would_bear_alone() {
    let mut wet = heap(true, 0.0);
    run_for(&mut wet, 8.0);
    let particles = wet.particles();
    let positions = particles.positions();
    let is_sand = |index: &usize| particles.classes()[*index] == ClassId(0);
    let top = positions.iter().fold(0.0_f32, |top, at| top.max(at.y));
    let deep: Vec<usize> = (0..particles.len())
        .filter(is_sand)
        .filter(|index| positions[*index].x.abs() < 5.0 * spacing())
        .filter(|index| positions[*index].y < 6.0 * spacing())
        .collect();
    assert!(deep.len() > 20, "{}", deep.len());
    let radius = wet.parameters().interaction_radius();
    let (_, equilibrium) = densities_at_rest(wet.parameters());
    let per_depth = 4.0 * 200.0 / (radius * (equilibrium as f32 + 1.0));
    for index in deep {
        let pores = particles.grains()[index].pores;
        assert!(pores.share > 0.99, "full: {pores:?}");
        assert!((pores.weight - 1.0).abs() < 1e-3, "of water: {pores:?}");
        // The surface of the water is two spacings or so away from its highest particle.
        let depth = top - positions[index].y;
        let off = (pores.pressure / per_depth - depth).abs();
        assert!(off < 2.5 * spacing(), "{off} off at a depth of {depth}");
    }
    let mut dry = heap(false, 0.0);
    run_for(&mut dry, 2.0);
    let mut pores = dry.particles().grains().iter().map(|grain| grain.pores);
    assert!(pores.all(|pores| pores == PoreLiquid::default()));
}

#[test]
fn drops_on_a_heap_do_not_wash_it_away() {
    for permeability in [0.0, FluidPowder::default().permeability] {
        drops_leave_a_heap(permeability);
    }
}

fn drops_leave_a_heap(permeability: f32) {
    let [mut dry, mut damp] = [(); 2].map(|()| heap(false, permeability));
    for world in [&mut dry, &mut damp] {
        run_for(world, 4.0);
    }
    let top = damp.particles().positions().iter().fold(0.0_f32, |top, at| top.max(at.y));
    for place in [-1.0, 0.0, 1.0] {
        let at = Vec2::new(place * spacing(), top + 3.0 * spacing());
        spawn(&mut damp, at, Vec2::ZERO, 1);
    }
    for world in [&mut dry, &mut damp] {
        run_for(world, 8.0);
    }
    let height = |world: &FluidWorld| {
        let particles = world.particles();
        let sand = particles.positions().iter().zip(particles.classes());
        sand.filter(|(_, class)| class.0 == 0).map(|(at, _)| at.y).sum::<f32>()
    };
    let kept = height(&damp) / height(&dry);
    assert!(kept > 0.9, "{kept} of the height");
}

// Powder on floors that are level, tilted and moved: friction holds it up to its angle.

#[test]
fn a_slope_holds_sand_up_to_its_angle() {
    // A layer of sand on a long board, with gravity tilted instead of the board.
    let slid = |degrees: f32| {
        let gravity = Vec2::new(slope(degrees), -1.0).normalize() * 200.0;
        let parameters = FluidParameters {
            gravity,
            sleeping: FluidSleeping::OFF,
            settling: Settling::OFF,
            ..FluidParameters::default()
        };
        let mut world = world_of(parameters, vec![sand(30.0)]);
        let half_size = Vec2::new(600.0, 100.0) * spacing();
        add_tank(&mut world, Vec2::new(0.0, half_size.y), half_size);
        cells(40, 5).for_each(|cell| spawn(&mut world, cell * spacing(), Vec2::ZERO, 0));
        // Its front slumps at first, and its rear only goes where all of it slides.
        run_for(&mut world, 6.0);
        let rear = |world: &FluidWorld| {
            let xs = world.particles().positions().iter().map(|at| at.x);
            xs.fold(f32::INFINITY, f32::min)
        };
        let before = rear(&world);
        run_for(&mut world, 3.0);
        (rear(&world) - before) / spacing()
    };
    let way = slid(27.0);
    assert!(way < 0.05, "it holds: {way}");
    let way = slid(33.0);
    assert!(way > 5.0, "it slides: {way}");
}

/// The floor under a layer of sand.
#[derive(Clone, Copy, Debug)]
enum Floor {
    HalfPlane,
    Slab,
    Line,
    Container,
}

/// A layer of sand, six grains high, on a long floor that is turned by an angle in degrees. It was laid
/// while gravity was across the floor.
struct Layer {
    world: FluidWorld,
    /// Down along the floor.
    along: Vec2,
    /// The grains of the upper half of the layer, without its end. Its lower end slumps, and the upper half only
    /// goes where all of it slides.
    upper: Vec<ParticleId>,
}

impl Layer {
    fn new(floor: Floor, turned: f32, settling: Settling, friction_angle: f32) -> Self {
        let direction = slope_direction(turned);
        let along = Vec2::new(direction.x, -direction.y);
        let across = along.perp();
        let parameters = FluidParameters {
            gravity: across * -200.0,
            sleeping: FluidSleeping::OFF,
            settling,
            ..FluidParameters::default()
        };
        let mut world = world_of(parameters, vec![sand(friction_angle)]);
        let half_length = 400.0 * spacing();
        let collider = |shape, centre| Collider::new(shape, centre, along).expect("valid");
        match floor {
            Floor::HalfPlane => {
                let shape = FluidShape::HalfPlane { normal: Vec2::Y };
                world.insert_collider(collider(shape, Vec2::ZERO));
            }
            Floor::Slab => {
                let shape = FluidShape::Rectangle { half_size: Vec2::new(half_length, 20.0) };
                world.insert_collider(collider(shape, across * -20.0));
            }
            Floor::Line => {
                let ends = [Vec2::new(-half_length, 0.0), Vec2::new(half_length, 0.0)];
                let line = FluidShape::Polyline(Polyline::new(ends, 0.0).expect("valid"));
                world.insert_collider(collider(line, Vec2::ZERO));
            }
            Floor::Container => {
                let half_size = Vec2::new(half_length, 200.0);
                let shape = FluidShape::Rectangle { half_size };
                let container = Container::new(shape, across * half_size.y, along);
                world.insert_container(container.expect("valid"));
            }
        }
        for (index, cell) in cells(120, 6).enumerate() {
            let place = (cell - Vec2::new(60.0, 0.0) + 0.05 * scatter(index as u32)) * spacing();
            spawn(&mut world, along * place.x + across * place.y, Vec2::ZERO, 0);
        }
        let particles = world.particles();
        let columns = |at: &Vec2| at.dot(along) / spacing();
        let upper = particles.ids().iter().zip(particles.positions());
        let upper = upper.filter(|(_, at)| (-40.0..0.0).contains(&columns(at)));
        let upper = upper.map(|(id, _)| *id).collect();
        Self { world, along, upper }
    }

    /// Lets it settle, tilts gravity by an angle in degrees from across the floor, and waits.
    fn tilt(&mut self, degrees: f32, (time_step, wait): (f32, f32)) {
        self.run(2.0, time_step);
        let direction = slope_direction(degrees);
        let gravity = (self.along * direction.y - self.along.perp() * direction.x) * 200.0;
        change_parameters(&mut self.world, |parameters| parameters.gravity = gravity);
        self.run(wait, time_step);
    }

    fn run(&mut self, seconds: f32, time_step: f32) {
        for _ in 0..(seconds / time_step).round() as usize {
            self.world.step(time_step, &SerialExecutor).expect("a valid step");
        }
    }

    /// The mean speed at which the upper half goes down along the floor.
    fn speed(&self) -> f32 {
        let particles = self.world.particles();
        let velocity = |id: &ParticleId| {
            particles.velocities()[particles.index_of(*id).expect("alive")].dot(self.along)
        };
        self.upper.iter().map(velocity).sum::<f32>() / self.upper.len() as f32
    }

    /// The same over the next seconds, from the way.
    fn mean_speed(&mut self, seconds: f32, time_step: f32) -> f32 {
        let place = |layer: &Self| {
            let particles = layer.world.particles();
            let at =
                |id: &ParticleId| particles.positions()[particles.index_of(*id).expect("alive")];
            let all = layer.upper.iter().map(|id| at(id).dot(layer.along));
            all.sum::<f32>() / layer.upper.len() as f32
        };
        let before = place(self);
        self.run(seconds, time_step);
        (place(self) - before) / seconds
    }
}

/// The cosine and sine of an angle in degrees.
fn slope_direction(degrees: f32) -> Vec2 {
    Vec2::from_angle(degrees.to_radians())
}

#[test]
fn every_floor_holds_sand_below_its_angle() {
    let floors = [Floor::HalfPlane, Floor::Slab, Floor::Line, Floor::Container];
    for floor in floors {
        let mut layer = Layer::new(floor, 0.0, Settling::default(), 30.0);
        layer.tilt(25.0, (TICK, 2.0));
        let speed = layer.mean_speed(3.0, TICK);
        assert!(speed.abs() < 0.1, "{floor:?}: {speed}");
    }
}

#[test]
fn a_floor_that_is_tilted_itself_holds_sand_below_its_angle() {
    let mut layer = Layer::new(Floor::Slab, 25.0, Settling::default(), 30.0);
    layer.tilt(25.0, (TICK, 2.0));
    let parameters = layer.world.parameters();
    assert!(parameters.gravity.distance(Vec2::new(0.0, -200.0)) < 0.01, "straight down");
    let speed = layer.mean_speed(3.0, TICK);
    assert!(speed.abs() < 0.1, "{speed}");
}

#[test]
fn sand_holds_at_five_sixths_of_its_angle_at_any_rate_and_setting() {
    for (rate, setting) in [(30.0, 30.0), (120.0, 30.0), (60.0, 20.0), (60.0, 40.0)] {
        let time_step = 1.0 / rate;
        let mut layer = Layer::new(Floor::HalfPlane, 0.0, Settling::default(), setting);
        layer.tilt(setting * (5.0 / 6.0), (time_step, 2.0));
        let speed = layer.mean_speed(2.0, time_step);
        assert!(speed.abs() < 0.1, "{setting} degrees at {rate} Hz: {speed}");
    }
}

#[test]
fn sand_above_its_angle_is_faster_and_faster() {
    for (setting, degrees) in [(20.0, 25.0), (30.0, 35.0)] {
        let mut layer = Layer::new(Floor::HalfPlane, 0.0, Settling::OFF, setting);
        layer.tilt(degrees, (TICK, 2.0));
        let before = layer.speed();
        layer.run(2.0, TICK);
        let acceleration = 0.5 * (layer.speed() - before);
        let direction = slope_direction(degrees);
        let expected = 200.0 * (direction.y - slope(setting) * direction.x);
        let off = acceleration / expected - 1.0;
        assert!(off.abs() < 0.25, "{setting} at {degrees}: {acceleration} for {expected}");
    }
}

#[test]
fn a_single_grain_stops_on_a_level_floor_and_lies_still_on_a_slope() {
    for floor in [Floor::HalfPlane, Floor::Slab, Floor::Container] {
        let mut world = Layer::new(floor, 0.0, Settling::OFF, 30.0).world;
        world.clear();
        spawn(&mut world, Vec2::ZERO, Vec2::new(60.0, 0.0), 0);
        let velocity = |world: &FluidWorld| world.particles().velocities()[0].x;
        run(&mut world, 12);
        let expected = 60.0 - 0.2 * 200.0 * slope(30.0);
        let off = velocity(&world) - expected;
        assert!(off.abs() < 2.0, "{floor:?}: {} for {expected}", velocity(&world));
        run(&mut world, 48);
        assert!(velocity(&world).abs() < 0.01, "{floor:?}: {}", velocity(&world));
        let direction = slope_direction(25.0);
        let gravity = Vec2::new(direction.y, -direction.x) * 200.0;
        change_parameters(&mut world, |parameters| parameters.gravity = gravity);
        let before = world.particles().positions()[0].x;
        run(&mut world, 60);
        let way = world.particles().positions()[0].x - before;
        assert!(way.abs() < 0.01, "{floor:?}: {way}");
    }
}

#[test]
fn a_collider_bears_the_friction() {
    let parameters = FluidParameters {
        sleeping: FluidSleeping::OFF,
        settling: Settling::OFF,
        ..FluidParameters::default()
    };
    let mut world = world_of(parameters, vec![sand(30.0)]);
    let board = Collider::rectangle(Vec2::new(0.0, -20.0), Vec2::new(200.0, 20.0)).expect("valid");
    let options = ColliderOptions { reports_load: true, ..ColliderOptions::default() };
    let id = world.insert_collider(board.with_options(options).expect("valid"));
    for cell in cells(20, 4) {
        let at = (cell - Vec2::new(10.0, 0.0)) * spacing();
        spawn(&mut world, at, Vec2::new(60.0, 0.0), 0);
    }
    let momentum =
        |world: &FluidWorld| world.particles().velocities().iter().copied().sum::<Vec2>();
    let mut given = Vec2::ZERO;
    let before = momentum(&world);
    for _ in 0..20 {
        run(&mut world, 1);
        given += world.load_on(id).expect("there").impulse;
    }
    let lost = before.x - momentum(&world).x;
    assert!(lost > 0.2 * before.x, "sand slows down: {lost}");
    assert!((given.x - lost).abs() < 0.02 * lost, "{given} for {lost}");
}
