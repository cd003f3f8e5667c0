//! Setting up and removing the scene of a root.

use bevy::asset::AssetEvent;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::air::AirSource;
use blob_fluid::scene::{Scene, SceneAir, SceneCollider, SceneSolid};
use blob_fluid::{Body, ClassTable, FluidWorld, Motion, Pose};

use crate::air::{FluidAir, FluidAirSource};
use crate::bevy_names::{OnInsert, OnRemove};
use crate::materials::FluidMaterials;
use crate::placing::Placement;
use crate::schedule::FluidOrder;
use crate::simulation::{Fluid, FluidClasses, FluidClock, FluidSettings, FluidSimulation};
use crate::solids::{FluidBuoyant, FluidCollider, FluidContainer, FluidLoad};

/// All roots, and the scene that is shown.
#[derive(Resource, Default)]
pub(crate) struct SceneRoots {
    /// Roots in the order of their insertion.
    roots: Vec<Entity>,
    shown: Option<Shown>,
    /// The last refused scene: its warning is not repeated.
    refused: Option<Scene>,
    /// Whether the shown scene may be out of date.
    stale: bool,
}

struct Shown {
    root: Entity,
    scene: Scene,
    /// Containers, colliders, air and its sources.
    children: Vec<Entity>,
    filled: bool,
}

/// The motion of a container or a collider in its scene.
#[derive(Component, Clone, Copy)]
pub(crate) struct SolidMotion(Motion);

/// Records a new root, or a root with another scene.
pub(crate) fn add_root(inserted: OnInsert<FluidSceneRoot>, mut state: ResMut<SceneRoots>) {
    state.roots.retain(|root| *root != inserted.entity);
    state.roots.push(inserted.entity);
    state.stale = true;
}

/// Records that a root was removed.
pub(crate) fn remove_root(removed: OnRemove<FluidSceneRoot>, mut state: ResMut<SceneRoots>) {
    state.roots.retain(|root| *root != removed.entity);
    state.stale = true;
}

/// Removes the entities of the shown scene, so that it is set up again.
pub(crate) fn start_over(world: &mut World) {
    let mut state = world.resource_mut::<SceneRoots>();
    state.stale = true;
    for child in state.shown.take().into_iter().flat_map(|shown| shown.children) {
        world.despawn(child);
    }
}

/// Removes the scene of a removed root, and sets up the scene of the last inserted root.
pub(crate) fn show_scene(
    mut commands: Commands,
    mut events: MessageReader<AssetEvent<FluidSceneAsset>>,
    roots: Query<&FluidSceneRoot>,
    transforms: TransformHelper,
    scenes: Res<Assets<FluidSceneAsset>>,
    mut state: ResMut<SceneRoots>,
    mut settings: ResMut<FluidSettings>,
    mut classes: ResMut<FluidClasses>,
    materials: Option<ResMut<FluidMaterials>>,
    mut fluid: ResMut<FluidSimulation>,
) {
    let changed = events.read().count() > 0;
    if !changed && !state.stale {
        return;
    }
    state.stale = false;
    let state = &mut *state;
    if let Some(shown) = state.shown.take_if(|shown| !state.roots.contains(&shown.root)) {
        take_away(shown, &mut commands, &mut fluid);
    }
    let Some(root) = state.roots.last().copied() else { return };
    let Some(FluidSceneAsset(scene)) = roots.get(root).ok().and_then(|root| scenes.get(&root.0))
    else {
        return;
    };
    let same_root = state.shown.as_mut().filter(|shown| shown.root == root);
    if same_root.as_ref().is_some_and(|shown| shown.scene == *scene) {
        return;
    }
    let placed = place_of(root, &transforms);
    // The scale may change again without an event.
    state.stale = placed.is_err();
    let world = placed.and_then(|_| scene.build().map_err(|error| error.to_string()));
    let world = match world {
        Ok(world) => world,
        Err(error) => {
            if state.refused.as_ref() != Some(scene) {
                warn!("fluid scene {root} is left out: {error}");
                state.refused = Some(scene.clone());
            }
            return;
        }
    };
    state.refused = None;
    if let Some(mut materials) = materials {
        materials.set_scene_looks(&scene.material_contents);
    }
    if let Some(shown) = same_root.filter(|shown| is_same_but_for_materials(&shown.scene, scene)) {
        shown.scene = scene.clone();
        *classes = classes_of(world.classes());
        return;
    }
    if let Some(shown) = state.shown.take() {
        take_away(shown, &mut commands, &mut fluid);
    }
    bring_into_force(&world, &mut settings, &mut classes, &mut fluid);
    let children = spawn_children(scene, root, &mut commands);
    state.shown = Some(Shown { root, scene: scene.clone(), children, filled: false });
}

/// The placement of a root's scene; an error if it is scaled.
fn place_of(root: Entity, transforms: &TransformHelper) -> Result<Placement, String> {
    let placement = Placement::of(root, transforms).map_err(|error| error.to_string())?;
    let is_scaled = (placement.scale - 1.0).abs().max_element() > 1e-4;
    if is_scaled { Err("a scene cannot be scaled".to_owned()) } else { Ok(placement) }
}

