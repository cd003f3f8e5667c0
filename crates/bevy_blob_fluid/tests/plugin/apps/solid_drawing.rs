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
fn what_is_drawn_of_a_scaled_solid_is_what_holds_the_liquid() {
    /// The largest distance from the middle that is drawn, along both axes of the world.
    fn reach(app: &App, solid: Entity) -> Vec2 {
        let children = app.component::<Children>(solid);
        let corners = children.iter().flat_map(|child| {
            let mesh = app.resource::<Assets<Mesh>>().get(&app.component::<Mesh2d>(child).0);
            let corners = mesh.expect("there").attribute(Mesh::ATTRIBUTE_POSITION);
            let corners = corners.and_then(|corners| corners.as_float3()).expect("corners");
            let place = *app.component::<GlobalTransform>(child);
            corners
                .iter()
                .map(|corner| place.transform_point(Vec3::from(*corner)).truncate())
                .collect::<Vec<Vec2>>()
        });
        corners.fold(Vec2::ZERO, |most, corner| most.max(corner.abs()))
    }
    let mut app = app();
    let scaled = |x, y| Transform::from_scale(Vec3::new(x, y, 1.0));
    let round = app.spawn((FluidContainer::from(Circle::new(100.0)), scaled(3.0, 1.0)));
    let tank = app.spawn((FluidContainer::from(Rectangle::new(20.0, 60.0)), scaled(-3.0, 2.0)));
    app.updates(2);
    let thickness = FluidSolidStyle::default().thickness;
    let is_close = |found: Vec2, right: Vec2| assert!(found.distance(right) < 1e-2, "{found}");
    is_close(reach(&app, round), Vec2::splat(100.0 + thickness));
    is_close(reach(&app, tank), Vec2::new(30.0, 60.0) + thickness);
    // It is drawn again when its size changes, and only then.
    let before = mesh_of(&app, tank);
    app.transform(tank).translation.x = 7.0;
    app.transform(tank).rotation = Quat::from_rotation_z(1.0);
    app.updates(3);
    assert_eq!(mesh_of(&app, tank), before);
    *app.transform(tank) = scaled(1.0, 1.0);
    app.updates(3);
    is_close(reach(&app, tank), Vec2::new(10.0, 30.0) + thickness);
    *app.transform(tank) = scaled(0.0, 1.0);
    app.updates(3);
    *app.transform(tank) = scaled(2.0, 1.0);
    app.updates(3);
    is_close(reach(&app, tank), Vec2::new(20.0, 30.0) + thickness);
}

#[test]
fn an_app_without_meshes_goes_on() {
    let mut app = app_of((BlobFluidPlugins::default(), FluidSolidDrawingPlugin));
    app.finish_plugins();
    app.spawn(FluidContainer::from(Circle::new(100.0)));
    app.update();
}
