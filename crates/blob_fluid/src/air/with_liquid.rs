//! The interaction of air and liquid: liquid displaces air, wind drags on liquid, and the pressure
//! of the air pushes it.
//!
//! Air and liquid exchange momentum on the faces of the grid, where each has a velocity, a mass and
//! a share. One receives the momentum that the other loses, so the sum is conserved within rounding.

use glam::Vec2;

use crate::air::bodies::WAKES;
use crate::air::grid::{Grid, LEAST_RATIO};
use crate::air::solids::passage;
use crate::air::sources::LARGEST_AMOUNT;
use crate::air::{Air, AirChannel};
use crate::liquid::state::heat_moved;
use crate::parallel::executor::{ChunkLists, LONG_CHUNK};
use crate::particles::arrays::Activity;
use crate::{Executor, Liquid, Particles};

/// The share of a face above which its liquid lets no air through: particles never fill all of it.
const FULL_FACE: f32 = 0.7;

/// The largest change of a particle's velocity in a step, in V0.
const MOST_SPEED_UNITS: f32 = 10.0;

/// A drag this many times stronger gives both the same velocity, within rounding; a stronger drag would
/// overflow.
const MOST_RATE: f32 = 1e9;

/// Bounds the change at a face, far beyond [`MOST_SPEED_UNITS`] of the fastest speed unit, so its square is finite.
const FINITE: f32 = 1e17;

/// Number of parts that the rows of faces are divided into. Each looks at all particles.
const BANDS: usize = 8;

/// The liquid around a face, summed over its particles.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
struct OnFace {
    /// Its area, in cells.
    area: f32,
    /// Its mass, its mass that the wind reaches, and its momentum across the face, per area of a cell.
    mass: f32,
    exposed: f32,
    momentum: f32,
}

impl OnFace {
    fn plus(self, other: Self) -> Self {
        Self {
            area: self.area + other.area,
            mass: self.mass + other.mass,
            exposed: self.exposed + other.exposed,
            momentum: self.momentum + other.momentum,
        }
    }
}

/// Changes that a face passes on to the liquid around it.
#[derive(Clone, Copy, Debug, Default)]
struct Given {
    /// The change of velocity by drag of liquid that the wind reaches.
    dragged: f32,
    /// The momentum by pressure, per area of liquid.
    pushed: f32,
}

/// The liquid on the faces along one axis: one item for each face.
#[derive(Clone, Debug, Default)]
struct OnFaces {
    liquid: Vec<OnFace>,
    given: Vec<Given>,
}

/// Values that the exchange derives from liquid and air. It can be thrown away between two steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exchange {
    x: OnFaces,
    y: OnFaces,
    /// Places of sleeping particles that wake.
    woken: ChunkLists<Vec2>,
}

/// Where the faces across one axis are.
#[derive(Clone, Copy)]
struct Faces {
    columns: usize,
    rows: usize,
    /// The first one, in cells.
    first: Vec2,
}

impl Faces {
    /// The vertical faces of a grid.
    fn across_x(grid: &Grid) -> Self {
        Self { columns: grid.columns + 1, rows: grid.rows, first: Vec2::new(0.0, 0.5) }
    }

    /// The horizontal faces of a grid.
    fn across_y(grid: &Grid) -> Self {
        Self { columns: grid.columns, rows: grid.rows + 1, first: Vec2::new(0.5, 0.0) }
    }

    fn count(self) -> usize {
        self.columns * self.rows
    }

    /// The faces around a place inside the grid, in cells. A place half a cell outside of the faces belongs to the
    /// nearest ones.
    #[inline]
    fn around(self, place: Vec2) -> Around {
        let Self { columns, rows, first } = self;
        let most = Vec2::new((columns - 1) as f32, (rows - 1) as f32);
        let place = (place - first).clamp(Vec2::ZERO, most);
        // No grid has so many faces that this is too small, and the conversion is faster than to a `usize`.
        let (i, j) = (place.x as i32 as usize, place.y as i32 as usize);
        let (right, above) = ((i + 1).min(columns - 1), (j + 1).min(rows - 1));
        let part = place - Vec2::new(i as f32, j as f32);
        Around {
            indices: [
                j * columns + i,
                j * columns + right,
                above * columns + i,
                above * columns + right,
            ],
            weights: [
                (1.0 - part.x) * (1.0 - part.y),
                part.x * (1.0 - part.y),
                (1.0 - part.x) * part.y,
                part.x * part.y,
            ],
        }
    }
}

