//! Chunks: liquid that is taken out of a world and put back is as it was, and so is what is around it.

use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_tank, at, cells, change_parameters, count_where, in_tank, pour, pour_class,
    spacing, spawn, spawn_all, ticks_until_asleep, weightless, world_with,
};
use crate::random_scenes::Random;
use crate::snapshots::{everything, read_harmed};
use crate::ticks::{TICK, run};

/// Half of the size of the tank.
const HALF: Vec2 = Vec2::new(150.0, 60.0);

/// A tank in which the liquid sleeps, forty particles wide and eight deep.
fn settled_pool() -> FluidWorld {
    let mut world = in_tank(Vec2::ZERO, HALF);
    pour(&mut world, cells(36, 8).map(|cell| 1.02 * spacing() * cell - HALF));
    sleep(&mut world);
    world
}

/// Runs until all sleeps.
fn sleep(world: &mut FluidWorld) {
    ticks_until_asleep(world, 3000);
    assert_eq!(world.asleep(), world.particles().len());
}

/// The left half of the tank.
fn left() -> FluidRegion {
    FluidRegion::rectangle(Vec2::new(-75.0, 0.0), Vec2::new(75.0, 60.0)).expect("valid")
}

/// All numbers of each particle but its handle, in ascending order.
fn particles(world: &FluidWorld) -> Vec<Vec<u32>> {
    let all = world.particles();
    let numbers = |index: usize| {
        let id = all.ids()[index];
        let grain = all.grains().get(index).copied().unwrap_or_default();
        let vectors = [
            all.positions()[index],
            all.previous_positions()[index],
            all.tick_start_positions()[index],
            all.velocities()[index],
            all.displacements()[index],
            grain.stress,
            grain.place,
        ];
        let numbers = [
            all.temperatures()[index],
            all.exposures()[index],
            all.relative_densities()[index],
            all.kept_pressures().get(index).copied().unwrap_or_default(),
            grain.load,
            all.opacity(index),
            all.age(id).expect("alive"),
            all.remaining_lifetime(id).expect("alive"),
        ];
        let paint = all.paint_amounts().get(index).copied().unwrap_or_default();
        let floats = vectors.iter().flat_map(|vector| vector.to_array());
        let floats = floats.chain(numbers).chain(paint).map(f32::to_bits);
        let tag = all.tag(id).expect("alive").0;
        floats.chain([u32::from(all.classes()[index].0), tag]).collect()
    };
    let mut particles: Vec<Vec<u32>> = (0..all.len()).map(numbers).collect();
    particles.sort_unstable();
    particles
}

/// The chunk after it was written and read.
fn through_bytes(chunk: &FluidChunk) -> FluidChunk {
    let mut file = SnapshotFile::default();
    file.insert("chunk 3", chunk).expect("free");
    let bytes = file.to_bytes();
    let chunk: FluidChunk =
        SnapshotFile::from_bytes(&bytes).and_then(|file| file.get("chunk 3")).expect("whole");
    let mut again = SnapshotFile::default();
    again.insert("chunk 3", &chunk).expect("free");
    assert_eq!(again.to_bytes(), bytes);
    chunk
}

