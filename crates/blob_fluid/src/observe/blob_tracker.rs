//! The blob tracker: blobs that keep their ids from tick to tick.

use glam::{DVec2, Vec2};

use crate::observe::finite_or_zero;
use crate::settings::range::count_more;
use crate::solver::neighbours::connection::{Connection, LINK};
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{SnapshotError, countable, ensure};
use crate::stored::stored;
use crate::{ClassFilter, Liquid, ParticleId, work};

/// Id of a blob. An id is never reused, even after its blob is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct BlobId(u64);

stored!(BlobId { 0: index });

impl BlobId {
    /// Number of blobs that the tracker had found before this one.
    pub fn index(self) -> u64 {
        self.0
    }
}

/// Settings of a [`BlobTracker`]: which particles count as a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct BlobTracking {
    /// Smallest number of particles of a blob; smaller groups are left out. Default 8; 0 counts
    /// as 1.
    pub min_particles: usize,
    /// Classes whose particles count. Default all.
    pub classes: ClassFilter,
}

stored!(BlobTracking { min_particles, classes });

impl Default for BlobTracking {
    fn default() -> Self {
        Self { min_particles: 8, classes: ClassFilter::ALL }
    }
}

/// A blob at one moment: particles that are within one and a half spacings of each other, or linked
/// by a chain of such pairs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct TrackedBlob {
    /// Id of the blob.
    pub id: BlobId,
    /// Number of particles.
    pub count: usize,
    /// Area of the blob when uncompressed, in square world units: one square of the particle
    /// spacing for each particle.
    pub area: f32,
    /// Mean position of its particles, in world units.
    pub centre: Vec2,
    /// Mean velocity of its particles, in world units/s.
    pub velocity: Vec2,
    /// Number of particles of each class, by class index. The list has an entry for every class of
    /// the world.
    pub classes: Vec<usize>,
}

stored!(TrackedBlob {
    id,
    count,
    area in Limits::NOT_NEGATIVE,
    centre in Limits::FINITE,
    velocity in Limits::FINITE,
    classes,
});

/// A change of a blob since the last [`BlobTracker::update`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum BlobChange {
    /// The blob is new, and no earlier blob held half of its particles.
    Appeared(BlobId),
    /// The blob is gone: its particles were removed or dispersed, or it is too small.
    Vanished(BlobId),
    /// The blob became part of another blob.
    Merged {
        /// The blob that absorbed `from`.
        into: BlobId,
        /// The absorbed blob, which is gone.
        from: BlobId,
    },
    /// The blob separated from another blob.
    Split {
        /// The blob from which `into` separated. That blob may have merged into another blob in the
        /// same update.
        from: BlobId,
        /// The new blob.
        into: BlobId,
    },
}

stored!(enum BlobChange as "change of blobs" {
    0: Appeared(id),
    1: Vanished(id),
    2: Merged { into, from },
    3: Split { from, into },
});

/// Tracks the blobs of one world.
///
/// The id of a blob passes to the present blob that has most of its particles. When two blobs
/// merge, the id of the one with more particles stays. When a blob splits, the larger part keeps
/// the id. The result does not depend on the order of the particles in memory or on the number of
/// threads.
///
/// ```
/// use blob_fluid::{BlobChange, BlobTracker, BlobTracking, FluidWorld, ParticleSpawn, shape::FluidShape};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// for x in [-200.0, 200.0] {
///     for position in (FluidShape::Circle { radius: 60.0 }).fill(Vec2::new(x, 0.0), 8.0) {
///         world.spawn(ParticleSpawn { position, ..Default::default() })?;
///     }
/// }
/// let mut tracker = BlobTracker::new(BlobTracking::default());
/// tracker.update(&world);
/// let left = tracker.blobs()[0].id;
/// world.despawn_where(|position, _| position.x > 0.0);
/// let gone = tracker.blobs()[1].id;
/// assert_eq!(tracker.update(&world), [BlobChange::Vanished(gone)]);
/// assert_eq!(tracker.blobs()[0].id, left);
/// # Ok::<(), blob_fluid::SpawnError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BlobTracker {
    tracking: BlobTracking,
    blobs: Vec<TrackedBlob>,
    changes: Vec<BlobChange>,
    /// For each slot, the particle and the index of its blob.
    owners: Vec<Option<(ParticleId, u32)>>,
    met: u64,
    scratch: Scratch,
}

stored!(BlobTracker { tracking, blobs, changes, owners, met } derived { scratch = Scratch::default() } check check_owners);