/// The four faces around a place, and how near each is: bilinear weights.
#[derive(Clone, Copy)]
struct Around {
    indices: [usize; 4],
    weights: [f32; 4],
}

impl Around {
    fn each(self) -> impl Iterator<Item = (usize, f32)> {
        self.indices.into_iter().zip(self.weights)
    }
}

/// A place of the world in cells; `None` outside the grid.
#[inline]
fn place_in(grid: &Grid, place: Vec2) -> Option<Vec2> {
    let place = grid.to_cells(place);
    let most = Vec2::new(grid.columns as f32, grid.rows as f32);
    (place.cmpge(Vec2::ZERO).all() && place.cmple(most).all()).then_some(place)
}

/// Properties of a class that the exchange reads.
#[derive(Clone, Copy)]
struct ClassInAir {
    mass: f32,
    /// The area of a particle, in world units².
    area: f32,
}

fn classes_in_air(liquid: &Liquid) -> Vec<ClassInAir> {
    let spacing = liquid.parameters.particle_spacing;
    let area = spacing * spacing;
    let classes = liquid.classes.iter();
    classes
        .map(|class| ClassInAir { mass: class.mass, area: area / class.relative_rest_density })
        .collect()
}

impl Exchange {
    /// Finds the liquid's shares and velocities on the faces, and exchanges momentum by drag.
    ///
    /// A particle in wind of the relative speed `u` is dragged like a cylinder, by the force
    /// `C/2 rho u^2 d`, as far as other particles do not shelter it.
    pub(crate) fn apply_drag(
        &mut self,
        air: &mut Air,
        liquid: &Liquid,
        time_step: f32,
        executor: &dyn Executor,
    ) {
        let grid = air.grid;
        let share = &mut air.liquid;
        let mut positions = liquid.particles.position.iter();
        if !positions.any(|position| place_in(&grid, *position).is_some()) {
            share.clear();
            return;
        }
        let Self { x, y, .. } = self;
        x.sum_up(&grid, Faces::across_x(&grid), liquid, |velocity| velocity.x, executor);
        y.sum_up(&grid, Faces::across_y(&grid), liquid, |velocity| velocity.y, executor);
        if air.sides.periodic_x() {
            let row = grid.columns + 1;
            x.join((0..grid.rows).map(|j| (j * row, j * row + grid.columns)));
        }
        if air.sides.periodic_y() {
            y.join((0..grid.columns).map(|i| (i, grid.rows * grid.columns + i)));
        }
        let spacing = liquid.parameters.particle_spacing;
        let density = air.settings.density;
        let drag = Drag {
            coefficient: air.settings.drag * std::f32::consts::FRAC_2_PI / spacing,
            density,
            time_step,
        };
        let open = &air.solids;
        let shown = [&mut share.ratio_x, &mut share.share_x, &mut share.velocity_x];
        x.meet_air(&open.open_x, &mut air.velocity_x, shown, &drag, executor);
        let shown = [&mut share.ratio_y, &mut share.share_y, &mut share.velocity_y];
        y.meet_air(&open.open_y, &mut air.velocity_y, shown, &drag, executor);
    }

    /// Gives the liquid the momentum of drag and projection on the faces: once, and only if
    /// the faces are those of [`apply_drag`](Self::apply_drag).
    pub(crate) fn push_liquid(&mut self, air: &Air, liquid: &mut Liquid, executor: &dyn Executor) {
        let share = &air.liquid;
        let Self { x, y, woken } = self;
        let faces = (x.given.len(), y.given.len());
        if !share.is_present() || faces != (share.share_x.len(), share.share_y.len()) {
            return;
        }
        let (grid, density, open) = (air.grid, air.settings.density, &air.solids);
        let shown = [&open.open_x, &share.share_x, &share.ratio_x, &share.velocity_x];
        x.push(density, shown, executor);
        let shown = [&open.open_y, &share.share_y, &share.ratio_y, &share.velocity_y];
        y.push(density, shown, executor);
        let classes = classes_in_air(liquid);
        let unit = liquid.parameters.speed_unit();
        let (across_x, across_y) = (Faces::across_x(&grid), Faces::across_y(&grid));
        let Liquid { particles, sleep, .. } = liquid;
        let Particles { position, velocity, class, relative_density, activity, .. } = particles;
        woken.fill(&mut velocity[..], executor, |first, velocities, woken| {
            for (index, velocity) in (first..).zip(velocities) {
                let Some(place) = place_in(&grid, position[index]) else { continue };
                let ClassInAir { mass, area } = classes[class[index].index()];
                let exposure = exposure(relative_density[index]);
                let received = |around: Around, faces: &OnFaces| {
                    let by_face = |(face, weight): (usize, f32)| {
                        let Given { dragged, pushed } = faces.given[face];
                        let pushed = (pushed * (area / mass)).clamp(-FINITE, FINITE);
                        weight * (pushed + dragged * exposure)
                    };
                    around.each().map(by_face).sum::<f32>()
                };
                let change = Vec2::new(
                    received(across_x.around(place), x),
                    received(across_y.around(place), y),
                );
                let change = change.clamp_length_max(MOST_SPEED_UNITS * unit);
                if activity[index] < Activity::Awake {
                    if change.length() < WAKES * unit {
                        continue;
                    }
                    woken.push(position[index]);
                }
                *velocity += change;
            }
        });
        woken.iter().for_each(|place| sleep.disturb(*place));
        x.clear(0);
        y.clear(0);
    }
}

