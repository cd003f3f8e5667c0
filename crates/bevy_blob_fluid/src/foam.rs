//! Foam and glow of particles.

use bevy::prelude::*;
use blob_fluid::{ClassId, ClassTable, DensityClass, FluidParameters, FluidWorld, ParticleId};

use crate::schedule::{FluidSchedule, FluidSenseSystems, FluidTickSystems};
use crate::simulation::{FluidSimulation, RestartApp};

/// Conditions under which the liquid foams.
///
/// A particle turns to foam if it is fast with little liquid around it, or if it is hit near the surface. Liquid near
/// its boiling point has foam of bubbles. Foam stays with its particle and decays. Foam is visible on a
/// [`FluidSurface`](crate::render::FluidSurface) with a [foam colour](crate::render::FluidSurfaceLook::foam_color).
/// Foam has no effect on the simulation.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidFoamSettings {
    /// Speed at which particles with little liquid around them begin to foam, in particle spacings per second. Such
    /// particles foam fully at twice this speed. Default 45.
    pub speed: f32,
    /// Acceleration, in multiples of gravity, at which liquid at the surface begins to foam. Liquid foams fully at
    /// three times this acceleration. Free fall makes no foam. Default 3.
    pub impact: f32,
    /// Time in which half of the foam decays, in seconds. Default 1.2.
    pub half_life: f32,
    /// Number of bubbles per second that a boiling particle makes. Default 0.2; 0 for none.
    ///
    /// Bubbles begin when the temperature has risen four fifths of the way from the ambient temperature to the
    /// boiling point.
    pub bubbles: f32,
}

impl Default for FluidFoamSettings {
    fn default() -> Self {
        Self { speed: 45.0, impact: 3.0, half_life: 1.2, bubbles: 0.2 }
    }
}

/// Fraction of the difference between the ambient temperature and the boiling point at which bubbles begin.
const BUBBLES_BEGIN: f32 = 0.8;

/// The temperature above which a class boils: to a gas, or to vapour in the air.
fn boil_of(class: &DensityClass, classes: &ClassTable) -> Option<f32> {
    let is_gas = |name: &str| classes.iter().any(|class| class.name == name && class.is_gas());
    let above = class.thermal.above.as_ref().filter(|above| is_gas(&above.becomes));
    let into_air = class.thermal.into_air.as_ref().filter(|into_air| into_air.vapour > 0.0);
    let into_air = into_air.map(|into_air| into_air.above);
    above.map(|above| above.temperature).into_iter().chain(into_air).reduce(f32::min)
}

/// Chooses the particles of boiling liquid that get a bubble.
struct Bubbles {
    /// For each class the temperatures at which its bubbles begin, and at which it boils.
    boils: Vec<Option<(f32, f32)>>,
    /// Bubbles of a boiling particle in an update.
    each: f32,
    update: u32,
}

impl Bubbles {
    /// The bubbles of an update after `seconds` seconds; `None` if no class boils.
    fn new(fluid: &FluidWorld, per_second: f32, seconds: f32, update: u32) -> Option<Self> {
        let ambient = fluid.parameters().ambient_temperature;
        let boils = fluid.classes().iter().map(|class| {
            let boil = boil_of(class, fluid.classes())?;
            Some((ambient + BUBBLES_BEGIN * (boil - ambient), boil))
        });
        let boils: Vec<_> = boils.collect();
        let each = per_second.max(0.0) * seconds;
        let any = each > 0.0 && boils.iter().any(Option::is_some);
        any.then_some(Self { boils, each, update })
    }

    /// Whether a particle gets a bubble.
    fn rises_from(&self, slot: u32, class: ClassId, temperature: f32) -> bool {
        let Some((begins, boils)) = self.boils[class.index()] else { return false };
        let heated = ((temperature - begins) / (boils - begins).max(1e-3)).clamp(0.0, 1.0);
        // A hash of both, which differs for any two updates.
        let mixed = (slot ^ self.update.wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b);
        let mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0xc2b2_ae35);
        heated > 0.0 && ((mixed >> 8) as f32) < self.each * heated * (1 << 24) as f32
    }
}

