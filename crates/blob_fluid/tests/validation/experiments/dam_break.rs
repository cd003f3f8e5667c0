use blob_fluid::measure::measure;
use blob_fluid::scene::Scene;
use blob_fluid::{FluidWorld, SerialExecutor};

use super::{run_until, scene};
use crate::page::Finding;
use crate::plot::{line, plot, points};

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

pub fn run() -> Finding {
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
        description: "A column as wide as half its height, settled behind a dam, is let go at T = 0: Martin and Moyce 1952 \
                      (n² = 2, a = 2.25 in), tables 2 and 6. Simulated times are those since the dam went; none is shifted. The height at \
                      the wall is that up to which a strip a tenth of the width is at least half full.",
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
