//! Measures of a liquid: layers, blobs, compression, energies and momenta. Measures of air: speeds and
//! amounts.

mod blobs;
mod outlines;

use std::fmt::{self, Display, Formatter};

use glam::{DVec2, Vec2};

use crate::air::{Air, AirChannel, AirReport};
use crate::observe::measure::blobs::{Neighbourhood, bottom_top_density, density_ratio};
use crate::{ClassId, DensityClass, FluidSolver, FluidWorld, Liquid};

pub use blobs::{Blob, DensityRatio, blobs};
pub use outlines::{Outline, OutlineSettings, outlines};

/// Heights of one class. Heights are measured from the origin, against the direction of gravity, or
/// upwards if there is no gravity.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ClassReport {
    /// Name of the class.
    pub name: String,
    /// Number of particles of the class.
    pub count: usize,
    /// Mean height, in world units.
    pub mean_height: f64,
    /// Height, in world units, below which a tenth of the particles of the class lie.
    pub p10: f64,
    /// Height, in world units, below which nine tenths of the particles of the class lie.
    pub p90: f64,
    /// Mean temperature, in degrees.
    pub mean_temperature: f64,
    /// Number of blobs of the class ([`blobs()`]).
    pub blobs: usize,
}

/// All measures of a liquid at one moment.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Report {
    /// Simulated time, in seconds.
    pub time: f64,
    /// Number of particles that are alive.
    pub particles: usize,
    /// Number of particles that are outside every container, or inside a collider, by more than a
    /// thousandth of the interaction radius. With [`FluidSolver::Classic`], the
    /// [`dead_zone`](crate::ClassicSettings::dead_zone) is added to this distance.
    pub escaped: usize,
    /// Total number of particles that were quarantined.
    pub quarantined: u64,
    /// Heights of each class.
    pub classes: Vec<ClassReport>,
    /// Mean over pairs of classes of the probability that a heavier particle lies below a lighter
    /// one: 0.5 if mixed, 1 if sorted. With fewer than two classes the value is 0.5, never NaN.
    pub layer_order: f64,
    /// Fraction of particles in a wrong layer. The right layer of a class follows from its weight.
    pub misplaced: f64,
    /// Mean over particles of the fraction of their neighbours, within the interaction radius, that
    /// are of the same class. The purity is a third for three classes mixed evenly, 1 for a single
    /// class or without neighbours, and 0 without particles.
    pub purity: f64,
    /// Mean thickness of the interfaces between neighbouring layers, in interaction radii.
    pub interface_thickness: f64,
    /// Root mean square speed, in world units/s.
    pub rms_speed: f64,
    /// Largest speed, in world units/s.
    pub max_speed: f64,
    /// Sum over particles of `m v`, mass times velocity in world units/s.
    pub momentum: [f64; 2],
    /// Sum over particles of `m |v|`, mass times speed: the reference for errors of the momentum.
    pub momentum_scale: f64,
    /// Sum over particles of `m x cross v`: mass times position cross velocity, about the origin.
    pub angular_momentum: f64,
    /// Sum over particles of `m v^2 / 2`, with the mass `m` and the speed `v` in world units/s.
    pub kinetic_energy: f64,
    /// Sum over particles of `m g` times height: mass times gravity times height in world units.
    pub potential_energy: f64,
    /// Densities relative to the density at rest.
    pub density_ratio: DensityRatio,
    /// Density ratio at 1 to 2 interaction radii above the bottom, divided by the density ratio at
    /// 1.5 to 2.5 interaction radii below the surface. The value is 1 if the liquid is too shallow
    /// for both ranges.
    pub bottom_top_density: f64,
    /// Mean number of neighbours of a particle, within the interaction radius.
    pub mean_neighbours: f64,
    /// Smallest distance between two particles, in interaction radii; 1 if no two particles are
    /// neighbours.
    pub least_spacing: f64,
    /// Number of springs.
    pub springs: usize,
    /// `4 pi area / perimeter^2` of the outline: 1 for a circle, 0 if there is no outline.
    pub roundness: f64,
    /// Number of blobs of the liquid, single particles included ([`blobs()`]).
    pub blobs: usize,
    /// The blob with the most particles.
    pub largest_blob: Blob,
    /// Largest x of a particle with at least four neighbours, in world units.
    pub front_x: f64,
    /// Largest height, in world units.
    pub max_height: f64,
    /// Mass-weighted mean position, in world units.
    pub centre_of_mass: [f64; 2],
    /// Number of substeps of the last tick.
    pub substeps: u32,
    /// Magnitude of gravity, in world units/s².
    pub gravity: f64,
    /// [`Liquid::state_hash`] in hexadecimal.
    pub state_hash: String,
}