/// Temperatures at which the liquid glows, on a [`FluidSurface`](crate::render::FluidSurface) with
/// a [glow](crate::render::FluidSurfaceLook::glow).
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidGlow {
    /// Temperature at which a red glow begins, in the degrees of [`FluidThermal`](blob_fluid::FluidThermal).
    /// Default 500.
    pub begins: f32,
    /// Temperature at which the glow is brightest and yellow. Default 1200.
    pub full: f32,
}

impl Default for FluidGlow {
    fn default() -> Self {
        Self { begins: 500.0, full: 1200.0 }
    }
}

impl FluidGlow {
    /// Brightness of the glow at a temperature, 0 to 1.
    pub fn heat(&self, temperature: f32) -> f32 {
        ((temperature - self.begins) / (self.full - self.begins).max(1e-3)).clamp(0.0, 1.0)
    }
}

/// The foam of each particle.
#[derive(Resource, Debug, Default)]
pub(crate) struct FluidFoam {
    /// Indexed by the slot of the particle.
    particles: Vec<ParticleFoam>,
    /// Number of the last update, from 1.
    update: u32,
    /// Number of half-lives between two updates.
    half_lives: f32,
    /// Time of the last update, in the liquid's own seconds.
    time: f64,
}

/// The foam of a particle.
#[derive(Clone, Copy, Debug)]
struct ParticleFoam {
    /// Foam at the particle's own last update, 0 to 1.
    foam: f32,
    /// Velocity at that update, in world units/s.
    velocity: Vec2,
    /// Number of that update. Sleeping particles are not updated.
    update: u32,
    /// Generation of the particle in the slot, because slots are reused.
    generation: u32,
}

impl ParticleFoam {
    /// An unused slot.
    const NONE: Self = Self { foam: 0.0, velocity: Vec2::ZERO, update: 0, generation: u32::MAX };
}

impl FluidFoam {
    /// The foam of a particle, 0 to 1.
    pub(crate) fn get(&self, id: ParticleId) -> f32 {
        let particle = self.particles.get(id.slot() as usize);
        let known = particle.filter(|particle| particle.generation == id.generation());
        known.map_or(0.0, |particle| self.left_of(particle))
    }

    /// The decayed foam of a particle.
    fn left_of(&self, particle: &ParticleFoam) -> f32 {
        if particle.foam == 0.0 || particle.update == self.update {
            return particle.foam;
        }
        let updates = self.update - particle.update;
        particle.foam * libm::exp2f(-self.half_lives * updates as f32)
    }

