//! Chunks: liquid that is taken out of a world and put back is as it was, and so is what is around it.

use blob_fluid::{
    ClassId, ClassTable, Collider, Container, DensityClass, FluidChunk, FluidLifetime, FluidRegion,
    FluidSolver, FluidWorld, ParticleSpawn, ParticleTag, RestoreError, SerialExecutor,
    SnapshotError, SnapshotFile, SpawnError,
};
use glam::Vec2;

use crate::pools::{cells, pour, spacing};
use crate::random_scenes::Random;
use crate::snapshots::everything;
use crate::snapshots::hostile::harmed;
use crate::ticks::run;

/// Half of the size of the tank.
const HALF: Vec2 = Vec2::new(150.0, 60.0);

/// A tank in which the liquid sleeps, forty particles wide and eight deep.
fn settled_pool() -> FluidWorld {
    let mut world = FluidWorld::default();
    world.insert_container(Container::rectangle(Vec2::ZERO, HALF).expect("valid"));
    pour(&mut world, cells(36, 8).map(|cell| 1.02 * spacing() * cell - HALF));
    sleep(&mut world);
    world
}

/// Runs until all sleeps, and returns how many ticks that took.
fn sleep(world: &mut FluidWorld) -> u32 {
    let ticks = (0..3000).find(|_| {
        run(world, 1);
        world.asleep() == world.particles().len()
    });
    ticks.expect("it settles")
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
            let report = world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
            assert_eq!(report.substeps, 0, "all sleeps");
        }
        assert_eq!(particles(&world).len(), particles(&untouched).len());
        assert_eq!(farthest(&world, &untouched), 0.0);
        assert_eq!(world.asleep(), world.particles().len());
    }
}

#[test]
fn tmp_numbers() {
    let untouched = settled_pool();
    for (ticks, wall) in [(1, false), (2, false), (5, false), (1, true), (60, true), (600, true)] {
        let mut world = untouched.clone();
        let chunk = world.take_chunk(&left()).expect("between two ticks");
        let wall = wall.then(|| {
            let wall = Collider::rectangle(Vec2::new(-75.0, 0.0), Vec2::new(75.0, 60.0));
            world.insert_collider(wall.expect("valid"))
        });
        run(&mut world, ticks);
        let awake = world.particles().len() - world.asleep();
        let moved_out = {
            let p = world.particles();
            p.velocities().iter().map(|v| v.length()).fold(0.0, f32::max)
        };
        if let Some(wall) = wall { world.remove_collider(wall); }
        let ids = world.put_chunk(&chunk).expect("room");
        let mut fastest = 0.0_f32;
        let mut woken = 0;
        for _ in 0..600 {
            run(&mut world, 1);
            fastest = world.particles().velocities().iter().map(|v| v.length()).fold(fastest, f32::max);
            woken = woken.max(world.particles().len() - world.asleep());
        }
        let own: f32 = (0..chunk.len()).map(|i| {
            let index = world.particles().index_of(ids[i]).unwrap();
            world.particles().positions()[index].distance(chunk.particles().positions()[i])
        }).fold(0.0, f32::max);
        println!("{ticks} ticks, wall {}: awake {awake} fastest out {moved_out}, after: chunk moved {own}, fastest {fastest}, woken {woken} of {}, asleep {}",
            wall.is_some(), world.particles().len(), world.asleep());
    }
}

#[test]
fn what_a_wall_separates_sleeps_on_while_its_neighbour_is_away() {
    let mut world = settled_pool();
    // As thick as an interaction radius: liquid does not feel through it.
    let radius = world.parameters().interaction_radius();
    world.clear();
    let wall = Collider::rectangle(Vec2::ZERO, Vec2::new(0.5 * radius, 60.0)).expect("valid");
    world.insert_collider(wall);
    pour(&mut world, cells(16, 8).map(|cell| 1.02 * spacing() * cell - HALF));
    pour(&mut world, cells(16, 8).map(|cell| 1.02 * spacing() * cell - Vec2::new(-15.0, 60.0)));
    sleep(&mut world);
    let before = particles(&world);
    for round in 0..20 {
        let chunk = world.take_chunk(&left()).expect("between two ticks");
        assert_eq!(chunk.len(), 128);
        for _ in 0..10 * (round % 3) {
            let report = world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
            assert_eq!(report.substeps, 0, "the other half sleeps");
        }
        world.put_chunk(&through_bytes(&chunk)).expect("room");
        let report = world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
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
