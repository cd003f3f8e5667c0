//! Emitters as entities.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{
    ClassId, EmitReport, Emitter, EmitterSettings, FluidLifetime, FluidNozzle, ParticleTag, Pose,
    Tank,
};

use crate::concern;
use crate::placing::{FluidOutline, Placement, Scaled};
use crate::schedule::{FluidOrder, FluidSchedule, FluidTickSystems, Ranks};
use crate::simulation::{Fluid, FluidClasses, FluidSettings, FluidSimulation, RestartApp};
use crate::solids::LONGEST_WAY;
use crate::sources::blob::{KnownClasses, StatedClass, paint_of, takes_paint};
use crate::warnings::Warnings;

/// Adds the types and systems below.
pub(super) fn add_emitters(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidEmitter>()
        .register_type::<FluidEmitterTotals>()
        .add_systems(
            FluidSchedule,
            emit_from_emitters.in_set(FluidTickSystems::Sources).after(set_capacities),
        )
        .begins_anew::<FluidEmitter>();
}

/// A nozzle that emits liquid, placed by the entity's [`Transform`]. The nozzle is a slot along the entity's X axis,
/// from which liquid flows along the Y axis, or a shape in which rain appears.
///
/// Particles have the entity's [`FluidClass`](crate::FluidClass), or the class of its
/// [`FluidMadeOf`](crate::FluidMadeOf) once that is loaded, or the classes of a [mix](Self::with_mix). The field
/// [`class`](EmitterSettings::class) has no effect. With a [`FluidTankLink`], the particles are taken from a
/// [`FluidTank`](crate::FluidTank). Particles are spaced evenly even if the entity moves. Emitted particles stay when
/// the entity is despawned. The nozzle moves together with containers and colliders, which reach the positions of their
/// entities at the end of a tick. A move by more than ten interaction radii in a tick is a jump.
///
/// The entity's scale applies to the width and the shape. While the scale is zero or not finite, nothing is emitted,
/// and there is a warning. Settings out of range are refused with a warning, and the last valid ones stay in use.
/// Settings may change at any time; inserting the component again restarts the emitter. [`FluidEmitterTotals`] counts
/// the particles.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     // Oil, 40 units wide and 300 units/s fast, upwards and a little to either side.
///     commands.spawn((
///         FluidEmitter::jet(40.0, 300.0).with_spread(0.2).with_lifetime(FluidLifetime::new(5.0)),
///         FluidClass::LIGHT,
///         Transform::from_xyz(0.0, -200.0, 0.0),
///     ));
///     commands.spawn((
///         FluidEmitter::rain(Rectangle::new(400.0, 20.0), 50.0),
///         Transform::from_xyz(0.0, 300.0, 0.0),
///     ));
/// }
/// ```
#[doc = guide!("pour")]
#[derive(Component, Reflect, Clone, Debug, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
#[component(on_insert = concern::insert::<Beside>, on_remove = concern::remove::<Beside>)]
pub struct FluidEmitter(pub EmitterSettings);

/// Counts of a [`FluidEmitter`] since it was inserted. For reading only.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidEmitterTotals {
    /// Number of emitted particles.
    pub emitted: u64,
    /// Number of particles not emitted because their positions were occupied, or because of the pressure
    /// at these positions.
    pub held_back: u64,
    /// Number of particles that the simulation refused, because it was full or the class does not
    /// exist.
    pub refused: u64,
    /// Whether the emitter has emitted its burst or reached its limit.
    pub finished: bool,
}

/// The nozzle of an entity.
#[derive(Component, Clone, Debug, Default)]
pub(crate) struct FluidEmitterState {
    pub emitter: Option<Emitter>,
    pub scaled: Scaled,
    /// Its poses at the beginning and at the end of the last tick.
    pub way: Option<[Pose; 2]>,
}

/// The components that are inserted and removed together with the emitter.
type Beside = (FluidEmitterState, FluidEmitterTotals);

impl Default for FluidEmitter {
    /// A narrow jet that is not running.
    fn default() -> Self {
        Self::jet(20.0, 100.0).stopped()
    }
}

impl FluidEmitter {
    /// A jet with the density of liquid at rest, `width` world units wide, at `speed` world
    /// units/s.
    pub fn jet(width: f32, speed: f32) -> Self {
        Self(EmitterSettings::jet(width, speed))
    }

    /// A jet of `rate` particles/s from a slot `width` world units wide, with the density of liquid
    /// at rest.
    pub fn pour(width: f32, rate: f32) -> Self {
        Self(EmitterSettings::pour(width, rate))
    }

