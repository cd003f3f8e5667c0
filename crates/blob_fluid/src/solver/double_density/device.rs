//! Coefficients of double density relaxation for a device that runs the passes, such as a graphics card.

use bytemuck::{Pod, Zeroable};
use glam::Vec2;

use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::solids::Solids;
use crate::liquid::settings::COMPRESSED;
use crate::solver::coefficients::{ClassCoefficients, Coefficients, ReactionCoefficients};
use crate::solver::double_density::DoubleDensity;
use crate::solver::double_density::coefficients::{ClassPressure, STABLE_EXCHANGE};
use crate::solver::double_density::seepage::Seepage;
use crate::solver::double_density::segregation::{MIN_CONTRAST, STRONG_CONTRAST};
use crate::solver::double_density::walls::MAX_WALL_ATTRACTION;
use crate::solver::equation_of_state::{MAX_MEMORY_DENSITY_CHANGE, MAX_TENSION_RATIO};
use crate::solver::kernel::{DENSITY, NEAR_DENSITY};
use crate::solver::method::Method;
use crate::solver::pass::bodies::{BodyCoefficients, move_bodies, solve_changed_contacts};
use crate::solver::pass::contacts::Contacts;
use crate::solver::pass::wall_friction::STABLE_STICKINESS;
use crate::solver::sleep::{DeviceSleeping, DeviceWake, wake_all_bodies};
use crate::solver::substeps::{Columns, choose_substeps, choose_substeps_for, max_gravity_scale};
use crate::{
    ClassFilter, ClassId, ColliderId, FluidBounds, FluidShape, HostBodyId, Liquid, Load, Motion,
    Pose, SerialExecutor, Solid, SolidOptions, StepError, WallProperties,
};

/// Measurements that a device has made of its liquid. A field is `None` until the device has measured it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceMeasures {
    /// Depth of the liquid, in world units ([`Liquid::depth_of_columns`]).
    pub depth: Option<f32>,
    /// Fraction of the particles that are denser than [`DeviceCoefficients::compressed_from`], 0 to 1.
    pub compressed: Option<f32>,
    /// Bounds of the particles, in world units.
    pub bounds: Option<FluidBounds>,
}

/// A tick of a liquid whose passes run on a device.
#[derive(Clone, Debug, Default)]
pub struct DeviceTick {
    /// Simulated time, in seconds.
    pub time_step: f32,
    /// Number of substeps; 0 if no time passes.
    pub substeps: u32,
    /// Coefficients of every substep.
    pub coefficients: DeviceCoefficients,
    /// One item per class.
    pub classes: Vec<DeviceClass>,
    /// `[i * classes + j]`: the effect of a particle of class `j` on a particle of class `i`.
    pub pairs: Vec<DevicePair>,
    /// One item per class.
    pub thermals: Vec<DeviceThermal>,
    /// One item per pair, in the order of `pairs`.
    pub reactions: Vec<DeviceReaction>,
    /// Lengths that distinguish walls near each other.
    pub seams: DeviceSeams,
    /// Conditions under which the liquid sleeps.
    pub sleeping: DeviceSleeping,
    /// Places where the liquid wakes.
    pub wake: DeviceWake,
}

/// Replaces a missing temperature in the records of a device, which have no `Option`.
pub const NO_TEMPERATURE: f32 = 3e38;

