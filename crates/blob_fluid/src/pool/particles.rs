//! Particles that become water of a pool, and water that becomes particles.
//!
//! Each exchange moves the amount of whole particles, and their momentum along the x axis. The bed takes the momentum of
//! falling particles along the y axis, and gives that of particles that splash up.

use glam::{DVec2, Vec2};

use super::bodies::{Immersed, Slice};
use super::columns::StepInputs;
use super::state::{Pool, PoolError, PoolId};
use crate::geometry::shape::scatter;
use crate::{ClassFilter, ClassId, FluidRegion, FluidShape, Liquid, ParticleId, ParticleSpawn};

/// Speed, in V0, from which a body that enters the water makes a splash.
const SPLASH_SPEED: f64 = 1.5;

/// Speeds of splashing particles, as fractions of the speed of the body: least speed upwards, least speed outwards, and
/// how much more both may be.
const SPLASH_UP: f32 = 0.5;
const SPLASH_OUT: f32 = 0.2;
const SPLASH_SPREAD: f32 = 0.4;

/// Part of [`PoolSettings::splash`](super::PoolSettings::splash) that applies to falling particles. The drops then have
/// less energy than these.
const JET_SPLASH: f64 = 0.3;

/// Largest part of the momentum of a body that splashing particles take in a tick.
const MOST_TAKEN: f64 = 0.5;

/// Relative density of liquid in front of an open end in which no particle appears.
const CROWDED: f32 = 0.9;

/// Methods for pools.
impl Liquid {
    /// Adds a pool.
    ///
    /// # Errors
    ///
    /// Returns [`PoolError`] for an unknown class, and for a pool of another particle spacing.
    pub fn insert_pool(&mut self, pool: Pool) -> Result<PoolId, PoolError> {
        self.check_pool(&pool)?;
        Ok(self.pools.0.insert(pool))
    }

    /// Replaces a pool, and returns `false` if it was removed.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`insert_pool`](Self::insert_pool). Then nothing is changed.
    pub fn set_pool(&mut self, id: PoolId, pool: Pool) -> Result<bool, PoolError> {
        self.check_pool(&pool)?;
        let index = self.pools.0.index_of(id);
        if let Some(index) = index {
            self.pools.0[index] = pool;
        }
        Ok(index.is_some())
    }

    fn check_pool(&self, pool: &Pool) -> Result<(), PoolError> {
        let expected = self.parameters.particle_spacing;
        if !pool.exchanges_with(self.parameters.particle_spacing) {
            return Err(PoolError::Spacing { found: pool.spacing, expected });
        }
        let class = pool.settings.class;
        if class.index() >= self.classes.len() {
            return Err(PoolError::UnknownClass(class));
        }
        Ok(())
    }

    /// Removes a pool, and returns it; `None` if it was removed before.
    pub fn remove_pool(&mut self, id: PoolId) -> Option<Pool> {
        let index = self.pools.0.index_of(id)?;
        Some(self.pools.0.remove(index))
    }

    /// A pool; `None` if it was removed.
    pub fn pool(&self, id: PoolId) -> Option<&Pool> {
        self.pools.0.find(id)
    }

    /// A pool, to change it between two ticks; `None` if it was removed.
    pub fn pool_mut(&mut self, id: PoolId) -> Option<&mut Pool> {
        let index = self.pools.0.index_of(id)?;
        Some(&mut self.pools.0[index])
    }

    /// Whether the water of all pools sleeps: no column has moved for a while.
    pub fn pools_rest(&self) -> bool {
        let calm_time = self.pool_inputs(0.0).calm_time();
        self.pools.0.iter().all(|pool| pool.rest.iter().all(|rest| *rest >= calm_time))
    }

    /// All pools with their handles, in the order of insertion.
    pub fn pools(&self) -> impl Iterator<Item = (PoolId, &Pool)> {
        self.pools.0.entries()
    }
}