    /// Rain: `rate` particles/s appear at random positions in a shape. The particles fall along gravity with 25 [speed
    /// units](blob_fluid::FluidParameters::speed_unit), 990 world units/s by default, for any rotation of the entity.
    /// With [`with_speed`](Self::with_speed), particles move along the entity's own Y axis instead.
    ///
    /// Particles within the interaction radius attract each other, so slow rain merges. With a speed of 0 the particles
    /// begin at rest, and dense rain falls as a rope. [`cohesion_onset`](blob_fluid::FluidParameters::cohesion_onset)
    /// keeps slow rain apart; `docs/measurements.md` in the repository has a table.
    pub fn rain(shape: impl FluidOutline, rate: f32) -> Self {
        Self(EmitterSettings::rain(shape.outline_or_warn(), rate))
    }

    /// The same emitter with a rate in particles/s. The rate may make a jet thinner, but never denser than liquid at
    /// rest.
    #[must_use]
    pub fn with_rate(mut self, rate: f32) -> Self {
        self.rate = Some(rate);
        self
    }

    /// The same emitter with the speed at which particles leave, in world units/s.
    #[must_use]
    pub fn with_speed(mut self, speed: f32) -> Self {
        self.speed = Some(speed);
        self
    }

    /// The same emitter with the largest angle between its direction and the velocity of a particle,
    /// to either side, in radians; 0 to 1.47.
    #[must_use]
    pub fn with_spread(mut self, angle: f32) -> Self {
        self.spread = libm::tanf(angle);
        self
    }

    /// The same emitter, whose particles get this share of the emitter's own velocity; 0 to 1.
    #[must_use]
    pub fn with_inherit_velocity(mut self, share: f32) -> Self {
        self.inherit_velocity = share;
        self
    }

    /// The same emitter with particles of a temperature, in degrees.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// The same emitter with a colour of its particles as [paint](blob_fluid::FluidPaint). There is a
    /// warning if no class of the emitter takes paint;
    /// [`FluidMaterials::request_paintable`](crate::FluidMaterials::request_paintable) makes any material paintable.
    #[must_use]
    pub fn with_paint(mut self, color: impl Into<Color>) -> Self {
        self.paint = Some(paint_of(color.into()));
        self
    }

    /// The same emitter with a lifetime of its particles.
    #[must_use]
    pub fn with_lifetime(mut self, lifetime: FluidLifetime) -> Self {
        self.lifetime = Some(lifetime);
        self
    }

    /// The same emitter with a tag of its particles.
    #[must_use]
    pub fn with_tag(mut self, tag: ParticleTag) -> Self {
        self.tag = tag;
        self
    }

    /// The same emitter with particles of several classes, given by their shares.
    #[must_use]
    pub fn with_mix(mut self, mix: impl IntoIterator<Item = (ClassId, f32)>) -> Self {
        self.mix = mix.into_iter().collect();
        self
    }

    /// The same emitter, which emits this number of particles at once and then stops.
    #[must_use]
    pub fn with_burst(mut self, particles: u32) -> Self {
        self.burst = Some(particles);
        self
    }

    /// The same emitter, which stops when it has emitted this number of particles in total.
    #[must_use]
    pub fn with_limit(mut self, particles: u64) -> Self {
        self.limit = Some(particles);
        self
    }

    /// The same emitter, stopped.
    #[must_use]
    pub fn stopped(mut self) -> Self {
        self.running = false;
        self
    }

    /// The settings with the nozzle at a scale, and with a class.
    fn at_scale(&self, scale: Vec2, class: ClassId, scaled: &mut Scaled) -> EmitterSettings {
        let nozzle = match &self.nozzle {
            FluidNozzle::Slot { width } => FluidNozzle::Slot { width: width * scale.x.abs() },
            FluidNozzle::Area(shape) => FluidNozzle::Area(scaled.get(shape, scale)),
        };
        EmitterSettings { nozzle, class, ..self.0.clone() }
    }
}

impl FluidEmitterState {
    /// Applies settings. Invalid ones are refused, and the last valid ones stay.
    fn set(&mut self, settings: EmitterSettings) -> Result<(), blob_fluid::OutOfRange> {
        match &mut self.emitter {
            Some(emitter) if *emitter.settings() == settings => Ok(()),
            Some(emitter) => emitter.set_settings(settings),
            None => Emitter::new(settings).map(|emitter| self.emitter = Some(emitter)),
        }
    }

