//! A step of the air, and all air of a world.

use crate::air::advection::AdvectionWorkspace;
use crate::air::advection::trace::LONGEST_WAY;
use crate::air::forces::{ConfinementWorkspace, ViscosityWorkspace};
use crate::air::projection::multigrid::with_lanes;
use crate::air::projection::{ProjectionWorkspace, largest};
use crate::air::with_liquid::{Exchange, HeatExchange};
use crate::air::{Air, AirChannel, AirError, AirReport, AirSide, AirSlip, AirSource};
use crate::boundary::slots::{Slots, declare_handle};
use crate::parallel::executor::ChunkLists;
use crate::solver::pass::table::declare_pass_enum;
use crate::{Executor, Liquid};

/// Values that a step derives from the state, and that its passes hand on to each other. You can drop the
/// workspace between two steps.
#[derive(Clone, Debug, Default)]
pub struct AirWorkspace {
    advection: AdvectionWorkspace,
    viscosity: ViscosityWorkspace,
    confinement: ConfinementWorkspace,
    projection: ProjectionWorkspace,
    heat: HeatExchange,
    /// Indices of the particles that are hot enough to become air.
    hot: ChunkLists<usize>,
    exchange: Exchange,
    /// Cells in which fuel burns, and the amount that has burnt.
    burnt: ChunkLists<(usize, f32)>,
    /// Whether the air sleeps in this step, and how many particles it met in the last one awake.
    asleep: bool,
    met: usize,
    /// Every pass writes the fields that are its own.
    pub(super) report: AirReport,
}

impl AirWorkspace {
    /// The remains of the last step: its report, and the number of particles that it met.
    #[cfg(feature = "snapshot")]
    pub(super) fn between_steps(&self) -> (AirReport, usize) {
        (self.report, self.met)
    }

    /// A workspace after a step.
    #[cfg(feature = "snapshot")]
    pub(super) fn after(report: AirReport, met: usize) -> Self {
        Self { report, met, ..Self::default() }
    }
}

impl Air {
    /// Lets time pass, which ends with the numbers of 32 bits that it is saved with.
    fn advance_time(&mut self, time_step: f32) {
        self.time = (self.time + f64::from(time_step)).min(f32::MAX.into());
    }

    /// Steps the air by `time_step` seconds; 0 changes nothing. It runs all [passes](AirPass)
    /// except those that need the liquid or the solids of a world.
    ///
    /// # Errors
    ///
    /// Returns [`AirError::TimeStep`] for a time step that is negative or not finite.
    pub fn step(
        &mut self,
        time_step: f32,
        workspace: &mut AirWorkspace,
        executor: &dyn Executor,
    ) -> Result<AirReport, AirError> {
        if !(time_step.is_finite() && time_step >= 0.0) {
            return Err(AirError::TimeStep(time_step));
        }
        if time_step == 0.0 {
            return Ok(AirReport::default());
        }
        executor.run(|| {
            for pass in AirPass::ALL {
                self.run_pass(pass, None, time_step, workspace, executor);
            }
        });
        Ok(workspace.report)
    }

