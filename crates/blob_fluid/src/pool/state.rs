//! The state of a pool, and the calls that create, read and change it.

use std::ops::Range;

use glam::Vec2;
use thiserror::Error;

use crate::boundary::slots::{Slots, declare_handle};
use crate::revision::StateHash;
use crate::settings::declare::settings;
use crate::settings::range::{Check, Limits};
use crate::stored::stored;
use crate::{ClassId, FluidBounds, OutOfRange};

settings! {
    /// The settings of a [`Pool`].
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PoolSettings: Default as "pool" with validate in files with default {
        /// Class of its water. Defaults to the medium class.
        pub class: ClassId = { ClassId::MEDIUM },
        /// Width of a column.
        pub column_width: u32 [1 to 64] in "particle spacings" = 1,
        /// How fast its flow decays by itself.
        ///
        /// With the default, waves decay as in liquid of particles with the default settings. With 0.01, they cross a
        /// lake.
        pub damping: f32 [0 to 1000] in "1/T0" = 0.13,
        /// How much its bed brakes the flow.
        ///
        /// The flow loses `dt C |u|/h` of its velocity `u`, where `C` is this number and `h` the depth.
        pub friction: f32 [0 to 10] = 0.003,
        /// How much it brakes bodies that move through it.
        ///
        /// The drag on a body is half of this number times the density of the water, the square of the relative
        /// velocity, and the width of the body across it.
        pub drag: f32 [0 to 100] = 1,
        /// Share of the displaced water that splashes up where a body enters fast.
        ///
        /// Where particles fall in fast, three tenths of this share of them splash up.
        pub splash: f32 [0 to 1] = 0.6,
        /// Whether water leaves at the left end, as particles. Defaults to `false`.
        pub open_left: bool = { false },
        /// Whether water leaves at the right end, as particles. Defaults to `false`.
        pub open_right: bool = { false },
    }
}

stored!(settings PoolSettings, check Self::validate);

/// Why a pool was refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PoolError {
    /// A number is outside its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// The bed has no column, or too many.
    #[error("pool: the bed has {columns} columns, and must have 1 to {most}", most = Pool::MAX_COLUMNS)]
    Columns {
        /// Number of columns.
        columns: usize,
    },
    /// The class table has no such class.
    #[error("pool: there is no class {}", .0.index())]
    UnknownClass(ClassId),
    /// The pool was created for another particle spacing than that of the liquid.
    #[error("pool: particle_spacing is {found}, and must be {expected}, as in the liquid")]
    Spacing {
        /// The spacing of the pool, in world units.
        found: f32,
        /// The spacing of the liquid, in world units.
        expected: f32,
    },
}

declare_handle! {
    /// A handle of a pool, valid until that pool is removed, and never reused.
    PoolId
}

/// Number of columns that sleep and wake together.
pub(super) const CHUNK: usize = 64;

/// Water that has left at an open end, in particles, at which no more leaves.
const MOST_OVERFLOW: i64 = 4;

