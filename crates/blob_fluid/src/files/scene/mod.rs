//! Scenes: worlds described in RON files. Tests, benchmarks, examples and the lab share them.
//!
//! `docs/scenes.md` lists every field.

use std::fs;
use std::path::Path;

use glam::Vec2;
use serde::{Deserialize, Serialize};

use crate::files::material::{Material, MaterialError, parse, read_materials, table_with};
use crate::geometry::shape::scatter;
use crate::parallel::executor::Executor;
use crate::particles::spawn::{ParticleSpawn, SpawnError};
use crate::settings::class::{ClassId, DensityClass};
use crate::settings::class_pair::ClassPair;
use crate::settings::class_table::ClassTable;
use crate::settings::declare::settings;
use crate::settings::parameters::FluidParameters;
use crate::settings::range::{Check, Limits, OutOfRange};
use crate::settings::spacing::{respace, respaced_by};
use crate::settings::visit::Settings;
use crate::sources::free_places::Place;
use crate::world::FluidWorld;

mod airs;
mod blocks;
mod error;
mod solids;

pub use airs::SceneAir;
pub use blocks::{SceneBlock, SceneFill};
pub use error::SceneError;
pub use solids::{SceneCollider, SceneContainer, SceneSolid};

use airs::build_airs;
use solids::{set_containers, set_obstacles};

settings! {
    /// A world at its beginning, and how long to simulate it.
    ///
    /// ```
    /// use blob_fluid::scene::Scene;
    /// let scene = Scene::from_ron(
    ///     r#"(blocks: [(fill: Filled(shape: Circle(radius: 50)), class: "light")])"#,
    /// )?;
    /// assert!(scene.build()?.particles().len() > 100);
    /// # Ok::<(), blob_fluid::scene::SceneError>(())
    /// ```
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct Scene: Default as "scene" {
        /// What the scene shows, in a sentence.
        pub description: String = { String::new() },
        /// How long to simulate.
        pub duration: f64 [above 0 to 1000000] in "s" = 60,
        /// Ticks per second.
        pub tick_rate: f64 [1 to 10000] in "1/s" = 60,
        /// Settings of the liquid.
        pub parameters: FluidParameters = { FluidParameters::default() },
        /// Density classes; the three default classes if this is empty and there are no materials.
        pub classes: Vec<DensityClass> = { Vec::new() },
        /// Interactions of pairs of classes.
        pub pairs: Vec<ClassPair> = { Vec::new() },
        /// Names of materials that count as classes too. They are files `NAME.fluid.ron` in the folder
        /// `materials` beside the scene's own folder. The materials that they turn into are added.
        pub materials: Vec<String> = { Vec::new() },
        /// The contents of the materials, which [`Scene::read_materials`] sets.
        #[serde(skip)]
        pub material_contents: Vec<Material> = { Vec::new() },
        /// Containers; without any the liquid is free.
        pub containers: Vec<SceneContainer> = { Vec::new() },
        /// Colliders in the scene. Files may call them `obstacles`.
        #[serde(alias = "obstacles")]
        pub colliders: Vec<SceneCollider> = { Vec::new() },
        /// Air: rectangles in which wind, smoke and fire are simulated.
        pub airs: Vec<SceneAir> = { Vec::new() },
        /// Blocks of particles.
        pub blocks: Vec<SceneBlock> = { Vec::new() },
        /// Settling before time 0.
        pub settling: Option<SceneSettling> = { None },
        /// Width of the liquid column of a dam break, in world units; repeated in reports.
        pub column_width: Option<f32> = { None },
    }
}

/// Settling: simulated before time 0, with extra drag and without air.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneSettling {
    /// Duration, in seconds; 0 to 10000.
    pub duration: f64,
    /// Drag on all particles during settling, in 1/T0; 0 to 1000.
    pub drag: f32,
    /// The only container during settling, such as one with a dam; `None` for the scene's
    /// containers.
    #[serde(default)]
    pub container: Option<SceneContainer>,
}

impl SceneSettling {
    fn check(&self) -> Result<(), OutOfRange> {
        let limits = |most| Limits::between(0.0, most);
        limits(10_000.0).check("settling", "duration", self.duration as f32)?;
        limits(1000.0).check("settling", "drag", self.drag)
    }
}

impl Scene {
    /// Reads a scene from RON text.
    ///
    /// # Errors
    ///
    /// [`SceneError::Syntax`] with line and column.
    pub fn from_ron(text: &str) -> Result<Self, SceneError> {
        parse(text).map_err(|error| SceneError::Syntax(Box::new(error)))
    }

