//! The calls of a host with numbers as a game might pass them, and what each call does.

use std::error::Error;

use arbitrary::{Arbitrary, Result, Unstructured};
use blob_fluid::air::{Air, AirSettings, AirSides, AirSource};
use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::{
    Attachment, Blast, Body, CapacityPolicy, ClassFilter, ClassId, ClassTable, Collider,
    ColliderId, ColliderOptions, Container, ContainerId, DensityClass, Drain, Effort, Emitter,
    EmitterSettings, FluidBounds, FluidElasticity, FluidLifetime, FluidPaint, FluidParameters,
    FluidPowder, FluidRegion, FluidShape, FluidSolver, Force, HostBody, Motion, ParticleId,
    ParticleSpawn, ParticleTag, Pose, Substeps, WallProperties,
};
use glam::Vec2;

use crate::host::{Host, Kept, MOST_PARTICLES, Outcome, TICK};

/// A call that steps a world or changes it from outside.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum Call {
    Step(Number),
    Ticks(u8),
    Particles(ParticleCall),
    Settings(SettingCall),
    Solids(SolidCall),
    Sources(SourceCall),
    State(StateCall),
}

impl Host {
    /// Makes a call, and counts what comes and goes by it.
    pub fn make(&mut self, call: Call) -> Outcome {
        match call {
            Call::Step(time) => self.step(time.0)?,
            Call::Ticks(count) => (0..count % 8).try_for_each(|_| self.step(TICK))?,
            Call::Particles(call) => self.call_particles(call)?,
            Call::Settings(call) => self.call_settings(call)?,
            Call::Solids(call) => self.call_solids(call)?,
            Call::Sources(call) => self.call_sources(call)?,
            Call::State(call) => self.call_state(call)?,
        }
        Ok(())
    }
}

// Calls that add, remove and change particles.

/// Calls that add, remove and change particles. Particles are counted around.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum ParticleCall {
    Spawn {
        position: Vector,
        velocity: Vector,
        class: u8,
        temperature: Option<Number>,
        lifetime: Option<Number>,
    },
    Pour {
        position: Vector,
        half_size: Vector,
        class: u8,
    },
    Despawn(u16),
    DespawnAgain,
    DespawnWhere {
        beyond: Number,
    },
    DespawnTagged(u8),
    Clear,
    Relocate {
        particle: u16,
        position: Vector,
        velocity: Vector,
    },
    Displace {
        particle: u16,
        way: Vector,
    },
    Velocity {
        particle: u16,
        velocity: Vector,
    },
    Temperature {
        particle: u16,
        temperature: Number,
    },
    ChangeVelocities(Vector),
    Tag {
        particle: u16,
        tag: u8,
    },
    Class {
        particle: u16,
        class: u8,
    },
    ClassTagged {
        tag: u8,
        class: u8,
    },
    Paint {
        particle: u16,
        color: [Number; 3],
    },
}

