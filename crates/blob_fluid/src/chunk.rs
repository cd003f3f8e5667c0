//! Chunks: the liquid of a region, taken out of a world and put back. Streamed worlds use them.

use glam::Vec2;

use crate::liquid::state::Sleep;
use crate::particles::arrays::Activity;
use crate::particles::columns::check_once;
use crate::revision::StateHash;
use crate::snapshot::entries;
use crate::stored::bytes::{Reader, Stored, Writer, ensure};
use crate::stored::stored;
use crate::{
    ClassFilter, Collider, FluidBounds, FluidRegion, FluidWorld, Grain, Liquid, PaintMixing,
    ParticleId, Particles, RestoreError, SnapshotError, Solid, SpawnError, Spring,
};

// Taken liquid.

/// The liquid of a region that [`FluidWorld::take_chunk`](crate::FluidWorld::take_chunk) has taken out of a world.
/// [`FluidWorld::put_chunk`](crate::FluidWorld::put_chunk) puts it back unchanged. Sleeping liquid stays asleep if its
/// surroundings have not changed.
///
/// A chunk can be an entry of a [`SnapshotFile`](crate::SnapshotFile). Time does not pass in a chunk: its particles do
/// not move, age or cool. Each call that puts the chunk back adds its particles again.
#[derive(Clone, Debug)]
pub struct FluidChunk {
    /// Names of the classes, by the index that particles have.
    pub(super) classes: Vec<String>,
    /// The slots of the particles are in the order of the arrays.
    pub(super) particles: Particles,
    pub(super) springs: Vec<Spring>,
    pub(super) cut_springs: usize,
    pub(super) surroundings: Surroundings,
    /// Whether heat changed no temperature by more than a negligible amount.
    pub(super) heat_rests: bool,
}

entries! { "chunk": FluidChunk }

impl FluidChunk {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// Whether it has no particles.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty()
    }

    /// The particles, whose handles are not valid in any world. The classes of the particles are indices of
    /// [`class_names`](Self::class_names).
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// Names of the classes, by the index that particles have.
    pub fn class_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.classes.iter().map(String::as_str)
    }

    /// The smallest box around all particles.
    pub fn bounds(&self) -> FluidBounds {
        self.particles.index().bounds()
    }

    /// Number of springs between its particles.
    pub fn springs(&self) -> usize {
        self.springs.len()
    }

    /// Number of springs that were cut because only one of their ends was in the region.
    pub fn cut_springs(&self) -> usize {
        self.cut_springs
    }
}

impl Stored for FluidChunk {
    fn store(&self, to: &mut Writer) {
        let Self { classes, particles, springs, cut_springs, surroundings, heat_rests } = self;
        classes.store(to);
        particles.store(to);
        particles.paints.mixing.store(to);
        springs.store(to);
        cut_springs.store(to);
        surroundings.store(to);
        heat_rests.store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let (classes, mut particles): (Vec<String>, Particles) =
            (Stored::load(from)?, Stored::load(from)?);
        particles.paints.mixing = PaintMixing::load(from)?;
        let (springs, cut_springs): (Vec<Spring>, usize) =
            (Stored::load(from)?, Stored::load(from)?);
        let (surroundings, heat_rests) = (Stored::load(from)?, Stored::load(from)?);
        let known = particles.class.iter().all(|class| class.index() < classes.len());
        ensure(known, "a particle of an unknown class")?;
        let painted = particles.paints.amounts.len();
        ensure(painted == 0 || painted == particles.len(), "the paint of other particles")?;
        let ends = springs.iter().flat_map(|spring| spring.ends);
        let tied = ends.into_iter().all(|end| particles.index_of(end).is_some());
        ensure(tied, "a spring of an unknown particle")?;
        check_once(&springs)?;
        ensure(is_sound(&particles), "a particle with a number that is not finite")?;
        Ok(Self { classes, particles, springs, cut_springs, surroundings, heat_rests })
    }
}

/// Whether the particles may enter a world: all their numbers are finite.
pub(super) fn is_sound(particles: &Particles) -> bool {
    let scalars = [
        &particles.exposure,
        &particles.rest_time,
        &particles.rest_temperature,
        &particles.relative_density,
        &particles.pressure,
    ];
    let vectors = [&particles.previous_position, &particles.tick_start, &particles.rest_position];
    !particles.any_unsound()
        && particles.grains.iter().all(Grain::is_finite)
        && scalars.into_iter().flatten().all(|number| number.is_finite())
        && vectors.into_iter().flatten().all(|vector| vector.is_finite())
        && particles.lives.are_finite()
}

// Taking the liquid of a region out of a world.