/// How air drags on liquid.
struct Drag {
    /// `2 C/(pi d)`.
    coefficient: f32,
    density: f32,
    time_step: f32,
}

impl OnFaces {
    fn clear(&mut self, faces: usize) {
        let Self { liquid, given } = self;
        liquid.clear();
        liquid.resize(faces, OnFace::default());
        given.clear();
        given.resize(faces, Given::default());
    }

    /// Sums up the liquid on each face, particle by particle in their order. `along` is the velocity along the axis.
    fn sum_up(
        &mut self,
        grid: &Grid,
        faces: Faces,
        liquid: &Liquid,
        along: impl Fn(Vec2) -> f32 + Sync,
        executor: &dyn Executor,
    ) {
        self.clear(faces.count());
        let classes = classes_in_air(liquid);
        let cell = grid.cell * grid.cell;
        let particles = &liquid.particles;
        // Each part looks at all particles, and takes those whose faces it has.
        let bands = if executor.is_serial() { 1 } else { BANDS };
        let rows = faces.rows.div_ceil(bands);
        executor.for_each_chunk(&mut self.liquid[..], rows * faces.columns, |band, sums| {
            let first = band * rows;
            let start = first * faces.columns;
            // Places whose faces may be in the band.
            let reached = first as f32 - 1.0..=(first + rows) as f32 + 1.0;
            for (index, position) in particles.position.iter().enumerate() {
                let place = place_in(grid, *position).filter(|place| reached.contains(&place.y));
                let Some(place) = place else { continue };
                let ClassInAir { mass, area } = classes[particles.class[index].index()];
                let exposure = exposure(particles.relative_density[index]);
                let velocity = along(particles.velocity[index]);
                let (area, mass) = (area / cell, mass / cell);
                for (face, weight) in faces.around(place).each() {
                    let Some(sum) = sums.get_mut(face.wrapping_sub(start)) else { continue };
                    let mass = weight * mass;
                    *sum = sum.plus(OnFace {
                        area: weight * area,
                        mass,
                        exposed: mass * exposure,
                        momentum: mass * velocity,
                    });
                }
            }
        });
    }

    /// Gives both faces of each pair the liquid of both: opposite sides of periodic air are the same
    /// faces.
    fn join(&mut self, pairs: impl Iterator<Item = (usize, usize)>) {
        for (one, other) in pairs {
            let sum = self.liquid[one].plus(self.liquid[other]);
            (self.liquid[one], self.liquid[other]) = (sum, sum);
        }
    }

    /// Exchanges momentum between the air and the liquid of each face. Writes density ratios, liquid shares and
    /// liquid velocities for the projection.
    fn meet_air(
        &mut self,
        open: &[f32],
        air: &mut [f32],
        [ratios, shares, velocities]: [&mut Vec<f32>; 3],
        drag: &Drag,
        executor: &dyn Executor,
    ) {
        let Self { liquid, given } = self;
        for list in [&mut *ratios, &mut *shares, &mut *velocities] {
            list.resize(air.len(), 0.0);
        }
        let lists = (
            &mut liquid[..],
            &mut given[..],
            air,
            &mut ratios[..],
            &mut shares[..],
            &mut velocities[..],
        );
        executor.for_each_chunk(lists, LONG_CHUNK, |chunk, lists| {
            let (liquid, given, air, ratios, shares, velocities) = lists;
            let open = &open[chunk * LONG_CHUNK..];
            for (index, liquid) in liquid.iter_mut().enumerate() {
                if open[index] != 0.0 {
                    given[index].dragged = liquid.drag(&mut air[index], drag);
                }
                ratios[index] = liquid.density_ratio(drag.density);
                shares[index] = liquid.share();
                velocities[index] = liquid.hold(&mut air[index]);
            }
        });
    }

