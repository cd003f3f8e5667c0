//! Scenes: worlds described in RON files. Tests, benchmarks, examples and the lab share them.
//!
//! `docs/scenes.md` lists every field.

use std::fs;
use std::path::Path;

use glam::Vec2;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::air::grid::Grid;
use crate::air::{Air, AirError, AirSettings, AirSides, AirSource, MAX_CELLS};
use crate::files::material::{Material, MaterialError, parse, read_materials, table_with};
use crate::geometry::shape::{fermat_spiral, scatter};
use crate::settings::declare::settings;
use crate::settings::range::{Check, Limits, Settings};
use crate::settings::spacing::{respace, respaced_by};
use crate::sources::blob::Place;
use crate::{
    ClassError, ClassId, ClassPair, ClassTable, ColliderOptions, ContainerOptions, DensityClass,
    Executor, FluidBounds, FluidParameters, FluidShape, FluidWorld, Motion, OutOfRange,
    ParticleSpawn, Solid, SolidOptions, SpawnError, StepError, WallProperties,
};

settings! {
    /// The initial state of a world, and how long to simulate it.
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
        /// Description of the scene, in a sentence.
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
        /// Names of materials that count as classes too. The files of materials are `NAME.fluid.ron` in the folder
        /// `materials` beside the scene's own folder. Materials that these materials turn into are added.
        pub materials: Vec<String> = { Vec::new() },
        /// The contents of the materials, which [`Scene::read_materials`] sets.
        #[serde(skip)]
        pub material_contents: Vec<Material> = { Vec::new() },
        /// Containers; without them the liquid is not bounded.
        pub containers: Vec<SceneContainer> = { Vec::new() },
        /// Colliders in the scene. Files may call them `obstacles`.
        #[serde(alias = "obstacles")]
        pub colliders: Vec<SceneCollider> = { Vec::new() },
        /// Air: rectangles in which wind, smoke and fire are simulated.
        pub airs: Vec<SceneAir> = { Vec::new() },
        /// Blocks of particles.
        pub blocks: Vec<SceneBlock> = { Vec::new() },
        /// How the liquid comes to rest before time 0; `None` if it does not.
        pub settling: Option<SceneSettling> = { None },
        /// Width of the liquid column of a dam break, in world units. Reports of the lab contain it; it has no other
        /// effect.
        pub column_width: Option<f32> = { None },
    }
}

/// Settling: a simulation before time 0, with additional drag and without air, in which the liquid comes to rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneSettling {
    /// Duration, in seconds; 0 to 10000.
    pub duration: f64,
    /// Drag on all particles during settling, in 1/T0, where T0 is the [time unit](FluidParameters::time_unit); 0 to
    /// 1000.
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
    /// Returns [`SceneError::Syntax`] with line and column.
    pub fn from_ron(text: &str) -> Result<Self, SceneError> {
        parse(text).map_err(|error| SceneError::Syntax(Box::new(error)))
    }

    /// Reads a scene and its materials from files.
    ///
    /// # Errors
    ///
    /// Returns [`SceneError`] for a file that cannot be read.
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
    /// Returns [`MaterialError`] for a file that is missing or invalid.
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

    /// Changes the resolution of the scene: about `count` particles fill the same space.
    ///
    /// The liquid stays the same: numbers in units that follow from the particle spacing are converted
    /// ([`SettingRange::keeps`](crate::ranges::SettingRange::keeps)). Bodies keep their density, and air
    /// keeps its cells and its density relative to the liquid's. `docs/scenes.md` lists the effects that
    /// still depend on the spacing. Materials become classes of the scene.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Scene::build`], and an error if `count` or the present number of particles is 0, or if
    /// the conversion moves a number out of its range.
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
                *body = body.with_spacing(&collider.shape, before, after)?;
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
    /// Returns [`SceneError`] for invalid contents.
    pub fn build(&self) -> Result<FluidWorld, SceneError> {
        self.build_after(|_| Ok(()))
    }

    /// Builds the world, calls `settle`, and then inserts the air.
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

    /// Spawns the scene's particles into a world that has its classes. The scene's origin is at
    /// `centre` (world units), and it is rotated by an angle given as its cosine and sine.
    ///
    /// # Errors
    ///
    /// Returns [`SceneError`] for classes that the world lacks and particles that it cannot take. Particles before the
    /// error stay in the world.
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

    /// Builds the world, simulates the `settling` of the scene if it has one, then inserts air. Returns the
    /// world at time 0.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Scene::build`].
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

// Air of scenes.