/// Coefficients of a substep of [`FluidSolver::DoubleDensity`](crate::FluidSolver::DoubleDensity), in world units and
/// seconds, in the memory layout of a device. [`Liquid::begin_device_tick`] derives them from valid settings.
///
/// In each substep, viscosity is computed in one pass over the pairs, like the core with an
/// [`Effort`](crate::Effort) of one sweep.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct DeviceCoefficients {
    /// Acceleration of all particles by gravity.
    pub gravity: Vec2,
    /// Half of the unit vector along gravity, which makes the force of
    /// [segregation](crate::FluidParameters::segregation) stronger where the heavier particle is above.
    pub preference: Vec2,
    /// Coefficients of the ghost walls' density polynomial, constant first: `G2 = w^3.5 P(w)` with `w = 1 - u`, where
    /// `u` is the distance to the wall over the interaction radius. The coefficients of the near density follow:
    /// `G3 = w^4.5 P(w)`.
    pub ghost: [f32; 12],
    /// `dt`, the length of the substep.
    pub time_step: f32,
    /// `h`, the interaction radius.
    pub interaction_radius: f32,
    /// `1/h`.
    pub inverse_radius: f32,
    /// Distance, in world units, below which two particles count as at the same place: their ids then determine the
    /// direction of the forces between them.
    pub coincidence: f32,
    /// `h/dt^2`: largest stable product of a particle's pressure and its density.
    pub pressure_limit: f32,
    /// Resistance to compression, at most `(1 - 0.43 s) h/dt^2`, where `s` is the share of the near density.
    pub stiff: f32,
    /// `s`, the share of the near density.
    pub near_share: f32,
    /// `w`, the fraction of its resistance to compression that a particle keeps from substep to substep.
    pub kept: f32,
    /// Change of a particle's relative density in a substep above which the particle keeps no resistance.
    pub faded: f32,
    /// Largest tension, relative to the largest pressure.
    pub tension: f32,
    /// Relative density at which the attraction begins.
    pub cohesion_onset: f32,
    /// Growth of the attraction above `cohesion_onset`, per unit of relative density.
    pub cohesion_slope: f32,
    /// Smallest fraction of the attraction, at any density.
    pub cohesion_least: f32,
    /// Largest attraction of a particle by walls, relative to the weight of the particle.
    pub held_weight: f32,
    /// Inverse square of the relative speed of two particles, in s²/world units², above which the additional force of
    /// [segregation](crate::FluidParameters::segregation) is 0.
    pub per_squared_passing_speed: f32,
    /// Weight difference, as a fraction of the `most_contrast` of the pair, below which
    /// [segregation](crate::FluidParameters::segregation) adds a force between particles at rest.
    pub strong_contrast: f32,
    /// Weight difference, as a fraction of the `most_contrast` of the pair. Below this difference, it matters less
    /// and less which of two particles is above; at 0 it does not matter.
    pub least_contrast: f32,
    /// Largest fraction of its velocity that a particle exchanges with all its neighbours together in a pass of
    /// viscosity.
    pub stable_exchange: f32,
    /// `dt` times the drag on slow particles.
    pub calm_drag: f32,
    /// Inverse of the speed above which `calm_drag` is 0.
    pub inverse_calm_speed: f32,
    /// `dt` times the drag on all particles.
    pub drag: f32,
    /// `dt` times the drag along walls without their own friction.
    pub wall_friction: f32,
    /// `dt/T0`: the length of the substep in time units.
    pub per_time_unit: f32,
    /// `d`, the particle spacing.
    pub particle_spacing: f32,
    /// Largest speed to which pressure accelerates a particle, in world units per substep.
    pub most_displacement: f32,
    /// Speed, in world units/s, at which a particle that touches a wall is moved back inside.
    pub unsticking_speed: f32,
    /// `V0`, the speed unit.
    pub speed_unit: f32,
    /// Largest magnitude of a particle's coordinates, in world units.
    pub reach: f32,
    /// Largest change of a velocity by all forces together in one substep.
    pub most_impulse: f32,
    /// Largest speed to which the liquid accelerates bodies; infinite unless a change is [eased in](Liquid::ease_in).
    pub most_push: f32,
    /// Relative density above which a particle is compressed.
    pub compressed_from: f32,
    /// Fraction of a particle's mass that moves as if it were fixed to a body that the particle touches, 0 to 1.
    pub attached_mass: f32,
}

/// Coefficients of one class, in the memory layout of a device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct DeviceClass {
    /// `k`, the stiffness.
    pub stiffness: f32,
    /// `k_near`, the near stiffness.
    pub near_stiffness: f32,
    /// `rho0`, the rest density.
    pub rest_density: f32,
    /// `rho_eq`, the equilibrium density.
    pub equilibrium_density: f32,
    /// Density `(1 - s) rho + s rho_near` of liquid at the equilibrium density, where `s` is the share of the near
    /// density.
    pub equilibrium_packing: f32,
    /// Mass of a particle of the class, relative to a medium one.
    pub mass: f32,
    /// `1/m`.
    pub inverse_mass: f32,
    /// Number density of the ghost liquid behind a wall, in particles per `h^2`.
    pub ghost_density: f32,
    /// Change of velocity by gravity in one substep.
    pub gravity_impulse: Vec2,
    /// Gravitational mass: mass times gravity scale.
    pub weight: f32,
    /// The relative density from which a pass of viscosity over all pairs may be unstable.
    pub crowded_from: f32,
}