impl Host {
    pub(super) fn call_particles(&mut self, call: ParticleCall) -> Outcome {
        use ParticleCall as Call;
        match call {
            Call::Spawn { position, velocity, class, temperature, lifetime } => {
                self.spawn(ParticleSpawn {
                    position: position.get(),
                    velocity: velocity.get(),
                    class: ClassId(class % 4),
                    temperature: temperature.map(|degrees| degrees.0),
                    lifetime: lifetime.map(|seconds| FluidLifetime::new(seconds.0)),
                    tag: ParticleTag(u32::from(class / 64)),
                    ..ParticleSpawn::default()
                })?;
            }
            Call::Pour { position, half_size, class } => {
                let shape = FluidShape::Rectangle { half_size: half_size.get() };
                shape.validate()?;
                let spacing = self.world.parameters().particle_spacing;
                // What does not fit would be counted for long.
                let cells = half_size.get() / spacing;
                if cells.x * cells.y < 1e3 && cells.max_element() < 1e3 {
                    for position in shape.fill(position.get(), spacing) {
                        let class = ClassId(class % 3);
                        let spawn = ParticleSpawn { position, class, ..Default::default() };
                        // A full world, or a place out of reach.
                        _ = self.spawn(spawn);
                    }
                }
            }
            Call::Despawn(particle) => {
                if let Some(id) = self.particle(particle) {
                    assert!(self.world.despawn(id), "it was alive");
                    self.despawned = Some(id);
                    self.particles -= 1;
                }
            }
            Call::DespawnAgain => {
                if let Some(id) = self.despawned {
                    assert!(!self.world.despawn(id), "it is dead");
                }
            }
            Call::DespawnWhere { beyond } => {
                let gone = self.world.despawn_where(|position, _| position.x > beyond.0);
                self.particles -= gone as u64;
            }
            Call::DespawnTagged(tag) => {
                let gone = self.world.despawn_tagged(ParticleTag(u32::from(tag % 4)));
                self.particles -= gone as u64;
            }
            Call::Clear => {
                self.world.clear();
                self.particles = 0;
                self.removed = self.count_removed();
            }
            Call::Relocate { particle, position, velocity } => {
                if let Some(id) = self.particle(particle) {
                    assert!(self.world.relocate(id, position.get(), velocity.get())?, "alive");
                }
            }
            Call::Displace { particle, way } => {
                if let Some(index) = self.index(particle) {
                    self.world.particles_mut().displace(index, way.get());
                }
            }
            Call::Velocity { particle, velocity } => {
                if let Some(index) = self.index(particle) {
                    self.world.particles_mut().velocities_mut()[index] = velocity.get();
                }
            }
            Call::Temperature { particle, temperature } => {
                if let Some(index) = self.index(particle) {
                    self.world.particles_mut().temperatures_mut()[index] = temperature.0;
                }
            }
            Call::ChangeVelocities(by) => {
                self.world.change_velocities_in(FluidBounds::ALL, |one| *one.velocity += by.get());
            }
            Call::Tag { particle, tag } => {
                if let Some(id) = self.particle(particle) {
                    assert!(self.world.set_tag(id, ParticleTag(u32::from(tag % 4))), "alive");
                }
            }
            Call::Class { particle, class } => {
                if let Some(id) = self.particle(particle) {
                    assert!(self.world.set_class(id, ClassId(class % 4))?, "alive");
                }
            }
            Call::ClassTagged { tag, class } => {
                self.world.set_class_tagged(ParticleTag(u32::from(tag % 4)), ClassId(class % 4))?;
            }
            Call::Paint { particle, color } => {
                if let Some(id) = self.particle(particle) {
                    self.world.set_paint(id, color.map(|share| share.0))?;
                }
            }
        }
        Ok(())
    }

    fn spawn(&mut self, spawn: ParticleSpawn) -> Outcome {
        self.world.spawn(spawn)?;
        self.particles += 1;
        Ok(())
    }

    fn index(&self, number: u16) -> Option<usize> {
        usize::from(number).checked_rem(self.world.particles().len())
    }

    fn particle(&self, number: u16) -> Option<ParticleId> {
        self.index(number).map(|index| self.world.particles().ids()[index])
    }
}

// Calls of emitters, drains and air.

/// Calls of emitters, drains and air.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum SourceCall {
    Emit { at: Vector, width: Number, speed: Number, time: Number },
    Drain { at: Vector, radius: Number, rate: Option<Number>, time: Number },
    InsertAir { low: Vector, high: Vector, cell: Number, heat: Number },
    RemoveAir,
}

impl Host {
    pub(super) fn call_sources(&mut self, call: SourceCall) -> Outcome {
        use SourceCall as Call;
        match call {
            Call::Emit { at, width, speed, time } => {
                let mut emitter = Emitter::new(EmitterSettings::jet(width.0, speed.0))?;
                let pose = Pose::new(at.get(), Vec2::NEG_Y);
                let emitted = emitter.emit(self.world.liquid_mut(), pose, pose, time.0);
                self.particles += emitter.emitted();
                emitted?;
            }
            Call::Drain { at, radius, rate, time } => {
                let region = FluidRegion::circle(at.get(), radius.0)?;
                let mut drain = Drain::new(region).with_classes(ClassFilter::ALL);
                drain.set_rate(rate.map(|rate| rate.0))?;
                self.particles -= drain.drain(self.world.liquid_mut(), time.0)? as u64;
            }
            Call::InsertAir { low, high, cell, heat } => {
                let bounds = FluidBounds { low: low.get(), high: high.get() };
                // Larger ones are slow.
                let cells = (bounds.high - bounds.low) / cell.0;
                if cells.x * cells.y < 2e3 && self.world.airs().count() < 2 {
                    let gravity = self.world.parameters().gravity;
                    let settings = AirSettings { density: 0.001, ..AirSettings::new(gravity) };
                    let mut air = Air::new(bounds, cell.0, settings, AirSides::default())?;
                    let region = FluidRegion::circle(0.5 * (low.get() + high.get()), cell.0)?;
                    let source = AirSource { smoke: 1.0, heat: heat.0, ..AirSource::new(region) };
                    air.insert_source(source)?;
                    self.world.insert_air(air);
                }
            }
            Call::RemoveAir => {
                let id = self.world.air_ids().next();
                _ = id.and_then(|id| self.world.remove_air(id));
            }
        }
        Ok(())
    }
}

