//! The layers of the debug drawing: particles, air, distances to walls, and entities.

use bevy::gizmos::config::GizmoConfigGroup;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::air::Air;
use blob_fluid::shape::iso_lines;
use blob_fluid::{
    FluidBounds, FluidNozzle, FluidRegion, FluidShape, FluidWorld, Force, ParticleId, Particles,
    Pose,
};

use crate::placing::Placement;
use crate::sensing::{FluidSensor, FluidSensorReading};
use crate::simulation::FluidSimulation;
use crate::sources::{FluidDrain, FluidEmitter, FluidPump};

/// Number of grid steps along the longer side of a shape from an image, for finding its outline.
const STEPS: f32 = 96.0;

/// Draws the outline of a shape with a pose.
pub(super) fn outline(
    gizmos: &mut Gizmos<FluidGizmos>,
    shape: &FluidShape,
    pose: Pose,
    color: Color,
) {
    let position = |corner: Vec2| pose.to_world(corner);
    if let FluidShape::Field(_) = shape {
        let FluidBounds { low, high } = shape.bounds();
        let step = (high - low).max_element() / STEPS;
        let around = shape.bounds().inflated(step);
        iso_lines(
            around,
            step,
            &[0.0],
            |point| shape.distance(point),
            |_, [start, end]| {
                gizmos.line_2d(position(start), position(end), color);
            },
        );
        return;
    }
    for ring in shape.outlines().into_iter().flatten() {
        gizmos.lineloop_2d(ring.into_iter().map(position), color);
    }
}

/// Draws the outline of a region.
pub(super) fn outline_of(gizmos: &mut Gizmos<FluidGizmos>, region: &FluidRegion, color: Color) {
    outline(gizmos, region.shape(), region.pose(), color);
}

/// Draws a cross.
pub(super) fn cross(gizmos: &mut Gizmos<FluidGizmos>, centre: Vec2, size: f32, color: Color) {
    for arm in [Vec2::ONE, Vec2::new(1.0, -1.0)] {
        gizmos.line_2d(centre - arm * size, centre + arm * size, color);
    }
}

/// Draws an arrow, unless it has no length.
pub(super) fn arrow(gizmos: &mut Gizmos<FluidGizmos>, start: Vec2, way: Vec2, color: Color) {
    let length = way.length();
    if length.is_finite() && length > 0.0 {
        gizmos.arrow_2d(start, start + way, color).with_tip_length(0.3 * length);
    }
}

/// Mixes two colours in Oklab; `share` is 0 to 1.
pub(super) fn mixed(from: Color, to: Color, share: f32) -> Color {
    Oklaba::from(from).mix(&to.into(), share.clamp(0.0, 1.0)).into()
}

// Draws particles, their neighbours and the cells of the grid.

/// Largest number of velocities, and of springs, that are drawn. Each takes one line.
const MAX_LINES: usize = 20_000;

/// Largest number of densities, and of cells, that are drawn. A density takes [`CORNERS`] lines. A
/// cell takes four lines or [`HATCHES`].
const MAX_OUTLINES: usize = 5_000;

/// Corners of the circle around a particle.
const CORNERS: u32 = 8;

/// Number of lines across a sleeping cell.
const HATCHES: usize = 4;

/// Opacity of a spring at rest.
const FAINT: f32 = 0.1;

/// Time that a line of velocity spans, in seconds.
const VELOCITY_SECONDS: f32 = 1.0 / 16.0;

/// Positions at which particles are drawn: interpolated between two ticks.
struct Drawn<'a> {
    particles: &'a Particles,
    fraction: f32,
}

impl Drawn<'_> {
    fn position(&self, index: usize) -> Vec2 {
        let start = self.particles.tick_start_positions()[index];
        start.lerp(self.particles.positions()[index], self.fraction)
    }
}

/// Every n-th of `count` items, with at most `most` items.
fn every(count: usize, most: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(count.div_ceil(most).max(1))
}

