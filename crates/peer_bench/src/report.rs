//! The report: rows, as a table and as JSON.

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
    /// By how much the rounds of the scene differ ([`rounds::unrest`](crate::rounds::unrest)).
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
