//! The report: rows, as a table, as JSON, and as `docs/performance.md` has them. It says how much the rounds of a scene
//! differ, which tells whether the machine had other load.

use std::fmt::Write;

use on_every_target::scene::Kind;
use serde::Serialize;

use crate::measure::Measures;
use crate::peer::OwnDensity;

/// One peer in one scene of one size.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the scene.
    pub scene: &'static str,
    /// Number of particles.
    pub particles: usize,
    /// Name of the peer, with its setting.
    pub peer: String,
    /// Number of frames before the timing.
    pub warm_frames: u32,
    /// Frames per round.
    pub frames: u32,
    /// By how much the rounds of the scene differ ([`unrest`]).
    pub unrest: f64,
    /// Median over the rounds, in milliseconds per frame.
    pub milliseconds: f64,
    /// Smallest of the rounds, in milliseconds per frame: the one with the least other load.
    pub best_milliseconds: f64,
    /// Milliseconds per frame of every round.
    pub rounds: Vec<f64>,
    /// Measures of the liquid after the last round.
    pub measures: Measures,
    /// Density by our own measure.
    pub own_density: Option<OwnDensity>,
}

/// The peer that the others are compared with.
pub const REFERENCE: &str = "ours, 25 neighbours";

const HEADER: [&str; 15] = [
    "scene",
    "particles",
    "peer",
    "warm frames",
    "ms per frame",
    "Mparticles/s",
    "times ours",
    "best ms",
    "times ours",
    "neighbours",
    "density error",
    "max speed",
    "rms speed",
    "lost",
    "own density",
];

/// The rows as an aligned Markdown table.
pub fn table(rows: &[Row]) -> String {
    let mut lines = vec![HEADER.map(String::from)];
    lines.extend(rows.iter().map(|row| cells(row, rows)));
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: [usize; HEADER.len()] = std::array::from_fn(width);
    // Names are aligned left, and numbers right.
    let is_text = |column: usize| column == 0 || column == 2;
    let rule = std::array::from_fn(|column| {
        let dashes = "-".repeat(widths[column] - 1);
        if is_text(column) { format!(":{dashes}") } else { format!("{dashes}:") }
    });
    lines.insert(1, rule);
    let mut text = String::new();
    for line in lines {
        for (column, cell) in line.iter().enumerate() {
            let width = widths[column];
            let aligned =
                if is_text(column) { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
            text += &format!("| {aligned} ");
        }
        text += "|\n";
    }
    text
}

/// The cells of a row.
fn cells(row: &Row, rows: &[Row]) -> [String; HEADER.len()] {
    let same_scene = |other: &&Row| {
        other.peer == REFERENCE && other.scene == row.scene && other.particles == row.particles
    };
    let reference = rows.iter().find(same_scene);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let ratio = |value: fn(&Row) -> f64| {
        or_dash(reference.map(|reference| format!("{:.2}", value(row) / value(reference))))
    };
    let own = row.own_density.map(|own| format!("{:.3}, {:.3} p99", own.mean, own.p99));
    let measures = &row.measures;
    [
        row.scene.into(),
        row.particles.to_string(),
        row.peer.clone(),
        row.warm_frames.to_string(),
        format!("{:.3}", row.milliseconds),
        format!("{:.2}", row.particles as f64 / row.milliseconds / 1e3),
        ratio(|row| row.milliseconds),
        format!("{:.3}", row.best_milliseconds),
        ratio(|row| row.best_milliseconds),
        format!("{:.1}", measures.neighbours),
        or_dash(measures.density_error.map(|error| format!("{:+.1} %", 100.0 * error))),
        format!("{:.1}", measures.max_speed),
        format!("{:.2}", measures.rms_speed),
        measures.lost.to_string(),
        or_dash(own),
    ]
}

/// The meaning of the columns, as Markdown.
pub const LEGEND: &str = "\
Milliseconds per frame (1/60 s of simulated time, all substeps and iterations) are the median \
over rounds, then the least of them; \"times ours\" compares each with \"ours, 25 neighbours\". \
Lengths are in particle spacings. Neighbours are those within each solver's own interaction \
radius. The density error is the number density in the bottom fifth of the liquid over that 10 \
to 30 % under its surface, minus 1, measured alike for all. Speeds are those of particles inside \
the box; lost ones are more than a spacing outside. Own density is relative to the rest density, \
by blob_fluid's own measure: mean, and what one particle in a hundred exceeds.
";

/// The median of some values; NaN if there are none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => sorted[count / 2],
        count => 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]),
    }
}

// How much rounds differ.

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

// The page: a table for each scene, with a column for each size.

/// Size whose measures are shown, where it is among those that were run.
const MEASURED: usize = 10_000;

