//! Scenes with random settings within their documented ranges lose nothing and stay bounded.
//!
//! `BLOB_FLUID_RANDOM_SCENES` sets how many scenes run, and `BLOB_FLUID_RANDOM_SEED` the seed of the
//! first, which without a number of scenes is the only one. A scene that fails is run again with ever fewer parts, and the parts that it needs
//! to fail are printed.

mod draw;

use blob_fluid::{Collider, FluidSolver, Motion, SerialExecutor};
use glam::Vec2;

use crate::random_scenes::draw::{Scene, blown, draw, pushed};

pub use draw::Random;

/// The world of a seed with all its parts, and the length of its ticks.
pub fn whole_scene(seed: u64) -> (blob_fluid::FluidWorld, f32) {
    let scene = draw(seed, &|_| true);
    (scene.world, scene.tick)
}

/// Number of scenes that run by default.
const SCENES: u64 = 200;

/// Most substeps of a scene, which keeps slow scenes short.
const MOST_SUBSTEPS: u32 = 300;

/// Runs the scene of a seed with some of its parts.
fn run(seed: u64, has: &dyn Fn(&str) -> bool) -> Result<f32, String> {
    let mut scene = draw(seed, has);
    let count = scene.world.particles().len();
    let (mut finest, mut fastest_wall, mut substeps) = (f32::INFINITY, 0.0_f32, 0);
    let mut worst = 0.0_f32;
    let paint = paint_in(&scene);
    for tick in 0..scene.ticks {
        if tick > 0 && tick % scene.turns == 0 {
            turn_around(&mut scene);
        }
        scene.sources.work(&mut scene.world, scene.tick);
        let report = scene.world.step(scene.tick, &SerialExecutor).map_err(|e| e.to_string())?;
        scene.sources.expired += report.expired as u64;
        scene.blown = scene.blown.max(blown(&scene.world));
        if report.substeps > 0 {
            finest = finest.min(report.time_step / report.substeps as f32);
        }
        substeps += report.substeps;
        let fail = |what: String| Err(format!("tick {tick}: {what}"));
        let particles = scene.world.particles();
        let quarantined = scene.world.quarantined();
        let left = scene.sources.left_of(count);
        if quarantined > 0 || particles.len() != left {
            return fail(format!("{quarantined} quarantined, {} of {left} left", particles.len()));
        }
        if finest.is_finite() {
            fastest_wall = fastest_wall.max(wall_speed(&scene, finest));
            let bound = speed_bound(&scene, finest, fastest_wall, substeps);
            let fastest =
                particles.velocities().iter().map(|velocity| velocity.length()).fold(0.0, f32::max);
            if fastest > bound {
                let sound = scene.world.parameters().interaction_radius() / finest;
                return fail(format!(
                    "speed {fastest:e} of at most {bound:e}, {:.2} radii per substep",
                    fastest / sound
                ));
            }
            worst = worst.max(fastest / bound);
        }
        let left = paint_in(&scene);
        let is_kept = (left - paint).abs() <= 1e-5 * count as f64 || scene.sources.are_there();
        if !is_kept || left.is_nan() {
            return fail(format!("{paint} of paint became {left}"));
        }
        let finite = |vector: &Vec2| vector.is_finite();
        if !particles.positions().iter().all(finite)
            || !particles.velocities().iter().all(finite)
            || !particles.temperatures().iter().all(|temperature| temperature.is_finite())
        {
            return fail("not finite".into());
        }
        let (outside, allowed) = outside(&scene);
        if outside > allowed {
            return fail(format!("{outside:e} outside of the container, {allowed:e} allowed"));
        }
        if substeps > MOST_SUBSTEPS {
            break;
        }
    }
    Ok(worst)
}

/// The sum of what is mixed.
fn paint_in(scene: &Scene) -> f64 {
    let amounts = scene.world.particles().paint_amounts().as_flattened();
    amounts.iter().map(|amount| f64::from(*amount)).sum()
}

fn turn_around(scene: &mut Scene) {
    let back = |motion: Motion| Motion {
        velocity: -motion.velocity,
        angular_velocity: -motion.angular_velocity,
    };
    let motion = back(scene.world.container(scene.container).expect("there").motion());
    scene.world.set_container_motion(scene.container, motion).expect("valid");
    for id in &scene.obstacles {
        let collider: &Collider = scene.world.collider(*id).expect("there");
        if !collider.is_body() {
            let motion = back(collider.motion());
            scene.world.set_collider_motion(*id, motion).expect("valid");
        }
    }
}

/// Largest speed that the host gives to a wall, if a substep takes `time_step`. A solid turns by less
/// than half a turn in a substep.
fn wall_speed(scene: &Scene, time_step: f32) -> f32 {
    let speed = |motion: Motion, extent: f32| {
        let turn = motion.angular_velocity.abs().min(2.0 / time_step);
        motion.velocity.length() + 1.1 * turn * extent
    };
    let container = scene.world.container(scene.container).expect("there").motion();
    let obstacles = scene.obstacles.iter().map(|id| scene.world.collider(*id).expect("there"));
    obstacles
        .filter(|collider| !collider.is_body())
        .map(|collider| speed(collider.motion(), scene.half))
        .fold(speed(container, 3.0 * scene.half), f32::max)
}

/// How much faster a particle may be than the energy that was given to it says: a heavy body or
/// particle throws a light one at twice its own speed.
const THROWN: f32 = 2.0;

