//! The smallest program that shows liquid.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
        .add_systems(Startup, setup)
        .run();
}

fn setup(mut commands: Commands) {
    commands.spawn(Camera2d);
    commands.spawn(FluidContainer::from(Circle::new(340.0)));
    commands.spawn((
        FluidBlob::from(Circle::new(130.0)),
        FluidMadeOf::OIL,
        Transform::from_xyz(0.0, -150.0, 0.0),
    ));
    commands.spawn((
        FluidBlob::from(Circle::new(130.0)),
        FluidMadeOf::WATER,
        Transform::from_xyz(0.0, 150.0, 0.0),
    ));
}
