//! Experiments that are run on a device too, with their scenes: a dam break, a hydrostatic column, a standing wave, the
//! Rayleigh-Taylor instability, a weightless blob, an impact and momentum. Solvers are compared by most of them.

use std::f64::consts::TAU;

use blob_fluid::measure::{Report, measure};
use blob_fluid::scene::{Scene, SceneFill};
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::*;
use glam::{DVec2, Vec2};

use super::run_until;
use crate::page::Finding;
use crate::plot::{Series, line, plot, points};

pub const TICK: f32 = 1.0 / 60.0;

/// A scene from `assets/scenes`, in which nothing sleeps.
pub fn scene(name: &str) -> Scene {
    let folder = "../../assets/scenes";
    let path = format!("{folder}/{name}.scene.ron");
    let mut scene = Scene::read(path.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    scene.parameters.sleeping = FluidSleeping::OFF;
    scene
}

// Dam break.

const FRONT: &str = include_str!("../martin_moyce_1952_n2_2_front.csv");
const HEIGHT: &str = include_str!("../martin_moyce_1952_n2_2_height.csv");

/// The results of a dam break.
pub struct DamBreak {
    /// Height of the settled column, in widths.
    pub settled: f64,
    /// Times in seconds, and positions of the front in widths.
    pub front: Vec<(f64, f64)>,
    /// Times in seconds, and heights at the wall in widths.
    pub height: Vec<(f64, f64)>,
    /// In world units.
    pub width: f64,
    pub gravity: f64,
}

impl DamBreak {
    /// Runs the dam break of a scene.
    pub fn of(scene: &Scene) -> Self {
        let mut world = scene.start(&SerialExecutor).expect("valid");
        let width = f64::from(scene.column_width.expect("a dam break's scene"));
        let settled = measure(&world).max_height / width;
        let (mut front, mut height) = (vec![], vec![]);
        let mut note = |world: &FluidWorld| {
            front.push((world.time(), measure(world).front_x / width));
            height.push((world.time(), height_at_wall(world, 0.1 * width) / width));
        };
        note(&world);
        run_until(&mut world, scene.duration, note);
        let gravity = f64::from(world.parameters().gravity.length());
        Self { settled, front, height, width, gravity }
    }

    /// The front's unit of time in the table, per second.
    fn per_front(&self) -> f64 {
        (2.0 * self.gravity / self.width).sqrt()
    }

    /// The front in the units of its table.
    fn scaled_front(&self) -> Vec<(f64, f64)> {
        self.front.iter().map(|(t, z)| (t * self.per_front(), *z)).collect()
    }

    /// The height in the units of its table: relative to that at the beginning of the experiment.
    fn scaled_height(&self) -> Vec<(f64, f64)> {
        let per_height = (self.gravity / self.width).sqrt();
        self.height.iter().map(|(t, h)| (t * per_height, h / 2.0)).collect()
    }

    /// The rms relative error of the front from T = 0.84 on.
    pub fn front_error(&self) -> f64 {
        let (front, table) = (self.scaled_front(), table(FRONT));
        let late = table.iter().filter(|(time, _)| *time >= 0.84);
        rms(&late.map(|(time, z)| (at(&front, *time) - z) / z).collect::<Vec<_>>())
    }

    /// The rms error of the height at the wall, in initial heights.
    pub fn height_error(&self) -> f64 {
        let (height, table) = (self.scaled_height(), table(HEIGHT));
        rms(&table.iter().map(|(time, h)| at(&height, *time) - h).collect::<Vec<_>>())
    }
}

/// Height up to which the liquid fills at least half of the strip `reach` wide at the wall: a film
/// two particles thick stays on the wall above it.
fn height_at_wall(world: &FluidWorld, reach: f64) -> f64 {
    let spacing = f64::from(world.parameters().particle_spacing);
    let step = 2.0 * spacing;
    let mut counts = vec![0.0; 200];
    for position in world.particles().positions().iter().filter(|p| f64::from(p.x) < reach) {
        if let Some(count) = counts.get_mut((f64::from(position.y) / step) as usize) {
            *count += 1.0;
        }
    }
    let half_full = 0.5 * reach * step / (spacing * spacing);
    let highest = counts.iter().rposition(|count| *count >= half_full);
    highest.map_or(0.0, |slab| (slab + 1) as f64 * step)
}

pub fn dam_break() -> Finding {
    let mut scene = scene("dam_break");
    // The run is as long as the table of heights.
    scene.duration = 9.5;
    let dam = DamBreak::of(&scene);
    let (front_table, height_table) = (table(FRONT), table(HEIGHT));
    let per_front = dam.per_front();
    let (front, height) = (dam.scaled_front(), dam.scaled_height());

    let absolute: Vec<f64> = front_table.iter().map(|(time, z)| at(&front, *time) - z).collect();

    // The fastest possible front, in widths and seconds.
    let fastest = 2.0 * (dam.gravity * dam.settled / dam.width).sqrt();
    let on_table = |time: f64| time * per_front <= 3.33;
    let outran = dam.front.iter().filter(|(t, _)| *t * per_front >= 0.41 && on_table(*t));
    let outran = outran.map(|(t, z)| (z - 1.0) / (fastest * t)).fold(0.0, f64::max);
    let late: Vec<(f64, f64)> =
        dam.front.iter().copied().filter(|(t, _)| *t * per_front >= 2.5 && on_table(*t)).collect();
    let late_speed = slope(&late) / (0.5 * fastest);
    let ritter: Vec<_> = [0.0, 1.6].map(|t: f64| (t, 1.0 + fastest * t / per_front)).to_vec();
    Finding {
        experiment: "dam break",
        description: "A column, twice as high as it is wide, settles behind a dam. At T = 0, the column is \
                      released, like the columns of Martin and Moyce 1952, tables 2 and 6 (n² = 2, a = 2.25 in). \
                      Simulated times begin when the dam is removed, and are compared without an offset. The \
                      height at the wall is measured in a strip along the wall, a tenth of the width wide. This \
                      height is the largest one at which the strip is at least half full.",
        measured: vec![
            ("settled height over width", dam.settled),
            ("rms error of the front, in widths", rms(&absolute)),
            ("rms relative error of the front, 0.84 ≤ T ≤ 3.33", dam.front_error()),
            ("largest way of the front over 2 √(gH) t", outran),
            ("late speed of the front over √(gH)", late_speed),
            ("rms error of the height at the wall, in initial heights", dam.height_error()),
        ],
        plots: vec![
            plot(
                "Front of a dam break",
                "T = t sqrt(2g/a)",
                "front, in widths a",
                vec![
                    line("simulated", front.into_iter().filter(|(t, _)| *t < 3.6).collect()),
                    points("Martin and Moyce 1952", front_table),
                    line("2 sqrt(gH) t", ritter),
                ],
            ),
            plot(
                "Height at the wall of a dam break",
                "t sqrt(g/a)",
                "height, in initial heights 2a",
                vec![
                    line("simulated", height.into_iter().filter(|(t, _)| *t < 7.5).collect()),
                    points("Martin and Moyce 1952", height_table),
                ],
            ),
        ],
    }
}

/// The root of the mean of the squares.
fn rms(errors: &[f64]) -> f64 {
    (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt()
}

/// Reads pairs of numbers, one pair in each line.
fn table(text: &str) -> Vec<(f64, f64)> {
    let rows = text.lines().filter_map(|line| line.split_once(','));
    rows.filter_map(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?))).collect()
}

