//! What is drawn over the liquid.

use std::f32::consts::FRAC_PI_6;

use bevy::camera::visibility::RenderLayers;
use bevy::gizmos::{GizmoAsset, GizmoHandles, GizmoPlugin};
use bevy::mesh::skinning::SkinnedMeshInverseBindposes;
use bevy_blob_fluid::blob_fluid::shape::scatter;

use crate::app::*;
use crate::pictures::{offscreen, shoot, spawn_camera};

/// A line that was drawn, and its colour at both ends.
#[derive(Clone, Copy, Debug)]
struct Line {
    ends: [Vec2; 2],
    colors: [LinearRgba; 2],
}

/// An app without a renderer that draws gizmos into nothing, before it is finished.
fn gizmo_app() -> App {
    let before = (AssetPlugin::default(), GizmoPlugin);
    let mut app = app_of((before, BlobFluidPlugins::default(), FluidDebugPlugin::default()));
    // What Bevy's own gizmos need.
    app.init_asset::<Mesh>().init_asset::<SkinnedMeshInverseBindposes>();
    app
}

fn with_gizmos(settings: FluidSettings) -> App {
    let mut app = gizmo_app();
    app.insert_resource(settings).start();
    app
}

/// Draws only what is switched on here.
fn draw(app: &mut App, switch: impl FnOnce(&mut FluidGizmos)) -> Vec<Line> {
    let mut store = app.resource_mut::<GizmoConfigStore>();
    let (_, gizmos) = store.config_mut::<FluidGizmos>();
    *gizmos = FluidGizmos::default();
    switch(gizmos);
    app.clock().pause();
    app.update();
    drawn(app)
}

/// What was drawn in the last update.
fn drawn(app: &App) -> Vec<Line> {
    let handles = app.resource::<GizmoHandles>().handles();
    let Some(handle) = handles.get(&std::any::TypeId::of::<FluidGizmos>()).expect("a group") else {
        return Vec::new();
    };
    let assets = app.resource::<Assets<GizmoAsset>>();
    let drawn = assets.get(handle).expect("drawn").buffer().buffer();
    let lines = |positions: &[Vec3], colors: &[LinearRgba], step: usize| -> Vec<Line> {
        let starts = (0..positions.len().saturating_sub(1)).step_by(step);
        starts
            .map(|start| Line {
                ends: [positions[start].truncate(), positions[start + 1].truncate()],
                colors: [colors[start], colors[start + 1]],
            })
            .filter(|line| line.ends.iter().all(|end| end.is_finite()))
            .collect()
    };
    let mut all = lines(drawn.list_positions, drawn.list_colors, 2);
    all.extend(lines(drawn.strip_positions, drawn.strip_colors, 1));
    // A closed line begins again, for its joint.
    let mut kept: Vec<Line> = Vec::new();
    for line in all {
        if kept.len() < 4 || !kept[kept.len() - 4..].iter().any(|kept| kept.ends == line.ends) {
            kept.push(line);
        }
    }
    kept
}

fn spawn(app: &mut App, position: Vec2, velocity: Vec2) -> ParticleId {
    app.add_particle(ParticleSpawn { position, velocity, ..default() })
}

/// Whether a line has these ends, one way or the other.
fn joins(line: &Line, a: Vec2, b: Vec2) -> bool {
    let near = |[start, end]: [Vec2; 2]| start.distance(a) < 1e-2 && end.distance(b) < 1e-2;
    near(line.ends) || near([line.ends[1], line.ends[0]])
}

/// Whether both ends of all lines are where they should be.
fn all_ends(lines: &[Line], point: impl Fn(Vec2) -> bool) -> bool {
    !lines.is_empty() && lines.iter().all(|line| line.ends.into_iter().all(&point))
}

fn colors() -> bevy_blob_fluid::FluidGizmoColors {
    default()
}

/// How many cells fit into 40 units square beside each other, and some liquid in them.
fn blob_app() -> App {
    let mut app = with_gizmos(without_gravity());
    app.spawn((FluidBlob::from(Circle::new(60.0)), FluidClass::MEDIUM));
    app.updates(5);
    app
}

