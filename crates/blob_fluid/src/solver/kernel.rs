//! Smoothing kernels as functions of the weight `q = 1 - r/h`, and their integrals over the half plane behind a wall.
//!
//! The densities of Clavet et al. 2005, section 4, are `sum q^2` and `sum q^3`.

use crate::parallel::instructions::positive;

/// Weight of a pair at distance `r`: `q = 1 - r/h` within the interaction radius `h`, 0 beyond it.
///
/// Both arguments are in world units; `interaction_radius` must be above 0.
///
/// ```
/// use blob_fluid::kernel::weight;
/// assert_eq!(weight(0.0, 30.0), 1.0);
/// assert_eq!(weight(15.0, 30.0), 0.5);
/// assert_eq!(weight(31.0, 30.0), 0.0);
/// ```
pub fn weight(distance: f32, interaction_radius: f32) -> f32 {
    positive(1.0 - distance / interaction_radius)
}

// `G2 = w^3.5 P(w)` and `G3 = w^4.5 P(w)` with `w = 1 - u`. The half-integer powers are the exact asymptotic behaviour
// near `u = 1`, where the kernel just reaches the wall, and need only `sqrt`. The polynomials were fitted by least
// squares. The tests compare them with numerical integrals.
pub(crate) const DENSITY: [f32; 6] =
    [0.496_185_2, -0.642_150_5, 1.529_983_3, -2.310_922_9, 1.677_836_2, -0.489_132_64];
pub(crate) const NEAR_DENSITY: [f32; 6] =
    [0.433_877, -1.171_177_5, 3.059_101, -4.341_154, 3.012_174_1, -0.835_741_4];

/// Number density behind a wall, in particles per `h^2`, per unit of equilibrium density. A plane with `n` particles
/// per `h^2` has the density `n pi/6`. The factor 1.5 adds half as many particles again, because the wall is rigid.
pub(crate) const GHOST_DENSITY_PER_EQUILIBRIUM: f32 = 1.5 * 6.0 / std::f32::consts::PI;

/// Contributions of a half plane of liquid behind a wall to a particle, for a number density of 1 particle per `h^2`.
/// `G2` and `G3` are functions of the distance `u = d/h` from the wall, `G2'` and `G3'` are their derivatives, and
/// `r_hat` is the unit vector between the particle and a point of the liquid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GhostWall {
    /// `G2(u)`: the contribution to the density `sum q^2`.
    pub density: f32,
    /// `G3(u)`: the contribution to the near density `sum q^3`.
    pub near_density: f32,
    /// `-G2'(u)/2`: the sum of the components of `q r_hat` along the wall's normal.
    pub push: f32,
    /// `-G3'(u)/3`: the sum of the components of `q^2 r_hat` along the wall's normal.
    pub near_push: f32,
}

/// Integrates the kernels over the half plane behind a flat wall at the distance `u = d/h`.
///
/// A `u` below 0 or NaN counts as 0. For a `u` of 1 or more, the result is 0. The error against the exact integral
/// is at most 5e-5 for the densities and 3e-4 for the pushes. The pushes are exact derivatives of the fitted
/// densities, so a wall neither adds nor removes energy.
///
/// ```
/// use blob_fluid::kernel::ghost_wall;
/// // At the wall itself half of the full plane's pi/6 is missing.
/// assert!((ghost_wall(0.0).density - std::f32::consts::PI / 12.0).abs() < 1e-4);
/// assert_eq!(ghost_wall(1.0).density, 0.0);
/// ```
pub fn ghost_wall(u: f32) -> GhostWall {
    let w = if u > 0.0 { 1.0 - u } else { 1.0 };
    if w <= 0.0 {
        return GhostWall::default();
    }
    let (p, dp) = polynomial(&DENSITY, w);
    let (n, dn) = polynomial(&NEAR_DENSITY, w);
    let w2 = w * w;
    let root = w.sqrt();
    let (w25, w35) = (w2 * root, w2 * w * root);
    GhostWall {
        density: w35 * p,
        near_density: w35 * w * n,
        push: 0.5 * w25 * (3.5 * p + w * dp),
        near_push: w35 * (4.5 * n + w * dn) / 3.0,
    }
}

/// Evaluates a polynomial and its derivative by Horner's rule.
fn polynomial(coefficients: &[f32], x: f32) -> (f32, f32) {
    coefficients
        .iter()
        .rev()
        .fold((0.0, 0.0), |(value, slope), c| (value * x + c, slope * x + value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integrates the kernels over the half plane in `f64`: density, near density and both pushes.
    #[expect(clippy::disallowed_methods, reason = "a reference, compared within a tolerance")]
    fn integrate(u: f64) -> [f64; 4] {
        let steps = 20_000;
        let mut sums = [0.0; 4];
        for step in 0..steps {
            // Quadratic spacing resolves the square-root edge of the integrand at r = u.
            let s = (f64::from(step) + 0.5) / f64::from(steps);
            let r = u + (1.0 - u) * s * s;
            let ring = 2.0 * (1.0 - u) * s / f64::from(steps) * r;
            let angle = (u / r).clamp(-1.0, 1.0).acos();
            let q = 1.0 - r;
            sums[0] += 2.0 * angle * q * q * ring;
            sums[1] += 2.0 * angle * q * q * q * ring;
            sums[2] += 2.0 * angle.sin() * q * ring;
            sums[3] += 2.0 * angle.sin() * q * q * ring;
        }
        sums
    }

    #[test]
    fn ghost_wall_is_the_integral_of_the_kernel() {
        for step in 0..=50 {
            let u = step as f32 / 50.0;
            let exact = integrate(f64::from(u));
            let fitted = ghost_wall(u);
            let got = [fitted.density, fitted.near_density, fitted.push, fitted.near_push];
            for (part, (got, exact)) in got.into_iter().zip(exact).enumerate() {
                let bound = if part < 2 { 5e-5 } else { 3e-4 };
                let error = (f64::from(got) - exact).abs();
                assert!(error <= bound, "part {part} at u = {u}: {got} against {exact}");
            }
        }
    }

    #[test]
    fn ghost_wall_pushes_are_the_slopes_of_its_densities() {
        let step = 1e-3;
        for index in 1..100 {
            let u = index as f32 / 100.0;
            let (below, above) = (ghost_wall(u - step), ghost_wall(u + step));
            let slope = (above.density - below.density) / (2.0 * step);
            let near_slope = (above.near_density - below.near_density) / (2.0 * step);
            assert!((ghost_wall(u).push + slope / 2.0).abs() < 5e-4, "u = {u}");
            assert!((ghost_wall(u).near_push + near_slope / 3.0).abs() < 5e-4, "u = {u}");
        }
    }

    #[test]
    fn behind_the_wall_counts_as_at_the_wall() {
        assert_eq!(ghost_wall(-0.5), ghost_wall(0.0));
        assert_eq!(ghost_wall(f32::NAN), ghost_wall(0.0));
        assert_eq!(ghost_wall(2.0), GhostWall::default());
    }
}
