//! Snapshots: what is exported, imported and exported again is the same, and goes on with the same bits;
//! recordings are played with the same bits; and bytes that are no snapshot do no harm.

mod continuing;
pub mod hostile;
mod recording;
mod sources;

use blob_fluid::air::{Air, AirSettings, AirSides, AirSource};
use blob_fluid::{
    Attachment, ClassId, ClassTable, Collider, ColliderOptions, DensityClass, FieldParticles,
    FluidElasticity, FluidLifetime, FluidPaint, FluidParameters, FluidPowder, FluidShape,
    FluidSolver, FluidWorld, Force, ForceField, HostBody, Motion, ParticleSpawn, ParticleTag,
};
use blob_fluid::{FluidBounds, FluidRegion};
use glam::Vec2;

use crate::pools::{add_tank, body};
use crate::ticks::run;

/// A tank with a bit of everything: a splash, jelly, sand, spray with lifetimes, bodies, a host body, one-way
/// and moving colliders of all shapes, forces, holes in the list of slots, and air with a source.
pub fn everything(solver: FluidSolver) -> FluidWorld {
    let parameters = FluidParameters { solver, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let class = |name: &str, elasticity, mass| DensityClass {
        name: name.into(),
        elasticity,
        mass,
        paint: Some(FluidPaint { diffusion: mass / 5.0, ..FluidPaint::default() }),
        ..DensityClass::default()
    };
    let elastic = Some(FluidElasticity { plasticity: 0.1, ..FluidElasticity::default() });
    let sand = DensityClass { powder: Some(FluidPowder::default()), ..class("sand", None, 1.6) };
    let classes = vec![class("water", None, 1.0), class("jelly", elastic, 0.8), sand];
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("unused");
    add_tank(&mut world, Vec2::ZERO, Vec2::new(160.0, 120.0));
    let spacing = 1.03 * parameters.particle_spacing;
    let mut fill = |shape: FluidShape, centre: Vec2, class: u8, lifetime| {
        for position in shape.fill(centre, spacing) {
            let (class, tag) = (ClassId(class), ParticleTag(u32::from(class)));
            let paint = Some([0.3, 0.5 + position.x / 400.0, 0.5 + position.y / 400.0]);
            let spawn =
                ParticleSpawn { position, class, tag, lifetime, paint, ..Default::default() };
            world.spawn(spawn).expect("room");
        }
    };
    fill(
        FluidShape::Rectangle { half_size: Vec2::new(70.0, 60.0) },
        Vec2::new(-85.0, -50.0),
        0,
        None,
    );
    fill(FluidShape::Circle { radius: 30.0 }, Vec2::new(60.0, 20.0), 1, None);
    fill(FluidShape::Circle { radius: 20.0 }, Vec2::new(15.0, -50.0), 2, None);
    let spray = Some(FluidLifetime::new(0.7).fading(0.2));
    fill(FluidShape::Circle { radius: 15.0 }, Vec2::new(110.0, 90.0), 0, spray);

    let corners = [Vec2::new(-20.0, -8.0), Vec2::new(20.0, -8.0), Vec2::new(0.0, 14.0)];
    let wedge = FluidShape::Polygon(blob_fluid::shape::Polygon::new(corners).expect("valid"));
    let line = [Vec2::new(-20.0, 0.0), Vec2::new(0.0, 5.0), Vec2::new(20.0, 0.0)];
    let line = FluidShape::Polyline(blob_fluid::shape::Polyline::new(line, 2.0).expect("valid"));
    let disc = |x: usize, y: usize| Vec2::new(x as f32 - 7.5, y as f32 - 7.5).length() < 6.0;
    let drawn = blob_fluid::shape::DistanceField::new(16, 16, Vec2::splat(20.0), disc);
    let drawn = FluidShape::Field(drawn.expect("valid"));
    let capsule = FluidShape::Capsule { half_length: 12.0, radius: 4.0 };
    let turning = Motion { angular_velocity: 2.0, ..Motion::STILL };
    for (shape, centre, motion) in [
        (wedge, Vec2::new(20.0, -110.0), Motion::STILL),
        (line, Vec2::new(80.0, -60.0), Motion::STILL),
        (drawn, Vec2::new(130.0, -100.0), Motion::STILL),
        (capsule, Vec2::new(40.0, -80.0), turning),
    ] {
        let collider = Collider::new(shape, centre, Vec2::X).and_then(|c| c.with_motion(motion));
        world.insert_collider(collider.expect("valid"));
    }
    for (x, density) in [(-100.0, 0.4), (-60.0, 2.0), (100.0, 0.5)] {
        let square = FluidShape::Rectangle { half_size: Vec2::splat(9.0) };
        world.insert_collider(body(square, Vec2::new(x, 40.0), density));
    }
    let host =
        HostBody { inverse_mass: Vec2::splat(0.01), ..HostBody::at(Vec2::new(0.0, 60.0), Vec2::X) };
    let host = world.insert_host_body(host).expect("valid");
    let attachment = Attachment { body: host, centre: Vec2::new(8.0, 0.0), rotation: Vec2::X };
    let options = ColliderOptions { attachment: Some(attachment), ..Default::default() };
    let carried = Collider::circle(Vec2::new(8.0, 60.0), 7.0).and_then(|c| c.with_options(options));
    world.insert_collider(carried.expect("valid"));
    let gone = world.insert_collider(Collider::circle(Vec2::new(0.0, 90.0), 3.0).expect("valid"));
    world.remove_collider(gone);
    let force = Force::vortex(Vec2::new(-60.0, -80.0), 30.0, 300.0).expect("valid");
    world.set_forces(&[force]).expect("valid");

    let room = FluidBounds { low: Vec2::new(-160.0, -120.0), high: Vec2::new(160.0, 120.0) };
    let settings = AirSettings { density: 0.001, ..AirSettings::new(parameters.gravity) };
    let mut air = Air::new(room, 10.0, settings, AirSides::default()).expect("valid");
    let fire = FluidRegion::circle(Vec2::new(0.0, 100.0), 12.0).expect("valid");
    let source = AirSource { smoke: 1.0, heat: 1.0, expansion: 0.5, ..AirSource::new(fire) };
    air.insert_source(source).expect("valid");
    world.insert_air(air);
    run(&mut world, 20);
    world.despawn_where(|position, _| position.x < -140.0);
    run(&mut world, 8);
    world
}

/// Pushes the particle at a place, and wakes nothing: what only the host's code does.
pub struct Push(pub Vec2);

impl ForceField for Push {
    fn acts_at_rest(&self) -> bool {
        false
    }

    fn apply(&self, particles: &mut FieldParticles<'_>) {
        for (position, velocity) in particles.positions.iter().zip(&mut *particles.velocities) {
            if *position == self.0 {
                velocity.x += 1.0;
            }
        }
    }
}
