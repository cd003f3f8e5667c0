//! Liquid and colliders from images, in a headless app.

use std::time::{Duration, Instant};

use bevy::asset::RenderAssetUsages;
use bevy::image::Image;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bevy::text::{Font, TextPlugin};

use crate::app::*;

fn headless() -> App {
    let plugins = (AssetPlugin::default(), ImagePlugin::default(), BlobFluidPlugins::default());
    app_with(plugins, FluidSettings::new(4.0, Vec2::ZERO))
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
    app.resource_mut::<Assets<Image>>().add(image)
}

/// Long enough for whatever is being made to be there.
fn rest(app: &mut App) {
    for _ in 0..20 {
        app.update();
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn an_image_becomes_a_collider_where_it_is_opaque_and_changes_with_it() {
    let mut app = headless();
    let quarter = add(&mut app, quarter());
    let wall = WallProperties { stickiness: 1.0, ..default() };
    let target = FluidCollider::default().with_wall(wall);
    let entity = app.spawn((FluidPicture::new(quarter.clone(), target), xy(100.0, 0.0)));
    app.update_until("the image is read", |app| app.fluid().colliders().len() > 0);
    let inside = |app: &App, x: f32, y: f32| {
        let collider = app.first_collider();
        assert_eq!(collider.centre(), Vec2::X * 100.0);
        collider.shape().contains(Vec2::new(x, y))
    };
    let corners = |app: &App| {
        [(-10.0, 5.0), (10.0, 5.0), (-10.0, -5.0), (10.0, -5.0)].map(|(x, y)| inside(app, x, y))
    };
    assert_eq!(corners(&app), [true, false, false, false], "rows count downwards");
    assert!(inside(&app, -18.0, 8.0) && !inside(&app, -22.0, 8.0), "a unit per pixel");
    assert_eq!(app.first_collider().wall(), wall);

    // Other settings of the component.
    app.component_mut::<FluidPicture>(entity).threshold = 0.2;
    app.update_until("the image is read", |app| corners(app) == [true, true, false, false]);
    app.component_mut::<FluidPicture>(entity).size = Some(Vec2::new(80.0, 40.0));
    app.update_until("the image is read", |app| inside(app, -35.0, 15.0));

    // Another image in the same place, and one that is none.
    let below = image(40, 20, |_, row| if row < 10 { 0 } else { 255 });
    app.resource_mut::<Assets<Image>>().insert(&quarter, below).expect("a place");
    app.update_until("the image is read", |app| corners(app) == [false, false, true, true]);
    app.resource_mut::<Assets<Image>>().insert(&quarter, image(40, 20, |_, _| 0)).expect("a place");
    rest(&mut app);
    assert_eq!(corners(&app), [false, false, true, true], "the last valid shape stays");
    app.despawn(entity);
    app.update();
    assert_eq!(app.fluid().colliders().len(), 0);
}

#[test]
fn an_image_is_filled_with_liquid_once_it_is_there() {
    let mut app = headless();
    let handle = app.resource::<Assets<Image>>().reserve_handle();
    let target = FluidBlob::default().with_velocity(Vec2::X);
    let picture = FluidPicture::new(handle.clone(), target).with_size(Vec2::new(160.0, 80.0));
    let entity = app.spawn((picture, FluidClass::LIGHT));
    rest(&mut app);
    assert!(app.positions().is_empty());
    assert!(!app.world().entity(entity).contains::<FluidBlob>());
    app.resource_mut::<Assets<Image>>().insert(&handle, quarter()).expect("a place");
    app.update_until("the image is read", |app| !app.positions().is_empty());
    let particles = app.fluid().particles();
    let expected = 80.0 * 40.0 / (4.0 * 1.03_f32).powi(2);
    assert!((particles.len() as f32 / expected - 1.0).abs() < 0.1, "{}", particles.len());
    assert!(particles.positions().iter().all(|at| at.x < 2.0 && at.y > -2.0));
    assert!(particles.classes().iter().all(|class| *class == ClassId::LIGHT));
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
    let missing = app.resource::<AssetServer>().load("no such picture.png");
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
        app.spawn(bad);
    }
    rest(&mut app);
    assert!(app.positions().is_empty());

    let entities: Vec<Entity> = (0..8).map(|_| app.spawn(picture(&quarter))).collect();
    app.update();
    for (number, entity) in entities.into_iter().enumerate() {
        if number % 2 == 0 {
            app.despawn(entity);
        } else {
            app.remove::<(FluidPicture, FluidBlob)>(entity);
        }
    }
    let before = app.particles();
    rest(&mut app);
    assert_eq!(app.particles(), before);
}

// Liquid and colliders in the shape of text, in a headless app.

fn headless_with_text() -> App {
    let plugins = (AssetPlugin::default(), ImagePlugin::default(), TextPlugin);
    app_with((plugins, BlobFluidPlugins::default()), FluidSettings::new(4.0, Vec2::ZERO))
}

/// An app with a collider of this text, in Bevy's own font.
fn writing(text: &str, size: f32) -> (App, Entity) {
    let mut app = headless_with_text();
    let entity = app.spawn(FluidText::new(text, size, FluidCollider::default()));
    (app, entity)
}

/// The shape that a text becomes.
fn written(text: &str, size: f32) -> FluidShape {
    let (mut app, entity) = writing(text, size);
    app.update_until(text, |app| app.world().get::<FluidCollider>(entity).is_some());
    app.component::<FluidCollider>(entity).shape.clone()
}

#[test]
fn letters_have_holes_and_stand_beside_each_other() {
    let o = written("O", 100.0);
    let half = o.bounds().half_size();
    assert!(!o.contains(Vec2::ZERO), "the hole");
    assert!(
        o.contains(Vec2::new(0.97 * half.x, 0.0)) && o.contains(Vec2::new(-0.97 * half.x, 0.0))
    );
    assert!((25.0..60.0).contains(&half.y) || (25.0..60.0).contains(&(2.0 * half.y)), "{half}");

    let (h, i, hi) = (written("H", 100.0), written("I", 100.0), written("HI", 100.0));
    assert!((hi.area() / (h.area() + i.area()) - 1.0).abs() < 1e-3);
    assert!(hi.area() > h.area() && h.area() > i.area() && i.area() > 100.0);
    assert!(hi.bounds().half_size().x > h.bounds().half_size().x * 1.5);
    // Upright: the crossbar of an H is in its middle, that of an L at its foot.
    assert!(h.contains(Vec2::ZERO) && !h.contains(Vec2::new(0.0, 0.8 * h.bounds().half_size().y)));
    let l = written("L", 100.0);
    let corner = 0.9 * l.bounds().half_size();
    assert!(l.contains(Vec2::new(corner.x, -corner.y)) && !l.contains(corner));
}

#[test]
fn size_scales_and_lines_go_down() {
    let (small, large) = (written("A", 50.0), written("A", 100.0));
    assert!((large.area() / small.area() - 4.0).abs() < 0.01);
    let lines = written("I\n-", 100.0);
    let half = lines.bounds().half_size();
    assert!(half.y > 1.2 * written("I", 100.0).bounds().half_size().y);
    assert!(lines.contains(Vec2::new(0.0, 0.5 * half.y)), "the I is above");
}

#[test]
fn liquid_is_written_and_nonsense_is_not() {
    let mut app = headless_with_text();
    let text = FluidText::new("O", 200.0, FluidBlob::default());
    app.spawn((text, FluidClass::HEAVY, xy(50.0, 0.0)));
    app.update_until("liquid is there", |app| !app.positions().is_empty());
    let particles = app.fluid().particles();
    assert!(particles.len() > 100);
    let middle = Vec2::new(50.0, 0.0);
    assert!(particles.positions().iter().all(|at| at.distance(middle) > 15.0));

    for (text, size) in [("", 50.0), ("  \n ", 50.0), ("A", 0.0), ("A", f32::NAN), ("A", -3.0)] {
        let (mut app, entity) = writing(text, size);
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(500) {
            app.update();
            assert!(app.world().get::<FluidCollider>(entity).is_none(), "{text:?} {size}");
        }
    }
    let broken = app.resource_mut::<Assets<Font>>().add(Font::from_bytes(vec![1; 99]));
    let entity = app.spawn(FluidText::new("A", 50.0, FluidBlob::default()).with_font(broken));
    app.updates(20);
    assert!(!app.world().entity(entity).contains::<FluidBlob>());
}