    /// Runs one pass of a step, in a world or alone.
    pub(super) fn run_pass(
        &mut self,
        pass: AirPass,
        liquid: Option<&mut Liquid>,
        time_step: f32,
        workspace: &mut AirWorkspace,
        executor: &dyn Executor,
    ) {
        let particles = liquid.as_ref().map_or(0, |liquid| liquid.particles.len());
        if pass == AirPass::ApplyDrag {
            workspace.asleep = workspace.met == particles && self.rests(liquid.as_deref());
            workspace.met = particles;
        }
        if workspace.asleep && self.at_rest && pass.moves_air() {
            self.bodies.clear();
            if pass == AirPass::Project {
                let AirReport { evaporated, condensed, .. } = workspace.report;
                workspace.report = AirReport { evaporated, condensed, ..AirReport::default() };
                self.advance_time(time_step);
            }
            return;
        }
        let AirWorkspace {
            advection,
            viscosity,
            confinement,
            projection,
            heat,
            hot,
            exchange,
            burnt,
            report,
            ..
        } = workspace;
        match (pass, liquid) {
            (AirPass::PlaceSolids, Some(liquid)) => {
                let boundary = &liquid.boundary;
                self.set_solids(
                    boundary.containers.iter(),
                    boundary.colliders.iter().map(|collider| &**collider),
                );
                self.bodies.place(
                    &self.grid,
                    &self.sides,
                    &self.solids,
                    self.settings.density,
                    boundary,
                );
            }
            (AirPass::ExchangeHeat, Some(liquid)) => {
                heat.exchange(self, liquid, time_step, executor);
                self.quench(liquid, time_step);
            }
            (AirPass::Evaporate, Some(liquid)) => {
                report.evaporated = self.evaporate(liquid, time_step, hot, executor);
            }
            (AirPass::ApplyDrag, Some(liquid)) => {
                exchange.apply_drag(self, liquid, time_step, executor);
            }
            (AirPass::Advect, _) => {
                self.apply_walls();
                self.advect(time_step, advection, executor);
            }
            (AirPass::ApplySources, _) => self.apply_sources(time_step),
            (AirPass::Burn, _) => self.burn(time_step, burnt, executor),
            (AirPass::Cool, _) => self.cool(time_step, executor),
            (AirPass::ApplyForces, _) => self.apply_forces(time_step, executor),
            (AirPass::ConfineVorticity, _) => {
                self.confine_vorticity(time_step, confinement, executor);
            }
            (AirPass::Diffuse, _) => {
                self.limit_velocities(time_step);
                self.apply_walls();
                self.diffuse(time_step, viscosity, executor);
            }
            (AirPass::Project, liquid) => {
                self.settle(liquid.as_deref(), time_step);
                let AirReport { evaporated, condensed, .. } = *report;
                let projected = self.project(time_step, projection, executor);
                *report = AirReport { evaporated, condensed, ..projected };
                self.apply_walls();
                self.find_rest(report);
                self.advance_time(time_step);
            }
            (AirPass::PushLiquid, Some(liquid)) => {
                exchange.push_liquid(self, liquid, executor);
                self.bodies.push(&self.grid, &self.solids, self.settings.density, liquid);
            }
            (AirPass::Condense, Some(liquid)) => {
                report.condensed = self.condense(liquid, time_step);
            }
            (
                AirPass::PlaceSolids
                | AirPass::ExchangeHeat
                | AirPass::Evaporate
                | AirPass::ApplyDrag
                | AirPass::PushLiquid
                | AirPass::Condense,
                None,
            ) => {}
        }
    }

    /// Limits velocities to those that a step can carry, with finite squares.
    fn limit_velocities(&mut self, time_step: f32) {
        let most = (LONGEST_WAY * self.grid.cell / time_step).min(1e12);
        for list in [&mut self.velocity_x, &mut self.velocity_y] {
            with_lanes(
                #[inline(always)]
                || {
                    for velocity in list {
                        // Also removes NaN.
                        let limited = most.copysign(*velocity);
                        *velocity = if velocity.abs() <= most { *velocity } else { limited };
                    }
                },
            );
        }
    }
}

impl AirPass {
    /// Whether it only moves air, and smoke, heat and fuel with it.
    fn moves_air(self) -> bool {
        match self {
            Self::PlaceSolids | Self::ExchangeHeat | Self::Evaporate | Self::Condense => false,
            Self::ApplyDrag
            | Self::Advect
            | Self::ApplySources
            | Self::Burn
            | Self::Cool
            | Self::ApplyForces
            | Self::ConfineVorticity
            | Self::Diffuse
            | Self::Project
            | Self::PushLiquid => true,
        }
    }
}

// The table of the passes of air: their order, names, formulas and sources. The step, the plugin's
// systems, timers and tests are all generated from it.

