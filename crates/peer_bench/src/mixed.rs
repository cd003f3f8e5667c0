//! Mixed matter beside LiquidFun: sand, honey, oil, jelly and bodies in water, in boxes of different depths.

use blob_fluid::measure::measure;
use blob_fluid::{
    Body, ClassId, ClassPair, ClassTable, ClassViscosity, Collider, ColliderOptions, Container,
    DensityClass, FluidElasticity, FluidParameters, FluidPowder, FluidShape, FluidSleeping,
    FluidWorld, Motion, ParticleSpawn, SerialExecutor,
};
use glam::Vec2;
use on_every_target::scene::{FRAME, GRAVITY};
use serde::Serialize;

use crate::peer::{Peer, Process, Result, Solver, start_module};
use crate::report::median;

/// Frames between two turns, and before the first.
const ROUND: u32 = 30;
const WARM_FRAMES: u32 = 120;

/// The material of a block of particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Matter {
    Water,
    Sand,
    Honey,
    Oil,
    Jelly,
}

/// Particles in a lattice with a spacing of 1.
#[derive(Debug, Serialize)]
struct Block {
    matter: Matter,
    low: Vec2,
    columns: usize,
    rows: usize,
    points: Vec<Vec2>,
}

/// A box that moves: a body of a density, or a paddle that turns steadily.
#[derive(Clone, Copy, Debug, Serialize)]
struct Bar {
    centre: Vec2,
    half_size: Vec2,
    /// Relative to water; 0 for a paddle.
    density: f32,
    /// In radians per second.
    angular_velocity: f32,
}

impl Bar {
    fn contains(&self, point: Vec2, margin: f32) -> bool {
        (point - self.centre).abs().cmplt(self.half_size + margin).all()
    }
}

/// A scene: a box from the origin to `width` and `height`, in spacings and seconds.
#[derive(Debug, Serialize)]
struct Scene {
    name: &'static str,
    width: f32,
    height: f32,
    gravity: f32,
    frame: f32,
    blocks: Vec<Block>,
    bars: Vec<Bar>,
}

impl Scene {
    fn new(name: &'static str, columns: usize, rows: usize) -> Self {
        let (width, height) = (columns as f32, 2.5 * rows as f32);
        let (blocks, bars) = (Vec::new(), Vec::new());
        Self { name, width, height, gravity: GRAVITY, frame: FRAME, blocks, bars }
    }