/// A body of water as columns of height over a bed, by the shallow-water equations.
///
/// A pool costs almost nothing while nothing moves it: columns at rest sleep, in groups of 64. The scheme keeps water
/// over an uneven bed exactly at rest, lets columns fall dry, and conserves the amount exactly (Stelling and Duinmeijer
/// 2003, "A staggered conservative scheme for every Froude number in rapidly varied shallow water flows").
///
/// In a world, bodies float in pools and make waves, and particles of the pool's class become a part of it where they
/// fall below its surface. Bodies and jets that enter fast, and blasts, turn its water into particles. [Queries](crate::Liquid::depth_at),
/// sensors, drains and pumps treat its water as liquid.
///
/// ```
/// use blob_fluid::{FluidWorld, ParticleSpawn, Pool, PoolSettings, SerialExecutor};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// let spacing = world.parameters().particle_spacing;
/// // A valley that is 100 columns wide, filled up to the height 50.
/// let bed: Vec<f32> = (0..100).map(|column| 0.02 * (column as f32 - 50.0).powi(2)).collect();
/// let mut pool = Pool::new(Vec2::ZERO, &bed, spacing, PoolSettings::default())?;
/// pool.fill_to(50.0);
/// let before = pool.particles();
/// let id = world.insert_pool(pool)?;
/// let above = Vec2::new(50.0 * spacing, 60.0);
/// world.spawn(ParticleSpawn { position: above, ..Default::default() })?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0, &SerialExecutor)?;
/// }
/// let pool = world.pool(id).expect("there");
/// assert_eq!((world.particles().len(), pool.particles()), (0, before + 1.0));
/// assert!(world.depth_at(Vec2::new(50.0 * spacing, 20.0)) > 29.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    pub(super) settings: PoolSettings,
    /// Left end, and the height from which the bed is measured.
    pub(super) origin: Vec2,
    pub(super) spacing: f32,
    /// Height of the bed of each column above the origin, in [units of height](Self::unit).
    pub(super) bed: Vec<i64>,
    /// Water of each column, in [`PARTS`](Self::PARTS); also the height of the water in units of height.
    pub(super) water: Vec<i64>,
    /// Height by which bodies raise each column, in units of height.
    pub(super) displaced: Vec<i64>,
    /// Mean head of each column in the last seconds, in units of height.
    pub(super) mean_head: Vec<f64>,
    /// Velocity to the right across each face between columns, and at both ends, in world units/s.
    pub(super) velocity: Vec<f64>,
    /// For each group of columns, how long it has been at rest, in seconds.
    pub(super) rest: Vec<f32>,
    /// Water that has left at each end and is not a particle yet.
    pub(super) overflow: [i64; 2],
    /// Water that is due to splash up, less than a particle.
    pub(super) splashing: i64,
    /// Number of particles that have splashed up or flowed over, for their pattern.
    pub(super) emitted: u64,
    pub(super) workspace: Workspace,
}

/// The bodies in a column.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BelowBodies {
    /// Height that they displace, in units of height.
    pub displaced: i64,
    pub is_covered: bool,
    /// Whether any of them sleeps.
    pub sleeps: bool,
}

/// Values of a step that need not be kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    /// Water that crosses each face to the right in a substep.
    pub crossing: Vec<i64>,
    /// For each face, the sum of `dt g h` over the substeps of a tick, with the depth `h` in world units.
    pub pressing: Vec<f64>,
    /// The columns to which `pressing` belongs. It is 0 elsewhere.
    pub pressed: Vec<Range<usize>>,
    /// The columns that each collider near the pool covered in the last tick; `None` if that is not known.
    pub covered: Option<Vec<Range<usize>>>,
    /// The default for each column, between two steps.
    pub below_bodies: Vec<BelowBodies>,
    /// The head of each column at the start of the last tick; empty before the first.
    pub tick_start: Vec<i64>,
}

impl PartialEq for Workspace {
    /// Values that are not kept do not distinguish two pools.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Pool {
    /// Largest number of columns.
    pub const MAX_COLUMNS: usize = 1 << 16;

    /// Number of parts into which the amount of a particle is divided. All amounts of a pool are whole numbers of
    /// parts.
    pub const PARTS: i64 = 1 << 24;

    /// Largest number of particles whose amount a column holds.
    const MOST_PARTICLES: i64 = 1 << 20;

    /// Range of the particle spacing, in world units.
    const SPACINGS: Limits = Limits::between(1e-6, 1e6);

    /// Largest height of the bed above or below the origin, in particle spacings.
    const TALLEST: f32 = 1e5;