/// Calls a macro with the table of the passes of air, in order.
///
/// Each row holds the same items as a row of [`for_each_pass!`](crate::for_each_pass), with a
/// variant of [`AirPass`](crate::air::AirPass). A plugin makes its systems from the table:
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
            /// Containers and colliders of the world close faces of the grid. Only solids that changed since the last
            /// step cost time.
            PlaceSolids, place_solids, "solids",
                "open = 1 - (solid share of the face)", "Batty et al. 2007";
            /// Liquid at the surface and the air beside it exchange heat.
            ExchangeHeat, exchange_heat, "heat with liquid",
                "T += dt k (T_air - T), and the same heat from the air", "implicit Euler";
            /// Hot particles become vapour, smoke, fuel, heat and volume.
            Evaporate, evaporate, "evaporation",
                "f += area_particle/area_cell", "amounts are kept";
            /// Finds the share of every face that liquid covers, and the drag between liquid and air.
            ApplyDrag, apply_drag, "drag",
                "u -= dt C/2 d |u - v| (u - v) rho/m", "drag of a cylinder, implicit Euler";
            /// Air carries its velocities and channels along.
            Advect, advect, "advection",
                "f(x) = f(x - way)", "MacCormack: Selle et al. 2008; Bermejo and Conde 2002";
            /// Sources add smoke, heat, fuel, vapour, colour, volume and wind.
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
            /// Adds the force that keeps eddies alive.
            ConfineVorticity, confine_vorticity, "confinement",
                "u += dt strength h (N x vorticity)", "Fedkiw et al. 2001";
            /// Viscosity evens out velocities.
            Diffuse, diffuse, "viscosity",
                "u += dt viscosity laplacian(u)", "Meyer et al. 2014";
            /// Pressure makes the flow free of divergence: as much air leaves a cell as enters it. Time advances.
            Project, project, "projection",
                "u -= dt/density grad p, so that div u = 0", "Batty et al. 2007; McAdams et al. 2010";
            /// Adds the impulses of drag and pressure to liquid and bodies.
            PushLiquid, push_liquid, "push on liquid",
                "v += dt (drag - grad p)/density_liquid", "momentum is kept";
            /// Vapour in cold air becomes particles.
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
        /// [`FluidWorld::step_air`](crate::FluidWorld::step_air) runs each pass for all air before the next pass.
        /// [`Air::step`](crate::air::Air::step) runs only the passes that need neither liquid nor solids of a world. To
        /// run your own code between two passes, call [`FluidWorld::run_air_pass`](crate::FluidWorld::run_air_pass) for
        /// every pass once per tick, after [`end_tick`](crate::FluidWorld::end_tick). Another order of the passes is
        /// not an error, but gives another flow.
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

// Air at rest sleeps: a step that would leave everything as it is costs nothing.
//
// Air whose velocities and pressures are all 0 stays so for ever, unless something drives it. With
// [`AirSettings::settling`](crate::air::AirSettings::settling) air that nothing drives, and in which
// nothing is to be seen, slows down until it is so slow that it stops.

/// Heat that drives nothing faster than [`SLOW`] against settling.
const COOL: f32 = 1e-3;

/// Smoke that cannot be seen.
const CLEAR: f32 = 5e-3;

/// Speed, in cells per step, below which settling air stops.
const SLOW: f32 = 0.01;

impl Air {
    /// Whether a step would change nothing that moves or is carried along.
    pub(super) fn rests(&self, liquid: Option<&Liquid>) -> bool {
        let settings = &self.settings;
        let smoke_changes = settings.smoke_weight != 0.0 || settings.smoke_dissipation != 0.0;
        self.at_rest
            && self.is_undriven(liquid)
            && !self.has(AirChannel::Heat, 0.0)
            && !(smoke_changes && self.has(AirChannel::Smoke, 0.0))
    }

    /// Slows down air that nothing drives and that has no visible smoke.
    pub(super) fn settle(&mut self, liquid: Option<&Liquid>, time_step: f32) {
        let rate = self.settings.settling;
        let hidden = !self.has(AirChannel::Heat, COOL) && !self.has(AirChannel::Smoke, CLEAR);
        if rate == 0.0 || !hidden || !self.is_undriven(liquid) {
            return;
        }
        let factor = 1.0 / (1.0 + rate * time_step);
        for list in [&mut self.velocity_x, &mut self.velocity_y] {
            with_lanes(
                #[inline(always)]
                || list.iter_mut().for_each(|velocity| *velocity *= factor),
            );
        }
        let speed = largest(&self.velocity_x).max(largest(&self.velocity_y));
        if speed * time_step < SLOW * self.grid.cell {
            self.stop();
        }
    }