    /// Adds the momentum that the projection has given to the liquid: its density times its share of the face
    /// times the change of its velocity.
    fn push(
        &mut self,
        density: f32,
        [open, shares, ratios, velocities]: [&Vec<f32>; 4],
        executor: &dyn Executor,
    ) {
        let Self { liquid, given } = self;
        executor.for_each_chunk(&mut given[..], LONG_CHUNK, |chunk, given| {
            for (face, given) in (chunk * LONG_CHUNK..).zip(given) {
                let OnFace { area, mass, momentum, .. } = liquid[face];
                if mass > 0.0 {
                    let before = momentum / mass;
                    let density = density / ratios[face];
                    let momentum =
                        open[face] * shares[face] * density * (velocities[face] - before);
                    given.pushed = momentum / area;
                }
            }
        });
    }
}

impl OnFace {
    /// The share of the face that is liquid.
    fn share(&self) -> f32 {
        (self.area * (1.0 / FULL_FACE)).min(1.0)
    }

    /// The ratio of the densities of air and liquid.
    fn density_ratio(&self, air: f32) -> f32 {
        let Self { area, mass, .. } = *self;
        if mass > 0.0 { (air * area / mass).clamp(LEAST_RATIO, 1.0) } else { 1.0 }
    }

    /// Exchanges momentum with the air, and returns the change of the velocity of liquid that the wind reaches.
    /// However strong the drag is, at most both get the same velocity.
    fn drag(&mut self, air: &mut f32, drag: &Drag) -> f32 {
        let Self { area, mass, exposed, momentum } = *self;
        if mass == 0.0 {
            return 0.0;
        }
        let relative = *air - momentum / mass;
        // A particle of mass m and area d^2 has the density m/d^2.
        let density_ratio = drag.density * area / mass;
        let rate = drag.coefficient * density_ratio * relative.abs() * drag.time_step;
        let rate = rate.min(MOST_RATE);
        // All the air around: what little of it liquid displaces comes back when that moves on.
        let heavier = exposed / drag.density;
        let change = rate * relative / (1.0 + rate * (1.0 + heavier));
        *air -= change * heavier;
        self.momentum += change * exposed;
        change
    }

    /// Returns the velocity of the liquid. Air in narrow gaps moves with the liquid around it: otherwise it would
    /// shoot through them at impossible speeds.
    fn hold(&self, air: &mut f32) -> f32 {
        let Self { mass, exposed, momentum, .. } = *self;
        let velocity = if mass > 0.0 { momentum / mass } else { 0.0 };
        // Not the air around a drop, which has a wake instead.
        let sheltered = if mass > 0.0 { 1.0 - exposed / mass } else { 0.0 };
        let held = (2.0 * self.share() - 1.0).max(0.0) * sheltered;
        *air += (velocity - *air) * (held * held);
        velocity
    }
}

// What a particle of the liquid meets of the air: how far others shelter it, and which cell it is in.

/// A cell whose faces have this share of liquid counts as full of it.
const LIQUID_SHARE: f32 = 0.75;

/// How much of the air reaches a particle: all of it alone, nothing among others.
pub(super) fn exposure(relative_density: f32) -> f32 {
    (1.0 - relative_density).clamp(0.0, 1.0)
}

impl Air {
    /// The cell of air at a place: the cell around it, or that cell's nearest neighbour if it is
    /// solid. `None` outside the rectangle and deep in solids.
    pub(super) fn open_cell_at(&self, place: Vec2) -> Option<usize> {
        let (i, j) = self.grid.cell_at(place)?;
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let is_open = |cell: &usize| self.solids.passages[*cell] != 0;
        let cell = j * columns + i;
        if is_open(&cell) {
            return Some(cell);
        }
        let rows = j.saturating_sub(1)..(j + 2).min(rows);
        let columns_near = i.saturating_sub(1)..(i + 2).min(columns);
        let around = rows.flat_map(|j| columns_near.clone().map(move |i| j * columns + i));
        self.nearest(around.filter(is_open), place)
    }