// Calls that keep, save and bring back.

/// Calls that keep, save and bring back.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum StateCall {
    TakeChunk { at: Vector, half_size: Vector },
    PutChunk,
    Keep,
    RollBack,
    Export,
    Import,
}

impl Host {
    pub(super) fn call_state(&mut self, call: StateCall) -> Outcome {
        use StateCall as Call;
        match call {
            Call::TakeChunk { at, half_size } => {
                let region = FluidRegion::rectangle(at.get(), half_size.get())?;
                let chunk = self.world.take_chunk(&region)?;
                self.particles -= chunk.len() as u64;
                self.chunk = Some(chunk);
            }
            Call::PutChunk => {
                if let Some(chunk) = &self.chunk {
                    self.particles += self.world.put_chunk(chunk)?.len() as u64;
                }
            }
            Call::Keep => {
                let kept = self.kept.get_or_insert_with(Kept::default);
                self.world.keep_in(&mut kept.state)?;
                kept.particles = self.world.particles().len();
            }
            Call::RollBack => {
                if let Some(kept) = &self.kept {
                    self.world.restore_from(&kept.state);
                    self.has_now(kept.particles as u64);
                }
            }
            Call::Export => {
                let particles = self.world.particles().len() as u64;
                self.exported = Some((self.world.to_bytes()?, particles));
            }
            Call::Import => {
                if let Some((bytes, particles)) = &self.exported {
                    let particles = *particles;
                    self.world.restore_bytes(bytes)?;
                    self.has_now(particles);
                }
            }
        }
        Ok(())
    }

    /// Another world than before, with so many particles.
    fn has_now(&mut self, particles: u64) {
        self.particles = particles;
        self.removed = self.count_removed();
        // Handles are those of the world that was.
        (self.despawned, self.body) = (None, None);
    }
}

// Calls that insert, move and remove solids and bodies.

/// Calls that insert, move and remove solids and bodies. Solids are counted around.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum SolidCall {
    InsertCollider(Shape),
    SetCollider { collider: u8, shape: Shape },
    MoveCollider { collider: u8, centre: Vector, angle: Number },
    ColliderMotion { collider: u8, velocity: Vector, angular: Number },
    RemoveCollider(u8),
    ClearColliders,
    InsertContainer(Shape),
    MoveContainer { container: u8, centre: Vector, angle: Number },
    ContainerMotion { container: u8, velocity: Vector, angular: Number },
    RemoveContainer(u8),
    InsertHost { centre: Vector, inverse_mass: Vector },
    HostMotion { velocity: Vector, angular: Number },
    RemoveHost,
}

/// A solid with what it may have.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub struct Shape {
    pub kind: u8,
    pub centre: Vector,
    pub size: Vector,
    pub angle: Number,
    pub mass: Option<Number>,
    pub friction: Option<Number>,
    pub stickiness: Number,
    pub flags: u8,
}

impl Host {
    pub(super) fn call_solids(&mut self, call: SolidCall) -> Outcome {
        use SolidCall as Call;
        match call {
            Call::InsertCollider(shape) => {
                let collider = self.collider(shape)?;
                self.world.insert_collider(collider);
            }
            Call::SetCollider { collider, shape } => {
                let new = self.collider(shape)?;
                if let Some(id) = nth(&self.colliders(), collider) {
                    assert!(self.world.set_collider(id, new), "there");
                }
            }
            Call::MoveCollider { collider, centre, angle } => {
                if let Some(id) = nth(&self.colliders(), collider) {
                    self.world.move_collider(id, centre.get(), Vec2::from_angle(angle.0))?;
                }
            }
            Call::ColliderMotion { collider, velocity, angular } => {
                if let Some(id) = nth(&self.colliders(), collider) {
                    let motion = Motion { velocity: velocity.get(), angular_velocity: angular.0 };
                    self.world.set_collider_motion(id, motion)?;
                }
            }
            Call::RemoveCollider(collider) => {
                if let Some(id) = nth(&self.colliders(), collider) {
                    assert!(self.world.remove_collider(id).is_some(), "there");
                }
            }
            Call::ClearColliders => self.world.clear_colliders(),
            Call::InsertContainer(shape) => {
                let (centre, rotation) = (shape.centre.get(), Vec2::from_angle(shape.angle.0));
                let container = Container::new(shape_of(shape)?, centre, rotation)?;
                self.world.insert_container(container.with_wall(wall_of(shape))?);
            }
            Call::MoveContainer { container, centre, angle } => {
                if let Some(id) = nth(&self.containers(), container) {
                    self.world.move_container(id, centre.get(), Vec2::from_angle(angle.0))?;
                }
            }
            Call::ContainerMotion { container, velocity, angular } => {
                if let Some(id) = nth(&self.containers(), container) {
                    let motion = Motion { velocity: velocity.get(), angular_velocity: angular.0 };
                    self.world.set_container_motion(id, motion)?;
                }
            }
            Call::RemoveContainer(container) => {
                if let Some(id) = nth(&self.containers(), container) {
                    assert!(self.world.remove_container(id).is_some(), "there");
                }
            }
            Call::InsertHost { centre, inverse_mass } => {
                let body = HostBody {
                    inverse_mass: inverse_mass.get(),
                    ..HostBody::at(Pose::from_translation(centre.get()))
                };
                self.body = Some(self.world.insert_host_body(body)?);
            }
            Call::HostMotion { velocity, angular } => {
                if let Some(id) = self.body {
                    let motion = Motion { velocity: velocity.get(), angular_velocity: angular.0 };
                    self.world.set_host_body_motion(id, motion)?;
                }
            }
            Call::RemoveHost => {
                if let Some(id) = self.body.take() {
                    self.world.remove_host_body(id);
                }
            }
        }
        Ok(())
    }

