//! The pressure of liquid in gaps between a body and another solid that are too narrow for particles.
//!
//! Liquid seeps below a crate on a floor. Particles cannot, so they only press the crate against the floor. This file
//! adds the pressure in such gaps to the load on the body: the hydrostatic pressure below the level of the liquid beside
//! the body. Where the liquid is on one side only, its pressure decreases linearly to 0 at the dry side.

use glam::{DVec2, Vec2};

use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::container::container_of;
use crate::boundary::solids::Solids;
use crate::geometry::shape::Nearest;
use crate::parallel::executor::CHUNK;
use crate::solver::neighbours::connection::{Connection, LINK};
use crate::solver::pass::bodies::{BodyCoefficients, BodyTable};
use crate::{
    Body, ClassFilter, ClassId, ClassTable, Container, DensityClass, FluidBounds, Particles,
};

/// Width, in particle spacings, up to which a gap is too narrow for particles. Wider gaps have less pressure of their
/// own, up to [`WIDEST_GAP`].
const NARROW_GAP: f32 = 1.0;

/// Width of a gap, in particle spacings, from which on it has no pressure of its own.
const WIDEST_GAP: f32 = 1.5;

/// Smallest width of a gap, in particle spacings, for the inflow into it. Real solids are rough.
const ROUGHNESS: f32 = 0.25;

/// Largest distance, in particle spacings, between a body and a particle that touches it.
const TOUCHING: f32 = 1.25;

/// Largest distance, in particle spacings, between the other side of a gap and a particle at its mouth.
const MOUTH: f32 = 2.0;

/// Largest distance, in particle spacings, along the gap between its end and a particle at its mouth, or a wall that
/// closes it.
const END: f32 = 1.5;

/// Distance from a body, in particle spacings, within which particles show the level of the liquid beside the body.
const SURROUNDINGS: f32 = 2.0;

/// Distance of the level below the highest particle, in particle spacings. With it, a single row of particles does not lift
/// bodies.
const UNCOUNTED: f32 = 0.5;

/// Largest fraction of the pressure in gaps that acts. It exceeds 1, because no particle fits between a wide body and the
/// mouth of its gap.
const MAX_SHARE: f64 = 1.25;

/// Distances, in particle spacings, between a particle and the edge of a body at which the particle presses on that part of
/// the edge fully, and not at all.
const PRESSED: f32 = 0.5;
const UNPRESSED: f32 = 1.0;

/// Largest cosine between the normals of the two sides of a gap, and between the normal of the body and the upward
/// direction.
const FACING: f32 = -0.5;

/// Distance between the samples of an edge, in particle spacings.
const SAMPLE_DISTANCE: f32 = 0.5;

/// Largest number of samples along each side of the box around a body.
const MAX_SAMPLES: f32 = 128.0;

/// The pressure in the gaps of bodies in a substep, and the buffers to find it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gaps {
    /// For each body of the table.
    bodies: Vec<LightBody>,
    /// A box around the particles of each chunk.
    chunk_bounds: Vec<FluidBounds>,
    neighbours: Vec<usize>,
    samples: Vec<Sample>,
    surroundings: Surroundings,
    impulses: Vec<GapImpulse>,
}

/// The liquid around the bodies.
#[derive(Clone, Copy)]
pub(crate) struct GapInputs<'a> {
    pub particles: &'a Particles,
    pub classes: &'a ClassTable,
    pub bodies: &'a BodyTable,
    pub coefficients: BodyCoefficients,
}

/// A body that may be lighter than the liquid that it displaces.
#[derive(Clone, Copy, Debug)]
struct LightBody {
    /// Its mass, infinite if it cannot rise, relative to the mass of liquid per square of the particle spacing.
    mass: f32,
    /// Area of its colliders and of the gap around them, in squares of the particle spacing.
    area: f32,
    /// Impulse of the particles, and of the liquid in the gaps above the body, in this substep.
    by_liquid: DVec2,
    /// Impulse of the liquid in the gaps below and beside the body.
    by_gaps: DVec2,
    /// Largest weight of the liquid around it, relative to the medium class.
    weight: f32,
    /// The fraction of `by_gaps` that acts.
    share: f64,
}