    /// Adds a block where there is no bar and no jelly. Particles are displaced by up to a hundredth of a spacing: in a
    /// perfect lattice, columns may stand on each other.
    fn with(mut self, matter: Matter, low: [usize; 2], columns: usize, rows: usize) -> Self {
        let low = Vec2::new(low[0] as f32, low[1] as f32);
        let mut seed = 1 + self.blocks.len() as u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        let paddles = |bar: &&Bar| bar.density == 0.0;
        let jellies = self.blocks.iter().filter(|block| block.matter == Matter::Jelly);
        let jellies: Vec<_> = jellies
            .map(|block| {
                let half_size = 0.5 * Vec2::new(block.columns as f32, block.rows as f32);
                Bar {
                    centre: block.low + half_size,
                    half_size,
                    density: 0.0,
                    angular_velocity: 0.0,
                }
            })
            .collect();
        let mut points = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let point = low + Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
                let taken = self.bars.iter().filter(paddles).any(|bar| bar.contains(point, 0.8))
                    || jellies.iter().any(|jelly| jelly.contains(point, 0.0));
                if !taken {
                    points.push(point + 0.02 * Vec2::new(random(), random()));
                }
            }
        }
        self.blocks.push(Block { matter, low, columns, rows, points });
        self
    }

    fn with_bodies(mut self, count: usize, height: f32) -> Self {
        for index in 0..count {
            let centre = Vec2::new(
                self.width * (index as f32 + 0.5) / count as f32,
                height + 6.0 * (index % 3) as f32,
            );
            let density = if count == 1 { 0.5 } else { 0.4 + 0.1 * (index % 5) as f32 };
            self.bars.push(Bar {
                centre,
                half_size: Vec2::new(2.5, 2.0),
                density,
                angular_velocity: 0.0,
            });
        }
        self
    }

    fn with_paddles(mut self, count: usize) -> Self {
        for index in 0..count {
            let centre = Vec2::new(self.width * (index as f32 + 0.5) / count as f32, 20.0);
            let angular_velocity = if index % 2 == 0 { -3.0 } else { 3.0 };
            self.bars.push(Bar {
                centre,
                half_size: Vec2::new(7.0, 1.0),
                density: 0.0,
                angular_velocity,
            });
        }
        self
    }

    fn with_jellies(mut self, count: usize, size: usize, y: usize) -> Self {
        for index in 0..count {
            let x = (self.width * (index as f32 + 0.5) / count as f32) as usize - size / 2;
            self = self.with(Matter::Jelly, [x, y], size, size);
        }
        self
    }

    /// The scenes with about `particles` particles each.
    fn all(particles: usize) -> Vec<Self> {
        use Matter::{Honey, Oil, Sand, Water};
        let w = particles / 50;
        let deep = |name, rows: usize| {
            let columns = particles / rows;
            Self::new(name, columns, rows).with(Water, [0, 0], columns, rows)
        };
        let boat = |name, rows: usize| deep(name, rows).with_bodies(1, rows as f32 + 3.0);
        let jellies = (particles as f32 * 0.3 / 400.0).round().max(1.0) as usize;
        let small_jellies = (particles as f32 * 0.12 / 144.0).round().max(1.0) as usize;
        let mut everything = Self::new("everything, 20 bodies and 10 paddles", w, 50)
            .with_paddles(10)
            .with_bodies(20, 62.0)
            .with_jellies(small_jellies, 12, 30);
        let kinds = [Sand, Honey, Water, Water, Oil, Water];
        for (index, matter) in kinds.into_iter().enumerate() {
            let [low, high] = [index, index + 1].map(|edge| edge * w / kinds.len());
            everything = everything.with(matter, [low, 0], high - low, 50);
        }
        vec![
            deep("pool, 12 deep", 12),
            deep("pool, 50 deep", 50),
            deep("pool, 56 deep", 56),
            deep("pool, 100 deep", 100),
            deep("pool, 173 deep", 173),
            boat("one boat, 12 deep", 12),
            boat("one boat, 20 deep", 20),
            boat("one boat, 50 deep", 50),
            Self::new("water, 20 bodies and 10 paddles", w, 50)
                .with_paddles(10)
                .with_bodies(20, 62.0)
                .with(Water, [0, 0], w, 50),
            Self::new("water on sand", w, 50).with(Sand, [0, 0], w, 25).with(Water, [0, 25], w, 25),
            Self::new("sand falls through water", w, 50).with(Water, [0, 0], w, 25).with(
                Sand,
                [0, 26],
                w,
                25,
            ),
            Self::new("honey, water and oil", w, 50)
                .with(Honey, [0, 0], w, 16)
                .with(Water, [0, 16], w, 17)
                .with(Oil, [0, 33], w, 17),
            Self::new("jelly in water", w, 50).with_jellies(jellies, 20, 15).with(
                Water,
                [0, 0],
                w,
                50,
            ),
            everything,
        ]
    }

    /// Loads the scene into our liquid, with the classes that it has.
    fn ours(&self) -> Result<FluidWorld> {
        let named = |name: &str| DensityClass { name: name.into(), ..Default::default() };
        let thick = |linear| Some(ClassViscosity { linear, ..Default::default() });
        let class = |matter| match matter {
            Matter::Water => named("water"),
            Matter::Sand => {
                DensityClass { mass: 1.6, powder: Some(FluidPowder::default()), ..named("sand") }
            }
            Matter::Honey => {
                let viscosity = ClassViscosity { approach: 1.0, quadratic: 0.2, linear: 12.0 };
                DensityClass { mass: 1.4, viscosity: Some(viscosity), ..named("honey") }
            }
            Matter::Oil => DensityClass { mass: 0.75, viscosity: thick(1.2), ..named("oil") },
            Matter::Jelly => {
                let elasticity = FluidElasticity { stiffness: 60.0, ..Default::default() };
                DensityClass {
                    mass: 1.1,
                    viscosity: thick(0.5),
                    elasticity: Some(elasticity),
                    ..named("jelly")
                }
            }
        };
        let mut kinds: Vec<Matter> = Vec::new();
        for block in &self.blocks {
            if !kinds.contains(&block.matter) {
                kinds.push(block.matter);
            }
        }
        let mut pairs = Vec::new();
        if kinds.contains(&Matter::Oil) {
            pairs.push(ClassPair { cohesion: -0.6, ..ClassPair::new("oil", "water") });
        }
        if kinds.contains(&Matter::Honey) {
            let viscosity = ClassViscosity { approach: 0.2, linear: 0.5, ..Default::default() };
            pairs
                .push(ClassPair { viscosity: Some(viscosity), ..ClassPair::new("honey", "water") });
        }
        let mut parameters = FluidParameters::new(1.0, Vec2::new(0.0, -self.gravity));
        parameters.sleeping = FluidSleeping::OFF;
        let mut world = FluidWorld::new(parameters)?;
        let classes = kinds.iter().copied().map(class).collect();
        world.set_classes(ClassTable::with_pairs(classes, pairs)?)?;
        let half = 0.5 * Vec2::new(self.width, self.height);
        world.insert_container(Container::rectangle(half, half)?);
        for block in &self.blocks {
            let index = kinds.iter().position(|kind| *kind == block.matter).unwrap_or(0);
            let class = ClassId(index as u8);
            for position in block.points.iter().copied() {
                world.spawn(ParticleSpawn { position, class, ..Default::default() })?;
            }
        }
        for bar in &self.bars {
            let shape = FluidShape::Rectangle { half_size: bar.half_size };
            let body = if bar.density > 0.0 {
                Some(Body::of_density(bar.density, &shape, 1.0)?)
            } else {
                None
            };
            let options = ColliderOptions { body, ..Default::default() };
            let collider = Collider::new(shape, bar.centre, Vec2::X)?.with_options(options)?;
            let id = world.insert_collider(collider);
            if bar.density == 0.0 {
                let angular_velocity = bar.angular_velocity;
                world.set_collider_motion(id, Motion { angular_velocity, ..Motion::STILL })?;
            }
        }
        Ok(world)
    }

    fn liquidfun(&self) -> Result<Process> {
        start_module("liquidfun", &serde_json::to_string(self)?)
    }
}

