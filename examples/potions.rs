//! A game: mix three colours to the wanted one, heat it, and fill the flask. It has four potions.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.

/// The parts of the game, one file each.
mod potions {
    pub mod apprentice;
    pub mod laboratory;
    pub mod room;
    pub mod show;
}

use potions::{apprentice, laboratory, room, show};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1280.0, 720.0);
/// The pigments in the three vessels, in sRGB.
const PIGMENTS: [Color; 3] =
    [Color::srgb(0.02, 0.50, 0.95), Color::srgb(0.93, 0.07, 0.42), Color::srgb(1.0, 0.83, 0.05)];
/// Number of drops that the flask is to hold.
const AMOUNT: usize = 260;
/// How alike the colours must be, 0 to 1.
const ALIKE: f32 = 0.86;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin, game))
        .insert_resource(ClearColor(Color::srgb(0.09, 0.07, 0.11)))
        .insert_resource(FluidSolidStyle { wall: room::IRON, ..default() })
        .add_systems(
            Startup,
            (room::camera, room::handwheels.after(laboratory::build), show::spawn),
        )
        .add_systems(PostStartup, room::scenery)
        .add_systems(Update, (room::turn_handwheels, show::card, show::bottles, show::news))
        .run();
}

/// The game without its window.
pub fn game(app: &mut App) {
    app.insert_resource(laboratory::settings())
        .insert_resource(FluidClasses::from(vec![laboratory::potion()]))
        .init_resource::<Game>()
        .init_resource::<Hands>()
        .init_resource::<apprentice::Apprentice>()
        .add_systems(Startup, laboratory::build)
        .add_systems(
            Update,
            (
                by_hand,
                apprentice::brew,
                laboratory::turn_taps,
                laboratory::stir,
                laboratory::burn,
                laboratory::refill,
                laboratory::empty,
                measure,
                judge,
            )
                .chain(),
        );
}

/// A potion to brew.
struct Potion {
    name: &'static str,
    /// Parts of each pigment.
    parts: [u8; 3],
    /// How warm it must be, in degrees.
    degrees: f32,
}

const POTIONS: [Potion; 4] = [
    Potion { name: "Fern Tonic", parts: [1, 0, 1], degrees: 40.0 },
    Potion { name: "Ember Elixir", parts: [0, 1, 2], degrees: 70.0 },
    Potion { name: "Dusk Draught", parts: [2, 1, 0], degrees: 50.0 },
    Potion { name: "Moss Milk", parts: [1, 1, 4], degrees: 80.0 },
];

impl Potion {
    /// The colour that its parts have when they are stirred.
    fn color(&self) -> Color {
        let linear = PIGMENTS.map(|pigment| pigment.to_linear());
        let paints = linear.iter().zip(self.parts).flat_map(|(color, parts)| {
            std::iter::repeat_n([color.red, color.green, color.blue], parts.into())
        });
        let [red, green, blue] = PaintMixing::Pigments.mean(paints).unwrap_or_default();
        Color::linear_rgb(red, green, blue)
    }
}

/// How far the game is, and what is in the vessels.
#[derive(Resource, Default)]
pub struct Game {
    /// Number of potions that are brewed.
    pub brewed: usize,
    /// Seconds until the next potion, once this one is brewed.
    pause: Option<f32>,
    /// In the cauldron.
    pub mixture: Contents,
    /// In the flask.
    pub flask: Contents,
}

/// What a vessel holds.
#[derive(Clone, Copy, Default)]
pub struct Contents {
    /// Number of drops.
    pub drops: usize,
    /// The mean colour, if there is any.
    color: Option<Color>,
    /// The mean temperature, in degrees.
    degrees: f32,
}

impl Contents {
    /// How much its colour is like another, 0 to 1.
    fn likeness(&self, wanted: Color) -> f32 {
        let Some(color) = self.color else { return 0.0 };
        let [one, other] = [color, wanted].map(|color| color.to_srgba().to_vec3());
        (1.0 - one.distance(other)).clamp(0.0, 1.0)
    }
}

impl Game {
    /// The present potion: the brewed one as long as it is celebrated, and the last once all are brewed.
    fn potion(&self) -> &'static Potion {
        let number = self.brewed - usize::from(self.is_celebrating());
        &POTIONS[number.min(POTIONS.len() - 1)]
    }

    /// Whether the potion in the flask has just been brewed.
    fn is_celebrating(&self) -> bool {
        self.pause.is_some()
    }

    /// Whether the flask is taken away: a potion is brewed, and has been seen for a while.
    fn is_done(&self) -> bool {
        self.pause.is_some_and(|left| left < 1.5)
    }

    /// Whether all potions are brewed.
    pub fn is_won(&self) -> bool {
        self.brewed >= POTIONS.len()
    }
}

/// What is held at present: the taps of the three vessels and of the flask, the burner, and the plug that
/// empties cauldron and flask.
#[derive(Resource, Default)]
pub struct Hands {
    taps: [bool; 4],
    burner: bool,
    plug: bool,
}

/// Keys and the mouse work taps and burner as long as they are held.
fn by_hand(
    keys: Res<ButtonInput<KeyCode>>,
    buttons: Res<ButtonInput<MouseButton>>,
    window: Query<&Window, With<PrimaryWindow>>,
    camera: Query<(&Camera, &GlobalTransform)>,
    taps: Query<(&laboratory::Tap, &GlobalTransform)>,
    mut hands: ResMut<Hands>,
) {
    let held = window.single().ok().filter(|_| buttons.pressed(MouseButton::Left));
    let point = held.and_then(Window::cursor_position).and_then(|cursor| {
        let (camera, view) = camera.single().ok()?;
        camera.viewport_to_world_2d(view, cursor).ok()
    });
    let is_near = |place: Vec2, reach: f32| point.is_some_and(|at| at.distance(place) < reach);
    let tap_keys = [KeyCode::Digit1, KeyCode::Digit2, KeyCode::Digit3, KeyCode::KeyF];
    hands.taps = tap_keys.map(|key| keys.pressed(key));
    for (tap, place) in &taps {
        hands.taps[tap.0] |= is_near(place.translation().truncate(), 44.0);
    }
    hands.burner = keys.pressed(KeyCode::KeyH) || is_near(laboratory::BURNER, 70.0);
    hands.plug = keys.pressed(KeyCode::KeyE);
}

/// Reads the sensors in cauldron and flask.
fn measure(
    sensors: Query<(&laboratory::Holds, &FluidSensorReading)>,
    fluid: Res<FluidSimulation>,
    mut game: ResMut<Game>,
) {
    for (holds, reading) in &sensors {
        let color = reading.paint.map(|[red, green, blue]| Color::linear_rgb(red, green, blue));
        let degrees = laboratory::mean_temperature(&fluid, holds.area());
        let contents = Contents { drops: reading.count, color, degrees };
        match holds {
            laboratory::Holds::Mixture => game.mixture = contents,
            laboratory::Holds::Potion => game.flask = contents,
        }
    }
}

/// Says whether the flask holds what is wanted, and goes on to the next potion after a while.
fn judge(time: Res<Time>, mut game: ResMut<Game>) {
    if let Some(pause) = game.pause {
        let left = pause - time.delta_secs();
        game.pause = Some(left).filter(|left| *left > 0.0);
        return;
    }
    let (potion, flask) = (game.potion(), game.flask);
    let is_brewed = flask.drops >= AMOUNT
        && flask.degrees >= potion.degrees
        && flask.likeness(potion.color()) >= ALIKE;
    if is_brewed && !game.is_won() {
        game.brewed += 1;
        game.pause = Some(4.0);
    }
}