    /// The cell of free air at a place, in which liquid exchanges heat: the cell around it or, if
    /// liquid fills that cell, the nearest open neighbour that liquid does not fill. `None` deep in
    /// liquid.
    pub(super) fn free_cell_at(&self, place: Vec2) -> Option<usize> {
        let cell = self.open_cell_at(place)?;
        if !self.is_under_liquid(cell) {
            return Some(cell);
        }
        let neighbours = passage::ALL.into_iter().filter_map(|bit| self.neighbour(cell, bit));
        self.nearest(neighbours.filter(|cell| !self.is_under_liquid(*cell)), place)
    }

    /// The cell whose centre is nearest to a place.
    fn nearest(&self, cells: impl Iterator<Item = usize>, place: Vec2) -> Option<usize> {
        let distance = |cell: &usize| self.cell_centre(*cell).distance_squared(place);
        cells.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// The cell in the rectangle that air from a cell comes to through one of its faces.
    pub(super) fn neighbour(&self, cell: usize, bit: u8) -> Option<usize> {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let (i, j) = (cell % columns, cell / columns);
        let (inside, next) = match bit {
            passage::LEFT => (i > 0, cell.wrapping_sub(1)),
            passage::RIGHT => (i + 1 < columns, cell + 1),
            passage::BOTTOM => (j > 0, cell.wrapping_sub(columns)),
            _ => (j + 1 < rows, cell + columns),
        };
        let open = self.solids.passages[cell] & bit != 0;
        (inside && open).then_some(next)
    }

    /// Whether liquid fills a cell.
    pub(super) fn is_under_liquid(&self, cell: usize) -> bool {
        self.liquid_share_of(cell) >= LIQUID_SHARE
    }

    /// The share of a cell's faces that is liquid.
    pub(super) fn liquid_share_of(&self, cell: usize) -> f32 {
        if !self.liquid.is_present() {
            return 0.0;
        }
        let (x, y) = (&self.liquid.share_x, &self.liquid.share_y);
        let left = cell / self.grid.columns + cell;
        let sum = x[left] + x[left + 1] + y[cell] + y[cell + self.grid.columns];
        0.25 * sum
    }

    /// Where gas from a cell comes to the surface: it rises as bubbles through liquid, as far as
    /// nothing closes the way. Without gravity it stays.
    pub(super) fn surface_above(&self, mut cell: usize) -> usize {
        let gravity = self.settings.gravity;
        let up = match gravity.x.abs() > gravity.y.abs() {
            true if gravity.x > 0.0 => passage::LEFT,
            true => passage::RIGHT,
            false if gravity.y > 0.0 => passage::BOTTOM,
            false if gravity.y < 0.0 => passage::TOP,
            false => return cell,
        };
        while self.is_under_liquid(cell)
            && let Some(next) = self.neighbour(cell, up)
        {
            cell = next;
        }
        cell
    }
}

// Exposed liquid and the air around it exchange heat.
//
// A particle of mass `m` approaches the temperature of the free air beside it at the rate
// `k = conductivity exposure`, and what it gets the cell loses. All particles of a cell take part at
// once, by an implicit step:
//
// `m (T' - T) = m k dt (A' - T')` for each, and `C (A' - A) = -sum m (T' - T)` for the cell,
//
// so that `A' = (C A + sum w T)/(C + sum w)` with `w = m k dt/(1 + k dt)`. No temperature leaves the
// range of those that meet, whatever the rates are, and `C A + sum m T` is kept to rounding.

/// The largest `k dt`, at which both have the same temperature after a step but for rounding.
const FASTEST: f64 = 1e12;

/// A particle in the air.
#[derive(Clone, Copy, Debug, Default)]
struct Exposed {
    particle: usize,
    cell: usize,
    /// `k dt`.
    rate: f64,
}

/// The heat of the particles of a cell.
#[derive(Clone, Copy, Debug, Default)]
struct OfCell {
    /// `sum w`, and `sum w T` with temperatures relative to the surroundings.
    weight: f64,
    weighted: f64,
    /// `A'`, relative to the surroundings.
    warmth: f64,
}

/// Lists of the exchange. They can be thrown away between two steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeatExchange {
    exposed: ChunkLists<Exposed>,
    cells: Vec<OfCell>,
}