/// A sample of the edge of a body, at a gap.
#[derive(Clone, Copy, Debug)]
struct Sample {
    point: Vec2,
    /// Outward normal.
    normal: Vec2,
    /// Length of the edge that the sample represents, in world units.
    length: f32,
    /// Width of the gap, in world units.
    width: f32,
    /// The collider on the other side; `None` for the container.
    other: Option<usize>,
    /// Whether the gap is below the body, not beside it.
    is_below: bool,
}

/// The particles of liquid near a collider.
#[derive(Clone, Debug, Default)]
struct Surroundings {
    positions: Vec<Vec2>,
    particles: Vec<Surrounding>,
    connection: Connection,
    /// Heights of the particles above one of them.
    column: Vec<f32>,
}

/// A particle of liquid near a collider.
#[derive(Clone, Copy, Debug)]
struct Surrounding {
    /// Weight of its liquid, relative to the medium class.
    weight: f32,
    touches: bool,
    /// Whether it is at the mouth of a gap.
    is_at_mouth: bool,
}

/// The impulse of the liquid in a gap on the `collider`. The reaction acts on the `other` collider.
#[derive(Clone, Copy, Debug)]
struct GapImpulse {
    collider: usize,
    other: Option<usize>,
    point: Vec2,
    impulse: DVec2,
}

/// A collider of a body, and the liquid and the solids near it.
struct GapSearch<'a> {
    inputs: GapInputs<'a>,
    solids: &'a Solids,
    index: usize,
    record: &'a ColliderRecord,
    container: Option<&'a Container>,
    /// Indices of the colliders near the body.
    neighbours: &'a [usize],
    spacing: f32,
    up: Vec2,
    right: Vec2,
    chunk_bounds: &'a [FluidBounds],
}

/// The liquid at one end of a gap.
#[derive(Clone, Copy, Debug)]
struct GapEnd {
    /// Height of the liquid, in world units; `None` at a dry end.
    level: Option<f32>,
    /// Whether a wall closes the gap.
    is_closed: bool,
}

/// Weight of the liquid of a class, relative to the medium class; 0 for classes that do not seep into gaps.
fn weight_of(class: &DensityClass) -> f32 {
    let seeps = class.powder.is_none() && class.elasticity.is_none();
    if seeps { (class.mass * class.gravity_scale).max(0.0) } else { 0.0 }
}