/// Value at `x`, interpolated between points in ascending order.
pub fn at(line: &[(f64, f64)], x: f64) -> f64 {
    let after = line.partition_point(|point| point.0 < x).clamp(1, line.len() - 1);
    let ((x0, y0), (x1, y1)) = (line[after - 1], line[after]);
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}

/// Slope of the best fitting straight line.
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|point| point.0).sum::<f64>() / count;
    let mean_y = points.iter().map(|point| point.1).sum::<f64>() / count;
    let (mut xx, mut xy) = (0.0, 0.0);
    for (x, y) in points {
        xx += (x - mean_x) * (x - mean_x);
        xy += (x - mean_x) * (y - mean_y);
    }
    xy / xx
}

// Hydrostatic column.

pub fn hydrostatic_column() -> Finding {
    let (shallow, shallow_profile) = settle_column(&scene("deep_pool"), 60.0);
    let (finer, _) = settle_column(&in_two_substeps(), 60.0);
    let (deep, deep_profile) = settle_column(&twice_as_deep(), 60.0);
    Finding {
        experiment: "hydrostatic column",
        description: "A column of one class, 24 particles wide and 50 or 100 deep, stands for 60 s. An \
                      incompressible liquid would be as dense at the bottom as at the top. The plot shows the \
                      number of particles in a slab three interaction radii thick, relative to the mean.",
        measured: vec![
            ("density bottom/top, 50 deep", shallow.bottom_top_density),
            ("density bottom/top, 50 deep, two substeps", finer.bottom_top_density),
            ("density bottom/top, 100 deep", deep.bottom_top_density),
            ("rms speed at 60 s, 50 deep, px/s", shallow.rms_speed),
        ],
        plots: vec![plot(
            "Density of a standing column",
            "depth, in interaction radii",
            "particles per area over the mean",
            vec![line("50 deep", shallow_profile), line("100 deep", deep_profile)],
        )],
    }
}

