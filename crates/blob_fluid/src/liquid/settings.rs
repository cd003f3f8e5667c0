//! Methods for the parameters and the effort of a liquid.

use glam::Vec2;

use crate::boundary::container::container_of;
use crate::{
    ClassError, ClassId, ClassTable, DensityClass, Effort, FluidParameters, FluidSolver, Liquid,
    OutOfRange, ParticleId, Particles, SpawnError,
};

/// Methods for settings.
impl Liquid {
    /// The settings.
    pub fn parameters(&self) -> &FluidParameters {
        &self.parameters
    }

    /// Changes the settings. The new settings have an effect from the next pass on, and wake the
    /// liquid. Settings equal to the present ones change nothing.
    ///
    /// ```
    /// use blob_fluid::{FluidParameters, FluidWorld, FluidSolver};
    /// let mut world = FluidWorld::default();
    /// world.set_parameters(FluidParameters { solver: FluidSolver::Sph, ..*world.parameters() })?;
    /// assert_eq!(world.parameters().solver, FluidSolver::Sph);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    ///
    /// Changes of some settings would make existing liquid burst, so their effect is [eased
    /// in](Self::ease_in). These settings determine the distance of particles:
    /// [`particle_spacing`], radius, rest density, equilibrium ratio, stiffnesses, reference
    /// acceleration, near share, ghost walls and solver. The number of particles stays the same, so
    /// liquid with twice the spacing needs four times the area. Liquid that lacks this area stays
    /// compressed, and [`is_easing`](Self::is_easing) stays `true`. Gravity and all drags change at
    /// once.
    ///
    /// [`particle_spacing`]: FluidParameters::particle_spacing
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] if a setting is outside its range. The old settings are kept.
    pub fn set_parameters(&mut self, parameters: FluidParameters) -> Result<(), OutOfRange> {
        parameters.validate()?;
        if parameters == self.parameters {
            return Ok(());
        }
        self.sleep.everywhere = true;
        if self.is_upset_by(&parameters) {
            self.ease_in();
        }
        if parameters.solver != self.parameters.solver {
            self.particles.pressure.clear();
            self.particles.grains.clear();
        }
        self.particles.paints.mix_as(parameters.paint_mixing);
        self.parameters = parameters;
        self.settings_revision.renew();
        self.particles.mark_moved();
        self.scale_boundary();
        Ok(())
    }

    /// Limits of the work in a tick.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Limits the work in a tick, from the next tick on. The default is [`Effort::FULL`]. A
    /// [`Governor`](crate::Governor) chooses the limits from the measured time of ticks.
    pub fn set_effort(&mut self, effort: Effort) {
        if effort != self.effort {
            self.effort = effort;
            self.settings_revision.renew();
        }
    }

    /// Updates the lengths of the boundary that depend on the liquid's scale.
    pub(crate) fn scale_boundary(&mut self) {
        let radius = self.parameters.interaction_radius();
        self.boundary.set_scale(radius, self.parameters.particle_spacing);
    }
}

// Methods for the classes of a liquid, and for changing the classes of particles.

/// Methods for classes.
impl Liquid {
    /// The class table.
    pub fn classes(&self) -> &ClassTable {
        &self.classes
    }

    /// Changes the class table. The new table has an effect from the next pass on. Changes of mass,
    /// rest density, stiffness and surface tension of existing liquid are [eased
    /// in](Self::ease_in), so that it does not burst.
    ///
    /// # Errors
    ///
    /// Returns [`ClassError::InUse`] if living particles belong to a class that the new table
    /// lacks. Then the old table is kept.
    pub fn set_classes(&mut self, classes: ClassTable) -> Result<(), ClassError> {
        let missing = |class: &&ClassId| class.index() >= classes.len();
        if let Some(class) = self.particles.class.iter().find(missing) {
            let particles = self.particles.class.iter().filter(missing).count();
            return Err(ClassError::InUse { class: class.0, particles });
        }
        for (_, pool) in self.pools() {
            if let Some(class) = Some(&pool.settings().class).filter(missing) {
                let particles = pool.particles().ceil() as usize;
                return Err(ClassError::InUse { class: class.0, particles });
            }
        }
        if classes == self.classes {
            return Ok(());
        }
        for (index, (before, after)) in self.classes.iter().zip(classes.iter()).enumerate() {
            let class = ClassId(index as u8);
            // Particles of a class that becomes elastic get springs to their neighbours.
            if before.elasticity.is_none() && after.elasticity.is_some() {
                self.particles.mark_new(class);
            }
            // Particles of a class that becomes a powder, or stops being one, get the grain state
            // of new particles.
            if before.powder.is_some() != after.powder.is_some() {
                self.particles.forget_grains_of(class);
            }
        }
        self.sleep.everywhere = true;
        if self.is_upset_by_classes(&classes) {
            self.ease_in();
        }
        self.boundary.set_classes(&classes);
        self.particles.follow_paint_of(&classes);
        self.classes = classes;
        self.settings_revision.renew();
        Ok(())
    }

