//! Calls that change settings, classes, limits and forces.

use arbitrary::Arbitrary;
use blob_fluid::{
    CapacityPolicy, ClassTable, DensityClass, Effort, FluidBounds, FluidElasticity, FluidPaint,
    FluidParameters, FluidPowder, FluidRegion, FluidSolver, Force, Substeps,
};
use glam::Vec2;

use crate::host::{Host, MOST_PARTICLES, Outcome};
use crate::number::{Number, Vector};

/// Calls that change settings, classes, limits and forces.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum SettingCall {
    Capacity(u8),
    Recycle(bool),
    KillBounds(Option<(Vector, Vector)>),
    SpringCapacity(u16),
    Parameter { which: u8, value: Number },
    Gravity(Vector),
    Solver(u8),
    Effort { substeps: u8, sweeps: u8 },
    ClassSetting { class: u8, which: u8, value: Number },
    EaseIn,
    EndEasing,
    ResetClock,
    Forces { kind: u8, centre: Vector, radius: Number, strength: Number },
    Impulse { centre: Vector, radius: Number, strength: Number },
}

impl Host {
    pub(super) fn call_settings(&mut self, call: SettingCall) -> Outcome {
        use SettingCall as Call;
        match call {
            Call::Capacity(capacity) => {
                self.world.set_capacity(usize::from(capacity).min(MOST_PARTICLES));
            }
            Call::Recycle(recycles) => self.world.set_capacity_policy(if recycles {
                CapacityPolicy::RecycleOldest
            } else {
                CapacityPolicy::Refuse
            }),
            Call::KillBounds(bounds) => {
                let bounds =
                    bounds.map(|(low, high)| FluidBounds { low: low.get(), high: high.get() });
                self.world.set_kill_bounds(bounds)?;
            }
            Call::SpringCapacity(capacity) => self.world.set_spring_capacity(usize::from(capacity)),
            Call::Parameter { which, value } => self.set_parameters(|parameters| {
                PARAMETERS[usize::from(which) % PARAMETERS.len()](parameters, value.0);
            })?,
            Call::Gravity(gravity) => self.set_parameters(|all| all.gravity = gravity.get())?,
            Call::Solver(which) => {
                let solver = FluidSolver::ALL[usize::from(which) % FluidSolver::ALL.len()];
                self.set_parameters(|parameters| parameters.solver = solver)?;
            }
            Call::Effort { substeps, sweeps } => self.world.set_effort(Effort {
                substeps: u32::from(substeps),
                viscosity_sweeps: u32::from(sweeps),
            }),
            Call::ClassSetting { class, which, value } => {
                let mut classes: Vec<_> = self.world.classes().iter().cloned().collect();
                let class = usize::from(class) % classes.len();
                CLASS_SETTINGS[usize::from(which) % CLASS_SETTINGS.len()](
                    &mut classes[class],
                    value.0,
                );
                self.world.set_classes(ClassTable::new(classes)?)?;
            }
            Call::EaseIn => self.world.ease_in(),
            Call::EndEasing => self.world.end_easing(),
            Call::ResetClock => self.world.reset_clock(),
            Call::Forces { kind, centre, radius, strength } => {
                let (centre, radius, strength) = (centre.get(), radius.0, strength.0);
                let region = FluidRegion::circle(centre, radius)?;
                let force = match kind % 6 {
                    0 => Force::attract(centre, radius, strength)?,
                    1 => Force::vortex(centre, radius, strength)?,
                    2 => Force::wind(region, Vec2::new(strength, -strength), radius),
                    3 => Force::conveyor(region, Vec2::splat(strength), radius),
                    4 => Force::heat(region, strength),
                    _ => return Ok(self.world.set_forces(&[])?),
                };
                self.world.set_forces(&[force])?;
            }
            Call::Impulse { centre, radius, strength } => {
                let force = Force::explosion(centre.get(), radius.0, strength.0)?;
                self.world.apply_impulse(&force)?;
            }
        }
        Ok(())
    }

    fn set_parameters(&mut self, change: impl FnOnce(&mut FluidParameters)) -> Outcome {
        let mut parameters = *self.world.parameters();
        change(&mut parameters);
        Ok(self.world.set_parameters(parameters)?)
    }
}

/// Settings of the liquid that are most different from each other.
const PARAMETERS: [fn(&mut FluidParameters, f32); 16] = [
    |all, value| all.particle_spacing = value,
    |all, value| all.reference_acceleration = value,
    |all, value| all.radius_ratio = value,
    |all, value| all.rest_density = Some(value),
    |all, value| all.stiffness = value,
    |all, value| all.near_stiffness_ratio = value,
    |all, value| all.near_share = value,
    |all, value| all.pressure_memory = value,
    |all, value| all.viscosity.linear = value,
    |all, value| all.viscosity.quadratic = value,
    |all, value| all.segregation = value,
    |all, value| all.settling.wall_friction = value,
    |all, value| all.sleeping.drift = value,
    |all, value| all.ghost_walls.density = value,
    |all, value| all.max_time_step = value,
    |all, value| all.substeps = Substeps::Fixed(value.abs().min(16.0) as u32),
];

/// And of a class.
const CLASS_SETTINGS: [fn(&mut DensityClass, f32); 12] = [
    |class, value| class.mass = value,
    |class, value| class.relative_rest_density = value,
    |class, value| class.gravity_scale = value,
    |class, value| class.stiffness = value,
    |class, value| class.surface_tension = value,
    |class, value| {
        class.elasticity = Some(FluidElasticity { stiffness: value, ..FluidElasticity::default() });
    },
    |class, value| {
        class.powder = Some(FluidPowder { friction_angle: value, ..FluidPowder::default() });
    },
    |class, value| class.paint = Some(FluidPaint { diffusion: value, ..FluidPaint::default() }),
    |class, value| class.thermal.conductivity = value,
    |class, value| class.thermal.expansion = value,
    |class, value| class.thermal.temperature = Some(value),
    |class, _| (class.elasticity, class.powder, class.paint) = (None, None, None),
];