/// Methods that take liquid out of the world and put it back.
impl FluidWorld {
    /// Takes the liquid of a region out of the world, for levels that simulate only the
    /// surroundings of the player.
    ///
    /// The chunk holds the complete state of the particles: velocities, classes, heat, kept pressures, grains, paint,
    /// ages, lifetimes, tags and sleep. The chunk also holds the springs between these particles. Springs to particles
    /// outside the region are cut and [counted](FluidChunk::cut_springs). Handles of taken particles become invalid.
    ///
    /// Remaining liquid that touched the taken liquid wakes with the next tick, and flows into the
    /// gap unless a collider is there. This liquid sleeps on if the chunk is put back before that
    /// tick. Solids, forces, air and sources stay unchanged. Particles with a number that is not
    /// finite are not taken; the next tick quarantines them.
    ///
    /// ```
    /// use blob_fluid::{FluidRegion, FluidWorld, ParticleSpawn, SnapshotFile};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// for x in 0..10 {
    ///     let position = Vec2::new(15.0 * x as f32, 0.0);
    ///     world.spawn(ParticleSpawn { position, ..Default::default() })?;
    /// }
    /// let left = FluidRegion::rectangle(Vec2::ZERO, Vec2::splat(50.0))?;
    /// let mut file = SnapshotFile::default();
    /// file.insert("left", &world.take_chunk(&left)?)?;
    /// assert_eq!(world.particles().len(), 6);
    ///
    /// let file = SnapshotFile::from_bytes(&file.to_bytes())?;
    /// let handles = world.put_chunk(&file.get("left")?)?;
    /// assert_eq!((handles.len(), world.particles().len()), (4, 10));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::WithinTick`] if a tick has begun and not ended.
    pub fn take_chunk(&mut self, region: &FluidRegion) -> Result<FluidChunk, SnapshotError> {
        self.take_chunk_of(self.indices_in(region, ClassFilter::ALL))
    }

    /// Takes the particles whose positions satisfy a condition, as [`take_chunk`](Self::take_chunk) takes those of a
    /// region. Use it for regions with common borders: your condition assigns each position on a border to one region.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// for x in 0..10 {
    ///     let position = Vec2::new(15.0 * x as f32, 0.0);
    ///     world.spawn(ParticleSpawn { position, ..Default::default() })?;
    /// }
    /// let tile = |position: Vec2| (position.x / 45.0).floor();
    /// let chunks = [0.0, 1.0, 2.0, 3.0].map(|number| world.take_chunk_where(|at| tile(at) == number));
    /// let counts = chunks.map(|chunk| chunk.map(|chunk| chunk.len()));
    /// assert_eq!(counts, [Ok(3), Ok(3), Ok(3), Ok(1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`take_chunk`](Self::take_chunk).
    pub fn take_chunk_where(
        &mut self,
        mut is_taken: impl FnMut(Vec2) -> bool,
    ) -> Result<FluidChunk, SnapshotError> {
        let positions = self.particles().positions().iter().enumerate();
        let taken = positions.filter(|(_, position)| is_taken(**position));
        let indices = taken.map(|(index, _)| index).collect();
        self.take_chunk_of(indices)
    }

    /// Takes the particles at ascending indices.
    fn take_chunk_of(&mut self, mut indices: Vec<usize>) -> Result<FluidChunk, SnapshotError> {
        let liquid = self.liquid_mut();
        if liquid.sleep.in_tick {
            return Err(SnapshotError::WithinTick);
        }
        indices.retain(|index| liquid.particles.is_sound(*index) && liquid.keeps(*index));
        let particles = liquid.particles.copy_of(&indices);
        let taken: Vec<ParticleId> =
            indices.iter().map(|index| liquid.particles.id[*index]).collect();
        let (springs, cut_springs) = take_springs(liquid, &taken, particles.ids());
        remove(liquid, &indices);
        let rim = rim_of(liquid, &particles);
        let surroundings = Surroundings::of(liquid, &particles, &rim);
        let Liquid { particles: left, sleep, classes, .. } = liquid;
        rim.iter().for_each(|index| sleep.disturb(left.position[*index]));
        Ok(FluidChunk {
            classes: classes.iter().map(|class| class.name.clone()).collect(),
            particles,
            springs,
            cut_springs,
            surroundings,
            heat_rests: sleep.heat_rests,
        })
    }
}

