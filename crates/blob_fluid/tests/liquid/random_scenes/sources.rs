//! Emitters, drains and air of random scenes.

use blob_fluid::air::{Air, AirSettings, AirSide, AirSides, AirSource};
use blob_fluid::ranges::{self, Settings};
use blob_fluid::{
    ClassId, Drain, Emitter, EmitterSettings, FluidBounds, FluidLifetime, FluidNozzle, FluidRegion,
    FluidWorld,
};
use glam::Vec2;

use super::drawing::Drawing;
use super::random::Random;

/// What gives particles to a scene and takes some away.
#[derive(Default)]
pub struct Sources {
    /// Emitters, and where they stand and point.
    emitters: Vec<(Emitter, (Vec2, Vec2))>,
    drains: Vec<Drain>,
    drained: u64,
    /// Particles whose time was over.
    pub expired: u64,
    /// Largest speed that emitters give.
    pub fastest: f32,
}

impl Sources {
    /// Lets in and takes out what is due before a tick.
    pub fn work(&mut self, world: &mut FluidWorld, tick: f32) {
        for (emitter, pose) in &mut self.emitters {
            emitter.emit(world.liquid_mut(), *pose, *pose, tick).expect("a valid time");
        }
        for drain in &mut self.drains {
            self.drained += drain.drain(world.liquid_mut(), tick).expect("a valid time") as u64;
        }
    }

    /// Particles that are there, if there were so many at the beginning.
    pub fn left_of(&self, count: usize) -> usize {
        let emitted: u64 = self.emitters.iter().map(|(emitter, _)| emitter.emitted()).sum();
        (count as u64 + emitted - self.drained - self.expired) as usize
    }

    /// Whether particles come and go.
    pub fn are_there(&self) -> bool {
        !self.emitters.is_empty() || !self.drains.is_empty()
    }
}

/// Emitters and drains in a container of this half size, whose inner half size is `inner`.
pub fn sources(
    all: &mut Drawing,
    world: &FluidWorld,
    (centre, inner): (Vec2, f32),
    class_count: usize,
) -> Sources {
    let mut sources = Sources::default();
    let fast = world.parameters().speed_unit();
    if let Some(mut random) = all.part("emitters") {
        for _ in 0..1 + random.below(2) {
            let width = inner * random.between(0.01, 0.5);
            let rate = random.maybe(EmitterSettings::row("rate"));
            let settings = EmitterSettings {
                nozzle: FluidNozzle::Slot { width },
                rate,
                // One of both is given.
                speed: (rate.is_none() || random.chance(0.6))
                    .then(|| random.value_about(EmitterSettings::row("speed"), fast)),
                spread: random.value(EmitterSettings::row("spread")),
                class: ClassId(random.below(class_count) as u8),
                lifetime: random.chance(0.5).then(|| FluidLifetime::new(random.between(0.05, 2.0))),
                // Enough to see what they do.
                limit: Some(1 + random.below(120) as u64),
                ..EmitterSettings::jet(1.0, fast)
            };
            all.say("emitters", &settings);
            // Without a speed liquid comes as fast as its rate fills the slot.
            let spacing = world.parameters().particle_spacing;
            let filling = settings.rate.unwrap_or(0.0) / settings.full_rate(1.0, spacing);
            let speed = settings.speed.unwrap_or(filling);
            sources.fastest = sources.fastest.max(speed * (1.0 + settings.spread));
            let pose = (centre + random.point(0.7 * inner), random.direction());
            sources.emitters.push((Emitter::new(settings).expect("valid"), pose));
        }
    }
    if let Some(mut random) = all.part("drains") {
        let region =
            FluidRegion::circle(centre + random.point(inner), inner * random.between(0.05, 0.5));
        let mut drain = Drain::new(region.expect("valid"));
        if random.chance(0.7) {
            let rate =
                random.value_about(ranges::find("drain", "rate").expect("a row"), 60.0).max(0.0);
            drain = drain.with_rate(rate).expect("valid");
        }
        all.say("drains", (drain.region(), drain.rate()));
        sources.drains.push(drain);
    }
    sources
}

/// Air around the container.
pub fn air(all: &mut Drawing, world: &mut FluidWorld, half: f32, centre: Vec2) {
    let Some(mut random) = all.part("air") else { return };
    let usual = AirSettings::new(world.parameters().gravity);
    let settings = AirSettings {
        density: random.value(AirSettings::row("density")),
        drag: random.value(AirSettings::row("drag")),
        buoyancy: random.value(AirSettings::row("buoyancy")),
        cooling: random.value(AirSettings::row("cooling")),
        smoke_weight: random.value(AirSettings::row("smoke_weight")),
        vorticity_confinement: random.value(AirSettings::row("vorticity_confinement")),
        degrees_per_heat: random.value(AirSettings::row("degrees_per_heat")),
        heat_capacity: random.value(AirSettings::row("heat_capacity")),
        ..usual
    };
    let side = |random: &mut Random| {
        let inflow = random.direction() * world.parameters().speed_unit();
        random.pick(&[
            AirSide::CLOSED,
            AirSide::Open,
            AirSide::Inflow { velocity: inflow, smoke: 0.0, heat: 0.0 },
        ])
    };
    let sides = AirSides {
        left: side(&mut random),
        right: AirSide::Open,
        bottom: side(&mut random),
        top: side(&mut random),
    };
    let around = FluidBounds { low: centre - half, high: centre + half };
    let cell = (2.0 * half / random.between(6.0, 24.0)).clamp(1e-6, 1e6);
    all.say("air", (&settings, &sides, cell));
    let mut air = Air::new(around, cell, settings, sides).expect("valid");
    let place = FluidRegion::circle(centre + random.point(half), 0.3 * half).expect("valid");
    let source = AirSource {
        smoke: random.value_about(AirSource::row("smoke"), 1.0),
        heat: random.value_about(AirSource::row("heat"), 1.0),
        ..AirSource::new(place)
    };
    air.insert_source(source).expect("valid");
    world.insert_air(air);
}

/// Largest speed of a scene's air.
pub fn blown(world: &FluidWorld) -> f32 {
    let speeds = world.airs().flat_map(|air| air.velocities_x().iter().chain(air.velocities_y()));
    speeds.fold(0.0, |most, speed| most.max(speed.abs()))
}

/// The most by which drag and pressure of a scene's air may change a particle's speed in a tick: ten speed units.
pub fn pushed(world: &FluidWorld) -> f32 {
    if world.airs().next().is_some() { 10.0 * world.parameters().speed_unit() } else { 0.0 }
}