fn is_same_but_for_materials(one: &Scene, other: &Scene) -> bool {
    let bare = |scene: &Scene| Scene { material_contents: Vec::new(), ..scene.clone() };
    bare(one) == bare(other)
}

/// Removes a scene's entities and all liquid.
fn take_away(shown: Shown, commands: &mut Commands, fluid: &mut FluidSimulation) {
    fluid.clear();
    for child in shown.children {
        commands.entity(child).try_despawn();
    }
}

/// Applies a scene's parameters and classes at once, because its liquid is added in the same run.
fn bring_into_force(
    world: &FluidWorld,
    settings: &mut FluidSettings,
    classes: &mut FluidClasses,
    fluid: &mut FluidSimulation,
) {
    fluid.clear();
    settings.parameters = *world.parameters();
    settings.capacity = settings.capacity.max(world.particles().len());
    *classes = classes_of(world.classes());
    fluid.world_mut().set_capacity(settings.capacity);
    if let Err(error) = fluid.world_mut().set_parameters(settings.parameters) {
        warn!("fluid settings refused, the last valid ones stay: {error}");
    }
    if let Err(error) = fluid.world_mut().set_classes(world.classes().clone()) {
        warn!("fluid classes refused, the last valid ones stay: {error}");
    }
}

fn classes_of(table: &ClassTable) -> FluidClasses {
    FluidClasses { classes: table.iter().cloned().collect(), pairs: table.pairs().to_vec() }
}

/// Spawns a scene's containers, colliders, air and sources of air as children of its root.
fn spawn_children(scene: &Scene, root: Entity, commands: &mut Commands) -> Vec<Entity> {
    let sources = scene.airs.iter().map(|air| air.sources.len()).sum::<usize>();
    let count = scene.containers.len() + scene.colliders.len() + scene.airs.len() + sources;
    // The entities have the order of the file.
    let children: Vec<Entity> = (0..count as i64)
        .map(|index| commands.spawn((ChildOf(root), FluidOrder::new(index))).id())
        .collect();
    let mut free = children.iter().copied();
    for (described, child) in scene.containers.iter().zip(&mut free) {
        let container = FluidContainer { shape: described.shape.clone(), wall: described.wall };
        let mut child = commands.entity(child);
        child.insert((container, transform_of(described)));
        give_motion(described, &mut child);
    }
    for (described, child) in scene.colliders.iter().zip(&mut free) {
        let options = described.options;
        let collider =
            FluidCollider { shape: described.shape.clone(), wall: described.wall, options };
        let mut child = commands.entity(child);
        child.insert((collider, transform_of(described)));
        if described.options.reports_load {
            child.insert(FluidLoad::default());
        }
        if let Some(buoyant) = buoyant(described, scene.parameters.particle_spacing) {
            child.insert(buoyant);
        }
        give_motion(described, &mut child);
    }
    for (described, child) in scene.airs.iter().zip(&mut free) {
        let air = air_of(described, scene.parameters.particle_spacing);
        let transform = Transform::from_translation(described.bounds.centre().extend(0.0));
        commands.entity(child).insert((air, transform));
    }
    let sources = scene.airs.iter().flat_map(|air| &air.sources);
    for (source, child) in sources.zip(&mut free) {
        let transform = Transform::from_translation(source.region.centre().extend(0.0))
            .with_rotation(turned_by(source.region.rotation()));
        commands.entity(child).insert((source_of(source), transform));
    }
    children
}

fn give_motion<Options>(solid: &SceneSolid<Options>, child: &mut EntityCommands) {
    if solid.motion != Motion::STILL {
        child.insert(SolidMotion(solid.motion));
    }
}

/// The air of a scene as a component.
fn air_of(air: &SceneAir, particle_spacing: f32) -> FluidAir {
    let SceneAir { bounds, cell_size, settings, sides, .. } = air;
    FluidAir {
        size: 2.0 * bounds.half_size(),
        cell_size: *cell_size,
        density_ratio: settings.density * particle_spacing * particle_spacing,
        sides: *sides,
        settings: *settings,
    }
}

fn source_of(source: &AirSource) -> FluidAirSource {
    let AirSource { region, smoke, heat, fuel, vapour, colour, expansion, wind, embers, burst } =
        source;
    // Directions of the component are the entity's own.
    let back = region.rotation() * Vec2::new(1.0, -1.0);
    FluidAirSource {
        shape: region.shape().clone(),
        smoke: *smoke,
        heat: *heat,
        fuel: *fuel,
        vapour: *vapour,
        color: colour.map(|[red, green, blue]| Color::linear_rgb(red, green, blue)),
        expansion: *expansion,
        wind: wind.map(|wind| back.rotate(wind.velocity)),
        wind_strength: wind.and_then(|wind| wind.strength),
        embers: *embers,
        burst: *burst,
    }
}