    /// Returns the nozzle's poses at the beginning and at the end of the last tick. Then moves it
    /// towards a target that it reaches in `ticks` ticks, or at once if that is a jump.
    fn set_out(&mut self, target: Pose, ticks: u32, farthest: f32) -> [Pose; 2] {
        let way = self.way.unwrap_or([target; 2]);
        let Pose { translation, rotation } = way[1];
        let share = 1.0 / ticks as f32;
        let jumps = translation.distance(target.translation) > farthest * ticks as f32
            || rotation.dot(target.rotation) < -0.99;
        self.way = Some(if jumps {
            [target; 2]
        } else {
            let turned = rotation.lerp(target.rotation, share).normalize_or(target.rotation);
            [way[1], Pose::new(translation.lerp(target.translation, share), turned)]
        });
        way
    }
}

/// Emits the particles of a tick.
pub(crate) fn emit_from_emitters(
    mut emitters: Query<(
        Entity,
        &FluidEmitter,
        StatedClass,
        Option<&FluidTankLink>,
        &mut FluidEmitterState,
        &mut FluidEmitterTotals,
    )>,
    mut tanks: Query<&mut FluidTankContents>,
    transforms: TransformHelper,
    ranks: Ranks,
    classes: KnownClasses,
    time: Res<Time<Fluid>>,
    mut fluid: ResMut<FluidSimulation>,
    mut misplaced: Warnings,
    mut refused: Warnings,
    mut unlinked: Warnings,
    mut unpainted: Warnings,
) {
    misplaced.retain(|entity| emitters.contains(entity));
    refused.retain(|entity| emitters.contains(entity));
    unlinked.retain(|entity| emitters.contains(entity));
    unpainted.retain(|entity| emitters.contains(entity));
    let ticks = time.context().ticks_ahead().max(1);
    let farthest = LONGEST_WAY * fluid.parameters().interaction_radius();
    let mut all: Vec<_> = emitters.iter_mut().collect();
    all.sort_unstable_by_key(|(entity, ..)| ranks.of(*entity));
    for (entity, emitter, stated, link, mut state, mut totals) in all {
        let Some(class) = classes.of(&stated, fluid.classes()) else { continue };
        let placed = Placement::of(entity, &transforms);
        let Some(placement) = misplaced.check(entity, "fluid emitter", placed) else {
            state.way = None;
            continue;
        };
        let mut settings = emitter.at_scale(placement.scale, class, &mut state.scaled);
        if link.is_some() && settings.mix.is_empty() && stated.is_stated() {
            settings.mix.push((class, 1.0));
        }
        if settings.paint.is_some() {
            let mut classes: Vec<ClassId> = settings.mix.iter().map(|(class, _)| *class).collect();
            if classes.is_empty() && link.is_none() {
                classes.push(class);
            }
            let painted = takes_paint(fluid.classes(), classes);
            unpainted.check(entity, "the paint of fluid emitter", painted);
        }
        let set = state.set(settings);
        let [before, now] = state.set_out(placement.pose, ticks, farthest);
        let tank = link.map(|link| tanks.get_mut(link.0).map_err(|_| NO_TANK)).transpose();
        let Some(mut tank) = unlinked.check(entity, "fluid emitter", tank) else { continue };
        let emitted = state.emitter.as_mut().map(|emitter| {
            let (liquid, time) = (fluid.world_mut().liquid_mut(), time.delta_secs());
            let report = match &mut tank {
                Some(tank) => emitter.emit_from(liquid, tank, before, now, time)?,
                None => emitter.emit(liquid, before, now, time)?,
            };
            totals.set_if_neq(FluidEmitterTotals {
                emitted: emitter.emitted(),
                held_back: emitter.held_back(),
                refused: emitter.refused(),
                finished: emitter.is_finished(),
            });
            Ok::<_, blob_fluid::OutOfRange>(report)
        });
        match (set, emitted.transpose()) {
            (Err(error), _) | (_, Err(error)) => {
                let is_there = state.emitter.is_some();
                refused.check_change::<(), _>(entity, "fluid emitter", is_there, Err(error));
            }
            (_, Ok(Some(EmitReport { error: Some(error), .. }))) => {
                refused.warn(entity, "a particle of fluid emitter", &error);
            }
            // A tick without particles neither warns nor ends a warning.
            (_, Ok(Some(report))) if report.emitted == 0 => {}
            _ => refused.resolve(entity),
        }
    }
}

// Tanks as entities, and their links to drains and emitters.

/// Adds the types and systems below.
pub(super) fn add_tanks(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidTank>()
        .register_type::<FluidTankContents>()
        .register_type::<FluidTankLink>()
        .add_systems(FluidSchedule, set_capacities.in_set(FluidTickSystems::Sources))
        .begins_anew::<FluidTank>();
}