/// The tables of all scenes.
pub fn page(rows: &[Row]) -> String {
    let mut text = String::new();
    for scene in distinct(rows.iter().map(|row| row.scene)) {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.scene == scene).collect();
        let sizes = distinct(rows.iter().map(|row| row.particles));
        let _ = write!(text, "*{scene}*\n\n| peer |");
        for size in &sizes {
            let _ = write!(text, " {} |", thousands(*size));
        }
        text += " neighbours | density error | rms speed |\n|---|";
        text += &"---|".repeat(sizes.len() + 3);
        text += "\n";
        for peer in distinct(rows.iter().map(|row| row.peer.as_str())) {
            let _ = write!(text, "| {peer} |");
            for size in &sizes {
                let _ = write!(text, " {} |", time(&rows, peer, *size));
            }
            text += &measures(&rows, peer);
        }
        let unrest = rows.iter().map(|row| row.unrest).fold(0.0, f64::max);
        let _ = write!(
            text,
            "\nHow steady the times are: in half of the rows, three quarters of the rounds took at most {:.0} % longer than \
             the fastest round.\n\n",
            100.0 * unrest
        );
    }
    text
}

/// The time of a peer, and how many times that of the reference it is.
fn time(rows: &[&Row], peer: &str, size: usize) -> String {
    let find = |peer: &str| rows.iter().find(|row| row.peer == peer && row.particles == size);
    let Some(row) = find(peer) else { return "-".into() };
    let time = if row.milliseconds < 100.0 {
        format!("{:.2}", row.milliseconds)
    } else {
        format!("{:.0}", row.milliseconds)
    };
    match find(REFERENCE).filter(|_| peer != REFERENCE) {
        Some(reference) => format!("{time} ({:.1})", row.milliseconds / reference.milliseconds),
        None => time,
    }
}

/// The last cells of a peer's row.
fn measures(rows: &[&Row], peer: &str) -> String {
    let mut all_sizes = rows.iter().filter(|row| row.peer == peer);
    let first = all_sizes.clone().next();
    let Some(row) = all_sizes.find(|row| row.particles == MEASURED).or(first) else {
        return "\n".into();
    };
    let error = row.measures.density_error;
    let error = error.map_or("-".into(), |error| format!("{:+.0} %", 100.0 * error));
    format!(" {:.0} | {error} | {:.2} |\n", row.measures.neighbours, row.measures.rms_speed)
}

/// A number with commas between thousands.
fn thousands(number: usize) -> String {
    match number / 1000 {
        0 => number.to_string(),
        more => format!("{},{:03}", thousands(more), number % 1000),
    }
}

/// What there is, without repetitions, in the order in which it first appears.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Measures;

    fn row(peer: &str, milliseconds: f64) -> Row {
        let measures = Measures {
            neighbours: 28.0,
            density_error: Some(0.051),
            max_speed: 1.0,
            rms_speed: 0.25,
            lost: 0,
        };
        Row {
            scene: "pool",
            particles: 3000,
            peer: peer.into(),
            warm_frames: 300,
            frames: 100,
            unrest: 0.0,
            milliseconds,
            best_milliseconds: 0.5 * milliseconds,
            rounds: vec![0.5 * milliseconds, milliseconds, 3.0 * milliseconds],
            measures,
            own_density: None,
        }
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn the_table_is_aligned_and_compares() {
        let text = table(&[row(REFERENCE, 0.5), row("javascript", 2.0)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{text}");
        let cells: Vec<&str> = lines[3].split('|').map(str::trim).collect();
        assert_eq!(cells[3], "javascript");
        assert_eq!(cells[5..10], ["2.000", "1.50", "4.00", "1.000", "4.00"]);
        assert_eq!(cells[11], "+5.1 %");
    }

    #[test]
    fn without_the_reference_there_is_no_ratio() {
        let text = table(&[row("javascript", 2.0)]);
        assert!(text.lines().nth(2).expect("a row").contains(" - |"), "{text}");
    }

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

    fn sized_row(peer: &str, particles: usize, milliseconds: f64) -> Row {
        let measures = Measures {
            neighbours: 25.7,
            density_error: (peer != "salva").then_some(0.1),
            max_speed: 1.0,
            rms_speed: 0.25,
            lost: 0,
        };
        Row {
            scene: "pool",
            particles,
            peer: peer.into(),
            warm_frames: 300,
            frames: 100,
            unrest: 0.123,
            milliseconds,
            best_milliseconds: milliseconds,
            rounds: vec![milliseconds],
            measures,
            own_density: None,
        }
    }

    #[test]
    fn every_size_has_a_column_and_every_peer_a_row() {
        let rows = [
            sized_row(REFERENCE, 3_000, 0.5),
            sized_row("salva", 3_000, 7.0),
            sized_row(REFERENCE, 10_000, 2.0),
            sized_row("salva", 10_000, 231.4),
            sized_row(REFERENCE, 30_000, 6.0),
        ];
        let expected = "*pool*\n\n\
            | peer | 3,000 | 10,000 | 30,000 | neighbours | density error | rms speed |\n\
            |---|---|---|---|---|---|---|\n\
            | ours, 25 neighbours | 0.50 | 2.00 | 6.00 | 26 | +10 % | 0.25 |\n\
            | salva | 7.00 (14.0) | 231 (115.7) | - | 26 | - | 0.25 |\n\n\
            How steady the times are: in half of the rows, three quarters of the rounds took at most 12 % longer than \
            the fastest round.\n\n";
        assert_eq!(page(&rows), expected);
    }
}