/// Measures a liquid.
///
/// ```
/// use blob_fluid::{ClassId, FluidWorld, ParticleSpawn, measure::measure};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// for (y, class) in [(0.0, ClassId::HEAVY), (50.0, ClassId::LIGHT)] {
///     world.spawn(ParticleSpawn { position: Vec2::new(0.0, y), class, ..Default::default() })?;
/// }
/// assert_eq!(measure(&world).layer_order, 1.0);
/// # Ok::<(), blob_fluid::SpawnError>(())
/// ```
pub fn measure(world: &Liquid) -> Report {
    let particles = world.particles();
    let masses: Vec<f64> =
        particles.class.iter().map(|class| f64::from(world.classes()[*class].mass)).collect();
    let heights = heights(world);
    let mut momentum = DVec2::ZERO;
    let mut centre = DVec2::ZERO;
    let (mut scale, mut angular, mut potential) = (0.0, 0.0, 0.0);
    let (mut total_mass, mut squares, mut max_speed) = (0.0, 0.0, 0.0_f64);
    let gravity = f64::from(world.parameters().gravity.length());
    for index in 0..particles.len() {
        let (mass, velocity) = (masses[index], particles.velocity[index].as_dvec2());
        let position = particles.position[index].as_dvec2();
        momentum += mass * velocity;
        centre += mass * position;
        scale += mass * velocity.length();
        angular += mass * position.perp_dot(velocity);
        let pull = f64::from(world.classes()[particles.class[index]].gravity_scale);
        potential += mass * pull * gravity * heights[index];
        total_mass += mass;
        squares += velocity.length_squared();
        max_speed = max_speed.max(velocity.length());
    }
    let count = particles.len().max(1) as f64;
    let centre = if total_mass > 0.0 { centre / total_mass } else { centre };
    let neighbourhood = Neighbourhood::of(world);
    let ratios = neighbourhood.density_ratios(world);
    let blobs = blobs(world, None);
    let front = (0..particles.len()).filter(|index| neighbourhood.neighbours[*index] >= 4);
    let front = front.map(|index| f64::from(particles.position[index].x));
    Report {
        time: world.time(),
        particles: particles.len(),
        escaped: escaped(world),
        quarantined: world.quarantined(),
        classes: class_reports(world, &heights),
        layer_order: layer_order_of(world, &heights),
        misplaced: misplaced(world, &heights),
        purity: neighbourhood.purity,
        interface_thickness: interface_thickness(world, &heights),
        rms_speed: (squares / count).sqrt(),
        max_speed,
        momentum: momentum.to_array(),
        momentum_scale: scale,
        angular_momentum: angular,
        kinetic_energy: kinetic_energy(world),
        potential_energy: potential,
        density_ratio: density_ratio(&ratios),
        bottom_top_density: bottom_top_density(world, &ratios, &heights),
        mean_neighbours: neighbourhood.neighbours.iter().fold(0.0, |sum, n| sum + f64::from(*n))
            / count,
        least_spacing: neighbourhood.min_distance
            / f64::from(world.parameters().interaction_radius()),
        springs: world.springs().len(),
        roundness: blobs::roundness(world),
        blobs: blobs.len(),
        largest_blob: blobs.first().copied().unwrap_or_default(),
        front_x: or_zero(front.fold(f64::NEG_INFINITY, f64::max)),
        max_height: or_zero(heights.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        centre_of_mass: centre.to_array(),
        substeps: world.substeps(),
        gravity,
        state_hash: format!("{:016x}", world.state_hash()),
    }
}

/// Measures only [`Report::kinetic_energy`] and [`Report::potential_energy`], fast enough for every
/// frame.
///
/// ```
/// use blob_fluid::{FluidWorld, ParticleSpawn, measure::energies};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// let velocity = Vec2::new(3.0, 4.0);
/// world.spawn(ParticleSpawn { velocity, ..Default::default() })?;
/// assert_eq!(energies(&world), [12.5, 0.0]);
/// # Ok::<(), blob_fluid::SpawnError>(())
/// ```
pub fn energies(world: &Liquid) -> [f64; 2] {
    let particles = world.particles();
    let gravity = f64::from(world.parameters().gravity.length());
    let up = (-world.parameters().gravity.as_dvec2()).normalize_or_zero();
    let (mut kinetic, mut potential) = (0.0, 0.0);
    for index in 0..particles.len() {
        let class = &world.classes()[particles.class[index]];
        let mass = f64::from(class.mass);
        kinetic += 0.5 * mass * particles.velocity[index].as_dvec2().length_squared();
        let height = up.dot(particles.position[index].as_dvec2());
        potential += mass * f64::from(class.gravity_scale) * gravity * height;
    }
    [kinetic, potential]
}

/// Measures only [`Report::layer_order`], fast enough for every frame.
pub fn layer_order(world: &Liquid) -> f64 {
    layer_order_of(world, &heights(world))
}

/// Measures only [`Report::kinetic_energy`], fast enough for every frame.
pub fn kinetic_energy(world: &Liquid) -> f64 {
    let particles = world.particles();
    let each = particles.velocity.iter().zip(&particles.class).map(|(velocity, class)| {
        0.5 * f64::from(world.classes()[*class].mass) * velocity.as_dvec2().length_squared()
    });
    each.fold(0.0, |sum, energy| sum + energy)
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "t = {:.2} s: {} particles, {} escaped, {} quarantined",
            self.time, self.particles, self.escaped, self.quarantined
        )?;
        writeln!(f, "  layer     count   mean height       p10       p90")?;
        let mut classes: Vec<_> = self.classes.iter().filter(|class| class.count > 0).collect();
        classes.sort_by(|a, b| b.mean_height.total_cmp(&a.mean_height));
        for class in classes {
            let (mean, p10, p90) = (class.mean_height, class.p10, class.p90);
            writeln!(
                f,
                "  {:<8} {:>6} {mean:>13.2} {p10:>9.2} {p90:>9.2}",
                class.name, class.count
            )?;
        }
        writeln!(
            f,
            "  layer order {:.3} (0.5 mixed, 1 sorted), misplaced {:.1} %, purity {:.2}, interfaces \
             {:.2} h thick",
            self.layer_order,
            100.0 * self.misplaced,
            self.purity,
            self.interface_thickness
        )?;
        writeln!(
            f,
            "  speed {:.3} rms, {:.2} max; density {:.3} mean, {:.3} p99, {:.3} max, {:.3} bottom/top",
            self.rms_speed,
            self.max_speed,
            self.density_ratio.mean,
            self.density_ratio.p99,
            self.density_ratio.max,
            self.bottom_top_density
        )?;
        write!(
            f,
            "  {:.1} neighbours, {} substeps, {} blobs, roundness {:.4}, state {}",
            self.mean_neighbours, self.substeps, self.blobs, self.roundness, self.state_hash
        )
    }
}

