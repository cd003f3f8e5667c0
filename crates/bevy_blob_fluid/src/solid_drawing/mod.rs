//! Drawing of containers and colliders, for games that have no art of their own yet.

mod mesh;

use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::FluidShape;

use crate::placing::Placement;
use crate::solids::{FluidBuoyant, FluidCollider, FluidContainer};

/// Depth of the inside of a container relative to its entity, behind the liquid.
const INTERIOR_DEPTH: f32 = -10.0;
/// Depth of walls relative to their entities, in front of the liquid.
const WALL_DEPTH: f32 = 5.0;

/// Draws every [`FluidContainer`] as a wall around a filled inside, and every [`FluidCollider`] as
/// its filled shape, so that a game has something to see before it has art.
///
/// The meshes are children of the entities, and show what the simulation has: a round shape under an uneven scale
/// stays round. They follow every change of a shape or a scale, and are removed
/// with it. The inside of a container is at depth -10 and walls are at depth 5, relative to their
/// entities. Shapes from images are not drawn. In an app without a renderer the plugin does nothing.
///
/// ```no_run
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// App::new()
///     .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
///     .insert_resource(FluidSolidStyle { wall: Color::BLACK, ..default() })
///     .run();
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FluidSolidDrawingPlugin;

/// Colours and thickness of what [`FluidSolidDrawingPlugin`] draws.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidSolidStyle {
    /// Colour of the inside of containers; `None` for nothing behind the liquid. Default a dark
    /// blue.
    pub interior: Option<Color>,
    /// Colour of the walls of containers, and of colliders. Default a greyish blue.
    pub wall: Color,
    /// Colour of colliders that are [`FluidBuoyant`]. Default brown.
    pub body: Color,
    /// Thickness of the walls of containers, in world units. Default 10.
    pub thickness: f32,
}

impl Default for FluidSolidStyle {
    fn default() -> Self {
        Self {
            interior: Some(Color::srgb(0.062, 0.078, 0.137)),
            wall: Color::srgb(0.36, 0.42, 0.56),
            body: Color::srgb(0.62, 0.45, 0.30),
            thickness: 10.0,
        }
    }
}

/// The colour of the wall of one container, or of one collider, instead of the one in
/// [`FluidSolidStyle`].
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((
///         FluidCollider::from(Rectangle::new(200.0, 20.0)),
///         FluidSolidColor(Color::srgb(0.8, 0.3, 0.2)),
///     ));
/// }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidSolidColor(pub Color);

/// Marks the meshes.
#[derive(Component)]
struct FluidSolidMesh {
    /// The scale at which the solid was drawn.
    scale: Vec2,
}

impl Plugin for FluidSolidDrawingPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<FluidSolidStyle>()
            .register_type::<FluidSolidStyle>()
            .register_type::<FluidSolidColor>();
    }

    /// This runs in `finish`, because Bevy's plugins may be added after this one.
    fn finish(&self, app: &mut App) {
        let world = app.world();
        if world.contains_resource::<Assets<Mesh>>()
            && world.contains_resource::<Assets<ColorMaterial>>()
        {
            app.add_systems(PostUpdate, draw_solids.before(TransformSystems::Propagate));
        }
    }
}

/// Draws the solids that are new or have changed, and removes what was drawn of them before.
fn draw_solids(
    mut commands: Commands,
    style: Res<FluidSolidStyle>,
    solids: Query<(
        Option<&FluidContainer>,
        Option<&FluidCollider>,
        Has<FluidBuoyant>,
        Option<&FluidSolidColor>,
        Option<&Children>,
    )>,
    all: Query<Entity, Or<(With<FluidContainer>, With<FluidCollider>)>>,
    changed: Query<
        Entity,
        Or<(
            Changed<FluidContainer>,
            Changed<FluidCollider>,
            Changed<FluidSolidColor>,
            Added<FluidBuoyant>,
        )>,
    >,
    moved: Query<
        Entity,
        (Or<(With<FluidContainer>, With<FluidCollider>)>, Changed<GlobalTransform>),
    >,
    transforms: TransformHelper,
    mut removed: (
        RemovedComponents<FluidContainer>,
        RemovedComponents<FluidCollider>,
        RemovedComponents<FluidSolidColor>,
        RemovedComponents<FluidBuoyant>,
    ),
    drawn: Query<&FluidSolidMesh>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let (containers, colliders, colors, bodies) = &mut removed;
    let lost = containers.read().chain(colliders.read()).chain(colors.read()).chain(bodies.read());
    let mut outdated: Vec<Entity> = lost.chain(&changed).collect();
    if style.is_changed() {
        outdated.extend(&all);
    }
    let scale_of =
        |entity| Placement::of(entity, &transforms).ok().map(|placement| placement.scale);
    outdated.extend(moved.iter().filter(|entity| {
        let children = solids.get(*entity).ok().and_then(|(.., children)| children);
        let mut meshes = children.into_iter().flatten().filter_map(|child| drawn.get(*child).ok());
        meshes
            .next()
            .is_some_and(|mesh| scale_of(*entity).is_some_and(|scale| differ(scale, mesh.scale)))
    }));
    outdated.sort_unstable();
    outdated.dedup();
    for entity in outdated {
        let Ok((container, collider, floats, solid_color, children)) = solids.get(entity) else {
            continue;
        };
        // Without a valid scale nothing is seen, and with one all is drawn again.
        let scale = scale_of(entity).unwrap_or(Vec2::ONE);
        for child in children.into_iter().flatten().filter(|child| drawn.contains(**child)) {
            commands.entity(*child).try_despawn();
        }
        let color = solid_color.map(|color| color.0);
        let mut draw = |mesh: Mesh, color: Color, depth| {
            // The entity may lack visibility components of its own.
            commands.entity(entity).insert_if_new(Visibility::default());
            commands.spawn((
                FluidSolidMesh { scale },
                Mesh2d(meshes.add(mesh)),
                MeshMaterial2d(materials.add(color)),
                // The shape has the entity's scale already.
                Transform::from_xyz(0.0, 0.0, depth).with_scale(scale.recip().extend(1.0)),
                ChildOf(entity),
            ));
        };
        if let Some(FluidContainer { shape, .. }) = container.filter(|solid| has_area(&solid.shape))
        {
            let shape = &shape.scaled(scale);
            if let Some(interior) = style.interior {
                draw(mesh::filled(shape), interior, INTERIOR_DEPTH);
            }
            draw(mesh::walls(shape, style.thickness), color.unwrap_or(style.wall), WALL_DEPTH);
        }
        if let Some(FluidCollider { shape, options, .. }) =
            collider.filter(|solid| has_area(&solid.shape))
        {
            let shape = &shape.scaled(scale);
            let mesh = if options.inside_out {
                mesh::walls(shape, style.thickness)
            } else {
                mesh::filled(shape)
            };
            let usual = if floats { style.body } else { style.wall };
            draw(mesh, color.unwrap_or(usual), WALL_DEPTH);
        }
    }
}

/// Whether two scales are not the same but for rounding.
fn differ(one: Vec2, other: Vec2) -> bool {
    (one - other).abs().max_element() > 1e-4 * other.abs().max_element()
}

/// Whether a shape is valid and large enough to be seen.
fn has_area(shape: &FluidShape) -> bool {
    let size = shape.bounds().half_size();
    size.is_finite() && size.min_element() > 0.0
}