/// Removes the springs of taken particles. Returns the springs between two taken particles, with
/// the handles of the chunk, and the number of cut springs.
fn take_springs(
    liquid: &mut Liquid,
    taken: &[ParticleId],
    in_chunk: &[ParticleId],
) -> (Vec<Spring>, usize) {
    if liquid.springs.list().is_empty() {
        return (Vec::new(), 0);
    }
    let mut found: Vec<(ParticleId, ParticleId)> =
        taken.iter().copied().zip(in_chunk.iter().copied()).collect();
    found.sort_unstable();
    let in_chunk = |end: ParticleId| {
        let place = found.binary_search_by_key(&end, |(known, _)| *known).ok()?;
        Some(found[place].1)
    };
    let (mut springs, mut cut) = (Vec::new(), 0);
    liquid.springs.list_mut().retain(|spring| {
        let ends = spring.ends.map(in_chunk);
        if let [Some(one), Some(other)] = ends {
            springs.push(Spring { ends: [one, other], ..*spring });
        }
        cut += usize::from(ends[0].is_some() != ends[1].is_some());
        ends == [None, None]
    });
    (springs, cut)
}

/// Removes the particles at these ascending indices. Paint at rest stays at rest.
fn remove(liquid: &mut Liquid, indices: &[usize]) {
    let Liquid { particles, sleep, .. } = liquid;
    let paint_rests = particles.paints.rests;
    let asleep = indices.iter().filter(|index| particles.activity[**index] < Activity::Awake);
    sleep.asleep = sleep.asleep.saturating_sub(asleep.count());
    indices.iter().rev().for_each(|index| particles.swap_remove(*index));
    particles.paints.rests = paint_rests;
}

// Putting taken liquid back into a world.

impl FluidWorld {
    /// Puts a chunk back at the place where it was taken, and returns the handles of its particles, in the order of
    /// [`FluidChunk::particles`]. You can also put the chunk into another world that has all classes of the chunk. The
    /// handles are new. For [recycling](crate::CapacityPolicy::RecycleOldest) the particles count as the youngest
    /// particles. All other properties of the particles are unchanged.
    ///
    /// Sleeping liquid of the chunk sleeps on if its surroundings are unchanged: liquid within an
    /// interaction radius, solids that reach it, containers, classes and parameters. Otherwise the
    /// whole chunk and the liquid that touches it wake. The place may be occupied: the method does
    /// not check for overlap. Springs beyond the capacity are
    /// [refused](crate::Liquid::springs_refused).
    ///
    /// # Errors
    ///
    /// Returns [`RestoreError`] and changes nothing if the class table lacks a class, or a particle is beyond the
    /// world's [reach](crate::Liquid::reach). Also returns [`RestoreError`] within a tick, and if the capacity is too
    /// small for the particles, under any [policy](crate::CapacityPolicy).
    pub fn put_chunk(&mut self, chunk: &FluidChunk) -> Result<Vec<ParticleId>, RestoreError> {
        let liquid = self.liquid_mut();
        if liquid.sleep.in_tick {
            return Err(RestoreError::WithinTick);
        }
        let classes = liquid.classes_of(&chunk.classes)?;
        check_room(liquid, chunk)?;
        let rim = rim_of(liquid, &chunk.particles);
        let now = Surroundings::of(liquid, &chunk.particles, &rim);
        let is_same = now == chunk.surroundings;
        let Liquid { particles, sleep, springs, parameters, classes: table, .. } = liquid;
        if is_same {
            rim.iter().for_each(|index| sleep.forget(particles.position[*index]));
        } else if !chunk.is_empty() {
            // This box wakes the chunk and the liquid that touches it.
            sleep.disturb_all_in(chunk.bounds());
        }
        let paint_rests = particles.paints.rests && chunk.particles.paints.rests && is_same;
        let settling_time = parameters.sleeping.after * parameters.time_unit();
        let first = particles.len();
        for index in 0..chunk.len() {
            let class = classes[chunk.particles.class[index].index()];
            let paint = chunk.particles.paint(index).unwrap_or(table.paint_of_new(class));
            particles.add(&chunk.particles, index, class, table.take_paint().then_some(paint));
        }
        particles.paints.rests = paint_rests;
        settle(sleep, chunk, settling_time);
        sleep.heat_rests &= chunk.heat_rests && is_same;
        let ids = particles.id[first..].to_vec();
        let room = springs.make_room(chunk.springs.len(), particles);
        let id = |end: ParticleId| chunk.particles.index_of(end).map(|index| ids[index]);
        springs.list_mut().extend(chunk.springs.iter().take(room).filter_map(|spring| {
            let [one, other] = spring.ends.map(id);
            Some(Spring { ends: [one?, other?], ..*spring })
        }));
        Ok(ids)
    }
}