    /// Creates an empty pool. `origin` is its left end, and the height from which the heights of the bed are measured.
    /// `bed` has the height of the ground below each column, within ±100000 particle spacings. Lengths are in world
    /// units. The particle spacing must be that of the liquid to which you will add the pool.
    ///
    /// # Errors
    ///
    /// Returns [`PoolError`] for a number outside its range, and for a bed of no column or of more than
    /// [`MAX_COLUMNS`](Self::MAX_COLUMNS) columns.
    pub fn new(
        origin: Vec2,
        bed: &[f32],
        particle_spacing: f32,
        settings: PoolSettings,
    ) -> Result<Self, PoolError> {
        settings.validate()?;
        let check = Check("pool");
        check_origin(origin)?;
        Self::SPACINGS.check("pool", "particle_spacing", particle_spacing)?;
        let columns = bed.len();
        if !(1..=Self::MAX_COLUMNS).contains(&columns) {
            return Err(PoolError::Columns { columns });
        }
        let mut pool = Self {
            settings,
            origin,
            spacing: particle_spacing,
            bed: Vec::with_capacity(columns),
            water: vec![0; columns],
            displaced: vec![0; columns],
            mean_head: vec![0.0; columns],
            velocity: vec![0.0; columns + 1],
            rest: vec![0.0; columns.div_ceil(CHUNK)],
            overflow: [0; 2],
            splashing: 0,
            emitted: 0,
            workspace: Workspace::default(),
        };
        let tallest = Self::TALLEST * particle_spacing;
        for height in bed {
            let valid = height.abs() <= tallest;
            check.that(valid, "bed", *height, "within ±100000 particle spacings")?;
            pool.bed.push(pool.units(f64::from(*height)));
        }
        (0..columns).for_each(|column| pool.forget_mean(column));
        Ok(pool)
    }

    /// The settings.
    pub fn settings(&self) -> &PoolSettings {
        &self.settings
    }

    /// Changes the settings. The class and the width of a column stay as they are.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number outside its range. Then nothing is changed.
    pub fn set_settings(&mut self, settings: PoolSettings) -> Result<(), OutOfRange> {
        settings.validate()?;
        let PoolSettings { class, column_width, .. } = self.settings;
        let settings = PoolSettings { class, column_width, ..settings };
        if settings != self.settings {
            self.settings = settings;
            self.rest.fill(0.0);
        }
        Ok(())
    }

    /// Left end, and the height from which the bed is measured, in world units.
    pub fn origin(&self) -> Vec2 {
        self.origin
    }

    /// Moves the pool with its water. The flow continues.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a coordinate beyond ±1e12. Then nothing is changed.
    pub fn move_to(&mut self, origin: Vec2) -> Result<(), OutOfRange> {
        check_origin(origin)?;
        if origin != self.origin {
            self.origin = origin;
            self.rest.fill(0.0);
        }
        Ok(())
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.water.len()
    }

    /// Width of a column, in world units.
    pub fn column_width(&self) -> f32 {
        self.spacing * self.settings.column_width as f32
    }

    /// Height of the bed of a column, in world units of the world's y axis.
    ///
    /// # Panics
    ///
    /// Panics if `column` is not less than [`columns`](Self::columns).
    pub fn bed(&self, column: usize) -> f32 {
        self.height(self.bed[column])
    }

    /// Depth of the water of a column, in world units, without the water that bodies displace.
    ///
    /// # Panics
    ///
    /// Panics if `column` is not less than [`columns`](Self::columns).
    pub fn depth(&self, column: usize) -> f32 {
        (self.water[column] as f64 * self.unit()) as f32
    }

    /// Height of the surface of a column, in world units of the world's y axis; in a dry column, the height of the bed.
    /// Below a floating body, it is the height up to which water of the same pressure would stand.
    ///
    /// # Panics
    ///
    /// Panics if `column` is not less than [`columns`](Self::columns).
    pub fn level(&self, column: usize) -> f32 {
        self.height(self.head(column))
    }

    /// [Level](Self::level) of a column at the start of the last tick, for drawing a moment between two ticks. It is not
    /// kept in snapshots: after loading, it is the present level.
    ///
    /// # Panics
    ///
    /// Panics if `column` is not less than [`columns`](Self::columns).
    pub fn tick_start_level(&self, column: usize) -> f32 {
        let kept = self.workspace.tick_start.get(column).copied();
        self.height(kept.unwrap_or_else(|| self.head(column)))
    }

    /// Velocity of the water of a column, in world units/s.
    ///
    /// # Panics
    ///
    /// Panics if `column` is not less than [`columns`](Self::columns).
    pub fn velocity(&self, column: usize) -> f32 {
        self.mean_velocity(column) as f32
    }