/// The body of a collider, with the density that its mass results in; `None` without a body.
fn buoyant(collider: &SceneCollider, particle_spacing: f32) -> Option<FluidBuoyant> {
    let Body {
        mass, gravity_scale, drag, friction, pinned, lock_rotation, ignore_contacts, ..
    } = collider.options.body?;
    let displaced = Body::of_density(1.0, &collider.shape, particle_spacing).ok()?.mass;
    let density = mass / displaced;
    Some(FluidBuoyant {
        density,
        gravity_scale,
        drag,
        friction,
        pinned,
        lock_rotation,
        ignore_contacts,
    })
}

fn transform_of<Options>(solid: &SceneSolid<Options>) -> Transform {
    Transform::from_translation(solid.centre.extend(0.0)).with_rotation(turned_by(solid.rotation))
}

/// A rotation by an angle, given as cosine and sine. It uses no functions whose results differ
/// between platforms.
fn turned_by(rotation: Vec2) -> Quat {
    let half = Vec2::new(1.0 + rotation.x, rotation.y).normalize_or(Vec2::Y);
    Quat::from_xyzw(0.0, 0.0, half.y, half.x)
}

/// Moves the containers and colliders that have a motion in their scene, unless the fluid is paused.
pub(crate) fn move_solids(
    time: Res<Time>,
    fluid_time: Res<Time<Fluid>>,
    mut solids: Query<(&SolidMotion, &mut Transform)>,
) {
    if fluid_time.is_paused() {
        return;
    }
    let seconds = time.delta_secs() * fluid_time.relative_speed() as f32;
    for (SolidMotion(motion), mut transform) in &mut solids {
        transform.translation += (motion.velocity * seconds).extend(0.0);
        let angle = motion.angular_velocity * seconds;
        let turn = Quat::from_xyzw(0.0, 0.0, 0.5 * angle, 1.0).normalize();
        transform.rotation = (turn * transform.rotation).normalize();
    }
}

/// Fills a scene with its liquid once its solids are in the simulation.
pub(crate) fn fill_scene(
    mut commands: Commands,
    transforms: TransformHelper,
    mut state: ResMut<SceneRoots>,
    mut fluid: ResMut<FluidSimulation>,
) {
    // Most runs end here. They must not mark the resource as changed.
    let Some(shown) = state.bypass_change_detection().shown.as_mut().filter(|shown| !shown.filled)
    else {
        return;
    };
    shown.filled = true;
    let root = shown.root;
    let filled = place_of(root, &transforms).and_then(|placement| {
        let Pose { translation, rotation } = placement.pose;
        let filled = shown.scene.fill(fluid.world_mut(), translation, rotation);
        filled.map_err(|error| error.to_string())
    });
    fluid.reset_clock();
    match filled {
        Ok(()) => commands.trigger(FluidSceneShown { entity: root }),
        Err(error) => warn!("fluid scene {root} is left without liquid: {error}"),
    }
}

// A scene as an asset.

/// A scene as an asset: a [`Scene`] from a `*.scene.ron` file. The asset includes the scene's materials and those into
/// which they turn, from the folder `materials` beside the scene's own folder.
#[derive(Asset, TypePath, Clone, Debug, PartialEq, Deref)]
pub struct FluidSceneAsset(pub Scene);

// The component that shows a scene, and the event after a scene is set up.

/// Shows a scene from a file once it has been loaded.
///
/// The scene's parameters and classes replace those in [`FluidSettings`](crate::FluidSettings) and
/// [`FluidClasses`](crate::FluidClasses). Its containers and colliders become children of the entity, and its liquid
/// replaces all liquid. A [`FluidSceneShown`] is triggered. The scene's settling, duration and tick rate are ignored.
///
/// The world has one liquid, so only one scene is shown. Of several roots, the root inserted last shows its scene. When
/// that root is removed, the previous scene is shown. Removing the entity, or this component, removes the scene's
/// solids and all liquid; settings and classes stay. The entity's [`Transform`] places the scene when it is set up.
/// With a scaled transform there is a warning, and the previous scene stays until the scale is 1.
///
/// When the file changes, the scene starts again from its beginning; when only its materials change, these are applied.
/// An invalid scene is refused with a warning, and the last scene stays.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands, assets: Res<AssetServer>) {
///     let scene = assets.load("scenes/lava_meets_water.scene.ron");
///     commands.spawn(FluidSceneRoot(scene)).observe(|shown: On<FluidSceneShown>| {
///         info!("{} is there", shown.entity);
///     });
/// }
/// ```
#[doc = guide!("scenes")]
#[derive(Component, FromTemplate, Reflect, Clone, Debug, Default, PartialEq)]
#[component(immutable)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform)]
#[cfg_attr(feature = "render", require(Visibility))]
pub struct FluidSceneRoot(pub Handle<FluidSceneAsset>);

/// The scene of a [`FluidSceneRoot`] has been set up, and its first tick is next.
#[derive(EntityEvent, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Debug, PartialEq)]
pub struct FluidSceneShown {
    /// The entity with the [`FluidSceneRoot`].
    pub entity: Entity,
}