/// Largest distance of the particles of two pools, of which each has the other's nearest as its own.
fn farthest(one: &FluidWorld, other: &FluidWorld) -> f32 {
    let (ones, others) = (one.particles().positions(), other.particles().positions());
    assert_eq!(ones.len(), others.len());
    let mut taken = vec![false; others.len()];
    let nearest = ones.iter().map(|at| {
        let distance = |place: &usize| others[*place].distance(*at);
        let nearest = (0..others.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let nearest = nearest.expect("there");
        assert!(!std::mem::replace(&mut taken[nearest], true), "two at one place");
        distance(&nearest)
    });
    nearest.fold(0.0, f32::max)
}

#[test]
fn a_pool_that_is_cut_and_joined_before_the_next_tick_sleeps_on_to_the_bit() {
    let untouched = settled_pool();
    for bytes in [false, true] {
        let mut world = untouched.clone();
        let chunk = world.take_chunk(&left()).expect("between two ticks");
        let taken = chunk.len();
        assert!((100..200).contains(&taken) && chunk.class_names().len() == 3);
        assert_eq!(world.particles().len() + taken, untouched.particles().len());
        let chunk = if bytes { through_bytes(&chunk) } else { chunk };
        world.put_chunk(&chunk).expect("room");
        assert_eq!(particles(&world), particles(&untouched));
        for _ in 0..600 {
            let report = world.step(TICK, &SerialExecutor).expect("valid");
            assert_eq!(report.substeps, 0, "all sleeps");
        }
        assert_eq!(particles(&world).len(), particles(&untouched).len());
        assert_eq!(farthest(&world, &untouched), 0.0);
        assert_eq!(world.asleep(), world.particles().len());
    }
}

/// A pool of which the left half is away for some ticks, put back and asleep again; and how far anything that was in
/// the half, and anything else, is from where it was.
fn moved_by_an_absence(ticks: u32, wall: Option<Collider>) -> [f32; 2] {
    let mut world = settled_pool();
    let chunk = world.take_chunk(&left()).expect("between two ticks");
    let ids = world.particles().ids().to_vec();
    let before = world.particles().positions().to_vec();
    let wall = wall.map(|wall| world.insert_collider(wall));
    run(&mut world, ticks);
    if let Some(wall) = wall {
        world.remove_collider(wall);
    }
    let handles = world.put_chunk(&chunk).expect("room");
    sleep(&mut world);
    let farthest = |ids: &[ParticleId], before: &[Vec2]| {
        let particles = world.particles();
        let moved = ids.iter().zip(before).map(|(id, before)| {
            particles.positions()[particles.index_of(*id).expect("alive")].distance(*before)
        });
        moved.fold(0.0, f32::max)
    };
    [farthest(&handles, chunk.particles().positions()), farthest(&ids, &before)]
}

/// A face of liquid that nothing holds is no faster than the front of a dam break, `2 sqrt(g H)` (Ritter 1892), and is
/// pushed back when the liquid returns. Then it settles, in which it may drift as far as what counts as rest.
#[test]
fn an_open_hole_moves_liquid_no_farther_than_a_dam_break_would() {
    let world = settled_pool();
    let parameters = world.parameters();
    let heights = world.particles().positions().iter().map(|at| at.y + HALF.y);
    let front = 2.0 * (parameters.gravity.length() * heights.fold(0.0, f32::max)).sqrt();
    let drift = parameters.sleeping.drift * parameters.particle_spacing;
    for ticks in [1, 2, 5] {
        let most = front * ticks as f32 * TICK + drift;
        let moved = moved_by_an_absence(ticks, None);
        assert!(moved.into_iter().all(|moved| moved <= most), "{ticks} ticks: {moved:?}, {most}");
    }
}

/// Liquid feels a wall as far as an interaction radius.
#[test]
fn a_wall_in_the_hole_moves_liquid_no_farther_than_it_is_felt() {
    let radius = settled_pool().parameters().interaction_radius();
    let wall = Collider::rectangle(left().centre(), Vec2::new(75.0, 60.0)).expect("valid");
    for ticks in [1, 60, 600] {
        let moved = moved_by_an_absence(ticks, Some(wall.clone()));
        assert!(moved.into_iter().all(|moved| moved <= radius), "{ticks} ticks: {moved:?}");
    }
}

#[test]
fn what_a_wall_separates_sleeps_on_while_its_neighbour_is_away() {
    let mut world = settled_pool();
    // As thick as an interaction radius: liquid does not feel through it.
    let radius = world.parameters().interaction_radius();
    world.clear();
    add_collider(&mut world, Collider::rectangle(Vec2::ZERO, Vec2::new(0.5 * radius, 60.0)));
    pour(&mut world, cells(16, 8).map(|cell| 1.02 * spacing() * cell - HALF));
    pour(&mut world, cells(16, 8).map(|cell| 1.02 * spacing() * cell - Vec2::new(-15.0, 60.0)));
    sleep(&mut world);
    let before = particles(&world);
    for round in 0..20 {
        let chunk = world.take_chunk(&left()).expect("between two ticks");
        assert_eq!(chunk.len(), 128);
        for _ in 0..10 * (round % 3) {
            let report = world.step(TICK, &SerialExecutor).expect("valid");
            assert_eq!(report.substeps, 0, "the other half sleeps");
        }
        world.put_chunk(&through_bytes(&chunk)).expect("room");
        let report = world.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!((report.substeps, report.asleep), (0, 256));
    }
    let places = |all: &[Vec<u32>]| all.iter().map(|one| one[..2].to_vec()).collect::<Vec<_>>();
    assert_eq!(places(&particles(&world)), places(&before));
}

#[test]
fn amounts_stay_the_same_over_a_thousand_goings_and_comings() {
    let mut world = everything(FluidSolver::DoubleDensity);
    let mut random = Random::new(38, "chunks");
    let count = |world: &FluidWorld| {
        let mut counts = [0_usize; 3];
        world.particles().classes().iter().for_each(|class| counts[class.index()] += 1);
        counts
    };
    // Spray dies by itself.
    run(&mut world, 60);
    let amounts = count(&world);
    let mut away: Vec<FluidChunk> = Vec::new();
    let (mut most_away, mut springs) = (0, 0);
    for round in 0..1000 {
        let centre = random.point(150.0);
        let size = Vec2::new(random.between(5.0, 120.0), random.between(5.0, 120.0));
        let region = FluidRegion::rectangle(centre, size).expect("valid");
        let before = particles(&world);
        let chunk = world.take_chunk(&region).expect("between two ticks");
        springs += chunk.springs();
        let chunk = if round % 10 == 0 { through_bytes(&chunk) } else { chunk };
        if round % 2 == 0 {
            world.put_chunk(&chunk).expect("room");
            assert_eq!(particles(&world), before, "round {round}");
        } else {
            away.push(chunk);
        }
        most_away = most_away.max(away.iter().map(FluidChunk::len).sum());
        if away.len() > random.below(4) {
            let chunk = away.swap_remove(random.below(away.len()));
            world.put_chunk(&chunk).expect("room");
        }
        if round % 5 == 0 {
            run(&mut world, 1);
        }
        let mut all = count(&world);
        for chunk in &away {
            chunk.particles().classes().iter().for_each(|class| all[class.index()] += 1);
        }
        assert_eq!(all, amounts, "round {round}");
    }
    assert!(most_away > 200 && springs > 100, "{most_away}, {springs}");
    assert_eq!(world.quarantined(), 0);
}

/// A cube of jelly, whose particles are tied by springs.
fn jelly() -> FluidWorld {
    let elasticity = Some(FluidElasticity::default());
    let class = DensityClass { name: "jelly".into(), elasticity, ..Default::default() };
    let mut world = world_with(weightless());
    world.set_classes(ClassTable::new(vec![class]).expect("valid")).expect("unused");
    pour_class(&mut world, ClassId(0), cells(12, 12).map(|cell| spacing() * (cell - 6.0)));
    run(&mut world, 30);
    world
}

#[test]
fn springs_inside_come_along_and_springs_across_the_border_are_cut_and_counted() {
    let mut world = jelly();
    let before = world.springs().to_vec();
    let region = FluidRegion::circle(Vec2::ZERO, 3.2 * spacing()).expect("valid");
    let inside = |spring: &Spring| {
        let particles = world.particles();
        let place = |end| particles.positions()[particles.index_of(end).expect("alive")];
        spring.ends.map(|end| region.contains(place(end)))
    };
    let ends: Vec<[bool; 2]> = before.iter().map(inside).collect();
    let count =
        |wanted: &dyn Fn([bool; 2]) -> bool| ends.iter().filter(|ends| wanted(**ends)).count();
    let both = count(&|ends| ends == [true; 2]);
    let cut = count(&|[one, other]| one != other);
    assert!(both > 50 && cut > 20, "{both}, {cut}");

    let chunk = through_bytes(&world.take_chunk(&region).expect("between two ticks"));
    assert_eq!((chunk.springs(), chunk.cut_springs()), (both, cut));
    assert_eq!(world.springs().len(), before.len() - both - cut);
    let handles = world.put_chunk(&chunk).expect("room");
    assert_eq!(world.springs().len(), before.len() - cut);
    let new = &world.springs()[before.len() - both - cut..];
    let lengths = before.iter().zip(&ends).filter(|(_, ends)| **ends == [true; 2]);
    for (spring, (old, _)) in new.iter().zip(lengths) {
        assert_eq!(spring.rest_length, old.rest_length);
        assert!(spring.ends.iter().all(|end| handles.contains(end)));
    }
    // What was cut is not tied again: no particle is new to the springs pass.
    run(&mut world, 1);
    assert_eq!(world.springs().len(), before.len() - cut);

    let chunk = world.take_chunk(&region).expect("between two ticks");
    world.set_spring_capacity(world.springs().len() + 10);
    world.put_chunk(&chunk).expect("room");
    assert_eq!(world.springs_refused(), chunk.springs() as u64 - 10);
}

#[test]
fn ages_lifetimes_and_tags_go_on_where_they_were() {
    let mut world = FluidWorld::default();
    let lifetime = Some(FluidLifetime::new(1.0).fading(0.5));
    spawn(&mut world, ParticleSpawn { lifetime, tag: ParticleTag(7), ..Default::default() });
    run(&mut world, 30);
    let everywhere = FluidRegion::circle(Vec2::ZERO, 1e4).expect("valid");
    let chunk = world.take_chunk(&everywhere).expect("between two ticks");
    assert!(world.particles().is_empty());
    // While it is away, no time passes for it.
    run(&mut world, 200);
    let [id] = world.put_chunk(&chunk).expect("room")[..] else { panic!("one") };
    let particles = world.particles();
    let near =
        |number: Option<f32>, expected: f32| (number.expect("alive") - expected).abs() < 1e-5;
    assert!(near(particles.age(id), 0.5) && near(particles.remaining_lifetime(id), 0.5));
    assert_eq!(particles.tag(id), Some(ParticleTag(7)));
    run(&mut world, 29);
    assert_eq!(world.particles().len(), 1);
    run(&mut world, 3);
    assert!(world.particles().is_empty());
}

#[test]
fn what_lies_beside_a_hole_wakes_and_flows() {
    let mut world = settled_pool();
    world.take_chunk(&left()).expect("between two ticks");
    run(&mut world, 1);
    assert!(world.asleep() < world.particles().len());
    run(&mut world, 120);
    assert!(count_where(&world, |at| at.x < -20.0) > 20);

    // The neighbour that was there when it was taken is away when it comes back.
    let mut world = settled_pool();
    let chunk = world.take_chunk(&left()).expect("between two ticks");
    world.clear();
    run(&mut world, 1);
    world.put_chunk(&chunk).expect("room");
    run(&mut world, 120);
    assert!(count_where(&world, |at| at.x > 20.0) > 20);
}

#[test]
fn what_is_put_back_where_something_has_changed_wakes() {
    let asleep = settled_pool();
    let changes: [fn(&mut FluidWorld); 4] = [
        |world| {
            // Other liquid is there now.
            pour(world, [Vec2::new(-75.0, -30.0)]);
        },
        |world| {
            add_collider(world, Collider::circle(Vec2::new(-75.0, -40.0), 15.0));
        },
        |world| {
            change_parameters(world, |parameters| parameters.gravity = Vec2::new(0.0, -300.0));
        },
        |world| {
            // The tank is longer, and tilted liquid flows.
            let (id, _) = world.containers().next().expect("there");
            let tank = Container::rectangle(Vec2::new(-50.0, 0.0), HALF + Vec2::new(50.0, 0.0));
            assert!(world.set_container(id, tank.expect("valid")));
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut world = asleep.clone();
        let whole = FluidRegion::circle(Vec2::ZERO, 1e4).expect("valid");
        let chunk = world.take_chunk(&whole).expect("between two ticks");
        change(&mut world);
        // What wakes because of the change itself is over.
        run(&mut world, 1);
        world.put_chunk(&chunk).expect("room");
        run(&mut world, 1);
        assert!(world.asleep() < chunk.len(), "change {number}: {} sleep", world.asleep());
        sleep(&mut world);
    }
}

#[test]
fn a_chunk_that_cannot_be_put_back_changes_nothing() {
    let mut world = settled_pool();
    let chunk = world.take_chunk(&left()).expect("between two ticks");
    run(&mut world, 1);
    let count = world.particles().len();
    let refused = |world: &mut FluidWorld| {
        let before = world.deep_hash();
        let error = world.put_chunk(&chunk).expect_err("refused");
        assert_eq!(world.deep_hash(), before);
        error
    };
    world.set_capacity(count + chunk.len() - 1);
    world.set_capacity_policy(CapacityPolicy::RecycleOldest);
    let reason = SpawnError::Full { capacity: count + chunk.len() - 1 };
    let full = RestoreError::Particle { particle: chunk.len() - 1, reason };
    assert_eq!(refused(&mut world), full);

    let mut other = jelly();
    let known = "jelly".to_owned();
    let unknown = RestoreError::UnknownClass { class: "heavy".into(), known };
    assert_eq!(refused(&mut other), unknown);

    let mut tiny = world_with(FluidParameters { particle_spacing: 1e-5, ..Default::default() });
    let error = refused(&mut tiny);
    let beyond = SpawnError::OutOfRange { field: "position", value: 0.0, limit: tiny.reach() };
    let RestoreError::Particle { reason, .. } = error else { panic!("{error}") };
    assert_eq!(std::mem::discriminant(&reason), std::mem::discriminant(&beyond));

    world.set_capacity(1000);
    world.begin_tick(TICK, &SerialExecutor).expect("valid");
    assert_eq!(refused(&mut world), RestoreError::WithinTick);
    let error = world.take_chunk(&left()).expect_err("within a tick");
    assert_eq!(error, SnapshotError::WithinTick);
}

#[test]
fn bytes_that_were_made_to_do_harm_give_an_error_or_liquid_that_runs() {
    let mut world = everything(FluidSolver::DoubleDensity);
    let region = FluidRegion::circle(Vec2::new(40.0, -20.0), 60.0).expect("valid");
    let chunk = world.take_chunk(&region).expect("between two ticks");
    let mut file = SnapshotFile::default();
    file.insert("chunk", &chunk).expect("free");
    let whole = file.to_bytes();
    let read = |bytes: &[u8]| {
        SnapshotFile::from_bytes(bytes).and_then(|file| file.get::<FluidChunk>("chunk"))
    };
    let is_put = |chunk: FluidChunk, number: usize| {
        let mut world = world.clone();
        let is_put = world.put_chunk(&chunk).is_ok();
        run(&mut world, if number % 20 == 19 { 2 } else { 0 });
        is_put
    };
    let [refused, put, not_put] = read_harmed((&whole, "chunk harm", 3000), read, is_put);
    assert!(refused + not_put > 500 && put > 100, "{refused} and {not_put} refused, {put} put");
}

// Saved particles come back as they were: with their springs, ages, lifetimes and tags.

/// A world with walls and classes, and nothing in it.
fn empty() -> FluidWorld {
    let class = |name: &str, elasticity| DensityClass {
        name: name.into(),
        elasticity,
        ..DensityClass::default()
    };
    let stiff = FluidElasticity { stiffness: 30.0, plasticity: 0.0, ..FluidElasticity::default() };
    let mut world = FluidWorld::default();
    change_parameters(&mut world, |parameters| parameters.pressure_memory = 0.5);
    let table = ClassTable::new(vec![class("water", None), class("jelly", Some(stiff))]);
    world.set_classes(table.expect("valid")).expect("unused");
    add_tank(&mut world, Vec2::ZERO, Vec2::new(160.0, 120.0));
    world
}

/// Water, a piece of jelly in it, and some spray that is about to fade.
fn mixed() -> FluidWorld {
    let mut world = empty();
    let spacing = 1.03 * world.parameters().particle_spacing;
    let water = FluidShape::Rectangle { half_size: Vec2::new(150.0, 30.0) };
    pour_class(&mut world, ClassId(0), water.fill(Vec2::new(0.0, -85.0), spacing));
    let block = FluidShape::Rectangle { half_size: Vec2::splat(30.0) };
    let jelly = |place| ParticleSpawn { class: ClassId(1), tag: ParticleTag(9), ..at(place) };
    spawn_all(&mut world, block.fill(Vec2::new(20.0, 0.0), spacing).map(jelly));
    let lifetime = Some(FluidLifetime::new(3.0).fading(1.0));
    let places = (0..6).map(|x| Vec2::new(20.0 * x as f32 - 130.0, 80.0));
    let spray = |place| ParticleSpawn { class: ClassId(0), lifetime, ..at(place) };
    spawn_all(&mut world, places.map(spray));
    world
}

#[test]
fn everything_of_the_particles_comes_back() {
    let mut world = mixed();
    run(&mut world, 30);
    // Handles and indices have been mixed up by deaths and sorting.
    world.despawn_where(|position, _| position.x < -100.0);
    run(&mut world, 10);
    let saved = world.save_particles();
    assert!(saved.springs.len() > 100, "{}", saved.springs.len());
    let text = serde_json::to_string(&saved).expect("plain data");
    let saved: SavedParticles = serde_json::from_str(&text).expect("what was written");
    let mut later = empty();
    let ids = later.restore_particles(&saved).expect("valid");
    assert_eq!(ids.len(), world.particles().len());
    assert_eq!(later.save_particles(), saved);
    assert!(saved.particles.iter().any(|particle| particle.pressure > 0.0));
    assert_eq!(later.state_hash(), world.state_hash());
    assert_eq!(later.tagged(ParticleTag(9)).count(), world.tagged(ParticleTag(9)).count());
    // What happens next is the same: the jelly keeps its shape, and the spray dies.
    assert_eq!(world.particles().lifetime_count(), later.particles().lifetime_count());
    run(&mut world, 5);
    run(&mut later, 5);
    for (a, b) in world.particles().indices_by_slot().zip(later.particles().indices_by_slot()) {
        let (a, b) = (world.particles().positions()[a], later.particles().positions()[b]);
        assert!(a.distance(b) < 0.01, "{a} and {b}");
    }
    assert_eq!(world.springs().len(), later.springs().len());
    run(&mut later, 150);
    assert_eq!(later.particles().lifetime_count(), 0, "the spray has faded");
    assert!(later.springs().len() > 100);
}

#[test]
fn what_cannot_come_back_is_refused_whole() {
    let mut world = mixed();
    run(&mut world, 2);
    let saved = world.save_particles();
    let spoiled: [(&str, fn(&mut SavedParticles)); 13] = [
        ("`tar`", |saved| saved.classes[1] = "tar".into()),
        ("class", |saved| saved.particles[3].class = 7),
        ("position", |saved| saved.particles[200].position.x = f32::NAN),
        ("velocity", |saved| saved.particles[5].velocity.y = f32::INFINITY),
        ("temperature", |saved| saved.particles[5].temperature = f32::NAN),
        ("exposure", |saved| saved.particles[5].exposure = 2.0),
        ("age", |saved| saved.particles[5].age = -1.0),
        ("relative_density", |saved| saved.particles[5].relative_density = f32::NAN),
        ("pressure", |saved| saved.particles[5].pressure = -1.0),
        ("ends", |saved| saved.springs[0].ends[1] = u32::MAX),
        ("ends", |saved| saved.springs[0].ends = [4, 4]),
        ("ends", |saved| {
            let [one, other] = saved.springs[3].ends;
            saved.springs[0].ends = [other, one];
        }),
        ("rest_length", |saved| saved.springs[0].rest_length = -1.0),
    ];
    for (named, spoil) in spoiled {
        let mut bad = saved.clone();
        spoil(&mut bad);
        let mut into = empty();
        let error = into.restore_particles(&bad).expect_err(named);
        assert!(error.to_string().contains(named), "{error}");
        assert_eq!((into.particles().len(), into.springs().len()), (0, 0), "{named}");
    }
    let mut small = empty();
    small.set_capacity(saved.particles.len() - 1);
    let full = small.restore_particles(&saved);
    assert!(matches!(full, Err(RestoreError::Particle { reason: SpawnError::Full { .. }, .. })));
    assert!(small.particles().is_empty());
    let mut few = empty();
    few.set_spring_capacity(10);
    few.restore_particles(&saved).expect("springs beyond the capacity are counted");
    assert_eq!(few.springs_refused(), saved.springs.len() as u64 - 10);
}

#[test]
fn a_world_that_is_cleared_has_room_for_the_springs_that_it_had() {
    let mut world = mixed();
    run(&mut world, 2);
    let saved = world.save_particles();
    world.set_spring_capacity(saved.springs.len());
    world.clear();
    assert!(world.springs().is_empty());
    world.restore_particles(&saved).expect("valid");
    assert_eq!((world.springs().len(), world.springs_refused()), (saved.springs.len(), 0));
    // Nor do springs of particles that died one by one take room.
    world.despawn_where(|_, _| true);
    assert_eq!(world.springs().len(), saved.springs.len());
    world.restore_particles(&saved).expect("valid");
    assert_eq!((world.springs().len(), world.springs_refused()), (saved.springs.len(), 0));
}

#[test]
fn what_was_saved_before_it_was_connected_is_connected_later() {
    let mut world = mixed();
    let saved = world.save_particles();
    assert!(saved.springs.is_empty());
    let mut later = empty();
    later.restore_particles(&saved).expect("valid");
    run(&mut world, 2);
    run(&mut later, 2);
    assert!(world.springs().len() > 100);
    assert_eq!(later.springs().len(), world.springs().len());
}

#[test]
fn classes_of_one_name_come_back_as_they_were() {
    let classes = || {
        let light = DensityClass { mass: 0.5, ..DensityClass::default() };
        ClassTable::new(vec![DensityClass::default(), light]).expect("valid")
    };
    let mut world = FluidWorld::default();
    world.set_classes(classes()).expect("unused");
    for class in [ClassId(1), ClassId(0)] {
        pour_class(&mut world, class, [Vec2::ZERO]);
    }
    let saved = world.save_particles();
    let mut later = FluidWorld::default();
    later.set_classes(classes()).expect("unused");
    later.restore_particles(&saved).expect("valid");
    assert_eq!(later.particles().classes(), world.particles().classes());
    let all = FluidRegion::circle(Vec2::ZERO, 100.0).expect("valid");
    let chunk = later.take_chunk(&all).expect("between ticks");
    later.put_chunk(&chunk).expect("valid");
    let lighter = later.particles().classes().iter().filter(|class| **class == ClassId(1));
    assert_eq!((lighter.count(), later.particles().len()), (1, 2));
}

#[test]
fn springs_without_a_length_come_back() {
    let mut world = mixed();
    run(&mut world, 2);
    let mut saved = world.save_particles();
    saved.springs[0].rest_length = 0.0;
    let mut later = empty();
    later.restore_particles(&saved).expect("valid");
    run(&mut later, 2);
    assert!(later.particles().positions().iter().all(|position| position.is_finite()));
}