/// The column of 50 rows, in two substeps per tick.
fn in_two_substeps() -> Scene {
    let mut scene = scene("deep_pool");
    scene.parameters.substeps = Substeps::Fixed(2);
    scene
}

/// A column of 100 rows.
pub fn twice_as_deep() -> Scene {
    let mut deep = scene("deep_pool");
    let half_size = Vec2::new(95.4, 600.0);
    deep.containers[0].shape = FluidShape::Rectangle { half_size };
    deep.containers[0].centre = Vec2::new(0.0, 600.0);
    deep.blocks[0].fill = SceneFill::Lattice { columns: 24, rows: 100, spacing: 1.007 };
    deep.blocks[0].centre.y *= 2.0;
    deep
}

/// The column after some seconds, and its densities by depth.
pub fn settle_column(scene: &Scene, seconds: f64) -> (Report, Vec<(f64, f64)>) {
    let mut world = scene.start(&SerialExecutor).expect("valid");
    run_until(&mut world, seconds, |_| {});
    (measure(&world), profile(&world))
}

/// Relative number of particles by depth. It leaves out the slabs at the surface and at the floor,
/// because the particles form layers there.
fn profile(world: &FluidWorld) -> Vec<(f64, f64)> {
    let radius = f64::from(world.parameters().interaction_radius());
    let heights: Vec<f64> = world.particles().positions().iter().map(|p| f64::from(p.y)).collect();
    let top = heights.iter().copied().fold(f64::MIN, f64::max);
    // A slab contains many rows of particles. In thinner slabs the edges would have a larger effect
    // than the density.
    let thickness = 3.0 * radius;
    let mut counts = vec![0.0; ((top - 2.0 * radius) / thickness) as usize];
    for height in heights {
        let slab = (top - radius - height) / thickness;
        if let Some(count) = counts.get_mut(slab as usize).filter(|_| slab >= 0.0) {
            *count += 1.0;
        }
    }
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let middle = |slab: usize| 1.0 + 3.0 * (slab as f64 + 0.5);
    counts.iter().enumerate().map(|(slab, count)| (middle(slab), count / mean)).collect()
}

// Standing wave.

/// Slope of the surface at the beginning of the wave.
const TILT: f32 = 0.05;

pub fn standing_wave() -> Finding {
    // Depth and width, in particles.
    let wave = |name, rows, columns| wave(name, rows, columns, FluidSolver::default());
    let (flat, flat_wave) = wave("h/L = 0.1", 20, 200);
    let (middle, middle_wave) = wave("h/L = 0.2", 26, 130);
    let (half, half_wave) = wave("h/L = 0.5", 40, 80);
    let (deep, deep_wave) = wave("h/L = 1", 80, 80);
    Finding {
        experiment: "standing wave",
        description: "A tank of length L with liquid of depth h is tilted until the liquid is calm. Then it is put \
                      upright, and there is no drag. The centre of the liquid rocks with the period T of the \
                      tank's first mode. T is computed from the times at which the centre passes the middle.",
        measured: vec![
            ("T √(g/L), h/L = 0.1", flat),
            ("T √(g/L), h/L = 0.2", middle),
            ("T √(g/L), h/L = 0.5", half),
            ("T √(g/L), h/L = 1", deep),
        ],
        plots: vec![plot(
            "Standing waves",
            "t sqrt(g/L)",
            "centre of the liquid, relative to its first place",
            vec![flat_wave, middle_wave, half_wave, deep_wave],
        )],
    }
}