/// Liquid that is stored as amounts instead of particles: [`FluidTankContents`]. A [`FluidDrain`](crate::FluidDrain)
/// with a [`FluidTankLink`] to the tank fills it, and a [`FluidEmitter`](crate::FluidEmitter) with such a link empties
/// it. No liquid is lost: the number of particles in the simulation and in all tanks together stays the same.
///
/// A tank has no position: to show it, give the entity a `Transform` and a sprite.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     let tank = commands.spawn(FluidTank::with_capacity(500).holding(ClassId::LIGHT, 100)).id();
///     commands.spawn((
///         FluidDrain::from(Circle::new(40.0)),
///         FluidTankLink(tank),
///         Transform::from_xyz(0.0, -200.0, 0.0),
///     ));
///     commands.spawn((
///         FluidEmitter::jet(30.0, 150.0),
///         FluidTankLink(tank),
///         Transform::from_xyz(0.0, 200.0, 0.0).with_rotation(Quat::from_rotation_z(std::f32::consts::PI)),
///     ));
/// }
///
/// fn show(tanks: Query<&FluidTankContents>) {
///     for tank in &tanks {
///         info!("{} of {:?} particles", tank.total(), tank.capacity());
///     }
/// }
/// # let _ = (setup, show);
/// ```
#[doc = guide!("plumbing")]
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(FluidOrder)]
#[component(on_insert = begin, on_remove = concern::remove::<FluidTankContents>)]
pub struct FluidTank {
    /// The largest number of particles that the tank takes; `None`, the default, for no limit. A tank that already
    /// holds more particles keeps them.
    pub capacity: Option<u64>,
    /// Initial contents: classes and their numbers of particles. Default empty.
    pub holds_at_first: Vec<(ClassId, u64)>,
}

impl FluidTank {
    /// An empty tank for at most `capacity` particles.
    pub const fn with_capacity(capacity: u64) -> Self {
        Self { capacity: Some(capacity), holds_at_first: Vec::new() }
    }

    /// The same tank with `amount` more particles of a class in its initial contents, at the temperature
    /// of new liquid.
    #[must_use]
    pub fn holding(mut self, class: ClassId, amount: u64) -> Self {
        self.holds_at_first.push((class, amount));
        self
    }
}

/// The contents of a [`FluidTank`]. A game may add and remove liquid; inserting the tank again
/// restores its initial contents.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Deref, DerefMut)]
#[reflect(opaque, Component, Default, Debug, PartialEq)]
pub struct FluidTankContents(pub Tank);

/// The tank that a [`FluidDrain`](crate::FluidDrain) fills, or that a [`FluidEmitter`](crate::FluidEmitter) empties.
/// While the tank is full the drain stops, and while the tank is empty the emitter pauses. If the linked entity is not
/// a tank, drains and emitters pause, with a warning.
///
/// An emitter emits the classes in the tank in proportion to their amounts. With a [`FluidClass`](crate::FluidClass) or
/// a [`FluidMadeOf`](crate::FluidMadeOf) the emitter emits only that class, and with a
/// [mix](crate::FluidEmitter::with_mix) the classes of the mix.
#[derive(Component, FromTemplate, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Component, FromWorld, Debug, PartialEq)]
pub struct FluidTankLink(#[entities] pub Entity);

impl FromWorld for FluidTankLink {
    /// A link without a tank, for editors that choose the tank later.
    fn from_world(_: &mut World) -> Self {
        Self(Entity::PLACEHOLDER)
    }
}

fn begin(mut world: DeferredWorld, context: HookContext) {
    let Some(tank) = world.get::<FluidTank>(context.entity) else { return };
    let mut contents = Tank::new();
    contents.set_capacity(tank.capacity);
    for (class, amount) in &tank.holds_at_first {
        let new = temperature_of_new(&world, *class).filter(|temperature| temperature.is_finite());
        // Every finite temperature is valid.
        let _ = contents.add(*class, *amount, new.unwrap_or_default());
    }
    world.commands().entity(context.entity).try_insert(FluidTankContents(contents));
}

/// The temperature of new liquid of a class, from the settings: the simulation may not have received them yet.
fn temperature_of_new(world: &DeferredWorld, class: ClassId) -> Option<f32> {
    let classes = world.get_resource::<FluidClasses>()?;
    let of_class = classes.get(class).and_then(|class| class.thermal.temperature);
    of_class.or(Some(world.get_resource::<FluidSettings>()?.parameters.ambient_temperature))
}

/// Copies the capacities of changed tanks into their contents.
pub(super) fn set_capacities(
    mut tanks: Query<(&FluidTank, &mut FluidTankContents), Changed<FluidTank>>,
) {
    for (tank, mut contents) in &mut tanks {
        if contents.capacity() != tank.capacity {
            contents.set_capacity(tank.capacity);
        }
    }
}

/// The text of warnings of a link whose entity is not a tank.
pub(super) const NO_TANK: &str = "the entity of its FluidTankLink is not a FluidTank";