impl Liquid {
    fn pool_inputs(&self, time_step: f32) -> StepInputs {
        StepInputs {
            time_step: time_step.into(),
            gravity: (-f64::from(self.parameters.gravity.y)).max(0.0),
            time_unit: self.parameters.time_unit().into(),
            speed_unit: self.parameters.speed_unit().into(),
        }
    }

    /// Steps all pools by a tick of `time_step` seconds.
    pub(crate) fn step_pools(&mut self, time_step: f32) {
        if self.pools.0.is_empty() {
            return;
        }
        let inputs = self.pool_inputs(time_step);
        let mut pools = std::mem::take(&mut self.pools);
        for pool in pools.0.iter_mut() {
            let class = self.classes.get(pool.settings.class);
            let mass = class.map_or(1.0, |class| f64::from(class.mass));
            let area = f64::from(pool.spacing) * f64::from(pool.spacing);
            let exchanges =
                pool.exchanges_with(self.parameters.particle_spacing) && class.is_some();
            pool.keep_tick_start(inputs);
            if exchanges {
                pool.absorb(self);
            }
            let bodies = pool.immerse(&self.boundary, &mut self.sleep, inputs);
            pool.flow(inputs);
            pool.push_bodies(&bodies, &mut self.boundary, mass / area, inputs);
            if exchanges {
                pool.splash(&bodies, self, mass, inputs);
                pool.overflow(self);
            }
        }
        self.pools = pools;
    }

    /// Turns water of pools in a region into at most `most` particles in the region. Water of columns that are nearer to
    /// the centre comes first. The caller removes or moves the particles, and then calls
    /// [`return_to_pools`](Self::return_to_pools), because they may be at the same place.
    pub(crate) fn draw_from_pools(
        &mut self,
        region: &FluidRegion,
        classes: ClassFilter,
        most: usize,
    ) {
        self.lift_from_pools(region, classes, most, |pool, column, bottom| {
            let centre = region.centre();
            let (low, high) = (pool.bed(column).max(bottom), pool.level(column));
            let height = centre.y.clamp(low.min(high), high);
            // A narrow region may lie beside the centre of its column.
            let is_beside = pool.column_at(centre.x) == Some(column);
            let x = if is_beside { centre.x } else { pool.centre_of(column) };
            let places = [height, high, low].map(|y| Vec2::new(x, y));
            let place = places.into_iter().find(|place| region.contains(*place));
            place.map(Place::At)
        });
    }

    /// Turns the water of pools within a disc, and above it up to the surface, into particles at the same places.
    pub(crate) fn throw_from_pools(&mut self, centre: Vec2, radius: f32) {
        let Ok(disc) = FluidRegion::circle(centre, radius) else { return };
        self.lift_from_pools(&disc, ClassFilter::ALL, usize::MAX, |pool, column, bottom| {
            let is_below = (pool.centre_of(column) - centre.x).abs() < radius;
            let (level, top) = (pool.level(column), centre.y + radius);
            (is_below && bottom < level && level < top).then_some(Place::InColumn)
        });
    }

    /// Makes particles below the surfaces of pools a part of them.
    pub(crate) fn return_to_pools(&mut self) {
        let mut pools = std::mem::take(&mut self.pools);
        for pool in pools.0.iter_mut() {
            if pool.exchanges_with(self.parameters.particle_spacing) {
                pool.absorb(self);
            }
        }
        self.pools = pools;
    }