    /// Stops the air, and takes away what little heat and smoke there is.
    fn stop(&mut self) {
        for list in [&mut self.velocity_x, &mut self.velocity_y, &mut self.pressure] {
            list.fill(0.0);
        }
        self.channels[AirChannel::Heat as usize].fill(0.0);
        if self.settings.smoke_dissipation > 0.0 {
            self.channels[AirChannel::Smoke as usize].fill(0.0);
            for colour in AirChannel::COLOUR {
                self.channels[colour as usize].fill(0.0);
            }
        }
    }

    /// Finds out whether the air is at rest after a step.
    fn find_rest(&mut self, report: &AirReport) {
        self.at_rest = report.max_speed == 0.0 && largest(&self.pressure) == 0.0;
    }

    fn has(&self, channel: AirChannel, more_than: f32) -> bool {
        largest(self.channel(channel)) > more_than
    }

    /// Whether neither sources, sides, solids, liquid nor fire move or change the air.
    fn is_undriven(&self, liquid: Option<&Liquid>) -> bool {
        let sides = [self.sides.left, self.sides.right, self.sides.bottom, self.sides.top];
        let liquid_rests = liquid.is_none_or(|liquid| liquid.asleep() == liquid.particles.len());
        let smoulders = self.settings.fire.ignition_heat < 0.0 && self.has(AirChannel::Fuel, 0.0);
        liquid_rests
            && !smoulders
            && self.expansion.is_empty()
            && !self.solids.any_moves()
            && !self.sources.iter().any(AirSource::acts)
            && !sides.into_iter().any(drives)
    }
}

/// Whether air flows in at a side, or is dragged along.
fn drives(side: AirSide) -> bool {
    match side {
        AirSide::Inflow { .. } => true,
        AirSide::Closed { slip: AirSlip::NoSlip { velocity } } => velocity != 0.0,
        AirSide::Closed { slip: AirSlip::Free } | AirSide::Open | AirSide::Periodic => false,
    }
}

impl AirSource {
    /// Whether it changes the air.
    fn acts(&self) -> bool {
        let rates = [self.smoke, self.heat, self.fuel, self.vapour, self.expansion];
        self.burst
            || self.wind.is_some()
            || self.is_lit() && rates.into_iter().any(|rate| rate != 0.0)
    }
}

// All air of a world.

declare_handle! {
    /// A handle of air in a world, valid until that air is removed, and never reused.
    AirId
}

/// Air in a world, with the workspace of its steps.
#[derive(Clone, Debug)]
pub(super) struct AirInWorld {
    pub(super) air: Air,
    pub(super) workspace: AirWorkspace,
}

/// All air of a world. The rectangles are independent: air that leaves one does not enter another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Airs(pub(super) Slots<AirId, AirInWorld>);

impl Airs {
    pub(crate) fn insert(&mut self, air: Air) -> AirId {
        self.0.insert(AirInWorld { air, workspace: AirWorkspace::default() })
    }

    pub(crate) fn remove(&mut self, id: AirId) -> Option<Air> {
        let index = self.0.index_of(id)?;
        Some(self.0.remove(index).air)
    }

    pub(crate) fn get(&self, id: AirId) -> Option<&Air> {
        self.0.find(id).map(|entry| &entry.air)
    }

    pub(crate) fn get_mut(&mut self, id: AirId) -> Option<&mut Air> {
        let index = self.0.index_of(id)?;
        Some(&mut self.0[index].air)
    }

    pub(crate) fn report(&self, id: AirId) -> Option<AirReport> {
        self.0.find(id).map(|entry| entry.workspace.report)
    }

    /// All air with its handle and the report of its last step, in the order of insertion.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (AirId, &Air, AirReport)> {
        self.0.entries().map(|(id, entry)| (id, &entry.air, entry.workspace.report))
    }

    /// Runs one pass for all air.
    pub(crate) fn run_pass(
        &mut self,
        pass: AirPass,
        liquid: &mut Liquid,
        time_step: f32,
        executor: &dyn Executor,
    ) {
        for AirInWorld { air, workspace } in self.0.iter_mut() {
            air.run_pass(pass, Some(&mut *liquid), time_step, workspace, executor);
        }
    }
}