    /// The column at a position along the x axis; `None` outside of the pool.
    pub fn column_at(&self, x: f32) -> Option<usize> {
        let column = (f64::from(x) - f64::from(self.origin.x)) / f64::from(self.column_width());
        (column >= 0.0 && column < self.columns() as f64).then_some(column as usize)
    }

    /// The column whose water contains a point; `None` outside of the water, and for a point that is not finite.
    pub fn column_around(&self, point: Vec2) -> Option<usize> {
        let column = self.column_at(point.x)?;
        let within = point.y >= self.bed(column) && point.y <= self.level(column);
        (within && self.water[column] > 0).then_some(column)
    }

    /// Centre of a column along the x axis, in world units.
    pub fn centre_of(&self, column: usize) -> f32 {
        self.origin.x + (column as f32 + 0.5) * self.column_width()
    }

    /// A box around its water and its bed, in world units.
    pub fn bounds(&self) -> FluidBounds {
        let width = self.columns() as f32 * self.column_width();
        let low = self.bed.iter().copied().min().unwrap_or_default();
        let high = (0..self.columns()).map(|column| self.head(column)).max().unwrap_or_default();
        FluidBounds {
            low: Vec2::new(self.origin.x, self.height(low)),
            high: Vec2::new(self.origin.x + width, self.height(high)),
        }
    }

    /// Amount of its water, in particles. It includes the water that has left at an open end and is not a particle yet.
    pub fn particles(&self) -> f64 {
        self.parts() as f64 / Self::PARTS as f64
    }

    /// Amount of its water in [`PARTS`](Self::PARTS) of a particle. This number plus `PARTS` times the number of
    /// particles of the pool's class changes only where liquid is added or removed.
    pub fn parts(&self) -> i64 {
        self.water.iter().chain(&self.overflow).sum()
    }

    /// Momentum of its water along the x axis, in masses of a particle times world units/s.
    pub fn momentum(&self) -> f64 {
        let faces = 0..self.velocity.len();
        faces.map(|face| self.face_particles(face) * self.velocity[face]).sum()
    }

    /// Fills all columns up to a height in world units of the world's y axis, without flow. Columns whose bed is higher
    /// are dry afterwards. A level beyond the largest amount of a column is cut to it.
    ///
    /// The surface is level to the last bit, so the pool stays exactly at rest.
    pub fn fill_to(&mut self, level: f32) {
        let level = if level.is_nan() {
            i64::MIN
        } else {
            self.units(f64::from(level) - f64::from(self.origin.y))
        };
        for (water, bed) in self.water.iter_mut().zip(&self.bed) {
            *water = level.saturating_sub(*bed).clamp(0, Self::MOST_PARTICLES * Self::PARTS);
        }
        self.velocity.fill(0.0);
        self.rest.fill(0.0);
        (0..self.columns()).for_each(|column| self.forget_mean(column));
    }

    /// Sets the depth of the water of a column, in world units, 0 to 10000 particle spacings.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a depth outside the range. Then nothing is changed.
    ///
    /// # Panics
    ///
    /// Panics if `column` is not less than [`columns`](Self::columns).
    pub fn set_depth(&mut self, column: usize, depth: f32) -> Result<(), OutOfRange> {
        let valid = depth >= 0.0 && depth <= 1e4 * self.spacing;
        Check("pool").that(valid, "depth", depth, "0 to 10000 particle spacings")?;
        self.water[column] = self.units(depth.into());
        self.forget_mean(column);
        self.touch(column);
        Ok(())
    }

    /// Sets the velocity of the water across the left face of a column, in world units/s, within ±1e6. The faces at
    /// closed ends keep the velocity 0.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a velocity outside the range. Then nothing is changed.
    ///
    /// # Panics
    ///
    /// Panics if `column` is not less than [`columns`](Self::columns).
    pub fn set_face_velocity(&mut self, column: usize, velocity: f32) -> Result<(), OutOfRange> {
        Limits::within(1e6).check("pool", "velocity", velocity)?;
        self.velocity[column] = if column == 0 { 0.0 } else { velocity.into() };
        self.touch(column);
        Ok(())
    }