impl GapSearch<'_> {
    /// Distance and collider of the nearest wall of another solid within `reach` of a point whose normal and nearest point
    /// `accepts` accepts.
    fn other_side(
        &self,
        point: Vec2,
        reach: f32,
        accepts: impl Fn(Vec2, Vec2) -> bool,
    ) -> Option<(f32, Option<usize>)> {
        let mut nearest = None;
        let mut least = reach;
        let mut consider = |distance: f32, normal: Vec2, collider: Option<usize>| {
            if distance < least && accepts(normal, point - normal * distance) {
                least = distance;
                nearest = Some((distance.max(0.0), collider));
            }
        };
        if let Some(container) = self.container {
            container.for_each_wall_near(point, reach, |wall| {
                consider(wall.distance, wall.normal, None);
            });
        }
        for index in self.neighbours {
            let other = &self.solids.colliders[*index];
            if let Some(wall) = other.query_wall(point, reach, f32::INFINITY).wall() {
                consider(wall.distance, wall.normal, Some(*index));
            }
        }
        nearest
    }

    /// Finds samples of the edge that are at gaps. The cells of a grid that lie within a step of the edge are its
    /// samples. They stand for lengths that decrease with their distance from the edge.
    fn find_samples(&self, samples: &mut Vec<Sample>) {
        let Self { record, spacing, .. } = *self;
        samples.clear();
        let local = record.shape.bounds();
        let size = local.high - local.low;
        let step = (SAMPLE_DISTANCE * spacing)
            .min(0.25 * size.min_element().max(0.1 * spacing))
            .max(size.max_element() / MAX_SAMPLES);
        let counts = (size / step).ceil() + 2.0;
        let first = local.centre() - 0.5 * step * (counts - 1.0);
        let reach = WIDEST_GAP * spacing;
        for row in 0..counts.y as u32 {
            for column in 0..counts.x as u32 {
                let cell = first + step * Vec2::new(column as f32, row as f32);
                let near = FluidBounds::at(record.pose.to_world(cell)).inflated(step + reach);
                let is_near = |index: &usize| self.solids.boxes[*index].intersects(near);
                let touches_container =
                    || self.container.is_some_and(|container| container.may_touch(near, 0.0));
                if !self.neighbours.iter().any(is_near) && !touches_container() {
                    continue;
                }
                let Some(Nearest { normal, distance }) = record.shape.nearest(cell, step) else {
                    continue;
                };
                let point = record.pose.to_world(cell - normal * distance);
                let normal = record.pose.to_world_direction(normal);
                if distance <= -step || normal.dot(self.up) > -FACING || self.is_inside(point) {
                    continue;
                }
                let faces = |other: Vec2, _| other.dot(normal) < FACING;
                let is_below = normal.dot(self.up) < FACING;
                // Beside each other, bodies would not come to rest.
                let counts = |other: usize| is_below || !self.solids.colliders[other].moves();
                if let Some((width, other)) = self.other_side(point, reach, faces)
                    && other.is_none_or(counts)
                {
                    let length = step - distance.abs();
                    samples.push(Sample { point, normal, length, width, other, is_below });
                }
            }
        }
    }

    /// Whether a point of the edge lies in or on another collider of the same host body.
    fn is_inside(&self, point: Vec2) -> bool {
        let Some(attachment) = &self.record.options.attachment else { return false };
        let mut is_inside = false;
        self.solids.boxes.visit(FluidBounds::at(point).inflated(self.solids.seam_gap), |index| {
            let other = &self.solids.colliders[index as usize];
            let is_sibling = index as usize != self.index
                && other.options.attachment.as_ref().is_some_and(|it| it.body == attachment.body);
            is_inside = is_sibling && other.distance(point) <= self.solids.seam_gap;
            is_inside
        });
        is_inside
    }

    /// Velocity of the other side of a gap at a point.
    fn velocity_of_other(&self, sample: &Sample) -> Vec2 {
        match (sample.other, self.container) {
            (Some(index), _) => self.solids.colliders[index].velocity_at(sample.point, 0.0),
            (None, Some(container)) => container.velocity_at(sample.point, 0.0),
            (None, None) => Vec2::ZERO,
        }
    }

    /// Collects the particles of liquid near the collider.
    fn find_surroundings(&self, found: &mut Surroundings) {
        found.positions.clear();
        found.particles.clear();
        let reach = SURROUNDINGS * self.spacing;
        let bounds = self.record.pose.bounds(&self.record.shape).inflated(reach);
        self.for_each_particle(
            |region| region.intersects(bounds),
            |position, class, weight| {
                if !self.record.stops(class) {
                    return;
                }
                let wall = self.record.query_wall(position, reach, f32::INFINITY).wall();
                let Some(wall) = wall else { return };
                let touches = wall.distance < TOUCHING * self.spacing;
                let mouth = MOUTH * self.spacing;
                // Liquid in a vessel is not at the mouth of the gap below the vessel.
                let is_open = |_, foot| !self.record.hides(position, foot, 0.0);
                let is_at_mouth = touches && self.other_side(position, mouth, is_open).is_some();
                found.positions.push(position);
                found.particles.push(Surrounding { weight, touches, is_at_mouth });
            },
        );
    }

    /// Calls `visit` with the position, the class and the weight of every particle of liquid for whose box, which is a
    /// point, `is_near` returns `true`. If it does so for a box, it must do so for every larger box around it.
    fn for_each_particle(
        &self,
        is_near: impl Fn(FluidBounds) -> bool,
        mut visit: impl FnMut(Vec2, ClassId, f32),
    ) {
        let GapInputs { particles, classes, .. } = self.inputs;
        for (chunk, _) in self.chunk_bounds.iter().enumerate().filter(|(_, it)| is_near(**it)) {
            let start = chunk * CHUNK;
            for index in start..particles.len().min(start + CHUNK) {
                let (position, class) = (particles.position[index], particles.class[index]);
                let weight = weight_of(&classes[class]);
                if weight > 0.0 && is_near(FluidBounds::at(position)) {
                    visit(position, class, weight);
                }
            }
        }
    }

    /// Offset of a point from the centre of the collider.
    fn offset(&self, point: Vec2) -> Vec2 {
        point - self.record.centre()
    }

    /// Height of the liquid's surface above the centre of the collider, in world units, at one end of a gap; `None` if no
    /// particle of liquid is at this end.
    fn level_at(&self, end: Vec2, surroundings: &mut Surroundings) -> Option<f32> {
        let Surroundings { positions, particles, connection, column } = surroundings;
        let components = connection.roots();
        let is_at_end = |particle: &usize| {
            let offset = (positions[*particle] - end) / self.spacing;
            particles[*particle].is_at_mouth
                && offset.dot(self.right).abs() < END
                && offset.dot(self.up).abs() < MOUTH
        };
        let height_of = |particle: &usize| self.offset(positions[*particle]).dot(self.up);
        // The highest particle that is connected with the mouth.
        let mut highest: Option<usize> = None;
        for mouth in (0..positions.len()).filter(is_at_end) {
            let connected = (0..positions.len()).filter(|it| components[*it] == components[mouth]);
            let all = connected.chain(highest);
            highest = all.max_by(|one, other| height_of(one).total_cmp(&height_of(other)));
        }
        let highest = highest?;
        self.find_column(positions[highest], column);
        let link = LINK * self.spacing;
        let rise = |top: f32, height: &f32| if *height < top + link { *height } else { top };
        let top = column.iter().fold(height_of(&highest), rise);
        Some(top - UNCOUNTED * self.spacing)
    }

    /// Collects the heights of the particles of liquid above a point, in ascending order.
    fn find_column(&self, point: Vec2, column: &mut Vec<f32>) {
        column.clear();
        let reaches = |bounds: FluidBounds| {
            let offset = bounds.centre() - point;
            let half = |axis: Vec2| bounds.half_size().dot(axis.abs());
            offset.dot(self.right).abs() <= half(self.right) + self.spacing
                && offset.dot(self.up) + half(self.up) > 0.0
        };
        self.for_each_particle(reaches, |position, _, _| {
            column.push(self.offset(position).dot(self.up));
        });
        column.sort_unstable_by(f32::total_cmp);
    }

    /// Appends the impulses of the liquid in the gaps of the collider. Returns the weight of the liquid, relative to the
    /// medium class.
    fn find_impulses(
        &self,
        samples: &[Sample],
        surroundings: &mut Surroundings,
        impulses: &mut Vec<GapImpulse>,
    ) -> f32 {
        let BodyCoefficients { time_step, gravity, particle_spacing: spacing, .. } =
            self.inputs.coefficients;
        let strength = gravity.length();
        let along = |sample: &Sample| self.offset(sample.point).dot(self.right);
        let by_place = |one: &&Sample, other: &&Sample| along(one).total_cmp(&along(other));
        let below = || samples.iter().filter(|sample| sample.is_below);
        let ends = [below().min_by(by_place), below().max_by(by_place)];
        let [Some(left), Some(right)] = ends else { return 0.0 };
        let (first, last) = (along(left), along(right));
        let ends =
            [(left.point, -self.right), (right.point, self.right)].map(|(point, outward)| {
                let faces = |normal: Vec2, _| normal.dot(outward) < FACING;
                GapEnd {
                    level: self.level_at(point, surroundings),
                    is_closed: self.other_side(point, END * spacing, faces).is_some(),
                }
            });
        let ends = match ends.map(|end| end.level) {
            [None, None] => return 0.0,
            // Liquid does not flow out of a closed end.
            [level, None] if ends[1].is_closed => [ends[0], GapEnd { level, ..ends[1] }],
            [None, level] if ends[0].is_closed => [GapEnd { level, ..ends[0] }, ends[1]],
            _ => ends,
        };
        let Surroundings { positions, particles, .. } = surroundings;
        let weights = particles.iter().map(|particle| particle.weight);
        let weight = weights.sum::<f32>() / particles.len() as f32;
        for sample in samples {
            let Sample { point, normal, length, width, other, is_below } = *sample;
            let (mut nearest, mut nearest_mouth) = (f32::INFINITY, f32::INFINITY);
            for particle in (0..positions.len()).filter(|it| particles[*it].touches) {
                let distance = positions[particle].distance_squared(point);
                nearest = nearest.min(distance);
                if particles[particle].is_at_mouth {
                    nearest_mouth = nearest_mouth.min(distance);
                }
            }
            // A particle that is squeezed into a gap narrower than itself hardly presses.
            let pressed = (UNPRESSED - nearest.sqrt() / spacing) / (UNPRESSED - PRESSED);
            let fitting = width / (PRESSED * spacing);
            let unpressed = 1.0 - pressed.clamp(0.0, 1.0) * fitting.min(1.0);
            let narrow = (WIDEST_GAP - width / spacing) / (WIDEST_GAP - NARROW_GAP);
            let length = length * unpressed * narrow.clamp(0.0, 1.0);
            // Liquid flows in from the mouth as fast as the gap widens.
            let opening = self.velocity_of_other(sample) - self.record.velocity_at(point, 0.0);
            let widening = opening.dot(normal).max(0.0) / width.max(ROUGHNESS * spacing);
            let inflow = widening * nearest_mouth.sqrt();
            let height = self.offset(point).dot(self.up);
            let depth_of = |end: GapEnd| end.level.map_or(0.0, |level| (level - height).max(0.0));
            let fraction = (along(sample) - first) / (last - first).max(f32::MIN_POSITIVE);
            let depth = if is_below {
                depth_of(ends[0]) * (1.0 - fraction) + depth_of(ends[1]) * fraction
            } else {
                depth_of(ends[0]).max(depth_of(ends[1]))
            };
            let head = strength * depth - 0.5 * inflow * inflow;
            if length == 0.0 || head <= 0.0 {
                continue;
            }
            let size = weight * head * length * time_step / (spacing * spacing);
            let impulse = (normal * -size).as_dvec2();
            impulses.push(GapImpulse { collider: self.index, other, point, impulse });
        }
        weight
    }
}

