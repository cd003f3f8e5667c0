//! Values of every type with settings, whose numbers can be changed one by one.

use blob_fluid::air::{
    Air, AirEmbers, AirProjection, AirSettings, AirSide, AirSides, AirSlip, AirSource, Wind,
};
use blob_fluid::ranges::{self, SettingRange, Settings};
use blob_fluid::scene::Scene;
use blob_fluid::shape::{FluidShape, Polyline};
use blob_fluid::{
    BakeSettings, Blob, Body, ClassFilter, ClassPair, ClassTable, ClassViscosity, DensityClass,
    Drain, EmitterSettings, FillLevels, FluidBounds, FluidBudget, FluidElasticity, FluidIntoAir,
    FluidLifetime, FluidPaint, FluidParameters, FluidPowder, FluidReaction, FluidRegion,
    FluidThermal, FluidTransition, Force, Motion, Pipe, PumpSettings, Sensor, SplashDetection,
    Substeps, Valve, WallProperties,
};
use glam::Vec2;
use serde::Serialize;
use serde_json::Value;

/// A valid value with numbers that have rows.
pub struct Example {
    /// Its numbers, with their rows.
    pub numbers: Vec<(&'static SettingRange, f32)>,
    /// The value as it is written to files; `Null` if it is not.
    pub written: Value,
    /// Checks the value with the last number of a row changed.
    pub with: Box<dyn Fn(&SettingRange, f32) -> Result<(), String>>,
}

/// Valid values with defaults, and with all optional settings.
pub fn examples() -> Vec<Example> {
    let default = FluidParameters { rest_density: Some(10.0), ..FluidParameters::default() };
    let fixed = FluidParameters { substeps: Substeps::Fixed(2), ..default };
    let transition = || Some(FluidTransition { temperature: 1.0, becomes: "any".into() });
    let into_air = FluidIntoAir {
        above: 1.0,
        colour: Some([1.0; 3]),
        rains: transition(),
        ..FluidIntoAir::default()
    };
    let class = DensityClass {
        name: "any".into(),
        viscosity: Some(ClassViscosity::default()),
        elasticity: Some(FluidElasticity::default()),
        powder: Some(FluidPowder::default()),
        paint: Some(FluidPaint::default()),
        thermal: FluidThermal {
            temperature: Some(1.0),
            above: transition(),
            below: transition(),
            into_air: Some(into_air),
            ..FluidThermal::default()
        },
        ..DensityClass::default()
    };
    let pair = ClassPair {
        viscosity: Some(ClassViscosity::default()),
        segregation: Some(1.0),
        paint_diffusion: Some(0.1),
        reaction: Some(FluidReaction { rate: 1.0, becomes: [None, None], temperature: Some(1.0) }),
        ..ClassPair::new("heavy", "light")
    };
    let wall =
        WallProperties { friction: Some(0.5), temperature: Some(1.0), ..WallProperties::default() };
    let emitter = EmitterSettings {
        rate: Some(1.0),
        // There is another error if all shares are 0.
        mix: vec![(Default::default(), 1.0), (Default::default(), 1.0)],
        temperature: Some(1.0),
        paint: Some([1.0; 3]),
        burst: Some(1),
        ..EmitterSettings::jet(1.0, 1.0)
    };
    let blob = Blob {
        temperature: Some(1.0),
        paint: Some([1.0; 3]),
        ..Blob::new(region(), Default::default())
    };
    let projection = AirProjection::GaussSeidel { iterations: 9, over_relaxation: 1.5 };
    let sticky = AirSide::Closed { slip: AirSlip::NoSlip { velocity: 1.0 } };
    let inflow = AirSide::Inflow { velocity: Vec2::ONE, smoke: 0.0, heat: 0.0 };
    let wind = Some(Wind { velocity: Vec2::ONE, strength: Some(1.0) });
    let embers = Some(AirEmbers::default());
    let source = AirSource { colour: Some([1.0; 3]), wind, embers, ..AirSource::new(region()) };
    let sides = |left: &AirSide| text(AirSides { left: *left, ..AirSides::default() }.validate());
    vec![
        written(default, |value| text(value.validate())),
        written(fixed, |value| text(value.validate())),
        written(class, |value| text(ClassTable::new(vec![value.clone()]))),
        written(pair, |value| {
            let classes = ClassTable::default().iter().cloned().collect();
            text(ClassTable::with_pairs(classes, vec![value.clone()]))
        }),
        number("shape", "radius", |radius| text(FluidShape::Circle { radius }.validate())),
        number("shape", "radius", |radius| {
            text(FluidShape::Capsule { half_length: 1.0, radius }.validate())
        }),
        number("shape", "half_length", |half_length| {
            text(FluidShape::Capsule { half_length, radius: 1.0 }.validate())
        }),
        number("shape", "half_size", |height| {
            text(FluidShape::Rectangle { half_size: Vec2::new(1.0, height) }.validate())
        }),
        number("polyline", "thickness", |thickness| {
            text(Polyline::new([Vec2::ZERO, Vec2::ONE], thickness))
        }),
        written(wall, |value| text(value.validate())),
        written(Motion::default(), |value| text(value.validate())),
        written(Body::new(1.0, 1.0), |value| text(value.validate())),
        written(FluidLifetime::new(1.0), |value| text(value.validate())),
        example(emitter.clone(), |value| text(value.validate())),
        example(emitter.nozzle.clone(), |nozzle| {
            let nozzle = nozzle.clone();
            text(EmitterSettings { nozzle, ..EmitterSettings::jet(1.0, 1.0) }.validate())
        }),
        example(blob, |value| text(value.validate())),
        number("pipe", "width", |width| text(Pipe::new(line(), width, 1.0))),
        number("pipe", "thickness", |thickness| text(Pipe::new(line(), 1.0, thickness))),
        example(Valve { width: 1.0, thickness: 1.0, seat: 1.0, opening: 0.0 }, |value| {
            text(value.validate())
        }),
        written(BakeSettings::default(), |value| text(value.validate())),
        example(PumpSettings { max_head: Some(1.0), ..PumpSettings::default() }, |value| {
            text(value.validate())
        }),
        number("drain", "rate", |rate| text(Drain::new(region()).set_rate(Some(rate)))),
        written(Force::default(), |value| text(value.validate())),
        // The limits of these two depend on each other.
        written(FillLevels::default(), |value| text(value.validate())),
        written(FillLevels { full_at: 1.0, empty_below: f32::MIN_POSITIVE }, |value| {
            text(value.validate())
        }),
        number("sensor", "smoothing", |smoothing| {
            text(Sensor::new(region(), ClassFilter::ALL).set_smoothing(smoothing))
        }),
        written(SplashDetection::default(), |value| text(value.validate())),
        written(FluidBudget::default(), |value| text(value.validate())),
        example(Scene::default(), |value| text(value.build())),
        number("air", "cell_size", |cell| {
            let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::splat(cell) };
            text(Air::new(bounds, cell, AirSettings::default(), AirSides::default()))
        }),
        written(AirSettings::default(), |value| text(value.validate())),
        written(AirSettings { projection, ..AirSettings::default() }, |value| {
            text(value.validate())
        }),
        written(inflow, sides),
        written(sticky, sides),
        written(source, |value| text(value.validate())),
    ]
}