    /// Changes a particle's class and keeps its velocity and temperature; returns `false` if the
    /// particle is dead.
    ///
    /// # Errors
    ///
    /// Returns [`SpawnError::UnknownClass`] if the table lacks the class.
    pub fn set_class(&mut self, id: ParticleId, class: ClassId) -> Result<bool, SpawnError> {
        self.temperature_of_new(class)?;
        let index = self.particles.index_of(id);
        if let Some(index) = index.filter(|index| self.particles.class[*index] != class) {
            self.change_class(index, class);
        }
        Ok(index.is_some())
    }

    /// Changes the class of the particle at an index to a class of the table, and wakes its surroundings.
    pub(crate) fn change_class(&mut self, index: usize, class: ClassId) {
        self.sleep.disturb(self.particles.position[index]);
        self.particles.change_class(index, class);
        self.boundary.walls_revision.renew();
    }

    /// Changes the class of all particles for which `chosen(position, class)` returns `true`, and
    /// returns their number.
    ///
    /// # Errors
    ///
    /// Returns [`SpawnError::UnknownClass`] if the table lacks the class.
    pub fn set_class_where(
        &mut self,
        class: ClassId,
        mut chosen: impl FnMut(Vec2, ClassId) -> bool,
    ) -> Result<usize, SpawnError> {
        self.change_classes(class, |all, index| chosen(all.position[index], all.class[index]))
    }

    /// As [`set_class_where`](Self::set_class_where), but `chosen` gets the particle's index.
    pub(crate) fn change_classes(
        &mut self,
        class: ClassId,
        mut chosen: impl FnMut(&Particles, usize) -> bool,
    ) -> Result<usize, SpawnError> {
        self.temperature_of_new(class)?;
        let mut changed = 0;
        for index in 0..self.particles.len() {
            if chosen(&self.particles, index) && self.particles.class[index] != class {
                self.change_class(index, class);
                changed += 1;
            }
        }
        Ok(changed)
    }

    /// Temperature of new particles of a class; `None` if the class has no such setting.
    pub(crate) fn temperature_of_new(&self, class: ClassId) -> Result<Option<f32>, SpawnError> {
        let classes = self.classes.len();
        let known = self.classes.get(class);
        let known = known.ok_or(SpawnError::UnknownClass { class: class.0, classes })?;
        Ok(known.thermal.temperature)
    }
}

// Eases in changes that would make the liquid burst. A limit applies to the speed to which pressure
// accelerates liquid, and to which liquid accelerates bodies.

/// The first limit, in V0.
const FIRST_LIMIT: f32 = 1.0;

/// The limit at which easing ends, in V0. Pressure never accelerates liquid to this speed.
const LAST_LIMIT: f32 = 50.0;

/// Relative growth of the limit per T0. The limit grows only while the liquid is not compressed.
const GROWTH: f32 = 1.0;

/// Density relative to rest above which a particle is compressed.
pub(crate) const COMPRESSED: f32 = 1.15;

/// The liquid counts as compressed while more than one particle in this number is compressed.
const COMPRESSED_SHARE: usize = 50;

