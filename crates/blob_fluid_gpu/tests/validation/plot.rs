//! What the core's experiments plot, of which nothing is drawn here.

/// Named points.
#[derive(Clone, Debug)]
pub struct Series;

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot;

pub fn line(_: &'static str, _: Vec<(f64, f64)>) -> Series {
    Series
}

pub fn points(_: &'static str, _: Vec<(f64, f64)>) -> Series {
    Series
}

pub fn plot(_: &'static str, _: &'static str, _: &'static str, _: Vec<Series>) -> Plot {
    Plot
}