/// `T sqrt(g/L)` of a tank, and the motion of its liquid's centre.
pub fn wave(name: &'static str, rows: usize, columns: usize, solver: FluidSolver) -> (f64, Series) {
    let resting = FluidParameters { solver, ..FluidParameters::default() };
    let spacing = 1.007 * resting.particle_spacing;
    let length = spacing * columns as f32;
    let gravity = resting.gravity.length();
    let tilted = FluidParameters {
        gravity: gravity * Vec2::new(TILT, -1.0).normalize(),
        settling: Settling { drag: 0.3, ..Settling::default() },
        ..resting
    };
    let mut world = FluidWorld::new(tilted).expect("valid");
    let half_size = Vec2::new(0.5 * length, 2.0 * length.max(spacing * rows as f32));
    let tank = Container::rectangle(Vec2::new(0.0, half_size.y), half_size).expect("valid");
    world.insert_container(tank);
    for number in 0..rows * columns {
        let cell = Vec2::new((number % columns) as f32, (number / columns) as f32);
        let position = (cell + 0.5) * spacing - Vec2::new(0.5 * length, 0.0);
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
    }
    run_until(&mut world, 20.0, |_| {});
    let upright = FluidParameters { settling: Settling::OFF, ..resting };
    world.set_parameters(upright).expect("valid");
    world.reset_clock();

    let unit = f64::from((length / gravity).sqrt());
    let first = centre(&world);
    let mut indices = vec![(0.0, 1.0)];
    run_until(&mut world, 18.0 * unit, |world| {
        indices.push((world.time() / unit, centre(world) / first));
    });
    // The centre passes the middle in every half period.
    let crossings: Vec<f64> = indices
        .windows(2)
        .filter(|pair| (pair[0].1 > 0.0) != (pair[1].1 > 0.0))
        .map(|pair| {
            let ((t0, x0), (t1, x1)) = (pair[0], pair[1]);
            t0 + (t1 - t0) * x0 / (x0 - x1)
        })
        .collect();
    let numbered: Vec<(f64, f64)> =
        crossings.iter().take(5).enumerate().map(|(n, t)| (n as f64, *t)).collect();
    (2.0 * slope(&numbered), line(name, indices))
}

/// Mean x coordinate.
fn centre(world: &FluidWorld) -> f64 {
    let positions = world.particles().positions();
    positions.iter().map(|position| f64::from(position.x)).sum::<f64>() / positions.len() as f64
}

// Rayleigh-Taylor instability.

/// Masses of the liquid above and of the liquid below.
const MASSES: [f64; 2] = [3.0, 1.0];
/// Amplitudes of the wave, in wavelengths: at the beginning, and between which the growth is
/// measured. At the last one, the wave is as high as a fifth of its length.
const AMPLITUDES: [f64; 3] = [0.02, 0.03, 0.1];

pub fn rayleigh_taylor() -> Finding {
    let (short, short_wave) = growth("60 particles long", 60, 1.0);
    let (long, long_wave) = growth("120 particles long", 60, 0.5);
    Finding {
        experiment: "Rayleigh-Taylor instability",
        description: "A liquid of mass 3 is above a liquid of mass 1 in a tank, each half a wavelength deep, \
                      without drag. At first, both are one calm liquid. This liquid is divided along a small \
                      wave, and set in motion as linear theory predicts. The amplitude is the Fourier coefficient \
                      of the height of the lower liquid along the tank, at the wave number of that small wave. \
                      The rate is fitted while the wave is 3/50 to 1/5 as high as it is long.",
        measured: vec![
            ("growth rate over √(A g k), wave of 60 particles", short),
            ("growth rate over √(A g k), wave of 120 particles", long),
        ],
        plots: vec![plot(
            "Growth of a wave between two liquids",
            "t sqrt(A g k)",
            "ln(amplitude / first amplitude)",
            vec![short_wave, long_wave, line("theory", vec![(0.0, 0.0), (1.6, 1.6)])],
        )],
    }
}

