//! The report as `docs/performance.md` has it: a table for each scene, with a column for each size.

use std::fmt::Write;

use crate::report::{REFERENCE, Row};

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
            "\nIn half of the peers rounds differed by up to {:.0} %.\n\n",
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

    fn row(peer: &str, particles: usize, milliseconds: f64) -> Row {
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
            row(REFERENCE, 3_000, 0.5),
            row("salva", 3_000, 7.0),
            row(REFERENCE, 10_000, 2.0),
            row("salva", 10_000, 231.4),
            row(REFERENCE, 30_000, 6.0),
        ];
        let expected = "*pool*\n\n\
            | peer | 3,000 | 10,000 | 30,000 | neighbours | density error | rms speed |\n\
            |---|---|---|---|---|---|---|\n\
            | ours, 25 neighbours | 0.50 | 2.00 | 6.00 | 26 | +10 % | 0.25 |\n\
            | salva | 7.00 (14.0) | 231 (115.7) | - | 26 | - | 0.25 |\n\n\
            In half of the peers rounds differed by up to 12 %.\n\n";
        assert_eq!(page(&rows), expected);
    }
}
