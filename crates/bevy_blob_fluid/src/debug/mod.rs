//! Draws the state of the simulation over the liquid.
//!
//! | file | what it draws |
//! |---|---|
//! | `gizmos.rs` | nothing: it holds which layers are on, and their colours |
//! | `liquid.rs` | cells, sleep, neighbours, velocities, densities and springs |
//! | `entities.rs` | containers, colliders, sensors, emitters, drains and forces |
//! | `air.rs` | air, its wind and its sources |
//! | `distance.rs` | distances to walls |
//! | `pen.rs` | shapes, crosses and arrows |

mod draw;

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::gizmos::GizmoAsset;
use bevy::gizmos::config::{GizmoConfig, GizmoConfigGroup, GizmoConfigStore};
use bevy::prelude::*;
use blob_fluid::ParticleId;

use crate::simulation::{Fluid, interpolation, is_fixed};

/// Draws what [`FluidGizmos`] says over the liquid, with Bevy's gizmos. All layers are off at
/// first.
///
/// Moving items are drawn interpolated between two ticks, like the liquid itself. A layer draws some
/// ten thousand lines at most: if there are more particles or springs, an even sample of them is
/// drawn.
///
/// It is not part of [`BlobFluidPlugins`](crate::BlobFluidPlugins): add it beside them. In an app
/// without Bevy's gizmos, such as a headless one, it draws nothing.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// App::new().add_plugins((
///     MinimalPlugins,
///     BlobFluidPlugins::default(),
///     FluidDebugPlugin::default(),
/// ));
/// ```
#[derive(Clone, Debug)]
pub struct FluidDebugPlugin {
    schedule: InternedScheduleLabel,
}

impl FluidDebugPlugin {
    /// Draws a fluid that is simulated in the given schedule.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for FluidDebugPlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl Plugin for FluidDebugPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<FluidGizmos>().register_type::<FluidGizmoColors>();
        let mut store = app.world_mut().get_resource_or_init::<GizmoConfigStore>();
        if store.get_config::<FluidGizmos>().is_none() {
            store.insert(GizmoConfig::default(), FluidGizmos::default());
        }
    }

    /// This runs in `finish`, because Bevy's plugins may be added after this one.
    fn finish(&self, app: &mut App) {
        if !app.world().contains_resource::<Assets<GizmoAsset>>() {
            return;
        }
        let store = app.world().resource::<GizmoConfigStore>();
        let (config, gizmos) = store.config::<FluidGizmos>();
        let (config, gizmos) = (config.clone(), gizmos.clone());
        app.insert_gizmo_config(gizmos, config);
        let in_fixed_schedule = is_fixed(self.schedule);
        let between_ticks = move |time: Res<Time<Fluid>>, fixed: Res<Time<Fixed>>| {
            interpolation(&time, &fixed, in_fixed_schedule)
        };
        app.add_systems(
            PostUpdate,
            (
                between_ticks.pipe(draw::draw_liquid),
                draw::draw_distances,
                draw::draw_solids,
                draw::draw_forces,
                draw::draw_regions,
                draw::draw_air,
            )
                .chain()
                .after(TransformSystems::Propagate),
        );
    }
}

// The layers that are drawn, and their colours.

/// The layers that a [`FluidDebugPlugin`](super::FluidDebugPlugin) draws: a group of Bevy's gizmos.
/// Its [`GizmoConfig`] holds the width of lines and which cameras see them.
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
    /// The cells with particles in them, by how many they hold
    /// ([`Liquid::occupied_cells`](blob_fluid::Liquid::occupied_cells)).
    pub cells: bool,
    /// Cells whose particles all sleep, hatched.
    pub sleeping: bool,
    /// The particle whose interaction radius and neighbours are drawn, as long as it lives.
    pub picked: Option<ParticleId>,
    /// Velocities: lines back to where particles were a sixteenth of a second before.
    pub velocities: bool,
    /// Densities relative to that at rest, as circles around the particles.
    pub densities: bool,
    /// Springs between particles, by how far they are stretched or compressed.
    pub springs: bool,
    /// Outlines of containers.
    pub containers: bool,
    /// Outlines of colliders.
    pub colliders: bool,
    /// Lines of equal distance to the nearest wall, an interaction radius apart: up to five where
    /// liquid may be, and one inside of solids.
    pub distances: bool,
    /// Regions of sensors.
    pub sensors: bool,
    /// Nozzles of emitters, and their directions, and outlets of pumps.
    pub emitters: bool,
    /// Regions of drains, and inlets of pumps with the way to their outlets.
    pub drains: bool,
    /// Regions of forces, and their directions.
    pub forces: bool,
    /// Rectangles of air, and wind: lines back to where the air was an eighth of a second before, in
    /// an even sample of the cells.
    pub air: bool,
    /// Regions of sources of air, and their winds.
    pub air_sources: bool,
    /// The colours.
    pub colors: FluidGizmoColors,
}

impl FluidGizmos {
    /// All layers at once; no particle is picked.
    pub fn all() -> Self {
        let mut all = Self::default();
        all.layers_mut().into_iter().for_each(|(_, on)| *on = true);
        all
    }

    /// Every layer that can be switched on, by the name of its field, for a panel.
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
    /// Cells with a single particle.
    pub sparse: Color,
    /// Cells with as many as liquid at rest has, or more.
    pub crowded: Color,
    /// Sleeping liquid.
    pub sleeping: Color,
    /// The picked particle, its interaction radius and its neighbours.
    pub picked: Color,
    /// The end of a velocity where the particle is.
    pub velocity: Color,
    /// Half the rest density or less; springs stretched by a quarter or more.
    pub loose: Color,
    /// The rest density; also springs at their rest length, drawn fainter.
    pub at_rest: Color,
    /// 1.5 times the rest density or more; springs compressed by a quarter or more.
    pub tight: Color,
    /// Containers, and lines of distance where liquid may be.
    pub container: Color,
    /// Colliders, and lines of distance inside of solids.
    pub collider: Color,
    /// Sensors.
    pub sensor: Color,
    /// Emitters.
    pub emitter: Color,
    /// Drains.
    pub drain: Color,
    /// Forces.
    pub force: Color,
    /// Air.
    pub air: Color,
    /// Sources of air.
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
