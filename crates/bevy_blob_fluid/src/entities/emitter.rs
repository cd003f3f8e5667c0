//! Emitters as entities.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{ClassId, EmitReport, Emitter, EmitterSettings, Lifetime, Nozzle, ParticleTag};

use super::built::Scaled;
use super::class::FluidClass;
use super::motion::LONGEST_WAY;
use super::outline::FluidOutline;
use super::placement::{Placement, Warnings};
use crate::materials::{FluidMadeOf, FluidMaterials};
use crate::simulation::{Fluid, FluidClasses, FluidSimulation};

/// A nozzle that lets liquid in, placed by the entity's [`Transform`]: a slot along the entity's X
/// axis, which liquid leaves along its Y axis, or rain anywhere in a shape.
///
/// Particles are of the entity's [`FluidClass`], or made of its [`FluidMadeOf`] once that was
/// loaded, or of a [mix](Self::with_mix); `class` in the settings does not count. They come out
/// evenly however the entity moves, are the world's from then on, and stay when the entity goes. The
/// nozzle keeps pace with containers and colliders, which are where their entities are when a tick
/// ends; more than ten interaction radii in a tick are a jump.
///
/// The entity's scale counts for the width and the shape. While it is zero or not finite
/// nothing comes out, with a warning; settings out of their range are refused with one, and the
/// last valid ones stay. Settings may change at any time; to insert the component anew is to start
/// over. What came out is found in [`FluidEmitterTotals`].
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
#[derive(Component, Reflect, Clone, Debug, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidClass)]
#[component(on_insert = begin, on_remove = end)]
pub struct FluidEmitter(pub EmitterSettings);

/// What a [`FluidEmitter`] did since it was inserted. Not to be changed.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidEmitterTotals {
    /// How many particles came out.
    pub emitted: u64,
    /// How many did not, because there was no free place for them.
    pub held_back: u64,
    /// How many the simulation refused, because it was full or had no such class.
    pub refused: u64,
    /// Whether its burst is out or its limit reached.
    pub finished: bool,
}

/// The nozzle of an entity.
#[derive(Component, Clone, Debug, Default)]
pub(crate) struct FluidEmitterState {
    emitter: Option<Emitter>,
    scaled: Scaled,
    /// Centre and rotation when the last tick began and when it ended.
    way: Option<[(Vec2, Vec2); 2]>,
}

fn begin(mut world: DeferredWorld, context: HookContext) {
    let fresh = (FluidEmitterState::default(), FluidEmitterTotals::default());
    world.commands().entity(context.entity).try_insert(fresh);
}

fn end(mut world: DeferredWorld, context: HookContext) {
    let mut commands = world.commands();
    commands.entity(context.entity).try_remove::<(FluidEmitterState, FluidEmitterTotals)>();
}

impl Default for FluidEmitter {
    /// A narrow jet, stopped.
    fn default() -> Self {
        Self::jet(20.0, 100.0).stopped()
    }
}

impl FluidEmitter {
    /// A jet as dense as liquid is, `width` world units wide, at `speed` world units/s.
    pub fn jet(width: f32, speed: f32) -> Self {
        Self(EmitterSettings::jet(width, speed))
    }

    /// `rate` particles/s out of a slot `width` world units wide, as dense as liquid is.
    pub fn pour(width: f32, rate: f32) -> Self {
        Self(EmitterSettings::pour(width, rate))
    }

    /// `rate` particles/s that appear anywhere in a shape, at rest.
    pub fn rain(shape: impl FluidOutline, rate: f32) -> Self {
        Self(EmitterSettings::rain(shape.outline_or_warn(), rate))
    }

    /// The same emitter with that many particles/s: a jet becomes thinner, but never denser than
    /// liquid is.
    #[must_use]
    pub fn with_rate(mut self, rate: f32) -> Self {
        self.rate = Some(rate);
        self
    }

    /// The same emitter with particles that leave at that speed, in world units/s.
    #[must_use]
    pub fn with_speed(mut self, speed: f32) -> Self {
        self.speed = Some(speed);
        self
    }

    /// The same emitter with particles that leave by up to that angle to either side, in radians;
    /// 0 to 1.47.
    #[must_use]
    pub fn with_spread(mut self, angle: f32) -> Self {
        self.spread = libm::tanf(angle);
        self
    }

    /// The same emitter, giving its particles that share of its own velocity; 0 to 1.
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

    /// The same emitter with particles that live for so long.
    #[must_use]
    pub fn with_lifetime(mut self, lifetime: Lifetime) -> Self {
        self.lifetime = Some(lifetime);
        self
    }

    /// The same emitter with particles of a tag.
    #[must_use]
    pub fn with_tag(mut self, tag: ParticleTag) -> Self {
        self.tag = tag;
        self
    }

