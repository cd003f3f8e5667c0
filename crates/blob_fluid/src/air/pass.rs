//! The table of the passes of air: their order, names, formulas and sources. The step, the plugin's
//! systems, timers and tests are all generated from it.

use crate::solver::pass::table::declare_pass_enum;

/// Calls a macro with the table of the passes of air, in order.
///
/// Each row holds the doc comment of the pass, its variant in [`AirPass`](crate::air::AirPass), its
/// name, a label for user interfaces, its formula, and its source, as the rows of
/// [`for_each_pass!`](crate::for_each_pass) do. A plugin makes its systems from the table:
///
/// ```
/// macro_rules! names {
///     ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
///         [$(stringify!($name)),*]
///     };
/// }
/// let names = blob_fluid::for_each_air_pass!(names);
/// assert_eq!(names[0], "place_solids");
/// assert_eq!(names.len(), blob_fluid::air::AirPass::ALL.len());
/// ```
#[macro_export]
macro_rules! for_each_air_pass {
    ($callback:ident) => {
        $callback! {
            /// Containers and colliders of the world close faces of the grid. Only what changed since
            /// the last step costs time.
            PlaceSolids, place_solids, "solids",
                "open = 1 - (solid share of the face)", "Batty et al. 2007";
            /// Liquid at the surface and the air beside it exchange heat.
            ExchangeHeat, exchange_heat, "heat with liquid",
                "T += dt k (T_air - T), and the same heat from the air", "implicit Euler";
            /// Hot particles become vapour, smoke, fuel, heat and volume.
            Evaporate, evaporate, "evaporation",
                "f += area_particle/area_cell", "amounts are kept";
            /// Finds which share of every face is liquid. Liquid and air drag on each other.
            ApplyDrag, apply_drag, "drag",
                "u -= dt C/2 d |u - v| (u - v) rho/m", "drag of a cylinder, implicit Euler";
            /// Velocities and channels are carried along.
            Advect, advect, "advection",
                "f(x) = f(x - way)", "MacCormack: Selle et al. 2008; Bermejo and Conde 2002";
            /// Sources give smoke, heat, fuel, vapour, colour, volume and wind.
            ApplySources, apply_sources, "sources",
                "f += dt rate", "explicit Euler";
            /// Hot fuel becomes heat, soot and volume.
            Burn, burn, "combustion",
                "fuel /= 1 + dt rate", "implicit Euler";
            /// Heat is lost and smoke disappears.
            Cool, cool, "cooling",
                "f /= 1 + dt rate", "implicit Euler";
            /// Hot air rises, and smoke may sink.
            ApplyForces, apply_forces, "forces",
                "u += dt g (weight smoke - buoyancy heat)", "Boussinesq; Fedkiw et al. 2001";
            /// A force that keeps eddies alive.
            ConfineVorticity, confine_vorticity, "confinement",
                "u += dt strength h (N x vorticity)", "Fedkiw et al. 2001";
            /// Viscosity evens out velocities.
            Diffuse, diffuse, "viscosity",
                "u += dt viscosity laplacian(u)", "Meyer et al. 2014";
            /// Pressures make what flows into every cell flow out again. Time advances.
            Project, project, "projection",
                "u -= dt/density grad p, so that div u = 0", "Batty et al. 2007; McAdams et al. 2010";
            /// The liquid gets what drag and pressures have given it.
            PushLiquid, push_liquid, "push on liquid",
                "v += dt (drag - grad p)/density_liquid", "momentum is kept";
            /// Vapour in the cold becomes particles.
            Condense, condense, "condensation",
                "vapour /= 1 + dt rate", "implicit Euler";
        }
    };
}

macro_rules! declare_air_passes {
    ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
        declare_pass_enum! {
        /// The passes of a step of air, in the order in which they run.
        ///
        /// | pass | formula | source |
        /// |---|---|---|
        $(#[doc = concat!("| [`", stringify!($pass), "`](Self::", stringify!($pass), ") | `", $formula, "` | ", $source, " |")])*
        ///
        /// [`FluidWorld::step_air`](crate::FluidWorld::step_air) runs each for all air before the
        /// next, and [`Air::step`](crate::air::Air::step) those that need neither liquid nor solids of
        /// a world. A host that wants to run its own code between two passes calls
        /// [`FluidWorld::run_air_pass`](crate::FluidWorld::run_air_pass) for every pass once per tick,
        /// after [`end_tick`](crate::FluidWorld::end_tick). Another order is no error, but gives another
        /// flow.
        ///
        /// ```
        /// use blob_fluid::air::AirPass;
        /// use blob_fluid::{FluidWorld, FluidPass, SerialExecutor};
        /// let mut world = FluidWorld::default();
        /// let report = world.begin_tick(1.0 / 60.0, &SerialExecutor)?;
        /// for pass in (0..report.substeps).flat_map(|_| FluidPass::ALL) {
        ///     world.run_pass(pass, &SerialExecutor);
        /// }
        /// let report = world.end_tick(report, &SerialExecutor);
        /// for pass in AirPass::ALL {
        ///     world.run_air_pass(pass, report.time_step, &SerialExecutor);
        /// }
        /// # Ok::<(), blob_fluid::StepError>(())
        /// ```
        AirPass,
            $($(#[$doc])* $pass, $name, $label, $formula;)*
        }
    };
}

for_each_air_pass!(declare_air_passes);
