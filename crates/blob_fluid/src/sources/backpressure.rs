//! Pressure and packing of the liquid at an opening. Particles that come out have to overcome them.

use std::f32::consts::PI;

use glam::Vec2;

use crate::geometry::shape::scatter;
use crate::solver::equation_of_state::EquationOfState;
use crate::sources::blob::PointHash;
use crate::{
    ClassFilter, ClassId, Container, DensityClass, FluidBounds, FluidRegion, FluidSolver, Liquid,
    Pose,
};

/// Largest mean compression of the liquid at an opening, as a fraction of its density at rest. The
/// compression that its depth explains is not included.
const MOST_COMPRESSED: f32 = 0.03;

/// As [`MOST_COMPRESSED`], for liquid that is packed within a larger reach.
const COMPRESSED: f32 = 0.005;

/// Largest ratio of the compression of liquid at rest to the compression that its depth explains. Liquid
/// at the bottom is packed less evenly.
const UNEVEN: f32 = 1.25;

/// Smallest fraction of the room around an opening that packed liquid fills, at its density at rest.
const PACKED: f32 = 0.97;

/// `(c dt/h)^2` for the nominal speed of sound `c` of a solver that keeps the density constant. The
/// liquid counts as equally stiff as with the default solver.
const NOMINAL_STIFFNESS: f32 = 0.5;

/// Pressure over density per kept pressure of the incompressible solver, in `h^4/d^2`. In pools,
/// measurements from a tenth to nine tenths of the depth give 0.61 to 0.70.
const PER_KEPT_PRESSURE: f32 = 0.65;

/// Largest reach, in interaction radii, so that a huge flow has a bounded cost.
const MOST_REACH: f32 = 8.0;

/// Largest number of particles, and of places, that are tested for whether liquid reaches them.
const MOST_TESTED: usize = 256;

/// How the pressure of a liquid at rest follows from its compression `c`.
#[derive(Clone, Copy, Debug)]
struct Compressibility {
    /// Pressure over compression and density, in (world units/s)²: the square of the speed of sound.
    bulk: f32,
    /// Whether pairs press as softly as in the paper: then the pressure is `bulk c (1 + c)^2`. Otherwise it is
    /// `bulk c`.
    soft: bool,
}

impl Compressibility {
    /// Pressure over density at rest.
    fn pressure(self, compression: f32) -> f32 {
        let density = if self.soft { 1.0 + compression } else { 1.0 };
        self.bulk * compression * density * density
    }

    /// The compression by the weight of liquid above, which has this `head`, the product of gravity and height.
    fn compression_by(self, head: f32) -> f32 {
        let linear = head / self.bulk;
        // `(c + 3/2 c^2) bulk` is the head of a soft liquid, whose weight grows with the compression.
        if self.soft { ((1.0 + 6.0 * linear).sqrt() - 1.0) / 3.0 } else { linear }
    }
}

/// An opening that liquid comes out of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// Its middle.
    pub mouth: Vec2,
    /// Vector from the middle to one end; zero for a point.
    pub half_width: Vec2,
    /// Unit vector in which liquid comes out.
    pub outwards: Vec2,
    /// Particles/s.
    pub flow: f32,
}

impl Opening {
    /// The slot of a nozzle, whose width is in world units, at its pose at the end of the tick. The flow is in
    /// particles/s.
    pub(super) fn of_slot(nozzle: Pose, width: f32, flow: f32) -> Self {
        Self {
            mouth: nozzle.translation,
            half_width: nozzle.to_world_direction(Vec2::X) * (0.5 * width),
            outwards: nozzle.to_world_direction(Vec2::Y),
            flow,
        }
    }
}

/// The liquid around an opening, within a reach.
#[derive(Clone, Copy, Debug)]
struct Around {
    /// Number of particles.
    count: f32,
    /// Mean compression, as a fraction of the density at rest.
    compression: f32,
    /// Mean height over the opening, in world units.
    height: f32,
    /// Mean density of the classes at rest, relative to the medium class.
    heaviness: f32,
    /// Acceleration by gravity.
    gravity: f32,
    /// A box around the particles.
    bounds: FluidBounds,
    /// Largest distance from the opening's middle, in world units.
    reach: f32,
}

