//! Who brews while P is held: for those who would rather watch.

use bevy::prelude::*;

use super::super::{AMOUNT, Game, Hands};

/// What the apprentice is at.
#[derive(Resource, Default)]
pub struct Apprentice {
    /// Number of the pigment that is next, and the drops of the mixture before it.
    pigment: usize,
    before: usize,
    /// Drops for each part of the recipe, known when the first pigment is in.
    part: Option<f32>,
    /// Seconds since all taps were closed.
    still: f32,
    /// Whether the mixture goes into the flask.
    fills: bool,
    /// Seconds for which the flask has been full of something else.
    failed: f32,
}

/// Drops that are still on their way when a tap closes.
const ON_THE_WAY: f32 = 26.0;
/// Drops to mix: more than the flask takes, so that the whisk can stir them.
const BATCH: f32 = 3.5 * AMOUNT as f32;

/// Pours one pigment after the other as the recipe says, heats what is mixed, and fills the flask.
pub fn brew(
    keys: Res<ButtonInput<KeyCode>>,
    time: Res<Time>,
    game: Res<Game>,
    mut hands: ResMut<Hands>,
    mut apprentice: ResMut<Apprentice>,
) {
    if hands.plug {
        // The player has emptied all.
        *apprentice = default();
    }
    if !keys.pressed(KeyCode::KeyP) || game.is_won() {
        return;
    }
    let (potion, drops) = (game.potion(), game.mixture.drops);
    if game.is_celebrating() {
        *apprentice = default();
        return;
    }
    apprentice.still += time.delta_secs();
    let parts: u8 = potion.parts.iter().sum();
    if let Some(parts_now) = potion.parts.get(apprentice.pigment) {
        let each = apprentice.part.unwrap_or(BATCH / f32::from(parts));
        let goal = apprentice.before as f32 + each * f32::from(*parts_now);
        if *parts_now > 0 && (drops as f32) < goal - ON_THE_WAY {
            hands.taps[apprentice.pigment] = true;
            apprentice.still = 0.0;
        } else if *parts_now == 0 || apprentice.still > 1.5 {
            // What came in decides how much there must be of the others.
            if *parts_now > 0 {
                let came = drops.saturating_sub(apprentice.before) as f32;
                apprentice.part.get_or_insert(came / f32::from(*parts_now));
            }
            (apprentice.before, apprentice.pigment) = (drops, apprentice.pigment + 1);
        }
        return;
    }
    let warm = game.mixture.degrees >= potion.degrees + 8.0;
    // The whisks take a while.
    apprentice.fills |= warm && apprentice.still > 11.0;
    hands.burner = !warm;
    // The last drops come one spurt at a time, since some are on their way.
    let (last, spurt) = (game.flask.drops + 90 > AMOUNT, time.elapsed_secs() % 3.0 < 0.4);
    // What is no potion is poured away.
    apprentice.failed += if game.flask.drops >= AMOUNT { time.delta_secs() } else { 0.0 };
    if apprentice.failed > 4.0 {
        hands.plug = true;
        if game.flask.drops + game.mixture.drops < 10 {
            *apprentice = default();
        }
        return;
    }
    hands.taps[3] = apprentice.fills && game.flask.drops < AMOUNT && (spurt || !last);
}