/// Thermal coefficients of one class, in the memory layout of a device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct DeviceThermal {
    /// Temperature of new particles without their own temperature, in degrees.
    pub temperature: f32,
    /// `dt` times the rate of heat exchange with particles of the same class.
    pub conductivity: f32,
    /// `dt` times the rate of heat exchange with the surroundings.
    pub cooling: f32,
    /// Fraction of its weight that a particle loses per degree above the ambient temperature; in total at most 2.
    pub expansion: f32,
    /// Ambient temperature, in degrees.
    pub ambient: f32,
    /// The temperature above which a particle changes its class, in degrees; [`NO_TEMPERATURE`] if there is none.
    pub above: f32,
    /// The temperature below which a particle changes its class; minus [`NO_TEMPERATURE`] if there is none. If
    /// both apply, `above` has priority.
    pub below: f32,
    /// In eight bits each, lowest first: the new class of `above`, the new class of `below`, and 1 if the class reacts.
    pub becomes: u32,
}

/// The reaction of a particle of one class to a particle of another class, in the memory layout of a device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct DeviceReaction {
    /// `dt` times the growth rate of the particle's exposure; at an exposure of 1 the particle changes its class. 0
    /// if the particle does not react.
    pub rate: f32,
    /// The particle's new temperature, in degrees; [`NO_TEMPERATURE`] if its temperature does not
    /// change.
    pub temperature: f32,
    /// The particle's new class.
    pub becomes: u32,
    /// Pads the record to 16 bytes.
    pub padding: u32,
}

/// Coefficients of a pair of classes, in the memory layout of a device. The coefficients of viscosity are multiplied
/// by the first particle's share of the exchange.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct DevicePair {
    /// `dt sigma`: viscosity of approaching pairs.
    pub approach: f32,
    /// `dt beta`: quadratic viscosity of approaching pairs.
    pub quadratic: f32,
    /// `dt` times the linear part of the viscosity.
    pub linear: f32,
    /// Largest `dt (sigma + beta u)`: the share of a pair's velocity that viscosity exchanges in a substep.
    pub limit: f32,
    /// Attraction between the two classes, in world units/s².
    pub attraction: f32,
    /// `kappa/15`, where `kappa` is the [segregation](crate::FluidParameters::segregation) of the pair.
    pub segregation: f32,
    /// Largest difference of the weights of two particles that [segregation](crate::FluidParameters::segregation) takes
    /// into account, in medium masses.
    pub most_contrast: f32,
    /// `dt` times the rate at which the temperature of a particle of the first class approaches that of the second
    /// class.
    pub conductivity: f32,
}

/// Friction, adhesion and temperature of a wall in a substep, in the memory layout of a device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct DeviceWall {
    /// `drag` of friction: in a substep, a particle at the distance `d` from the wall loses the fraction `a/(rest + a)`
    /// of its tangential velocity, with `a = drag (1 - d/reach)`.
    pub drag: f32,
    /// `rest` in the formula of [`drag`](Self::drag); 0 if particles lose all of their tangential velocity.
    pub rest: f32,
    /// `reach` in the formula of [`drag`](Self::drag): distance within which friction acts, in world units.
    pub reach: f32,
    /// Fraction of its tangential velocity that a particle loses on impact.
    pub impact_friction: f32,
    /// A particle at the distance `d` from the wall gains the speed `stick_per_step d (1 - d/stick_reach)` towards it.
    pub stick_per_step: f32,
    /// Largest distance at which the wall attracts a particle, in world units; 0 if the wall is not sticky.
    pub stick_reach: f32,
    /// Fraction of the liquid's attraction that the wall has.
    pub wetting: f32,
    /// The wall's temperature, in degrees; [`NO_TEMPERATURE`] if the wall exchanges no heat.
    pub temperature: f32,
}

impl DeviceReaction {
    fn new(reaction: ReactionCoefficients) -> Option<Self> {
        let ReactionCoefficients { rate, becomes, temperature } = reaction;
        let becomes = becomes?.0.into();
        Some(Self { rate, becomes, temperature: temperature.unwrap_or(NO_TEMPERATURE), padding: 0 })
    }
}