    /// Turns water in columns into particles, down to the lower edge of a region, at most `most` particles. `place` gives
    /// their place from the pool, the column and the height of that edge; `None` for no particles.
    fn lift_from_pools(
        &mut self,
        region: &FluidRegion,
        classes: ClassFilter,
        most: usize,
        place: impl Fn(&Pool, usize, f32) -> Option<Place>,
    ) {
        if self.pools.0.is_empty() || most == 0 {
            return;
        }
        let (bounds, mut left) = (region.bounds(), most);
        let mut pools = std::mem::take(&mut self.pools);
        for pool in pools.0.iter_mut() {
            if !pool.exchanges_with(self.parameters.particle_spacing)
                || !classes.contains(pool.settings.class)
                || !bounds.intersects(pool.bounds())
            {
                continue;
            }
            let width = pool.column_width();
            let end = pool.columns() as f32 - 1.0;
            let column_of = |x: f32| ((x - pool.origin.x) / width).clamp(0.0, end) as usize;
            let mut columns: Vec<usize> =
                (column_of(bounds.low.x)..=column_of(bounds.high.x)).collect();
            let from_centre = |column: &usize| (pool.centre_of(*column) - region.centre().x).abs();
            columns.sort_by(|a, b| from_centre(a).total_cmp(&from_centre(b)));
            for column in columns {
                let bottom = bottom_of(region, pool.centre_of(column));
                if let Some(place) = place(pool, column, bottom) {
                    left -= pool.lift(self, column, bottom, left, place);
                }
            }
        }
        self.pools = pools;
    }
}

// Measurements.

/// Largest number of samples of a region along an axis.
const SAMPLES: f32 = 64.0;

impl Liquid {
    /// Amount of the water of pools in a region, in whole particles of each class, and its momentum along the x axis in
    /// particles times world units/s. The water is sampled at distances of a particle spacing, or 64 times along each
    /// axis of a larger region.
    pub(crate) fn count_in_pools(
        &self,
        region: &FluidRegion,
        classes: ClassFilter,
        mut add: impl FnMut(ClassId, usize, f64),
    ) {
        for pool in self.pools.0.iter().filter(|pool| classes.contains(pool.settings.class)) {
            let bounds = region.bounds().intersection(pool.bounds());
            let size = 2.0 * bounds.half_size();
            if size.min_element() <= 0.0 {
                continue;
            }
            let steps = (size / pool.spacing).ceil().clamp(Vec2::ONE, Vec2::splat(SAMPLES));
            let step = size / steps;
            let each = f64::from(step.x * step.y / (pool.spacing * pool.spacing));
            let (mut amount, mut momentum) = (0.0, 0.0);
            for right in 0..steps.x as u32 {
                let x = bounds.low.x + step.x * (right as f32 + 0.5);
                for up in 0..steps.y as u32 {
                    let point = Vec2::new(x, bounds.low.y + step.y * (up as f32 + 0.5));
                    let column = pool.column_around(point).filter(|_| region.contains(point));
                    if let Some(column) = column {
                        amount += each;
                        momentum += each * pool.mean_velocity(column);
                    }
                }
            }
            add(pool.settings.class, amount.round() as usize, momentum);
        }
    }
}

/// Where the water of a column becomes particles.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Where it is.
    InColumn,
    /// All at one place.
    At(Vec2),
}

/// A drop that splashes up.
struct Drop {
    /// -1 to the left, 1 to the right.
    side: f32,
    /// Random numbers, 0 to 1.
    draw: Vec2,
    /// Its place beside the edge of the splash, in particle spacings.
    offset: Vec2,
}

impl Drop {
    /// Its velocity relative to the water, if the splash is made at this speed.
    fn velocity(&self, speed: f32) -> Vec2 {
        let out = SPLASH_OUT + SPLASH_SPREAD * self.draw.x;
        speed * Vec2::new(self.side * out, SPLASH_UP + SPLASH_SPREAD * self.draw.y)
    }
}

/// Height of the lower edge of a region at a position along the x axis. Only discs have a round edge here.
fn bottom_of(region: &FluidRegion, x: f32) -> f32 {
    match region.shape() {
        FluidShape::Circle { radius } => {
            let aside = x - region.centre().x;
            region.centre().y - (radius * radius - aside * aside).max(0.0).sqrt()
        }
        _ => region.bounds().low.y,
    }
}

