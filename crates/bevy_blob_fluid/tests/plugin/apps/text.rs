//! Liquid and colliders in the shape of text, in a headless app.

use std::time::{Duration, Instant};

use bevy::text::{Font, TextPlugin};

use crate::app::*;

fn headless() -> App {
    let plugins = (AssetPlugin::default(), ImagePlugin::default(), TextPlugin);
    app_with((plugins, BlobFluidPlugins::default()), FluidSettings::new(4.0, Vec2::ZERO))
}

/// An app with a collider of this text, in Bevy's own font.
fn writing(text: &str, size: f32) -> (App, Entity) {
    let mut app = headless();
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
    let mut app = headless();
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
