//! Coefficients of a solver with pair forces for one substep, and its kernels.

use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};

use crate::boundary::solids::Solids;
use crate::liquid::clock::Clock;
use crate::parallel::instructions::{fast_max, positive};
use crate::particles::arrays::ParticleView;
use crate::solver::coefficients::Coefficients;
use crate::solver::ignores::{
    CLASS_VISCOSITY, IgnoredRule, PAIR_VISCOSITY, ignored_with_own_pressure,
};
use crate::solver::substeps::SubstepDemand;
use crate::{ClassTable, FluidParameters};

/// Stiffness, tension and damping of a solver.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stiffness {
    /// `(c dt/h)^2`, where `c` is the speed of sound.
    pub pressure: f32,
    /// `(c dt/h)^2`, where `c` is the speed of sound of the near pressure.
    pub near_pressure: f32,
    /// Largest tension beyond the tension that balances the near pressure, relative to the pressure of liquid at twice
    /// its rest density.
    pub tension: f32,
    /// Kinematic viscosity that damps sound waves, in `h^2` per substep.
    pub damping: f32,
}

/// Substep length, in T0, with sufficient resistance where the depth requires no more: 1/60 s with the default
/// settings. In all shorter substeps the liquid flows equally, because speed of sound and damping do not grow further.
const SUFFICIENT_SUBSTEP: f32 = 1.0 / 12.0;

/// The longest substep, as a multiple of [`SUFFICIENT_SUBSTEP`]. In longer substeps the damping
/// would be unstable, and the liquid so soft that collisions dissipate less energy.
const MAX_SUBSTEP_RATIO: f32 = 2.0;

/// Measured compression of pools of 20 to 100 rows, relative to that of liquid with the same speed of sound; at least.
const MEASURED_COMPRESSION_RATIO: f32 = 1.5;

/// [`SUFFICIENT_SUBSTEP`] in seconds.
pub(crate) fn sufficient_substep(parameters: &FluidParameters) -> f32 {
    SUFFICIENT_SUBSTEP * parameters.time_unit()
}

impl Stiffness {
    /// The number of substeps that a tick of `time_step` seconds needs.
    pub(crate) fn demand(self, parameters: &FluidParameters, time_step: f32) -> SubstepDemand {
        let sufficient_length = sufficient_substep(parameters);
        let other_substeps = time_step / (MAX_SUBSTEP_RATIO * sufficient_length);
        SubstepDemand {
            other_substeps,
            sufficient_length,
            ..SubstepDemand::from_depth(self.pressure / MEASURED_COMPRESSION_RATIO)
        }
    }

    /// The stiffness and the damping of the clock's substep. `self` is for the largest resistance; its damping is a
    /// fraction of `c h`. Substeps longer than [`sufficient_substep`] have a lower speed of sound, but the same
    /// damping.
    pub(crate) fn for_substep(self, clock: &Clock, parameters: &FluidParameters) -> Self {
        let share = clock.substep / clock.resisting_substep;
        let damped = clock.substep / clock.resisting_substep.min(sufficient_substep(parameters));
        Self {
            pressure: self.pressure * share * share,
            near_pressure: self.near_pressure * share * share,
            damping: self.damping * self.pressure.sqrt() * damped,
            ..self
        }
    }
}

/// Coefficients of a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairCoefficients {
    pub stiffness: Stiffness,
    /// Zero-pressure and rest densities of each class.
    pub classes: Vec<ClassDensities>,
    /// The density of an isolated particle.
    pub self_density: f32,
    /// `[i * classes + j]`: the rate at which a particle of class `i` takes on the velocity of one of class `j` along
    /// `r_hat`, per unit weight.
    pub central_viscosities: Vec<f32>,
    /// The same for the whole velocity, where the viscosity is too large for the exchange along `r_hat`; empty if there
    /// is none.
    pub full_viscosities: Vec<f32>,
    /// The density behind walls, relative to the rest density.
    pub wall_density_ratio: f32,
}

/// Densities of a class, in particles per square of the interaction radius.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassDensities {
    /// The density at which the pressure is 0.
    pub zero_pressure: f32,
    /// How far the density can fall below `zero_pressure` while the tension still grows.
    pub tension: f32,
    /// The rest density.
    pub rest: f32,
}