impl Liquid {
    /// Whether the liquid around an opening holds back liquid of a class that comes out at a `speed`, in
    /// world units/s. It does if its pressure is above the stagnation pressure `rho v^2/2`, or if there
    /// is no room.
    ///
    /// The pressure is at least that of the lowest column of liquid over the opening and beside it.
    /// So a fountain, which stands over its opening alone, exerts no pressure. It is also at least
    /// that of the mean compression of the liquid at the opening.
    pub(super) fn keeps_back(&self, opening: Opening, class: ClassId, speed: f32) -> bool {
        let Some(around) = self.around(opening, class, 0.0) else { return false };
        let (lowest, highest) = self.columns_at(opening, class);
        let own = self.classes().get(class).map_or(1.0, heaviness);
        // Particles do not resolve depths below one spacing.
        let unresolved = around.gravity * self.parameters().particle_spacing;
        let overcome = 0.5 * speed * speed * own / around.heaviness + unresolved;
        let pressure = self.compressibility().pressure(around.compression);
        let pressure = pressure + around.gravity * around.height;
        pressure.max(around.gravity * lowest) > overcome
            || around.compression > MOST_COMPRESSED + self.explained(&around, highest)
            || self.is_packed(opening, class, highest)
    }

    /// Whether the liquid at a point is too compressed for another particle of a class.
    pub(super) fn is_full_at(&self, point: Vec2, class: ClassId) -> bool {
        let (half_width, outwards) = (Vec2::ZERO, Vec2::ZERO);
        let opening = Opening { mouth: point, half_width, outwards, flow: 0.0 };
        let Some(around) = self.around(opening, class, 0.0) else { return false };
        around.compression > MOST_COMPRESSED && {
            let (_, highest) = self.columns_at(opening, class);
            around.compression > MOST_COMPRESSED + self.explained(&around, highest)
        }
    }

    /// Whether the room around an opening is full, for particles of a class that appear anywhere
    /// beside it.
    pub(super) fn is_full_around(&self, opening: Opening, class: ClassId) -> bool {
        let (_, highest) = self.columns_at(opening, class);
        self.is_packed(opening, class, highest)
    }

    /// Whether the liquid fills the whole room into which emitted liquid would spread, and is
    /// compressed. `column` is the height of the liquid over the opening.
    fn is_packed(&self, opening: Opening, class: ClassId, column: f32) -> bool {
        // Radius of a disc of the liquid that comes out while a wave passes an interaction radius.
        let parameters = self.parameters();
        let time = parameters.interaction_radius() / parameters.speed_unit();
        let spacing = parameters.particle_spacing;
        let farther = spacing * (opening.flow * time / PI).sqrt();
        let Some(around) = self.around(opening, class, farther) else { return false };
        let explained = UNEVEN * self.explained(&around, column);
        around.compression > COMPRESSED + explained
            && around.count * spacing * spacing
                > (PACKED + explained) * self.room_in(&around, opening.mouth, class)
    }

    /// How the pressure of the solver's liquid at rest follows from its compression.
    fn compressibility(&self) -> Compressibility {
        let Self { parameters, clock, .. } = self;
        if parameters.solver == FluidSolver::Classic {
            let bulk = EquationOfState::of(parameters, &DensityClass::default())
                .squared_sound_speed(parameters.interaction_radius(), parameters.particle_spacing);
            return Compressibility { bulk, soft: true };
        }
        let tick = clock.substep * clock.substeps as f32;
        let stiffness = parameters.solver.demand(self, tick).stiffness;
        let radius = parameters.interaction_radius();
        let (stiffness, time) = if stiffness.is_finite() {
            (stiffness, clock.substep)
        } else {
            (NOMINAL_STIFFNESS, tick)
        };
        let bulk = stiffness * (radius / time) * (radius / time);
        Compressibility { bulk, soft: false }
    }

    /// The compression that a column of liquid over the opening explains.
    fn explained(&self, around: &Around, column: f32) -> f32 {
        let head = around.gravity * (column - around.height).max(0.0);
        self.compressibility().compression_by(head)
    }

    /// Compression of a particle, as a fraction of its density at rest.
    fn compression(&self, index: usize, bulk: f32) -> f32 {
        match self.parameters().solver {
            FluidSolver::Incompressible => {
                let radius = self.parameters().interaction_radius();
                let kept = self.particles.kept_pressure(index);
                let ratio = radius / self.parameters().particle_spacing;
                let mass = self.classes()[self.particles.class[index]].mass;
                PER_KEPT_PRESSURE * radius * radius * ratio * ratio * kept / (mass * bulk)
            }
            _ => self.particles.relative_density[index] - 1.0,
        }
    }

