//! What `FluidSolidDrawingPlugin` draws, in an app without a renderer.

use crate::app::*;

fn app() -> App {
    let mut app = app_of(AssetPlugin::default());
    app.init_asset::<Mesh>()
        .init_asset::<ColorMaterial>()
        .add_plugins((BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
        .finish_plugins();
    app
}

/// Colours and depths of the meshes of an entity.
fn drawn(app: &mut App, entity: Entity) -> Vec<(Color, f32)> {
    app.update();
    let children: Vec<Entity> =
        app.world().get::<Children>(entity).map_or(vec![], |children| children.to_vec());
    let materials = app.resource::<Assets<ColorMaterial>>();
    let parts = children.into_iter().map(|child| {
        let handle = app.component::<MeshMaterial2d<ColorMaterial>>(child);
        let depth = app.component::<Transform>(child).translation.z;
        (materials.get(&handle.0).expect("loaded").color, depth)
    });
    parts.collect()
}

/// The handle of the mesh in front of the liquid.
fn mesh_of(app: &App, entity: Entity) -> Handle<Mesh> {
    let children = app.component::<Children>(entity);
    let mut meshes = children.iter().filter_map(|child| app.world().get::<Mesh2d>(child));
    meshes.next_back().expect("a mesh").0.clone()
}

#[test]
fn solids_are_drawn_in_their_colours() {
    let mut app = app();
    let style = FluidSolidStyle::default();
    let world = app.world_mut();
    let bowl = world.spawn(FluidContainer::from(Circle::new(100.0))).id();
    let stone = world.spawn(FluidCollider::from(Circle::new(10.0))).id();
    let raft = world
        .spawn((FluidCollider::from(Rectangle::new(20.0, 5.0)), FluidBuoyant::of_density(0.5)))
        .id();
    let red = Color::srgb(1.0, 0.0, 0.0);
    let goal = world.spawn((FluidCollider::from(Circle::new(5.0)), FluidSolidColor(red))).id();
    let nothing = world.spawn(FluidCollider::default()).id();
    let interior = style.interior.expect("drawn by default");
    assert_eq!(drawn(&mut app, bowl), [(interior, -10.0), (style.wall, 5.0)]);
    assert_eq!(drawn(&mut app, stone), [(style.wall, 5.0)]);
    assert_eq!(drawn(&mut app, raft), [(style.body, 5.0)]);
    assert_eq!(drawn(&mut app, goal), [(red, 5.0)]);
    assert_eq!(drawn(&mut app, nothing), []);

    app.remove::<FluidSolidColor>(goal);
    app.remove::<FluidBuoyant>(raft);
    assert_eq!(drawn(&mut app, goal), [(style.wall, 5.0)]);
    assert_eq!(drawn(&mut app, raft), [(style.wall, 5.0)]);
    app.insert_resource(FluidSolidStyle { interior: None, wall: red, ..style });
    assert_eq!(drawn(&mut app, bowl), [(red, 5.0)]);
    assert_eq!(drawn(&mut app, stone), [(red, 5.0)]);
}

#[test]
fn meshes_follow_changes_and_go_with_their_components() {
    let mut app = app();
    let world = app.world_mut();
    let label = world.spawn_empty().id();
    let gate = world.spawn(FluidCollider::from(Rectangle::new(10.0, 50.0))).add_child(label).id();
    app.update();
    let before = mesh_of(&app, gate);
    app.update();
    assert_eq!(mesh_of(&app, gate), before, "what stays is not drawn again");
    *app.component_mut::<FluidCollider>(gate) = FluidCollider::from(Circle::new(8.0));
    app.update();
    assert_ne!(mesh_of(&app, gate), before);

    app.remove::<FluidCollider>(gate);
    app.update();
    let children = app.component::<Children>(gate);
    assert_eq!(**children, [label]);
    let mut parts = app.world_mut().query_filtered::<(), With<Mesh2d>>();
    assert_eq!(parts.iter(app.world()).count(), 0);

    let pond = app.spawn(FluidContainer::from(Circle::new(100.0)));
    app.update();
    assert_eq!(parts.iter(app.world()).count(), 2);
    app.despawn(pond);
    app.update();
    assert_eq!(parts.iter(app.world()).count(), 0);
}

#[test]
fn an_app_without_meshes_goes_on() {
    let mut app = app_of((BlobFluidPlugins::default(), FluidSolidDrawingPlugin));
    app.finish_plugins();
    app.spawn(FluidContainer::from(Circle::new(100.0)));
    app.update();
}