/// Draws cells, sleep, neighbours, velocities, densities and springs. Particles are interpolated by
/// `fraction` from the tick before the last to the last.
pub(super) fn draw_liquid(
    In(fraction): In<f32>,
    fluid: Res<FluidSimulation>,
    mut gizmos: Gizmos<FluidGizmos>,
) {
    let layers = gizmos.config_ext;
    let colors = &layers.colors;
    let drawn = Drawn { particles: fluid.particles(), fraction };
    if layers.cells || layers.sleeping {
        draw_cells(&mut gizmos, &fluid);
    }
    if layers.densities {
        draw_densities(&mut gizmos, &fluid, &drawn);
    }
    if layers.springs {
        draw_springs(&mut gizmos, &fluid, &drawn);
    }
    if layers.velocities {
        for index in every(drawn.particles.len(), MAX_LINES) {
            let now = drawn.position(index);
            let before = now - VELOCITY_SECONDS * drawn.particles.velocities()[index];
            gizmos.line_gradient_2d(before, now, colors.velocity.with_alpha(0.0), colors.velocity);
        }
    }
    draw_picked(&mut gizmos, &fluid, &drawn);
}

fn draw_cells(gizmos: &mut Gizmos<FluidGizmos>, fluid: &FluidSimulation) {
    let FluidGizmos { cells: occupied, sleeping, colors, .. } = gizmos.config_ext;
    let parameters = fluid.parameters();
    let side = parameters.interaction_radius();
    // Number of particles in a cell of liquid at rest.
    let crowd = parameters.radius_ratio * parameters.radius_ratio;
    let cells = fluid.occupied_cells();
    for cell in every(cells.len(), MAX_OUTLINES).map(|index| &cells[index]) {
        if *occupied {
            let share = (cell.particles as f32 - 1.0) / (crowd - 1.0);
            // The inset keeps the outlines of neighbouring cells apart.
            let inner = Vec2::splat(0.94 * side);
            let color = mixed(colors.sparse, colors.crowded, share);
            gizmos.rect_2d(cell.bounds.centre(), inner, color);
        }
        if *sleeping && cell.asleep == cell.particles {
            hatch(gizmos, cell.bounds, colors.sleeping);
        }
    }
}

/// Draws slanting lines across a box, which continue in the next box.
fn hatch(gizmos: &mut Gizmos<FluidGizmos>, FluidBounds { low, high }: FluidBounds, color: Color) {
    let side = high - low;
    for line in 0..HATCHES {
        let share = (2 * line + 1) as f32 / HATCHES as f32;
        let (start, end) = if share < 1.0 {
            (Vec2::new(0.0, share), Vec2::new(share, 0.0))
        } else {
            (Vec2::new(share - 1.0, 1.0), Vec2::new(1.0, share - 1.0))
        };
        gizmos.line_2d(low + start * side, low + end * side, color);
    }
}

fn draw_densities(gizmos: &mut Gizmos<FluidGizmos>, fluid: &FluidSimulation, drawn: &Drawn) {
    let colors = &gizmos.config_ext.colors;
    let radius = 0.4 * fluid.parameters().particle_spacing;
    for index in every(drawn.particles.len(), MAX_OUTLINES) {
        let excess = drawn.particles.relative_densities()[index] - 1.0;
        let color = by_excess(colors, excess);
        gizmos.circle_2d(drawn.position(index), radius, color).resolution(CORNERS);
    }
}

fn draw_springs(gizmos: &mut Gizmos<FluidGizmos>, fluid: &FluidSimulation, drawn: &Drawn) {
    let colors = &gizmos.config_ext.colors;
    let springs = fluid.springs();
    for spring in every(springs.len(), MAX_LINES).map(|index| &springs[index]) {
        // A spring with a removed particle is deleted in the next substep.
        let [Some(start), Some(end)] = spring.ends.map(|end| drawn.particles.index_of(end)) else {
            continue;
        };
        let [start, end] = [start, end].map(|particle| drawn.position(particle));
        let strain = start.distance(end) / spring.rest_length - 1.0;
        // Most springs are at rest. They are faint, so that they do not hide the others.
        let color = by_excess(colors, -2.0 * strain);
        let share = FAINT + (1.0 - FAINT) * (4.0 * strain.abs()).min(1.0);
        gizmos.line_2d(start, end, color.with_alpha(share * color.alpha()));
    }
}

/// The colour of a density or spring by its excess over the value at rest.
fn by_excess(colors: &FluidGizmoColors, excess: f32) -> Color {
    let end = if excess > 0.0 { colors.tight } else { colors.loose };
    mixed(colors.at_rest, end, 2.0 * excess.abs())
}

