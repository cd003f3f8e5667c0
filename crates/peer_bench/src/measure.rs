//! Measures of a liquid, the same for every peer, from positions and velocities only.

use std::f32::consts::TAU;

use serde::Serialize;

use crate::peer::State;
use on_every_target::scene::{HEIGHT, Kind, Scene};

/// Measures of a state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measures {
    /// Mean number of other particles within the solver's own interaction radius.
    pub neighbours: f64,
    /// Number density in the bottom fifth over that 10 to 30 % under the surface, minus 1; `None`
    /// if the liquid is too shallow or not at rest.
    pub density_error: Option<f64>,
    /// Largest speed inside the box, in spacings per second.
    pub max_speed: f64,
    /// Root mean square speed inside the box, in spacings per second.
    pub rms_speed: f64,
    /// Number of particles that are missing or more than a spacing outside the box.
    pub lost: usize,
}

/// Measures a state of a scene.
pub fn measure(state: &State, scene: &Scene) -> Measures {
    let inside = |[x, y]: &[f32; 2]| {
        (-1.0..=scene.width() + 1.0).contains(x) && (-1.0..=HEIGHT + 1.0).contains(y)
    };
    let present: Vec<[f32; 2]> = state.positions.iter().copied().filter(inside).collect();
    // Particles that have leaked fall for ever, and would dominate the speeds.
    let still_inside = state.positions.iter().zip(&state.velocities).filter(|(p, _)| inside(p));
    let squares = still_inside.map(|(_, [x, y])| f64::from(x * x + y * y));
    let mean_square = squares.clone().sum::<f64>() / present.len().max(1) as f64;
    Measures {
        neighbours: mean_neighbours(&present, state.interaction_radius),
        density_error: match scene.kind {
            Kind::Pool => density_error(&present, scene.width()),
            Kind::Dam => None,
        },
        max_speed: squares.fold(0.0, f64::max).sqrt(),
        rms_speed: mean_square.sqrt(),
        lost: scene.particles().saturating_sub(present.len()),
    }
}

/// Counts pairs in cells as wide as the radius. Positions must not be far outside the scene.
fn mean_neighbours(positions: &[[f32; 2]], radius: f32) -> f64 {
    // One cell of margin for particles just outside, and one for their neighbours.
    let cell = |value: f32| (value / radius).floor() as usize + 2;
    let shifted = positions.iter().map(|[x, y]| [x + 1.0, y + 1.0]);
    let columns = positions.iter().map(|[x, _]| cell(x + 2.0)).max().unwrap_or(0) + 2;
    let rows = positions.iter().map(|[_, y]| cell(y + 2.0)).max().unwrap_or(0) + 2;
    let mut cells = vec![Vec::new(); columns * rows];
    for [x, y] in shifted.clone() {
        cells[cell(y) * columns + cell(x)].push([x, y]);
    }
    let near = |[x, y]: [f32; 2]| {
        let middle = cell(y) * columns + cell(x);
        let around = [middle - columns, middle, middle + columns].map(|c| &cells[c - 1..=c + 1]);
        let found = around.into_iter().flatten().flatten().filter(|other| {
            let (dx, dy) = (other[0] - x, other[1] - y);
            dx * dx + dy * dy < radius * radius
        });
        found.count() - 1
    };
    shifted.map(near).sum::<usize>() as f64 / positions.len().max(1) as f64
}

