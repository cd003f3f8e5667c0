//! Pictures of a game without a window, as its own tests take them.

use bevy::camera::Hdr;
use bevy::camera::visibility::RenderLayers;
use bevy_blob_fluid::testing::{PictureError, headless, picture};

use crate::app::*;
use crate::drawing::cameras::{BLACK, BLUE, RED, alike};
use crate::pictures::{adapter_found, at, drawing_plugins};

/// Width and height of pictures.
const SIZE: u32 = 96;

/// What only the HUD shows.
const HUD: RenderLayers = RenderLayers::layer(1);

/// A game with a red block in its world and a blue one on its HUD; `None` without an adapter.
fn game(with_cameras: fn(Commands)) -> Option<App> {
    if !adapter_found() {
        return None;
    }
    let things = |mut commands: Commands| {
        let block = |color| Sprite::from_color(color, Vec2::splat(30.0));
        commands.spawn((block(Color::srgb(1.0, 0.0, 0.0)), xy(-25.0, 0.0)));
        commands.spawn((block(Color::srgb(0.0, 0.0, 1.0)), xy(25.0, 0.0), HUD));
    };
    let game = move |app: &mut App| {
        app.insert_resource(ClearColor(Color::BLACK));
        app.add_systems(Startup, (things, with_cameras));
    };
    Some(headless((drawing_plugins(), BlobFluidPlugins::default(), game)))
}

/// The colours of the world, of the HUD and of neither in a picture of a game.
fn seen(app: &mut App) -> [[u8; 3]; 3] {
    let picture = picture(app, SIZE, SIZE).expect("it is drawn");
    [-25.0, 25.0, 0.0].map(|x| at(&picture, x, 0.0))
}

#[test]
fn a_picture_shows_the_tick_it_was_asked_for_and_time_stands_still() {
    let Some(mut app) = game(|mut commands| _ = commands.spawn(Camera2d)) else { return };
    app.spawn(FluidDots::default());
    app.insert_resource(FluidColoring::default());
    let class = DensityClass { color: [0.0, 1.0, 0.0, 1.0], ..default() };
    app.insert_resource(FluidClasses::from(vec![class]));
    app.spawn((FluidBlob::from(Rectangle::new(16.0, 90.0)), Transform::default()));
    app.updates(2);
    let ticks = app.fluid().time();
    let [world, hud, liquid] = seen(&mut app);
    assert!(alike(world, RED, 4) && hud == BLACK, "{world:?} {hud:?}");
    assert!(liquid[1] > 100 && liquid[0] < 20, "{liquid:?}");
    assert_eq!(app.fluid().time(), ticks);
    app.update();
    assert_eq!(app.fluid().time(), ticks + 1.0 / 64.0, "it goes on");
    // Again, in another size.
    let wide = picture(&mut app, 2 * SIZE, SIZE).expect("it is drawn");
    assert_eq!((wide.width(), wide.height()), (2 * SIZE, SIZE));
}

#[test]
fn a_hud_s_camera_has_hdr_where_the_world_s_has() {
    fn spawn(mut commands: Commands, world: bool, hud: bool) {
        let over_it = Camera { order: 1, clear_color: ClearColorConfig::None, ..default() };
        let cameras =
            [commands.spawn(Camera2d).id(), commands.spawn((Camera2d, over_it, HUD)).id()];
        for (camera, _) in cameras.into_iter().zip([world, hud]).filter(|(_, is_hdr)| *is_hdr) {
            commands.entity(camera).insert(Hdr);
        }
    }
    // The recipe for HUDs, and the same without.
    let both: [fn(Commands); 2] =
        [|commands| spawn(commands, true, true), |commands| spawn(commands, false, false)];
    for cameras in both {
        let Some(mut app) = game(cameras) else { return };
        let [world, hud, neither] = seen(&mut app);
        assert!(alike(world, RED, 4) && alike(hud, BLUE, 4), "{world:?} {hud:?}");
        assert_eq!(neither, BLACK);
    }
    // What the recipe warns of.
    let Some(mut app) = game(|commands| spawn(commands, true, false)) else { return };
    let [world, hud, _] = seen(&mut app);
    assert!(!alike(world, RED, 100), "Bevy keeps the world now: change docs/cameras.md: {world:?}");
    assert!(alike(hud, BLUE, 4), "{hud:?}");
}

#[test]
fn what_draws_nothing_has_no_picture() {
    let mut plain = headless((MinimalPlugins, TransformPlugin, BlobFluidPlugins::default()));
    assert_eq!(picture(&mut plain, SIZE, SIZE).err(), Some(PictureError::NoRenderer));
    let Some(mut app) = game(|_| {}) else { return };
    assert_eq!(picture(&mut app, SIZE, SIZE).err(), Some(PictureError::NoCamera));
}