    /// The same emitter with particles of several classes, by their shares.
    #[must_use]
    pub fn with_mix(mut self, mix: impl IntoIterator<Item = (ClassId, f32)>) -> Self {
        self.mix = mix.into_iter().collect();
        self
    }

    /// The same emitter letting out that many particles at once, and then no more.
    #[must_use]
    pub fn with_burst(mut self, particles: u32) -> Self {
        self.burst = Some(particles);
        self
    }

    /// The same emitter letting out so many particles in all.
    #[must_use]
    pub fn with_limit(mut self, particles: u64) -> Self {
        self.limit = Some(particles);
        self
    }

    /// The same emitter, not running yet.
    #[must_use]
    pub fn stopped(mut self) -> Self {
        self.running = false;
        self
    }

    /// The settings as they count for a nozzle of that scale, of a class.
    fn at_scale(&self, scale: Vec2, class: ClassId, scaled: &mut Scaled) -> EmitterSettings {
        let nozzle = match &self.nozzle {
            Nozzle::Slot { width } => Nozzle::Slot { width: width * scale.x.abs() },
            Nozzle::Area(shape) => Nozzle::Area(scaled.get(shape, scale)),
        };
        EmitterSettings { nozzle, class, ..self.0.clone() }
    }
}

impl FluidEmitterState {
    /// Takes over settings; the last valid ones stay where they are refused.
    fn set(&mut self, settings: EmitterSettings) -> Result<(), blob_fluid::OutOfRange> {
        match &mut self.emitter {
            Some(emitter) if *emitter.settings() == settings => Ok(()),
            Some(emitter) => emitter.set_settings(settings),
            None => Emitter::new(settings).map(|emitter| self.emitter = Some(emitter)),
        }
    }

    /// Where the nozzle was in the last tick; from now on it moves to a place that it is to reach
    /// in so many ticks, unless that is farther than it can go.
    fn set_out(&mut self, target: (Vec2, Vec2), ticks: u32, farthest: f32) -> [(Vec2, Vec2); 2] {
        let way = self.way.unwrap_or([target; 2]);
        let (centre, rotation) = way[1];
        let share = 1.0 / ticks as f32;
        let jumps =
            centre.distance(target.0) > farthest * ticks as f32 || rotation.dot(target.1) < -0.99;
        self.way = Some(if jumps {
            [target; 2]
        } else {
            let turned = rotation.lerp(target.1, share).normalize_or(target.1);
            [way[1], (centre.lerp(target.0, share), turned)]
        });
        way
    }
}

/// Lets out what leaves the emitters in a tick.
pub(crate) fn emit_from_emitters(
    mut emitters: Query<(
        Entity,
        &FluidEmitter,
        &FluidClass,
        Option<&FluidMadeOf>,
        &mut FluidEmitterState,
        &mut FluidEmitterTotals,
    )>,
    transforms: TransformHelper,
    materials: Res<FluidMaterials>,
    classes: Res<FluidClasses>,
    time: Res<Time<Fluid>>,
    mut fluid: ResMut<FluidSimulation>,
    mut warnings: Local<(Warnings, Warnings)>,
) {
    let (misplaced, refused) = &mut *warnings;
    misplaced.retain(|entity| emitters.contains(entity));
    refused.retain(|entity| emitters.contains(entity));
    let ticks = time.context().ticks_ahead().max(1);
    let farthest = LONGEST_WAY * fluid.parameters().interaction_radius();
    let mut all: Vec<_> = emitters.iter_mut().collect();
    // Particles must come in the same order whatever the archetypes are.
    all.sort_unstable_by_key(|(entity, ..)| *entity);
    for (entity, emitter, class, made_of, mut state, mut totals) in all {
        let class = match made_of {
            None => class.0,
            Some(FluidMadeOf(material)) => match materials.class(material, &classes) {
                Some(class) => class,
                None => continue,
            },
        };
        let placement = match Placement::of(entity, &transforms) {
            Ok(placement) => placement,
            Err(error) => {
                state.way = None;
                misplaced.warn(entity, "fluid emitter", &error);
                continue;
            }
        };
        misplaced.resolve(entity);
        let settings = emitter.at_scale(placement.scale, class, &mut state.scaled);
        let set = state.set(settings);
        let pose = (placement.position, placement.rotation);
        let [before, now] = state.set_out(pose, ticks, farthest);
        let emitted = state.emitter.as_mut().map(|emitter| {
            let report = emitter.emit(fluid.world_mut(), before, now, time.delta_secs())?;
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
                refused.warn(entity, "a change of fluid emitter", &error);
            }
            (_, Ok(Some(EmitReport { error: Some(error), .. }))) => {
                refused.warn(entity, "a particle of fluid emitter", &error);
            }
            // A tick without a particle says nothing of the next.
            (_, Ok(Some(report))) if report.emitted == 0 => {}
            _ => refused.resolve(entity),
        }
    }
}