impl Gaps {
    /// Adds the impulses of the liquid in narrow gaps to the loads on bodies that are lighter than the liquid. Together
    /// with the impulse of the particles, they do not exceed the buoyancy of the whole body.
    pub(crate) fn apply_pressure(&mut self, inputs: GapInputs, solids: &mut Solids) {
        let GapInputs { bodies: table, coefficients, .. } = inputs;
        let BodyCoefficients { time_step, gravity, .. } = coefficients;
        if table.colliders.is_empty() || gravity == Vec2::ZERO {
            return;
        }
        let present = inputs.classes.members(inputs.particles.present_classes());
        let max_weight = present.map(weight_of).fold(0.0, f32::max);
        self.measure_bodies(inputs, solids);
        self.chunk_bounds.clear();
        self.impulses.clear();
        for (collider, body) in &table.colliders {
            if self.bodies[*body].is_light(max_weight) {
                let weight = self.find_impulses(inputs, solids, *collider, *body);
                let body = &mut self.bodies[*body];
                body.weight = body.weight.max(weight);
            }
        }
        let Self { bodies, impulses, .. } = self;
        for GapImpulse { collider, other, impulse, .. } in &*impulses {
            if let Some(body) = table.body_of(*collider) {
                bodies[body].by_gaps += *impulse;
            }
            if let Some(body) = other.and_then(|other| table.body_of(other)) {
                bodies[body].by_liquid -= *impulse;
            }
        }
        let per_area = gravity * -time_step;
        bodies.iter_mut().for_each(|body| body.limit(per_area));
        for GapImpulse { collider, other, point, impulse } in &*impulses {
            let share = table.body_of(*collider).map_or(0.0, |body| bodies[body].share);
            for (side, sign) in [(Some(*collider), share), (*other, -share)] {
                let Some(record) = side.map(|index| &mut solids.colliders[index]) else { continue };
                if record.bears_load_now() {
                    let lever = (*point - record.centre()).as_dvec2();
                    let impulse = *impulse * sign;
                    record.add_impulse(impulse, lever.perp_dot(impulse));
                }
            }
        }
    }

