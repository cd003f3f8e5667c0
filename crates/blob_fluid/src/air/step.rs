//! A step of the air.

use crate::air::advection::AdvectionWorkspace;
use crate::air::advection::trace::LONGEST_WAY;
use crate::air::error::AirError;
use crate::air::projection::ProjectionWorkspace;
use crate::air::report::AirReport;
use crate::air::state::Air;
use crate::air::viscosity::ViscosityWorkspace;
use crate::parallel::executor::Executor;

/// What a step derives from the state. It can be thrown away between two steps.
#[derive(Clone, Debug, Default)]
pub struct AirWorkspace {
    advection: AdvectionWorkspace,
    viscosity: ViscosityWorkspace,
    confinement: Vec<f32>,
    projection: ProjectionWorkspace,
}

impl Air {
    /// Steps the air by `time_step` seconds; 0 changes nothing.
    ///
    /// 1. Advection: velocities and channels are carried along.
    /// 2. Sources give smoke, heat, fuel, colour, volume and wind.
    /// 3. Combustion: hot fuel burns.
    /// 4. Cooling: heat is lost and smoke disappears.
    /// 5. Forces: hot air rises, and smoke may sink.
    /// 6. Vorticity confinement keeps eddies alive.
    /// 7. Viscosity evens out velocities.
    /// 8. Projection: pressures make what flows into every cell flow out again.
    ///
    /// # Errors
    ///
    /// Returns [`AirError::TimeStep`] for a time step that is negative or not finite.
    pub fn step<E: Executor>(
        &mut self,
        time_step: f32,
        workspace: &mut AirWorkspace,
        executor: &E,
    ) -> Result<AirReport, AirError> {
        if !(time_step.is_finite() && time_step >= 0.0) {
            return Err(AirError::TimeStep(time_step));
        }
        if time_step == 0.0 {
            return Ok(AirReport::default());
        }
        Ok(executor.run(|| self.step_on(time_step, workspace, executor)))
    }

    fn step_on<E: Executor>(
        &mut self,
        time_step: f32,
        workspace: &mut AirWorkspace,
        executor: &E,
    ) -> AirReport {
        let AirWorkspace { advection, viscosity, confinement, projection } = workspace;
        self.apply_walls();
        self.advect(time_step, advection, executor);
        self.apply_sources(time_step);
        self.burn(time_step);
        self.cool(time_step);
        self.apply_forces(time_step, executor);
        self.confine_vorticity(time_step, confinement, executor);
        self.limit_velocities(time_step);
        self.apply_walls();
        self.diffuse(time_step, viscosity, executor);
        self.apply_walls();
        let report = self.project(time_step, projection, executor);
        self.apply_walls();
        self.time += f64::from(time_step);
        report
    }

    /// Keeps velocities to what a step can carry, and to numbers whose squares are finite.
    fn limit_velocities(&mut self, time_step: f32) {
        let most = (LONGEST_WAY * self.grid.cell / time_step).min(1e12);
        for velocity in self.velocity_x.iter_mut().chain(&mut self.velocity_y) {
            // Also removes NaN.
            *velocity = if velocity.abs() <= most { *velocity } else { most.copysign(*velocity) };
        }
    }
}
