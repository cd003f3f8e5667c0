//! A world as an entry of a snapshot.

use std::sync::Arc;

use crate::air::airs::Airs;
use crate::air::{Air, AirId};
use crate::boundary::body::HostBodyId;
use crate::boundary::collider::{Collider, ColliderId};
use crate::boundary::container::{Container, ContainerId};
use crate::boundary::solids::Loads;
use crate::liquid::force::ForceField;
use crate::liquid::state::Liquid;
use crate::observe::query::BlobTracker;
use crate::observe::sensor::Sensor;
use crate::observe::splash::SplashDetector;
use crate::revision::Revision;
use crate::settings::range::Limits;
use crate::snapshot::file::sealed::Entry;
use crate::snapshot::file::{SnapshotFile, entries};
use crate::snapshot::hash::FluidPart;
use crate::solver::governor::Governor;
use crate::sources::drain::Drain;
use crate::sources::emitter::Emitter;
use crate::sources::pump::Pump;
use crate::sources::tank::Tank;
use crate::stored::bytes::{Reader, SnapshotError, Stored, Writer, ensure};
use crate::stored::kinds::Numbers;
use crate::world::FluidWorld;

/// Name of the only entry in the file of a world.
const WORLD: &str = "world";

/// Methods for snapshots.
impl FluidWorld {
    /// The complete state of the world, as bytes that are the same on every platform. A world [made
    /// from them](Self::from_bytes) continues with the same bits, and gives the same bytes. A
    /// [`SnapshotFile`] also holds objects that a host keeps beside the world, such as emitters.
    ///
    /// [Force fields](crate::ForceField) are code of the host, and not included.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn, SerialExecutor};
    /// let mut world = FluidWorld::default();
    /// world.spawn(ParticleSpawn::default())?;
    /// world.step(1.0 / 60.0, &SerialExecutor)?;
    /// let bytes = world.to_bytes()?;
    /// let mut again = FluidWorld::from_bytes(&bytes)?;
    /// assert_eq!(again.to_bytes()?, bytes);
    /// world.step(1.0 / 60.0, &SerialExecutor)?;
    /// again.step(1.0 / 60.0, &SerialExecutor)?;
    /// assert_eq!(again.deep_hash(), world.deep_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SnapshotError::WithinTick`] if a tick has begun and not ended.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        let mut file = SnapshotFile::default();
        file.insert(WORLD, self)?;
        Ok(file.to_bytes())
    }

    /// The world at the time of [`to_bytes`](Self::to_bytes), without force fields. Handles of
    /// particles, solids and air stay valid.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError`] for bytes that are not a world, or have another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        SnapshotFile::from_bytes(bytes)?.get(WORLD)
    }

    /// Replaces the state by that of a snapshot, and keeps the [force fields](crate::ForceField).
    ///
    /// # Errors
    ///
    /// As [`from_bytes`](Self::from_bytes). Then nothing is changed.
    pub fn restore_bytes(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let file = SnapshotFile::from_bytes(bytes)?;
        let fields = self.force_fields().to_vec();
        let restored = of_bytes(file.entry_of::<Self>(WORLD)?, fields)?;
        self.replace_state(restored);
        Ok(())
    }
}

impl Entry for FluidWorld {
    const KIND: &'static str = "world";

    fn entry(&self) -> Result<Vec<u8>, SnapshotError> {
        if self.liquid().sleep.in_tick {
            return Err(SnapshotError::WithinTick);
        }
        let mut writer = Writer::default();
        self.visit_parts(|_, bytes| writer.part(bytes));
        Ok(writer.bytes)
    }

    fn of_entry(bytes: &[u8]) -> Result<Self, SnapshotError> {
        of_bytes(bytes, Vec::new())
    }
}

fn of_bytes(bytes: &[u8], fields: Vec<Arc<dyn ForceField>>) -> Result<FluidWorld, SnapshotError> {
    let mut from = Reader::new(bytes);
    let mut parts: [&[u8]; FluidPart::ALL.len()] = Default::default();
    for part in &mut parts {
        let length = from.count(1)?;
        *part = from.take(length)?;
    }
    from.finish()?;
    FluidWorld::of_parts(parts, fields)
}

// A world as a list of parts in bytes. Files and deep hashes use it.

impl FluidWorld {
    /// Calls `visit` with the bytes of each part, in the order of [`FluidPart::ALL`].
    pub(crate) fn visit_parts(&self, mut visit: impl FnMut(FluidPart, &[u8])) {
        let (liquid, airs) = self.state();
        let Liquid {
            parameters,
            classes,
            effort,
            particles,
            springs,
            sleep,
            population,
            // It only reports the last tick.
            quarantined: _,
            boundary,
            // Its buffers are used only within a pass.
            loads: _,
            forces,
            clock,
            easing_limit,
            // Results do not depend on its number.
            settings_revision: _,
        } = liquid;
        let mut writer = Writer::default();
        let mut part = |part: FluidPart, store: &dyn Fn(&mut Writer)| {
            writer.bytes.clear();
            store(&mut writer);
            visit(part, &writer.bytes);
        };
        part(FluidPart::Settings, &|to| {
            parameters.store(to);
            classes.store(to);
            effort.store(to);
            easing_limit.store_numbers(to);
        });
        part(FluidPart::Clock, &|to| clock.store(to));
        part(FluidPart::Particles, &|to| particles.store(to));
        part(FluidPart::Springs, &|to| springs.store(to));
        part(FluidPart::Sleep, &|to| sleep.store(to));
        part(FluidPart::Population, &|to| population.store(to));
        part(FluidPart::Solids, &|to| boundary.store(to));
        part(FluidPart::Forces, &|to| forces.store(to));
        part(FluidPart::Air, &|to| airs.store(to));
    }

