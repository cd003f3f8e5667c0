//! The choice of a solver, and the list of all solvers.

/// The list of all solvers, as input of the macro `$with`. Each entry has a description, the
/// variant of [`FluidSolver`], the name in files, the label, and the workspace below
/// `crate::solver`. The workspace is a [`Method`](crate::solver::method::Method).
macro_rules! solvers {
    ($with:ident) => {
        $with! {
            /// Double density relaxation as a symmetric gather from constant positions. The
            /// pressure is capped at its own stability bound: `P = k (rho - rho0) + (1 - s) C` and
            /// `P_near = k_near rho_near + 3/2 s C` with
            /// `C = max(0, w f C' + (1 - 0.43 s) (h/dt^2) (c - c_eq)/c^2)` and `c = (1 - s) rho + s rho_near`.
            ///
            /// `s` is [`near_share`](crate::FluidParameters::near_share), and `w` is
            /// [`pressure_memory`](crate::FluidParameters::pressure_memory). `C'` is the `C` of the
            /// previous substep. `f = max(0, 1 - |d(rho/rho_eq)|/0.3)` reduces the memory where the
            /// density changes fast. The solver stays stable at any stiffness and any depth.
            #[default]
            DoubleDensity = "double_density", "Double density", double_density::DoubleDensity;
            /// Algorithm 2 of Clavet et al. 2005: pairs are moved one after the other, in place. Each displacement is
            /// split in inverse proportion to the masses, and walls reflect particles.
            Classic = "classic", "Classic", classic::Classic;
            /// Smoothed particle hydrodynamics after Müller, Charypar and Gross 2003 ("Particle-based fluid simulation
            /// for interactive applications"), in two dimensions. The solver uses Poly6 for the density, the gradient
            /// of Spiky for the pressure `P = c^2 (delta - delta_0)`, and the Laplacian of the viscosity kernel. Thin
            /// liquid exchanges velocity only along the lines between particles. Both particles of a pair get the mean
            /// of their pressures. The integration is symplectic Euler. Walls return a part of the speed.
            Sph = "sph", "SPH", sph::Sph;
            /// A pressure and a near pressure, from two densities with their own kernels. Both
            /// particles of a pair get the mean of their pressures. Densities are computed at
            /// predicted positions.
            SharedPressure = "shared_pressure", "Shared pressure", shared_pressure::SharedPressure;
            /// Iteration finds pressures that keep densities within a given tolerance, usually in one substep. This
            /// solver is the constant-density solver of divergence-free SPH (Bender and Koschier 2015). The iteration
            /// is relaxed Jacobi with Chebyshev weights, and starts from the pressures of the previous substep. The
            /// viscosity of the solver is implicit (Weiler et al. 2018), so thick liquids coil and need no additional
            /// substeps. [`StepReport`](crate::StepReport) contains the number of iterations.
            Incompressible = "incompressible", "Incompressible", incompressible::Incompressible;
        }
    };
}
pub(crate) use solvers;

macro_rules! choice {
    ($($(#[$attribute:meta])* $variant:ident = $name:literal, $label:literal, $($path:ident)::+;)*) => {
        /// The solver: the method that steps the liquid.
        ///
        /// All solvers share containers, colliders, bodies, forces, heat, reactions, friction and
        /// stickiness of walls, drags, sensors, sleep and quarantine. Files and the lab choose a
        /// solver by its [name](Self::name).
        ///
        /// | | [`DoubleDensity`](Self::DoubleDensity) | [`Classic`](Self::Classic) | [`Sph`](Self::Sph) | [`SharedPressure`](Self::SharedPressure) | [`Incompressible`](Self::Incompressible) |
        /// |---|---|---|---|---|---|
        /// | pairs | all at once, from constant positions | one after the other, in place | all at once | all at once | all at once, several times |
        /// | forces act at | predicted positions | predicted positions | present positions | predicted positions | present positions |
        /// | threads | any number | one for the pairs, any number for the rest | any number | any number | any number |
        /// | substeps follow | the depth | the depth | the depth | the depth | the fastest particle |
        /// | stiff or deep liquid | stays stable | is compressed, and may fly apart | stays stable | stays stable | is not compressed |
        /// | at rest | comes to rest, and sleeps | jitters | jitters slightly | jitters slightly | comes nearly to rest |
        /// | walls of convex containers | stop, with a ghost density behind them | bounce | bounce, with a ghost density | stop, with a ghost density | stop, with a ghost density |
        /// | viscosity of a class or a pair of classes | yes | no: all classes have the liquid's | no | no | `linear` |
        /// | [`viscosity.approach`, `quadratic` and `limit`](crate::FluidParameters::viscosity) | yes | yes | no: `linear` and `cross_class` | no: `linear` and `cross_class` | no: `linear` and `cross_class` |
        /// | [`stiffness`](crate::FluidParameters::stiffness) and its ratio, `rest_density`, `equilibrium_ratio`, also of a class | yes | yes | no: `sph` | no: `shared_pressure` | no: `incompressible` |
        /// | springs of elastic classes | yes | no | no | no | no |
        /// | friction and permeability of powders, [`pressure_memory`](crate::FluidParameters::pressure_memory) | yes | no | no | no | no |
        /// | [`cohesion_onset`](crate::FluidParameters::cohesion_onset) | yes | yes | no | no | no |
        /// | surface tension of a class, cohesion of a pair, segregation of classes | yes | no | no | no | no |
        /// | [`ghost_walls`](crate::FluidParameters::ghost_walls) | yes | no | density | density | density |
        /// | [`WallProperties::wetting`](crate::WallProperties::wetting) | yes | no | no: walls do not attract | no: walls do not attract | no: walls do not attract |
        /// | [`near_share`](crate::FluidParameters::near_share) | yes | no | no | no | no |
        ///
        /// [`Liquid::ignored_settings`](crate::Liquid::ignored_settings) lists settings that the solver
        /// ignores.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
        #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
        pub enum FluidSolver {
            $($(#[$attribute])* $variant,)*
        }

        impl FluidSolver {
            /// Every solver.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The solver's name in files, in the lab and in the panel.
            ///
            /// ```
            /// use blob_fluid::FluidSolver;
            /// assert_eq!(FluidSolver::default().name(), "double_density");
            /// ```
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The solver's label for users.
            ///
            /// ```
            /// use blob_fluid::FluidSolver;
            /// assert_eq!(FluidSolver::Sph.label(), "SPH");
            /// ```
            pub const fn label(self) -> &'static str {
                match self {
                    $(Self::$variant => $label,)*
                }
            }
        }
    };
}
solvers!(choice);
