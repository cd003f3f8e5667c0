//! Time of a step of air per cell, in a chimney and in a house of tiles, and of the projection by multigrid beside Gauss-Seidel at the same
//! residual.
//!
//! The least of many rounds counts, because other programs slow a machine down and nothing speeds it
//! up.

use std::time::{Duration, Instant};

use blob_fluid::air::{
    Air, AirId, AirPass, AirProjection, AirReport, AirSettings, AirSide, AirSides, AirSource,
    AirWorkspace,
};
use blob_fluid::shape::scatter;
use blob_fluid::{
    Collider, ColliderId, Executor, FluidBounds, FluidRegion, FluidWorld, Motion, RayonExecutor,
    SerialExecutor,
};
use glam::Vec2;

const FRAME: f32 = 1.0 / 60.0;

/// Smoke and heat rise in a chimney, 1 high, around discs and bars.
fn chimney(rows: usize, obstacles: bool) -> Air {
    let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::ONE };
    let settings = AirSettings { smoke_weight: 0.1, ..AirSettings::new(Vec2::new(0.0, -2.0)) };
    let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
    let mut air = Air::new(bounds, 1.0 / rows as f32, settings, sides).expect("valid");
    let fire = FluidRegion::circle(Vec2::new(0.5, 0.1), 0.05).expect("valid");
    let source = AirSource { smoke: 2.0, heat: 3.0, ..AirSource::new(fire) };
    air.set_sources(vec![source]).expect("valid");
    if obstacles {
        let post = |index: u32| {
            let centre = Vec2::splat(0.5) + scatter(index) * Vec2::new(0.4, 0.25);
            if index.is_multiple_of(2) {
                Collider::circle(centre, 0.05).expect("valid")
            } else {
                Collider::rectangle(centre, Vec2::new(0.08, 0.004)).expect("valid")
            }
        };
        let posts: Vec<Collider> = (0..8).map(post).collect();
        air.set_solids([], &posts);
    }
    air
}

/// The shortest of some steps, with its report.
fn shortest(air: &mut Air, steps: usize) -> (Duration, AirReport) {
    let mut work = AirWorkspace::default();
    let mut best = (Duration::MAX, AirReport::default());
    let mut mean = 0;
    for _ in 0..steps {
        let begin = Instant::now();
        let report = air.step(FRAME, &mut work, &SerialExecutor).expect("valid");
        mean += report.iterations;
        best.0 = best.0.min(begin.elapsed());
        best.1 = report;
    }
    best.1.iterations = mean / steps as u32;
    best
}

fn main() {
    let rounds = if cfg!(debug_assertions) { 1 } else { 60 };
    report(rounds);
    for rows in [128, 256, 512] {
        for obstacles in [false, true] {
            let mut air = chimney(rows, obstacles);
            for _ in 0..rounds {
                shortest(&mut air, 1);
            }
            let (time, report) = shortest(&mut air, rounds);
            let each = time.as_nanos() as f64 / (air.columns() * air.rows()) as f64;
            println!(
                "{rows:4} rows, obstacles {obstacles:5}: {time:9.2?}, {each:6.1} ns per cell, {} iterations, residual {:.1e}",
                report.iterations, report.residual
            );
        }
    }
    compare_projections(rounds);
}

/// A system of pressures in a square, for the time of a sweep.
struct System {
    columns: usize,
    pressure: Vec<f32>,
    right: Vec<f32>,
    weight_x: Vec<f32>,
    weight_y: Vec<f32>,
    inverse: Vec<f32>,
}

impl System {
    fn new(columns: usize) -> Self {
        let count = (columns + 2) * (columns + 2);
        let list = |value: f32| vec![value; count];
        let right = (0..count as u32).map(|cell| scatter(cell).x).collect();
        let (weight_x, weight_y) = (list(1.0), list(1.0));
        Self { columns, pressure: list(0.0), right, weight_x, weight_y, inverse: list(0.25) }
    }

    /// A sweep of red-black Gauss-Seidel in place.
    fn sweep(&mut self, over_relaxation: f32) {
        let (columns, stride) = (self.columns, self.columns + 2);
        for colour in 0..2 {
            for j in 1..=columns {
                let start = j * stride + 1 + (j + colour) % 2;
                let rows = &mut self.pressure[(j - 1) * stride..(j + 2) * stride];
                let (below, rest) = rows.split_at_mut(stride);
                let (here, above) = rest.split_at_mut(stride);
                let (x, y) = self.weight_y[j * stride..].split_at(stride);
                let (left, right) =
                    (&self.weight_x[j * stride..][..stride], &self.right[j * stride..][..stride]);
                let inverse = &self.inverse[j * stride..][..stride];
                for i in ((start - j * stride)..=columns).step_by(2) {
                    let now = here[i];
                    let across = left[i] * (now - here[i - 1]) + left[i + 1] * (now - here[i + 1]);
                    let along = x[i] * (now - below[i]) + y[i] * (now - above[i]);
                    here[i] = now + over_relaxation * inverse[i] * (right[i] - (across + along));
                }
            }
        }
    }
}

