//! Invariances: the same small scene in other frames, in every solver.

use blob_fluid::scene::{Scene, SceneBlock, SceneCollider, SceneFill};
use blob_fluid::shape::scatter;
use blob_fluid::*;
use glam::{DVec2, Vec2};

use crate::page::Finding;

/// Every scene: powder and springs act in one solver only.
const SCENES: [(FluidSolver, Content); 17] = {
    use Content::{Body, Dam, Jelly, Powder, Tap};
    use FluidSolver::{Classic, DoubleDensity, Incompressible, SharedPressure, Sph};
    [
        (DoubleDensity, Dam),
        (DoubleDensity, Body),
        (DoubleDensity, Tap),
        (DoubleDensity, Powder),
        (DoubleDensity, Jelly),
        (Classic, Dam),
        (Classic, Body),
        (Classic, Tap),
        (Sph, Dam),
        (Sph, Body),
        (Sph, Tap),
        (SharedPressure, Dam),
        (SharedPressure, Body),
        (SharedPressure, Tap),
        (Incompressible, Dam),
        (Incompressible, Body),
        (Incompressible, Tap),
    ]
};

/// Every scene as it is, to compare others with.
struct Plain([Outcome; SCENES.len()]);

impl Plain {
    fn run() -> Self {
        Self(SCENES.map(|(solver, content)| Outcome::of(solver, content, Frame::PLAIN)))
    }

    /// How far the scenes of a solver, or of all of them, are from the same in other frames.
    fn apart(&self, frames: &[Frame], counts: impl Fn(FluidSolver, Content) -> bool) -> Vec<Apart> {
        let scenes = SCENES.iter().zip(&self.0);
        let counted = scenes.filter(|((solver, content), _)| counts(*solver, *content));
        counted
            .flat_map(|((solver, content), plain)| {
                frames.iter().map(|frame| plain.apart(&Outcome::of(*solver, *content, *frame)))
            })
            .collect()
    }
}

fn first(apart: &[Apart]) -> f64 {
    apart.iter().map(|apart| apart.first).fold(0.0, f64::max)
}

fn late(apart: &[Apart]) -> f64 {
    apart.iter().map(|apart| apart.late).fold(0.0, f64::max)
}

/// The number of scenes whose bits differ.
fn other_bits(apart: &[Apart]) -> f64 {
    apart.iter().filter(|apart| !apart.bits).count() as f64
}

const PLAIN: Frame = Frame::PLAIN;

/// Frames that are measured in all solvers together.
const IN_ALL: [(&str, Frame); 8] = [
    ("(a) walls at 300 px/s", Frame { speed: 300.0, ..PLAIN }),
    ("(b) turned by 30°", Frame { rotation: Vec2::new(0.866_025_4, 0.5), ..PLAIN }),
    ("(c) mirrored", Frame { mirrored: true, ..PLAIN }),
    ("(d) units × 100", Frame { unit: 100.0, ..PLAIN }),
    ("(e) 10,000 away", Frame { origin: Vec2::splat(1e4), ..PLAIN }),
    ("(g) walls of tiles", Frame { tiled: true, ..PLAIN }),
    ("(j) particles in reverse order", Frame { order: Order::ParticlesReversed, ..PLAIN }),
    ("disturbed by 0.001 spacings", Frame { disturbance: 1, ..PLAIN }),
];