    /// Reads a scene and its materials from files.
    ///
    /// # Errors
    ///
    /// [`SceneError`] for a file that cannot be read.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let name = || path.display().to_string();
        let text = fs::read_to_string(path)
            .map_err(|error| SceneError::File { path: name(), message: error.to_string() })?;
        let mut scene = Self::from_ron(&text)
            .map_err(|error| SceneError::InFile { path: name(), error: Box::new(error) })?;
        scene.read_materials(path)?;
        Ok(scene)
    }

    /// Reads the materials of a scene whose file is at `path`.
    ///
    /// # Errors
    ///
    /// [`MaterialError`] for a file that is missing or invalid.
    pub fn read_materials(&mut self, path: &Path) -> Result<(), MaterialError> {
        if !self.materials.is_empty() {
            let folder = path.parent().unwrap_or(Path::new("")).join("../materials");
            self.material_contents = read_materials(&folder, &self.materials)?;
        }
        Ok(())
    }

    /// Simulated time of a tick, in seconds.
    pub fn time_step(&self) -> f32 {
        (1.0 / self.tick_rate) as f32
    }

    /// Makes the scene finer or coarser: about `count` particles fill the same space, closer
    /// together or farther apart.
    ///
    /// The liquid stays the same: numbers in units that follow from the particle spacing change so that
    /// they mean the same ([`SettingRange::keeps`](crate::ranges::SettingRange::keeps)), bodies keep their
    /// density, and air its density relative to the liquid's. `docs/scenes.md` lists what depends on the
    /// spacing all the same. Air keeps its cells. Materials become classes of the scene.
    ///
    /// # Errors
    ///
    /// As [`Scene::build`], when either count is 0, and for a number that must leave its range.
    pub fn with_particles(mut self, count: usize) -> Result<Self, SceneError> {
        let present = self.build()?.particles().len();
        if count == 0 || present == 0 {
            Check("scene").that(false, "particles", 0.0, "at least 1")?;
        }
        let factor = (count as f64 / present as f64).sqrt();
        let before = self.parameters.particle_spacing;
        self.parameters.particle_spacing /= factor as f32;
        self.respace_settings(before)?;
        for block in &mut self.blocks {
            match &mut block.fill {
                SceneFill::Filled { .. } => {}
                SceneFill::Spiral { count, .. } => {
                    *count = (*count as f64 * factor * factor).round() as usize;
                }
                SceneFill::Lattice { columns, rows, .. } => {
                    *columns = ((*columns as f64 * factor).round() as usize).max(1);
                    *rows = ((*rows as f64 * factor).round() as usize).max(1);
                }
            }
        }
        Ok(self)
    }

    /// Changes all numbers in units that follow from the particle spacing, which was `before`.
    fn respace_settings(&mut self, before: f32) -> Result<(), SceneError> {
        let after = self.parameters.particle_spacing;
        let ratio = f64::from(after) / f64::from(before);
        if let Some(table) = self.class_table()? {
            self.classes = table.iter().cloned().collect();
            self.pairs = table.pairs().to_vec();
            self.materials.clear();
            self.material_contents.clear();
        }
        respace(&mut self.parameters, ratio);
        self.classes.iter_mut().for_each(|class| respace(class, ratio));
        self.pairs.iter_mut().for_each(|pair| respace(pair, ratio));
        self.airs.iter_mut().for_each(|air| respace(&mut air.settings, ratio));
        if let Some(settling) = &mut self.settling {
            settling.drag *= respaced_by("1/T0", ratio) as f32;
        }
        let settled_in =
            self.settling.iter_mut().filter_map(|settling| settling.container.as_mut());
        for container in self.containers.iter_mut().chain(settled_in) {
            respace(&mut container.wall, ratio);
            container.wall.validate()?;
        }
        for collider in &mut self.colliders {
            respace(&mut collider.wall, ratio);
            collider.wall.validate()?;
            if let Some(body) = &mut collider.options.body {
                *body = body.respaced(&collider.shape, before, after)?;
            }
        }
        self.parameters.validate()?;
        self.class_table()?;
        build_airs(&self.airs).map(|_| ())
    }

    /// The world before any settling.
    ///
    /// # Errors
    ///
    /// [`SceneError`] for anything invalid.
    pub fn build(&self) -> Result<FluidWorld, SceneError> {
        self.build_after(|_| Ok(()))
    }

    /// The world with its air, which comes in after `settle`.
    fn build_after(
        &self,
        settle: impl FnOnce(&mut FluidWorld) -> Result<(), SceneError>,
    ) -> Result<FluidWorld, SceneError> {
        self.check()?;
        self.settling.as_ref().map_or(Ok(()), SceneSettling::check)?;
        let mut world = FluidWorld::new(self.parameters)?;
        if let Some(table) = self.class_table()? {
            world.set_classes(table)?;
        }
        set_containers(&mut world, &self.containers)?;
        set_obstacles(&mut world, &self.colliders)?;
        let airs = build_airs(&self.airs)?;
        self.fill(&mut world, Vec2::ZERO, Vec2::X)?;
        settle(&mut world)?;
        for air in airs {
            world.insert_air(air);
        }
        Ok(world)
    }

    /// Spawns the scene's particles into a world that has its classes, with the scene's origin at
    /// `centre` (world units) and turned by an angle given as its cosine and sine.
    ///
    /// # Errors
    ///
    /// [`SceneError`] for classes that the world lacks and particles that it cannot take. Particles
    /// before the error stay in the world.
    pub fn fill(
        &self,
        world: &mut FluidWorld,
        centre: Vec2,
        rotation: Vec2,
    ) -> Result<(), SceneError> {
        for (index, block) in self.blocks.iter().enumerate() {
            self.spawn_block(world, index, block, centre, rotation)?;
        }
        Ok(())
    }

    /// The world at time 0: built, and settled if the scene says so. Air comes in after the settling.
    ///
    /// # Errors
    ///
    /// As [`Scene::build`].
    pub fn start(&self, executor: &dyn Executor) -> Result<FluidWorld, SceneError> {
        self.build_after(|world| match &self.settling {
            Some(settling) => self.settle(world, settling, executor),
            None => Ok(()),
        })
    }

    fn settle(
        &self,
        world: &mut FluidWorld,
        settling: &SceneSettling,
        executor: &dyn Executor,
    ) -> Result<(), SceneError> {
        let mut parameters = self.parameters;
        parameters.settling.drag = settling.drag;
        world.set_parameters(parameters)?;
        if let Some(container) = settling.container.clone() {
            set_containers(world, &[container])?;
        }
        for _ in 0..(settling.duration * self.tick_rate).round() as u64 {
            world.step(self.time_step(), executor)?;
        }
        world.set_parameters(self.parameters)?;
        // Moving colliders have moved during the settling: reset them.
        set_containers(world, &self.containers)?;
        set_obstacles(world, &self.colliders)?;
        world.reset_clock();
        Ok(())
    }

    /// The classes that the scene defines, if any.
    fn class_table(&self) -> Result<Option<ClassTable>, SceneError> {
        let missing = |name: &String| {
            self.material_contents.iter().all(|material| material.class.name != *name)
        };
        if self.materials.iter().any(missing) {
            return Err(SceneError::MaterialsMissing);
        }
        let stated = !(self.classes.is_empty() && self.material_contents.is_empty());
        if !stated && self.pairs.is_empty() {
            return Ok(None);
        }
        let classes = if stated {
            self.classes.clone()
        } else {
            ClassTable::default().iter().cloned().collect()
        };
        Ok(Some(table_with(classes, self.pairs.clone(), &self.material_contents)?))
    }

    fn spawn_block(
        &self,
        world: &mut FluidWorld,
        index: usize,
        block: &SceneBlock,
        centre: Vec2,
        rotation: Vec2,
    ) -> Result<(), SceneError> {
        block.fill.check()?;
        let fixed = match &block.class {
            None => None,
            Some(name) => Some(world.classes().find(name).ok_or_else(|| {
                let known: Vec<_> = world.classes().iter().map(|c| c.name.as_str()).collect();
                SceneError::UnknownClass {
                    block: index,
                    class: name.clone(),
                    known: known.join(", "),
                }
            })?),
        };
        let classes = world.classes().len();
        let spacing = self.parameters.particle_spacing;
        let room = world.capacity().saturating_sub(world.particles().len());
        if block.fill.expected_count(spacing) > room as f64 {
            Err(SpawnError::Full { capacity: world.capacity() })?;
        }
        let positions = block.fill.positions(block.centre, spacing);
        let places = positions.iter().enumerate().map(|(number, position)| Place {
            position: centre + rotation.rotate(*position),
            class: fixed.unwrap_or(ClassId((number % classes) as u8)),
            number,
        });
        let places = match block.fill {
            SceneFill::Filled { clipped: true, spacing: in_spacings, .. } => {
                world.free_places(places, in_spacings * spacing, usize::MAX).free
            }
            _ => places.collect(),
        };
        for Place { position, class, number } in places {
            let turning = (positions[number] - block.centre).perp() * block.spin;
            let random = scatter(!(number as u32)) * block.velocity_scatter;
            world.spawn(ParticleSpawn {
                position,
                velocity: rotation.rotate(block.velocity + turning + random),
                class,
                temperature: block.temperature,
                paint: block.paint,
                ..ParticleSpawn::default()
            })?;
        }
        Ok(())
    }
}
