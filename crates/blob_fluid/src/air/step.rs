//! A step of the air.

use crate::air::advection::AdvectionWorkspace;
use crate::air::advection::trace::LONGEST_WAY;
use crate::air::confinement::ConfinementWorkspace;
use crate::air::error::AirError;
use crate::air::heat_exchange::HeatExchange;
use crate::air::pass::AirPass;
use crate::air::projection::ProjectionWorkspace;
use crate::air::projection::level::with_lanes;
use crate::air::report::AirReport;
use crate::air::state::Air;
use crate::air::viscosity::ViscosityWorkspace;
use crate::air::with_liquid::Exchange;
use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;

/// What a step derives from the state, and what its passes hand on to each other. It can be thrown
/// away between two steps.
#[derive(Clone, Debug, Default)]
pub struct AirWorkspace {
    advection: AdvectionWorkspace,
    viscosity: ViscosityWorkspace,
    confinement: ConfinementWorkspace,
    projection: ProjectionWorkspace,
    heat: HeatExchange,
    exchange: Exchange,
    /// Whether the air sleeps in this step, and how many particles it met in the last one awake.
    asleep: bool,
    met: usize,
    /// Every pass writes the fields that are its own.
    pub(super) report: AirReport,
}

impl AirWorkspace {
    /// What is left of the last step: its report, and the number of particles that it met.
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

    /// Steps the air by `time_step` seconds; 0 changes nothing. It runs all
    /// [passes](AirPass) but those that need the liquid or the solids of a world.
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
            exchange,
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
            }
            (AirPass::ExchangeHeat, Some(liquid)) => {
                heat.exchange(self, liquid, time_step);
                self.quench(liquid, time_step);
            }
            (AirPass::Evaporate, Some(liquid)) => {
                report.evaporated = self.evaporate(liquid, time_step);
            }
            (AirPass::ApplyDrag, Some(liquid)) => exchange.apply_drag(self, liquid, time_step),
            (AirPass::Advect, _) => {
                self.apply_walls();
                self.advect(time_step, advection, executor);
            }
            (AirPass::ApplySources, _) => self.apply_sources(time_step),
            (AirPass::Burn, _) => self.burn(time_step),
            (AirPass::Cool, _) => self.cool(time_step),
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
            (AirPass::PushLiquid, Some(liquid)) => exchange.push_liquid(self, liquid),
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

    /// Keeps velocities to what a step can carry, and to numbers whose squares are finite.
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
    /// Whether it only moves air and what the air carries along.
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
