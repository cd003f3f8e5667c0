//! The walls as the oracle sees them: distances, and the kernel integrated exactly behind them.

use blob_fluid::{Container, ContainerShape};
use glam::DVec2;

/// How far the crate's fit of the integrals may be from them, as `blob_fluid::kernel::ghost_wall`
/// promises: the densities, and the pushes.
pub const FIT_ERROR: (f64, f64) = (5e-5, 3e-4);

/// What a half plane of liquid behind a wall at the distance `u` (in radii) adds to a particle, per
/// particle in `h^2`.
#[derive(Clone, Copy, Debug)]
pub struct Ghost {
    pub density: f64,
    pub near_density: f64,
    pub push: f64,
    pub near_push: f64,
}

/// The integrals of `q^2`, `q^3` and of `q`, `q^2` along the normal over the half plane, in closed
/// form.
///
/// On a ring of radius `r` the half plane takes the angle `2 acos(u/r)`, and the normal's component
/// adds up to `2 sqrt(1 - (u/r)^2)`. What is left are moments of `1/sqrt(r^2 - u^2)`, by parts for
/// the densities.
pub fn ghost(u: f64) -> Ghost {
    let u = u.clamp(0.0, 1.0);
    let s = (1.0 - u * u).sqrt();
    // The limits at u = 0 are finite: every logarithm is multiplied by u^2.
    let log = if u > 0.0 { ((1.0 + s) / u).ln() } else { 0.0 };
    let u2 = u * u;
    // Integrals of r^n / sqrt(r^2 - u^2) from u to 1.
    let m1 = s;
    let m2 = 0.5 * (s + u2 * log);
    let m3 = s * s * s / 3.0 + u2 * s;
    let m4 = 0.25 * s + 0.75 * u2 * m2;
    // Integrals of r^n sqrt(r^2 - u^2).
    let n0 = 0.5 * (s - u2 * log);
    let n1 = s * s * s / 3.0;
    let n2 = (2.0 - u2) * s / 8.0 - u2 * u2 * log / 8.0;
    let angle = u.acos();
    Ghost {
        density: angle / 6.0 - 2.0 * u * (m1 / 2.0 - 2.0 * m2 / 3.0 + m3 / 4.0),
        near_density: angle / 10.0 - 2.0 * u * (m1 / 2.0 - m2 + 0.75 * m3 - m4 / 5.0),
        push: 2.0 * (n0 - n1),
        near_push: 2.0 * (n0 - 2.0 * n1 + n2),
    }
}

/// Distance to a container's wall and the normal there, for every wall within `reach` and every
/// wall that the point is beyond.
pub fn walls(container: &Container, point: DVec2, reach: f64) -> Vec<(f64, DVec2)> {
    let offset = point - container.centre().as_dvec2();
    match container.shape() {
        ContainerShape::Circle { radius } => {
            let distance = f64::from(radius) - offset.length();
            if distance < reach { vec![(distance, -offset.normalize_or_zero())] } else { vec![] }
        }
        ContainerShape::Rectangle { half_size } => {
            let x = container.rotation().as_dvec2();
            let y = DVec2::new(-x.y, x.x);
            let half = half_size.as_dvec2();
            [(x, half.x), (-x, half.x), (y, half.y), (-y, half.y)]
                .into_iter()
                .map(|(normal, extent)| (extent + offset.dot(normal), normal))
                .filter(|(distance, _)| *distance < reach)
                .collect()
        }
    }
}

/// The container a point belongs to: the first that it is inside of, else the nearest.
pub fn home(containers: &[Container], point: DVec2) -> Option<&Container> {
    // How far outside a point is: along one wall, or from a corner beyond two.
    let outside = |container: &&Container| {
        let beyond = walls(container, point, 0.0);
        beyond.iter().map(|(distance, _)| distance * distance).sum::<f64>()
    };
    let inside = containers.iter().find(|container| outside(container) == 0.0);
    inside.or_else(|| containers.iter().min_by(|a, b| outside(a).total_cmp(&outside(b))))
}

/// The largest coordinate that comes up in computing with a container: what rounding is relative
/// to.
pub fn extent(container: &Container) -> f64 {
    let size = match container.shape() {
        ContainerShape::Circle { radius } => f64::from(radius),
        ContainerShape::Rectangle { half_size } => half_size.as_dvec2().length(),
    };
    container.centre().as_dvec2().length() + size
}