/// Air of a scene: a rectangle of [`Air`] with its sources.
///
/// ```
/// use blob_fluid::scene::Scene;
/// let scene = Scene::from_ron("(airs: [(cell_size: 20, sides: (top: Open))])")?;
/// let world = scene.build()?;
/// let air = world.airs().next().expect("one");
/// assert_eq!((air.columns(), air.rows()), (40, 30));
/// # Ok::<(), blob_fluid::scene::SceneError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SceneAir {
    /// The rectangle of the air, in world units. Default: 800 wide and 600 high, around the origin. The rectangle grows
    /// to the right and upwards to a whole number of cells.
    pub bounds: FluidBounds,
    /// Side of a cell, in world units; 0.000001 to 1000000. Default 6.
    pub cell_size: f32,
    /// The air's settings. The [density](AirSettings::density) is a mass per area in the liquid's units; the
    /// [gravity](AirSettings::gravity) is the air's own, not the liquid's.
    pub settings: AirSettings,
    /// The four sides of the rectangle.
    pub sides: AirSides,
    /// Sources of the air, in this order. [Bursts](AirSource::burst) act in the first step.
    pub sources: Vec<AirSource>,
}

impl Default for SceneAir {
    fn default() -> Self {
        let half_size = Vec2::new(400.0, 300.0);
        Self {
            bounds: FluidBounds { low: -half_size, high: half_size },
            cell_size: 6.0,
            settings: AirSettings::default(),
            sides: AirSides::default(),
            sources: Vec::new(),
        }
    }
}

/// The limit of the cells of all air of a scene: the same as for a single rectangle.
const CELLS_TOGETHER: &str = "of at most 4194304 cells together";

/// The air at its beginning.
pub(super) fn build_airs(stated: &[SceneAir]) -> Result<Vec<Air>, SceneError> {
    let build = |(air, scene_air): (usize, &SceneAir)| {
        let mut built =
            Air::new(scene_air.bounds, scene_air.cell_size, scene_air.settings, scene_air.sides)
                .map_err(|error| SceneError::Air { air, error })?;
        for (index, source) in scene_air.sources.iter().enumerate() {
            built.insert_source(source.clone()).map_err(|error| SceneError::AirSource {
                air,
                index,
                error,
            })?;
        }
        Ok(built)
    };
    let mut cells = 0.0;
    for (air, scene_air) in stated.iter().enumerate() {
        let grid = Grid::new(scene_air.bounds, scene_air.cell_size)
            .map_err(|error| SceneError::Air { air, error })?;
        cells += grid.cells() as f32;
        Check("scene").that(cells <= MAX_CELLS as f32, "airs", cells, CELLS_TOGETHER)?;
    }
    stated.iter().enumerate().map(build).collect()
}

// Blocks of particles of scenes.

/// Particles of a scene that fill one shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneBlock {
    /// Positions of the block's particles.
    pub fill: SceneFill,
    /// Centre, in world units.
    #[serde(default)]
    pub centre: Vec2,
    /// Name of the particles' class; `None` deals the particles out to all classes in turn.
    #[serde(default)]
    pub class: Option<String>,
    /// Velocity of all its particles, in world units/s.
    #[serde(default)]
    pub velocity: Vec2,
    /// Largest random velocity added to each coordinate, in world units/s.
    #[serde(default)]
    pub velocity_scatter: f32,
    /// Angular velocity of the block about its centre, in radians/s.
    #[serde(default)]
    pub spin: f32,
    /// Temperature of its particles; `None` for the temperature of their class.
    #[serde(default)]
    pub temperature: Option<f32>,
    /// Paint of its particles: red, green and blue, linear, 0 to 1; `None` for the paint of their
    /// class.
    #[serde(default)]
    pub paint: Option<[f32; 3]>,
}

/// How a block's particles are placed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum SceneFill {
    /// A shape filled evenly.
    Filled {
        /// The shape that is filled.
        shape: FluidShape,
        /// Distance of the particles, in particle spacings.
        #[serde(default = "fill_spacing")]
        spacing: f32,
        /// Whether particles that would be in walls or in other liquid are left out, as in a
        /// [`Blob`](crate::Blob). Default yes.
        #[serde(default = "yes")]
        clipped: bool,
    },
    /// A Fermat spiral.
    Spiral {
        /// Radius in world units; above 0, up to 1e9.
        radius: f32,
        /// Number of particles.
        count: usize,
    },
    /// A square lattice. Each particle is displaced by up to 2 % of the lattice step.
    Lattice {
        /// Number of columns.
        columns: usize,
        /// Number of rows.
        rows: usize,
        /// Distance of the particles, in particle spacings.
        #[serde(default = "one")]
        spacing: f32,
    },
}

const fn one() -> f32 {
    1.0
}

const fn yes() -> bool {
    true
}

/// Slightly more than the spacing at rest, so that the liquid does not burst apart.
const fn fill_spacing() -> f32 {
    1.03
}

impl SceneFill {
    /// Rough estimate of the number of positions, usually below the real number.
    pub(super) fn expected_count(&self, particle_spacing: f32) -> f64 {
        match self {
            Self::Filled { shape, spacing, .. } => {
                let step = f64::from(spacing * particle_spacing);
                let size = shape.bounds().half_size().as_dvec2();
                // If the area is not finite or the spacing is NaN, there are no positions.
                let count = 0.5 * size.x * size.y / (step * step);
                if count.is_finite() { count } else { 0.0 }
            }
            Self::Spiral { count, .. } => *count as f64,
            Self::Lattice { columns, rows, .. } => *columns as f64 * *rows as f64,
        }
    }

