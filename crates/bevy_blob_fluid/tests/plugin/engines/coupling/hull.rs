//! An open boat, empty and full of water.

use bevy_blob_fluid::blob_fluid::Body;

use super::engine::{Kind, TestEngine};
use super::tank::{position_of, run, tank};
use crate::app::*;

/// Outer size of the boat.
const SIZE: Vec2 = Vec2::new(200.0, 80.0);
/// Thickness of its floor and its walls.
const THICK: f32 = 16.0;

/// A boat of a floor and two walls.
fn spawn<E: TestEngine>(app: &mut App, density: f32, y: f32) -> Entity {
    let floor = E::rectangle(Vec2::new(SIZE.x, THICK));
    let at = xy(0.0, y);
    let boat = E::spawn(app.world_mut(), Kind::Dynamic, floor, density, at);
    for side in [-0.5, 0.5] {
        let wall = E::rectangle(Vec2::new(THICK, SIZE.y - THICK));
        let wall = app.spawn((ChildOf(boat), wall, xy(side * (SIZE.x - THICK), 0.5 * SIZE.y)));
        E::set_density(app.world_mut(), wall, density);
    }
    app.insert(boat, FluidCoupled::default());
    boat
}

/// Level of the liquid between two distances from the middle, by the number of particles above a
/// floor.
fn level(app: &App, x: std::ops::Range<f32>, floor: f32) -> f32 {
    let spacing = app.fluid().parameters().particle_spacing;
    let within = |at: &&Vec2| x.contains(&at.x.abs()) && at.y > floor;
    let count = app.positions().iter().filter(within).count();
    floor + count as f32 * spacing * spacing / (2.0 * (x.end - x.start))
}

/// A flooded boat floats as deep as the weight of its walls and of the water on board says.
pub fn flooded<E: TestEngine>() {
    let density = 0.75;
    let mut app = tank::<E>(600.0, FluidClass::MEDIUM);
    run(&mut app, 2.0);
    let boat = spawn::<E>(&mut app, density, -80.0);
    run(&mut app, 25.0);
    let spacing = app.fluid().parameters().particle_spacing;
    let gap = Body::GAP * spacing;
    let at = position_of(&app, boat).y;
    let (bottom, half) = (at - 0.5 * THICK - gap, 0.5 * SIZE.x + gap);
    let aboard = |at: &&Vec2| at.x.abs() < half && at.y > bottom;
    let water = app.positions().iter().filter(aboard).count() as f32;
    let water = water * spacing * spacing;
    // A gap around the boat counts as part of it.
    let thick = THICK + 2.0 * gap;
    let hull = thick * (SIZE.x + 2.0 * gap + 2.0 * (SIZE.y - THICK));
    let outside = level(&app, 150.0..290.0, -150.0);
    let expected = (density * hull + water) / (2.0 * half);
    let empty = density * hull / (2.0 * half);
    let draught = outside - bottom;
    println!("{draught} deep, {expected} by its {water} of water and {hull}, {empty} if empty");
    let inside = level(&app, 0.0..0.5 * SIZE.x - THICK - 4.0, at + 0.5 * THICK + gap);
    println!("inside {inside} outside {outside}");
    assert!(draught > 1.5 * empty, "it is full of water");
    assert!((draught - expected).abs() < 0.02 * SIZE.y, "{draught} of {expected}");
}