impl DeviceThermal {
    fn new(class: &ClassCoefficients, temperature: f32, ambient: f32, reacts: bool) -> Self {
        let (above, becomes_above) = class.above.unwrap_or((NO_TEMPERATURE, ClassId(0)));
        let (below, becomes_below) = class.below.unwrap_or((-NO_TEMPERATURE, ClassId(0)));
        Self {
            temperature,
            conductivity: class.conductivity,
            cooling: class.cooling,
            expansion: class.expansion,
            ambient,
            above,
            below,
            becomes: u32::from_le_bytes([becomes_above.0, becomes_below.0, reacts.into(), 0]),
        }
    }
}

impl From<&DeviceCoefficients> for BodyCoefficients {
    fn from(coefficients: &DeviceCoefficients) -> Self {
        let &DeviceCoefficients {
            time_step,
            gravity,
            particle_spacing,
            most_impulse: max_velocity_change,
            most_push: max_body_speed,
            ..
        } = coefficients;
        Self { time_step, gravity, particle_spacing, max_velocity_change, max_body_speed }
    }
}

impl DeviceCoefficients {
    /// Computes the coefficients of a wall with these properties.
    pub fn wall(&self, wall: WallProperties) -> DeviceWall {
        let (drag, rest, reach) = match wall.friction {
            None => (self.wall_friction, 1.0, 0.5 * self.interaction_radius),
            Some(friction) => {
                (friction * self.per_time_unit, 1.0 - friction, self.particle_spacing)
            }
        };
        let stiffness = wall.stickiness * self.per_time_unit * self.per_time_unit;
        let sticks = if stiffness > 0.0 { 1.0 } else { 0.0 };
        DeviceWall {
            drag,
            rest,
            reach,
            impact_friction: wall.friction.unwrap_or(0.0),
            stick_per_step: stiffness.min(STABLE_STICKINESS) / self.time_step,
            stick_reach: sticks
                * (wall.stick_distance * self.particle_spacing).min(self.interaction_radius),
            wetting: wall.wetting,
            temperature: wall.temperature.unwrap_or(NO_TEMPERATURE),
        }
    }
}

impl Liquid {
    /// Begins a tick of `time_step` seconds whose passes run on a device, and advances the clock. The number of
    /// substeps follows from the settings and from the depth that the device has measured. Without a measurement, it
    /// follows from the particles of this liquid. With a measured depth, the number of substeps suits every class of
    /// the table, as if each had particles. Changes stay [eased in](Self::ease_in) until the device has measured that
    /// its liquid is not compressed.
    ///
    /// Settings of solvers other than [`FluidSolver::DoubleDensity`](crate::FluidSolver::DoubleDensity) have no effect.
    ///
    /// ```
    /// use blob_fluid::FluidWorld;
    /// use blob_fluid::device::DeviceMeasures;
    /// let mut liquid = FluidWorld::default().liquid().clone();
    /// let tick = liquid.begin_device_tick(1.0 / 60.0, DeviceMeasures::default())?;
    /// assert_eq!(tick.substeps, 1);
    /// assert_eq!(tick.classes.len(), liquid.classes().len());
    /// // A deep pool takes more.
    /// let measured = DeviceMeasures { depth: Some(50_000.0), ..DeviceMeasures::default() };
    /// assert!(liquid.begin_device_tick(1.0 / 60.0, measured)?.substeps > 1);
    /// # Ok::<(), blob_fluid::StepError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FluidWorld::step`](crate::FluidWorld::step).
    pub fn begin_device_tick(
        &mut self,
        time_step: f32,
        measured: DeviceMeasures,
    ) -> Result<DeviceTick, StepError> {
        if !time_step.is_finite() || time_step < 0.0 {
            return Err(StepError::TimeStep(time_step));
        }
        let time_step = time_step.min(self.parameters.max_time_step);
        if time_step <= 1e-9 {
            return Ok(DeviceTick::default());
        }
        let time_unit = self.parameters.time_unit();
        let reach = self.parameters.interaction_radius();
        let around = || measured.bounds.unwrap_or(FluidBounds::ALL).inflated(reach);
        // On the device the memory is the same for all particles.
        let max_memory = if self.boundary.any_yields_within(around) { 0.0 } else { f32::MAX };
        // Particles on the device may have any class.
        let demand = DoubleDensity::demand_within(self, ClassFilter::ALL, time_step, max_memory);
        let chosen = match measured.depth.filter(|depth| depth.is_finite() && *depth >= 0.0) {
            Some(depth) => {
                let head = depth * max_gravity_scale(&self.classes, ClassFilter::ALL);
                // Without memory, liquid beside a body needs as many substeps as any other.
                choose_substeps_for(self, demand, time_step, || [head, 0.0])
            }
            None => {
                let mut columns = Columns::default();
                columns.rebuild(self, &SerialExecutor);
                choose_substeps(self, demand, &columns, time_step)
            }
        };
        let substeps = chosen.wanted.min(self.effort.substeps.max(chosen.min_stable));
        self.clock.wanted_substeps = chosen.wanted;
        self.clock.begin_tick(time_step, substeps, chosen, time_unit);
        let tick = DeviceTick { time_step, substeps, ..self.device_substep() };
        if let Some(compressed) = measured.compressed {
            self.advance_easing_of(compressed, time_step / time_unit);
        }
        let wake = self.take_device_wake(time_step);
        self.begin_device_solids(time_step, self.clock.substep);
        self.clock.time += f64::from(time_step);
        crate::settings::range::count_more(&mut self.clock.ticks, 1);
        Ok(DeviceTick { wake, ..tick })
    }

