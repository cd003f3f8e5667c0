//! The panel beside a pool of three liquids: tune, pour, push, and watch.

use bevy::prelude::*;
use bevy_blob_fluid::panel::{FluidPanel, FluidPanelPlugin, FluidPanelScenes};
use bevy_blob_fluid::prelude::*;
use example_support::{DefaultPlugins, fit_camera};

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidPanelPlugin::default()))
        .insert_resource(FluidPanelScenes {
            names: vec!["Layers".into(), "Dam break".into()],
            current: Some(0),
        })
        .add_systems(Startup, (setup, fill))
        .run();
}

fn setup(mut commands: Commands, mut panel: ResMut<FluidPanel>, mut classes: ResMut<FluidClasses>) {
    commands.spawn(fit_camera(1100.0, 900.0));
    commands.spawn(FluidContainer::from(Circle::new(400.0)));
    if let Ok(tab) = std::env::var("TAB") {
        use bevy_blob_fluid::panel::FluidPanelTab::*;
        panel.tab = match tab.as_str() {
            "classes" => Classes,
            "pairs" => Pairs,
            "look" => Look,
            "graphs" => Graphs,
            "doctor" => Doctor,
            _ => Liquid,
        };
        if tab == "doctor" {
            classes[0].mass = 6.0;
        }
        classes.pairs.push(ClassPair { cohesion: -0.8, ..ClassPair::new("heavy", "light") });
        classes.pairs.push(ClassPair {
            cohesion: 0.5,
            viscosity: Some(default()),
            ..ClassPair::new("heavy", "medium")
        });
    }
}

fn fill(mut commands: Commands) {
    for (x, class) in [(-200.0, ClassId::HEAVY), (0.0, ClassId::LIGHT), (200.0, ClassId::MEDIUM)] {
        commands.spawn((
            FluidBlob::from(Circle::new(120.0)),
            FluidClass(class),
            Transform::from_xyz(x, 0.0, 0.0),
        ));
    }
}
