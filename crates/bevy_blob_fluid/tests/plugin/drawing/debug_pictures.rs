//! Pictures of what is drawn over the liquid.

use bevy::camera::visibility::RenderLayers;

use crate::app::*;
use crate::pictures::{offscreen, shoot, spawn_camera};

/// A tank with a bit of everything, drawn on a dark ground; particles are small and grey.
fn tank() -> Option<App> {
    let mut settings = FluidSettings::default();
    settings.parameters.sleeping = FluidSleeping { after: 1.0, drift: 0.8 };
    let small = FluidDots { radius: 0.45, opacity: 0.6, ..default() };
    let mut app = offscreen(settings, small, |app| {
        app.add_plugins(FluidDebugPlugin::default());
        app.insert_resource(ClearColor(Color::srgb(0.03, 0.04, 0.06)));
    })?;
    let grey = |name: &str, elastic: bool| DensityClass {
        name: name.into(),
        color: [0.25, 0.32, 0.42, 1.0],
        elasticity: elastic.then(FluidElasticity::default),
        ..default()
    };
    app.insert_resource(FluidClasses::from(vec![grey("water", false), grey("jelly", true)]));
    let world = app.world_mut();
    world.spawn((FluidContainer::from(Rectangle::new(460.0, 380.0)), xy(0.0, -40.0)));
    // Jelly that comes to rest at once.
    world.spawn((FluidContainer::from(Rectangle::new(200.0, 44.0)), xy(130.0, 228.0)));
    let shallow = FluidBlob::from(Rectangle::new(196.0, 30.0));
    world.spawn((FluidAir::new(150.0, 100.0).with_wind_from_left(60.0), xy(-80.0, 100.0)));
    let fan = FluidAirSource::wind(&Circle::new(20.0), Vec2::Y * 40.0);
    world.spawn((fan, xy(-80.0, 100.0)));
    world.spawn((shallow, FluidClass::new(1), xy(130.0, 222.0)));
    world.spawn((FluidCollider::from(Circle::new(40.0)), xy(-40.0, -60.0)));
    let post = xy(130.0, -100.0).with_rotation(Quat::from_rotation_z(0.5));
    world.spawn((FluidCollider::from(Rectangle::new(30.0, 140.0)), post));
    let water = FluidBlob::from(Rectangle::new(450.0, 110.0));
    world.spawn((water, FluidClass::new(0), xy(0.0, -170.0)));
    let jelly = FluidBlob::from(Circle::new(50.0));
    world.spawn((jelly, FluidClass::new(1), xy(-130.0, 40.0)));
    world.spawn((
        FluidEmitter::jet(30.0, 180.0),
        FluidClass::new(0),
        xy(-215.0, 110.0).with_rotation(Quat::from_rotation_z(-1.4)),
    ));
    world.spawn((FluidDrain::from(Circle::new(25.0)).with_rate(20.0), xy(190.0, -190.0)));
    world.spawn((FluidSensor::from(Rectangle::new(90.0, 60.0)), xy(60.0, -190.0)));
    world.spawn((FluidForce::vortex(70.0, 60.0), xy(150.0, -30.0)));
    app.updates(300);
    app.clock().pause();
    Some(app)
}

/// How many pixels differ between two pictures.
fn differing(a: &Image, b: &Image) -> usize {
    let pixels = |image: &Image| image.data.clone().expect("a picture");
    let (a, b) = (pixels(a), pixels(b));
    let differ = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 24);
    a.chunks_exact(4).zip(b.chunks_exact(4)).filter(differ).count()
}

#[test]
fn pictures_show_each_layer_and_only_to_its_cameras() {
    let Some(mut app) = tank() else { return };
    let (_, picture) = spawn_camera(&mut app, 512);
    let picked = app.fluid().nearest(Vec2::new(10.0, -140.0), 50.0, ClassFilter::ALL);
    let set = |app: &mut App, gizmos: FluidGizmos| {
        let mut store = app.resource_mut::<GizmoConfigStore>();
        let (config, group) = store.config_mut::<FluidGizmos>();
        (config.line.width, *group) = (1.5, gizmos);
    };
    let plain = shoot(&mut app, &picture);
    let names = FluidGizmos::default().layers_mut().map(|(name, _)| name);
    for name in names {
        let mut gizmos = FluidGizmos::default();
        gizmos.layers_mut().into_iter().for_each(|(layer, on)| *on = layer == name);
        set(&mut app, gizmos);
        let image = shoot(&mut app, &picture);
        let differing = differing(&plain, &image);
        assert!(differing > 60, "{name}: {differing} pixels");
    }
    set(&mut app, FluidGizmos { picked: picked.map(|(id, _)| id), ..default() });
    let image = shoot(&mut app, &picture);
    assert!(differing(&plain, &image) > 200);

    // For cameras of another layer only.
    let (other, layered) = spawn_camera(&mut app, 512);
    app.insert(other, RenderLayers::layer(3));
    set(&mut app, FluidGizmos { containers: true, colliders: true, ..default() });
    let dark = shoot(&mut app, &layered);
    let mut store = app.resource_mut::<GizmoConfigStore>();
    store.config_mut::<FluidGizmos>().0.render_layers = RenderLayers::layer(3);
    assert!(differing(&plain, &shoot(&mut app, &picture)) < 10);
    assert!(differing(&dark, &shoot(&mut app, &layered)) > 1000);
}
