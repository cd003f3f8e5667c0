//! The table of passes: their order, names and formulas. The step, the plugin's systems, timers,
//! benches and tests are all generated from it.

use crate::Liquid;
use crate::solver::method::{Method, Substep};
use crate::solver::neighbours::hash::hash_positions;
use crate::solver::pass::bodies::{AddedMass, BodyTable, move_bodies};
use crate::solver::pass::contacts::Contacts;
use crate::solver::pass::damping::apply_damping;
use crate::solver::pass::forces::apply_forces;
use crate::solver::pass::gaps::{GapInputs, Gaps};
use crate::solver::pass::gravity::apply_gravity;
use crate::solver::pass::heat::exchange_heat;
use crate::solver::pass::paint::{PaintBuffers, mix_paint};
use crate::solver::pass::quarantine::{QuarantineScope, quarantine};
use crate::solver::pass::reactions::{ReactionOutcome, react};
use crate::solver::pass::velocity::update_velocities;
use crate::solver::pass::wall_friction::apply_wall_friction;
use crate::solver::substeps::Columns;

/// Calls a macro with the table of passes, in order.
///
/// Each row holds the doc comment of the pass, its variant in [`FluidPass`](crate::FluidPass), its
/// name, a label for user interfaces, its formula, and its source. A plugin can create its systems
/// from the table:
///
/// ```
/// macro_rules! names {
///     ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
///         [$(stringify!($name)),*]
///     };
/// }
/// let names = blob_fluid::for_each_pass!(names);
/// assert_eq!(names[0], "apply_damping");
/// assert_eq!(names.len(), blob_fluid::FluidPass::ALL.len());
/// ```
#[macro_export]
macro_rules! for_each_pass {
    ($callback:ident) => {
        $callback! {
            /// Applies the drag that brings a pool to rest, relative to the solid below the pool.
            ApplyDamping, apply_damping, "damping",
                "v - u /= 1 + dt c", "not in the paper";
            /// Applies gravity, reduced where heat makes a class lighter.
            ApplyGravity, apply_gravity, "gravity",
                "v += dt g", "Algorithm 1, lines 1-3";
            /// Applies every force in a region, then every force field of your code.
            ApplyForces, apply_forces, "forces",
                "v += dt f", "section 6.2";
            /// Applies the friction and the stickiness of containers and colliders.
            ApplyWallFriction, apply_wall_friction, "wall friction",
                "v_t /= 1 + dt c (1 - d/reach); v_n -= dt k_stick d (1 - d/d_stick)",
                "Algorithm 6, section 6.1";
            /// Runs the additional viscosity sweeps, which are passes over all pairs. Thin liquids
            /// need only the sweep in `RelaxDensity`.
            ApplyViscosity, apply_viscosity, "viscosity, further sweeps",
                "v_i -= I m_j/(m_i + m_j) r_hat, I = dt q (sigma u + beta u^2)", "Algorithm 5";
            /// Particles exchange heat with neighbours, walls and the surroundings.
            ExchangeHeat, exchange_heat, "heat",
                "T_i += dt sum kappa q (T_j - T_i)", "not in the paper";
            /// Particles change their class, by temperature and on contact.
            React, react, "reactions",
                "exposure += dt rate min(1, sum q)", "not in the paper";
            /// Predicts positions: particles move with their velocities. Containers and colliders
            /// that move advance too.
            AdvancePositions, advance_positions, "advance",
                "x_prev = x; x += dt v", "Algorithm 1, lines 6-10";
            /// Predicted positions stay in their containers and out of colliders, because densities
            /// beyond a wall would be wrong. Only solvers that add the missing liquid behind walls
            /// do this.
            ContainPrediction, contain_prediction, "containment of the prediction",
                "x += d n", "Algorithm 1, line 16";
            /// Removes and counts particles whose numbers are not finite, or that are outside of
            /// the world.
            Quarantine, quarantine, "quarantine",
                "x, v, T finite", "not in the paper";
            /// Particles are sorted into the cells of a grid.
            HashPositions, hash_positions, "hash",
                "cell = floor(x/h)", "section 3";
            /// Neighbours exchange paint, about every 0.3 time units T0 instead of in every
            /// substep.
            MixPaint, mix_paint, "paint",
                "c_i += dt/2 sum kappa q (c_j - c_i)", "not in the paper";
            /// Springs yield, then they move their particles.
            ApplySprings, apply_springs, "springs",
                "x -= dt^2/2 sum k (1 - L/h) (L - r) r_hat", "Algorithms 3 and 4";
            /// Runs double density relaxation, and one sweep of viscosity over the same pairs. With
            /// other solvers, this pass computes all forces between pairs. `sph` and
            /// `incompressible` also move particles and solids in this pass instead of in
            /// `AdvancePositions`; `sph` moves bodies there.
            RelaxDensity, relax_density, "relaxation, with viscosity",
                "x -= dt^2/2m sum (P q + P_near q^2) r_hat", "Algorithms 2 and 5";
            /// Particles stay in their containers and out of colliders.
            Contain, contain, "containment",
                "x += d n; I = v_n - mu v_t", "Algorithm 1, line 16, and Algorithm 6";
            /// Velocities follow from the sums of displacements, which are `x - x_prev`.
            UpdateVelocities, update_velocities, "velocity",
                "v += (sum of displacements)/dt", "Algorithm 1, lines 17-19";
            /// Liquid, gravity and contacts change the motions of bodies.
            MoveBodies, move_bodies, "bodies",
                "V += J/M + dt g; w += T/I", "Algorithm 6";
        }
    };
}

