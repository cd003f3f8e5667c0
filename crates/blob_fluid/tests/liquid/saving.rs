//! Saved particles come back as they were: with their springs, ages, lifetimes and tags.

use blob_fluid::{
    ClassId, ClassTable, DensityClass, FluidElasticity, FluidLifetime, FluidParameters,
    FluidRegion, FluidShape, FluidWorld, ParticleSpawn, ParticleTag, RestoreError, SavedParticles,
    SpawnError,
};
use glam::Vec2;

use crate::pools::add_tank;
use crate::ticks::run;

/// A world with walls and classes, and nothing in it.
fn empty() -> FluidWorld {
    let class = |name: &str, elasticity| DensityClass {
        name: name.into(),
        elasticity,
        ..DensityClass::default()
    };
    let stiff = FluidElasticity { stiffness: 30.0, plasticity: 0.0, ..FluidElasticity::default() };
    let parameters = FluidParameters { pressure_memory: 0.5, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
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
    for position in water.fill(Vec2::new(0.0, -85.0), spacing) {
        let class = ClassId(0);
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("room");
    }
    let block = FluidShape::Rectangle { half_size: Vec2::splat(30.0) };
    for position in block.fill(Vec2::new(20.0, 0.0), spacing) {
        let (class, tag) = (ClassId(1), ParticleTag(9));
        world.spawn(ParticleSpawn { position, class, tag, ..Default::default() }).expect("room");
    }
    for x in 0..6 {
        let position = Vec2::new(20.0 * x as f32 - 130.0, 80.0);
        let lifetime = Some(FluidLifetime::new(3.0).fading(1.0));
        let class = ClassId(0);
        let spray = ParticleSpawn { position, class, lifetime, ..Default::default() };
        world.spawn(spray).expect("room");
    }
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
    let error = small.restore_particles(&saved).expect_err("full");
    assert!(
        matches!(error, RestoreError::Particle { reason: SpawnError::Full { .. }, .. }),
        "{error}"
    );
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
        world.spawn(ParticleSpawn { class, ..Default::default() }).expect("room");
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
