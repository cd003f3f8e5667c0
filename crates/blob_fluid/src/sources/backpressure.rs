//! The pressure and the packing of the liquid at an opening, which what comes out has to overcome.

use std::f32::consts::PI;

use glam::Vec2;

use crate::boundary::container::Container;
use crate::geometry::bounds::FluidBounds;
use crate::geometry::region::FluidRegion;
use crate::geometry::shape::scatter;
use crate::liquid::state::Liquid;
use crate::settings::class::{ClassFilter, ClassId, DensityClass};
use crate::settings::solver::FluidSolver;
use crate::solver::equation_of_state::EquationOfState;

/// Largest mean compression of the liquid at an opening, as a part of its density at rest, beside the
/// compression that its depth explains.
const MOST_COMPRESSED: f32 = 0.03;

/// The same farther around, if the liquid there is packed.
const COMPRESSED: f32 = 0.005;

/// Largest factor by which the compression of liquid at rest exceeds that which its depth explains: at the
/// bottom it is packed less evenly.
const UNEVEN: f32 = 1.25;

/// Share of the room around an opening, filled as densely as at rest, from which its liquid is packed.
const PACKED: f32 = 0.97;

/// `(c dt/h)^2` of the speed of sound `c` that a liquid would have whose pressures make its density
/// constant: as stiff as a liquid of the default solver.
const NOMINAL_STIFFNESS: f32 = 0.5;

/// Pressure over density per kept pressure of the incompressible solver, in `h^4/d^2`. Measured in pools
/// from a tenth to nine tenths of their depth, where it is 0.61 to 0.70.
const PER_KEPT_PRESSURE: f32 = 0.65;

/// Largest reach, in interaction radii, so that a huge flow has a bounded cost.
const MOST_REACH: f32 = 8.0;

/// Number of particles, and of places, that are tested at most for whether liquid reaches them.
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
    /// From the middle to an end of it; zero for a point.
    pub half_width: Vec2,
    /// Unit vector in which liquid comes out.
    pub outwards: Vec2,
    /// Particles/s.
    pub flow: f32,
}

/// What is around an opening, within a reach.
#[derive(Clone, Copy, Debug)]
struct Around {
    /// Number of particles.
    count: f32,
    /// Mean compression, as a part of the density at rest.
    compression: f32,
    /// Mean height over the opening, in world units.
    height: f32,
    /// Mean density of the classes at rest, relative to the medium class.
    heaviness: f32,
    /// Acceleration by gravity.
    gravity: f32,
    /// A box around the particles.
    bounds: FluidBounds,
    /// In world units.
    reach: f32,
}

impl Liquid {
    /// Whether the liquid around an opening keeps back liquid of a class that comes out at a `speed`, in
    /// world units/s: its pressure is above the stagnation pressure `rho v^2/2`, or there is no room.
    ///
    /// Pressure is at least that of the lowest column of liquid over the opening and beside it: a
    /// fountain, which stands over its opening alone, presses on nothing. It is as well that of
    /// the mean compression of the liquid at the opening.
    pub(super) fn keeps_back(&self, opening: Opening, class: ClassId, speed: f32) -> bool {
        let Some(around) = self.around(opening, class, 0.0) else { return false };
        let (lowest, highest) = self.columns_at(opening, class);
        let own = self.classes().get(class).map_or(1.0, heaviness);
        // A spacing of depth is the least that particles resolve.
        let unresolved = around.gravity * self.parameters().particle_spacing;
        let overcome = 0.5 * speed * speed * own / around.heaviness + unresolved;
        let pressure = self.compressibility().pressure(around.compression);
        let pressure = pressure + around.gravity * around.height;
        pressure.max(around.gravity * lowest) > overcome
            || around.compression > MOST_COMPRESSED + self.explained(&around, highest)
            || self.is_packed(opening, class, highest)
    }