pub fn run() -> Finding {
    let plain = Plain::run();
    let mut measured: Vec<(&'static str, f64)> = vec![];
    // The measures of a difference: of the first motion and later.
    let mut measure = |difference: &str, scenes: &str, apart: &[Apart]| {
        for (moment, value) in [("first motion", first(apart)), ("later", late(apart))] {
            measured.push((format!("{difference}: {moment}{scenes}").leak(), value));
        }
    };

    for (difference, frame) in IN_ALL {
        measure(difference, "", &plain.apart(&[frame], |_, _| true));
    }
    for (solver, name) in [
        (FluidSolver::DoubleDensity, ", double_density"),
        (FluidSolver::Classic, ", classic"),
        (FluidSolver::Sph, ", sph"),
        (FluidSolver::SharedPressure, ", shared_pressure"),
        (FluidSolver::Incompressible, ", incompressible"),
    ] {
        let frames =
            [30.0, 120.0, 240.0].map(|ticks_per_second| Frame { ticks_per_second, ..PLAIN });
        measure("(h) 30 to 240 Hz", name, &plain.apart(&frames, |of, _| of == solver));
    }
    let finer = [0.5, 2.0].map(|particles| Frame { particles, ..PLAIN });
    let is_solid = |content| matches!(content, Content::Powder | Content::Jelly);
    let liquids = plain.apart(&finer, |_, content| !is_solid(content));
    measure("(i) half and twice the particles", "", &liquids);
    let solids = plain.apart(&finer, |_, content| is_solid(content));
    measure("(i) half and twice the grains, and the jelly", "", &solids);

    let beside = [Frame { neighbour: true, ..PLAIN }];
    // Its iterations end when the mean error of all liquid is small enough.
    let iterates = |solver| solver == FluidSolver::Incompressible;
    let iterated = plain.apart(&beside, |solver, _| iterates(solver));
    measure("(f) beside another scene", ", incompressible", &iterated);
    // Particles on one point part in directions that come from their ids, and what a tap emits has other ids there.
    let taps = plain.apart(&beside, |solver, content| !iterates(solver) && content == Content::Tap);
    measure("(f) beside another scene", ", taps of the other solvers", &taps);
    let others =
        plain.apart(&beside, |solver, content| !iterates(solver) && content != Content::Tap);
    let built = [Frame { order: Order::WallsLast, ..PLAIN }];
    let is_default = |solver| solver == FluidSolver::default();
    let not_default = plain.apart(&built, |solver, _| !is_default(solver));
    measure("(j) walls last, in reverse order", ", the other solvers", &not_default);
    let double_density = plain.apart(&built, |solver, _| is_default(solver));
    measured.push((
        "(f) beside another scene: scenes with other bits, the other solvers",
        other_bits(&others),
    ));
    measured.push((
        "(j) walls last, in reverse order: scenes with other bits, double_density",
        other_bits(&double_density),
    ));
    Finding {
        experiment: "invariances",
        description: "Five scenes run: a dam that breaks, a box that floats, a tap, a column of sand, and a block \
                      of jelly. The first three run in all five solvers. Each scene is in a container of three \
                      slabs with the default friction, 35 spacings wide, and settles for 1.5 s at first. The same \
                      scenes in other frames of reference are compared with these plain scenes, in their own \
                      units. 'First motion' is at three moments before a wall is hit. 'First motion' compares the \
                      place of the foremost twentieth of the particles, the centre of mass, and the height of the \
                      box. 'Later' is when everything except the dam is at rest. 'Later' compares means over one \
                      or two seconds: the centre of mass, the height of the box, and the levels in both outer \
                      thirds. The numbers are the largest differences of any scene, in particle spacings of the \
                      plain scene.",
        measured,
        plots: vec![],
    }
}

// How the scene lies in the world, and how it is built.

/// The order of the calls that build the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    #[default]
    WallsFirst,
    /// The walls after the particles, in reverse order.
    WallsLast,
    /// The particles in reverse order.
    ParticlesReversed,
}

/// How the scene lies in the world, and how it is built.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Speed with which all moves along the floor, in the scene's own units.
    pub speed: f32,
    /// Rotation, as the cosine and sine of its angle.
    pub rotation: Vec2,
    pub mirrored: bool,
    /// World units in one of the scene's own.
    pub unit: f32,
    /// Where the scene's origin is, in world units.
    pub origin: Vec2,
    /// Whether a pool at rest is in the same world, far away.
    pub neighbour: bool,
    pub tiled: bool,
    pub ticks_per_second: f32,
    /// Number of particles, relative to the plain scene's.
    pub particles: f32,
    pub order: Order,
    /// Displaces all particles by up to a thousandth of a spacing at the beginning, in another way for
    /// each number above 0.
    pub disturbance: u32,
}

