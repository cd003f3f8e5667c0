//! A moment of a baked liquid, as a renderer takes it.

use glam::Vec2;

use crate::bake::baked::BakedFluid;
use crate::bake::moment::{Moment, column};
use crate::settings::class::ClassId;

/// The particles of a baked liquid at a moment: arrays of equal length, the oldest particle first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakedFrame {
    time: f64,
    ids: Vec<u32>,
    positions: Vec<Vec2>,
    velocities: Vec<Vec2>,
    classes: Vec<ClassId>,
    densities: Vec<f32>,
    opacities: Vec<f32>,
    temperatures: Vec<f32>,
    paints: Vec<[f32; 3]>,
    /// Where each particle is in the next frame, or [`NOWHERE`].
    places: Vec<usize>,
}

/// The place of a particle that is not there.
const NOWHERE: usize = usize::MAX;

impl BakedFrame {
    /// Its time, in seconds after the first frame.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// For each particle, how many came before it. It stays the same from frame to frame, and no other particle
    /// gets it.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Positions, in world units.
    pub fn positions(&self) -> &[Vec2] {
        &self.positions
    }

    /// Velocities in world units/s: the way to the next frame, over its time. They are 0 for what sleeps.
    pub fn velocities(&self) -> &[Vec2] {
        &self.velocities
    }

    /// The class of each particle, an index into [`BakedFluid::class_names`].
    pub fn classes(&self) -> &[ClassId] {
        &self.classes
    }

    /// Densities relative to that at rest, as
    /// [`Particles::relative_densities`](crate::Particles::relative_densities), up to 8.
    pub fn relative_densities(&self) -> &[f32] {
        &self.densities
    }

    /// Opacities, 0 to 1, as [`Particles::opacity`](crate::Particles::opacity).
    pub fn opacities(&self) -> &[f32] {
        &self.opacities
    }

    /// Temperatures, in degrees.
    pub fn temperatures(&self) -> &[f32] {
        &self.temperatures
    }

    /// Paint: red, green and blue, linear, 0 to 1. Empty if no class took paint when baking began.
    pub fn paints(&self) -> &[[f32; 3]] {
        &self.paints
    }

    /// Shows a part of the way from one frame to the next, 0 to 1. What is in the first one only goes on as fast as
    /// before, and what is in the second one only is not there yet.
    pub(super) fn show(
        &mut self,
        baked: &BakedFluid,
        [from, to]: [&Moment; 2],
        (time, part): (f64, f64),
    ) {
        self.time = time;
        self.ids.clone_from(&from.ids);
        self.classes.clone_from(&from.classes);
        self.find_places(to);
        self.show_positions(baked, [from, to], part);
        let Self { places, densities, opacities, temperatures, paints, .. } = self;
        for (number, shown, (least, most)) in [
            (column::DENSITY, densities, (0.0, 8.0)),
            (column::OPACITY, opacities, (0.0, 1.0)),
            (column::TEMPERATURE, temperatures, (f64::MIN, f64::MAX)),
        ] {
            let values = between(&from.columns[number], &to.columns[number], places, part);
            let step = baked.step_of(number);
            shown.clear();
            shown.extend(values.map(|value| (value * step).max(least).min(most) as f32));
        }
        paints.clear();
        if baked.has_paint {
            paints.resize(from.len(), [0.0; 3]);
            for (color, number) in (column::PAINT..column::COUNT_WITH_PAINT).enumerate() {
                let values = between(&from.columns[number], &to.columns[number], places, part);
                let step = baked.step_of(number);
                for (paint, value) in paints.iter_mut().zip(values) {
                    let root = (value * step).clamp(0.0, 1.0);
                    paint[color] = (root * root) as f32;
                }
            }
        }
    }

    /// Finds where each particle is in the next frame.
    fn find_places(&mut self, to: &Moment) {
        let mut place = 0;
        self.places.clear();
        // Ids ascend in both.
        self.places.extend(self.ids.iter().map(|id| {
            while to.ids.get(place).is_some_and(|other| other < id) {
                place += 1;
            }
            if to.ids.get(place) == Some(id) { place } else { NOWHERE }
        }));
    }

    fn show_positions(&mut self, baked: &BakedFluid, [from, to]: [&Moment; 2], part: f64) {
        let Self { places, positions, velocities, .. } = self;
        let step = baked.step_of(column::X);
        let per_second = step / baked.frame_interval();
        let axis = |number: usize| {
            let (places_in_next, then) = (places.iter(), &to.columns[number]);
            let now = from.columns[number].iter().zip(&from.ways[number]);
            now.zip(places_in_next).map(|((now, before), place)| {
                let way = then.get(*place).map_or(*before, |then| then.wrapping_sub(*now));
                let (now, way) = (f64::from(*now), f64::from(way));
                (((now + way * part) * step) as f32, (way * per_second) as f32)
            })
        };
        positions.clear();
        velocities.clear();
        for ((x, along_x), (y, along_y)) in axis(column::X).zip(axis(column::Y)) {
            positions.push(Vec2::new(x, y));
            velocities.push(Vec2::new(along_x, along_y));
        }
    }
}

/// A column a part of the way from one frame to the next, at whose places the particles are. What is only in the
/// first frame stays as it was.
fn between<'a>(
    from: &'a [i32],
    to: &'a [i32],
    places: &'a [usize],
    part: f64,
) -> impl Iterator<Item = f64> + 'a {
    from.iter().zip(places).map(move |(now, place)| {
        let then = f64::from(*to.get(*place).unwrap_or(now));
        let now = f64::from(*now);
        now + (then - now) * part
    })
}
