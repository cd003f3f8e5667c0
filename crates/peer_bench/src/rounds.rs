//! How much the rounds of a scene differ: whether the machine had other load.

use on_every_target::scene::Kind;

use crate::report::median;

/// Rounds that differ by more are measured again.
pub const MOST_UNREST: f64 = 0.1;

/// By which part of itself the time of a contender differs between its rounds: the median of all
/// contenders, because other load disturbs all of them, and some are restless by themselves.
pub fn unrest(contenders: &[Vec<f64>], scene: Kind) -> f64 {
    let spreads: Vec<f64> = contenders.iter().map(|rounds| spread(rounds, scene)).collect();
    if spreads.is_empty() { 0.0 } else { median(&spreads) }
}

/// The third quarter of a contender's rounds above the fastest of them, relative to it. What a
/// dam's fall changes from round to round is left out.
fn spread(rounds: &[f64], scene: Kind) -> f64 {
    let drift = if scene == Kind::Pool { 0.0 } else { drift(rounds) };
    let mut times: Vec<f64> =
        rounds.iter().enumerate().map(|(index, time)| time - drift * index as f64).collect();
    times.sort_unstable_by(f64::total_cmp);
    match times.first() {
        Some(fastest) => times[3 * (times.len() - 1) / 4] / fastest - 1.0,
        None => 0.0,
    }
}

/// The median of the slopes between any two rounds (Theil and Sen), per round.
fn drift(rounds: &[f64]) -> f64 {
    let slopes: Vec<f64> = (0..rounds.len())
        .flat_map(|later| (0..later).map(move |earlier| (earlier, later)))
        .map(|(earlier, later)| (rounds[later] - rounds[earlier]) / (later - earlier) as f64)
        .collect();
    if slopes.is_empty() { 0.0 } else { median(&slopes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_round_is_chance_and_three_are_other_load() {
        let mut rounds = vec![1.0, 1.02, 1.01, 1.0, 1.03, 1.0, 1.9, 1.01, 1.0];
        assert!(unrest(&[rounds.clone()], Kind::Pool) < 0.05);
        rounds[1] = 1.5;
        rounds[4] = 1.2;
        let calm = vec![1.0; 9];
        let restless = unrest(&[calm.clone(), rounds.clone(), rounds.clone()], Kind::Pool);
        assert!((restless - 0.2).abs() < 1e-9, "{restless}");
        // One of three is restless by itself.
        assert!(unrest(&[calm.clone(), rounds, calm], Kind::Pool) < 1e-9);
    }

    #[test]
    fn a_dam_that_grows_slower_is_not_restless() {
        let rounds: Vec<f64> = (0..9).map(|round| 1.0 + 0.05 * f64::from(round)).collect();
        assert!(unrest(std::slice::from_ref(&rounds), Kind::Dam) < 1e-9);
        assert!(unrest(&[rounds], Kind::Pool) > 0.2);
        assert!(unrest(&[Vec::new()], Kind::Dam) < 1e-9);
    }
}