    /// Adds the amount of `particles` particles at rest to a column, up to the largest amount of a column, and returns
    /// the number of added particles.
    ///
    /// # Panics
    ///
    /// Panics if `column` is not less than [`columns`](Self::columns).
    pub fn add(&mut self, column: usize, particles: u32) -> u32 {
        let room = Self::MOST_PARTICLES - self.water[column] / Self::PARTS;
        let added = i64::from(particles).clamp(0, room.max(0));
        for _ in 0..added {
            self.add_particle(column, 0.0);
        }
        added as u32
    }

    /// Takes the amount of up to `particles` particles out of a column, and returns the number of taken particles.
    /// Water of less than one particle stays.
    ///
    /// # Panics
    ///
    /// Panics if `column` is not less than [`columns`](Self::columns).
    pub fn take(&mut self, column: usize, particles: u32) -> u32 {
        let taken = i64::from(particles).min(self.water[column] / Self::PARTS);
        self.water[column] -= taken * Self::PARTS;
        if taken > 0 {
            self.touch(column);
        }
        taken as u32
    }

    /// A hash (FNV-1a) of water and velocities. Two pools with bit-identical values have the same hash.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        self.water.iter().chain(&self.overflow).for_each(|water| hash.add(*water as u64));
        self.velocity.iter().for_each(|velocity| hash.add(velocity.to_bits()));
        hash.0
    }

    // Methods for the steps.

    /// The unit of height, in world units. A column that is higher by one unit has one more part of a particle.
    pub(super) fn unit(&self) -> f64 {
        f64::from(self.spacing) / (f64::from(self.settings.column_width) * Self::PARTS as f64)
    }

    /// A length in units of height.
    pub(super) fn units(&self, length: f64) -> i64 {
        (length / self.unit()) as i64
    }

    /// A height above the origin as a coordinate of the world.
    pub(super) fn height(&self, units: i64) -> f32 {
        (f64::from(self.origin.y) + units as f64 * self.unit()) as f32
    }

    /// Height above the origin up to which water of the pressure at the bed of a column would stand.
    pub(super) fn head(&self, column: usize) -> i64 {
        self.bed[column] + self.water[column] + self.displaced[column]
    }

    /// Sets the mean head of a column to its present head.
    pub(super) fn forget_mean(&mut self, column: usize) {
        self.mean_head[column] = self.head(column) as f64;
    }

    /// Mean of the velocities of the two faces of a column, in world units/s.
    pub(super) fn mean_velocity(&self, column: usize) -> f64 {
        0.5 * (self.velocity[column] + self.velocity[column + 1])
    }

    /// Amount of water that moves with a face, in particles: half of the water on both sides.
    pub(super) fn face_particles(&self, face: usize) -> f64 {
        let water = |column: usize| self.water.get(column).copied().unwrap_or_default() as f64;
        let left = if face > 0 { water(face - 1) } else { 0.0 };
        0.5 * (left + water(face)) / Self::PARTS as f64
    }

    /// Whether particles of this spacing are whole parts of its water. After a change of the liquid's particle spacing,
    /// they have another amount.
    pub(super) fn exchanges_with(&self, particle_spacing: f32) -> bool {
        self.spacing == particle_spacing
    }

    /// The columns of a group.
    pub(super) fn chunk(&self, chunk: usize) -> Range<usize> {
        chunk * CHUNK..((chunk + 1) * CHUNK).min(self.columns())
    }

    /// Wakes the columns around one.
    pub(super) fn touch(&mut self, column: usize) {
        self.rest[column / CHUNK] = 0.0;
    }

    /// Whether a column has room for another particle.
    pub(super) fn has_room(&self, column: usize) -> bool {
        self.water[column] < Self::MOST_PARTICLES * Self::PARTS
    }

    /// Adds the amount and the horizontal momentum of a particle to a column.
    pub(super) fn add_particle(&mut self, column: usize, velocity: f64) {
        for face in [column, column + 1] {
            let before = self.face_particles(face);
            let mixed = (before * self.velocity[face] + 0.5 * velocity) / (before + 0.5);
            if self.is_face_open(face) {
                self.velocity[face] = mixed;
            }
        }
        self.water[column] += Self::PARTS;
        self.touch(column);
    }

    /// Changes the momentum of the water of a column, in masses of a particle times world units/s. Returns `false` if
    /// the column has no water that can take it.
    pub(super) fn push(&mut self, column: usize, momentum: f64) -> bool {
        let faces = [column, column + 1]
            .map(|face| if self.is_face_open(face) { self.face_particles(face) } else { 0.0 });
        let particles = faces[0] + faces[1];
        if particles > 0.0 {
            for (face, moved) in [column, column + 1].into_iter().zip(faces) {
                if moved > 0.0 {
                    self.velocity[face] += momentum / particles;
                }
            }
            self.touch(column);
        }
        particles > 0.0
    }

    /// Whether water may cross a face.
    pub(super) fn is_face_open(&self, face: usize) -> bool {
        match face {
            0 => self.settings.open_left && self.overflow[0] < MOST_OVERFLOW * Self::PARTS,
            face if face == self.columns() => {
                self.settings.open_right && self.overflow[1] < MOST_OVERFLOW * Self::PARTS
            }
            _ => true,
        }
    }
}