    /// Updates the foam after a tick of `seconds`.
    fn advance(&mut self, fluid: &FluidWorld, settings: &FluidFoamSettings, seconds: f32) {
        // The world may have been replaced or reset, so the time may have been set back.
        let passed = fluid.time() - self.time;
        self.time = fluid.time();
        if !(0.0..=1.5 * f64::from(seconds)).contains(&passed) {
            self.particles.clear();
        }
        self.update += 1;
        self.half_lives = seconds / settings.half_life.max(1e-3);
        let particles = fluid.particles();
        if fluid.asleep() == particles.len() {
            return;
        }
        let spacing = fluid.parameters().particle_spacing;
        let begins = settings.speed.max(1e-3) * spacing;
        let gravity = match fluid.parameters().gravity.length() {
            // Without gravity, the reference is the acceleration that reaches the foaming speed in
            // a quarter of a second.
            0.0 => 4.0 * begins,
            gravity => gravity,
        };
        let hit = settings.impact.max(1e-3) * gravity * seconds.max(1e-6);
        let fall = fluid.parameters().gravity * seconds;
        // For each class, its tendency to foam and the change of velocity in free fall.
        let classes: Vec<_> = (fluid.classes().iter())
            .map(|class| (class_foams(class, fluid.parameters()), fall * class.gravity_scale))
            .collect();
        let bubbles = Bubbles::new(fluid, settings.bubbles, seconds, self.update);
        let kept = libm::exp2f(-self.half_lives);
        let states = particles.velocities().iter().zip(particles.relative_densities());
        let states = states.zip(particles.classes());
        for (index, (id, ((velocity, density), class))) in
            particles.ids().iter().zip(states).enumerate()
        {
            if particles.is_asleep(index) {
                continue;
            }
            let slot = id.slot() as usize;
            if slot >= self.particles.len() {
                self.particles.resize(slot + 1, ParticleFoam::NONE);
            }
            let before = self.particles[slot];
            let (left, before) = if before.generation != id.generation() {
                (0.0, *velocity)
            } else if before.update + 1 == self.update {
                (before.foam * kept, before.velocity)
            } else {
                (self.left_of(&before), Vec2::ZERO)
            };
            let mut made = 0.0;
            // In deep liquid behind a moving wall, the relative density is mostly above 0.82.
            let near_surface = ((0.86 - density) / 0.16).clamp(0.0, 1.0);
            if near_surface > 0.0 {
                let fast = (velocity.length() / begins - 1.0).clamp(0.0, 1.0);
                let (foams, fall) = classes[class.index()];
                // Liquid at rest keeps its velocity, and liquid in free fall gains that of the fall.
                let change = *velocity - before;
                let jolt = change.length().min((change - fall).length()) / hit;
                let struck = (0.5 * (jolt - 1.0)).clamp(0.0, 1.0);
                // A calm surface has a relative density of about 0.72.
                let broken = ((0.8 - density) / 0.4).clamp(0.0, 1.0);
                made = foams * (fast * broken).max(struck * near_surface);
            }
            if let Some(bubbles) = &bubbles
                && bubbles.rises_from(id.slot(), *class, particles.temperatures()[index])
            {
                made = 1.0;
            }
            self.particles[slot] = ParticleFoam {
                foam: left.max(made),
                velocity: *velocity,
                update: self.update,
                generation: id.generation(),
            };
        }
    }
}

/// Tendency of a class to foam, 0 to 1.
fn class_foams(class: &DensityClass, parameters: &FluidParameters) -> f32 {
    if class.elasticity.is_some() {
        return 0.0;
    }
    let linear = class.viscosity.map_or(parameters.viscosity.linear, |viscosity| viscosity.linear);
    let thicker_than_water = (2.0 * (linear - 0.2)).max(0.0);
    1.0 / (1.0 + thicker_than_water * thicker_than_water)
}

/// Relative density from which a particle is not loose. It is the value at the surface of a pool.
pub(crate) const INSIDE: f32 = 0.45;

/// Looseness of a particle with a relative density, 0 to 1: 0 at the surface of a pool.
pub(crate) fn looseness(relative_density: f32) -> f32 {
    (1.0 - relative_density / INSIDE).clamp(0.0, 1.0)
}

/// Adds foam to the app.
pub(crate) fn add_foam(app: &mut App) {
    app.init_resource::<FluidFoam>()
        .init_resource::<FluidFoamSettings>()
        .init_resource::<FluidGlow>()
        .register_type::<FluidFoamSettings>()
        .register_type::<FluidGlow>()
        .starts_over::<FluidFoamSettings>()
        .starts_over::<FluidGlow>()
        .add_systems(
            FluidSchedule,
            foam.in_set(FluidTickSystems::Sense).before(FluidSenseSystems::Bodies),
        );
}

fn foam(
    fluid: Res<FluidSimulation>,
    settings: Res<FluidFoamSettings>,
    time: Res<Time>,
    mut foam: ResMut<FluidFoam>,
) {
    foam.advance(&fluid, &settings, time.delta_secs());
}

#[cfg(test)]
mod tests {
    use blob_fluid::{
        ClassViscosity, Container, FluidThermal, FluidTransition, ParticleSpawn, SerialExecutor,
    };

    use super::*;

    /// The foam of a single particle after a tick at a speed, in particle spacings per second.
    fn foam_of_drop(
        foam: &mut FluidFoam,
        fluid: &mut FluidWorld,
        settings: &FluidFoamSettings,
        speed: f32,
    ) -> f32 {
        let spacing = fluid.parameters().particle_spacing;
        fluid.particles_mut().velocities_mut()[0] = Vec2::X * speed * spacing;
        fluid.step(1.0 / 60.0, &SerialExecutor).expect("a valid step");
        foam.advance(fluid, settings, 1.0 / 60.0);
        foam.get(fluid.particles().ids()[0])
    }