fn draw_picked(gizmos: &mut Gizmos<FluidGizmos>, fluid: &FluidSimulation, drawn: &Drawn) {
    let FluidGizmos { picked, colors, .. } = gizmos.config_ext;
    let Some((picked, index)) = picked.and_then(|id| Some((id, drawn.particles.index_of(id)?)))
    else {
        return;
    };
    let parameters = fluid.parameters();
    let centre = drawn.position(index);
    gizmos.circle_2d(centre, parameters.interaction_radius(), colors.picked).resolution(64);
    gizmos.circle_2d(centre, 0.4 * parameters.particle_spacing, colors.picked).resolution(16);
    let neighbours = fluid.neighbours(picked);
    for index in neighbours.into_iter().filter_map(|id| drawn.particles.index_of(id)) {
        gizmos.line_2d(centre, drawn.position(index), colors.picked.with_alpha(0.6));
    }
}

// Layers of air: grid, wind and sources.

/// Largest number of winds that are drawn; each takes one line.
const MAX_WINDS: usize = 5_000;

/// Time that a line of wind spans, in seconds.
const WIND_SECONDS: f32 = 1.0 / 8.0;

/// Draws the rectangles of air, the wind in an even sample of their cells, and the regions and
/// winds of sources.
pub(super) fn draw_air(fluid: Res<FluidSimulation>, mut gizmos: Gizmos<FluidGizmos>) {
    let FluidGizmos { air: grids, air_sources, colors, .. } = gizmos.config_ext;
    let cell_count: usize = fluid.airs().map(|air| air.columns() * air.rows()).sum();
    for air in fluid.airs() {
        if *grids {
            let bounds = air.bounds();
            gizmos.rect_2d(bounds.centre(), 2.0 * bounds.half_size(), colors.air);
            draw_winds(&mut gizmos, air, cell_count, colors.air);
        }
        if *air_sources {
            for source in air.sources() {
                outline_of(&mut gizmos, &source.region, colors.air_source);
                if let Some(wind) = source.wind {
                    let length = source.region.shape().max_depth();
                    let way = wind.velocity.normalize_or_zero() * length;
                    arrow(&mut gizmos, source.region.centre(), way, colors.air_source);
                }
            }
        }
    }
}

/// Draws lines back to the position of the air a moment ago, in every n-th column and row.
fn draw_winds(gizmos: &mut Gizmos<FluidGizmos>, air: &Air, cell_count: usize, color: Color) {
    let mut step = 1;
    while cell_count / (step * step) > MAX_WINDS {
        step += 1;
    }
    for row in (step / 2..air.rows()).step_by(step) {
        for column in (step / 2..air.columns()).step_by(step) {
            let cell = row * air.columns() + column;
            let velocity = air.velocity_in_cell(cell);
            if air.air_shares()[cell] > 0.0 && velocity != Vec2::ZERO {
                let centre = air.cell_centre(cell);
                let before = centre - WIND_SECONDS * velocity;
                gizmos.line_gradient_2d(before, centre, color.with_alpha(0.0), color);
            }
        }
    }
}

// Distances to walls, drawn as lines.

/// Number of lines on the liquid's side of a wall.
const LEVELS: usize = 5;

/// Largest number of squares along a side of the grid on which the distance is sampled.
const MAX_STEPS: f32 = 144.0;

/// Draws lines of equal distance to the nearest wall, around all bounded containers and colliders. If no solid is
/// bounded, the lines are around the liquid.
pub(super) fn draw_distances(fluid: Res<FluidSimulation>, mut gizmos: Gizmos<FluidGizmos>) {
    let FluidGizmos { distances, colors, .. } = gizmos.config_ext;
    if !*distances || fluid.containers().len() + fluid.colliders().len() == 0 {
        return;
    }
    let radius = fluid.parameters().interaction_radius();
    let around = around_solids(&fluid).inflated(1.5 * radius);
    let step = ((around.high - around.low).max_element() / MAX_STEPS).max(0.125 * radius);
    // The first level is inside of the solid.
    let values: [f32; LEVELS + 1] = std::array::from_fn(|level| (level as f32 - 1.0) * radius);
    iso_lines(
        around,
        step,
        &values,
        |point| distance(&fluid, point),
        |value, [start, end]| {
            let color = if value < 0.0 {
                colors.collider
            } else {
                let far = colors.container.with_alpha(0.25);
                mixed(colors.container, far, value / (radius * LEVELS as f32))
            };
            gizmos.line_2d(start, end, color);
        },
    );
}