#[test]
fn nothing_is_drawn_unless_it_is_switched_on() {
    let mut app = blob_app();
    app.spawn(FluidContainer::from(Circle::new(100.0)));
    app.update();
    assert!(draw(&mut app, |_| {}).is_empty());
    assert!(!draw(&mut app, |gizmos| *gizmos = FluidGizmos::all()).is_empty());
    assert!(draw(&mut app, |_| {}).is_empty());
    let mut all = FluidGizmos::all();
    assert!(all.layers_mut().into_iter().all(|(_, on)| *on));
}

#[test]
fn cells_are_framed_and_crowded_ones_brighter() {
    let mut app = blob_app();
    let far = Vec2::new(500.0, 500.0);
    spawn(&mut app, far, Vec2::ZERO);
    let lines = draw(&mut app, |gizmos| gizmos.cells = true);
    let cells = app.fluid().occupied_cells();
    assert_eq!(lines.len(), 4 * cells.len());
    let of = |bounds: FluidBounds| -> Vec<&Line> {
        let inside = |line: &&Line| line.ends.into_iter().all(|end| bounds.contains(end));
        lines.iter().filter(inside).collect()
    };
    for cell in &cells {
        assert_eq!(of(cell.bounds).len(), 4, "{cell:?}");
    }
    let lonely = cells.iter().find(|cell| cell.bounds.contains(far)).expect("occupied");
    let drawn = Srgba::from(of(lonely.bounds)[0].colors[0]);
    assert!((drawn.to_vec4() - colors().sparse.to_srgba().to_vec4()).length() < 0.01, "{drawn:?}");
    let fullest = cells.iter().max_by_key(|cell| cell.particles).expect("some");
    assert!(fullest.particles >= 14);
    let drawn = Srgba::from(of(fullest.bounds)[0].colors[0]);
    assert!(drawn.red > 0.8 && drawn.blue < 0.5, "{drawn:?}");
}

#[test]
fn what_sleeps_is_hatched() {
    let mut settings = without_gravity();
    settings.parameters.sleeping = FluidSleeping { after: 0.05, drift: 0.1 };
    let mut app = with_gizmos(settings);
    spawn(&mut app, Vec2::ZERO, Vec2::ZERO);
    let away = Vec2::X * 2000.0;
    spawn(&mut app, away, Vec2::X * 300.0);
    app.updates(60);
    assert_eq!(app.fluid().asleep(), 1);
    let lines = draw(&mut app, |gizmos| gizmos.sleeping = true);
    let sleeping = app.fluid().occupied_cells().into_iter().find(|cell| cell.asleep == 1);
    let bounds = sleeping.expect("one").bounds.inflated(1e-3);
    assert!(lines.len() >= 3 && all_ends(&lines, |end| bounds.contains(end)), "{lines:?}");
}

#[test]
fn velocities_lead_to_where_particles_are() {
    let mut app = with_gizmos(without_gravity());
    let velocity = Vec2::new(160.0, 80.0);
    spawn(&mut app, Vec2::ZERO, velocity);
    app.update();
    let lines = draw(&mut app, |gizmos| gizmos.velocities = true);
    let now = app.positions()[0];
    let velocity = app.velocities()[0];
    assert!(velocity.x > 100.0 && now != Vec2::ZERO);
    assert_eq!(lines.len(), 1);
    assert!(joins(&lines[0], now - velocity / 16.0, now), "{lines:?}");
    assert_eq!(lines[0].colors[0].alpha, 0.0);
    assert_eq!(lines[0].colors[1], colors().velocity.to_linear());
}

#[test]
fn particles_are_drawn_where_they_are_between_two_ticks() {
    let mut app = with_gizmos(without_gravity());
    spawn(&mut app, Vec2::ZERO, Vec2::X * 160.0);
    app.resource_mut::<GizmoConfigStore>().config_mut::<FluidGizmos>().1.velocities = true;
    app.updates(2);
    // Each update is just one step: the moment drawn is that of the tick before the last.
    let particles = app.fluid().particles();
    let [before, now] = [particles.tick_start_positions()[0], particles.positions()[0]];
    assert!(now.x > before.x + 1.0);
    assert!(drawn(&app)[0].ends[1].distance(before) < 1e-3);
    let paused = draw(&mut app, |gizmos| gizmos.velocities = true);
    assert!(paused[0].ends[1].distance(now) < 1e-3);
}