    /// Checks the numbers that no shape or setting checks.
    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        match self {
            Self::Spiral { radius, .. } => Limits::SIZE.check("spiral", "radius", *radius),
            Self::Filled { .. } | Self::Lattice { .. } => Ok(()),
        }
    }

    /// Positions of the particles, in world units, before clipping.
    pub fn positions(&self, centre: Vec2, particle_spacing: f32) -> Vec<Vec2> {
        match *self {
            Self::Filled { ref shape, spacing, .. } => {
                shape.fill(centre, spacing * particle_spacing).collect()
            }
            Self::Spiral { radius, count } => fermat_spiral(centre, radius, count),
            Self::Lattice { columns, rows, spacing } => {
                let step = spacing * particle_spacing;
                let middle = 0.5 * Vec2::new(columns as f32 - 1.0, rows as f32 - 1.0);
                (0..columns * rows)
                    .map(|number| {
                        let cell = Vec2::new((number % columns) as f32, (number / columns) as f32);
                        centre + (cell - middle + 0.02 * scatter(number as u32)) * step
                    })
                    .collect()
            }
        }
    }
}

// Containers and colliders of scenes.

/// A container or a collider of a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneSolid<Options> {
    /// Shape of the container or collider.
    pub shape: FluidShape,
    /// Centre of the container or collider, in world units.
    #[serde(default)]
    pub centre: Vec2,
    /// Rotation, counter-clockwise, as the cosine and sine of its angle.
    #[serde(default = "unturned")]
    pub rotation: Vec2,
    /// Friction, adhesion and temperature of the walls.
    #[serde(default)]
    pub wall: WallProperties,
    /// Motion of the container or collider.
    #[serde(default)]
    pub motion: Motion,
    /// Further options of the container or collider.
    #[serde(default)]
    pub options: Options,
}

/// A container of a scene.
pub type SceneContainer = SceneSolid<ContainerOptions>;

/// A collider of a scene.
pub type SceneCollider = SceneSolid<ColliderOptions>;

const fn unturned() -> Vec2 {
    Vec2::X
}

/// Replaces the containers of a world.
pub(super) fn set_containers(
    world: &mut FluidWorld,
    stated: &[SceneContainer],
) -> Result<(), OutOfRange> {
    let containers = build(stated)?;
    world.clear_containers();
    for container in containers {
        world.insert_container(container);
    }
    Ok(())
}

/// Resets the colliders of a world to their initial state, or inserts them.
pub(super) fn set_obstacles(
    world: &mut FluidWorld,
    stated: &[SceneCollider],
) -> Result<(), OutOfRange> {
    let colliders = build(stated)?;
    let present: Vec<_> = world.colliders().map(|(id, _)| id).collect();
    for (index, collider) in colliders.into_iter().enumerate() {
        match present.get(index) {
            Some(id) => {
                world.set_collider(*id, collider);
            }
            None => {
                world.insert_collider(collider);
            }
        }
    }
    Ok(())
}

fn build<Options: SolidOptions>(
    stated: &[SceneSolid<Options>],
) -> Result<Vec<Solid<Options>>, OutOfRange> {
    let build = |placed: &SceneSolid<Options>| {
        let solid = Solid::new(placed.shape.clone(), placed.centre, placed.rotation)?;
        placed.options.validate()?;
        let solid = Solid { options: placed.options.clone(), ..solid };
        solid.with_wall(placed.wall)?.with_motion(placed.motion)
    };
    stated.iter().map(build).collect()
}

// Errors of scenes.

/// Why a scene could not be read or built.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SceneError {
    /// The text is not a scene; the message names line and column.
    #[error("scene: {0}")]
    Syntax(Box<ron::error::SpannedError>),
    /// The file could not be read.
    #[error("{path}: {message}")]
    File {
        /// The file.
        path: String,
        /// The message of the operating system.
        message: String,
    },
    /// A file does not contain a valid scene.
    #[error("{path}: {error}")]
    InFile {
        /// The file.
        path: String,
        /// The error in the file.
        error: Box<SceneError>,
    },
    /// A material could not be read.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// The scene names materials whose files were not read.
    #[error("the scene's materials were not read: see Scene::read_materials")]
    MaterialsMissing,
    /// A setting or a container is out of range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// A class is out of range.
    #[error(transparent)]
    Classes(#[from] ClassError),
    /// A particle is invalid.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// A block names a class that the scene lacks.
    #[error("block {block}: there is no class `{class}`; the scene has {known}")]
    UnknownClass {
        /// Index of the block, from 0.
        block: usize,
        /// The name in the block.
        class: String,
        /// The names of the scene's classes.
        known: String,
    },
    /// Air is invalid.
    #[error("airs[{air}]: {error}")]
    Air {
        /// Index of the air, from 0.
        air: usize,
        /// The error.
        error: AirError,
    },
    /// A source of air is invalid.
    #[error("airs[{air}].sources[{index}]: {error}")]
    AirSource {
        /// Index of the air, from 0.
        air: usize,
        /// Index of the source, from 0.
        index: usize,
        /// The error.
        error: AirError,
    },
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
}