    #[test]
    fn fast_drops_foam_and_clear_up() {
        let (mut fluid, mut foam) = (FluidWorld::default(), FluidFoam::default());
        // The limit excludes foam by impacts.
        let settings = FluidFoamSettings { impact: 1e6, ..default() };
        let drop = fluid.spawn(ParticleSpawn::default()).expect("room");
        let mut at = |speed| foam_of_drop(&mut foam, &mut fluid, &settings, speed);
        assert_eq!((at(10.0), at(200.0)), (0.0, 1.0));
        let cleared = [(); 72].map(|()| at(0.0));
        // Half of the foam is left after a half-life.
        assert!((cleared[71] - 0.5).abs() < 1e-3, "{}", cleared[71]);
        // The next particle in the slot has no foam.
        assert!(fluid.despawn(drop));
        fluid.spawn(ParticleSpawn::default()).expect("room");
        assert_eq!(foam_of_drop(&mut foam, &mut fluid, &settings, 0.0), 0.0);
    }

    #[test]
    fn foam_of_sleeping_liquid_clears_up_too() {
        let (mut fluid, mut foam) = (FluidWorld::default(), FluidFoam::default());
        let weightless = FluidParameters { gravity: Vec2::ZERO, ..default() };
        fluid.set_parameters(weightless).expect("valid");
        let settings = FluidFoamSettings { impact: 1e6, ..default() };
        fluid.spawn(ParticleSpawn::default()).expect("room");
        let mut at =
            |fluid: &mut FluidWorld, speed| foam_of_drop(&mut foam, fluid, &settings, speed);
        assert_eq!(at(&mut fluid, 200.0), 1.0);
        let cleared = [(); 72].map(|()| at(&mut fluid, 0.0));
        assert_eq!(fluid.asleep(), 1);
        assert!((cleared[71] - 0.5).abs() < 1e-3, "{}", cleared[71]);
        // The particle wakes.
        let woken = at(&mut fluid, 20.0);
        assert!((woken - 0.495).abs() < 1e-3, "{woken}");
        assert_eq!(fluid.asleep(), 0);
    }

    #[test]
    fn drops_foam_when_they_are_hit() {
        let (mut fluid, mut foam) = (FluidWorld::default(), FluidFoam::default());
        let settings = FluidFoamSettings { speed: 1e6, ..default() };
        fluid.spawn(ParticleSpawn::default()).expect("room");
        let mut at = |speed| foam_of_drop(&mut foam, &mut fluid, &settings, speed);
        assert_eq!((at(10.0), at(10.0)), (0.0, 0.0));
        assert_eq!(at(-200.0), 1.0);
    }

    #[test]
    fn a_sheet_foams_when_it_lands_and_not_while_it_falls() {
        let (mut fluid, mut foam) = (FluidWorld::default(), FluidFoam::default());
        let settings = FluidFoamSettings { speed: 1e6, impact: 0.35, half_life: 0.05, ..default() };
        let spacing = fluid.parameters().particle_spacing;
        let floor = Container::rectangle(Vec2::ZERO, Vec2::new(2000.0, 300.0)).expect("valid");
        fluid.insert_container(floor);
        for (column, row) in (0..60_u8).flat_map(|column| (0..3_u8).map(move |row| (column, row))) {
            let place = spacing * Vec2::new(f32::from(column) - 30.0, f32::from(row));
            fluid.spawn(ParticleSpawn { position: place, ..default() }).expect("room");
        }
        let mut foams = |ticks: u32| -> Vec<f32> {
            let most = |_| {
                fluid.step(1.0 / 60.0, &SerialExecutor).expect("a valid step");
                foam.advance(&fluid, &settings, 1.0 / 60.0);
                fluid.particles().ids().iter().map(|id| foam.get(*id)).fold(0.0, f32::max)
            };
            (0..ticks).map(most).collect()
        };
        // It falls for 100 ticks. In the first ones it finds its shape.
        let falling = foams(98);
        assert!(falling[88..].iter().all(|most| *most < 0.02), "{falling:?}");
        let landing = foams(20);
        assert!(landing.iter().any(|most| *most > 0.9), "{landing:?}");
    }