/// Distance to the nearest wall, positive where liquid may be.
fn distance(fluid: &FluidWorld, point: Vec2) -> f32 {
    let colliders = fluid.colliders().map(|(_, collider)| collider.distance(point));
    // A point inside any container counts as inside.
    let depth = fluid.containers().map(|(_, container)| container.depth(point)).reduce(f32::max);
    colliders.chain(depth).fold(f32::INFINITY, f32::min)
}

/// Bounding box of all finite solids, or of the liquid if there are none.
fn around_solids(fluid: &FluidWorld) -> FluidBounds {
    let containers = fluid.containers().map(|(_, solid)| (solid.shape(), solid.centre()));
    let colliders = fluid.colliders().map(|(_, solid)| (solid.shape(), solid.centre()));
    let bounds = containers.chain(colliders).filter_map(|(shape, centre)| {
        // The box holds the shape at every rotation.
        let FluidBounds { low, high } = shape.bounds();
        let farthest = low.abs().max(high.abs()).length();
        farthest.is_finite().then(|| FluidBounds { low: centre, high: centre }.inflated(farthest))
    });
    bounds
        .reduce(FluidBounds::union)
        .unwrap_or_else(|| FluidBounds::of(fluid.particles().positions()))
}

// Layers of the entities around the liquid.

/// Draws containers and colliders at their poses in the simulation.
pub(super) fn draw_solids(fluid: Res<FluidSimulation>, mut gizmos: Gizmos<FluidGizmos>) {
    let FluidGizmos { containers, colliders, colors, .. } = gizmos.config_ext;
    if *containers {
        for (_, container) in fluid.containers() {
            outline(&mut gizmos, container.shape(), container.pose(), colors.container);
        }
    }
    if *colliders {
        for (_, collider) in fluid.colliders() {
            outline(&mut gizmos, collider.shape(), collider.pose(), colors.collider);
        }
    }
}

/// Draws the regions and directions of forces.
pub(super) fn draw_forces(fluid: Res<FluidSimulation>, mut gizmos: Gizmos<FluidGizmos>) {
    let FluidGizmos { forces, colors, .. } = gizmos.config_ext;
    if !*forces {
        return;
    }
    let radius = fluid.parameters().interaction_radius();
    for force in fluid.forces() {
        // A force without a region acts everywhere.
        let size = match &force.region {
            None => radius,
            Some(region) => {
                outline_of(&mut gizmos, region, colors.force);
                region.shape().max_depth().min(4.0 * radius)
            }
        };
        draw_ways(&mut gizmos, force, 0.8 * size, colors.force);
    }
}

/// Draws arrows of a length for the directions of a force, around its centre.
fn draw_ways(gizmos: &mut Gizmos<FluidGizmos>, force: &Force, length: f32, color: Color) {
    let centre = force.centre;
    for push in [force.acceleration, force.wind, force.conveyor] {
        arrow(gizmos, centre, push.normalize_or_zero() * length, color);
    }
    for outwards in [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y] {
        let (near, far) = (centre + 0.3 * length * outwards, centre + length * outwards);
        if force.attraction > 0.0 {
            arrow(gizmos, far, near - far, color);
        } else if force.attraction < 0.0 {
            arrow(gizmos, near, far - near, color);
        }
        if force.swirl != 0.0 {
            let along = outwards.perp() * (0.5 * length).copysign(force.swirl);
            arrow(gizmos, centre + 0.7 * length * outwards, along, color);
        }
    }
}

