//! Places for new particles that walls and living particles leave free.

use glam::Vec2;

use crate::geometry::bounds::FluidBounds;
use crate::liquid::state::Liquid;
use crate::settings::class::ClassId;
use crate::solver::kernel::weight;
use crate::sources::crowd::PointHash;

// Measured: a tank that is filled up to half a spacing from its walls, whatever the density, jumps at
// four times the speed unit. With these three, new liquid without weight moves at most at 1.4 times
// the speed unit, which is surface tension rounding its corners.

/// Least distance from a wall, in particle spacings: that of the outermost layer of liquid at rest.
pub(super) const WALL_CLEARANCE: f32 = 0.45;

/// Least distance from a living particle, in particle spacings.
const LIQUID_CLEARANCE: f32 = 0.8;

/// Largest density at a place next to walls or living particles, relative to the density at rest.
/// Distances alone let two lattices interlock, 25 % too dense.
const MOST_CROWDED: f32 = 1.0;

/// Density of walls and living particles, relative to the density at rest, below which a place
/// counts as far from both.
const ALONE: f32 = 0.05;

/// Number of places that are tested together.
const TOGETHER: usize = 64;

/// Largest number of places that are left out before the search ends, so that a huge shape over
/// walls has a bounded cost.
const MOST_LEFT_OUT: usize = 1 << 24;

/// A place for a new particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub position: Vec2,
    pub class: ClassId,
    /// Its number among all places, free or not.
    #[cfg_attr(not(feature = "scene"), allow(dead_code, reason = "scenes scatter by it"))]
    pub number: usize,
}

/// The free places among some, and how many others were left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreePlaces {
    pub free: Vec<Place>,
    pub left_out_by_walls: usize,
    pub left_out_by_liquid: usize,
    /// Whether the search ended before all places were tested.
    pub cut_short: bool,
    /// For each free place, the densities that walls and living particles add to it.
    crowding: Vec<(f32, f32)>,
}

impl Liquid {
    /// Finds the places that are inside a container, if there are any, clear of the walls that act
    /// on their class, and clear of all living particles. Places do not count against each other,
    /// except where walls or living particles make them crowded. All classes must be in the table.
    /// `spacing` is the distance of the places, in world units. The search ends when twice as many
    /// places as `room` are free.
    pub(crate) fn free_places(
        &self,
        places: impl Iterator<Item = Place>,
        spacing: f32,
        room: usize,
    ) -> FreePlaces {
        let mut found = FreePlaces::default();
        let mut places = places.peekable();
        let (mut together, mut around) = (Vec::with_capacity(TOGETHER), Vec::new());
        while places.peek().is_some() {
            let left_out = found.left_out_by_walls + found.left_out_by_liquid;
            if found.free.len() / 2 > room || left_out > MOST_LEFT_OUT {
                found.cut_short = true;
                break;
            }
            together.clear();
            together.extend(places.by_ref().take(TOGETHER));
            self.test_together(&together, &mut around, &mut found);
        }
        self.thin_out(&mut found, spacing);
        found
    }

    /// Tests neighbouring places. `around` is a buffer for the living particles near them.
    fn test_together(&self, places: &[Place], around: &mut Vec<Vec2>, found: &mut FreePlaces) {
        let unit = self.parameters.particle_spacing;
        let (clearance, least) = (WALL_CLEARANCE * unit, LIQUID_CLEARANCE * unit);
        let radius = self.parameters.interaction_radius();
        let grown = |bounds, place: &Place| {
            FluidBounds::union(bounds, FluidBounds { low: place.position, high: place.position })
        };
        let bounds = places.iter().fold(FluidBounds::NONE, grown);
        let near = self.boundary.around(bounds, radius);
        self.positions_in(bounds.inflated(radius), around);
        for place in places {
            let Place { position, class, .. } = *place;
            let clear = |near| self.boundary.is_clear(near, position, class, clearance);
            if !near.as_ref().is_none_or(clear) {
                found.left_out_by_walls += 1;
                continue;
            }
            let close = |other: &Vec2| other.distance_squared(position) < least * least;
            if around.iter().any(close) {
                found.left_out_by_liquid += 1;
                continue;
            }
            let squares = around.iter().map(|other| {
                let q = weight(other.distance(position), radius);
                q * q
            });
            let liquid = squares.sum();
            let walls =
                near.as_ref().map_or(0.0, |near| self.wall_density_at(near, position, class));
            found.free.push(*place);
            found.crowding.push((walls, liquid));
        }
    }

    /// Removes places next to walls or living particles until none is too crowded.
    fn thin_out(&self, found: &mut FreePlaces, spacing: f32) {
        let crowding = std::mem::take(&mut found.crowding);
        let is_alone = |place: &Place, (walls, liquid): (f32, f32)| {
            walls + liquid <= ALONE * self.equilibrium_density(place.class)
        };
        if found.free.iter().zip(&crowding).all(|(place, crowding)| is_alone(place, *crowding)) {
            return;
        }
        let radius = self.parameters.interaction_radius();
        // The density of the places by themselves; a blob may be denser than liquid at rest.
        let ratio = radius / spacing;
        let lattice_density = std::f32::consts::FRAC_PI_6 * ratio * ratio - 1.0;
        let mut near = PointHash::default();
        near.clear(radius);
        found.free.iter().for_each(|place| near.add(place.position));
        let mut stays = vec![true; found.free.len()];
        for (index, (walls, liquid)) in crowding.into_iter().enumerate() {
            let Place { position, class, .. } = found.free[index];
            if is_alone(&found.free[index], (walls, liquid)) {
                continue;
            }
            let mut density = walls + liquid;
            near.for_each_around(position, |other, point| {
                if other != index && stays[other] {
                    let q = weight(point.distance(position), radius);
                    density += q * q;
                }
            });
            let most = MOST_CROWDED * self.equilibrium_density(class);
            if density > most.max(lattice_density) {
                stays[index] = false;
                let left_out = if walls > liquid {
                    &mut found.left_out_by_walls
                } else {
                    &mut found.left_out_by_liquid
                };
                *left_out += 1;
            }
        }
        let mut stays = stays.into_iter();
        found.free.retain(|_| stays.next() == Some(true));
    }

    /// Replaces the contents of `found` by the positions of all particles in a box.
    fn positions_in(&self, bounds: FluidBounds, found: &mut Vec<Vec2>) {
        found.clear();
        let positions = self.particles.positions();
        self.particles.index().visit(
            |run| run.intersects(bounds),
            |run| {
                found.extend(positions[run].iter().filter(|position| bounds.contains(**position)))
            },
        );
    }
}