fn or_zero(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

/// Heights of all particles, against gravity, or upwards if there is no gravity.
fn heights(world: &Liquid) -> Vec<f64> {
    let up = (-world.parameters().gravity.as_dvec2()).try_normalize().unwrap_or(DVec2::Y);
    world.particles().position.iter().map(|position| position.as_dvec2().dot(up)).collect()
}

fn escaped(world: &Liquid) -> usize {
    let parameters = world.parameters();
    let tolerated = match parameters.solver {
        FluidSolver::Classic => parameters.classic.dead_zone * parameters.particle_spacing,
        _ => 0.0,
    };
    let slack = tolerated + 1e-3 * world.parameters().interaction_radius();
    let containers = world.containers();
    let outside = |position: &&Vec2| {
        containers.len() > 0
            && containers.clone().all(|(_, container)| container.depth(**position) < -slack)
            || world.colliders().any(|(_, collider)| collider.distance(**position) < -slack)
    };
    world.particles().position.iter().filter(outside).count()
}

/// Heights of each class, sorted.
fn heights_by_class(world: &Liquid, heights: &[f64]) -> Vec<Vec<f64>> {
    let mut sorted = vec![Vec::new(); world.classes().len()];
    for (height, class) in heights.iter().zip(&world.particles().class) {
        sorted[class.index()].push(*height);
    }
    for heights in &mut sorted {
        heights.sort_unstable_by(f64::total_cmp);
    }
    sorted
}

fn class_reports(world: &Liquid, heights: &[f64]) -> Vec<ClassReport> {
    let sorted = heights_by_class(world, heights);
    let mut heat = vec![0.0; world.classes().len()];
    for (temperature, class) in world.particles().temperature.iter().zip(&world.particles().class) {
        heat[class.index()] += f64::from(*temperature);
    }
    let report = |(index, class): (usize, &DensityClass)| {
        let heights = &sorted[index];
        let count = heights.len();
        let at = |part: f64| {
            let last = count.saturating_sub(1) as f64;
            heights.get((part * last).round() as usize).copied().unwrap_or(0.0)
        };
        ClassReport {
            name: class.name.clone(),
            count,
            mean_height: heights.iter().fold(0.0, |sum, height| sum + height) / count.max(1) as f64,
            p10: at(0.1),
            p90: at(0.9),
            mean_temperature: heat[index] / count.max(1) as f64,
            blobs: if count == 0 { 0 } else { blobs(world, Some(ClassId(index as u8))).len() },
        }
    };
    world.classes().iter().enumerate().map(report).collect()
}

/// The classes that are present, from the class that belongs lowest to the class that belongs
/// highest.
fn classes_by_weight(world: &Liquid, heights: &[f64]) -> Vec<(ClassId, usize)> {
    let weight = |class: ClassId| {
        let class = &world.classes()[class];
        class.mass * class.gravity_scale * class.relative_rest_density
    };
    let counts = heights_by_class(world, heights);
    let mut present: Vec<(ClassId, usize)> = counts
        .iter()
        .enumerate()
        .filter(|(_, heights)| !heights.is_empty())
        .map(|(index, heights)| (ClassId(index as u8), heights.len()))
        .collect();
    present.sort_by(|a, b| weight(b.0).total_cmp(&weight(a.0)));
    present
}

fn layer_order_of(world: &Liquid, heights: &[f64]) -> f64 {
    let sorted = heights_by_class(world, heights);
    let present = classes_by_weight(world, heights);
    let (mut total, mut pairs) = (0.0, 0.0);
    for (rank, (heavier, _)) in present.iter().enumerate() {
        for (lighter, _) in &present[rank + 1..] {
            let above = &sorted[lighter.index()];
            let below = &sorted[heavier.index()];
            let lower: usize =
                below.iter().map(|h| above.len() - above.partition_point(|a| a <= h)).sum();
            total += lower as f64 / (above.len() as f64 * below.len() as f64);
            pairs += 1.0;
        }
    }
    if pairs > 0.0 { total / pairs } else { 0.5 }
}

fn misplaced(world: &Liquid, heights: &[f64]) -> f64 {
    let mut ranked: Vec<usize> = (0..heights.len()).collect();
    ranked.sort_unstable_by(|a, b| heights[*a].total_cmp(&heights[*b]));
    let wanted = classes_by_weight(world, heights)
        .into_iter()
        .flat_map(|(class, count)| std::iter::repeat_n(class, count));
    let classes = &world.particles().class;
    let wrong = ranked.iter().zip(wanted).filter(|(index, wanted)| classes[**index] != *wanted);
    wrong.count() as f64 / heights.len().max(1) as f64
}

/// Mean over interfaces of `6 integral phi (1 - phi) dy`, where `phi` is the fraction of the
/// particles at a height that belong below the interface.
fn interface_thickness(world: &Liquid, heights: &[f64]) -> f64 {
    let present = classes_by_weight(world, heights);
    if present.len() < 2 {
        return 0.0;
    }
    let radius = f64::from(world.parameters().interaction_radius());
    let bin = 0.25 * radius;
    let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Limits the number of bins: single stray particles would need too many.
    let bins = (((high - low) / bin) as usize + 1).min(100_000);
    let mut total = 0.0;
    for (rank, _) in present.iter().enumerate().skip(1) {
        let below = &present[..rank];
        let mut counts = vec![(0.0_f64, 0.0_f64); bins];
        for (height, class) in heights.iter().zip(&world.particles().class) {
            let index = (((height - low) / bin) as usize).min(bins - 1);
            counts[index].0 += 1.0;
            if below.iter().any(|(lower, _)| lower == class) {
                counts[index].1 += 1.0;
            }
        }
        for (all, lower) in counts {
            if all > 3.0 {
                let part = lower / all;
                total += part * (1.0 - part);
            }
        }
    }
    6.0 * bin * total / (present.len() - 1) as f64 / radius
}

// Measures of air.

/// All measures of air at one moment.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MeasuredAir {
    /// Number of columns of cells.
    pub columns: usize,
    /// Number of rows of cells.
    pub rows: usize,
    /// Number of cells.
    pub cells: usize,
    /// Number of sources.
    pub sources: usize,
    /// Largest velocity across a face, in world units/s.
    pub max_speed: f64,
    /// Largest divergence of a cell after the last step, in 1/s.
    pub divergence: f64,
    /// Divergence after the last projection, divided by the divergence before it.
    pub residual: f64,
    /// Number of iterations of the last [projection](crate::air::AirProjection).
    pub iterations: u32,
    /// Mean divergence that the last projection could not remove, in 1/s, because inflow and outflow
    /// differ in a part of the air without an opening.
    pub blocked_inflow: f64,
    /// Amount of smoke, in square world units: concentration times area.
    pub smoke: f64,
    /// Amount of heat, in square world units.
    pub heat: f64,
    /// Amount of fuel, in square world units.
    pub fuel: f64,
    /// Amount of vapour, in square world units.
    pub vapour: f64,
    /// [`Air::state_hash`] in hexadecimal.
    pub state_hash: String,
}