    /// The liquid within an interaction radius plus `farther` (world units) of an opening that no wall
    /// separates from it; `None` without such liquid.
    fn around(&self, opening: Opening, class: ClassId, farther: f32) -> Option<Around> {
        let Opening { mouth, half_width, .. } = opening;
        let radius = self.parameters().interaction_radius();
        let reach = half_width.length() + (radius + farther).min(MOST_REACH * radius);
        let region = FluidRegion::circle(mouth, reach).ok()?;
        let (mut all, mut bounds) = (0_usize, FluidBounds::NONE);
        self.for_each_in(&region, ClassFilter::ALL, |index| {
            let position = self.particles.position[index];
            bounds = bounds.union(FluidBounds::at(position));
            all += 1;
        });
        let every = all.div_ceil(MOST_TESTED).max(1);
        let up = (-self.parameters().gravity).normalize_or_zero();
        let bulk = self.compressibility().bulk;
        let (mut number, mut count) = (0, 0.0_f32);
        let [mut compression, mut height, mut weight, mut gravity] = [0.0_f32; 4];
        self.for_each_in(&region, ClassFilter::ALL, |index| {
            let position = self.particles.position[index];
            number += 1;
            if number % every != 0 || !self.is_open(mouth, position, class) {
                return;
            }
            let own = &self.classes()[self.particles.class[index]];
            count += 1.0;
            compression += self.compression(index, bulk);
            height += (position - mouth).dot(up);
            weight += heaviness(own);
            gravity += heaviness(own) * own.gravity_scale;
        });
        (count > 0.0).then(|| Around {
            count: count * every as f32,
            compression: compression / count,
            height: height / count,
            heaviness: weight / count,
            gravity: self.parameters().gravity.length() * gravity / weight,
            bounds,
            reach,
        })
    }

    /// Estimated area of the room that liquid can reach from an opening, in square world units. Only
    /// room in the box around the liquid there counts.
    fn room_in(&self, around: &Around, mouth: Vec2, class: ClassId) -> f32 {
        let bounds = around.bounds.inflated(0.5 * self.parameters().particle_spacing);
        let (centre, half_size) = (bounds.centre(), bounds.half_size());
        let open = (0..MOST_TESTED as u32).filter(|number| {
            let place = centre + half_size * scatter(*number);
            place.distance(mouth) < around.reach && self.is_open(mouth, place, class)
        });
        4.0 * half_size.x * half_size.y * (open.count() as f32 / MOST_TESTED as f32)
    }

    /// Heights of the lowest and of the highest column of liquid over an opening and over either side of
    /// it, in world units. Columns that a wall separates from the opening do not count.
    fn columns_at(&self, opening: Opening, class: ClassId) -> (f32, f32) {
        let Opening { mouth, half_width, outwards, .. } = opening;
        let up = (-self.parameters().gravity).normalize_or_zero();
        let spacing = self.parameters().particle_spacing;
        // Only half of the neighbourhood of a wall is liquid, so that a point at the wall counts as
        // outside of it.
        let front = mouth + outwards * spacing;
        let middle = self.column_over(front, up) + (front - mouth).dot(up);
        let aside = half_width + half_width.normalize_or_zero() * spacing;
        let sides = [front + aside, front - aside].into_iter();
        let is_clear = |side: &Vec2| {
            let clearance = (*side - front).normalize_or_zero() * spacing;
            self.is_open(front, *side + clearance, class)
        };
        let open = sides.filter(is_clear);
        // Heights over the middle, because an opening may be upright.
        open.map(|side| self.column_over(side, up) + (side - mouth).dot(up))
            .fold((middle, middle), |(low, high), column| (low.min(column), high.max(column)))
    }
}

/// Density of a class at rest, relative to the medium class.
fn heaviness(class: &DensityClass) -> f32 {
    class.mass * class.relative_rest_density
}

// Whether a particle can come out of an opening: of a nozzle or of the outlet of a pump.

/// Smallest distance between a particle that comes out of an opening and other particles, in particle
/// spacings. It is below the spacing at rest, because liquid at an opening is compressed.
pub(super) const OPENING_CLEARANCE: f32 = 0.6;

/// As [`OPENING_CLEARANCE`], for a particle that comes out of a nozzle in open liquid. In liquid at rest, the
/// largest distance of a place from all particles is about 0.6 spacings.
const IMMERSED_CLEARANCE: f32 = 0.5;

/// Smallest height of free space over the surface of open liquid, in particle spacings.
const OPEN_ABOVE: f32 = 2.0;

/// Largest distance, in particle spacings, by which a particle is moved to a place between others.
const MAX_SHIFT: f32 = 0.7;

/// Number of steps in which the place between particles is found.
const PLACE_STEPS: usize = 8;

/// Depth inside a solid, in particle spacings, up to which a position counts as on its wall.
const TOUCHING: f32 = 0.05;

/// Depth inside a collider, in particle spacings, from which a nozzle is blocked.
const STOPPED_UP: f32 = 0.5;

impl Liquid {
    /// Whether no particle lies within `clearance` of a point.
    pub(super) fn is_free(&self, point: Vec2, clearance: f32) -> bool {
        let mut free = true;
        if let Ok(around) = FluidRegion::circle(point, clearance) {
            self.for_each_in(&around, ClassFilter::ALL, |_| free = false);
        }
        free
    }