    /// Moves containers and colliders by a substep, as [`AdvancePositions`](crate::FluidPass::AdvancePositions) does.
    /// Call it once per substep after [`begin_device_tick`](Self::begin_device_tick), and then
    /// [`move_device_bodies`](Self::move_device_bodies).
    ///
    /// ```
    /// use blob_fluid::device::DeviceMeasures;
    /// use blob_fluid::{Collider, FluidWorld, Motion};
    /// use glam::Vec2;
    /// let mut liquid = FluidWorld::default().liquid().clone();
    /// let motion = Motion { velocity: Vec2::new(60.0, 0.0), angular_velocity: 0.0 };
    /// liquid.insert_collider(Collider::circle(Vec2::ZERO, 10.0)?.with_motion(motion)?);
    /// let tick = liquid.begin_device_tick(1.0 / 60.0, DeviceMeasures::default()).expect("valid");
    /// for _ in 0..tick.substeps {
    ///     liquid.advance_device_solids(&tick);
    ///     liquid.move_device_bodies(&tick);
    /// }
    /// let moved = liquid.device_solids().next().expect("there");
    /// assert!(moved.pose.translation.distance(Vec2::X) < 1e-5);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn advance_device_solids(&mut self, tick: &DeviceTick) {
        let coefficients = &tick.coefficients;
        self.boundary.advance(coefficients.time_step, coefficients.per_time_unit);
    }

    /// Changes the motions of [bodies](crate::Body) by gravity, contacts and [applied](Self::apply_device_loads)
    /// impulses at the end of a substep, as [`MoveBodies`](crate::FluidPass::MoveBodies) does.
    pub fn move_device_bodies(&mut self, tick: &DeviceTick) {
        let coefficients = (&tick.coefficients).into();
        move_bodies(&mut self.boundary, &mut Contacts::default(), coefficients, |_| {});
    }

    /// Returns a tick with the coefficients of the clock's substeps.
    fn device_substep(&self) -> DeviceTick {
        let Self { parameters, classes, clock, .. } = self;
        let mut shared = Coefficients::default();
        shared.derive(parameters, classes, DoubleDensity::unsticking(parameters), clock.substep);
        if let Some(limit) = self.easing_limit {
            shared.limit_speeds(limit);
        }
        let mut solver = DoubleDensity::default();
        solver.derive_with_sweeps(self, ClassFilter::ALL, &shared, 1);
        // Liquid does not seep through powder on a device.
        let seepage = Seepage::default();
        solver.pressure.segregation.derive(parameters, classes, &shared, &seepage);
        solver.viscosity.derive(parameters, classes, ClassFilter::ALL, &shared, &seepage, 1);
        let DoubleDensity { pressure, viscosity, .. } = &solver;
        let resistance = pressure.resistance;
        let cohesion = resistance.cohesion;
        let count = shared.classes.len();
        let class = |index: usize| {
            let class = &shared.classes[index];
            let ClassPressure { state, ghost_density, .. } = &pressure.classes[index];
            DeviceClass {
                mass: class.mass,
                inverse_mass: class.inverse_mass,
                weight: class.mass * class.gravity_scale,
                gravity_impulse: class.gravity_impulse,
                stiffness: state.stiffness,
                near_stiffness: state.near_stiffness,
                rest_density: state.rest_density,
                equilibrium_density: state.equilibrium_density,
                equilibrium_packing: state.equilibrium_packing,
                ghost_density: *ghost_density,
                crowded_from: viscosity.crowding_density[index],
            }
        };
        let pair = |index: usize| {
            let share = viscosity.shares[index];
            let exchanged = viscosity.uniform.unwrap_or_else(|| viscosity.pairs[index]);
            let (segregation, most_contrast) = pressure.segregation.pair(index);
            DevicePair {
                approach: exchanged.approach * share,
                quadratic: exchanged.quadratic * share,
                linear: exchanged.linear * share,
                limit: viscosity.limit * share,
                attraction: pressure.attractions.get(index).copied().unwrap_or(0.0),
                segregation,
                most_contrast,
                conductivity: shared.conductivities.get(index).copied().unwrap_or(0.0),
            }
        };
        let reaction = |index: usize| {
            let reaction = shared.reactions.get(index).copied().flatten();
            reaction.and_then(DeviceReaction::new)
        };
        let thermal = |index: usize| {
            let own = classes.get(ClassId(index as u8));
            let temperature = own.and_then(|class| class.thermal.temperature);
            let reacts = (index * count..(index + 1) * count).any(|pair| reaction(pair).is_some());
            let ambient = shared.ambient_temperature;
            let temperature = temperature.unwrap_or(parameters.ambient_temperature);
            DeviceThermal::new(&shared.classes[index], temperature, ambient, reacts)
        };
        let mut ghost = [0.0; 12];
        ghost[..6].copy_from_slice(&DENSITY);
        ghost[6..].copy_from_slice(&NEAR_DENSITY);
        let coefficients = DeviceCoefficients {
            gravity: shared.gravity,
            preference: pressure.segregation.weighted_gravity_direction,
            ghost,
            time_step: shared.time_step,
            interaction_radius: shared.interaction_radius,
            inverse_radius: shared.inverse_radius,
            coincidence: shared.coincidence_distance,
            pressure_limit: resistance.limit,
            stiff: resistance.stiffness,
            near_share: resistance.near_share,
            kept: resistance.memory_fraction,
            faded: MAX_MEMORY_DENSITY_CHANGE,
            tension: MAX_TENSION_RATIO,
            cohesion_onset: cohesion.onset,
            cohesion_slope: cohesion.slope,
            cohesion_least: cohesion.min_share,
            held_weight: MAX_WALL_ATTRACTION,
            per_squared_passing_speed: pressure.segregation.per_squared_speed,
            strong_contrast: STRONG_CONTRAST,
            least_contrast: MIN_CONTRAST,
            stable_exchange: STABLE_EXCHANGE,
            calm_drag: shared.calm_drag,
            inverse_calm_speed: shared.inverse_calm_speed,
            drag: shared.drag,
            wall_friction: shared.wall_friction,
            per_time_unit: shared.per_time_unit,
            particle_spacing: shared.particle_spacing,
            most_displacement: shared.max_displacement,
            unsticking_speed: shared.unsticking_speed,
            speed_unit: shared.speed_unit,
            reach: self.reach(),
            most_impulse: shared.max_velocity_change,
            most_push: shared.max_body_speed,
            compressed_from: COMPRESSED,
            attached_mass: DoubleDensity::ADDED_MASS_FRACTION,
        };
        DeviceTick {
            coefficients,
            classes: (0..count).map(class).collect(),
            pairs: (0..count * count).map(pair).collect(),
            thermals: (0..count).map(thermal).collect(),
            reactions: (0..count * count).map(|pair| reaction(pair).unwrap_or_default()).collect(),
            seams: self.device_seams(),
            sleeping: DeviceSleeping::of(parameters),
            ..DeviceTick::default()
        }
    }
}

