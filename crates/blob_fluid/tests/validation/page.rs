//! Writes the page `docs/validation.md`, or compares it.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::bars::{BARS, Bar, OPEN_LIMITS, OpenLimit};
use crate::experiments::EXPERIMENTS;
use crate::plot::Plot;

pub const DOCS: &str = "../../docs";

/// The result of an experiment.
#[derive(Clone, Debug)]
pub struct Finding {
    pub experiment: &'static str,
    /// Description of the experiment, in a few sentences.
    pub description: &'static str,
    /// Numbers by the name of their bar.
    pub measured: Vec<(&'static str, f64)>,
    pub plots: Vec<Plot>,
}

impl Finding {
    /// Explanation of a missed limit that is not open, if there is one.
    pub fn failed(&self) -> Option<String> {
        let short = self.measured.iter().filter_map(|(measure, value)| {
            let bar = bar_of(self.experiment, measure);
            (!bar.limit.holds(*value) && open_limit(bar).is_none())
                .then(|| format!("{measure}: {value:.4e}, which should be {}", bar.limit))
        });
        let short: Vec<String> = short.collect();
        (!short.is_empty()).then(|| short.join("\n"))
    }
}

/// The bar of a measure; every measure has one.
fn bar_of(experiment: &str, measure: &str) -> &'static Bar {
    let mut bars = BARS.iter();
    let bar = bars.find(|bar| bar.experiment == experiment && bar.measure == measure);
    bar.unwrap_or_else(|| panic!("there is no bar for `{measure}` of {experiment}"))
}

/// The open limit of a bar, if it has one.
fn open_limit(bar: &Bar) -> Option<&'static OpenLimit> {
    let is_of =
        |open: &&OpenLimit| (open.experiment, open.measure) == (bar.experiment, bar.measure);
    OPEN_LIMITS.iter().find(is_of)
}

/// Formats a number with three digits.
pub fn digits(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if !(1e-3..1e4).contains(&size) {
        format!("{value:.1e}")
    } else if size < 0.1 {
        format!("{value:.4}")
    } else if size < 10.0 {
        format!("{value:.3}")
    } else {
        format!("{value:.1}")
    }
}

/// Writes the page if requested, or else compares it with the present one.
pub fn settle(findings: &[Finding]) -> Result<(), String> {
    let text = page(findings);
    let path = Path::new(DOCS).join("validation.md");
    if std::env::var_os("BLOB_FLUID_WRITE_VALIDATION").is_some() {
        let folder = Path::new(DOCS).join("images/validation");
        let write = || {
            fs::create_dir_all(&folder)?;
            for plot in findings.iter().flat_map(|finding| &finding.plots) {
                fs::write(folder.join(plot.file_name()), plot.to_svg())?;
            }
            fs::write(&path, &text)
        };
        return write().map_err(|error: std::io::Error| format!("{}: {error}", path.display()));
    }
    let present = fs::read_to_string(&path).unwrap_or_default();
    let differs = text.lines().zip(present.lines()).find(|(now, then)| now != then);
    if present == text {
        return Ok(());
    }
    let (now, then) = differs.unwrap_or(("", ""));
    Err(format!(
        "docs/validation.md says otherwise:\n  {then}\nnow:\n  {now}\nwith \
         BLOB_FLUID_WRITE_VALIDATION=1 it is written anew"
    ))
}

fn page(findings: &[Finding]) -> String {
    let mut text = String::from(
        "# Validation\n\n\
         This page describes experiments with known outcomes. A bar is the limit of a measure. Each bar states its source \
         ([`bars.rs`](../crates/blob_fluid/tests/validation/bars.rs)). The validation suite writes this page and its \
         plots, and fails when it measures other values:\n\n\
         ```sh\ncargo test -p blob_fluid --release --test validation -- --include-ignored --skip \"solvers compared\"\n```\n\n",
    );
    let fails = |finding: &Finding| {
        let measured = finding.measured.iter();
        measured
            .filter(|(measure, value)| !bar_of(finding.experiment, measure).limit.holds(*value))
            .count()
    };
    let failing: usize = findings.iter().map(fails).sum();
    let bars = BARS.len();
    let verdict = match failing {
        0 => format!("All {bars} bars hold."),
        _ => format!("**{failing} of {bars} bars do not hold**; they are marked below."),
    };
    text.push_str(&verdict);
    text.push_str("\n\n| experiment | bars | that do not hold |\n|---|---|---|\n");
    for (name, _) in EXPERIMENTS {
        if let Some(finding) = findings.iter().find(|finding| finding.experiment == *name) {
            let heading = heading(finding);
            let anchor = heading.to_lowercase().replace(':', "").replace(' ', "-");
            let (bars, failing) = (finding.measured.len(), fails(finding));
            let _ = writeln!(text, "| [{heading}](#{anchor}) | {bars} | {failing} |");
        }
    }
    for (name, _) in EXPERIMENTS {
        let Some(finding) = findings.iter().find(|finding| finding.experiment == *name) else {
            continue;
        };
        let _ = write!(text, "\n## {}\n\n{}\n\n", heading(finding), finding.description);
        text.push_str("| measure | measured | bar | holds | where the bar comes from |\n");
        text.push_str("|---|---|---|---|---|\n");
        for (measure, value) in &finding.measured {
            let bar = bar_of(finding.experiment, measure);
            let holds = if bar.limit.holds(*value) { "yes" } else { "**no**" };
            let (value, limit, source) = (digits(*value), bar.limit, bar.source);
            let _ = writeln!(text, "| {measure} | {value} | {limit} | {holds} | {source} |");
        }
        for (measure, value) in &finding.measured {
            let bar = bar_of(finding.experiment, measure);
            if let Some(open) = open_limit(bar).filter(|_| !bar.limit.holds(*value)) {
                let _ = write!(text, "\nNot met: {measure}. {}.\n", open.reason);
            }
        }
        for plot in &finding.plots {
            let (title, file) = (plot.title, plot.file_name());
            let _ = write!(text, "\n![{title}](images/validation/{file})\n");
        }
    }
    text
}

fn heading(finding: &Finding) -> String {
    let mut heading = finding.experiment.to_owned();
    heading[..1].make_ascii_uppercase();
    heading
}