/// Checks that each particle belongs to a known blob.
#[cfg(feature = "snapshot")]
fn check_owners(tracker: &BlobTracker) -> Result<(), SnapshotError> {
    let mut owners = tracker.owners.iter().flatten();
    let known = owners.all(|(_, blob)| (*blob as usize) < tracker.blobs.len());
    ensure(known, "a particle of an unknown blob")?;
    countable([tracker.met])
}

/// Buffers that updates reuse.
#[derive(Clone, Debug, Default)]
struct Scratch {
    connection: Connection,
    /// Indices of the particles that count, in the order of their slots.
    indices: Vec<u32>,
    positions: Vec<Vec2>,
    /// Number of connected particles, by the first particle of each component.
    counts: Vec<usize>,
    /// Index of the blob that they form, if any, by the first particle of each component.
    numbers: Vec<Option<u32>>,
    sums: Vec<(DVec2, DVec2)>,
    shared: Vec<Shared>,
}

/// The particles that an earlier blob and a present blob share.
#[derive(Clone, Copy, Debug)]
struct Shared {
    before: u32,
    now: u32,
    count: usize,
}

impl BlobTracker {
    /// A tracker with these settings.
    pub fn new(tracking: BlobTracking) -> Self {
        Self { tracking, ..Self::default() }
    }

    /// The settings.
    pub fn tracking(&self) -> BlobTracking {
        self.tracking
    }

    /// Changes the settings, from the next update on.
    pub fn set_tracking(&mut self, tracking: BlobTracking) {
        self.tracking = tracking;
    }

    /// The blobs of the last update, the oldest first.
    pub fn blobs(&self) -> &[TrackedBlob] {
        &self.blobs
    }

    /// The changes of the last update: first those of earlier blobs that are gone, then those of
    /// new blobs. In each group, the oldest blob comes first.
    pub fn changes(&self) -> &[BlobChange] {
        &self.changes
    }

    /// A blob of the last update, by its id.
    pub fn get(&self, id: BlobId) -> Option<&TrackedBlob> {
        let index = self.blobs.binary_search_by_key(&id, |blob| blob.id).ok()?;
        self.blobs.get(index)
    }

    /// The blob to which a particle belonged in the last update.
    pub fn blob_of(&self, particle: ParticleId) -> Option<BlobId> {
        let (owned, number) = (*self.owners.get(particle.slot() as usize)?)?;
        (owned == particle).then(|| self.blobs[number as usize].id)
    }

    /// Finds the present blobs of a world, and returns the changes since the last update.
    pub fn update(&mut self, world: &Liquid) -> &[BlobChange] {
        let mut present = self.find(world);
        self.share(world);
        let Self { blobs, changes, owners, met, scratch, .. } = self;
        let shared = &mut scratch.shared;
        // Most shared particles first; if equal, the oldest blob first.
        shared.sort_unstable_by(|a, b| {
            b.count.cmp(&a.count).then(a.before.cmp(&b.before)).then(a.now.cmp(&b.now))
        });
        changes.clear();
        let mut successors: Vec<Option<u32>> = vec![None; blobs.len()];
        let mut predecessors: Vec<Option<u32>> = vec![None; present.len()];
        // For each earlier and each present blob, the first and thus largest of `shared`.
        let mut most_before: Vec<Option<Shared>> = vec![None; blobs.len()];
        let mut most_now: Vec<Option<Shared>> = vec![None; present.len()];
        for &share in &*shared {
            work::count(1);
            let Shared { before, now, .. } = share;
            most_before[before as usize].get_or_insert(share);
            most_now[now as usize].get_or_insert(share);
            let (successor, predecessor) =
                (&mut successors[before as usize], &mut predecessors[now as usize]);
            if successor.is_none() && predecessor.is_none() {
                (*successor, *predecessor) = (Some(now), Some(before));
            }
        }
        for (blob, predecessor) in present.iter_mut().zip(&predecessors) {
            blob.id = match predecessor {
                Some(before) => blobs[*before as usize].id,
                None => {
                    let id = BlobId(*met);
                    count_more(met, 1);
                    id
                }
            };
        }
        for (number, blob) in blobs.iter().enumerate() {
            if successors[number].is_none() {
                let from = blob.id;
                let most = most_before[number];
                changes.push(match most.filter(|most| 2 * most.count >= blob.count) {
                    Some(most) => BlobChange::Merged { into: present[most.now as usize].id, from },
                    None => BlobChange::Vanished(from),
                });
            }
        }
        for (number, blob) in present.iter().enumerate() {
            if predecessors[number].is_none() {
                let into = blob.id;
                let most = most_now[number];
                changes.push(match most.filter(|most| 2 * most.count >= blob.count) {
                    Some(most) => BlobChange::Split { from: blobs[most.before as usize].id, into },
                    None => BlobChange::Appeared(into),
                });
            }
        }
        // The list is sorted by id, as `get` needs it.
        let mut ranks: Vec<u32> = (0..present.len() as u32).collect();
        ranks.sort_unstable_by_key(|number| present[*number as usize].id);
        let mut numbers = vec![0; present.len()];
        for (rank, number) in ranks.iter().enumerate() {
            numbers[*number as usize] = rank as u32;
        }
        owners.iter_mut().flatten().for_each(|(_, number)| *number = numbers[*number as usize]);
        present.sort_unstable_by_key(|blob| blob.id);
        *blobs = present;
        changes
    }

