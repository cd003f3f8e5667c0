//! Calls that add, remove and change particles.

use arbitrary::Arbitrary;
use blob_fluid::{
    ClassId, FluidBounds, FluidLifetime, FluidShape, ParticleId, ParticleSpawn, ParticleTag,
};

use crate::host::{Host, Outcome};
use crate::number::{Number, Vector};

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