    fn colliders(&self) -> Vec<ColliderId> {
        self.world.colliders().map(|(id, _)| id).collect()
    }

    fn containers(&self) -> Vec<ContainerId> {
        self.world.containers().map(|(id, _)| id).collect()
    }

    fn collider(&self, shape: Shape) -> Result<Collider, Box<dyn Error>> {
        let (centre, rotation) = (shape.centre.get(), Vec2::from_angle(shape.angle.0));
        let of = shape_of(shape)?;
        let has = |bit: u8| shape.flags & 1 << bit != 0;
        let body = shape.mass.map(|mass| Body {
            pinned: has(0),
            friction: shape.friction.map_or(0.4, |friction| friction.0),
            ..Body::new(mass.0, 10.0 * mass.0)
        });
        let attachment = self
            .body
            .filter(|_| has(1))
            .map(|body| Attachment { body, pose: Pose::from_translation(0.1 * centre) });
        let options = ColliderOptions {
            inside_out: has(2),
            one_way: has(3),
            reports_load: has(4),
            body,
            attachment,
            ..ColliderOptions::default()
        };
        let collider = Collider::new(of, centre, rotation)?.with_wall(wall_of(shape))?;
        Ok(collider.with_options(options)?)
    }
}

fn nth<T: Copy>(all: &[T], number: u8) -> Option<T> {
    usize::from(number).checked_rem(all.len()).map(|index| all[index])
}

fn shape_of(shape: Shape) -> Result<FluidShape, Box<dyn Error>> {
    let size = shape.size.get();
    Ok(match shape.kind % 6 {
        0 => FluidShape::Circle { radius: size.x },
        1 => FluidShape::Rectangle { half_size: size },
        2 => FluidShape::Capsule { half_length: size.x, radius: size.y },
        3 => FluidShape::Polygon(Polygon::new([size, -size, shape.centre.get()])?),
        4 => FluidShape::Polyline(Polyline::new([size, Vec2::ZERO, shape.centre.get()], 0.5)?),
        _ => FluidShape::HalfPlane { normal: size },
    })
}

fn wall_of(shape: Shape) -> WallProperties {
    WallProperties {
        friction: shape.friction.map(|friction| friction.0),
        stickiness: shape.stickiness.0,
        ..WallProperties::default()
    }
}

// Settings, classes, limits and forces.

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
                let (position, energy, radius) = (centre.get(), strength.0, radius.0);
                if energy >= 0.0 {
                    self.world.apply_blast(&Blast { position, energy, radius })?;
                }
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

// Numbers.

/// A number: mostly of the size that numbers have in the worlds here, sometimes any other, and now and then one that
/// nobody would write.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f32);

const ODD: [f32; 10] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    0.0,
    -0.0,
    f32::MIN_POSITIVE,
    1e-40,
    f32::MAX,
    1e6,
    -1e12,
];

impl Arbitrary<'_> for Number {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Self> {
        Ok(Self(match from.int_in_range(0..=15)? {
            0 => *from.choose(&ODD)?,
            1 => f32::from_bits(from.arbitrary()?),
            2..=7 => f32::from(from.arbitrary::<i16>()?) / 32768.0,
            _ => f32::from(from.arbitrary::<i16>()?) / 256.0,
        }))
    }
}

/// Two of them.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub struct Vector(Number, Number);

impl Vector {
    pub fn get(self) -> Vec2 {
        Vec2::new(self.0.0, self.1.0)
    }
}
