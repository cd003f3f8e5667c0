//! A world as a list of parts, each with its bytes. Files and deep hashes are made from it.

use std::sync::Arc;

use crate::boundary::chunk_loads::Loads;
use crate::liquid::force::field::ForceField;
use crate::liquid::state::Liquid;
use crate::revision::Revision;
use crate::settings::range::Limits;
use crate::snapshot::hash::FluidPart;
use crate::stored::error::{SnapshotError, ensure};
use crate::stored::numbers::Numbers;
use crate::stored::reader::Reader;
use crate::stored::writer::{Stored, Writer};
use crate::world::FluidWorld;

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
            // A report of the last tick.
            quarantined: _,
            boundary,
            // Buffers within a pass.
            loads: _,
            forces,
            clock,
            easing_limit,
            // No result depends on its number.
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

    /// Makes a world of the parts' bytes, in the order of [`FluidPart::ALL`], with these force fields.
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
        // Only a host makes such numbers, and the next tick looks for them where one was at work.
        let looked_for = liquid.particles.unchecked || !liquid.particles.any_unsound();
        ensure(looked_for, "a particle with a number that is not finite")?;
        Ok(Self::of_state(liquid, whole(airs)?))
    }
}

/// A value that takes all of these bytes.
fn whole<T: Stored>(bytes: &[u8]) -> Result<T, SnapshotError> {
    let mut from = Reader::new(bytes);
    let value = T::load(&mut from)?;
    from.finish()?;
    Ok(value)
}