/// Measures all air of a world, in the order in which it was inserted.
///
/// ```
/// use blob_fluid::air::{Air, AirSettings, AirSides};
/// use blob_fluid::{FluidBounds, FluidWorld, measure::measure_airs};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// let room = FluidBounds { low: Vec2::ZERO, high: Vec2::new(40.0, 20.0) };
/// world.insert_air(Air::new(room, 2.0, AirSettings::default(), AirSides::default())?);
/// let [air] = &measure_airs(&world)[..] else { panic!("one") };
/// assert_eq!((air.cells, air.max_speed, air.smoke), (200, 0.0, 0.0));
/// # Ok::<(), blob_fluid::air::AirError>(())
/// ```
pub fn measure_airs(world: &FluidWorld) -> Vec<MeasuredAir> {
    world.airs_with_reports().map(|(air, report)| measured(air, report)).collect()
}

fn measured(air: &Air, report: AirReport) -> MeasuredAir {
    let AirReport { iterations, residual, divergence, blocked_inflow, .. } = report;
    let faces = air.velocities_x().iter().chain(air.velocities_y());
    MeasuredAir {
        columns: air.columns(),
        rows: air.rows(),
        cells: air.columns() * air.rows(),
        sources: air.sources().len(),
        max_speed: f64::from(faces.fold(0.0_f32, |most, speed| most.max(speed.abs()))),
        divergence: divergence.into(),
        residual: residual.into(),
        iterations,
        blocked_inflow: blocked_inflow.into(),
        smoke: air.amount(AirChannel::Smoke),
        heat: air.amount(AirChannel::Heat),
        fuel: air.amount(AirChannel::Fuel),
        vapour: air.amount(AirChannel::Vapour),
        state_hash: format!("{:016x}", air.state_hash()),
    }
}

impl Display for MeasuredAir {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  air of {} x {} cells: speed {:.2} max, divergence {:.1e} max after {} iterations, \
             residual {:.1e}",
            self.columns,
            self.rows,
            self.max_speed,
            self.divergence,
            self.iterations,
            self.residual
        )?;
        write!(
            f,
            "    smoke {:.1}, heat {:.1}, fuel {:.1}, vapour {:.1}, state {}",
            self.smoke, self.heat, self.fuel, self.vapour, self.state_hash
        )
    }
}
