use std::f64::consts::TAU;

use blob_fluid::{
    ClassId, ClassTable, Container, DensityClass, FluidParameters, FluidWorld, ParticleSpawn,
    Settling,
};
use glam::Vec2;

use super::dam_break::slope;
use super::run_until;
use crate::page::Finding;
use crate::plot::{Series, line, plot};

/// Masses of the liquid above and of the liquid below.
const MASSES: [f64; 2] = [3.0, 1.0];
/// Amplitudes of the wave, in wavelengths: at the beginning, and between which the growth is
/// measured. At the last one, the wave is as high as a fifth of its length.
const AMPLITUDES: [f64; 3] = [0.02, 0.03, 0.1];

pub fn run() -> Finding {
    let (short, short_wave) = growth("60 particles long", 60, 1.0);
    let (long, long_wave) = growth("120 particles long", 60, 0.5);
    Finding {
        experiment: "Rayleigh-Taylor instability",
        description: "A liquid of mass 3 lies on one of mass 1 in a tank, each half a wavelength deep, without drag. They \
                      were one calm liquid, divided along a small wave and set in motion as linear theory says that the \
                      wave grows. Its amplitude is the Fourier coefficient of the lower liquid; the rate is fitted while the wave is \
                      3/50 to 1/5 as high as it is long.",
        measured: vec![
            ("growth rate over √(A g k), wave of 60 particles", short),
            ("growth rate over √(A g k), wave of 120 particles", long),
        ],
        plots: vec![plot(
            "Growth of a wave between two liquids",
            "t sqrt(A g k)",
            "ln(amplitude / first amplitude)",
            vec![short_wave, long_wave, line("theory", vec![(0.0, 0.0), (1.6, 1.6)])],
        )],
    }
}

/// Growth rate relative to linear theory, and the logarithm of the amplitude over time. The tank is
/// `columns` particles and `waves` wavelengths wide.
#[expect(clippy::disallowed_methods, reason = "rounding decides nothing here")]
fn growth(name: &'static str, columns: usize, waves: f64) -> (f64, Series) {
    let calm = calm_liquid(columns, (columns as f64 / waves).round() as usize);
    let resting = *calm.parameters();
    let length = f64::from(width(&resting, columns));
    let wavelength = length / waves;
    let (number, depth) = (TAU / wavelength, 0.5 * wavelength);
    let [heavy, light] = MASSES;
    let gravity = f64::from(resting.gravity.length());
    let rate = ((heavy - light) / (heavy + light) * gravity * number).sqrt();

    // Nothing but gravity and pressure acts.
    let upright = FluidParameters { settling: Settling::OFF, segregation: 0.0, ..resting };
    let mut world = FluidWorld::new(upright).expect("valid");
    let class = |name: &str, mass: f64| DensityClass {
        name: name.into(),
        mass: mass as f32,
        ..Default::default()
    };
    let classes = vec![class("heavy", heavy), class("light", light)];
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("no particles yet");
    world.insert_container(tank(&resting, columns));
    // The lower liquid is half of the whole.
    let mut heights: Vec<f64> =
        calm.particles().positions().iter().map(|position| f64::from(position.y)).collect();
    heights.sort_by(f64::total_cmp);
    let interface = heights[heights.len() / 2];
    let first = AMPLITUDES[0] * wavelength;
    for position in calm.particles().positions() {
        let phase = number * (f64::from(position.x) + 0.5 * length);
        let height = f64::from(position.y) - interface;
        let is_below = height < first * phase.cos();
        let from_end = number * (depth - height.abs()).max(0.0);
        let speed = rate * first / (number * depth).sinh();
        let sideways = if is_below { -1.0 } else { 1.0 };
        let velocity = Vec2::new(
            (sideways * speed * phase.sin() * from_end.cosh()) as f32,
            (speed * phase.cos() * from_end.sinh()) as f32,
        );
        let class = ClassId(u8::from(is_below));
        let spawn = ParticleSpawn { position: *position, velocity, class, ..Default::default() };
        world.spawn(spawn).expect("valid");
    }

    let begin = amplitude(&world, number, length);
    let mut indices = vec![(0.0, 0.0)];
    run_until(&mut world, 2.0 / rate, |world| {
        let now = amplitude(world, number, length);
        indices.push((world.time() * rate, (now / begin).max(1e-3).ln()));
    });
    let [from, to] = [AMPLITUDES[1], AMPLITUDES[2]].map(|part| (part * wavelength / begin).ln());
    let end = indices.iter().position(|point| point.1 > to).unwrap_or(indices.len());
    let fitted: Vec<(f64, f64)> =
        indices[..end].iter().copied().filter(|point| point.1 >= from).collect();
    (slope(&fitted), line(name, indices[..end].to_vec()))
}

/// Width of a tank that is a number of particles wide.
fn width(parameters: &FluidParameters, columns: usize) -> f32 {
    1.007 * parameters.particle_spacing * columns as f32
}

fn tank(parameters: &FluidParameters, columns: usize) -> Container {
    let width = width(parameters, columns);
    let half_size = Vec2::new(0.5 * width, 2.0 * width);
    Container::rectangle(Vec2::new(0.0, half_size.y), half_size).expect("valid")
}

/// One liquid in the tank, at rest.
fn calm_liquid(columns: usize, rows: usize) -> FluidWorld {
    let usual = FluidParameters::default();
    let settling = Settling { drag: 0.3, ..Settling::default() };
    let mut world = FluidWorld::new(FluidParameters { settling, ..usual }).expect("valid");
    world.insert_container(tank(&usual, columns));
    let spacing = width(&usual, columns) / columns as f32;
    for number in 0..rows * columns {
        let cell = Vec2::new((number % columns) as f32, (number / columns) as f32);
        let origin = Vec2::new(0.5 * width(&usual, columns), 0.0);
        let position = (cell + 0.5) * spacing - origin;
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
    }
    run_until(&mut world, 12.0, |_| {});
    world
}

/// Amplitude of the interface: the Fourier coefficient of the lower liquid, whose other borders are
/// flat.
#[expect(clippy::disallowed_methods, reason = "rounding decides nothing here")]
fn amplitude(world: &FluidWorld, number: f64, length: f64) -> f64 {
    let particles = world.particles();
    let per_area = {
        let spacing = 1.007 * f64::from(world.parameters().particle_spacing);
        1.0 / (spacing * spacing)
    };
    let all = particles.positions().iter().zip(particles.classes());
    let lower = all.filter(|(_, class)| **class == ClassId(1));
    let sum: f64 =
        lower.map(|(position, _)| (number * (f64::from(position.x) + 0.5 * length)).cos()).sum();
    2.0 * sum / (per_area * length)
}
