//! What air and liquid do to each other: liquid displaces air, wind drags on liquid, and the pressure
//! of the air pushes it.
//!
//! Everything is exchanged on the faces of the grid, where both have a velocity, a mass and a share.
//! What one gives the other receives, so momentum is kept to rounding.

use glam::Vec2;

use crate::air::grid::Grid;
use crate::air::settings::AirChannel;
use crate::air::solids::passage;
use crate::air::sources::LARGEST_AMOUNT;
use crate::air::state::{Air, LEAST_RATIO};
use crate::liquid::state::{Liquid, heat_moved};
use crate::particles::arrays::Activity;

/// The share of a face above which its liquid lets no air through: particles never fill all of it.
const FULL_FACE: f32 = 0.7;

/// Change of velocity, in V0, below which a sleeping particle sleeps on.
const WAKES: f32 = 0.05;

/// The largest change of a particle's velocity in a step, in V0.
const MOST_SPEED_UNITS: f32 = 10.0;

/// A drag so many times stronger gives both the same velocity, to rounding; a stronger one would run over.
const MOST_RATE: f32 = 1e9;

/// Bounds what a face gives, far beyond [`MOST_SPEED_UNITS`] of the fastest speed unit, so that its square is finite.
const FINITE: f32 = 1e17;

/// The liquid on the faces along one axis.
#[derive(Clone, Debug, Default)]
struct OnFaces {
    /// The area of liquid in the surroundings of each face, in cells.
    area: Vec<f32>,
    /// Its momentum along the axis, its mass, and its mass that the wind reaches, per area of a cell.
    momentum: Vec<f32>,
    mass: Vec<f32>,
    exposed: Vec<f32>,
    /// The change of velocity by drag of liquid that the wind reaches.
    dragged: Vec<f32>,
    /// The momentum by pressure, per area of liquid.
    pushed: Vec<f32>,
}

/// What the exchange derives from liquid and air. It can be thrown away between two steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exchange {
    x: OnFaces,
    y: OnFaces,
}

/// The four faces around a place, and how near each is: bilinear weights.
#[derive(Clone, Copy)]
struct Around {
    indices: [usize; 4],
    weights: [f32; 4],
}

impl Around {
    /// `place` in cells, relative to the first of `columns` by `rows` faces; `None` beyond the last.
    fn of(place: Vec2, columns: usize, rows: usize) -> Option<Self> {
        let most = Vec2::new((columns - 1) as f32, (rows - 1) as f32);
        // A place half a cell outside of the faces belongs to the nearest ones.
        let inside = place.cmpge(Vec2::splat(-0.5)).all() && place.cmple(most + 0.5).all();
        if !inside {
            return None;
        }
        let place = place.clamp(Vec2::ZERO, most);
        let (i, j) = (place.x as usize, place.y as usize);
        let (right, above) = ((i + 1).min(columns - 1), (j + 1).min(rows - 1));
        let part = place - Vec2::new(i as f32, j as f32);
        Some(Self {
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
        })
    }

    fn each(self) -> impl Iterator<Item = (usize, f32)> {
        self.indices.into_iter().zip(self.weights)
    }
}

/// The vertical and the horizontal faces around a place of the world.
fn faces_around(grid: &Grid, place: Vec2) -> Option<(Around, Around)> {
    let at = grid.to_cells(place);
    let inside = at.cmpge(Vec2::ZERO).all()
        && at.cmple(Vec2::new(grid.columns as f32, grid.rows as f32)).all();
    if !inside {
        return None;
    }
    let x = Around::of(at - Vec2::new(0.0, 0.5), grid.columns + 1, grid.rows)?;
    let y = Around::of(at - Vec2::new(0.5, 0.0), grid.columns, grid.rows + 1)?;
    Some((x, y))
}