// Containers and colliders for a device that runs the passes, such as a graphics card.

/// A container or a collider in a substep, for a device.
#[derive(Clone, Copy, Debug)]
pub struct DeviceSolid<'a> {
    /// Shape of the solid.
    pub shape: &'a FluidShape,
    /// Pose of the solid at the end of the substep.
    pub pose: Pose,
    /// Pose of the solid at the beginning of the substep.
    pub previous_pose: Pose,
    /// Velocity of the solid's centre, in world units/s.
    pub velocity: Vec2,
    /// Angular velocity that its walls give to the liquid, in rad/s, counter-clockwise: that of the solid, but at most
    /// 2 rad per substep.
    pub angular_velocity: f32,
    /// Wall properties of the solid.
    pub wall: WallProperties,
    /// Whether the solid is a container.
    pub is_container: bool,
    /// Whether the outside of the shape is solid, as for containers.
    pub inside_out: bool,
    /// Whether the solid is a membrane, which lets particles pass in one direction.
    pub one_way: bool,
    /// The classes that the solid stops: the classes in its options that share a collision layer
    /// with the solid.
    pub stops: ClassFilter,
    /// Fraction of the liquid's pressure that the solid bears, 0 to 1.
    pub fade_in: f32,
    /// Distance to the edge of the solid, in world units, below which rounding errors hide on which side of the edge a
    /// particle is.
    pub slack: f32,
    /// Whether a container moves, or whether a collider moves or has ever moved.
    pub moves: bool,
    /// The collider or host body that bears the liquid's load on this solid, if the load is measured.
    pub bearer: Option<DeviceBearer>,
}