    /// Smallest distance between particles that come out of an opening and other particles, in particle
    /// spacings. It is smaller in open liquid, whose surface can rise.
    pub(super) fn clearance_at(&self, Opening { mouth, outwards, .. }: Opening) -> f32 {
        let up = (-self.parameters().gravity).normalize_or_zero();
        let spacing = self.parameters().particle_spacing;
        let front = mouth + outwards * spacing;
        let above = front + up * (self.column_over(front, up) + OPEN_ABOVE * spacing);
        let is_open = up != Vec2::ZERO
            && self.depth_at(front) > 0.0
            && self.is_open(front, above, self.classes().default_class());
        if is_open { IMMERSED_CLEARANCE } else { OPENING_CLEARANCE }
    }

    /// The point itself or, if particles lie within [`OPENING_CLEARANCE`] of it, a place between them that is
    /// farther from them. It returns the point if there is no place at least `clearance` away from
    /// particles.
    pub(super) fn place_between(&self, point: Vec2, clearance: f32, taken: &PointHash) -> Vec2 {
        let spacing = self.parameters().particle_spacing;
        let (wanted, mut place) = (OPENING_CLEARANCE * spacing, point);
        for _ in 0..PLACE_STEPS {
            let Ok(around) = FluidRegion::circle(place, wanted) else { return point };
            let (mut shift, mut nearest) = (Vec2::ZERO, wanted);
            let mut avoid = |other: Vec2| {
                let distance = place.distance(other);
                nearest = nearest.min(distance);
                let away = ((place - other) / distance).try_normalize().unwrap_or(Vec2::Y);
                shift += away * (wanted - distance).max(0.0);
            };
            self.for_each_in(&around, ClassFilter::ALL, |index| {
                avoid(self.particles.position[index]);
            });
            taken.for_each_around(place, |_, other| avoid(other));
            if nearest >= wanted {
                return place;
            }
            place += shift;
            if place.distance(point) > MAX_SHIFT * spacing {
                return point;
            }
        }
        let is_between = taken.is_free(place) && self.is_free(place, clearance);
        if is_between { place } else { point }
    }

    /// Whether a particle can get from the mouth of a nozzle to a point. It can if both are in one
    /// container, if there are any, and no collider lies between them.
    pub(super) fn is_open(&self, mouth: Vec2, point: Vec2, class: ClassId) -> bool {
        let solids = &self.boundary;
        let spacing = self.parameters().particle_spacing;
        let (touching, stopped_up) = (TOUCHING * spacing, STOPPED_UP * spacing);
        let holds = |container: &Container| {
            container.depth(point) >= -touching && container.depth(mouth) >= -stopped_up
        };
        if !solids.containers.is_empty() && !solids.containers.iter().any(holds) {
            return false;
        }
        let Some(candidates) = solids.find_candidates(FluidBounds::of(&[mouth, point]), 0.0) else {
            return true;
        };
        solids.blocking_colliders(&candidates, class).all(|(_, collider)| {
            let membrane = collider.options().one_way;
            let stopped_up = !membrane && collider.distance(mouth) < -stopped_up;
            let stopped = collider.resolve(mouth, point, f32::INFINITY, collider.slack());
            !stopped_up && stopped.is_none_or(|(_, surface)| surface.distance > -touching)
        })
    }
}

// Height by which liquid must be lifted from one place to another.

impl Liquid {
    /// Height, in world units against gravity, by which liquid is lifted from one region to another.
    /// The level of a region is the surface over its middle, or its middle if that is dry. The result
    /// is negative if liquid goes down, and 0 without gravity.
    pub(super) fn lift(&self, from: &FluidRegion, to: &FluidRegion) -> f32 {
        let up = (-self.parameters().gravity).normalize_or(Vec2::ZERO);
        let level = |region: &FluidRegion| {
            let middle = middle(region);
            middle.dot(up) + self.column_over(middle, up)
        };
        level(to) - level(from)
    }

    /// Height of the liquid that stands over a point, up to the surface or to the first wall.
    pub(super) fn column_over(&self, point: Vec2, up: Vec2) -> f32 {
        let height = self.depth_at(point);
        let step = self.parameters().particle_spacing;
        let class = self.classes().default_class();
        let mut clear = 0.0;
        // The surface is found by density, which is smooth across thin walls.
        while clear < height && self.goes_on(point + up * clear, up * step, class) {
            clear += step;
        }
        clear.min(height)
    }

    fn goes_on(&self, point: Vec2, way: Vec2, class: ClassId) -> bool {
        // Adding a step changes nothing at huge coordinates, and the search would not end.
        point + way != point && self.is_open(point, point + way, class)
    }
}

/// The middle of a region.
pub(super) fn middle(region: &FluidRegion) -> Vec2 {
    region.to_world(region.shape().bounds().centre())
}