/// Declares the enum of a table of passes, under its documentation.
macro_rules! declare_pass_enum {
    (
        $(#[$documentation:meta])* $table:ident,
        $($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal;)*
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
        pub enum $table {
            $($(#[$doc])* #[doc = ""] #[doc = concat!("`", $formula, "`")] $pass,)*
        }

        impl $table {
            /// Every pass, in order.
            pub const ALL: [Self; [$(stringify!($pass)),*].len()] = [$(Self::$pass),*];

            /// The pass's name: the name of its function and of its timer.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$pass => stringify!($name),)* }
            }

            /// The pass's label in user interfaces.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$pass => $label,)* }
            }

            /// The formula that the pass computes.
            pub const fn formula(self) -> &'static str {
                match self { $(Self::$pass => $formula,)* }
            }
        }
    };
}
pub(crate) use declare_pass_enum;

macro_rules! declare_passes {
    ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
        declare_pass_enum! {
        /// The passes of a substep, in the order in which they run.
        ///
        /// | pass | formula | Clavet, Beaudoin and Poulin 2005 |
        /// |---|---|---|
        $(#[doc = concat!("| [`", stringify!($pass), "`](Self::", stringify!($pass), ") | `", $formula, "` | ", $source, " |")])*
        ///
        /// [`FluidWorld::step`](crate::FluidWorld::step) runs all passes in every substep. To run
        /// your own code between two passes, call [`begin_tick`](crate::FluidWorld::begin_tick),
        /// then [`run_pass`](crate::FluidWorld::run_pass) for every pass in every substep, then
        /// [`end_tick`](crate::FluidWorld::end_tick).
        ///
        /// ```
        /// use blob_fluid::{FluidWorld, FluidPass, SerialExecutor};
        /// let mut world = FluidWorld::default();
        /// let report = world.begin_tick(1.0 / 60.0, &SerialExecutor)?;
        /// for _ in 0..report.substeps {
        ///     for pass in FluidPass::ALL {
        ///         world.run_pass(pass, &SerialExecutor);
        ///     }
        /// }
        /// world.end_tick(report, &SerialExecutor);
        /// # Ok::<(), blob_fluid::StepError>(())
        /// ```
        FluidPass,
            $($(#[$doc])* $pass, $name, $label, $formula;)*
        }
    };
}

for_each_pass!(declare_passes);

// Runs one pass of a substep.

/// Buffers of the passes that all solvers share.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedBuffers {
    /// The columns at the beginning of a tick.
    pub columns: Columns,
    temperatures: Vec<f32>,
    paints: PaintBuffers,
    outcomes: Vec<ReactionOutcome>,
    pub contacts: Contacts,
    bodies: BodyTable,
    added_mass: AddedMass,
    gaps: Gaps,
}

/// Runs one pass of a substep. The passes of `method` are specific to the solver; all solvers share
/// the others.
pub(crate) fn run_pass<M: Method>(
    pass: FluidPass,
    method: &mut M,
    buffers: &mut SharedBuffers,
    substep: Substep,
) {
    let (c, executor) = (substep.coefficients, substep.executor);
    let (liquid, neighbours) = (&mut *substep.liquid, &mut *substep.neighbours);
    let Liquid { particles, boundary, loads, forces, sleep, parameters, classes, .. } =
        &mut *liquid;
    match pass {
        FluidPass::ApplyGravity => apply_gravity(particles, c, executor),
        FluidPass::ApplyForces => {
            apply_forces(particles, forces, c, executor);
            if !forces.fields.is_empty() {
                // A force field may give invalid numbers, and the next passes read neighbours.
                quarantine(liquid, QuarantineScope::Awake, c.time_step, executor);
            }
        }
        FluidPass::ApplyDamping => {
            apply_damping(particles, boundary, loads, &buffers.columns, c, executor);
        }
        FluidPass::ApplyWallFriction => {
            apply_wall_friction(particles, boundary, loads, &neighbours.free_discs, c, executor);
        }
        FluidPass::ApplyViscosity => method.apply_viscosity(substep),
        FluidPass::ExchangeHeat => {
            exchange_heat(liquid, neighbours, &mut buffers.temperatures, c, executor);
        }
        FluidPass::React => {
            if react(liquid, neighbours, &mut buffers.outcomes, c, executor) {
                neighbours.free_discs.invalidate();
            }
        }
        FluidPass::AdvancePositions => method.advance_positions(substep),
        FluidPass::ContainPrediction => method.contain_prediction(substep),
        FluidPass::Quarantine => quarantine(liquid, QuarantineScope::Awake, c.time_step, executor),
        FluidPass::HashPositions => {
            let asleep = parameters.sleeping.is_on().then_some(sleep.asleep);
            hash_positions(particles, neighbours, c.interaction_radius, asleep, executor);
        }
        FluidPass::MixPaint => mix_paint(liquid, neighbours, &mut buffers.paints, c, executor),
        FluidPass::ApplySprings => method.apply_springs(substep),
        FluidPass::RelaxDensity => method.relax_density(substep),
        FluidPass::Contain => method.contain(substep),
        FluidPass::UpdateVelocities => update_velocities(particles, sleep, c.time_step, executor),
        FluidPass::MoveBodies => {
            let SharedBuffers { contacts, bodies, added_mass, gaps, .. } = buffers;
            bodies.record(boundary);
            let inputs = GapInputs { particles, classes, bodies, coefficients: c.into() };
            gaps.apply_pressure(inputs, boundary);
            move_bodies(boundary, contacts, c.into(), |boundary| {
                let fraction = M::ADDED_MASS_FRACTION;
                added_mass.distribute(bodies, particles, boundary, fraction, c, executor);
            });
        }
    }
}