    /// Finds the present blobs, without ids, in the order of the lowest slot of their particles.
    fn find(&mut self, world: &Liquid) -> Vec<TrackedBlob> {
        let particles = world.particles();
        let Scratch { connection, indices, positions, counts, numbers, sums, .. } =
            &mut self.scratch;
        // Particles that the next tick will quarantine belong to no blob.
        let counts_in = |index: &usize| {
            self.tracking.classes.contains(particles.class[*index]) && world.keeps(*index)
        };
        indices.clear();
        indices.extend(particles.indices_by_slot().filter(counts_in).map(|index| index as u32));
        positions.clear();
        positions.extend(indices.iter().map(|index| particles.position[*index as usize]));
        let spacing = world.parameters().particle_spacing;
        let roots = connection.find_roots(positions, LINK * spacing);

        counts.clear();
        counts.resize(roots.len(), 0);
        roots.iter().for_each(|root| counts[*root as usize] += 1);
        numbers.clear();
        let mut blobs = Vec::new();
        for count in &*counts {
            let is_blob = *count >= self.tracking.min_particles.max(1);
            numbers.push(is_blob.then_some(blobs.len() as u32));
            if is_blob {
                blobs.push(TrackedBlob {
                    id: BlobId(0),
                    count: *count,
                    area: *count as f32 * spacing * spacing,
                    centre: Vec2::ZERO,
                    velocity: Vec2::ZERO,
                    classes: vec![0; world.classes().len()],
                });
            }
        }
        sums.clear();
        sums.resize(blobs.len(), (DVec2::ZERO, DVec2::ZERO));
        for (root, index) in roots.iter().zip(&*indices) {
            if let Some(number) = numbers[*root as usize].map(|number| number as usize) {
                let index = *index as usize;
                sums[number].0 += particles.position[index].as_dvec2();
                sums[number].1 += particles.velocity[index].as_dvec2();
                blobs[number].classes[particles.class[index].index()] += 1;
            }
        }
        for (blob, (position, velocity)) in blobs.iter_mut().zip(&*sums) {
            blob.centre = finite_or_zero((*position / blob.count as f64).as_vec2());
            blob.velocity = finite_or_zero((*velocity / blob.count as f64).as_vec2());
        }
        blobs
    }

    /// Counts the particles that earlier and present blobs share, and stores the present blob of
    /// each particle.
    fn share(&mut self, world: &Liquid) {
        let Self { owners, scratch, .. } = self;
        let Scratch { connection, indices, numbers, shared, .. } = scratch;
        shared.clear();
        let ids = indices.iter().map(|particle| world.particles().id[*particle as usize]);
        let numbers = connection.roots().iter().map(|root| numbers[*root as usize]);
        for (id, now) in ids.clone().zip(numbers.clone()) {
            let owned = owners.get(id.slot() as usize).copied().flatten();
            let before = owned.filter(|(owned, _)| *owned == id).map(|(_, before)| before);
            let (Some(now), Some(before)) = (now, before) else { continue };
            // The blobs are usually the same as those of the previous particle.
            match shared.last_mut().filter(|last| (last.before, last.now) == (before, now)) {
                Some(last) => last.count += 1,
                None => shared.push(Shared { before, now, count: 1 }),
            }
        }
        work::count(shared.len());
        shared.sort_unstable_by_key(|shared| (shared.before, shared.now));
        shared.dedup_by(|next, first| {
            let same = (next.before, next.now) == (first.before, first.now);
            first.count += if same { next.count } else { 0 };
            same
        });
        owners.fill(None);
        for (id, now) in ids.zip(numbers) {
            let slot = id.slot() as usize;
            if owners.len() <= slot {
                owners.resize(slot + 1, None);
            }
            owners[slot] = now.map(|now| (id, now));
        }
    }
}
