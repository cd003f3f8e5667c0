//! Liquid and colliders from images, in a headless app.

use std::time::{Duration, Instant};

use bevy::asset::RenderAssetUsages;
use bevy::image::Image;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::blob_fluid::Collider;
use bevy_blob_fluid::prelude::*;

fn headless() -> App {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins,
        AssetPlugin::default(),
        ImagePlugin::default(),
        TransformPlugin,
        BlobFluidPlugins::default(),
    ))
    .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
    .insert_resource(FluidSettings::new(4.0, Vec2::ZERO));
    app.finish();
    app.cleanup();
    app.update();
    app
}

/// A picture of `width` by `height` pixels with that alpha in each.
fn image(width: u32, height: u32, alpha: impl Fn(u32, u32) -> u8) -> Image {
    let pixels = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
    let data = pixels.flat_map(|(column, row)| [90, 90, 90, alpha(column, row)]).collect();
    let size = Extent3d { width, height, depth_or_array_layers: 1 };
    let format = TextureFormat::Rgba8UnormSrgb;
    Image::new(size, TextureDimension::D2, data, format, RenderAssetUsages::default())
}

/// Opaque in the upper left quarter, and a little in the upper right one.
fn quarter() -> Image {
    image(40, 20, |column, row| match (column < 20, row < 10) {
        (true, true) => 255,
        (false, true) => 60,
        _ => 0,
    })
}

fn add(app: &mut App, image: Image) -> Handle<Image> {
    app.world_mut().resource_mut::<Assets<Image>>().add(image)
}

#[track_caller]
fn wait(app: &mut App, mut until: impl FnMut(&mut App) -> bool) {
    let begin = Instant::now();
    while !until(app) {
        assert!(begin.elapsed() < Duration::from_secs(20), "never");
        app.update();
    }
}

/// Long enough for whatever is being made to be there.
fn rest(app: &mut App) {
    for _ in 0..20 {
        app.update();
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn fluid(app: &App) -> &FluidSimulation {
    app.world().resource::<FluidSimulation>()
}

/// The first collider of the liquid.
fn first_collider(fluid: &FluidSimulation) -> &Collider {
    fluid.colliders().next().expect("there is one").1
}

#[test]
fn an_image_becomes_a_collider_where_it_is_opaque_and_changes_with_it() {
    let mut app = headless();
    let quarter = add(&mut app, quarter());
    let wall = FluidWallProperties { stickiness: 1.0, ..default() };
    let target = FluidCollider::default().with_wall(wall);
    let picture = FluidPicture::new(quarter.clone(), target);
    let entity = app.world_mut().spawn((picture, Transform::from_xyz(100.0, 0.0, 0.0))).id();
    wait(&mut app, |app| fluid(app).colliders().len() > 0);
    let inside = |app: &App, x: f32, y: f32| {
        let collider = first_collider(fluid(app));
        assert_eq!(collider.centre(), Vec2::X * 100.0);
        collider.shape().contains(Vec2::new(x, y))
    };
    let corners = |app: &App| {
        [(-10.0, 5.0), (10.0, 5.0), (-10.0, -5.0), (10.0, -5.0)].map(|(x, y)| inside(app, x, y))
    };
    assert_eq!(corners(&app), [true, false, false, false], "rows count downwards");
    assert!(inside(&app, -18.0, 8.0) && !inside(&app, -22.0, 8.0), "a unit per pixel");
    assert_eq!(first_collider(fluid(&app)).wall(), wall);

    // Other settings of the component.
    let mut picture = app.world_mut().get_mut::<FluidPicture>(entity).expect("there");
    picture.threshold = 0.2;
    wait(&mut app, |app| corners(app) == [true, true, false, false]);
    let mut picture = app.world_mut().get_mut::<FluidPicture>(entity).expect("there");
    picture.size = Some(Vec2::new(80.0, 40.0));
    wait(&mut app, |app| inside(app, -35.0, 15.0));

    // Another image in the same place, and one that is none.
    let below = image(40, 20, |_, row| if row < 10 { 0 } else { 255 });
    let mut images = app.world_mut().resource_mut::<Assets<Image>>();
    images.insert(&quarter, below).expect("a place");
    wait(&mut app, |app| corners(app) == [false, false, true, true]);
    let mut images = app.world_mut().resource_mut::<Assets<Image>>();
    images.insert(&quarter, image(40, 20, |_, _| 0)).expect("a place");
    rest(&mut app);
    assert_eq!(corners(&app), [false, false, true, true], "the last valid shape stays");
    app.world_mut().despawn(entity);
    app.update();
    assert_eq!(fluid(&app).colliders().len(), 0);
}

#[test]
fn an_image_is_filled_with_liquid_once_it_is_there() {
    let mut app = headless();
    let handle = app.world().resource::<Assets<Image>>().reserve_handle();
    let target = FluidBlob::default().with_velocity(Vec2::X);
    let picture = FluidPicture::new(handle.clone(), target).with_size(Vec2::new(160.0, 80.0));
    let entity = app.world_mut().spawn((picture, FluidClass::LIGHT)).id();
    rest(&mut app);
    assert!(fluid(&app).particles().is_empty());
    assert!(!app.world().entity(entity).contains::<FluidBlob>());
    let mut images = app.world_mut().resource_mut::<Assets<Image>>();
    images.insert(&handle, quarter()).expect("a place");
    wait(&mut app, |app| !fluid(app).particles().is_empty());
    let particles = fluid(&app).particles();
    let expected = 80.0 * 40.0 / (4.0 * 1.03_f32).powi(2);
    assert!((particles.len() as f32 / expected - 1.0).abs() < 0.1, "{}", particles.len());
    assert!(particles.positions().iter().all(|at| at.x < 2.0 && at.y > -2.0));
    assert!(particles.classes().iter().all(|class| *class == FluidClassId::LIGHT));
    assert!(particles.velocities().iter().map(|velocity| velocity.x).sum::<f32>() > 0.0);
}

#[test]
fn what_is_no_picture_is_refused_and_what_is_removed_is_forgotten() {
    let mut app = headless();
    let quarter = add(&mut app, quarter());
    let empty = add(&mut app, image(40, 20, |_, _| 0));
    let wide = add(&mut app, image(5000, 1, |_, _| 255));
    let mut drawn = image(4, 4, |_, _| 255);
    drawn.data = None;
    let drawn = add(&mut app, drawn);
    let missing = app.world().resource::<AssetServer>().load("no such picture.png");
    let picture = |image: &Handle<Image>| FluidPicture::new(image.clone(), FluidBlob::default());
    for bad in [
        picture(&empty),
        picture(&wide),
        picture(&drawn),
        picture(&missing),
        picture(&Handle::default()),
        picture(&quarter).with_threshold(0.0),
        picture(&quarter).with_threshold(f32::NAN),
        picture(&quarter).with_size(Vec2::new(-1.0, 3.0)),
    ] {
        app.world_mut().spawn(bad);
    }
    rest(&mut app);
    assert!(fluid(&app).particles().is_empty());

    let entities: Vec<Entity> =
        (0..8).map(|_| app.world_mut().spawn(picture(&quarter)).id()).collect();
    app.update();
    for (number, entity) in entities.into_iter().enumerate() {
        if number % 2 == 0 {
            app.world_mut().despawn(entity);
        } else {
            app.world_mut().entity_mut(entity).remove::<(FluidPicture, FluidBlob)>();
        }
    }
    let before = fluid(&app).particles().len();
    rest(&mut app);
    assert_eq!(fluid(&app).particles().len(), before);
}
