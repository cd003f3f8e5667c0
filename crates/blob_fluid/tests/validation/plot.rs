//! Plots, as SVG.

use plotters::coord::combinators::IntoLogRange;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// The style in which points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Line,
    Points,
}

/// A named series of points.
#[derive(Clone, Debug)]
pub struct Series {
    pub name: &'static str,
    pub style: Style,
    pub points: Vec<(f64, f64)>,
}

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot {
    pub title: &'static str,
    pub x: &'static str,
    pub y: &'static str,
    /// Whether both axes are logarithmic.
    pub logarithmic: bool,
    pub series: Vec<Series>,
}

const SIZE: (u32, u32) = (720, 420);
const COLORS: [RGBColor; 5] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 84, 56),
    RGBColor(44, 160, 80),
    RGBColor(148, 103, 189),
    RGBColor(90, 90, 90),
];

impl Plot {
    /// The file that the plot is written to.
    pub fn file_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        format!("{}.svg", self.title.chars().map(plain).collect::<String>())
    }

    /// The plot as SVG.
    pub fn to_svg(&self) -> String {
        let bounds = |of: fn(&(f64, f64)) -> f64| {
            let values = self.series.iter().flat_map(|series| series.points.iter().map(of));
            let bounds = values.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
            let margin = 0.04 * (bounds.1 - bounds.0).max(1e-12);
            if self.logarithmic { bounds } else { (bounds.0 - margin, bounds.1 + margin) }
        };
        let (x, y) = (bounds(|point| point.0), bounds(|point| point.1));
        let mut svg = String::new();
        let drawn = if self.logarithmic {
            // The axis covers whole decades, so that there are labels on it.
            let decade = |y: f64| (0..).map(|n| 10_f64.powi(n)).take_while(|d| *d <= y).last();
            let (low, high) = (decade(y.0).unwrap_or(0.1), 10.0 * decade(y.1).unwrap_or(0.1));
            self.draw(&mut svg, (x.0..x.1).log_scale(), (low..high).log_scale())
        } else {
            self.draw(&mut svg, x.0..x.1, y.0..y.1)
        };
        drawn.unwrap_or_else(|error| panic!("{}: {error}", self.title));
        svg
    }

    fn draw<X, Y>(&self, svg: &mut String, x: X, y: Y) -> Result<(), Box<dyn std::error::Error>>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
        Cartesian2d<X::CoordDescType, Y::CoordDescType>: CoordTranslate<From = (f64, f64)>,
    {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(56)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .light_line_style(RGBColor(240, 240, 240))
            .bold_line_style(RGBColor(215, 215, 215))
            .label_style(("sans-serif", 13))
            .draw()?;
        for (series, color) in self.series.iter().zip(COLORS) {
            let points = series.points.iter().copied();
            let drawn = match series.style {
                Style::Line => chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?,
                Style::Points => {
                    chart.draw_series(points.map(|point| Circle::new(point, 4, color.filled())))?
                }
            };
            let style = series.style;
            drawn.label(series.name).legend(move |(x, y)| match style {
                Style::Line => {
                    PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)).into_dyn()
                }
                Style::Points => Circle::new((x + 9, y), 4, color.filled()).into_dyn(),
            });
        }
        if self.series.len() > 1 {
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::LowerRight)
                .background_style(WHITE.mix(0.85))
                .border_style(RGBColor(200, 200, 200))
                .label_font(("sans-serif", 13))
                .draw()?;
        }
        area.present()?;
        Ok(())
    }
}

/// Creates a series that is drawn as a line.
pub fn line(name: &'static str, points: Vec<(f64, f64)>) -> Series {
    Series { name, style: Style::Line, points }
}

/// Creates a series that is drawn as points.
pub fn points(name: &'static str, points: Vec<(f64, f64)>) -> Series {
    Series { name, style: Style::Points, points }
}

/// Creates a plot with linear axes.
pub fn plot(title: &'static str, x: &'static str, y: &'static str, series: Vec<Series>) -> Plot {
    Plot { title, x, y, logarithmic: false, series }
}
