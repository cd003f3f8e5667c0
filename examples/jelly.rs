//! Elastic liquids: jelly floats and springs back, putty sinks and keeps its new shape.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;
use example_support::{ExamplePlugins, Hud, fit_camera, restart};

const WATER: FluidClass = FluidClass::new(0);
const JELLY: FluidClass = FluidClass::new(1);
const PUTTY: FluidClass = FluidClass::new(2);

fn main() {
    App::new()
        .add_plugins((ExamplePlugins, BlobFluidPlugins::default()))
        .insert_resource(FluidClasses::from(classes()))
        .add_systems(Startup, (setup, fill))
        .add_systems(Update, restart.pipe(fill_again))
        .run();
}

fn classes() -> Vec<FluidDensityClass> {
    let class = |name: &str, mass, elasticity, color| FluidDensityClass {
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
    commands.spawn(fit_camera(1000.0, 750.0));
    commands.spawn(FluidContainer::from(Rectangle::new(900.0, 650.0)));
    commands.spawn(Hud::top_left("R  restart"));
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

fn fill_again(In(asked): In<bool>, commands: Commands) {
    if asked {
        fill(commands);
    }
}