/// Largest speed that a particle may have: the energy of all that can have driven it.
///
/// A particle or a body falls no farther than the container is wide, and forces and the pressure of air
/// drive it no farther. A wall throws it at twice the wall's speed; walls that reflect may do so in every
/// substep. Particles that begin or are squeezed too close come apart with the speed of sound, below an
/// interaction radius per substep, or what pressure gives to the lightest.
fn speed_bound(scene: &Scene, time_step: f32, walls: f32, substeps: u32) -> f32 {
    let parameters = scene.world.parameters();
    let sound = parameters.interaction_radius() / time_step;
    // No more than this acts in a substep.
    let kick = (scene.acceleration * time_step).min(64.0 * sound);
    let way = 6.0 * scene.half;
    let fallen = (2.0 * (kick / time_step) * way).sqrt();
    let push = pushed(&scene.world);
    let by_air = scene.blown + push + (2.0 * push / scene.tick * way).sqrt();
    let reflections = match parameters.solver {
        // Of two walls in a corner.
        FluidSolver::Classic | FluidSolver::Sph => 2.0 * substeps as f32,
        _ => 1.0,
    };
    let by_walls = 2.0 * reflections * walls;
    let speeds = [scene.begin, scene.wind, fallen, by_air, by_walls, scene.pressed * sound];
    let energy: f32 = speeds.iter().map(|speed| speed * speed).sum();
    THROWN * energy.sqrt() + kick
}

/// How far the farthest particle is outside of the container, and how far it may be.
fn outside(scene: &Scene) -> (f32, f32) {
    let container = scene.world.container(scene.container).expect("there");
    let positions = scene.world.particles().positions();
    let outside = positions.iter().map(|position| -container.depth(*position)).fold(0.0, f32::max);
    let way = container.motion().velocity * scene.tick;
    // What an obstacle sweeps along is where it is by the rounding of the obstacle's way.
    let swept = |id| {
        (scene.world.collider(id).expect("there").motion().velocity * scene.tick)
            .abs()
            .max_element()
    };
    // So is what has been flung farther than the container is wide.
    let flung = scene.begin * scene.tick;
    let farthest = scene.obstacles.iter().map(|id| swept(*id)).fold(flung, f32::max);
    let size = 3.0 * scene.half + (container.centre().abs() + way.abs()).max_element() + farthest;
    let parameters = scene.world.parameters();
    let dead_zone = match parameters.solver {
        // In a corner a particle may be in the dead zones of two walls.
        FluidSolver::Classic => 1.5 * parameters.classic.dead_zone * parameters.particle_spacing,
        _ => 0.0,
    };
    (outside, dead_zone + 64.0 * f32::EPSILON * size)
}

/// Runs a seed; returns a description of its failure.
fn check(seed: u64) -> Result<f32, String> {
    // About half of the parts differ from the default.
    let mut parts: Vec<&str> = PARTS.to_vec();
    let mut choice = Random::new(seed, "parts");
    let share = choice.pick(&[0.2, 0.5, 0.8]);
    parts.retain(|_| choice.chance(share));
    let result = run(seed, &|part| parts.contains(&part));
    let Err(mut error) = result else { return result };
    for part in PARTS {
        let fewer: Vec<&str> = parts.iter().copied().filter(|other| *other != part).collect();
        if fewer.len() < parts.len()
            && let Err(new) = run(seed, &|part| fewer.contains(&part))
        {
            (parts, error) = (fewer, new);
        }
    }
    let scene = draw(seed, &|part| parts.contains(&part));
    let mut text = format!("seed {seed}: {error}; with {parts:?}");
    for (part, words) in &scene.words {
        text += &format!("\n    {part}: {words}");
    }
    Err(text)
}

fn number_from(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is {text}, and must be a number")))
}

// Row 21 of docs/reliability.md.
#[test]
fn no_setting_within_its_range_loses_anything() {
    let first = number_from("BLOB_FLUID_RANDOM_SEED");
    let count = number_from("BLOB_FLUID_RANDOM_SCENES");
    let count = count.unwrap_or(if first.is_some() { 1 } else { SCENES });
    let seeds = first.unwrap_or(0)..first.unwrap_or(0) + count;
    let mut failures = 0;
    let mut total = 0;
    for seed in seeds {
        total += 1;
        if let Err(failure) = check(seed) {
            failures += 1;
            println!("{failure}");
        }
    }
    assert_eq!(failures, 0, "of {total} scenes failed");
}

// What a scene is drawn with: random numbers, and the parts that may differ from the default.

/// The parts of a scene that may differ from the default.
pub const PARTS: [&str; 37] = [
    "solver",
    "units",
    "radius",
    "gravity",
    "rest density",
    "stiffness",
    "segregation",
    "viscosity",
    "settling",
    "sleeping",
    "ghost walls",
    "classic",
    "forces of pairs",
    "incompressible",
    "substeps",
    "tick",
    "effort",
    "masses",
    "gravity scales",
    "rest densities",
    "class stiffness",
    "class viscosity",
    "surface tension",
    "elasticity",
    "powder",
    "heat",
    "pairs",
    "container",
    "walls",
    "container's motion",
    "obstacles",
    "forces",
    "start",
    "paint",
    "emitters",
    "drains",
    "air",
];

/// A scene that is being drawn.
pub struct Drawing<'a> {
    pub seed: u64,
    pub has: &'a dyn Fn(&str) -> bool,
    pub words: Vec<(&'static str, String)>,
}

impl Drawing<'_> {
    /// The generator of a part; `None` if the part has its default.
    pub fn part(&self, part: &'static str) -> Option<Random> {
        assert!(PARTS.contains(&part));
        (self.has)(part).then(|| Random::new(self.seed, part))
    }

    pub fn say(&mut self, part: &'static str, what: impl std::fmt::Debug) {
        self.words.push((part, format!("{what:?}")));
    }
}