impl Frame {
    pub const PLAIN: Self = Self {
        speed: 0.0,
        rotation: Vec2::X,
        mirrored: false,
        unit: 1.0,
        origin: Vec2::ZERO,
        neighbour: false,
        tiled: false,
        ticks_per_second: 60.0,
        particles: 1.0,
        order: Order::WallsFirst,
        disturbance: 0,
    };

    /// A direction of the scene in the world.
    pub fn turned(&self, direction: Vec2) -> Vec2 {
        let side = if self.mirrored { -1.0 } else { 1.0 };
        self.rotation.rotate(Vec2::new(side * direction.x, direction.y))
    }

    pub fn point(&self, place: Vec2) -> Vec2 {
        self.origin + self.unit * self.turned(place)
    }

    pub fn velocity(&self) -> Vec2 {
        self.unit * self.turned(Vec2::new(self.speed, 0.0))
    }

    /// A place of the scene, from a point of the world relative to where the scene's origin is now.
    pub fn place(&self, offset: DVec2) -> DVec2 {
        let rotation = self.rotation.as_dvec2();
        let turned = DVec2::new(rotation.dot(offset), rotation.perp_dot(offset));
        let side = if self.mirrored { -1.0 } else { 1.0 };
        DVec2::new(side * turned.x, turned.y) / f64::from(self.unit)
    }
}

// One small scene in many frames: a vessel of three slabs, described in its own units and built in
// those of the world.

/// Distance of the particles of the plain scene, in its own units.
const SPACING: f32 = 8.0;
const GRAVITY: f32 = 200.0;
/// Inner width of the vessel, and the height and thickness of its walls: in tiles of 20, too.
const WIDTH: f32 = 280.0;
const HEIGHT: f32 = 400.0;
const THICKNESS: f32 = 20.0;
/// Half the size of the body.
const HALF_BODY: Vec2 = Vec2::new(28.0, 16.0);
const BODY_DENSITY: f32 = 0.5;
/// Height of the tap's mouth, its place, and for how long it runs.
const TAP: Vec2 = Vec2::new(70.0, 130.0);
const TAP_WIDTH: f32 = 32.0;
const TAP_SPEED: f32 = 150.0;
const TAP_SECONDS: f32 = 2.0;
/// Drag while the content settles, in 1/T0.
const SETTLING_DRAG: f32 = 1.0;

/// The scene's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A column of liquid at the left wall, which collapses.
    Dam,
    /// A box that falls into a pool and floats.
    Body,
    /// A column of sand at the left wall, which collapses.
    Powder,
    /// A block of jelly that falls on the floor.
    Jelly,
    /// A tap that pours into a shallow pool.
    Tap,
}

impl Content {
    /// The lower left and the upper right corner of the particles at the beginning.
    fn block(self) -> (Vec2, Vec2) {
        let (low, size) = match self {
            Self::Dam => (Vec2::ZERO, Vec2::new(112.0, 176.0)),
            Self::Body => (Vec2::ZERO, Vec2::new(WIDTH, 80.0)),
            Self::Powder => (Vec2::ZERO, Vec2::new(100.0, 120.0)),
            Self::Jelly => (Vec2::new(100.0, 16.0), Vec2::new(96.0, 64.0)),
            Self::Tap => (Vec2::ZERO, Vec2::new(WIDTH, 32.0)),
        };
        (low, low + size)
    }

    fn class(self) -> DensityClass {
        let elasticity = (self == Self::Jelly).then(FluidElasticity::default);
        let powder = (self == Self::Powder).then(FluidPowder::default);
        DensityClass { name: "content".into(), elasticity, powder, ..DensityClass::default() }
    }

    /// The time for which it settles, in seconds, before anything is let go: jelly starts in the air.
    fn settles_for(self) -> f32 {
        if self == Self::Jelly { 0.0 } else { 1.5 }
    }

