//! What each operation calls.

use std::error::Error;

use blob_fluid::air::{Air, AirSettings, AirSides, AirSource};
use blob_fluid::{
    Attachment, Body, CapacityPolicy, ClassFilter, ClassId, ClassTable, Collider, ColliderId,
    ColliderOptions, Container, ContainerId, DensityClass, Drain, Effort, Emitter, EmitterSettings,
    FluidBounds, FluidElasticity, FluidLifetime, FluidPaint, FluidParameters, FluidPowder,
    FluidRegion, FluidShape, FluidSolver, Force, HostBody, Motion, ParticleId, ParticleSpawn,
    ParticleTag, Substeps, WallProperties,
};
use glam::Vec2;

use crate::operation::{Operation, Shape};
use crate::operations::{Host, Kept, MOST_PARTICLES, TICK};

type Outcome = Result<(), Box<dyn Error>>;

impl Host {
    /// Makes a call, and counts what comes and goes by it. An error: the call was refused.
    pub fn apply(&mut self, operation: Operation) -> Outcome {
        use Operation as Do;
        match operation {
            Do::Step(time) => _ = self.step(time.0)?,
            Do::Ticks(count) => {
                for _ in 0..count % 8 {
                    self.step(TICK)?;
                }
            }
            Do::Spawn { position, velocity, class, temperature, lifetime } => {
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
            Do::Pour { position, half_size, class } => {
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
            Do::Despawn(particle) => {
                if let Some(id) = self.particle(particle) {
                    assert!(self.world.despawn(id), "it was alive");
                    self.despawned = Some(id);
                    self.particles -= 1;
                }
            }
            Do::DespawnAgain => {
                if let Some(id) = self.despawned {
                    assert!(!self.world.despawn(id), "it is dead");
                }
            }
            Do::DespawnWhere { beyond } => {
                let gone = self.world.despawn_where(|position, _| position.x > beyond.0);
                self.particles -= gone as u64;
            }
            Do::DespawnTagged(tag) => {
                let gone = self.world.despawn_tagged(ParticleTag(u32::from(tag % 4)));
                self.particles -= gone as u64;
            }
            Do::Clear => {
                self.world.clear();
                self.particles = 0;
                self.removed = self.count_removed();
            }
            Do::Relocate { particle, position, velocity } => {
                if let Some(id) = self.particle(particle) {
                    assert!(self.world.relocate(id, position.get(), velocity.get())?, "alive");
                }
            }
            Do::Displace { particle, way } => {
                if let Some(index) = self.index(particle) {
                    self.world.particles_mut().displace(index, way.get());
                }
            }
            Do::Velocity { particle, velocity } => {
                if let Some(index) = self.index(particle) {
                    self.world.particles_mut().velocities_mut()[index] = velocity.get();
                }
            }
            Do::Temperature { particle, temperature } => {
                if let Some(index) = self.index(particle) {
                    self.world.particles_mut().temperatures_mut()[index] = temperature.0;
                }
            }
            Do::ChangeVelocities(by) => {
                self.world.change_velocities_in(FluidBounds::ALL, |one| *one.velocity += by.get());
            }
            Do::Tag { particle, tag } => {
                if let Some(id) = self.particle(particle) {
                    assert!(self.world.set_tag(id, ParticleTag(u32::from(tag % 4))), "alive");
                }
            }
            Do::Class { particle, class } => {
                if let Some(id) = self.particle(particle) {
                    assert!(self.world.set_class(id, ClassId(class % 4))?, "alive");
                }
            }
            Do::ClassTagged { tag, class } => {
                self.world.set_class_tagged(ParticleTag(u32::from(tag % 4)), ClassId(class % 4))?;
            }
            Do::Paint { particle, color } => {
                if let Some(id) = self.particle(particle) {
                    self.world.set_paint(id, color.map(|share| share.0))?;
                }
            }
            Do::Capacity(capacity) => {
                self.world.set_capacity(usize::from(capacity).min(MOST_PARTICLES));
            }
            Do::Recycle(recycles) => self.world.set_capacity_policy(if recycles {
                CapacityPolicy::RecycleOldest
            } else {
                CapacityPolicy::Refuse
            }),
            Do::KillBounds(bounds) => {
                let bounds = bounds.map(|(low, high)| bounds_of(low.get(), high.get()));
                self.world.set_kill_bounds(bounds)?;
            }
            Do::SpringCapacity(capacity) => self.world.set_spring_capacity(usize::from(capacity)),
            Do::Parameter { which, value } => self.set_parameters(|parameters| {
                PARAMETERS[usize::from(which) % PARAMETERS.len()](parameters, value.0);
            })?,
            Do::Gravity(gravity) => self.set_parameters(|all| all.gravity = gravity.get())?,
            Do::Solver(which) => {
                let solver = FluidSolver::ALL[usize::from(which) % FluidSolver::ALL.len()];
                self.set_parameters(|parameters| parameters.solver = solver)?;
            }
            Do::Effort { substeps, sweeps } => self.world.set_effort(Effort {
                substeps: u32::from(substeps),
                viscosity_sweeps: u32::from(sweeps),
            }),
            Do::ClassSetting { class, which, value } => {
                let mut classes: Vec<_> = self.world.classes().iter().cloned().collect();
                let class = usize::from(class) % classes.len();
                CLASS_SETTINGS[usize::from(which) % CLASS_SETTINGS.len()](
                    &mut classes[class],
                    value.0,
                );
                self.world.set_classes(ClassTable::new(classes)?)?;
            }
            Do::EaseIn => self.world.ease_in(),
            Do::EndEasing => self.world.end_easing(),
            Do::ResetClock => self.world.reset_clock(),
            Do::Forces { kind, centre, radius, strength } => {
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
            Do::Impulse { centre, radius, strength } => {
                let force = Force::explosion(centre.get(), radius.0, strength.0)?;
                self.world.apply_impulse(&force)?;
            }
            Do::InsertCollider(shape) => {
                let collider = self.collider(shape)?;
                self.world.insert_collider(collider);
            }
            Do::SetCollider { collider, shape } => {
                let new = self.collider(shape)?;
                if let Some(id) = nth(&self.colliders(), collider) {
                    assert!(self.world.set_collider(id, new), "there");
                }
            }
            Do::MoveCollider { collider, centre, angle } => {
                if let Some(id) = nth(&self.colliders(), collider) {
                    self.world.move_collider(id, centre.get(), Vec2::from_angle(angle.0))?;
                }
            }
            Do::ColliderMotion { collider, velocity, angular } => {
                if let Some(id) = nth(&self.colliders(), collider) {
                    let motion = Motion { velocity: velocity.get(), angular_velocity: angular.0 };
                    self.world.set_collider_motion(id, motion)?;
                }
            }
            Do::RemoveCollider(collider) => {
                if let Some(id) = nth(&self.colliders(), collider) {
                    assert!(self.world.remove_collider(id).is_some(), "there");
                }
            }
            Do::ClearColliders => self.world.clear_colliders(),
            Do::InsertContainer(shape) => {
                let (centre, rotation) = (shape.centre.get(), Vec2::from_angle(shape.angle.0));
                let container = Container::new(shape_of(shape)?, centre, rotation)?;
                self.world.insert_container(container.with_wall(wall_of(shape))?);
            }
            Do::MoveContainer { container, centre, angle } => {
                if let Some(id) = nth(&self.containers(), container) {
                    self.world.move_container(id, centre.get(), Vec2::from_angle(angle.0))?;
                }
            }
            Do::ContainerMotion { container, velocity, angular } => {
                if let Some(id) = nth(&self.containers(), container) {
                    let motion = Motion { velocity: velocity.get(), angular_velocity: angular.0 };
                    self.world.set_container_motion(id, motion)?;
                }
            }
            Do::RemoveContainer(container) => {
                if let Some(id) = nth(&self.containers(), container) {
                    assert!(self.world.remove_container(id).is_some(), "there");
                }
            }
            Do::InsertHost { centre, inverse_mass } => {
                let body = HostBody {
                    inverse_mass: inverse_mass.get(),
                    ..HostBody::at(centre.get(), Vec2::X)
                };
                self.body = Some(self.world.insert_host_body(body)?);
            }
            Do::HostMotion { velocity, angular } => {
                if let Some(id) = self.body {
                    let motion = Motion { velocity: velocity.get(), angular_velocity: angular.0 };
                    self.world.set_host_body_motion(id, motion)?;
                }
            }
            Do::RemoveHost => {
                if let Some(id) = self.body.take() {
                    self.world.remove_host_body(id);
                }
            }
            Do::Emit { at, width, speed, time } => {
                let mut emitter = Emitter::new(EmitterSettings::jet(width.0, speed.0))?;
                let pose = (at.get(), Vec2::NEG_Y);
                let emitted = emitter.emit(self.world.liquid_mut(), pose, pose, time.0);
                self.particles += emitter.emitted();
                emitted?;
            }
            Do::Drain { at, radius, rate, time } => {
                let region = FluidRegion::circle(at.get(), radius.0)?;
                let mut drain = Drain::new(region).with_classes(ClassFilter::ALL);
                drain.set_rate(rate.map(|rate| rate.0))?;
                self.particles -= drain.drain(self.world.liquid_mut(), time.0)? as u64;
            }
            Do::InsertAir { low, high, cell, heat } => {
                let bounds = bounds_of(low.get(), high.get());
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
            Do::RemoveAir => {
                let id = self.world.air_ids().next();
                _ = id.and_then(|id| self.world.remove_air(id));
            }
            Do::TakeChunk { at, half_size } => {
                let region = FluidRegion::rectangle(at.get(), half_size.get())?;
                let chunk = self.world.take_chunk(&region)?;
                self.particles -= chunk.len() as u64;
                self.chunk = Some(chunk);
            }
            Do::PutChunk => {
                if let Some(chunk) = &self.chunk {
                    self.particles += self.world.put_chunk(chunk)?.len() as u64;
                }
            }
            Do::Keep => {
                let kept = self.kept.get_or_insert_with(Kept::default);
                self.world.keep_in(&mut kept.state)?;
                kept.particles = self.world.particles().len();
            }
            Do::RollBack => {
                if let Some(kept) = &self.kept {
                    self.world.restore_from(&kept.state);
                    self.has_now(kept.particles as u64);
                }
            }
            Do::Export => {
                let particles = self.world.particles().len() as u64;
                self.exported = Some((self.world.to_bytes()?, particles));
            }
            Do::Import => {
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

    fn spawn(&mut self, spawn: ParticleSpawn) -> Outcome {
        self.world.spawn(spawn)?;
        self.particles += 1;
        Ok(())
    }

    fn set_parameters(&mut self, change: impl FnOnce(&mut FluidParameters)) -> Outcome {
        let mut parameters = *self.world.parameters();
        change(&mut parameters);
        Ok(self.world.set_parameters(parameters)?)
    }

    fn index(&self, number: u16) -> Option<usize> {
        usize::from(number).checked_rem(self.world.particles().len())
    }

    fn particle(&self, number: u16) -> Option<ParticleId> {
        self.index(number).map(|index| self.world.particles().ids()[index])
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
        let attachment = self.body.filter(|_| has(1)).map(|body| Attachment {
            body,
            centre: 0.1 * centre,
            rotation: Vec2::X,
        });
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

fn bounds_of(low: Vec2, high: Vec2) -> FluidBounds {
    FluidBounds { low, high }
}

fn nth<T: Copy>(all: &[T], number: u8) -> Option<T> {
    usize::from(number).checked_rem(all.len()).map(|index| all[index])
}

fn shape_of(shape: Shape) -> Result<FluidShape, Box<dyn Error>> {
    use blob_fluid::shape::{Polygon, Polyline};
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