impl Pool {
    /// Makes the particles below the surface, whose class is that of the pool, a part of it.
    fn absorb(&mut self, liquid: &mut Liquid) {
        let particles = liquid.particles();
        if particles.is_empty() {
            return;
        }
        let bounds = self.bounds();
        let class = self.settings.class;
        let mut below: Vec<ParticleId> = Vec::new();
        particles.index().visit(
            |around| around.intersects(bounds),
            |run| {
                let is_below = |index: &usize| {
                    particles.class[*index] == class
                        && self.column_around(particles.position[*index]).is_some()
                };
                below.extend(run.filter(is_below).map(|index| particles.id[index]));
            },
        );
        // The order of removal decides which new particle gets which slot.
        below.sort_unstable_by_key(|id| id.slot());
        for id in below {
            let Some(index) = liquid.particles().index_of(id) else { continue };
            let (position, velocity) =
                (liquid.particles().position[index], liquid.particles().velocity[index]);
            // The surface rises with each particle, so the others are below it as well.
            let Some(column) = self.column_at(position.x).filter(|column| self.has_room(*column))
            else {
                continue;
            };
            if velocity.x.abs() <= 1e12 {
                self.add_particle(column, velocity.x.into());
                liquid.despawn(id);
                self.splash_jet(column, position.x, velocity, liquid);
            }
        }
    }

    /// Lets water splash up where a fast particle has become a part of a column.
    fn splash_jet(&mut self, column: usize, x: f32, velocity: Vec2, liquid: &mut Liquid) {
        let limit = SPLASH_SPEED * f64::from(liquid.parameters.speed_unit());
        let speed = -f64::from(velocity.y);
        if speed <= limit {
            return;
        }
        let share = JET_SPLASH * f64::from(self.settings.splash) * (1.0 - limit / speed);
        self.splashing += (share * Self::PARTS as f64) as i64;
        while let Some(drop) = self.next_drop() {
            let place = Vec2::new(x, self.level(column)) + drop.offset * self.spacing;
            let thrown = Vec2::new(velocity.x, 0.0) + drop.velocity(speed as f32);
            self.release(liquid, self.column_at(place.x).unwrap_or(column), place, thrown);
        }
    }

    /// The next drop of the water that is due to splash up.
    fn next_drop(&mut self) -> Option<Drop> {
        if self.splashing < Self::PARTS {
            return None;
        }
        self.splashing -= Self::PARTS;
        let number = self.emitted as u32;
        self.emitted += 1;
        let side = if number.is_multiple_of(2) { -1.0 } else { 1.0 };
        let draw = 0.5 + 0.5 * scatter(number);
        Some(Drop { side, draw, offset: Vec2::new(side * (0.2 + draw.x), 0.6 + draw.y) })
    }

    /// Turns the water of a column above the height `bottom` into at most `most` particles, and returns their number.
    fn lift(
        &mut self,
        liquid: &mut Liquid,
        column: usize,
        bottom: f32,
        most: usize,
        place: Place,
    ) -> usize {
        let bottom = self.units(f64::from(bottom) - f64::from(self.origin.y));
        let top = self.bed[column] + self.water[column];
        let above = (top - bottom.max(self.bed[column])).max(0) / Self::PARTS;
        let count = usize::try_from(above).unwrap_or(0).min(most);
        let velocity = Vec2::new(self.velocity(column), 0.0);
        let (level, beside) = (self.height(top), self.settings.column_width as usize);
        let left = self.centre_of(column) - 0.5 * self.column_width();
        for number in 0..count {
            let position = match place {
                Place::At(place) => place,
                Place::InColumn => {
                    let cell = Vec2::new((number % beside) as f32, -((number / beside) as f32));
                    Vec2::new(left, level) + self.spacing * (cell + Vec2::new(0.5, -0.5))
                }
            };
            if !self.release(liquid, column, position, velocity) {
                return number;
            }
        }
        count
    }