fn check_room(liquid: &Liquid, chunk: &FluidChunk) -> Result<(), RestoreError> {
    let capacity = liquid.population.capacity;
    let room = capacity.saturating_sub(liquid.particles.len());
    if chunk.len() > room {
        let reason = SpawnError::Full { capacity };
        return Err(RestoreError::Particle { particle: room, reason });
    }
    let limit = liquid.reach();
    for (particle, position) in chunk.particles.positions().iter().enumerate() {
        if !liquid.has_within(*position) {
            let Vec2 { x, y } = *position;
            let value = if x.abs() > limit { x } else { y };
            let reason = SpawnError::OutOfRange { field: "position", value, limit };
            return Err(RestoreError::Particle { particle, reason });
        }
    }
    Ok(())
}

/// Counts the sleeping particles of the chunk. `all_settled` stays true only if the whole chunk has settled.
fn settle(sleep: &mut Sleep, chunk: &FluidChunk, settling_time: f32) {
    let (activity, rest_time) = (&chunk.particles.activity, &chunk.particles.rest_time);
    let asleep = activity.iter().filter(|activity| **activity < Activity::Awake).count();
    sleep.asleep = sleep.asleep.saturating_add(asleep);
    sleep.all_settled &=
        asleep == chunk.len() && rest_time.iter().all(|time| *time >= settling_time);
}

// The surroundings of a chunk.

/// Hashes of the surroundings of a chunk. Sleeping liquid of the chunk sleeps on only if these
/// hashes are equal when the chunk is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Surroundings {
    /// Hash of the liquid that touches the chunk.
    liquid: u64,
    /// Hash of solids and settings.
    ground: u64,
}

stored!(Surroundings { liquid, ground });

impl Surroundings {
    /// Hashes the surroundings of a chunk. `rim` are the particles of the world that touch it.
    pub(super) fn of(liquid: &Liquid, chunk: &Particles, rim: &[usize]) -> Self {
        let Particles { position, class, .. } = &liquid.particles;
        // The sum does not depend on the order of the particles, which sorting changes.
        let touching = rim.iter().fold(0_u64, |sum, index| {
            let (Vec2 { x, y }, mut hash) = (position[*index], StateHash::new());
            hash.add(u64::from(x.to_bits()) << 32 | u64::from(y.to_bits()));
            hash.add(class[*index].0.into());
            sum.wrapping_add(hash.0)
        });
        Self { liquid: touching, ground: ground_of(liquid, chunk.index().bounds()) }
    }
}

/// A hash of the settings, and of the solids that reach a box.
fn ground_of(liquid: &Liquid, bounds: FluidBounds) -> u64 {
    let near = bounds.inflated(liquid.parameters.interaction_radius());
    let Liquid { parameters, classes, boundary, .. } = liquid;
    let mut writer = Writer::default();
    parameters.store(&mut writer);
    classes.store(&mut writer);
    for container in &*boundary.containers {
        store_solid(container, &mut writer);
    }
    for collider in boundary.colliders.iter() {
        let touches = |collider: &Collider| {
            collider.options.inside_out || collider.predicted_swept_bounds(0.0).intersects(near)
        };
        if touches(collider) {
            store_solid(collider, &mut writer);
        }
    }
    let mut hash = StateHash::new();
    for bytes in writer.bytes.chunks(8) {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        hash.add(u64::from_le_bytes(word));
    }
    hash.0
}

/// Writes the parts of a solid that hold liquid. Measurements of a tick, such as the load, are left out.
fn store_solid<Options: Stored>(solid: &Solid<Options>, to: &mut Writer) {
    solid.shape.store(to);
    solid.pose.store(to);
    solid.wall.store(to);
    solid.options.store(to);
}

/// The particles of a world within an interaction radius of a particle of the chunk.
pub(super) fn rim_of(liquid: &Liquid, chunk: &Particles) -> Vec<usize> {
    let radius = liquid.parameters.interaction_radius();
    let near = chunk.index().bounds().inflated(radius);
    let positions = &liquid.particles.position;
    let mut rim = Vec::new();
    liquid.particles.index().visit(
        |bounds| bounds.intersects(near),
        |run| {
            let touches = |index: &usize| {
                let position = positions[*index];
                near.contains(position) && is_near(chunk, position, radius)
            };
            rim.extend(run.filter(touches));
        },
    );
    rim
}

fn is_near(particles: &Particles, point: Vec2, radius: f32) -> bool {
    let within = radius * radius;
    let mut found = false;
    particles.index().visit(
        |bounds| bounds.distance_squared(point) <= within,
        |mut run| {
            found |=
                run.any(|other| (particles.position[other] - point).length_squared() <= within);
        },
    );
    found
}