/// Times of the projection alone: of whole steps, less those of a step with a single sweep.
fn compare_projections(rounds: usize) {
    let mut start = chimney(256, true);
    shortest(&mut start, rounds);
    let settings = *start.settings();
    let time = |projection: AirProjection, rounds: usize| {
        let mut best = (Duration::MAX, AirReport::default());
        for _ in 0..rounds {
            let mut air = start.clone();
            air.set_settings(AirSettings { projection, ..settings }).expect("valid");
            let mut work = AirWorkspace::default();
            // The first step makes the coefficients.
            air.step(FRAME, &mut work, &SerialExecutor).expect("valid");
            let begin = Instant::now();
            let report = air.step(FRAME, &mut work, &SerialExecutor).expect("valid");
            best = (best.0.min(begin.elapsed()), report);
        }
        best
    };
    let mut system = System::new(256);
    let mut in_place = Duration::MAX;
    for _ in 0..10 * rounds {
        let begin = Instant::now();
        system.sweep(1.9);
        in_place = in_place.min(begin.elapsed());
    }
    println!("a sweep of Gauss-Seidel in place: {in_place:.2?}");
    let sweeps =
        |iterations, over_relaxation| AirProjection::GaussSeidel { iterations, over_relaxation };
    let without = time(sweeps(1, 1.0), rounds).0;
    for residual in [1e-2, 1e-4] {
        let projection = AirProjection::Multigrid { residual, max_cycles: 100 };
        let (whole, report) = time(projection, rounds);
        let solve = whole.saturating_sub(without);
        println!(
            "to {residual}: multigrid {solve:.2?} of {whole:.2?}, {} cycles to {:.1e}",
            report.iterations, report.residual
        );
        for over_relaxation in [1.7, 1.9, 1.95, 1.98] {
            // Doubling finds a number that is enough, and halving the least one within 2 %.
            let reaches =
                |count: u32| time(sweeps(count, over_relaxation), 1).1.residual <= residual;
            let Some(mut enough) = (5..13).map(|power| 1 << power).find(|count| reaches(*count))
            else {
                println!("  factor {over_relaxation}: more than 4096 sweeps");
                continue;
            };
            let mut too_few = enough / 2;
            while enough - too_few > enough / 50 + 1 {
                let middle = (enough + too_few) / 2;
                *(if reaches(middle) { &mut enough } else { &mut too_few }) = middle;
            }
            let here = time(sweeps(enough, over_relaxation), 2).0.saturating_sub(without);
            let alone = in_place * enough;
            println!(
                "  factor {over_relaxation}: {enough} sweeps, {here:.2?} ({:.0} times), in place {alone:.2?} ({:.0} times)",
                here.as_secs_f64() / solve.as_secs_f64(),
                alone.as_secs_f64() / solve.as_secs_f64(),
            );
        }
    }
}

// A house of tiles on fire: many walls, and three crates that move.

/// Side of a cell, in world units.
const CELL: f32 = 6.0;
const COLUMNS: usize = 125;
const ROWS: usize = 88;
/// Thickness of walls and floors: two and a half cells.
const TILE: f32 = 15.0;

/// Three storeys of three rooms, with windows, doors and stairwells, and what stands in them: fifty
/// rectangles, as low left corners and sizes.
fn walls() -> Vec<(Vec2, Vec2)> {
    let (left, right, storey) = (105.0, 645.0, 150.0);
    let mut all = Vec::new();
    let mut add = |x: f32, y: f32, width: f32, height: f32| {
        all.push((Vec2::new(x, y), Vec2::new(width, height)));
    };
    for floor in 0..3_u8 {
        let low = TILE + storey * f32::from(floor);
        for side in [left, right - TILE] {
            // Below and above a window.
            add(side, low, TILE, 45.0);
            add(side, low + 90.0, TILE, storey - TILE - 90.0);
        }
        for wall in [1.0, 2.0] {
            // Above a door.
            add(left + wall * 180.0 - 7.5, low + 60.0, TILE, storey - TILE - 60.0);
        }
        // The floor above, with two stairwells.
        let ceiling = low + storey - TILE;
        for (from, to) in [(0.0, 105.0), (165.0, 375.0), (435.0, 540.0)] {
            add(left + from, ceiling, to - from, TILE);
        }
        // Tables and shelves.
        for (number, x) in [40.0, 100.0, 215.0, 270.0, 400.0, 460.0].into_iter().enumerate() {
            let high = if number % 2 == 0 { 0.0 } else { 45.0 };
            add(left + x, low + high, 30.0, 15.0);
        }
    }
    // The ground, and chimneys on the roof.
    add(0.0, 0.0, 750.0, TILE);
    add(left + 100.0, 465.0, TILE, 30.0);
    add(left + 360.0, 465.0, TILE, 30.0);
    all.truncate(50);
    all
}

/// The house with its air.
struct House {
    world: FluidWorld,
    air: AirId,
    crates: Vec<(ColliderId, Vec2)>,
    ticks: u32,
}