/// Least density, relative to the rest density, in the exchange of velocity. The exchange is stable at the rest
/// density. With the density of an isolated drop, two particles would exchange many times the difference of their
/// velocities and gain energy.
const MIN_VISCOUS_DENSITY_RATIO: f32 = 0.5;

/// Least contribution of the neighbours to the rest density, as a fraction of it, in the relative density.
const MIN_NEIGHBOUR_DENSITY_RATIO: f32 = 0.1;

impl ClassDensities {
    /// The density relative to the rest density, both without the particle's own contribution: at least 0, and 0 for an
    /// isolated particle. In a class with a low relative rest density, the own contribution may exceed that of the
    /// neighbours.
    pub(crate) fn relative(&self, density: f32, self_density: f32) -> f32 {
        let of_neighbours =
            fast_max(self.rest - self_density, MIN_NEIGHBOUR_DENSITY_RATIO * self.rest);
        positive(density - self_density) / of_neighbours
    }

    /// The density of a particle in the exchange of velocity.
    pub(crate) fn viscous_density(&self, density: f32) -> f32 {
        fast_max(density, MIN_VISCOUS_DENSITY_RATIO * self.rest)
    }
}

/// Factor on the weight of an exchange of velocity along `r_hat` that gives the same viscosity. Averaged over all
/// directions, `sin^2` is 1/2, and `sin^2 cos^2` is 1/8.
const CENTRAL_VISCOSITY_FACTOR: f32 = 4.0;

impl PairCoefficients {
    /// Derives the coefficients from valid settings.
    pub(crate) fn derive<K: Kernels>(
        &mut self,
        stiffness: Stiffness,
        parameters: &FluidParameters,
        classes: &ClassTable,
        shared: &Coefficients,
    ) {
        let rest = self.derive_densities::<K>(stiffness, parameters, classes);
        self.derive_viscosities::<K>(rest, parameters, shared);
    }

    /// Derives all coefficients except the viscosities. Returns the density of a lattice at rest.
    pub(crate) fn derive_densities<K: Kernels>(
        &mut self,
        stiffness: Stiffness,
        parameters: &FluidParameters,
        classes: &ClassTable,
    ) -> f32 {
        let lattice = Lattice::of::<K>(parameters.radius_ratio);
        self.stiffness = stiffness;
        // At rest the far pressure is a tension that balances the near pressure.
        let ratio = if stiffness.pressure > 0.0 {
            stiffness.near_pressure / stiffness.pressure
        } else {
            0.0
        };
        let tension_offset = ratio * lattice.near_density * lattice.near_virial / lattice.virial;
        self.classes.clear();
        self.classes.extend(classes.iter().map(|class| {
            let relative = class.relative_rest_density;
            ClassDensities {
                zero_pressure: (lattice.density + tension_offset) * relative,
                tension: (tension_offset + stiffness.tension * lattice.density) * relative,
                rest: lattice.density * relative,
            }
        }));
        self.self_density = K::DENSITY_FACTOR;
        self.wall_density_ratio = parameters.ghost_walls.density;
        lattice.density
    }

    /// Whether particles exchange whole velocities.
    pub(crate) fn has_full_viscosity(&self) -> bool {
        !self.full_viscosities.is_empty()
    }

    fn derive_viscosities<K: Kernels>(
        &mut self,
        rest: f32,
        parameters: &FluidParameters,
        shared: &Coefficients,
    ) {
        self.central_viscosities.clear();
        self.full_viscosities.clear();
        let damping = self.stiffness.damping;
        let linear = parameters.viscosity.linear;
        // The kinematic viscosity of the impulses in double density relaxation: the integral of
        // `n/2 q (y^2/2) (x/r)^2`, with `n` particles per area, is `pi h^4 n/320`.
        let ratio = parameters.radius_ratio;
        let viscosity =
            linear * shared.per_time_unit * (std::f32::consts::PI * ratio * ratio / 320.0);
        let count = shared.classes.len();
        for class in 0..count {
            for other in 0..count {
                let (share, other_share) = shared.shares(class, other);
                let factor = if class == other { 1.0 } else { parameters.viscosity.cross_class };
                // A light particle among heavy ones takes on more of their velocity.
                let max_viscosity =
                    K::MAX_VISCOSITY_RATE * K::KINEMATIC_VISCOSITY / (2.0 * share.max(other_share));
                // For the same viscosity, the central part takes twice as much of a particle's velocity. The damping is
                // limited to the central part.
                let viscosity = viscosity * factor;
                let remaining = (0.5 * max_viscosity - viscosity).max(0.0);
                let requested = (viscosity + (damping * factor).min(remaining)).min(max_viscosity);
                let full = (2.0 * requested - max_viscosity).max(0.0);
                let per_viscosity =
                    2.0 * share * rest * K::VISCOSITY_FACTOR / K::KINEMATIC_VISCOSITY;
                self.central_viscosities
                    .push(CENTRAL_VISCOSITY_FACTOR * (requested - full) * per_viscosity);
                self.full_viscosities.push(full * per_viscosity);
            }
        }
        if self.full_viscosities.iter().all(|rate| *rate == 0.0) {
            self.full_viscosities.clear();
        }
    }
}