/// Growth rate relative to linear theory, and the logarithm of the amplitude over time. The tank is
/// `columns` particles and `waves` wavelengths wide.
#[expect(clippy::disallowed_methods, reason = "rounding decides nothing here")]
fn growth(name: &'static str, columns: usize, waves: f64) -> (f64, Series) {
    let calm = calm_liquid(columns, (columns as f64 / waves).round() as usize);
    let resting = *calm.parameters();
    let length = f64::from(width(&resting, columns));
    let wavelength = length / waves;
    let (number, depth) = (TAU / wavelength, 0.5 * wavelength);
    let [heavy, light] = MASSES;
    let gravity = f64::from(resting.gravity.length());
    let rate = ((heavy - light) / (heavy + light) * gravity * number).sqrt();

    // Nothing but gravity and pressure acts.
    let upright = FluidParameters { settling: Settling::OFF, segregation: 0.0, ..resting };
    let mut world = FluidWorld::new(upright).expect("valid");
    let class = |name: &str, mass: f64| DensityClass {
        name: name.into(),
        mass: mass as f32,
        ..Default::default()
    };
    let classes = vec![class("heavy", heavy), class("light", light)];
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("no particles yet");
    world.insert_container(tank(&resting, columns));
    // The lower liquid is half of the whole.
    let mut heights: Vec<f64> =
        calm.particles().positions().iter().map(|position| f64::from(position.y)).collect();
    heights.sort_by(f64::total_cmp);
    let interface = heights[heights.len() / 2];
    let first = AMPLITUDES[0] * wavelength;
    for position in calm.particles().positions() {
        let phase = number * (f64::from(position.x) + 0.5 * length);
        let height = f64::from(position.y) - interface;
        let is_below = height < first * phase.cos();
        let from_end = number * (depth - height.abs()).max(0.0);
        let speed = rate * first / (number * depth).sinh();
        let sideways = if is_below { -1.0 } else { 1.0 };
        let velocity = Vec2::new(
            (sideways * speed * phase.sin() * from_end.cosh()) as f32,
            (speed * phase.cos() * from_end.sinh()) as f32,
        );
        let class = ClassId(u8::from(is_below));
        let spawn = ParticleSpawn { position: *position, velocity, class, ..Default::default() };
        world.spawn(spawn).expect("valid");
    }

    let begin = amplitude(&world, number, length);
    let mut indices = vec![(0.0, 0.0)];
    run_until(&mut world, 2.0 / rate, |world| {
        let now = amplitude(world, number, length);
        indices.push((world.time() * rate, (now / begin).max(1e-3).ln()));
    });
    let [from, to] = [AMPLITUDES[1], AMPLITUDES[2]].map(|part| (part * wavelength / begin).ln());
    let end = indices.iter().position(|point| point.1 > to).unwrap_or(indices.len());
    let fitted: Vec<(f64, f64)> =
        indices[..end].iter().copied().filter(|point| point.1 >= from).collect();
    (slope(&fitted), line(name, indices[..end].to_vec()))
}

/// Width of a tank that is a number of particles wide.
fn width(parameters: &FluidParameters, columns: usize) -> f32 {
    1.007 * parameters.particle_spacing * columns as f32
}

fn tank(parameters: &FluidParameters, columns: usize) -> Container {
    let width = width(parameters, columns);
    let half_size = Vec2::new(0.5 * width, 2.0 * width);
    Container::rectangle(Vec2::new(0.0, half_size.y), half_size).expect("valid")
}

