//! Blobs: the connected components of the particles.

use glam::{DVec2, Vec2};

use crate::liquid::state::Liquid;
use crate::observe::connection::{Connection, LINK};
use crate::settings::class::ClassId;

/// A blob: a group of connected particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Blob {
    /// Number of particles.
    pub count: usize,
    /// Area of the blob when uncompressed, in square world units: one square of the particle
    /// spacing for each particle.
    pub area: f64,
    /// Mean position, in world units.
    pub centre: [f64; 2],
}

/// The blobs of a class, or of the whole liquid if `class` is `None`. The blob with the most
/// particles comes first. Of equal blobs the lower comes first, then the one farther to the left.
///
/// Two particles are connected if they are within one and a half particle spacings of each other,
/// or if a chain of such pairs links them.
///
/// ```
/// use blob_fluid::{FluidWorld, ParticleSpawn, measure::blobs};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// for x in [0.0, 8.0, 16.0, 100.0] {
///     world.spawn(ParticleSpawn { position: Vec2::new(x, 0.0), ..Default::default() })?;
/// }
/// let blobs = blobs(&world, None);
/// assert_eq!((blobs.len(), blobs[0].count, blobs[0].centre), (2, 3, [8.0, 0.0]));
/// # Ok::<(), blob_fluid::SpawnError>(())
/// ```
pub fn blobs(world: &Liquid, class: Option<ClassId>) -> Vec<Blob> {
    let particles = world.particles();
    let chosen = |index: &usize| class.is_none_or(|class| class == particles.class[*index]);
    // Particles that the next tick will quarantine belong to no blob.
    let indices = (0..particles.len()).filter(|index| chosen(index) && world.keeps(*index));
    let positions: Vec<Vec2> = indices.map(|index| particles.position[index]).collect();
    let spacing = world.parameters().particle_spacing;
    let mut connection = Connection::default();
    let roots = connection.of(&positions, LINK * spacing);
    let mut blobs = vec![(0_usize, DVec2::ZERO); positions.len()];
    for (root, position) in roots.iter().zip(&positions) {
        let (count, sum) = &mut blobs[*root as usize];
        *count += 1;
        *sum += position.as_dvec2();
    }
    let square = f64::from(spacing) * f64::from(spacing);
    let blob = |(count, sum): (usize, DVec2)| Blob {
        count,
        area: count as f64 * square,
        centre: (sum / count as f64).to_array(),
    };
    let mut blobs: Vec<Blob> =
        blobs.into_iter().filter(|(count, _)| *count > 0).map(blob).collect();
    blobs.sort_by(|a, b| {
        let point = |blob: &Blob| [blob.centre[1], blob.centre[0]];
        let by_position = point(a)[0].total_cmp(&point(b)[0]);
        b.count.cmp(&a.count).then(by_position).then(point(a)[1].total_cmp(&point(b)[1]))
    });
    blobs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::FluidShape;
    use crate::particles::spawn::ParticleSpawn;
    use crate::world::FluidWorld;

    #[test]
    fn blobs_are_told_apart_by_what_touches() {
        let mut world = FluidWorld::default();
        let mut add = |position, class| {
            world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
        };
        let disc = FluidShape::Circle { radius: 60.0 };
        for position in disc.fill(Vec2::new(-200.0, 0.0), 8.0) {
            add(position, ClassId::HEAVY);
        }
        for position in disc.fill(Vec2::new(200.0, 50.0), 8.0) {
            // The blob has two classes.
            add(position, if position.x < 200.0 { ClassId::LIGHT } else { ClassId::HEAVY });
        }
        add(Vec2::new(0.0, 400.0), ClassId::MEDIUM);
        let all = blobs(&world, None);
        assert_eq!(all.len(), 3);
        assert!((all[0].area / (std::f64::consts::PI * 3600.0) - 1.0).abs() < 0.1, "{:?}", all[0]);
        let centre = DVec2::from_array(all[0].centre);
        assert!(centre.distance(DVec2::new(-200.0, 0.0)) < 2.0, "{centre}");
        assert_eq!(all[2], Blob { count: 1, area: all[2].area, centre: [0.0, 400.0] });
        assert_eq!(blobs(&world, Some(ClassId::HEAVY)).len(), 2);
        assert_eq!(blobs(&world, Some(ClassId(9))), vec![]);
        assert_eq!(blobs(&FluidWorld::default(), None), vec![]);
    }
}