/// Sums of the kernels in liquid at rest: a triangular lattice with one particle per square of the particle spacing.
struct Lattice {
    density: f32,
    near_density: f32,
    /// The sum of `q` times the slope of the pressure kernel; `near_virial`: of the near kernel.
    virial: f32,
    near_virial: f32,
}

impl Lattice {
    fn of<K: Kernels>(radius_ratio: f32) -> Self {
        // Neighbours in a triangular lattice are farther apart than in a square one.
        let height = 0.75_f64.sqrt();
        let spacing = (1.0 / height).sqrt() / f64::from(radius_ratio);
        let row_count = (1.0 / (spacing * height)) as i32 + 1;
        let mut sums = [0.0_f64; 4];
        for row in -row_count..=row_count {
            for column in -2 * row_count..=2 * row_count {
                let x = spacing * (f64::from(column) + 0.5 * f64::from(row));
                let y = spacing * height * f64::from(row);
                let q = (x * x + y * y).sqrt();
                if q >= 1.0 {
                    continue;
                }
                let w = 1.0 - q;
                sums[0] += K::density(w);
                sums[1] += K::near_density(w);
                sums[2] += q * K::slope(w);
                sums[3] += q * K::near_slope(w);
            }
        }
        let [density, near_density, virial, near_virial] = sums.map(|sum| sum as f32);
        Self {
            density: K::DENSITY_FACTOR * density,
            near_density: K::NEAR_DENSITY_FACTOR * near_density,
            virial: K::SLOPE_FACTOR * virial,
            near_virial: K::NEAR_SLOPE_FACTOR * near_virial,
        }
    }
}

// Inputs of the pair forces.

/// The pressures of one particle, and the inverse of its density.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pressures {
    /// `m (delta - delta_0)`, times the stiffness.
    pub pressure: f32,
    /// `m delta_near`, times the near stiffness.
    pub near_pressure: f32,
    /// `1/delta`.
    pub inverse_density: f32,
    /// The inverse of the density in the exchange of velocity
    /// ([`ClassDensities::viscous_density`]).
    pub inverse_viscous_density: f32,
    /// Whether other particles are coincident with the particle.
    pub is_coincident: bool,
}

/// All inputs of the displacements.
#[derive(Clone, Copy)]
pub(crate) struct Frozen<'a> {
    pub particles: ParticleView<'a>,
    pub solids: &'a Solids,
    pub coefficients: &'a Coefficients,
    pub pairs: &'a PairCoefficients,
}

// The settings that solvers with pair forces ignore.

pub(crate) const IGNORED_SETTINGS: &[IgnoredRule] =
    &ignored_with_own_pressure(CLASS_VISCOSITY, PAIR_VISCOSITY);

// Kernels.

/// Number types of kernels: a scalar, or one number for each particle of a block.
pub(crate) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
}

impl<N: Copy + Add<Output = N> + Sub<Output = N> + Mul<Output = N>> Number for N {}