/// One liquid in the tank, at rest.
fn calm_liquid(columns: usize, rows: usize) -> FluidWorld {
    let usual = FluidParameters::default();
    let settling = Settling { drag: 0.3, ..Settling::default() };
    let mut world = FluidWorld::new(FluidParameters { settling, ..usual }).expect("valid");
    world.insert_container(tank(&usual, columns));
    let spacing = width(&usual, columns) / columns as f32;
    for number in 0..rows * columns {
        let cell = Vec2::new((number % columns) as f32, (number / columns) as f32);
        let origin = Vec2::new(0.5 * width(&usual, columns), 0.0);
        let position = (cell + 0.5) * spacing - origin;
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
    }
    run_until(&mut world, 12.0, |_| {});
    world
}

/// Amplitude of the interface: the Fourier coefficient of the lower liquid, whose other borders are
/// flat.
#[expect(clippy::disallowed_methods, reason = "rounding decides nothing here")]
fn amplitude(world: &FluidWorld, number: f64, length: f64) -> f64 {
    let particles = world.particles();
    let per_area = {
        let spacing = 1.007 * f64::from(world.parameters().particle_spacing);
        1.0 / (spacing * spacing)
    };
    let all = particles.positions().iter().zip(particles.classes());
    let lower = all.filter(|(_, class)| **class == ClassId(1));
    let sum: f64 =
        lower.map(|(position, _)| (number * (f64::from(position.x) + 0.5 * length)).cos()).sum();
    2.0 * sum / (per_area * length)
}

// Weightless blob.

pub fn weightless_blob() -> Finding {
    let mut square = scene("free_blob").start(&SerialExecutor).expect("valid");
    let square_roundness = watch_roundness(&mut square, 30.0);
    let at_ten = square_roundness.iter().find(|(t, _)| *t >= 9.99).expect("that late").1;
    let end = measure(&square);

    let mut pair = two_blobs();
    let pair_roundness = watch_roundness(&mut pair, 20.0);
    Finding {
        experiment: "weightless blob",
        description: "Without gravity, surface tension rounds a square, and joins two discs that are 0.4 radii \
                      apart. Roundness is 4π area / perimeter².",
        measured: vec![
            ("roundness of a square after 10 s", at_ten),
            ("roundness of a square after 30 s", end.roundness),
            ("least spacing after 30 s, h", end.least_spacing),
            ("roundness of two that merged, after 20 s", measure(&pair).roundness),
        ],
        plots: vec![plot(
            "Roundness of weightless blobs",
            "s",
            "roundness",
            vec![line("square", square_roundness), line("two discs", pair_roundness)],
        )],
    }
}

fn two_blobs() -> FluidWorld {
    let parameters = FluidParameters::new(30.0 / 3.8, Vec2::ZERO);
    let mut world = FluidWorld::new(parameters).expect("valid");
    let (h, spacing) = (parameters.interaction_radius(), 1.04 * parameters.particle_spacing);
    let radius = spacing * (500.0 / std::f32::consts::PI).sqrt();
    for side in [-1.0, 1.0] {
        let centre = Vec2::new(side * (radius + 0.2 * h), 0.0);
        for position in fermat_spiral(centre, radius, 500) {
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
        }
    }
    world
}

/// Roundness during the run, twice a second.
pub fn watch_roundness(world: &mut FluidWorld, seconds: f64) -> Vec<(f64, f64)> {
    let mut found = vec![(0.0, measure(world).roundness)];
    run_until(world, seconds, |world| {
        if world.ticks() % 30 == 0 {
            found.push((world.time(), measure(world).roundness));
        }
    });
    found
}

// Impact.

pub fn impact() -> Finding {
    let [slow, fast, fastest] =
        [1000.0, 2000.0, 4000.0].map(|speed| energies_of_impact(speed, FluidSolver::default()));
    Finding {
        experiment: "impact",
        description: "A block of 30 by 30 particles hits the floor. The block must not gain kinetic energy from \
                      the impact.",
        measured: vec![
            ("largest energy over that before, 1000 px/s", largest_energy(&slow)),
            ("largest energy over that before, 2000 px/s", largest_energy(&fast)),
            ("largest energy over that before, 4000 px/s", largest_energy(&fastest)),
        ],
        plots: vec![plot(
            "Energy of a block that hits the floor",
            "s",
            "kinetic energy over that before",
            vec![line("1000 px/s", slow), line("2000 px/s", fast), line("4000 px/s", fastest)],
        )],
    }
}