/// Draws sensors, emitters, drains and pumps at their entities. Those without a valid transform or shape are left out,
/// as in the simulation.
pub(super) fn draw_regions(
    fluid: Res<FluidSimulation>,
    sensors: Query<(Entity, &FluidSensor, &FluidSensorReading)>,
    emitters: Query<(Entity, &FluidEmitter)>,
    drains: Query<(Entity, &FluidDrain)>,
    pumps: Query<(Entity, &FluidPump)>,
    transforms: TransformHelper,
    mut gizmos: Gizmos<FluidGizmos>,
) {
    let layers = gizmos.config_ext;
    let colors = &layers.colors;
    let radius = fluid.parameters().interaction_radius();
    if layers.sensors {
        for (entity, sensor, reading) in &sensors {
            let Ok(placement) = Placement::of(entity, &transforms) else { continue };
            // The opacity grows with the fill.
            let alpha = 0.4 + 0.6 * reading.fill.clamp(0.0, 1.0);
            outline_at(&mut gizmos, &sensor.shape, placement, colors.sensor.with_alpha(alpha));
        }
    }
    if layers.drains {
        for (entity, drain) in &drains {
            let Ok(placement) = Placement::of(entity, &transforms) else { continue };
            outline_at(&mut gizmos, &drain.shape, placement, colors.drain);
            cross(&mut gizmos, placement.pose.translation, 0.25 * radius, colors.drain);
        }
    }
    for (entity, pump) in &pumps {
        let Ok(placement) = Placement::of(entity, &transforms) else { continue };
        let way = placement.pose.to_world_direction(pump.to * placement.scale);
        if layers.drains {
            outline_at(&mut gizmos, &pump.inlet, placement, colors.drain);
            arrow(&mut gizmos, placement.pose.translation, way, colors.drain);
        }
        if layers.emitters {
            let there = placement.moved(way);
            outline_at(&mut gizmos, &pump.outlet, there, colors.emitter);
        }
    }
    if layers.emitters {
        for (entity, emitter) in &emitters {
            let Ok(placement) = Placement::of(entity, &transforms) else { continue };
            match &emitter.nozzle {
                FluidNozzle::Slot { width } => {
                    let Pose { translation: centre, rotation: along } = placement.pose;
                    let half = 0.5 * width * placement.scale.x.abs() * along;
                    gizmos.line_2d(centre - half, centre + half, colors.emitter);
                    arrow(&mut gizmos, centre, along.perp() * radius, colors.emitter);
                }
                FluidNozzle::Area(shape) => {
                    outline_at(&mut gizmos, shape, placement, colors.emitter)
                }
            }
        }
    }
}

/// Draws the outline of an entity's shape, if the shape is valid.
fn outline_at(
    gizmos: &mut Gizmos<FluidGizmos>,
    shape: &FluidShape,
    placement: Placement,
    color: Color,
) {
    let shape = shape.scaled(placement.scale);
    if shape.validate().is_ok() {
        outline(gizmos, &shape, placement.pose, color);
    }
}

// The layers, and their colours.

/// The layers of a [`FluidDebugPlugin`](super::FluidDebugPlugin): a group of Bevy's gizmos. The [`GizmoConfig`] of the
/// group holds the width of lines and the cameras that draw them.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn show_springs(mut store: ResMut<GizmoConfigStore>) {
///     let (config, gizmos) = store.config_mut::<FluidGizmos>();
///     gizmos.springs = true;
///     config.line.width = 1.0;
///     // For cameras of the second layer only.
///     config.render_layers = bevy::camera::visibility::RenderLayers::layer(1);
/// }
///
/// fn pick(fluid: FluidQuery, mut store: ResMut<GizmoConfigStore>) {
///     let (_, gizmos) = store.config_mut::<FluidGizmos>();
///     let nearest = fluid.nearest(Vec2::ZERO, 20.0, ClassFilter::ALL);
///     gizmos.picked = nearest.map(|(particle, _)| particle);
/// }
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, BlobFluidPlugins::default(), FluidDebugPlugin::default()));
/// # app.add_systems(Update, (show_springs, pick).chain());
/// # app.finish();
/// # app.update();
/// # assert!(app.world().resource::<GizmoConfigStore>().config::<FluidGizmos>().1.springs);
/// ```
#[derive(Reflect, GizmoConfigGroup, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone, Debug, PartialEq)]
pub struct FluidGizmos {
    /// Cells that contain particles, coloured by the number of particles
    /// ([`Liquid::occupied_cells`](blob_fluid::Liquid::occupied_cells)).
    pub cells: bool,
    /// Cells whose particles all sleep, hatched.
    pub sleeping: bool,
    /// The particle whose interaction radius and neighbours are drawn, as long as it exists.
    pub picked: Option<ParticleId>,
    /// Velocities: a line from each particle back to its position 1/16 s ago.
    pub velocities: bool,
    /// Densities relative to the rest density, as circles around the particles.
    pub densities: bool,
    /// Springs between particles, coloured by their strain.
    pub springs: bool,
    /// Outlines of containers.
    pub containers: bool,
    /// Outlines of colliders.
    pub colliders: bool,
    /// Lines of equal distance to the nearest wall, one interaction radius apart: up to five where
    /// liquid may be, and one inside of solids.
    pub distances: bool,
    /// Regions of sensors.
    pub sensors: bool,
    /// Nozzles of emitters with their directions, and outlets of pumps.
    pub emitters: bool,
    /// Regions of drains, and inlets of pumps with arrows to their outlets.
    pub drains: bool,
    /// Regions of forces, and their directions.
    pub forces: bool,
    /// Rectangles of air, and wind: from an even sample of the cells, lines back to the air's position 1/8 s ago.
    pub air: bool,
    /// Regions of sources of air, and their winds.
    pub air_sources: bool,
    /// Colours of the layers.
    pub colors: FluidGizmoColors,
}

