//! Liquid that was taken out of a world.

use crate::chunk::surroundings::Surroundings;
use crate::geometry::bounds::FluidBounds;
use crate::particles::arrays::Particles;
use crate::particles::grain::Grain;
use crate::particles::spring::{Spring, check_once};
use crate::settings::paint::PaintMixing;
use crate::snapshot::file::entries;
use crate::stored::error::{SnapshotError, ensure};
use crate::stored::reader::Reader;
use crate::stored::writer::{Stored, Writer};

/// The liquid of a region, taken out of a world ([`FluidWorld::take_chunk`](crate::FluidWorld::take_chunk)) to be put
/// back later, as it was and asleep if it slept ([`FluidWorld::put_chunk`](crate::FluidWorld::put_chunk)).
///
/// It is an entry of a [`SnapshotFile`](crate::SnapshotFile). Time does not pass in it: nothing moves, ages or cools.
/// A chunk that is put back twice is there twice.
#[derive(Clone, Debug)]
pub struct FluidChunk {
    /// Names of the classes, by the index that particles have.
    pub(super) classes: Vec<String>,
    /// Of the particles, with slots in their order.
    pub(super) particles: Particles,
    pub(super) springs: Vec<Spring>,
    pub(super) cut_springs: usize,
    pub(super) surroundings: Surroundings,
    /// Whether heat changed no temperature worth mentioning.
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

    /// The particles. Their handles are none of a world, and their classes those of
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

/// Whether the particles may be among others: all numbers are finite.
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