impl House {
    fn new(residual: Option<f32>, fires: bool) -> Self {
        let mut world = FluidWorld::default();
        for (low, size) in walls() {
            let wall = Collider::rectangle(low + 0.5 * size, 0.5 * size).expect("valid");
            world.insert_collider(wall);
        }
        let crates = (0..if fires { 3_u8 } else { 0 }).map(|number| {
            let centre = Vec2::new(200.0 + 170.0 * f32::from(number), 60.0);
            let floating = Collider::rectangle(centre, Vec2::new(12.0, 9.0)).expect("valid");
            (world.insert_collider(floating), centre)
        });
        let crates = crates.collect();
        let mut settings = AirSettings {
            density: 0.02 / 64.0,
            buoyancy: 2.0,
            cooling: 0.6,
            smoke_dissipation: 0.12,
            vorticity_confinement: 0.1,
            ..AirSettings::new(Vec2::new(0.0, -200.0))
        };
        if let Some(residual) = residual {
            settings.projection = AirProjection::Multigrid { residual, max_cycles: 100 };
        }
        let high = Vec2::new(COLUMNS as f32, ROWS as f32) * CELL;
        let bounds = FluidBounds { low: Vec2::ZERO, high };
        let open = AirSide::Open;
        let sides = AirSides { left: open, right: open, top: open, ..AirSides::default() };
        let mut air = Air::new(bounds, CELL, settings, sides).expect("valid");
        if fires {
            let place = |centre| FluidRegion::circle(centre, 15.0).expect("valid");
            let fire = |centre| AirSource { fuel: 6.0, heat: 3.0, ..AirSource::new(place(centre)) };
            let sources = vec![fire(Vec2::new(160.0, 30.0)), fire(Vec2::new(420.0, 185.0))];
            air.set_sources(sources).expect("valid");
        }
        let air = world.insert_air(air);
        Self { world, air, crates, ticks: 0 }
    }

    /// The crates bob, as on water.
    fn move_crates(&mut self) {
        for (number, (id, centre)) in self.crates.iter_mut().enumerate() {
            let phase = (self.ticks + 20 * number as u32) % 120;
            let up = if phase < 60 { 1.0 } else { -1.0 };
            let velocity = Vec2::new(0.0, up * 6.0);
            *centre += velocity * FRAME;
            self.world.move_collider(*id, *centre, Vec2::X).expect("valid");
            let motion = Motion { velocity, ..Motion::STILL };
            self.world.set_collider_motion(*id, motion).expect("valid");
        }
        self.ticks += 1;
    }
}

/// Least time of each pass and mean number of cycles over some ticks.
#[derive(Clone, Copy)]
struct Measured {
    passes: [Duration; AirPass::ALL.len()],
    whole: Duration,
    cycles: f64,
}

fn measure(house: &mut House, ticks: usize, executor: &dyn Executor) -> Measured {
    let mut least =
        Measured { passes: [Duration::MAX; AirPass::ALL.len()], whole: Duration::MAX, cycles: 0.0 };
    for _ in 0..ticks {
        house.move_crates();
        executor.run(|| {
            let begin = Instant::now();
            for (pass, least) in AirPass::ALL.into_iter().zip(&mut least.passes) {
                let begin = Instant::now();
                house.world.run_air_pass(pass, FRAME, executor);
                *least = begin.elapsed().min(*least);
            }
            least.whole = begin.elapsed().min(least.whole);
        });
        let report = house.world.air_report(house.air).expect("there");
        least.cycles += f64::from(report.iterations) / ticks as f64;
    }
    least
}

/// Prints the times of a house on fire and of a quiet one.
pub fn report(rounds: usize) {
    let two = RayonExecutor::new(2).expect("threads start");
    println!("a house of tiles, {COLUMNS} x {ROWS} cells:");
    for residual in [Some(1e-4), Some(1e-3), Some(1e-2), Some(3e-2), None] {
        let mut house = House::new(residual, true);
        measure(&mut house, 3 * rounds, &SerialExecutor);
        let serial = measure(&mut house, 2 * rounds, &SerialExecutor);
        let parallel = measure(&mut house, 2 * rounds, &two);
        println!(
            "  to {residual:?}: {:.2?}, {:.0} ns per cell, {:.1} cycles; on two threads {:.2?} ({:.2} times as fast)",
            serial.whole,
            serial.whole.as_nanos() as f64 / (COLUMNS * ROWS) as f64,
            serial.cycles,
            parallel.whole,
            serial.whole.as_secs_f64() / parallel.whole.as_secs_f64(),
        );
        if residual.is_none() || residual == Some(1e-4) {
            let slow = AirPass::ALL.into_iter().zip(serial.passes);
            for (pass, time) in slow.filter(|(_, time)| time.as_micros() > 20) {
                println!("    {}: {time:.1?}", pass.name());
            }
        }
    }
    let mut still = House::new(None, false);
    measure(&mut still, rounds, &SerialExecutor);
    println!("  still air: {:.2?}", measure(&mut still, 2 * rounds, &SerialExecutor).whole);
}