impl FluidGizmos {
    /// All layers; no particle is picked.
    pub fn all() -> Self {
        let mut all = Self::default();
        all.layers_mut().into_iter().for_each(|(_, on)| *on = true);
        all
    }

    /// Every layer that can be switched on, with its name for a panel.
    ///
    /// ```
    /// use bevy_blob_fluid::FluidGizmos;
    /// let mut gizmos = FluidGizmos::default();
    /// for (name, on) in gizmos.layers_mut() {
    ///     *on = name == "springs";
    /// }
    /// assert!(gizmos.springs && !gizmos.cells);
    /// ```
    pub fn layers_mut(&mut self) -> [(&'static str, &mut bool); 14] {
        [
            ("cells", &mut self.cells),
            ("sleeping", &mut self.sleeping),
            ("velocities", &mut self.velocities),
            ("densities", &mut self.densities),
            ("springs", &mut self.springs),
            ("containers", &mut self.containers),
            ("colliders", &mut self.colliders),
            ("distances", &mut self.distances),
            ("sensors", &mut self.sensors),
            ("emitters", &mut self.emitters),
            ("drains", &mut self.drains),
            ("forces", &mut self.forces),
            ("air", &mut self.air),
            ("air sources", &mut self.air_sources),
        ]
    }
}

/// The colours of a [`FluidGizmos`].
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone, Debug, PartialEq)]
pub struct FluidGizmoColors {
    /// Colour of cells with a single particle.
    pub sparse: Color,
    /// Colour of cells with at least as many particles as in liquid at rest.
    pub crowded: Color,
    /// Colour of sleeping liquid.
    pub sleeping: Color,
    /// Colour of the picked particle, its interaction radius and its neighbours.
    pub picked: Color,
    /// Colour of lines of velocity at the particle; the other end is transparent.
    pub velocity: Color,
    /// Colour of particles at half the rest density or less, and of springs stretched by a quarter or more.
    pub loose: Color,
    /// Colour of particles at the rest density and, fainter, of springs at their rest length.
    pub at_rest: Color,
    /// Colour of particles at 1.5 times the rest density or more, and of springs compressed by a quarter or more.
    pub tight: Color,
    /// Colour of containers, and of lines of distance where liquid may be.
    pub container: Color,
    /// Colour of colliders, and of lines of distance inside of solids.
    pub collider: Color,
    /// Colour of sensors.
    pub sensor: Color,
    /// Colour of emitters.
    pub emitter: Color,
    /// Colour of drains.
    pub drain: Color,
    /// Colour of forces.
    pub force: Color,
    /// Colour of air.
    pub air: Color,
    /// Colour of sources of air.
    pub air_source: Color,
}

impl Default for FluidGizmoColors {
    fn default() -> Self {
        Self {
            sparse: Color::srgba(0.25, 0.45, 0.75, 0.5),
            crowded: Color::srgb(1.0, 0.85, 0.3),
            sleeping: Color::srgba(0.72, 0.62, 1.0, 0.55),
            picked: Color::srgb(1.0, 0.95, 0.6),
            velocity: Color::srgb(0.45, 1.0, 0.75),
            loose: Color::srgb(0.35, 0.6, 1.0),
            at_rest: Color::srgba(0.9, 0.9, 0.9, 0.6),
            tight: Color::srgb(1.0, 0.35, 0.25),
            container: Color::srgb(0.55, 0.85, 1.0),
            collider: Color::srgb(1.0, 0.6, 0.35),
            sensor: Color::srgb(0.95, 0.9, 0.35),
            emitter: Color::srgb(0.4, 0.95, 0.5),
            drain: Color::srgb(1.0, 0.4, 0.6),
            force: Color::srgb(0.85, 0.6, 1.0),
            air: Color::srgb(0.6, 0.85, 0.95),
            air_source: Color::srgb(1.0, 0.75, 0.45),
        }
    }
}