    /// Whether a dam holds it while it settles.
    fn is_dammed(self) -> bool {
        matches!(self, Self::Dam | Self::Powder)
    }

    /// The moments of its first motion, in seconds.
    fn first_moments(self) -> [f64; 3] {
        if self == Self::Jelly { [0.3, 0.4, 0.5] } else { [0.2, 0.3, 0.4] }
    }

    /// The time over which its later numbers are averaged, in seconds: a dam still sloshes then.
    fn later(self) -> (f64, f64) {
        match self {
            Self::Dam => (7.0, 9.0),
            Self::Body | Self::Tap => (6.0, 8.0),
            Self::Powder | Self::Jelly => (3.0, 4.0),
        }
    }
}

/// The scene while it runs.
struct Running {
    frame: Frame,
    content: Content,
    world: FluidWorld,
    floor: ColliderId,
    /// The floor's first centre.
    floor_start: Vec2,
    body: Option<ColliderId>,
    tap: Option<Emitter>,
    /// The number of the scene's own particles at the beginning.
    count: usize,
    /// Particles that belong to the neighbour.
    others: usize,
}

impl Running {
    fn new(solver: FluidSolver, content: Content, frame: Frame) -> Self {
        let (parameters, class, body) = settings(solver, content, frame);
        let places = places(content, parameters.particle_spacing / frame.unit, frame.disturbance);
        let count = places.len();
        let mut world = FluidWorld::default();
        let set_up = |world: &mut FluidWorld| {
            world.set_parameters(parameters).expect("valid");
            let table = ClassTable::new(vec![class.clone()]).expect("valid");
            world.set_classes(table).expect("valid");
        };
        let spawn = |world: &mut FluidWorld| {
            let velocity = frame.velocity();
            let particle = |place: Vec2| ParticleSpawn {
                position: frame.point(place),
                velocity,
                class: ClassId(0),
                ..Default::default()
            };
            for index in 0..count {
                let reversed = frame.order == Order::ParticlesReversed;
                let index = if reversed { count - 1 - index } else { index };
                world.spawn(particle(places[index])).expect("valid");
            }
        };
        let mut walls = walls(frame);
        let floor_start = walls[0].centre();
        set_up(&mut world);
        let floor = if frame.order == Order::WallsLast {
            spawn(&mut world);
            walls.reverse();
            insert(&mut world, walls).pop()
        } else {
            let ids = insert(&mut world, walls);
            spawn(&mut world);
            ids.first().copied()
        };
        let others = if frame.neighbour { add_neighbour(&mut world) } else { 0 };
        let floor = floor.expect("a floor");
        settle(&mut world, content, frame);
        let body = body.map(|body| {
            let moved = world.collider(floor).expect("there").centre() - floor_start;
            let motion = body.motion();
            let body = body.clone().with_pose(Pose::new(body.centre() + moved, frame.rotation));
            world.insert_collider(body.and_then(|body| body.with_motion(motion)).expect("valid"))
        });
        let tap = (content == Content::Tap).then(|| {
            let speed = TAP_SPEED * frame.unit;
            // The same area per second at any spacing.
            let spacing = parameters.particle_spacing;
            let rate = Some(TAP_WIDTH * frame.unit * speed / (spacing * spacing));
            // A slot of whole columns of all spacings.
            let jet = EmitterSettings::jet(1.08 * TAP_WIDTH * frame.unit, speed);
            Emitter::new(EmitterSettings { class: ClassId(0), rate, ..jet }).expect("valid")
        });
        Self { frame, content, world, floor, floor_start, body, tap, count, others }
    }

    fn step(&mut self) {
        let dt = 1.0 / self.frame.ticks_per_second;
        if let Some(tap) = &mut self.tap
            && self.world.time() < f64::from(TAP_SECONDS) - 1e-3
        {
            let floor = self.world.collider(self.floor).expect("there").centre();
            let mouth = self.frame.point(TAP) + (floor - self.floor_start);
            let down = self.frame.rotation.rotate(Vec2::NEG_X);
            let before = Pose::new(mouth - self.frame.velocity() * dt, down);
            let now = Pose::new(mouth, down);
            let report = tap.emit(self.world.liquid_mut(), before, now, dt).expect("valid");
            assert_eq!(report.refused, 0, "{report:?}");
        }
        self.world.step(dt, &SerialExecutor).expect("valid");
    }

