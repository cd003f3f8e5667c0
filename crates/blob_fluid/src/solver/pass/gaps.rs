//! The pressure of liquid in gaps between a body and another solid that are too narrow for particles.
//!
//! Liquid seeps below a crate on a floor, and between two crates that touch. Particles cannot, so they only press the
//! crate against the floor. This file adds the pressure in such gaps to the load on the body: the hydrostatic pressure
//! below the level of the liquid around the body.

use glam::{DVec2, Vec2};

use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::container::container_of;
use crate::boundary::solids::Solids;
use crate::geometry::shape::Nearest;
use crate::observe::inspect::{Connection, LINK};
use crate::parallel::executor::CHUNK;
use crate::solver::pass::bodies::BodyCoefficients;
use crate::solver::substeps::Columns;
use crate::{Body, ClassTable, Container, DensityClass, FluidBounds, Particles};

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

/// Distance from a body, in particle spacings, within which particles show the level of the liquid around the body.
const SURROUNDINGS: f32 = 2.0;

/// Distances, in particle spacings, between a particle and the edge of a body at which the particle presses on that part of
/// the edge fully, and not at all.
const PRESSED: f32 = 0.5;
const UNPRESSED: f32 = 1.0;

/// Largest cosine between the normals of the two sides of a gap.
const FACING: f32 = -0.5;

/// Distance between the samples of an edge, in particle spacings.
const SAMPLE_DISTANCE: f32 = 0.5;

/// Largest number of samples along each side of the box around a body.
const MAX_SAMPLES: f32 = 128.0;

/// The pressure in the gaps of bodies in a substep, and the buffers to find it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gaps {
    bodies: Vec<LightBody>,
    /// The colliders of the bodies, sorted by index, each with the index of its body.
    colliders: Vec<(usize, usize)>,
    /// For each host body, the index of its body.
    hosts: Vec<Option<usize>>,
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
    pub columns: &'a Columns,
    pub coefficients: BodyCoefficients,
}

/// A body that may be lighter than the liquid that it displaces.
#[derive(Clone, Copy, Debug)]
struct LightBody {
    /// Its mass, infinite if it cannot rise, relative to the mass of liquid per square of the particle spacing.
    mass: f32,
    /// Area of its colliders and of the gap around them, in squares of the particle spacing.
    area: f32,
    /// Impulse of the particles in this substep.
    by_particles: DVec2,
    /// Impulse of the liquid in gaps.
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
}

/// The particles of liquid near a collider.
#[derive(Clone, Debug, Default)]
struct Surroundings {
    positions: Vec<Vec2>,
    particles: Vec<Surrounding>,
    connection: Connection,
    /// For each connected component, whether it reaches the mouth of a gap.
    reaches_mouth: Vec<bool>,
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
}

/// Weight of the liquid of a class, relative to the medium class; 0 for classes that do not seep into gaps.
fn weight_of(class: &DensityClass) -> f32 {
    let seeps = class.powder.is_none() && class.elasticity.is_none();
    if seeps { (class.mass * class.gravity_scale).max(0.0) } else { 0.0 }
}