    #[test]
    fn thick_liquids_foam_less_and_elastic_ones_not_at_all() {
        let parameters = FluidParameters::default();
        let thick = |linear| DensityClass {
            viscosity: Some(ClassViscosity { linear, ..default() }),
            ..default()
        };
        let [water, oil, honey] =
            [0.1, 1.2, 12.0].map(|linear| class_foams(&thick(linear), &parameters));
        assert_eq!(water, 1.0);
        assert!((oil - 0.2).abs() < 1e-6 && honey < 0.01, "{oil} {honey}");
        let jelly = DensityClass { elasticity: Some(default()), ..default() };
        assert_eq!(class_foams(&jelly, &parameters), 0.0);
        assert_eq!(class_foams(&DensityClass::default(), &parameters), 1.0);
    }

    #[test]
    fn a_world_restored_has_no_foam_of_the_other() {
        let (mut fluid, mut foam) = (FluidWorld::default(), FluidFoam::default());
        let settings = FluidFoamSettings::default();
        fluid.spawn(ParticleSpawn::default()).expect("room");
        assert_eq!(foam_of_drop(&mut foam, &mut fluid, &settings, 0.0), 0.0);
        let mut before = fluid.clone();
        for _ in 0..3 {
            assert_eq!(foam_of_drop(&mut foam, &mut fluid, &settings, 300.0), 1.0);
        }
        assert_eq!(foam_of_drop(&mut foam, &mut before, &settings, 0.0), 0.0);
    }

    #[test]
    fn only_liquid_that_is_nearly_at_its_boil_has_bubbles() {
        let class = |name: &str| DensityClass { name: name.into(), ..DensityClass::default() };
        let to_steam = FluidTransition { temperature: 100.0, becomes: "steam".into() };
        let thermal = FluidThermal { above: Some(to_steam), ..FluidThermal::default() };
        let water = DensityClass { thermal, ..class("water") };
        let steam = DensityClass { gravity_scale: -0.5, stiffness: 0.0, ..class("steam") };
        let table = ClassTable::new(vec![water, class("oil"), steam]).expect("valid");
        let mut fluid = FluidWorld::default();
        fluid.set_classes(table).expect("no particles yet");
        let settings = FluidFoamSettings::default();
        let ambient = fluid.parameters().ambient_temperature;
        let share = |class: u8, temperature: f32, settings: &FluidFoamSettings| {
            let bubbling = (0..60).flat_map(|update| {
                let bubbles = Bubbles::new(&fluid, settings.bubbles, 1.0 / 60.0, update);
                (0..1000).filter(move |slot| {
                    let bubbles = bubbles.as_ref();
                    bubbles.is_some_and(|all| all.rises_from(*slot, ClassId(class), temperature))
                })
            });
            bubbling.count() as f32 / 1000.0
        };
        assert_eq!(share(0, ambient, &settings), 0.0);
        assert_eq!(share(0, 0.7 * 100.0 + 0.3 * ambient, &settings), 0.0);
        let [half, whole] = [0.9 * 100.0 + 0.1 * ambient, 100.0].map(|at| share(0, at, &settings));
        assert!((whole / settings.bubbles - 1.0).abs() < 0.2, "{whole} each in a second");
        assert!((half / whole - 0.5).abs() < 0.1, "{half} and {whole}");
        assert_eq!(share(1, 100.0, &settings), 0.0, "oil does not boil");
        let none = FluidFoamSettings { bubbles: 0.0, ..settings };
        assert_eq!(share(0, 100.0, &none), 0.0);
    }

    #[test]
    fn heat_rises_between_both_temperatures() {
        let glow = FluidGlow::default();
        assert_eq!(
            [20.0, 500.0, 850.0, 1200.0, 9000.0].map(|t| glow.heat(t)),
            [0.0, 0.0, 0.5, 1.0, 1.0]
        );
        assert!(FluidGlow { begins: 5.0, full: 5.0 }.heat(6.0) == 1.0);
    }
}