    /// A place of the scene, from a point of the world.
    fn place(&self, point: Vec2) -> DVec2 {
        let moved = self.world.collider(self.floor).expect("there").centre().as_dvec2()
            - self.floor_start.as_dvec2();
        self.frame.place(point.as_dvec2() - self.frame.origin.as_dvec2() - moved)
    }

    /// The places of the scene's own particles.
    fn places(&self) -> Vec<DVec2> {
        let particles = self.world.particles();
        let own = |(number, _): &(usize, usize)| {
            *number < self.count || *number >= self.count + self.others
        };
        let indices = particles.indices_by_slot().enumerate().filter(own);
        indices.map(|(_, index)| self.place(particles.positions()[index])).collect()
    }

    /// Its numbers at a moment of the first motion: where its foremost twentieth is, the centre of mass, and
    /// the body's height, in spacings of the plain scene.
    fn first_motion(&self) -> Vec<f64> {
        let places = self.places();
        let centre = places.iter().sum::<DVec2>() / places.len() as f64;
        let mut ways: Vec<f64> = places.iter().map(|place| place.x).collect();
        ways.sort_unstable_by(f64::total_cmp);
        let foremost = &ways[ways.len() - ways.len().div_ceil(20)..];
        let front = foremost.iter().sum::<f64>() / foremost.len() as f64;
        let mut found = match self.content {
            Content::Dam | Content::Powder => vec![front, centre.x, centre.y],
            Content::Jelly | Content::Tap | Content::Body => vec![centre.x, centre.y],
        };
        found.extend(self.height_of_body());
        found.iter().map(|value| value / f64::from(SPACING)).collect()
    }

    fn height_of_body(&self) -> Option<f64> {
        let body = self.world.collider(self.body?).expect("there");
        Some(self.place(body.centre()).y)
    }

    /// Its later numbers: the centre of mass, levels at the left and the right or the width, and the
    /// body's height, which comes last.
    fn later(&self) -> Vec<f64> {
        let places = self.places();
        let centre = places.iter().sum::<DVec2>() / places.len() as f64;
        let mut found = vec![centre.x, centre.y];
        let spacing = f64::from(self.world.parameters().particle_spacing / self.frame.unit);
        match self.content {
            Content::Dam | Content::Body | Content::Tap => {
                let third = f64::from(WIDTH) / 3.0;
                let level = |low: f64| {
                    let inside = places.iter().filter(|at| at.x > low && at.x < low + third);
                    inside.count() as f64 * spacing * spacing / third
                };
                found.extend([level(0.0), level(2.0 * third)]);
            }
            Content::Powder | Content::Jelly => {
                let variance = places.iter().map(|at| (at.x - centre.x).powi(2)).sum::<f64>()
                    / places.len() as f64;
                // That of an even block.
                found.push((12.0 * variance).sqrt());
            }
        }
        found.extend(self.height_of_body());
        found.iter().map(|value| value / f64::from(SPACING)).collect()
    }
}

/// What was measured of a run, in spacings of the plain scene.
#[derive(Clone, Debug)]
pub struct Outcome {
    first: Vec<f64>,
    late: Vec<f64>,
    /// The last places of the scene's own particles.
    places: Vec<DVec2>,
}