impl Air {
    /// Heat capacity of the air in a cell, in that of a particle of mass 1.
    pub(super) fn heat_capacity_of(&self, cell: usize, particle_spacing: f32) -> f64 {
        let cells_side = f64::from(self.grid.cell) / f64::from(particle_spacing);
        let air = f64::from(self.solids.air_shares()[cell]);
        f64::from(self.settings.heat_capacity) * air * cells_side * cells_side
    }

    /// By how many degrees a cell is warmer than the surroundings.
    pub(super) fn warmth_of(&self, cell: usize) -> f64 {
        let heat = self.channel(AirChannel::Heat).get(cell).copied().unwrap_or(0.0);
        f64::from(heat) * f64::from(self.settings.degrees_per_heat)
    }

    /// Makes a cell so many degrees warmer than the surroundings.
    pub(super) fn set_warmth_of(&mut self, cell: usize, degrees: f64) {
        let heat = (degrees / f64::from(self.settings.degrees_per_heat)) as f32;
        self.channel_mut(AirChannel::Heat)[cell] = heat.clamp(-LARGEST_AMOUNT, LARGEST_AMOUNT);
    }
}

impl HeatExchange {
    pub(crate) fn exchange(
        &mut self,
        air: &mut Air,
        liquid: &mut Liquid,
        time_step: f32,
        executor: &dyn Executor,
    ) {
        if !self.find_exposed(air, liquid, time_step, executor) {
            return;
        }
        let Self { exposed, cells } = self;
        let spacing = liquid.parameters.particle_spacing;
        let ambient = f64::from(liquid.parameters.ambient_temperature);
        let particles = &mut liquid.particles;
        let classes = &liquid.classes;
        cells.clear();
        cells.resize(air.grid.cells(), OfCell::default());
        for Exposed { particle, cell, rate } in exposed.iter() {
            let mass = f64::from(classes[particles.class[*particle]].mass);
            let warmth = f64::from(particles.temperature[*particle]) - ambient;
            let weight = mass * rate / (1.0 + rate);
            cells[*cell].weight += weight;
            cells[*cell].weighted += weight * warmth;
        }
        for (cell, exchange) in
            cells.iter_mut().enumerate().filter(|(_, exchange)| exchange.weight > 0.0)
        {
            let capacity = air.heat_capacity_of(cell, spacing);
            let heat = capacity * air.warmth_of(cell) + exchange.weighted;
            exchange.warmth = heat / (capacity + exchange.weight);
            air.set_warmth_of(cell, exchange.warmth);
        }
        let temperatures = &mut particles.temperature[..];
        let moved = executor.any_chunk(temperatures, LONG_CHUNK, |index, temperatures| {
            let mut moved = false;
            for Exposed { particle, cell, rate } in exposed.of_chunk(index) {
                let temperature = &mut temperatures[*particle - index * LONG_CHUNK];
                let goal = cells[*cell].warmth + ambient;
                let before = *temperature;
                *temperature = ((f64::from(*temperature) + rate * goal) / (1.0 + rate)) as f32;
                moved |= heat_moved(before, *temperature);
            }
            moved
        });
        liquid.sleep.heat_rests &= !moved;
    }

    /// Finds the particles that exchange heat with air, and returns whether there are any.
    fn find_exposed(
        &mut self,
        air: &Air,
        liquid: &Liquid,
        time_step: f32,
        executor: &dyn Executor,
    ) -> bool {
        let per_time_unit = f64::from(time_step) / f64::from(liquid.parameters.time_unit());
        let conductivities = liquid.classes.iter().map(|class| class.thermal.air_conductivity);
        let rate = |conductivity: f32| (f64::from(conductivity) * per_time_unit).min(FASTEST);
        let rates: Vec<f64> = conductivities.map(rate).collect();
        if rates.iter().all(|rate| *rate == 0.0) {
            return false;
        }
        let all = &liquid.particles;
        self.exposed.fill(0..all.len(), executor, |_, particles, exposed| {
            for particle in particles {
                let exposure = exposure(all.relative_density[particle]);
                let rate = rates[all.class[particle].index()] * f64::from(exposure);
                // The next tick quarantines a particle that is not finite.
                if rate > 0.0 && all.temperature[particle].is_finite() {
                    let cell = air.free_cell_at(all.position[particle]);
                    exposed.extend(cell.map(|cell| Exposed { particle, cell, rate }));
                }
            }
        });
        self.exposed.iter().next().is_some()
    }
}