/// What the exchange needs to know of a class.
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
    pub(crate) fn apply_drag(&mut self, air: &mut Air, liquid: &Liquid, time_step: f32) {
        let grid = air.grid;
        let classes = classes_in_air(liquid);
        let cell = grid.cell * grid.cell;
        let particles = &liquid.particles;
        let mut any = false;
        for index in 0..particles.len() {
            let Some((x, y)) = faces_around(&grid, particles.position[index]) else { continue };
            if !any {
                self.x.clear(grid.faces_x());
                self.y.clear(grid.faces_y());
                any = true;
            }
            let ClassInAir { mass, area } = classes[particles.class[index].index()];
            let velocity = particles.velocity[index];
            let exposure = exposure(particles.relative_density[index]);
            let along =
                |velocity| AlongAxis { area: area / cell, mass: mass / cell, exposure, velocity };
            self.x.add(x, along(velocity.x));
            self.y.add(y, along(velocity.y));
        }
        let share = &mut air.liquid;
        if !any {
            share.clear();
            return;
        }
        if air.sides.periodic_x() {
            let row = grid.columns + 1;
            self.x.join((0..grid.rows).map(|j| (j * row, j * row + grid.columns)));
        }
        if air.sides.periodic_y() {
            self.y.join((0..grid.columns).map(|i| (i, grid.rows * grid.columns + i)));
        }
        let spacing = liquid.parameters.particle_spacing;
        let density = air.settings.density;
        let drag = Drag {
            coefficient: air.settings.drag * std::f32::consts::FRAC_2_PI / spacing,
            density,
            time_step,
        };
        let open = &air.solids;
        self.x.drag(&open.open_x, &mut air.velocity_x, &drag);
        self.y.drag(&open.open_y, &mut air.velocity_y, &drag);
        self.x.ratios(density, &mut share.ratio_x);
        self.y.ratios(density, &mut share.ratio_y);
        self.x.show(&mut share.share_x, &mut share.velocity_x, &mut air.velocity_x);
        self.y.show(&mut share.share_y, &mut share.velocity_y, &mut air.velocity_y);
    }

    /// Gives the liquid what the drag and the projection have given it on the faces: once, and only if
    /// the faces are those of [`apply_drag`](Self::apply_drag).
    pub(crate) fn push_liquid(&mut self, air: &Air, liquid: &mut Liquid) {
        let share = &air.liquid;
        let faces = (self.x.pushed.len(), self.y.pushed.len());
        if !share.is_present() || faces != (share.share_x.len(), share.share_y.len()) {
            return;
        }
        let (grid, density, open) = (air.grid, air.settings.density, &air.solids);
        let x = [&open.open_x, &share.share_x, &share.ratio_x, &share.velocity_x];
        let y = [&open.open_y, &share.share_y, &share.ratio_y, &share.velocity_y];
        self.x.push(density, x);
        self.y.push(density, y);
        let classes = classes_in_air(liquid);
        let unit = liquid.parameters.speed_unit();
        let Liquid { particles, sleep, .. } = liquid;
        for index in 0..particles.len() {
            let Some((x, y)) = faces_around(&grid, particles.position[index]) else { continue };
            let ClassInAir { mass, area } = classes[particles.class[index].index()];
            let exposure = exposure(particles.relative_density[index]);
            let received = |around: Around, faces: &OnFaces| {
                let by_face = |(face, weight): (usize, f32)| {
                    let pushed = (faces.pushed[face] * (area / mass)).clamp(-FINITE, FINITE);
                    weight * (pushed + faces.dragged[face] * exposure)
                };
                around.each().map(by_face).sum::<f32>()
            };
            let change = Vec2::new(received(x, &self.x), received(y, &self.y));
            let change = change.clamp_length_max(MOST_SPEED_UNITS * unit);
            if particles.activity[index] < Activity::Awake {
                if change.length() < WAKES * unit {
                    continue;
                }
                sleep.disturb(particles.position[index]);
            }
            particles.velocity[index] += change;
        }
        self.x.clear(0);
        self.y.clear(0);
    }
}

