//! Elastic liquids: jelly floats and springs back, putty sinks and keeps its new shape.

use bevy::camera::ScalingMode;
use bevy::input::common_conditions::input_just_pressed;
use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.

const WATER: FluidClass = FluidClass::new(0);
const JELLY: FluidClass = FluidClass::new(1);
const PUTTY: FluidClass = FluidClass::new(2);

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
        .insert_resource(ClearColor(Color::srgb(0.035, 0.043, 0.086)))
        .insert_resource(FluidClasses::from(classes()))
        .add_systems(Startup, (setup, fill))
        .add_systems(Update, restart.run_if(input_just_pressed(KeyCode::KeyR)))
        .run();
}

fn classes() -> Vec<DensityClass> {
    let class = |name: &str, mass, elasticity, color| DensityClass {
        name: name.into(),
        mass,
        elasticity,
        color,
        ..default()
    };
    let jelly = FluidElasticity { stiffness: 60.0, ..default() };
    let putty = FluidElasticity { plasticity: 2.0, ..default() };
    vec![
        class("water", 1.0, None, [0.13, 0.47, 0.80, 1.0]),
        class("jelly", 0.6, Some(jelly), [0.55, 0.86, 0.42, 1.0]),
        class("putty", 2.0, Some(putty), [0.95, 0.60, 0.35, 1.0]),
    ]
}

fn setup(mut commands: Commands) {
    let scaling_mode = ScalingMode::AutoMin { min_width: 1000.0, min_height: 750.0 };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn(FluidContainer::from(Rectangle::new(900.0, 650.0)));
    commands.spawn((
        Text2d::new("R  restart"),
        TextFont::from_font_size(FontSize::Px(28.0)),
        TextColor(Color::srgb(0.72, 0.77, 0.88)),
        Transform::from_xyz(0.0, 353.0, 10.0).with_scale(Vec3::splat(0.5)),
    ));
}

/// Water with jelly above one side and putty above the other.
fn fill(mut commands: Commands) {
    let at = |x, y| Transform::from_xyz(x, y, 0.0);
    let blob = |commands: &mut Commands, blob: FluidBlob, class, transform| {
        commands.spawn((blob, class, transform));
    };
    blob(&mut commands, Rectangle::new(880.0, 160.0).into(), WATER, at(0.0, -240.0));
    blob(&mut commands, Circle::new(75.0).into(), JELLY, at(-290.0, 130.0));
    blob(
        &mut commands,
        Rectangle::new(150.0, 110.0).into(),
        JELLY,
        at(-60.0, 190.0).with_rotation(Quat::from_rotation_z(0.5)),
    );
    blob(&mut commands, Circle::new(70.0).into(), PUTTY, at(210.0, 130.0));
}

/// Removes all liquid and fills the tank again.
fn restart(
    mut commands: Commands,
    blobs: Query<Entity, With<FluidBlob>>,
    mut fluid: ResMut<FluidSimulation>,
) {
    blobs.iter().for_each(|blob| commands.entity(blob).despawn());
    fluid.clear();
    commands.run_system_cached(fill);
}