/// The largest of some energies.
pub fn largest_energy(energies: &[(f64, f64)]) -> f64 {
    energies.iter().map(|energy| energy.1).fold(0.0, f64::max)
}

/// Times, and kinetic energies over that before the impact.
pub fn energies_of_impact(speed: f32, solver: FluidSolver) -> Vec<(f64, f64)> {
    let parameters = FluidParameters { solver, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let floor = Container::rectangle(Vec2::new(0.0, 5e4), Vec2::new(1000.0, 5e4));
    world.insert_container(floor.expect("valid"));
    let spacing = 1.05 * world.parameters().particle_spacing;
    for number in 0..900 {
        let cell = Vec2::new((number % 30) as f32 - 14.5, (number / 30) as f32);
        let position = Vec2::new(0.0, 20.0) + (cell + 0.01 * scatter(number)) * spacing;
        let velocity = Vec2::new(0.0, -speed);
        world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
    }
    let before = measure(&world).kinetic_energy;
    let mut found = vec![(0.0, 1.0)];
    run_until(&mut world, 3.0, |world| {
        found.push((world.time(), measure(world).kinetic_energy / before));
    });
    found
}

// Momentum.

pub fn momentum() -> Finding {
    Finding {
        experiment: "momentum",
        description: "A thousand particles of three masses turn, drift and collide without gravity. The error is \
                      the change of the sum of `m v`, relative to the sum of `m |v|`. The same particles also fall \
                      freely, without drag. There, the error is the difference from the momentum that particles \
                      without neighbours gain.",
        measured: vec![
            (
                "relative error after 10 s",
                momentum_error_around(Vec2::splat(300.0), FluidSolver::default()),
            ),
            (
                "relative error after 10 s, 10,000 units from the origin",
                momentum_error_around(Vec2::splat(1e4), FluidSolver::default()),
            ),
            ("relative error after 2 s of free fall while the masses are sorted", error_in_fall()),
        ],
        plots: vec![],
    }
}

/// The error of the sum of `m v` after 10 s, relative to the sum of `m |v|`.
pub fn momentum_error_around(centre: Vec2, solver: FluidSolver) -> f64 {
    let parameters = FluidParameters { solver, ..FluidParameters::new(7.9, Vec2::ZERO) };
    let mut world = drop_around(centre, 1.0, parameters);
    let before = measure(&world);
    run_until(&mut world, 10.0, |_| {});
    let after = measure(&world);
    let change = DVec2::from(after.momentum) - DVec2::from(before.momentum);
    change.length() / before.momentum_scale
}

/// Change of a falling drop's momentum beyond that of the same particles without neighbours,
/// whose additions of gravity are rounded as well.
fn error_in_fall() -> f64 {
    let (settling, substeps) = (Settling::OFF, Substeps::Fixed(2));
    let parameters = FluidParameters { settling, substeps, ..FluidParameters::default() };
    let [(gained, scale), (alone, _)] = [1.0, 100.0].map(|spread| {
        let mut world = drop_around(Vec2::ZERO, spread, parameters);
        let before = DVec2::from(measure(&world).momentum);
        run_until(&mut world, 2.0, |_| {});
        let after = measure(&world);
        (DVec2::from(after.momentum) - before, after.momentum_scale)
    });
    (gained - alone).length() / scale
}

/// A drop of a thousand particles of three masses, turning, drifting and jostling. Their distances
/// are multiplied by `spread`.
fn drop_around(centre: Vec2, spread: f32, parameters: FluidParameters) -> FluidWorld {
    let mut world = FluidWorld::new(parameters).expect("valid");
    for (index, position) in fermat_spiral(centre, 150.0, 1000).into_iter().enumerate() {
        let turning = (position - centre).perp() * 0.5;
        let velocity = turning + scatter(index as u32) * 20.0 + Vec2::new(30.0, -10.0);
        let position = centre + spread * (position - centre);
        let class = ClassId((index % 3) as u8);
        world
            .spawn(ParticleSpawn { position, velocity, class, ..Default::default() })
            .expect("valid");
    }
    world
}