/// Handle of the collider or host body that bears the liquid's load on a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadBearer {
    /// The collider itself.
    Collider(ColliderId),
    /// The host body that the collider is attached to.
    HostBody(HostBodyId),
}

/// The collider or host body that bears the liquid's load on a collider, and its inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceBearer {
    /// Handle of the bearer.
    pub id: LoadBearer,
    /// Centre of mass of the bearer, relative to the pose of the collider, in world units.
    pub centre: Vec2,
    /// Inverse mass along each world axis; 0 if the load does not move the bearer.
    pub inverse_mass: Vec2,
    /// Inverse moment of inertia about the centre of mass; 0 if the load does not turn the bearer.
    pub inverse_inertia: f32,
}

/// A solid that stops all classes and whose inside is solid.
fn solid<Options: SolidOptions>(solid: &Solid<Options>, moves: bool, skin: f32) -> DeviceSolid<'_> {
    let limit = solid.max_angular_velocity;
    DeviceSolid {
        shape: &solid.shape,
        pose: solid.pose,
        previous_pose: solid.previous_pose,
        velocity: solid.motion.velocity,
        angular_velocity: solid.motion.angular_velocity.clamp(-limit, limit),
        wall: solid.wall,
        is_container: false,
        inside_out: false,
        one_way: false,
        stops: ClassFilter::ALL,
        fade_in: 1.0,
        slack: solid.slack().max(if moves { skin } else { 0.0 }),
        moves,
        bearer: None,
    }
}

/// The bearer of the load on a collider.
fn bearer(solids: &Solids, id: ColliderId, record: &ColliderRecord) -> Option<DeviceBearer> {
    let options = record.options();
    if let Some(attachment) = options.attachment
        && let Some(carried) = solids.host_bodies.find(attachment.body)
    {
        return Some(DeviceBearer {
            id: LoadBearer::HostBody(attachment.body),
            centre: attachment.pose.to_local_direction(-attachment.pose.translation),
            inverse_mass: carried.body.inverse_mass,
            inverse_inertia: carried.body.inverse_inertia,
        });
    }
    record.bears_load().then(|| DeviceBearer {
        id: LoadBearer::Collider(id),
        centre: Vec2::ZERO,
        inverse_mass: Vec2::splat(options.body.map_or(0.0, |body| body.inverse_mass())),
        inverse_inertia: options.body.map_or(0.0, |body| body.inverse_inertia()),
    })
}

impl Liquid {
    /// A number that changes with every change of containers, colliders or class tables by your code, and with changes
    /// of a particle's class. The motion of solids in a tick does not change the number.
    pub fn solids_revision(&self) -> u64 {
        self.boundary.walls_revision.number()
    }