    /// Measures the masses, the areas and the loads of all bodies.
    fn measure_bodies(&mut self, inputs: GapInputs, solids: &Solids) {
        let GapInputs { bodies: table, coefficients, .. } = inputs;
        let BodyCoefficients { gravity, particle_spacing: spacing, .. } = coefficients;
        let Self { bodies, .. } = self;
        let vertical = gravity.normalize();
        bodies.clear();
        bodies.extend(table.bodies.iter().map(|body| {
            let own = body.collider.and_then(|index| solids.colliders[index].options.body);
            let gravity_scale = own.map_or(1.0, |own| own.gravity_scale);
            LightBody::of_mass(gravity_scale / body.inverse_mass.dot(vertical * vertical))
        }));
        for (index, body) in &table.colliders {
            let record = &solids.colliders[*index];
            let size = record.shape.bounds().half_size();
            let with_gap = size + Body::GAP * spacing;
            let area = record.shape.area() * (with_gap.x / size.x) * (with_gap.y / size.y);
            bodies[*body].area += area / (spacing * spacing);
            bodies[*body].by_liquid += record.substep_impulse();
        }
    }

    /// Appends the impulses of the liquid in the gaps of the collider `index` of a `body`. Returns the weight of the liquid,
    /// relative to the medium class.
    fn find_impulses(
        &mut self,
        inputs: GapInputs,
        solids: &Solids,
        index: usize,
        body: usize,
    ) -> f32 {
        let Self { chunk_bounds, neighbours, .. } = self;
        let spacing = inputs.coefficients.particle_spacing;
        let record = &solids.colliders[index];
        let bounds = record.pose.bounds(&record.shape);
        if record.options.inside_out || record.options.one_way || bounds == FluidBounds::ALL {
            return 0.0;
        }
        let reach = WIDEST_GAP * spacing;
        neighbours.clear();
        solids.boxes.visit(bounds.inflated(reach), |other| {
            let other = other as usize;
            let is_own = other == index || inputs.bodies.body_of(other) == Some(body);
            let record = &solids.colliders[other];
            if !is_own && !record.options.one_way && record.stopped_classes() == ClassFilter::ALL {
                neighbours.push(other);
            }
            false
        });
        neighbours.sort_unstable();
        let container = container_of(&solids.containers, record.centre())
            .filter(|container| container.may_touch(bounds, reach));
        if neighbours.is_empty() && container.is_none() {
            return 0.0;
        }
        if chunk_bounds.is_empty() {
            chunk_bounds.extend(inputs.particles.position.chunks(CHUNK).map(FluidBounds::of));
        }
        let up = -inputs.coefficients.gravity.normalize();
        let search = GapSearch {
            inputs,
            solids,
            index,
            record,
            container,
            neighbours,
            spacing,
            up,
            right: -up.perp(),
            chunk_bounds,
        };
        search.find_samples(&mut self.samples);
        if self.samples.is_empty() {
            return 0.0;
        }
        search.find_surroundings(&mut self.surroundings);
        let Surroundings { positions, particles, connection, .. } = &mut self.surroundings;
        if !particles.iter().any(|particle| particle.is_at_mouth) {
            return 0.0;
        }
        connection.find_roots(positions, LINK * spacing);
        let (samples, surroundings) = (&self.samples, &mut self.surroundings);
        search.find_impulses(samples, surroundings, &mut self.impulses)
    }
}

impl LightBody {
    fn of_mass(mass: f32) -> Self {
        Self {
            mass,
            area: 0.0,
            by_liquid: DVec2::ZERO,
            by_gaps: DVec2::ZERO,
            weight: 0.0,
            share: 0.0,
        }
    }

    /// Whether it floats in liquid of this weight, relative to the medium class.
    fn is_light(&self, weight: f32) -> bool {
        self.mass < weight * self.area
    }

    /// Computes the fraction of the impulse in gaps that, together with the impulse of the particles, does not exceed the
    /// buoyancy. `per_area` is the buoyancy of a square of the particle spacing of the medium class.
    fn limit(&mut self, per_area: Vec2) {
        let square = self.by_gaps.length_squared();
        if square > 0.0 && self.is_light(self.weight) {
            let buoyancy = (per_area * (self.weight * self.area)).as_dvec2();
            let missing = buoyancy.dot(self.by_gaps).max(0.0) - self.by_liquid.dot(self.by_gaps);
            self.share = (missing / square).clamp(0.0, MAX_SHARE);
        }
    }
}