/// The kernels of a solver, as functions of `w = 1 - r/h`, which is 0 beyond the interaction radius `h`. Each kernel
/// must be multiplied by its factor. Then densities integrate to 1 over the plane, with lengths in `h`.
pub(crate) trait Kernels: Copy + Debug + Default + Send + Sync + 'static {
    /// Whether the solver has a near density and a near pressure. Without them, their kernels are never used.
    const HAS_NEAR: bool = false;

    const DENSITY_FACTOR: f32;
    /// The kernel of the density.
    fn density<N: Number>(w: N) -> N;

    const NEAR_DENSITY_FACTOR: f32 = 0.0;
    /// The kernel of the near density.
    #[inline(always)]
    fn near_density<N: Number>(w: N) -> N {
        w
    }

    const PRESSURE_FACTOR: f32;
    /// The kernel whose gradient gives the pressure forces.
    fn pressure<N: Number>(w: N) -> N;

    const SLOPE_FACTOR: f32;
    /// The slope `-dW/dr` of the pressure kernel.
    fn slope<N: Number>(w: N) -> N;

    const NEAR_SLOPE_FACTOR: f32 = 0.0;
    /// The slope of the near density kernel.
    #[inline(always)]
    fn near_slope<N: Number>(w: N) -> N {
        w
    }

    const VISCOSITY_FACTOR: f32;
    /// The weight of the exchange of velocity.
    fn viscosity<N: Number>(w: N) -> N;
    /// The kinematic viscosity, in square interaction radii per substep, of this weight at a rate of 1.
    const KINEMATIC_VISCOSITY: f32;
    /// The largest rate at which a substep is stable.
    const MAX_VISCOSITY_RATE: f32;

    /// The integrals over the half plane behind a straight wall.
    fn wall_integrals() -> &'static WallIntegrals;
}

/// `1 - (r/h)^2`, from `w = 1 - r/h`.
#[inline(always)]
fn one_minus_squared_distance<N: Number>(w: N) -> N {
    w + w - w * w
}

/// Poly6 (Mueller, Charypar and Gross 2003, equation 20), `(1 - q^2)^3` with `q = r/h`.
#[inline(always)]
pub(crate) fn poly6<N: Number>(w: N) -> N {
    let base = one_minus_squared_distance(w);
    base * base * base
}

/// In two dimensions, `4/(pi h^8) (h^2 - r^2)^3` integrates to 1: the integral of `2 pi q (1 -
/// q^2)^3` from 0 to 1 is `pi/4`.
pub(crate) const POLY6_FACTOR: f32 = 4.0 / std::f32::consts::PI;

// A table of integrals over the half plane behind a straight wall.

/// Number of intervals of the table.
pub(super) const INTERVALS: usize = 64;

/// Contributions of liquid of density 1 behind a wall to a particle at a distance from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WallIntegral {
    pub density: f32,
    pub near_density: f32,
    /// Integral of the pressure kernel over the half plane. The integral for the near pressure is `near_density`.
    pub weight: f32,
    /// Integral of the pressure kernel's gradient, which equals the integral of the kernel along the wall.
    pub push: f32,
    pub near_push: f32,
}

/// A table of [`WallIntegral`] over the distance from the wall, from 0 to one interaction radius.
#[derive(Debug)]
pub(crate) struct WallIntegrals(pub(super) [WallIntegral; INTERVALS + 1]);