impl Outcome {
    pub fn of(solver: FluidSolver, content: Content, frame: Frame) -> Self {
        let mut running = Running::new(solver, content, frame);
        let moments = content.first_moments();
        // This solver simmers for ever, and takes ten times as long.
        let share = if solver == FluidSolver::Classic { 0.3 } else { 1.0 };
        let (from, to) = content.later();
        let (from, to) = (share * from, share * to);
        let mut first = vec![];
        let mut sum: Vec<f64> = vec![];
        let mut count = 0.0;
        let half_tick = 0.5 / f64::from(frame.ticks_per_second);
        let mut next = moments.iter().peekable();
        while running.world.time() < to - half_tick {
            running.step();
            let time = running.world.time();
            if next.next_if(|moment| time > **moment - half_tick).is_some() {
                first.extend(running.first_motion());
            }
            if time > from + half_tick {
                let found = running.later();
                sum.resize(found.len(), 0.0);
                sum.iter_mut().zip(found).for_each(|(sum, value)| *sum += value);
                count += 1.0;
            }
        }
        let late = sum.iter().map(|sum| sum / count).collect();
        Self { first, late, places: running.places() }
    }

    /// How far two runs are apart.
    pub fn apart(&self, other: &Self) -> Apart {
        let largest =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        Apart {
            first: largest(&self.first, &other.first),
            late: largest(&self.late, &other.late),
            bits: self.places == other.places,
        }
    }
}

/// How far two runs are apart, in spacings of the plain scene.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// The largest difference of the numbers in the first motion.
    pub first: f64,
    /// The same of the later ones.
    pub late: f64,
    /// Whether all particles are at the same places, to the bit.
    pub bits: bool,
}

/// The settings, the class, and the body of a scene in the world's units.
fn settings(
    solver: FluidSolver,
    content: Content,
    frame: Frame,
) -> (FluidParameters, DensityClass, Option<Collider>) {
    let gravity = frame.unit * frame.turned(Vec2::new(0.0, -GRAVITY));
    let parameters = FluidParameters {
        solver,
        sleeping: FluidSleeping::OFF,
        reference_acceleration: GRAVITY * frame.unit,
        ..FluidParameters::new(SPACING * frame.unit, gravity)
    };
    let shape = FluidShape::Rectangle { half_size: frame.unit * HALF_BODY };
    let body = Body::of_density(BODY_DENSITY, &shape, parameters.particle_spacing);
    let body = SceneCollider {
        shape,
        centre: frame.point(Vec2::new(0.5 * WIDTH, 112.0)),
        rotation: frame.rotation,
        wall: Default::default(),
        motion: Motion { velocity: frame.velocity(), ..Motion::STILL },
        options: ColliderOptions { body: Some(body.expect("valid")), ..Default::default() },
    };
    let (low, high) = content.block();
    let half_size = 0.5 * frame.unit * (high - low);
    let block = SceneBlock {
        fill: SceneFill::Filled {
            shape: FluidShape::Rectangle { half_size },
            spacing: 1.0,
            clipped: false,
        },
        centre: Vec2::ZERO,
        class: Some("content".into()),
        velocity: Vec2::ZERO,
        velocity_scatter: 0.0,
        spin: 0.0,
        temperature: None,
        paint: None,
    };
    let mut scene = Scene {
        parameters,
        classes: vec![content.class()],
        colliders: vec![body],
        blocks: vec![block],
        ..Scene::default()
    };
    if frame.particles != 1.0 {
        let present = scene.build().expect("valid").particles().len();
        let wanted = (present as f32 * frame.particles).round() as usize;
        scene = scene.with_particles(wanted).expect("valid");
    }
    let stated = &scene.colliders[0];
    let body = (content == Content::Body).then(|| {
        let collider = Collider::new(stated.shape.clone(), stated.centre, stated.rotation);
        let collider = collider.and_then(|collider| collider.with_motion(stated.motion));
        collider.and_then(|collider| collider.with_options(stated.options)).expect("valid")
    });
    (scene.parameters, scene.classes[0].clone(), body)
}