/// Number density in the bottom fifth of the liquid over that 10 to 30 % under the surface, minus
/// 1, without five spacings at either wall.
///
/// The liquid is cut into overlapping strips ten spacings wide, each with a surface of its own, and
/// particles count by Hann windows: the rows in which particles lie make sharp bands count one row
/// more or less, and solvers differ in how far off the floor the lowest row lies.
fn density_error(positions: &[[f32; 2]], width: f32) -> Option<f64> {
    const MARGIN: f32 = 5.0;
    const STRIP: f32 = 10.0;
    const SHALLOWEST: f32 = 10.0;
    let count = ((width - 2.0 * MARGIN) / (0.5 * STRIP)) as usize;
    let mut strips = vec![Vec::new(); count.saturating_sub(1)];
    for [x, y] in positions {
        let place = (x - MARGIN) / (0.5 * STRIP);
        for strip in [place.floor() - 1.0, place.floor()] {
            if strip >= 0.0 && (strip as usize) < strips.len() {
                let across = hann(*x, MARGIN + 0.5 * STRIP * strip, STRIP);
                strips[strip as usize].push((*y, across));
            }
        }
    }
    // Particles by weight, and the area that the windows cover.
    let [mut bottom, mut top] = [[0.0; 2]; 2];
    for strip in &mut strips {
        strip.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        // The highest particles may be spray.
        let surface = strip.get(strip.len() * 98 / 100).map_or(0.0, |highest| highest.0);
        if surface < SHALLOWEST {
            continue;
        }
        for (band, low) in [(&mut bottom, 0.0), (&mut top, 0.7)] {
            let weight = |(y, across): &(f32, f32)| across * hann(*y, low * surface, 0.2 * surface);
            band[0] += f64::from(strip.iter().map(weight).sum::<f32>());
            band[1] += f64::from(surface);
        }
    }
    let [bottom, top] = [bottom, top].map(|[particles, area]| particles / area);
    (top > 0.0).then(|| bottom / top - 1.0)
}

/// A Hann window that begins at `low`: 0 at its ends, 1 in its middle.
fn hann(value: f32, low: f32, width: f32) -> f32 {
    let part = (value - low) / width;
    if (0.0..1.0).contains(&part) { 0.5 - 0.5 * (TAU * part).cos() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The block with its rows closer together the deeper they are, by `compression` at the floor.
    fn compressed(scene: &Scene, compression: f32) -> State {
        let positions = scene.positions().map(|[x, y]| {
            let depth = 1.0 - y / 50.0;
            [x, y + 25.0 * compression * (depth * depth - 1.0)]
        });
        let positions: Vec<_> = positions.collect();
        let velocities = vec![[3.0, 4.0]; positions.len()];
        State { interaction_radius: 1.1, positions, velocities, own_density: None }
    }

    #[test]
    fn an_even_block_has_no_density_error() {
        let scene = Scene::new(Kind::Pool, 3000);
        let measures = measure(&compressed(&scene, 0.0), &scene);
        assert!(measures.density_error.expect("deep").abs() < 0.005, "{measures:?}");
        assert_eq!((measures.max_speed, measures.rms_speed, measures.lost), (5.0, 5.0, 0));
        // Four neighbours each, minus one for each particle at each of the four sides.
        assert_eq!(measures.neighbours, 4.0 - 2.0 * (60.0 + 50.0) / 3000.0);
    }

    #[test]
    fn compression_shows_as_it_is() {
        let scene = Scene::new(Kind::Pool, 3000);
        // Rows lie `1 - compression * depth` apart: 0.9 deep in the middle of the bottom fifth,
        // 0.2 deep in that of the upper band.
        let error = measure(&compressed(&scene, 0.1), &scene).density_error.expect("deep");
        let expected = (1.0 - 0.1 * 0.2) / (1.0 - 0.1 * 0.9) - 1.0;
        assert!((error - expected).abs() < 0.01, "{error} instead of {expected}");
    }

    #[test]
    fn particles_outside_are_lost() {
        let scene = Scene::new(Kind::Dam, 3000);
        let mut state = compressed(&scene, 0.0);
        state.positions[0][1] = -1.5;
        state.positions[1][0] = 92.0;
        state.positions[2][0] = f32::NAN;
        state.positions.pop();
        assert_eq!(measure(&state, &scene).lost, 4);
    }

    #[test]
    fn shallow_liquid_has_no_density_error() {
        let scene = Scene::new(Kind::Pool, 500);
        let state = compressed(&scene, 0.0);
        assert_eq!(measure(&state, &scene).density_error, None);
    }
}