impl WallIntegrals {
    /// The contributions at a distance of `u` interaction radii. A `u` below 0 or NaN counts as 0.
    pub(crate) fn at(&self, u: f32) -> WallIntegral {
        let scaled = (u * INTERVALS as f32).max(0.0);
        let index = scaled as usize;
        let Some([low, high]) = self.0.get(index..index + 2).and_then(|pair| pair.first_chunk())
        else {
            return WallIntegral::default();
        };
        let fraction = scaled - index as f32;
        let interpolate =
            |value: fn(&WallIntegral) -> f32| value(low) + fraction * (value(high) - value(low));
        WallIntegral {
            density: interpolate(|beyond| beyond.density),
            near_density: interpolate(|beyond| beyond.near_density),
            weight: interpolate(|beyond| beyond.weight),
            push: interpolate(|beyond| beyond.push),
            near_push: interpolate(|beyond| beyond.near_push),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::shared_pressure::SharedPressureKernels;
    use crate::solver::sph::SphKernels;

    /// The integral of a radial function over the unit disc.
    fn over_plane(value: impl Fn(f64) -> f64) -> f64 {
        const RINGS: u32 = 20_000;
        let ring = |index: u32| {
            let q = (f64::from(index) + 0.5) / f64::from(RINGS);
            std::f64::consts::TAU * q * value(1.0 - q) / f64::from(RINGS)
        };
        (0..RINGS).map(ring).sum()
    }

    fn integrates_to_one(factor: f32, kernel: fn(f64) -> f64, name: &str) {
        let integral = f64::from(factor) * over_plane(kernel);
        assert!((integral - 1.0).abs() < 1e-3, "{name}: {integral}");
    }

    /// The slope of a kernel must equal its finite differences, and be positive: `-dW/dr > 0` pushes particles apart.
    fn has_slope(kernel: (f32, fn(f64) -> f64), slope: (f32, fn(f64) -> f64), name: &str) {
        for step in 1..100 {
            let (w, half) = (f64::from(step) / 100.0, 1e-5);
            let difference = kernel.1(w + half) - kernel.1(w - half);
            let expected = f64::from(kernel.0) * difference / (2.0 * half);
            let found = f64::from(slope.0) * slope.1(w);
            assert!((found - expected).abs() < 1e-3 && found > 0.0, "{name} at {w}: {found}");
        }
    }

    #[test]
    fn kernels_integrate_to_one() {
        type Shared = SharedPressureKernels;
        integrates_to_one(SphKernels::DENSITY_FACTOR, SphKernels::density, "Poly6");
        integrates_to_one(SphKernels::PRESSURE_FACTOR, SphKernels::pressure, "Spiky");
        integrates_to_one(Shared::DENSITY_FACTOR, Shared::density, "density");
        integrates_to_one(Shared::NEAR_DENSITY_FACTOR, Shared::near_density, "near density");
        integrates_to_one(Shared::VISCOSITY_FACTOR, Shared::viscosity, "viscosity");
    }

    #[test]
    fn gradients_are_the_slopes_of_kernels() {
        type Sph = SphKernels;
        type Shared = SharedPressureKernels;
        let sph = (Sph::PRESSURE_FACTOR, Sph::pressure as fn(f64) -> f64);
        has_slope(sph, (Sph::SLOPE_FACTOR, Sph::slope), "Spiky");
        let far = (Shared::DENSITY_FACTOR, Shared::density as fn(f64) -> f64);
        has_slope(far, (Shared::SLOPE_FACTOR, Shared::slope), "density");
        let near = (Shared::NEAR_DENSITY_FACTOR, Shared::near_density as fn(f64) -> f64);
        has_slope(near, (Shared::NEAR_SLOPE_FACTOR, Shared::near_slope), "near density");
    }

    /// The viscosity kernel with the Laplacian `factor (1 - q)` vanishes at 1, and so does its slope
    /// `factor (q/2 - q^2/3 - 1/(6 q))`. Integrated by parts, `-pi` times the integral of `q^2` times that slope must
    /// be 1.
    #[test]
    fn the_laplacian_belongs_to_a_kernel_that_integrates_to_one() {
        const STEPS: u32 = 20_000;
        let factor = f64::from(SphKernels::VISCOSITY_FACTOR);
        let slope = |q: f64| factor * (q / 2.0 - q * q / 3.0 - 1.0 / (6.0 * q));
        for step in 1..100 {
            let (q, half) = (f64::from(step) / 100.0, 1e-6);
            // (q W')'/q
            let flow = |q: f64| q * slope(q);
            let laplacian = (flow(q + half) - flow(q - half)) / (2.0 * half) / q;
            let expected = factor * SphKernels::viscosity(1.0 - q);
            assert!((laplacian - expected).abs() < 1e-3, "at {q}: {laplacian} {expected}");
        }
        let part = |index: u32| {
            let q = (f64::from(index) + 0.5) / f64::from(STEPS);
            -std::f64::consts::PI * q * q * slope(q) / f64::from(STEPS)
        };
        let integral: f64 = (0..STEPS).map(part).sum();
        assert!((integral - 1.0).abs() < 1e-3, "{integral}");
    }

    /// Both weights must slow down a shear flow `v_x = y^2` by the stated viscosity.
    #[test]
    fn a_rate_of_viscosity_is_the_stated_kinematic_viscosity() {
        fn second_moment<K: Kernels>() -> f64 {
            let weight = |w: f64| f64::from(K::VISCOSITY_FACTOR) * K::viscosity(w);
            // The mean of `y^2` over a circle is half of the square of its radius.
            0.5 * over_plane(|w| weight(w) * 0.5 * (1.0 - w) * (1.0 - w))
        }
        for (found, stated) in [
            (second_moment::<SphKernels>(), SphKernels::KINEMATIC_VISCOSITY),
            (second_moment::<SharedPressureKernels>(), SharedPressureKernels::KINEMATIC_VISCOSITY),
        ] {
            assert!((found - f64::from(stated)).abs() < 1e-3, "{found} instead of {stated}");
        }
    }
}
