//! Conversion of settings to another particle spacing.
//!
//! Most settings are measured in units that follow from the particle spacing `d`:
//! `T0 = sqrt(d/a0)`, `V0 = sqrt(d a0)`, and the mass of a particle. For the same liquid at another
//! spacing, a setting stays constant in the unit [`keeps`](SettingRange::keeps) of its row:
//!
//! - `1/T0` for a decay, per second,
//! - `d/T0` for an exchange through a surface, which affects the particles within some spacings of it,
//! - `d²/T0` for an exchange between neighbours, such as a viscosity or a conductivity,
//! - `a0 d` and `d²/T0²` for stresses of pairs of neighbours, per density.

use crate::settings::range::{SettingRange, Settings};

/// Twice the power of `d` in a unit. It is an integer for all units.
fn half_powers(unit: &str) -> i32 {
    let of_factor = |factor: &str| match factor {
        "1" | "a0" | "area" => 0,
        "T0" | "V0" => 1,
        "d" | "T0²" => 2,
        "d²" | "mass" => 4,
        _ => panic!("no unit of a setting: {factor}"),
    };
    let of_product = |product: &str| product.split(' ').map(of_factor).sum::<i32>();
    let (above, below) = unit.split_once('/').unwrap_or((unit, "1"));
    of_product(above) - of_product(below)
}

/// The factor on a number that stays the same in `unit`, for a particle spacing multiplied by `ratio`.
pub(crate) fn respaced_by(unit: &str, ratio: f64) -> f64 {
    let halves = half_powers(unit);
    // Products are bit-identical on every platform.
    let power: f64 = (0..halves.abs()).map(|_| ratio.sqrt()).product();
    if halves > 0 { 1.0 / power } else { power }
}

/// Converts settings to a particle spacing multiplied by `ratio`. A number at its upper limit stays there.
pub(crate) fn respace(settings: &mut impl Settings, ratio: f64) {
    settings.visit_mut(&mut |row: &SettingRange, value| {
        if !row.keeps.is_empty() && *value != row.limits.most {
            *value = (f64::from(*value) * respaced_by(row.keeps, ratio)) as f32;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FluidParameters;

    #[test]
    fn every_unit_has_a_power_of_the_spacing() {
        let parameters =
            |spacing| FluidParameters { particle_spacing: spacing, ..Default::default() };
        let (one, other) = (parameters(8.0), parameters(18.0));
        let times = other.time_unit() / one.time_unit();
        for (unit, grows) in [
            ("1/T0", 1.0 / times),
            ("d/T0", 2.25 / times),
            ("d²/T0", 2.25 * 2.25 / times),
            ("d²/T0²", 2.25),
            ("V0", other.speed_unit() / one.speed_unit()),
            ("a0 d", 2.25),
            ("mass/area", 2.25 * 2.25),
        ] {
            let factor = respaced_by(unit, 2.25);
            assert!((factor * f64::from(grows) - 1.0).abs() < 1e-6, "{unit}: {factor}");
        }
    }

    /// Settings of scenes that keep their numbers, though their unit depends on the spacing.
    const STAYING: [&str; 12] = [
        "radius_ratio",
        // The pressure of the method itself is stable and at rest with these numbers.
        "stiffness",
        "viscosity.quadratic",
        "ghost_walls.unsticking",
        "classic.dead_zone",
        "classic.unsticking",
        "elasticity.min_rest_length",
        // Stronger attraction sets the liquid like a gel, with any spacing.
        "surface_tension",
        "cohesion",
        // The limits of rest allow the relative motion of neighbouring particles.
        "sleeping.after",
        "sleeping.drift",
        // The distance reaches the neighbours of a particle.
        "stick_distance",
    ];

    #[test]
    fn every_setting_in_units_of_the_spacing_is_kept_or_stays_for_a_reason() {
        let follows = |unit: &str| {
            unit.split(['/', ' ', '²']).any(|factor| ["d", "h", "T0", "V0", "a0"].contains(&factor))
        };
        let in_scenes = ["fluid parameters", "class", "pair", "wall", "air"];
        for row in crate::ranges::all().filter(|row| in_scenes.contains(&row.subject)) {
            if row.keeps.is_empty() {
                let stays = !follows(row.unit) || STAYING.contains(&row.path);
                assert!(stays, "{}: {} in {}", row.subject, row.path, row.unit);
            } else {
                assert!(respaced_by(row.keeps, 1.0) == 1.0, "{}", row.path);
                assert!(!STAYING.contains(&row.path), "{}", row.path);
            }
        }
    }

    #[test]
    fn a_number_at_its_limit_stays() {
        let mut parameters = FluidParameters::default();
        parameters.settling.drag = 1000.0;
        respace(&mut parameters, 0.5);
        assert_eq!(parameters.settling.drag, 1000.0);
        assert_eq!(parameters.settling.calm_drag, 0.3 * 0.5_f32.sqrt());
        assert_eq!(parameters.stiffness, FluidParameters::default().stiffness);
    }
}