#[test]
fn densities_are_circles_around_the_particles() {
    let mut app = blob_app();
    let lonely = Vec2::new(500.0, 500.0);
    spawn(&mut app, lonely, Vec2::ZERO);
    app.clock().step_once();
    let lines = draw(&mut app, |gizmos| gizmos.densities = true);
    let particles = app.fluid().particles();
    assert_eq!(lines.len(), 8 * particles.len());
    let radius = 0.4 * app.fluid().parameters().particle_spacing;
    let on_a_circle = |end: Vec2| {
        let mut positions = particles.positions().iter();
        positions.any(|position| (position.distance(end) - radius).abs() < 1e-2)
    };
    assert!(all_ends(&lines, on_a_circle));
    let lonely_line = lines.iter().find(|line| line.ends[0].distance(lonely) < 2.0 * radius);
    let drawn = Srgba::from(lonely_line.expect("drawn").colors[0]);
    let loose = colors().loose.to_srgba();
    assert!((drawn.red - loose.red).abs() < 0.01 && (drawn.blue - loose.blue).abs() < 0.01);
}

#[test]
fn springs_join_their_ends_and_show_their_strain() {
    let mut app = with_gizmos(without_gravity());
    let jelly = DensityClass { elasticity: Some(FluidElasticity::default()), ..default() };
    app.insert_resource(FluidClasses::from(vec![jelly]));
    app.spawn((FluidBlob::from(Circle::new(40.0)), FluidClass::new(0)));
    app.updates(5);
    let lines = draw(&mut app, |gizmos| gizmos.springs = true);
    let (springs, particles) = (app.fluid().springs(), app.fluid().particles());
    assert!(springs.len() > 100);
    assert_eq!(lines.len(), springs.len());
    for (line, spring) in lines.iter().zip(springs) {
        let [start, end] =
            spring.ends.map(|end| particles.positions()[particles.index_of(end).expect("alive")]);
        assert!(joins(line, start, end));
        let strain = start.distance(end) / spring.rest_length - 1.0;
        let redder = |color: LinearRgba| color.red - color.blue;
        let at_rest = redder(colors().at_rest.to_linear());
        if strain.abs() > 0.02 {
            assert_eq!(redder(line.colors[0]) > at_rest, strain < 0.0, "{strain}");
        }
    }
}

#[test]
fn the_picked_particle_is_joined_to_its_neighbours_while_it_lives() {
    let mut app = blob_app();
    let (picked, _) = app.fluid().nearest(Vec2::ZERO, 50.0, ClassFilter::ALL).expect("liquid");
    let lines = draw(&mut app, |gizmos| gizmos.picked = Some(picked));
    let particles = app.fluid().particles();
    let position = |id| particles.positions()[particles.index_of(id).expect("alive")];
    let centre = position(picked);
    let neighbours = app.fluid().neighbours(picked);
    assert!(neighbours.len() > 10);
    for neighbour in &neighbours {
        assert!(lines.iter().any(|line| joins(line, centre, position(*neighbour))));
    }
    let radius = app.fluid().parameters().interaction_radius();
    let around = lines
        .iter()
        .filter(|line| line.ends.iter().all(|end| (end.distance(centre) - radius).abs() < 1e-2));
    assert_eq!(around.count(), 64);
    assert_eq!(lines.len(), 64 + 16 + neighbours.len());
    app.fluid_mut().despawn(picked);
    assert!(draw(&mut app, |gizmos| gizmos.picked = Some(picked)).is_empty());
}

#[test]
fn solids_are_outlined_where_they_are() {
    let mut app = with_gizmos(without_gravity());
    let centre = Vec2::new(30.0, -20.0);
    let at = Transform::from_translation(centre.extend(0.0));
    app.spawn((FluidContainer::from(Circle::new(150.0)), at));
    let turned = xy(40.0, 10.0).with_rotation(Quat::from_rotation_z(FRAC_PI_6));
    app.spawn((FluidCollider::from(Rectangle::new(60.0, 20.0)), turned));
    app.update();
    let lines = draw(&mut app, |gizmos| gizmos.containers = true);
    assert!(all_ends(&lines, |end| (end.distance(centre) - 150.0).abs() < 1e-2));
    assert_eq!(lines[0].colors[0], colors().container.to_linear());
    let lines = draw(&mut app, |gizmos| gizmos.colliders = true);
    assert_eq!(lines.len(), 4);
    let corner = |x: f32, y: f32| turned.transform_point(Vec3::new(x, y, 0.0)).truncate();
    let corners =
        [corner(30.0, 10.0), corner(-30.0, 10.0), corner(-30.0, -10.0), corner(30.0, -10.0)];
    for index in 0..4 {
        let (start, end) = (corners[index], corners[(index + 1) % 4]);
        assert!(lines.iter().any(|line| joins(line, start, end)), "{start} {end}");
    }
}