impl Liquid {
    /// Lets the liquid expand gently, until it is no longer compressed. Pressure accelerates
    /// particles at most to the [speed unit](FluidParameters::speed_unit). The same limit applies
    /// when liquid accelerates [bodies](crate::Body) and [host bodies](crate::HostBody). Once the
    /// liquid is no longer compressed, the limit grows, and it ends after four
    /// [time units](FluidParameters::time_unit). Momentum is not conserved exactly while a speed
    /// is limited.
    ///
    /// Easing starts automatically when a change of settings, classes or containers would make the
    /// liquid burst. Call the method after your code has packed particles closely.
    ///
    /// ```
    /// use blob_fluid::{FluidParameters, FluidWorld, ParticleSpawn, SerialExecutor};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::new(FluidParameters::new(8.0, Vec2::ZERO))?;
    /// for number in 0..100 {
    ///     let position = Vec2::new((number % 10) as f32, (number / 10) as f32) * 2.0;
    ///     world.spawn(ParticleSpawn { position, ..Default::default() })?;
    /// }
    /// world.ease_in();
    /// assert!(world.is_easing());
    /// for _ in 0..300 {
    ///     world.step(1.0 / 60.0, &SerialExecutor)?;
    ///     let fastest = world.particles().velocities().iter().map(|velocity| velocity.length());
    ///     assert!(fastest.fold(0.0, f32::max) < 2.0 * world.parameters().speed_unit());
    /// }
    /// assert!(!world.is_easing());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ease_in(&mut self) {
        self.limit_easing(Some(FIRST_LIMIT));
        self.sleep.everywhere = true;
    }

    /// Ends the [easing in](Self::ease_in) of a change: pressure has its full effect. Call it after
    /// a change that should make the liquid burst.
    pub fn end_easing(&mut self) {
        self.limit_easing(None);
    }

    /// Whether a change is being [eased in](Self::ease_in).
    pub fn is_easing(&self) -> bool {
        self.easing_limit.is_some()
    }

    fn limit_easing(&mut self, limit: Option<f32>) {
        self.easing_limit = limit;
        self.settings_revision.renew();
    }

    /// Raises the limit after a tick of `time_units` T0.
    pub(crate) fn advance_easing(&mut self, time_units: f32) {
        if self.is_easing() && !self.is_compressed() {
            self.raise_limit(time_units);
        }
    }

    /// As [`advance_easing`](Self::advance_easing), for liquid with the fraction `compressed` of
    /// compressed particles.
    pub(crate) fn advance_easing_of(&mut self, compressed: f32, time_units: f32) {
        if compressed * COMPRESSED_SHARE as f32 <= 1.0 {
            self.raise_limit(time_units);
        }
    }

    fn raise_limit(&mut self, time_units: f32) {
        let Some(limit) = self.easing_limit else { return };
        let next = limit * (1.0 + GROWTH * time_units);
        self.easing_limit = Some(next).filter(|next| *next < LAST_LIMIT);
    }

    /// Whether the liquid is denser than at rest. The classic solver always compresses liquid, so
    /// its answer is `false`.
    fn is_compressed(&self) -> bool {
        let densities = self.particles.relative_densities();
        let compressed = densities.iter().filter(|density| **density > COMPRESSED).count();
        self.parameters.solver != FluidSolver::Classic
            && compressed * COMPRESSED_SHARE > densities.len()
    }

    /// [Eases in](Self::ease_in) the differences from these earlier parameters and classes, if they
    /// may disturb liquid at rest. Call it for liquid on a graphics card: this `Liquid` then holds
    /// the settings but no particles, so it does not know whether liquid exists.
    ///
    /// ```
    /// use blob_fluid::{FluidParameters, FluidWorld};
    /// let mut liquid = FluidWorld::default().liquid().clone();
    /// let (parameters, classes) = (*liquid.parameters(), liquid.classes().clone());
    /// liquid.ease_in_since(&parameters, &classes);
    /// assert!(!liquid.is_easing());
    /// liquid.set_parameters(FluidParameters { particle_spacing: 12.0, ..parameters })?;
    /// liquid.ease_in_since(&parameters, &classes);
    /// assert!(liquid.is_easing());
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn ease_in_since(&mut self, parameters: &FluidParameters, classes: &ClassTable) {
        if upset(&self.parameters, parameters) || upset_by_classes(&self.classes, classes) {
            self.ease_in();
        }
    }

    /// Whether a change to these parameters may disturb liquid at rest.
    pub(super) fn is_upset_by(&self, parameters: &FluidParameters) -> bool {
        !self.particles.is_empty() && upset(&self.parameters, parameters)
    }

    /// Whether a change to these classes may disturb liquid at rest.
    pub(super) fn is_upset_by_classes(&self, classes: &ClassTable) -> bool {
        !self.particles.is_empty() && upset_by_classes(&self.classes, classes)
    }

    /// Starts easing if particles are outside of the containers, which move them inside.
    pub(super) fn ease_in_outside(&mut self) {
        let containers = &*self.boundary.containers;
        let depth = self.boundary.jump_depth;
        let is_outside = |position: &Vec2| {
            container_of(containers, *position).is_some_and(|home| home.depth(*position) < -depth)
        };
        if self.particles.positions().iter().any(is_outside) {
            // No wake flag: liquid of other containers sleeps on.
            self.limit_easing(Some(FIRST_LIMIT));
        }
    }
}

/// Whether a change of parameters may disturb liquid at rest.
fn upset(before: &FluidParameters, after: &FluidParameters) -> bool {
    let what_presses = |all: &FluidParameters| {
        let lengths = [all.particle_spacing, all.radius_ratio];
        let densities = [all.effective_rest_density(), all.equilibrium_ratio, all.near_share];
        let stiffness = all.stiffness * all.reference_acceleration;
        let walls = all.ghost_walls.density;
        (all.solver, lengths, densities, [stiffness, all.near_stiffness_ratio, walls])
    };
    what_presses(before) != what_presses(after)
}

/// Whether a change of classes may disturb liquid at rest.
fn upset_by_classes(before: &ClassTable, after: &ClassTable) -> bool {
    let what_presses = |class: &DensityClass| {
        let stiffness = [class.stiffness, class.near_stiffness, class.surface_tension];
        (class.mass, class.relative_rest_density, stiffness)
    };
    let differ = |(before, after)| what_presses(before) != what_presses(after);
    before.iter().zip(after.iter()).any(differ)
}