    /// Creates a world from the bytes of its parts, in the order of [`FluidPart::ALL`], with these force fields.
    pub(crate) fn of_parts(
        parts: [&[u8]; FluidPart::ALL.len()],
        fields: Vec<Arc<dyn ForceField>>,
    ) -> Result<Self, SnapshotError> {
        let [settings, clock, particles, springs, sleep, population, boundary, forces, airs] =
            parts;
        let mut from = Reader::new(settings);
        let (parameters, classes) = Stored::load(&mut from)?;
        let effort = Stored::load(&mut from)?;
        let easing_limit = Numbers::load_within(Limits::NOT_NEGATIVE, &mut from)?;
        from.finish()?;
        let mut liquid = Liquid {
            parameters,
            classes,
            effort,
            particles: whole(particles)?,
            springs: whole(springs)?,
            sleep: whole(sleep)?,
            population: whole(population)?,
            quarantined: Vec::new(),
            boundary: whole(boundary)?,
            loads: Loads::default(),
            forces: whole(forces)?,
            clock: whole(clock)?,
            easing_limit,
            settings_revision: Revision::default(),
        };
        liquid.forces.fields = fields;
        let classes = liquid.classes.iter().len();
        let known = liquid.particles.class.iter().all(|class| class.index() < classes);
        ensure(known, "a particle of an unknown class")?;
        let painted = liquid.particles.has_paint_for(&liquid.classes);
        ensure(painted, "the paint of other particles")?;
        liquid.particles.paints.mixing = liquid.parameters.paint_mixing;
        liquid.scale_boundary();
        let Liquid { boundary, classes, .. } = &mut liquid;
        boundary.set_classes(classes);
        // Only a host can set such numbers. The next tick checks them if the host had access.
        let looked_for = liquid.particles.unchecked || !liquid.particles.any_unsound();
        ensure(looked_for, "a particle with a number that is not finite")?;
        Ok(Self::of_state(liquid, whole(airs)?))
    }
}

/// Reads a value that uses all of the bytes.
fn whole<T: Stored>(bytes: &[u8]) -> Result<T, SnapshotError> {
    let mut from = Reader::new(bytes);
    let value = T::load(&mut from)?;
    from.finish()?;
    Ok(value)
}

// Objects that a host keeps beside the world, as entries of a snapshot.

entries! {
    "air": Air,
    "blob tracker": BlobTracker,
    "drain": Drain,
    "emitter": Emitter,
    "governor": Governor,
    "pump": Pump,
    "sensor": Sensor,
    "splash detector": SplashDetector,
    "tank": Tank,
    "list of airs": Vec<AirId>,
    "list of containers": Vec<(ContainerId, Container)>,
    "list of colliders": Vec<(ColliderId, Collider)>,
    "list of drains": Vec<Drain>,
    "list of emitters": Vec<Emitter>,
    "list of host bodies": Vec<HostBodyId>,
    "list of pumps": Vec<Pump>,
    "list of sensors": Vec<Sensor>,
    "list of tanks": Vec<Tank>,
}

// States that are kept in memory and restored many times a second.

/// The complete state of a world, in memory that is reused. It is for netcode with rollback and for
/// rewinding time.
///
/// ```
/// use blob_fluid::{FluidWorld, KeptState, ParticleSpawn, SerialExecutor};
/// let mut world = FluidWorld::default();
/// world.spawn(ParticleSpawn::default())?;
/// let mut kept = KeptState::default();
/// world.keep_in(&mut kept)?;
/// world.step(1.0 / 60.0, &SerialExecutor)?;
/// let once = world.deep_hash();
/// world.restore_from(&kept);
/// world.step(1.0 / 60.0, &SerialExecutor)?;
/// assert_eq!(world.deep_hash(), once);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct KeptState {
    liquid: Liquid,
    airs: Airs,
}

/// Methods for rolling back.
impl FluidWorld {
    /// Keeps the state. It overwrites the previous state and reuses its memory. For a world with
    /// the same number of particles, the second and later calls allocate almost nothing. [Force
    /// fields](crate::ForceField) are kept by reference, without their content.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::WithinTick`] if a tick has begun and not ended.
    pub fn keep_in(&self, kept: &mut KeptState) -> Result<(), SnapshotError> {
        let (liquid, airs) = self.state();
        if liquid.sleep.in_tick {
            return Err(SnapshotError::WithinTick);
        }
        kept.liquid.clone_from(liquid);
        kept.airs.clone_from(airs);
        Ok(())
    }

    /// Returns to a state that was [kept](Self::keep_in), of this world or of another one. Memory is reused.
    pub fn restore_from(&mut self, kept: &KeptState) {
        let (liquid, airs) = self.state_mut();
        liquid.clone_from(&kept.liquid);
        airs.clone_from(&kept.airs);
    }
}