#[test]
fn distances_are_drawn_an_interaction_radius_apart() {
    let mut app = with_gizmos(without_gravity());
    app.spawn(FluidContainer::from(Circle::new(150.0)));
    // What is inside of one of them is inside.
    let beside = Vec2::X * 160.0;
    let at_side = Transform::from_translation(beside.extend(0.0));
    app.spawn((FluidContainer::from(Circle::new(80.0)), at_side));
    app.spawn(FluidCollider::from(Circle::new(40.0)));
    // One that ends nowhere counts, but does not say how much is drawn.
    app.spawn((FluidCollider::from(Plane2d::new(Vec2::Y)), xy(0.0, -100.0)));
    app.update();
    let lines = draw(&mut app, |gizmos| gizmos.distances = true);
    let radius = app.fluid().parameters().interaction_radius();
    let distance = |point: Vec2| {
        let (centre, height) = (point.length(), point.y + 100.0);
        (150.0 - centre).max(80.0 - point.distance(beside)).min(centre - 40.0).min(height)
    };
    let mut levels = [0; 4];
    for line in &lines {
        let level = distance(line.ends[0]) / radius;
        assert!((level - level.round()).abs() < 0.05, "{level} at {}", line.ends[0]);
        levels[(level.round() + 1.0) as usize] += 1;
        let expected = if level < -0.5 { colors().collider } else { colors().container };
        let expected = expected.to_srgba();
        let drawn = Srgba::from(line.colors[0]);
        assert!((drawn.red - expected.red).abs() < 0.02, "{level}");
    }
    assert!(levels.iter().all(|lines| *lines > 20), "{levels:?}");
}

#[test]
fn sensors_emitters_drains_and_forces_are_drawn_where_they_are() {
    let mut app = with_gizmos(without_gravity());
    let at = |x: f32| xy(x, 0.0);
    let near = |x: f32| move |end: Vec2| end.distance(Vec2::X * x) < 50.0;
    let world = app.world_mut();
    world.spawn((FluidSensor::from(Rectangle::new(40.0, 20.0)), at(-300.0)));
    world
        .spawn((FluidEmitter::jet(20.0, 100.0).stopped(), at(-100.0).with_scale(Vec3::splat(2.0))));
    world.spawn((FluidDrain::from(Circle::new(30.0)), at(100.0)));
    world.spawn((FluidForce::attract(40.0, 300.0), at(300.0)));
    // Nowhere, and of no shape: left out.
    world.spawn((FluidDrain::from(Circle::new(30.0)), at(500.0).with_scale(Vec3::ZERO)));
    world.spawn((FluidSensor::default(), at(500.0)));
    world.spawn((FluidForce::attract(40.0, 300.0), at(f32::NAN)));
    app.update();

    let lines = draw(&mut app, |gizmos| gizmos.sensors = true);
    assert_eq!(lines.len(), 4);
    let corner = |end: Vec2| (end - Vec2::X * -300.0).abs().distance(Vec2::new(20.0, 10.0)) < 1e-2;
    assert!(all_ends(&lines, corner), "{lines:?}");

    let lines = draw(&mut app, |gizmos| gizmos.emitters = true);
    assert!(all_ends(&lines, near(-100.0)));
    let (left, right) = (Vec2::new(-120.0, 0.0), Vec2::new(-80.0, 0.0));
    assert!(
        lines.iter().any(|line| joins(line, left, right)),
        "as wide as it is scaled: {lines:?}"
    );
    let upwards = Vec2::new(-100.0, app.fluid().parameters().interaction_radius());
    assert!(lines.iter().any(|line| joins(line, Vec2::X * -100.0, upwards)), "{lines:?}");

    let lines = draw(&mut app, |gizmos| gizmos.drains = true);
    assert!(all_ends(&lines, near(100.0)));
    let around = lines.iter().filter(|line| {
        line.ends.iter().all(|end| (end.distance(Vec2::X * 100.0) - 30.0).abs() < 0.1)
    });
    assert_eq!(around.count(), lines.len() - 2, "a circle and a cross");

    let lines = draw(&mut app, |gizmos| gizmos.forces = true);
    assert!(all_ends(&lines, near(300.0)));
    // Arrows inwards, from either side.
    let inwards = |line: &&Line| {
        let [start, end] = line.ends.map(|end| end - Vec2::X * 300.0);
        start.perp_dot(end).abs() < 1e-2 && start.length() > end.length() + 10.0
    };
    assert_eq!(lines.iter().filter(inwards).count(), 4, "{lines:?}");
}