impl GapSearch<'_> {
    /// Distance and collider of the nearest wall of another solid within `reach` of a point whose normal `accepts`
    /// accepts.
    fn other_side(
        &self,
        point: Vec2,
        reach: f32,
        accepts: impl Fn(Vec2) -> bool,
    ) -> Option<(f32, Option<usize>)> {
        let mut nearest = None;
        let mut least = reach;
        let mut consider = |distance: f32, normal: Vec2, collider: Option<usize>| {
            if distance < least && accepts(normal) {
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
                let Some(Nearest { normal, distance }) = record.shape.nearest(cell, step) else {
                    continue;
                };
                if distance <= -step {
                    continue;
                }
                let point = record.pose.to_world(cell - normal * distance);
                let normal = record.pose.to_world_direction(normal);
                let faces = |other: Vec2| other.dot(normal) < FACING;
                if let Some((width, other)) = self.other_side(point, reach, faces) {
                    let length = step - distance.abs();
                    samples.push(Sample { point, normal, length, width, other });
                }
            }
        }
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
    fn find_surroundings(&self, chunk_bounds: &[FluidBounds], found: &mut Surroundings) {
        let GapInputs { particles, classes, .. } = self.inputs;
        found.positions.clear();
        found.particles.clear();
        let reach = SURROUNDINGS * self.spacing;
        let bounds = self.record.pose.bounds(&self.record.shape).inflated(reach);
        let is_near = |chunk: &(usize, &FluidBounds)| chunk.1.intersects(bounds);
        for (chunk, _) in chunk_bounds.iter().enumerate().filter(is_near) {
            let start = chunk * CHUNK;
            for index in start..particles.len().min(start + CHUNK) {
                let (position, class) = (particles.position[index], particles.class[index]);
                let weight = weight_of(&classes[class]);
                if !bounds.contains(position) || weight == 0.0 || !self.record.stops(class) {
                    continue;
                }
                let wall = self.record.query_wall(position, reach, f32::INFINITY).wall();
                let Some(wall) = wall else { continue };
                let touches = wall.distance < TOUCHING * self.spacing;
                let mouth = MOUTH * self.spacing;
                let is_at_mouth = touches && self.other_side(position, mouth, |_| true).is_some();
                found.positions.push(position);
                found.particles.push(Surrounding { weight, touches, is_at_mouth });
            }
        }
    }

    /// Appends the impulses of the liquid in the gaps of the collider. Returns the weight of the liquid, relative to the
    /// medium class.
    fn find_impulses(
        &self,
        samples: &[Sample],
        surroundings: &mut Surroundings,
        is_on_light_body: impl Fn(usize) -> bool,
        impulses: &mut Vec<GapImpulse>,
    ) -> f32 {
        let GapInputs { columns, coefficients, .. } = self.inputs;
        let BodyCoefficients { time_step, gravity, particle_spacing: spacing, .. } = coefficients;
        let strength = gravity.length();
        let height_of = |point: Vec2| (self.record.centre() - point).dot(gravity) / strength;
        let Surroundings { positions, particles, connection, reaches_mouth } = surroundings;
        if !particles.iter().any(|particle| particle.is_at_mouth) {
            return 0.0;
        }
        // The first particle of a component stands for it.
        let components = connection.of(positions, LINK * spacing);
        reaches_mouth.clear();
        reaches_mouth.resize(components.len(), false);
        for (component, particle) in components.iter().zip(&*particles) {
            reaches_mouth[*component as usize] |= particle.is_at_mouth;
        }
        let connected = (0..positions.len()).filter(|it| reaches_mouth[components[*it] as usize]);
        let by_height = |one: &usize, other: &usize| {
            height_of(positions[*one]).total_cmp(&height_of(positions[*other]))
        };
        let Some(highest) = connected.max_by(by_height) else { return 0.0 };
        let is_connected = |particle: usize| components[particle] == components[highest];
        let level = height_of(positions[highest])
            + columns.liquid_above(positions[highest], LINK * spacing)
            + 0.5 * spacing;
        let weights = (0..positions.len()).filter(|it| is_connected(*it));
        let weights = weights.map(|particle| particles[particle].weight);
        let (sum, count) = weights.fold((0.0, 0.0), |(sum, count), it| (sum + it, count + 1.0));
        let weight: f32 = sum / count;
        for sample in samples {
            let Sample { point, normal, length, width, other } = *sample;
            let (mut nearest, mut nearest_mouth) = (f32::INFINITY, f32::INFINITY);
            for particle in (0..positions.len()).filter(|it| particles[*it].touches) {
                let distance = positions[particle].distance_squared(point);
                nearest = nearest.min(distance);
                if particles[particle].is_at_mouth && is_connected(particle) {
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
            let head = strength * (level - height_of(point)) - 0.5 * inflow * inflow;
            if length == 0.0 || head <= 0.0 {
                continue;
            }
            // The search from the other side of a gap between two bodies finds the same gap.
            let share = if other.is_some_and(&is_on_light_body) { 0.5 } else { 1.0 };
            let size = share * weight * head * length * time_step / (spacing * spacing);
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
        let BodyCoefficients { time_step, gravity, .. } = inputs.coefficients;
        if !solids.any_bears_load() || gravity == Vec2::ZERO {
            return;
        }
        let present = inputs.classes.members(inputs.particles.present_classes());
        let max_weight = present.map(weight_of).fold(0.0, f32::max);
        self.find_bodies(solids, &inputs.coefficients);
        self.chunk_bounds.clear();
        self.impulses.clear();
        for entry in 0..self.colliders.len() {
            let body = self.colliders[entry].1;
            if self.bodies[body].is_light(max_weight) {
                let weight = self.find_impulses(inputs, solids, entry, max_weight);
                self.bodies[body].weight = self.bodies[body].weight.max(weight);
            }
        }
        let Self { bodies, colliders, impulses, .. } = self;
        let body_of = |collider: usize| body_of(colliders, collider);
        for GapImpulse { collider, other, impulse, .. } in &*impulses {
            for (side, sign) in [(Some(*collider), 1.0), (*other, -1.0)] {
                if let Some(body) = side.and_then(body_of) {
                    bodies[body].by_gaps += *impulse * sign;
                }
            }
        }
        let per_area = gravity * -time_step;
        bodies.iter_mut().for_each(|body| body.limit(per_area));
        for GapImpulse { collider, other, point, impulse } in &*impulses {
            let share_of = |collider| body_of(collider).map_or(1.0, |body| bodies[body].share);
            let share = share_of(*collider).min(other.map_or(1.0, share_of));
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

    /// Finds all bodies that may be light, and their colliders.
    fn find_bodies(&mut self, solids: &Solids, coefficients: &BodyCoefficients) {
        let BodyCoefficients { gravity, particle_spacing: spacing, .. } = *coefficients;
        let Self { bodies, colliders, hosts, .. } = self;
        bodies.clear();
        colliders.clear();
        hosts.clear();
        hosts.resize(solids.host_bodies.len(), None);
        let up = gravity.normalize().powf(2.0);
        for index in solids.boxes.movers() {
            let record = &solids.colliders[index];
            let host = record.options.attachment.as_ref();
            let host = host.and_then(|attachment| solids.host_bodies.index_of(attachment.body));
            let mass = match (host, record.options.body.filter(|_| record.is_awake_body())) {
                (Some(host), _) => 1.0 / solids.host_bodies[host].body.inverse_mass.dot(up),
                (None, Some(body)) => body.gravity_scale / body.inverse_mass(),
                (None, None) => continue,
            };
            let known = host.and_then(|host| hosts[host]);
            let body = known.unwrap_or_else(|| {
                bodies.push(LightBody::of_mass(mass));
                bodies.len() - 1
            });
            if let Some(host) = host {
                hosts[host] = Some(body);
            }
            colliders.push((index, body));
            let size = record.shape.bounds().half_size();
            let with_gap = size + Body::GAP * spacing;
            let area = record.shape.area() * (with_gap.x / size.x) * (with_gap.y / size.y);
            bodies[body].area += area / (spacing * spacing);
            bodies[body].by_particles += record.substep_impulse();
        }
    }

    /// Appends the impulses of the liquid in the gaps of a collider, which is an `entry` of `colliders`. Returns the weight
    /// of the liquid, relative to the medium class.
    fn find_impulses(
        &mut self,
        inputs: GapInputs,
        solids: &Solids,
        entry: usize,
        max_weight: f32,
    ) -> f32 {
        let Self { bodies, colliders, chunk_bounds, neighbours, .. } = self;
        let (index, body) = colliders[entry];
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
            let is_own = other == index || body_of(colliders, other) == Some(body);
            if !is_own && !solids.colliders[other].options.one_way {
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
        let search = GapSearch { inputs, solids, index, record, container, neighbours, spacing };
        search.find_samples(&mut self.samples);
        if self.samples.is_empty() {
            return 0.0;
        }
        if chunk_bounds.is_empty() {
            chunk_bounds.extend(inputs.particles.position.chunks(CHUNK).map(FluidBounds::of));
        }
        search.find_surroundings(chunk_bounds, &mut self.surroundings);
        let is_on_light_body = |other: usize| {
            body_of(colliders, other).is_some_and(|other| bodies[other].is_light(max_weight))
        };
        let (samples, surroundings) = (&self.samples, &mut self.surroundings);
        search.find_impulses(samples, surroundings, is_on_light_body, &mut self.impulses)
    }
}

/// The index of the body to which a collider belongs.
fn body_of(colliders: &[(usize, usize)], collider: usize) -> Option<usize> {
    let entry = colliders.binary_search_by_key(&collider, |(index, _)| *index).ok()?;
    Some(colliders[entry].1)
}

impl LightBody {
    fn of_mass(mass: f32) -> Self {
        Self {
            mass,
            area: 0.0,
            by_particles: DVec2::ZERO,
            by_gaps: DVec2::ZERO,
            weight: 0.0,
            share: 1.0,
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
        if square > 0.0 {
            let buoyancy = (per_area * (self.weight * self.area)).as_dvec2();
            let missing = buoyancy.dot(self.by_gaps).max(0.0) - self.by_particles.dot(self.by_gaps);
            self.share = (missing / square).clamp(0.0, 1.0);
        }
    }
}
