//! Connected blobs: which particles hang together.

use glam::{DVec2, Vec2};

use crate::class::ClassId;
use crate::executor::SerialExecutor;
use crate::grid::Grid;
use crate::world::FluidWorld;

/// Particles closer than this many particle spacings hang together. At rest the nearest neighbours
/// of a particle are one spacing away, and the next ones 1.7.
const LINK: f32 = 1.5;

/// A blob: particles that hang together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Blob {
    /// How many particles.
    pub count: usize,
    /// Area it covers when uncompressed: a square of the particle spacing for each particle, in
    /// square world units.
    pub area: f64,
    /// Mean position, in world units.
    pub centre: [f64; 2],
}

/// The blobs of a class, or of the liquid as a whole, the one of most particles first (of equals,
/// the lower, then the more leftward).
///
/// Two particles hang together when they are within one and a half particle spacings of each other,
/// and when a row of such pairs connects them.
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
pub fn blobs(world: &FluidWorld, class: Option<ClassId>) -> Vec<Blob> {
    let particles = world.particles();
    let chosen = particles.position.iter().zip(&particles.class);
    let chosen = chosen.filter(|(_, own)| class.is_none_or(|class| class == **own));
    let positions: Vec<Vec2> = chosen.map(|(position, _)| *position).collect();
    let spacing = world.parameters().particle_spacing;
    let roots = connect(&positions, LINK * spacing);
    let mut blobs = vec![(0_usize, DVec2::ZERO); positions.len()];
    for (place, root) in roots.into_iter().enumerate() {
        blobs[root].0 += 1;
        blobs[root].1 += positions[place].as_dvec2();
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
        let place = |blob: &Blob| [blob.centre[1], blob.centre[0]];
        let by_place = place(a)[0].total_cmp(&place(b)[0]);
        b.count.cmp(&a.count).then(by_place).then(place(a)[1].total_cmp(&place(b)[1]))
    });
    blobs
}

/// For each place, the first place of those it hangs together with.
fn connect(positions: &[Vec2], reach: f32) -> Vec<usize> {
    let mut grid = Grid::default();
    let order = grid.sort(positions, reach, &SerialExecutor).to_vec();
    let mut parents: Vec<usize> = (0..positions.len()).collect();
    for block in grid.blocks(0..positions.len()) {
        for sorted in block.particles.clone() {
            let place = order[sorted] as usize;
            for other in block.spans().flatten() {
                let other = order[other] as usize;
                if positions[place].distance(positions[other]) <= reach {
                    let (a, b) = (root(&mut parents, place), root(&mut parents, other));
                    parents[a.max(b)] = a.min(b);
                }
            }
        }
    }
    (0..positions.len()).map(|place| root(&mut parents, place)).collect()
}

fn root(parents: &mut [usize], mut place: usize) -> usize {
    while parents[place] != place {
        parents[place] = parents[parents[place]];
        place = parents[place];
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particle::ParticleSpawn;
    use crate::shape::{Shape, scatter};

    #[test]
    fn blobs_are_told_apart_by_what_touches() {
        let mut world = FluidWorld::default();
        let mut add = |position, class| {
            world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
        };
        let disc = Shape::Circle { radius: 60.0 };
        for position in disc.fill(Vec2::new(-200.0, 0.0), 8.0) {
            add(position, ClassId::HEAVY);
        }
        for position in disc.fill(Vec2::new(200.0, 50.0), 8.0) {
            // One blob of two classes.
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

    #[test]
    fn any_order_finds_what_all_pairs_find() {
        let positions: Vec<Vec2> = (0..300).map(|index| scatter(index) * 60.0).collect();
        let reach = 7.0;
        let found = connect(&positions, reach);
        // By repeated relabelling over all pairs.
        let mut labels: Vec<usize> = (0..positions.len()).collect();
        loop {
            let before = labels.clone();
            for a in 0..positions.len() {
                for b in 0..positions.len() {
                    if positions[a].distance(positions[b]) <= reach {
                        labels[a] = labels[a].min(labels[b]);
                    }
                }
            }
            if labels == before {
                break;
            }
        }
        assert_eq!(found, labels);
        let distinct = labels.iter().enumerate().filter(|(place, label)| place == *label).count();
        assert!(distinct > 5 && distinct < 200, "{distinct}");
    }
}