    /// Turns water of a column into a particle, which gets its momentum along the x axis from the column. Returns
    /// `false` if the column has too little water, or the liquid accepts no particle there.
    fn release(
        &mut self,
        liquid: &mut Liquid,
        column: usize,
        position: Vec2,
        velocity: Vec2,
    ) -> bool {
        let class = self.settings.class;
        let spawn = ParticleSpawn { position, velocity, class, ..Default::default() };
        if self.water[column] < Self::PARTS || liquid.spawn(spawn).is_err() {
            return false;
        }
        let faces =
            [column, column + 1].map(|face| self.face_particles(face) * self.velocity[face]);
        self.water[column] -= Self::PARTS;
        let left = [column, column + 1].map(|face| self.face_particles(face) * self.velocity[face]);
        let given = faces[0] + faces[1] - left[0] - left[1];
        self.push(column, given - f64::from(velocity.x));
        self.touch(column);
        true
    }

    /// Lets water splash up on both sides of bodies that enter fast. The bodies pay the energy of the particles.
    fn splash(&mut self, bodies: &[Immersed], liquid: &mut Liquid, mass: f64, inputs: StepInputs) {
        let limit = SPLASH_SPEED * inputs.speed_unit;
        for body in bodies.iter().filter(|body| !body.is_asleep) {
            let velocity = liquid.boundary.colliders[body.collider].motion.velocity;
            let speed = -f64::from(velocity.y);
            let is_cut = |slice: &Slice| slice.width > 0.0;
            let first = body.slices.iter().position(is_cut);
            let (Some(first), true) = (first, speed > limit) else { continue };
            let last = body.slices.iter().rposition(is_cut).unwrap_or(first);
            let entering = body.width() * speed * inputs.time_step * (1.0 - limit / speed);
            let spacing = f64::from(self.spacing);
            let share = f64::from(self.settings.splash);
            let splashed = share * entering / (spacing * spacing) * Self::PARTS as f64;
            // A very fast body empties no more than a column in a tick.
            self.splashing += (splashed as i64).min(64 * Self::PARTS);
            let mut energy = 0.0;
            while let Some(drop) = self.next_drop() {
                let is_left = drop.side < 0.0;
                let slice = if is_left { first } else { last };
                let edge = body.first + if is_left { first } else { last + 1 };
                let x = self.origin.x + edge as f32 * self.column_width();
                let waterline = self.origin.y + body.slices[slice].waterline as f32;
                let position = Vec2::new(x, waterline) + drop.offset * self.spacing;
                let velocity = Vec2::new(velocity.x, 0.0) + drop.velocity(speed as f32);
                let Some(column) = self.column_at(position.x) else { continue };
                if self.release(liquid, column, position, velocity) {
                    energy += 0.5 * mass * velocity.as_dvec2().length_squared();
                }
            }
            let inverse_mass = f64::from(body.response.inverse_mass.y);
            if energy > 0.0 && inverse_mass > 0.0 {
                let taken = (energy / speed).min(MOST_TAKEN * speed / inverse_mass);
                let Immersed { collider, host, response, .. } = *body;
                let upwards = DVec2::new(0.0, taken);
                liquid.boundary.push_body(collider, host, upwards, 0.0, response);
            }
        }
    }

    /// Turns water that has left at the open ends into particles.
    fn overflow(&mut self, liquid: &mut Liquid) {
        for side in 0..2 {
            let (column, face, outwards) =
                if side == 0 { (0, 0, -1.0) } else { (self.columns() - 1, self.columns(), 1.0) };
            while self.overflow[side] >= Self::PARTS {
                let rows = (self.depth(column) / self.spacing).max(1.0) as u64;
                let row = (self.emitted % rows) as f32;
                let draw = 0.5 + 0.5 * scatter(self.emitted as u32).x;
                let offset = Vec2::new(outwards * (0.5 + draw), 0.5 + row) * self.spacing;
                let end = self.origin.x + face as f32 * self.column_width();
                let position = Vec2::new(end, self.bed(column)) + offset;
                let velocity = Vec2::new(self.velocity[face] as f32, 0.0);
                let class = self.settings.class;
                let spawn = ParticleSpawn { position, velocity, class, ..Default::default() };
                if liquid.density_at(position) >= CROWDED || liquid.spawn(spawn).is_err() {
                    break;
                }
                self.overflow[side] -= Self::PARTS;
                self.emitted += 1;
            }
        }
    }
}