/// The first places of the particles, with a spacing in the scene's own units.
fn places(content: Content, spacing: f32, disturbance: u32) -> Vec<Vec2> {
    let (low, high) = content.block();
    let size = high - low;
    let pitch = 1.03 * spacing;
    let columns = (size.x / pitch).round() as u32;
    // Any spacing fills the same area: the last row may be looser.
    let count = (size.x * size.y / (pitch * pitch)).round() as u32;
    let place = |index: u32| {
        let (column, row) = (index % columns, index / columns);
        let in_row = columns.min(count - row * columns);
        let step = Vec2::new(size.x / in_row as f32, pitch);
        let shift = if disturbance > 0 {
            1e-3 * scatter(index + 100_000 * disturbance)
        } else {
            Vec2::ZERO
        };
        let cell = Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
        low + (cell + 0.02 * scatter(index) + shift) * step
    };
    (0..count).map(place).collect()
}

/// The floor and both walls, each a slab or a row of tiles; the floor's first part comes first.
fn walls(frame: Frame) -> Vec<Collider> {
    let mut walls = vec![];
    let mut slab = |low: Vec2, high: Vec2| {
        let size = high - low;
        let tiles = if frame.tiled { size / THICKNESS } else { Vec2::ONE };
        let half_size = 0.5 * size / tiles;
        for row in 0..tiles.y as u32 {
            for column in 0..tiles.x as u32 {
                let cell = Vec2::new(column as f32, row as f32);
                let centre = low + (2.0 * cell + 1.0) * half_size;
                let shape = FluidShape::Rectangle { half_size: frame.unit * half_size };
                let wall = Collider::new(shape, frame.point(centre), frame.rotation);
                let motion = Motion { velocity: frame.velocity(), ..Motion::STILL };
                walls.push(wall.and_then(|wall| wall.with_motion(motion)).expect("valid"));
            }
        }
    };
    slab(Vec2::new(-THICKNESS, -THICKNESS), Vec2::new(WIDTH + THICKNESS, 0.0));
    slab(Vec2::new(-THICKNESS, 0.0), Vec2::new(0.0, HEIGHT));
    slab(Vec2::new(WIDTH, 0.0), Vec2::new(WIDTH + THICKNESS, HEIGHT));
    walls
}

fn insert(world: &mut FluidWorld, colliders: Vec<Collider>) -> Vec<ColliderId> {
    colliders.into_iter().map(|collider| world.insert_collider(collider)).collect()
}

/// Lets the content come to rest with extra drag, behind a dam if it has one.
fn settle(world: &mut FluidWorld, content: Content, frame: Frame) {
    let parameters = *world.parameters();
    let mut dragged = parameters;
    dragged.settling.drag = SETTLING_DRAG;
    world.set_parameters(dragged).expect("valid");
    let dam = content.is_dammed().then(|| {
        let centre = Vec2::new(content.block().1.x + 0.5 * THICKNESS, 0.5 * HEIGHT);
        let half_size = 0.5 * frame.unit * Vec2::new(THICKNESS, HEIGHT);
        let shape = FluidShape::Rectangle { half_size };
        let dam = Collider::new(shape, frame.point(centre), frame.rotation);
        let motion = Motion { velocity: frame.velocity(), ..Motion::STILL };
        world.insert_collider(dam.and_then(|dam| dam.with_motion(motion)).expect("valid"))
    });
    for _ in 0..(content.settles_for() * frame.ticks_per_second).round() as u32 {
        world.step(1.0 / frame.ticks_per_second, &SerialExecutor).expect("valid");
    }
    dam.map(|dam| world.remove_collider(dam));
    world.set_parameters(parameters).expect("valid");
    world.reset_clock();
}

/// Puts a vessel of its own with a shallow pool far away, and returns the number of its particles.
fn add_neighbour(world: &mut FluidWorld) -> usize {
    let frame = Frame { origin: Vec2::new(6000.0, 300.0), ..Frame::PLAIN };
    for wall in walls(frame) {
        world.insert_collider(wall);
    }
    let places = places(Content::Tap, SPACING, 0);
    for place in &places {
        let position = frame.point(*place);
        let particle = ParticleSpawn { position, class: ClassId(0), ..Default::default() };
        world.spawn(particle).expect("valid");
    }
    places.len()
}