fn example<S: Settings + Clone + 'static>(
    value: S,
    check: impl Fn(&S) -> Result<(), String> + 'static,
) -> Example {
    let mut numbers = Vec::new();
    value.visit(&mut |row, number| numbers.push((row, number)));
    let with = move |row: &SettingRange, number: f32| {
        let (mut changed, mut count, mut last) = (value.clone(), 0, 0);
        value.visit(&mut |visited, _| {
            count += 1;
            last = if visited == row { count } else { last };
        });
        count = 0;
        changed.visit_mut(&mut |_, value| {
            count += 1;
            *value = if count == last { number } else { *value };
        });
        check(&changed)
    };
    Example { numbers, written: Value::Null, with: Box::new(with) }
}

/// The example of a value that can be written to files.
fn written<S: Settings + Clone + Serialize + 'static>(
    value: S,
    check: impl Fn(&S) -> Result<(), String> + 'static,
) -> Example {
    let written = serde_json::to_value(&value).expect("data");
    Example { written, ..example(value, check) }
}

/// The example of a number that is given to a function.
fn number(
    subject: &str,
    path: &str,
    check: impl Fn(f32) -> Result<(), String> + 'static,
) -> Example {
    let row = ranges::find(subject, path).expect("a row");
    let numbers = vec![(row, row.default.unwrap_or(1.0))];
    Example { numbers, written: Value::Null, with: Box::new(move |_, number| check(number)) }
}

fn region() -> FluidRegion {
    FluidRegion::circle(Vec2::ZERO, 1.0).expect("valid")
}

fn line() -> [Vec2; 2] {
    [Vec2::ZERO, Vec2::X]
}

fn text<T, E: ToString>(result: Result<T, E>) -> Result<(), String> {
    result.map(|_| ()).map_err(|error| error.to_string())
}
