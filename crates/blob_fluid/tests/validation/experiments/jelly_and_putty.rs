use blob_fluid::shape::scatter;
use blob_fluid::{
    ClassId, ClassTable, Container, DensityClass, FluidElasticity, FluidParameters, FluidWorld,
    ParticleSpawn, Settling,
};
use glam::{DVec2, Vec2};

use super::run_until;
use crate::page::Finding;
use crate::plot::{plot, points};

pub fn run() -> Finding {
    let (mut jelly, before) = fallen_block(FluidElasticity::default());
    let weightless = FluidParameters { gravity: Vec2::ZERO, ..*jelly.parameters() };
    jelly.set_parameters(weightless).expect("valid");
    run_until(&mut jelly, 28.0, |_| {});
    let relieved = residual(&before, &places(&jelly));

    let (putty, putty_before) =
        fallen_block(FluidElasticity { plasticity: 4.0, ..FluidElasticity::default() });
    let spread = places(&putty);
    Finding {
        experiment: "jelly and putty",
        description: "A square block of 24 by 24 particles becomes elastic at rest, falls on a floor and lies there for \
                      20 s. A jelly is then relieved of its weight for 8 s; putty (plasticity 4/T0) lies on. The residual \
                      is the rms distance from the former shape, turned and shifted to fit best, over that shape's size.",
        measured: vec![
            ("residual of a jelly's shape after its load", relieved),
            ("width of putty over that before", width(&spread) / width(&putty_before)),
            ("residual of putty's shape", residual(&putty_before, &spread)),
        ],
        plots: vec![plot(
            "Jelly and putty",
            "x",
            "y",
            vec![points("jelly", pairs(&places(&jelly))), points("putty", pairs(&spread))],
        )],
    }
}

fn pairs(indices: &[DVec2]) -> Vec<(f64, f64)> {
    indices.iter().map(|index| (index.x, index.y)).collect()
}

/// The block after 20 s on the floor, and the positions of its particles before the fall.
fn fallen_block(elasticity: FluidElasticity) -> (FluidWorld, Vec<DVec2>) {
    let class = |elasticity| {
        ClassTable::new(vec![DensityClass { elasticity, ..Default::default() }]).expect("valid")
    };
    let resting = FluidParameters::default();
    // The block is weightless but damped. Gravity is too weak to have an effect, but keeps the drag
    // switched on.
    let settling = Settling { drag: 0.6, ..Settling::OFF };
    let calming = FluidParameters { gravity: Vec2::new(0.0, -1e-3), settling, ..resting };
    let mut world = FluidWorld::new(calming).expect("valid");
    world.set_classes(class(None)).expect("no particles yet");
    let half_size = Vec2::new(10.0 * resting.interaction_radius(), 1000.0);
    let floor = Container::rectangle(Vec2::new(0.0, 1000.0), half_size).expect("valid");
    world.insert_container(floor);
    let spacing = 1.007 * resting.particle_spacing;
    for number in 0..24 * 24 {
        let cell = Vec2::new((number % 24) as f32 - 11.5, (number / 24) as f32 + 0.5);
        let position = Vec2::new(0.0, 100.0) + (cell + 0.01 * scatter(number)) * spacing;
        let spawn = ParticleSpawn { position, class: ClassId(0), ..Default::default() };
        world.spawn(spawn).expect("valid");
    }
    run_until(&mut world, 5.0, |_| {});
    world.set_parameters(resting).expect("valid");
    world.set_classes(class(Some(elasticity))).expect("as many");
    world.reset_clock();
    let before = places(&world);
    run_until(&mut world, 20.0, |_| {});
    (world, before)
}

fn places(world: &FluidWorld) -> Vec<DVec2> {
    let particles = world.particles();
    particles.indices_by_slot().map(|index| particles.positions()[index].as_dvec2()).collect()
}

fn width(indices: &[DVec2]) -> f64 {
    let xs = || indices.iter().map(|index| index.x);
    xs().fold(f64::MIN, f64::max) - xs().fold(f64::MAX, f64::min)
}

/// Distance between positions and a rotated and shifted copy of others, relative to their size.
fn residual(before: &[DVec2], after: &[DVec2]) -> f64 {
    let mean = |points: &[DVec2]| points.iter().sum::<DVec2>() / points.len() as f64;
    let (from, to) = (mean(before), mean(after));
    let (mut cos, mut sin, mut a, mut b) = (0.0, 0.0, 0.0, 0.0);
    for (p, q) in before.iter().zip(after) {
        let (p, q) = (*p - from, *q - to);
        cos += p.dot(q);
        sin += p.perp_dot(q);
        a += p.length_squared();
        b += q.length_squared();
    }
    ((a + b - 2.0 * (cos * cos + sin * sin).sqrt()).max(0.0) / a).sqrt()
}