    /// Whether there is no room for a particle of a class at a point.
    pub(super) fn is_full_at(&self, point: Vec2, class: ClassId) -> bool {
        let (half_width, outwards) = (Vec2::ZERO, Vec2::ZERO);
        let opening = Opening { mouth: point, half_width, outwards, flow: 0.0 };
        let Some(around) = self.around(opening, class, 0.0) else { return false };
        around.compression > MOST_COMPRESSED && {
            let (_, highest) = self.columns_at(opening, class);
            around.compression > MOST_COMPRESSED + self.explained(&around, highest)
        }
    }

    /// Whether a vessel is full into which particles of a class come at any place beside an opening.
    pub(super) fn is_full_around(&self, opening: Opening, class: ClassId) -> bool {
        let (_, highest) = self.columns_at(opening, class);
        self.is_packed(opening, class, highest)
    }

    /// Whether the liquid fills all the room that what comes out of an opening would spread into, and is
    /// compressed. `column` is the height of the liquid over the opening.
    fn is_packed(&self, opening: Opening, class: ClassId, column: f32) -> bool {
        // What comes out while a wave passes an interaction radius.
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

    fn compressibility(&self) -> Compressibility {
        let Self { parameters, clock, .. } = self;
        if parameters.solver == FluidSolver::Classic {
            let bulk = EquationOfState::of(parameters, &DensityClass::default())
                .bulk(parameters.interaction_radius(), parameters.particle_spacing);
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

    /// Compression of a particle, as a part of its density at rest.
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

    /// What is within an interaction radius of an opening, or `farther` by so many world units, and where
    /// liquid gets to from the opening; `None` if there is no liquid.
    fn around(&self, opening: Opening, class: ClassId, farther: f32) -> Option<Around> {
        let Opening { mouth, half_width, .. } = opening;
        let radius = self.parameters().interaction_radius();
        let reach = half_width.length() + (radius + farther).min(MOST_REACH * radius);
        let region = FluidRegion::circle(mouth, reach).ok()?;
        let (mut all, mut bounds) = (0_usize, FluidBounds::NONE);
        self.for_each_in(&region, ClassFilter::ALL, |index| {
            let position = self.particles.position[index];
            bounds = bounds.union(FluidBounds { low: position, high: position });
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

    /// Area of the room around an opening that liquid gets to, within the box of the liquid there, in
    /// square world units.
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
    /// it, in world units. Columns that a wall parts from the opening do not count.
    fn columns_at(&self, opening: Opening, class: ClassId) -> (f32, f32) {
        let Opening { mouth, half_width, outwards, .. } = opening;
        let up = (-self.parameters().gravity).normalize_or_zero();
        let spacing = self.parameters().particle_spacing;
        // At a wall, half of what is around is liquid, and a point there is not in it.
        let front = mouth + outwards * spacing;
        let middle = self.column_over(front, up);
        let aside = half_width + half_width.normalize_or_zero() * spacing;
        let sides = [front + aside, front - aside].into_iter();
        let open = sides.filter(|side| self.is_open(front, *side, class));
        open.map(|side| self.column_over(side, up))
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

    /// Whether a particle can get from the mouth of a nozzle to a point: both are in one container,
    /// if there are any containers, and no collider lies between them.
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
        let Some(near) = solids.around(FluidBounds::of(&[mouth, point]), 0.0) else { return true };
        solids.stopping(&near, class).all(|(_, collider)| {
            let membrane = collider.options().one_way;
            let stopped_up = !membrane && collider.distance(mouth) < -stopped_up;
            let stopped = collider.stop(mouth, point, f32::INFINITY, collider.slack());
            !stopped_up && stopped.is_none_or(|(_, surface)| surface.distance > -touching)
        })
    }
}

// How high liquid has to be lifted from one place to another.

impl Liquid {
    /// Height, in world units against gravity, to which liquid is lifted that goes from one region to
    /// another: from the surface over the middle of the one to the surface over the middle of the
    /// other, or to that middle if it is dry. Negative if it goes down, and 0 without gravity.
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
        // Where numbers are so large that a step is none, there is no end.
        point + way != point && self.is_open(point, point + way, class)
    }
}

/// The middle of a region.
pub(super) fn middle(region: &FluidRegion) -> Vec2 {
    region.to_world(region.shape().bounds().centre())
}