    /// All containers, then all colliders, for a device, in the order of insertion.
    pub fn device_solids(&self) -> impl Iterator<Item = DeviceSolid<'_>> {
        let all = &self.boundary;
        let containers = all.containers.iter().map(|container| DeviceSolid {
            is_container: true,
            inside_out: true,
            ..solid(container, container.will_change_pose(), all.skin)
        });
        let colliders =
            all.colliders.entries().enumerate().map(|(index, (id, record))| DeviceSolid {
                bearer: bearer(all, id, record),
                inside_out: record.options.inside_out,
                one_way: record.options.one_way,
                stops: record.stopped_classes(),
                fade_in: record.fade_in(),
                ..solid(record, all.boxes.is_mover(index), all.skin)
            });
        containers.chain(colliders)
    }
}

/// Lengths that distinguish walls near each other, in world units.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceSeams {
    /// Depth inside a collider beyond which its wall does not act on a particle.
    pub jump_depth: f32,
    /// Largest gap between two colliders that still act as one.
    pub seam_gap: f32,
    /// Smallest radius of curvature with which a wall's normal turns.
    pub least_bend_radius: f32,
}

impl Liquid {
    pub(crate) fn device_seams(&self) -> DeviceSeams {
        let solids = &self.boundary;
        let (jump_depth, seam_gap) = (solids.jump_depth, solids.seam_gap);
        DeviceSeams { jump_depth, seam_gap, least_bend_radius: solids.min_curvature_radius }
    }

    /// Begins a tick of containers and colliders. Attached ones move towards the future poses of their bodies. The
    /// rotation of walls is limited for the substep length.
    pub(crate) fn begin_device_solids(&mut self, time_step: f32, substep: f32) {
        self.boundary.begin_tick(time_step);
        // Bodies do not sleep on a device.
        wake_all_bodies(&mut self.boundary);
        self.boundary.reset_loads();
        self.boundary.limit_angular_velocities(substep);
        let spacing = self.parameters.particle_spacing;
        solve_changed_contacts(&mut self.boundary, &mut Contacts::default(), spacing, substep);
    }

    /// The motion of the collider or host body that bears a load, at its centre of mass; `None` if there is no
    /// such object.
    pub fn motion_of_bearer(&self, bearer: LoadBearer) -> Option<Motion> {
        let Solids { colliders, host_bodies, .. } = &self.boundary;
        match bearer {
            LoadBearer::Collider(id) => Some(colliders[colliders.index_of(id)?].motion),
            LoadBearer::HostBody(id) => Some(host_bodies.find(id)?.body.motion),
        }
    }

    /// Applies impulses of the liquid on a device to the [bearers](DeviceSolid::bearer) of its loads. The impulses
    /// take effect in the next [`move_device_bodies`](Self::move_device_bodies). Bearers that do not exist are
    /// skipped.
    ///
    /// ```
    /// use blob_fluid::device::{DeviceMeasures, LoadBearer};
    /// use blob_fluid::{Body, Collider, ColliderOptions, FluidWorld, Load};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let body = Body { gravity_scale: 0.0, ..Body::new(2.0, 50.0) };
    /// let options = ColliderOptions { body: Some(body), ..Default::default() };
    /// let disc = world.insert_collider(Collider::circle(Vec2::ZERO, 10.0)?.with_options(options)?);
    /// let liquid = world.liquid_mut();
    /// let tick = liquid.begin_device_tick(1.0 / 60.0, DeviceMeasures::default()).expect("valid");
    /// let load = Load { impulse: Vec2::new(6.0, 0.0), angular_impulse: 0.0 };
    /// liquid.apply_device_loads([(LoadBearer::Collider(disc), load)]);
    /// liquid.move_device_bodies(&tick);
    /// assert_eq!(world.collider(disc).expect("there").motion().velocity, Vec2::new(3.0, 0.0));
    /// assert_eq!(world.load_on(disc), Some(load));
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn apply_device_loads(&mut self, loads: impl IntoIterator<Item = (LoadBearer, Load)>) {
        let Solids { colliders, host_bodies, .. } = &mut self.boundary;
        for (bearer, load) in loads {
            match bearer {
                LoadBearer::Collider(id) => {
                    let Some(index) = colliders.index_of(id) else { continue };
                    let (impulse, angular) = (load.impulse.as_dvec2(), load.angular_impulse.into());
                    colliders[index].add_impulse(impulse, angular);
                }
                LoadBearer::HostBody(id) => {
                    let Some(index) = host_bodies.index_of(id) else { continue };
                    let centre = host_bodies[index].body.pose.translation;
                    host_bodies[index].add(centre, load);
                }
            }
        }
    }
}