/// A particle along one axis: its area and its mass per area of a cell.
#[derive(Clone, Copy)]
struct AlongAxis {
    area: f32,
    mass: f32,
    exposure: f32,
    velocity: f32,
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
        let Self { area, momentum, mass, exposed, dragged, pushed } = self;
        for list in [area, momentum, mass, exposed, dragged, pushed] {
            list.clear();
            list.resize(faces, 0.0);
        }
    }

    fn add(&mut self, around: Around, particle: AlongAxis) {
        for (face, weight) in around.each() {
            let mass = weight * particle.mass;
            self.area[face] += weight * particle.area;
            self.mass[face] += mass;
            self.exposed[face] += mass * particle.exposure;
            self.momentum[face] += mass * particle.velocity;
        }
    }

    /// Gives both faces of each pair the liquid of both: opposite sides of periodic air are the same
    /// faces.
    fn join(&mut self, pairs: impl Iterator<Item = (usize, usize)>) {
        let Self { area, momentum, mass, exposed, .. } = self;
        for (one, other) in pairs {
            for list in [&mut *area, &mut *momentum, &mut *mass, &mut *exposed] {
                let sum = list[one] + list[other];
                (list[one], list[other]) = (sum, sum);
            }
        }
    }

    /// The share of a face that is liquid.
    fn share(&self, face: usize) -> f32 {
        (self.area[face] * (1.0 / FULL_FACE)).min(1.0)
    }

    /// Exchanges momentum between the air and the liquid of each face. However strong the drag is,
    /// at most both get the same velocity.
    fn drag(&mut self, open: &[f32], air: &mut [f32], drag: &Drag) {
        for (face, velocity) in air.iter_mut().enumerate() {
            if self.mass[face] == 0.0 || open[face] == 0.0 {
                continue;
            }
            let liquid = self.momentum[face] / self.mass[face];
            let relative = *velocity - liquid;
            // A particle of mass m and area d^2 has the density m/d^2.
            let density_ratio = drag.density * self.area[face] / self.mass[face];
            let exposed = self.exposed[face];
            let rate = drag.coefficient * density_ratio * relative.abs() * drag.time_step;
            let rate = rate.min(MOST_RATE);
            // All the air around: what little of it liquid displaces comes back when that moves on.
            let heavier = exposed / drag.density;
            let change = rate * relative / (1.0 + rate * (1.0 + heavier));
            *velocity -= change * heavier;
            self.momentum[face] += change * exposed;
            self.dragged[face] = change;
        }
    }

    /// Writes shares and velocities for the projection. Air in narrow gaps moves with the liquid
    /// around it: otherwise it would shoot through them as fast as no air does.
    fn show(&self, shares: &mut Vec<f32>, velocities: &mut Vec<f32>, air: &mut [f32]) {
        shares.clear();
        velocities.clear();
        for (face, air) in air.iter_mut().enumerate() {
            let (share, mass) = (self.share(face), self.mass[face]);
            let velocity = if mass > 0.0 { self.momentum[face] / mass } else { 0.0 };
            // Not the air around a drop, which has a wake instead.
            let sheltered = if mass > 0.0 { 1.0 - self.exposed[face] / mass } else { 0.0 };
            let held = (2.0 * share - 1.0).max(0.0) * sheltered;
            *air += (velocity - *air) * (held * held);
            shares.push(share);
            velocities.push(velocity);
        }
    }

    /// Writes the ratios of the densities of air and liquid.
    fn ratios(&self, density: f32, ratios: &mut Vec<f32>) {
        let ratio = |(area, mass): (&f32, &f32)| {
            if *mass > 0.0 { (density * area / mass).clamp(LEAST_RATIO, 1.0) } else { 1.0 }
        };
        ratios.clear();
        ratios.extend(self.area.iter().zip(&self.mass).map(ratio));
    }

    /// Adds what the projection has given to the liquid: its density times its share of the face
    /// times the change of its velocity.
    fn push(&mut self, density: f32, [open, shares, ratios, velocities]: [&Vec<f32>; 4]) {
        for (face, pushed) in self.pushed.iter_mut().enumerate() {
            if self.mass[face] > 0.0 {
                let before = self.momentum[face] / self.mass[face];
                let density = density / ratios[face];
                let given = open[face] * shares[face] * density * (velocities[face] - before);
                *pushed = given / self.area[face];
            }
        }
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
    /// The cell of air at a place: the one around it, or the nearest of that one's neighbours if it is
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

    /// The cell of free air at a place, in which liquid exchanges heat: the one around it, or if
    /// liquid fills that the nearest open neighbour that liquid does not fill. `None` deep in liquid.
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
#[derive(Clone, Copy, Debug)]
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
    exposed: Vec<Exposed>,
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
    pub(crate) fn exchange(&mut self, air: &mut Air, liquid: &mut Liquid, time_step: f32) {
        self.find_exposed(air, liquid, time_step);
        if self.exposed.is_empty() {
            return;
        }
        let spacing = liquid.parameters.particle_spacing;
        let ambient = f64::from(liquid.parameters.ambient_temperature);
        let particles = &mut liquid.particles;
        let classes = &liquid.classes;
        self.cells.clear();
        self.cells.resize(air.grid.cells(), OfCell::default());
        for Exposed { particle, cell, rate } in &self.exposed {
            let mass = f64::from(classes[particles.class[*particle]].mass);
            let warmth = f64::from(particles.temperature[*particle]) - ambient;
            let weight = mass * rate / (1.0 + rate);
            self.cells[*cell].weight += weight;
            self.cells[*cell].weighted += weight * warmth;
        }
        for (cell, exchange) in
            self.cells.iter_mut().enumerate().filter(|(_, exchange)| exchange.weight > 0.0)
        {
            let capacity = air.heat_capacity_of(cell, spacing);
            let heat = capacity * air.warmth_of(cell) + exchange.weighted;
            exchange.warmth = heat / (capacity + exchange.weight);
            air.set_warmth_of(cell, exchange.warmth);
        }
        for Exposed { particle, cell, rate } in &self.exposed {
            let temperature = &mut particles.temperature[*particle];
            let goal = self.cells[*cell].warmth + ambient;
            let before = *temperature;
            *temperature = ((f64::from(*temperature) + rate * goal) / (1.0 + rate)) as f32;
            liquid.sleep.heat_rests &= !heat_moved(before, *temperature);
        }
    }

    fn find_exposed(&mut self, air: &Air, liquid: &Liquid, time_step: f32) {
        self.exposed.clear();
        let per_time_unit = f64::from(time_step) / f64::from(liquid.parameters.time_unit());
        let conductivities = liquid.classes.iter().map(|class| class.thermal.air_conductivity);
        let rate = |conductivity: f32| (f64::from(conductivity) * per_time_unit).min(FASTEST);
        let rates: Vec<f64> = conductivities.map(rate).collect();
        if rates.iter().all(|rate| *rate == 0.0) {
            return;
        }
        let particles = &liquid.particles;
        for (particle, class) in particles.class.iter().enumerate() {
            let exposure = exposure(particles.relative_density[particle]);
            let rate = rates[class.index()] * f64::from(exposure);
            // The next tick quarantines a particle that is not finite.
            if rate > 0.0 && particles.temperature[particle].is_finite() {
                let cell = air.free_cell_at(particles.position[particle]);
                self.exposed.extend(cell.map(|cell| Exposed { particle, cell, rate }));
            }
        }
    }
}