fn check_origin(origin: Vec2) -> Result<(), OutOfRange> {
    let mut coordinates = origin.to_array().into_iter();
    coordinates.try_for_each(|value| Limits::VAST.check("pool", "origin", value))
}

// Pools as bytes.

stored!(Pool {
    settings,
    origin in Limits::VAST,
    spacing in Pool::SPACINGS,
    bed,
    water,
    displaced,
    overflow,
    splashing,
    mean_head in Limits::within(1e18),
    velocity in Limits::within(1e12),
    rest in Limits::NOT_NEGATIVE,
    emitted,
} derived {
    workspace = Workspace::default(),
} check Pool::check_loaded);

#[cfg(feature = "snapshot")]
impl Pool {
    /// Returns an error unless lengths and amounts are those of a pool.
    fn check_loaded(&self) -> Result<(), &'static str> {
        let columns = self.bed.len();
        if !(1..=Self::MAX_COLUMNS).contains(&columns) {
            return Err("a pool without columns");
        }
        let lengths = [
            (self.water.len(), columns),
            (self.displaced.len(), columns),
            (self.mean_head.len(), columns),
            (self.velocity.len(), columns + 1),
            (self.rest.len(), columns.div_ceil(CHUNK)),
        ];
        if lengths.iter().any(|(length, expected)| length != expected) {
            return Err("a list of a pool has the wrong length");
        }
        // More than any pool has, and sums of these do not overflow.
        let most = 1_i64 << 60;
        let water = || self.water.iter().chain(&self.overflow);
        let are_sound = water().chain(&self.displaced).all(|amount| (0..=most).contains(amount));
        let total: i128 = water().copied().map(i128::from).sum();
        let splashes = (0..Self::PARTS).contains(&self.splashing);
        if !(are_sound && total <= i128::from(most) && splashes) {
            return Err("an amount of a pool");
        }
        if self.bed.iter().any(|height| height.saturating_abs() >= most) {
            return Err("a bed of a pool");
        }
        Ok(())
    }
}

// Pools of a liquid.

/// All pools of a liquid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pools(pub(super) Slots<PoolId, Pool>);

stored!(Pools { 0: all });

impl Pools {
    /// The pool and the column whose water of some classes contains a point.
    pub(crate) fn around(
        &self,
        point: Vec2,
        accepts: impl Fn(ClassId) -> bool,
    ) -> Option<(&Pool, usize)> {
        self.0
            .iter()
            .filter(|pool| accepts(pool.settings.class))
            .find_map(|pool| pool.column_around(point).map(|column| (pool, column)))
    }

    /// A box around all pools.
    pub(crate) fn bounds(&self) -> FluidBounds {
        self.0.iter().map(Pool::bounds).fold(FluidBounds::NONE, FluidBounds::union)
    }
}