#[test]
fn particles_beyond_number_are_drawn_in_part() {
    let mut app = with_gizmos(FluidSettings { capacity: 50_000, ..without_gravity() });
    for index in 0..45_000 {
        let position = scatter(index) * 20_000.0;
        spawn(&mut app, position, Vec2::X);
    }
    app.update();
    for (switch, least, most) in [
        ((|gizmos| gizmos.velocities = true) as fn(&mut FluidGizmos), 10_000, 20_000),
        (|gizmos| gizmos.densities = true, 20_000, 40_000),
        (|gizmos| gizmos.cells = true, 10_000, 20_000),
    ] {
        let lines = draw(&mut app, switch);
        assert!((least..=most).contains(&lines.len()), "{}", lines.len());
        // From all over.
        for sign in [Vec2::ONE, Vec2::NEG_ONE, Vec2::new(1.0, -1.0), Vec2::new(-1.0, 1.0)] {
            let quarter = lines.iter().filter(|line| (line.ends[0] * sign).min_element() > 0.0);
            assert!(quarter.count() > lines.len() / 5);
        }
    }
}

#[test]
fn without_gizmos_nothing_happens_and_settings_are_kept() {
    let mut app = app_of((BlobFluidPlugins::default(), FluidDebugPlugin::default()));
    app.finish_plugins();
    let mut store = app.resource_mut::<GizmoConfigStore>();
    *store.config_mut::<FluidGizmos>().1 = FluidGizmos::all();
    app.update();

    // What is set before all plugins are ready stays.
    let mut app = gizmo_app();
    let mut store = app.resource_mut::<GizmoConfigStore>();
    let (config, gizmos) = store.config_mut::<FluidGizmos>();
    (config.line.width, gizmos.springs) = (7.0, true);
    app.start();
    let (config, gizmos) = app.resource::<GizmoConfigStore>().config::<FluidGizmos>();
    assert!(config.line.width == 7.0 && gizmos.springs);
}

#[test]
fn air_shows_its_rectangle_its_wind_and_its_sources() {
    let mut app = with_gizmos(without_gravity());
    app.spawn(FluidAir::new(120.0, 60.0).with_wind_from_left(80.0));
    app.spawn((FluidAirSource::wind(&Circle::new(10.0), Vec2::Y * 50.0), xy(20.0, 0.0)));
    app.updates(3);
    let wind = draw(&mut app, |gizmos| gizmos.air = true);
    let [low, high] = [Vec2::new(-60.0, -30.0), Vec2::new(60.0, 30.0)];
    assert!(wind.iter().any(|line| joins(line, low, Vec2::new(high.x, low.y))));
    // A line for each of 20 by 10 cells, along the wind at the left.
    let air = app.fluid().airs().next().expect("air");
    assert_eq!(wind.len(), 4 + air.columns() * air.rows());
    let first = air.cell_centre(0);
    let line = wind.iter().find(|line| line.ends[1].distance(first) < 1e-3).expect("a wind");
    let way = line.ends[1] - line.ends[0];
    assert!(way.distance(air.velocity_in_cell(0) / 8.0) < 1e-3 && way.x > 5.0, "{way}");
    let sources = draw(&mut app, |gizmos| gizmos.air_sources = true);
    let around = |point: Vec2| point.distance(Vec2::new(20.0, 0.0)) < 10.1;
    assert!(all_ends(&sources, around));
    let up = Vec2::new(20.0, 10.0);
    assert!(sources.iter().any(|line| joins(line, Vec2::new(20.0, 0.0), up)), "{sources:?}");
    let mut neither = draw(&mut app, |_| {});
    assert!(neither.pop().is_none());
}

// Pictures of what is drawn over the liquid.

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
#[ignore = "long: .ci/run"]
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