/// Our times and LiquidFun's in every scene, in turns, as a Markdown table.
pub fn compare(particles: &[usize], rounds: usize) -> Result<String> {
    if let Some(remedy) = Solver::LiquidFun.missing() {
        return Err(remedy.into());
    }
    let mut table = String::from(
        "| scene | particles | LiquidFun, ms | ours, ms | LiquidFun over ours | substeps | bottom over top |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let mut ratios = Vec::new();
    for particles in particles {
        for scene in Scene::all(*particles) {
            let mut world = scene.ours()?;
            let mut liquidfun = scene.liquidfun()?;
            let mut substeps = 0;
            let mut ours = |count: u32| -> Result<f64> {
                let start = std::time::Instant::now();
                for _ in 0..count {
                    substeps = world.step(FRAME, &SerialExecutor)?.substeps;
                }
                Ok(1e3 * start.elapsed().as_secs_f64() / f64::from(count))
            };
            ours(WARM_FRAMES)?;
            liquidfun.frames(WARM_FRAMES)?;
            let (mut our_rounds, mut their_rounds) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                our_rounds.push(ours(ROUND)?);
                let time = liquidfun.frames(ROUND)?;
                their_rounds.push(1e3 * time.as_secs_f64() / f64::from(ROUND));
            }
            let [ours, theirs] = [median(&our_rounds), median(&their_rounds)];
            ratios.push(theirs / ours);
            let count = world.particles().len();
            // Water and sand share their space, so their densities do not compare.
            let has_sand = scene.blocks.iter().any(|block| block.matter == Matter::Sand);
            let compression = measure(&world).bottom_top_density;
            let compression = if has_sand { "–".into() } else { format!("{compression:.3}") };
            table.push_str(&format!(
                "| {} | {count} | {theirs:.2} | {ours:.2} | {:.2} | {substeps} | {compression} |\n",
                scene.name,
                theirs / ours,
            ));
            eprintln!("{}: {theirs:.2} and {ours:.2}", scene.name);
        }
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    table.push_str(&format!("\nGeometric mean of all ratios: {mean:.2}.\n"));
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_runs_and_loses_nothing() {
        for scene in Scene::all(2_000) {
            let count: usize = scene.blocks.iter().map(|block| block.points.len()).sum();
            let overlapping = scene.bars.iter().filter(|bar| bar.density == 0.0).any(|bar| {
                let mut points = scene.blocks.iter().flat_map(|block| &block.points);
                points.any(|point| bar.contains(*point, 0.5))
            });
            assert!(!overlapping, "{}", scene.name);
            let mut world = scene.ours().expect("a valid scene");
            for _ in 0..10 {
                world.step(FRAME, &SerialExecutor).expect("a valid step");
            }
            assert_eq!(world.particles().len(), count, "{}", scene.name);
        }
    }
}
